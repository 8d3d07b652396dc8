"""Requests that no client of ours makes: each gets a status of 4xx and one line."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from typing import Any

import pytest
from helpers.changes import changed
from helpers.servers import asked, served

from arena.config.entrants import AgentSpec
from arena.core.codec import encode_view
from arena.core.rules import Rules
from arena.core.seeds import Rng, rng_for
from arena.games.hearts import Hearts
from arena.games.klaverjas import Klaverjas
from arena.games.schieber import Schieber
from arena.process.messages import hello
from arena.servers.sessions import Agents

RULES = Klaverjas()


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with served(AgentSpec("rule"), longest_body=20_000, body_s=1.0) as (url, _):
        yield url


def new_session(url: str, rules: Rules = RULES) -> str:
    status, body, headers = asked(url, "POST", "/sessions", hello(rules).encode())
    assert (status, json.loads(body)["type"]) == (201, "ready")
    return headers["location"]


def acts(rules: Rules) -> list[dict[str, Any]]:
    """The messages of a deal in seat N."""
    state, rng = rules.start(rules.random_deal(rng_for(1), 0)), Rng(1)
    found = []
    while state.turn is not None:
        if state.turn == 0:
            view = json.loads(encode_view(rules.view(state, 0)))
            found.append(
                {"type": "act", "deal": 1, "decision": len(found), "seed": "7", "view": view}
            )
        rules.apply(state, rng.choice(state.legal))
    return found


ACTS = acts(RULES)
VIEW = ACTS[3]["view"]


def is_refused(url: str, path: str, body: bytes, **headers: str) -> str:
    status, answer, _ = asked(url, "POST", path, body, **headers)
    assert 400 <= status < 500, (status, answer, body[:200])
    said: str = json.loads(answer)["error"]
    assert "\n" not in said and "Traceback" not in said and len(said) < 400
    return said


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/nothing", 404),
        ("GET", "/sessions", 405),
        ("PUT", "/sessions", 405),
        ("BREW", "/", 405),
        ("POST", "/", 405),
        ("GET", "/sessions/nobody", 404),
        ("DELETE", "/sessions/nobody", 404),
        ("POST", "/sessions/nobody", 404),
        ("PATCH", "/sessions/nobody", 405),
        ("GET", "/sessions/../../etc/passwd", 404),
        ("GET", "/%2e%2e/%00", 404),
        ("OPTIONS", "*", 404),
    ],
)
def test_wrong_methods_and_places(url: str, method: str, path: str, status: int) -> None:
    found, body, headers = asked(url, method, path)
    assert found == status
    assert json.loads(body)["error"]
    assert ("allow" in headers) == (status == 405)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "no message of the protocol"),
        (b"{", "no message of the protocol"),
        (b"\xff\xfe", "no message of the protocol"),
        (b"[]", "no message of the protocol"),
        (b"null", "no message of the protocol"),
        (b"{}", "'type' is missing"),
        (b'{"type": "quit"}', "expected a message of type hello"),
        (b'{"type": "hello"}', "'rules' is missing"),
        (b'{"type": "hello", "rules": {"game": "klaverjazz", "options": {}}}', "klaverjas"),
        (b'{"type": "hello", "rules": {"game": "hearts", "options": {"x": 1}}}', "rules: "),
        (b'{"type": "hello", "rules": ' + b"[" * 9_000 + b"]" * 9_000 + b"}", "depth limit"),
        (b'{"type": "hello", "rules": ' + b"[" * 900 + b"]" * 900 + b"}", "rules: "),
        (b"x" * 20_001, "a body of more than 20,000 bytes"),
    ],
)
def test_what_is_no_hello(url: str, body: bytes, said: str) -> None:
    assert said in is_refused(url, "/sessions", body)


def test_forms_of_pages_are_refused(url: str) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""):
        is_refused(url, "/sessions", hello(RULES).encode(), Content_Type=kind)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"seed": "x"}, "no message of the protocol"),
        ({"seed": "9" * 9000}, "no message of the protocol"),
        ({"deal": "1}, {"}, "deal: expected a number"),
        ({"decision": None}, "decision: expected a number"),
        ({"view": None}, "a view: expected an object, found null"),
        ({"view": {**VIEW, "hand": []}}, "a view that cannot be: other cards in the hand"),
        ({"view": {**VIEW, "trump": "O"}}, "a view that cannot be"),
        ({"view": {**VIEW, "points": [10**12, 0]}}, "a view that cannot be: numbers"),
        ({"view": {**VIEW, "legal": ["H7", "trump-O"]}}, "a view that cannot be: other actions"),
        ({"view": {**VIEW, "seat": "E"}}, "a view"),
        ({"view": {**VIEW, "rules": {"game": "hearts", "options": {}}}}, "a view: it is of"),
        ({"type": "hello"}, "expected a message of type start or act or end"),
    ],
)
def test_what_is_no_question(url: str, changes: dict[str, Any], said: str) -> None:
    path = new_session(url)
    assert said in is_refused(url, path, json.dumps({**ACTS[3], **changes}).encode())
    status, answer, _ = asked(url, "POST", path, json.dumps(ACTS[3]).encode())
    assert (status, json.loads(answer)["type"]) == (200, "action"), "the session goes on"


def test_a_deal_goes_on_and_does_not_jump(url: str) -> None:
    path = new_session(url)
    asked(url, "POST", path, b'{"type": "start", "deal": 1, "seat": "N"}')
    for message in ACTS[:4]:
        assert asked(url, "POST", path, json.dumps(message).encode())[0] == 200
    assert "another deal" in is_refused(url, path, json.dumps(ACTS[0]).encode())
    assert asked(url, "POST", path, b'{"type": "start", "deal": 2, "seat": "N"}')[0] == 204
    assert asked(url, "POST", path, json.dumps(ACTS[0]).encode())[0] == 200
    assert asked(url, "DELETE", path)[0] == 204
    assert asked(url, "POST", path, json.dumps(ACTS[1]).encode())[0] == 404


# --- at random ---------------------------------------------------------------------------


def attack(family: str, inputs: int, seed: int, rules: Rules = RULES) -> None:
    """Send changed messages to a server; it answers each, and plays on afterwards."""
    rng, right = random.Random(seed), acts(rules)
    with served(AgentSpec(family)) as (url, _):
        path = new_session(url, rules)
        for number in range(inputs):
            if number % 10 == 0:
                asked(url, "POST", path, b'{"type": "start", "deal": 1, "seat": "N"}')
            message = rng.choice([json.loads(hello(rules)), *right])
            for _ in range(rng.choice([1, 1, 2, 4])):
                message = changed(message, rng)
            body = json.dumps(message).encode()
            if rng.random() < 0.2:
                place = rng.randrange(len(body) + 1)
                body = (
                    body[:place] + bytes(rng.randrange(256) for _ in range(3)) + body[place + 2 :]
                )
            where = path if rng.random() < 0.7 else "/sessions"
            status, answer, _ = asked(url, "POST", where, body)
            assert status in (200, 201, 204, 400, 413), (status, answer, body)
            said = json.loads(answer) if answer else {"type": "none"}
            if status == 200:
                assert said["type"] in ("action", "started", "error"), (answer, body)
                assert said["type"] != "error", ("the agent was shown nonsense", said, body)
        assert asked(url, "GET", path)[0] == 204
        asked(url, "POST", path, b'{"type": "start", "deal": 1, "seat": "N"}')
        status, answer, _ = asked(url, "POST", path, json.dumps(right[0]).encode())
        assert (status, json.loads(answer)["type"]) == (200, "action")


def test_messages_changed_at_random() -> None:
    attack("rule", 500, 1)


@pytest.mark.long
@pytest.mark.parametrize(
    "rules",
    [RULES, Schieber(weis=True, stoeck=True), Hearts(passing="left")],
    ids=["klaverjas", "schieber", "hearts"],
)
@pytest.mark.parametrize("family", ["rule", "ismcts"])
def test_many_messages_changed_at_random(family: str, rules: Rules) -> None:
    Agents(AgentSpec(family)).compile_for([rules], print)
    attack(family, int(os.environ.get("INPUTS", "3000")), 2, rules)
