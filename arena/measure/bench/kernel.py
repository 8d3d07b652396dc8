"""How fast the compiled kernel is, on one core.

| key | what | target |
|---|---|---|
| `klaverjas_rounds_per_s` | random rounds: deal, 32 plays, score | 0.75 × C |
| `bulk_rounds_per_s` | the same, 64 rounds at a time | 1.8 × C |
| `schieber_rounds_per_s` | the same for Schieber | 0.7 × Klaverjas |
| `hearts_rounds_per_s` | the same for Hearts | 0.4 × Klaverjas |
| `playout_ns` | a random Klaverjas playout from the opening lead | |
| `semi_playout_ns` | a semi-random one | |
| `uniform_world_ns` | a uniform world at the opening lead | ≤ 1 playout |
| `weighted_world_ns` | a weighted one | ≤ 3 playouts |
| `first_use_s`, `warm_start_s` | start and warm up with an empty and a full disk cache | 30, 1.5 |

`--against CMD` runs another kernel, a command that prints its rounds per second, in turns
with ours and adds `against_rounds_per_s` and the ratios. Of all turns the best one counts,
so that what else the machine does counts as little as it can.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Callable

import numpy as np

from arena.core.errors import ArenaError
from arena.core.temporary import temporary_folder
from arena.games.hearts import Hearts
from arena.games.kernel.deal import random_deal
from arena.games.kernel.jit import compiled, uncounted
from arena.games.kernel.lanes import LANES
from arena.games.kernel.layout import HANDS, STATE_WORDS, USUAL_FLAGS, ZERO, Word, Words
from arena.games.kernel.playout import playout_random, playout_semi, playouts, with_loops
from arena.games.kernel.rng import next64
from arena.games.kernel.spec import kernel_game
from arena.games.kernel.step import copy_state, final_scores
from arena.games.kernel.uniform_worlds import bench_uniform
from arena.games.kernel.weighted_worlds import bench_weighted
from arena.games.klaverjas import Klaverjas
from arena.games.schieber import Schieber
from arena.measure.bench import cost_of, fastest

_TURNS = 3
_REPEATS = 10
_ROUNDS = 50_000
_TRUMP = 0


# --- what is timed -----------------------------------------------------------------------


@compiled
def play_rounds(count: int, game: Words, rng: Words) -> int:
    """Deal, play at random and score; the sum of the first side's scores."""
    state = np.empty(STATE_WORDS, dtype=np.uint64)
    scores = np.empty(4, dtype=np.int64)
    total = 0
    for _ in range(count):
        random_deal(state, game, rng, ZERO, ZERO)
        playout_random(state, game, rng)
        final_scores(state, game, scores)
        total += scores[0]
    return total


