"""A gate from its file to its verdict."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.analysis.decisions import Explainers
from arena.analysis.results import Results, read
from arena.analysis.swings import swing_of
from arena.config.entrants import builder_of
from arena.config.experiment import ResolvedExperiment
from arena.core.deals import DealSet
from arena.core.errors import ArenaError
from arena.core.files import find_shipped
from arena.core.generate import Filter, make_deals
from arena.core.scoring import Game, unit_margin
from arena.gate import ledger
from arena.gate.artifacts import write_verdict
from arena.gate.baseline import Baseline, Probe, kernel_sources, make_baseline, probe, read_baseline
from arena.gate.config import BASELINE, CANDIDATE, Gate, TestFile
from arena.gate.suite import suite_condition, suite_lost
from arena.gate.tests import GateTest, check_enough, is_sequential, measure
from arena.gate.verdict import Condition, GateVerdict, LostDeal, Outcome
from arena.report.replays import embedded_replays, replay_of
from arena.report.words import label_of
from arena.stats import mean_difference
from arena.store import Run
from arena.store.folder import now
from arena.tournament.conversations import RunConversations
from arena.tournament.describe import rules_used
from arena.tournament.run import RunOptions
from arena.tournament.run import run as play
from arena.tournament.stopping import PILOT, Played, more, standing
from arena.tournament.watcher import Watcher

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
WORST_SHOWN = 5


@dataclass(frozen=True)
class GateOptions:
    """How to run a gate, which has no influence on the verdict."""

    out: Path
    """Folder for results, verdict files and, where the baseline cannot be written, the ledger."""
    run: RunOptions = field(default_factory=RunOptions)
    ledger: Path | None = None
    alpha_share: float = 1.0
    """Share of the error rates that this gate may spend: one of several divides them."""


def update_baseline(gate: Gate, options: GateOptions, watcher: Watcher) -> Baseline:
    """Play the candidate against the references with several seeds, and store the means."""
    if gate.stored is None:
        raise ArenaError(f"{gate.path}: baseline: there is no stored baseline to update")
    experiment = _limited(gate)
    tables: dict[int, dict[str, float]] = {}
    references: dict[str, str] = {}
    # The candidate plays with the first of these seeds: what both draw alike cancels.
    for seed in range(gate.file.seed, gate.file.seed + gate.file.replicates):
        folder = options.out / f"baseline-seed-{seed}"
        play(replace(experiment, seed=seed), folder, options.run, watcher)
        with Run(folder) as run:
            if run.faults():
                raise ArenaError(f"{folder}: there were faults; no baseline is made of them")
            tables[seed] = _values(gate, read([run]), experiment)
            references = _fingerprints(gate, run)
    conditions = _conditions_of(gate, references)
    lost = None if gate.file.also.suite is None else suite_lost(gate, CANDIDATE)
    found = make_baseline(gate.name, now(), conditions, _probe(gate), tables, lost)
    found.write(gate.stored)
    return found


def judge_gate(gate: Gate, options: GateOptions, watcher: Watcher) -> GateVerdict:
    """Play until the test decides or the deals are used up, and write down what was found."""
    baseline = read_baseline(gate.stored) if gate.stored is not None else None
    if baseline is not None:  # before anything is played; what only play shows is looked at later
        references = {name: baseline.references.get(name, "") for name in gate.references}
        # Another kernel or compiler that plays the same cards is no functional change.
        _refuse_void(gate, baseline, references, kernel=baseline.kernel)
    mine = _probe(gate)
    if gate.file.deals.fresh:
        gate = _dealt_anew(gate, mine, options.out)
    theirs = _probe(gate, BASELINE) if baseline is None else baseline.probe
    same = mine.signature is not None and mine.signature == theirs.signature
    also = [*_time(gate, mine, theirs), *suite_condition(gate, baseline)]
    if same and mine.deals == theirs.deals and not gate.file.also.floors:
        words = "no functional change: every action on the probe deals is the same"
        verdict = _verdict(gate, mine, [Condition("signature", "pass", words), *also])
        verdict = replace(verdict, unchanged=verdict.outcome == "pass")
    else:
        if baseline is not None:
            _refuse_void(gate, baseline, references)
        verdict, replays = _played(gate, options, watcher, baseline, mine, also)
    verdict = replace(verdict, folder=str(options.out))
    if verdict.test is None:  # nothing was played, so nothing was tried on the deals
        write_verdict(verdict, options.out)
        return verdict
    log = options.ledger or _ledger_path(gate, options)
    tried = ledger.attempts(log, gate.name, gate.experiment.deals_sha256) + 1
    verdict = replace(
        verdict,
        attempt=tried,
        attempt_words=f"{ledger.ordinal(tried)} attempt at this gate on these deals",
    )
    write_verdict(verdict, options.out, replays)
    ledger.note(  # in the end: a gate that is interrupted goes on with the same attempt
        log,
        {
            "date": now(),
            "gate": gate.name,
            "signature": mine.signature,
            "deals_sha256": gate.experiment.deals_sha256,
            "verdict": verdict.outcome,
            "deals": verdict.deals,
        },
    )
    return verdict


def _verdict(gate: Gate, mine: Probe, conditions: Sequence[Condition]) -> GateVerdict:
    return GateVerdict(
        gate=gate.name,
        outcome=_worst_of(conditions),
        conditions=tuple(conditions),
        signature=mine.signature,
        unchanged=False,
    )


def _played(
    gate: Gate,
    options: GateOptions,
    watcher: Watcher,
    baseline: Baseline | None,
    mine: Probe,
    also: Sequence[Condition],
) -> tuple[GateVerdict, str]:
    """The verdict, and the deals that cost most for its page."""
    experiment = _limited(gate)
    test = _shared(gate.file.test, options.alpha_share)
    rule = _Rule(gate, experiment, test, baseline)
    key = hashlib.sha256(f"{test.model_dump_json()} {mine.signature}".encode()).hexdigest()
    folder = options.out / f"run-{experiment.config_sha256[:8]}-{key[:8]}"
    finished = play(experiment, folder, options.run, watcher, rule)
    if finished.stopped:
        raise ArenaError(f"{gate.path}: stopped: {finished.stopped}")
    with Run(folder) as run:
        if baseline is not None:
            _refuse_void(gate, baseline, _fingerprints(gate, run))
        results = read([run])
        faults = [fault for _, fault in run.faults() if fault.entrant == 0]
        worst = _most_expensive(gate, results, folder, baseline)
        replays = _replays(run, results, worst)
    found = rule.found
    used = rule.values[: found.trace.n]
    strength: Outcome = "inconclusive" if found.answer == "continue" else found.answer
    conditions = [Condition("strength", strength, _strength_words(found, strength))]
    guilty = len(faults) > gate.file.also.faults
    if guilty or gate.file.also.faults:
        words = f"{len(faults)} faults, {gate.file.also.faults} allowed"
        if faults:
            words += f"; {faults[0].message.splitlines()[0]}"
        conditions.append(Condition("faults", "fault" if guilty else "pass", words))
    conditions += [*_floors(gate, results), *also]
    verdict = replace(
        _verdict(gate, mine, conditions),
        test=found,
        won=int((used > 0).sum()),
        drawn=int((used == 0).sum()),
        lost=int((used < 0).sum()),
        pentanomial=rule.pentanomial,
        planned_deals=rule.planned,
        worst=worst,
        notes=tuple(note for note in (found.trace.note,) if note),
    )
    return verdict, replays


def _shared(test: TestFile, share: float) -> TestFile:
    return test.model_copy(update={"alpha": test.alpha * share, "beta": test.beta * share})


class _Rule:
    """How many deals a gate wants: all pairings the same, until its test decides."""

    def __init__(
        self, gate: Gate, experiment: ResolvedExperiment, test: TestFile, baseline: Baseline | None
    ) -> None:
        self._gate, self._test, self._baseline = gate, test, baseline
        self._pairings = experiment.pairings
        self._ids = [deal.id for deal in experiment.deals]
        if baseline is not None and any(deal not in baseline.values for deal in self._ids):
            raise ArenaError(
                f"{gate.stored}: the baseline has {len(baseline.values):,} deals and the gate "
                f"wants {len(self._ids):,}; make it again with --update, or set max_deals"
            )
        self.values: FloatArray = np.empty(0)
        self.cells: IntArray | None = None
        self.planned: int | None = None
        self.found: GateTest

    def wanted(self, played: Played) -> Sequence[int]:
        """A quarter more until the test decides; a fixed test has a pilot, then all."""
        count = len(played[0])
        total = len(self._ids)
        if count == 0:
            return [min(PILOT, total)] * len(played)
        self.values = self._difference(played)
        self.cells = self._half_points(played)
        margins = (
            abs(game.margin)
            for units in played
            for games in units
            for game in games
            if not game.forfeit
        )
        loss = max(self._loss, float(max(margins, default=0.0)))
        self.found = measure(self.values, self._test, count >= total, self.cells, loss)
        forfeits = sum(game.forfeit == 1 for units in played for games in units for game in games)
        if forfeits > self._gate.file.also.faults:
            return [count] * len(played)  # whatever its strength, it fails
        if self.planned is None and self.found.answer == "continue":
            # Refused as soon as the pilot shows that it would lead nowhere.
            self.planned = check_enough(self.values, self._test, total, str(self._gate.path), loss)
        if self.found.answer != "continue":
            return [count] * len(played)
        return [more(count) if is_sequential(self._test) else total] * len(played)

    def words(self) -> Sequence[str]:
        """The state of the test, in one line."""
        return [standing(self.found.trace)]

    @property
    def pentanomial(self) -> tuple[int, ...]:
        """Deals by the half points won, head to head on two seatings; empty otherwise."""
        if self.cells is None:
            return ()
        counts = np.bincount(self.cells[: self.found.trace.n], minlength=5)
        return tuple(int(n) for n in counts)

    @property
    def _loss(self) -> float:
        """The largest loss on a deal according to the gate file; 0 if it has none."""
        most = self._test.largest_loss
        if most != "rules":
            return most or 0.0
        won = max(self._baseline.values.values()) if self._baseline is not None else 0.0
        return won - self._gate.experiment.rules.margin_bounds[0]

    @cached_property
    def _direct(self) -> int | None:
        """The pairing with the baseline, if that plays."""
        pair = (CANDIDATE, BASELINE)
        return self._pairings.index(pair) if pair in self._pairings else None

    def _difference(self, played: Played) -> FloatArray:
        """One value per deal: the candidate's less the baseline's."""
        if self._direct is not None:
            return np.array([unit_margin(games) for games in played[self._direct]])
        assert self._baseline is not None  # there is one or the other
        margins = np.array([[unit_margin(games) for games in units] for units in played])
        known = np.array([self._baseline.values[deal] for deal in self._ids[: margins.shape[1]]])
        return np.asarray(margins.mean(axis=0) - known)

    def _half_points(self, played: Played) -> IntArray | None:
        if self._direct is None or any(len(games) != 2 for games in played[self._direct]):
            return None
        return np.array([_half_points(games) for games in played[self._direct]], dtype=np.int64)


def _half_points(games: Sequence[Game]) -> int:
    return sum(1 + (game.margin > 0) - (game.margin < 0) for game in games)


# --- values of deals ---------------------------------------------------------------------


def _limited(gate: Gate) -> ResolvedExperiment:
    most = gate.file.max_deals
    experiment = gate.experiment
    return experiment if most is None else replace(experiment, deals=experiment.deals[:most])


def _dealt_anew(gate: Gate, mine: Probe, out: Path) -> Gate:
    """The gate on deals of the same kind that this candidate is the first to see."""
    if mine.signature is None:
        raise ArenaError(f"{gate.path}: deals.fresh: the candidate is not reproducible")
    experiment = gate.experiment
    source = experiment.deals_from
    named = source.get("set")
    like = DealSet.load(
        find_shipped("deals", str(named), ".csv") if named else Path(str(source["file"]))
    )
    measures: Mapping[str, Callable[..., int]] = getattr(experiment.rules, "measures", {})
    filters = [Filter.parse(text, dict(measures)) for text in like.meta.get("filter", ())]
    name = f"{gate.name}-{mine.signature}"
    seed = int(hashlib.sha256(name.encode()).hexdigest()[:12], 16)
    dealt = make_deals(experiment.rules, name, len(experiment.deals), seed, filters)
    dealt = dealt.save(out / f"deals-{mine.signature}.csv")
    anew = replace(
        experiment,
        deals=dealt.deals,
        deal_set=dealt.name,
        deals_sha256=dealt.sha256,
        deals_from={"file": str(dealt.path), "offset": 0},
    )
    return replace(gate, experiment=anew)


def _values(gate: Gate, results: Results, experiment: ResolvedExperiment) -> dict[str, float]:
    """By deal, in playing order: the mean of the candidate's margins over the references."""
    by_reference = [_margins(results, name) for name in gate.references]
    return {
        deal.id: float(np.mean([found[deal.id] for found in by_reference]))
        for deal in experiment.deals
    }


