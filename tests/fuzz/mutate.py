"""Inputs that nobody would write: a stored corpus, changed at random from a seed.

A mutator takes bytes and gives bytes; which ones, and where they act, is drawn from the seed and
the number of the input, so that any input can be had again by its number.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

__all__ = ["mutated"]

ODD = [
    *(b"", b"\0", b"null", b"true", b"-1", b"1e-300", b"9" * 5000, b"\xff\xfe", b"\xed\xa0\x80"),
    *(b"\x1b]0;x\x07", b"=cmd()", b"../../../etc/passwd", b"/dev/null", b"x" * 5000, b"[" * 2000),
    *(b"{" * 2000, b'"\\UFFFFFFFF"', b"&a [*a]", b"!!python/object/apply:os.abort []", b".nan"),
    *(b"-.inf", b"\n", b"\r", b"\t", b": ", b"- ", b"'", b'"', b"#", b"N", b"H7", b"0", b"1"),
    *(b"{}", b"[]", b"\xe2\x80\xae"),
]
TOKEN = re.compile(rb"[A-Za-z0-9_.+-]+")


def _flip(data: bytearray, rng: random.Random) -> None:
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def _cut(data: bytearray, rng: random.Random) -> None:
    at = rng.randrange(len(data))
    del data[at : at + rng.choice((1, 2, 8, 64, len(data)))]


def _insert(data: bytearray, rng: random.Random) -> None:
    at = rng.randrange(len(data) + 1)
    data[at:at] = rng.choice(ODD)


def _repeat(data: bytearray, rng: random.Random) -> None:
    at = rng.randrange(len(data))
    piece = data[at : at + rng.choice((1, 8, 64))]
    data[at:at] = piece * rng.choice((1, 2, 50))


def _token(data: bytearray, rng: random.Random) -> None:
    """Another word in the place of one: wrong types, unknown names, numbers out of range."""
    tokens = list(TOKEN.finditer(data))
    if tokens:
        found = rng.choice(tokens)
        other = rng.choice(ODD) if rng.random() < 0.6 else rng.choice(tokens)[0]
        data[found.start() : found.end()] = other


def _swap_lines(data: bytearray, rng: random.Random) -> None:
    lines = data.split(b"\n")
    one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    data[:] = b"\n".join(lines)


def _drop_line(data: bytearray, rng: random.Random) -> None:
    lines = data.split(b"\n")
    del lines[rng.randrange(len(lines))]
    data[:] = b"\n".join(lines)


MUTATORS: Sequence[Callable[[bytearray, random.Random], None]] = (
    *(_flip, _cut, _insert, _repeat, _token, _token, _token, _swap_lines, _drop_line),
)


def mutated(original: bytes, rng: random.Random) -> bytes:
    """The original with some changes, usually few."""
    data = bytearray(original)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        if data:
            rng.choice(MUTATORS)(data, rng)
    return bytes(data[:200_000])
