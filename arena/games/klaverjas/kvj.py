"""Reading `.kvj` files, the format of the program of 2017.

Source: Hoogenboom 2017, section 3.4. Line 1: four player types (not used here).
Lines 2 to 5: eight cards for each player. Line 6: trump, who declares and who
leads, or -1 for a deal with bidding. Line 7, if there: the number of finished
tricks, and then a line for each with the four cards in the order of the players,
not in the order of play. A card is `10 * suit + rank`, suits spades, hearts, clubs,
diamonds, ranks 7 8 Q K 10 A 9 J. Player 0 is N here, and so on clockwise.

Differs: winners of the finished tricks follow the rules (the program took the
first leader for the leader of every trick), and -1 on line 6 is accepted.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from arena.core.cards import LANE, RANKS, SUITS
from arena.core.deals import Deal, DealError, check_cards
from arena.core.errors import ArenaError, located
from arena.core.files import read_text
from arena.core.seeds import Rng
from arena.games.klaverjas import bidding
from arena.games.klaverjas.rules import Klaverjas
from arena.games.klaverjas.tables import DECK

_SUIT_ORDER = "SHCD"
_RANK_ORDER = "78QKTA9J"
_PLAYERS, _HAND = 4, 8


def read_kvj(path: Path, rng: Rng) -> Deal:
    """The deal in a `.kvj` file; `rng` draws the turn-up suits where the file leaves them open."""
    text = read_text(path)
    numbered = [(n, line.split()) for n, line in enumerate(text.splitlines(), 1) if line.strip()]
    lines = _Lines(path, numbered)

    lines.numbers("four player types", _PLAYERS, 0, 9)
    hands = tuple(lines.cards(f"eight cards of player {seat}", _HAND) for seat in range(_PLAYERS))
    deal = Deal(path.stem, hands)
    try:
        check_cards(deal, DECK, _PLAYERS, _HAND)
    except ArenaError as error:
        raise DealError(f"{path}: {error}") from error

    contract = lines.numbers("trump, declarer and leader, or -1", None, -1, 3)
    if contract == [-1]:
        lines.end()
        return replace(deal, dealer=3, turn_ups=bidding.draw_turn_ups("classical", rng))
    if len(contract) != 3 or min(contract) < 0:
        raise lines.wrong("trump, declarer and leader (0 to 3 each), or -1")
    trump, declarer, leader = contract
    trump = SUITS.index(_SUIT_ORDER[trump])
    deal = replace(deal, trump=trump, declarer=declarer, leader=leader)
    if lines.at_end():
        return deal
    (finished,) = lines.numbers("the number of finished tricks", 1, 0, _HAND)
    rules = Klaverjas()
    for number in range(finished):
        state = rules.start(deal)
        leader = state.turn if state.turn is not None else leader
        cards = lines.cards(f"the four cards of trick {number + 1}", _PLAYERS)
        in_order = tuple(cards[rules.seat_after(leader, place)] for place in range(_PLAYERS))
        deal = replace(deal, played=deal.played + in_order)
        try:
            rules.start(deal)
        except ArenaError as error:
            raise lines.wrong(f"a trick that can be played ({error})") from error
    lines.end()
    return deal


class _Lines:
    """The lines of a file, taken one by one, with an error that names the line."""

    def __init__(self, path: Path, numbered: list[tuple[int, list[str]]]) -> None:
        self.path, self.numbered, self.next = path, numbered, 0

    def at_end(self) -> bool:
        return self.next == len(self.numbered)

    def end(self) -> None:
        if not self.at_end():
            self.next += 1
            raise self.wrong("the end of the file")

    def wrong(self, expected: str) -> DealError:
        """The error for the line taken last."""
        number, words = self.numbered[self.next - 1]
        return DealError(
            located(self.path, number, f"expected {expected}, found {' '.join(words)!r}")
        )

    def numbers(self, expected: str, count: int | None, low: int, high: int) -> list[int]:
        """The numbers of the next line: `count` of them, each from `low` to `high`."""
        if self.at_end():
            raise DealError(f"{self.path}: the file ends where {expected} should be")
        words = self.numbered[self.next][1]
        self.next += 1
        try:
            values = [int(word) for word in words]
        except ValueError:
            raise self.wrong(f"{expected} as numbers") from None
        if (count is not None and len(values) != count) or not values:
            raise self.wrong(expected)
        if any(not low <= value <= high for value in values):
            raise self.wrong(f"{expected} ({low} to {high} each)")
        return values

    def cards(self, expected: str, count: int) -> tuple[int, ...]:
        """The cards of the next line."""
        values = self.numbers(expected, count, 0, 37)
        if any(value % 10 >= len(_RANK_ORDER) for value in values):
            raise self.wrong(f"{expected} (a card is 10 x suit + rank, rank 0 to 7)")
        return tuple(
            LANE * SUITS.index(_SUIT_ORDER[value // 10]) + RANKS.index(_RANK_ORDER[value % 10])
            for value in values
        )
