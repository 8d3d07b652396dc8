"""Entrants as plain data, and the one way to build agents from it.

An experiment and a stored run name their agents in the same words: a family, its
parameters as YAML and JSON can hold them, and a bidder. `AgentSpec.build` turns them
into players, wherever they are needed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

from arena.config.live_agents import LiveAgent, is_live, live_agent
from arena.config.model_file import model_files
from arena.config.own_code import OwnCode, is_code, is_trusted
from arena.config.parameters import plain, read_values
from arena.core.agent import Player, is_reproducible, sees_all_cards
from arena.core.errors import ArenaError
from arena.core.files import RUNS, shipped_folders
from arena.core.registry import AGENTS, BIDDERS, Registry
from arena.process.builder import Builder
from arena.process.client import Isolated, Launch, ProcessAgent, Program
from arena.process.limits import Limits
from arena.process.revision import GitSource, Revision, program_at
from arena.process.sandbox import Sandbox
from arena.process.sandbox import why_none as no_sandbox

Isolate: TypeAlias = Literal[True, False, "each-deal", "process", "sandbox"]
"""Whether an agent plays in a process of its own: for every seat, for every deal, a plain one
whatever it is, or one in a sandbox. Programs are in a sandbox unless they must be plain."""

PERSON = "person"
"""What stands for the family where a person played; `name` is the only parameter."""
_HERE = Path()


@dataclass(frozen=True)
class BidderSpec:
    """A bidder by its family and its parameters."""

    family: str
    parameters: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "parameters", plain(self.parameters))


@dataclass(frozen=True)
class AgentSpec:
    """An agent by its family and its parameters, and the bidder that bids for it, if any."""

    family: str
    parameters: dict[str, Any] = field(default_factory=dict)
    """As YAML and JSON can hold them; those left out have their defaults."""
    bidder: BidderSpec | None = None
    limits: Limits | None = None
    """Its limits; with them it plays in a process of its own."""
    isolate: Isolate = False
    source: GitSource | None = None
    """Where its code comes from, if not from here; it plays in a process of its own then."""
    twin: int = 1
    """Which of several twins it is: they differ in the random numbers they are given only."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "parameters", plain(self.parameters))

    @property
    def is_isolated(self) -> bool:
        """Whether it plays in a process of its own, and not as trusted code in ours."""
        if self.isolate or self.limits is not None or self.source is not None:
            return True
        if is_code(self.family) or is_live(self.family):
            return False
        return getattr(AGENTS.get(self.family), "launch", None) is not None

    @property
    def is_person(self) -> bool:
        """Whether a person played, and no agent."""
        return self.family == PERSON

    @property
    def names_code(self) -> bool:
        """Whether it, or its bidder, is code in a file next to the experiment."""
        return is_code(self.family) or (self.bidder is not None and is_code(self.bidder.family))

    @property
    def written(self) -> dict[str, Any]:
        """The family, its parameters and its bidder, as an experiment says them."""
        written: dict[str, Any] = {"family": self.family, **self.parameters}
        if self.bidder is not None:
            written["bidder"] = {"family": self.bidder.family, **self.bidder.parameters}
        return written

    def builder(self, folder: Path = _HERE) -> Builder:
        """How to make it here; unknown families and bad parameters are refused.

        Its files and models are looked for in `folder`: that of the experiment, or of the run.
        """
        if self.source is not None:  # today's code would be another agent
            raise ArenaError(f"{self.family!r} of {self.source.git} plays in processes only")
        family = _class_of(AGENTS, self.family, folder)
        values = _values(family, self.parameters, f"agent family {self.family!r}", folder)
        relative_to = getattr(family, "relative_to", None)
        if relative_to is not None:
            values = relative_to(folder, values)
        found = Builder(self.family, _sendable(family, self.family, folder), values, twin=self.twin)
        if self.bidder is None:
            return found
        name = self.bidder.family
        bidder = _class_of(BIDDERS, name, folder)
        return replace(
            found,
            bidder_family=_sendable(bidder, name, folder),
            bidder_parameters=_values(bidder, self.bidder.parameters, f"bidder {name!r}", folder),
        )

    def build(self, folder: Path = _HERE) -> Player:
        """The agent itself, ready to be seated: in this process, wherever it plays else.

        Its files are looked for in `folder`. A program is in its sandbox here, too.
        """
        if self.family == "command":
            hidden = (*shipped_folders("deals"), RUNS.absolute())
            return builder_of(self, folder, hidden=hidden).build()
        return self.builder(folder).build()


def spec_of(written: Any, what: str) -> AgentSpec:
    """An agent by its family alone, or with its parameters and bidder as an experiment says them.

    Families and parameters are checked when it is built; `what` names it in errors.
    """
    family, parameters = _family_in(written, what)
    bidder = parameters.pop("bidder", None)
    return AgentSpec(
        family, parameters, None if bidder is None else BidderSpec(*_family_in(bidder, "bidder"))
    )


