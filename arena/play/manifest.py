"""What a run was made with: enough to repeat it, and to know whether it can be compared."""

from __future__ import annotations

import os
import platform
import subprocess
from dataclasses import asdict, fields
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import arena
from arena.agent import sees_all_cards
from arena.play.experiment import AgentSpec, Experiment, plain
from arena.play.worker import Table
from arena.rules import Rules

__all__ = ["describe", "options_of"]

FORMAT = 1
_PACKAGES = ("joblib", "numba", "numpy", "scipy")


def options_of(rules: Rules) -> dict[str, Any]:
    """The options of a game that is a dataclass of its options."""
    return {field.name: getattr(rules, field.name) for field in fields(rules)}  # type: ignore[arg-type]


def describe(experiment: Experiment, table: Table, fingerprints: list[str]) -> dict[str, Any]:
    """The part of the manifest that is known before the first card."""
    match = experiment.match
    return {
        "format": FORMAT,
        "name": experiment.name,
        "versions": {
            "arena": arena.__version__,
            "python": platform.python_version(),
            **{name: found for name in _PACKAGES if (found := _version_of(name))},
        },
        "git_commit": git_commit(),
        "machine": {
            "platform": platform.platform(),
            "processor": _processor(),
            "cores": os.cpu_count(),
        },
        "config_sha256": experiment.config_sha256,
        "rules": {
            "game": experiment.rules.name,
            "options": options_of(experiment.rules),
            "version": experiment.rules.version,
        },
        "deal_set": experiment.deal_set,
        "deals_sha256": experiment.deals_sha256,
        "deals": len(experiment.deals),
        "match": None if match is None else asdict(match),
        "placements": experiment.placements,
        "seatings": ["".join("AB"[entrant] for entrant in seating) for seating in table.seatings],
        "seed": experiment.seed,
        "on_fault": experiment.on_fault,
        "decision_limit_s": experiment.decision_limit_s,
        "entrants": {
            entrant.name: {
                "fingerprint": found,
                "sees_all_cards": any(
                    sees_all_cards(builder.build()) for builder in table.teams[number]
                ),
                "members": [_member(member) for member in entrant.members],
            }
            for number, (entrant, found) in enumerate(
                zip(experiment.entrants, fingerprints, strict=True)
            )
        },
    }


def _member(spec: AgentSpec) -> dict[str, Any]:
    bidder = spec.bidder
    return {
        "family": spec.family,
        "parameters": plain(spec.parameters),
        "bidder": {"family": bidder.family, "parameters": plain(bidder.parameters)}
        if bidder
        else None,
    }


def git_commit() -> str | None:
    """The commit that this code is, with `-dirty` if it has been changed; None if not in git."""
    root = Path(arena.__file__).parent.parent
    if not (root / ".git").exists():
        return None
    command = ["git", "-C", str(root), "describe", "--always", "--abbrev=40", "--dirty"]
    try:
        found = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return found.stdout.strip() or None


def _version_of(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor())
