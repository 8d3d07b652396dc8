"""A worker: builds the agents once, an object for each seat, and plays chunks.

A worker is a process, or a thread where threads are asked for; no two of them share an
agent. Before an agent plays, another object of its kind has made a decision that is not
used, so that the first one that counts is not charged for loading compiled code.

Each worker process has a sentry, a thread that ends the process

* when the driver is gone: no process would take the results. The driver holds a lock as
  long as it lives;
* when an agent has thought for longer than its limit and a moment more: Python
  cannot stop it, so the process goes, after leaving a note of where it was. The
  driver starts another process and counts the decision as a fault.

A sentry cannot act while compiled code holds the interpreter's lock; ours never does.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from multiprocessing import util as multiprocessing_util
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from arena.config.entrants import ProcessBuilder, builder_of, isolated_builder
from arena.config.experiment import ResolvedExperiment
from arena.core.agent import Player
from arena.core.cards import SEATS
from arena.core.rules import MatchFormat, Rules
from arena.core.temporary import is_in_use
from arena.process.builder import Builder
from arena.process.ending import adopt_orphans, end_children
from arena.process.hiding import hidden_variables
from arena.store.database import FaultRecord, UnitResult
from arena.tournament import patience
from arena.tournament.fingerprint import probe
from arena.tournament.referee import (
    WARMING_UP,
    Clock,
    Lineup,
    Played,
    Referee,
    first_decisions,
)
from arena.tournament.schedule import Seating, Unit, seat_members, seatings_of
from arena.tournament.units import UnitPlayer

GRACE_S = 1.0
"""How long after its limit an agent is given up."""
_SENTRY_INTERVAL_S = 0.1
_STUCK_EXIT_CODE = 70

Known: TypeAlias = Mapping[int, tuple[int, Played]]
Place: TypeAlias = tuple[int, str, int, int, str]
"""Pairing, unit, seating, number and deal of a round."""
_NOWHERE: Place = (0, "", 0, 0, "")


@dataclass(frozen=True)
class Job:
    """An experiment as workers need it."""

    token: str
    """Names the run, so that a worker builds its agents once."""
    rules: Rules
    seed: int
    match: MatchFormat | None
    seatings: tuple[Seating, ...]
    names: tuple[str, ...]
    teams: tuple[tuple[Builder | ProcessBuilder, ...], ...]
    """The members of each entrant, in the order of `names`."""
    pairings: tuple[tuple[int, int], ...]
    """Indices of two teams."""
    on_fault: Literal["stop", "forfeit"]
    decision_limit_s: float | None
    driver: int | None = None
    """The process to which a worker process answers, if it is one of its children."""
    notes: str | None = None
    """A folder for the last words of workers, and for the driver's lock."""
    patience_s: float = field(default_factory=lambda: patience.PATIENCE_S)
    """How long a decision takes before a worker reports it."""
    warm: bool = True
    """Whether agents make a decision before the clock runs."""
    shown: tuple[tuple[bool, ...], ...] = ()
    """For each team, the members that see all cards, as the driver found.
    Empty: the players are asked."""
    hidden: tuple[Path, ...] = ()
    """Paths that agents in a sandbox do not see."""
    folder: Path | None = None
    """The folder of the run, for agents that keep something there."""

    @property
    def _here(self) -> list[Builder]:
        """The agents without a process of their own."""
        return [each for team in self.teams for each in team if isinstance(each, Builder)]

    @property
    def packages(self) -> tuple[str, ...]:
        """The top-level packages that decide the results: of arena, the game and the agents."""
        parts = [self.rules.__class__, *(each.family for each in self._here)]
        tops = {getattr(part, "__module__", "arena").partition(".")[0] for part in parts}
        return tuple(sorted(tops - {"__main__"} | {"arena"}))

    @classmethod
    def of(
        cls,
        experiment: ResolvedExperiment,
        token: str,
        hidden: tuple[Path, ...] = (),
        folder: Path | None = None,
    ) -> Job:
        """The job that an experiment is."""
        names = [entrant.name for entrant in experiment.entrants]
        limit = experiment.decision_limit_s
        return cls(
            token=token,
            rules=experiment.rules,
            seed=experiment.seed,
            match=experiment.match,
            seatings=seatings_of(experiment),
            names=tuple(names),
            teams=tuple(
                tuple(
                    builder_of(member, experiment.folder, limit, hidden)
                    for member in entrant.members
                )
                for entrant in experiment.entrants
            ),
            pairings=tuple((names.index(a), names.index(b)) for a, b in experiment.pairings),
            on_fault=experiment.on_fault,
            decision_limit_s=limit,
            hidden=hidden,
            folder=None if folder is None else folder.absolute(),
        )

    @property
    def can_signal_us(self) -> bool:
        """Whether an agent has a process of its own that nothing keeps from signalling others."""
        isolated = (b for team in self.teams for b in team if isinstance(b, ProcessBuilder))
        return any(builder.launch.sandbox is None for builder in isolated)

    @property
    def requests_in_flight(self) -> int:
        """How many requests agents that ask a server may send at once; 0 if there are none."""
        asking = (b.parameters.get("in_flight", 1) for b in self._here if b.asks_server)
        return max(map(int, asking), default=0)

    @property
    def key_variables(self) -> set[str]:
        """The environment variables with the keys for servers."""
        named = (b.parameters.get("api_key_env") for b in self._here if b.asks_server)
        return {name for name in named if name is not None}

    def isolated(self) -> Job:
        """The same with every agent in processes of its own: who ends one of them is found."""
        limit = self.decision_limit_s
        teams = tuple(
            tuple(isolated_builder(builder, limit, self.hidden) for builder in team)
            for team in self.teams
        )
        return replace(self, token=f"{self.token}-isolated", teams=teams, warm=False)


