"""Klaverjas: 32 cards, four players, two partnerships, a trump suit and roem.

Sources: Hoogenboom 2017 chapter 2, Hordijk 2022, Aaldering 2023, and for
`amsterdam-official` the printed rules.

Play goes clockwise. Follow suit if you can. Who cannot follow plays by `variant`:

* `rotterdam`: must trump, and above any trump on the table if able; a lower trump
  is compulsory if no higher one is held; also over partner. A trump lead must be
  headed if able.
* `amsterdam` (as the theses word it): the same, except that nothing but following
  suit is required while partner holds the trick.
* `amsterdam-official` (the printed rules): a trump lead must be headed even over
  partner; no player may under-trump unless only trumps are left; who cannot follow
  while partner holds the trick may discard, or trump higher.
* `amsterdam-2022` (as the program of Hordijk 2022 has it): as `amsterdam`, but on a trump
  lead that partner holds anything may be played, even by who has trumps.
* `rotterdam-2017` (as the program of Hoogenboom 2017 has it): as `rotterdam`, but a trick goes
  to the card with most points of those that can take it, on ties to the lowest seat (N first):
  a seven may beat a nine. Deals made for it come from its shuffle, which never leaves
  a card where it was: seats get fewer cards of the suit that lies before them.

Card points are 152, the last trick is worth 10 more. Roem goes to the side that
takes the trick: three in sequence 20, four 50, king and queen of trump (stuk) 20
on top, four alike 100. The declarer's side must have more than the other side,
roem included, or it is nat: nothing for it, 162 and all roem for the others. Pit,
all tricks by the declarer's side, is worth 100.

Options: `variant`; `bidding` (see `bidding.py`); `four_jacks`: roem for four jacks,
200 or 100; `tie_is_nat`: whether an equal count is nat.

Deviations: none. Defenders who take all tricks get no bonus, as in all three theses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self, TypeAlias, get_args

from arena.core.cards import LANE, RANKS, SUITS, cards_of, mask_of, suit_of
from arena.core.deals import Deal
from arena.core.rules import Action, FlagOwner, MatchFormat, Outcome, Position, RulesError
from arena.core.seeds import Rng
from arena.games.base import TableRound, check_choice
from arena.games.klaverjas import bidding, records
from arena.games.klaverjas.tables import (
    DECK,
    FOUR_ALIKE,
    HIGHER_TRUMPS,
    LAST_TRICK,
    PIT,
    PLAIN_ORDER,
    POINTS,
    ROUND_POINTS,
    RUN_OF_FOUR,
    RUN_OF_THREE,
    STRENGTH,
    STUK,
    SUIT_MASK,
)
from arena.games.trump import CardTable, TrumpGame, trump_measures

Variant: TypeAlias = Literal[
    "rotterdam", "amsterdam", "amsterdam-official", "amsterdam-2022", "rotterdam-2017"
]

_QUEEN, _JACK = RANKS.index("Q"), RANKS.index("J")


@dataclass(frozen=True)
class Klaverjas(TrumpGame):
    """Klaverjas under one choice of options."""

    variant: Variant = "rotterdam"
    bidding: bidding.Bidding = "given"
    four_jacks: Literal[100, 200] = 200
    tie_is_nat: bool = True

    name: ClassVar[str] = "klaverjas"
    version: ClassVar[int] = 1
    deck: ClassVar[int] = DECK
    strength: ClassVar[CardTable] = STRENGTH
    measures = trump_measures(POINTS)
    match: ClassVar[MatchFormat] = MatchFormat(rounds=16)
    stake: ClassVar[float | None] = 200.0
    """The exploration that Aaldering 2023 found best at every number of simulations."""
    labels: ClassVar[dict[str, str]] = {"bonus": "roem", "nat": "nat", "pit": "pit"}
    flag_owners: ClassVar[dict[str, FlagOwner]] = {"nat": "declarer", "pit": "declarer"}
    options_help: ClassVar[dict[str, str]] = {
        "variant": "what a player who cannot follow suit must do",
        "bidding": "how trump and declarer are found",
        "four_jacks": "roem for four jacks in one trick",
        "tie_is_nat": "whether the declarer's side loses when both have the same",
    }

    def __post_init__(self) -> None:
        check_choice(self.name, "variant", self.variant, get_args(Variant))
        check_choice(self.name, "bidding", self.bidding, bidding.SYSTEMS)
        check_choice(self.name, "four_jacks", self.four_jacks, (100, 200))
        check_choice(self.name, "tie_is_nat", self.tie_is_nat, (False, True))

    @property
    def margin_bounds(self) -> tuple[float, float]:
        """Best: four alike in every trick, which one hand of eight trumps can do, and pit."""
        most_roem = (len(PLAIN_ORDER) - 1) * FOUR_ALIKE + self.four_jacks
        best = ROUND_POINTS + PIT + most_roem
        return -best, best

    # --- before the first card -----------------------------------------------------------

    def check_fields(self, deal: Deal) -> None:
        """Trump, declarer and leader must be there if they are given, else a dealer."""
        if deal.trump is not None and deal.trump >= len(SUIT_MASK):
            raise RulesError(f"{deal.named}: klaverjas has no such trump (allowed: C, D, H, S)")
        if self.bidding == "given":
            for what in ("trump", "declarer"):
                if getattr(deal, what) is None:
                    raise RulesError(f"{deal.named}: {what} is missing (bidding is 'given')")
        if deal.leader is None and deal.dealer is None:
            raise RulesError(f"{deal.named}: leader and dealer are missing; one is needed")
        bidding.check(self.bidding, deal)

    def open(self, state: TableRound) -> None:
        """Find dealer and elder hand; ask for the first bid, or lead."""
        deal = state.deal
        elder = deal.leader
        if elder is None or (self.bidding != "given" and deal.dealer is not None):
            assert deal.dealer is not None  # check_fields asks for one of them
            elder = self.seat_after(deal.dealer)
        state.dealer = self.seat_after(elder, -1) if deal.dealer is None else deal.dealer
        if self.bidding == "given":
            state.trump, state.declarer = deal.trump, deal.declarer
            self.begin_play(state, elder)
        else:
            bidding.first_question(self.bidding, state)
            state.leader = elder
            self.ask(state, elder, "bid")

    def legal_bids(self, state: TableRound) -> tuple[Action, ...]:
        """The legal calls."""
        return bidding.legal(self.bidding, state)

    def apply_bid(self, state: TableRound, action: Action) -> None:
        """Record a call and go on: to the next player, to the first trick, or to a new deal."""
        seat, elder = state.turn, state.leader
        assert seat is not None and elder is not None  # an auction has both
        result = bidding.apply(self.bidding, state, action)
        if result == "play":
            self.begin_play(state, elder)
        elif result == "next":
            self.ask(state, self.seat_after(seat), "bid")
        else:
            self.finish(state)

    # --- playing -------------------------------------------------------------------------

    def playable(self, hand: int, position: Position) -> int:
        """The cards that may be played."""
        table, trump = position.table, position.trump
        assert trump is not None  # cards are played once trump is known
        if not table:
            return hand
        led = suit_of(table[0])
        following, trumps = hand & SUIT_MASK[led], hand & SUIT_MASK[trump]
        holding = self.trick_winner(table, trump)
        best = table[holding]
        higher = trumps & HIGHER_TRUMPS[trump][best]
        partner_holds = holding == len(table) - 2

        if following and led != trump:
            return following
        if self.variant == "amsterdam" and partner_holds:
            return following or hand
        if self.variant == "amsterdam-2022" and partner_holds:
            return hand
        if following:
            return higher or following
        if self.variant == "amsterdam-official":
            discards = hand & ~trumps
            if partner_holds:
                return discards | higher or hand
            return higher or discards or hand
        return higher or trumps or hand

    def taker(self, leader: int, cards: tuple[int, ...], trump: int | None) -> int:
        """The seat that takes a trick: that of the best card, or of the one with most points."""
        if self.variant != "rotterdam-2017":
            return super().taker(leader, cards, trump)
        assert trump is not None  # cards are played once trump is known
        suits = [suit_of(card) for card in cards]
        takes = trump if trump in suits else suits[0]
        by_seat = {self.seat_after(leader, place): card for place, card in enumerate(cards)}
        return max(
            (seat for seat in sorted(by_seat) if suit_of(by_seat[seat]) == takes),
            key=lambda seat: POINTS[trump][by_seat[seat]],
        )

    def trick_value(self, cards: tuple[int, ...], trump: int | None, last: bool) -> tuple[int, int]:
        """Card points, ten more for the last trick; and roem."""
        assert trump is not None  # cards are played once trump is known
        values = POINTS[trump]
        points = sum([values[card] for card in cards])
        return points + (LAST_TRICK if last else 0), roem(cards, trump, self.four_jacks)

    def outcome(self, state: TableRound) -> Outcome:
        """Nat and pit decide what the points and the roem are worth."""
        points, bonus = state.points, state.bonus
        won = [0, 0]
        for trick in state.tricks:
            won[trick.winner % 2] += 1
        tricks = (won[0], won[1])
        if state.declarer is None:
            return Outcome((0, 0), points, bonus, tricks, ("redeal",))
        declaring = state.declarer % 2
        defending = 1 - declaring
        counted = [points[0] + bonus[0], points[1] + bonus[1]]
        flags: tuple[str, ...] = ()
        is_nat = counted[declaring] < counted[defending] or (
            self.tie_is_nat and counted[declaring] == counted[defending]
        )
        if is_nat:
            counted[declaring], counted[defending] = 0, ROUND_POINTS + sum(bonus)
            flags = ("nat",)
        elif won[defending] == 0:
            counted[declaring] += PIT
            flags = ("pit",)
        return Outcome((counted[0], counted[1]), points, bonus, tricks, flags)

    # --- records and deals ---------------------------------------------------------------

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> Self | None:
        """The rules a recorded round was played under; None if it is of another game."""
        options = records.options_of(record)
        return None if options is None else cls(**options)

    def facts(self, state: TableRound) -> dict[str, Any]:
        """The result of a finished round, as records store it."""
        return records.facts(state, self.outcome(state))

    def random_deal(self, rng: Rng, number: int) -> Deal:
        """Four random hands; leaders (given) and dealers (auction) take turns by `number`."""
        hands = _hands_of_2017(rng) if self.variant == "rotterdam-2017" else self.random_hands(rng)
        seat = number % self.players
        if self.bidding == "given":
            return Deal("", hands, trump=rng.below(4), declarer=seat, leader=seat)
        turn_ups = bidding.draw_turn_ups(self.bidding, rng)
        return Deal("", hands, dealer=self.seat_after(seat, -1), turn_ups=turn_ups)


def _hands_of_2017(rng: Rng) -> tuple[tuple[int, ...], ...]:
    """The hands of a deck that lies sorted before the seats and is shuffled by a mistaken loop.

    Each card changes places with one before it, never with itself: so no card stays.
    """
    cards = [card for suit in "DCHS" for card in cards_of(SUIT_MASK[SUITS.index(suit)])]
    for place in range(len(cards) - 1, 0, -1):
        other = rng.below(place)
        cards[place], cards[other] = cards[other], cards[place]
    size = len(PLAIN_ORDER)
    return tuple(tuple(cards[first : first + size]) for first in range(0, len(cards), size))


def roem(cards: tuple[int, ...], trump: int, four_jacks: int) -> int:
    """Roem that lies in some cards of one trick.

    >>> from arena.core.cards import parse_cards
    >>> roem(parse_cards("HT HJ HQ HK"), trump=2, four_jacks=200)
    70
    """
    mask = mask_of(cards)
    total = 0
    # No rank below 7 exists, so a run never reaches from one suit's lane into the next.
    three = mask & mask >> 1 & mask >> 2
    if three:
        total = RUN_OF_FOUR if three & three >> 1 else RUN_OF_THREE
    king_and_queen = 3 << (LANE * trump + _QUEEN)
    if mask & king_and_queen == king_and_queen:
        total += STUK
    if len(cards) == 4:
        rank = cards[0] % LANE
        if all(card % LANE == rank for card in cards):
            total += four_jacks if rank == _JACK else FOUR_ALIKE
    return total
