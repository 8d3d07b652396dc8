"""The condition `suite` of a gate: positions that the candidate must not play worse."""

from __future__ import annotations

from collections.abc import Iterator

from arena.audit.suite_runs import run_suite
from arena.audit.suites import Suite, find_suite, read_suite
from arena.config.entrants import builder_of
from arena.core.errors import ArenaError
from arena.gate.baseline import Baseline
from arena.gate.config import BASELINE, CANDIDATE, Gate
from arena.gate.verdict import Condition


def suite_condition(gate: Gate, baseline: Baseline | None) -> Iterator[Condition]:
    """Whether the candidate loses too much on the suite; nothing if the gate has none."""
    said = gate.file.also.suite
    if said is None:
        return
    before = suite_lost(gate, BASELINE) if baseline is None else baseline.suite_lost
    if before is None:
        raise ArenaError(f"{gate.stored}: the baseline has no suite; make it again with --update")
    now = suite_lost(gate, CANDIDATE)
    more = now - before
    words = (
        f"loses {now:.1f} points per position, the baseline {before:.1f}: {more:+.1f}, "
        f"{said.worse_by:g} allowed"
    )
    yield Condition("suite", "regression" if more > said.worse_by else "pass", words)


def suite_lost(gate: Gate, name: str) -> float:
    """Points per position that an entrant of the gate loses on its suite."""
    spec = gate.experiment.entrant(name).members[0]
    player = builder_of(spec, gate.experiment.folder, gate.file.decision_limit_s).build()
    try:
        (score,) = run_suite(_suite(gate), {name: player}, gate.file.seed)
    finally:
        player.close()
    for each in score.answers:
        if each.fault is not None:
            raise ArenaError(f"{gate.path}: also.suite: position {each.position}: {each.fault}")
    assert score.lost.value is not None  # a suite has positions
    return score.lost.value


def _suite(gate: Gate) -> Suite:
    said = gate.file.also.suite
    assert said is not None  # asked for
    own = gate.path.parent / said.file
    suite = read_suite(own if own.is_file() else find_suite(said.file))
    if suite.rules.name != gate.experiment.rules.name:
        raise ArenaError(
            f"{gate.path}: also.suite: {said.file} is a suite of {suite.rules.name}, not of "
            f"{gate.experiment.rules.name}"
        )
    return suite
