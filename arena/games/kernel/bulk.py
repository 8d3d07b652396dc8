"""Many random playouts at once: 64 worlds side by side in lanes.

The worlds share all that is public: table, turn, what was taken. Each stage of a trick
(draw, find the legal cards, pick, compare) is a short loop over the lanes, so that the CPU
works on many worlds at a time instead of waiting for one card after the other; LLVM turns
most of the loops into vector instructions. All lanes live in one flat array, because only
then it knows that they do not overlap.

Lane i gives exactly what `playout_random` gives for world i and seed i.
"""

from __future__ import annotations

import numpy as np

from arena.games.hearts import kernel as hearts
from arena.games.kernel.bits import popcount
from arena.games.kernel.jit import compiled, inlined, warms
from arena.games.kernel.layout import (
    BEST,
    HANDS,
    HEARTS,
    HOLDER,
    KIND,
    KLAVERJAS,
    LAST_TRICK,
    LED,
    LEFT,
    LOW_HALF,
    ONE,
    ONE_TRICK,
    OPENED,
    PLAYERS,
    RULE,
    S32,
    SCHIEBER,
    STATE_WORDS,
    STEP,
    TABLE,
    TAKEN,
    THREE,
    TRICKS,
    TRUMPS,
    TURN,
    TWO,
    ZERO,
    Numbers,
    Word,
    Words,
)
from arena.games.kernel.playout import pick, playout_random
from arena.games.kernel.rng import advance, mix
from arena.games.kernel.spec import kernel_game
from arena.games.kernel.step import copy_state, final_scores, lane_of
from arena.games.klaverjas import Klaverjas
from arena.games.klaverjas import kernel as klaverjas
from arena.games.schieber import kernel as schieber

__all__ = ["LANES", "playouts"]

LANES = 64
_L = np.uint64(LANES)
# Sections of the lanes' array. Hands and holder are counted from the leader of the trick.
_HAND = ZERO
_ON_TABLE, _BEST, _HOLDER, _LED = 4 * _L, 5 * _L, 6 * _L, 7 * _L
_LEADER, _OPENED, _SEED, _CARDS = 8 * _L, 9 * _L, 10 * _L, 11 * _L
_WORD, _NEXT_WORD = 12 * _L, 13 * _L
_TAKEN = 14 * _L
_SECTIONS = 18


@compiled
def playouts(state: Words, game: Words, worlds: Words, seeds: Words, scores: Numbers) -> None:
    """Play each world at random to the end of the round; write what each side scores.

    `state` is the round in progress; its hands are not looked at. Row i of `worlds` has the
    hands of all seats, `seeds[i]` the state of its generator, and row i of `scores` (int64)
    takes the result. All arrays have as many rows as there are worlds; `seeds` advance.
    """
    end = state.copy()
    if game[PLAYERS] == TWO:
        for row in range(len(seeds)):
            _enter(state, worlds[row], end)
            playout_random(end, game, seeds[row : row + 1])
            final_scores(end, game, scores[row])
        return
    lanes = np.empty(_SECTIONS * LANES, dtype=np.uint64)
    kind = game[KIND]
    for start in range(0, len(seeds), LANES):
        count = min(LANES, len(seeds) - start)
        _fill(lanes, count, state, game, worlds[start:], seeds[start:], end)
        # As in `playout_random`, each call is compiled with its constants.
        if kind == KLAVERJAS:
            if game[RULE] == klaverjas.ROTTERDAM:
                _tricks(KLAVERJAS, klaverjas.ROTTERDAM, lanes, state, game)
            else:
                _tricks(KLAVERJAS, game[RULE], lanes, state, game)
        elif kind == SCHIEBER:
            if game[RULE] == schieber.HIGHEST:
                _tricks(SCHIEBER, schieber.HIGHEST, lanes, state, game)
            else:
                _tricks(SCHIEBER, game[RULE], lanes, state, game)
        else:
            _tricks(HEARTS, ZERO, lanes, state, game)
        for lane in range(count):
            i = Word(lane)
            seeds[start + lane] = lanes[_SEED + i]
            for number in range(4):
                side = Word(number)
                end[TAKEN + side] = lanes[_TAKEN + side * _L + i]
            final_scores(end, game, scores[start + lane])


@inlined
def _enter(state: Words, world: Words, target: Words) -> None:
    """A state with the hands of a world."""
    copy_state(state, target)
    for number in range(len(world)):
        target[HANDS + Word(number)] = world[number]


