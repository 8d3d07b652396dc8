"""A gate from its file to its verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.analysis import Results, read
from arena.errors import ArenaError
from arena.gate import ledger
from arena.gate.baseline import (
    Baseline,
    kernel_sources,
    make_baseline,
    read_baseline,
    signature,
)
from arena.gate.config import BASELINE, CANDIDATE, Gate
from arena.gate.tests import PILOT, Measured, check_enough, is_sequential, measure
from arena.gate.verdict import Condition, LostDeal, Outcome, Verdict
from arena.play.describe import rules_used
from arena.play.experiment import Experiment
from arena.play.run import RunOptions, Watcher
from arena.play.run import run as play
from arena.stats import mean_difference
from arena.store import Run
from arena.store.folder import now

__all__ = ["GateOptions", "judge", "update_baseline"]

FloatArray = NDArray[np.float64]
GROWTH = 1.5
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
    times: list[float] = []
    references: dict[str, str] = {}
    for number in range(1, gate.file.replicates + 1):
        seed = gate.file.seed + number
        seeded = replace(experiment, seed=seed)
        folder = options.out / f"baseline-seed-{seed}"
        play(seeded, folder, options.run, watcher)
        with Run(folder) as run:
            if run.faults():
                raise ArenaError(f"{folder}: there were faults; no baseline is made of them")
            tables[seed] = _values(gate, read([run]), len(experiment.deals))
            times.append(run.thinking()[CANDIDATE].median)
            references = _fingerprints(gate, run)
    found = make_baseline(
        gate.name,
        now(),
        _conditions_of(gate, references),
        _signature(gate),
        tables,
        float(np.median(times)),
    )
    found.write(gate.stored)
    return found


def judge(gate: Gate, options: GateOptions, watcher: Watcher) -> Verdict:
    """Play until the test decides or the deals are used up, and say what was found."""
    mine = _signature(gate)
    log = options.ledger or _ledger_path(gate, options)
    tried = ledger.attempts(log, gate.name, gate.experiment.deals_sha256) + 1
    baseline = read_baseline(gate.stored) if gate.stored is not None else None
    if baseline is not None:
        references = {name: baseline.references.get(name, "") for name in gate.references}
        _refuse_void(gate, baseline, references)
        theirs = baseline.signature
    else:
        theirs = _signature(gate, BASELINE)
    if mine is not None and mine == theirs and not gate.file.also.floors:
        words = "no functional change: every action on the probe deals is the same"
        verdict = Verdict(
            gate.name, "pass", (Condition("signature", "pass", words),), mine, True, 0
        )
    else:
        verdict = _played(gate, options, watcher, baseline, mine)
    verdict = replace(
        verdict,
        attempt=tried,
        attempt_words=f"{ledger.ordinal(tried)} attempt at this gate on these deals",
        folder=str(options.out),
    )
    ledger.note(
        log,
        {
            "date": now(),
            "gate": gate.name,
            "signature": mine,
            "deals_sha256": gate.experiment.deals_sha256,
            "verdict": verdict.outcome,
            "deals": verdict.deals,
        },
    )
    return verdict


def _played(
    gate: Gate,
    options: GateOptions,
    watcher: Watcher,
    baseline: Baseline | None,
    mine: str | None,
) -> Verdict:
    experiment = _limited(gate)
    test = gate.file.test.model_copy(
        update={
            "alpha": gate.file.test.alpha * options.alpha_share,
            "beta": gate.file.test.beta * options.alpha_share,
        }
    )
    total = len(experiment.deals)
    planned: int | None = None
    count = min(PILOT, total) if is_sequential(test) else total
    folder = options.out / f"run-{experiment.config_sha256[:8]}-{mine or 'now'}"
    fresh = options.run.fresh
    while True:
        finished = play(experiment, folder, replace(options.run, first=count, fresh=fresh), watcher)
        fresh = False
        if finished.stopped:
            raise ArenaError(f"{gate.path}: stopped: {finished.stopped}")
        with Run(folder) as run:
            if baseline is not None:
                _refuse_void(gate, baseline, _fingerprints(gate, run))
            results = read([run])
            faults = [fault for pairing, fault in run.faults() if fault.entrant == 0]
            thinking = {name: found.median for name, found in run.thinking().items()}
        values = _difference(gate, results, baseline, count)
        found = measure(values, test, count >= total)
        guilty = len(faults) > gate.file.also.faults
        if planned is None and not guilty:
            planned = check_enough(values, test, total, str(gate.path))
        if found.ratio is not None and found.lower is not None and found.upper is not None:
            watcher.say(
                f"{found.deals:,} deals: ratio {found.ratio:.2f} between {found.lower:.2f} "
                f"and {found.upper:.2f}" + (f"; 90% decide within {planned:,}" if planned else "")
            )
        if found.answer != "continue" or count >= total or guilty:
            break
        count = min(total, int(count * GROWTH))
    used = values[: found.deals]
    strength: Outcome = "inconclusive" if found.answer == "continue" else found.answer
    conditions = [Condition("strength", strength, _strength_words(found, strength))]
    if guilty or gate.file.also.faults:
        words = f"{len(faults)} faults, {gate.file.also.faults} allowed"
        if faults:
            words += f"; {faults[0].message.splitlines()[0]}"
        conditions.append(Condition("faults", "fault" if guilty else "pass", words))
    conditions += _floors(gate, results)
    conditions += _time(gate, thinking, baseline)
    return Verdict(
        gate=gate.name,
        outcome=_worst_of(conditions),
        conditions=tuple(conditions),
        signature=mine,
        unchanged=False,
        deals=found.deals,
        mean=found.mean,
        low=found.low,
        high=found.high,
        won=int((used > 0).sum()),
        drawn=int((used == 0).sum()),
        lost=int((used < 0).sum()),
        pentanomial=_pentanomial(gate, results),
        test=found.words,
        ratio=found.ratio,
        lower=found.lower,
        upper=found.upper,
        walk=found.path,
        planned_deals=planned,
        worst=_most_expensive(gate, results, folder),
        notes=tuple(note for note in (found.note,) if note),
    )


# --- values of deals ---------------------------------------------------------------------


def _limited(gate: Gate) -> Experiment:
    most = gate.file.max_deals
    experiment = gate.experiment
    return experiment if most is None else replace(experiment, deals=experiment.deals[:most])


def _values(gate: Gate, results: Results, deals: int) -> dict[str, float]:
    """By deal, in playing order: the mean of the candidate's margins over the references."""
    by_reference: list[dict[str, float]] = []
    for name in gate.references:
        pair = results.pair(CANDIDATE, name)
        by_reference.append(dict(zip(pair.units, map(float, pair.margins), strict=True)))
    ids = [deal.id for deal in gate.experiment.deals[:deals]]
    return {deal: float(np.mean([found[deal] for found in by_reference])) for deal in ids}


