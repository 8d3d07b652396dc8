"""Arrays in few bytes: the very same values, in the smallest type that has them."""

from __future__ import annotations

import tracemalloc
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from arena.stats import PairResults, joint_comparison
from arena.stats.compact import compact, kept, kept_compact


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([0.5, -162.0, np.nan, -0.0], "float16"),
        ([2049.0, 0.5], "float32"),
        ([1e6, np.inf], "float32"),
        ([1 / 3], "float64"),
        ([1e300], "float64"),
        ([], "float16"),
        ([0, 255], "uint8"),
        ([256], "uint16"),
        ([-1], "int32"),
        ([1 << 40], "int64"),
    ],
)
def test_the_same_values_in_the_smallest_type(values: list[float], kind: str) -> None:
    found = compact(np.array(values))
    assert found.dtype == kind
    np.testing.assert_array_equal(found, values)
    np.testing.assert_array_equal(np.signbit(found), np.signbit(values))


@kept_compact("values")
@dataclass(frozen=True, eq=False)
class Kept:
    values: NDArray[np.float64]


def test_a_field_is_read_as_before() -> None:
    instance = Kept(np.array([1.5, -2.0]))
    assert instance.values.dtype == np.float64 and kept(instance, "values").dtype == np.float16
    assert replace(instance).values.tolist() == [1.5, -2.0]


def test_a_comparison_of_many_deals_needs_few_bytes() -> None:
    agents, deals = 8, 5_000
    rng = np.random.default_rng(1)
    pairs = np.array(list(combinations(range(agents), 2))).repeat(deals, axis=0)
    games = rng.integers(-160, 160, (len(pairs), 2)).astype(np.float64)
    deal = np.tile(np.arange(deals), len(pairs) // deals)
    names = [str(agent) for agent in range(agents)]
    results = PairResults.from_seatings(names, pairs[:, 0], pairs[:, 1], deal, games)
    joint_comparison(results.only(results.deal < 50))  # what is loaded late
    tracemalloc.start()
    joint_comparison(results)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 64 * len(pairs)  # bytes per pair and deal; two tables and their residuals are 24
