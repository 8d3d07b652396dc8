"""Rounds of ours in the format of klaver.live, for tests; run it to make the file in tests/data.

PYTHONPATH=tests python -m helpers.klaver_live_rows > tests/data/klaver-live.csv
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator

from arena.core.cards import card_name, suit_of
from arena.core.rules import View
from arena.core.seeds import rng_for
from arena.games.infoset import plays_of
from arena.games.klaverjas import Klaverjas
from arena.games.klaverjas.rule_player import choose_card

SUITS = {"C": "k", "D": "r", "H": "h", "S": "s"}
FACES = {"T": "10", "J": "11", "Q": "12", "K": "13", "A": "14"}
VARIANTS = {"rotterdam": "Rotterdams", "amsterdam": "Amsterdams"}
COLUMNS = (
    "Cards", "Center", *(f"CardsPlayed{x}" for x in range(4)), *(f"HasColor{x}" for x in range(4)),
    "Troef", "Variant", "PlayCard", "PlayableCardBits",
)  # fmt: skip


def written(card: int) -> str:
    name = card_name(card)
    return SUITS[name[0]] + FACES.get(name[1], name[1])


def row_of(view: View, card: int) -> dict[str, str]:
    """A decision as the site wrote it: player 0 is the one to move, then in the order of play."""
    rules = view.rules
    assert view.trump is not None
    held = [card if view.hand >> card & 1 else None for card in view.dealt_hand]
    not_followed = [0] * rules.players
    for seat, position, played in plays_of(view):
        if position.table and suit_of(played) != suit_of(position.table[0]):
            not_followed[seat] |= 1 << suit_of(position.table[0])
    row = {
        "Cards": " ".join("." if card is None else written(card) for card in held),
        "Center": " ".join(map(written, view.table)),
        "Troef": SUITS["CDHS"[view.trump]] + "2",
        "Variant": VARIANTS[rules.variant],  # type: ignore[attr-defined]
        "PlayCard": written(card),
        "PlayableCardBits": "".join(
            "." if card is None else str(int(card in view.legal)) for card in held
        ),
    }
    for player in range(4):
        seat = rules.seat_after(view.seat, player)
        cards = [trick.cards[(seat - trick.leader) % 4] for trick in view.tricks]
        row[f"CardsPlayed{player}"] = " ".join(map(written, cards))
        row[f"HasColor{player}"] = "".join(
            str(1 - (not_followed[seat] >> "CDHS".index(suit) & 1)) for suit in "CHDS"
        )
    return row


def decisions(variant: str, deals: int) -> Iterator[tuple[View, int]]:
    """The decisions of some rounds of the rule player, all four seats."""
    rules = Klaverjas(variant=variant)  # type: ignore[arg-type]
    for number in range(deals):
        state = rules.start(rules.random_deal(rng_for(1, variant, number), number))
        while state.turn is not None:
            view = rules.view(state, state.turn)
            card = choose_card(view, "as-published")
            yield view, card
            rules.apply(state, card)


if __name__ == "__main__":
    writer = csv.DictWriter(sys.stdout, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for variant in VARIANTS:
        for view, card in decisions(variant, 5):
            writer.writerow(row_of(view, card))
    writer.writerow({**row_of(view, card), "Variant": "unset"})
