"""Playing a round to its end: at random, and semi-randomly.

Random play draws one word for two cards: cards 1 and 2 of a trick take the low and the
high half of a word, cards 3 and 4 those of the next. A playout that begins with card 2 or 4
draws the word and uses its high half. Semi-random play draws one word for each decision
between more than one candidate, as `Rng.below` does.

`playout_random` and `playout_semi` run unrolled loops for four players; what they must equal
are the same names with `_by_steps`.
"""

from __future__ import annotations

import numpy as np

from arena.games.hearts import kernel as hearts
from arena.games.kernel.bits import kth_bit, popcount
from arena.games.kernel.jit import compiled, inlined, warms
from arena.games.kernel.layout import (
    HANDS,
    HEARTS,
    KIND,
    KLAVERJAS,
    LAST_TRICK,
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
    TABLE,
    TAKEN,
    THREE,
    TRICKS,
    TRUMPS,
    TURN,
    TWO,
    USUAL_HABITS,
    ZERO,
    Word,
    Words,
)
from arena.games.kernel.rng import advance, below_word, mix
from arena.games.kernel.spec import kernel_game
from arena.games.kernel.step import lane_of, legal, play, semi_candidates
from arena.games.klaverjas import Klaverjas
from arena.games.klaverjas import kernel as klaverjas
from arena.games.schieber import kernel as schieber

__all__ = [
    "pick",
    "playout_random",
    "playout_random_by_steps",
    "playout_semi",
    "playout_semi_by_steps",
]


@inlined
def pick(cards: Word, half: Word) -> Word:
    """One of some cards, chosen by 32 random bits."""
    return Word(kth_bit(cards, below_word(half, popcount(cards))))


# --- card by card ------------------------------------------------------------------------


@compiled
def playout_random_by_steps(state: Words, game: Words, rng: Words) -> None:
    """Play at random to the end of the round."""
    seed = rng[0]
    while state[LEFT] != ZERO:
        seed = _random_trick(state, game, seed)
    rng[0] = seed


@compiled
def playout_semi_by_steps(state: Words, game: Words, rng: Words, habits: Word) -> None:
    """Play semi-randomly to the end of the round."""
    seed = rng[0]
    while state[LEFT] != ZERO:
        seed = _semi_trick(state, game, seed, habits)
    rng[0] = seed


@compiled
def _random_trick(state: Words, game: Words, seed: Word) -> Word:
    """Play until the trick in progress, or a whole one, is complete; the new seed."""
    left = state[LEFT]
    place = popcount(state[TABLE])
    word = ZERO
    if place & ONE != ZERO:
        seed = advance(seed)
        word = mix(seed)
    while state[LEFT] == left:
        if place & ONE == ZERO:
            seed = advance(seed)
            word = mix(seed)
        half = word & LOW_HALF if place & ONE == ZERO else word >> S32
        play(state, game, pick(legal(state, game), half))
        place += ONE
    return seed


@compiled
def _semi_trick(state: Words, game: Words, seed: Word, habits: Word) -> Word:
    """Play until the trick in progress, or a whole one, is complete; the new seed."""
    left = state[LEFT]
    while state[LEFT] == left:
        cards = semi_candidates(state, game, legal(state, game), habits)
        card, seed = _choose(cards, seed)
        play(state, game, card)
    return seed


@inlined
def _choose(cards: Word, seed: Word) -> tuple[Word, Word]:
    """One of some cards; the seed advances only if there is more than one."""
    seed = advance(seed) if cards & (cards - ONE) != ZERO else seed
    return pick(cards, mix(seed) >> S32), seed


# --- unrolled ----------------------------------------------------------------------------


@compiled
def playout_random(state: Words, game: Words, rng: Words) -> None:
    """Play at random to the end of the round.

    Afterwards only `TAKEN`, `TURN` and `LEFT` of the state are good, which is all that
    `final_scores` needs; the cards played are not recorded.
    """
    if game[PLAYERS] == TWO:
        playout_random_by_steps(state, game, rng)
        return
    seed = rng[0]
    if state[TABLE] != ZERO:
        seed = _random_trick(state, game, seed)
    kind = game[KIND]
    # Each call is inlined with its constants: five loops are compiled from one.
    if kind == KLAVERJAS:
        if game[RULE] == klaverjas.ROTTERDAM:
            seed = _tricks(KLAVERJAS, klaverjas.ROTTERDAM, False, state, game, seed, ZERO)
        else:
            seed = _tricks(KLAVERJAS, game[RULE], False, state, game, seed, ZERO)
    elif kind == SCHIEBER:
        if game[RULE] == schieber.HIGHEST:
            seed = _tricks(SCHIEBER, schieber.HIGHEST, False, state, game, seed, ZERO)
        else:
            seed = _tricks(SCHIEBER, game[RULE], False, state, game, seed, ZERO)
    else:
        seed = _tricks(HEARTS, ZERO, False, state, game, seed, ZERO)
    rng[0] = seed


