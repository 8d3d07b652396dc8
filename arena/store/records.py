"""How the rounds of a unit are stored: numbers packed in records of one size, plays as bytes.

A unit is one row of the table `units`. `numbers` has a record of fixed size per round
(`FIELDS`, then `BY_SIDE` with an integer per side), so that the rounds of a whole pairing are
one array when they are read (`arena.store.columns`). Actions (see `arena.core.rules`) and seats
are one byte each; the times of decisions are nanoseconds in floats of two bytes, right to 0.4%;
NaN is a time that could not be taken. Both are compressed: they would be four fifths of a run.
Texts are empty wherever nothing needs to be said.

A row has two checksums, one of its numbers and texts and one of its plays: a value that has
changed on the disk is found when it is read.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from math import isnan, nan
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

from arena.core.errors import ArenaError
from arena.core.foreign_data import decompressed
from arena.core.scoring import Game

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class RoundRecord(NamedTuple):
    """One round of one pairing in one seating."""

    unit: str
    """The deal, or the match by its first deal."""
    seating: int
    number: int
    """The number of the round in the match, thrown-in ones included; 0 for single rounds."""
    deal: str
    score_first: float | None = None
    """Mean score of the first entrant's sides; None if the round was not finished."""
    score_second: float | None = None
    margin: float = 0.0
    """In the first entrant's favour, whether high or low scores win."""
    scores: tuple[int, ...] = ()
    """By side, as are points, bonus and tricks; empty if the round was not finished."""
    points: tuple[int, ...] = ()
    bonus: tuple[int, ...] = ()
    tricks: tuple[int, ...] = ()
    flags: tuple[str, ...] = ()
    trump: int | None = None
    declarer: int | None = None
    leader: int | None = None
    counts: int = 0
    """1 if the round counts for the match, 0 if it was thrown in."""
    forfeit: int = 0
    """The entrant that forfeited (1 the first, 2 the second); 0 if none did."""
    fault: str = ""
    actions: bytes = b""
    seats: bytes = b""
    """The seat that took each action; empty if the worker was lost."""
    times: bytes = b""
    """Wall-clock time of each decision."""
    cpu_times: bytes = b""
    """CPU time of each decision."""

    @property
    def game(self) -> Game:
        """The round as (a part of) a game of its unit."""
        return Game(
            self.seating,
            self.margin,
            self.score_first,
            self.score_second,
            self.counts,
            self.forfeit,
        )


MEASURED: tuple[str, ...] = ("times", "cpu_times")
"""Fields that differ when a round is played again."""

FIELDS: tuple[tuple[str, str], ...] = (
    ("seating", "H"),
    ("number", "H"),
    ("counts", "B"),
    ("forfeit", "B"),
    ("flags", "B"),
    ("trump", "b"),
    ("declarer", "b"),
    ("leader", "b"),
    ("actions", "H"),
    ("decisions", "H"),
    ("margin", "d"),
    ("score_first", "d"),
    ("score_second", "d"),
)
"""Names and `struct` codes of the packed numbers of a round. `flags` counts the lines of the
unit's text of that name, from 1; trump, declarer and leader are -1 where there is none;
`actions` and `decisions` are how many bytes of the actions, and how many times, are its own;
scores are NaN if the round was not finished."""
_DECISIONS = [name for name, _ in FIELDS].index("decisions")
BY_SIDE: tuple[str, ...] = ("scores", "points", "bonus", "tricks")
"""The integers that follow, one per side each."""


class UnitRow(NamedTuple):
    """A row of the table `units`, after the number of its pairing."""

    unit: str
    numbers: bytes
    flags: str
    """A line for each different set of flags among its rounds, blanks between flags."""
    deals: str
    """A line per round; empty if all are of the deal that the unit is named after."""
    faults: str
    """A JSON list with a text per round; empty if there was no fault."""
    checksum: int
    plays: bytes
    """The seats of all rounds, one after the other, then all actions; compressed."""
    times: bytes
    """Both kinds of times, likewise; the high bytes of all come first."""
    plays_checksum: int


@cache
def packing(sides: int) -> struct.Struct:
    """The packed numbers of a round in a game of so many sides."""
    codes = "".join(code for _, code in FIELDS)
    return struct.Struct(f"<{codes}{len(BY_SIDE) * sides}i")


def pack(pairing: int, unit: str, rounds: Sequence[RoundRecord], sides: int) -> UnitRow:
    """The rounds of a unit as they are stored under `pairing`."""
    pack_numbers, unscored = packing(sides).pack, (0,) * (len(BY_SIDE) * sides)
    flag_sets = list(dict.fromkeys(" ".join(each.flags) for each in rounds if each.flags))
    try:
        numbers = b"".join(
            [
                pack_numbers(
                    each.seating,
                    each.number,
                    each.counts,
                    each.forfeit,
                    flag_sets.index(" ".join(each.flags)) + 1 if each.flags else 0,
                    -1 if each.trump is None else each.trump,
                    -1 if each.declarer is None else each.declarer,
                    -1 if each.leader is None else each.leader,
                    len(each.actions),
                    len(each.seats),
                    each.margin,
                    nan if each.score_first is None else each.score_first,
                    nan if each.score_second is None else each.score_second,
                    *((*each.scores, *each.points, *each.bonus, *each.tricks) or unscored),
                )
                for each in rounds
            ]
        )
    except struct.error as error:
        raise ArenaError(f"{unit}: the round cannot be stored: {error}") from error
    flags = "\n".join(flag_sets)
    deals = "" if all(each.deal == unit for each in rounds) else "\n".join(r.deal for r in rounds)
    faults = json.dumps([r.fault for r in rounds]) if any(r.fault for r in rounds) else ""
    plays = *(each.seats for each in rounds), *(each.actions for each in rounds)
    taken = b"".join((*(each.times for each in rounds), *(each.cpu_times for each in rounds)))
    stored = zlib.compress(b"".join(plays)), zlib.compress(taken[1::2] + taken[::2])
    checked = numbers_checksum(pairing, unit, numbers, flags, deals, faults)
    return UnitRow(unit, numbers, flags, deals, faults, checked, *stored, plays_checksum(*stored))


