"""Attacks of agents in processes of their own: what a sandbox keeps out, and who is blamed."""

from __future__ import annotations

import json
import os
import socket
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest
from helpers.experiments import AGENTS, entrant, exported, make_experiment, play
from helpers.process_agents import Stranger
from helpers.processes import DEALS, RULES

from arena.cli import main
from arena.config.entrants import AgentSpec, Entrant, Isolate
from arena.config.loader import load
from arena.core.agent import Player
from arena.core.errors import ArenaError
from arena.core.files import shipped_folders
from arena.core.rules import Action, View
from arena.core.seeds import Rng
from arena.process import sandbox
from arena.process.client import ProcessAgent, Program
from arena.process.faults import AgentFault
from arena.process.limits import Limits
from arena.process.sandbox import Sandbox
from arena.store import Run
from arena.tournament.fingerprint import STUCK, probe
from arena.tournament.referee import Fault, Lineup, Referee
from arena.tournament.run import hidden_from_agents
from arena.tournament.runner import WorkerLost

BOT = Path(__file__).parents[1] / "helpers" / "hostile_bot.py"
needs_sandbox = pytest.mark.skipif(bool(sandbox.why_none()), reason=sandbox.why_none() or "-")

AGENTS.add("stranger", Stranger)


def words(*attack: Any) -> list[str]:
    return [sys.executable, "-I", "-S", str(BOT), *map(str, attack)]


def fault_of(*attack: Any, inside: Sandbox | None = None, **limits: Any) -> Fault | None:
    """How a bot fares that attacks in a deal against one that does not."""
    launch: Any = Program(words(*attack))
    launch = launch.inside(inside) if inside else launch
    agents = [ProcessAgent(launch, Limits(**limits)), ProcessAgent(Program(words()))]
    try:
        lineup = Lineup.of([Player(agent) for agent in agents * 2])
        return Referee(RULES).play(DEALS[0], lineup).fault
    finally:
        for agent in agents:
            agent.close()


