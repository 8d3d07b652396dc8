"""Every group of the known-answer file, each against the tool it was computed with."""

from __future__ import annotations

import inspect
import math
from typing import Any

import numpy as np
import pytest

from arena.stats import (
    SprtDesign,
    adjust_p,
    confidence_sequence,
    elo_after_stopping,
    elo_from_counts,
    elo_plan,
    llr_counts,
    sprt_counts,
)
from arena.stats.bradley_terry import bradley_terry
from arena.stats.counts import expected_log_ratio, mle_given_mean, mle_given_t, outcomes
from arena.stats.elo import (
    ELO_PER_LOGIT,
    NELO_PER_T,
    bayeselo_of_probabilities,
    bayeselo_probabilities,
    bayeselo_to_elo,
    expected_score,
)
from arena.stats.sequential.likelihood import llr_tvalue
from arena.stats.sequential.sprt import counts_path, find_stops

Vectors = dict[str, dict[str, Any]]
MODELS = {"BayesElo": "bayesian"}


def of_group(vectors: Vectors, group: str) -> list[dict[str, Any]]:
    chosen = [v for v in vectors.values() if v["group"] == group]
    assert chosen, f"no vectors in group {group}"
    return chosen


def counts_of(inputs: dict[str, Any]) -> list[float]:
    for key in ("results_low_to_high", "results", "LDW"):
        if key in inputs:
            return list(inputs[key])
    return [inputs["LL"], inputs["LD"], inputs["WL"] + inputs["DD"], inputs["WD"], inputs["WW"]]


def near(value: float | None, expected: float, rel: float, scale: float = 1e-9) -> bool:
    return value is not None and math.isclose(value, expected, rel_tol=rel, abs_tol=scale)


def test_every_group_has_a_test(vectors: Vectors) -> None:
    here = inspect.getsource(inspect.getmodule(of_group))  # type: ignore[arg-type]
    groups = {v["group"] for v in vectors.values()}
    untested = {g for g in groups if f'of_group(vectors, "{g}")' not in here}
    assert not untested


def test_sprt_llr(vectors: Vectors) -> None:
    for v in of_group(vectors, "sprt_llr"):
        i, o = v["inputs"], v["outputs"]
        model = "logistic" if "logistic" in v["function"] else "normalized"
        counts = counts_of(i)
        assert near(llr_counts(counts, i["elo0"], i["elo1"], model), o["LLR"], v["rel_tol"]), v[
            "id"
        ]
        data = outcomes(counts, fill_empty=True)
        for name, elo in (("H0", i["elo0"]), ("H1", i["elo1"])):
            if "mle" not in o:
                continue
            if model == "logistic":
                fit = mle_given_mean(data.scores, data.probabilities, expected_score(elo))
            else:
                t = elo / NELO_PER_T * math.sqrt(data.games / data.units)
                fit = mle_given_t(data.scores, data.probabilities, t, 0.5)
            assert near(fit.theta, o["mle"][name]["theta"], v["rel_tol"])
            np.testing.assert_allclose(fit.probabilities, o["mle"][name]["pdf"], rtol=1e-7)


def test_sprt_llr_approx(vectors: Vectors) -> None:
    for v in of_group(vectors, "sprt_llr_approx"):
        i = v["inputs"]
        llr = llr_counts(counts_of(i), i["nelo0"], i["nelo1"], "normalized", exact=False)
        assert near(llr, v["outputs"]["LLR"], v["rel_tol"])


def test_sprt_llr_fastchess(vectors: Vectors) -> None:
    for v in of_group(vectors, "sprt_llr_fastchess"):
        i, o = v["inputs"], v["outputs"]
        llr = llr_counts(counts_of(i), i["elo0"], i["elo1"], i["model"])
        assert near(llr, o["LLR"], v["rel_tol"]), v["id"]
        assert abs(llr - o["unit_test_expects"]) < 0.02


def test_elo(vectors: Vectors) -> None:
    for v in of_group(vectors, "elo"):
        counts, o, tol = counts_of(v["inputs"]), v["outputs"], v["rel_tol"]
        if "openbench" in v["id"]:
            student = elo_from_counts(counts)
            assert near(student.elo, o["elo"], tol)
            assert near(student.low, o["lower"], tol)
            assert near(student.high, o["upper"], tol)
        else:
            fishtest = elo_from_counts(counts, interval="normal", fill_empty=True)
            assert near(fishtest.elo, o["elo"], tol)
            assert near(fishtest.error, o["elo95"], tol)
            assert near(fishtest.los, o["LOS"], tol)
            assert near(fishtest.score, o["mu"], tol)
            assert near(fishtest.games, o["games"], 1e-4)
            assert near(fishtest.variance_per_game, o["var_per_game"], tol)


