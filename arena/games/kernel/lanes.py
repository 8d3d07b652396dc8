"""Many worlds side by side in lanes: the loop that bulk playouts spend their time in.

Each stage of a trick (draw, find the legal cards, pick, compare) is a short loop over the
lanes, so that the CPU works on many worlds at a time instead of waiting for one card after
the other; LLVM turns most of the loops into vector instructions. All lanes live in one flat
array, because only then it knows that they do not overlap.

As in `tricks`, `kind` and `rule` are constants wherever `tricks` is called.
"""

from __future__ import annotations

import numpy as np

from arena.games.kernel import dispatch
from arena.games.kernel.bits import popcount
from arena.games.kernel.jit import inlined
from arena.games.kernel.layout import (
    BEST,
    HANDS,
    HOLDER,
    KIND,
    LAST_TRICK,
    LED,
    LEFT,
    LOW_HALF,
    ONE,
    ONE_TRICK,
    OPENED,
    OWN,
    S32,
    STEP,
    TABLE,
    TAKEN,
    THREE,
    TRICKS,
    TRUMPS,
    TURN,
    TWO,
    ZERO,
    Word,
    Words,
)
from arena.games.kernel.rng import advance, mix
from arena.games.kernel.step import copy_state, side_of, suit_bits_of
from arena.games.kernel.tricks import pick

LANES = 64
_L = np.uint64(LANES)
# Sections of the lanes' array. Hands and holder are counted from the leader of the trick.
_HAND = ZERO
_ON_TABLE, _BEST, _HOLDER, _LED = 4 * _L, 5 * _L, 6 * _L, 7 * _L
_LEADER, _OPENED, _SEED, _CARDS = 8 * _L, 9 * _L, 10 * _L, 11 * _L
_WORD, _NEXT_WORD = 12 * _L, 13 * _L
_TAKEN = 14 * _L
SIZE = 18 * LANES
"""Words in the lanes' array."""


@inlined
def enter(state: Words, world: Words, target: Words) -> None:
    """A state with the hands of a world."""
    copy_state(state, target)
    for number in range(len(world)):
        target[HANDS + Word(number)] = world[number]


@inlined
def fill(
    lanes: Words, count: int, state: Words, game: Words, worlds: Words, seeds: Words, end: Words
) -> None:
    """Put worlds into the lanes; the last one goes into all lanes that are left over."""
    step = game[STEP]
    leader = (state[TURN] + popcount(state[TABLE]) * step * THREE) & THREE
    holder = ((state[HOLDER] + leader * THREE) * step) & THREE
    for number in range(4):
        place = Word(number)
        seat = (leader + place * step) & THREE
        taken = state[TAKEN + place]
        for lane in range(LANES):
            i = Word(lane)
            lanes[_HAND + place * _L + i] = worlds[min(lane, count - 1), seat]
            lanes[_TAKEN + place * _L + i] = taken
    on_table, best, led, opened = state[TABLE], state[BEST], state[LED], state[OPENED]
    for lane in range(LANES):
        i = Word(lane)
        lanes[_ON_TABLE + i] = on_table
        lanes[_BEST + i] = best
        lanes[_HOLDER + i] = holder
        lanes[_LED + i] = led
        lanes[_LEADER + i] = leader
        lanes[_OPENED + i] = opened
        lanes[_SEED + i] = seeds[min(lane, count - 1)]
    if dispatch.can_score_ahead(game[KIND], game):
        for lane in range(count):
            enter(state, worlds[lane], end)
            dispatch.score_ahead(game[KIND], end, game)
            for number in range(4):
                side = Word(number)
                lanes[_TAKEN + side * _L + Word(lane)] = end[TAKEN + side]


@inlined
def read(lanes: Words, lane: int, end: Words) -> Word:
    """Put what final scores need of a lane at its end into a state; the lane's seed."""
    i = Word(lane)
    for number in range(4):
        side = Word(number)
        end[TAKEN + side] = lanes[_TAKEN + side * _L + i]
    end[OPENED] = lanes[_OPENED + i]
    return Word(lanes[_SEED + i])