WORKED = "ended by itself, exit code 7"


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A file that belongs to a run."""
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "deals.csv").write_text("id,N,E,S,W\n")
    return tmp_path / "run" / "deals.csv"


@needs_sandbox
@pytest.mark.parametrize("attack", ["reads", "lists", "writes", "removes"])
def test_files_of_a_run_are_out_of_reach(attack: str, secret: Path) -> None:
    target = secret.parent if attack in ("lists", "removes") else secret
    elsewhere = Sandbox(hidden=(str(secret.parent),), shown=(str(secret.parents[1]),))
    assert fault_of(attack, target, inside=elsewhere) is None
    assert secret.read_text() == "id,N,E,S,W\n"
    open_fault = fault_of(attack, target)
    assert open_fault and open_fault.message == WORKED, "without a sandbox it can"


@needs_sandbox
@pytest.mark.skipif(os.geteuid() != 0, reason="only the superuser may at all")
def test_a_superuser_gains_nothing(secret: Path) -> None:
    """Bubblewrap leaves a superuser all capabilities unless they are dropped."""
    inside = Sandbox(hidden=(str(secret.parent),), shown=(str(secret.parents[1]),))
    assert fault_of("unhides", secret.parent, inside=inside) is None
    assert fault_of("sets_the_kernel", inside=inside) is None


@needs_sandbox
def test_a_file_can_be_hidden_next_to_one_that_is_shown(secret: Path) -> None:
    model = secret.with_name("model.npz")
    model.write_bytes(b"weights")
    inside = Sandbox(hidden=(str(secret.parent),), shown=(str(model),))
    assert fault_of("reads", secret, inside=inside) is None
    seen = fault_of("reads", model, inside=inside)
    assert seen and seen.message == WORKED
    assert fault_of("writes", model, inside=inside) is None
    assert model.read_bytes() == b"weights"


@needs_sandbox
def test_there_are_no_other_processes() -> None:
    assert fault_of("sees_other_processes", inside=Sandbox()) is None
    seen = fault_of("sees_other_processes")
    assert seen and seen.message == WORKED


@needs_sandbox
def test_the_network_is_there_if_it_is_asked_for() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert fault_of("connects", port, inside=Sandbox()) is None
        reached = fault_of("connects", port, inside=Sandbox(network=True))
        assert reached and reached.message == WORKED


@needs_sandbox
@pytest.mark.parametrize("name", ["SIGKILL", "SIGTERM", "SIGSTOP"])
def test_signals_reach_no_process_of_ours(name: str) -> None:
    assert fault_of("signals", name, inside=Sandbox()) is None
    assert fault_of("signals_siblings", name, inside=Sandbox()) is None


@needs_sandbox
def test_crashes_have_their_names_in_a_sandbox_too() -> None:
    misbehaving = BOT.with_name("misbehaving_bot.py")
    launch = Program([sys.executable, "-I", "-S", str(misbehaving), "segfault"])
    agent = ProcessAgent(launch.inside(Sandbox()))
    played = Referee(RULES).play(DEALS[0], Lineup.of([Player(agent)] * 4))
    agent.close()
    assert played.fault and played.fault.message == "was ended by SIGSEGV"


@needs_sandbox
@pytest.mark.parametrize(
    ("code", "words"), [(137, "was ended by SIGKILL"), (255, "ended by itself, exit code 255")]
)
def test_bubblewrap_says_which_signal_ended_a_program(code: int, words: str) -> None:
    """It adds 128 to the number; a program that ends with such a code itself looks the same."""
    fault = fault_of("ends_with", code, inside=Sandbox())
    assert fault and fault.message == words


@pytest.mark.parametrize("inside", [None, pytest.param(Sandbox(), marks=needs_sandbox)])
def test_who_stops_itself_is_noticed(inside: Sandbox | None) -> None:
    fault = fault_of("stops_itself", inside=inside)
    assert fault and fault.message == "was stopped (SIGSTOP) and does not go on"


@pytest.mark.parametrize("inside", [None, pytest.param(Sandbox(), marks=needs_sandbox)])
def test_who_does_not_get_ready_is_given_up(
    inside: Sandbox | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.process.client.START_S", 0.5)
    fault = fault_of("silent", inside=inside)
    assert fault and (fault.kind, fault.message) == ("stuck", "did not get ready within 0.5 s")


def test_who_does_not_get_ready_is_not_waited_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.process.client.START_S", 0.2)
    launch = Program(words("silent"))
    starts = []
    monkeypatch.setattr(
        launch, "start", lambda *of: starts.append(of) or Program.start(launch, *of)
    )
    lineup = Lineup.of([Player(ProcessAgent(launch))] * 4)
    faults = [Referee(RULES).play(deal, lineup).fault for deal in DEALS[:3]]
    assert {fault and fault.message for fault in faults} == {"did not get ready within 0.2 s"}
    assert len(starts) == 1


def test_a_probe_waits_once_for_who_does_not_come_back() -> None:
    asked = []

    class NeverBack:
        def act(self, view: View, rng: Rng) -> Action:
            asked.append(view)
            raise AgentFault("stuck", "did not come back within 60 s")

    assert probe(RULES, Player(NeverBack())) == STUCK
    assert len(asked) == 1


@pytest.mark.parametrize("inside", [None, pytest.param(Sandbox(), marks=needs_sandbox)])
def test_memory_of_helpers_is_counted(inside: Sandbox | None) -> None:
    fault = fault_of("hoards", 150, inside=inside, memory_mb=100)
    assert fault and fault.message == "used more than 100 MB of memory"


@needs_sandbox
def test_a_daemon_ends_with_its_sandbox(tmp_path: Path) -> None:
    assert fault_of("leaves_a_daemon", tmp_path.name, inside=Sandbox()) is None
    assert not still_running(tmp_path.name)


def still_running(mark: str) -> list[psutil.Process]:
    give_up = time.monotonic() + 10
    while time.monotonic() < give_up:
        found = [p for p in psutil.process_iter(["cmdline"]) if mark in (p.info["cmdline"] or [])]
        if not found:
            return []
        time.sleep(0.1)
    return found


# --- whole runs --------------------------------------------------------------------------


def hostile(*attack: Any, isolate: Isolate = False) -> Entrant:
    return Entrant("bad", (AgentSpec("command", {"argv": words(*attack)}, isolate=isolate),))


VICTIM = Entrant("good", (AgentSpec("stranger", isolate=True),))


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    """What is played when nobody attacks."""
    path = tmp_path_factory.mktemp("undisturbed") / "run"
    play(make_experiment(1, (hostile(), VICTIM), on_fault="forfeit"), path)
    with Run(path) as run:
        return list(run.rounds()["actions"])


@needs_sandbox
@pytest.mark.parametrize(
    ("attack", "isolate"),
    [
        ("signals", "process"),  # it ends its parent: a worker, not the driver
        ("signals", False),
        ("signals_siblings", "process"),  # it ends the processes of its opponent
        ("signals_siblings", False),
    ],
)
def test_nobody_makes_an_opponent_forfeit(
    attack: str, isolate: Isolate, undisturbed: list[bytes], tmp_path: Path
) -> None:
    agents = (hostile(attack, "SIGKILL", isolate=isolate), VICTIM)
    play(make_experiment(1, agents, on_fault="forfeit"), tmp_path / "run")
    with Run(tmp_path / "run") as run:
        assert run.faults() == []
        assert list(run.rounds()["actions"]) == undisturbed


def test_what_cannot_be_attributed_is_no_forfeit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("arena.config.entrants", "arena.tournament.runner", "arena.tournament.run"):
        monkeypatch.setattr(f"{module}.no_sandbox", lambda: "there is none in this test")
    experiment = make_experiment(1, (hostile("signals", "SIGKILL"), VICTIM), on_fault="forfeit")
    with pytest.raises(WorkerLost, match="No agent is at fault"):
        play(experiment, tmp_path / "run", jobs=2)
    assert "bad plays without a sandbox (there is none" in (tmp_path / "run/log.txt").read_text()
    with pytest.raises(ArenaError, match="isolate: sandbox: there is none in this test"):
        play(make_experiment(2, (hostile(isolate="sandbox"), VICTIM)), tmp_path / "other")


def test_deals_are_hidden_with_the_seed_that_makes_them_again(tmp_path: Path) -> None:
    made = ["--game", "klaverjas", "--count", "2", "--seed", "5", "--out", str(tmp_path / "x.csv")]
    assert main(["deals", "make", *made]) == 0
    (tmp_path / "x.yaml").write_text(
        "name: x\ngame: klaverjas\ndeals: {file: x.csv}\n"
        "agents: {a: {family: random}, b: {family: random}}\n"
    )
    hidden = hidden_from_agents(load(tmp_path / "x.yaml"), tmp_path / "run")
    assert {tmp_path / "x.csv", tmp_path / "x.json", tmp_path / "run"} <= set(hidden)


@needs_sandbox
def test_recordings_isolate_as_runs_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A program that lists the deals: it cannot, unless it asks for a plain process."""
    deals = next(filter(Path.is_dir, shipped_folders("deals")))
    program: dict[str, Any] = {"family": "command", "argv": words("lists", deals)}
    experiment = {
        "name": "x",
        "game": "klaverjas",
        "deals": {"set": "klaverjas-given-1000", "limit": 1},
        "agents": {"a": program, "b": {"family": "random", "isolate": True}},
    }
    file = tmp_path / "x.yaml"
    file.write_text(json.dumps(experiment))
    assert main(["record", str(file), "--out", str(tmp_path / "games")]) == 0
    program["isolate"] = "process"
    file.write_text(json.dumps(experiment))
    assert main(["record", str(file), "--out", str(tmp_path / "others")]) == 2
    assert "the agent a ended by itself, exit code 7" in capsys.readouterr().err


