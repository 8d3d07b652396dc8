"""A played round as it is kept: numbers for the statistics, bytes for the rest.

Actions (see `arena.core.rules`) and seats are one byte each. Times of decisions are
nanoseconds as floats of four bytes each; NaN is a time that nobody could take.

A round is kept with a checksum of all its values, so that one that has changed on the disk
is noticed when it is read.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from math import nan
from struct import Struct
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

from arena.core.scoring import Game

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class RoundRecord(NamedTuple):
    """One round of one pairing in one seating. Lists are text, numbers with blanks between."""

    unit: str
    """The deal, or the match by its first deal."""
    seating: int
    number: int
    """Which round of the match, thrown-in ones included; 0 for single rounds."""
    deal: str
    score_first: float | None
    """Mean score of the first entrant's sides; None if the round was not finished."""
    score_second: float | None
    margin: float
    """In the first entrant's favour, whether high or low scores win."""
    scores: str
    """By side, as are points, bonus and tricks."""
    points: str
    bonus: str
    tricks: str
    flags: str
    trump: int | None
    declarer: int | None
    leader: int | None
    counts: int
    """1 if the round counts for the match, 0 if it was thrown in."""
    forfeit: int
    """Which entrant forfeited (1 the first, 2 the second); 0 if nobody did."""
    fault: str
    actions: bytes
    seats: bytes
    """Who took each action."""
    times: bytes
    """How long each took."""
    cpu_times: bytes = b""
    """The CPU time of each; empty in runs that were played before it was taken."""

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


COLUMNS: tuple[str, ...] = RoundRecord._fields

MEASURED: tuple[str, ...] = ("times", "cpu_times")
"""Columns that differ when a round is played again."""

_pack_numbers = Struct("<3d8q").pack


def round_checksum(pairing: int, values: tuple[Any, ...]) -> int:
    """The checksum of a `RoundRecord`, or of its values, that is kept under `pairing`."""
    # Value by value: this is done for every round that is written or read. A column that is
    # added joins where it leaves the checksums of older rounds as they are: bytes, empty there.
    (
        unit,
        seating,
        number,
        deal,
        first,
        second,
        margin,
        scores,
        points,
        bonus,
        tricks,
        flags,
        trump,
        declarer,
        leader,
        counts,
        forfeit,
        fault,
        actions,
        seats,
        times,
        cpu_times,
    ) = values
    numbers = _pack_numbers(
        nan if first is None else first,
        nan if second is None else second,
        margin,
        pairing,
        seating,
        number,
        -1 if trump is None else trump,
        -1 if declarer is None else declarer,
        -1 if leader is None else leader,
        counts,
        forfeit,
    )
    words = "\n".join((unit, deal, scores, points, bonus, tricks, flags, fault)).encode()
    return crc32(b"".join((numbers, words, actions, seats, times, cpu_times)))


def checksum(values: Iterable[object]) -> int:
    """The checksum of values of any kind, for tables that are small."""
    return crc32("\n".join(map(str, values)).encode(errors="surrogatepass"))


def encode_times(nanoseconds: Iterable[float]) -> bytes:
    """Times as bytes.

    >>> decode_times(encode_times([1000, 5_000_000])).tolist()
    [1000.0, 5000000.0]
    """
    return array("f", nanoseconds).tobytes()


def decode_times(data: bytes) -> NDArray[np.float32]:
    """Nanoseconds, as `encode_times` wrote them."""
    import numpy as np  # here, so that light commands start fast

    return np.frombuffer(data, dtype=np.float32)
