"""A stored baseline: what the agent did on each deal, and all that must not have changed."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from arena import __version__
from arena.agent import Player
from arena.deals import Deal
from arena.errors import ArenaError
from arena.files import write_atomically
from arena.play.fingerprint import is_reproducible
from arena.play.referee import Lineup, Referee
from arena.rules import Rules
from arena.strict import Strict

__all__ = ["Baseline", "kernel_sources", "read_baseline", "signature"]

FORMAT = 1
SIGNATURE_DEALS = 40
"""In every seat; a change that shows on fewer deals than one in so many may go unseen."""
_SEED = 20_250


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
    signature: str | None
    seeds: list[int]
    values: dict[str, float]
    """By deal: mean margin over references and seeds."""
    noise_sd: float
    """Spread of a deal's value from seed to seed: what the baseline does not know."""
    median_s: float
    """Median time for a decision."""
    processor: str

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
    try:
        found = Baseline.model_validate_json(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ArenaError(
            f"{path}: not a baseline of a gate: {str(error).splitlines()[0]}"
        ) from error
    if found.format != FORMAT:
        raise ArenaError(f"{path}: format {found.format}, not {FORMAT}; make it again: --update")
    return found


def _changed(old: Mapping[str, str], new: Mapping[str, str]) -> str:
    return ", ".join(sorted(name for name in {*old, *new} if old.get(name) != new.get(name)))


def signature(rules: Rules, player: Player, deals: tuple[Deal, ...]) -> str | None:
    """A hash of all actions on the first deals, in every seat, against a random table.

    Says whether anything changed in what the agent does; None if it is not reproducible.
    """
    if not is_reproducible(player):
        return None
    digest = hashlib.sha256()
    referee = Referee(rules, _SEED, None, None)
    for deal in deals[:SIGNATURE_DEALS]:
        for seat in range(rules.players):
            others = [Player(_Anybody())] * rules.players
            lineup = Lineup.of([*others[:seat], player, *others[seat + 1 :]])
            played = referee.play(deal, lineup)
            digest.update(played.actions)
            if played.fault is not None:
                digest.update(f"{played.fault.kind} {played.fault.decision}".encode())
    return digest.hexdigest()[:16]


class _Anybody:
    """Fills the other seats."""

    def act(self, view: Any, rng: Any) -> Any:
        return rng.choice(view.legal)


def kernel_sources() -> str:
    """A hash of the compiled kernel's sources and of the compiler's version."""
    import numba

    import arena.games

    digest = hashlib.sha256(numba.__version__.encode())
    root = Path(next(iter(arena.games.__path__)))
    for file in sorted(root.rglob("*.py")):
        digest.update(file.relative_to(root).as_posix().encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def make_baseline(
    gate: str,
    made: str,
    now: Mapping[str, Any],
    found: str | None,
    tables: Mapping[int, Mapping[str, float]],
    median_s: float,
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
        signature=found,
        seeds=list(tables),
        values={deal: float(mean) for deal, mean in zip(deals, means, strict=True)},
        noise_sd=noise,
        median_s=median_s,
        processor=platform.processor() or platform.machine(),
        **now,
    )