def _difference(gate: Gate, results: Results, baseline: Baseline | None, deals: int) -> FloatArray:
    ids = [deal.id for deal in gate.experiment.deals[:deals]]
    if baseline is None:
        pair = results.pair(CANDIDATE, BASELINE)
        direct = dict(zip(pair.units, map(float, pair.margins), strict=True))
        return np.array([direct[deal] for deal in ids])
    missing = [deal for deal in ids if deal not in baseline.values]
    if missing:
        raise ArenaError(
            f"{gate.stored}: the baseline has {len(baseline.values):,} deals and the gate wants "
            f"{len(gate.experiment.deals):,}; make it again with --update, or set max_deals"
        )
    mine = _values(gate, results, deals)
    return np.array([mine[deal] - baseline.values[deal] for deal in ids])


def _pentanomial(gate: Gate, results: Results) -> tuple[int, ...]:
    """Head to head on two seatings: deals by the half points won; empty otherwise."""
    if gate.file.baseline.agent is None:
        return ()
    games = results.pair(CANDIDATE, BASELINE).games
    if games.shape[1] != 2:
        return ()
    points = np.rint((np.sign(games) + 1).sum(axis=1)).astype(np.int64)
    return tuple(int(n) for n in np.bincount(points, minlength=5))


def _most_expensive(gate: Gate, results: Results, folder: Path) -> tuple[LostDeal, ...]:
    found = []
    for name in (*gate.references, *([BASELINE] if gate.file.baseline.agent else [])):
        pair = results.pair(CANDIDATE, name)
        found += [
            LostDeal(
                deal, name, float(margin), f"arena replay {folder} {deal} --pair {CANDIDATE} {name}"
            )
            for deal, margin in zip(pair.units, pair.margins, strict=True)
            if margin < 0
        ]
    return tuple(sorted(found, key=lambda lost: lost.margin)[:WORST_SHOWN])


# --- conditions --------------------------------------------------------------------------


def _strength_words(found: Measured, outcome: Outcome) -> str:
    size = (
        f"{found.mean:+.1f} points a deal [{found.low:+.1f}, {found.high:+.1f}]"
        if found.mean is not None and found.low is not None and found.high is not None
        else f"{found.mean:+.1f} points a deal"
        if found.mean is not None
        else "no estimate"
    )
    ending = {"inconclusive": ", not decided"}.get(outcome, "")
    return f"{size} after {found.deals:,} deals, {found.words}{ending}"


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


def _time(gate: Gate, medians: Mapping[str, float], baseline: Baseline | None) -> list[Condition]:
    limit = gate.file.also.median_time_ratio
    if limit is None:
        return []
    before = medians[BASELINE] if baseline is None else baseline.median_s
    ratio = medians[CANDIDATE] / before if before > 0 else 1.0
    words = f"{ratio:.2f} times the baseline's median time for a decision (limit {limit:g})"
    return [Condition("time", "regression" if ratio > limit else "pass", words)]


def _worst_of(conditions: list[Condition]) -> Outcome:
    order: tuple[Outcome, ...] = ("fault", "regression", "inconclusive", "pass")
    return min((c.outcome for c in conditions), key=order.index)


# --- what a baseline depends on ----------------------------------------------------------


def _signature(gate: Gate, name: str = CANDIDATE) -> str | None:
    experiment = gate.experiment
    (spec,) = experiment.entrant(name).members
    return signature(experiment.rules, spec.build(), experiment.deals)


def _fingerprints(gate: Gate, run: Run) -> dict[str, str]:
    return {name: run.manifest.entrants[name].fingerprint for name in gate.references}


def _conditions_of(gate: Gate, references: Mapping[str, str]) -> dict[str, Any]:
    used = rules_used(gate.experiment.rules)
    return {
        "game": used.game,
        "options": dict(used.options),
        "rules_version": used.version,
        "deals_sha256": gate.experiment.deals_sha256,
        "kernel": kernel_sources(),
        "references": dict(references),
    }


def _refuse_void(gate: Gate, baseline: Baseline, references: Mapping[str, str]) -> None:
    why = baseline.void(_conditions_of(gate, references))
    if why:
        raise ArenaError(f"{gate.stored}: void: {why}; make it again with --update")


def _ledger_path(gate: Gate, options: GateOptions) -> Path:
    """Beside the baseline; in the output folder where that cannot be written."""
    if gate.stored is None:
        return options.out / "ledger.jsonl"
    beside = gate.stored.with_suffix(".ledger.jsonl")
    try:
        beside.parent.mkdir(parents=True, exist_ok=True)
        with beside.open("a"):
            return beside
    except OSError:
        return options.out / "ledger.jsonl"
