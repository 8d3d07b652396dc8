"""Playing a round card by card: the step API of the kernel.

Every function takes a `state` and a `game` (see `layout`). It is what a search uses inside
its tree; from a leaf on, `playout` is faster.
"""

from __future__ import annotations

from arena.games.kernel import dispatch
from arena.games.kernel.bits import ctz, popcount
from arena.games.kernel.jit import inlined, uncounted
from arena.games.kernel.layout import (
    BEST,
    BY_STEPS,
    HANDS,
    HOLDER,
    KIND,
    LAST_TRICK,
    LED,
    LEFT,
    LOW_SUIT,
    ONE,
    ONE_TRICK,
    OPENED,
    OWN,
    OWN_STATE,
    PLAYED,
    PLAYERS,
    RULE,
    S48,
    SIDE_OF,
    STATE_WORDS,
    STEP,
    TABLE,
    TAKEN,
    THREE,
    TRICKS,
    TRUMPS,
    TURN,
    ZERO,
    Numbers,
    Word,
    Words,
)


@inlined
def suit_bits_of(card: Word) -> Word:
    """The whole lane in which a card is."""
    return Word(LOW_SUIT << (ctz(card) & S48))


@inlined
def side_of(game: Words, seat: Word) -> Word:
    """The side that a seat scores for."""
    return Word(side_in(game[SIDE_OF], seat))


@inlined
def side_in(sides: Word, seat: Word) -> Word:
    """`side_of` where `game[SIDE_OF]` has been loaded before."""
    return sides >> (seat + seat) & THREE


@inlined
def legal(state: Words, game: Words) -> Word:
    """The legal cards of the seat to act."""
    kind, rule, turn = game[KIND], game[RULE], state[TURN]
    hand, table = state[HANDS + turn], state[TABLE]
    first_trick = state[LEFT] == game[TRICKS]
    if table == ZERO:
        return Word(dispatch.leading(kind, rule, game, hand, first_trick, state[OPENED]))
    cards = dispatch.following(
        kind, rule, game, game[TRUMPS], hand, table, state[LED], state[BEST],
        _partner_holds(state, game), first_trick,
    )  # fmt: skip
    return Word(cards)


@inlined
def _partner_holds(state: Words, game: Words) -> bool:
    return bool(side_of(game, state[HOLDER]) == side_of(game, state[TURN]))


@inlined
def play(state: Words, game: Words, card: Word) -> None:
    """Play `card` (one bit) for the seat to act, and score the trick if it is complete."""
    seat = state[TURN]
    state[HANDS + seat] ^= card
    state[PLAYED + seat] |= card
    table = state[TABLE]
    if table == ZERO:
        state[LED] = suit_bits_of(card)
        state[BEST], state[HOLDER] = card, seat
    elif card & (state[LED] | game[TRUMPS]) > state[BEST]:
        state[BEST], state[HOLDER] = card, seat
    table |= card
    state[TABLE] = table
    following = seat + game[STEP]
    state[TURN] = following - game[PLAYERS] if following >= game[PLAYERS] else following
    if popcount(table) == game[PLAYERS]:
        _finish_trick(state, game, table)


@uncounted
def _taker(state: Words, game: Words, table: Word) -> Word:
    return Word(dispatch.taker(game[KIND], state, game, table))


@uncounted
def _finish_trick(state: Words, game: Words, table: Word) -> None:
    kind, leader, left = game[KIND], state[TURN], state[LEFT] - ONE
    winner = state[HOLDER]
    if game[BY_STEPS] != ZERO:  # only then it may be another; asking always costs up to a tenth
        winner = _taker(state, game, table)
    value = dispatch.trick_value(kind, game, game[OWN], table)
    dispatch.after_trick(kind, state, game, table, leader, left)
    state[OPENED] |= dispatch.opens(kind, game, table, winner)
    if left == ZERO:
        value += game[LAST_TRICK]
    state[TAKEN + side_of(game, winner)] += value + ONE_TRICK
    state[LEFT] = left
    state[TURN] = winner
    state[TABLE] = state[LED] = state[BEST] = state[HOLDER] = ZERO


@inlined
def final_scores(state: Words, game: Words, scores: Numbers) -> None:
    """Write the final score of each side when the round is over; `scores` is int64."""
    dispatch.final_scores(game[KIND], state, game, scores)


@uncounted
def semi_candidates(state: Words, game: Words, cards: Word, semi_random_flags: Word) -> Word:
    """Those of the legal `cards` that a semi-random player chooses from."""
    kind, calls, table, turn = game[KIND], state[OWN_STATE], state[TABLE], state[TURN]
    if table == ZERO:
        return Word(dispatch.semi_leading(kind, semi_random_flags, game, calls, turn, cards))
    chosen = dispatch.semi_following(
        kind, semi_random_flags, game, game[TRUMPS], calls, turn, cards, table,
        state[LED], state[BEST],
        _partner_holds(state, game),
    )  # fmt: skip
    return Word(chosen)


@inlined
def copy_state(source: Words, target: Words) -> None:
    """Make `target` equal to `source`."""
    for i in range(STATE_WORDS):
        target[i] = source[i]
