"""Inputs at a table in the browser: what a page, or a program in its place, may send."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from helpers.tables import Browser, at_table, host_for, sitting_for
from mutate import mutated

from arena.games.hearts import Hearts
from arena.games.klaverjas import Klaverjas
from arena.games.schieber import Schieber

__all__ = ["tables"]

GAMES: list[Any] = [
    *(Klaverjas(), Klaverjas(bidding="classical"), Schieber(weis=True)),
    *(Hearts(passing="left"), Hearts(players=3)),
]
REQUESTS = ("act", "undo", "claim", "next", "name", "replace", "hint", "pause", "step", "pace", "")
VALUES = (
    *(None, -1, 0, 1, 10**18, -(10**18), 1.5, True, "", "N", "H7", "pass", "trump-H", "\x1b[2J"),
    *(" ", "x" * 64, "x" * 1900, [], {}, [["x"]], "\u202e", "0"),
)


def tables(folder: Path, rng: random.Random) -> list[Callable[[], int]]:
    """A person alone, two people, or one who watches; legal actions among anything else."""
    rules = rng.choice(GAMES)
    people = rng.choice(((0,), (0,), (0, 1), ()))
    host = host_for(sitting_for(rules, people, seed=rng.randrange(100)))
    likely = rng.choice((0.2, 0.8, 0.95))

    async def play() -> None:
        browsers = [Browser(host, seat) for seat in people or (None,)]
        for _ in range(60):
            page = rng.choice(browsers)
            while not page.connection.outgoing.empty():
                await page.next()
            states = [each for each in page.received if each["type"] == "state"]
            text = _request(states[-1] if states else {}, rng, likely)
            await host.handle(page.connection, text)
            await asyncio.sleep(0)

    def plays() -> int:
        at_table(host, play)
        return 0

    return [plays]


def _request(state: dict[str, Any], rng: random.Random, likely: float) -> str:
    legal = state.get("view", {}).get("legal")
    if legal and rng.random() < likely:
        return json.dumps({"do": "act", "action": rng.choice(legal), "moves": state["moves"]})
    request: dict[str, Any] = {"do": rng.choice(REQUESTS)}
    for name in rng.sample(("moves", "action", "name", "seat", "ms", "do"), rng.randrange(4)):
        request[name] = rng.choice(VALUES)
    if rng.random() < 0.5 and state:
        request["moves"] = state["moves"]
    text = json.dumps(request)
    if rng.random() < 0.2:
        text = mutated(text.encode(), rng).decode(errors="replace")
    return text
