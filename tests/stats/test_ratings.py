"""Ratings: exact cases, independent solvers, anchors, perfect scores, refusals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize, special, stats

from arena.measure.calibrate.statistics import FieldModel
from arena.stats import (
    Anchor,
    Bootstrap,
    PairResults,
    StatsError,
    elo_from_counts,
    elo_rating,
    mean_difference,
    score_rating,
)
from arena.stats.bradley_terry import bradley_terry
from arena.stats.elo import ELO_PER_LOGIT, elo_of_score

FIELD = FieldModel((0.0, 4.0, 8.0, 12.0))


@pytest.fixture(scope="module")
def tournament() -> PairResults:
    return FIELD.draw(np.random.default_rng(5), 80)


@pytest.fixture(scope="module")
def sparse(tournament: PairResults) -> PairResults:
    """The same with two thirds of the games missing at random."""
    keep = np.random.default_rng(2).random(tournament.a.size) < 0.33
    t = tournament
    return PairResults(
        t.agents, t.a[keep], t.b[keep], t.deal[keep], t.margin[keep], t.wins[keep], t.draws[keep],
        t.losses[keep],
    )  # fmt: skip


def test_round_robin_score_rating_is_the_t_interval_over_deals(tournament: PairResults) -> None:
    table = tournament.table()
    per_deal = table.margin @ table.incidence / 4  # mean margin against the field, deal by deal
    r = score_rating(tournament)
    for i, rating in enumerate(r.ratings):
        expected = mean_difference(per_deal[:, i])
        assert rating.value == pytest.approx(expected.mean)
        assert (rating.low, rating.high) == pytest.approx((expected.low, expected.high))
        assert rating.df == pytest.approx(79)
    assert sum(x.value for x in r.ratings) == pytest.approx(0, abs=1e-9)
    np.testing.assert_allclose(r.covariance, np.cov(per_deal.T) / 80, rtol=1e-9)


def test_two_agents_are_the_paired_comparison(tournament: PairResults) -> None:
    margins = tournament.pair(0, 3)
    two = PairResults.from_margins("AB", [0] * 80, [1] * 80, range(80), margins)
    r = score_rating(two, anchor=Anchor("B", 100.0))
    expected = mean_difference(margins)
    assert r["A"].value == pytest.approx(100 + margins.mean())
    assert (r["A"].low, r["A"].high) == pytest.approx((100 + expected.low, 100 + expected.high))  # type: ignore[operator]
    assert (r["B"].value, r["B"].se) == (100.0, 0.0)
    p = stats.ttest_1samp(margins, 0, alternative="less").pvalue
    assert r.los[0][1] == pytest.approx(p)  # the chance of being stronger, seen from A
    assert r.los[0][0] is None


def test_sparse_score_rating_against_statsmodels(sparse: PairResults) -> None:
    import statsmodels.api as sm

    x = np.zeros((sparse.a.size, 4))
    x[np.arange(sparse.a.size), sparse.a] = 1
    x[np.arange(sparse.a.size), sparse.b] = -1
    model = sm.OLS(sparse.margin, x[:, 1:] - 0)  # agent 1 anchored at 0
    plain = model.fit(cov_type="cluster", cov_kwds={"groups": sparse.deal}, use_t=True)
    r = score_rating(sparse, anchor=Anchor("agent1"))
    np.testing.assert_allclose([x.value for x in r.ratings[1:]], plain.params, rtol=1e-9)
    # CR2 lies near, and above, the uncorrected sandwich
    se = np.array([x.se for x in r.ratings[1:]])
    assert np.all(np.abs(se / plain.bse - 1) < 0.05)
    assert all(x.df is not None and 20 < x.df < 79 for x in r.ratings[1:])


def test_elo_solves_expected_score_is_actual_score(sparse: PairResults) -> None:
    score = sparse.wins + sparse.draws / 2

    def misses(free: np.ndarray) -> np.ndarray:
        theta = np.append(free, -free.sum())
        gap = score - special.expit(theta[sparse.a] - theta[sparse.b])
        return (np.bincount(sparse.a, gap, 4) - np.bincount(sparse.b, gap, 4))[:3]

    free = optimize.fsolve(misses, np.zeros(3), xtol=1e-13)
    expected = ELO_PER_LOGIT * np.append(free, -free.sum())
    values = [x.value for x in elo_rating(sparse).ratings]
    np.testing.assert_allclose(values, expected, atol=1e-6)


def test_elo_clusters_agree_with_statsmodels(tournament: PairResults) -> None:
    import statsmodels.api as sm

    t = tournament
    x = np.zeros((t.a.size, 4))
    x[np.arange(t.a.size), t.a] = 1
    x[np.arange(t.a.size), t.b] = -1
    glm = sm.GLM(t.wins + t.draws / 2, x[:, 1:], family=sm.families.Binomial())
    fit = glm.fit(cov_type="cluster", cov_kwds={"groups": t.deal, "use_correction": False})
    r = elo_rating(t, anchor=Anchor("agent1"))
    np.testing.assert_allclose(
        [x.value for x in r.ratings[1:]], ELO_PER_LOGIT * fit.params, rtol=1e-6
    )
    # with every pair on every deal CR2 is the plain sandwich times n/(n - 1)
    np.testing.assert_allclose(
        [x.se for x in r.ratings[1:]], ELO_PER_LOGIT * fit.bse * np.sqrt(80 / 79), rtol=1e-6
    )


def test_elo_of_two_agents_is_the_elo_of_the_score() -> None:
    margins = [3.0, 1.0, -2.0, 0.0, 5.0, 4.0, -1.0, 2.0] * 6
    two = PairResults.from_margins("AB", [0] * 48, [1] * 48, range(48), margins)
    r = elo_rating(two, anchor=Anchor("B"))
    direct = elo_from_counts([12, 6, 30])
    assert r["A"].value == pytest.approx(direct.elo)
    # the same standard error of the score, carried to the log odds by 1/(p(1 - p))
    p = direct.score
    se = ELO_PER_LOGIT * np.sqrt(direct.variance / 47) / (p * (1 - p))
    assert r["A"].se == pytest.approx(se)
    assert r["A"].low == pytest.approx(direct.elo - stats.t.ppf(0.975, 47) * se)  # type: ignore[operator]


def test_davidson_recovers_its_own_model() -> None:
    rng = np.random.default_rng(8)
    theta, nu, n = np.array([0.6, 0.0, -0.6]), 0.8, 4_000
    rows = []
    for i, j in ((0, 1), (0, 2), (1, 2)):
        eta = theta[i] - theta[j]
        p = np.array([np.exp(-eta / 2), nu, np.exp(eta / 2)])
        rows.append((i, j, *rng.multinomial(n, p / p.sum())[::-1]))
    fit = bradley_terry(3, rows, "davidson")
    np.testing.assert_allclose(fit.strengths, theta, atol=0.06)
    assert np.exp(fit.extra["log_nu"]) == pytest.approx(nu, rel=0.05)
    # maximum: no neighbour is more likely
    half = bradley_terry(3, rows)
    assert fit.strengths[0] > half.strengths[0]  # draws as half wins pull towards each other


def test_davidson_rating_and_draw_share(tournament: PairResults) -> None:
    t = tournament
    coarse = PairResults.from_margins(t.agents, t.a, t.b, t.deal, np.round(t.margin / 25))
    r = elo_rating(coarse, draw_model="davidson")
    assert r.draw_share is not None
    assert 0.1 < r.draw_share < 0.5
    drawless = PairResults.from_margins(t.agents, t.a, t.b, t.deal, t.margin + 0.5)
    plain = elo_rating(drawless, draw_model="davidson")
    assert "No draws" in plain.note
    assert plain["agent1"].value == pytest.approx(elo_rating(drawless)["agent1"].value)


def test_bootstrap_agrees_with_the_sandwich_and_repeats(tournament: PairResults) -> None:
    for rate in (score_rating, elo_rating):
        plain = rate(tournament)
        first = rate(tournament, bootstrap=Bootstrap(3, 1_000))
        again = rate(tournament, bootstrap=Bootstrap(3, 1_000))
        assert first.ratings == again.ratings
        assert first.resamples == 1_000
        for a, b in zip(plain.ratings, first.ratings, strict=True):
            width = a.high - a.low  # type: ignore[operator]
            assert a.value == b.value
            assert b.low == pytest.approx(a.low, abs=0.15 * width)
            assert b.high == pytest.approx(a.high, abs=0.15 * width)


def test_bootstrap_of_a_sparse_schedule_with_davidson(sparse: PairResults) -> None:
    s = sparse
    coarse = PairResults.from_margins(s.agents, s.a, s.b, s.deal, np.round(s.margin / 25))
    r = elo_rating(coarse, draw_model="davidson", bootstrap=Bootstrap(1, 300))
    assert all(x.low < x.value < x.high for x in r.ratings)  # type: ignore[operator]


def test_a_perfect_score_has_an_open_limit_and_moves_nobody() -> None:
    n = 20
    a, b = [0] * n + [0] * n + [1] * n, [1] * n + [2] * n + [2] * n
    margin = [9.0] * (2 * n) + [1.0, -1.0] * (n // 2)
    won_all = PairResults.from_margins("ABC", a, b, list(range(n)) * 3, margin)
    others = elo_rating(PairResults.from_margins("BC", [0] * n, [1] * n, range(n), margin[2 * n :]))
    for bootstrap in (None, Bootstrap(1, 200)):
        r = elo_rating(won_all, bootstrap=bootstrap)
        assert "Elo of A: everything was won or lost" in r.note
        assert (r["A"].value, r["A"].high) == (None, None)
        assert r["A"].low == pytest.approx(elo_of_score(0.025 ** (1 / (2 * n))), rel=1e-4)
        assert r["B"].value == pytest.approx(others["B"].value)
        if bootstrap is None:
            assert r["B"].low == pytest.approx(others["B"].low)
    lost_all = elo_rating(PairResults.from_margins("ABC", b, a, list(range(n)) * 3, margin))
    assert lost_all["A"].high == pytest.approx(-(elo_rating(won_all)["A"].low or 0))
    with pytest.raises(StatsError, match="no finite maximum likelihood"):
        elo_rating(won_all, prior=0.0)
    two = PairResults.from_margins("AB", [0] * n, [1] * n, range(n), [9.0] * n)
    exact = stats.binomtest(n, n).proportion_ci(method="exact").low
    assert elo_rating(two, anchor=Anchor("B"))["A"].low == pytest.approx(elo_of_score(exact))
    expected = ELO_PER_LOGIT * np.log((n + 0.5) / 0.5)  # Haldane-Anscombe log odds
    fixed = elo_rating(two, anchor=Anchor("B"), prior=0.5)["A"]
    assert fixed.value == pytest.approx(expected)


def test_an_agent_behind_one_that_is_perfect_is_placed_through_it() -> None:
    # A always beats B, B always beats C, D only played A and beat it: D is above all others.
    n = 10
    a, b = [0] * n + [1] * n + [3] * n, [1] * n + [2] * n + [0] * n
    chain = PairResults.from_margins("ABCD", a, b, list(range(n)) * 3, [5.0] * (3 * n))
    r = elo_rating(chain, anchor=Anchor("B"))
    assert r["B"].value == 0
    assert r["A"].low is not None and r["D"].low is not None and r["C"].high is not None
    assert r["D"].low > r["A"].low > 0 > r["C"].high
    # X and B both beat C always and never met: nobody can tell where X is.
    a, b = [0] * n + [1] * n, [2] * n + [2] * n
    apart = PairResults.from_margins("XBC", a, b, list(range(n)) * 2, [5.0] * (2 * n))
    unknown = elo_rating(apart, anchor=Anchor("B"))["X"]
    assert (unknown.value, unknown.low, unknown.high) == (None, None, None)


def test_davidson_says_how_its_scale_converts() -> None:
    n = 400
    margin = [1.0] * 130 + [0.0] * 160 + [-1.0] * 110
    two = PairResults.from_margins("AB", [0] * n, [1] * n, range(n), margin)
    found = elo_rating(two, draw_model="davidson", anchor=Anchor("B"))
    score = elo_of_score((130 + 80) / n)
    assert found.draw_share == pytest.approx(0.4, abs=0.005)
    assert f"worth {1 - (found.draw_share or 0):.2f} points of Elo" in found.note
    assert (found["A"].value or 0) * (1 - (found.draw_share or 0)) == pytest.approx(score, rel=0.01)


def test_a_disconnected_schedule_is_refused_by_name() -> None:
    apart = PairResults.from_margins(
        ("ada", "bob", "cyd", "dan", "eve"), [0, 2, 0, 2], [1, 3, 1, 3], [1, 1, 2, 2], [1, -2, 3, 4]
    )
    with pytest.raises(StatsError, match=r"\{ada, bob\}; \{cyd, dan\}; \{eve\}"):
        score_rating(apart)
    with pytest.raises(StatsError, match="3 parts that never met"):
        elo_rating(apart)


def test_too_little_gets_a_sentence() -> None:
    one = PairResults.from_margins("AB", [0], [1], [1], [4.0])
    r = score_rating(one)
    assert (r["A"].value, r["A"].low) == (2.0, None)
    assert "One deal only" in r.note
    flat = PairResults.from_margins("AB", [0] * 4, [1] * 4, range(4), [4.0] * 4)
    assert "do not vary" in score_rating(flat).note
    forfeited = PairResults.from_margins("AB", [0] * 3, [1] * 3, range(3), [4.0, np.nan, 1.0])
    assert "1 forfeited" in score_rating(forfeited).note
    with pytest.raises(StatsError, match="anchor 'Z' is not among the agents: A, B"):
        score_rating(flat, anchor=Anchor("Z"))
    with pytest.raises(KeyError):
        score_rating(flat)["Z"]
