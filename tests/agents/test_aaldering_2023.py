"""What the program of Aaldering 2023 does otherwise, switch by switch."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
import pytest
from helpers.endings import after, worth_of_cards
from helpers.tree_positions import flipped, perspective_position

from agents.ismcts import Ismcts
from agents.papers.aaldering_2023 import Aaldering2023
from agents.papers.backtracking import backtracking_plan, sample_backtracking
from agents.search.decision import root_statistics
from agents.search.worlds import known_worlds
from arena.core.errors import ArenaError
from arena.core.seeds import Rng
from arena.games.hearts import Hearts
from arena.games.kernel.uniform_worlds import plan_uniform, sample_uniform, uniform_plan
from arena.games.klaverjas import Klaverjas
from arena.games.needs import why_not


def opening():
    rules = Klaverjas()
    state = rules.start(rules.random_deal(Rng(5), 5))
    return rules.view(state, state.turn)


def test_without_deviations_it_is_the_search_of_the_paper():
    view = opening()
    same = Ismcts(simulations=60, ucb="global", c=200.0)
    assert Aaldering2023(simulations=60).explain(view, Rng(1)) == same.explain(view, Rng(1))


@dataclass(frozen=True, kw_only=True)
class Knows(Aaldering2023):
    """Searches the true cards, so that values can be compared with exact ones."""

    def worlds_of(self, question):
        return known_worlds()


def test_sign_by_depth_costs_fifty_points():
    rules, state = perspective_position()
    right = worth_of_cards(rules, state)
    wrong = {card: flipped(rules, after(rules, state, card), 0, False) for card in state.legal}
    view = rules.view(state, state.turn, all_hands=True)
    for deviations, worth in (((), right), (("sign-by-depth",), wrong)):
        agent = Knows(simulations=50_000, as_published=deviations)
        best = agent.act(view, Rng(1))
        assert worth[best] == max(worth.values())
        assert agent.explain(view, Rng(1))[best].value == pytest.approx(worth[best], abs=8)
    assert max(right.values()) - right[best] == 50
    assert "between 4 sides, not two" in str(why_not(agent, Hearts()))


def test_ties_at_random_plays_any_of_the_cards_with_most_visits():
    view, plain = opening(), Aaldering2023(simulations=len(opening().legal))
    ties = Aaldering2023(simulations=plain.simulations, as_published=("ties-at-random",))
    question = plain.question(view, Rng(1))
    game, nodes = question.game, plain.search(view, question)
    found = root_statistics(game, nodes)
    assert {card.visits for card in found.values()} == {1}, "one simulation for every card"
    assert {plain.best(game, nodes, Rng(seed)) for seed in range(60)} == {
        max(found, key=lambda card: found[card].value)
    }
    assert {ties.best(game, nodes, Rng(seed)) for seed in range(60)} == set(view.legal)
    with pytest.raises(ArenaError, match="goes with final: visits"):
        Aaldering2023(final="value", as_published=("ties-at-random",))


def test_backtracked_worlds_are_possible_but_not_equally_likely():
    unseen = np.uint64(0b111111)
    may = np.array([0, 0b101100, 0b110111, 0b001011], dtype=np.uint64)
    sizes = np.array([0, 1, 3, 2], dtype=np.int64)
    exact, plan = uniform_plan(), backtracking_plan(unseen, may, sizes)
    worlds = int(plan_uniform(exact, unseen, may, sizes))
    drawn = {"exactly": Counter(), "backtracking": Counter()}
    rng, hands = np.array([7], dtype=np.uint64), np.zeros(4, dtype=np.uint64)
    for _ in range(4000):
        sample_uniform(exact, rng, hands)
        drawn["exactly"][tuple(hands.tolist())] += 1
        sample_backtracking(plan, np.zeros(1), rng, hands)
        drawn["backtracking"][tuple(hands.tolist())] += 1
        held = [int(hand) for hand in hands]
        assert sum(held) == 0b111111 and all(
            h & ~int(m) == 0 for h, m in zip(held, may, strict=True)
        )
        assert [hand.bit_count() for hand in held] == sizes.tolist()
    assert len(drawn["exactly"]) == len(drawn["backtracking"]) == worlds
    expected = 4000 / worlds
    off = {
        how: max(abs(count - expected) for count in counts.values())
        for how, counts in drawn.items()
    }
    assert off["exactly"] < 4 * expected**0.5 < off["backtracking"]


def test_backtracked_worlds_are_played():
    view = opening()
    agent = Aaldering2023(simulations=80, as_published=("backtracked-worlds",))
    assert agent.act(view, Rng(1)) in view.legal
    assert agent.explain(view, Rng(1)) != Aaldering2023(simulations=80).explain(view, Rng(1))


def test_unknown_deviations_are_refused():
    with pytest.raises(ArenaError, match="did you mean 'sign-by-depth'"):
        Aaldering2023(as_published=("sign-by-dept",))
