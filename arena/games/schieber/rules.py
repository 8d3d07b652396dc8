"""Schieber: 36 cards, four players, two partnerships, six trumps.

Sources: Niklaus 2019 chapters 3 and 11 (JassTheRipper), jass-kit, pyschieber; for Weis
and Stöck, which no published program plays, the printed Swiss rules (see `weis.py`).

Play goes counter-clockwise (N W S E). The forehand, next after the dealer, names one of
six trumps (four suits; obe-abe: no trump, ace high; une-ufe: no trump, six high) or
pushes; after a push the partner must name one, but any: no player is `forced` to a trump, and
what is named tells something. The forehand leads in either case.

* Without a trump suit: follow suit if you can, else play anything.
* Trump led: play a trump; but the trump jack is never forced out, so who has no other
  trump may play anything.
* A plain suit led: follow suit or trump, as you like; who cannot follow plays anything.
  Once such a trick is trumped no player may trump lower, unless only trumps are left. Three
  readings, by `undertrump`:
  `highest` (printed rules, JassTheRipper): the highest trump in the trick must be beaten;
  `jasskit`: of two trumps there, the one of the lower natural rank (A K Q J T ... 6);
  `pyschieber`: as `highest`, and a hand of only trumps must overtrump if it can.

Card points are 152 in all six games, the last trick is worth 5 more. All nine tricks by
one side are a match; 157 points with a worthless trick lost are not.

Options: `bidding`, `schieben` or `given` (the deal says trump and leader, and declarer
if that is known); `undertrump`; `match_bonus`, 0 or 100; `weis` and `stoeck`;
`multipliers` by trump, for everything that is scored: `none`, `pyschieber` (clubs and
hearts 1, diamonds and spades 2, obe-abe and une-ufe 3) or `swisslos` (diamonds and hearts
1, clubs and spades 2, the others 3). All bonuses are off by default, as in the thesis.

What the referee decides about Weis: all players announce all they have with their first card,
without being asked. When the first trick is complete the side with the best Weis scores
all of its Weis, and their cards are open for all to see (`View.shown`); what the other
side announced stays hidden. Stöck is scored when the trick is complete in which the
second of the two cards falls, so that it reveals nothing. Counting goes Stöck,
Weis, tricks, match (`ledger`): that order decides who is first to reach a target in the
middle of a round; a match of a fixed number of rounds needs only the sums.

A game of the thesis is 100 rounds: 50 double rounds, a deal and its mirror image. Exchanging
the agents' seats on the same deal is the same experiment.

Deviations: none in play. Of the customs of Weis, the count of long runs (five or more are
100) is the older one; no player may keep a Weis secret, and none announces only the
best one first.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, NamedTuple, Self, TypeAlias, get_args

from arena.core.cards import LANE, mask_of
from arena.core.deals import Deal
from arena.core.rules import (
    PUSH,
    Action,
    Bid,
    FlagOwner,
    MatchFormat,
    Outcome,
    Position,
    RulesError,
    choose_trump,
    chosen_trump,
)
from arena.core.seeds import Rng
from arena.games.base import TableRound, check_choice
from arena.games.schieber import records
from arena.games.schieber.tables import (
    DECK,
    HIGHER_TRUMPS,
    JACK,
    LAST_TRICK,
    MATCH,
    MOST_WEIS,
    MULTIPLIERS,
    POINTS,
    ROUND_POINTS,
    STOECK,
    STOECK_CARDS,
    STRENGTH,
    SUIT_MASK,
)
from arena.games.schieber.weis import announced, stoeck_holder
from arena.games.trump import CardTable, TrumpGame, trump_measures

Undertrump: TypeAlias = Literal["highest", "jasskit", "pyschieber"]
Bidding: TypeAlias = Literal["schieben", "given"]
Multipliers: TypeAlias = Literal["none", "pyschieber", "swisslos"]

TRUMP_CHOICES: tuple[Action, ...] = tuple(choose_trump(trump) for trump in range(len(POINTS)))


class Entry(NamedTuple):
    """A line of the score sheet."""

    what: Literal["stoeck", "weis", "trick", "match"]
    side: int
    points: int


@dataclass(frozen=True)
class Schieber(TrumpGame):
    """Schieber under one choice of options."""

    bidding: Bidding = "schieben"
    undertrump: Undertrump = "highest"
    match_bonus: Literal[0, 100] = 0
    weis: bool = False
    stoeck: bool = False
    multipliers: Multipliers = "none"

    name: ClassVar[str] = "schieber"
    version: ClassVar[int] = 1
    deck: ClassVar[int] = DECK
    strength: ClassVar[CardTable] = STRENGTH
    measures = trump_measures(POINTS)
    direction: ClassVar[int] = -1
    match: ClassVar[MatchFormat] = MatchFormat(rounds=100)
    stake: ClassVar[float | None] = 160.0
    labels: ClassVar[dict[str, str]] = {"bonus": "Weis and Stöck", "match": "match"}
    flag_owners: ClassVar[dict[str, FlagOwner]] = {"match": "tricks"}
    strokes: ClassVar[tuple[int, ...]] = (100, 50, 20)
    options_help: ClassVar[dict[str, str]] = {
        "bidding": "how trump is found: the forehand names it or pushes, or the deal says it",
        "undertrump": "which lower trumps are forbidden once a plain suit is trumped",
        "match_bonus": "points for taking all nine tricks",
        "weis": "whether runs and four alike are scored",
        "stoeck": "whether king and queen of trump in one hand are scored",
        "multipliers": "what all points are multiplied by, depending on trump",
    }

    def __post_init__(self) -> None:
        for option, allowed in (
            ("bidding", get_args(Bidding)),
            ("undertrump", get_args(Undertrump)),
            ("match_bonus", (0, MATCH)),
            ("weis", (False, True)),
            ("stoeck", (False, True)),
            ("multipliers", tuple(MULTIPLIERS)),
        ):
            check_choice(self.name, option, getattr(self, option), allowed)

    @property
    def margin_bounds(self) -> tuple[float, float]:
        """Best: all tricks, all that two hands can hold in Weis, and Stöck in a trump suit.

        Two hands hold at most 590 in Weis (the tests search all of them), for example nines
        and jacks with a ten, and aces and kings with the queen of the same suit. That side
        takes all tricks with this suit as trump, and has Stöck; and it takes all tricks in
        obe-abe, which has the highest factor. So the bound is reached under all options.
        """
        weis = MOST_WEIS if self.weis else 0
        stoeck = STOECK if self.stoeck else 0
        best = max(
            factor * (ROUND_POINTS + self.match_bonus + weis + stoeck * (trump < len(SUIT_MASK)))
            for trump, factor in enumerate(MULTIPLIERS[self.multipliers])
        )
        return -best, best

    # --- before the first card -----------------------------------------------------------

    def check_fields(self, deal: Deal) -> None:
        """A forehand must be known, and trump if it is given."""
        if deal.leader is None and deal.dealer is None:
            raise RulesError(f"{deal.named}: leader and dealer are missing; one is needed")
        if self.bidding == "schieben":
            return
        if deal.trump is None:
            raise RulesError(f"{deal.named}: trump is missing (bidding is 'given')")
        if deal.declarer is not None and (deal.declarer - self._forehand(deal)) % 2:
            raise RulesError(
                f"{deal.named}: the declarer must be the forehand, who leads, or their partner"
            )

    def _forehand(self, deal: Deal) -> int:
        """Next after the dealer; a given leader comes first if there is no auction."""
        if deal.dealer is None or (self.bidding == "given" and deal.leader is not None):
            assert deal.leader is not None  # check_fields asks for one of them
            return deal.leader
        return self.seat_after(deal.dealer)

    def open(self, state: TableRound) -> None:
        """Find the forehand; ask for trump, or lead."""
        deal = state.deal
        forehand = self._forehand(deal)
        state.dealer = self.seat_after(forehand, -1) if deal.dealer is None else deal.dealer
        if self.bidding == "given":
            state.trump, state.declarer = deal.trump, deal.declarer
            self.begin_play(state, forehand)
        else:
            state.leader = forehand
            self.ask(state, forehand, "bid")

    def legal_bids(self, state: TableRound) -> tuple[Action, ...]:
        """The forehand may push; their partner may not."""
        return TRUMP_CHOICES if state.bids else (PUSH, *TRUMP_CHOICES)

    def apply_bid(self, state: TableRound, action: Action) -> None:
        """Ask the partner after a push, else let the forehand lead."""
        seat, forehand = state.turn, state.leader
        assert seat is not None  # an auction has both
        assert forehand is not None
        state.bids = (*state.bids, Bid(seat, action))
        if action == PUSH:
            self.ask(state, self.seat_after(seat, 2), "bid")
        else:
            state.trump, state.declarer = chosen_trump(action), seat
            self.begin_play(state, forehand)

    # --- playing -------------------------------------------------------------------------

    def playable(self, hand: int, position: Position) -> int:
        """The cards that may be played."""
        table, trump = position.table, position.trump
        assert trump is not None  # cards are played once trump is known
        if not table:
            return hand
        led = table[0] // LANE
        following = hand & SUIT_MASK[led]
        if trump >= len(SUIT_MASK):
            return following or hand
        if led == trump:
            only_the_jack = following == JACK[trump]
            return following if following and not only_the_jack else hand

        trumps = hand & SUIT_MASK[trump]
        to_beat = self._trump_to_beat(table, trump)
        if to_beat is None:
            return following | trumps if following else hand
        higher = trumps & HIGHER_TRUMPS[trump][to_beat]
        if hand == trumps:
            return higher or hand if self.undertrump == "pyschieber" else hand
        return following | higher if following else hand & ~trumps | higher

    def _trump_to_beat(self, table: tuple[int, ...], trump: int) -> int | None:
        """The trump in a plain trick below which no player may trump."""
        there = [card for card in table if card // LANE == trump]
        if len(there) < 2:
            return there[0] if there else None
        if self.undertrump == "jasskit":
            return min(there)
        return max(there, key=STRENGTH[trump].__getitem__)

    def trick_value(self, cards: tuple[int, ...], trump: int | None, last: bool) -> tuple[int, int]:
        """Card points, five more for the last trick; Weis and Stöck go with no trick."""
        assert trump is not None  # cards are played once trump is known
        values = POINTS[trump]
        return sum([values[card] for card in cards]) + (LAST_TRICK if last else 0), 0

    def after_trick(self, state: TableRound) -> None:
        """Weis after the first trick; Stöck after the one with the second of the two cards."""
        trump = state.trump
        assert trump is not None  # cards are played once trump is known
        if self.weis and len(state.tricks) == 1:
            assert state.leader is not None  # they led this trick
            for seat, found in announced(_dealt(state), trump, state.leader).items():
                self._score(state, seat, sum(weis.points for weis in found))
                shown = 0
                for weis in found:
                    shown |= weis.cards
                state.shown = (*state.shown, (seat, shown))
        if self.stoeck and trump < len(SUIT_MASK):
            pair = STOECK_CARDS[trump]
            falls_now = mask_of(state.tricks[-1].cards) & pair
            holder = stoeck_holder(_dealt(state), trump) if falls_now else None
            if holder is not None and not state.hands[holder] & pair:
                self._score(state, holder, STOECK)

    def _score(self, state: TableRound, seat: int, bonus: int) -> None:
        side = self.side_of(seat)
        state.bonus = tuple(b + bonus * (s == side) for s, b in enumerate(state.bonus))

    def outcome(self, state: TableRound) -> Outcome:
        """The sums of the ledger."""
        scores = [0, 0]
        won = [0, 0]
        for entry in self.ledger(state):
            scores[entry.side] += entry.points
            won[entry.side] += entry.what == "trick"
        flags = ("match",) if 0 in won else ()
        return Outcome((scores[0], scores[1]), state.points, state.bonus, (won[0], won[1]), flags)

    def ledger(self, state: TableRound) -> tuple[Entry, ...]:
        """What a finished round adds to the score sheet, in the order of counting."""
        trump, forehand = state.trump, state.leader
        assert trump is not None  # the round was played
        assert forehand is not None
        factor = MULTIPLIERS[self.multipliers][trump]
        entries = []
        holder = stoeck_holder(_dealt(state), trump) if self.stoeck else None
        if holder is not None:
            entries.append(Entry("stoeck", self.side_of(holder), factor * STOECK))
        if self.weis:
            for seat, found in announced(_dealt(state), trump, forehand).items():
                side = self.side_of(seat)
                entries += [Entry("weis", side, factor * weis.points) for weis in found]
        for trick in state.tricks:
            entries.append(Entry("trick", self.side_of(trick.winner), factor * trick.points))
        winners = {self.side_of(trick.winner) for trick in state.tricks}
        if self.match_bonus and len(winners) == 1:
            entries.append(Entry("match", winners.pop(), factor * self.match_bonus))
        return tuple(entries)

    # --- records and deals ---------------------------------------------------------------

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> Self | None:
        """The rules a recorded round was played under; None if it is of another game."""
        options = records.options_of(record)
        return None if options is None else cls(**options)

    def facts(self, state: TableRound) -> dict[str, Any]:
        """The result of a finished round, as records store it."""
        with_match_bonus = replace(self, match_bonus=MATCH)
        return records.facts(state, self.outcome(state), with_match_bonus.outcome(state))

    def random_deal(self, rng: Rng, number: int) -> Deal:
        """Four random hands; forehands take turns by `number`, as in a match."""
        hands = self.random_hands(rng)
        forehand = self.seat_after(0, number)
        if self.bidding == "given":
            trump = rng.below(len(TRUMP_CHOICES))
            return Deal("", hands, trump=trump, declarer=forehand, leader=forehand)
        return Deal("", hands, dealer=self.seat_after(forehand, -1))


def _dealt(state: TableRound) -> list[int]:
    return [mask_of(hand) for hand in state.deal.hands]
