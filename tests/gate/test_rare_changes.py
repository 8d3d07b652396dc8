"""The gate on changes that show on few deals, have long tails, or no spread at all."""

from __future__ import annotations

import numpy as np
import pytest

from arena.core.errors import ArenaError
from arena.gate.config import TestFile
from arena.gate.tests import check_enough, measure
from arena.measure.calibrate.gate import Change, changes, simulated_gate

NO_REGRESSION = TestFile(worse_by=3.24)


@pytest.mark.parametrize("change", [*changes()], ids=lambda change: change.name)
def test_a_change_is_judged_wrongly_no_more_often_than_promised(change: Change) -> None:
    rate, deals = simulated_gate(change, seed=1, runs=250)
    assert rate.low <= 0.05, rate
    assert deals < 3_000


def test_the_answer_says_which_losses_it_excludes() -> None:
    rng = np.random.default_rng(4)
    found = measure(rng.normal(0, 5, 2_000), NO_REGRESSION, complete=True, loss=400.0)
    assert found.answer == "pass" and found.trace.n >= 740
    assert "if no deal can cost more than 400)" in found.words
    sure = NO_REGRESSION.model_copy(update={"largest_loss": 400.0})
    later = measure(rng.normal(0, 5, 2_000), sure, complete=True, loss=400.0)
    assert later.answer == "pass" and later.trace.n >= found.trace.n
    sooner = measure(rng.normal(0, 5, 2_000), NO_REGRESSION, complete=True, loss=162.0)
    assert sooner.trace.n < found.trace.n


def test_equal_deals_pass_only_when_rare_losses_would_have_shown() -> None:
    for count, answer in ((64, "continue"), (299, "continue"), (300, "pass"), (500, "pass")):
        found = measure(np.zeros(count), NO_REGRESSION, complete=False, loss=162.0)
        assert found.answer == answer
    assert (found.trace.n, found.trace.low) == (300, None)
    early = measure(np.zeros(64), NO_REGRESSION, complete=False, loss=162.0)
    assert early.trace.left == 236 and "300 would exclude rare losses" in early.words
    gain = TestFile(kind="gain", better_by=3.24)
    assert measure(np.zeros(300), gain, complete=False, loss=162.0).answer == "regression"


def test_a_constant_shift_is_judged_by_its_size() -> None:
    for shift, answer in ((-4.0, "regression"), (-1.0, "pass"), (2.0, "pass")):
        found = measure(np.full(800, shift), NO_REGRESSION, complete=False, loss=162.0)
        assert found.answer == answer, shift


def test_a_gate_with_too_few_deals_to_exclude_rare_losses_is_refused() -> None:

    assert check_enough(np.zeros(64), NO_REGRESSION, 400, "gate.yaml", 162.0) == 300
    with pytest.raises(ArenaError, match=r"200 deals are too few.* within 300 deals"):
        check_enough(np.zeros(64), NO_REGRESSION, 200, "gate.yaml", 162.0)