def test_elo_nelo_los(vectors: Vectors) -> None:
    for v in of_group(vectors, "elo_nelo_los"):
        o, tol = v["outputs"], v["rel_tol"]
        e = elo_from_counts(counts_of(v["inputs"]), interval="normal")
        assert near(e.score, o["score"], tol)
        assert near(e.variance, o["variance"], tol)
        assert near(e.elo, o["elo"], tol)
        assert near(e.error, o["elo_err95"], tol)
        assert near(e.nelo, o["nelo"], tol)
        assert near(e.nelo_error, o["nelo_err95"], tol)
        assert near(e.los, o["LOS"], tol, 1e-12)


def test_sprt_elo(vectors: Vectors) -> None:
    for v in of_group(vectors, "sprt_elo"):
        i, o = v["inputs"], v["outputs"]
        r = i["R"]
        counts = r.get("pentanomial") or [r["losses"], r["draws"], r["wins"]]
        model = MODELS.get(i["elo_model"], i["elo_model"])
        design = SprtDesign(i["elo0"], i["elo1"])
        assert near(design.lower, o["a"], 1e-12)
        assert near(design.upper, o["b"], 1e-12)
        estimate = elo_after_stopping(counts, design, model)
        # Far from the bounds fishtest uses two terms of an asymptotic series (BayesElo case).
        loose = 2e-4 if i["elo_model"] == "BayesElo" else v["rel_tol"]
        assert near(estimate.estimate, o["elo"], loose)
        assert near(estimate.low, o["ci"][0], v["rel_tol"])
        assert near(estimate.high, o["ci"][1], loose)
        assert near(estimate.los, o["LOS"], v["rel_tol"])
        assert near(llr_counts(counts, i["elo0"], i["elo1"], model), o["LLR"], v["rel_tol"])


def test_sprt_sequential(vectors: Vectors) -> None:
    for v in of_group(vectors, "sprt_sequential"):
        i, o, tol = v["inputs"], v["outputs"], v["rel_tol"]
        design = SprtDesign(i["elo0"], i["elo1"], i["alpha"], i["beta"], min_deals=1)
        path = counts_path(i["pair_outcomes_0to4"], design, i["elo_model"], 5)
        for step in o["trace"]:
            n = step["n"]
            assert near(path[n - 1], step["llr"], tol)
            never = SprtDesign(i["elo0"], i["elo1"], 1e-9, 1e-9, min_deals=1)
            excess = find_stops(path[:n], never)
            assert near(float(excess.low_excess), step["o0"], tol)
            assert near(float(excess.high_excess), step["o1"], tol)
        first = sprt_counts(i["pair_outcomes_0to4"], design)
        assert first.decision == "H1"
        assert first.n == o["first_decision"]["n"]
        assert near(first.llr, o["first_decision"]["llr"], tol)
        uncorrected = SprtDesign(i["elo0"], i["elo1"], min_deals=1, overshoot=False)
        assert sprt_counts(i["pair_outcomes_0to4"], uncorrected).n > first.n


def test_bayeselo(vectors: Vectors) -> None:
    for v in of_group(vectors, "bayeselo"):
        i, o, tol = v["inputs"], v["outputs"], v["rel_tol"]
        if "p_win" in o:
            p = bayeselo_probabilities(i["bayeselo"], i["drawelo"])
            np.testing.assert_allclose(p, [o["p_loss"], o["p_draw"], o["p_win"]], rtol=tol)
            elo = bayeselo_to_elo(i["bayeselo"], i["drawelo"])
            assert near(elo, o["logistic_elo"], 1e-11)
        elif "LLRlegacy" in o:
            fit = bayeselo_of_probabilities(i["results_LDW"])
            assert near(fit.elo, o["bayeselo"], tol)
            assert near(fit.draw_elo, o["drawelo"], tol)
            assert near(bayeselo_ratio(i["results_LDW"], 0.5, 2.5), o["LLRlegacy"], tol)
        else:
            assert near(bayeselo_ratio(i["results"], i["elo0"], i["elo1"]), o["LLR"], tol)


def bayeselo_ratio(counts: list[int], elo0: float, elo1: float) -> float:
    """Log likelihood ratio of BayesElo's probabilities with the observed draw Elo."""
    draw_elo = bayeselo_of_probabilities(counts).draw_elo
    p0, p1 = (bayeselo_probabilities(elo, draw_elo) for elo in (elo0, elo1))
    return float(np.sum(counts * np.log(p1 / p0)))


def test_variance_reduction(vectors: Vectors) -> None:
    for v in of_group(vectors, "variance_reduction"):
        o, tol = v["outputs"], v["rel_tol"]
        single, paired = (
            outcomes(v["inputs"][counts]).variance_per_game for counts in ("LDW", "penta")
        )
        assert near(single, o["var_per_game_tri"], tol)
        assert near(paired, o["var_per_game_penta"], tol)
        assert near(paired / single, o["ratio"], tol)
        assert near(1 - paired / single, o["games_saved_fraction"], tol)


