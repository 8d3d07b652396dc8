"""Files of a gate: numbers, JUnit, Markdown and a page with the trace of the test."""

from __future__ import annotations

import json
from pathlib import Path

from arena.core.files import write_atomically
from arena.gate.verdict import GateVerdict
from arena.report.sequential import SequentialReport, ShownTest, write_sequential


def write_verdict(verdict: GateVerdict, out: Path, replays: str = "") -> None:
    """`gate.json`, `junit.xml`, `gate.md`, and in `report/` the page, with deals to look at."""
    out.mkdir(parents=True, exist_ok=True)
    text = json.dumps(verdict.as_json(), indent=1, allow_nan=False)
    write_atomically(out / "gate.json", text + "\n")
    write_atomically(out / "junit.xml", verdict.junit())
    write_atomically(out / "gate.md", verdict.markdown())
    write_sequential(_report(verdict), out / "report", replays=replays)


def _report(verdict: GateVerdict) -> SequentialReport:
    test = verdict.test
    tests: tuple[ShownTest, ...] = ()
    if test is not None and test.trace.ratio is not None:
        title = f"{verdict.gate}: the candidate less the baseline"
        ends = ("pass", "regression")
        tests = (ShownTest(title, verdict.outcome, test.trace, "deals", test.unit, *ends),)
    lines = [*verdict.block.splitlines(), ""]
    lines += [f"{c.name}: {c.outcome}: {c.words}" for c in verdict.conditions]
    lines += [
        f"{d.margin:+.0f} on {d.deal} against {d.against}: {d.command}" for d in verdict.worst
    ]
    shown = (*lines, *verdict.notes)
    return SequentialReport(f"gate {verdict.gate}", verdict.line, tests, shown, verdict.outcome)
