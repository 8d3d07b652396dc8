"""What a seat can know: the unseen cards, and the seats that may or must hold each.

What a play tells follows from the rule book by one rule, the same for all games: who
played card c cannot then have held card X exactly if c is not legal from the hand {c, X}.
This is all that a play tells, as long as a card's legality depends on each other card of
the hand by itself ("no card of the suit led", "nothing but trumps"), which the tests
check for every game and option. The seat that passed a card knows where it went, and all seats know
cards that were shown. Calls in an auction are choices, so they make nothing certain.

`InfoSet` holds what is certain, `probably_void` says what is only likely. `round_of` makes a round
out of a view and a guess at the other hands; `agrees` asks whether it would look the same.

What masks cannot say: Weis that were *not* shown in Schieber rule out sets of cards, not
cards. `agrees` knows; an `InfoSet` does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from operator import or_
from typing import Any, NamedTuple

from arena.core.cards import LANE, cards_of, mask_of, suit_of
from arena.core.deals import Deal, check_cards
from arena.core.errors import ArenaError
from arena.core.rules import Position, Rules, Trick, View

_SUIT = (1 << LANE) - 1


# --- what is certain ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class InfoSet:
    """What a seat knows for certain. Tuples have one entry per seat, its own included."""

    rules: Rules
    seat: int
    hand: int
    unseen: int
    """Mask of the cards that are neither in the own hand nor played."""
    undealt: int
    """How many of the unseen cards were not dealt."""
    sizes: tuple[int, ...]
    """How many cards each seat holds now."""
    may: tuple[int, ...]
    """Unseen cards that may be theirs, by what they did; hand sizes may rule out more."""
    must: tuple[int, ...]
    """Unseen cards that are theirs: shown, passed to them, or impossible for all others."""

    @classmethod
    def of(cls, view: View) -> InfoSet:
        """Derive the information set from a view."""
        rules, seat = view.rules, view.seat
        players, hand_size, deck = rules.players, rules.hand_size, rules.deck
        history = _history(rules, view.trump, view.tricks)
        sizes = [hand_size - len(view.tricks)] * players
        if view.table:
            assert view.table_leader is not None  # there is a trick in progress
            number = len(view.tricks)
            history = _add(rules, history, view.trump, number, view.table_leader, view.table)
            for place in range(len(view.table)):
                sizes[view.seat_at(place)] -= 1
        unseen = deck & ~view.hand & ~history.played
        undealt = deck.bit_count() - players * hand_size

        may = [unseen & ~mask for mask in history.impossible]
        may[seat] = 0
        shown = located(view)
        for holder, cards in shown:
            for other in range(players):
                if other != holder:
                    may[other] &= ~cards
        return cls(
            rules,
            seat,
            view.hand,
            unseen,
            undealt,
            tuple(sizes),
            tuple(may),
            _must(shown, may, undealt),
        )

    @property
    def may_be_undealt(self) -> int:
        """Unseen cards without a known holder."""
        return self.unseen & ~reduce(or_, self.must, 0)

    def is_void(self, seat: int, suit: int) -> bool:
        """Whether the seat can hold no unseen card of a suit; also if no card of it is left."""
        return not self.may[seat] >> LANE * suit & _SUIT

    def agrees(self, hands: Sequence[int]) -> bool:
        """Whether these hands agree with the masks and sizes."""
        given = 0
        for seat, hand in enumerate(hands):
            allowed = self.hand if seat == self.seat else self.may[seat]
            if hand & ~allowed or hand & given or self.must[seat] & ~hand:
                return False
            if hand.bit_count() != self.sizes[seat]:
                return False
            given |= hand
        return hands[self.seat] == self.hand


def located(view: View) -> Sequence[tuple[int, int]]:
    """Seats and cards that were seen to be theirs; some may have been played since."""
    if not view.passed or view.phase == "pass":
        return view.shown
    receiver = view.rules.seat_after(view.seat, view.passing)
    return *view.shown, (receiver, mask_of(view.passed))


def _must(shown: Sequence[tuple[int, int]], may: list[int], undealt: int) -> tuple[int, ...]:
    must = [0] * len(may)
    for holder, cards in shown:
        must[holder] |= cards & may[holder]
    if not undealt:
        once = twice = 0
        for mask in may:
            twice |= once & mask
            once |= mask
        must = [known | (mask & ~twice) for known, mask in zip(must, may, strict=True)]
    return tuple(must)


class _History(NamedTuple):
    opened: bool
    played: int
    impossible: tuple[int, ...]


@lru_cache(maxsize=1024)
def _history(rules: Rules, trump: int | None, tricks: tuple[Trick, ...]) -> _History:
    """What the finished tricks tell. Kept, so that a round in progress adds a trick at a time."""
    if not tricks:
        return _History(False, 0, (0,) * rules.players)
    before, trick = _history(rules, trump, tricks[:-1]), tricks[-1]
    _, played, impossible = _add(rules, before, trump, len(tricks) - 1, trick.leader, trick.cards)
    return _History(before.opened or rules.opens(trick.cards), played, impossible)


def _add(
    rules: Rules,
    before: _History,
    trump: int | None,
    number: int,
    leader: int,
    cards: tuple[int, ...],
) -> _History:
    """What the cards of trick `number` tell besides what was known before it."""
    opened, played = before.opened, before.played
    impossible = list(before.impossible)
    for place, card in enumerate(cards):
        player = rules.seat_after(leader, place)
        # What is played or known to be impossible need not be asked about.
        among = rules.deck & ~played & ~impossible[player]
        position = Position(trump, cards[:place], number, opened)
        impossible[player] |= impossible_after(rules, position, card, among)
        played |= 1 << card
    return _History(opened, played, tuple(impossible))


def impossible_after(rules: Rules, position: Position, card: int, among: int) -> int:
    """Those cards of `among` that a seat cannot hold if it plays `card` in this position."""
    return _impossible_among(rules, position, 1 << card, among & ~(1 << card))


def _impossible_among(rules: Rules, position: Position, card: int, others: int) -> int:
    # If the card is legal from a hand with all of the others, each of them is possible:
    # most plays follow suit, and one question answers them.
    if not others or rules.playable(card | others, position) & card:
        return 0
    if not others & (others - 1):
        return others
    low, high = _halves(others)
    return _impossible_among(rules, position, card, low) | _impossible_among(
        rules, position, card, high
    )


def _halves(cards: int) -> tuple[int, int]:
    """Some cards in two parts: between suits if there are several, else in the middle."""
    lowest, highest = (cards & -cards).bit_length() - 1, cards.bit_length() - 1
    if lowest // LANE != highest // LANE:
        cut = LANE * ((lowest // LANE + highest // LANE + 1) // 2)
    else:
        cut = (lowest + highest + 1) // 2
    low = cards & ((1 << cut) - 1)
    return low, cards ^ low


# --- what is only likely -----------------------------------------------------------------


class Play(NamedTuple):
    """A card that was played, and the position before it."""

    seat: int
    position: Position
    card: int


def plays_of(view: View) -> Iterator[Play]:
    """All plays of the round so far, in order."""
    rules, opened = view.rules, False
    for number, trick in enumerate(view.tricks):
        for place, card in enumerate(trick.cards):
            position = Position(view.trump, trick.cards[:place], number, opened)
            yield Play(rules.seat_after(trick.leader, place), position, card)
        opened = opened or rules.opens(trick.cards)
    for place, card in enumerate(view.table):
        position = Position(view.trump, view.table[:place], len(view.tricks), opened)
        yield Play(view.seat_at(place), position, card)


def probably_void(view: View) -> tuple[int, ...]:
    """For each seat, the suits that it may be out of: likely, but not certain; bit `suit` for each.

    Last to play, it followed suit, raised the bonus and did not win it for its side (Hoogenboom
    2017, section 6.2).
    """
    void = [0] * view.rules.players
    for trick in view.tricks:
        if (found := _roem_given_last(view.rules, view.trump, trick)) is not None:
            seat, suit = found
            void[seat] |= 1 << suit
    return tuple(void)


@lru_cache(maxsize=1024)
def _roem_given_last(rules: Rules, trump: int | None, trick: Trick) -> tuple[int, int] | None:
    """Seat and suit of the last play of a trick, if it followed suit and raised the bonus for
    another side."""
    *before, card = trick.cards
    suit = suit_of(card)
    if suit != suit_of(before[0]):
        return None
    seat = rules.seat_after(trick.leader, len(before))
    if rules.side_of(seat) == rules.side_of(trick.winner):
        return None
    _, without = rules.trick_value(tuple(before), trump, False)
    _, bonus = rules.trick_value(trick.cards, trump, False)
    return (seat, suit) if bonus > without else None


# --- a view and a guess ------------------------------------------------------------------


def round_of(view: View, hands: Sequence[int]) -> Any:
    """The round with these `hands` now, and with the history of the view.

    What the view does not tell is made up: the order of the others' cards, and which cards
    they passed on. Suits that were not turned up are missing, so an auction cannot go on.
    Raises `ArenaError` if the hands do not allow what happened.
    """
    rules = view.rules
    held = list(hands)
    for seat, _, card in plays_of(view):
        held[seat] |= 1 << card
    passed = _passed_cards(view, held)
    for seat, cards in enumerate(passed):
        held[rules.seat_after(seat, view.passing)] &= ~mask_of(cards)
    for seat, cards in enumerate(passed):
        held[seat] |= mask_of(cards)
    dealt = [tuple(cards_of(hand)) for hand in held]
    dealt[view.seat] = view.dealt_hand
    deal = Deal(
        "",
        tuple(dealt),
        trump=view.trump,
        declarer=view.declarer,
        leader=view.leader,
        dealer=view.dealer,
        turn_ups=view.turn_ups,
    )
    check_cards(deal, rules.deck, rules.players, rules.hand_size)
    state = rules.start(deal, view.standing)
    for bid in view.bids:
        rules.apply(state, bid.action)
    for cards in passed:
        for card in cards:
            rules.apply(state, card)
    if view.phase == "pass":
        while state.turn != view.seat:
            rules.apply(state, state.legal[0])
        for card in view.passed:
            rules.apply(state, card)
    for play in plays_of(view):
        rules.apply(state, play.card)
    return state


def _passed_cards(view: View, held: Sequence[int]) -> list[tuple[int, ...]]:
    """What each seat can have passed on if these were the hands at the first trick."""
    if not view.passing or view.phase == "pass":
        return []
    passed = []
    for seat in range(view.rules.players):
        receiver = view.rules.seat_after(seat, view.passing)
        if seat == view.seat:
            passed.append(view.passed)
        elif receiver == view.seat:
            passed.append(view.received)
        else:
            passed.append(tuple(cards_of(held[receiver])[: len(view.passed)]))
    return passed


def agrees(view: View, hands: Sequence[int]) -> bool:
    """Whether the seat would see exactly this view if `hands` were the hands now."""
    if hands[view.seat] != view.hand:
        return False
    try:
        state = round_of(view, hands)
    except ArenaError:
        return False
    seen: View = view.rules.view(state, view.seat)
    return seen == view._replace(all_hands=None)
