"""Policies from nothing: play rounds, fit tables to them, measure what they know.

A training file says what to play and with whom:

    name: klaverjas
    games:                       # variants of one game, and how many rounds of each
      - {rounds: 4000, name: klaverjas}
      - {rounds: 2000, name: klaverjas, variant: amsterdam}
    types:                       # the first is how the others are taken to play in a search
      search: {family: ismcts, simulations: 1600}
      rule: {family: rule}
    seed: 1001

A file with `kind: network` trains a network instead (`agents.networks.cards`).

A type may also be what was recorded (`arena record`): `search: {recording: FOLDER}`, a folder
beside the file. It must have as many rounds as are asked for.

`learners` are types too, but play by a model themselves: by what was learnt of the others. So
the champion can be told how champions play, from nothing:

    learners:
      champion: {family: champion, simulations: 2500, worlds: 500}

Rounds are kept beside the model while they are played, so a training that was stopped goes on.
A tenth of the rounds is not fitted to, but measured on.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from pydantic import Field

from agents.policies.dealt import has_bids
from agents.policies.fit import PENALTY, Decisions, decisions_of, fit, likelihood
from agents.policies.measure import nats_of
from agents.policies.model import PolicyModel, mode_of, save_policy
from agents.policies.recordings import recorded_rounds
from agents.policies.redeals import deals_of, fit_deals
from agents.policies.rounds import Rounds, play_rounds
from arena import __version__
from arena.agent import Agent
from arena.config.agents import declare
from arena.config.problems import Problems
from arena.config.strict_yaml import read, with_override
from arena.errors import ArenaError
from arena.games.kernel.jit import warm_up
from arena.games.kernel.spec import KernelGame, kernel_game
from arena.parameters import model_of, values_of
from arena.registry import GAMES
from arena.rules import Rules
from arena.strict import Strict

__all__ = ["PolicyTrainer", "TrainingFile", "train"]

_CHUNK = 100
"""Rounds that are played and kept together."""
_HELD_OUT = 10
"""Every so many rounds one is not fitted to."""
_FEWEST = 2 * _HELD_OUT
"""Rounds of which two are not fitted to: a spread needs two."""


_ELSEWHERE = {"network": "agents.networks.cards:CardsTrainer"}
"""Kinds of policies that others train: by name, because they stand on searches and need torch."""


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


class PolicyTrainer:
    """`arena train policy`."""

    def train(
        self,
        config: Path,
        overrides: list[str],
        output: Path,
        workers: int,
        tell: Callable[[str], None],
    ) -> str:
        """Make and write a model; the hash that it is known by."""
        kind = read(config).data.get("kind")
        if isinstance(kind, str) and kind in _ELSEWHERE:
            module, _, name = _ELSEWHERE[kind].partition(":")
            trainer = getattr(import_module(module), name)()
            return str(trainer.train(config, overrides, output, workers, tell))
        return train(config, overrides, output, workers, tell).sha256


def train(
    config: Path, overrides: list[str], output: Path, workers: int, tell: Callable[[str], None]
) -> PolicyModel:
    """Make the model that a training file describes, and write it."""
    written, games, players = _load(config, overrides)
    # What is expected of others changes nothing that was played.
    expected = {"shares", "partner_shares"}
    identity = json.dumps(
        written.model_dump(mode="json", exclude={"kind", *expected}), sort_keys=True
    )
    parts = output.with_name(f"{output.stem}-{hashlib.sha256(identity.encode()).hexdigest()[:12]}")
    parts.mkdir(parents=True, exist_ok=True)
    warm_up()

    def rounds_of(name: str, player: Agent | None, share: float) -> list[Rounds]:
        found = []
        for number, rules in enumerate(games):
            count = max(_FEWEST, round(share * written.games[number]["rounds"]))
            if player is not None:
                seed = written.seed + number
                rounds = _played(rules, name, player, seed, count, parts, number, workers, tell)
            else:
                rounds = _recorded(config.parent / written.types[name]["recording"], rules, count)
                tell(f"{name}: {len(rounds)} rounds recorded ({rules.name})")
            found.append(rounds)
        return found

    played = {name: rounds_of(name, players.get(name), 1.0) for name in written.types}
    modes = _modes(played.values())
    learnt = [_learn(name, rounds, modes, written.penalty, tell) for name, rounds in played.items()]
    model = _model(games[0].name, learnt)
    if written.learners:
        path = parts.resolve() / "types.npz"
        save_policy(path, model)
        for name, said in written.learners.items():
            said = {**said, "model": str(path)}
            problems = Problems(read(config))
            player = _players({name: said}, games[0], problems, config.parent)[name]
            played[name] = rounds_of(name, player, written.learner_rounds)
            learnt.append(_learn(name, played[name], modes, written.penalty, tell))
        model = _model(games[0].name, learnt)

    figures = {
        f"{each.name}/{what}": said for each in learnt for what, said in each.figures.items()
    }
    for number, (name, rounds) in enumerate(played.items()):
        priors = tuple(float(t == number) for t in range(len(played)))
        unknown = _halves(rounds)[1][0]
        nats = nats_of(model, priors, unknown.part(slice(0, written.measured)), 1500)
        figures[f"{name}/nats"] = {
            "mean": round(nats.mean, 3),
            "standard_error": round(nats.error, 3),
            "decisions": nats.decisions,
        }
        tell(f"{name}, nats gained for the true world: {_told(figures[f'{name}/nats'])}")
    training = written.model_dump(mode="json", exclude={"kind"})
    recipe = {"training": training, "arena": __version__, "figures": figures}
    model = replace(
        model, recipe=json.dumps(recipe, sort_keys=True), expected=_expected(written, model.types)
    )
    save_policy(output, model)
    return model


def _expected(written: TrainingFile, types: tuple[str, ...]) -> NDArray[np.float64] | None:
    """How likely each type is, of others and of partners."""
    if written.shares is None:
        return None
    rows = (written.shares, written.partner_shares or written.shares)
    shares = np.array([[row.get(name, 0.0) for name in types] for row in rows])
    expected: NDArray[np.float64] = shares / shares.sum(axis=1, keepdims=True)
    return expected


class _Learnt(NamedTuple):
    """What was learnt of a type, by mode."""

    name: str
    weights: dict[str, NDArray[np.float32]]
    dealt: dict[str, NDArray[np.float32]]
    figures: dict[str, dict[str, float]]


def _learn(
    name: str,
    rounds: list[Rounds],
    modes: list[str],
    penalty: float,
    tell: Callable[[str], None],
) -> _Learnt:
    """Fit tables to how a type plays and bids, and measure them."""
    known, unknown = _halves(rounds)
    learnt = _Learnt(name, {}, {}, {})
    for mode in modes:
        decisions, test = _decisions(known, mode), _decisions(unknown, mode)
        tables = fit(decisions, penalty)
        learnt.weights[mode] = tables
        learnt.figures[mode] = {
            "decisions": len(decisions),
            "held_out": len(test),
            "likelihood": round(likelihood(tables, test), 4),
            "uniform": round(-float(np.mean(np.log(np.diff(test.starts)))), 4),
        }
        tell(f"{name}, {mode}: {_told(learnt.figures[mode])}")
    known, unknown = ([each for each in some if has_bids(each.rules)] for some in (known, unknown))
    for mode in _modes([known]):
        tables = fit_deals(_decisions(known, mode, deals_of), _game_of(known, mode))
        learnt.dealt[mode] = tables
        test = _decisions(unknown, mode, deals_of)
        learnt.figures[f"{mode}/bids"] = {
            "deals": len(test),
            "likelihood": round(likelihood(tables, test), 4),
            "uniform": round(-float(np.mean(np.log(np.diff(test.starts)))), 4),
        }
        tell(f"{name}, {mode}, by bids: {_told(learnt.figures[f'{mode}/bids'])}")
    return learnt


def _model(game: str, learnt: list[_Learnt]) -> PolicyModel:
    """What was learnt of some types, put together."""
    weights, dealt = (
        {mode: np.stack([each[mode] for each in tables]) for mode in tables[0]}
        for tables in ([each.weights for each in learnt], [each.dealt for each in learnt])
    )
    return PolicyModel(game, tuple(each.name for each in learnt), weights, dealt=dealt)


def _halves(rounds: list[Rounds]) -> tuple[list[Rounds], list[Rounds]]:
    """The rounds that are fitted to, and those that are measured on."""
    known, unknown = [], []
    for each in rounds:
        held_out = np.arange(len(each)) % _HELD_OUT == _HELD_OUT - 1
        known.append(each.where(~held_out))
        unknown.append(each.where(held_out))
    return known, unknown


def _load(config: Path, overrides: list[str]) -> tuple[TrainingFile, list[Rules], dict[str, Agent]]:
    document = read(config)
    for override in overrides:
        document = with_override(document, override)
    problems = Problems(document)
    written = problems.check(TrainingFile, document.data, ())
    problems.stop_if_any()
    assert written is not None  # else there is a problem
    games: list[Rules] = []
    for number, game in enumerate(written.games):
        options = {key: value for key, value in game.items() if key not in ("name", "rounds")}
        rounds = game.get("rounds")
        if not isinstance(rounds, int) or rounds < _FEWEST:
            problems.add(("games", number, "rounds"), f"expected a number from {_FEWEST} on")
        try:
            family = GAMES.get(str(game.get("name")))
        except ArenaError as error:
            problems.add(("games", number, "name"), str(error))
            continue
        checked = problems.check(model_of(family), options, ("games", number))
        if checked is not None:
            games.append(family(**values_of(checked)))
    problems.stop_if_any()
    if len({rules.name for rules in games}) > 1:
        problems.add(("games",), "expected variants of one game")
    played = {name: said for name, said in written.types.items() if set(said) != {"recording"}}
    for name, said in written.types.items():
        if name not in played and not isinstance(said["recording"], str):
            problems.add(("types", name, "recording"), "expected a folder that arena record wrote")
    for name in written.learners:
        if name in written.types:
            problems.add(("learners", name), "there already is a type of this name")
    for field in ("shares", "partner_shares"):
        shares = getattr(written, field) or {}
        for name in shares:
            if name not in written.types and name not in written.learners:
                problems.add((field, name), "there is no type of this name")
        if shares and (min(shares.values()) < 0.0 or sum(shares.values()) <= 0.0):
            problems.add((field,), "expected a share for each type, from 0 on, and one above 0")
    players = _players({**played, **written.learners}, games[0], problems, config.parent)
    return written, games, players


def _players(
    said: dict[str, dict[str, Any]], rules: Rules, problems: Problems, folder: Path
) -> dict[str, Agent]:
    """Those who play, by what a file in a folder says of them."""
    declared = declare(said, rules, problems)
    problems.stop_if_any()
    return {name: declared.entrants[name].members[0].build(folder) for name in said}


def _recorded(folder: Path, rules: Rules, count: int) -> Rounds:
    """Rounds of a recording by the rules of a game."""
    rounds = recorded_rounds(folder)
    if rounds.rules != rules:
        raise ArenaError(f"{folder}: a recording of {rounds.rules}, not of {rules}")
    if len(rounds) < count:
        raise ArenaError(f"{folder}: {len(rounds)} rounds, fewer than the {count} asked for")
    return rounds.part(slice(0, count))


def _played(
    rules: Rules,
    name: str,
    player: Agent,
    seed: int,
    count: int,
    parts: Path,
    number: int,
    workers: int,
    tell: Callable[[str], None],
) -> Rounds:
    """Rounds of a type: those that are kept already, and the others."""
    chunks = [range(at, min(at + _CHUNK, count)) for at in range(0, count, _CHUNK)]
    paths = [parts / f"{name}-{number}-{chunk.start}-{chunk.stop}.npz" for chunk in chunks]
    todo = [i for i, path in enumerate(paths) if not path.exists()]
    jobs = (delayed(play_rounds)(rules, [player], seed, chunks[i]) for i in todo)
    done = len(chunks) - len(todo)
    played = Parallel(n_jobs=workers, return_as="generator")(jobs)
    for i, rounds in zip(todo, played, strict=True):
        rounds.save(paths[i])
        done += 1
        tell(f"{name}: {min(done * _CHUNK, count)} of {count} rounds ({rules.name})")
    return Rounds.join([Rounds.load(path, rules) for path in paths])


def _modes(rounds: Iterable[list[Rounds]]) -> list[str]:
    trumps = {int(trump) for some in rounds for each in some for trump in np.unique(each.trump)}
    return sorted({mode_of(trump) for trump in trumps})


def _game_of(rounds: list[Rounds], mode: str) -> KernelGame:
    """One of the games with the cards of a mode."""
    trumps = {int(trump) for each in rounds for trump in np.unique(each.trump)}
    trump = min(trump for trump in trumps if mode_of(trump) == mode)
    return kernel_game(rounds[0].rules, None if trump < 0 else trump)


def _decisions(
    rounds: list[Rounds], mode: str, choices: Callable[[Rounds], Decisions] = decisions_of
) -> Decisions:
    """The choices in those of some rounds that are of a mode."""
    chosen = [
        each.where(np.array([mode_of(int(trump)) == mode for trump in each.trump]))
        for each in rounds
    ]
    if not any(len(each) for each in chosen):
        raise ArenaError(f"no rounds of mode {mode!r} to learn from: play more rounds")
    return Decisions.join([choices(each) for each in chosen if len(each)])


def _told(figures: dict[str, float]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in figures.items())
