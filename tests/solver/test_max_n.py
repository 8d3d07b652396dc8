"""Hearts: max-n for endings against the rule book, and what is said before them."""

from __future__ import annotations

from typing import Any

import pytest
from helpers.endings import after, endings

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


def test_ties_are_named() -> None:
    remarks = [
        Solver(10).solve(Hearts(), state).remarks for state in endings(Hearts(), tricks=3, count=20)
    ]
    assert any("among equals" in " ".join(each) for each in remarks)


def test_earlier_positions_say_that_they_are_not_exact() -> None:
    rules = Hearts(passing="none") if hasattr(Hearts(), "passing") else Hearts()
    (state,) = endings(rules, tricks=7, count=1)
    solution = Solver(12).solve(rules, state)
    assert "not exact" in repr(solution)
    assert solution.cards == Solver(14).solve(rules, state).cards
