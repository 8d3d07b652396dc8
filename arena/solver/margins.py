"""From questions about the balance of the tricks to come to the margins of positions and cards.

All margins are those of the hero (see `arena.games.score_form`) at the end of the round.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.games.kernel import dispatch
from arena.games.kernel.bits import ctz, popcount
from arena.games.kernel.jit import inlined, uncounted
from arena.games.kernel.layout import (
    BEST,
    HANDS,
    HOLDER,
    KIND,
    LAST_TRICK,
    LED,
    LEFT,
    ONE,
    S16,
    S32,
    TABLE,
    TAKEN,
    TURN,
    ZERO,
    Int,
    Numbers,
    Word,
    Words,
)
from arena.games.kernel.step import copy_state, legal, play
from arena.games.score_form import (
    CONTRACT,
    FACTOR,
    FAILED,
    HERO_SWEEP,
    MADE_FROM,
    OTHER_SWEEP,
)
from arena.solver.alpha_beta import search
from arena.solver.bounds import PART, bonus_left, points_left
from arena.solver.keys import distinct
from arena.solver.memory import FAR, MOST_NODES, NEVER, NODES, UNKNOWN, Workspace

FAR_MARGIN = 1_000_000
"""Beyond every margin."""
_STEP = 32


@uncounted
def value_cards(
    ws: Workspace, state: Words, hero: Word, game: Words, form: Numbers, values: NDArray[Any]
) -> None:
    """Write the bounds of the margin after each legal card to `values[:, bit of the card]`.

    Each card may use an equal share of the nodes that are left.
    """
    cards = legal(state, game)
    most = ws.counts[MOST_NODES]
    hand = state[HANDS + state[TURN]]
    unlike = distinct(cards, hand, form, _cards_left(state))
    guess: Int = np.int64(0)
    place: Int = np.int64(0)
    while cards != ZERO:
        card = cards & (~cards + ONE)
        cards ^= card
        equal, place = place, np.int64(ctz(card))
        if card & unlike == ZERO:  # as good as the weaker one before it
            values[0, place], values[1, place] = values[0, equal], values[1, equal]
            continue
        copy_state(state, ws.after)
        play(ws.after, game, card)
        ws.found[0], ws.found[1] = -FAR_MARGIN, FAR_MARGIN
        used, others = ws.counts[NODES], np.int64(popcount(cards & unlike))
        ws.counts[MOST_NODES] = used + (most - used) // (others + 1)
        value_position(ws, ws.after, hero, game, form, guess)
        values[0, place], values[1, place] = ws.found[0], ws.found[1]
        guess = ws.found[0]
    ws.counts[MOST_NODES] = most


@uncounted
def value_worlds(
    ws: Workspace,
    state: Words,
    hero: Word,
    game: Words,
    form: Numbers,
    worlds: Words,
    values: NDArray[Any],
) -> None:
    """`value_cards` with other hands: those in `worlds[i]` give `values[i]`."""
    for number in range(len(worlds)):
        for seat in range(4):
            state[HANDS + np.uint64(seat)] = worlds[number, seat]
        value_cards(ws, state, hero, game, form, values[number])


@uncounted
def value_position(
    ws: Workspace, state: Words, hero: Word, game: Words, form: Numbers, guess: Int
) -> None:
    """Narrow the bounds of the margin in `ws.found` as far as the nodes last.

    `state` gets everything scored that is certain: Weis and Stöck in Schieber.
    """
    if dispatch.can_score_ahead(game[KIND], game):
        dispatch.score_ahead(game[KIND], state, game)
    balance, bonus = _place_root(ws, state, hero, form)
    factor = form[FACTOR]
    cards = _cards_left(state)
    least, most = _extremes(ws, game, form, cards)
    failed: Int = np.int64(-FAR)
    if form[CONTRACT] != 0:
        failed = -form[FAILED] - bonus - balance
        least = failed - bonus_left(form, cards)
    low = max(least, -(-ws.found[0] // factor) - balance)
    high = min(most, ws.found[1] // factor - balance)
    least, most = low, high
    goal = max(low + 1, min(guess // factor - balance, high))
    while low < high:
        if form[CONTRACT] == 0:
            value = search(ws, game, form, hero, goal, NEVER)
        else:
            value = _contract(ws, game, form, hero, form[MADE_FROM] - balance, failed, goal)
        if value == UNKNOWN:
            break
        if value >= goal:
            low = max(low, value)
        else:
            high = min(high, value)
        goal = low + (high - low + 1) // 2
        if form[CONTRACT] != 0 and high == failed:
            goal = high  # most often no bonus follows
        elif high == most:
            goal = low + _STEP
        elif low == least and high > failed:
            goal = high - _STEP + 1
        goal = max(low + 1, min(goal, high))
    ws.found[0], ws.found[1] = factor * (low + balance), factor * (high + balance)


@inlined
def _contract(
    ws: Workspace, game: Words, form: Numbers, hero: Word, made: Int, failed: Int, goal: Int
) -> Int:
    """`search` for the margin less the balance so far, under a contract.

    It is made from X = `made` on and then worth X; if it fails it is worth `failed` at the most,
    and the less the more bonuses the other side can bring about.
    """
    if goal > failed:
        value = search(ws, game, form, hero, max(goal, made), NEVER)
        if value != UNKNOWN and value < made:
            value = failed
        return value
    value = search(ws, game, form, hero, made, failed - goal)
    if value != UNKNOWN:
        value = goal if value >= made else goal - 1
    return value


@inlined
def _place_root(ws: Workspace, state: Words, hero: Word, form: Numbers) -> tuple[Int, Int]:
    """Make a state the root; X and the bonuses of both sides so far."""
    for number in range(4):
        ws.hands[number] = state[HANDS + np.uint64(number)]
    frame = ws.frames[0]
    frame.table, frame.led = state[TABLE], state[LED]
    frame.best, frame.holder = state[BEST], state[HOLDER]
    frame.seat = state[TURN]
    frame.place = np.int64(popcount(state[TABLE]))
    frame.left = np.int64(state[LEFT])
    ours, theirs = state[TAKEN + (hero & ONE)], state[TAKEN + (hero & ONE ^ ONE)]
    sweeps: Int = np.int64(0)
    if theirs >> S32 == ZERO and form[HERO_SWEEP] != 0:
        sweeps |= 1
    if ours >> S32 == ZERO and form[OTHER_SWEEP] != 0:
        sweeps |= 2
    frame.sweeps = sweeps
    our_bonus, their_bonus = ours >> S16 & PART, theirs >> S16 & PART
    balance = np.int64((ours & PART) + our_bonus) - np.int64((theirs & PART) + their_bonus)
    return balance, np.int64(our_bonus + their_bonus)


@inlined
def _cards_left(state: Words) -> Word:
    """The cards that are held or on the table."""
    cards = state[TABLE]
    for seat in range(4):
        cards |= state[HANDS + np.uint64(seat)]
    return Word(cards)


@inlined
def _extremes(ws: Workspace, game: Words, form: Numbers, cards: Word) -> tuple[Int, Int]:
    """Bounds of X at the root: everything goes to one side."""
    most = points_left(game, cards) + np.int64(game[LAST_TRICK]) + bonus_left(form, cards)
    sweeps = ws.frames[0].sweeps
    return (
        -most - (form[OTHER_SWEEP] if sweeps & 2 else 0),
        most + (form[HERO_SWEEP] if sweeps & 1 else 0),
    )