@inlined
def tricks(kind: Word, rule: Word, lanes: Words, state: Words, game: Words) -> None:
    """Play all lanes to the end of the round, beginning in the middle of a trick if need be."""
    left, all_tricks = state[LEFT], game[TRICKS]
    step, last, first_parameter = game[STEP], game[LAST_TRICK], game[OWN]
    first_place = popcount(state[TABLE])
    while left != ZERO:
        first_trick = left == all_tricks
        left -= ONE
        if first_place < TWO:
            _draw(lanes, _WORD)
        _draw(lanes, _NEXT_WORD)

        if first_place == ZERO:
            for lane in range(LANES):
                i = Word(lane)
                hand = lanes[_HAND + i]
                cards = dispatch.leading(kind, rule, game, hand, first_trick, lanes[_OPENED + i])
                card = pick(cards, lanes[_WORD + i] & LOW_HALF)
                lanes[_HAND + i] = hand ^ card
                lanes[_ON_TABLE + i] = card
                lanes[_BEST + i] = card
                lanes[_HOLDER + i] = ZERO
                lanes[_LED + i] = suit_bits_of(card)

        if first_place <= ONE:
            _follow(kind, rule, lanes, game, step, ONE, _WORD, S32, first_trick)
        if first_place <= TWO:
            _follow(kind, rule, lanes, game, step, TWO, _NEXT_WORD, ZERO, first_trick)
        _follow(kind, rule, lanes, game, step, THREE, _NEXT_WORD, S32, first_trick)

        for lane in range(LANES):
            i = Word(lane)
            table = lanes[_ON_TABLE + i]
            value = dispatch.trick_value(kind, game, first_parameter, table)
            if dispatch.can_open(kind):
                winner = (lanes[_LEADER + i] + lanes[_HOLDER + i] * step) & THREE
                lanes[_OPENED + i] |= dispatch.opens(kind, game, table, winner)
            value += ONE_TRICK
            lanes[_CARDS + i] = value + last if left == ZERO else value
        _take_tricks(kind, lanes, game, step)
        first_place = ZERO


@inlined
def _follow(
    kind: Word,
    rule: Word,
    lanes: Words,
    game: Words,
    step: Word,
    place: Word,
    section: Word,
    shift: Word,
    first_trick: bool,
) -> None:
    """Let all lanes play card number `place` of the trick, by the random bits of a section."""
    trumps, pairs = game[TRUMPS], dispatch.pairs(kind)
    held = _HAND + place * _L
    for lane in range(LANES):
        i = Word(lane)
        hand, led, best = lanes[held + i], lanes[_LED + i], lanes[_BEST + i]
        table, holder = lanes[_ON_TABLE + i], lanes[_HOLDER + i]
        if pairs:
            partner_holds = (holder ^ place) & ONE == ZERO
        else:
            leader = lanes[_LEADER + i]
            partner_holds = side_of(game, (leader + holder * step) & THREE) == side_of(
                game, (leader + place * step) & THREE
            )
        cards = dispatch.following(
            kind, rule, game, trumps, hand, table, led, best, partner_holds, first_trick
        )
        lanes[_CARDS + i] = cards
    for lane in range(LANES):
        i = Word(lane)
        half = lanes[section + i] >> shift & LOW_HALF
        lanes[_CARDS + i] = pick(lanes[_CARDS + i], half)
    for lane in range(LANES):
        i = Word(lane)
        card = lanes[_CARDS + i]
        lanes[held + i] ^= card
        lanes[_ON_TABLE + i] |= card
        card &= lanes[_LED + i] | trumps
        best = lanes[_BEST + i]
        lanes[_HOLDER + i] = place if card > best else lanes[_HOLDER + i]
        lanes[_BEST + i] = card if card > best else best


@inlined
def _draw(lanes: Words, section: Word) -> None:
    """One word for each lane."""
    for lane in range(LANES):
        i = Word(lane)
        seed = advance(lanes[_SEED + i])
        lanes[_SEED + i] = seed
        lanes[section + i] = mix(seed)


@inlined
def _take_tricks(kind: Word, lanes: Words, game: Words, step: Word) -> None:
    """Give each lane's trick, its value in `_CARDS`, to the holder, and let them lead."""
    one, two, three = _HAND + _L, _HAND + 2 * _L, _HAND + 3 * _L
    pairs = dispatch.pairs(kind)
    for lane in range(LANES):
        i = Word(lane)
        value, holder = lanes[_CARDS + i], lanes[_HOLDER + i]
        if not pairs:
            leader = (lanes[_LEADER + i] + holder * step) & THREE
            lanes[_TAKEN + side_of(game, leader) * _L + i] += value
        else:
            # Of a leader only the side matters, and it changes at every step round the table.
            leader = (lanes[_LEADER + i] ^ holder) & ONE
            to_odd = ZERO - leader
            lanes[_TAKEN + i] += value & ~to_odd
            lanes[_TAKEN + _L + i] += value & to_odd
        lanes[_LEADER + i] = leader
        # Turn the hands by 0 to 3 places: by one if the holder is odd, by two if they have bit 2.
        by_one, by_two = holder & ONE != ZERO, holder & TWO != ZERO
        a, b, c, d = lanes[_HAND + i], lanes[one + i], lanes[two + i], lanes[three + i]
        a, b, c, d = (
            b if by_one else a,
            c if by_one else b,
            d if by_one else c,
            a if by_one else d,
        )
        lanes[_HAND + i] = c if by_two else a
        lanes[one + i] = d if by_two else b
        lanes[two + i] = a if by_two else c
        lanes[three + i] = b if by_two else d
