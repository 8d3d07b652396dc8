"""The promises of the statistics, measured: each is a rate and the range it must lie in.

`simulated_promises` and `page_promises` draw from models; `real_promises` and `gate_promises` take
margins of an agent that played itself (`real_play`), where every difference found is a false one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from arena.measure.calibrate.gate import (
    CANDIDATES,
    POINTS,
    REPLICATES,
    GateRates,
    changes,
    gate_rates,
    simulated_gate,
)
from arena.measure.calibrate.races import (
    luck_coverage,
    race_models,
    race_rates,
    seed_share_coverage,
)
from arena.measure.calibrate.statistics import (
    FieldModel,
    MarginModel,
    PageRates,
    Rate,
    coverage,
    false_positives,
    page_errors,
    plan_keeps,
    prediction_coverage,
    rating_coverage,
    sequence_misses,
    sprt_rates,
    stopped_coverage,
)
from arena.stats import (
    Anchor,
    PairResults,
    SprtDesign,
    bca_mean,
    deal_outcomes,
    elo_rating,
    mean_difference,
    paired_t,
    score_rating,
    sign_flip,
    wilcoxon_signed_rank,
)
from arena.stats.elo import ELO_PER_LOGIT

HANDICAP = 3.0
"""Points per deal that are taken from one of two equal agents, so that the truth is known."""
QUICK = 20
"""How many times fewer repetitions a short version has."""
REAL_DEALS = 50
"""Deals of a repetition of real play. With half as many BCa covers 0.934 of these margins."""
GATE_DEALS = 600
GATE_POINTS = 15.0
FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Promise:
    """A measured value and the range that it must lie in."""

    what: str
    measured: Rate
    at_least: float
    at_most: float
    rough: bool

    @property
    def kept(self) -> bool:
        """Whether it lies there; a rough value may miss by its own Monte Carlo error."""
        found = self.measured
        if self.rough:
            return found.low <= self.at_most and found.high >= self.at_least
        return self.at_least <= found.rate <= self.at_most


class PromiseJudge:
    """Makes promises: the range for each kind of rate. `rough` allows for few repetitions."""

    def __init__(self, rough: bool) -> None:
        self.rough = rough

    def __call__(self, what: str, rate: Rate, at_least: float, at_most: float) -> Promise:
        return Promise(what, rate, at_least, at_most, self.rough)

    def level(self, what: str, rate: Rate) -> Promise:
        return self(what, rate, 0.04, 0.06)

    def conservative(self, what: str, rate: Rate, at_most: float = 0.06) -> Promise:
        return self(what, rate, 0.0, at_most)

    def coverage(self, what: str, rate: Rate, within: float = 0.01) -> Promise:
        return self(what, rate, 0.95 - within, 0.95 + within)


def simulated_promises(judge: PromiseJudge, scale: int, seed: int) -> Iterator[Promise]:
    model = MarginModel()
    reps = max(200, 4_000 // scale)
    draw = model.draw
    for name, test in _tests().items():
        rate = false_positives(draw, test, seed, reps)
        yield judge.level(f"false positives, {name}", rate)
    signs = false_positives(draw, lambda x, _: deal_outcomes(x).p, seed, reps)
    yield judge.conservative("false positives, sign test", signs)
    edge = replace(model, edge=HANDICAP).draw
    yield judge.coverage("coverage, t", coverage(edge, _t, HANDICAP, seed, reps))
    yield judge.coverage("coverage, BCa", coverage(edge, _bca, HANDICAP, seed, reps), 0.015)
    for deals, later in ((50, 50), (50, 200), (200, 50)):
        found = prediction_coverage(edge, deals, later, seed, reps)
        yield judge.coverage(f"coverage, next {later} deals from {deals}", found, 0.015)
    field = FieldModel((12.0, 6.0, 0.0, -6.0, -12.0))
    few = max(100, 2_000 // scale)
    points = rating_coverage(field, score_rating, field.true_points(), seed, few)
    yield judge.coverage("coverage, score rating", points)
    elo = rating_coverage(field, elo_rating, field.true_elo(), seed, few)
    yield judge.coverage("coverage, Elo", elo)
    yield from _against_glm(judge, field, seed)
    yield from _sequential(judge, model, scale, seed)


def _against_glm(judge: PromiseJudge, field: FieldModel, seed: int) -> Iterator[Promise]:
    """Elo and its standard errors against those of statsmodels' GLM, clustered by deal."""
    import statsmodels.api as sm  # here: it takes long to import

    results = field.draw(np.random.default_rng(seed), 400)
    rows = np.arange(results.a.size)
    design = np.zeros((rows.size, len(results.agents)))
    design[rows, results.a], design[rows, results.b] = 1.0, -1.0
    model = sm.GLM(results.wins + results.draws / 2, design[:, 1:], sm.families.Binomial())
    fit = model.fit(cov_type="cluster", cov_kwds={"groups": results.deal})
    ours = elo_rating(results, anchor=Anchor(results.agents[0])).ratings[1:]
    values = np.array([rating.value for rating in ours]) / ELO_PER_LOGIT
    errors = np.array([rating.se for rating in ours]) / ELO_PER_LOGIT
    off = float(np.abs((values - fit.params) / fit.bse).max())
    yield judge("Elo off statsmodels' GLM, in its errors", Rate(off, off, off, 1), 0.0, 1e-4)
    ratio = float((errors / fit.bse).max())
    same = Rate(ratio, ratio, ratio, 1)
    yield judge("errors of Elo by those of statsmodels' GLM", same, 0.99, 1.01)