def test_power_planner(vectors: Vectors) -> None:
    for v in of_group(vectors, "power_planner"):
        i, o, tol = v["inputs"], v["outputs"], v["rel_tol"]
        design = SprtDesign(i["elo0"], i["elo1"], i["alpha"], i["beta"])
        plan = elo_plan(design, i["draw_ratio"], i["rms_bias"], i["model"] == "Normalized")
        assert near(plan.variance, o["variance"], tol)
        assert near(plan.score0, o["score0"], tol)
        assert near(plan.score1, o["score1"], tol)
        assert near(plan.elo0, o["lelo0"], tol)
        assert near(plan.elo1, o["lelo1"], tol)
        for point in o["points"]:
            at = plan.at(point["lelo"])
            assert near(at.accept_h1, point["pass_prob"], tol)
            # Near the middle the planner's own difference of exponentials loses 9 digits;
            # a 50-digit evaluation gives 28280.960567050, ours to 1e-12.
            assert near(at.expected_deals, point["expected_games"], 2e-9)


def test_bradley_terry(vectors: Vectors) -> None:
    for v in of_group(vectors, "bradley_terry"):
        i, o, tol = v["inputs"], v["outputs"], v["rel_tol"]
        games = [(*map(int, k.split(">")), n, 0, 0) for k, n in i["win_counts"].items()]
        fit = bradley_terry(i["n_items"], games, ridge=i["alpha"])
        np.testing.assert_allclose(fit.strengths, o["opt"], rtol=tol, atol=1e-7)
        if i["alpha"] == 0:
            np.testing.assert_allclose(fit.strengths, o["ilsr"], rtol=tol, atol=1e-9)
            assert near(fit.log_likelihood, o["log_likelihood_at_ilsr"], tol)
            se = np.sqrt(np.diag(fit.covariance))
            np.testing.assert_allclose(se, o["derived_se_centred"], rtol=tol)
            np.testing.assert_allclose(
                fit.strengths * ELO_PER_LOGIT, o["derived_elo"], rtol=tol, atol=1e-6
            )
            for a, row in enumerate(o["derived_LOS_matrix"]):
                for b, los in enumerate(row):
                    if los is not None:
                        c = fit.covariance
                        z = fit.strengths[a] - fit.strengths[b]
                        z /= math.sqrt(c[a, a] + c[b, b] - 2 * c[a, b])
                        assert near(0.5 * math.erfc(-z / math.sqrt(2)), los, tol)


def test_ordo(vectors: Vectors) -> None:
    plain = vectors["ordo_plain_A"]["outputs"]["beta"]  # Ordo's Elo per log odds differs a little
    for v in of_group(vectors, "ordo"):
        rows, o = v["inputs"]["white_black_W_D_L"], v["outputs"]
        names = sorted({name for row in rows for name in row[:2]})
        games = [(names.index(a), names.index(b), w, d, n) for a, b, w, d, n in rows]
        white = "-W" in v["function"]
        fit = bradley_terry(len(names), games, advantage=white)
        ratings = fit.strengths / plain
        if "-A D" in v["function"]:
            ratings = ratings - ratings[names.index("D")] + 1000
        expected = [o["ratings"][name] for name in names]
        np.testing.assert_allclose(ratings, expected, rtol=v["rel_tol"], atol=2e-5)
        if white:
            assert near(fit.extra["advantage"] / plain, o["white_advantage"], 0, 2e-2)
            davidson = bradley_terry(len(names), games, "davidson", advantage=True)
            nu = math.exp(davidson.extra["log_nu"])
            assert near(100 * nu / (2 + nu), o["draw_rate_pct"], 0, 1e-2)


def test_multiple_comparison(vectors: Vectors) -> None:
    for v in of_group(vectors, "multiple_comparison"):
        i, o, tol = v["inputs"], v["outputs"], v["rel_tol"]
        adjusted = adjust_p(i["p"])
        np.testing.assert_allclose(adjusted, o["p_adjusted"], rtol=tol)
        assert (adjusted < i["alpha"]).tolist() == o["reject"]


def test_anytime_valid(vectors: Vectors) -> None:
    for v in of_group(vectors, "anytime_valid"):
        o = v["outputs"]
        cs = confidence_sequence(v["inputs"]["x_values"], (0.0, 1.0), intersect=False)
        looks = np.array(o["n"]) - 1
        np.testing.assert_allclose(cs.low[looks], o["lower"], rtol=v["rel_tol"], atol=1e-12)
        np.testing.assert_allclose(cs.high[looks], o["upper"], rtol=v["rel_tol"])


def test_sprt_margin(vectors: Vectors) -> None:
    for v in of_group(vectors, "sprt_margin"):
        i, o, tol = v["inputs"], v["outputs"], v["rel_tol"]
        x = np.array(i["margins"], dtype=float)
        assert (x.size, pytest.approx(x.mean())) == (o["n"], o["mean"])
        t = x.mean() / x.std()
        assert near(t, o["t"], 1e-9)
        assert near(llr_tvalue(x.size, t, i["t0"], i["t1"]), o["LLR_approx"], tol)
        values, counts = np.unique(x, return_counts=True)
        p = counts / x.size
        fits = [mle_given_t(values, p, i[t], 0.0, start=p) for t in ("t0", "t1")]
        assert near(x.size * expected_log_ratio(p, *fits), o["LLR_exact"], tol)
