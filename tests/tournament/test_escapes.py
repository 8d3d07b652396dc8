"""Ways out of the referee's hands: each is a fault of the agent's, and the run goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest
from helpers.experiments import AGENTS, entrant, make_experiment, play

from arena.core.rules import Action, View
from arena.core.seeds import Rng
from arena.process import interrupts
from arena.process.ending import SuddenExit, no_sudden_exit
from arena.store import Run
from arena.verify import check_run


class Whatever(BaseException):
    """Not an Exception."""


class Unprintable(Exception):
    def __str__(self) -> str:
        raise KeyboardInterrupt


class NoNumber:
    def __index__(self) -> int:
        raise SystemExit(0)

    def __repr__(self) -> str:
        raise GeneratorExit


class Pretender:
    """Says that it is an int, and equal to everything."""

    __class__ = int  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


class Agreeable(int):
    """An int that is equal to everything."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


def raised(error: BaseException) -> Callable[[View], Any]:
    def do(view: View) -> Any:
        raise error

    return do


ESCAPES: dict[str, tuple[Callable[[View], Any], str]] = {
    "no Exception": (raised(Whatever("x")), "crash: seat N raised Whatever: x"),
    "GeneratorExit": (raised(GeneratorExit()), "crash: seat N raised GeneratorExit"),
    "KeyboardInterrupt": (raised(KeyboardInterrupt()), "crash: seat N raised KeyboardInterrupt"),
    "SystemExit": (raised(SystemExit(3)), "crash: seat N raised SystemExit: 3"),
    "os._exit": (lambda view: os._exit(0), "crash: seat N raised SuddenExit: called os._exit(0)"),
    "no text": (raised(Unprintable()), "crash: seat N raised Unprintable"),
    "half a character": (raised(ValueError("\ud800")), r"crash: seat N raised ValueError: \ud800"),
    "no number": (lambda view: NoNumber(), "illegal: seat N played a NoNumber, legal:"),
    "pretends to be one": (lambda view: Pretender(), "illegal: seat N played <"),
    "equal to all": (lambda view: Agreeable(99), "illegal: seat N played"),
    "a terminal's codes": (raised(ValueError("\x1b[2J")), r"crash: seat N raised ValueError: \x1b"),
}


@dataclass(frozen=True)
class Escapes:
    """Tries its way in the third trick."""

    way: str = ""

    def act(self, view: View, rng: Rng) -> Action:
        if len(view.tricks) == 3:
            answer: Action = ESCAPES[self.way][0](view)
            return answer
        return view.legal[0]


