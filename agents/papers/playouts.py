"""Playouts and worlds with the deviations of published programs, compiled."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.search.codes import CALLED, RANDOM, SEMI_RANDOM
from agents.search.flat_mc import Question, call_player
from agents.search.playouts import roll_out_until
from agents.search.worlds import (
    MIXED,
    POOLED,
    SAMPLED,
    UNIFORM,
    Worlds,
    call_sampler,
    sampled_worlds,
    uniform,
)
from arena.core.errors import ArenaError
from arena.games.kernel.bits import popcount
from arena.games.kernel.jit import inlined, uncounted
from arena.games.kernel.layout import (
    LEFT,
    ONE,
    PROTECT_TENS,
    S32,
    TURN,
    TWO,
    USUAL_FLAGS,
    ZERO,
    Int,
    Word,
    Words,
)
from arena.games.kernel.pointers import address_of
from arena.games.kernel.rng import below, next64
from arena.games.kernel.step import legal, play, semi_candidates
from arena.games.kernel.tricks import pick
from arena.games.kernel.uniform_worlds import sample_uniform

_BAD_CARD_STAYS = 0.58
"""So often that, as measured in the program of 2017, a bad card is played in 18.7% of the
decisions that have several. There it depends on the order of the cards in an array."""


# --- Hoogenboom 2017: one of several bad cards stays -------------------------------------


def with_careless_playouts(question: Question) -> Question:
    """Semi-random playouts that often keep one of several bad cards."""
    return question._replace(rollout=CALLED, player=address_of(_careless, call_player))


@uncounted
def _careless(state: Words, game: Words, stop: Word, rng: Words) -> None:
    while state[LEFT] > stop:
        cards = legal(state, game)
        if cards & (cards - ONE) != ZERO:
            bad = bad_card_that_stays(state, game, cards, rng)
            cards = semi_candidates(state, game, cards, USUAL_FLAGS) | bad
        if cards & (cards - ONE) != ZERO:
            cards = pick(cards, next64(rng) >> S32)
        play(state, game, cards)


@inlined
def bad_card_that_stays(state: Words, game: Words, cards: Word, rng: Words) -> Word:
    """A bad card that is kept among those to choose from; 0 for none."""
    good = semi_candidates(state, game, cards, PROTECT_TENS)
    bad = cards & ~good
    makes_roem = good != semi_candidates(state, game, cards, USUAL_FLAGS)
    if makes_roem or popcount(bad) < TWO or uniform(rng) >= _BAD_CARD_STAYS:
        return ZERO
    return pick(bad, next64(rng) >> S32)


# --- Kiele 2024: one seat leads all tricks -----------------------------------------------


def with_one_leader(question: Question) -> Question:
    """Playouts in which the winner of the present trick leads all further ones."""
    way = _one_leader_random if question.rollout == RANDOM else _one_leader_semi_random
    return question._replace(rollout=CALLED, player=address_of(way, call_player))


@uncounted
def _one_leader_random(state: Words, game: Words, stop: Word, rng: Words) -> None:
    _with_one_leader(state, game, RANDOM, stop, rng)


@uncounted
def _one_leader_semi_random(state: Words, game: Words, stop: Word, rng: Words) -> None:
    _with_one_leader(state, game, SEMI_RANDOM, stop, rng)


@inlined
def _with_one_leader(state: Words, game: Words, rollout: int, stop: Word, rng: Words) -> None:
    """Play until `stop` tricks are left; who takes the first trick leads to all others."""
    left: Word = max(stop, state[LEFT] - ONE)
    roll_out_until(state, game, rollout, left, rng)
    leader = state[TURN]
    while left > stop:
        left -= ONE
        state[TURN] = leader
        roll_out_until(state, game, rollout, left, rng)


# --- Hoogenboom 2017: cards that are held twice ------------------------------------------

# The plan of worlds with doubled cards: how they are dealt, then the plans of that.
_KIND, _SAMPLER, _SEAT, _VIEWER, _LENGTH, _PLANS = range(6)


def doubled_worlds(worlds: Worlds, seat: int, viewer: int) -> Worlds:
    """Worlds in which a seat may hold cards that others hold too; `viewer` knows its own."""
    if worlds.kind == POOLED:
        raise ArenaError("as_published: doubled-cards does not go with beliefs that infer worlds")
    head = [worlds.kind, worlds.sampler, seat, viewer, len(worlds.first)]
    plan = np.concatenate([np.array(head, np.uint64), worlds.first, worlds.second])
    odds = np.array([worlds.share]) if worlds.kind == MIXED else worlds.odds
    return sampled_worlds(_sample_doubled, plan, odds)


@uncounted
def _sample_doubled(plan: Words, odds: NDArray[np.float64], rng: Words, hands: Words) -> None:
    kind, length = np.int64(plan[_KIND]), np.int64(plan[_LENGTH])
    first, second = plan[_PLANS : _PLANS + length], plan[_PLANS + length :]
    if kind == UNIFORM:
        sample_uniform(first, rng, hands)
    elif kind == SAMPLED:
        call_sampler(plan[_SAMPLER], first, odds, rng, hands)
    elif kind == MIXED:
        if uniform(rng) < odds[0]:
            sample_uniform(first, rng, hands)
        else:
            sample_uniform(second, rng, hands)
    _double_cards(hands, np.int64(plan[_SEAT]), np.int64(plan[_VIEWER]), rng)


@uncounted
def _double_cards(hands: Words, seat: Int, viewer: Int, rng: Words) -> None:
    """Replace some cards of a hand by cards that others hold, and hold still.

    So the program of 2017 deals the last hand: it draws one of k cards from k + 1 places.
    """
    hand, others = hands[np.uint64(seat)], ZERO
    for other in range(4):
        if other != seat and other != viewer:
            others |= hands[np.uint64(other)]
    for left in range(popcount(hand), 0, -1):
        if below(rng, np.uint64(left + 1)) == ZERO and others & ~hand != ZERO:
            hand ^= pick(hand, next64(rng) >> S32)
            hand |= pick(others & ~hand, next64(rng) >> S32)
    hands[np.uint64(seat)] = hand
