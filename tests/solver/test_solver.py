"""The solver against plain minimax by the rule book, and against itself under other conditions."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
import pytest
from helpers.endings import endings, worth_of_cards

from arena.core.errors import ArenaError
from arena.core.seeds import Rng
from arena.games.kernel.spec import kernel_game
from arena.games.klaverjas import Klaverjas
from arena.games.schieber import Schieber
from arena.solver.general import RulesSolver
from arena.solver.memory import NO_LIMIT
from arena.solver.solution import Bounds, Solver

GAMES = [
    Klaverjas(),
    Klaverjas(variant="amsterdam", tie_is_nat=False),
    Klaverjas(variant="amsterdam-official", four_jacks=100),
    Klaverjas(variant="amsterdam-2022"),
    Schieber(),
    Schieber(undertrump="jasskit", multipliers="swisslos"),
    Schieber(undertrump="pyschieber"),
    Schieber(match_bonus=100, weis=True, stoeck=True),
    Klaverjas(variant="rotterdam-2017"),  # has no score form: by the rules
]


def exact(solver: Solver, rules: Any, state: Any) -> dict[int, int]:
    solution = solver.solve(rules, state)
    assert all(bounds.solved for bounds in solution.cards.values())
    return {card: bounds.low for card, bounds in solution.cards.items()}


@pytest.mark.parametrize("rules", GAMES, ids=str)
@pytest.mark.parametrize(
    ("tricks", "cards_played", "count"), [(2, 0, 60), (3, 0, 25), (3, 2, 25), (4, 3, 10)]
)
def test_it_finds_what_the_rule_book_says(
    rules: Any, tricks: int, cards_played: int, count: int
) -> None:
    solver = Solver(12)
    for state in endings(rules, tricks=tricks, count=count, cards_played=cards_played):
        assert exact(solver, rules, state) == worth_of_cards(rules, state)


@pytest.mark.long
@pytest.mark.parametrize("rules", GAMES, ids=str)
@pytest.mark.parametrize(("tricks", "count"), [(3, 300), (4, 40)])
def test_it_finds_what_the_rule_book_says_of_many_endings(
    rules: Any, tricks: int, count: int
) -> None:
    solver = Solver(12)
    for state in endings(rules, tricks=tricks, count=count):
        assert exact(solver, rules, state) == worth_of_cards(rules, state)


@pytest.mark.parametrize("rules", GAMES[:-1], ids=str)
@pytest.mark.parametrize(
    ("tricks", "count"),
    [
        (5, 4),
        pytest.param(5, 60, marks=pytest.mark.long),
        pytest.param(6, 15, marks=pytest.mark.long),
    ],
)
def test_longer_endings_are_what_a_search_of_final_scores_finds(
    rules: Any, tricks: int, count: int
) -> None:
    """That search knows nothing of points to come, contracts or equal cards."""
    solver, by_rules = Solver(14), RulesSolver(18)
    for state in endings(rules, tricks=tricks, count=count):
        assert solver.solve(rules, state).cards == by_rules.solve(rules, state, NO_LIMIT).cards


@pytest.mark.parametrize("rules", GAMES, ids=str)
def test_the_size_of_the_table_changes_nothing(rules: Any) -> None:
    """A key that meant two positions would show here: the tables keep other entries."""
    large = Solver(16)
    for state in endings(rules, tricks=6, count=6):
        assert exact(Solver(10), rules, state) == exact(large, rules, state)
    for state in endings(rules, tricks=4, count=6):
        assert exact(Solver(2), rules, state) == exact(large, rules, state)


def test_the_value_of_a_deal_is_that_of_its_best_card() -> None:
    rules, solver = Klaverjas(), Solver()
    for number in range(3):
        state = rules.start(rules.random_deal(Rng(number), number))
        solution = solver.solve(rules, state)
        assert Solver().value(rules, state) == solution.value == solution.cards[solution.best[0]]


def test_a_round_played_by_the_best_cards_ends_with_its_value() -> None:
    rules, solver = Klaverjas(), Solver()
    state = rules.start(rules.random_deal(Rng(7), 7))
    side = rules.side_of(state.turn)
    value = solver.value(rules, state).low
    while state.turn is not None:
        rules.apply(state, solver.solve(rules, state).best[0])
    scores = rules.outcome(state).scores
    assert scores[side] - scores[1 - side] == value


def test_other_declarers_and_trumps_of_one_deal_do_not_share_entries() -> None:
    """The balance is that of the declarer's side: another declarer, another meaning of an entry."""
    rules, shared = Klaverjas(), Solver(14)
    for state in endings(rules, tricks=5, count=4):
        for declarer in range(4):
            state.declarer = declarer
            assert shared.value(rules, state) == Solver(14).value(rules, state)