@pytest.mark.parametrize("way", ESCAPES)
def test_an_escape_is_a_fault_and_the_rest_is_played(
    way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(AGENTS._added, "escapes", Escapes)
    agents = (entrant("bad", "escapes", way=way), entrant("a"), entrant("b"))
    play(make_experiment(2, agents, on_fault="forfeit"), tmp_path / "run")
    with Run(tmp_path / "run") as run:
        faults = [f for f in run.rounds()["fault"] if f]
        assert len(faults) == 8, "two deals in two seatings against two opponents"
        assert faults[0].replace("seat S", "seat N").startswith(ESCAPES[way][1])
        assert run.rounds().query("forfeit == ''").shape[0] == 4, "the others' deals are played"
    assert not any(checked.mismatches for checked in check_run(tmp_path / "run"))


def test_fifty_megabytes_of_message_are_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(AGENTS._added, "escapes", Escapes)
    monkeypatch.setitem(ESCAPES, "long", (raised(ValueError("x" * 50_000_000)), ""))
    agents = (entrant("bad", "escapes", way="long"), entrant("a"))
    play(make_experiment(2, agents, on_fault="forfeit"), tmp_path / "run")
    assert sum(file.stat().st_size for file in (tmp_path / "run").iterdir()) < 500_000
    with Run(tmp_path / "run") as run:
        assert all(len(fault.message) < 11_000 for _, fault in run.faults())


def test_ctrl_c_is_still_the_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def pressed(view: View) -> Any:
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setitem(AGENTS._added, "escapes", Escapes)
    monkeypatch.setitem(ESCAPES, "pressed", (pressed, ""))
    agents = (entrant("a", "escapes", way="pressed"), entrant("b"))
    with pytest.raises(KeyboardInterrupt):
        play(make_experiment(2, agents, on_fault="forfeit"), tmp_path / "run")


def test_ctrl_c_is_not_swallowed_by_an_agent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def swallows(view: View) -> Any:
        try:
            signal.raise_signal(signal.SIGINT)
        except BaseException:
            return view.legal[0]

    monkeypatch.setitem(AGENTS._added, "escapes", Escapes)
    monkeypatch.setitem(ESCAPES, "swallows", (swallows, ""))
    agents = (entrant("a", "escapes", way="swallows"), entrant("b"))
    with pytest.raises(KeyboardInterrupt):
        play(make_experiment(20, agents), tmp_path / "run")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert interrupts.was_pressed(), "outside of a run nothing is known"


def test_where_ctrl_c_is_ignored_an_interrupt_is_the_agents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(AGENTS._added, "escapes", Escapes)
    agents = (entrant("bad", "escapes", way="KeyboardInterrupt"), entrant("a"))
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        play(make_experiment(2, agents, on_fault="forfeit"), tmp_path / "run")
        assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
    with Run(tmp_path / "run") as run:
        assert len(run.faults()) == 4


def test_children_may_exit_as_they_like() -> None:
    with no_sudden_exit():
        child = os.fork()
        if not child:
            os._exit(7)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        with pytest.raises(SuddenExit):
            os._exit(7)


HOLDS = """
import os, subprocess, threading, time
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from arena.core.registry import AGENTS

@cache
def start(what):
    if what == "thread":
        threading.Thread(target=time.sleep, args=(600,)).start()
    elif what == "child":
        process = get_context("fork").Process(target=time.sleep, args=(600,))
        process.start()
        Path("child").write_text(str(process.pid))
    else:
        Path("child").write_text(str(subprocess.Popen(["sleep", "600"]).pid))

@dataclass(frozen=True)
class Holds:
    what: str

    def act(self, view, rng):
        start(self.what)
        return view.legal[0]

AGENTS.add("holds", Holds)
"""
EXPERIMENT = """
name: x
game: klaverjas
deals: {{set: klaverjas-given-1000, limit: 2}}
agents: {{a: {{family: holds, what: {what}}}, b: {{family: random}}}}
"""


@pytest.mark.parametrize(
    ("what", "jobs"), [("thread", 1), ("child", 1), ("program", 1), ("child", 2)]
)
def test_a_run_that_has_finished_exits(what: str, jobs: int, tmp_path: Path) -> None:
    """Whatever its agents have started; our output is a pipe that a child would hold open."""
    (tmp_path / "holds.py").write_text(textwrap.dedent(HOLDS))
    (tmp_path / "x.yaml").write_text(EXPERIMENT.format(what=what))
    command = "import holds; from arena.cli import script; script()"
    done = subprocess.run(
        [sys.executable, "-c", command, "run", "x.yaml", "--jobs", str(jobs), "--no-report"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert "CPU seconds" in done.stdout
    if what != "thread":
        assert is_gone(int((tmp_path / "child").read_text()))


def is_gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


@dataclass(frozen=True)
class TwoFaced:
    """Says that it sees its own cards only, and from the second time on that it sees all."""

    asked: ClassVar[list[bool]] = []
    was_shown: ClassVar[list[bool]] = []

    @property
    def sees_all_cards(self) -> bool:
        self.asked.append(True)
        return len(self.asked) > 1

    def act(self, view: View, rng: Rng) -> Action:
        if len(view.tricks) == 3:
            self.was_shown.append(view.all_hands is not None)
        return view.legal[0]


def test_what_an_agent_says_of_itself_is_asked_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(AGENTS._added, "two-faced", TwoFaced)
    play(make_experiment(2, (entrant("a", "two-faced"), entrant("b"))), tmp_path / "run")
    with Run(tmp_path / "run") as run:
        assert not run.manifest.entrants["a"].sees_all_cards
    assert not any(TwoFaced.was_shown[-8:]), "two deals in two seatings, two seats each"