class Chunk(NamedTuple):
    """Some units to play, and what is already known of them."""

    number: int
    units: tuple[Unit, ...]
    known: tuple[Known, ...]
    """For each unit, rounds by seating that must not be tried again."""


class ChunkResult(NamedTuple):
    """The results and faults of a chunk."""

    number: int
    results: list[UnitResult]
    faults: list[FaultRecord]
    stopped: bool
    """Whether a fault ended the chunk early; its unit is not among the results."""
    seconds: float
    cpu_seconds: float


def play_chunk(job: Job, chunk: Chunk) -> ChunkResult:
    """Play the units of a chunk, one after the other."""
    post = _post(job)
    agents = _agents(job, post)
    referee = Referee(job.rules, job.seed, job.decision_limit_s, post.clock)
    stops = job.on_fault == "stop"
    player = UnitPlayer(referee, job.match, job.seatings, agents.lineup, stops, post.enter)
    started, cpu_started = time.perf_counter(), _cpu_seconds(job)
    results: list[UnitResult] = []
    faults: list[FaultRecord] = []
    stopped = False
    for unit, known in zip(chunk.units, chunk.known, strict=True):
        result, unit_faults = player.play(unit, known)
        faults += unit_faults
        if unit_faults and job.on_fault == "stop":
            stopped = True
            break
        results.append(result)
    seconds = time.perf_counter() - started
    cpu_seconds = _cpu_seconds(job) - cpu_started
    return ChunkResult(chunk.number, results, faults, stopped, seconds, cpu_seconds)


def watched_probe(job: Job, name: str, builder: Builder | ProcessBuilder) -> str:
    """The probe of an agent, in a process that ends if the agent never comes back."""
    player = builder.build()
    try:
        return probe_player(job, name, player)
    finally:
        player.close()


def probe_player(job: Job, name: str, player: Player) -> str:
    """The probe of a player that has been built."""
    post = _post(job)
    with post.trial(name):
        return probe(job.rules, player, job.decision_limit_s, post.clock)


def _cpu_seconds(job: Job) -> float:
    # A worker process does nothing else; a thread shares its process with others.
    return time.process_time() if job.driver is not None else time.thread_time()


