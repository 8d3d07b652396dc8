"""The features of a card: an entry in each of a few small tables.

A policy multiplies what the entries of a card say (`tables`), so every table should show the
card together with the circumstances that change what it is good for. The same code is used
for fitting and for play.

Features distinguish suits only by kind: the trump suit, suits with other card values
(Hearts), and all others. So what is learnt of one suit or trump holds for all of its kind.
Nothing here asks which game it is: what differs is asked of the rules, once, by `deck_of`.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.core.cards import suit_of
from arena.core.errors import ArenaError
from arena.games.kernel.bits import ctz, popcount
from arena.games.kernel.jit import inlined
from arena.games.kernel.layout import (
    BEST,
    DECK,
    DECLARER,
    HANDS,
    HOLDER,
    LED,
    LEFT,
    ONE,
    PLAYED,
    S16,
    S32,
    S48,
    STEP,
    TABLE,
    THREE,
    TRUMPS,
    TURN,
    TWO,
    ZERO,
    Int,
    Word,
    Words,
)
from arena.games.kernel.spec import KernelGame
from arena.games.kernel.step import suit_bits_of

TABLES = 6
"""How many entries a card has."""
Entries: TypeAlias = tuple[Int, Int, Int, Int, Int, Int]

_LANE_BITS = 16
_LOW_HALF = np.uint64(0xFFFF)
_IN_A_RUN = 2
"""Cards no further from each other can be in one run of three."""
_TRICK = 4
_MOST_POINTS = 63
"""Of a card, as far as policies look: more is as good."""
_MOST_IN_TRICK = _TRICK * _MOST_POINTS

# What does not change during a round, the cards of a game with its trump, is one array of words:
# compiled code hands on one array far faster than ten.
Deck: TypeAlias = Words
_KINDS = 0
"""By bit: the kind of a card, which is its rank and what its suit is."""
_SUITS = 64
"""By bit: what its suit is: 0 for a plain one."""
_NEAR = 128
"""By bit: the cards that could be in a run with it."""
_STARTS = 256
"""Where each table begins; the last number is the size of all."""
_DEAREST = 270
"""The card worth most, in games without partners; else 0."""
_LANE_SIZE = 271
_SUIT_CARDS = 272
"""How many cards a suit has."""
_KIND_COUNT = 273
_SUIT_COUNT = 274
_PARTNERS = 275
"""1 if there are any."""
_POINTS = 192
"""By bit: what a card is worth."""
_LEADS = 276
"""By bit: its points, if it is led, as the second table counts them."""
_GRADES = 340
"""By points of a trick: how much that is, from 0 to 5, as the second table counts it."""
_WORTH = _GRADES + _MOST_IN_TRICK + 1
"""By lane and its bits, for up to four cards: points, `<< 16` bonus."""
_SUITS_AT, _NEAR_AT, _WORTH_AT = np.uint64(_SUITS), np.uint64(_NEAR), np.uint64(_WORTH)
_POINTS_AT, _LEADS_AT = np.uint64(_POINTS), np.uint64(_LEADS)
_S4 = np.uint64(4)


def kinds_of(deck: Deck) -> NDArray[np.int64]:
    """By bit: the kind of a card, which is its rank and what its suit is."""
    return deck[_KINDS : _KINDS + 64].astype(np.int64)


def table_size(deck: Deck) -> int:
    """How many entries all tables have."""
    return int(deck[_STARTS + TABLES])


@lru_cache(maxsize=256)
def deck_of(game: KernelGame) -> Deck:
    """The cards of a game with its trump, as `look` and `entries_of` need them."""
    rules, trump = game.rules, game.trump
    if rules.players != _TRICK:
        raise ArenaError(f"policies are for games of four players, not of {rules.players}")
    suit_in = _suits(game)
    lane_size = 1 << (max(bit % _LANE_BITS for bit in game.cards) + 1)
    deck = np.zeros(_WORTH + 4 * lane_size, np.uint64)
    numbers: dict[tuple[int, int], int] = {}
    points = {}
    for bit, card in sorted(game.cards.items(), key=lambda item: (suit_in[item[0] // 16], item[0])):
        suit = suit_in[bit // _LANE_BITS]
        deck[_SUITS + bit] = suit
        deck[_KINDS + bit] = numbers.setdefault((suit, bit % _LANE_BITS), len(numbers))
        points[bit] = rules.trick_value((card,), trump, False)[0]
        deck[_NEAR + bit] = sum(
            1 << other_bit
            for other, other_bit in game.bits.items()
            if suit_of(other) == suit_of(card) and 0 < abs(other - card) <= _IN_A_RUN
        )
    for lane in range(4):
        bits = [bit for bit in game.cards if bit // _LANE_BITS == lane]
        for count in range(1, _TRICK + 1):
            for some in combinations(bits, count):
                cards = tuple(game.cards[bit] for bit in some)
                value, bonus = rules.trick_value(cards, trump, False)
                at = lane * lane_size + sum(1 << bit % _LANE_BITS for bit in some)
                deck[_WORTH + at] = value | bonus << 16
    partners = len(rules.sides) < rules.players
    steps = (1, 5, 11, 15, 22) if partners else (1, 2, 4, 13, 14)
    grades = np.searchsorted(steps, np.arange(_MOST_IN_TRICK + 1), side="right")
    deck[_GRADES : _GRADES + len(grades)] = 27 * grades  # gain, linked and rivals are three each
    for bit, value in points.items():
        deck[_POINTS + bit] = min(value, _MOST_POINTS)
        deck[_LEADS + bit] = deck[_GRADES + int(deck[_POINTS + bit])]
    sizes = _sizes(len(numbers), len(set(suit_in)))
    deck[_STARTS + 1 : _STARTS + 1 + TABLES] = np.cumsum(sizes)
    deck[_DEAREST] = 0 if partners else 1 << max(points, key=lambda bit: points[bit])
    deck[_LANE_SIZE], deck[_SUIT_CARDS] = lane_size, len(game.cards) // 4
    deck[_KIND_COUNT], deck[_SUIT_COUNT] = len(numbers), len(set(suit_in))
    deck[_PARTNERS] = int(partners)
    deck.flags.writeable = False
    return deck


def _suits(game: KernelGame) -> list[int]:
    """The kind of the suit in each lane: suits with the same card values are of one kind."""
    worth = []
    for lane in range(4):
        cards = [game.cards[bit] for bit in sorted(game.cards) if bit // _LANE_BITS == lane]
        values = [game.rules.trick_value((card,), game.trump, False)[0] for card in cards]
        is_trump = bool(int(game.words[TRUMPS]) >> _LANE_BITS * lane & 1)
        worth.append((is_trump, sum(values), tuple(values)))
    kinds = sorted(set(worth))
    return [kinds.index(each) for each in worth]


# --- during a round ----------------------------------------------------------------------


class Scene(NamedTuple):
    """Features that all cards of a decision share."""

    hand: Word
    out: Word
    """The cards that are hidden from the seat in turn."""
    table: Word
    led: Word
    best: Word
    can_win: Word
    """The lanes that can take the trick, once it is led."""
    left_void: Word
    """Lanes that the next seat, the partner and the last seat did not follow."""
    across_void: Word
    right_void: Word
    holds: Int
    """0 to lead, 1 if the partner holds the trick, 2 if an opponent does."""
    is_last: Int
    declarer: Int
    """Where the declarer sits; in games without partners, where the dearest card is."""
    third: Int
    """Early, in the middle, late."""
    trumps_out: Int
    trumps_held: Int
    points: Int
    """Points on the table."""
    followers_void: Int
    """Which of those who are still to play did not follow this suit before."""
    above_best: Word
    """All cards above the one that holds the trick."""


@inlined
def look(state: Words, game: Words, voids: Words, deck: Deck) -> Scene:
    """The observation of the seat to act."""
    turn, table = state[TURN], state[TABLE]
    played = state[PLAYED] | state[PLAYED + ONE] | state[PLAYED + TWO] | state[PLAYED + THREE]
    step = game[STEP]
    place = np.int64(popcount(table))
    return see(
        state[HANDS + turn],
        game[DECK] & ~played,
        table,
        state[LED],
        state[BEST],
        game[TRUMPS],
        place,
        bool(place > 0 and (state[HOLDER] ^ turn) & ONE == ZERO),
        voids[(turn + step) & THREE],
        voids[(turn + TWO) & THREE],
        voids[(turn - step) & THREE],
        np.int64(((state[DECLARER] - turn) * step) & THREE),
        np.int64(state[LEFT]) - 1,
        points_of(table, deck),
        deck,
    )


@inlined
def points_of(table: Word, deck: Deck) -> Int:
    """What the cards on the table are worth, one by one."""
    size, mask = deck[_LANE_SIZE], deck[_LANE_SIZE] - ONE
    lane = np.uint64(_WORTH)
    points = deck[lane + (table & mask)] & _LOW_HALF
    lane += size
    points += deck[lane + (table >> S16 & mask)] & _LOW_HALF
    lane += size
    points += deck[lane + (table >> S32 & mask)] & _LOW_HALF
    lane += size
    points += deck[lane + (table >> S48)] & _LOW_HALF
    return min(np.int64(points), _MOST_IN_TRICK - _MOST_POINTS)


@inlined
def points_of_card(card: Word, deck: Deck) -> Int:
    """What a card is worth."""
    return np.int64(deck[_POINTS_AT + ctz(card)])


# Indices of arrays are words, because negative numbers would have to be looked out for.
@inlined
def see(
    hand: Word,
    unplayed: Word,
    table: Word,
    led: Word,
    best: Word,
    trumps: Word,
    place: Int,
    partner_holds: bool,
    left_void: Word,
    across_void: Word,
    right_void: Word,
    declarer: Int,
    stage: Int,
    points: Int,
    deck: Deck,
) -> Scene:
    """What a seat sees that has `place` cards before it on the table, one of `unplayed` each.

    The voids are those of the next seat, the one across and the last one; `declarer` is how
    many turns later the declarer's is, and `stage` how many tricks come after this one.
    """
    out = unplayed ^ hand
    holds: Int = 0
    followers: Int = 0
    partners = deck[_PARTNERS] != ZERO
    if place > 0:
        holds = 1 if partners and partner_holds else 2
        if place != _TRICK - 1:
            followers = 1 if left_void & led != ZERO else 0
            if place == 1 and across_void & led != ZERO:
                followers += 2
    if not partners:
        dear = deck[_DEAREST]
        declarer = 0
        if table & dear != ZERO:
            declarer = 3
        elif unplayed & dear != ZERO:
            declarer = 1 if hand & dear != ZERO else 2
    return Scene(
        hand,
        out,
        table,
        led,
        best,
        led | trumps,
        left_void,
        across_void,
        right_void,
        holds,
        1 if place == _TRICK - 1 else 0,
        declarer,
        min(stage // 3, 2),
        min(np.int64(popcount(out & trumps)), 3),
        min(np.int64(popcount(hand & trumps)), 2),
        points,
        followers,
        ~(best | (best - ONE)),
    )


_ROLES = 17
"""To lead; or to follow higher, lower, to trump, to discard, by who holds and if it is last."""


def _sizes(kinds: int, suits: int) -> list[int]:
    """How many entries each table has; `entries_of` counts through them in the same order."""
    return [
        _ROLES * suits * 4 * 4 * 4,
        _ROLES * 3 * 6 * 3 * 3 * 3,
        9 * 4 * 4 * kinds,
        5 * suits * 8 * 4 * 4,
        3 * suits * 6 * 4 * 4 * 3,
        9 * 4 * 4 * 3 * kinds,
    ]


class Holding(NamedTuple):
    """What is the same for all cards of a suit: where their parts of the tables begin.

    The parts are those of cards that do not beat the trick; those of cards that do are before.
    """

    lane: Word
    in_suit: Word
    """The cards of it in the hand."""
    out: Word
    """The hidden ones."""
    contenders: Word
    """The hidden cards that can take the trick; none in last place."""
    near: Word
    """What cards of a run may be found in: the table, or to lead what is hidden."""
    worth: Word
    """Where the worth of cards of the suit is in the deck."""
    shift: Word
    bonus: Int
    """Of the cards on the table."""
    starts: Entries


@inlined
def hold(scene: Scene, deck: Deck, card: Word) -> Holding:
    """What the seat in turn holds of the suit of a card."""
    bit = ctz(card)
    suit = np.int64(deck[_SUITS_AT + bit])
    lane = suit_bits_of(card)
    in_suit, out = scene.hand & lane, scene.out & lane
    held = np.int64(popcount(in_suit))
    own: Int = min(held, np.int64(4))
    own -= 1
    gone: Int = min(np.int64(deck[_SUIT_CARDS]) - held - np.int64(popcount(out)), 5)

    # What the card does: 0 leads, 1 follows and beats, 2 follows, 3 trumps and beats, 4 the rest.
    does, role, short_role, flow = 0, 0, 0, 0
    void = scene.followers_void
    near = out
    contenders = scene.out & (scene.can_win | lane)
    if scene.holds != 0:
        contenders = scene.out & scene.can_win if scene.is_last == 0 else ZERO
        does = 2 if card & scene.led != ZERO else 4
        short_role = 1 + (does - 1) * 2 + scene.holds - 1
        role = 1 + ((does - 1) * 2 + scene.holds - 1) * 2 + scene.is_last
        flow = 1 if does == 2 else 2
        near = scene.table
    else:
        void = (
            (1 if scene.left_void & lane != ZERO else 0)
            + (2 if scene.across_void & lane != ZERO else 0)
            + (4 if scene.right_void & lane != ZERO else 0)
        )
    shift = bit & S48
    worth = _WORTH_AT + (bit >> _S4) * deck[_LANE_SIZE]
    before = ZERO
    if scene.holds != 0:
        before = deck[worth + (scene.table >> shift & (deck[_LANE_SIZE] - ONE))]
    kinds, suits = np.int64(deck[_KIND_COUNT]), np.int64(deck[_SUIT_COUNT])
    return Holding(
        lane,
        in_suit,
        out,
        contenders,
        near,
        worth,
        shift,
        np.int64(before >> S16),
        (
            ((role * suits + suit) * 16 + own) * 4 + scene.trumps_out,
            np.int64(deck[_STARTS + 1]) + (role * 3 + scene.third) * 162,
            np.int64(deck[_STARTS + 2]) + (short_role * 4 + own) * 4 * kinds,
            np.int64(deck[_STARTS + 3]) + ((does * suits + suit) * 8 + void) * 16 + scene.declarer,
            np.int64(deck[_STARTS + 4])
            + (((flow * suits + suit) * 6 + gone) * 16 + own) * 3
            + scene.trumps_held,
            np.int64(deck[_STARTS + 5]) + ((short_role * 4 + own) * 4 + min(gone, 3)) * 3 * kinds,
        ),
    )


@inlined
def entries_of(scene: Scene, holding: Holding, deck: Deck, card: Word) -> Entries:
    """Where a card is in each of the tables, all tables being one after the other."""
    bit = ctz(card)
    kind = np.int64(deck[bit])
    kinds, suits = np.int64(deck[_KIND_COUNT]), np.int64(deck[_SUIT_COUNT])
    below = card - ONE
    above = ~(card | below)
    higher: Int = min(np.int64(popcount(holding.out & above)), 3)
    edge = (2 if holding.in_suit & above == ZERO else 0) + (
        1 if holding.in_suit & below == ZERO else 0
    )
    linked: Int = min(np.int64(popcount(deck[_NEAR_AT + bit] & holding.near)), 2)
    a, b, c, d, e, f = holding.starts
    if scene.holds == 0:
        rivals: Int = min(np.int64(popcount(holding.contenders & above)), 2)
        return (
            a + higher * 16,
            b + np.int64(deck[_LEADS_AT + bit]) + linked * 3 + rivals,
            c + edge * kinds + kind,
            d + higher * 4,
            e + higher * 12,
            f + rivals * kinds + kind,
        )
    beats: Int = 1 if card & scene.can_win > scene.best else 0
    above_holder = above if beats == 1 else scene.above_best
    rivals = min(np.int64(popcount(holding.contenders & above_holder)), 2)
    mask = deck[_LANE_SIZE] - ONE
    after = deck[holding.worth + ((scene.table | card) >> holding.shift & mask)]
    bonus = np.int64(after >> S16) - holding.bonus
    points = scene.points + np.int64(deck[_POINTS_AT + bit])
    gain = 0 if bonus == 0 else (9 if bonus <= 20 else 18)
    worth = np.int64(deck[np.uint64(_GRADES + points)]) + gain
    # A card that beats does one less: see what cards do in `hold`.
    return (
        a + higher * 16 - beats * suits * 256,
        b + worth + linked * 3 + rivals - beats * 1944,
        c + edge * kinds + kind - beats * 32 * kinds,
        d + higher * 4 - beats * suits * 128,
        e + higher * 12,
        f + rivals * kinds + kind - beats * 96 * kinds,
    )
