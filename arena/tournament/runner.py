"""Getting units played: in chunks, on all cores, whatever happens to a worker.

Chunks are sized so that one takes about half a second: the first ones are single
units, from which the time that a unit of each pairing takes is learnt. What a
chunk holds has no influence on results, nor has who plays it: every decision is
seeded from the run's seed, the deal and the seat.

**Small runs.** Workers take a second to start. Where the user has not asked for workers or a
backend, units are first played in this process, and the workers are started when the rest
would take longer than that at the pace so far. After a run that was killed they are started at
once: an agent may have ended the process. So they are where an agent has a process of its own
without a sandbox: it can end or stop the process that has started it, which must not be the driver.

**Lost workers.** joblib gives up everything in flight when a worker process dies.
What had come back is stored already; what was in flight is played again. If the
worker ended itself because an agent was stuck, the agent's fault is known then. If
not (killed, out of memory, a crash in compiled code), no agent is at fault until that is
proven: the units in flight are played one at a time with every agent in a process of its own,
in a sandbox where there is one. The agent that ends its own process is at fault; if the worker
ends again, no agent is, and the run ends with an error. A process of an agent that was ended or
stopped by a signal is no proof either, as long as another agent could have sent it.
"""

from __future__ import annotations

import os
import time
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from math import ceil
from pathlib import Path
from typing import Any, Literal, TypeAlias

from arena.config.entrants import ProcessBuilder
from arena.core.agent import Player
from arena.core.errors import ArenaError
from arena.core.temporary import temporary_folder
from arena.process.builder import Builder
from arena.process.ending import no_sudden_exit
from arena.process.sandbox import why_none as no_sandbox
from arena.tournament.fingerprint import STUCK
from arena.tournament.practice import practise
from arena.tournament.referee import WARMING_UP, Fault, Played, overtime
from arena.tournament.schedule import Unit, match_deal
from arena.tournament.worker import (
    Chunk,
    ChunkResult,
    Job,
    Note,
    close_agents,
    play_chunk,
    probe_player,
    read_notes,
    slow_decisions,
    watched_probe,
)

Backend: TypeAlias = Literal["loky", "threading", "sequential", "dask"]
BACKENDS: tuple[Backend, ...] = ("loky", "threading", "sequential", "dask")

TARGET_CHUNK_S = 0.5
"""Long enough that sending a chunk costs nothing, short enough to lose little."""
_MOST_CHUNKS_PER_S = 100
"""With more workers chunks are longer: the driver has some milliseconds and a write for each."""
_GROWTH = 8
"""A chunk is at most so many times as large as the largest played so far."""
_CHANCES_ALONE = 2
_POOL_PAYS_S = 1.5
"""Work that is left when starting workers pays."""
_LOOK_AHEAD = 4096
"""Units taken from the schedule before they are needed: the most that one chunk can have."""


def target_chunk_s(jobs: int) -> float:
    """How long a chunk is to take with so many workers."""
    return max(TARGET_CHUNK_S, jobs / _MOST_CHUNKS_PER_S)


class WorkerLost(ArenaError):
    """A unit that ends every worker process that plays it."""


@dataclass
class ChunkSizer:
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
        seconds, target_s = 0.0, target_chunk_s(self.jobs)
        while units and len(chunk) < most:
            unknown = units[0].pairing not in self._seconds
            if chunk and self.chunk_units is None and (unknown or seconds >= target_s):
                break
            unit = units.popleft()
            chunk.append(unit)
            seconds += self._seconds.get(unit.pairing, target_s)
        return tuple(chunk)


