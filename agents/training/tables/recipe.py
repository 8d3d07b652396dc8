"""Policies from nothing: play rounds, fit tables to them, measure what they know and how they play.

What is played, and by whom, a file says (`training_file`); one with `kind: network` trains a
network instead (`agents.training.networks.cards`). Rounds are kept while they are played,
so a training that was stopped goes on. A tenth of the rounds is not fitted to, but measured on.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from agents.policies.dealt import has_bids
from agents.policies.model import PolicyModel, mode_of, save_policy
from agents.training.nats import nats_of
from agents.training.recordings import recorded_rounds
from agents.training.rounds import Rounds, play_rounds
from agents.training.tables.fit import Decisions, decisions_of, fit, likelihood
from agents.training.tables.fit_bids import deals_of, fit_deals
from agents.training.tables.strength import strength_of
from agents.training.tables.training_file import (
    FEWEST_ROUNDS,
    HELD_OUT,
    Training,
    TrainingFile,
    load_training,
)
from arena import __version__
from arena.config.entrants import AgentSpec
from arena.config.strict_yaml import read
from arena.core.agent import Agent
from arena.core.errors import ArenaError
from arena.core.rules import Rules
from arena.games.kernel.jit import warm_up
from arena.games.kernel.spec import KernelGame, kernel_game

_CHUNK = 100
"""Rounds that are played and kept together."""
_NATS_WORLDS = 1500
"""Worlds that the true one is compared with."""
_ELSEWHERE = {"network": "agents.training.networks.cards:CardsTrainer"}
"""Kinds of policies that others train: by name, because they stand on searches and need torch."""


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
    training = load_training(config, overrides)
    file, game = training.file, training.games[0]
    parts = output.with_name(f"{output.stem}-{file.identity}")
    parts.mkdir(parents=True, exist_ok=True)
    warm_up()
    school = _School(training, parts.resolve(), workers, tell)
    for name in file.types:
        school.play(name, training.players.get(name), 1.0)
    modes = _modes(school.played.values())
    learnt = [
        _learn(name, rounds, modes, file.penalty, tell) for name, rounds in school.played.items()
    ]
    path = parts.resolve() / "types.npz"
    save_policy(path, _model(game.name, learnt))
    for name in file.learners:
        rounds = school.play(name, training.learner(name, path), file.learner_rounds)
        learnt.append(_learn(name, rounds, modes, file.penalty, tell))
    model = _model(game.name, learnt)

    figures = {
        f"{each.name}/{what}": said for each in learnt for what, said in each.figures.items()
    }
    figures |= school.measure(model)
    recipe = {
        "training": file.model_dump(mode="json", exclude={"kind"}),
        "arena": __version__,
        "figures": figures,
    }
    model = replace(
        model, recipe=json.dumps(recipe, sort_keys=True), expected=_expected(file, model.types)
    )
    save_policy(output, model)
    return model


@dataclass(frozen=True)
class _School:
    """Rounds to learn from, and what came of learning from them."""

    training: Training
    parts: Path
    workers: int
    tell: Callable[[str], None]
    players: dict[str, AgentSpec | None] = field(default_factory=dict)
    """Those who were learnt from; None was recorded."""
    played: dict[str, list[Rounds]] = field(default_factory=dict)
    """By type, then by game."""

    def play(self, name: str, player: AgentSpec | None, share: float) -> list[Rounds]:
        """The rounds of a type in every game: those that are kept already, and the others."""
        file, folder = self.training.file, self.training.folder
        found = []
        for number, rules in enumerate(self.training.games):
            count = max(FEWEST_ROUNDS, round(share * file.games[number]["rounds"]))
            if player is not None:
                rounds = self._played(name, player.build(folder), number, count)
            else:
                rounds = _recorded(folder / file.types[name]["recording"], rules, count)
                self.tell(f"{name}: {len(rounds)} rounds recorded ({rules.name})")
            found.append(rounds)
        self.players[name], self.played[name] = player, found
        return found

    def _played(self, name: str, player: Agent, number: int, count: int) -> Rounds:
        rules, seed = self.training.games[number], self.training.file.seed + number
        chunks = [range(at, min(at + _CHUNK, count)) for at in range(0, count, _CHUNK)]
        paths = [self.parts / f"{name}-{number}-{each.start}-{each.stop}.npz" for each in chunks]
        todo = [i for i, path in enumerate(paths) if not path.exists()]
        jobs = (delayed(play_rounds)(rules, [player], seed, chunks[i]) for i in todo)
        done = len(chunks) - len(todo)
        played = Parallel(n_jobs=self.workers, return_as="generator")(jobs)
        for i, rounds in zip(todo, played, strict=True):
            rounds.save(paths[i])
            done += 1
            self.tell(f"{name}: {min(done * _CHUNK, count)} of {count} rounds ({rules.name})")
        return Rounds.join([Rounds.load(path, rules) for path in paths])

    def measure(self, model: PolicyModel) -> dict[str, dict[str, float]]:
        """What a model knows of rounds that it was not fitted to, and how strong it is at play."""
        file, figures = self.training.file, {}
        for number, (name, rounds) in enumerate(self.played.items()):
            priors = tuple(float(t == number) for t in range(len(self.played)))
            unknown = _halves(rounds)[1][0].part(slice(0, file.measured))
            nats = nats_of(model, priors, unknown, _NATS_WORLDS)
            figures[f"{name}/nats"] = {
                "mean": round(nats.mean, 3),
                "standard_error": round(nats.error, 3),
                "decisions": nats.decisions,
            }
            told = _told(figures[f"{name}/nats"])
            self.tell(f"{name}, nats gained for the true world: {told}")
        path = self.parts / "model.npz"
        save_policy(path, model)
        rules, folder = self.training.games[0], self.training.folder
        strength = strength_of(
            path, self.players, rules, file.deals, file.seed, self.workers, self.tell, folder
        )
        for (name, other), found in strength.items():
            assert found.mean is not None and found.low is not None and found.high is not None
            named = {"mean": found.mean, "low": found.low, "high": found.high}
            figures[f"{name}/against {other}"] = {
                **{key: round(value, 2) for key, value in named.items()},
                "deals": found.n,
            }
            whom = f"{name} itself" if other == "itself" else other
            self.tell(
                f"{name}, tables at play: {found.mean:+.1f} points a deal against {whom} "
                f"({found.low:+.1f} to {found.high:+.1f}, {found.n} deals of {rules.name})"
            )
        return figures


def _expected(file: TrainingFile, types: tuple[str, ...]) -> NDArray[np.float64] | None:
    """How likely each type is, of others and of partners."""
    if file.shares is None:
        return None
    rows = (file.shares, file.partner_shares or file.shares)
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
        held_out = np.arange(len(each)) % HELD_OUT == HELD_OUT - 1
        known.append(each.where(~held_out))
        unknown.append(each.where(held_out))
    return known, unknown


def _recorded(folder: Path, rules: Rules, count: int) -> Rounds:
    """Rounds of a recording by the rules of a game."""
    rounds = recorded_rounds(folder)
    if rounds.rules != rules:
        raise ArenaError(f"{folder}: a recording of {rounds.rules}, not of {rules}")
    if len(rounds) < count:
        raise ArenaError(f"{folder}: {len(rounds)} rounds, fewer than the {count} asked for")
    return rounds.part(slice(0, count))


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
