"""Tables from nothing: `arena train policy RECIPE`.

    name: klaverjas
    games:                       # variants of one game, and how many rounds of each
      - {rounds: 4000, name: klaverjas}
      - {rounds: 2000, name: klaverjas, variant: amsterdam}
    types:                       # searches expect the first type unless `shares` says otherwise
      search: {family: ismcts, simulations: 1600}
      rule: {family: rule}
    seed: 1001

A type may also be recorded (`arena record`): `search: {recording: FOLDER}`, relative to the recipe.

Learners are types that play by a model themselves: by the tables of the types above. So the
tables of the champion are made from nothing, too:

    learners:
      champion: {family: champion, simulations: 2500, worlds: 500}
    learner_penalty: 10          # its tables stay near those of the first type: fewer rounds do

Each type plays rounds against itself, and the tables are fitted to nine tenths of them. On the
others they are measured: the likelihood of the plays, nats gained for the true world
(`agents.training.nats`), and points per deal at play (`strength`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from joblib import delayed
from numpy.typing import NDArray

from agents.policies.bid_evidence import has_bids
from agents.policies.model import PolicyModel, mode_of, save_policy
from agents.training.nats import nats_of
from agents.training.recordings import recorded_rounds
from agents.training.rounds import Rounds, play_rounds
from agents.training.tables.fit_bids import fit_bid_tables, redeals_of
from agents.training.tables.regression import (
    PENALTY,
    TableChoices,
    choices_of,
    fit_tables,
    likelihood,
)
from agents.training.tables.strength import strength_of
from agents.training.trainer import Arrays, Training, TrainingRecipe
from arena.config.agents import declare
from arena.config.entrants import AgentSpec
from arena.config.parameters import model_of, values_of
from arena.config.problems import Problems
from arena.config.recipe import TrainingOrder
from arena.core.agent import parameter
from arena.core.errors import ArenaError
from arena.core.registry import AGENTS, GAMES
from arena.core.rules import Rules

_HELD_OUT = 10
"""One round in so many is not fitted to."""
_FEWEST_ROUNDS = 2 * _HELD_OUT
"""Two of them are held out: a spread needs two."""
_CHUNK = 100
"""Rounds that a worker plays at a time, and that are kept together."""
_NATS_WORLDS = 1500
"""Worlds that the true one is compared with."""


@dataclass(frozen=True)
class TablesRecipe(TrainingRecipe):
    """Fits tables to how players of some types play and bid."""

    no_step_depends_on: ClassVar[frozenset[str]] = frozenset(
        {"kind", "shares", "partner_shares", "measured", "deals"}
    )

    name: str = parameter(help="name of the policy")
    games: list[dict[str, Any]] = parameter(help="variants of one game, each with its `rounds`")
    types: dict[str, dict[str, Any]] = parameter(help="players, or recordings of players")
    seed: int = parameter(help="root of all randomness", at_least=0)
    kind: Literal["tables"] = parameter("tables", help="the kind of policy")
    learners: dict[str, dict[str, Any]] = field(
        default_factory=dict, metadata={"help": "players that play by the tables of the types"}
    )
    learner_rounds: float = parameter(
        0.4, help="share of the rounds of each game that a learner plays", at_least=0, at_most=1
    )
    shares: dict[str, float] | None = parameter(
        None, help="prior probability of each type among opponents; by default the first type"
    )
    partner_shares: dict[str, float] | None = parameter(
        None, help="the same for partners; by default as for opponents"
    )
    penalty: float = parameter(PENALTY, help="of the squares of the weights", at_least=0)
    learner_penalty: float | None = parameter(
        None,
        help="of the squares of a learner's differences to the first type, "
        "for fewer rounds; by default a learner begins from nothing",
        at_least=0,
    )
    measured: int = parameter(200, help="rounds, at most, in which nats are measured", at_least=2)
    deals: int = parameter(
        500, help="deals of the first game in which strength is measured, in both seatings",
        at_least=2,
    )  # fmt: skip

    def begin(self, order: TrainingOrder) -> Training:
        """Find the games and players; `ConfigError` names the lines that are wrong."""
        problems = Problems(order.document)
        games = self._games(problems)
        problems.stop_if_any()
        played = {name: said for name, said in self.types.items() if set(said) != {"recording"}}
        for name, said in self.types.items():
            if name not in played and not isinstance(said["recording"], str):
                problems.add(("types", name, "recording"), "expected a folder of arena record")
        for name, said in self.learners.items():
            if name in self.types:
                problems.add(("learners", name), "there already is a type of this name")
            elif not _plays_by_a_model(said):
                problems.add(("learners", name, "family"), "does not play by a model: a type, then")
        self._check_shares(problems)
        players = _players(played, games[0], problems, "types")
        _players(self.learners, games[0], problems, "learners")
        problems.stop_if_any()
        return TablesTraining(self, order, games, players)

    def _games(self, problems: Problems) -> list[Rules]:
        games: list[Rules] = []
        for number, game in enumerate(self.games):
            options = {key: value for key, value in game.items() if key not in ("name", "rounds")}
            rounds = game.get("rounds")
            if not isinstance(rounds, int) or rounds < _FEWEST_ROUNDS:
                expected = f"expected a number from {_FEWEST_ROUNDS} on"
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
        for section in ("games", "types"):
            if not getattr(self, section):
                problems.add((section,), "expected at least one")
        return games

    def _check_shares(self, problems: Problems) -> None:
        for section in ("shares", "partner_shares"):
            shares = getattr(self, section) or {}
            for name in shares:
                if name not in self.types and name not in self.learners:
                    problems.add((section, name), "there is no type of this name")
            if shares and (min(shares.values()) < 0.0 or sum(shares.values()) <= 0.0):
                problems.add((section,), "expected shares from 0 on, at least one of them above 0")


def _plays_by_a_model(said: dict[str, Any]) -> bool:
    try:
        family = AGENTS.get(str(said.get("family")))
    except ArenaError:
        return True  # `declare` reports the family
    return "model" in model_of(family).model_fields


def _players(
    said: dict[str, dict[str, Any]], rules: Rules, problems: Problems, section: str
) -> dict[str, AgentSpec]:
    """The players that a section of the recipe declares."""
    declared = declare(said, rules, problems, section=section)
    players = {}
    for name in said:
        found = declared.entrants.get(name)
        if found is not None and len(found.members) == 1:
            players[name] = found.members[0]
        elif declared.groups[name] or found is not None:
            problems.add((section, name), "expected one player, not several")
    return players


class _TypeTables(NamedTuple):
    """The tables of a type, by mode."""

    weights: dict[str, NDArray[np.float32]]
    dealt: dict[str, NDArray[np.float32]]


class TablesTraining(Training):
    """Plays, then fits, type by type; then the same for each learner."""

    def __init__(
        self,
        recipe: TablesRecipe,
        order: TrainingOrder,
        games: list[Rules],
        players: dict[str, AgentSpec],
    ) -> None:
        self.recipe, self.games = recipe, games
        self.players: dict[str, AgentSpec | None] = {**dict.fromkeys(recipe.types), **players}
        """None stands for a recording."""
        self.rounds: dict[str, list[Rounds]] = {}
        """By type, then by game."""
        digest = hashlib.sha256()
        for name in (name for name in recipe.types if name not in players):
            for number, rules in enumerate(games):
                folder = order.folder / recipe.types[name]["recording"]
                rounds = _recorded(folder, rules, recipe.games[number]["rounds"])
                self.rounds.setdefault(name, []).append(rounds)
                digest.update(rounds.cards.tobytes())
        self.tables: dict[str, _TypeTables] = {}
        self.steps: list[Callable[[], str]] = [
            *(partial(self._play, name) for name in recipe.types),
            *(partial(self._fit, name) for name in recipe.types),
            *(partial(do, name) for name in recipe.learners for do in (self._play, self._fit)),
        ]
        super().__init__(order, len(self.steps), {}, digest.hexdigest())
        self.log = {"figures": {}}

    def step(self) -> str:
        return self.steps[self.done]()

    def arrays(self) -> Arrays:
        return {
            f"{part}_{number}_{mode}": array
            for number, tables in enumerate(self.tables.values())
            for part, arrays in tables._asdict().items()
            for mode, array in arrays.items()
        }

    def restore(self, arrays: Arrays) -> None:
        names = [*self.recipe.types, *self.recipe.learners]
        for key, array in arrays.items():
            part, number, mode = key.split("_")
            tables = self.tables.setdefault(names[int(number)], _TypeTables({}, {}))
            getattr(tables, part)[mode] = array

    # --- rounds --------------------------------------------------------------------------

    def _play(self, name: str) -> str:
        """Play the rounds of a type, unless they were recorded."""
        rounds = self._rounds_of(name)
        how = "played" if self.players[name] else "recorded"
        return f"{name}: {sum(map(len, rounds))} rounds {how}"

    def _rounds_of(self, name: str) -> list[Rounds]:
        """The rounds of a type in every game."""
        if name not in self.rounds:
            if name in self.recipe.learners:
                self.players[name] = self._learner(name)
            share = self.recipe.learner_rounds if name in self.recipe.learners else 1.0
            self.rounds[name] = [
                self._rounds_in(number, name, round(share * self.recipe.games[number]["rounds"]))
                for number in range(len(self.games))
            ]
        return self.rounds[name]

    def _rounds_in(self, number: int, name: str, count: int) -> Rounds:
        """The rounds of a type in a game; those that the checkpoint lacks are played."""
        rules, player = self.games[number], self.players[name]
        assert player is not None  # recordings are read at the beginning
        agent, seed = player.build(self.order.folder), self.recipe.seed + number
        count = max(_FEWEST_ROUNDS, count)
        chunks = {
            f"{name}-{number}-{at}-{min(at + _CHUNK, count)}": range(at, min(at + _CHUNK, count))
            for at in range(0, count, _CHUNK)
        }
        kept = {file: self.files.load(file) for file in chunks}
        missing = [file for file in chunks if kept[file] is None]
        done = count - sum(len(chunks[file]) for file in missing)
        tasks = (delayed(play_rounds)(rules, [agent], seed, chunks[file]) for file in missing)
        for file, rounds in zip(missing, self.in_workers(tasks), strict=True):
            kept[file] = rounds.arrays()
            self.files.save(file, rounds.arrays())
            done += len(rounds)
            self.order.say(f"{name}: {done} of {count} rounds ({rules.name})")
        return Rounds.join([Rounds(rules, **columns) for columns in kept.values() if columns])

    def _learner(self, name: str) -> AgentSpec:
        """A learner that plays by the tables of the types."""
        path = self.files.path / "types.npz"
        if not path.exists():
            save_policy(path, self._model(list(self.recipe.types)))
        said = {**self.recipe.learners[name], "model": str(path)}
        problems = Problems(self.order.document)
        players = _players({name: said}, self.games[0], problems, "learners")
        problems.stop_if_any()
        return players[name]

    # --- tables --------------------------------------------------------------------------

    def _fit(self, name: str) -> str:
        """Fit tables to how a type plays and bids, and measure them."""
        known, unknown = _split(self._rounds_of(name))
        tables, figures = _TypeTables({}, {}), self.log["figures"]
        for mode in _modes(
            rounds for kind in self.recipe.types for rounds in self._rounds_of(kind)
        ):
            choices, test = (_in_mode(some, mode, choices_of) for some in (known, unknown))
            tables.weights[mode] = self._fit_plays(name, mode, choices)
            counts = {"decisions": len(choices), "held_out": len(test)}
            figures[f"{name}/{mode}"] = counts | _fitness(tables.weights[mode], test)
            self.order.say(f"{name}, {mode}: {_listed(figures[f'{name}/{mode}'])}")
        known, unknown = (
            [some for some in half if has_bids(some.rules)] for half in (known, unknown)
        )
        for mode in _modes(known):
            deals, test = (_in_mode(some, mode, redeals_of) for some in (known, unknown))
            game = next(
                same.game
                for some in known
                for same in some.by_trump()
                if mode_of(same.game.trump) == mode
            )
            tables.dealt[mode] = fit_bid_tables(deals, game)
            figures[f"{name}/{mode}/bids"] = {"deals": len(test)} | _fitness(
                tables.dealt[mode], test
            )
            self.order.say(f"{name}, {mode}, by bids: {_listed(figures[f'{name}/{mode}/bids'])}")
        self.tables[name] = tables
        return f"{name}: tables fitted"

    def _fit_plays(self, name: str, mode: str, choices: TableChoices) -> NDArray[np.float32]:
        """How a type plays; learners may begin at the tables of the first type."""
        recipe = self.recipe
        if name not in recipe.learners or recipe.learner_penalty is None:
            return fit_tables(choices, recipe.penalty)
        first = self.tables[next(iter(recipe.types))]
        return fit_tables(choices, recipe.learner_penalty, around=first.weights[mode])

    def _model(self, types: list[str]) -> PolicyModel:
        """The tables of some types, put together."""
        weights, dealt = (
            {mode: np.stack([each[mode] for each in tables]) for mode in tables[0]}
            for tables in zip(*(self.tables[name] for name in types), strict=True)
        )
        return PolicyModel(self.games[0].name, tuple(types), weights, dealt=dealt)

    # --- the result ----------------------------------------------------------------------

    def figures(self) -> dict[str, Any]:
        """The tables' fit to rounds held out, and their strength at play."""
        recipe, types = self.recipe, list(self.tables)
        model, figures = self._model(types), dict(self.log["figures"])
        for number, name in enumerate(types):
            priors = tuple(float(t == number) for t in range(len(types)))
            unknown = _split(self._rounds_of(name))[1][0][: recipe.measured]
            nats = nats_of(model, priors, unknown, _NATS_WORLDS)
            figures[f"{name}/nats"] = {
                "mean": round(nats.mean, 3),
                "standard_error": round(nats.error, 3),
                "decisions": nats.decisions,
            }
            self.order.say(f"{name}, nats gained: {_listed(figures[f'{name}/nats'])}")
        path = self.files.path / "model.npz"
        save_policy(path, model)
        met = strength_of(path, self.players, self.games[0], recipe.deals, recipe.seed, self.order)
        for (name, other), found in met.items():
            figures[f"{name}/against {other}"] = found.rounded(2)
            opponent = f"{name} itself" if other == "itself" else other
            self.order.say(f"{name}, tables at play: {found.against(opponent)}")
        return {"figures": figures}

    def write(self, header: dict[str, Any]) -> None:
        recipe = {key: value for key, value in header["recipe"].items() if key != "kind"}
        said = {"training": recipe, "arena": header["arena"], "figures": header["figures"]}
        model = self._model(list(self.tables))
        model = PolicyModel(
            model.game, model.types, model.weights, json.dumps(said, sort_keys=True), model.dealt,
            self._expected(model.types),
        )  # fmt: skip
        save_policy(self.order.output, model)

    def _expected(self, types: tuple[str, ...]) -> NDArray[np.float64] | None:
        """The prior probability of each type, among opponents and among partners."""
        if self.recipe.shares is None:
            return None
        rows = (self.recipe.shares, self.recipe.partner_shares or self.recipe.shares)
        shares = np.array([[row.get(name, 0.0) for name in types] for row in rows])
        expected: NDArray[np.float64] = shares / shares.sum(axis=1, keepdims=True)
        return expected


