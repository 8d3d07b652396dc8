"""Who may use a server: asked of a real one, byte by byte."""

from __future__ import annotations

import asyncio
import json
import random
import socket
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from arena.core.errors import ArenaError
from arena.web.guard import Address, Guard, RateLimit, check_token, is_loopback, new_token
from arena.web.serving import listen

TOKEN = "a-token-for-the-tests"


async def echo(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "lifespan":
        return
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
        while (message := await receive())["type"] == "websocket.receive":
            await send({"type": "websocket.send", "text": message["text"]})
        return
    if scope["path"] == "/defect":
        raise ZeroDivisionError("\x1b[2J")
    body = (await receive())["body"]
    length = (b"content-length", str(len(body)).encode())
    await send({"type": "http.response.start", "status": 200, "headers": [length]})
    await send({"type": "http.response.body", "body": body})


@pytest.fixture(scope="module")
def address() -> Iterator[Address]:
    listener = listen()
    guard = Guard(echo, listener.address, longest_body=1000, body_s=0.3, messages=RateLimit(1, 3))
    with listener.serving(guard, connections=20, longest_message=1000):
        yield listener.address


def said(address: Address, request: bytes) -> bytes:
    """All that the server answers until it closes the connection."""
    with socket.create_connection((address.host, address.port), 10) as connection:
        connection.sendall(request)
        parts = []
        try:
            while part := connection.recv(1 << 16):
                parts.append(part)
        except ConnectionResetError:
            pass  # it does not read what it has refused
        return b"".join(parts)


def request(address: Address, body: bytes = b"", path: str = "/", **headers: str) -> bytes:
    given = {"Host": f"127.0.0.1:{address.port}", "Content-Length": str(len(body)), **headers}
    lines = [f"POST {path} HTTP/1.1", "Connection: close"]
    lines += [f"{name}: {value}" for name, value in given.items()]
    return "\r\n".join([*lines, "", ""]).encode() + body


def test_what_may_pass_passes_whole(address: Address) -> None:
    for headers in ({}, {"Host": f"localhost:{address.port}"}, {"Host": f"[::1]:{address.port}"}):
        answer = said(address, request(address, b"hello", **headers))
        assert answer.startswith(b"HTTP/1.1 200") and answer.endswith(b"hello")
    own = f"http://localhost:{address.port}"
    answer = said(address, request(address, Host=own.removeprefix("http://"), Origin=own))
    head = answer.lower()
    assert head.startswith(b"http/1.1 200")
    assert b"x-content-type-options: nosniff" in head and b"default-src 'none'" in head
    assert b"server:" not in head


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "elsewhere.example"},
        {"Host": "127.0.0.1:1"},
        {"Host": "127.0.0.1"},
        {"Host": ""},
        {"Origin": "http://elsewhere.example"},
        {"Origin": "null"},
        {"Origin": ""},
    ],
)
def test_a_page_from_elsewhere_is_refused(address: Address, headers: dict[str, str]) -> None:
    answer = said(address, request(address, **headers))
    assert answer.startswith(b"HTTP/1.1 403")
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["error"]


def test_sizes_and_times(address: Address) -> None:
    good = request(address, b"x" * 1000)
    assert said(address, good).startswith(b"HTTP/1.1 200")
    assert said(address, request(address, b"x" * 1001)).startswith(b"HTTP/1.1 413")
    start = f"POST / HTTP/1.1\r\nHost: 127.0.0.1:{address.port}\r\n".encode()
    chunks = start + b"Transfer-Encoding: chunked\r\n\r\n" + b"3e8\r\n" + b"x" * 1000 + b"\r\n"
    assert said(address, chunks + b"1\r\nx\r\n0\r\n\r\n").startswith(b"HTTP/1.1 413")
    assert said(address, good[:-1]).startswith(b"HTTP/1.1 408")
    for nonsense in (b"\0\0\0\r\n\r\n", start + b"Content-Length: -1\r\n\r\n", b"GET\r\n\r\n"):
        assert said(address, nonsense).startswith(b"HTTP/1.1 400")


