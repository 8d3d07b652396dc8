"""The costs of arena itself: the referee, storing, workers, starting again, memory.

| key | what | target |
|---|---|---|
| `referee_rounds_per_s` | Klaverjas rounds of two random agents, one core | ≥ 1,500 |
| `overhead_per_deal` | a run's time over that of the referee alone, less 1 | ≤ 0.15 |
| `speedup_2_workers` | two workers against one, agents that think 1 ms | ≥ 1.9 |
| `rule_random_10000_s` | `arena run` of 10,000 deals × 2 seatings, rule against random | < 15 |
| `resume_s` | the same command again, when all is stored | < 2 |
| `driver_mib` | the driver's memory with 1,000,000 stored rounds | < 1024 |

Comparisons are measured in turns and the best of each is taken, so that what else the
machine does counts as little as it can; the referee and the overhead are in CPU time,
the rest, workers above all, needs a machine that does nothing else. For the speed-up the
workers are started before they are timed; the commands are timed whole.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from arena.core.agent import Player
from arena.core.registry import AGENTS
from arena.core.rules import Action, View
from arena.core.seeds import Rng
from arena.core.temporary import temporary_folder
from arena.measure.bench import cost_of, in_turns, peak_mib
from arena.measure.made_runs import experiment_of, make_run, random_field
from arena.store import Run
from arena.tournament.referee import Lineup, Referee
from arena.tournament.run import RunOptions, run
from arena.tournament.watcher import NullWatcher

_CONFIG = """\
name: bench
game: {name: klaverjas}
deals: {set: klaverjas-given-10000}
agents: {rule: {family: rule}, random: {family: random}}
schedule: {type: round-robin}
seed: 1
"""


@dataclass(frozen=True)
class Thinker:
    """Plays low after `milliseconds` of work."""

    milliseconds: float = 1.0

    def act(self, view: View, rng: Rng) -> Action:
        """The first legal action, in its time."""
        until = time.thread_time() + self.milliseconds / 1e3
        while time.thread_time() < until:
            pass
        return view.legal[0]


def measure(
    deals: int = 2000,
    stored_rounds: int = 1_000_000,
    thought_deals: int = 150,
    command_deals: int = 10_000,
    turns: int = 7,
) -> dict[str, float]:
    """All figures.

    `deals` are for the referee and the overhead, in so many turns; `thought_deals` for the
    speed-up, `command_deals` for the commands, `stored_rounds` for the memory.
    """
    with temporary_folder() as folder:
        figures = _referee_and_overhead(folder, deals, turns)
        figures["speedup_2_workers"] = _speedup(folder, thought_deals)
        figures |= _command(folder, command_deals, min(3, turns))
        if stored_rounds:
            figures["driver_mib"] = _driver_memory(folder, stored_rounds)
    return figures


def _best(
    *works: Callable[[int], object], turns: int, clock: Callable[[], float] = time.perf_counter
) -> list[float]:
    """The best time of each, measured in turns."""
    return [min(times) for times in zip(*in_turns(works, turns, clock, warm=False), strict=True)]


def _referee_and_overhead(folder: Path, deals: int, turns: int) -> dict[str, float]:
    experiment = experiment_of(deals, ("a", "random"), ("b", "random"))
    referee = Referee(experiment.rules)
    lineup = Lineup.of([Player(AGENTS.get("random")())] * 4)

    def alone(turn: int) -> None:
        for deal in experiment.deals:
            for seating in (0, 1):
                referee.play(deal, lineup, seating)

    def stored(turn: int) -> None:
        run(experiment, folder / f"overhead-{turn}", RunOptions(jobs=1), NullWatcher())

    alone_s, stored_s = _best(alone, stored, turns=turns, clock=time.process_time)
    return {
        "referee_rounds_per_s": 2 * deals / alone_s,
        "overhead_per_deal": stored_s / alone_s - 1,
    }


def _speedup(folder: Path, deals: int) -> float:
    if "bench-thinker" not in AGENTS:
        AGENTS.add("bench-thinker", Thinker)
    experiment = experiment_of(deals, ("a", "bench-thinker"), ("b", "bench-thinker"))
    warm = replace(experiment, deals=experiment.deals[:8])
    run(warm, folder / "warm", RunOptions(jobs=2), NullWatcher())

    def with_jobs(jobs: int) -> Callable[[int], object]:
        options = RunOptions(jobs=jobs)
        return lambda turn: run(experiment, folder / f"jobs-{jobs}-{turn}", options, NullWatcher())

    one, two = _best(with_jobs(1), with_jobs(2), turns=2)
    return one / two


def _command(folder: Path, deals: int, turns: int) -> dict[str, float]:
    config = folder / "bench.yaml"
    config.write_text(_CONFIG)
    command = [sys.executable, "-m", "arena", "run", str(config), "--out", str(folder / "run")]
    command += ["--jobs", "2", "--no-report", "--set", f"deals.limit={deals}"]
    (first,) = _best(lambda turn: cost_of([*command, "--fresh"]), turns=turns)
    (again,) = _best(lambda turn: cost_of(command), turns=turns)
    return {"rule_random_10000_s": first, "resume_s": again}


# --- memory ------------------------------------------------------------------------------

_AGENTS = 11


def _driver_memory(folder: Path, stored_rounds: int) -> float:
    """Peak memory of a process that finishes a round robin of so many rounds, in MiB.

    It plays the last deals before it reads what the tables at the end are made of.
    """
    path = folder / "memory"
    deals = stored_rounds // (_AGENTS * (_AGENTS - 1))
    make_run(path, random_field(_AGENTS, deals), left=min(20, deals // 2))
    code = f"from arena.measure.bench.arena import finish; finish({str(path)!r}, {deals})"
    return float(cost_of([sys.executable, "-c", code]).output)


def finish(path: str, deals: int) -> None:
    """Finish the round robin in `path`, read its results, and print the peak memory in MiB."""
    run(random_field(_AGENTS, deals), Path(path), RunOptions(jobs=2), NullWatcher())
    with Run(path) as results:
        results.thinking()
        for pairing in results.pairings:
            results.margins(pairing)
    print(peak_mib())
