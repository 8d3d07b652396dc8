"""The schema of study files, and the study that a file stands for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from arena.config.agents import Declared
from arena.config.entrants import Entrant
from arena.config.imports import Imports
from arena.config.loader import read_parts
from arena.config.models import AgentName, DealsSection
from arena.config.problems import Problems
from arena.config.strict import Strict
from arena.config.strict_yaml import KeyPath, read
from arena.core.deals import Deal, DealSet
from arena.core.errors import ArenaError, did_you_mean
from arena.core.rules import Rules
from arena.core.seeds import rng_for
from arena.table.design import BalancedDesign
from arena.table.recording import check_person

MOST_PARTICIPANTS = 1000


class StudyFile(Strict):
    """A study: people play rounds against agents, in a balanced design."""

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._+-]*$", max_length=100)
    """Also the name of the folder with the results."""
    description: str | None = None
    game: dict[str, Any] | str
    """The game's name, or its name and its options."""
    deals: DealsSection | None = None
    """The deals to play, each once by every participant; made from the seed, if not given."""
    agents: dict[AgentName, dict[str, Any]] = Field(min_length=1)
    """By name: a family with its parameters."""
    opponents: list[str] = Field(min_length=1)
    """Agents that the participants play; each sits in all seats of the other side."""
    partner: str | None = None
    """The agent that is everybody's partner, in games with partners."""
    alongside: list[str] = Field(default_factory=list)
    """Agents that play the same deals in the same seats, with the same partner."""
    participants: Annotated[int, Field(ge=1, le=MOST_PARTICIPANTS)] | list[str]
    """How many there may be, or their names."""
    rounds: int = Field(ge=1)
    """Rounds of each participant against each opponent."""
    seed: int = Field(default=0, ge=0)
    """Of the agents, of the order of opponents, and of deals that are made."""


@dataclass(frozen=True)
class Study:
    """A study file that was checked."""

    name: str
    description: str | None
    rules: Rules
    design: BalancedDesign
    opponents: tuple[Entrant, ...]
    """In the order in which the design numbers them."""
    partner: Entrant | None
    alongside: tuple[Entrant, ...]
    """With the partner."""
    participants: int
    names: tuple[str, ...] | None
    """None if participants choose their names."""
    seed: int
    deal_set: DealSet | None
    """None if deals are to be made."""
    deals: tuple[Deal, ...]
    folder: Path
    """What paths of models and code are relative to."""


def load_study(path: Path, trust: bool = False) -> Study:
    """Read a study file; raises `ConfigError` with a line for each mistake.

    Code in files is imported if the study lies in or below the current folder, or with `trust`.
    """
    document = read(path)
    if "schedule" in document.data:
        raise ArenaError(f"{path}: is an experiment, no study: 'arena run {path}'")
    problems = Problems(document)
    file = problems.check(StudyFile, document.data, ())
    problems.stop_if_any()
    assert file is not None  # there were no problems
    imports = Imports(path, wanted=True, trusted=trust, report=lambda line: None)
    parts = read_parts(problems, path, imports, file.game, file.agents, file.deals)
    found = _StudyAgents(file, parts.agents, problems)
    rules, wanted = parts.rules, len(file.opponents) * file.rounds
    if not rules.has_tricks:
        problems.add(("game",), f"people do not play {rules.name}: it has no hands and tricks")
    if (file.partner is None) == (max(map(len, rules.sides)) > 1):
        needed = "is played without partners" if file.partner else "needs the agent that is partner"
        problems.add(("partner",), f"{rules.name} {needed}")
    if parts.deal_set is not None and len(parts.deals) < wanted:
        problems.add(
            ("deals",),
            f"{len(parts.deals)} deals are too few: {len(file.opponents)} opponents and "
            f"{file.rounds} rounds against each need {wanted}",
        )
    opponents = found.named("opponents", file.opponents)
    partners = found.named("partner", [] if file.partner is None else [file.partner])
    alongside = found.named("alongside", file.alongside)
    found.check_all_are_used()
    names = _names(file, problems)
    problems.stop_if_any()
    partner = partners[0] if partners else None
    rng_for(file.seed, "study").shuffle(opponents)
    return Study(
        name=file.name,
        description=file.description,
        rules=rules,
        design=BalancedDesign(len(opponents), len(rules.sides), file.rounds),
        opponents=tuple(opponents),
        partner=partner,
        alongside=tuple(_in_the_seats_of_people(each, partner, opponents) for each in alongside),
        participants=len(names) if names is not None else _number(file),
        names=names,
        seed=file.seed,
        deal_set=parts.deal_set,
        deals=parts.deals[:wanted],
        folder=path.parent,
    )


def _number(file: StudyFile) -> int:
    assert isinstance(file.participants, int)
    return file.participants


@dataclass(frozen=True)
class _StudyAgents:
    """The agents that the keys of a study name."""

    file: StudyFile
    declared: Declared
    problems: Problems

    def named(self, key: str, names: list[str]) -> list[Entrant]:
        """Single agents by their names; notes what is wrong."""
        found: list[Entrant] = []
        for number, name in enumerate(names):
            here: KeyPath = (key,) if key == "partner" else (key, number)
            entrants = self.declared.named(name)
            if name not in self.file.agents:
                near = did_you_mean(name, self.file.agents)
                self.problems.add(here, f"unknown agent {name!r}; {near}")
            elif entrants and (len(entrants) > 1 or "team" in self.file.agents[name]):
                self.problems.add(here, f"{name!r} stands for several agents; expected one")
            elif name in names[:number]:
                self.problems.add(here, f"{name!r} is there twice")
            elif entrants:
                found.append(self.declared.entrants[entrants[0]])
        return found

    def check_all_are_used(self) -> None:
        """Note agents that take no part."""
        partner = [self.file.partner] if self.file.partner else []
        used = {*self.file.opponents, *partner, *self.file.alongside}
        for name in self.file.agents:
            if name not in used:
                self.problems.add(
                    ("agents", name), "does not play: name it in opponents, partner or alongside"
                )


def _names(file: StudyFile, problems: Problems) -> tuple[str, ...] | None:
    if isinstance(file.participants, int):
        return None
    here: KeyPath = ("participants",)
    if not 1 <= len(file.participants) <= MOST_PARTICIPANTS:
        problems.add(here, f"expected 1 to {MOST_PARTICIPANTS} names")
    for number, name in enumerate(file.participants):
        try:
            check_person(name, "name")
        except ArenaError as error:
            problems.add((*here, number), str(error))
        if name in file.participants[:number] or name in file.agents:
            problems.add((*here, number), f"{name!r} is there twice")
    return tuple(file.participants)


def _in_the_seats_of_people(
    agent: Entrant, partner: Entrant | None, opponents: list[Entrant]
) -> Entrant:
    """An agent where people sit; it has a name of its own where it also plays against them."""
    if partner is not None:
        return Entrant(f"{agent.name}+{partner.name}", (*agent.members, *partner.members))
    if agent.name not in {each.name for each in opponents}:
        return agent
    (member,) = agent.members
    return Entrant(f"{agent.name}-2", (replace(member, twin=2),))