def _recorded(folder: Path, rules: Rules, count: int) -> Rounds:
    """The first rounds of a recording, which must be by the rules of a game."""
    rounds = recorded_rounds(folder)
    if rounds.rules != rules:
        raise ArenaError(f"{folder}: a recording of {rounds.rules}, not of {rules}")
    if len(rounds) < count:
        raise ArenaError(f"{folder}: {len(rounds)} rounds, fewer than the {count} asked for")
    return rounds[:count]


def _split(rounds: list[Rounds]) -> tuple[list[Rounds], list[Rounds]]:
    """The rounds that tables are fitted to, and those that are held out."""
    held_out = [np.arange(len(some)) % _HELD_OUT == _HELD_OUT - 1 for some in rounds]
    known = [some[~mask] for some, mask in zip(rounds, held_out, strict=True)]
    return known, [some[mask] for some, mask in zip(rounds, held_out, strict=True)]


def _modes(rounds: Iterable[Rounds]) -> list[str]:
    return sorted({mode_of(int(trump)) for some in rounds for trump in np.unique(some.trump)})


def _in_mode(
    rounds: list[Rounds], mode: str, choices: Callable[[Rounds], TableChoices]
) -> TableChoices:
    """The choices in the rounds of a mode."""
    chosen = [
        some[np.array([mode_of(int(trump)) == mode for trump in some.trump], bool)]
        for some in rounds
    ]
    if not any(len(some) for some in chosen):
        raise ArenaError(f"no rounds of mode {mode!r} to learn from: play more rounds")
    return TableChoices.join([choices(some) for some in chosen if len(some)])


def _fitness(tables: NDArray[np.float32], test: TableChoices) -> dict[str, float]:
    """The mean log-likelihood of choices held out, and that of choosing uniformly."""
    uniform = -float(np.mean(np.log(np.diff(test.starts))))
    return {"likelihood": round(likelihood(tables, test), 4), "uniform": round(uniform, 4)}


def _listed(figures: dict[str, float]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in figures.items())
