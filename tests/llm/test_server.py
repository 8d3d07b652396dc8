"""Whatever the network does: it is never the model's fault, and nothing waits for ever."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from helpers.llm_server import TROUBLES, stats

from arena.core.errors import ArenaError
from arena.llm.server import Server, TookTooLong
from arena.process.faults import Unavailable

PROMPT = "Legal moves: H7, HT (ten).\n"


@pytest.fixture
def client(server):
    """Makes clients of the server, and closes them."""
    made = []

    def make(*given, url=server, **more):
        made.append(Server(url, *given, **more))
        return made[-1]

    yield make
    for each in made:
        each.close()


def body(model: str, prompt: str = PROMPT, **more: object) -> dict[str, object]:
    return {"model": model, "messages": [{"role": "user", "content": prompt}], **more}


@pytest.mark.parametrize("stream", [False, True])
def test_a_reply_with_all_that_is_known_of_it(client, stream):
    reply = client().ask(body("plain", stream=stream))
    assert reply.text.startswith("I think it is time. {")
    assert (reply.finish, reply.served) == ("stop", "plain-2026 fp_1")
    assert reply.prompt_tokens == len(PROMPT) // 4
    assert reply.completion_tokens == len(reply.text) // 4
    assert 0 < reply.seconds < 60


def test_half_a_character_can_be_stored_and_sent_back(client):
    reply = client().ask(body("halves"))
    assert reply.text == "? half a character"
    assert client().ask(body("plain", reply.text)).finish == "stop"


@pytest.mark.parametrize("stream", [False, True])
def test_every_trouble_on_the_way_is_asked_again(client, server, stream, monkeypatch):
    """Errors, rate limits, garbage, wrong types, broken connections: one after the other."""
    slept: list[float] = []
    monkeypatch.setattr("arena.llm.server.time.sleep", slept.append)
    question = body("troubled", f"{PROMPT}{stream}", stream=stream)
    before = stats(server)["asked"].get("troubled", 0)
    reply = client().ask(question)
    assert reply.finish == "stop" and "move" in reply.text
    assert stats(server)["asked"]["troubled"] - before == len(TROUBLES) + 1
    named = dict(zip(TROUBLES, slept, strict=True))
    assert named["500"] == 0.01 and named["429"] == 0.0, "Retry-After is what is waited for"
    assert 0 <= named["429-date"] <= 1, "and it may be a date"
    assert 4 <= named["garbage"] < named["html"] < named["empty"] <= 60, "else the pauses grow"


def test_a_question_in_flight_is_answered_before_the_connection_closes(client, server):
    """It is paid for."""
    asking, before = client(), stats(server)["asked"].get("slow:0.3", 0)
    with ThreadPoolExecutor(1) as pool:
        reply = pool.submit(asking.ask, body("slow:0.3"))
        while stats(server)["asked"].get("slow:0.3", 0) == before:
            time.sleep(0.01)
        asking.close()
        assert reply.result().finish == "stop"
    with pytest.raises(Unavailable, match="the run is over"):
        asking.ask(body("plain"))


def test_a_server_that_stays_away_ends_the_run_and_blames_nobody(client):
    with pytest.raises(Unavailable, match=r"HTTP 503 .*: later; asked .* No agent is at fault"):
        client(patience_s=0.2).ask(body("down:0.05"))


def test_a_long_retry_after_is_not_waited_for(client):
    started = time.monotonic()
    with pytest.raises(Unavailable, match=r"patience_s \(600\)"):
        client().ask(body("down:3600"))
    assert time.monotonic() - started < 300


def test_nobody_listens(client):
    with pytest.raises(Unavailable, match="ConnectError"):
        client(url="http://127.0.0.1:9/v1", patience_s=0.0).ask(body("plain"))


def test_a_refusal_is_not_repeated(client, server, monkeypatch):
    monkeypatch.setenv("SOME_API_KEY", "sk-very-secret-0001")
    before = stats(server)["asked"].get("refuses", 0)
    with pytest.raises(Unavailable) as raised:
        client("SOME_API_KEY").ask(body("refuses"))
    assert "HTTP 401" in str(raised.value) and "SOME_API_KEY" in str(raised.value)
    assert "bad key [key]" in str(raised.value)
    assert "secret" not in str(raised.value)
    assert stats(server)["asked"]["refuses"] == before + 1


def test_a_slow_drip_ends_with_the_time_of_the_decision(client):
    with pytest.raises(TookTooLong):
        client().ask(body("drips:0.05"), limit_s=0.3)


@pytest.mark.parametrize("stream", [False, True])
def test_a_slow_drip_ends_with_the_timeout_of_the_request(client, stream):
    with pytest.raises(Unavailable, match=r"no whole answer within 0.3 s"):
        client(timeout_s=0.3, patience_s=0.1).ask(body("drips:0.05", stream=stream))


def test_silence_ends_with_the_time_of_the_decision(client):
    with pytest.raises(TookTooLong):
        client().ask(body("slow:2"), limit_s=0.2)


def test_a_key_that_the_server_repeats_is_struck_out(client, monkeypatch):
    monkeypatch.setenv("SOME_API_KEY", "sk-very-secret-0001")
    for stream in (False, True):
        reply = client("SOME_API_KEY").ask(body("echoes", stream=stream))
        assert reply.text.startswith("Bearer [key] I think")


@pytest.mark.parametrize("value", [None, "", "short", "with\nnew line", "schlüssel-schlüssel"])
def test_a_variable_without_a_key_is_found_before_anything_is_asked(value, monkeypatch):
    monkeypatch.delenv("SOME_API_KEY", raising=False)
    if value is not None:
        monkeypatch.setenv("SOME_API_KEY", value)
    with pytest.raises(ArenaError, match="SOME_API_KEY") as raised:
        Server("http://localhost/v1", "SOME_API_KEY").check()
    assert not value or value not in str(raised.value)


@pytest.mark.parametrize("name", ["sk-proj-abc", "sk_proj_abc", "", "A-B"])
def test_a_key_in_the_place_of_its_variable_is_refused_without_being_shown(name):
    with pytest.raises(ArenaError, match="name of an environment variable") as raised:
        Server("http://localhost/v1", name)
    assert not name or name not in str(raised.value)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("localhost:8000", "is no address"),
        ("ftp://x/v1", "is no address"),
        ("http://", "is no address"),
        ("http://x:99999/v1", "is no address"),
        ("https://me:secret@x/v1", "without a user"),
        ("https://x/v1?key=secret", "without a user"),
        ("https://x/v1/chat/completions", "leave out"),
    ],
)
def test_an_address_that_cannot_be_right_is_refused(url, said):
    with pytest.raises(ArenaError, match=said) as raised:
        Server(url)
    assert "secret" not in str(raised.value)