@compiled
def play_rounds_in_bulk(count: int, game: Words, rng: Words) -> int:
    """As `play_rounds`, `LANES` at a time."""
    state = np.empty(STATE_WORDS, dtype=np.uint64)
    worlds = np.empty((LANES, 4), dtype=np.uint64)
    seeds = np.empty(LANES, dtype=np.uint64)
    scores = np.empty((LANES, 4), dtype=np.int64)
    total = 0
    for _ in range(count // LANES):
        for lane in range(LANES):
            random_deal(state, game, rng, ZERO, ZERO)
            for number in range(4):
                worlds[lane, number] = state[HANDS + Word(number)]
            seeds[lane] = next64(rng)
        playouts(state, game, worlds, seeds, scores)
        for lane in range(LANES):
            total += scores[lane, 0]
    return total


@compiled
def play_out(count: int, deals: Words, semi: bool, game: Words, rng: Words) -> int:
    """Play out the rounds in the rows of `deals`, in turn; the sum of the scores."""
    state = np.empty(STATE_WORDS, dtype=np.uint64)
    scores = np.empty(4, dtype=np.int64)
    total = 0
    for number in range(count):
        copy_state(deals[number % len(deals)], state)
        if semi:
            playout_semi(state, game, rng, USUAL_FLAGS)
        else:
            playout_random(state, game, rng)
        final_scores(state, game, scores)
        total += scores[0]
    return total


@uncounted
def deal_rounds(deals: Words, game: Words, rng: Words) -> None:
    """Fill the rows of `deals` with new rounds."""
    for number in range(len(deals)):
        random_deal(deals[number], game, rng, ZERO, ZERO)


# --- timing ------------------------------------------------------------------------------


def measure(against: str | None = None, turns: int = _TURNS) -> dict[str, float]:
    """All figures; `against` is a command that prints the rounds per second of another kernel."""
    best: dict[str, float] = {}
    works = _works()
    other = 0.0
    for _ in range(turns):
        for name, work in works.items():
            best[name] = min(best.get(name, float("inf")), fastest(work, _REPEATS))
        if against is not None:
            other = max(other, _rounds_per_s(against))
    figures = {
        f"{name}_rounds_per_s": _ROUNDS / best[name]
        for name in ("klaverjas", "schieber", "hearts", "bulk")
    }
    for name in ("playout", "semi_playout", "uniform_world", "weighted_world"):
        figures[f"{name}_ns"] = 1e9 * best[name] / _ROUNDS
    figures |= _start_times()
    if against is not None:
        figures["against_rounds_per_s"] = other
        figures["klaverjas_against"] = figures["klaverjas_rounds_per_s"] / other
        figures["bulk_against"] = figures["bulk_rounds_per_s"] / other
    return figures


def _works(rounds: int = _ROUNDS) -> dict[str, Callable[[int], object]]:
    klaverjas = with_loops(kernel_game(Klaverjas(), _TRUMP)).words
    schieber = with_loops(kernel_game(Schieber(), _TRUMP), "random").words
    hearts = with_loops(kernel_game(Hearts(), None), "random").words
    rng = np.array([1], dtype=np.uint64)
    deals = np.zeros((256, STATE_WORDS), dtype=np.uint64)
    deal_rounds(deals, klaverjas, rng)
    bulk_rounds = rounds // LANES * LANES
    return {
        "klaverjas": lambda _: play_rounds(rounds, klaverjas, rng),
        "schieber": lambda _: play_rounds(rounds, schieber, rng),
        "hearts": lambda _: play_rounds(rounds, hearts, rng),
        "bulk": lambda _: play_rounds_in_bulk(bulk_rounds, klaverjas, rng),
        "playout": lambda _: play_out(rounds, deals, False, klaverjas, rng),
        "semi_playout": lambda _: play_out(rounds, deals, True, klaverjas, rng),
        "uniform_world": lambda _: bench_uniform(rounds, 1),
        "weighted_world": lambda _: bench_weighted(rounds, 1),
    }


def _rounds_per_s(command: str) -> float:
    """What a command prints: one number."""
    try:
        done = subprocess.run(shlex.split(command), capture_output=True, text=True, check=True)
    except OSError as error:
        raise ArenaError(f"--against {command!r}: {error.strerror or error}") from error
    except subprocess.CalledProcessError as error:
        raise ArenaError(f"--against {command!r}: exit code {error.returncode}") from error
    try:
        rate = float(done.stdout.strip())
    except ValueError:
        rate = 0.0
    if not rate > 0:
        raise ArenaError(
            f"--against {command!r}: expected rounds per second, got {done.stdout.strip()!r}"
        )
    return rate


_START = "from arena.measure.bench.kernel import _works; [work(0) for work in _works(1).values()]"


def _start_times() -> dict[str, float]:
    """The time that a new process needs, first with an empty disk cache, then with a full one."""
    with temporary_folder() as folder:
        start = [sys.executable, "-c", _START]
        times = [cost_of(start, ARENA_CACHE_DIR=str(folder)).clock_s for _ in range(3)]
    return {"first_use_s": times[0], "warm_start_s": min(times[1:])}
