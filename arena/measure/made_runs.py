"""Large runs for benches, made in seconds: one pair plays, the others get its rounds."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from itertools import combinations
from pathlib import Path

from arena.config.entrants import AgentSpec, Entrant
from arena.config.experiment import ResolvedExperiment
from arena.core.seeds import rng_for
from arena.games.klaverjas import Klaverjas
from arena.store.records import UnitRow, numbers_checksum
from arena.tournament.run import RunOptions, run
from arena.tournament.tally import Tally
from arena.tournament.watcher import NullWatcher


def experiment_of(deals: int, *families: tuple[str, str]) -> ResolvedExperiment:
    """A round robin in Klaverjas of entrants (name, family) on so many made deals.

    Each gets random numbers of its own: with the same ones, two random agents would play the same
    cards, and no margin would vary.
    """
    rules = Klaverjas()
    made = (rules.random_deal(rng_for(1, "bench", i), i) for i in range(deals))
    names = [name for name, _ in families]
    return ResolvedExperiment(
        name="bench",
        rules=rules,
        deals=tuple(replace(deal, id=f"bench-{i:06}") for i, deal in enumerate(made)),
        deal_set="bench",
        deals_sha256=str(deals),
        entrants=tuple(
            Entrant(name, (AgentSpec(family, twin=twin),))
            for twin, (name, family) in enumerate(families, start=1)
        ),
        pairings=tuple(combinations(names, 2)),
    )


def random_field(agents: int, deals: int) -> ResolvedExperiment:
    """A round robin of random agents."""
    return experiment_of(deals, *((f"random-{i:02}", "random") for i in range(agents)))


def make_run(folder: Path, experiment: ResolvedExperiment, left: int = 0) -> None:
    """Store all rounds of an experiment but those of the last `left` deals of other pairs.

    The first pair plays. The others get its scores, each pair moved on by a deal, so that no two
    pairs have the same margins; the cards that they show are those of the first pair.
    """
    run(replace(experiment, pairings=experiment.pairings[:1]), folder, RunOptions(), NullWatcher())
    try:
        run(experiment, folder, RunOptions(jobs=1), _StopAtOnce())
    except KeyboardInterrupt:
        _copy_rounds(folder / "results.sqlite", left)
    if not left:
        run(experiment, folder, RunOptions(jobs=1), NullWatcher())


class _StopAtOnce(NullWatcher):
    def update(self, tally: Tally) -> None:
        """End the run before it plays."""
        raise KeyboardInterrupt


def _copy_rounds(path: Path, left: int) -> None:
    """Give all other pairings the stored units of the first one, but the last ones."""
    connection = sqlite3.connect(path)
    query = "SELECT * FROM units WHERE pairing = 1 ORDER BY unit"
    stored = [UnitRow._make(row) for _, *row in connection.execute(query)]
    others = [row[0] for row in connection.execute("SELECT id FROM pairings WHERE id > 1")]
    insert = f"INSERT INTO units VALUES ({', '.join('?' * (1 + len(UnitRow._fields)))})"
    with connection:
        for pairing in others:
            scores = [stored[(i + pairing) % len(stored)] for i in range(len(stored))]
            moved = (
                row._replace(numbers=score.numbers, flags=score.flags)
                for row, score in zip(stored[: len(stored) - left], scores, strict=False)
            )
            copies = (row._replace(checksum=numbers_checksum(pairing, *row[:5])) for row in moved)
            connection.executemany(insert, ((pairing, *copy) for copy in copies))
    connection.close()