# --- the agents --------------------------------------------------------------------------


class _Agents:
    """The agents of a job in one worker: an object for each member of an entrant and seat."""

    def __init__(self, job: Job, post: Post) -> None:
        self._job, self._post = job, post
        # No agent's process starts before the keys of others are known.
        hidden_variables.update(job.key_variables)
        self._players: dict[tuple[int, int, int], Player] = {}
        self._lineups: dict[tuple[int, int], Lineup] = {}
        self._warmed: set[tuple[int, int]] = set()

    def lineup(self, pairing: int, seating: int) -> Lineup:
        """The lineup of a seating; agents are built when they are first needed."""
        key = (pairing, seating)
        if key not in self._lineups:
            seats, teams = self._job.seatings[seating], self._job.pairings[pairing]
            first, second = (len(self._job.teams[team]) for team in teams)
            members = seat_members(seats, (first, second))
            places = [(teams[entrant], members[seat]) for seat, entrant in enumerate(seats)]
            self._lineups[key] = Lineup.of(
                [self._player(team, seat, member) for seat, (team, member) in enumerate(places)],
                [self._job.teams[team][member].twin for team, member in places],
                [self._job.shown[team][member] for team, member in places]
                if self._job.shown
                else None,
            )
        return self._lineups[key]

    def _player(self, team: int, seat: int, member: int) -> Player:
        # Without partners, the member of a team in a seat depends on the seating.
        key = (team, seat, member)
        if key not in self._players:
            builder = self._job.teams[team][member]
            # One in a process of its own does not warm up for others.
            here = isinstance(builder, Builder)
            if here and self._job.warm and (team, member) not in self._warmed:
                self._warmed.add((team, member))
                with self._post.trial(self._job.names[team]):
                    _warm_up(self._job.rules, builder, self._post.clock)
            player = self._players[key] = builder.build()
            if self._job.folder is not None:
                player.keep_in(self._job.folder)
        return self._players[key]

    def close(self) -> None:
        """Close all agents."""
        for player in self._players.values():
            player.close()
        self._players.clear()
        self._lineups.clear()


_at_work: dict[tuple[str, int], _Agents] = {}
"""The agents of this process, by job and thread."""


def _agents(job: Job, post: Post) -> _Agents:
    key = (job.token, threading.get_ident())
    if key not in _at_work:
        for token, thread in list(_at_work):
            if token != job.token and thread == key[1]:  # of a run that is over
                _at_work.pop((token, thread)).close()
        _at_work[key] = _Agents(job, post)
    return _at_work[key]


def close_agents() -> None:
    """Close all agents of this process: the run is over."""
    while _at_work:
        _, agents = _at_work.popitem()
        agents.close()
    _posts.clear()


def _warm_up(rules: Rules, builder: Builder | ProcessBuilder, clock: Clock) -> None:
    player = builder.build()  # another object: who plays has seen nothing
    try:
        first_decisions(rules, player, clock)
    finally:
        player.close()


# --- the sentry --------------------------------------------------------------------------