class Runner:
    """Plays units of one job with some workers, which are there while it is entered."""

    def __init__(
        self,
        job: Job,
        jobs: int | None = None,
        backend: Backend | None = None,
        chunk_units: int | None = None,
        *,
        try_here: bool = True,
    ) -> None:
        """`try_here`: whether agents may play in this process if no backend is asked for."""
        try_here = try_here and not job.can_signal_us
        if waiting := job.requests_in_flight:
            # Agents that wait for a server take no core: one thread a request, unless agents may
            # have to be stopped.
            jobs = jobs or waiting
            backend = backend or ("threading" if job.decision_limit_s is None else "loky")
        self._asked = jobs
        self._here = try_here and jobs is None and backend is None and job.decision_limit_s is None
        self.jobs = jobs or os.cpu_count() or 1
        self.backend: Backend = backend or "loky"
        # One worker is this process, unless agents may have to be stopped.
        if self.jobs == 1 and backend != "loky" and backend != "dask":
            here = backend or (job.decision_limit_s is None and try_here)
            self.backend = "sequential" if here else "loky"
        self._job = job
        self._isolated_job: Job | None = None
        self._open = ExitStack()
        self._has_workers = False
        self._warm_here = False
        """Whether all agents have been probed in this process, so that their code is loaded."""
        self._sizer = ChunkSizer(self.jobs, chunk_units)
        self._waiting: deque[Unit] = deque()
        self._in_flight: dict[int, Chunk] = {}
        self._suspects: list[Unit] = []
        self._chunks = 0
        self._known: dict[tuple[int, str], dict[int, tuple[int, Played]]] = {}
        self.worker_cpu_seconds = 0.0
        """CPU time of the worker processes, without the driver's."""

    def __enter__(self) -> Runner:
        self._job = self._open.enter_context(self._at_work())
        return self

    def __exit__(self, *raised: Any) -> None:
        self._open.__exit__(*raised)

    def show(self, shown: tuple[tuple[bool, ...], ...]) -> None:
        """Set the members of each team that see all cards; before anything is played."""
        self._job = replace(self._job, shown=shown)

    def practise(self, builders: Mapping[Path, Builder]) -> None:
        """Let agents practise, by all workers, so that what they need is compiled."""
        if self.backend == "sequential":
            for stamp, builder in builders.items():
                practise(self._job.rules, builder, stamp)
        elif self.backend == "loky":
            with suppress(broken_pool()):  # it is found out where it counts
                each = ((builder, stamp) for stamp, builder in builders.items())
                list(self._parallel((_practise, arguments) for arguments in each))

    def slow_decision(self) -> str:
        """A decision that takes long, by an agent here or in a worker; empty if there is none."""
        return next(slow_decisions(self._job), "")

    def probes(self, agents: Sequence[tuple[str, Builder | ProcessBuilder, Player]]) -> list[str]:
        """The probes of some agents, with their names; one that ends its worker is named so.

        In this process the given player plays; a worker builds its own.
        """
        found: dict[int, str] = {}
        started = time.perf_counter()
        for number, (name, _, player) in enumerate(agents):
            if self.backend != "sequential":
                self._here = self._here and time.perf_counter() - started < _POOL_PAYS_S
                if not self._here:
                    break
            found[number] = self._in_this_process(probe_player, name, player)
        self._warm_here = len(found) == len(agents) == sum(map(len, self._job.teams))
        left = [(number, *agents[number][:2]) for number in range(len(found), len(agents))]
        try:
            if left:
                found.update(self._parallel((_numbered_probe, each) for each in left))
        except broken_pool():
            for number, name, builder in left:
                if number not in found:
                    found[number] = self._probe_alone(name, builder)
        return [found[number] for number in range(len(agents))]

    def _probe_alone(self, name: str, builder: Builder | ProcessBuilder) -> str:
        try:
            (found,) = self._parallel([(watched_probe, (name, builder))])
            return str(found)
        except broken_pool():
            stuck = bool(self._job.notes and read_notes(Path(self._job.notes)))
            return STUCK if stuck else "lost"

    def play(self, units: Iterable[Unit], count: int) -> Generator[ChunkResult, None, None]:
        """Play all units, of which there are `count`; results come as they are ready.

        Ends early after a chunk that a fault has stopped.
        """
        source = iter(units)
        if self._here:
            for result in self._first_here(source, count):
                count -= len(result.results)
                yield result
                if result.stopped:
                    return
            if self._here and not self._suspects:
                return
        while True:
            try:
                for result in self._in_chunks(self._chunked(source, count)):
                    count -= len(result.results)
                    yield result
                    if result.stopped:
                        return
                lost = self._take_suspects()
                if not lost:
                    return
            except broken_pool():
                lost = [*self._take_back(), *self._take_suspects()]
            if self._read_notes(lost):
                self._waiting.extendleft(reversed(lost))
                continue
            for unit in lost:
                result = self._alone(unit)
                count -= len(result.results)
                yield result
                if result.stopped:
                    return

    # --- ways to play --------------------------------------------------------------------

    def _first_here(self, source: Iterator[Unit], count: int) -> Iterator[ChunkResult]:
        """Play in this process for as long as little is left at the pace so far."""
        started, played = 0.0, 0
        for chunk in self._chunked(source, count):
            result = self._in_this_process(play_chunk, chunk)
            yield self._came_back(result)
            count -= len(chunk.units)
            now = time.perf_counter()
            if not started:  # the first one also loads compiled code
                started = now
                continue
            played += len(chunk.units)
            if now - started > _POOL_PAYS_S / 3 and (now - started) / played * count > _POOL_PAYS_S:
                self._here = False
                return

    def _in_chunks(self, chunks: Iterator[Chunk]) -> Generator[ChunkResult, None, None]:
        if self.backend == "sequential":
            for chunk in chunks:
                yield self._came_back(self._in_this_process(play_chunk, chunk))
            return
        results = self._parallel((play_chunk, (chunk,)) for chunk in chunks)
        try:
            for result in results:
                yield self._came_back(result)
        finally:
            with warnings.catch_warnings():
                # joblib warns of work thrown away; it is, on purpose, and will be done again.
                warnings.simplefilter("ignore")
                results.close()

    def _in_this_process(self, work: Callable[..., Any], *given: Any) -> Any:
        job = replace(self._job, warm=False) if self._warm_here else self._job
        with no_sudden_exit():
            return work(job, *given)

    def _parallel(self, work: Iterable[tuple[Callable[..., Any], tuple[Any, ...]]]) -> Any:
        """The results of some calls by the workers, as they come."""
        from joblib import delayed  # here: it takes long to import

        from arena.tournament.pool import parallel, workers_that_end

        if self.backend == "loky" and not self._has_workers:
            self._has_workers = True
            self._open.enter_context(workers_that_end())
        tasks = (delayed(call)(self._job, *given) for call, given in work)
        return parallel(self._backend(), self.jobs)(tasks)

    def _backend(self) -> Any:
        if self.backend != "dask":
            return self.backend
        from arena.tournament.dask_cluster import ClusterBackend

        return ClusterBackend()

    def _alone(self, unit: Unit) -> ChunkResult:
        """Play one unit with every agent in a process of its own."""
        before, self._job = self._job, self._isolated()
        try:
            for _ in range(_CHANCES_ALONE):
                try:
                    (result,) = self._in_chunks(iter([self._chunk((unit,))]))
                    return result
                except broken_pool():
                    self._take_back()
        finally:
            self._job = before
        first, second = self._job.pairings[unit.pairing]
        names = self._job.names
        raise WorkerLost(
            f"deal {unit.id}, {names[first]} against {names[second]}: the worker process ended "
            f"each of {_CHANCES_ALONE + 1} times it was played, though in the end every agent had "
            "a process of its own (killed, out of memory, or an agent that ends other processes: "
            f"{no_sandbox() or 'see isolate in docs/security.md'}). No agent is at fault; what "
            "was finished is kept"
        )

    def _isolated(self) -> Job:
        if self._isolated_job is None:
            self._isolated_job = self._job.isolated()
        return self._isolated_job

    def _chunked(self, source: Iterator[Unit], left: int) -> Iterator[Chunk]:
        """Chunks as they are asked for: the sizes follow what has been learnt by then."""
        while True:
            while len(self._waiting) < _LOOK_AHEAD and (unit := next(source, None)) is not None:
                self._waiting.append(unit)
            units = self._sizer.take(self._waiting, left)
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
        self._sizer.learn(chunk.units, result.seconds)
        if self.backend in ("loky", "dask") and not self._here:
            self.worker_cpu_seconds += result.cpu_seconds
        return result if self._job is self._isolated_job else self._unsuspected(chunk, result)

    def _unsuspected(self, chunk: Chunk, result: ChunkResult) -> ChunkResult:
        """The result without units in which a signal ended an agent: these are played again."""
        killed = {(f.pairing, f.unit) for f in result.faults if f.kind == "killed"}
        if not killed:
            return result
        played = {(r.pairing, r.unit) for r in result.results} - killed
        again = [unit for unit in chunk.units if (unit.pairing, unit.id) not in played]
        faults = [f for f in result.faults if (f.pairing, f.unit) not in killed]
        if faults and result.stopped:  # of another kind, before
            return result
        self._suspects += again
        results = [r for r in result.results if (r.pairing, r.unit) in played]
        return result._replace(results=results, faults=faults, stopped=False)

    def _take_suspects(self) -> list[Unit]:
        """Units in which an agent was ended or stopped by a signal, maybe another agent's."""
        suspects, self._suspects = self._suspects, []
        return suspects

    # --- lost workers --------------------------------------------------------------------

    def _take_back(self) -> list[Unit]:
        """The units that were in flight."""
        lost = [
            unit for number in sorted(self._in_flight) for unit in self._in_flight[number].units
        ]
        self._in_flight.clear()
        return lost

    def _read_notes(self, lost: list[Unit]) -> bool:
        """Whether workers say why they ended; stuck agents are at fault then."""
        notes = read_notes(Path(self._job.notes)) if self._job.notes else []
        explained = False
        for note in notes:
            if note.seat == WARMING_UP:
                self._job = replace(self._job, warm=False)
                explained = True
                continue
            pairing, unit_id, *_ = note.place
            # A note may be found late, when another worker has played the unit.
            for unit in lost:
                if (unit.pairing, unit.id) == (pairing, unit_id):
                    limit = self._job.decision_limit_s or 0.0
                    fault = overtime("stuck", note.seat, len(note.actions), limit)
                    self._blame(unit, note, fault)
                    explained = True
        return explained

    def _blame(self, unit: Unit, note: Note, fault: Fault) -> None:
        """A round that ended its worker is not tried again: it is known how it ends."""
        _, _, seating, number, _ = note.place
        played = Played(
            deal=match_deal(self._job.rules, unit, self._job.seed, number),
            actions=note.actions,
            seats=b"",
            nanoseconds=(),
            cpu_nanoseconds=(),
            outcome=None,
            trump=None,
            declarer=None,
            leader=None,
            fault=fault,
        )
        self._known.setdefault((unit.pairing, unit.id), {})[seating] = (number, played)

    @contextmanager
    def _at_work(self) -> Iterator[Job]:
        """The job as workers get it, while the driver is at work."""
        if self.backend == "loky":
            with temporary_folder() as notes:
                try:
                    yield replace(self._job, driver=os.getpid(), notes=str(notes))
                finally:
                    close_agents()
        elif self.backend == "dask":
            # Here, because dask takes a second to load.
            from arena.tournament.dask_cluster import cluster

            with cluster(self.jobs, self._job.packages, close_agents) as workers:
                self.jobs = self._sizer.jobs = self._asked or workers
                yield self._job
        else:
            try:
                yield self._job
            finally:
                close_agents()


def broken_pool() -> type[Exception]:
    """The error of a pool that has lost a worker process."""
    from arena.tournament.pool import BrokenProcessPool  # here: it takes long to import

    found: type[Exception] = BrokenProcessPool
    return found


def _practise(job: Job, builder: Builder, stamp: Path) -> None:
    practise(job.rules, builder, stamp)


def _numbered_probe(
    job: Job, number: int, name: str, builder: Builder | ProcessBuilder
) -> tuple[int, str]:
    return number, watched_probe(job, name, builder)
