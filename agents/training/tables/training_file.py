"""The file that says how tables are made: what is played, and by whom.

    name: klaverjas
    games:                       # variants of one game, and how many rounds of each
      - {rounds: 4000, name: klaverjas}
      - {rounds: 2000, name: klaverjas, variant: amsterdam}
    types:                       # the first is how the others are taken to play in a search
      search: {family: ismcts, simulations: 1600}
      rule: {family: rule}
    seed: 1001

A type may also be what was recorded (`arena record`): `search: {recording: FOLDER}`, a folder
beside the file. It must have as many rounds as are asked for.

`learners` are types too, but play by a model themselves: by what was learnt of the others. So
the champion can be told how champions play, from nothing:

    learners:
      champion: {family: champion, simulations: 2500, worlds: 500}
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from agents.training.tables.fit import PENALTY
from arena.config.agents import declare
from arena.config.entrants import AgentSpec
from arena.config.parameters import model_of, values_of
from arena.config.problems import Problems
from arena.config.strict import Strict
from arena.config.strict_yaml import YamlDocument, read, with_override
from arena.core.errors import ArenaError
from arena.core.registry import AGENTS, GAMES
from arena.core.rules import Rules

HELD_OUT = 10
"""Every so many rounds one is not fitted to."""
FEWEST_ROUNDS = 2 * HELD_OUT
"""Rounds of which two are not fitted to: a spread needs two."""
_NOT_PLAYED = {"kind", "shares", "partner_shares", "deals"}
"""What changes nothing that is played to learn from."""


class TrainingFile(Strict):
    """How a model is made."""

    kind: Literal["tables"] = "tables"
    name: str
    games: list[dict[str, Any]] = Field(min_length=1)
    types: dict[str, dict[str, Any]] = Field(min_length=1)
    learners: dict[str, dict[str, Any]] = Field(default_factory=dict)
    """Types that play by a model themselves: by that of the types."""
    learner_rounds: float = Field(0.4, gt=0, le=1)
    """The share of the rounds of each game that a learner plays."""
    seed: int = Field(ge=0)
    shares: dict[str, float] | None = None
    """How likely others are of each type, where nothing else is said; else all are of the first."""
    partner_shares: dict[str, float] | None = None
    """The same for partners; by default as others."""
    penalty: float = Field(PENALTY, gt=0)
    measured: int = Field(200, ge=2)
    """Rounds, at most, in which nats are measured."""
    deals: int = Field(500, ge=2)
    """Deals of the first game in which strength is measured, each with seats exchanged."""

    @property
    def identity(self) -> str:
        """The same for files by which the same is played to learn from."""
        text = json.dumps(self.model_dump(mode="json", exclude=_NOT_PLAYED), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:12]


@dataclass(frozen=True)
class Training:
    """What a file says, with everything in it found."""

    file: TrainingFile
    document: YamlDocument
    folder: Path
    """What paths are relative to."""
    games: list[Rules]
    players: dict[str, AgentSpec]
    """Types that play; the others were recorded."""

    def learner(self, name: str, model: Path) -> AgentSpec:
        """A learner that plays by a model."""
        said = {**self.file.learners[name], "model": str(model)}
        problems = Problems(self.document)
        players = _players({name: said}, self.games[0], problems, "learners")
        problems.stop_if_any()
        return players[name]


def load_training(config: Path, overrides: list[str]) -> Training:
    """Read a training file; raises `ConfigError` with a line for each mistake found."""
    document = read(config)
    for override in overrides:
        document = with_override(document, override)
    problems = Problems(document)
    file = problems.check(TrainingFile, document.data, ())
    problems.stop_if_any()
    assert file is not None  # else there is a problem
    games = _games(file, problems)
    problems.stop_if_any()
    played = {name: said for name, said in file.types.items() if set(said) != {"recording"}}
    for name, said in file.types.items():
        if name not in played and not isinstance(said["recording"], str):
            problems.add(("types", name, "recording"), "expected a folder that arena record wrote")
    for name, said in file.learners.items():
        if name in file.types:
            problems.add(("learners", name), "there already is a type of this name")
        elif not _plays_by_a_model(said):
            problems.add(("learners", name, "family"), "does not play by a model: a type, then")
    for field in ("shares", "partner_shares"):
        shares = getattr(file, field) or {}
        for name in shares:
            if name not in file.types and name not in file.learners:
                problems.add((field, name), "there is no type of this name")
        if shares and (min(shares.values()) < 0.0 or sum(shares.values()) <= 0.0):
            problems.add((field,), "expected a share for each type, from 0 on, and one above 0")
    players = _players(played, games[0], problems, "types")
    _players(file.learners, games[0], problems, "learners")
    problems.stop_if_any()
    return Training(file, document, config.parent, games, players)


def _games(file: TrainingFile, problems: Problems) -> list[Rules]:
    games: list[Rules] = []
    for number, game in enumerate(file.games):
        options = {key: value for key, value in game.items() if key not in ("name", "rounds")}
        rounds = game.get("rounds")
        if not isinstance(rounds, int) or rounds < FEWEST_ROUNDS:
            expected = f"expected a number from {FEWEST_ROUNDS} on"
            problems.add(("games", number, "rounds"), expected)
        try:
            family = GAMES.get(str(game.get("name")))
        except ArenaError as error:
            problems.add(("games", number, "name"), str(error))
            continue
        checked = problems.check(model_of(family), options, ("games", number))
        if checked is not None:
            games.append(family(**values_of(checked)))
    if len({rules.name for rules in games}) > 1:
        problems.add(("games",), "expected variants of one game")
    return games


def _plays_by_a_model(said: dict[str, Any]) -> bool:
    try:
        family = AGENTS.get(str(said.get("family")))
    except ArenaError:
        return True  # what is wrong is told with the other players
    return "model" in model_of(family).model_fields


def _players(
    said: dict[str, dict[str, Any]], rules: Rules, problems: Problems, section: str
) -> dict[str, AgentSpec]:
    """Those who play, by what a section of a file says of them."""
    declared = declare(said, rules, problems, section=section)
    players = {}
    for name in said:
        found = declared.entrants.get(name)
        if found is not None and len(found.members) == 1:
            players[name] = found.members[0]
        elif declared.groups[name] or found is not None:
            problems.add((section, name), "expected one player, not several")
    return players
