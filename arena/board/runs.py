"""Groups runs into boards, and identifies the agents in them.

An agent is known by its fingerprint, whatever a run calls it: two that play alike are one,
and one that has changed is another. The newest agent of a name is called by the name alone,
earlier ones by the name and the beginning of their fingerprints.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from arena.config.entrants import AgentSpec
from arena.config.parameters import plain
from arena.core.errors import ArenaError
from arena.report.words import options
from arena.store import Run
from arena.store.folder import RESULTS
from arena.store.manifest import MANIFEST, Manifest


def find_runs(folder: Path) -> list[Run]:
    """All runs in or below a folder, the earliest first; what cannot be read is left out."""
    found: list[Run] = []
    for manifest in sorted(folder.rglob(MANIFEST)):
        if not (manifest.parent / RESULTS).is_file():
            continue
        try:
            found.append(Run(manifest.parent))
        except ArenaError:
            continue  # of another version, or no run of ours
    return sorted(found, key=lambda run: (run.manifest.started, str(run.path)))


def setups(runs: Sequence[Run]) -> list[list[Run]]:
    """The runs by what must be the same: rules, deals, match and placements."""
    by_setup: dict[str, list[Run]] = {}
    for run in runs:
        by_setup.setdefault(_setup(run.manifest), []).append(run)
    return list(by_setup.values())


def _setup(manifest: Manifest) -> str:
    same = {
        "rules": manifest.rules.model_dump(),
        "deals": manifest.deals_sha256,
        "match": plain(manifest.match),
        "placements": manifest.placements,
    }
    return json.dumps(same, sort_keys=True)


def key_of(run: Run) -> str:
    """Changes when something is stored: the manifest says when, the size how much."""
    digest = hashlib.sha256((run.path / MANIFEST).read_bytes())
    digest.update(str((run.path / RESULTS).stat().st_size).encode())
    return digest.hexdigest()


def _settings(member: AgentSpec) -> str:
    chosen = {key: value for key, value in plain(member.parameters).items() if value is not None}
    bidder = f"; bidder {member.bidder.family}" if member.bidder is not None else ""
    return member.family + (f" ({options(chosen)})" if chosen else "") + bidder


class Names:
    """Names of agents by fingerprint."""

    def __init__(self, runs: Sequence[Run]) -> None:
        self.first_seen: dict[str, str] = {}
        self.family: dict[str, str] = {}
        """The name that a fingerprint had last, without regard to versions."""
        self.settings: dict[str, str] = {}
        """The families of an agent, with their parameters."""
        self.sees_all_cards: set[str] = set()
        newest: dict[str, str] = {}
        for run in runs:
            for name, entrant in run.manifest.entrants.items():
                mark = entrant.fingerprint
                self.first_seen.setdefault(mark, run.manifest.started)
                self.settings[mark] = " + ".join(map(_settings, entrant.members))
                self.family[mark] = name
                newest[name] = mark
                if entrant.sees_all_cards:
                    self.sees_all_cards.add(mark)
        self.shown = {
            mark: name if newest[name] == mark else f"{name}@{mark[:7]}"
            for mark, name in self.family.items()
        }

    def readable(self, text: str) -> str:
        """A text with agents by their names instead of their fingerprints."""
        for mark, name in self.shown.items():
            text = text.replace(mark, name)
        return text

    def fingerprint(self, run: Run, name: str) -> str:
        """The fingerprint of an agent of a run."""
        return run.manifest.entrants[name].fingerprint
