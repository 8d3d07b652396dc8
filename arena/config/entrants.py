"""Who takes part, as plain data, and the one way in which agents are built from it.

An experiment and a stored run name their agents in the same words: a family, its
parameters as YAML and JSON can hold them, and a bidder. `AgentSpec.build` turns them
into players, wherever they are needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

from arena.config.live_agents import LiveAgent, is_live, live_agent
from arena.config.model_file import model_files
from arena.config.own_code import OwnCode, is_code, is_trusted
from arena.config.parameters import plain, read_values
from arena.core.agent import Player, sees_all_cards
from arena.core.errors import ArenaError
from arena.core.registry import AGENTS, BIDDERS, Registry
from arena.process.client import Isolated, Launch, ProcessAgent, Program
from arena.process.limits import Limits
from arena.process.recipe import AgentRecipe
from arena.process.revision import GitSource, Revision, program_at
from arena.process.sandbox import Sandbox
from arena.process.sandbox import why_none as no_sandbox

Isolate: TypeAlias = Literal[True, False, "each-deal", "process", "sandbox"]
"""Whether an agent plays in a process of its own: for every seat, for every deal, a plain one
whatever it is, or one in a sandbox. Programs are in a sandbox unless they must be plain."""

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
    """What it may use; it then plays in a process of its own."""
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

    def build(self, folder: Path = _HERE) -> Player:
        """The agent itself, ready to be seated: in this process, wherever it plays else.

        Its files are looked for in `folder`.
        """
        return Builder.of(self, folder).build()


@dataclass(frozen=True)
class Entrant:
    """Who takes part: one agent in all seats of its side, or a team of two different ones.

    The first member of a team takes the entrant's first seat in the order N E S W,
    the second member the other one.
    """

    name: str
    members: tuple[AgentSpec, ...]
    team: tuple[str, ...] = ()
    """The names that the members of a team have in the experiment."""


@dataclass(frozen=True)
class Builder:
    """How to make an agent. Families travel by reference, so workers need no registry of ours."""

    name: str
    """Of the family, for errors."""
    family: Callable[..., Any]
    parameters: Mapping[str, Any]
    bidder_family: Callable[..., Any] | None
    bidder_parameters: Mapping[str, Any]
    twin: int = 1

    @classmethod
    def of(cls, spec: AgentSpec, folder: Path = _HERE) -> Builder:
        """The builder of a specified agent; unknown families and bad parameters are refused.

        Models are looked for in `folder`: that of the experiment, or of the run.
        """
        if spec.source is not None:  # today's code would be another agent
            raise ArenaError(f"{spec.family!r} of {spec.source.git} plays in processes only")
        name, bidder = spec.family, spec.bidder
        family = _class_of(AGENTS, name, folder)
        bids = _class_of(BIDDERS, bidder.family, folder) if bidder else None
        values = _values(family, spec.parameters, f"agent family {name!r}", folder)
        relative_to = getattr(family, "relative_to", None)
        return cls(
            spec.family,
            _sendable(family, name, folder),
            values if relative_to is None else relative_to(folder, values),
            _sendable(bids, bidder.family, folder) if bids and bidder else None,
            _values(bids, bidder.parameters, f"bidder {bidder.family!r}", folder)
            if bids and bidder
            else {},
            spec.twin,
        )

    @property
    def own_code(self) -> tuple[str | None, str | None]:
        """The hashes of the files of the card player and the bidder, if they are code in files."""
        hashes = [
            part.sha256 if isinstance(part, (OwnCode, LiveAgent)) else None
            for part in (self.family, self.bidder_family)
        ]
        return hashes[0], hashes[1]

    def launch(self) -> Isolated:
        """How to start a process in which it plays."""
        recipe = AgentRecipe(
            self.family, self.parameters, self.bidder_family, self.bidder_parameters
        )
        models = model_files([self.parameters, self.bidder_parameters])
        code = (p for p in (self.family, self.bidder_family) if isinstance(p, OwnCode))
        return Isolated(recipe, [*(model.path for model in models), *(p.root for p in code)])

    def build(self) -> Player:
        """The agent."""
        bids = self.bidder_family
        try:
            # Copies: a list among the parameters must not be a way to talk to one's partner.
            bidder = bids(**_copied(self.bidder_parameters)) if bids else None
            return Player(self.family(**_copied(self.parameters)), bidder)
        except (ArenaError, ValueError):  # parameters that do not go together, in its own words
            raise
        except Exception as error:  # whatever a plug-in does wrong
            what = " ".join(f"{type(error).__name__}: {error}".split())
            raise ArenaError(f"agent family {self.name!r} cannot be built: {what}") from error


def _class_of(registry: Registry[Any], family: str, folder: Path) -> Any:
    """What is registered under a name; a live agent; code in a file, if its folder is trusted."""
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
            "'arena run --trust' and 'arena explain --trust'"
        )


def _values(family: Any, parameters: Mapping[str, Any], what: str, folder: Path) -> dict[str, Any]:
    """What to call a family with; a live agent already has its parameters."""
    return {} if isinstance(family, LiveAgent) else read_values(family, parameters, what, folder)


def _sendable(family: Any, name: str, folder: Path) -> Any:
    """A family as it goes to workers: by reference, or with the text of its file."""
    return OwnCode.find(name, folder) if is_code(name) else family


def _copied(value: Any) -> Any:
    """A copy with lists and mappings of its own; other values do not change."""
    if isinstance(value, Mapping):
        return {key: _copied(inner) for key, inner in value.items()}
    return [_copied(inner) for inner in value] if isinstance(value, list) else value


@dataclass(frozen=True)
class ProcessBuilder:
    """How to make an agent that plays in processes of its own."""

    launch: Launch
    limits: Limits
    fresh: bool
    """Whether every deal has a new process."""
    facts: Mapping[str, Any]
    """What is to be known of the agent here."""
    twin: int = 1

    def build(self) -> Player:
        """The agent, as something that asks processes."""
        return Player(ProcessAgent(self.launch, self.limits, fresh=self.fresh, **self.facts))


def facts_of(player: Player) -> dict[str, bool]:
    """What has to be known of an agent that plays elsewhere."""
    parts = [part for part in (player.cards, player.bidder) if part is not None]
    return {
        "sees_all_cards": sees_all_cards(player),
        "reproducible": all(getattr(part, "reproducible", True) for part in parts),
    }


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
        here = Builder.of(spec, folder)
        if not spec.is_isolated:
            return here
        player = here.build()
        launch, facts = getattr(player.cards, "launch", None) or here.launch(), facts_of(player)
    limits = spec.limits or Limits()
    if limits.seconds_per_decision is None:
        limits = replace(limits, seconds_per_decision=decision_limit_s or launch.patience_s)
    if _in_sandbox(spec, launch):
        launch = launch.inside(Sandbox(tuple(map(str, hidden)), network=limits.network))
    return ProcessBuilder(launch, limits, spec.isolate == "each-deal", facts, spec.twin)


def _in_sandbox(spec: AgentSpec, launch: Launch) -> bool:
    why = no_sandbox()
    if spec.isolate == "sandbox" and why:
        raise ArenaError(f"isolate: sandbox: {why}; isolate: true is a process without a sandbox")
    is_stranger = isinstance(launch, Program) and spec.source is None
    return not why and (spec.isolate == "sandbox" or (is_stranger and spec.isolate != "process"))


def apart(
    builder: Builder | ProcessBuilder, decision_limit_s: float | None, hidden: Sequence[Path]
) -> ProcessBuilder:
    """How to make an agent so that no other can harm it: as well as the system can."""
    if isinstance(builder, Builder):
        limits = Limits(seconds_per_decision=decision_limit_s)
        facts = facts_of(builder.build())
        builder = ProcessBuilder(builder.launch(), limits, False, facts, builder.twin)
    if builder.launch.sandbox is not None or no_sandbox():
        return builder
    sandbox = Sandbox(tuple(map(str, hidden)), network=builder.limits.network)
    return replace(builder, launch=builder.launch.inside(sandbox))
