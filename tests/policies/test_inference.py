"""Worlds weighted by plays, and the best response to them, against plain enumeration."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from agents.champion import Champion
from agents.policies.features import deck_of, table_size, watch
from agents.policies.inference import infer, past_of, types_for, voids_of
from agents.policies.model import PolicyModel, mode_of
from agents.policies.rounds import play_rounds
from agents.policies.tables import weigh
from agents.random_ import Random
from agents.search.best_response import Others, Plan, respond
from agents.search.codes import DIFFERENCE, RANDOM, SHOOT
from agents.search.decision import roots_upto
from agents.search.leaves import Leaves
from arena.cards import cards_of
from arena.games.hearts import Hearts
from arena.games.kernel.layout import HANDS, LEFT, TURN, Words
from arena.games.kernel.spec import KernelGame, kernel_game
from arena.games.kernel.step import final_scores, legal, play
from arena.games.klaverjas import Klaverjas
from arena.games.schieber import Schieber
from arena.rules import Rules, View
from arena.seeds import Rng

GAMES: list[Rules] = [Klaverjas(), Schieber(), Hearts()]


def random_model(game: KernelGame, types: int) -> PolicyModel:
    """Policies that are far from uniform."""
    size = table_size(deck_of(game))
    weights = np.random.default_rng(7).normal(0.0, 0.6, (types, size)).astype(np.float32)
    names = tuple(f"type{t}" for t in range(types))
    return PolicyModel(game.rules.name, names, {mode_of(game.trump): weights})


def endings(rules: Rules, tricks: int, count: int = 3) -> Iterator[tuple[View, tuple[int, ...]]]:
    """What the leader sees when some tricks are left, and the true hands."""
    rounds = play_rounds(rules, [Random()], 11, range(count))
    for number in range(count):
        yield list(rounds.leads(number))[-(tricks - 1)]


def all_worlds(view: View) -> list[tuple[int, ...]]:
    """Every way to deal the unseen cards under which the round would look the same."""
    size = view.hand.bit_count()
    others = [seat for seat in range(4) if seat != view.seat]
    found = set()
    for order in permutations(cards_of(view.unseen)):
        hands = [0] * 4
        hands[view.seat] = view.hand
        for place, card in enumerate(order):
            hands[others[place // size]] |= 1 << card
        found.add(tuple(hands))
    return sorted(found)


def likelihoods(
    view: View, game: KernelGame, model: PolicyModel, hands: tuple[int, ...]
) -> np.ndarray:
    """`[seat, type]`: the chance of all that a seat played; 0 if it was illegal."""
    rules = view.rules
    chances = np.ones((4, len(model.types)))
    held = list(hands)
    for trick in view.tricks:
        for place, card in enumerate(trick.cards):
            held[rules.seat_after(trick.leader, place)] |= 1 << card
    first = game.state(
        view._replace(tricks=(), table=(), opened=False), held, view.tricks[0].leader
    )
    voids = np.zeros(4, np.uint64)
    for trick in view.tricks:
        for card in trick.cards:
            seat = int(first[TURN])
            allowed, single = np.uint64(legal(first, game.words)), game.mask(1 << card)
            if seat != view.seat:
                if not int(allowed) & int(single):
                    return np.zeros((4, len(model.types)))
                for t in range(len(model.types)):
                    weights = np.zeros(64)
                    total = weigh(
                        first, game.words, voids, deck_of(game), model.factors(game), t, allowed,
                        weights,
                    )  # fmt: skip
                    at = (int(allowed) & (int(single) - 1)).bit_count()
                    chances[seat, t] *= weights[at] / total
            watch(first, voids, single)
            play(first, game.words, single)
    return chances


@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: rules.name)
@pytest.mark.parametrize("priors", [(1.0,), (0.7, 0.3)])
def test_weights_are_those_of_bayes(rules: Rules, priors: tuple[float, ...]) -> None:
    for view, _ in endings(rules, 2):
        game = kernel_game(rules, view.trump)
        model = random_model(game, len(priors))
        sides = [rules.side_of(seat) for seat in range(4)]
        expected = {}
        for hands in all_worlds(view):
            found = likelihoods(view, game, model, hands)
            weight = 1.0
            for side in set(sides):
                seats = [seat for seat in range(4) if sides[seat] == side]
                weight *= float(np.dot(priors, found[seats].prod(axis=0)))
            if weight > 0.0:
                expected[hands] = weight
        total = sum(expected.values())
        past = past_of(game, view, game.view_state(view))
        inferred = infer(
            past, game, types_for(model, game, priors), 1000, 1000, np.zeros(1, np.uint64)
        )
        weights = inferred.weights()
        got = {}
        for row, weight in zip(inferred.pool.hands, weights, strict=True):
            hands = [game.card_mask(mask) for mask in row]
            hands[view.seat] = view.hand
            if weight > 0.0:
                got[tuple(hands)] = weight
        assert got.keys() == expected.keys()
        for hands, weight in expected.items():
            assert got[hands] == pytest.approx(weight / total, rel=1e-4)
        size = total**2 / sum(weight**2 for weight in expected.values())
        assert inferred.sample_size == pytest.approx(size, rel=1e-3)


def test_a_sample_converges_to_all_worlds() -> None:
    rules = Klaverjas()
    for view, _ in endings(rules, 3):
        game = kernel_game(rules, view.trump)
        model = random_model(game, 1)
        past = past_of(game, view, game.view_state(view))
        types = types_for(model, game, (1.0,))
        exact = infer(past, game, types, 10_000, 10_000, np.zeros(1, np.uint64))
        assert exact.count == past.worlds
        too_many = replace(past, worlds=10**9)  # so that they are drawn
        drawn = infer(too_many, game, types, 30_000, 30_000, np.ones(1, np.uint64))
        assert drawn.count == 30_000
        found = drawn.holders(game)
        for card, chances in exact.holders(game).items():
            assert found[card] == pytest.approx(chances, abs=0.03)


@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: rules.name)
def test_worlds_agree_with_what_was_played(rules: Rules) -> None:
    for view, hands in endings(rules, 3):
        game = kernel_game(rules, view.trump)
        past = past_of(game, view, game.view_state(view))
        types = types_for(random_model(game, 1), game, (1.0,))
        inferred = infer(past, game, types, 200, 200, np.zeros(1, np.uint64))
        for number in np.flatnonzero(inferred.weights() > 0.0)[:5]:
            guess = [game.card_mask(mask) for mask in inferred.pool.hands[number]]
            guess[view.seat] = view.hand
            assert sum(guess) == sum(hands)
        holders = inferred.holders(game)
        assert set(holders) == set(cards_of(view.unseen))
        assert all(sum(chances) == pytest.approx(1.0) for chances in holders.values())


@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: rules.name)
def test_the_best_response_knows_the_values_of_endings(rules: Rules) -> None:
    """With two tricks left the thinker decides once, so that values can be added up."""
    for view, _ in endings(rules, 2):
        game = kernel_game(rules, view.trump)
        model = random_model(game, 1)
        root = game.view_state(view)
        voids = voids_of(game, view, root)
        past = past_of(game, view, root)
        inferred = infer(
            past, game, types_for(model, game, (1.0,)), 1000, 1000, np.zeros(1, np.uint64)
        )
        side, hand = rules.side_of(view.seat), root[int(HANDS) + view.seat]
        plan = Plan.empty(20_000, 2)
        respond(
            plan, 1, 20_000, root, voids, game.words, inferred.pool, inferred.count,
            Others(deck_of(game), model.factors(game, 2.0), False), 2000.0,
            Leaves(1, RANDOM, DIFFERENCE, SHOOT, 0, 0.0), side, roots_upto(20_000),
            np.ones(1, np.uint64),
        )  # fmt: skip
        cards = [1 << bit for bit in range(64) if int(hand) >> bit & 1]
        allowed = int(legal(root, game.words))
        for at, card in enumerate(cards):
            if not card & allowed or allowed == card:
                continue
            value = 0.0
            for row, weight in zip(inferred.pool.hands, inferred.weights(), strict=True):
                state = root.copy()
                for seat in range(4):
                    if seat != view.seat:
                        state[int(HANDS) + seat] = row[seat]
                now = voids.copy()
                watch(state, now, np.uint64(card))
                play(state, game.words, np.uint64(card))
                value += weight * expected_value(state, now, game, model, side)
            visits = plan.visits[1, at]
            assert visits > 50
            assert plan.values[1, at] / visits == pytest.approx(value, abs=1.0 + 40 / visits**0.5)


def expected_value(
    state: Words, voids: Words, game: KernelGame, model: PolicyModel, side: int
) -> float:
    """The mean final margin for a side if everybody plays the policy, sharpened."""
    if state[LEFT] == 0:
        scores = np.zeros(4, np.int64)
        final_scores(state, game.words, scores)
        sides = len(game.rules.sides)
        sign = 1 if game.rules.higher_wins else -1
        rest = (scores[:sides].sum() - scores[side]) / (sides - 1)
        return float(sign * (scores[side] - rest))
    allowed = np.uint64(legal(state, game.words))
    weights = np.zeros(64)
    total = weigh(
        state, game.words, voids, deck_of(game), model.factors(game, 2.0), 0, allowed, weights
    )
    value = 0.0
    for at, bit in enumerate(bit for bit in range(64) if int(allowed) >> bit & 1):
        after, seen = state.copy(), voids.copy()
        watch(after, seen, np.uint64(1 << bit))
        play(after, game.words, np.uint64(1 << bit))
        value += weights[at] / total * expected_value(after, seen, game, model, side)
    return value


@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: rules.name)
def test_the_champion_plays_whole_rounds_and_is_reproducible(rules: Rules) -> None:
    player = Champion(simulations=20, worlds=30)
    once = play_rounds(rules, [player], 2, range(1))
    again = play_rounds(rules, [player], 2, range(1))
    assert (once.cards == again.cards).all()


def test_the_champion_takes_what_cannot_be_lost() -> None:
    rules = Klaverjas()
    for view, _ in endings(rules, 2):
        found = Champion(simulations=500, worlds=100).search(view, Rng(1))
        assert sum(card.visits for card in found.cards.values()) == 500
        assert set(found.cards) == set(view.legal)
