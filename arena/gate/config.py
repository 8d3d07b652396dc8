"""The schema of gate files, and the experiment that a gate stands for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from arena.config.experiment import ResolvedExperiment
from arena.config.imports import Imports
from arena.config.loader import build
from arena.config.models import DealsSection
from arena.config.problems import Problems
from arena.config.strict import Strict
from arena.config.strict_yaml import KeyPath, Place, YamlDocument, read
from arena.core.errors import ArenaError

CANDIDATE, BASELINE = "candidate", "baseline"


class BaselineFile(Strict):
    """The other side of the comparison: stored results, or another agent."""

    stored: str | None = None
    """Path of a stored baseline, relative to the gate file; `arena gate --update` makes it."""
    agent: dict[str, Any] | None = None
    """An agent that plays the candidate head to head."""
    git: str | None = None
    """A revision: the candidate plays itself as it was then, head to head."""
    repository: str | None = None
    """With `git`: a folder of its repository, if the gate file does not lie in it."""

    @property
    def is_opponent(self) -> bool:
        """Whether the candidate plays it, head to head."""
        return self.stored is None


class TestFile(Strict):
    """The test: its hypotheses in points per deal, and its error rates."""

    __test__ = False  # not a pytest class

    kind: Literal["no-regression", "gain", "equivalence", "fixed", "pentanomial"] = "no-regression"
    """Sequential: not worse by so many points, or better by them, or (pentanomial, head to head) by
    normalised Elo on pairs of games, as chess tools do it. On all deals: equal within so many
    points (equivalence), or not worse by them (fixed)."""
    worse_by: float | None = Field(default=None, gt=0)
    """No-regression and fixed: points per deal that matter."""
    better_by: float | None = Field(default=None, gt=0)
    """Gain: points per deal that matter."""
    within: float | None = Field(default=None, gt=0)
    """Equivalence: points per deal that do not matter."""
    elo0: float = 0.0
    """Pentanomial: normalised Elo that fails, ..."""
    elo1: float | None = None
    """... and that passes; more than elo0."""
    alpha: float = Field(default=0.05, gt=0, lt=0.5)
    """How often an unchanged agent may fail; gain: may pass; equivalence: a different one."""
    beta: float = Field(default=0.05, gt=0, lt=0.5)
    """How often one that is worse by `worse_by` may pass; gain: a better one may fail."""

    largest_loss: Annotated[float, Field(gt=0)] | Literal["rules"] | None = None
    """Sequential tests on points: what one deal can cost, if more than the largest margin of a game
    so far. Both errors hold for losses up to that, however rare. `rules`: the worst that the rules
    allow, which takes more deals."""

    @property
    def key(self) -> str:
        """The key that says how many points matter."""
        keys = {"gain": "better_by", "equivalence": "within", "pentanomial": "elo1"}
        return keys.get(self.kind, "worse_by")

    @property
    def points(self) -> float:
        """Points per deal that matter."""
        return float(getattr(self, self.key))


class SuiteFile(Strict):
    """A suite of positions that the candidate must not play worse than the baseline."""

    file: str
    """A suite: its path, relative to the gate file, or the name of a bundled one."""
    worse_by: float = Field(ge=0)
    """Points per position that the candidate may lose more than the baseline."""


class AlsoFile(Strict):
    """Further conditions; they also hold for an agent that plays as before."""

    faults: int = Field(default=0, ge=0)
    """Deals that the candidate may forfeit."""
    median_time_ratio: float | None = Field(default=None, gt=0)
    """The candidate's median time for a decision on the probe deals, in those of the baseline;
    each is measured in the time that the machine takes for a fixed piece of work."""
    floors: dict[str, float] = Field(default_factory=dict)
    """By reference: a mean margin that the candidate must not be below."""
    suite: SuiteFile | None = None
    """Positions that both play; not worse than the baseline by so many points."""


class GateDeals(DealsSection):
    """The deals to play."""

    fresh: bool = False
    """Deal anew, like the set, for every candidate that plays differently, so that no candidate is
    fitted to the deals. Not with a stored baseline, which knows its own deals only."""


class GateFile(Strict):
    """A gate: a candidate, references or an opponent, and a test."""

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._+-]*$", max_length=100)
    description: str | None = None
    game: dict[str, Any] | str
    deals: GateDeals
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
    probe_deals: int = Field(default=40, ge=1)
    """Deals of the signature, played in every seat; a change that shows on fewer may go unseen."""
    decision_limit_s: float | None = Field(default=None, gt=0)


@dataclass(frozen=True)
class Gate:
    """A gate file that was checked."""

    path: Path
    file: GateFile
    experiment: ResolvedExperiment
    references: tuple[str, ...]

    def with_baseline(self, path: Path) -> Gate:
        """The same gate with its stored baseline in another file."""
        if self.file.baseline.stored is None:
            raise ArenaError(f"{self.path}: baseline: it is not a stored one")
        baseline = BaselineFile(stored=str(path.absolute()))
        return replace(self, file=self.file.model_copy(update={"baseline": baseline}))

    @property
    def name(self) -> str:
        return self.file.name

    @property
    def stored(self) -> Path | None:
        """Where the stored baseline is."""
        name = self.file.baseline.stored
        return None if name is None else self.path.parent / name


def load_gate(path: Path, trust: bool = False) -> Gate:
    """Read a gate file; raises `ConfigError` with a line for each mistake.

    Code in files is imported if the gate lies in or below the current folder, or with `trust`.
    """
    return build_gate(read(path), path, trust)


def gate_of(data: Mapping[str, Any], place: str, folder: Path) -> Gate:
    """A gate from plain data, such as a test has; `place` is named in mistakes."""
    return build_gate(YamlDocument(dict(data), {(): Place(place)}), folder / "gate.yaml")


def build_gate(document: YamlDocument, path: Path, trust: bool = False) -> Gate:
    """The gate that a document stands for."""
    if "agents" in document.data and "candidate" not in document.data:
        raise ArenaError(f"{path}: is an experiment, no gate: 'arena run {path}'")
    problems = Problems(document)
    file = problems.check(GateFile, document.data, ())
    problems.stop_if_any()
    assert file is not None
    names = _names(file)
    baseline = file.baseline
    if sum(given is not None for given in (baseline.stored, baseline.agent, baseline.git)) != 1:
        problems.add(("baseline",), "give one of stored (a file), agent (one that plays) or git")
    elif file.deals.fresh and not baseline.is_opponent:
        problems.add(
            ("deals", "fresh"), "a stored baseline knows its own deals only; give agent or git"
        )
    elif file.baseline.stored is not None and not names:
        problems.add(("against",), "a stored baseline needs references that the candidate plays")
    if getattr(file.test, file.test.key) is None:
        problems.add(("test", file.test.key), f"missing; {file.test.kind} needs it")
    if file.test.kind == "pentanomial":
        if not baseline.is_opponent:
            problems.add(("test", "kind"), "pentanomial is for head to head (agent or git)")
        if file.test.elo1 is not None and file.test.elo1 <= file.test.elo0:
            problems.add(("test", "elo1"), f"expected more than elo0 ({file.test.elo0:g})")
    for key in ("worse_by", "better_by", "within", "elo1"):
        if key != file.test.key and getattr(file.test, key) is not None:
            problems.add(("test", key), f"{file.test.kind} takes {file.test.key}")
    for name in file.also.floors:
        if name not in names:
            known = ", ".join(names) or "there are none"
            problems.add(("also", "floors", name), f"no such reference (allowed: {known})")
    problems.stop_if_any()
    imports = Imports(path, wanted=True, trusted=trust, report=lambda line: None)
    experiment = build(_experiment(document, file, names), path, imports)
    return Gate(path, file, experiment, tuple(names))


def _names(file: GateFile) -> list[str]:
    """References are called by their family; a second one of a family gets a number."""
    names: list[str] = []
    for reference in file.against:
        family = str(reference.get("family", "reference"))
        same = sum(name == family or name.startswith(f"{family}-") for name in names)
        names.append(f"{family}-{same + 1}" if same else family)
    return names


def _experiment(document: YamlDocument, file: GateFile, names: list[str]) -> YamlDocument:
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
    elif file.baseline.git is not None:
        source = {key: data["baseline"].get(key) for key in ("git", "repository")}
        agents[BASELINE] = {**data["candidate"], "source": source}
        moved["agents", BASELINE] = ("candidate",)
    if file.baseline.is_opponent:
        pairs.append([CANDIDATE, BASELINE])
    places: dict[KeyPath, Place] = dict(document.places)
    for new, old in moved.items():
        for key, place in document.places.items():
            if key[: len(old)] == old:
                places[new + key[len(old) :]] = place
    experiment = {
        "name": file.name,
        "game": data["game"],
        "deals": {key: value for key, value in data["deals"].items() if key != "fresh"},
        "agents": agents,
        "schedule": {"type": "pairs", "pairs": pairs},
        "seed": file.seed,
        "on_fault": "forfeit",
        "decision_limit_s": file.decision_limit_s,
    }
    return YamlDocument(experiment, places)
