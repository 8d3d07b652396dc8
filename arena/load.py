"""A run for notebooks: tidy pandas frames, each made when it is first asked for.

import arena

run = arena.load_run("reports/quickstart")
run.deals     # a row per pair and deal: the margin is the mean over its seatings
run.rounds    # a row per pair, deal and seating
run.agents    # the leaderboard
run.pairs     # every pair with interval and p-value
"""

from __future__ import annotations

from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.analysis import Standings, make_standings, read
from arena.store import Manifest, Run

if TYPE_CHECKING:
    import pandas as pd


class LoadedRun:
    """The results of a run folder as frames."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        with Run(self.path) as run:
            self.manifest: Manifest = run.manifest
            self.config: dict[str, Any] = run.config

    def __repr__(self) -> str:
        pairs, deals = len(self.manifest.pairings), self.manifest.deals
        return f"<run {self.manifest.name!r}: {pairs} pairs on {deals} deals>"

    @cached_property
    def deals(self) -> pd.DataFrame:
        """A row per pair and deal (or match): means over its seatings."""
        with Run(self.path) as run:
            return run.deals()

    @cached_property
    def rounds(self) -> pd.DataFrame:
        """A row per pair, deal, seating and round."""
        with Run(self.path) as run:
            return run.rounds()

    @cached_property
    def standings(self) -> Standings:
        """What `arena ratings` shows, as objects."""
        with Run(self.path) as run:
            return make_standings(read([run]))

    @cached_property
    def agents(self) -> pd.DataFrame:
        """A row per agent, the best first; nested values are columns such as `rating_low`."""
        return _frame([asdict(agent) for agent in self.standings.agents])

    @cached_property
    def pairs(self) -> pd.DataFrame:
        """A row per pair; `mean` is in favour of `first`."""
        return _frame([asdict(pair) for pair in self.standings.pairs])


def load_run(path: Path | str) -> LoadedRun:
    """The results of a run folder, for a notebook."""
    return LoadedRun(path)


def _frame(rows: list[dict[str, Any]]) -> pd.DataFrame:
    import pandas as pd  # here, so that `import arena` stays light

    return pd.json_normalize(rows, sep="_")
