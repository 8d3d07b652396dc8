"""Agents in processes of their own: they play the same, and can be stopped whatever they do."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import time
from math import isnan
from typing import Any

import pytest
from helpers.experiments import Lowest, make_deals
from helpers.process_agents import Remembers, Says, Spy, Stranger
from helpers.processes import DEALS, RULES, bot, isolated, processes

from arena.core.agent import Player
from arena.core.rules import Rules
from arena.games.hearts import Hearts
from arena.games.klaverjas import Klaverjas
from arena.process.client import ProcessAgent, Program
from arena.process.faults import Unavailable
from arena.tournament.referee import Lineup, Played, Referee


@pytest.fixture
def table():
    """Plays deals; afterwards all processes are ended, and none may be left."""
    used = []

    def play(agent: Any, deals: int = 1, other: Any = None, rules: Rules = RULES) -> list[Played]:
        used.extend([agent, other])
        other = other or Lowest()
        lineup = Lineup.of([Player(x) for x in (agent, other, agent, other)])
        dealt = DEALS if rules == RULES else make_deals(rules, deals)
        return [Referee(rules, 7).play(deal, lineup) for deal in dealt[:deals]]

    yield play
    for agent in used:
        if isinstance(agent, ProcessAgent):
            agent.close()
    assert processes() == []


def fault_of(played: Played) -> str:
    assert played.fault is not None, "it was not at fault"
    return f"{played.fault.kind}: {played.fault.message}"


# --- the same as in process --------------------------------------------------------------


@pytest.mark.parametrize("rules", [RULES, Klaverjas(bidding="free-choice"), Hearts()], ids=repr)
@pytest.mark.parametrize("agent", [Stranger(), Remembers()], ids=repr)
def test_it_plays_the_same_in_a_process_of_its_own(table, rules, agent):
    here = table(agent, 3, rules=rules)
    there = table(isolated(agent), 3, rules=rules)
    assert [(p.actions, p.seats, p.outcome) for p in there] == [
        (p.actions, p.seats, p.outcome) for p in here
    ]
    assert all(p.fault is None for p in here)


@pytest.mark.parametrize("what", ["raises", "prints"])
def test_its_faults_are_the_same_too(table, what):
    here, there = table(Stranger(what), 2), table(isolated(Stranger(what)), 2)
    for one, other in zip(here, there, strict=True):
        assert one.actions == other.actions
        assert (one.fault and str(one.fault)) == (other.fault and str(other.fault))
    if what == "raises":
        assert fault_of(there[0]) == "crash: raised ValueError: out of cards"
        assert "_misbehave" in there[0].fault.detail


@pytest.mark.parametrize("answer", [None, True, "H7", 3.0, 999])
def test_answers_that_are_no_actions_are_reported_the_same(table, answer):
    here, there = table(Says(answer)), table(isolated(Says(answer)))
    # What an action is, the hint at the end says: a number in Python, a name in the protocol.
    words = [str(played[0].fault).partition(" (an action is")[0] for played in (here, there)]
    assert words[0] == words[1]
    assert fault_of(there[0]).startswith("illegal: played")


# --- stopped -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("what", "limits", "said"),
    [
        ("illegal", {}, "illegal: played C2, legal: "),
        ("unknown-action", {}, "illegal: played H77, legal: "),
        ("wrong-deal", {}, "protocol: answered for deal 2, decision 0 when asked for deal 1"),
        ("wrong-decision", {}, "protocol: answered for deal 1, decision 1 when asked"),
        ("garbage", {}, "protocol: sent a line that is no JSON: 'Hello, I am thinking!'"),
        ("number", {}, "protocol: sent a line that is no object: '3'"),
        ("half", {"seconds_per_decision": 0.2}, "stuck: did not come back within 0.2 s, only half"),
        ("half-and-end", {}, "crash: ended by itself, exit code 0, after half a line"),
        ("100MB", {}, "protocol: sent more than 1,000,000 bytes without the end of a line"),
        ("talks-too-much", {}, "protocol: said more than it was asked"),
        ("exit", {}, "crash: ended by itself, exit code 3"),
        ("segfault", {}, "crash: was ended by SIGSEGV"),
        ("sleep", {"seconds_per_decision": 0.2}, "stuck: did not come back within 0.2 s"),
        ("sleep", {"seconds_per_deal": 0.3}, "stuck: did not come back within the 0.3 s of the"),
        ("late", {"seconds_per_decision": 0.5}, "overtime: thought longer than 0.5 s"),
        ("late", {"seconds_per_deal": 1.0}, "overtime: thought longer than 1 s in one deal"),
        ("lies-about-time", {"seconds_per_decision": 0.5}, "overtime: thought longer than 0.5 s"),
        ("eats-memory", {"memory_mb": 80}, "memory: used more than 80 MB of memory"),
        ("forks", {"seconds_per_decision": 0.3}, "stuck: did not come back within 0.3 s"),
        ("closes-output", {}, "crash: closed its output"),
        ("at-start", {}, "crash: ended by itself, exit code 1"),
        ("not-ready", {}, "protocol: did not answer hello with ready"),
        ("other-protocol", {}, "protocol: speaks protocol 2, this is 1"),
    ],
)
def test_a_program_that_misbehaves_is_at_fault_and_stopped(table, what, limits, said):
    (played,) = table(bot(what, **limits))
    assert fault_of(played).startswith(said)


def test_the_next_deal_has_a_new_process(table):
    for played in table(bot("exit"), 3):
        assert fault_of(played) == "crash: ended by itself, exit code 3"


@pytest.mark.parametrize("what", ["numba", "sleep"])
def test_an_agent_is_stopped_even_where_python_cannot(table, what, monkeypatch):
    monkeypatch.setattr("arena.process.client.LOADING_S", 0.0)
    agent = isolated(Stranger(what), seconds_per_decision=1.0)
    (played,) = table(agent, 1)
    assert fault_of(played) == "stuck: did not come back within 1 s"
    assert len(played.actions) >= 8


def test_a_native_crash_is_a_fault_of_its_own_and_the_next_deal_is_played(table):
    agent = isolated(Stranger("segfault"))
    played = table(agent, 2)
    assert [fault_of(p) for p in played] == ["crash: was ended by SIGSEGV"] * 2


def test_it_may_print_what_it_likes(table):
    assert [p.fault for p in table(isolated(Stranger("prints")), 2)] == [None, None]
    assert [p.fault for p in table(bot("100MB-of-notes", "2"), 2)] == [None, None]


def test_it_plays_until_it_dies_at_deal_50(table):
    played = table(bot("exit", "50"), 53)
    # One seat after the other; new processes play on and count their deals anew.
    assert [(n, p.fault.seat) for n, p in enumerate(played, 1) if p.fault] == [(50, 2), (51, 0)]


@pytest.mark.parametrize("what", ["at-quit", "ignores-quit", "forks-and-plays"])
def test_nothing_is_left_whatever_it_does_at_the_end(table, what, monkeypatch):
    monkeypatch.setattr("arena.process.child.PATIENCE_S", 0.3)
    agent = bot(what)
    assert table(agent)[0].fault is None
    assert len(processes()) >= 2
    agent.close()
    assert processes() == []


def test_what_a_program_said_before_it_died_is_kept(table):
    (played,) = table(bot("at-start"))
    assert "no licence found" in played.fault.detail


def test_a_program_that_is_not_there_is_reported(table):
    (played,) = table(ProcessAgent(Program(["./no-such-bot"])))
    assert fault_of(played) == "crash: cannot be started: ./no-such-bot: No such file or directory"


@pytest.mark.parametrize("number", [errno.EMFILE, errno.EAGAIN, errno.ENOMEM])
def test_a_machine_without_room_is_no_fault_of_an_agent(table, monkeypatch, number):
    """Another agent may have used all that there is."""
    start = subprocess.Popen

    def full(argv, *given, **options):
        if "misbehaving_bot" in " ".join(argv):
            raise OSError(number, os.strerror(number))
        return start(argv, *given, **options)

    monkeypatch.setattr(subprocess, "Popen", full)
    with pytest.raises(Unavailable, match="no agent is at fault"):
        table(bot())
    assert processes() == []


def test_a_program_that_reads_nothing_does_not_block(table, monkeypatch):
    monkeypatch.setattr("arena.process.client.START_S", 0.3)
    assert fault_of(table(bot("never-reads"))[0]) == "stuck: did not get ready within 0.3 s"


def test_time_is_measured_without_the_way(table):
    (played,) = table(isolated(Stranger()))
    assert played.fault is None
    for process in (0, 2):
        loading, *times = [
            taken
            for seat, taken in zip(played.seats, played.nanoseconds, strict=True)
            if seat == process
        ]
        assert isnan(loading)  # its first decision loads code, and is not its time
        assert 0 < sum(times) < 16 * 10**9


# --- nobody is left behind ---------------------------------------------------------------

_DIES = """
import os, signal, sys
sys.path[:0] = {path!r}
from arena.core.agent import Player
from arena.tournament.referee import Lineup, Referee
from helpers.experiments import Lowest
from helpers.processes import DEALS, RULES, bot, processes
agent = bot("forks-and-plays")
Referee(RULES).play(DEALS[0], Lineup.of([Player(agent), Player(Lowest())] * 2))
print("played", len(processes()), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_processes_end_with_the_one_that_started_them():
    script = _DIES.format(path=sys.path)
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as dying:
        assert dying.communicate()[0] == b"played 18\n"
    give_up = time.monotonic() + 20
    while processes(dying.pid) and time.monotonic() < give_up:
        time.sleep(0.05)
    assert processes(dying.pid) == []


# --- nothing to see but the view ---------------------------------------------------------


def test_an_isolated_spy_finds_nothing(table, tmp_path):
    report = tmp_path / "report.txt"
    (played,) = table(isolated(Spy(str(report))), 1, other=isolated(Stranger()))
    assert played.fault is None
    assert played.outcome is not None and sum(played.outcome.tricks) == 8
    lines = report.read_text().splitlines()
    assert len(lines) == 16
    assert {line.split()[1] for line in lines} == {"nothing"}


def test_the_same_spy_would_find_everything_in_process(tmp_path):
    report = tmp_path / "report.txt"
    script = _SPY_IN_PROCESS.format(path=sys.path, report=str(report))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "frames" in report.read_text() and "gc" in report.read_text()
    if sys.platform == "linux":
        assert "parent's-environ" in report.read_text()


_SPY_IN_PROCESS = """
import os, sys
sys.path[:0] = {path!r}
from helpers.process_agents import Spy
from helpers.processes import DEALS, RULES
import arena.games.base
state = RULES.start(DEALS[0])
from arena.core.seeds import Rng
if os.fork() == 0:  # its parent, this process, does not hide
    Spy({report!r}).act(RULES.view(state, state.turn), Rng(1))
    os._exit(0)
os.wait()
"""
