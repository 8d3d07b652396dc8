"""Tables with people who play the first legal action, in one event loop and without a browser."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from typing import Any

from arena.config.entrants import AgentSpec
from arena.core.agent import Player
from arena.core.cards import SEATS
from arena.core.rules import Rules
from arena.table.browser.host import Manners, TableHost
from arena.table.browser.people import Connection
from arena.table.session import FirstLegal
from arena.table.sitting import SeatPlan, Sitting

FAST = Manners(pace_s=0.0)
PATIENCE_S = 300.0


def sitting_for(
    rules: Rules,
    people: Sequence[int] = (0,),
    family: str = "random",
    *,
    spec: AgentSpec | None = None,
    seed: int = 3,
    **more: Any,
) -> Sitting:
    """A table with `people` in these seats and agents in the others."""
    spec = spec or AgentSpec(family)
    plans = [
        SeatPlan("you") if seat in people else SeatPlan(spec.family, spec)
        for seat in range(rules.players)
    ]
    return Sitting(rules, plans, seed=seed, **more)


def host_for(sitting: Sitting, manners: Manners = FAST, adviser: Any = FirstLegal) -> TableHost:
    """Its table in the browser."""

    def player() -> Player:
        return Player(adviser())

    return TableHost(sitting, player, player, manners)


class Browser:
    """What a page is to a table: it keeps everything that it was sent."""

    def __init__(self, host: TableHost, seat: int | None) -> None:
        self.host, self.seat = host, seat
        self.connection = Connection(seat)
        self.received: list[dict[str, Any]] = []
        self.wire: list[bytes] = []
        host.join(self.connection)

    async def next(self) -> dict[str, Any]:
        """The next message."""
        message = await asyncio.wait_for(self.connection.outgoing.get(), PATIENCE_S)
        assert message is not None, "the connection was ended"
        self.wire.append(message)
        self.received.append(json.loads(message))
        return self.received[-1]

    async def until(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The next message that is wanted."""
        while not wanted(message := await self.next()):
            pass
        return message

    async def message(self, kind: str) -> dict[str, Any]:
        """The next message of a kind."""
        return await self.until(lambda message: message["type"] == kind)

    async def ask(self, do: str, **data: Any) -> None:
        """Send a request."""
        await self.host.handle(self.connection, json.dumps({"do": do, **data}))

    def is_to_act(self, state: dict[str, Any]) -> bool:
        """Whether a state waits for this person."""
        return self.seat is not None and state["turn"] == SEATS[self.seat]

    def is_done(self, message: dict[str, Any], number: int) -> bool:
        """Whether a message is a state of this round in which the person acts, or nobody does."""
        if message["type"] != "state" or message["round"] != number:
            return False
        return self.is_to_act(message) or message["turn"] is None

    async def turn(self, number: int = 1) -> dict[str, Any]:
        """The next state in which this person is to act, or in which the round is over."""
        return await self.until(lambda message: self.is_done(message, number))

    async def play_round(self, number: int = 1) -> dict[str, Any]:
        """Play the first legal actions to the end of the round."""
        moves = -1
        states = [message for message in self.received if message["type"] == "state"]
        state = states[-1] if states and self.is_done(states[-1], number) else None
        while (state := state or await self.turn(number))["turn"] is not None:
            if state["moves"] != moves:
                moves = state["moves"]
                await self.ask("act", action=state["view"]["legal"][0], moves=moves)
            state = None
        return state


def at_table(host: TableHost, play: Callable[[], Any], *, seconds: float = PATIENCE_S) -> Any:
    """Run the table while `play` runs."""

    async def both() -> Any:
        running = asyncio.create_task(host.run())
        playing = asyncio.ensure_future(play())
        try:
            await asyncio.wait(
                (running, playing), timeout=seconds, return_when=asyncio.FIRST_COMPLETED
            )
            if running.done() and running.exception() is not None:
                raise running.exception()  # type: ignore[misc]
            return await asyncio.wait_for(playing, seconds)
        finally:
            running.cancel()
            playing.cancel()

    return asyncio.run(both())
