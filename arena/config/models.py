"""The schema of experiment files, as strict models.

The checker and the JSON Schema both come from here. What a game or an agent family
adds (its options, its parameters) comes from its dataclass, see `parameters`.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from arena.config.entrants import Isolate
from arena.config.strict import Strict
from arena.core.rules import MOST_ROUNDS

AgentName = Annotated[str, Field(pattern=r"^[^\W_][\w.,=+-]*$", max_length=100)]
"""Also in names of files and columns, so without blanks; a grid adds `-playouts=100,c=0.5`."""


class DealsSection(Strict):
    """The deals to play."""

    set: str | None = None
    """Name of a set that comes with arena; 'arena list deals' shows them."""
    file: str | None = None
    """Path of a set of one's own, relative to the file that says so."""
    limit: int | None = Field(default=None, ge=1)
    """How many deals to play; all, if not given."""
    offset: int = Field(default=0, ge=0)
    """How many deals of the set to leave out at its beginning."""
    sha256: str | None = None
    """The hash that the set must have."""


class ScheduleSection(Strict):
    """The schedule: which agents meet."""

    type: Literal["round-robin", "gauntlet", "pairs", "race", "cross-play"] = "round-robin"
    """All against all; all others against some; the pairs listed; all against all until the
    best are known, with beaten agents leaving on the way; or all against all with themselves and
    with each of some partners, the same on both sides."""
    against: list[str] | None = None
    """Gauntlet: the agents that all others play."""
    pairs: list[tuple[str, str]] | None = None
    """Pairs: the two agents of each."""
    only: list[str] | None = None
    """Round-robin, gauntlet and race: leave out all agents but these."""
    partner: list[str] | None = None
    """Cross-play: the partners that all agents play with, in addition to themselves."""
    keep: int | None = Field(default=None, ge=1)
    """Race: it ends when so many agents are left (default: 1)."""
    reference: str | None = None
    """Race: all others play this agent only, until each is known better or worse."""
    alpha: float | None = Field(default=None, gt=0, lt=0.5)
    """Race: how often anything that it says may be wrong (default: 0.05)."""


class Race(Strict):
    """A race: what it looks for, and how often it may be wrong."""

    keep: int = 1
    """The race ends when so many agents are left."""
    reference: str | None = None
    """The agent that all others are compared with, in place of each other."""
    alpha: float = 0.05
    """How often anything that the race says may be wrong, over all agents and looks."""


class Match(Strict):
    """When a match is over."""

    rounds: int | None = Field(default=None, ge=1, le=MOST_ROUNDS)
    """After so many rounds."""
    target: int | None = Field(default=None, ge=1)
    """After the round in which a side has so many points."""


MOST_AGENTS = 1000
MOST_SEEDS = 100


class Team(Strict):
    """Two different agents that play as partners."""

    team: tuple[str, str]
    """Names of two other agents of this experiment."""


class Reference(Strict):
    """A published value, shown next to ours."""

    label: str
    """A description, and where it was published."""
    value: float
    agent: str | None = None
    """The agent that the value is about."""
    pair: tuple[str, str] | None = None
    """The pairing that the value is about, seen from its first agent."""
    unit: str | None = None
    """Such as 'win rate' or 'points per deal'."""
    se: float | None = Field(default=None, ge=0)
    """Its standard error."""
    n: int | None = Field(default=None, ge=1)
    """Rounds that it rests on."""


class Stop(Strict):
    """When a pairing has played enough: a sequential test of its mean margin, in points."""

    h0: float = 0.0
    """Points per deal (or match) of the pairing's first agent that it is tested against, ..."""
    h1: float
    """... and those that would matter; more than h0."""
    alpha: float = Field(default=0.05, gt=0, lt=0.5)
    """How often h1 may be decided for where h0 is true."""
    beta: float = Field(default=0.05, gt=0, lt=0.5)
    """How often h0 may be decided for where h1 is true."""


class ExperimentFile(Strict):
    """An experiment: who plays what on which deals."""

    read_before: ClassVar[tuple[str, ...]] = ("include",)
    """Keys that a file may have too, and that are gone when it is checked."""

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._+-]*$", max_length=100)
    """Also the name of the folder with the results."""
    description: str | None = None
    """The purpose of the experiment."""
    game: dict[str, Any]
    """The game's name and its options."""
    deals: DealsSection
    agents: dict[AgentName, dict[str, Any]] = Field(min_length=1)
    """By name: a family with its parameters, or a team."""
    schedule: ScheduleSection = ScheduleSection()
    placements: Literal["all", "alternating", "mixed"] = "all"
    """Without partners: all ways to share the seats equally, every other
    seat, or every way in which both sit somewhere (mixed)."""
    match: Literal[True] | Match | None = None
    """Whole matches instead of single rounds; true for the game's own length."""
    seed: int = Field(default=0, ge=0)
    """Where all randomness comes from."""
    seeds_per_deal: int = Field(default=1, ge=1, le=MOST_SEEDS)
    """How many times every deal is played in every seating, with other random numbers each time."""
    isolate: Isolate = False
    """Whether all agents play in processes of their own; each-deal: a new one for every deal;
    sandbox: where they see nothing else; process: programs too are without a sandbox."""
    on_fault: Literal["stop", "forfeit"] = "stop"
    """Whether an agent's crash or illegal card ends the run or costs it the deal."""
    decision_limit_s: float | None = Field(default=None, gt=0)
    """An agent that thinks longer is at fault."""
    stop: Stop | None = None
    """Play each pairing only until a sequential test decides."""
    indifferent: float | None = Field(default=None, gt=0)
    """Points per deal (or match) that do not matter: the report names agents that are no further
    from the best."""
    reference: tuple[Reference, ...] = ()
    """Published values to compare with."""
    most_agents: int = Field(default=MOST_AGENTS, ge=1)
    """More agents than this, as a grid soon has, are taken for a mistake."""