class Post:
    """The round and the decision of a thread that plays, for the sentry and the driver."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.clock = Clock()
        self.place = _NOWHERE
        self._on_trial = ""
        self._reported = 0
        """When the decision began that has been reported."""

    def enter(self, place: Place) -> None:
        """Note the round that begins."""
        self.place = place

    @contextmanager
    def trial(self, agent: str) -> Iterator[None]:
        """An agent makes decisions that do not count."""
        self._on_trial = agent
        try:
            yield
        finally:
            self._on_trial = ""

    def slow_decision(self) -> str:
        """In words, the decision under way if it takes long and was not reported before."""
        since, seat = self.clock.since, self.clock.seat
        seconds = (time.perf_counter_ns() - since) / 1e9
        if not since or since == self._reported or seconds < self.job.patience_s:
            return ""
        self._reported = since
        agent, where = self._on_trial, "a trial deal"
        if not agent:
            pairing, _, seating, _, deal = self.place
            team = self.job.pairings[pairing][self.job.seatings[seating][seat]]
            agent, where = self.job.names[team], f"deal {deal}, action {len(self.clock.actions)}"
        at = "" if seat == WARMING_UP else f" (seat {SEATS[seat]})"
        return f"{agent}{at} has been thinking for {seconds:.2g} s ({where})"

    def write_note(self, name: str) -> None:
        """Write down the round and the seat that this process is at."""
        note = {"place": self.place, "seat": self.clock.seat, "actions": list(self.clock.actions)}
        self._write(f"{name}.json", json.dumps(note))

    def report(self) -> None:
        """Write down a decision that takes long, for the driver."""
        if words := self.slow_decision():
            self._write(f"slow-{os.getpid()}.txt", words)

    def _write(self, name: str, text: str) -> None:
        if self.job.notes is not None:
            path = Path(self.job.notes) / f"{name}.part"
            path.write_text(text, encoding="utf-8")
            path.replace(path.with_suffix(""))


_posts: dict[int, Post] = {}
"""Of the threads of this process that play."""


def _post(job: Job) -> Post:
    """The post of this thread."""
    post = _posts.setdefault(threading.get_ident(), Post(job))
    post.job = job
    if job.driver is not None and os.getpid() != job.driver:
        _become_worker()
        post.clock.interrupted = _never
    return post


def slow_decisions(job: Job) -> Iterator[str]:
    """Decisions that take long, of threads of this process and of its workers."""
    for post in tuple(_posts.values()):
        if post.job.token == job.token and (words := post.slow_decision()):
            yield words
    for path in Path(job.notes).glob("slow-*.txt") if job.notes else ():
        yield path.read_text(encoding="utf-8")


@lru_cache(maxsize=1)
def _become_worker() -> None:
    """Set up this process as a worker: once."""
    if threading.current_thread() is threading.main_thread():
        # Ctrl-C goes to every process of the terminal; the driver decides what it means.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    adopt_orphans()
    threading.Thread(target=_keep_watch, name="sentry", daemon=True).start()
    multiprocessing_util.Finalize(None, _let_go, exitpriority=_BEFORE_ALL_OTHERS)
    multiprocessing_util.Finalize(None, os._exit, (0,), exitpriority=_AFTER_ALL_OTHERS)


_BEFORE_ALL_OTHERS, _AFTER_ALL_OTHERS = 1000, -1000
"""First children are ended, so that nothing waits for them; in the end, threads of agents do not
keep the process."""


def _let_go() -> None:
    close_agents()
    end_children()


def _never() -> bool:
    """Ctrl-C does not reach a worker process."""
    return False


def _keep_watch() -> None:
    while True:
        time.sleep(_SENTRY_INTERVAL_S)
        for post in tuple(_posts.values()):
            _look_at(post)


def _look_at(post: Post) -> None:
    job, clock = post.job, post.clock
    if job.notes is not None and not is_in_use(Path(job.notes)):
        shutil.rmtree(job.notes, ignore_errors=True)  # no other process does it
        end_children()
        os._exit(0)
    since, limit = clock.since, job.decision_limit_s
    if limit is None:
        post.report()
    elif since and not clock.guarded and time.perf_counter_ns() - since > (limit + GRACE_S) * 1e9:
        post.write_note(f"stuck-{os.getpid()}")
        os._exit(_STUCK_EXIT_CODE)


class Note(NamedTuple):
    """Where a worker process was when it ended."""

    place: Place
    seat: int
    actions: bytes


def read_notes(folder: Path) -> Sequence[Note]:
    """The last words of workers that ended themselves; each is read once."""
    return [_read(path) for path in sorted(folder.glob("stuck-*.json"))]


def _read(path: Path) -> Note:
    note = json.loads(path.read_text())
    path.unlink()
    pairing, unit, seating, number, deal = note["place"]
    return Note((pairing, unit, seating, number, deal), note["seat"], bytes(note["actions"]))
