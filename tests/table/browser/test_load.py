"""Two hundred tables at once, by their own clients: every message arrives, in order.

The figures are printed: `pytest -s -m long tests/table/browser/test_load.py`.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from websockets.asyncio.client import connect

TABLES = 200
PATIENCE_S = 500


@dataclass
class Client:
    """A person at one table, who plays the first legal action."""

    link: str
    delays_s: list[float] = field(default_factory=list)
    """From a card that was sent to the state that shows it."""
    numbers: list[int] = field(default_factory=list)

    async def play_round(self) -> None:
        address = self.link.replace("http", "ws", 1).replace("/t/", "/ws/")
        async with connect(address, max_size=None, open_timeout=120, ping_timeout=None) as socket:
            sent, moves = 0.0, -1
            while True:
                state = json.loads(await asyncio.wait_for(socket.recv(), PATIENCE_S))
                if state["type"] != "state":
                    continue
                self.numbers.append(state["number"])
                if sent and state["moves"] > moves:
                    self.delays_s.append(time.perf_counter() - sent)
                    sent = 0.0
                if state["turn"] is None:
                    return
                if state["turn"] == state["view"]["seat"] and state["moves"] != moves:
                    moves, sent = state["moves"], time.perf_counter()
                    action = state["view"]["legal"][0]
                    await socket.send(json.dumps({"do": "act", "action": action, "moves": moves}))


async def all_play(clients: list[Client]) -> None:
    await asyncio.gather(*(client.play_round() for client in clients))


@pytest.mark.long
@pytest.mark.parametrize("pace", ["0.8", "0"])
def test_no_message_is_lost_at_two_hundred_tables(pace: str, tmp_path: Path) -> None:
    command = [
        sys.executable, "-m", "arena", "play", "klaverjas", "--browser", "--no-open",
        "--tables", str(TABLES), "--with", "rule", "--seed", "3", "--pace", pace,
    ]  # fmt: skip
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=tmp_path) as server:
        try:
            assert server.stdout is not None
            clients = []
            for line in server.stdout:
                if line.startswith("Ctrl-C"):
                    break
                clients.append(Client(line.split()[-1]))
            began = time.perf_counter()
            asyncio.run(all_play(clients))
            took = time.perf_counter() - began
        finally:
            server.terminate()
    assert len(clients) == TABLES
    for client in clients:
        steps = [b - a for a, b in zip(client.numbers, client.numbers[1:], strict=False)]
        assert set(steps) <= {0, 1}, steps
        assert len(client.delays_s) == 8
    delays = sorted(delay for client in clients for delay in client.delays_s)
    print(
        f"\n{TABLES} tables, {pace} s a card: {took:.1f} s for a round; a card is shown after "
        f"{1000 * statistics.median(delays):.1f} ms (median), "
        f"{1000 * delays[int(0.99 * len(delays))]:.1f} ms (99%), n={len(delays)}"
    )
