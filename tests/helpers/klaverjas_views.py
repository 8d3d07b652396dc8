"""Klaverjas positions written in one line, for tests of agents."""

from __future__ import annotations

from arena.core.cards import cards_of, mask_of, parse_cards, parse_trump
from arena.core.rules import Position, Standing, Trick, View
from arena.games.klaverjas import Klaverjas


def klaverjas_view(
    hand: str, table: str = "", *, trump: str = "H", gone: str = "", variant: str = "rotterdam"
) -> View:
    """What seat N sees: its hand in the order dealt, the trick so far, and finished tricks."""
    rules = Klaverjas(variant=variant)  # type: ignore[arg-type]
    held, lying, finished = parse_cards(hand), parse_cards(table), parse_cards(gone)
    tricks = tuple(Trick(0, finished[i : i + 4], 0, 0, 0) for i in range(0, len(finished), 4))
    suit = parse_trump(trump)
    position = Position(suit, lying, len(tricks), False)
    return View(
        rules=rules,
        seat=0,
        phase="play",
        legal=tuple(cards_of(rules.playable(mask_of(held), position))),
        hand=mask_of(held),
        dealt_hand=held,
        dealer=3,
        leader=0,
        trump=suit,
        declarer=0,
        forced=False,
        turn_ups=(),
        bids=(),
        tricks=tricks,
        table=lying,
        table_leader=-len(lying) % 4,
        opened=False,
        points=(0, 0),
        bonus=(0, 0),
        standing=Standing(0, (0, 0)),
        passed=(),
        received=(),
        shown=(),
    )
