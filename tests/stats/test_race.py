"""Races: the anytime-valid interval, who leaves and when, and how often they are wrong."""

from __future__ import annotations

import math

import numpy as np
import pytest

from arena.measure.calibrate.races import RaceModel, klaverjas_noise, race_models, race_rates
from arena.stats import StatsError
from arena.stats.race import FIRST_LOOK, RaceDesign, RacePair, look_sizes, race_state
from arena.stats.sequential.anytime_t import EFFECT_VARIANCE, anytime_t_limit


def bayes_factor(t: float, n: int) -> float:
    """The mixture over effect sizes, integrated numerically: no closed form is used."""
    effects = np.linspace(-8, 8, 4001) * math.sqrt(EFFECT_VARIANCE)
    weights = np.exp(-(effects**2) / (2 * EFFECT_VARIANCE))
    weights /= weights.sum()
    # The likelihood of data with mean t·s/√n and spread s, the spread integrated with 1/σ.
    x = np.full(n, t / math.sqrt(n))
    x[: n // 2 * 2 : 2] += 1.0
    x[1 : n // 2 * 2 : 2] -= 1.0
    x = (x - x.mean()) / x.std(ddof=1) + t / math.sqrt(n)
    log_sigma = np.linspace(-3, 3, 1201)
    sigma = np.exp(log_sigma)

    def marginal(effect: float) -> float:
        squares = ((x[:, None] / sigma - effect) ** 2).sum(axis=0)
        return float((sigma**-n * np.exp(-squares / 2)).sum())

    alternative = sum(
        weight * marginal(effect)
        for effect, weight in zip(effects[::20], weights[::20] * 20, strict=True)
    )
    return alternative / marginal(0.0)


@pytest.mark.parametrize(("n", "alpha"), [(16, 0.05), (40, 0.0033)])
def test_the_limit_is_where_the_bayes_factor_is_one_over_alpha(n: int, alpha: float) -> None:
    assert bayes_factor(anytime_t_limit(n, alpha), n) == pytest.approx(1 / alpha, rel=0.01)


def test_the_limit_is_infinite_while_nothing_could_be_rejected() -> None:
    assert anytime_t_limit(1, 0.05) == anytime_t_limit(2, 0.01) == math.inf
    assert anytime_t_limit(1000, 0.05) < anytime_t_limit(1000, 0.01) < math.inf


def test_the_interval_holds_after_every_deal_at_once() -> None:
    rng = np.random.default_rng(1)
    reps, deals = 800, 400
    x = rng.normal(3.0, 7.0, (reps, deals))
    n = np.arange(1, deals + 1)
    mean = np.cumsum(x, axis=1) / n
    spread = np.sqrt(np.maximum(np.cumsum(x**2, axis=1) - n * mean**2, 0) / np.maximum(n - 1, 1))
    limits = np.array([anytime_t_limit(int(each), 0.1) for each in n])
    out = np.abs(mean - 3.0)[:, 1:] > limits[1:] * (spread / np.sqrt(n))[:, 1:]
    assert 0.02 < out.any(axis=1).mean() < 0.1 + 2 * math.sqrt(0.09 / reps)


def field(strengths: tuple[float, ...]) -> RaceModel:
    return RaceModel("", strengths, RaceDesign(len(strengths)), klaverjas_noise)


def test_the_best_is_left_and_the_worst_leaves_first() -> None:
    model = field((0.0, 60.0, 20.0))
    state = race_state(model.draw(np.random.default_rng(2), 400), model.design, 400)
    assert state.over and state.racing == (1,)
    assert [each.agent for each in state.left] == [0, 2]
    first, second = state.left
    assert first.deals <= second.deals == state.deals < 400
    assert first.low <= -60 <= first.high < 0 and second.low <= -40 <= second.high < 0
    # A pair plays until one of the two has left.
    assert state.wanted == {(0, 1): first.deals, (0, 2): first.deals, (1, 2): second.deals}


def test_a_race_that_goes_on_wants_the_next_look_and_never_changes_its_past() -> None:
    model = field((0.0, 12.0, 0.0))
    whole = model.draw(np.random.default_rng(3), 600)
    seen = {pair: RacePair(each.margins[:0], each.largest[:0]) for pair, each in whole.items()}
    state = race_state(seen, model.design, 600)
    assert set(state.wanted.values()) == {FIRST_LOOK} and not state.over
    while not state.over:
        before = state
        seen = {
            pair: RacePair(whole[pair].margins[:n], whole[pair].largest[:n])
            for pair, n in state.wanted.items()
        }
        state = race_state(seen, model.design, 600)
        assert state.left[: len(before.left)] == before.left
        assert all(state.wanted[pair] >= before.wanted[pair] for pair in before.wanted)
    assert state == race_state(whole, model.design, 600)


def test_a_constant_difference_is_one() -> None:
    played = {(0, 1): RacePair(np.full(64, 40.0), np.full(64, 40.0))}
    state = race_state(played, RaceDesign(2), 64)
    assert state.racing == (0,) and state.deals < 64
    nothing = {(0, 1): RacePair(np.zeros(64), np.full(64, 40.0))}
    assert race_state(nothing, RaceDesign(2), 64).racing == (0, 1)


def test_with_a_reference_every_agent_leaves_for_itself() -> None:
    model = RaceModel("", (80.0, 30.0, 0.0), RaceDesign(3, reference=1), klaverjas_noise)
    state = race_state(model.draw(np.random.default_rng(4), 300), model.design, 300)
    assert state.over and state.racing == ()
    better, worse = sorted(state.left, key=lambda each: each.agent)
    assert better.rival == worse.rival == 1
    assert 0 < better.low <= 50 <= better.high and worse.low <= -30 <= worse.high < 0


def test_two_are_kept() -> None:
    model = RaceModel("", (0.0, 60.0, 61.0), RaceDesign(3, keep=2), klaverjas_noise)
    state = race_state(model.draw(np.random.default_rng(5), 300), model.design, 300)
    assert state.racing == (1, 2) and len(state.left) == 1


def test_looks_are_planned() -> None:
    assert list(look_sizes(40)) == [16, 20, 25, 32, 40]
    assert list(look_sizes(10)) == [10]


@pytest.mark.parametrize("given", [{"keep": 3}, {"keep": 0}, {"alpha": 1.0}])
def test_a_race_that_cannot_be_is_refused(given: dict[str, float]) -> None:
    with pytest.raises(StatsError):
        RaceDesign(3, **given)  # type: ignore[arg-type]


def test_a_race_of_equals_seldom_says_anything() -> None:
    (two,) = (model for model in race_models() if model.name == "2 equal agents")
    found = race_rates(two, 300, 300, seed=6)
    assert found.wrong.rate < 0.05
    assert found.undecided.rate > 0.95


def test_rare_losses_do_not_decide_a_race_too_early() -> None:
    (model,) = (model for model in race_models() if "rare" in model.name)
    assert race_rates(model, 300, 300, seed=7).wrong.rate < 0.05
