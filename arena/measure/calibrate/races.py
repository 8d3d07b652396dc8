"""Error rates of races; coverage of the seeds' share of variance and of corrected margins."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from arena.measure.calibrate.statistics import Limits, MarginModel, Rate, covered, measured_rate
from arena.stats.luck import luck_correction
from arena.stats.race import RaceDesign, RacePair, RacePairs, race_state
from arena.stats.sample import FloatArray
from arena.stats.seed_variance import seed_variance

_GAME_SD = 80.0
"""Spread of a single game before seats are exchanged: mostly the cards."""
_RARE, _RARE_LOSS = 0.02, 162.0

Noise = Callable[[np.random.Generator, int], FloatArray]
"""Noise of a margin, with mean 0, on so many deals."""


@dataclass(frozen=True)
class RaceModel:
    """A field: strengths in points, what a deal does to each agent, and noise of each pair."""

    name: str
    strengths: tuple[float, ...]
    design: RaceDesign
    noise: Noise
    deal_sd: float = 15.0

    def draw(self, rng: np.random.Generator, deals: int) -> RacePairs:
        effects = rng.normal(0.0, self.deal_sd, (len(self.strengths), deals))
        effects += np.asarray(self.strengths)[:, None]
        return {
            (i, j): RacePair(
                effects[i] - effects[j] + self.noise(rng, deals),
                np.abs(rng.normal(0.0, _GAME_SD, deals)),
            )
            for i, j in self.design.pairs
        }


@dataclass(frozen=True)
class RaceRates:
    """Error rates and costs of many races."""

    wrong: Rate
    """Races in which an agent left that was not worse than its rival, or limits missed the truth
    where an agent left."""
    undecided: Rate
    pair_deals: float
    """On average."""
    full: int
    """Pair-deals without racing."""


def klaverjas_noise(rng: np.random.Generator, deals: int) -> FloatArray:
    """Zeros, spikes and a heavy middle."""
    return MarginModel().draw(rng, (1, deals)).ravel()


def rare_losses(rng: np.random.Generator, deals: int) -> FloatArray:
    """A little more on nearly every deal, and a large loss on one in fifty."""
    lost = rng.random(deals) < _RARE
    return np.where(lost, -_RARE_LOSS, _RARE_LOSS * _RARE / (1 - _RARE))


def race_rates(model: RaceModel, deals: int, reps: int, seed: int) -> RaceRates:
    """Run a race `reps` times, with at most so many deals."""
    wrong = undecided = cost = 0
    for rep in range(reps):
        rng = np.random.default_rng([seed, rep])
        state = race_state(model.draw(rng, deals), model.design, deals)
        wrong += any(
            not each.low <= model.strengths[each.agent] - model.strengths[each.rival] <= each.high
            for each in state.left
        )
        kept = 0 if model.design.reference is not None else model.design.keep
        undecided += len(state.racing) > kept
        cost += sum(state.wanted.values())
    return RaceRates(
        measured_rate(wrong, reps),
        measured_rate(undecided, reps),
        cost / reps,
        deals * len(model.design.pairs),
    )


def race_models() -> Iterator[RaceModel]:
    """Equals, one that is better, a ladder, rare losses, and a reference."""
    for agents in (2, 6, 12):
        equal = (0.0,) * agents
        yield RaceModel(f"{agents} equal agents", equal, RaceDesign(agents), klaverjas_noise)
    best = (15.0, *(0.0,) * 5)
    yield RaceModel("one of 6 better by 15", best, RaceDesign(6), klaverjas_noise)
    ladder = (0.0, 5.0, 10.0, 20.0, 40.0, 60.0)
    yield RaceModel("a ladder of 6", ladder, RaceDesign(6), klaverjas_noise)
    yield RaceModel("the best 3 of a ladder", ladder, RaceDesign(6, 3), klaverjas_noise)
    yield RaceModel("a ladder against its third", ladder, RaceDesign(6, 1, 2), klaverjas_noise)
    yield RaceModel("2 equals, one with rare losses", (0.0,) * 2, RaceDesign(2), rare_losses, 0.0)


def luck_coverage(deals: int, reps: int, seed: int, parts: int = 2) -> Rate:
    """How often the corrected interval has the true mean, with skewed luck of unknown worth."""

    def limits(rep: int) -> Limits:
        rng = np.random.default_rng([seed, rep])
        luck = rng.exponential(1.0, deals) - 1
        margins = 1 + 30 * luck + rng.normal(0, 20, deals)
        found = luck_correction(margins, luck, parts=parts).corrected
        return found.low, found.high

    return covered(map(limits, range(reps)), 1)


def seed_share_coverage(share: float, deals: int, seeds: int, reps: int, seed: int) -> Rate:
    """How often the interval of the seeds' share of variance has the truth, zeros included."""

    def limits(rep: int) -> Limits:
        rng = np.random.default_rng([seed, rep])
        cards = rng.normal(0.0, np.sqrt(1 - share), (deals, 1))
        # On two thirds of the deals seeds change nothing, as for near twins.
        differs = rng.random((deals, 1)) < 1 / 3
        drawn = rng.normal(0.0, np.sqrt(3 * share), (deals, seeds))
        found = seed_variance(cards + np.where(differs, drawn, 0.0))
        return found.low, found.high

    return covered(map(limits, range(reps)), share)
