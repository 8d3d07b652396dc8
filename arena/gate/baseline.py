"""A stored baseline: the agent's margin on each deal, and all that must not have changed."""

from __future__ import annotations

import json
import platform
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from arena import __version__
from arena.config.strict import Strict
from arena.core.agent import Player, is_reproducible
from arena.core.deals import Deal
from arena.core.errors import ArenaError
from arena.core.files import read_json, write_atomically
from arena.core.rules import Rules
from arena.core.source_code import code_digest, syntax_of
from arena.tournament.fingerprint import play_probe
from arena.tournament.referee import Clock, Referee, first_decisions

FORMAT = 2
_SEED = 20_250


class Probe(Strict):
    """An agent's actions on a few deals, in every seat, and its time for them."""

    signature: str | None
    """A hash of all its actions; None if it is not reproducible."""
    deals: int
    median_s: float
    """Median time for a decision."""
    machine_s: float
    """The time of a fixed piece of work: the speed of the machine then."""

    def times_slower_than(self, other: Probe) -> float:
        """The ratio of the median times, as on one machine."""
        if other.median_s <= 0 or self.machine_s <= 0:
            return 1.0
        return (self.median_s / self.machine_s) / (other.median_s / other.machine_s)


class Baseline(Strict):
    """Means over several seeds, deal by deal, with everything that they depend on."""

    format: int
    gate: str
    made: str
    arena_version: str
    game: str
    options: dict[str, Any]
    rules_version: int
    deals_sha256: str
    kernel: str
    references: dict[str, str]
    """Fingerprints by name."""
    probe: Probe
    seeds: list[int]
    values: dict[str, float]
    """By deal: mean margin over references and seeds."""
    noise_sd: float
    """Spread of a deal's value from seed to seed: what the baseline does not know."""
    processor: str
    suite_lost: float | None = None
    """Points per position that the candidate lost on the suite of the gate."""

    def void(self, now: Mapping[str, Any]) -> str:
        """Why it cannot be compared with today's candidate; empty if it can."""
        names = {
            "game": "the game",
            "options": "the rules",
            "rules_version": "the version of the rules",
            "deals_sha256": "the deals",
            "kernel": "the compiled kernel",
            "references": "the references",
        }
        for key, name in names.items():
            if getattr(self, key) != now[key]:
                if key == "references":
                    name += f" ({_changed(self.references, now[key])})"
                return f"{name} changed since the baseline was made"
        return ""

    def write(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, json.dumps(self.model_dump(), indent=1) + "\n")


def read_baseline(path: Path) -> Baseline:
    """A baseline from its file."""
    if not path.is_file():
        raise ArenaError(f"{path}: no such baseline; 'arena gate CONFIG --update' makes it")
    data = read_json(path)
    if data.get("format", FORMAT) != FORMAT:
        raise ArenaError(f"{path}: format {data['format']}, not {FORMAT}; make it again: --update")
    try:
        return Baseline.model_validate(data)
    except ValueError as error:
        raise ArenaError(
            f"{path}: not a baseline of a gate: {str(error).splitlines()[0]}"
        ) from error


def _changed(old: Mapping[str, str], new: Mapping[str, str]) -> str:
    return ", ".join(sorted(name for name in {*old, *new} if old.get(name) != new.get(name)))


def probe(rules: Rules, player: Player, deals: tuple[Deal, ...]) -> Probe:
    """Let an agent play some deals in every seat, against a random table."""
    first_decisions(rules, player, Clock())  # compiled code is loaded before the clock counts
    machine_s = _machine_s()
    places = ((deal, seat) for deal in deals for seat in range(rules.players))
    found = play_probe(Referee(rules, _SEED), player, places)
    times = found.nanoseconds
    return Probe(
        signature=found.digest[:16] if is_reproducible(player) else None,
        deals=len(deals),
        median_s=float(np.median(times)) / 1e9 if times else 0.0,
        machine_s=min(machine_s, _machine_s()),
    )


def _machine_s() -> float:
    """Seconds for a fixed piece of work in Python, the best of several."""
    found = []
    for _ in range(9):
        began = time.perf_counter()
        sum(number * number % 7 for number in range(5_000))
        found.append(time.perf_counter() - began)
    return min(found)


def kernel_sources(rules: Rules) -> str:
    """A hash of the code that becomes the machine code of a game, and of the compiler's version.

    Of what the compiler sees: comments, docstrings and other games do not count.
    """
    import numba

    import arena.games

    root = Path(next(iter(arena.games.__path__)))
    files = {*(root / "kernel").rglob("*.py"), *root.glob("*.py")}
    own = sys.modules[type(rules).__module__].__file__
    files |= set(Path(own).parent.glob("*.py")) if own else set()
    return code_digest(files, numba.__version__, content=syntax_of)


def make_baseline(
    gate: str,
    made: str,
    now: Mapping[str, Any],
    found: Probe,
    tables: Mapping[int, Mapping[str, float]],
    suite_lost: float | None = None,
) -> Baseline:
    """From the values of each deal by seed."""
    deals = list(next(iter(tables.values())))
    table = np.array([[by_deal[deal] for deal in deals] for by_deal in tables.values()])
    noise = float(np.sqrt(table.var(axis=0, ddof=1).mean())) if len(table) > 1 else 0.0
    means = table.mean(axis=0)
    return Baseline(
        format=FORMAT,
        gate=gate,
        made=made,
        arena_version=__version__,
        probe=found,
        seeds=list(tables),
        values={deal: float(mean) for deal, mean in zip(deals, means, strict=True)},
        noise_sd=noise,
        processor=platform.processor() or platform.machine(),
        suite_lost=suite_lost,
        **now,
    )