def _family_in(written: Any, what: str) -> tuple[str, dict[str, Any]]:
    if isinstance(written, str):
        return written, {}
    if not isinstance(written, Mapping) or not isinstance(written.get("family"), str):
        raise ArenaError(f"{what}: expected {{family: NAME, ...}}, found {written!r}")
    return written["family"], {key: value for key, value in written.items() if key != "family"}


@dataclass(frozen=True)
class Entrant:
    """A participant: one agent in all seats of its side, or a team of two different ones.

    The first member of a team takes the entrant's first seat in the order N E S W,
    the second member the other one.
    """

    name: str
    members: tuple[AgentSpec, ...]
    team: tuple[str, ...] = ()
    """The names that the members of a team have in the experiment."""


def _class_of(registry: Registry[Any], family: str, folder: Path) -> Any:
    """A registered family, a live agent, or code in a file, if its folder is trusted."""
    if is_live(family):
        return live_agent(family)
    if not is_code(family):
        return registry.get(family)
    _check_trust(family, folder)
    return OwnCode.find(family, folder).load()


def _check_trust(family: str, folder: Path) -> None:
    if not is_trusted(folder):
        raise ArenaError(
            f"{family} is code in a file outside the current folder, which is imported only by "
            "'arena run', 'arena gate' and 'arena explain' with --trust"
        )


def _values(family: Any, parameters: Mapping[str, Any], what: str, folder: Path) -> dict[str, Any]:
    """The arguments of a family; a live agent already has its parameters."""
    return {} if isinstance(family, LiveAgent) else read_values(family, parameters, what, folder)


def _sendable(family: Any, name: str, folder: Path) -> Any:
    """A family as it goes to workers: by reference, or with the text of its file."""
    return OwnCode.find(name, folder) if is_code(name) else family


@dataclass(frozen=True)
class ProcessBuilder:
    """How to make an agent that plays in processes of its own."""

    launch: Launch
    limits: Limits
    fresh: bool
    """Whether every deal has a new process."""
    facts: Mapping[str, Any]
    """Facts about the agent that this process needs."""
    twin: int = 1

    def build(self) -> Player:
        """The agent, as something that asks processes."""
        return Player(ProcessAgent(self.launch, self.limits, fresh=self.fresh, **self.facts))


def facts_of(player: Player) -> dict[str, bool]:
    """Facts that this process needs of an agent in another one."""
    return {"sees_all_cards": sees_all_cards(player), "reproducible": is_reproducible(player)}


def builder_of(
    spec: AgentSpec,
    folder: Path = _HERE,
    decision_limit_s: float | None = None,
    hidden: Sequence[Path] = (),
) -> Builder | ProcessBuilder:
    """How to make an agent where it plays, given the limit of the whole experiment.

    In a sandbox it does not see what is `hidden`.
    """
    launch: Launch
    if spec.source is not None:
        if spec.names_code:
            _check_trust(spec.family, folder)
        revision = Revision.find(spec.source, folder)
        launch, facts = program_at(revision, spec.written, is_code=is_code(spec.family))
    else:
        here = spec.builder(folder)
        if not spec.is_isolated:
            return here
        player = here.build()
        launch, facts = getattr(player.cards, "launch", None) or _launch(here), facts_of(player)
    limits = spec.limits or Limits()
    launch.check(limits, spec.isolate)
    if limits.seconds_per_decision is None:
        limits = replace(limits, seconds_per_decision=decision_limit_s or launch.patience_s)
    if _in_sandbox(spec, launch):
        launch = launch.inside(Sandbox(tuple(map(str, hidden)), network=limits.network))
    return ProcessBuilder(launch, limits, spec.isolate == "each-deal", facts, spec.twin)


def _launch(builder: Builder) -> Isolated:
    """How to start a process of its own for an agent of ours."""
    models = model_files([builder.parameters, builder.bidder_parameters])
    code = (p for p in (builder.family, builder.bidder_family) if isinstance(p, OwnCode))
    return Isolated(builder, [*(model.path for model in models), *(p.root for p in code)])


def _in_sandbox(spec: AgentSpec, launch: Launch) -> bool:
    why = no_sandbox()
    if spec.isolate == "sandbox" and why:
        raise ArenaError(f"isolate: sandbox: {why}; isolate: true is a process without a sandbox")
    is_program = isinstance(launch, Program) and spec.source is None
    return not why and (spec.isolate == "sandbox" or (is_program and spec.isolate != "process"))


def isolated_builder(
    builder: Builder | ProcessBuilder, decision_limit_s: float | None, hidden: Sequence[Path]
) -> Builder | ProcessBuilder:
    """How to make an agent so that no other can harm it: as well as the system can."""
    if isinstance(builder, Builder):
        if builder.asks_server:  # it only waits, and from a sandbox it would reach no server
            return builder
        limits = Limits(seconds_per_decision=decision_limit_s)
        facts = facts_of(builder.build())
        builder = ProcessBuilder(_launch(builder), limits, False, facts, builder.twin)
    if builder.launch.sandbox is not None or no_sandbox():
        return builder
    sandbox = Sandbox(tuple(map(str, hidden)), network=builder.limits.network)
    return replace(builder, launch=builder.launch.inside(sandbox))