@inlined
def _fill(
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
    if game[KIND] == SCHIEBER and schieber.has_bonus(game):
        for lane in range(count):
            _enter(state, worlds[lane], end)
            schieber.foresee_bonus(end, game)
            lanes[_TAKEN + Word(lane)] = end[TAKEN]
            lanes[_TAKEN + _L + Word(lane)] = end[TAKEN + ONE]


@inlined
def _tricks(kind: Word, rule: Word, lanes: Words, state: Words, game: Words) -> None:
    """Play all lanes to the end of the round, beginning in the middle of a trick if need be."""
    left, tricks = state[LEFT], game[TRICKS]
    step, last = game[STEP], game[LAST_TRICK]
    four_jacks = game[klaverjas.FOUR_JACKS]
    first_place = popcount(state[TABLE])
    while left != ZERO:
        first_trick = left == tricks
        left -= ONE
        if first_place < TWO:
            _draw(lanes, _WORD)
        _draw(lanes, _NEXT_WORD)

        if first_place == ZERO:
            for lane in range(LANES):
                i = Word(lane)
                hand = lanes[_HAND + i]
                cards = hand
                if kind == HEARTS:
                    cards = hearts.leading(game, hand, first_trick, lanes[_OPENED + i])
                card = pick(cards, lanes[_WORD + i] & LOW_HALF)
                lanes[_HAND + i] = hand ^ card
                lanes[_ON_TABLE + i] = card
                lanes[_BEST + i] = card
                lanes[_HOLDER + i] = ZERO
                lanes[_LED + i] = lane_of(card)

        if first_place <= ONE:
            _follow(kind, rule, lanes, game, ONE, _WORD, S32, first_trick)
        if first_place <= TWO:
            _follow(kind, rule, lanes, game, TWO, _NEXT_WORD, ZERO, first_trick)
        _follow(kind, rule, lanes, game, THREE, _NEXT_WORD, S32, first_trick)

        for lane in range(LANES):
            i = Word(lane)
            table = lanes[_ON_TABLE + i]
            if kind == KLAVERJAS:
                value = klaverjas.trick_value(game, four_jacks, table)
            elif kind == SCHIEBER:
                value = schieber.trick_value(game, table)
            else:
                value = hearts.trick_value(game, table)
                lanes[_OPENED + i] |= hearts.opens(game, table)
            value += ONE_TRICK
            lanes[_CARDS + i] = value + last if left == ZERO else value
        _take_tricks(kind, lanes, step)
        first_place = ZERO


@inlined
def _follow(
    kind: Word,
    rule: Word,
    lanes: Words,
    game: Words,
    place: Word,
    section: Word,
    shift: Word,
    first_trick: bool,
) -> None:
    """Let all lanes play card number `place` of the trick, by the random bits of a section."""
    trumps = game[TRUMPS]
    held = _HAND + place * _L
    for lane in range(LANES):
        i = Word(lane)
        hand, led, best = lanes[held + i], lanes[_LED + i], lanes[_BEST + i]
        if kind == KLAVERJAS:
            partner_holds = (lanes[_HOLDER + i] ^ place) & ONE == ZERO
            cards = klaverjas.following(rule, hand, led, best, partner_holds)
        elif kind == SCHIEBER:
            table = lanes[_ON_TABLE + i]
            cards = schieber.following(rule, trumps, game, hand, led, best, table)
        else:
            cards = hearts.following(game, hand, led, first_trick)
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
def _take_tricks(kind: Word, lanes: Words, step: Word) -> None:
    """Give each lane's trick, its value in `_CARDS`, to the holder, and let him lead."""
    one, two, three = _HAND + _L, _HAND + 2 * _L, _HAND + 3 * _L
    for lane in range(LANES):
        i = Word(lane)
        value, holder = lanes[_CARDS + i], lanes[_HOLDER + i]
        if kind == HEARTS:
            leader = (lanes[_LEADER + i] + holder * step) & THREE
            lanes[_TAKEN + leader * _L + i] += value
        else:
            # Of a leader only the side matters, and it changes at every step round the table.
            leader = (lanes[_LEADER + i] ^ holder) & ONE
            to_odd = ZERO - leader
            lanes[_TAKEN + i] += value & ~to_odd
            lanes[_TAKEN + _L + i] += value & to_odd
        lanes[_LEADER + i] = leader
        # Turn the hands by 0 to 3 places: by one if the holder is odd, by two if he has bit 2.
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


@warms
def _exercise() -> None:
    game = kernel_game(Klaverjas(), 0).words
    over = np.zeros(STATE_WORDS, dtype=np.uint64)
    worlds, seeds = np.zeros((1, 4), dtype=np.uint64), np.zeros(1, dtype=np.uint64)
    playouts(over, game, worlds, seeds, np.zeros((1, 4), dtype=np.int64))
