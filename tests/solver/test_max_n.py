"""Hearts: max-n for endings against the rule book, and what is said before them."""

from __future__ import annotations

import re
from typing import Any

import pytest
from helpers.endings import after, endings

from arena.core.cards import card_name
from arena.games.hearts import Hearts
from arena.games.kernel.spec import kernel_game
from arena.solver.solution import Solver


def max_n_by_rules(rules: Any, state: Any) -> tuple[int, ...]:
    """Everybody plays for their own score; among equals, the first card in kernel order."""
    if state.turn is None:
        return tuple(-score for score in rules.outcome(state).scores)
    bits = kernel_game(rules, None).bits
    found = None
    for card in sorted(state.legal, key=bits.__getitem__):
        scores = max_n_by_rules(rules, after(rules, state, card))
        if found is None or scores[state.turn] > found[state.turn]:
            found = scores
    assert found is not None
    return found


@pytest.mark.parametrize("table_bits", [2, 12])
@pytest.mark.parametrize(("tricks", "count"), [(2, 30), (3, 15)])
def test_endings_are_what_the_rule_book_says(table_bits: int, tricks: int, count: int) -> None:
    rules, solver = Hearts(), Solver(table_bits)
    for state in endings(rules, tricks=tricks, count=count):
        for card, bounds in solver.solve(rules, state).cards.items():
            assert bounds.low == max_n_by_rules(rules, after(rules, state, card))[state.turn]
            assert bounds.solved


def scores_by_ties(rules: Any, state: Any) -> set[tuple[int, ...]]:
    """All scores that choices among equals can lead to."""
    if state.turn is None:
        return {tuple(-score for score in rules.outcome(state).scores)}
    seat = state.turn
    children = [scores_by_ties(rules, after(rules, state, card)) for card in state.legal]
    # Others' choices are fixed but unknown, so a card may be chosen if its best is good enough.
    sure = max(min(scores[seat] for scores in child) for child in children)
    return {scores for child in children for scores in child if scores[seat] >= sure}


def test_every_card_that_ties_may_change_is_named_with_bounds() -> None:
    rules, changed = Hearts(), 0
    for state in endings(rules, tricks=3, count=12):
        said = " ".join(Solver(10).solve(rules, state).remarks)
        for card in state.legal:
            scores = {x[state.turn] for x in scores_by_ties(rules, after(rules, state, card))}
            if len(scores) > 1:
                changed += 1
                assert f"{card_name(card)} (" in said
                low, high = re.search(rf"{card_name(card)} \((\S+) to (\S+)\)", said).groups()
                assert int(low) <= min(scores) and max(scores) <= int(high)
    assert changed > 5


def test_earlier_positions_are_means_with_intervals() -> None:
    rules = Hearts(passing="none")
    (state,) = endings(rules, tricks=7, count=1)
    solution = Solver(12).solve(rules, state)
    assert "not exact" in repr(solution)
    assert solution.means == Solver(14).solve(rules, state).means
    for card, (mean, low, high) in solution.means.items():
        assert low <= mean <= high
        assert solution.cards[card].low <= low <= high <= solution.cards[card].high
        assert f"({low:+.1f} to {high:+.1f})" in repr(solution)
    assert solution.means[solution.best[0]].mean == max(x.mean for x in solution.means.values())


def test_worlds_are_valued_as_positions_are() -> None:
    rules, solver = Hearts(), Solver(12)
    for tricks in (3, 7):
        (state,) = endings(rules, tricks=tricks, count=1)
        view = rules.view(state, state.turn)
        hands = kernel_game(rules, None).masks(state.hands)
        (values,) = solver.worlds(view, hands.reshape(1, 4))
        solution = solver.solve(rules, state)
        for card, value in zip(view.legal, values, strict=True):
            if tricks == 3:
                assert value == solution.cards[card].low
            else:
                assert value == pytest.approx(solution.means[card].mean, abs=8)