def test_bounds_hold_when_the_nodes_run_out() -> None:
    rules = Klaverjas()
    for state in endings(rules, tricks=5, count=8):
        known = Solver(14).solve(rules, state)
        for nodes in (1, 30, 300, 3000):
            for card, bounds in Solver(14).solve(rules, state, nodes=nodes).cards.items():
                assert bounds.low <= known.cards[card].low <= bounds.high


def test_a_time_budget_gives_bounds_and_enough_time_the_value() -> None:
    rules = Klaverjas()
    deal = rules.random_deal(Rng(5), 0)
    hurried = Solver().solve(rules, rules.start(deal), seconds=0.0)
    exact = Solver().solve(rules, rules.start(deal), seconds=600.0)
    assert all(each.solved for each in exact.cards.values())
    for card, bounds in hurried.cards.items():
        assert bounds.low <= exact.cards[card].low <= bounds.high
    assert hurried.nodes <= exact.nodes


def test_what_cannot_be_solved_is_an_error() -> None:
    rules = Schieber()
    with pytest.raises(ArenaError, match="a card is to be played"):
        Solver(4).solve(rules, rules.start(rules.random_deal(Rng(1), 0)))


def test_bounds_print_as_a_number_if_they_are_one() -> None:
    assert str(Bounds(3, 3)) == "+3"
    assert str(Bounds(-162, 40)) == "-162 to +40"


@pytest.mark.parametrize(
    "rules", [Klaverjas(), pytest.param(Schieber(bidding="given"), marks=pytest.mark.long)], ids=str
)
def test_a_trace_adds_up_to_the_margin(rules: Any) -> None:
    """Margin = value of the deal, less what one side lost, plus what the other lost."""
    solver = Solver()
    for state in endings(rules, tricks=4, count=2):
        deal, rng = state.deal, Rng(5)
        actions = [card for trick in state.tricks for card in trick.cards]
        while state.turn is not None:
            actions.append(rng.choice(state.legal))
            rules.apply(state, actions[-1])
        traced = solver.trace(rules, deal, actions)
        assert [each.card for each in traced] == actions
        side = rules.side_of(traced[0].seat)
        margin = traced[0].before.low
        again = rules.start(deal)
        for each in traced:
            assert each.before == solver.value(rules, again)
            rules.apply(again, each.card)
            lost = each.lost.low
            assert each.lost.solved and lost >= 0
            margin += -lost if rules.side_of(each.seat) == side else lost
        scores = rules.outcome(state).scores
        assert margin == scores[side] - scores[1 - side]


def test_worlds_are_valued_like_rounds() -> None:
    rules, solver = Klaverjas(), Solver(12)
    for state in endings(rules, tricks=4, count=4, cards_played=1):
        game = kernel_game(rules, state.trump)
        other = [*state.hands]
        a, b = (rules.seat_after(state.turn, 1), rules.seat_after(state.turn, 2))
        other[a], other[b] = other[b], other[a]
        if other[a].bit_count() != other[b].bit_count():
            continue
        worlds = np.array([game.masks(state.hands), game.masks(other)])
        found = solver.worlds(rules.view(state, state.turn), worlds)
        swapped = copy(state)
        swapped.hands = other
        for row, each in zip(found, (state, swapped), strict=True):
            assert dict(zip(state.legal, row, strict=True)) == worth_of_cards(rules, each)
