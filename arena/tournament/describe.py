"""Describing a run: what is played, and what it is played with."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Mapping
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import arena
from arena.config.experiment import ResolvedExperiment
from arena.config.parameters import plain
from arena.core.rules import Rules
from arena.store.database import PairingKey, canonical_json
from arena.store.manifest import EntrantUsed, Machine, Manifest, Pairing, RulesUsed, Session
from arena.tournament.schedule import seatings_of

_PACKAGES = ("joblib", "numba", "numpy", "scipy")


def describe(
    experiment: ResolvedExperiment, entrants: Mapping[str, EntrantUsed], session: Session
) -> Manifest:
    """The description of a run that begins now; its pairings have no numbers yet."""
    return Manifest(
        name=experiment.name,
        description=experiment.description,
        versions=versions(experiment.rules),
        git_commit=git_commit(),
        machine=Machine(platform=platform.platform(), processor=_processor(), cores=os.cpu_count()),
        config_sha256=experiment.config_sha256,
        rules=rules_used(experiment.rules),
        deal_set=experiment.deal_set,
        deals_sha256=experiment.deals_sha256,
        deals=len(experiment.deals),
        match=experiment.match,
        placements=experiment.placements,
        seatings=tuple(
            "".join("AB"[entrant] for entrant in seating) for seating in seatings_of(experiment)
        ),
        seed=experiment.seed,
        on_fault=experiment.on_fault,
        decision_limit_s=experiment.decision_limit_s,
        references=experiment.references,
        indifferent=experiment.indifferent,
        stop=experiment.stop,
        race=experiment.race,
        entrants=dict(entrants),
        pairings=tuple(Pairing(first, second, 0) for first, second in experiment.pairings),
        sessions=(session,),
    )


def pairing_key(manifest: Manifest, pairing: Pairing) -> PairingKey:
    """The key of a pairing's results."""
    rules, match = manifest.rules, manifest.match
    return PairingKey(
        first=pairing.first,
        second=pairing.second,
        first_fingerprint=manifest.entrants[pairing.first].fingerprint,
        second_fingerprint=manifest.entrants[pairing.second].fingerprint,
        rules=canonical_json({"game": rules.game, "options": rules.options}),
        rules_version=rules.version,
        seed=str(manifest.seed),
        deals_sha256=manifest.deals_sha256,
        play=canonical_json(
            {"seatings": manifest.seatings, "match": None if match is None else asdict(match)}
        ),
    )


def versions(rules: Rules) -> dict[str, str]:
    """The versions that made the results, of packages that the game needs too."""
    packages = (*_PACKAGES, *rules.packages)
    return {
        "arena": arena.__version__,
        "python": platform.python_version(),
        **{name: found for name in packages if (found := _version_of(name))},
    }


def rules_used(rules: Rules) -> RulesUsed:
    """A game that is a dataclass of its options."""
    return RulesUsed(game=rules.name, options=plain(rules), version=rules.version)


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