def _margins(results: Results, against: str) -> dict[str, float]:
    """By deal, the candidate's margin."""
    pair = results.pair(CANDIDATE, against)
    return dict(zip(pair.units, map(float, pair.margins), strict=True))


def _most_expensive(
    gate: Gate, results: Results, folder: Path, baseline: Baseline | None
) -> tuple[LostDeal, ...]:
    """Where the candidate lost most to the baseline, on each deal to the opponent that won most."""
    names = [BASELINE] if baseline is None else gate.references
    margins = [_margins(results, name) for name in names]
    lost = []
    for deal in margins[0]:
        here = [margin[deal] for margin in margins if deal in margin]
        known = 0.0 if baseline is None else baseline.values[deal]
        if (difference := float(np.mean(here)) - known) < 0:
            against = names[int(np.argmin(here))]
            command = f"arena replay {folder} {deal} --pair {CANDIDATE} {against}"
            lost.append(LostDeal(deal, against, difference, command))
    return tuple(sorted(lost, key=lambda each: each.margin)[:WORST_SHOWN])


def _replays(run: Run, results: Results, worst: Sequence[LostDeal]) -> str:
    """These deals for the viewer of a page, with what was lost to the baseline; empty if none."""
    explainers, talks = Explainers(run), RunConversations(run)
    parts = []
    for lost in worst:
        swing = swing_of(results, CANDIDATE, lost.against, lost.deal)
        shown = replay_of(run, swing, explainers, {}, talks)
        parts.append(replace(shown, first=CANDIDATE, second=lost.against, margin=lost.margin))
    return embedded_replays(parts, label_of(run.rules, "bonus")) if parts else ""