def test_a_silent_connection_and_a_slow_head_are_closed(
    address: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.web.serving._HEAD_S", 0.2)
    assert said(address, b"") == said(address, b"POST / HTTP/1.1\r\nHo") == b""
    keeps = request(address).replace(b"Connection: close\r\n", b"")
    answer = said(address, keeps + keeps[:-1])  # one request, then a head without an end
    assert answer.count(b"HTTP/1.1 200") == 1


def test_connections_beyond_the_limit_are_closed(address: Address) -> None:
    place = address.host, address.port
    held = [socket.create_connection(place, 10) for _ in range(20)]
    try:
        assert said(address, b"") == b""
    finally:
        for connection in held:
            connection.close()
    for _ in range(100):  # until the server has seen them go
        if answer := said(address, request(address)):
            break
    assert answer.startswith(b"HTTP/1.1 200")


def test_requests_with_bytes_changed_at_random(address: Address) -> None:
    rng = random.Random(5)
    whole = request(address, b"hello", Origin=f"http://127.0.0.1:{address.port}")
    for _ in range(150):
        data = bytearray(whole)
        for _ in range(rng.choice([1, 1, 2, 5])):
            place = rng.randrange(len(data))
            data[place : place + rng.randrange(3)] = rng.randbytes(rng.randrange(3))
        answer = said(address, bytes(data) + b"\r\n\r\n")
        assert not answer or answer[:10] in (b"HTTP/1.1 2", b"HTTP/1.1 4"), bytes(data)
    assert said(address, whole).endswith(b"hello")


def test_a_defect_of_ours_is_one_line(address: Address, capfd: pytest.CaptureFixture[str]) -> None:
    answer = said(address, request(address, path="/defect"))
    assert answer.startswith(b"HTTP/1.1 500") and b"Zero" not in answer
    assert capfd.readouterr().err == "arena: /defect: ZeroDivisionError: \\x1b[2J\n"


def test_the_token() -> None:
    listener = listen()
    with listener.serving(Guard(echo, listener.address, token=TOKEN)):
        for given in ("", f"Bearer {TOKEN}x", TOKEN, "Bearer", "Basic x", "Bearer \xff"):
            answer = said(listener.address, request(listener.address, Authorization=given))
            assert answer.startswith(b"HTTP/1.1 401"), given
        right = request(listener.address, Authorization=f"bearer {TOKEN}")
        assert said(listener.address, right).startswith(b"HTTP/1.1 200")
    assert check_token(new_token(), "x") != new_token()
    for weak in ("short", "ü" * 20, "a" * 20 + "\n"):
        with pytest.raises(ArenaError, match="--token: expected a token of at least 16"):
            check_token(weak, "--token")


def test_websockets_keep_to_the_same_rules(address: Address) -> None:
    from websockets.asyncio.client import connect
    from websockets.exceptions import ConnectionClosed, InvalidStatus

    url = f"ws://127.0.0.1:{address.port}/"

    async def talk() -> list[int]:
        codes = []
        for origin in ("http://elsewhere.example", "null"):
            with pytest.raises(InvalidStatus) as refused:
                await connect(url, origin=origin, proxy=None)
            codes.append(refused.value.response.status_code)
        for said_by_client, number in (("x" * 1001, 1), ("x", 5)):
            async with connect(url, proxy=None) as talks:
                for _ in range(number):
                    await talks.send(said_by_client)
                with suppress(ConnectionClosed):
                    while True:
                        assert await talks.recv() == "x"
                codes.append(talks.close_code or 0)
        return codes

    assert asyncio.run(talk()) == [403, 403, 1009, 1008]


def test_the_names_of_a_server() -> None:
    assert is_loopback("127.0.0.1") and is_loopback("::1") and is_loopback("localhost")
    assert not is_loopback("0.0.0.0") and not is_loopback("example.org")
    inside = Address("127.0.0.1", 8000)
    assert not inside.allows("192.168.1.7:8000", None)
    everywhere = Address("0.0.0.0", 8000, ("Arena.example.org",))
    assert everywhere.url == "http://127.0.0.1:8000"
    assert everywhere.allows("192.168.1.7:8000", "http://192.168.1.7:8000")
    assert everywhere.allows("[fe80::1]:8000", None)
    assert everywhere.allows("arena.example.org", "https://arena.example.org")
    assert not everywhere.allows("rebound.example.org:8000", None), "a name that leads here"


def test_a_rate_is_an_average_with_a_burst() -> None:
    now = [0.0]
    limit = RateLimit(2, 4, clock=lambda: now[0])
    assert [limit.allows("a") for _ in range(6)] == [True] * 4 + [False] * 2
    assert limit.allows("b"), "of another client"
    allowed = 0
    for step in range(1000):
        now[0] = step / 100
        allowed += limit.allows("a")
    assert allowed == 19, "two a second, counted from the first; 9.99 s have passed"


def test_a_port_that_is_taken() -> None:
    taken = listen()
    with pytest.raises(ArenaError, match=f"127.0.0.1, port {taken.address.port}: "):
        listen(port=taken.address.port)
    with pytest.raises(ArenaError, match="port 99999: "):
        listen(port=99999)
    with taken.serving(echo):
        pass
