"""Getting units played: in chunks, on all cores, whatever happens to a worker.

Chunks are sized so that one takes about half a second: the first ones are single
units, from which the time that a unit of each pairing takes is learnt. What a
chunk holds has no influence on results, nor has who plays it: every decision is
seeded from the run's seed, deal, seating and seat.

**Lost workers.** joblib gives up everything in flight when a worker process dies.
What had come back is stored already; what was in flight is played again. If the
worker ended itself because an agent was stuck, the agent's fault is known then. If
not (killed, out of memory, a crash in compiled code), the units in flight are played
one at a time by a single worker; one that ends its worker twice more is named.
"""

from __future__ import annotations

import os
import tempfile
import warnings
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from math import ceil
from pathlib import Path
from typing import Any, Literal, TypeAlias

import joblib  # type: ignore[import-untyped]
from joblib.externals.loky.process_executor import (  # type: ignore[import-untyped]
    BrokenProcessPool,
)

from arena.entrants import Apart, Builder
from arena.errors import ArenaError
from arena.play.cluster import ClusterBackend, cluster
from arena.play.fingerprint import probe
from arena.play.referee import Played, overtime
from arena.play.schedule import Unit, match_deal
from arena.play.worker import (
    Chunk,
    ChunkResult,
    Table,
    forget_agents,
    play_chunk,
    read_notes,
    watched_probe,
)

__all__ = ["BACKENDS", "Backend", "Runner", "WorkerLost"]

Backend: TypeAlias = Literal["loky", "threading", "sequential", "dask"]
BACKENDS: tuple[Backend, ...] = ("loky", "threading", "sequential", "dask")

TARGET_CHUNK_S = 0.5
"""Long enough that sending a chunk costs nothing, short enough to lose little."""
_GROWTH = 8
"""A chunk is at most so many times as large as the largest played so far."""
_CHUNKS_AHEAD = 2
"""Chunks per worker that are sent before results come back."""
_CHANCES_ALONE = 2
_LOOK_AHEAD = 4096
"""Units taken from the schedule before they are needed: the most that one chunk can have."""


class WorkerLost(ArenaError):
    """A unit that ends every worker process that plays it."""


@dataclass
class Pace:
    """How many units make a chunk."""

    jobs: int
    chunk_units: int | None = None
    """A fixed size, for tests; None to adapt."""
    _seconds: dict[int, float] = field(default_factory=dict)
    """Seconds that a unit takes, by pairing."""
    _largest: int = 1

    def learn(self, units: tuple[Unit, ...], seconds: float) -> None:
        """A chunk has been played."""
        self._largest = max(self._largest, len(units))
        expected = sum(self._seconds.get(unit.pairing, 0.0) for unit in units)
        for pairing in {unit.pairing for unit in units}:
            known = self._seconds.get(pairing)
            if known is None or expected == 0.0:
                self._seconds[pairing] = seconds / len(units)
            else:
                self._seconds[pairing] = known * (0.5 + 0.5 * seconds / expected)

    def take(self, units: deque[Unit], left: int) -> tuple[Unit, ...]:
        """The next chunk, from the front of `units`; `left` are to be played in all."""
        if self.chunk_units is not None:
            most = self.chunk_units
        else:
            most = _GROWTH * self._largest
            if self.jobs > 1:
                # Towards the end chunks shrink, so that all workers finish together.
                most = min(most, max(1, ceil(left / (4 * self.jobs))))
        chunk: list[Unit] = []
        seconds = 0.0
        while units and len(chunk) < most:
            unknown = units[0].pairing not in self._seconds
            if chunk and self.chunk_units is None and (unknown or seconds >= TARGET_CHUNK_S):
                break
            unit = units.popleft()
            chunk.append(unit)
            seconds += self._seconds.get(unit.pairing, TARGET_CHUNK_S)
        return tuple(chunk)


