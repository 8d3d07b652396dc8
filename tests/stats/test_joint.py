"""One simultaneous inference: known answers, the cases it must name, and its error rates."""

from __future__ import annotations

import itertools

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


def differences(agents: int) -> Floats:
    i, j = np.triu_indices(agents, 1)
    return np.asarray(np.eye(agents)[i] - np.eye(agents)[j])


@pytest.mark.parametrize("agents", [3, 6, 12, 20])
def test_with_many_deals_equal_agents_are_tukeys_test(agents: int) -> None:
    """The studentized range, as R's ptukey and SciPy have it; within 1% at every p."""
    q = np.array([0.8, 1.5, 2.2, 3.0, 3.5, 4.2, 6.0, 9.0])
    contrasts = differences(agents)
    found = family(np.eye(agents), contrasts, np.full(len(contrasts), 1e7))
    exact = stats.studentized_range.sf(q, agents, np.inf)
    assert found.adjusted(2 * stats.norm.sf(q / np.sqrt(2))) == pytest.approx(exact, rel=0.01)


@pytest.mark.parametrize(("agents", "deals"), [(3, 3), (6, 5), (12, 10)])
def test_with_few_deals_every_contrast_has_its_own_spread(agents: int, deals: int) -> None:
    """The level of independent agents, counted over fields that are drawn and tested one by one."""
    contrasts = differences(agents)
    x = np.random.default_rng(4).normal(size=(8_000, deals, agents)) @ contrasts.T
    t = np.sqrt(deals) * x.mean(axis=1) / x.std(axis=1, ddof=1)
    smallest = 2 * stats.t.sf(np.abs(t).max(axis=1), deals - 1)
    found = family(np.eye(agents), contrasts, np.full(len(contrasts), deals - 1.0))
    assert np.mean(smallest < found.level(0.05)) == pytest.approx(0.05, abs=0.01)
    for p in np.quantile(smallest, [0.1, 0.5, 0.9]):
        counted = np.mean(smallest < p)
        assert found.adjusted(np.array([p]))[0] == pytest.approx(counted, rel=0.1)


def test_few_deals_shrink_chance_correlations() -> None:
    """Correlations of five deals among six agents are noise: they must not buy a higher level."""
    contrasts, rng = differences(6), np.random.default_rng(1)
    df = np.full(15, 4.0)
    plain = family(np.eye(6), contrasts, df).level(0.05)
    for _ in range(5):
        chance = np.cov(rng.normal(size=(5, 6)), rowvar=False)
        assert family(chance, contrasts, df).level(0.05) > 1.05 * plain
        assert family(chance, contrasts, df, deals=5).level(0.05) < 1.15 * plain
    assert family(chance, contrasts, df, deals=1e9).level(0.05) == pytest.approx(
        family(chance, contrasts, df).level(0.05), rel=1e-3
    )


def test_independent_contrasts_are_sidaks() -> None:
    found = family(np.eye(7), np.eye(7), np.full(7, 1e6))
    p = np.array([1e-12, 1e-8, 1e-3, 0.01, 0.1, 0.5, 0.95])
    assert found.adjusted(p) == pytest.approx(1 - (1 - p) ** 7, rel=0.01)
    assert found.level(0.05) == pytest.approx(1 - 0.95 ** (1 / 7), rel=0.01)
    alone = family(np.eye(1), np.eye(1), np.array([9.0]))
    assert alone.adjusted(p) == pytest.approx(p) and alone.level(0.05) == pytest.approx(0.05)


def test_different_degrees_of_freedom_lie_between_their_extremes() -> None:
    contrasts = differences(4)
    p = np.array([1e-4, 0.004, 0.02])
    mixed, few, many = (
        family(np.eye(4), contrasts, np.array(df)).adjusted(p)
        for df in ([5.0, 9.0, 30.0, 60.0, 90.0, 200.0], [5.0] * 6, [200.0] * 6)
    )
    assert np.all(p < mixed) and np.all(mixed < 6 * p)
    assert np.all(mixed > np.minimum(few, many) * 0.97) and np.all(
        mixed < np.maximum(few, many) * 1.05
    )


def test_two_agents_are_the_paired_t_test() -> None:
    margins = noise(40, 3.0, 1)
    (found,) = joint_comparison(field({("a", "b"): margins})).contrasts
    plain = mean_difference(margins)
    assert (found.first, found.second, found.deals) == ("a", "b", 40)
    assert found.p_adjusted == pytest.approx(paired_t(margins).p)
    assert (found.low, found.high) == pytest.approx((plain.low, plain.high))
    assert (found.plain_low, found.plain_high) == pytest.approx((plain.low, plain.high))


def test_contrasts_are_those_of_the_rating() -> None:
    results = FieldModel((0.0, 4.0, 9.0)).draw(np.random.default_rng(3), 50)
    found, rating = joint_comparison(results), score_rating(results)
    for c in found.joint:
        assert c.difference == pytest.approx(rating[c.first].value - rating[c.second].value)
        i, j = results.agents.index(c.first), results.agents.index(c.second)
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
            shared = set(found.letters[c.first]) & set(found.letters[c.second])
            if c in found.contrasts:
                assert bool(shared) == (not c.different)
        for agent in found.agents:
            ranks = found.ranks[agent]
            assert ranks.best == 1 + len(found.better(agent))
            assert ranks.worst == 5 - len(found.worse(agent))


