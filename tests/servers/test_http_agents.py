"""Agents on servers: the results of agents in our process, and faults in the words of processes."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from helpers.commands import arena_main
from helpers.experiments import Lowest, entrant, exported, make_experiment, play
from helpers.paths import ROOT
from helpers.process_agents import Stranger
from helpers.processes import BOT, DEALS, RULES, bot, processes
from helpers.servers import READY, asked, response, scripted, served

from arena.config.entrants import AgentSpec, Entrant, builder_of
from arena.core.agent import Player
from arena.core.errors import ArenaError
from arena.core.registry import AGENTS
from arena.process.client import ProcessAgent
from arena.process.connection import Url, _tls
from arena.process.limits import Limits
from arena.process.remote import Endpoint
from arena.servers.sessions import ServerLimits
from arena.tournament.referee import Fault, Lineup, Referee

AGENTS.add("stranger", Stranger)
TOKEN = "a-token-for-the-tests"
LOWEST = Player(Lowest())


def fault_of(url: str, deal: int = 0, **limits: Any) -> Fault | None:
    """The fault of an agent on a server, in one deal."""
    limits.setdefault("seconds_per_decision", 5.0)
    agent = ProcessAgent(Endpoint(Url(url)), Limits(**limits))
    try:
        return fault_in(agent, deal)
    finally:
        agent.close()


def fault_in(agent: ProcessAgent, deal: int = 0) -> Fault | None:
    lineup = Lineup.of([Player(agent), LOWEST, LOWEST, LOWEST])
    return Referee(RULES).play(DEALS[deal], lineup).fault


def test_results_are_those_of_the_agent_in_our_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lowest = entrant("lowest", "lowest")
    here = Entrant("agent", (AgentSpec("stranger"),))
    play(make_experiment(3, (here, lowest)), tmp_path / "here")
    monkeypatch.setenv("ARENA_TOKEN_X", TOKEN)
    with served(AgentSpec("stranger"), token=TOKEN) as (url, sessions):
        there = Entrant("agent", (AgentSpec("http", {"url": url, "token": "ARENA_TOKEN_X"}),))
        play(make_experiment(3, (there, lowest)), tmp_path / "there", jobs=2)
        for _ in range(100):  # workers end theirs as they end
            if not len(sessions):
                break
            time.sleep(0.05)
        assert len(sessions) == 0, "each was ended"
    assert exported(tmp_path / "there", tmp_path) == exported(tmp_path / "here", tmp_path)
    files = (path for path in (tmp_path / "there").rglob("*") if path.is_file())
    assert not any(TOKEN.encode() in path.read_bytes() for path in files)


@pytest.mark.parametrize("what", ["crash", "illegal", "text", "sleep"])
def test_an_agent_is_at_fault_in_the_same_words_as_in_a_process(what: str) -> None:
    agent = AgentSpec("trouble", {"what": what})
    limits = Limits(seconds_per_decision=0.05 if what == "sleep" else None)
    in_process = builder_of(AgentSpec("trouble", {"what": what}, limits=limits, isolate=True))
    expected = fault_in(in_process.build().cards)  # type: ignore[arg-type]
    with served(agent) as (url, _):
        found = fault_of(url, seconds_per_decision=limits.seconds_per_decision)
    assert expected is not None
    assert found is not None
    assert (found.kind, found.decision, found.message) == (
        expected.kind,
        expected.decision,
        expected.message,
    )
    assert ("Traceback" in found.detail) == (what == "crash")


def act(n: int, request: bytes, **changes: Any) -> bytes:
    """A right answer to request n of a deal (hello, start, then act), with changes."""
    if n == 0:
        return READY
    message = json.loads(request.partition(b"\r\n")[2])
    if message["type"] != "act":
        return response(204)
    said = {"type": "action", "deal": message["deal"], "decision": message["decision"]}
    said |= {"action": message["view"]["legal"][0], **changes}
    return response(200, json.dumps(said).encode())


def always(said: bytes | None, after: int = 2) -> Any:
    return lambda n, request: said if n >= after else act(n, request)


@pytest.mark.parametrize(
    ("reply", "kind", "said"),
    [
        (always(response(404), 0), "protocol", "answered 404"),
        (always(response(201, b"{}"), 0), "protocol", "did not say in 'Location'"),
        (always(response(302, Location="http://x/"), 0), "protocol", "answered 302"),
        (
            always(response(401, b'{"error": "a \\u001b token"}'), 0),
            "protocol",
            "401: a \\x1b token",
        ),
        (always(response(404, b'{"error": "who?"}')), "crash", "has lost its session (404: who?)"),
        (always(b""), "crash", "closed the connection"),
        (always(b"HTTP/1.1 200 X\r\nContent-Length: 9\r\n\r\n{"), "stuck", "did not come back"),
        (always(None), "stuck", "did not come back within 0.3 s"),
        (always(response(503, Retry_After="1")), "stuck", "did not come back within 0.3 s"),
        (always(b"SSH-2.0-OpenSSH_9\r\n\r\n"), "protocol", "does not speak HTTP: BadStatusLine"),
        (always(response(500)), "protocol", "answered 500"),
        (always(response(200, b"what?")), "protocol", "sent a line that is no JSON: 'what?'"),
        (always(response(204)), "protocol", "answered without a message"),
        (always(response(200, b'{"type":"error","message":"no idea"}')), "crash", "no idea"),
        (always(response(200, b"x" * 1_000_001)), "protocol", "more than 1,000,000 bytes"),
        (lambda n, r: act(n, r, action="C2"), "illegal", "played C2, legal: "),
        (lambda n, r: act(n, r, deal=7), "protocol", "answered for deal 7, decision 0"),
        (lambda n, r: act(n, r, seconds=-1), None, ""),
        (always(response(200, b"{}"), 1), "protocol", "said more than it was asked: '{}'"),
    ],
)
def test_whatever_a_server_does_is_the_fault_of_its_agent(
    reply: Any, kind: str | None, said: str
) -> None:
    with scripted(reply) as url:
        fault = fault_of(url, seconds_per_decision=0.3)
    assert (fault and fault.kind) == kind
    assert fault is None or said in fault.message


def test_an_answer_that_comes_drop_by_drop_is_late() -> None:
    with scripted(always(response(200, b" " * 10_000)), byte_s=0.005) as url:
        fault = fault_of(url, seconds_per_decision=0.3)
    assert fault is not None
    assert (fault.kind, fault.message) == ("stuck", "did not come back within 0.3 s")


def test_a_server_that_is_busy_for_a_moment_is_asked_again() -> None:
    def reply(n: int, request: bytes) -> bytes:
        return response(503, Retry_After="0") if n == 3 else act(min(n, 1), request) if n else READY

    with scripted(reply) as url:
        assert fault_of(url) is None


def test_a_silent_connection_may_be_closed_just_before_it_is_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def reply(n: int, request: bytes) -> bytes:
        return b"" if n == 4 else act(n, request)

    with scripted(reply) as url:
        fault = fault_of(url)
        assert fault is not None
        assert fault.message == "closed the connection", "it was in use"
    monkeypatch.setattr("arena.process.connection._FRESH_S", 0.0)
    with scripted(reply) as url:
        assert fault_of(url) is None
    with scripted(always(b"")) as url:
        fault = fault_of(url)
        assert fault is not None
        assert fault.message == "closed the connection", "twice is once too often"


def test_a_server_that_is_not_there() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        fault = fault_of(url)
    assert fault is not None
    assert (fault.kind, fault.message) == ("crash", f"cannot be reached: {url}: Connection refused")


def test_a_server_below_a_path_says_it_or_leaves_it_to_its_proxy() -> None:
    asked_for: list[bytes] = []
    for path in (b"/a/b/sessions/x", b"/sessions/x"):

        def reply(n: int, request: bytes, path: bytes = path) -> bytes:
            asked_for.append(request.split()[1])
            return act(n, request).replace(b"/sessions/x", path)

        with scripted(reply) as url:
            assert fault_of(f"{url}/a/b/") is None
    assert set(asked_for) == {b"/a/b/sessions", b"/a/b/sessions/x"}


def test_a_server_without_tls() -> None:
    with served(AgentSpec("rule")) as (url, _):
        fault = fault_of(url.replace("http:", "https:"))
    assert fault is not None
    assert fault.kind == "crash"
    assert fault.message.startswith("cannot be reached: https://127.0.0.1:")


@pytest.mark.skipif(not shutil.which("openssl"), reason="openssl is not installed")
def test_a_server_with_tls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = [
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-days",
        "2",
        "-subj",
        "/CN=localhost",
    ]
    words += ["-addext", "subjectAltName=DNS:localhost", "-keyout", "key", "-out", "certificate"]
    subprocess.run(["openssl", *words], cwd=tmp_path, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "certificate", tmp_path / "key")
    with scripted(act, tls=context) as url:
        url = url.replace("http://127.0.0.1", "https://localhost")
        _tls.cache_clear()
        fault = fault_of(url)
        assert fault is not None
        assert "CERTIFICATE_VERIFY_FAILED" in fault.message
    with scripted(act, tls=context) as url:
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "certificate"))
        _tls.cache_clear()
        assert fault_of(url.replace("http://127.0.0.1", "https://localhost")) is None
    _tls.cache_clear()


def test_every_deal_may_have_a_session_of_its_own() -> None:
    opened: list[str] = []
    with served(AgentSpec("rule")) as (url, sessions):
        agent = ProcessAgent(Endpoint(Url(url)), Limits(5.0), fresh=True)
        for deal in range(3):
            assert fault_in(agent, deal) is None
            opened += sessions._sessions
            assert len(sessions) == 1
        agent.close()
    assert len(set(opened)) == 3


def test_a_server_that_was_started_again_costs_the_deal_it_was_in() -> None:
    limits = Limits(seconds_per_decision=5.0)
    with served(AgentSpec("rule")) as (url, sessions):
        agent = ProcessAgent(Endpoint(Url(url)), limits)
        assert fault_in(agent) is None
    with served(AgentSpec("rule"), port=Url(url).port) as (_, sessions):
        fault = fault_in(agent)
        assert fault is not None
        assert fault.kind == "crash"
        assert fault.message.startswith("has lost its session (404: no such session)")
        assert fault_in(agent) is None, "the next deal has a new session"
        assert len(sessions) == 1
        agent.close()
        assert len(sessions) == 0


def test_a_session_that_was_silent_for_long_may_be_forgotten_between_deals(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with served(AgentSpec("rule")) as (url, sessions):
        agent = ProcessAgent(Endpoint(Url(url)), Limits(5.0))
        assert fault_in(agent) is None
        sessions._sessions.clear()
        monkeypatch.setattr("arena.process.remote._ASKED_AFTER_S", 0.0)
        assert fault_in(agent) is None
        agent.close()


# --- what a user can say -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"url": "127.0.0.1:80"}, "url: expected http://HOST:PORT"),
        ({"url": "ftp://x"}, "url: expected http://HOST:PORT"),
        ({"url": "http://user:secret@x"}, "url: expected http://HOST:PORT"),
        ({"url": "http://x:99999"}, "url: expected http://HOST:PORT"),
        ({"url": "http://x\r\nEvil: 1"}, "url: expected http://HOST:PORT"),
        ({"url": "http://x", "token": "AWS_SECRET_ACCESS_KEY"}, "begins with ARENA_TOKEN"),
    ],
)
def test_bad_parameters_are_refused(values: dict[str, str], said: str) -> None:
    with pytest.raises(ArenaError, match=said):
        AgentSpec("http", values).build()


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"limits": Limits(memory_mb=100)}, "limits: an agent on a server"),
        ({"isolate": "sandbox"}, "isolate: sandbox: an agent on a server"),
    ],
)
def test_a_server_cannot_be_limited_like_a_process(how: dict[str, Any], said: str) -> None:
    with pytest.raises(ArenaError, match=said):
        builder_of(AgentSpec("http", {"url": "http://x"}, **how))


def test_the_token(monkeypatch: pytest.MonkeyPatch) -> None:
    with served(AgentSpec("rule"), token=TOKEN) as (url, _):
        spec = AgentSpec("http", {"url": url, "token": "ARENA_TOKEN_X"})

        def fault() -> Fault | None:
            player = spec.build()
            try:
                return fault_in(player.cards)  # type: ignore[arg-type]
            finally:
                player.close()

        found = fault()
        assert found is not None
        assert "the environment variable ARENA_TOKEN_X is not set" in found.message
        monkeypatch.setenv("ARENA_TOKEN_X", "wrong")
        found = fault()
        assert found is not None
        assert "401: expected 'Authorization: Bearer TOKEN'" in found.message
        monkeypatch.setenv("ARENA_TOKEN_X", TOKEN)
        assert fault() is None
        assert asked(url, "GET", "/")[0] == 401


def test_programs_do_not_see_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_TOKEN_X", "a-token-for-the-tests")
    agent = bot("environment", seconds_per_decision=5.0)
    try:
        assert fault_in(agent) is None
        (pid,) = agent.process_ids
        assert b"ARENA_TOKEN" not in Path(f"/proc/{pid}/environ").read_bytes()
    finally:
        agent.close()


# --- arena serve -------------------------------------------------------------------------


def test_serve_and_check_bot_as_a_user_types_them() -> None:
    words = [sys.executable, "-m", "arena", "serve", "--port", "0", "rule"]
    clean = {name: x for name, x in os.environ.items() if name != "ARENA_TOKEN"}
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=clean) as server:
        assert server.stdout is not None
        url = server.stdout.readline().split()[-1]
        done = arena_main(["check-bot", "--game", "schieber", "--deals", "1", url])
        assert (done.code, done.out.splitlines()[-1]) == (0, "all well"), done.out
        server.send_signal(signal.SIGINT)
        assert server.wait(20) == 0


@pytest.mark.parametrize("game", ["hearts", "schieber"])
def test_the_example_of_a_server(game: str) -> None:
    spec = importlib.util.spec_from_file_location("server", ROOT / "examples/bots/server.py")
    assert spec is not None
    assert spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    with ThreadingHTTPServer(("127.0.0.1", 0), example.Bot) as server:
        threading.Thread(target=server.serve_forever, args=[0.02]).start()
        url = f"http://127.0.0.1:{server.server_port}"
        done = arena_main(["check-bot", "--game", game, "--deals", "1", url])
        server.shutdown()
    assert (done.code, done.out.splitlines()[-1]) == (0, "all well"), done.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--host", "0.0.0.0", "rule"], "needs a token in the environment variable ARENA_TOKEN"),
        (["--port", "70000", "rule"], "port 70000: expected 0 (any free one) to 65535"),
        (["--threads", "0", "rule"], "--threads: must be at least 1, found 0"),
        (["--seconds", "nan", "rule"], "--seconds: must be at least 0.001, found nan"),
        (["ruel"], "did you mean 'rule'"),
        (["--protocol", "jass-kit", "kiele-2024"], "does not play schieber"),
    ],
)
def test_what_cannot_be_served_is_one_line(
    words: list[str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ARENA_TOKEN", raising=False)
    done = arena_main(["serve", *words])
    assert done.code == 2
    assert said in done.err
    assert len(done.err.splitlines()) == 1


def test_check_bot_says_what_a_server_does_wrong() -> None:
    with scripted(lambda n, r: act(n, r, action="C2")) as url:
        done = arena_main(["check-bot", "--game", "klaverjas", "--deals", "1", url])
    assert done.code == 1
    assert "played C2, legal: " in done.out
    assert "standard output" not in done.out


def test_the_conversation_in_the_documentation_is_what_is_said() -> None:
    page = (ROOT / "docs" / "servers.md").read_text(encoding="utf-8")
    block = page.partition("<!-- transcript -->\n```text\n")[2].partition("```")[0]
    lines = block.splitlines()
    assert len(lines) == 10
    with served(AgentSpec("rule")) as (url, _):
        key = ""
        for said, expected in zip(lines[::2], lines[1::2], strict=True):
            method, path, *body = said.removeprefix("> ").split(" ", 2)
            status, answer, headers = asked(
                url, method, path.replace("KEY", key), "".join(body).encode()
            )
            key = headers.get("location", key).removeprefix("/sessions/")
            wanted, _, text = expected.removeprefix("< ").partition(" ")
            assert str(status) == wanted
            assert (json.loads(answer) if answer else "") == (json.loads(text) if text else "")


# --- limits of the server ----------------------------------------------------------------

HELLO = json.dumps(
    {"type": "hello", "protocol": 1, "rules": {"game": "klaverjas", "options": {}}}
).encode()


def test_sessions_are_limited() -> None:
    with served(AgentSpec("rule"), ServerLimits(sessions=2)) as (url, sessions):
        paths = []
        for _ in range(2):
            status, _, headers = asked(url, "POST", "/sessions", HELLO)
            assert status == 201
            paths.append(headers["location"])
        status, body, headers = asked(url, "POST", "/sessions", HELLO)
        assert (status, headers["retry-after"]) == (503, "1")
        assert "2 sessions already" in json.loads(body)["error"]
        for session in sessions._sessions.values():
            session.said_at -= 61.0
        status, _, _ = asked(url, "POST", "/sessions", HELLO)
        assert (status, len(sessions)) == (201, 2), "a silent one makes place"
        assert sorted(asked(url, "GET", path)[0] for path in paths) == [204, 404]


def test_a_decision_that_does_not_come_back_costs_its_session_and_not_the_server() -> None:
    limits = ServerLimits(threads=1, seconds=0.1)
    with served(AgentSpec("trouble", {"what": "sleep", "trick": 0}), limits) as (url, sessions):
        fault = fault_of(url)
        assert fault is not None
        assert (fault.kind, fault.message) == ("protocol", "answered 504: no decision within 0.1 s")
        assert len(sessions) == 0
        assert asked(url, "POST", "/sessions", HELLO)[0] == 201


def test_an_agent_with_a_process_lets_go_of_it_when_its_session_ends() -> None:
    program = AgentSpec("command", {"argv": [sys.executable, "-I", "-S", str(BOT)]})
    with served(program) as (url, _):
        assert fault_of(url) is None
        for _ in range(100):
            if not processes():
                break
            time.sleep(0.05)
        assert processes() == []


def test_what_waits_is_limited() -> None:
    limits = ServerLimits(threads=1, waiting=1)
    with served(AgentSpec("rule"), limits) as (url, sessions):
        sessions._thinking._waiting = 1
        status, body, headers = asked(url, "POST", "/sessions", HELLO)
        assert (status, headers["retry-after"]) == (503, "1")
        assert b"too many messages wait" in body
        sessions._thinking._waiting = 0
        assert asked(url, "POST", "/sessions", HELLO)[0] == 201
