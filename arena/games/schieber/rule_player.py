"""The rule-based player of the Jass challenge: what its program does, not what it means to.

Source: the `ChallengePlayer` of pyschieber, the rule-based opponent of Niklaus 2019
(figure 13.3). Many of its rules never act, because suits are compared with their names;
what is left is written down here, and agrees with recorded rounds card by card.

**What it remembers.** Who has led; per player the suits they once did not follow, ruffs
included, and the suits they played instead; cards that a player is thought not to hold:

* partner, who was last to play and let the opponents have the trick, has nothing better;
* without a trump suit, partner who does not lead a winner lacks the `odd card` of each suit;
* with one, opponents are out of trumps once partner leads the odd card of a suit.

The *odd card* was meant to be the best one left of a suit: with trumps and in obe-abe it
is the worst, and cards of other suits on the table count too.

**Roles.** The declarer is the *maker*, the declarer's partner the *helper*; both are taken
from the places in the first trick. The others defend.

**Leading.** With a trump suit the maker and defenders draw trumps from the top as long as
opponents may have some; then they lead a winner; without trumps of their own they toss.
The helper leads the best trump but the jack until the maker has led, and later draws trumps
and leads winners. Without a trump suit: a winner. Who has nothing of that plays a suit that
partner is thought to be weak in (`_pass_to_partner`) as long as partner has not led, and
later the first card.

**Following.** Take the trick if that is sure: as last player with any card that does, else
with one that the next player cannot beat; a ten if possible (in obe-abe also an eight),
else the strongest. If not, toss: the lowest of the suit led, or if it cannot be followed, of
a suit tossed before, else of the suit that is furthest from a winner; but a ten (obe-abe: or
an eight) if partner's trick is safe.

Whatever the rules leave open is any legal card: about 8% of the decisions with a choice.
Suits go in the order hearts, diamonds, clubs, spades, cards in the order dealt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from arena.core.cards import RANKS, cards_of, mask_of, rank_of, suit_of
from arena.core.rules import OBE, PUSH, UNE, Action, View, choose_trump
from arena.core.seeds import Rng
from arena.games.schieber.tables import DECK, STRENGTH, SUIT_MASK

Role: TypeAlias = Literal["maker", "helper", "defender"]

SUIT_ORDER = (2, 1, 0, 3)
"""Hearts, diamonds, clubs, spades: the order in which suits are looked through."""
_EIGHT, _NINE, _TEN, _JACK, _ACE = (RANKS.index(rank) for rank in "89TJA")
_SIX = RANKS.index("6")
_PUSH_SCORE = 54


def act(view: View, rng: Rng, mode: str = "") -> Action:
    """The trump or card by the rules; there is one mode."""
    return choose_trump_or_push(view) if view.phase == "bid" else choose_card(view, rng)


def choose_card(view: View, rng: Rng) -> int:
    """The card by the rules, or any legal one where they have no answer."""
    card = rule_card(view)
    return rng.choice(view.legal) if card is None else card


def rule_card(view: View) -> int | None:
    """The card by the rules; None where they have no answer."""
    return _Decision(view).card()


# --- trump -------------------------------------------------------------------------------


def choose_trump_or_push(view: View) -> Action:
    """The trump with the highest score; push if none has more than 54, in doubt too."""
    pushed = PUSH not in view.legal
    scores = trump_scores(view.hand, pushed=pushed)
    best = max((OBE, UNE, *SUIT_ORDER), key=scores.__getitem__)
    return choose_trump(best) if pushed or scores[best] > _PUSH_SCORE else PUSH


def trump_scores(hand: int, *, pushed: bool) -> dict[int, int]:
    """What a hand is worth with each trump.

    A trump counts 10, the ace 12, the nine 15, the jack 30 (20 after a push), and each card of
    an unbroken run from the ace of another suit 4. Obe-abe and une-ufe: 13 for each card of
    an unbroken run from the best, and 10 for every further card of a suit with three of them.
    """
    suits = [sorted(rank_of(card) for card in cards_of(hand & suit)) for suit in SUIT_MASK]
    special = {_JACK: 20 if pushed else 30, _NINE: 15, _ACE: 12}
    runs = [_run(reversed(ranks), _ACE, -1) for ranks in suits]
    scores = {
        trump: sum(special.get(rank, 10) for rank in suits[trump])
        + sum(4 * run for suit, run in enumerate(runs) if suit != trump)
        for trump in range(len(suits))
    }
    low_runs = [_run(ranks, _SIX, 1) for ranks in suits]
    for trump, lengths in ((OBE, runs), (UNE, low_runs)):
        scores[trump] = sum(
            13 * run + (10 * (len(ranks) - run) if run >= 3 else 0)
            for ranks, run in zip(suits, lengths, strict=True)
        )
    return scores


def _run(ranks: Iterable[int], first: int, step: int) -> int:
    """How many of the ranks, in this order, are `first` and those next to it."""
    length = 0
    for rank in ranks:
        if rank == first + step * length:
            length += 1
    return length


# --- what it remembers -------------------------------------------------------------------


@dataclass
class _Memory:
    """Knowledge from the tricks so far; lists and masks are by seat."""

    has_led: list[bool] = field(default_factory=lambda: [False] * 4)
    did_not_follow: list[list[int]] = field(default_factory=lambda: [[] for _ in range(4)])
    tossed: list[list[int]] = field(default_factory=lambda: [[] for _ in range(4)])
    lacks: list[int] = field(default_factory=lambda: [0] * 4)


def _odd_card(trump: int, suit: int, left: int, table: Sequence[int]) -> int:
    """See above; `left` are the cards of the own hand and those not seen yet."""
    order = STRENGTH[OBE if trump == UNE else trump]
    return min([*cards_of(left & SUIT_MASK[suit]), *table], key=order.__getitem__)


def _recall(view: View) -> _Memory:
    """Go through the tricks as the player has seen them."""
    assert view.trump is not None  # cards are played once trump is known
    rules, me, trump = view.rules, view.seat, view.trump
    partner = rules.seat_after(me, 2)
    pushed = _was_pushed(view)
    memory = _Memory()
    gone = 0
    current = [(view.table_leader, view.table)] if view.table else []
    for number, (leader, cards) in enumerate(
        [*((trick.leader, trick.cards) for trick in view.tricks), *current]
    ):
        assert leader is not None  # the trick was led
        led = cards[0]
        left = DECK & ~gone & ~(1 << led)
        if not (number == 0 and pushed and trump < len(SUIT_MASK)):
            memory.has_led[leader] = True
        if leader == partner:
            if trump < len(SUIT_MASK):
                if led == _odd_card(trump, suit_of(led), left, (led,)):
                    mine = mask_of(view.dealt_hand) & left
                    for seat in (rules.seat_after(me), rules.seat_after(me, 3)):
                        memory.lacks[seat] |= left & SUIT_MASK[trump] & ~mine
            elif _stronger(trump, led) & ~gone:
                for suit in range(len(SUIT_MASK)):
                    memory.lacks[partner] |= 1 << _odd_card(trump, suit, left, (led,))
        for place, card in enumerate(cards):
            seat = rules.seat_after(leader, place)
            if suit_of(card) != suit_of(led):
                memory.did_not_follow[seat].append(suit_of(led))
                memory.tossed[seat].append(suit_of(card))
        if len(cards) == rules.players:
            gone |= mask_of(cards)
            best = rules.trick_winner(cards, trump)
            partner_was_last = rules.seat_after(leader, 3) == partner
            if partner_was_last and best % 2 == 0:
                memory.lacks[partner] |= _stronger(trump, cards[best]) & ~gone
    return memory


def _was_pushed(view: View) -> bool:
    return view.declarer is not None and view.declarer != view.leader


def _stronger(trump: int, card: int) -> int:
    """The cards that beat a card which holds a trick: better ones of its suit, and trumps."""
    suit = suit_of(card)
    beating = SUIT_MASK[trump] if trump < len(SUIT_MASK) and suit != trump else 0
    strength = STRENGTH[trump]
    return beating | mask_of(
        other for other in cards_of(SUIT_MASK[suit]) if strength[other] > strength[card]
    )


# --- a decision --------------------------------------------------------------------------


class _Decision:
    """One card to be played, with all that the rules look at."""

    def __init__(self, view: View) -> None:
        assert view.trump is not None  # cards are played once trump is known
        rules = view.rules
        self.view, self.trump = view, view.trump
        self.legal = [card for card in view.dealt_hand if card in view.legal]
        self.next_player = rules.seat_after(view.seat)
        self.partner = rules.seat_after(view.seat, 2)
        self.opponents = (self.next_player, rules.seat_after(view.seat, 3))
        self.memory = _recall(view)
        self.unseen = view.unseen
        self.finished = mask_of(card for trick in view.tricks for card in trick.cards)
        self.has_trumps = self.trump < len(SUIT_MASK)
        self.fat = (_TEN, _EIGHT) if self.trump == OBE else (_TEN,)

    def card(self) -> int | None:
        """The card by the rules."""
        if not self.view.table:
            return self._lead_with_trumps() if self.has_trumps else self._lead_without_trumps()
        card = self._sure_winner()
        if card is not None:
            return card
        if self.has_trumps and len(self.view.table) == 2 and self._role() == "maker":
            # Here the program forgets to toss once the maker has led.
            return None if self.memory.has_led[self.view.seat] else self._toss()
        return self._toss()

    def _role(self) -> Role:
        assert self.view.leader is not None  # a card is played
        place = (self.view.seat - self.view.leader) * (self.next_player - self.view.seat) % 4
        if place % 2:
            return "defender"
        return "maker" if (place == 0) != _was_pushed(self.view) else "helper"

    # --- leading -------------------------------------------------------------------------

    def _lead_with_trumps(self) -> int | None:
        trumps = self._strongest_first(self._of_suit(self.trump))
        out_of_trumps = not any(self._may_hold(seat, self.trump) for seat in self.opponents)
        partner_has_led = self.memory.has_led[self.partner]
        helper = self._role() == "helper"
        if helper and not partner_has_led:
            trumps = [card for card in trumps if rank_of(card) != _JACK]
            return trumps[0] if trumps else self._pass_to_partner()
        if trumps and not out_of_trumps:
            return trumps[0]
        winners = [c for c in self.legal if suit_of(c) != self.trump and self._best_of_suit(c)]
        if winners and (helper or out_of_trumps):
            return winners[0]
        if helper:
            return None
        if not out_of_trumps:
            return self._toss()
        return self._first_card() if partner_has_led else self._pass_to_partner()

    def _lead_without_trumps(self) -> int | None:
        winners = [card for card in self.legal if self._best_of_suit(card)]
        if winners:
            return winners[0]
        partner_has_led = self.memory.has_led[self.partner]
        return self._first_card() if partner_has_led else self._pass_to_partner()

    def _first_card(self) -> int:
        return next(card for suit in SUIT_ORDER for card in self._of_suit(suit))

    def _pass_to_partner(self) -> int | None:
        """The lowest card of a suit that partner wins for sure, else of one partner is weak in."""
        memory = self.memory
        for suit in SUIT_ORDER:
            cards = self._of_suit(suit)
            if not cards:
                continue
            odd = _odd_card(self.trump, suit, self.unseen | self.view.hand, ())
            opponents_void = not self.has_trumps and not any(
                self._may_hold(seat, suit) for seat in self.opponents
            )
            both_showed_out = all(suit in memory.did_not_follow[seat] for seat in self.opponents)
            if opponents_void or (both_showed_out and self._may_hold_card(self.partner, odd)):
                return self._strongest_first(cards)[-1]
        weak = list(dict.fromkeys(memory.did_not_follow[self.partner]))
        weak += [suit for suit in dict.fromkeys(memory.tossed[self.partner]) if suit not in weak]
        for suit in reversed(weak):
            cards = self._of_suit(suit)
            if cards:
                return self._strongest_first(cards)[-1]
        return None

    # --- following -----------------------------------------------------------------------

    def _sure_winner(self) -> int | None:
        beating = _stronger(self.trump, self._holding())
        sure = [card for card in self.legal if beating >> card & 1]
        if len(self.view.table) < 3:
            sure = [card for card in sure if not self._next_can_beat(card)]
        sure = self._strongest_first(sure)
        fat = [card for card in sure if rank_of(card) in self.fat]
        return next(iter([*fat, *sure]), None)

    def _toss(self) -> int | None:
        suit = self._suit_to_toss()
        cards = self._strongest_first(self._of_suit(suit))
        if self._partners_trick_is_safe():
            fat = [card for card in cards if rank_of(card) in self.fat]
            if fat:
                return fat[0]
        return cards[-1] if cards else None

    def _suit_to_toss(self) -> int:
        table = self.view.table
        if table:
            led = suit_of(table[0])
            following = self._of_suit(led)
            only_the_jack = led == self.trump and [rank_of(c) for c in following] == [_JACK]
            if following and not only_the_jack:
                return led
        tossed = self.memory.tossed[self.view.seat]
        for suit in SUIT_ORDER:
            if suit in tossed and any(self._missing_above(card) for card in self._of_suit(suit)):
                return suit
        others = [suit for suit in SUIT_ORDER if suit not in tossed and suit != self.trump]
        if others:
            return max(others, key=self._distance)
        return min(SUIT_ORDER, key=lambda suit: (self.unseen & SUIT_MASK[suit]).bit_count())

    def _distance(self, suit: int) -> int:
        """How many unseen cards are above the best one held."""
        return min((self._missing_above(card) for card in self._of_suit(suit)), default=0)

    def _missing_above(self, card: int) -> int:
        """Unseen cards of the suit above this one, in the order of a plain suit."""
        above: Callable[[int], bool] = (
            (lambda other: other < card) if self.trump == UNE else (lambda other: other > card)
        )
        return sum(above(other) for other in cards_of(self.unseen & SUIT_MASK[suit_of(card)]))

    def _partners_trick_is_safe(self) -> bool:
        table = self.view.table
        if not table:
            return False
        best = self.view.rules.trick_winner(table, self.trump)
        if self.view.seat_at(best) != self.partner:
            return False
        return len(table) == 3 or not self._next_can_beat(table[best])

    # --- cards ---------------------------------------------------------------------------

    def _of_suit(self, suit: int) -> list[int]:
        return [card for card in self.legal if suit_of(card) == suit]

    def _strongest_first(self, cards: Iterable[int]) -> list[int]:
        return sorted(cards, key=STRENGTH[self.trump].__getitem__, reverse=True)

    def _holding(self) -> int:
        table = self.view.table
        return table[self.view.rules.trick_winner(table, self.trump)]

    def _best_of_suit(self, card: int) -> bool:
        """Whether nothing better of its suit is left, the own hand included."""
        above = _stronger(self.trump, card) & SUIT_MASK[suit_of(card)]
        return not above & ~self.finished

    def _next_can_beat(self, card: int) -> bool:
        stronger = _stronger(self.trump, card) & self.unseen
        return any(self._may_hold_card(self.next_player, other) for other in cards_of(stronger))

    def _may_hold(self, seat: int, suit: int) -> bool:
        cards = cards_of(self.unseen & SUIT_MASK[suit])
        return any(self._may_hold_card(seat, card) for card in cards)

    def _may_hold_card(self, seat: int, card: int) -> bool:
        void = suit_of(card) in self.memory.did_not_follow[seat]
        return (
            bool(self.unseen >> card & 1) and not void and not self.memory.lacks[seat] >> card & 1
        )
