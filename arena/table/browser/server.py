"""Pages, WebSockets and links: the table as an ASGI application.

A link has a token that cannot be guessed, one for each seat. Its holder plays the seat, in as many
tabs as they like. There is nothing to see without one.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from importlib import resources

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from arena.core.cards import SEATS
from arena.table.browser.host import TableHost
from arena.table.browser.people import Connection
from arena.web.guard import Address, Guard, RateLimit, new_token

LONGEST_REQUEST = 2_000
"""Bytes of what a browser may send at once."""
_MOST_TABS = 8
_MOST_REQUESTS = 4
"""Requests of a connection that are served at once: a person may play while a hint is made."""
_KINDS = {
    "html": "text/html",
    "js": "text/javascript",
    "css": "text/css",
    "svg": "image/svg+xml",
    "json": "application/json",
}
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


@dataclass(frozen=True)
class SeatLink:
    """A seat at a table, or a place from which to watch it."""

    host: TableHost
    seat: int | None

    @property
    def name(self) -> str:
        """What the link is for."""
        if self.seat is None:
            return "watch"
        letter = SEATS[self.seat]
        return f"{self.host.people[self.seat].name} ({letter})" if self.host.has_names else letter


class TableServer:
    """Some tables and their links."""

    def __init__(self, hosts: list[TableHost]) -> None:
        self._hosts = hosts
        self.places: dict[str, SeatLink] = {}
        """Who holds a token has this place."""
        for host in hosts:
            for seat in host.people or (None,):
                self.places[new_token()] = SeatLink(host, seat)
        self._files = _page_files()

    def links(self, url: str) -> list[tuple[SeatLink, str]]:
        """The link of each place."""
        return [(place, f"{url}/t/{token}") for token, place in self.places.items()]

    def guarded(self, address: Address, *, requests: RateLimit | None = None) -> Guard:
        """The application, behind what all servers of ours check."""
        app = Starlette(
            routes=[
                Route("/t/{token}", self._page),
                Route("/page/{name}", self._file),
                WebSocketRoute("/ws/{token}", self._socket),
            ],
            lifespan=self._lifespan,
        )
        return Guard(
            app,
            address,
            longest_body=LONGEST_REQUEST,
            requests=requests or RateLimit(50, 1000),
            messages=RateLimit(20, 40),
        )

    @asynccontextmanager
    async def _lifespan(self, app: Starlette) -> AsyncIterator[None]:
        tasks = [asyncio.create_task(host.run()) for host in self._hosts]
        for task in tasks:
            task.add_done_callback(_report)
        yield
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _page(self, request: Request) -> Response:
        if request.path_params["token"] not in self.places:
            return Response("no such table", 404, media_type="text/plain")
        return self._answer("table.html")

    async def _file(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in self._files:
            return Response("no such file", 404, media_type="text/plain")
        return self._answer(name)

    def _answer(self, name: str) -> Response:
        kind = _KINDS[name.rpartition(".")[2]]
        return Response(
            self._files[name], media_type=kind, headers={"Content-Security-Policy": _POLICY}
        )

    async def _socket(self, socket: WebSocket) -> None:
        place = self.places.get(socket.path_params["token"])
        if place is None or _tabs(place) >= _MOST_TABS:
            await socket.close(1008)
            return
        await socket.accept()
        connection = Connection(place.seat)
        sending = asyncio.create_task(_send_all(socket, connection))
        place.host.join(connection)
        asked: set[asyncio.Task[None]] = set()
        try:
            while True:
                request = place.host.handle(connection, await socket.receive_text())
                asked.add(task := asyncio.create_task(request))
                task.add_done_callback(asked.discard)
                if len(asked) >= _MOST_REQUESTS:
                    await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
        except (WebSocketDisconnect, KeyError):
            pass  # gone, or sent bytes, which is none of ours
        finally:
            place.host.leave(connection)
            sending.cancel()
            if asked:
                await asyncio.wait(asked)


def _tabs(place: SeatLink) -> int:
    if place.seat is None:
        return 0
    return len(place.host.people[place.seat].connections)


async def _send_all(socket: WebSocket, connection: Connection) -> None:
    with suppress(WebSocketDisconnect, RuntimeError):
        while (message := await connection.outgoing.get()) is not None:
            await socket.send_text(message.decode())
        await socket.close(1013)


def _report(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        raise error


def _page_files() -> Mapping[str, bytes]:
    folder = resources.files("arena.table.browser").joinpath("page")
    return {
        each.name: each.read_bytes()
        for each in folder.iterdir()
        if each.name.rpartition(".")[2] in _KINDS
    }