DAMAGED = struct.error, zlib.error, ValueError, TypeError, IndexError
"""Errors of `unpack` and its parts for a row that `pack` has not made."""


def unpack(row: UnitRow, sides: int) -> Iterator[RoundRecord]:
    """The rounds of a stored unit; one of `DAMAGED` if it is none."""
    flag_sets = [(), *(tuple(line.split()) for line in row.flags.split("\n"))]
    deals = row.deals.split("\n") if row.deals else []
    faults = json.loads(row.faults) if row.faults else []
    rounds = list(packing(sides).iter_unpack(row.numbers))
    times, cpu_times = unpack_times(row.times, len(rounds))
    all_decisions = sum(values[_DECISIONS] for values in rounds)
    seats, all_actions = unpack_plays(row.plays, all_decisions, len(rounds))
    action = decision = 0
    for place, values in enumerate(rounds):
        seating, number, counts, forfeit, flags, trump, declarer, leader = values[:8]
        actions, decisions, margin, first, second, *by_side = values[8:]
        finished = not isnan(first)
        scored = tuple(by_side) if finished else ()
        last, until = action + actions, decision + decisions
        timed = slice(TIME_BYTES * decision, TIME_BYTES * until)
        yield RoundRecord(
            row.unit,
            seating,
            number,
            deals[place] if deals else row.unit,
            first if finished else None,
            second if finished else None,
            margin,
            scored[:sides],
            scored[sides : 2 * sides],
            scored[2 * sides : 3 * sides],
            scored[3 * sides :],
            flag_sets[flags],
            None if trump < 0 else trump,
            None if declarer < 0 else declarer,
            None if leader < 0 else leader,
            counts,
            forfeit,
            faults[place] if faults else "",
            all_actions[action:last],
            seats[decision:until],
            times[timed],
            cpu_times[timed],
        )
        action, decision = last, until


def unpack_plays(stored: bytes, decisions: int, rounds: int) -> tuple[bytes, bytes]:
    """The seats and the actions of a unit of so many decisions and rounds."""
    plays = decompressed(stored, 2 * _MOST_ACTIONS * rounds)
    return plays[:decisions], plays[decisions:]


def same_plays(one: bytes, other: bytes, rounds: int) -> bool:
    """Whether units were played alike; other machines may compress the same bytes otherwise."""
    try:
        return one == other or unpack_plays(one, 0, rounds) == unpack_plays(other, 0, rounds)
    except DAMAGED:
        return False


def unpack_times(stored: bytes, rounds: int) -> tuple[bytes, bytes]:
    """Both kinds of times of a unit of so many rounds."""
    planes = decompressed(stored, 2 * TIME_BYTES * _MOST_ACTIONS * rounds)
    half = len(planes) // 2
    taken = bytearray(2 * half)
    taken[1::2], taken[::2] = planes[:half], planes[half:]
    return bytes(taken[:half]), bytes(taken[half:])


_MOST_ACTIONS = 0xFFFF
"""Of one round: its numbers cannot say more."""


def numbers_checksum(
    pairing: int, unit: str, numbers: bytes, flags: str, deals: str, faults: str
) -> int:
    """The checksum of a unit's numbers and texts, as stored under `pairing`."""
    return crc32(numbers, crc32("\n".join((str(pairing), unit, flags, deals, faults)).encode()))


def plays_checksum(plays: bytes, times: bytes) -> int:
    """The checksum of a unit's plays, as they are stored."""
    return crc32(times, crc32(plays))


def checksum(values: Iterable[object]) -> int:
    """The checksum of values of any type, for tables that are small."""
    return crc32("\n".join(map(str, values)).encode(errors="surrogatepass"))


TIME_BYTES = 2


def encode_times(nanoseconds: Iterable[float]) -> bytes:
    """Times as the upper halves of floats, rounded: right to 0.4%.

    >>> decode_times(encode_times([1000, 5_000_000])).tolist()
    [1000.0, 5013504.0]
    """
    import numpy as np  # here, so that light commands start fast

    bits = np.fromiter(nanoseconds, dtype=np.float32).view(np.uint32)
    return ((bits + 0x8000) >> 16).astype("<u2").tobytes()


def decode_times(data: bytes) -> NDArray[np.float32]:
    """Nanoseconds, as `encode_times` wrote them."""
    import numpy as np  # here, so that light commands start fast

    return (np.frombuffer(data, dtype="<u2").astype(np.uint32) << 16).view(np.float32)
