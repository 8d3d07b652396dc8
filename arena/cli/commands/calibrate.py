"""Measure whether the statistics keep their promises: error rates and coverage.

On simulated margins, and on real ones: a stochastic agent plays itself on real deals, so
that every difference found is a false one, and once more with a handicap of a few points
that is known, so that every interval can be checked. `page` counts how often something on a
report of equals is false; `gate` plays hundreds of gates of an agent that has not changed, and
of one made worse. Both take longer. --quick is a short version whose numbers are rough, and are
judged with that in mind.

Examples:
  arena calibrate --quick
  arena calibrate gate --keep reports/calibration

Exit codes: 0 all promises kept, 1 one is not.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from arena.analysis import read
from arena.cli.options import find_set, make_rules
from arena.cli.progress import Progress
from arena.cli.table import text_table
from arena.config.entrants import AgentSpec, Entrant
from arena.config.experiment import Experiment
from arena.core.deals import DealSet
from arena.core.errors import ArenaError
from arena.measure.calibrate.gate import CANDIDATES, REPLICATES, gate_rates
from arena.measure.calibrate.statistics import (
    FieldModel,
    MarginModel,
    Rate,
    coverage,
    false_positives,
    familywise_error,
    page_errors,
    rating_coverage,
    sequence_misses,
    sprt_rates,
    stopped_coverage,
)
from arena.report.words import count, percent, plain
from arena.stats import (
    Anchor,
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
from arena.store import Run
from arena.tournament.run import RunOptions
from arena.tournament.run import run as play

SEED = 1
HANDICAP = 3.0
"""Points per deal that one of the two real agents has less."""
QUICK = 20
"""How many times shorter the short version is."""
FloatArray = NDArray[np.float64]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """How long, and with which agent."""
    parser.add_argument(
        "part",
        nargs="?",
        choices=("simulated", "real", "page", "gate"),
        help="what to measure (default: simulated and real; page and gate take longer)",
    )
    parser.add_argument("--quick", action="store_true", help="a short version, rough")
    parser.add_argument("--agent", default="random", help="a stochastic family (default: random)")
    parser.add_argument(
        "--deals", default="klaverjas-given-10000", metavar="SET", help="real deals to play"
    )
    parser.add_argument(
        "--keep", type=Path, metavar="DIR", help="gate: where its games are kept, to go on later"
    )
    parser.add_argument("--seed", type=int, default=SEED, help=f"default: {SEED}")
    parser.add_argument("--json", action="store_true", help="every number, as JSON")


@dataclass(frozen=True)
class Promise:
    """A measured value and the range that it must lie in."""

    what: str
    measured: float
    low: float
    high: float
    reps: int
    at_least: float
    at_most: float
    rough: bool
    zero_share: float | None = None

    @property
    def kept(self) -> bool:
        """Whether it lies there; a rough value may miss by its own Monte Carlo error."""
        if self.rough:
            return self.low <= self.at_most and self.high >= self.at_least
        return self.at_least <= self.measured <= self.at_most


def run(args: argparse.Namespace) -> int:
    """Measure, print, judge."""
    found: list[Promise] = []
    for promise in _measure(args):
        found.append(promise)
        if not args.json:
            print(f"{promise.what}: {percent(promise.measured, 2)}", file=sys.stderr)
    kept = all(promise.kept for promise in found)
    if args.json:
        promises = [{**asdict(promise), "kept": promise.kept} for promise in found]
        print(json.dumps({"kept": kept, "promises": promises}, indent=2))
    else:
        print(_table(found))
    return 0 if kept else 1


def _measure(args: argparse.Namespace) -> Iterator[Promise]:
    scale = QUICK if args.quick else 1
    judge = _Judge(args.quick)
    if args.part in (None, "simulated"):
        yield from _simulated(judge, scale, args.seed)
    if args.part in (None, "real"):
        yield from _real(judge, scale, args)
    if args.part == "page":
        yield from _page(judge, scale, args.seed)
    if args.part == "gate":
        yield from _gate(judge, scale, args)


def _table(found: list[Promise]) -> str:
    rows = [
        (
            promise.what,
            percent(promise.measured, 2),
            f"{percent(promise.low, 2)} to {percent(promise.high, 2)}",
            _range(promise),
            count(promise.reps),
            percent(promise.zero_share),
            "yes" if promise.kept else "NO",
        )
        for promise in found
    ]
    head = ("what", "measured", "Monte Carlo error", "must be", "repetitions", "deals of margin 0")
    return text_table((*head, "kept"), rows)


def _range(promise: Promise) -> str:
    if promise.at_least <= 0:
        return f"≤ {percent(promise.at_most)}"
    return f"{percent(promise.at_least)} to {percent(promise.at_most)}"


class _Judge:
    """What must be, by kind of promise."""

    def __init__(self, rough: bool) -> None:
        self.rough = rough

    def __call__(self, what: str, rate: Rate, at_least: float, at_most: float) -> Promise:
        return Promise(
            what,
            rate.rate,
            rate.low,
            rate.high,
            rate.reps,
            at_least,
            at_most,
            self.rough,
            rate.zero_share,
        )

    def level(self, what: str, rate: Rate) -> Promise:
        return self(what, rate, 0.04, 0.06)

    def conservative(self, what: str, rate: Rate, at_most: float = 0.06) -> Promise:
        return self(what, rate, 0.0, at_most)

    def coverage(self, what: str, rate: Rate, within: float = 0.01) -> Promise:
        return self(what, rate, 0.95 - within, 0.95 + within)


# --- simulated ---------------------------------------------------------------------------


def _simulated(judge: _Judge, scale: int, seed: int) -> Iterator[Promise]:
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
    field = FieldModel((12.0, 6.0, 0.0, -6.0, -12.0))
    few = max(100, 2_000 // scale)
    points = rating_coverage(field, score_rating, field.true_points(), seed, few)
    yield judge.coverage("coverage, score rating", points)
    elo = rating_coverage(field, elo_rating, field.true_elo(), seed, few)
    yield judge.coverage("coverage, Elo", elo)
    equal = familywise_error(FieldModel((0.0,) * 8), seed, few)
    yield judge.conservative("family-wise error, 8 equal agents, Holm", equal, 0.055)
    yield from _against_glm(judge, field, seed)
    yield from _page(judge, scale, seed)
    yield from _sequential(judge, model, scale, seed)


def _against_glm(judge: _Judge, field: FieldModel, seed: int) -> Iterator[Promise]:
    """Elo and its standard errors beside those of statsmodels' GLM, clustered by deal."""
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
    yield judge("Elo off statsmodels' GLM, in its errors", Rate("", off, off, off, 1), 0.0, 1e-4)
    ratio = float((errors / fit.bse).max())
    same = Rate("", ratio, ratio, ratio, 1)
    yield judge("errors of Elo by those of statsmodels' GLM", same, 0.99, 1.01)


