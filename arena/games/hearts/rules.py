"""Hearts: 52 cards, each player alone, and points are bad.

Sources: Kiele 2024 section 2.1 (thesis and program); OpenSpiel's Hearts; for passing the
American rules that both start from.

Play goes clockwise; the holder of the two of clubs leads it. Follow suit if you can, else
play anything. The highest card of the suit led takes the trick. A heart is worth 1 point,
the queen of spades 13. Before hearts are broken they may not be led, unless nothing else
is held. A match ends after the round in which a player reaches 100; the lowest total wins.

Moon: who takes all points scores 0 and all others all of them: 26, less what was not
dealt.

Options: `players`, 4 with 13 cards each, 3 with 17 or 2 with 26. With three one card is left
over, which no player sees; it is never the two of clubs, which has to be led. `variant` names a
published rule set, and the three that follow change it where they are given:

* `points_on_first_trick`: whether point cards may be discarded on the first trick (if
  not, still allowed to a hand that has nothing else);
* `queen_breaks_hearts`: whether the queen of spades breaks hearts, as any heart does;
* `queen_lead_ban`: whether the queen of spades may not be led either before hearts are
  broken. Without the ban, who has only hearts and the queen must lead the queen.

| variant             | points on first trick | queen breaks | queen lead ban |
|---------------------|-----------------------|--------------|----------------|
| `kiele_thesis`      | yes                   | yes          | no             |
| `kiele_code`        | yes                   | yes          | yes            |
| `openspiel_default` | no                    | yes          | no             |
| `classic`           | no                    | no           | no             |

`passing`: three cards each go to the `left` (next in turn), `right`, `across`, `none`, or
`rotate` round by round in this order. A card is chosen at a time, seat by seat, and all
move when all are chosen; no player sees what others pass, except what they receive. With two
players, left, right and across are all the opponent; with three no seat is across.

Deviations: none. The program of the thesis often lets another seat lead the first trick
(see its turn flag), with three players waits forever if the two of clubs is left over, and
counts only half of the points that are not dealt; these are defects and not played here. A
`leader` in a deal must hold the two of clubs; where cards are passed it says nothing and is
not looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, Self, TypeAlias, get_args

from arena.core.cards import DECK, LANE, SEATS, cards_of
from arena.core.deals import Deal
from arena.core.rules import Action, FlagOwner, MatchFormat, Outcome, Position, RulesError
from arena.core.seeds import Rng
from arena.games.base import TableRound, TrickGame, check_choice
from arena.games.hearts import records
from arena.games.hearts.tables import (
    ALL_POINTS,
    HEARTS,
    PASSED_CARDS,
    POINT_CARDS,
    POINTS,
    QUEEN,
    SUIT_MASK,
    TWO_OF_CLUBS,
)

Variant: TypeAlias = Literal["kiele_thesis", "kiele_code", "openspiel_default", "classic"]
Passing: TypeAlias = Literal["none", "left", "right", "across", "rotate"]


class Preset(NamedTuple):
    """The options that a variant sets."""

    points_on_first_trick: bool
    queen_breaks_hearts: bool
    queen_lead_ban: bool


PRESETS: dict[str, Preset] = {
    "kiele_thesis": Preset(True, True, False),
    "kiele_code": Preset(True, True, True),
    "openspiel_default": Preset(False, True, False),
    "classic": Preset(False, False, False),
}

ROTATION = ("left", "right", "across", "none")


@dataclass(frozen=True)
class Hearts(TrickGame):
    """Hearts under one choice of options.

    The options that a variant sets are None only while an object is made: afterwards they
    say what is played.

    >>> Hearts(variant="kiele_code").queen_lead_ban
    True
    """

    players: Literal[2, 3, 4] = 4
    variant: Variant = "kiele_thesis"
    passing: Passing = "none"
    points_on_first_trick: bool | None = None
    queen_breaks_hearts: bool | None = None
    queen_lead_ban: bool | None = None

    name: ClassVar[str] = "hearts"
    version: ClassVar[int] = 1
    deck: ClassVar[int] = DECK
    higher_wins: ClassVar[bool] = False
    match: ClassVar[MatchFormat] = MatchFormat(target=100)
    stake: ClassVar[float | None] = 20.0
    labels: ClassVar[dict[str, str]] = {"moon": "shot the moon"}
    flag_owners: ClassVar[dict[str, FlagOwner]] = {"moon": "points"}
    options_help: ClassVar[dict[str, str]] = {
        "players": "4 with 13 cards each, 3 with 17 and one left over, or 2 with 26",
        "variant": "a published rule set; the options below change it",
        "passing": "where three cards go before the first trick",
        "points_on_first_trick": "whether point cards may be discarded on the first trick",
        "queen_breaks_hearts": "whether the queen of spades breaks hearts",
        "queen_lead_ban": "whether the queen of spades may not be led until hearts are broken",
    }

    def __post_init__(self) -> None:
        check_choice(self.name, "players", self.players, (2, 3, 4))
        check_choice(self.name, "variant", self.variant, PRESETS)
        check_choice(self.name, "passing", self.passing, self._ways_to_pass)
        for option, preset in PRESETS[self.variant]._asdict().items():
            if getattr(self, option) is None:
                object.__setattr__(self, option, preset)
            check_choice(self.name, option, getattr(self, option), (False, True))

    @property
    def _ways_to_pass(self) -> tuple[str, ...]:
        """With three players no seat is across."""
        return tuple(way for way in get_args(Passing) if self.players != 3 or way != "across")

    # --- the table -----------------------------------------------------------------------

    @property
    def sides(self) -> tuple[tuple[int, ...], ...]:
        """Each player plays alone."""
        return tuple((seat,) for seat in range(self.players))

    def side_of(self, seat: int) -> int:
        """Each player is a side."""
        return seat

    @property
    def margin_bounds(self) -> tuple[float, float]:
        """The mean of the others' points less one's own. Best: one's own moon.

        Worst, of the two ways to do badly: all points but one (all would be a moon), the
        last to one of the others; or a moon of one of the others.
        """
        others = self.players - 1
        nearly_all = 1 / others - (ALL_POINTS - 1)
        anothers_moon = ALL_POINTS * (others - 1) / others - ALL_POINTS
        return min(nearly_all, anothers_moon), ALL_POINTS

    def worst_margin(self, sides: int) -> float:
        """Two or more who take all points between them, or a moon of one of the others."""
        if sides == 1:
            return self.margin_bounds[0]
        return -ALL_POINTS / min(sides, self.players - sides)

    # --- before the first card -----------------------------------------------------------

    def check_fields(self, deal: Deal) -> None:
        """A seat must hold the two of clubs; if the deal names a leader, it must be that seat."""
        if not any(map(_holds_two_of_clubs, deal.hands)):
            raise RulesError(f"{deal.named}: no seat holds the two of clubs, which is led first")
        if deal.leader is None or self.passing != "none":
            return
        if deal.leader >= self.players or not _holds_two_of_clubs(deal.hands[deal.leader]):
            raise RulesError(
                f"{deal.named}: leader {SEATS[deal.leader]} does not hold the two of clubs"
            )

    def open(self, state: TableRound) -> None:
        """Ask for the first card to pass, or find who leads."""
        state.passing = self.passing_steps(state.standing.round_number)
        if state.passing:
            self.ask(state, 0, "pass")
        else:
            self._find_leader(state)

    def passing_steps(self, round_number: int) -> int:
        """How many seats on the passed cards go in this round of a match; 0: none are passed."""
        towards: str = self.passing
        if towards == "rotate":
            rotation = [way for way in ROTATION if way in self._ways_to_pass]
            towards = rotation[round_number % len(rotation)]
        steps = {"none": 0, "left": 1, "right": self.players - 1, "across": self.players // 2}
        return steps[towards]

    def legal_bids(self, state: TableRound) -> tuple[Action, ...]:
        """Any card that is not chosen yet."""
        seat = state.turn
        assert seat is not None  # a seat is to pass a card
        return tuple(card for card in cards_of(state.hands[seat]) if card not in state.passed[seat])

    def apply_bid(self, state: TableRound, action: Action) -> None:
        """Put a card aside; when all seats have chosen, the cards change hands."""
        seat = state.turn
        assert seat is not None  # a seat is to pass a card
        state.passed[seat] = (*state.passed[seat], action)
        if len(state.passed[seat]) < PASSED_CARDS:
            self.ask(state, seat, "pass")
        elif seat + 1 < self.players:
            self.ask(state, seat + 1, "pass")
        else:
            self._exchange(state)
            self._find_leader(state)

    def _exchange(self, state: TableRound) -> None:
        for seat, cards in enumerate(state.passed):
            receiver = self.seat_after(seat, state.passing)
            state.received[receiver] = cards
            for card in cards:
                state.hands[seat] ^= 1 << card
                state.hands[receiver] ^= 1 << card

    def _find_leader(self, state: TableRound) -> None:
        holder = next(s for s, hand in enumerate(state.hands) if hand & TWO_OF_CLUBS)
        self.begin_play(state, holder)

    # --- playing -------------------------------------------------------------------------

    def playable(self, hand: int, position: Position) -> int:
        """The cards that may be played."""
        first_trick = position.trick_number == 0
        if position.table:
            following = hand & SUIT_MASK[position.table[0] // LANE]
            if following:
                return following
            if first_trick and not self.points_on_first_trick:
                return hand & ~POINT_CARDS or hand
            return hand
        if first_trick:
            return hand & TWO_OF_CLUBS
        if position.opened:
            return hand
        banned = HEARTS | QUEEN if self.queen_lead_ban else HEARTS
        return hand & ~banned or hand

    def trick_winner(self, cards: tuple[int, ...], trump: int | None) -> int:
        """The highest card of the suit led."""
        led = cards[0] // LANE
        winner = 0
        for place in range(1, len(cards)):
            if cards[place] // LANE == led and cards[place] > cards[winner]:
                winner = place
        return winner

    def trick_value(self, cards: tuple[int, ...], trump: int | None, last: bool) -> tuple[int, int]:
        """A point for every heart, thirteen for the queen of spades; no bonus."""
        return sum([POINTS[card] for card in cards]), 0

    def opens(self, cards: tuple[int, ...]) -> bool:
        """Hearts are broken by a heart, and by the queen of spades if the rules say so."""
        breaking = POINT_CARDS if self.queen_breaks_hearts else HEARTS
        return any(breaking >> card & 1 for card in cards)

    def outcome(self, state: TableRound) -> Outcome:
        """The points taken, unless a player has shot the moon."""
        points = state.points
        won = [0] * self.players
        for trick in state.tricks:
            won[trick.winner] += 1
        scores = points
        flags: tuple[str, ...] = ()
        dealt = sum(points)  # fewer than 26 if a point card was left over
        if dealt in points:
            scores, flags = tuple(dealt - p for p in points), ("moon",)
        return Outcome(scores, points, state.bonus, tuple(won), flags)

    # --- records and deals ---------------------------------------------------------------

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> Self | None:
        """The rules a recorded round was played under; None if it is of another game."""
        options = records.options_of(record, PRESETS)
        return None if options is None else cls(**options)

    def facts(self, state: TableRound) -> dict[str, Any]:
        """The result of a finished round, as records store it."""
        return records.facts(state, self.outcome(state))

    def random_deal(self, rng: Rng, number: int) -> Deal:
        """Random hands; the two of clubs decides who leads, so nothing takes turns."""
        hands = self.random_hands(rng)
        while not any(map(_holds_two_of_clubs, hands)):
            hands = self.random_hands(rng)
        return Deal("", hands)


def _holds_two_of_clubs(hand: tuple[int, ...]) -> bool:
    return any(TWO_OF_CLUBS >> card & 1 for card in hand)


def _most_hearts(deal: Deal) -> int:
    return max(sum(HEARTS >> card & 1 for card in hand) for hand in deal.hands)


Hearts.measures = {"most-hearts": _most_hearts}
