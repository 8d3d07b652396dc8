"""The effect of a new version of an agent: the same deals against the same opponents."""

from __future__ import annotations

from collections.abc import Iterator

from arena.analysis.comparison import IndirectComparison, compare_through
from arena.analysis.results import read
from arena.core.errors import ArenaError
from arena.store import Run


def version_changes(run: Run) -> Iterator[IndirectComparison]:
    """Each agent that has former versions against the last of them, where both have played."""
    last = {name.rpartition("@")[0]: name for name in run.manifest.former}
    if not last or run.manifest.stop is not None:  # plain means mislead where a test stops
        return
    with Run(run.path, versions=True) as all_versions:
        met = [{pairing.first, pairing.second} for pairing in all_versions.pairings]
        for now, before in last.items():
            common = [
                name
                for name in run.entrants
                if name != now and {now, name} in met and {before, name} in met
            ]
            results = read([all_versions], [now, before, *common])
            try:
                yield compare_through(results, now, before, common)
            except ArenaError:
                continue  # nothing in common yet
