"""One simultaneous inference: known answers, the cases it must name, and its error rates."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from arena.measure.calibrate.statistics import FieldModel, page_errors
from arena.stats import (
    Contrast,
    PairResults,
    joint_comparison,
    mean_difference,
    paired_t,
    score_rating,
)
from arena.stats.simultaneous import family

Floats = NDArray[np.float64]


def field(margins: dict[tuple[str, str], Floats]) -> PairResults:
    """Results from the margins of each pair; deals are numbered from 0."""
    names = list(dict.fromkeys(name for pair in margins for name in pair))
    rows = [
        (names.index(a), names.index(b), deal, value)
        for (a, b), values in margins.items()
        for deal, value in enumerate(values)
    ]
    a, b, deal, margin = zip(*rows, strict=True)
    return PairResults.from_margins(names, a, b, deal, margin)


def noise(deals: int, mean: float, seed: int, sd: float = 10.0) -> Floats:
    return np.random.default_rng(seed).normal(mean, sd, deals)


@pytest.mark.parametrize("df", [8.0, 30.0, 500.0])
@pytest.mark.parametrize("q", [3.5, 4.2, 6.0, 9.0])
def test_equal_correlations_are_tukeys_test(df: float, q: float) -> None:
    """The studentized range of six means, as R's ptukey and SciPy have it."""
    i, j = np.triu_indices(6, 1)
    differences = np.eye(6)[i] - np.eye(6)[j]
    p = 2 * stats.t.sf(q / np.sqrt(2), df)
    found = family(differences @ differences.T, np.full(15, df)).adjusted(np.array([p]))[0]
    assert found == pytest.approx(stats.studentized_range.sf(q, 6, df), rel=0.02)


def test_independent_contrasts_are_sidaks() -> None:
    found = family(np.eye(7), np.full(7, 1e6))
    p = np.array([1e-8, 1e-3, 0.01, 0.1])
    assert found.adjusted(p) == pytest.approx(1 - (1 - p) ** 7, rel=0.02)
    assert found.level(0.05) == pytest.approx(1 - 0.95 ** (1 / 7), rel=0.02)


def test_different_degrees_of_freedom_lie_between_their_extremes() -> None:
    i, j = np.triu_indices(4, 1)
    covariance = (np.eye(4)[i] - np.eye(4)[j]) @ (np.eye(4)[i] - np.eye(4)[j]).T
    p = np.array([1e-4, 0.004, 0.02])
    mixed = family(covariance, np.array([5.0, 9.0, 30.0, 60.0, 90.0, 200.0])).adjusted(p)
    assert np.all(p < mixed) and np.all(mixed < 6 * p)
    few, many = (family(covariance, np.full(6, df)).adjusted(p) for df in (5.0, 200.0))
    assert np.all(mixed > few * 0.98) and np.all(mixed < many * 1.05)


def test_two_agents_are_the_paired_t_test() -> None:
    margins = noise(40, 3.0, 1)
    (found,) = joint_comparison(field({("a", "b"): margins})).contrasts
    plain = mean_difference(margins)
    assert (found.a, found.b, found.deals) == ("a", "b", 40)
    assert found.p_adjusted == pytest.approx(paired_t(margins).p)
    assert (found.low, found.high) == pytest.approx((plain.low, plain.high))
    assert (found.plain_low, found.plain_high) == pytest.approx((plain.low, plain.high))


def test_contrasts_are_those_of_the_rating() -> None:
    results = FieldModel((0.0, 4.0, 9.0)).draw(np.random.default_rng(3), 50)
    found, rating = joint_comparison(results), score_rating(results)
    for c in found.joint:
        assert c.difference == pytest.approx(rating[c.a].value - rating[c.b].value)
        i, j = results.agents.index(c.a), results.agents.index(c.b)
        v = rating.covariance
        assert c.se == pytest.approx(np.sqrt(v[i, i] + v[j, j] - 2 * v[i, j]))
        assert c.df == pytest.approx(49)


def test_settings_of_a_sweep_are_compared_through_their_opponent() -> None:
    weak, strong = noise(60, 0.0, 1), noise(60, 40.0, 2)
    found = joint_comparison(field({("weak", "rule"): weak, ("strong", "rule"): strong}))
    c = found.contrast("strong", "weak")
    assert c.deals == 0
    assert c.difference == pytest.approx(strong.mean() - weak.mean())
    assert c.p == pytest.approx(paired_t(strong - weak).p)
    assert c.different and not set(found.letters["strong"]) & set(found.letters["weak"])
    assert found.top == ("strong",)
    assert found.fit.cycles == 0 and "cannot be tested" in found.fit.words


def test_interval_and_p_say_the_same() -> None:
    model = FieldModel((0.0, 2.0, 4.0, 6.0, 9.0))
    rng = np.random.default_rng(5)
    for _ in range(20):
        found = joint_comparison(model.draw(rng, 60))
        for c in (*found.joint, *found.direct):
            assert c.low is not None and c.high is not None and c.p_adjusted is not None
            assert c.different == (c.low > 0 or c.high < 0)
            assert c.superiority == pytest.approx(1 - c.p_adjusted)
            shared = set(found.letters[c.a]) & set(found.letters[c.b])
            if c in found.contrasts:
                assert bool(shared) == (not c.different)
        for agent in found.agents:
            ranks = found.ranks[agent]
            assert ranks.best == 1 + len(found.better(agent))
            assert ranks.worst == 5 - len(found.worse(agent))