@compiled
def playout_semi(state: Words, game: Words, rng: Words, habits: Word) -> None:
    """Play to the end of the round as each game's `semi_random` says, all seats alike.

    `habits` are `PROTECT_TENS | BETTER`. What is good afterwards: see `playout_random`.
    """
    if game[PLAYERS] == TWO:
        playout_semi_by_steps(state, game, rng, habits)
        return
    seed = rng[0]
    if state[TABLE] != ZERO:
        seed = _semi_trick(state, game, seed, habits)
    kind = game[KIND]
    if kind == KLAVERJAS:
        seed = _tricks(KLAVERJAS, game[RULE], True, state, game, seed, habits)
    elif kind == SCHIEBER:
        seed = _tricks(SCHIEBER, game[RULE], True, state, game, seed, habits)
    else:
        seed = _tricks(HEARTS, ZERO, True, state, game, seed, habits)
    rng[0] = seed


@inlined
def _tricks(
    kind: Word, rule: Word, semi: bool, state: Words, game: Words, seed: Word, habits: Word
) -> Word:
    """Play whole tricks to the end of the round, four cards at a time; the new seed."""
    leader, left, opened = state[TURN], state[LEFT], state[OPENED]
    even, odd = state[TAKEN], state[TAKEN + ONE]
    # Loaded once: the compiler cannot know that writing a state leaves the game alone.
    trumps, tricks, last = game[TRUMPS], game[TRICKS], game[LAST_TRICK]
    four_jacks = game[klaverjas.FOUR_JACKS]
    # `game[STEP]`, as a constant: only Schieber is played counter-clockwise.
    step = THREE if kind == SCHIEBER else ONE
    word = next_word = ZERO
    if kind == SCHIEBER:
        schieber.foresee_bonus(state, game)
        even, odd = state[TAKEN], state[TAKEN + ONE]
    while left != ZERO:
        first_trick = left == tricks
        left -= ONE
        if not semi:
            seed = advance(seed)
            word = mix(seed)
            seed = advance(seed)
            next_word = mix(seed)

        hand = state[HANDS + leader]
        cards = hand
        if kind == HEARTS:
            cards = hearts.leading(game, hand, first_trick, opened)
        if semi:
            if kind == HEARTS:
                cards = hearts.semi_candidates(habits, game, cards, ZERO, ZERO, ZERO)
            card, seed = _choose(cards, seed)
        else:
            card = pick(cards, word & LOW_HALF)
        state[HANDS + leader] = hand ^ card
        table, best, holder = card, card, leader
        led = lane_of(card)
        can_win = led | trumps

        for place in range(1, 4):
            seat = (leader + step * Word(place)) & THREE
            partner_holds = (holder ^ seat) & ONE == ZERO
            hand = state[HANDS + seat]
            if kind == KLAVERJAS:
                cards = klaverjas.following(rule, hand, led, best, partner_holds)
            elif kind == SCHIEBER:
                cards = schieber.following(rule, trumps, game, hand, led, best, table)
            else:
                cards = hearts.following(game, hand, led, first_trick)
            if semi:
                if kind == KLAVERJAS:
                    cards = klaverjas.semi_candidates(
                        habits, game, cards, table, led, best, partner_holds
                    )
                elif kind == SCHIEBER:
                    cards = schieber.semi_candidates(
                        habits, game, cards, table, led, best, partner_holds
                    )
                else:
                    cards = hearts.semi_candidates(habits, game, cards, table, led, best)
                card, seed = _choose(cards, seed)
            elif place == 2:
                card = pick(cards, next_word & LOW_HALF)
            else:
                card = pick(cards, word >> S32 if place == 1 else next_word >> S32)
            state[HANDS + seat] = hand ^ card
            table |= card
            card &= can_win
            holder = seat if card > best else holder
            best = card if card > best else best

        if kind == KLAVERJAS:
            value = klaverjas.trick_value(game, four_jacks, table)
        elif kind == SCHIEBER:
            value = schieber.trick_value(game, table)
        else:
            value = hearts.trick_value(game, table)
            opened |= hearts.opens(game, table)
        value += ONE_TRICK
        if left == ZERO:
            value += last
        if kind == HEARTS:
            state[TAKEN + holder] += value
        else:
            # Masks, because the CPU cannot foresee who wins.
            to_odd = ZERO - (holder & ONE)
            odd += value & to_odd
            even += value & ~to_odd
        leader = holder
    if kind != HEARTS:
        state[TAKEN], state[TAKEN + ONE] = even, odd
    state[LEFT] = ZERO
    state[TURN] = leader
    return seed


@warms
def _exercise() -> None:
    game = kernel_game(Klaverjas(), 0).words
    rng = np.zeros(1, dtype=np.uint64)
    over = np.zeros(STATE_WORDS, dtype=np.uint64)
    playout_random(over, game, rng)
    playout_semi(over, game, rng, USUAL_HABITS)
