"""The tree: whose values it keeps, what it counts, and that it finds the best cards."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from helpers.endings import (
    after,
    best_play,
    endings,
    value_to,
    worlds_of,
    worth_of_cards,
)
from helpers.tree_positions import flipped, perspective_position, plain_decision

from agents.ismcts import Ismcts
from agents.mcts import Mcts
from agents.search.decision import best_card, most_promising, root_statistics
from agents.search.nodes import give_up, keep_subtree, new_nodes, size_of
from agents.search.observers import NO_HANDS
from agents.search.worlds import known_worlds
from arena.core.cards import card_name
from arena.core.seeds import Rng
from arena.games.hearts import Hearts
from arena.games.infoset import round_of
from arena.games.klaverjas import Klaverjas
from arena.games.schieber import Schieber
from arena.solver.solution import Solver

PARTNERSHIPS = [Klaverjas(), Schieber()]

# --- whose values ------------------------------------------------------------------------


def test_the_winner_of_a_trick_leads_so_signs_must_not_alternate():
    rules, state = perspective_position()
    right = worth_of_cards(rules, state)
    wrong = {card: flipped(rules, after(rules, state, card), 0, False) for card in state.legal}
    best, trap = max(right, key=right.__getitem__), max(wrong, key=wrong.__getitem__)
    assert card_name(best) == "SK"
    assert right[best] - right[trap] == 50  # who flips signs loses 50 points here

    view = rules.view(state, state.turn, all_hands=True)
    agent = Mcts(simulations=50_000, proves=False)
    assert agent.act(view, Rng(1)) == best
    values = {card: found.value for card, found in agent.explain(view, Rng(1)).items()}
    assert values[best] == pytest.approx(right[best], abs=5)


# --- the best cards ----------------------------------------------------------------------


@pytest.mark.parametrize("rules", PARTNERSHIPS, ids=str)
def test_with_all_cards_known_it_plays_one_of_the_best(rules):
    """200 endings of four tricks, against the solver (which `tests/solver` checks)."""
    solver = Solver(12)
    for number, state in enumerate(endings(rules, tricks=4, count=200)):
        worth = {card: found.low for card, found in solver.solve(rules, state).cards.items()}
        view = rules.view(state, state.turn, all_hands=True)
        chosen = Mcts(simulations=200_000).act(view, Rng(number))
        assert worth[chosen] == max(worth.values()), (number, card_name(chosen))


@pytest.mark.parametrize("rules", PARTNERSHIPS, ids=str)
def test_proofs_are_what_the_rule_book_says(rules):
    for number, state in enumerate(endings(rules, tricks=3, count=10)):
        view = rules.view(state, state.turn, all_hands=True)
        found = Mcts(simulations=100_000).explain(view, Rng(number))
        best = max(worth for worth in worth_of_cards(rules, state).values())
        assert max(statistics.value for statistics in found.values()) == best


@pytest.mark.parametrize("rules", PARTNERSHIPS, ids=str)
def test_without_proofs_more_simulations_lose_less(rules):
    lost = []
    for simulations in (30, 3000):
        agent = Mcts(simulations=simulations, proves=False)
        regrets = []
        for number, state in enumerate(endings(rules, tricks=3, count=40)):
            worth = worth_of_cards(rules, state)
            view = rules.view(state, state.turn, all_hands=True)
            regrets.append(max(worth.values()) - worth[agent.act(view, Rng(number))])
        lost.append(sum(regrets))
    assert lost[1] < 0.3 * lost[0]


# --- hidden cards ------------------------------------------------------------------------


@pytest.mark.parametrize("rules", [*PARTNERSHIPS, Hearts()], ids=str)
@pytest.mark.parametrize("ucb", ["global", "parent", "availability"])
def test_last_to_play_in_the_trick_before_last_it_plays_the_exact_expectation(rules, ucb):
    """Afterwards nobody has a choice, so the mean over all worlds is what a card is worth."""
    agent = Ismcts(simulations=20_000, ucb=ucb)
    clear_gap = 1.0 if len(rules.sides) == 2 else 0.05  # few points are left in Hearts
    decided = 0
    for number, state in enumerate(endings(rules, tricks=2, count=30, cards_played=3)):
        view = rules.view(state, state.turn)
        worlds = list(worlds_of(view))
        side = rules.side_of(view.seat)
        exact, deviation = {}, {}
        for card in view.legal:
            values = []
            for hands in worlds:
                end = after(rules, round_of(view, hands), card)
                while end.turn is not None:
                    rules.apply(end, end.legal[0])
                values.append(value_to(rules, end, side))
            exact[card], deviation[card] = float(np.mean(values)), float(np.std(values))
        found = agent.explain(view, Rng(number))
        for card, statistics in found.items():
            if statistics.visits > 100:
                error = 5 * deviation[card] / statistics.visits**0.5
                assert statistics.value == pytest.approx(exact[card], abs=error + 1e-6)
        best, second = sorted(exact.values(), reverse=True)[:2]
        if best - second > clear_gap:
            decided += 1
            assert exact[agent.act(view, Rng(number))] == best
    assert decided > 3


# --- counts ------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", [*PARTNERSHIPS, Hearts()], ids=str)
def test_counts_add_up(rules):
    state = next(endings(rules, tricks=rules.hand_size - 1, count=1))
    view = rules.view(state, state.turn)
    found = Ismcts(simulations=700).explain(view, Rng(3))
    assert sorted(found) == list(view.legal)
    assert sum(statistics.visits for statistics in found.values()) == 700
    for statistics in found.values():
        # The root's cards are always available, from the simulation that found them on.
        assert 700 - len(view.legal) < statistics.available <= 700
        assert statistics.visits <= statistics.available


def test_availability_is_counted_where_a_card_is_legal():
    """Below the root a card is available only in worlds in which its player holds it."""
    rules = Klaverjas()
    state = next(endings(rules, tricks=8, count=1))
    view = rules.view(state, state.turn)
    agent = Ismcts(simulations=30_000)
    nodes = agent.search(view, agent.question(view, Rng(1))).slots.view(np.recarray)
    most_tried = max(children(nodes, 0), key=lambda child: nodes[child].visits)
    visits = int(nodes[most_tried].visits)
    answers = children(nodes, most_tried)
    assert len(answers) > 8
    assert sum(int(nodes[child].visits) for child in answers) == visits - 1
    for child in answers:
        assert nodes[child].visits <= nodes[child].available <= visits
        # Each unseen card is with the next player in a third of the worlds, and then it is
        # legal only if it follows suit or they cannot.
        assert nodes[child].available < 0.45 * visits


def children(nodes, node):
    first = int(nodes[node].children)
    return list(range(first, first + int(nodes[node].tried).bit_count()))


def cards_of_children(nodes, node):
    tried = int(nodes[node].tried)
    return [1 << bit for bit in range(64) if tried >> bit & 1]


def test_what_is_kept_of_a_tree_is_the_part_that_came_true():
    rules = Klaverjas()
    state = next(endings(rules, tricks=6, count=1))
    view = rules.view(state, state.turn)
    agent = Ismcts(simulations=5000)
    tree = agent.search(view, agent.question(view, Rng(1)))
    nodes, cards, node = tree.slots.view(np.recarray), [], 0
    for _ in range(2):
        answers = zip(children(nodes, node), cards_of_children(nodes, node), strict=True)
        node, card = max(answers, key=lambda pair: nodes[pair[0]].visits)
        cards.append(card)
    kept = new_nodes(size_of(tree))
    assert keep_subtree(tree, np.array(cards, dtype=np.uint64), kept)
    assert 1 < size_of(kept) < size_of(tree)
    assert snapshot(kept.slots.view(np.recarray), 0) == snapshot(nodes, node)
    assert not keep_subtree(tree, np.array([1 << 63], dtype=np.uint64), kept)


def snapshot(nodes, node):
    """A node and all below it, in the order in which siblings were tried."""
    here = nodes[node]
    below = sorted(
        (int(nodes[child].number), card, child)
        for child, card in zip(children(nodes, node), cards_of_children(nodes, node), strict=True)
    )
    return (
        *(int(here.visits), float(here.value), int(here.available)),
        tuple((card, snapshot(nodes, child)) for _, card, child in below),
    )


@pytest.mark.parametrize("rules", [Klaverjas(), Schieber(), Hearts()], ids=lambda r: r.name)
def test_every_node_has_a_slot_of_its_own(rules):
    """Siblings move when they get too many; none is lost, and no two share a slot."""
    state = next(endings(rules, tricks=rules.hand_size - 1, count=1))
    view = rules.view(state, state.turn)
    agent = Ismcts(simulations=6000)
    tree = agent.search(view, agent.question(view, Rng(1)))
    nodes, seen, most = tree.slots.view(np.recarray), [0], 0
    for node in seen:
        below = children(nodes, node)
        most = max(most, len(below))
        visits = sum(int(nodes[child].visits) for child in below)
        assert visits in (int(nodes[node].visits) - (node != 0), int(nodes[node].visits))
        seen += below
    assert most > 16  # so that blocks of four sizes were outgrown
    assert len(seen) == len(set(seen)) == size_of(tree) == 6001
    assert sorted(int(nodes[node].number) for node in seen) == list(range(6001))


def test_memory_that_was_given_up_serves_the_next_tree_that_fits():
    give_up(new_nodes(100))
    first = new_nodes(60)
    second = new_nodes(60)  # while the first is needed, it has memory of its own
    assert not np.shares_memory(first.slots, second.slots)
    give_up(first)
    large, small = new_nodes(100_000), new_nodes(60)
    assert not np.shares_memory(large.slots, first.slots)
    give_up(large)
    again = new_nodes(60)
    assert np.shares_memory(again.slots, large.slots)
    assert not np.shares_memory(again.slots, small.slots)


def test_what_a_tree_was_in_memory_before_does_not_matter():
    rules = Klaverjas()
    state = next(endings(rules, tricks=7, count=1))
    view = rules.view(state, state.turn)
    agent = Ismcts(simulations=400)
    found = agent.explain(view, Rng(1))
    for simulations in (3, 5000):
        Ismcts(simulations=simulations).explain(view, Rng(2))
        assert agent.explain(view, Rng(1)) == found
    # A tree in memory for a larger one has no more nodes than it would have.
    tree = agent.search(view, agent.question(view, Rng(1)))
    assert size_of(tree) == 401


@pytest.mark.parametrize("final", ["visits", "value"])
@pytest.mark.parametrize("rules", [Klaverjas(), Schieber(), Hearts()], ids=lambda r: r.name)
def test_the_card_that_is_played_is_the_best_of_those_that_are_listed(rules, final):
    """Also among equals: after a simulation for each card, all have as many visits."""
    for number, state in enumerate(endings(rules, tricks=4, count=12)):
        view = rules.view(state, state.turn, all_hands=True)
        few = len(view.legal)
        for simulations in (few, 2 * few, 40):
            for agent in (
                Ismcts(simulations=simulations, final=final),
                Ismcts(simulations=simulations, final=final, value="win"),
            ):
                question = agent.question(view, Rng(number))
                game, nodes = question.game, agent.search(view, question)
                found = root_statistics(game, nodes)
                assert list(found) == sorted(found)
                assert most_promising(game, nodes, final) == best_card(found, final)
                if few > 1:
                    assert agent.act(view, Rng(number)) == best_card(found, final)


# --- the same everywhere -----------------------------------------------------------------

_SCRIPT = """
from helpers.tree_positions import plain_decision
print(plain_decision())
"""


def test_compiled_code_does_what_its_python_source_says():
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": "tests"}
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == plain_decision()


def test_memory_stays_small():
    import tracemalloc

    rules = Klaverjas()
    state = next(endings(rules, tricks=8, count=1))
    view = rules.view(state, state.turn)
    agent = Ismcts(simulations=100_000)
    agent.act(view, Rng(1))
    tracemalloc.start()
    try:
        agent.act(view, Rng(1))
        most = tracemalloc.get_traced_memory()[1]
        after_one = tracemalloc.get_traced_memory()[0]
        for seed in range(3):
            agent.act(view, Rng(seed))
        assert tracemalloc.get_traced_memory()[0] < after_one + 100_000
    finally:
        tracemalloc.stop()
    assert most < 64e6


def test_a_tree_without_room_goes_on_searching():
    rules, state = perspective_position()
    view = rules.view(state, state.turn, all_hands=True)
    from agents.search.decision import scales_upto
    from agents.search.tree import grow

    question = Mcts(proves=False).question(view, Rng(1))
    nodes = new_nodes(5)
    grow(
        nodes, NO_HANDS, 500, question.root, question.game.words, known_worlds(),
        question.selection, question.leaves, question.judge, scales_upto(500), question.seed,
    )  # fmt: skip
    assert size_of(nodes) == 6
    assert nodes.slots["visits"][0] == 500
    assert best_play(rules, state, 0) <= 0  # the position is what it was