def _sequential(judge: _Judge, model: MarginModel, scale: int, seed: int) -> Iterator[Promise]:
    design = SprtDesign(0.0, 5.0)
    runs = max(500, 20_000 // scale)
    for truth, name in ((0.0, "0"), (5.0, "5")):
        shifted = replace(model, edge=truth)
        found = sprt_rates(shifted.draw, design, truth, shifted.sd, seed, runs)
        wrong = found.accept_h1 if truth == 0 else found.accept_h0
        yield judge.conservative(f"sequential test wrong, truth {name}", wrong, 0.055)
        share = found.mean_deals / found.planned_deals
        length = Rate("length", share, share, share, runs)
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


def _page(judge: _Judge, scale: int, seed: int) -> Iterator[Promise]:
    """Everything that a page says about who is stronger, in one."""
    reps = max(100, 2_000 // scale)
    fields = {
        "6 equal agents": (FieldModel((0.0,) * 6), None),
        "one strong beside 5 equals": (FieldModel((20.0, *(0.0,) * 5)), None),
        "a sweep of 5 equals against one": (FieldModel((20.0, *(0.0,) * 5)), 0),
    }
    for name, (model, against) in fields.items():
        found = page_errors(model, seed, reps, 100, against)
        yield judge.conservative(f"a page says something false, {name}", found.conclusions)
        yield judge.conservative(
            f"the page or its direct pairs, {name}", found.with_direct_table, 0.1
        )
        yield judge.conservative(f"called intransitive, {name}", found.fallback)


# --- real --------------------------------------------------------------------------------


def _real(judge: _Judge, scale: int, args: argparse.Namespace) -> Iterator[Promise]:
    # With half as many deals BCa covers 0.934 of these margins; see docs/statistics.md.
    reps, deals = max(200, 4_000 // scale), 50
    table = self_play(args.agent, args.deals, reps * deals, args.seed).reshape(reps, deals)
    where = f"{args.agent} against itself"
    for name, test in _tests().items():
        rate = false_positives(table, test, args.seed)
        yield judge.level(f"false positives, {name}, {where}", rate)
    lame = table - HANDICAP
    handicap = f"{where} {plain(HANDICAP)} points behind"
    yield judge.coverage(f"coverage, t, {handicap}", coverage(lame, _t, -HANDICAP, args.seed))
    found = coverage(lame, _bca, -HANDICAP, args.seed)
    yield judge.coverage(f"coverage, BCa, {handicap}", found, 0.015)


def _gate(judge: _Judge, scale: int, args: argparse.Namespace) -> Iterator[Promise]:
    """Gates with fresh baselines of a real agent: other seeds of the same play, and a handicap."""
    deals, worse_by = 600, 15.0
    baselines = max(4, 60 // scale)
    tables = baselines * (REPLICATES + CANDIDATES)
    played = repeated_play(args.agent, args.deals, deals, tables, args.seed, args.keep)
    table = played.reshape(baselines, REPLICATES + CANDIDATES, deals)
    found = gate_rates(list(table[:, :REPLICATES]), list(table[:, REPLICATES:]), worse_by)
    name = f"gate, {args.agent}, {plain(worse_by)} points"
    yield judge.conservative(f"{name}: an unchanged agent fails", found.unchanged_fails)
    yield judge.conservative(f"{name}: a worse one passes", found.worse_passes)
    yield judge.conservative(f"{name}: no answer", found.undecided, 0.1)
    saved = Rate("saved", found.saved, found.saved, found.saved, found.undecided.reps)
    yield judge(f"{name}: deals saved of a fixed-size test", saved, 0.4, 1.0)
    print(
        f"{name}: {plain(found.mean_deals, 0)} deals on average, a fixed test needs "
        f"{found.fixed_deals:,}; among the worst tenth of baselines an unchanged agent fails in "
        f"{percent(found.worst_decile)}",
        file=sys.stderr,
    )


def repeated_play(
    family: str, deal_set: str, count: int, times: int, seed: int, keep: Path | None
) -> FloatArray:
    """Margins of an agent against itself, time × deal: the same deals, played anew each time.

    One run, whose deals have the number of the repetition in their names, so that every one has
    chances of its own. In the folder `keep` it goes on where it was interrupted.
    """
    deals = DealSet.load(find_set(deal_set))
    twins = _twins(family)
    experiment = Experiment(
        name="calibrate",
        rules=make_rules(deals.game, dict(deals.meta.get("options", {}))),
        deals=tuple(
            replace(deal, id=f"{deal.id}~{time}")
            for time in range(times)
            for deal in deals.deals[:count]
        ),
        deal_set=f"{deals.name}, {times} times",
        deals_sha256=deals.sha256,
        entrants=twins,
        pairings=(("this", "that"),),
        seed=seed,
    )
    return _margins(experiment, keep).reshape(times, -1)


def self_play(family: str, deal_set: str, count: int, seed: int) -> FloatArray:
    """Margins of an agent against itself, one per deal; a set that is used up is played again.

    Every time through the set has another seed, so that no game is played twice.
    """
    deals = DealSet.load(find_set(deal_set))
    rules = make_rules(deals.game, dict(deals.meta.get("options", {})))
    twins = _twins(family)
    found: list[FloatArray] = []
    missing = count
    while missing > 0:
        number = len(found)
        experiment = Experiment(
            name="calibrate",
            rules=rules,
            deals=deals.deals[:missing],
            deal_set=deals.name,
            deals_sha256=deals.sha256,
            entrants=twins,
            pairings=(("this", "that"),),
            seed=seed + number,
        )
        found.append(_margins(experiment))
        missing -= len(found[-1])
    return np.concatenate(found)


def _twins(family: str) -> tuple[Entrant, Entrant]:
    """The same agent twice, with random numbers of its own each time."""
    return Entrant("this", (AgentSpec(family),)), Entrant("that", (AgentSpec(family, twin=2),))


def _margins(experiment: Experiment, keep: Path | None = None) -> FloatArray:
    with tempfile.TemporaryDirectory(prefix="arena-calibrate-") as folder:
        path = keep or Path(folder) / "run"
        with Progress("deals", quiet=keep is None) as progress:
            finished = play(experiment, path, RunOptions(), progress)
        if finished.stopped:
            raise ArenaError(f"stopped: {finished.stopped}")
        with Run(path) as results:
            return read([results]).pairs[0].margins