def test_a_contrast_turns_round() -> None:
    c = Contrast("a", "b", 3.0, 1.0, 5.0, 0.01, True, 2.0, 4.0, 0.001, 1.0, 9.0, 10)
    back = c.reversed()
    assert (back.first, back.difference, back.low, back.high) == ("b", -3.0, -5.0, -1.0)
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
    assert set(found.top) == {"stone", "scissors", "paper"}
    (cycle,) = found.cycles
    assert [found.worse(name) for name in cycle] == [(cycle[1],), (cycle[2],), (cycle[0],)]


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
    assert {(c.first, c.second) for c in found.joint} == {("a", "b"), ("d", "c")}
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
    assert c.note == "The same result on every deal."
    few = joint_comparison(FieldModel((0.0,) * 5).draw(np.random.default_rng(1), 6))
    assert few.fit.p is None and "too few" in few.fit.words
    assert "Only 6 deals" in few.note and "Only" not in twins.note


def test_a_constant_difference_is_a_difference() -> None:
    """An agent that forfeits every deal loses by the same number each time."""
    rng = np.random.default_rng(3)
    rule, semi = rng.normal(0, 20, 30), rng.normal(5, 20, 30)
    games = {
        ("rule", "semi"): rule - semi,
        ("rule", "crashy"): np.full(30, 162.0),
        ("semi", "crashy"): np.full(30, 162.0),
    }
    found = joint_comparison(field(games))
    assert set(found.top) == {"rule", "semi"}
    assert found.ranks["crashy"].best == 3 and not found.contrast("rule", "semi").different
    direct = next(c for c in found.direct if {c.first, c.second} == {"rule", "crashy"})
    assert (direct.different, direct.low, direct.p) == (True, None, 2.0**-29)
    assert "All 30 deals show the same difference, 162 points" in direct.note
    (alone,) = joint_comparison(field({("a", "b"): np.full(30, 162.0)})).contrasts
    assert (alone.different, alone.direction, alone.detectable) == (True, 1, None)
    (short,) = joint_comparison(field({("a", "b"): np.full(4, 162.0)})).contrasts
    assert (short.different, short.p_adjusted) == (False, 0.125)
    (alike,) = joint_comparison(field({("a", "b"): np.zeros(30)})).contrasts
    assert (alike.different, alike.p) == (False, None)


def test_forfeits_and_deals_that_some_pairs_miss() -> None:
    results = FieldModel((0.0, 5.0, 10.0, 15.0)).draw(np.random.default_rng(2), 40)
    margin = results.margin.copy()
    margin[[0, 7, 20]] = np.nan
    found = joint_comparison(
        PairResults.from_margins(results.agents, results.a, results.b, results.deal, margin)
    )
    assert "3 forfeited results were left out" in found.note
    assert all(c.df is not None and 25 < c.df <= 39 for c in found.joint)


def test_forfeits_do_not_blur_the_others() -> None:
    """Losing 1,162 points on some deals, without play, says nothing about rule and semi."""
    rng = np.random.default_rng(8)
    effects = {name: rng.normal(0, 5, 60) for name in ("rule", "semi", "greedy", "crashy")}
    effects["rule"] += 6
    games = {
        (a, b): effects[a] - effects[b] + rng.normal(0, 5, 60)
        for a, b in itertools.combinations(effects, 2)
    }
    clean = joint_comparison(field({k: v for k, v in games.items() if "crashy" not in k}))
    for pair in games:
        if "crashy" in pair:
            games[pair] = np.where(rng.random(60) < 0.2, 1_162.0, games[pair])
    blurred = joint_comparison(field(games)).contrast("rule", "semi")
    found = joint_comparison(field(games), forfeiters={"crashy"})
    alone, apart = clean.contrast("rule", "semi"), found.contrast("rule", "semi")
    assert blurred.se is not None and alone.se is not None and not blurred.different
    assert blurred.se > 5 * alone.se
    assert (apart.se, apart.difference) == pytest.approx((alone.se, alone.difference), rel=1e-4)
    assert apart.different and found.order[-1] == "crashy"
    assert apart.p_adjusted is not None and alone.p_adjusted is not None
    assert alone.p_adjusted < apart.p_adjusted < 3 * alone.p_adjusted
    assert len(found.joint) == 6 and found.contrast("rule", "crashy").different
    assert joint_comparison(field(games), forfeiters=set(effects)).contrast(
        "rule", "semi"
    ).se == pytest.approx(blurred.se)


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
            c.low is None or c.high is None or not c.low <= true[c.first] - true[c.second] <= c.high
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
    model = FieldModel((20.0, 0.0, 0.0, 0.0))
    for against in (None, 0):

        def draw(rng: np.random.Generator, against: int | None = against) -> PairResults:
            drawn = model.draw(rng, 40)
            return drawn if against is None else drawn.only((drawn.a == 0) | (drawn.b == 0))

        rates = page_errors(draw, model.strengths, 1, 150)
        for rate in (rates.claims, rates.misfit):
            hits = round(rate.rate * rate.reps)
            assert stats.binomtest(hits, rate.reps, 0.05, alternative="greater").pvalue > 0.01