@needs_sandbox
def test_results_in_a_sandbox_are_the_same(tmp_path: Path) -> None:
    for name, isolate in (("plain", True), ("sandbox", "sandbox")):
        agent = Entrant("agent", (AgentSpec("stranger", isolate=isolate),))
        play(make_experiment(1, (agent, entrant("lowest", "lowest"))), tmp_path / name)
    assert exported(tmp_path / "plain", tmp_path) == exported(tmp_path / "sandbox", tmp_path)


@dataclass(frozen=True)
class StopsItsWorker:
    """Stops the process it plays in, in the third trick."""

    driver: int

    def act(self, view: View, rng: Rng) -> Action:
        import signal

        if len(view.tricks) == 2 and os.getpid() != self.driver:
            os.kill(os.getpid(), signal.SIGSTOP)
        return view.legal[0]


def test_a_stopped_worker_is_noticed_and_its_agent_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(AGENTS._added, "stops", StopsItsWorker)
    monkeypatch.setattr("arena.process.ending._STOPPED_S", 0.5)
    agents = (entrant("bad", "stops", driver=os.getpid()), entrant("good", "lowest"))
    finished = play(make_experiment(1, agents), tmp_path / "run", jobs=2)
    assert finished.stopped.startswith("bad (seat"), finished.stopped
    assert "was stopped (SIGSTOP) and does not go on" in finished.stopped
