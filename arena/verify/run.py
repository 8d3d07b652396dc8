"""Replaying a whole run: everything stored about its rounds is worked out again from the cards.

The units are played once more by the code that played them, with a referee who takes every
action from what is stored in place of asking an agent. So deals, turns, legal cards, scores,
margins, forfeits and the course of matches are all compared. What cannot be known from the
cards is named as not checked: how long agents thought, and that it was they who played so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import cast

from arena.core.cards import SEATS
from arena.core.deals import Deal, DealSet
from arena.core.errors import ArenaError
from arena.core.files import find_shipped
from arena.core.rules import Standing, action_name
from arena.llm.answers import judge
from arena.process.faults import FaultKind
from arena.store import Run
from arena.store.database import FaultRecord
from arena.store.manifest import Pairing
from arena.store.records import MEASURED, TIME_BYTES, RoundRecord
from arena.tournament.conversations import RunConversations
from arena.tournament.describe import pairing_key
from arena.tournament.referee import Fault, Lineup, Played, Referee
from arena.tournament.schedule import Unit
from arena.tournament.units import UnitPlayer
from arena.verify.records import Checked

NEVER_CHECKED = ("times", "that these agents play so")
_FAULT = re.compile(rf"(\w+): seat ([{''.join(SEATS)}]) (.*)", re.DOTALL)


def check_run(path: Path) -> Iterator[Checked]:
    """Replay every stored unit of a run and compare all that is stored about it."""
    with Run(path) as run:
        used = run.manifest.rules
        if run.rules.version != used.version:
            raise ArenaError(
                f"{path}: played by version {used.version} of the rules of {used.game}, "
                f"this is version {run.rules.version}; use the version of arena that played it"
            )
        yield from _Check(run).everything()


class _Disagreement(Exception):
    """Why a round cannot be played on as it is stored."""


@dataclass(frozen=True)
class _Tape(Referee):
    """A referee who plays what is stored."""

    stored: dict[tuple[int, int], RoundRecord] = field(default_factory=dict)
    """The rounds of a unit, by seating and number."""
    place: list[int] = field(default_factory=list)

    def enter(self, place: tuple[int, str, int, int, str]) -> None:
        """The number of the next round."""
        self.place[:] = place[2:4]

    def play(
        self, deal: Deal, lineup: Lineup, seed_number: int = 0, standing: Standing = Standing()
    ) -> Played:
        """The stored round, as far as the rules allow it."""
        record = self.stored.get((self.place[0], self.place[1]))
        if record is None:
            raise _Disagreement("is missing")
        rules = self.rules
        state = rules.start(deal, standing)
        seats = []
        for number, action in enumerate(record.actions):
            if state.turn is None:
                raise _Disagreement(f"goes on after its end, with action {number}")
            if action not in state.legal:
                raise _Disagreement(f"action {number} (seat {SEATS[state.turn]}) is not legal")
            seats.append(state.turn)
            rules.apply(state, action)
        fault = _fault(record)
        if fault is None and state.turn is not None:
            raise _Disagreement("is not over after its last action")
        # A worker that was lost has left the cards of the round, and nothing else.
        lost = fault is not None and not record.seats
        return Played(
            deal,
            record.actions,
            b"" if lost else bytes(seats),
            (),
            (),
            rules.outcome(state) if fault is None else None,
            None if lost else state.trump,
            None if lost else state.declarer,
            None if lost else state.leader,
            fault,
        )


def _fault(record: RoundRecord) -> Fault | None:
    if not record.fault:
        return None
    found = _FAULT.fullmatch(record.fault)
    if found is None:
        raise _Disagreement(f"has a fault that says nothing: {record.fault!r}")
    kind, seat, message = found.groups()
    return Fault(cast(FaultKind, kind), SEATS.index(seat), len(record.actions), message)


class _Check:
    def __init__(self, run: Run) -> None:
        self.run, self.path = run, run.path
        self.tape = _Tape(run.rules, run.manifest.seed)
        self.player = UnitPlayer(
            self.tape,
            run.manifest.match,
            tuple(run.seatings),
            lambda pairing, seating: Lineup.of(()),
            run.manifest.on_fault == "stop",
            self.tape.enter,
        )
        self.dealt = self._deals_of_the_set()
        self.talks = RunConversations(run)

    def _deals_of_the_set(self) -> dict[str, Deal] | None:
        """The deals of the set by their ids, if it comes with arena and is the same."""
        manifest = self.run.manifest
        try:
            found = DealSet.load(find_shipped("deals", manifest.deal_set, ".csv"))
        except ArenaError:
            return None
        if found.sha256 != manifest.deals_sha256:
            return None
        return {deal.id: deal for deal in found.deals}

    def everything(self) -> Iterator[Checked]:
        """The pairings, then every unit."""
        unchecked = list(NEVER_CHECKED)
        unchecked += [
            f"that {name} would play so again (not reproducible)"
            for name, used in self.run.manifest.entrants.items()
            if not used.reproducible
        ]
        if self.dealt is None:
            unchecked.append(f"that the deals are those of {self.run.manifest.deal_set}")
        place = f"{self.path}: {self.run.manifest.name}"
        yield Checked(place, 0, tuple(self._pairings()), tuple(unchecked), rounds=0)
        for number, pairing in enumerate(self.run.pairings):
            damaged: list[str] = []
            faults = {
                (fault.unit, fault.seating, fault.number): fault
                for fault in self.run.database.faults(pairing.id)
            }
            rounds = self.run.database.rounds(pairing.id, damaged=damaged)
            for unit, stored in groupby(rounds, attrgetter("unit")):
                records = list(stored)
                yield Checked(
                    f"{self.path}: {pairing.first} – {pairing.second}, {unit}",
                    sum(len(record.actions) for record in records),
                    tuple(self._unit(number, records, faults)),
                    rounds=len(records),
                )
            wrong = [f"{what} is not as it was stored (checksum)" for what in damaged]
            if self.run.manifest.on_fault == "forfeit":
                wrong += [
                    f"{unit}, seating {seating}, round {at}: a fault of a round that is not stored"
                    for unit, seating, at in faults
                ]
            wrong += self._replies(pairing)
            yield Checked(
                f"{self.path}: {pairing.first} – {pairing.second}", 0, tuple(wrong), rounds=0
            )

    def _pairings(self) -> Iterator[str]:
        manifest = self.run.manifest
        for pairing in self.run.pairings:
            found = self.run.database.find_pairing(pairing_key(manifest, pairing))
            if found != pairing.id:
                yield (
                    f"{pairing.first} – {pairing.second}: the manifest and the results do not "
                    "agree on who they are, or on what and how they played"
                )

    def _replies(self, pairing: Pairing) -> Iterator[str]:
        """Where a stored reply of a language model is not the move that is stored."""
        if self.run.replies is None:
            return
        bids = self.run.rules.bids
        try:
            for replay in self.run.replays(pairing):
                record = replay.record
                for asked in self.talks.of_round(replay):
                    if asked.at == len(record.actions):
                        continue  # the decision that was a fault
                    *_, last = asked.attempts
                    said = judge(last.reply, last.finish, asked.view)
                    if said.problem or said.action != record.actions[asked.at]:
                        did = action_name(record.actions[asked.at], bids)
                        yield (
                            f"{record.unit}, seating {record.seating}, round {record.number}, "
                            f"action {asked.at}: {did} was played, the stored reply is "
                            f"{said.problem or action_name(said.action or 0, bids)}"
                        )
        except ArenaError as error:  # rounds that cannot be played again have been named
            yield str(error)

    def _unit(
        self,
        pairing: int,
        records: Sequence[RoundRecord],
        faults: dict[tuple[str, int, int], FaultRecord],
    ) -> Iterator[str]:
        stored = {(record.seating, record.number): record for record in records}
        self.tape.stored.clear()
        self.tape.stored.update(stored)
        try:
            unit = Unit(pairing, self._deals(records))
            result, found = self.player.play(unit, {}, self._seatings_of(pairing, records))
        except _Disagreement as error:
            seating, number = self.tape.place
            yield f"seating {seating}, round {number}: {error}"
            return
        except ArenaError as error:
            yield str(error)
            return
        for record in result.rounds:
            was = stored.pop((record.seating, record.number))
            where = f"seating {record.seating}, round {record.number}"
            for column in RoundRecord._fields:
                recorded, again = getattr(was, column), getattr(record, column)
                if column in MEASURED:
                    if len(recorded) != TIME_BYTES * len(was.seats):
                        yield f"{where}: {column}: {len(recorded)} bytes"
                elif recorded != again:
                    yield f"{where}: {column}: stored {recorded!r}, by the rules {again!r}"
        for seating, number in stored:
            yield f"seating {seating}, round {number}: is stored, but was over before"
        for deal in result.extra_deals:
            if self.run.database.deal(deal.id) != deal:
                yield f"deal {deal.id}: is not the one that the seed makes"
        for fault in found:
            kept = faults.pop((fault.unit, fault.seating, fault.number), None)
            if kept is None:
                yield f"seating {fault.seating}, round {fault.number}: its fault is not stored"
            elif _facts(kept) != _facts(fault):
                yield f"seating {fault.seating}, round {fault.number}: another fault is stored"

    def _seatings_of(self, pairing: int, records: Sequence[RoundRecord]) -> set[int] | None:
        """Which seatings a unit has; a person plays a deal in one of them only."""
        names = self.run.pairings[pairing][:2]
        is_person = not {*names}.isdisjoint(self.run.people)
        return {record.seating for record in records} if is_person else None

    def _deals(self, records: Sequence[RoundRecord]) -> tuple[Deal, ...]:
        """The deal of a unit, or those that a match owns, as far as it came."""
        own = self.run.manifest.deals_per_unit
        ids = {record.number: record.deal for record in records if record.number < own}
        ids[0] = records[0].unit
        deals = []
        for number in range(len(ids)):
            deal_id = ids.get(number, "")
            deal = self.run.database.deal(deal_id)
            if deal is None:
                raise ArenaError(f"deal {deal_id} is not stored")
            if self.dealt is not None and self.dealt.get(deal_id) != deal:
                raise ArenaError(f"deal {deal_id}: is not that of {self.run.manifest.deal_set}")
            deals.append(deal)
        return tuple(deals)


def _facts(fault: FaultRecord) -> tuple[object, ...]:
    """The message of a fault; the traceback is the agent's own."""
    said = fault.message.partition("\n")[0]
    return (*fault[1:-2], said, fault.actions)
