"""Waiting times at the start: small commands, a small run, nothing compiled yet.

| key | what | target |
|---|---|---|
| `help_cpu_s` | `arena --help` | ≤ 0.1 |
| `status_cpu_s`, `compare_cpu_s`, `replay_cpu_s` | these commands on a small run | ≤ 0.7 |
| `run_cpu_s` | `arena run` of 3 agents on 20 deals, its report included, all compiled | ≤ 2.0 |
| `first_start_s` | the quick-start on an empty cache of compiled code, by the clock | ≤ 60 |
| `first_start_cpu_s` | the same in CPU seconds of all processes: nearly all of it compiles | |
| `second_start_s` | the same command again, by the clock | ≤ 5 |
| `installed_mib` | arena and the packages that it needs, without extras and compiled bytecode | |

CPU seconds are those of the process and of all that it has started: they hardly depend on what
else the machine does, and the least of some turns is taken. What goes by the clock is measured
once and needs a quiet machine.
"""

from __future__ import annotations

import sys
from importlib.metadata import PackageNotFoundError, distribution

from packaging.requirements import Requirement

from arena.core.temporary import temporary_folder
from arena.measure.bench import cost_of, cpu_of_arena

_SMALL = """\
name: small
game: {name: klaverjas}
deals: {set: klaverjas-given-1000, limit: 20}
agents: {rule: {family: rule}, semi-random: {family: semi-random}, random: {family: random}}
seed: 1
"""


def measure(repeats: int = 5, first_start: str = "quickstart") -> dict[str, float]:
    """All figures; `first_start` is the experiment that starts cold."""
    with temporary_folder() as folder:
        config, small = folder / "small.yaml", folder / "small"
        config.write_text(_SMALL, encoding="utf-8")
        run = ("run", config, "--out", small, "--fresh")
        cpu_of_arena(run, 1)  # compiles
        words: dict[str, tuple[object, ...]] = {
            "help": ("--help",),
            "run": run,
            "status": ("status", small),
            "compare": ("compare", small, "rule", "random"),
            "replay": ("replay", small, "klaverjas-given-0000"),
        }
        figures = {f"{name}_cpu_s": cpu_of_arena(w, repeats) for name, w in words.items()}
        arena = [sys.executable, "-m", "arena", "run", first_start, "--out", str(folder / "first")]
        cold, warm = (cost_of(arena, ARENA_CACHE_DIR=str(folder / "cache")) for _ in range(2))
    return figures | {
        "first_start_s": cold.clock_s,
        "first_start_cpu_s": cold.cpu_s,
        "second_start_s": warm.clock_s,
        "installed_mib": installed_bytes("arena-tricks", set()) / 2**20,
    }


def installed_bytes(package: str, counted: set[str]) -> int:
    """The size of a package's files and of those that it needs, each counted once."""
    if package.lower() in counted:
        return 0
    counted.add(package.lower())
    try:
        found = distribution(package)
    except PackageNotFoundError:  # for other systems
        return 0
    needed = map(Requirement, found.requires or ())
    own = sum(file.size or 0 for file in found.files or ())
    return own + sum(
        installed_bytes(each.name, counted)
        for each in needed
        if each.marker is None or each.marker.evaluate({"extra": ""})
    )
