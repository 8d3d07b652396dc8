"""Spades: partners bid how many tricks they will take; spades are trumps.

Source: J. McLeod, "Spades", pagat.com (the basic game for four in partnerships).

* 52 cards, four players, N and S against E and W; the deal and the play go clockwise.
* The elder hand, left of the dealer, bids first. Each player bids once: nil, or 1 to 13 tricks.
* The elder hand leads. Suit must be followed; who cannot plays any card. The highest spade
  takes the trick, else the highest card of the suit led. Spades may not be led before one
  was played in an earlier trick, unless the leader has nothing else.
* Partners add their bids. With at least so many tricks they score 10 for each trick bid and 1
  for each one more, a *bag*; with fewer they lose 10 for each trick bid. Ten bags, counted
  over the match, cost 100.
* A nil is worth 100 to the side if its bidder takes no trick, and costs 100 if they take one.
  What a failed nil takes counts for the side like any other trick.
* A match goes to 500.

Options: `nil`, what a nil is worth; `bags`, whether tricks beyond the bid are counted.

Bags need no book of their own: everything but a bag is worth a multiple of ten, so the last
digit of a score is the number of its bags.

Deviations: no blind bids; a match has no lower limit; the tricks of a failed nil help the
partner's bid, as in some circles, where the source counts them as bags only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

from arena.core.cards import LANE, SEATS
from arena.core.deals import Deal
from arena.core.rules import (
    OWN_BIDS,
    Action,
    Bid,
    FlagOwner,
    MatchFormat,
    Outcome,
    Position,
    RulesError,
)
from arena.core.seeds import Rng
from arena.games.base import TableRound, check_choice
from arena.games.trump import TrumpGame
from arena_spades.tables import (
    BAG_PENALTY,
    BAGS,
    BIDS,
    DECK,
    MOST_TRICKS,
    SPADES,
    STRENGTH,
    TRUMP,
)

__all__ = ["Spades", "bags_of", "tricks_bid"]

_SUIT = (1 << LANE) - 1
_CALLS: tuple[Action, ...] = tuple(OWN_BIDS + tricks for tricks in range(len(BIDS)))


def tricks_bid(call: Bid) -> int:
    """How many tricks a call promises; 0 is nil."""
    return call.action - OWN_BIDS


def bags_of(score: int) -> int:
    """The bags in a score.

    >>> bags_of(243), bags_of(-57)
    (3, 3)
    """
    return score % BAGS


@dataclass(frozen=True)
class Spades(TrumpGame):
    """Spades under one choice of options."""

    nil: Literal[50, 100, 200] = 100
    bags: bool = True

    name: ClassVar[str] = "spades"
    version: ClassVar[int] = 1
    deck: ClassVar[int] = DECK
    match: ClassVar[MatchFormat] = MatchFormat(target=500)
    strength = (STRENGTH,) * 4
    bids: ClassVar[tuple[str, ...]] = BIDS
    usual_bidder: ClassVar[str | None] = "spades-count"
    labels: ClassVar[dict[str, str]] = {"set": "set", "nil": "made nil", "nil-failed": "failed nil"}
    flag_owners: ClassVar[dict[str, FlagOwner]] = {}
    options_help: ClassVar[dict[str, str]] = {
        "nil": "what a nil is worth, and what it costs if it fails",
        "bags": "whether tricks beyond the bid score 1 each, and ten of them cost 100",
    }

    def __post_init__(self) -> None:
        check_choice(self.name, "nil", self.nil, (50, 100, 200))
        check_choice(self.name, "bags", self.bags, (False, True))

    @property
    def margin_bounds(self) -> tuple[float, float]:
        """Best: a nil, or two, next to the highest bid, while the others fail as badly."""
        best = 2 * self.nil + 10 * MOST_TRICKS
        worst = 2 * self.nil + 20 * MOST_TRICKS + 2 * BAG_PENALTY
        return -best - worst, best + worst

    # --- before the first card -----------------------------------------------------------

    def check_fields(self, deal: Deal) -> None:
        """A dealer is required."""
        if deal.dealer is None:
            raise RulesError(f"{deal.named}: the dealer is missing")

    def open(self, state: TableRound) -> None:
        """Ask the elder hand for a bid."""
        assert state.deal.dealer is not None  # see check_fields
        state.dealer, state.trump = state.deal.dealer, TRUMP
        state.leader = self.seat_after(state.dealer)
        self.ask(state, state.leader, "bid")

    def legal_bids(self, state: TableRound) -> tuple[Action, ...]:
        """Nil, or any number of tricks."""
        return _CALLS

    def apply_bid(self, state: TableRound, action: Action) -> None:
        """Record a bid; after four the elder hand leads."""
        assert state.turn is not None and state.leader is not None  # a seat bids
        state.bids = (*state.bids, Bid(state.turn, action))
        if len(state.bids) < self.players:
            self.ask(state, self.seat_after(state.turn), "bid")
        else:
            self.begin_play(state, state.leader)

    # --- the play ------------------------------------------------------------------------

    def playable(self, hand: int, position: Position) -> int:
        """Follow suit; no spade is led before one was played, unless there is nothing else."""
        if position.table:
            follow = hand & _SUIT << position.table[0] // LANE * LANE
            return follow or hand
        return hand if position.opened else hand & ~SPADES or hand

    def trick_value(self, cards: tuple[int, ...], trump: int | None, last: bool) -> tuple[int, int]:
        """A trick is a trick."""
        return 1, 0

    def opens(self, cards: tuple[int, ...]) -> bool:
        """A spade, played on whatever was led, breaks the suit."""
        return any(SPADES >> card & 1 for card in cards)

    # --- the score -----------------------------------------------------------------------

    def outcome(self, state: TableRound) -> Outcome:
        """What both sides write down."""
        won = [sum(trick.winner == seat for trick in state.tricks) for seat in range(self.players)]
        bids = {call.seat: tricks_bid(call) for call in state.bids}
        scores, tricks, flags = [], [], []
        for side, seats in enumerate(self.sides):
            taken, bid = sum(won[seat] for seat in seats), sum(bids[seat] for seat in seats)
            made = taken >= bid
            score = 10 * bid if made else -10 * bid
            if made and self.bags:
                had, more = bags_of(state.standing.scores[side]), taken - bid
                score += more - BAG_PENALTY * ((had + more) // BAGS)
            if not made:
                flags.append("set")
            for seat in seats:
                if bids[seat] == 0:
                    score += -self.nil if won[seat] else self.nil
                    flags.append("nil-failed" if won[seat] else "nil")
            scores.append(score)
            tricks.append(taken)
        return Outcome(
            tuple(scores), state.points, state.bonus, tuple(tricks), tuple(dict.fromkeys(flags))
        )

    # --- records and deals ---------------------------------------------------------------

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> Self | None:
        """The rules a recorded round was played under; None if it is of another game."""
        return cls(**record.get("options", {})) if record.get("game") == cls.name else None

    def facts(self, state: TableRound) -> dict[str, Any]:
        """What a round that is over came to, as it is recorded."""
        outcome = self.outcome(state)
        names = ["".join(SEATS[seat] for seat in side) for side in self.sides]
        return {
            "tricks": [{"winner": SEATS[trick.winner]} for trick in state.tricks],
            "tricks_won": dict(zip(names, outcome.tricks, strict=True)),
            "scores": dict(zip(names, outcome.scores, strict=True)),
        }

    def random_deal(self, rng: Rng, number: int) -> Deal:
        """Four random hands; dealers take turns by `number`."""
        first_dealer = self.seat_after(0, -1)
        return Deal("", self.random_hands(rng), dealer=self.seat_after(first_dealer, number))