class Runner:
    """Plays units of one table with some workers."""

    def __init__(
        self,
        table: Table,
        jobs: int | None = None,
        backend: Backend | None = None,
        chunk_units: int | None = None,
    ) -> None:
        self._asked = jobs
        self.jobs = jobs or os.cpu_count() or 1
        self.backend: Backend = backend or "loky"
        # One worker is this process, unless agents may have to be stopped.
        if self.jobs == 1 and backend != "loky" and backend != "dask":
            self.backend = "sequential" if table.decision_limit_s is None or backend else "loky"
        self._table = table
        self._pace = Pace(self.jobs, chunk_units)
        self._waiting: deque[Unit] = deque()
        self._in_flight: dict[int, Chunk] = {}
        self._chunks = 0
        self._known: dict[tuple[int, str], dict[int, tuple[int, Played]]] = {}
        self.worker_cpu_seconds = 0.0
        """What worker processes have used; the driver's own time is not in it."""

    def probes(self, builders: Iterable[Builder | Apart]) -> list[str]:
        """The probes of some agents; one that never comes back has its own kind of answer."""
        if self._table.decision_limit_s is None or self.backend != "loky":
            limit = self._table.decision_limit_s
            return [probe(self._table.rules, each.build(), limit) for each in builders]
        found = []
        with self._at_work() as table:
            for each in builders:
                task = joblib.delayed(watched_probe)(table, each)
                try:
                    found += list(_parallel("loky", self.jobs)([task]))
                except BrokenProcessPool:
                    read_notes(Path(table.notes or ""))
                    found.append("stuck")
        return found

    def play(self, units: Iterable[Unit], count: int) -> Generator[ChunkResult, None, None]:
        """Play all units, of which there are `count`; results come as they are ready.

        Ends early after a chunk that a fault has stopped.
        """
        source = iter(units)
        with self._at_work() as table:
            while True:
                try:
                    for result in self._in_chunks(table, self._chunked(source, count)):
                        count -= len(result.results)
                        yield result
                        if result.stopped:
                            return
                    return
                except BrokenProcessPool:
                    lost = self._take_back()
                if self._read_notes(table, lost):
                    self._waiting.extendleft(reversed(lost))
                    continue
                for unit in lost:
                    result = self._alone(table, unit)
                    count -= len(result.results)
                    yield result
                    if result.stopped:
                        return

    # --- ways to play --------------------------------------------------------------------

    def _in_chunks(
        self, table: Table, chunks: Iterator[Chunk]
    ) -> Generator[ChunkResult, None, None]:
        if self.backend == "sequential":
            for chunk in chunks:
                yield self._came_back(play_chunk(table, chunk))
            return
        tasks = (joblib.delayed(play_chunk)(table, chunk) for chunk in chunks)
        results = _parallel(self.backend, self.jobs)(tasks)
        try:
            for result in results:
                yield self._came_back(result)
        finally:
            with warnings.catch_warnings():
                # joblib warns of work thrown away; it is, on purpose, and will be done again.
                warnings.simplefilter("ignore")
                results.close()

    def _alone(self, table: Table, unit: Unit) -> ChunkResult:
        """Play one unit in a worker that has nothing else to do."""
        for _ in range(_CHANCES_ALONE):
            try:
                (result,) = self._in_chunks(table, iter([self._chunk((unit,))]))
                return result
            except BrokenProcessPool:
                self._read_notes(table, self._take_back())
        raise WorkerLost(
            f"deal {unit.id}, pairing {unit.pairing + 1}: its worker process ended without a word "
            f"each of {_CHANCES_ALONE + 1} times it was played (killed, out of memory, or a crash "
            "in compiled code); what was finished is kept"
        )

    def _chunked(self, source: Iterator[Unit], left: int) -> Iterator[Chunk]:
        """Chunks as they are asked for: the sizes follow what has been learnt by then."""
        while True:
            while len(self._waiting) < _LOOK_AHEAD and (unit := next(source, None)) is not None:
                self._waiting.append(unit)
            units = self._pace.take(self._waiting, left)
            if not units:
                return
            left -= len(units)
            yield self._chunk(units)

    def _chunk(self, units: tuple[Unit, ...]) -> Chunk:
        self._chunks += 1
        known = tuple(self._known.get((unit.pairing, unit.id), {}) for unit in units)
        chunk = self._in_flight[self._chunks] = Chunk(self._chunks, units, known)
        return chunk

    def _came_back(self, result: ChunkResult) -> ChunkResult:
        chunk = self._in_flight.pop(result.number)
        self._pace.learn(chunk.units, result.seconds)
        if self.backend in ("loky", "dask"):
            self.worker_cpu_seconds += result.cpu_seconds
        return result

    # --- lost workers --------------------------------------------------------------------

    def _take_back(self) -> list[Unit]:
        """The units that were in flight."""
        lost = [
            unit for number in sorted(self._in_flight) for unit in self._in_flight[number].units
        ]
        self._in_flight.clear()
        return lost

    def _read_notes(self, table: Table, lost: list[Unit]) -> bool:
        """Whether workers say why they ended; stuck agents are at fault then."""
        notes = read_notes(Path(table.notes)) if table.notes else []
        for note in notes:
            pairing, unit_id, seating, number, _ = note["place"]
            (unit,) = (u for u in lost if u.pairing == pairing and u.id == unit_id)
            limit = table.decision_limit_s or 0.0
            actions = bytes(note["actions"])
            stuck = Played(
                deal=match_deal(table.rules, unit, table.seed, number),
                actions=actions,
                seats=b"",
                nanoseconds=(),
                outcome=None,
                trump=None,
                declarer=None,
                leader=None,
                fault=overtime("stuck", note["seat"], len(actions), limit),
            )
            self._known.setdefault((pairing, unit_id), {})[seating] = (number, stuck)
        return bool(notes)

    @contextmanager
    def _at_work(self) -> Iterator[Table]:
        """The table as workers get it, while there is somebody to answer to."""
        if self.backend == "loky":
            with tempfile.TemporaryDirectory(prefix="arena-") as notes:
                yield replace(self._table, driver=os.getpid(), notes=notes)
        elif self.backend == "dask":
            with cluster(self.jobs) as workers:
                self.jobs = self._pace.jobs = self._asked or workers
                yield self._table
        else:
            try:
                yield self._table
            finally:
                forget_agents()


def _parallel(backend: Backend, jobs: int) -> Any:
    # joblib plays in this process if it is asked for one job; then two workers take turns.
    return joblib.Parallel(
        n_jobs=max(2, jobs),
        backend=ClusterBackend() if backend == "dask" else backend,
        batch_size=1,
        pre_dispatch=_CHUNKS_AHEAD * jobs if jobs > 1 else 1,
        return_as="generator_unordered",
        max_nbytes=None,
    )