# --- conditions --------------------------------------------------------------------------


def _strength_words(found: GateTest, outcome: Outcome) -> str:
    trace = found.trace
    size = "no estimate" if trace.estimate is None else f"{trace.estimate:+.1f} {found.unit}"
    if trace.estimate is not None and trace.low is not None and trace.high is not None:
        size += f" [{trace.low:+.1f}, {trace.high:+.1f}]"
    ending = ", not decided" if outcome == "inconclusive" else ""
    return f"{size} after {trace.n:,} deals, {found.words}{ending}"


def _floors(gate: Gate, results: Results) -> list[Condition]:
    """A floor fails when the whole interval of the margin lies below it."""
    out = []
    for name, floor in gate.file.also.floors.items():
        found = mean_difference(results.pair(CANDIDATE, name).margins)
        high = found.high if found.high is not None else found.mean
        below = high is not None and high < floor
        words = f"{found.mean:+.1f} points against {name}, the floor is {floor:+g}"
        out.append(Condition(f"floor {name}", "regression" if below else "pass", words))
    return out


def _time(gate: Gate, mine: Probe, theirs: Probe) -> list[Condition]:
    limit = gate.file.also.median_time_ratio
    if limit is None:
        return []
    ratio = mine.times_slower_than(theirs)
    words = f"{ratio:.2f} times the baseline's median time for a decision (limit {limit:g})"
    return [Condition("time", "regression" if ratio > limit else "pass", words)]


