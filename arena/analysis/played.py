"""Experiments that are played only for their results: pilots, calibrations, training."""

from __future__ import annotations

from pathlib import Path

from arena.analysis.results import Results, read
from arena.config.experiment import ResolvedExperiment
from arena.core.errors import ArenaError
from arena.core.temporary import temporary_folder
from arena.store import Run
from arena.tournament.run import RunOptions, run
from arena.tournament.watcher import Watcher


def played_results(
    experiment: ResolvedExperiment,
    what: str,
    watcher: Watcher,
    jobs: int | None = None,
    keep: Path | None = None,
) -> Results:
    """Play an experiment and read its results; `ArenaError` names `what` if a fault stops it.

    The run is thrown away, or kept in the folder `keep`, where an interrupted one goes on.
    """
    with temporary_folder() as folder:
        finished = run(experiment, keep or folder / "run", RunOptions(jobs), watcher)
        if finished.stopped:
            raise ArenaError(f"{what} stopped: {finished.stopped}")
        with Run(finished.path) as results:
            return read([results])
