"""The loop of a best response against the same round played card by card."""

from __future__ import annotations

import numpy as np
import pytest

from agents.beliefs.plays import Plays
from agents.policies.features import deck_of, table_size, watch
from agents.policies.inference import voids_of
from agents.policies.tables import draw
from agents.search.best_response import Others, Plan, respond
from agents.search.codes import DIFFERENCE, RANDOM, SHOOT
from agents.search.decision import roots_upto
from agents.search.leaves import Leaves, values_of
from agents.search.worlds import POOLED, known_worlds
from arena.games.hearts import Hearts
from arena.games.kernel.jit import compiled
from arena.games.kernel.layout import HANDS, LEFT, TURN, Words
from arena.games.kernel.spec import KernelGame, kernel_game
from arena.games.kernel.step import legal, play
from arena.games.klaverjas import Klaverjas
from arena.games.schieber import Schieber
from arena.rules import Rules, View
from arena.seeds import Rng

GAMES: list[Rules] = [
    Klaverjas(),
    Klaverjas(variant="amsterdam", bidding="classical"),
    Schieber(),
    Hearts(passing="left"),
    Hearts(variant="classic"),
]
_LEAVES = Leaves(1, RANDOM, DIFFERENCE, SHOOT, 0, 0.0)


@compiled
def draw_card(state, game, voids, deck, factors, row, cards, weights, rng):
    return draw(state, game, voids, deck, factors, row, cards, weights, rng)


def by_steps(
    game: KernelGame, state: Words, voids: Words, factors: np.ndarray, rng: Words, side: int
) -> tuple[int, float]:
    """The first card that is drawn in a round that the policy plays, and what comes of it."""
    first, weights = 0, np.zeros(64)
    while state[LEFT]:
        cards = np.uint64(legal(state, game.words))
        card = cards
        if int(cards).bit_count() > 1:
            drawn = draw_card(
                state, game.words, voids, deck_of(game), factors, 0, cards, weights, rng
            )
            card = np.uint64(drawn)
            first = first or int(card)
        watch(state, voids, card)
        play(state, game.words, card)
    values = np.zeros(4)
    values_of(state, game.words, _LEAVES, np.zeros(4, np.int64), values)
    return first, float(values[side])


def moments(rules: Rules, number: int) -> list[View]:
    """What those see who have a choice in a round that is played at random, all hands shown."""
    rng = Rng(number)
    state = rules.start(rules.random_deal(rng, number))
    found = []
    while state.turn is not None:
        if state.phase == "play" and len(state.legal) > 1:
            found.append(rules.view(state, state.turn, all_hands=True))
        rules.apply(state, rng.choice(state.legal))
    return found


@pytest.mark.parametrize("rules", GAMES, ids=str)
def test_a_simulation_plays_as_the_policy_does_card_by_card(rules: Rules) -> None:
    compared = 0
    for number in range(12):
        for view in moments(rules, number):
            game = kernel_game(rules, view.trump)
            root = game.view_state(view)
            hand = root[int(HANDS) + view.seat]
            weights = np.random.default_rng(number).normal(0, 0.7, (1, table_size(deck_of(game))))
            factors = np.exp(weights).astype(np.float32)
            voids, side = voids_of(game, view), rules.side_of(view.seat)
            searching = np.array([1 << view.seat], dtype=np.uint64)
            plan = Plan.empty(0, int(hand).bit_count())
            respond(
                plan, 1, 1, root, voids, game.words, known_worlds(),
                Others(deck_of(game), factors, False, searching), 100.0, _LEAVES, side,
                np.zeros(3), np.array([number], dtype=np.uint64),
            )  # fmt: skip
            card, value = by_steps(
                game, root.copy(), voids.copy(), factors, np.array([number], dtype=np.uint64), side
            )
            at = (int(hand) & (card - 1)).bit_count()
            assert plan.visits[1].nonzero()[0].tolist() == [at, int(hand).bit_count()]
            assert plan.scores[1, at, 0] == pytest.approx(value)
            assert int(root[TURN]) == view.seat
            compared += 1
    assert compared > 100


@pytest.mark.parametrize("rules", [GAMES[0], GAMES[2]], ids=str)
def test_cards_are_compared_in_the_same_worlds(rules: Rules) -> None:
    """Where nothing else is left to chance, values do not depend on the random numbers."""
    view = next(
        view
        for number in range(50)
        for view in moments(rules, number)
        if rules.hand_size - len(view.tricks) == 3 and len(view.legal) == 3
    )
    view = view._replace(all_hands=None)
    game = kernel_game(rules, view.trump)
    root = game.view_state(view)
    hand = int(root[int(HANDS) + view.seat])
    # A policy that plays one card for certain, whatever happens.
    weights = np.random.default_rng(3).normal(0, 40.0, (1, table_size(deck_of(game))))
    factors = np.exp(np.clip(weights, -60, 60)).astype(np.float32)
    pool = Plays(worlds=300).infer(game, view, root, np.ones(1, np.uint64)).pool
    worlds = known_worlds()._replace(kind=POOLED, pool=pool)
    others = Others(deck_of(game), factors, False, np.array([1 << view.seat], dtype=np.uint64))
    voids, side = voids_of(game, view), rules.side_of(view.seat)
    found = []
    for seed in (1, 2):
        plan = Plan.empty(0, hand.bit_count())  # the root alone: nothing below it is learnt
        respond(
            plan, 1, 900, root, voids, game.words, worlds, others, 1e6, _LEAVES, side,
            roots_upto(900), np.array([seed], dtype=np.uint64),
        )  # fmt: skip
        found.append(plan)
    assert found[0].visits[1].tolist() == found[1].visits[1].tolist()
    assert min(found[0].visits[1, :3]) >= 290  # all are tried as often
    assert found[0].scores[1, :, 0].tolist() == found[1].scores[1, :, 0].tolist()
