"""A table with people in browsers: its chairs, its turns and the pace of its agents.

A `TableHost` lives in one event loop. Agents decide in threads, so that a slow one keeps no other
else waiting; whatever changes the round happens in the loop, one change at a time.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import orjson

from arena.core.agent import Player
from arena.core.cards import SEATS
from arena.core.errors import ArenaError
from arena.core.printable import printable
from arena.core.rules import Action, Outcome
from arena.table.browser.lessons import lessons_message
from arena.table.browser.messages import (
    AtTable,
    BadRequest,
    Request,
    ShownChair,
    compared_message,
    error_message,
    hint_message,
    open_message,
    rules_message,
    sheet_message,
    state_message,
)
from arena.table.browser.people import Connection, Person
from arena.table.browser.same_cards import SameCards
from arena.table.browser.threads import in_thread
from arena.table.session import Chair, ChairFault, FirstLegal, TableError, TableSession
from arena.table.sitting import Sitting, TableRounds

_LONG_S = 5.0
"""An agent that has thought for so long is said to be thinking, and may be replaced."""
_LONGEST_NAME = 24


@dataclass(frozen=True)
class Manners:
    """How a table is run."""

    pace_s: float = 0.8
    """How long an agent takes for a card, if it has decided sooner; half of it for a forced card,
    so that the time says nothing about the hand."""
    empty_s: float = 60.0
    """How long people wait for a person that has lost the connection before an agent plays."""


class TableHost:
    """One table."""

    def __init__(
        self,
        rounds: TableRounds,
        adviser: Callable[[], Player],
        substitute: Callable[[], Player],
        manners: Manners = Manners(),
        names: Mapping[int, str] | None = None,
    ) -> None:
        """`adviser` gives hints; `substitute` plays for people who have left.

        People are at tables of a `Sitting`; at others there is only something to watch. They
        choose their names themselves, unless there are `names`.
        """
        self._rounds, self._adviser, self._substitute = rounds, adviser, substitute
        self.manners = manners
        self.has_names = names is not None
        """Whether people were named before they sat down."""
        self.people = {
            seat: Person(names[seat] if names else f"player {SEATS[seat]}")
            for seat in rounds.people
        }
        self._watchers: set[Connection] = set()
        self._pace_s = manners.pace_s
        self._lock = asyncio.Lock()
        """Held while the round is changed, or read in a thread."""
        self._changed = asyncio.Event()
        self._given_up = asyncio.Event()
        """Set when people no longer wait for the agent that thinks."""
        self._paused = False
        self._steps = 0
        self._number = 0
        self._version = 0
        """Goes up with each change of the round: a decision made before it is not used."""
        self._table: TableSession | None = None
        self._round = 0
        self._notices: list[str] = []
        self._thinking: str | None = None
        self._ready: set[int] = set()
        self._reseating: set[asyncio.Task[None]] = set()
        self._auditing = self._advising = False
        self._extras: dict[int, list[bytes]] = {}
        """Messages to each seat about the finished round; sent again after a reconnection."""
        self.same_cards: SameCards | None = None
        """Other tables with the same cards, if there are some."""
        self._finished: dict[str, TableSession] = {}
        self._others: dict[int, dict[str, float]] = {}
        """For each person, what others made of the cards of this round."""

    @property
    def _training(self) -> bool:
        """Hints and taking back are for a person alone with agents."""
        return self._rounds.training and len(self.people) == 1

    # --- the evening ---------------------------------------------------------------------

    async def run(self) -> None:
        """Play rounds until the match is over or no deal is left."""
        await self._until(self._anybody_has_come)
        while (table := await self._next_round()) is not None:
            for seat, person in self.people.items():
                chair = self._stand_in(person) if person.is_replaced else Chair(person.name)
                table.seat_chair(seat, chair)
            self._table, self._round = table, self._round + 1
            self._notices, self._extras, self._steps = [], {}, 0
            self._ready.clear()
            self._changes()
            await self._play(table)
            await self._after(table)
            await self._until(self._everybody_is_ready)
        self._notice("over")

    async def _next_round(self) -> TableSession | None:
        """The next round; an agent in a file that cannot be built is tried again when asked."""
        while True:
            try:
                if self._rounds.has_results:
                    return self._rounds.next_round()
                return await in_thread(self._rounds.next_round)
            except ArenaError as error:
                print(f"arena: {printable(str(error))}", file=sys.stderr, flush=True)
                self._to_all(error_message(str(error)))
                self._ready.clear()
                self._tell()
                await self._until(self._everybody_is_ready)

    async def _until(self, condition: Callable[[], bool]) -> None:
        while not condition():
            self._changed.clear()
            await self._changed.wait()

    def _anybody_has_come(self) -> bool:
        return bool(self._watchers) or any(p.connections for p in self.people.values())

    def _everybody_is_ready(self) -> bool:
        if not self.people:
            return not self._paused or self._steps > 0
        here = {seat for seat, person in self.people.items() if person.connections}
        return bool(self._ready) and here <= self._ready

    async def _play(self, table: TableSession) -> None:
        while not table.is_over:
            if table.waits_for_person:
                version = self._version
                await self._until(lambda: self._version != version)  # noqa: B023
            elif self._paused and not self._steps:
                await self._until(lambda: not self._paused or self._steps > 0)
            else:
                self._steps = max(0, self._steps - 1)
                await self._agent_acts(table)

    async def _after(self, table: TableSession) -> None:
        async with self._lock:
            self._rounds.finish(table)
            self._changes()
            for connection in self._connections():
                self._send_sheet(connection)
            if isinstance(self._rounds, Sitting):
                await self._compare(self._rounds, table)
        if not self.people:
            await asyncio.sleep(4 * self._pace_s)

    async def _compare(self, sitting: Sitting, table: TableSession) -> None:
        """Say what agents, and people at other tables, made of the same cards."""
        self._others = {}
        for seat in self.people:
            if sitting.has_results:
                self._others[seat] = sitting.on_same_cards(table, seat)
            else:
                self._others[seat] = await in_thread(sitting.on_same_cards, table, seat)
            if self._others[seat]:
                self._give_compared(sitting, table, seat)
        self._finished[table.deal.id] = table
        if self.same_cards is not None:
            self.same_cards.finished(self, table.deal.id, table.outcome.scores)

    def hear(self, deal: str, other: str, scores: tuple[int, ...]) -> None:
        """Another table has played a deal that has been played here."""
        table, sitting = self._finished[deal], self._rounds
        assert isinstance(sitting, Sitting)
        for seat in self.people:
            score = scores[table.rules.side_of(seat)]
            sitting.compare(table, seat, other, score)
            if table is self._table:
                self._others[seat][other] = score
                self._give_compared(sitting, table, seat)

    def _give_compared(self, sitting: Sitting, table: TableSession, seat: int) -> None:
        mine = table.outcome.scores[table.rules.side_of(seat)]
        evening = sitting.compared(seat)
        self._give(seat, compared_message(mine, self._others[seat], evening, table.is_intact))

    # --- agents --------------------------------------------------------------------------

    async def _agent_acts(self, table: TableSession) -> None:
        loop = asyncio.get_running_loop()
        began, seat = loop.time(), table.turn
        assert seat is not None
        async with self._lock:
            if table.turn != seat or table.waits_for_person:
                return  # changed while others were served
            version, name = self._version, table.chairs[seat].name
            is_forced, leads = _situation(table, seat)
            try:
                action = await self._decision(table, name)
            except ChairFault as fault:
                self._replace(table, seat, fault)
                return
        if action is None:
            self._replace(table, seat, None)
            return
        pace = self._pace_s * (0.5 if is_forced else 1.0) + (self._pace_s if leads else 0.0)
        await asyncio.sleep(max(0.0, pace - (loop.time() - began)))
        async with self._lock:  # a card may be taken back at this very moment
            if self._version == version:
                table.let_agent_act(action)
                self._changes()

    async def _decision(self, table: TableSession, name: str) -> Action | None:
        """What the agent that is to act does; None if people wait for it no longer."""
        self._given_up.clear()
        deciding = asyncio.ensure_future(in_thread(table.decide))
        given_up = asyncio.ensure_future(self._given_up.wait())
        try:
            done, _ = await asyncio.wait(
                (deciding, given_up), timeout=_LONG_S, return_when=asyncio.FIRST_COMPLETED
            )
            if not done:
                self._thinking = name
                self._tell()
                await asyncio.wait((deciding, given_up), return_when=asyncio.FIRST_COMPLETED)
        finally:
            given_up.cancel()
            self._thinking = None
        if deciding.done():
            return deciding.result()
        deciding.add_done_callback(lambda late: late.cancelled() or late.exception())
        return None

    def _replace(self, table: TableSession, seat: int, fault: ChairFault | None) -> None:
        """Seat an agent that plays the first legal cards; what went wrong is for the terminal."""
        name = table.chairs[seat].name
        if fault is not None:
            # It may name cards that the people at the table must not know.
            print(f"arena play: {printable(str(fault))}", file=sys.stderr, flush=True)
        kind = "too slow" if fault is None else fault.fault.kind
        table.seat_chair(seat, Chair("first card", Player(FirstLegal())))
        self._version += 1
        self._notice(f"{kind}: {name}, {SEATS[seat]}")

    # --- people --------------------------------------------------------------------------

    def join(self, connection: Connection) -> None:
        """A browser opens the page."""
        seat, rules = connection.seat, self._rounds.rules
        if seat is None:
            self._watchers.add(connection)
        else:
            person = self.people[seat]
            person.connections.add(connection)
            person.has_come = True
            if person.waiting is not None:
                person.waiting.cancel()
            if person.is_replaced:
                person.is_replaced = False
                self._seat(seat, Chair(person.name))
        same = rules_message(rules, seat, training=self._training, pace_s=self._pace_s)
        connection.send(orjson.dumps(same))
        self._send_sheet(connection)
        self._tell()
        if self._table is not None and self._table.is_over and seat is not None:
            for message in self._extras.get(seat, ()):
                connection.send(message)
        self._changed.set()

    def leave(self, connection: Connection) -> None:
        """A connection has ended."""
        self._watchers.discard(connection)
        if connection.seat is None:
            return
        person = self.people[connection.seat]
        person.connections.discard(connection)
        if not person.connections:
            loop = asyncio.get_running_loop()
            person.waiting = loop.call_later(self.manners.empty_s, self._take_over, connection.seat)
        self._tell()
        self._changed.set()

    def _take_over(self, seat: int) -> None:
        """Let an agent play for an absent person, if other people are at the table."""
        person = self.people[seat]
        if person.connections or person.is_replaced or not self._anybody_has_come():
            return
        person.is_replaced = True
        self._seat(seat, self._stand_in(person))
        self._notice(f"left: {person.name}, {SEATS[seat]}")
        self._changed.set()

    def _stand_in(self, person: Person) -> Chair:
        return Chair(f"{person.name} (agent)", self._substitute())

    def _seat(self, seat: int, chair: Chair) -> None:
        """Change the player of a chair, once no decision is being made there."""
        task = asyncio.create_task(self._seat_soon(seat, chair))
        self._reseating.add(task)
        task.add_done_callback(self._reseating.discard)

    async def _seat_soon(self, seat: int, chair: Chair) -> None:
        async with self._lock:
            table = self._table
            if table is not None and not table.is_over:
                await in_thread(table.seat_chair, seat, chair)
                self._changes()

    async def handle(self, connection: Connection, text: str) -> None:
        """Do what a browser asks for; what cannot be done is answered with a reason."""
        try:
            request = Request.read(text)
            if connection.seat is None:
                self._watch(request)
            else:
                await self._serve(connection, connection.seat, request)
        except ArenaError as error:
            connection.send(error_message(str(error)))

    async def _serve(self, connection: Connection, seat: int, request: Request) -> None:
        table = self._table
        if request.do == "name":
            self._rename(seat, request.text("name", _LONGEST_NAME))
            return
        if request.do == "next":
            if table is None or table.is_over:
                self._ready.add(seat)
                self._tell()
                self._changed.set()
            return
        if table is None:
            raise TableError("the first round has not begun")
        if request.do == "replace":
            self._give_up(request.text("seat", 1))
        elif request.do == "audit":
            await self._audit(connection, table, seat)
        elif request.do == "hint":
            await self._hint(connection, table, seat)
        else:
            async with self._lock:
                await self._play_request(connection, table, seat, request)

    async def _play_request(
        self, connection: Connection, table: TableSession, seat: int, request: Request
    ) -> None:
        if request.do == "act":
            if request.number("moves") != table.moves:
                self._send_state(connection)  # a second click, or another tab was first
                return
            table.act(seat, request.action(table.rules))
        elif request.do == "undo":
            if not self._training:
                raise TableError("cards are taken back only by a person alone with agents")
            await in_thread(table.undo, seat)
        elif request.do == "claim":
            await in_thread(table.claim, seat)
        else:
            raise BadRequest(f"unknown request {request.do!r}")
        self._changes()

    def _watch(self, request: Request) -> None:
        if self.people:
            raise TableError("spectators do not play")
        if request.do == "pause":
            self._paused = not self._paused
        elif request.do == "step":
            self._paused, self._steps = True, 1
        elif request.do == "pace":
            self._pace_s = min(60_000, max(0, request.number("ms"))) / 1000
        else:
            raise BadRequest(f"unknown request {request.do!r}")
        self._tell()
        self._changed.set()

    def _rename(self, seat: int, name: str) -> None:
        if self.has_names:
            return
        name = printable(" ".join(name.split()))[:_LONGEST_NAME]
        if not name:
            raise BadRequest("name: expected a name")
        self.people[seat].name = name
        if self._table is not None and not self._table.is_over:
            self._table.rename(seat, name)
        self._tell()

    def _give_up(self, letter: str) -> None:
        """Let an agent play for an absent person, or for an agent that is too slow."""
        seat = SEATS.find(letter)
        if seat in self.people:
            if self.people[seat].connections:
                raise TableError(f"{self.people[seat].name} is here")
            self._take_over(seat)
        elif self._thinking is not None:
            self._given_up.set()

    async def _hint(self, connection: Connection, table: TableSession, seat: int) -> None:
        """Ask the adviser; meanwhile the person may play on."""
        if not self._training:
            raise TableError("hints are for a person alone with agents")
        if self._advising:
            raise TableError("the adviser is thinking")
        asked, view, moves = table.later_hint(seat, self._adviser), table.view(seat), table.moves
        self._advising = True
        try:
            connection.send(hint_message(await in_thread(asked), view, moves))
        except (TableError, asyncio.CancelledError):
            raise
        except (Exception, SystemExit) as error:
            why = printable(f"{type(error).__name__}: {error}")
            raise TableError(f"the adviser failed: {why}") from error
        finally:
            self._advising = False

    async def _audit(self, connection: Connection, table: TableSession, seat: int) -> None:
        if not table.is_over:
            raise TableError("the audit comes after the round")
        if not isinstance(self._rounds, Sitting):
            raise TableError("only rounds of people are audited here")
        if self._auditing:
            raise TableError("the audit is being made")
        self._auditing = True
        try:
            audited = await in_thread(self._rounds.audit, table)
        finally:
            self._auditing = False
        for person in self.people:
            self._give(person, lessons_message(table, audited, person))

    # --- telling -------------------------------------------------------------------------

    def _changes(self) -> None:
        self._version += 1
        self._tell()
        self._changed.set()

    def _notice(self, text: str) -> None:
        self._notices.append(text)
        self._tell()

    def _give(self, seat: int, message: bytes) -> None:
        """Send something about the finished round to one seat, now and when it comes back."""
        self._extras.setdefault(seat, []).append(message)
        for connection in self.people[seat].connections:
            connection.send(message)

    def _send_sheet(self, connection: Connection) -> None:
        rounds, seat, luck = self._rounds, connection.seat, None
        if seat is not None and isinstance(rounds, Sitting):
            luck = rounds.adjusted(seat)
        connection.send(sheet_message(rounds.sheet, luck))

    def _to_all(self, message: bytes) -> None:
        for connection in self._connections():
            connection.send(message)

    def _connections(self) -> list[Connection]:
        seated = [each for person in self.people.values() for each in person.connections]
        return [*seated, *self._watchers]

    def _tell(self) -> None:
        """Send each person what they may know now."""
        if self._table is None:
            return
        self._number += 1
        for connection in self._connections():
            self._send_state(connection)

    def _send_state(self, connection: Connection) -> None:
        table = self._table
        if table is None:
            return
        outcome: Outcome | None = table.outcome if table.is_over else None
        at = self._at(table)
        if connection.seat is not None:
            connection.send(state_message(at, table.view(connection.seat), outcome))
        elif not self.people:
            views = [table.view(seat) for seat in range(table.rules.players)]
            connection.send(open_message(at, views, outcome))

    def _at(self, table: TableSession) -> AtTable:
        chairs = []
        for seat, chair in enumerate(table.chairs):
            person = self.people.get(seat)
            if person is None:
                chairs.append(ShownChair(chair.name, False))
            else:
                is_here = bool(person.connections)
                chairs.append(ShownChair(chair.name, chair.player is None, is_here))
        return AtTable(
            number=self._number,
            round=self._round,
            deal=table.deal.id,
            moves=table.moves,
            turn=table.turn,
            chairs=tuple(chairs),
            thinking=self._thinking,
            notices=tuple(self._notices),
            claimed_by=table.claimed_by,
            paused=self._paused,
            ready=tuple(sorted(self._ready)),
        )


def _situation(table: TableSession, seat: int) -> tuple[bool, bool]:
    """Whether an agent has one legal action, and whether it leads to a trick after the first."""
    view = table.view(seat)
    leads = view.phase == "play" and not view.table and bool(view.tricks)
    return len(view.legal) == 1, leads
