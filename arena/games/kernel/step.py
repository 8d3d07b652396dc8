"""Playing a round card by card: the step API of the kernel.

Every function takes a `state` and a `game` (see `layout`). It is what a search uses inside
its tree; from a leaf on, `playout` is faster.
"""

from __future__ import annotations

import numpy as np

from arena.games.hearts import kernel as hearts
from arena.games.kernel.bits import ctz, popcount
from arena.games.kernel.jit import compiled, inlined, warms
from arena.games.kernel.layout import (
    BEST,
    HANDS,
    HEARTS,
    HOLDER,
    KIND,
    KLAVERJAS,
    LANE,
    LAST_TRICK,
    LED,
    LEFT,
    ONE,
    ONE_TRICK,
    OPENED,
    PLAYED,
    PLAYERS,
    RULE,
    S48,
    SCHIEBER,
    SIDE_MASK,
    STATE_WORDS,
    STEP,
    TABLE,
    TAKEN,
    TRICKS,
    TRUMPS,
    TURN,
    USUAL_HABITS,
    ZERO,
    Numbers,
    Word,
    Words,
)
from arena.games.kernel.spec import kernel_game
from arena.games.klaverjas import Klaverjas
from arena.games.klaverjas import kernel as klaverjas
from arena.games.schieber import kernel as schieber

__all__ = ["copy_state", "final_scores", "lane_of", "legal", "play", "semi_candidates"]


@inlined
def lane_of(card: Word) -> Word:
    """The whole lane in which a card is."""
    return Word(LANE << (ctz(card) & S48))


@inlined
def legal(state: Words, game: Words) -> Word:
    """The cards that the seat whose turn it is may play."""
    hand = Word(state[HANDS + state[TURN]])
    table, led, best = state[TABLE], state[LED], state[BEST]
    if game[KIND] == KLAVERJAS:
        if table == ZERO:
            return hand
        partner_holds = (state[HOLDER] ^ state[TURN]) & ONE == ZERO
        return klaverjas.following(game[RULE], hand, led, best, partner_holds)
    if game[KIND] == SCHIEBER:
        if table == ZERO:
            return hand
        return schieber.following(game[RULE], game[TRUMPS], game, hand, led, best, table)
    first_trick = state[LEFT] == game[TRICKS]
    if table == ZERO:
        return hearts.leading(game, hand, first_trick, state[OPENED])
    return hearts.following(game, hand, led, first_trick)


@inlined
def play(state: Words, game: Words, card: Word) -> None:
    """Let the seat whose turn it is play `card` (one bit); a trick that is complete is scored."""
    seat = state[TURN]
    state[HANDS + seat] ^= card
    state[PLAYED + seat] |= card
    table = state[TABLE]
    if table == ZERO:
        state[LED] = lane_of(card)
        state[BEST], state[HOLDER] = card, seat
    elif card & (state[LED] | game[TRUMPS]) > state[BEST]:
        state[BEST], state[HOLDER] = card, seat
    table |= card
    state[TABLE] = table
    state[TURN] = (seat + game[STEP]) & (game[PLAYERS] - ONE)
    if popcount(table) == game[PLAYERS]:
        _finish_trick(state, game, table)


@compiled
def _finish_trick(state: Words, game: Words, table: Word) -> None:
    leader, winner = state[TURN], state[HOLDER]
    left = state[LEFT] - ONE
    kind = game[KIND]
    if kind == KLAVERJAS:
        value = klaverjas.trick_value(game, game[klaverjas.FOUR_JACKS], table)
    elif kind == SCHIEBER:
        value = schieber.trick_value(game, table)
        schieber.after_trick(state, game, table, leader, left)
    else:
        value = hearts.trick_value(game, table)
        state[OPENED] |= hearts.opens(game, table)
    if left == ZERO:
        value += game[LAST_TRICK]
    state[TAKEN + (winner & game[SIDE_MASK])] += value + ONE_TRICK
    state[LEFT] = left
    state[TURN] = winner
    state[TABLE] = state[LED] = state[BEST] = state[HOLDER] = ZERO


@inlined
def final_scores(state: Words, game: Words, scores: Numbers) -> None:
    """What is written down for each side when the round is over; `scores` is int64."""
    kind = game[KIND]
    if kind == KLAVERJAS:
        klaverjas.final_scores(state, game, scores)
    elif kind == SCHIEBER:
        schieber.final_scores(state, game, scores)
    else:
        hearts.final_scores(state, game, scores)


@compiled
def semi_candidates(state: Words, game: Words, cards: Word, habits: Word) -> Word:
    """Those of the legal `cards` that a semi-random player chooses from."""
    table, led, best = state[TABLE], state[LED], state[BEST]
    if game[KIND] == HEARTS:
        return hearts.semi_candidates(habits, game, cards, table, led, best)
    if table == ZERO:
        return cards
    partner_holds = (state[HOLDER] ^ state[TURN]) & ONE == ZERO
    if game[KIND] == KLAVERJAS:
        return klaverjas.semi_candidates(habits, game, cards, table, led, best, partner_holds)
    return schieber.semi_candidates(habits, game, cards, table, led, best, partner_holds)


@inlined
def copy_state(source: Words, target: Words) -> None:
    """Make `target` equal to `source`."""
    for i in range(STATE_WORDS):
        target[i] = source[i]


@warms
def _exercise() -> None:
    klaverjas_game = kernel_game(Klaverjas(), 0)
    game = klaverjas_game.words
    card = klaverjas_game.mask(klaverjas_game.card_mask(ONE))
    state = np.zeros(STATE_WORDS, dtype=np.uint64)
    state[HANDS] = card
    state[LEFT] = ONE
    # What comes back from compiled code is an int, which must become a word again.
    card = Word(semi_candidates(state, game, Word(legal(state, game)), USUAL_HABITS))
    play(state, game, card)
    final_scores(state, game, np.zeros(4, dtype=np.int64))
