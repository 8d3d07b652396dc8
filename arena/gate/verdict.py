"""The verdict of a gate: a line, a block for a pull request, JSON, JUnit, Markdown."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal
from xml.etree import ElementTree

from arena.core.codec import DIALECT
from arena.gate.tests import GateTest

Outcome = Literal["pass", "regression", "inconclusive", "fault"]
EXIT_CODES: dict[Outcome, int] = {"pass": 0, "regression": 1, "inconclusive": 3, "fault": 4}
SUMMARY_LIMIT = 1_000_000
"""Bytes; GitHub takes 1 MiB for a step, all that was written before included."""
MOST_ANNOTATIONS = 10


@dataclass(frozen=True)
class Condition:
    """One thing that had to hold."""

    name: str
    outcome: Outcome
    words: str


@dataclass(frozen=True)
class LostDeal:
    """A deal that cost the candidate much, and how to look at it."""

    deal: str
    against: str
    margin: float
    """The candidate's points on it less the baseline's."""
    command: str


@dataclass(frozen=True)
class GateVerdict:
    """The answer of a gate, and all that it rests on."""

    gate: str
    outcome: Outcome
    conditions: tuple[Condition, ...]
    signature: str | None
    unchanged: bool
    """Whether the signature alone decided."""
    test: GateTest | None = None
    """The test of strength; None if the signature alone decided."""
    won: int = 0
    drawn: int = 0
    lost: int = 0
    pentanomial: tuple[int, ...] = ()
    attempt: int = 0
    """How often deals were played for this gate; 0 if the signature decided."""
    attempt_words: str = ""
    planned_deals: int | None = None
    worst: tuple[LostDeal, ...] = ()
    notes: tuple[str, ...] = ()
    folder: str = ""
    schema: int = 3

    @property
    def deals(self) -> int:
        """Deals that the answer rests on."""
        return 0 if self.test is None else self.test.trace.n

    @property
    def mean(self) -> float | None:
        """The candidate's margin over the baseline, in the unit of the test."""
        return None if self.test is None else self.test.trace.estimate

    @property
    def passed(self) -> bool:
        """Whether nothing speaks against the candidate."""
        return self.outcome == "pass"

    def exit_code(self, inconclusive: Literal["pass", "fail"] | None = None) -> int:
        """The exit code; `inconclusive` makes a gate that did not decide pass or fail."""
        if self.outcome == "inconclusive" and inconclusive is not None:
            return 0 if inconclusive == "pass" else 1
        return EXIT_CODES[self.outcome]

    @property
    def line(self) -> str:
        """One-line summary."""
        if self.unchanged:
            return f"{self.gate}: pass, no functional change (signature {self.signature})"
        why = next((c.words for c in self.conditions if c.outcome == self.outcome), "")
        return f"{self.gate}: {self.outcome}: {why}"

    @property
    def block(self) -> str:
        """Five lines to paste into a pull request."""
        return "\n".join(self._block())

    def _block(self) -> Iterator[str]:
        test, trace = self.test, self.test.trace if self.test else None
        low, high = (trace.low, trace.high) if trace else (None, None)
        limits = f"[{_points(low)}, {_points(high)}]"
        unit = test.unit if test else "points per deal"
        yield f"margin     {_points(self.mean)} {limits} {unit}"
        ratio = ""
        if trace and not (trace.ratio is None or trace.lower is None or trace.upper is None):
            ratio = f", ratio {trace.ratio:.2f} in [{trace.lower:.2f}, {trace.upper:.2f}]"
        yield f"test       {test.words if test else 'none needed'}{ratio}"
        yield f"deals      {self.deals:,} (won {self.won}, drawn {self.drawn}, lost {self.lost})"
        counts = " ".join(map(str, self.pentanomial))
        yield f"pairs      {f'{counts} (lost both .. won both)' if counts else 'only head to head'}"
        tried = f"; {self.attempt_words}" if self.attempt_words else ""
        yield f"signature  {self.signature or 'not reproducible'}{tried}"

    def as_json(self) -> dict[str, Any]:
        """All fields, for `gate.json`."""
        return {**asdict(self), "line": self.line}

    def junit(self) -> str:
        """A test case for each condition."""
        failed = [c for c in self.conditions if c.outcome in ("regression", "fault")]
        unknown = [c for c in self.conditions if c.outcome == "inconclusive"]
        suite = ElementTree.Element(
            "testsuite",
            name=f"arena gate {self.gate}",
            tests=str(len(self.conditions)),
            failures=str(len(failed)),
            errors="0",
            skipped=str(len(unknown)),
        )
        for condition in self.conditions:
            case = ElementTree.SubElement(
                suite, "testcase", classname=f"gate.{self.gate}", name=condition.name
            )
            if condition.outcome == "inconclusive":
                ElementTree.SubElement(case, "skipped", message=condition.words)
            elif condition.outcome != "pass":
                body = ElementTree.SubElement(case, "failure", message=condition.words)
                body.text = self.block
        return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"

    def markdown(self) -> str:
        """For a pull request or a step summary."""
        mark = {"pass": "✅", "regression": "❌", "inconclusive": "❔", "fault": "💥"}
        lines = [f"### {mark[self.outcome]} {self.line}", "", "```", self.block, "```", ""]
        lines += ["| condition | outcome | |", "|---|---|---|"]
        for c in self.conditions:
            words = c.words.replace("|", "\\|")
            lines.append(f"| {c.name} | {c.outcome} | {words} |")
        if self.worst:
            lines += ["", "Most expensive deals:", ""]
            lines += [
                f"- `{d.deal}` against {d.against}: {d.margin:+.0f} points; `{d.command}`"
                for d in self.worst
            ]
        lines += ["", *self.notes]
        return "\n".join(lines).rstrip() + "\n"

    def annotations(self, config: Path) -> list[str]:
        """GitHub workflow commands, at most ten."""
        kinds = {"pass": "notice", "regression": "error", "inconclusive": "warning"}
        found = []
        for c in sorted(self.conditions, key=lambda c: c.outcome == "pass"):
            kind = kinds.get(c.outcome, "error")
            file, title = _escaped(str(config), True), _escaped(f"{self.gate}: {c.name}", True)
            found.append(f"::{kind} file={file},title={title}::{_escaped(c.words)}")
        return found[:MOST_ANNOTATIONS]

    def append_output(self) -> None:
        """Pass the verdict to later steps of a GitHub workflow, if there are any."""
        named = os.environ.get("GITHUB_OUTPUT")
        if not named:
            return
        outputs = {
            "verdict": self.outcome,
            "margin": self.mean,
            "low": self.test and self.test.trace.low,
            "high": self.test and self.test.trace.high,
            "deals": self.deals,
        }
        with Path(named).open("a", encoding="utf-8") as file:
            for name, value in outputs.items():
                file.write(f"{name}={'' if value is None else value}\n")

    def append_summary(self) -> None:
        """Add the Markdown to GitHub's step summary, if there is one and it has room."""
        named = os.environ.get("GITHUB_STEP_SUMMARY")
        if not named:
            return
        path = Path(named)
        used = path.stat().st_size if path.exists() else 0
        text = self.markdown().encode()
        if used + len(text) > SUMMARY_LIMIT:
            text = f"### {self.line}\n".encode()
        if used + len(text) <= SUMMARY_LIMIT:
            with path.open("ab") as file:
                file.write(text)


def verdict_schema() -> dict[str, Any]:
    """The JSON Schema of `gate.json`."""
    from pydantic import TypeAdapter  # here: only this needs it

    schema = TypeAdapter(GateVerdict).json_schema()
    schema["properties"]["line"] = {"type": "string", "description": "one-line summary"}
    schema["required"] = [*schema["properties"]]
    schema["additionalProperties"] = False
    schema["$schema"] = DIALECT
    schema["title"] = "gate.json of arena"
    return dict(schema)


def _points(value: float | None) -> str:
    return "?" if value is None else f"{value:+.1f}"


def _escaped(text: str, is_property: bool = False) -> str:
    """As GitHub's workflow commands want it."""
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return text.replace(":", "%3A").replace(",", "%2C") if is_property else text
