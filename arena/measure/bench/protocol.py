"""The costs of agents in processes of their own, or on servers.

| key | what | target |
|---|---|---|
| `protocol_us_per_decision` | a decision in a process, less the agent's own time | ≤ 150 |
| `protocol_cpu_us_per_decision` | the processor time of both sides for it | |
| `protocol_encode_us` | writing a view | ≤ 30 |
| `protocol_decode_us` | reading it again | |
| `protocol_start_ms` | until a process is ready | |
| `protocol_faults_per_deal` | how many faults the runs below have | about 0.1 |
| `protocol_faults_slowdown` | a forfeiting run with so many exceptions, over one without | < 2 |
| `protocol_deaths_slowdown` | the same, where the process dies each time | < 2 |
| `protocol_mib_each` | memory of each of 8 processes beyond the interpreter alone | ≤ 60 |
| `http_us_per_decision` | a decision on a server here, less the agent's own time | ≤ 1000 |
| `http_cpu_us_per_decision` | the processor time of both sides for it | |
| `http_games` | games at once that one server held and that were played to their ends | 1000 |
| `http_games_decisions_per_s` | decisions a second in these games | |
| `http_games_wait_ms` | how long a decision was waited for in them, in 99 of 100 | |
| `http_games_mib` | the memory that the server needs for them | |

Games at once share two cores with the program that plays them, which is as busy as the server.
Times are the best of several; on a machine that does other things the way to a process
and back is mostly waiting for a core. The runs are whole ones, with both seatings of each
deal and everything stored, in processor time of all processes together.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import isnan

import orjson
import psutil

from arena.core.agent import Setup
from arena.core.codec import ViewCodec
from arena.core.deals import Deal
from arena.core.errors import ArenaError
from arena.core.registry import AGENTS
from arena.core.rules import Action, View
from arena.core.seeds import Rng, rng_for
from arena.core.temporary import temporary_folder
from arena.games.klaverjas import Klaverjas
from arena.measure.bench import fastest
from arena.process.builder import Builder
from arena.process.client import Isolated, ProcessAgent
from arena.process.faults import AgentFault

_RULES = Klaverjas()


@dataclass(frozen=True)
class Flawed:
    """Plays any legal action; in deals chosen by the first cards, fails."""

    how: str = ""

    def act(self, view: View, rng: Rng) -> Action:
        """A legal action, or none."""
        if self.how and not view.tricks and _is_chosen(view):
            if self.how == "dies":
                os._exit(1)
            raise ValueError("no idea")
        return rng.choice(view.legal)


def _is_chosen(view: View) -> bool:
    """About one hand in forty: with four hands in two seatings, a fault in ten deals."""
    return sum(view.dealt_hand[:3]) % 40 == 0


def left_out() -> str | None:
    """Why nothing can be measured here, if so."""
    return None if os.name == "posix" else "agents in processes need a POSIX system"


def measure(deals: int = 200, games: int = 1000) -> dict[str, float]:
    """All figures, on so many deals, and so many games at once."""
    if why := left_out():
        raise ArenaError(f"bench protocol: {why}")
    dealt = [_RULES.random_deal(rng_for(1, "bench", number), number) for number in range(deals)]
    codec_figures = _codec(dealt[:50])
    started = time.perf_counter()
    with_start = _agent(Flawed())
    _play(with_start, dealt[:1])
    start_ms = (time.perf_counter() - started) / 2 * 1e3
    with_start.close()
    plain, _ = _run("", dealt)
    raising, faults = _run("raises", dealt)
    dying, _ = _run("dies", dealt)
    us, cpu_us = _per_decision(_agent(Flawed()), dealt)
    return {
        "protocol_us_per_decision": us,
        "protocol_cpu_us_per_decision": cpu_us,
        **codec_figures,
        "protocol_start_ms": start_ms,
        "protocol_faults_per_deal": faults / len(dealt),
        "protocol_faults_slowdown": raising / plain,
        "protocol_deaths_slowdown": dying / plain,
        "protocol_mib_each": _memory(dealt[:2]),
        **_server(dealt, games),
    }


def _agent(flawed: Flawed) -> ProcessAgent:
    return ProcessAgent(Isolated(Builder("flawed", Flawed, {"how": flawed.how})))


def _play(agent: ProcessAgent, deals: list[Deal]) -> tuple[float, int]:
    """Seconds spent waiting for the agent beyond its own time, and its decisions."""
    seconds, decisions = 0.0, 0
    for number, deal in enumerate(deals):
        state = _RULES.start(deal)
        rng = Rng(number)
        try:
            seated = {seat: agent.take_seat(Setup(_RULES, seat)) for seat in (0, 2)}
            while state.turn is not None:
                seat = state.turn
                if seat not in seated:
                    _RULES.apply(state, rng.choice(state.legal))
                    continue
                view = _RULES.view(state, seat)
                began = time.perf_counter()
                action = seated[seat].act(view, Rng(rng.next64()))
                there_and_back = time.perf_counter() - began - seated[seat].nanoseconds / 1e9
                if not isnan(there_and_back):
                    seconds += there_and_back
                decisions += 1
                _RULES.apply(state, action)
        except AgentFault:
            continue
    return seconds, decisions


def _run(how: str, deals: list[Deal]) -> tuple[float, int]:
    """The processor time of a forfeiting run against a random player, and its faults."""
    # Here: the processes of the agent import this module, and need nothing of that.
    from arena.config.entrants import AgentSpec, Entrant
    from arena.config.experiment import ResolvedExperiment
    from arena.store import Run
    from arena.tournament.run import RunOptions, run
    from arena.tournament.watcher import NullWatcher

    before = AGENTS._added.copy()
    AGENTS.add("flawed", Flawed)
    try:
        flawed = AgentSpec("flawed", {"how": how}, isolate=True)
        experiment = ResolvedExperiment(
            name="bench",
            rules=_RULES,
            deals=tuple(replace(deal, id=str(number)) for number, deal in enumerate(deals)),
            deal_set="bench",
            deals_sha256="0" * 64,
            entrants=(Entrant("flawed", (flawed,)), Entrant("random", (AgentSpec("random"),))),
            pairings=(("flawed", "random"),),
            on_fault="forfeit",
        )
        with temporary_folder() as folder:
            began = sum(os.times()[:4])
            run(experiment, folder / "run", RunOptions(jobs=1), NullWatcher())
            seconds = sum(os.times()[:4]) - began
            with Run(folder / "run") as results:
                return seconds, len(results.faults())
    finally:
        AGENTS._added = before


def _per_decision(
    agent: ProcessAgent, deals: list[Deal], server: Sequence[psutil.Process] = ()
) -> tuple[float, float]:
    """Microseconds there and back, and of processor time, for a decision; the agent is closed."""
    try:
        _play(agent, deals[:5])
        best, cpu = float("inf"), float("inf")
        size = max(1, len(deals) // 20)
        for first in range(0, len(deals), size):
            processes = [*map(psutil.Process, agent.process_ids), *server]
            before = _cpu_seconds(processes)
            seconds, decisions = _play(agent, deals[first : first + size])
            best = min(best, seconds / decisions)
            cpu = min(cpu, (_cpu_seconds(processes) - before) / decisions)
    finally:
        agent.close()
    return best * 1e6, cpu * 1e6


def _server(deals: list[Deal], games: int) -> dict[str, float]:
    from arena.measure import http_load  # not in the processes of the agent
    from arena.process.connection import Url
    from arena.process.remote import Endpoint

    with http_load.serving("random") as (url, process):
        agent = ProcessAgent(Endpoint(Url(url)))
        us, cpu_us = _per_decision(agent, deals, [process])
        before = process.memory_info().rss
        load = http_load.play_at_once(url, _RULES, [deals[n % len(deals)] for n in range(games)])
        used = process.memory_info().rss - before
    return {
        "http_us_per_decision": us,
        "http_cpu_us_per_decision": cpu_us,
        "http_games": load.games,
        "http_games_decisions_per_s": load.decisions / load.seconds,
        "http_games_wait_ms": load.waits_s[int(0.99 * load.decisions)] * 1e3,
        "http_games_mib": used / (1 << 20),
    }


def _cpu_seconds(processes: Sequence[psutil.Process]) -> float:
    """Processor time of this process and of others."""
    used = time.process_time()
    for process in processes:
        times = process.cpu_times()
        used += times.user + times.system
    return used


def _codec(deals: list[Deal]) -> dict[str, float]:
    codec = ViewCodec(_RULES)
    read = codec.reader()
    views = []
    for number, deal in enumerate(deals):
        state, rng = _RULES.start(deal), Rng(number)
        while state.turn is not None:
            views.append(_RULES.view(state, state.turn))
            _RULES.apply(state, rng.choice(state.legal))
    lines = [codec.encode(view) for view in views]

    def best(work: Callable[[int], object]) -> float:
        return fastest(work, 5) / len(views) * 1e6

    return {
        "protocol_encode_us": best(lambda _: [codec.encode(view) for view in views]),
        "protocol_decode_us": best(lambda _: [read(orjson.loads(line)) for line in lines]),
    }


def _memory(deals: list[Deal], agents: int = 8) -> float:
    waits = [sys.executable, "-c", "print(flush=True); input()"]
    with subprocess.Popen(waits, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as bare:
        assert bare.stdin is not None  # pipes
        assert bare.stdout is not None
        bare.stdout.readline()  # it has started
        bare_bytes: int = psutil.Process(bare.pid).memory_info().rss
        bare.stdin.write(b"\n")
    playing = [_agent(Flawed()) for _ in range(agents)]
    try:
        for agent in playing:
            _play(agent, deals)
        each = [agent.memory_mb / len(agent.process_ids) for agent in playing]
    finally:
        for agent in playing:
            agent.close()
    return max(each) - bare_bytes / (1 << 20)