def _sequential(
    judge: PromiseJudge, model: MarginModel, scale: int, seed: int
) -> Iterator[Promise]:
    design = SprtDesign(0.0, 5.0)
    runs = max(500, 20_000 // scale)
    for truth, name in ((0.0, "0"), (5.0, "5")):
        shifted = replace(model, edge=truth)
        found = sprt_rates(shifted.draw, design, truth, shifted.sd, seed, runs)
        wrong = found.accept_h1 if truth == 0 else found.accept_h0
        yield judge.conservative(f"sequential test wrong, truth {name}", wrong, 0.055)
        share = found.mean_deals / found.planned_deals
        length = Rate(share, share, share, runs)
        yield judge(f"its length against the plan, truth {name}", length, 0.85, 1.15)
    stopped = replace(model, edge=5.0)
    reps = max(100, 2_000 // scale)
    after = stopped_coverage(stopped.draw, design, 5.0, stopped.sd, seed, reps)
    yield judge.coverage("coverage after stopping", after)
    looks = sequence_misses(model.draw, 0.0, (-1_000.0, 1_000.0), seed, max(100, 1_000 // scale))
    yield judge.conservative("confidence sequence ever wrong in 10,000 looks", looks, 0.05)


def _tests() -> dict[str, Callable[[FloatArray, np.random.Generator], float | None]]:
    return {
        "paired t": lambda x, _: paired_t(x).p,
        "Wilcoxon": lambda x, _: wilcoxon_signed_rank(x).p,
        "sign-flip": lambda x, rng: sign_flip(x, rng, 999).p,
    }


def _t(x: FloatArray, _: np.random.Generator) -> tuple[float | None, float | None]:
    found = mean_difference(x)
    return found.low, found.high


def _bca(x: FloatArray, rng: np.random.Generator) -> tuple[float | None, float | None]:
    found = bca_mean(x, rng, resamples=1_999)
    return found.low, found.high


def page_promises(judge: PromiseJudge, scale: int, seed: int) -> Iterator[Promise]:
    """Everything that a page claims about who is stronger, in one; from few deals to many."""
    strong = FieldModel((20.0, *(0.0,) * 5))
    fields: list[tuple[str, FieldModel, int, int | None, int]] = [
        (f"{agents} equal agents, {deals} deals", FieldModel((0.0,) * agents), deals, None, reps)
        for agents, reps in ((3, 4_000), (6, 4_000), (12, 2_000), (20, 2_000))
        for deals in (3, 5, 10, 25, 100)
    ]
    fields += [
        ("one strong and 5 equal agents, 100 deals", strong, 100, None, 2_000),
        ("a sweep of 5 equals against one, 10 deals", strong, 10, 0, 2_000),
        ("a sweep of 5 equals against one, 100 deals", strong, 100, 0, 2_000),
    ]
    for number, (name, model, deals, against, reps) in enumerate(fields):

        def draw(
            rng: np.random.Generator,
            model: FieldModel = model,
            deals: int = deals,
            against: int | None = against,
        ) -> PairResults:
            drawn = model.draw(rng, deals)
            if against is None:
                return drawn
            return drawn.only((drawn.a == against) | (drawn.b == against))

        reps = max(40, reps // scale)
        yield from _page(judge, name, page_errors(draw, model.strengths, seed + number, reps))


PAGE_AGENTS, PAGE_DEALS = 6, 10_000
"""Of real play: twins, and deals that all of them play."""


def real_page_promises(judge: PromiseJudge, played: PairResults, agent: str) -> Iterator[Promise]:
    """The same with twins of a real agent: every field has deals and random numbers of its own."""
    total, agents = int(played.deal.max()) + 1, len(played.agents)
    for deals in (5, 10, 25, 100):
        starts = iter(range(0, total, deals))

        def block(_: object, starts: Iterator[int] = starts, deals: int = deals) -> PairResults:
            start = next(starts)
            return played.only((played.deal >= start) & (played.deal < start + deals))

        found = page_errors(block, (0.0,) * agents, 0, total // deals)
        yield from _page(judge, f"{agents} twins of {agent}, {deals} deals", found)


def _page(judge: PromiseJudge, name: str, found: PageRates) -> Iterator[Promise]:
    yield judge.conservative(f"a page claims something false, {name}", found.claims)
    yield judge.conservative(f"called intransitive, {name}", found.misfit, 0.01)


def real_repetitions(scale: int) -> int:
    """Repetitions of real play."""
    return max(200, 4_000 // scale)


def real_promises(
    judge: PromiseJudge, margins: FloatArray, agent: str, seed: int
) -> Iterator[Promise]:
    """Tests and intervals on real margins (repetition × deal) of an agent against itself."""
    where = f"{agent} against itself"
    for name, test in _tests().items():
        rate = false_positives(margins, test, seed)
        yield judge.level(f"false positives, {name}, {where}", rate)
    lame = margins - HANDICAP
    handicap = f"{where} {HANDICAP:g} points behind"
    yield judge.coverage(f"coverage, t, {handicap}", coverage(lame, _t, -HANDICAP, seed))
    found = coverage(lame, _bca, -HANDICAP, seed)
    yield judge.coverage(f"coverage, BCa, {handicap}", found, 0.015)


RACE_DEALS = 1_000


def race_promises(
    judge: PromiseJudge, scale: int, seed: int, say: Callable[[str], object]
) -> Iterator[Promise]:
    """How often a race says something false; `say` is given the cost of each kind of race."""
    for number, model in enumerate(race_models()):
        found = race_rates(model, RACE_DEALS, max(100, 2_000 // scale), seed + number)
        say(
            f"{model.name}: {found.pair_deals:,.0f} pair-deals on average, {found.full:,} in full; "
            f"undecided in {100 * found.undecided.rate:.0f}%"
        )
        yield judge.conservative(f"a race says something false, {model.name}", found.wrong, 0.05)


def seed_promises(judge: PromiseJudge, scale: int, seed: int) -> Iterator[Promise]:
    """The interval of the seeds' share of variance, and of margins corrected for luck."""
    for number, (share, deals) in enumerate(((0.3, 100), (0.8, 100), (0.8, 400))):
        rate = seed_share_coverage(share, deals, 2, max(200, 2_000 // scale), seed + number)
        what = f"coverage, seeds' share of variance {share:g}, {deals} deals"
        yield judge.coverage(what, rate, 0.025)
    luck = luck_coverage(50, max(200, 2_000 // scale), seed)
    yield judge.coverage("coverage, margin corrected for luck, 50 deals", luck, 0.015)
    few = luck_coverage(24, max(200, 2_000 // scale), seed, parts=5)
    yield judge.coverage("coverage, a person's score corrected for luck, 24 rounds", few, 0.015)


def plan_promises(judge: PromiseJudge, scale: int, seed: int) -> Iterator[Promise]:
    """Plans from small pilots: four in five are to have the power that they promise."""
    for pilot in (20, 60):
        rate = plan_keeps(MarginModel(), pilot, 5.0, seed, max(200, 2_000 // scale))
        yield judge(f"plans from {pilot} deals that have the power promised", rate, 0.77, 1.0)


def gate_promises(judge: PromiseJudge, scale: int, seed: int) -> Iterator[Promise]:
    """The no-regression gate on changes that are rare, skewed or without spread."""
    for change in changes():
        rate, deals = simulated_gate(change, seed, max(100, 2_000 // scale))
        wrong = "passes" if change.worse else "fails"
        what = f"gate, {POINTS:g} points: {change.name}, {wrong} ({deals:.0f} deals)"
        yield judge.conservative(what, rate)


def gate_tables(scale: int) -> tuple[int, int]:
    """Baselines, and times that each deal is played for one of them."""
    return max(4, 60 // scale), REPLICATES + CANDIDATES


def real_gate(played: FloatArray, largest: FloatArray) -> GateRates:
    """Gates on real play, baseline × time × deal: unchanged agents, and GATE_POINTS worse."""
    baselines, candidates = list(played[:, :REPLICATES]), list(played[:, REPLICATES:])
    return gate_rates(baselines, candidates, list(largest[:, REPLICATES:]), GATE_POINTS)


def real_gate_promises(judge: PromiseJudge, found: GateRates, agent: str) -> Iterator[Promise]:
    """Error rates and length of the no-regression gate on real play."""
    name = f"gate, {agent}, {GATE_POINTS:g} points"
    yield judge.conservative(f"{name}: an unchanged agent fails", found.unchanged_fails)
    yield judge.conservative(f"{name}: a worse one passes", found.worse_passes)
    yield judge.conservative(f"{name}: no answer", found.undecided, 0.1)
    saved = Rate(found.saved, found.saved, found.saved, found.undecided.reps)
    yield judge(f"{name}: deals saved of a fixed-size test", saved, 0.3, 1.0)
