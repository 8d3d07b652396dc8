"""Environments for reinforcement learning with a random policy, on one core.

| key | what | target |
|---|---|---|
| `tables_GAME_steps_per_s` | `Tables` of 1,024, the first legal card at each | ≥ 1 million |
| `tables_klaverjas_us` | a step at one table of these, with a random legal card | |
| `pettingzoo_GAME_us` | a step of `arena.envs.TableEnv`: `last()`, a random legal card, `step` | |
| `rlcard_bridge_us` | RLCard's only trick-taking game: `step`, which observes, at random | |
| `openspiel_GAME_us` | OpenSpiel's `rl_environment`: `step`, which observes, at random | |
| `times_rlcard`, `times_openspiel` | these by `tables_klaverjas_us` | ≥ 10 |
| `pettingzoo_times_rlcard`, `pettingzoo_times_openspiel` | these by `pettingzoo_klaverjas_us` | |

OpenSpiel's `GAME` is `python_team_dominoes`, the nearest of its games in Python (four players, two
sides, hidden hands), which is what `times_openspiel` compares with; and `hearts`, which is in C++.
All are played in turns, and the fastest turn of each counts. RLCard and OpenSpiel are left out if
they are not installed (`pip install rlcard open_spiel`).
"""

from __future__ import annotations

import importlib
import importlib.util
import random
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from arena.envs import Int8s, TableEnv, Tables
from arena.measure.bench import in_turns

_GAMES = ("klaverjas", "schieber", "hearts")
_DOMINOES = "python_team_dominoes"
_TABLES = 1024
_STEPS = 1_000
_TURNS = 7


class _Played(NamedTuple):
    """An environment that is played: `step` makes so many steps at once."""

    step: Callable[[], object]
    at_once: int = 1


def measure() -> dict[str, float]:
    """All figures."""
    envs = {f"tables_{game}_steps_per_s": _tables(game, _first) for game in _GAMES}
    envs["tables_klaverjas_us"] = _tables("klaverjas", _RandomChoice())
    envs |= {f"pettingzoo_{game}_us": _pettingzoo(game) for game in _GAMES}
    if _is_installed("rlcard"):
        envs["rlcard_bridge_us"] = _rlcard("bridge")
    if _is_installed("pyspiel"):
        envs |= {f"openspiel_{game}_us": _openspiel(game) for game in (_DOMINOES, "hearts")}
    turns = np.array(in_turns([_steps_of(env) for env in envs.values()], _TURNS))
    seconds = dict(zip(envs, turns.min(axis=0) / _STEPS, strict=True))
    figures = {
        name: float(
            1e6 * each / envs[name].at_once if name.endswith("_us") else envs[name].at_once / each
        )
        for name, each in seconds.items()
    }
    for other, key in (("rlcard", "rlcard_bridge_us"), ("openspiel", f"openspiel_{_DOMINOES}_us")):
        if key in figures:
            figures[f"times_{other}"] = figures[key] / figures["tables_klaverjas_us"]
            figures[f"pettingzoo_times_{other}"] = figures[key] / figures["pettingzoo_klaverjas_us"]
    return figures


def left_out() -> str | None:
    """A note on what cannot be measured here, and why."""
    missing = {"rlcard": "rlcard", "pyspiel": "open_spiel"}
    packages = [package for name, package in missing.items() if not _is_installed(name)]
    return f"not compared with: pip install {' '.join(packages)}" if packages else None


def _is_installed(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def _steps_of(env: _Played) -> Callable[[int], None]:
    def play(seed: int) -> None:
        random.seed(seed)
        for _ in range(_STEPS):
            env.step()

    return play


def _first(mask: Int8s) -> np.ndarray:
    return np.asarray(mask.argmax(1))


class _RandomChoice:
    """A random legal action for each row of masks."""

    def __init__(self) -> None:
        self._rng = np.random.default_rng(0)

    def __call__(self, mask: Int8s) -> np.ndarray:
        return np.asarray((self._rng.random(mask.shape, np.float32) * mask).argmax(1))


def _tables(game: str, choose: Callable[[Int8s], np.ndarray]) -> _Played:
    tables = Tables(game, _TABLES)
    mask = tables.reset().action_mask  # written to by each step
    return _Played(lambda: tables.step(choose(mask)), _TABLES)


def _pettingzoo(game: str) -> _Played:
    env = TableEnv(game)

    def step() -> None:
        if not env.agents or env.terminations[env.agent_selection]:
            env.reset()
        observation, *_ = env.last()
        env.step(random.choice(observation["action_mask"].nonzero()[0]))

    return _Played(step)


def _rlcard(game: str) -> _Played:
    env: Any = importlib.import_module("rlcard").make(game)
    state, _ = env.reset()

    def step() -> None:
        nonlocal state
        if env.is_over():
            state, _ = env.reset()
        state, _ = env.step(random.choice(list(state["legal_actions"])))

    return _Played(step)


def _openspiel(game: str) -> _Played:
    importlib.import_module("open_spiel.python.games")  # registers those in Python
    env: Any = importlib.import_module("open_spiel.python.rl_environment").Environment(game)
    now = env.reset()

    def step() -> None:
        nonlocal now
        if now.last():
            now = env.reset()
        legal = now.observations["legal_actions"][now.observations["current_player"]]
        now = env.step([random.choice(legal)])

    return _Played(step)