def test_a_contrast_turns_round() -> None:
    c = Contrast("a", "b", 3.0, 1.0, 5.0, 0.01, True, 2.0, 4.0, 0.001, 1.0, 9.0, 10)
    back = c.reversed()
    assert (back.a, back.difference, back.low, back.high) == ("b", -3.0, -5.0, -1.0)
    assert (back.plain_low, back.plain_high) == (-4.0, -2.0)
    assert (c.direction, back.direction, back.reversed()) == (1, -1, c)


def test_stone_scissors_paper_falls_back_to_direct_meetings() -> None:
    found = joint_comparison(
        field(
            {
                ("stone", "scissors"): noise(80, 20.0, 1),
                ("scissors", "paper"): noise(80, 20.0, 2),
                ("paper", "stone"): noise(80, 20.0, 3),
            }
        )
    )
    assert found.basis == "direct"
    assert found.fit.p is not None and found.fit.p < 1e-6
    assert len(found.fit.contradictions) == 3
    assert "do not add up" in found.fit.words and "direct meetings" in found.fit.words
    assert found.contrast("stone", "scissors").direction == 1
    assert found.worse("paper") == ("stone",) and found.better("paper") == ("scissors",)
    assert found.top == ()


def test_margins_that_bend_but_keep_the_order_stay_joint() -> None:
    """a beats c by less than by way of b: the usual case of a strong field."""
    found = joint_comparison(
        field(
            {
                ("a", "b"): noise(200, 20.0, 1),
                ("b", "c"): noise(200, 20.0, 2),
                ("a", "c"): noise(200, 30.0, 3),
            }
        )
    )
    assert found.fit.p is not None and found.fit.p < 0.001
    assert (found.basis, found.fit.contradictions) == ("joint", ())
    assert "do not quite add up" in found.fit.words
    assert found.order == ("a", "b", "c") and found.letters == {"a": "a", "b": "b", "c": "c"}


def test_parts_that_never_met_get_a_sentence() -> None:
    found = joint_comparison(
        field({("a", "b"): noise(30, 20.0, 1), ("c", "d"): noise(30, -20.0, 2)})
    )
    assert "2 parts that never met: {a, b}; {c, d}" in found.note
    assert {(c.a, c.b) for c in found.joint} == {("a", "b"), ("d", "c")}
    assert (found.ranks["a"].best, found.ranks["a"].worst) == (1, 3)
    assert set(found.letters["a"]) & set(found.letters["d"])


def test_what_has_no_answer_gets_a_sentence() -> None:
    one = joint_comparison(field({("a", "b"): np.array([4.0])}))
    assert "One deal only" in one.note
    assert one.contrasts[0].p_adjusted is None and not one.contrasts[0].different
    margins = noise(30, 5.0, 1)
    twins = joint_comparison(
        field({("x", "rule"): margins, ("y", "rule"): margins, ("x", "y"): np.zeros(30)})
    )
    c = twins.contrast("x", "y")
    assert (c.difference, c.p_adjusted, c.different) == (pytest.approx(0.0), None, False)
    assert "do not vary" in c.note
    few = joint_comparison(FieldModel((0.0,) * 5).draw(np.random.default_rng(1), 6))
    assert few.fit.p is None and "too few" in few.fit.words


def test_forfeits_and_deals_that_some_pairs_miss() -> None:
    results = FieldModel((0.0, 5.0, 10.0, 15.0)).draw(np.random.default_rng(2), 40)
    margin = results.margin.copy()
    margin[[0, 7, 20]] = np.nan
    found = joint_comparison(
        PairResults.from_margins(results.agents, results.a, results.b, results.deal, margin)
    )
    assert "3 forfeited results were left out" in found.note
    assert all(c.df is not None and 25 < c.df <= 39 for c in found.joint)


@pytest.mark.long
def test_all_of_it_holds_at_once() -> None:
    """Coverage of all contrasts, and of all ranks, together; one agent far above five equals."""
    truth = np.array([12.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    model = FieldModel(tuple(truth))
    rng = np.random.default_rng(11)
    reps, misses, false_ranks, fallbacks, rejected = 300, 0, 0, 0, 0
    for _ in range(reps):
        found = joint_comparison(model.draw(rng, 30))
        true = dict(zip(found.agents, truth, strict=True))
        misses += any(
            c.low is None or c.high is None or not c.low <= true[c.a] - true[c.b] <= c.high
            for c in found.joint
        )
        false_ranks += found.ranks["agent1"].worst < 1 or any(
            found.ranks[name].best > 2 or found.ranks[name].worst < 6 for name in found.agents[1:]
        )
        fallbacks += found.basis == "direct"
        rejected += found.fit.p is not None and found.fit.p < 0.05
    for count in (misses, false_ranks, fallbacks, rejected):
        assert stats.binomtest(count, reps, 0.05, alternative="greater").pvalue > 0.01
    assert misses > 0  # and the limits are not needlessly wide


@pytest.mark.long
def test_a_page_keeps_its_error_rate_also_in_a_sweep() -> None:
    for against in (None, 0):
        rates = page_errors(FieldModel((20.0, 0.0, 0.0, 0.0)), 1, 150, 40, against)
        for rate in (rates.conclusions, rates.fallback):
            hits = round(rate.rate * rate.reps)
            assert stats.binomtest(hits, rate.reps, 0.05, alternative="greater").pvalue > 0.01
        assert rates.with_direct_table.rate >= rates.conclusions.rate
