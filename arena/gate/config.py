"""What a gate file may say, and the experiment that it stands for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from arena.config.loader import build
from arena.config.models import Deals
from arena.config.problems import Problems
from arena.config.strict_yaml import Document, KeyPath, Place, read
from arena.play.experiment import Experiment
from arena.strict import Strict

__all__ = ["BASELINE", "CANDIDATE", "Gate", "GateFile", "TestFile", "load_gate"]

CANDIDATE, BASELINE = "candidate", "baseline"


class BaselineFile(Strict):
    """What the candidate is compared with: results on file, or another agent that plays it."""

    stored: str | None = None
    """Path of a stored baseline, relative to the gate file; `arena gate --update` makes it."""
    agent: dict[str, Any] | None = None
    """An agent that plays the candidate head to head."""


class TestFile(Strict):
    """What is tested, in points per deal, and how often it may err."""

    __test__ = False  # not a pytest class

    kind: Literal["no-regression", "gain", "equivalence", "fixed"] = "no-regression"
    """Sequential: not worse by so many points, or better by them. On all deals: equal within
    them (equivalence), or not worse by them (fixed)."""
    worse_by: float | None = Field(default=None, gt=0)
    """No-regression and fixed: points per deal that matter."""
    better_by: float | None = Field(default=None, gt=0)
    """Gain: points per deal that matter."""
    within: float | None = Field(default=None, gt=0)
    """Equivalence: points per deal that do not matter."""
    alpha: float = Field(default=0.05, gt=0, lt=0.5)
    """How often an unchanged agent may fail; gain: may pass; equivalence: a different one."""
    beta: float = Field(default=0.05, gt=0, lt=0.5)
    """How often one that is worse by `worse_by` may pass; gain: a better one may fail."""

    @property
    def key(self) -> str:
        """The key that says how many points matter."""
        return {"gain": "better_by", "equivalence": "within"}.get(self.kind, "worse_by")

    @property
    def points(self) -> float:
        """Points per deal that matter."""
        return float(getattr(self, self.key))


class AlsoFile(Strict):
    """Conditions beside the test."""

    faults: int = Field(default=0, ge=0)
    """Deals that the candidate may forfeit."""
    median_time_ratio: float | None = Field(default=None, gt=0)
    """The candidate's median time for a decision, in those of the baseline."""
    floors: dict[str, float] = Field(default_factory=dict)
    """By reference: a mean margin that the candidate must not be below."""


class GateFile(Strict):
    """A gate: a candidate, references or an opponent, and a test."""

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._+-]*$", max_length=100)
    description: str | None = None
    game: dict[str, Any] | str
    deals: Deals
    candidate: dict[str, Any]
    """A family with its parameters."""
    against: list[dict[str, Any]] = Field(default_factory=list)
    """References; a deal's value is the mean margin over them."""
    baseline: BaselineFile
    test: TestFile
    also: AlsoFile = AlsoFile()
    seed: int = Field(default=0, ge=0)
    max_deals: int | None = Field(default=None, ge=1)
    """Never play more; all deals of the set, if not given."""
    replicates: int = Field(default=3, ge=1, le=100)
    """How many times a stored baseline plays each deal, with other seeds."""
    decision_limit_s: float | None = Field(default=None, gt=0)


@dataclass(frozen=True)
class Gate:
    """A gate file that was checked."""

    path: Path
    file: GateFile
    experiment: Experiment
    references: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.file.name

    @property
    def stored(self) -> Path | None:
        """Where the stored baseline is."""
        name = self.file.baseline.stored
        return None if name is None else self.path.parent / name


def load_gate(path: Path) -> Gate:
    """Read a gate file; raises `ConfigError` with a line for each mistake."""
    document = read(path)
    problems = Problems(document)
    file = problems.check(GateFile, document.data, ())
    problems.stop_if_any()
    assert file is not None
    names = _names(file)
    if (file.baseline.stored is None) == (file.baseline.agent is None):
        problems.add(("baseline",), "give either stored (a file) or agent (one that plays)")
    elif file.baseline.stored is not None and not names:
        problems.add(("against",), "a stored baseline needs references that the candidate plays")
    if getattr(file.test, file.test.key) is None:
        problems.add(("test", file.test.key), f"missing; {file.test.kind} needs it")
    for key in ("worse_by", "better_by", "within"):
        if key != file.test.key and getattr(file.test, key) is not None:
            problems.add(("test", key), f"{file.test.kind} takes {file.test.key}")
    for name in file.also.floors:
        if name not in names:
            known = ", ".join(names) or "there are none"
            problems.add(("also", "floors", name), f"no such reference (allowed: {known})")
    problems.stop_if_any()
    return Gate(path, file, build(_experiment(document, file, names), path), tuple(names))


def _names(file: GateFile) -> list[str]:
    """References are called by their family; a second one of a family gets a number."""
    names: list[str] = []
    for reference in file.against:
        family = str(reference.get("family", "reference"))
        same = sum(name == family or name.startswith(f"{family}-") for name in names)
        names.append(f"{family}-{same + 1}" if same else family)
    return names


def _experiment(document: Document, file: GateFile, names: list[str]) -> Document:
    """The gate as an experiment file; everything keeps the place where it was written."""
    data = document.data
    moved: dict[KeyPath, KeyPath] = {("agents", CANDIDATE): ("candidate",)}
    agents: dict[str, Any] = {CANDIDATE: data["candidate"]}
    pairs = [[CANDIDATE, name] for name in names]
    for number, name in enumerate(names):
        agents[name] = data["against"][number]
        moved["agents", name] = ("against", number)
    if file.baseline.agent is not None:
        agents[BASELINE] = data["baseline"]["agent"]
        moved["agents", BASELINE] = ("baseline", "agent")
        pairs.append([CANDIDATE, BASELINE])
    places: dict[KeyPath, Place] = dict(document.places)
    for new, old in moved.items():
        for key, place in document.places.items():
            if key[: len(old)] == old:
                places[new + key[len(old) :]] = place
    experiment = {
        "name": file.name,
        "game": data["game"],
        "deals": data["deals"],
        "agents": agents,
        "schedule": {"type": "pairs", "pairs": pairs},
        "seed": file.seed,
        "on_fault": "forfeit",
        "decision_limit_s": file.decision_limit_s,
    }
    return Document(experiment, places)
