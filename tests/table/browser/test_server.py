"""The server of tables: links, what it refuses, and what it says about itself."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.tables import host_for, sitting_for
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from arena.games.klaverjas import Klaverjas
from arena.table.browser.server import LONGEST_REQUEST, TableServer
from arena.web.serving import listen


@pytest.fixture(scope="module")
def link() -> Iterator[str]:
    server, listener = TableServer([host_for(sitting_for(Klaverjas()))]), listen()
    app = server.guarded(listener.address)
    with listener.serving(app, longest_message=LONGEST_REQUEST) as url:
        yield server.links(url)[0][1]


def status_of(url: str, **headers: str) -> int:
    request = urllib.request.Request(url, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


def test_a_page_has_a_strict_policy_and_its_files(link: str) -> None:
    with urllib.request.urlopen(link, timeout=20) as answer:
        policy, text = answer.headers["Content-Security-Policy"], answer.read().decode()
        assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert "default-src 'none'" in policy and "unsafe" not in policy and "http" not in policy
    assert "<script>" not in text and "style=" not in text
    url = link.partition("/t/")[0]
    for name in ("table.js", "cards.js", "words.js", "lessons.js", "table.css", "french.svg"):
        assert status_of(f"{url}/page/{name}") == 200


def test_without_the_token_there_is_nothing(link: str) -> None:
    url, _, token = link.partition("/t/")
    assert len(token) >= 32
    assert status_of(f"{url}/") == 404
    assert status_of(f"{url}/t/{token[:-1]}") == 404
    assert status_of(f"{url}/page/../server.py") == 404
    assert status_of(link, Host="evil.example") == 403
    assert status_of(link, Origin="http://evil.example") == 403


async def first_message(link: str, **settings: Any) -> dict[str, Any]:
    async with connect(link.replace("http", "ws", 1).replace("/t/", "/ws/"), **settings) as socket:
        found: dict[str, Any] = json.loads(await asyncio.wait_for(socket.recv(), 20))
        return found


def test_a_socket_needs_the_token_and_our_origin(link: str) -> None:
    url = link.partition("/t/")[0]
    assert asyncio.run(first_message(link))["type"] == "rules"
    assert asyncio.run(first_message(link, origin=url))["type"] == "rules"
    for wrong, settings in ((f"{link}x", {}), (link, {"origin": "http://evil.example"})):
        with pytest.raises(InvalidStatus, match="403"):
            asyncio.run(first_message(wrong, **settings))


@pytest.mark.parametrize("frame", [b"bytes", "x" * (LONGEST_REQUEST + 1)])
def test_what_is_none_of_ours_ends_the_connection(link: str, frame: str | bytes) -> None:
    async def send() -> None:
        address = link.replace("http", "ws", 1).replace("/t/", "/ws/")
        async with connect(address) as socket:
            await socket.send(frame)
            while True:
                await asyncio.wait_for(socket.recv(), 20)

    with pytest.raises(ConnectionClosed):
        asyncio.run(send())


def test_a_flood_ends_the_connection_and_the_ninth_tab_is_refused(link: str) -> None:
    async def flood() -> None:
        address = link.replace("http", "ws", 1).replace("/t/", "/ws/")
        async with connect(address) as socket:
            for _ in range(200):
                await socket.send('{"do": "dance"}')
            while True:
                await asyncio.wait_for(socket.recv(), 20)

    async def nine() -> None:
        address = link.replace("http", "ws", 1).replace("/t/", "/ws/")
        sockets = [await connect(address) for _ in range(8)]
        try:
            with pytest.raises(InvalidStatus, match="403"):
                await connect(address)
        finally:
            for socket in sockets:
                await socket.close()

    with pytest.raises(ConnectionClosed):
        asyncio.run(flood())
    asyncio.run(nine())


def test_the_command_serves_a_table_until_it_is_interrupted(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "arena", "play", "--browser", "--no-open", "--seed", "7"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=tmp_path) as process:
        assert process.stdout is not None
        seat, link = process.stdout.readline().split()
        assert seat == "S:" and process.stdout.readline() == "Ctrl-C ends it.\n"
        assert status_of(link) == 200
        process.send_signal(signal.SIGINT)
        assert process.stdout.read() == "seed 7\n"
        assert process.wait(60) == 0
