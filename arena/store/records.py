"""A played round as it is kept: numbers for the statistics, bytes for the rest.

Actions (see `arena.rules`) and seats are one byte each. Times of decisions are
nanoseconds as floats of four bytes each.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["COLUMNS", "RoundRecord", "by_entrant", "decode_times", "encode_times"]


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


COLUMNS: tuple[str, ...] = RoundRecord._fields


def by_entrant(owners: Sequence[int], values: Sequence[float]) -> tuple[float, float]:
    """Means over the first and over the second entrant's sides; `owners` says whose a side is.

    >>> by_entrant([0, 1, 1, 0], [26, 0, 0, 13])
    (19.5, 0.0)
    """
    if len(values) == 2:  # the usual case, and done for every round
        first, second = values if owners[0] == 0 else reversed(values)
        return float(first), float(second)
    totals, sides = [0.0, 0.0], [0, 0]
    for owner, value in zip(owners, values, strict=True):
        totals[owner] += value
        sides[owner] += 1
    return totals[0] / sides[0], totals[1] / sides[1]


def encode_times(nanoseconds: Iterable[int]) -> bytes:
    """Times as bytes.

    >>> decode_times(encode_times([1000, 5_000_000])).tolist()
    [1000.0, 5000000.0]
    """
    return array("f", nanoseconds).tobytes()


def decode_times(data: bytes) -> NDArray[np.float32]:
    """Nanoseconds, as `encode_times` wrote them."""
    import numpy as np  # here, so that light commands start fast

    return np.frombuffer(data, dtype=np.float32)