def _worst_of(conditions: Sequence[Condition]) -> Outcome:
    order: tuple[Outcome, ...] = ("fault", "regression", "inconclusive", "pass")
    return min((c.outcome for c in conditions), key=order.index)


# --- what a baseline depends on ----------------------------------------------------------


def _probe(gate: Gate, name: str = CANDIDATE) -> Probe:
    experiment = gate.experiment
    (spec,) = experiment.entrant(name).members
    player = builder_of(spec, experiment.folder, experiment.decision_limit_s).build()
    try:
        return probe(experiment.rules, player, experiment.deals[: gate.file.probe_deals])
    finally:
        player.close()


def _fingerprints(gate: Gate, run: Run) -> dict[str, str]:
    return {name: run.manifest.entrants[name].fingerprint for name in gate.references}


def _conditions_of(gate: Gate, references: Mapping[str, str]) -> dict[str, Any]:
    used = rules_used(gate.experiment.rules)
    return {
        "game": used.game,
        "options": dict(used.options),
        "rules_version": used.version,
        "deals_sha256": gate.experiment.deals_sha256,
        "kernel": kernel_sources(gate.experiment.rules),
        "references": dict(references),
    }


def _refuse_void(gate: Gate, baseline: Baseline, references: Mapping[str, str], **but: str) -> None:
    why = baseline.void({**_conditions_of(gate, references), **but})
    if why:
        where = "make it again with --update"
        if _is_pull_request():  # an update here would hide the change
            where = (
                f"update it on the main branch ('arena gate {gate.path.name} --update', and commit "
                "the file), not in this pull request"
            )
        raise ArenaError(f"{gate.stored}: void: {why}; {where}")


def _is_pull_request() -> bool:
    github = os.environ.get("GITHUB_EVENT_NAME", "").startswith("pull_request")
    return github or "CI_MERGE_REQUEST_IID" in os.environ


def _ledger_path(gate: Gate, options: GateOptions) -> Path:
    """Next to the baseline; in the output folder if that cannot be written."""
    if gate.stored is None:
        return options.out / "ledger.jsonl"
    path = gate.stored.with_suffix(".ledger.jsonl")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a"):
            return path
    except OSError:
        return options.out / "ledger.jsonl"
