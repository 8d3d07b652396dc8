"""Untrusted text, made safe to show.

A name, an id, a message or a docstring can hold characters that a terminal obeys: they
clear the screen, set its title, hide what is on a line. They are shown as escapes. In a
spreadsheet a cell can be a formula, which is run; it is shown as text.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import Any, TextIO

FORMULA = ("=", "+", "-", "@")
"""A spreadsheet reads a cell that begins with one of these as a formula."""

_CONTROLS = [*range(0x20), 0x7F, *range(0x80, 0xA0), 0x2028, 0x2029]
_DIRECTIONS = [0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
"""Characters that make a terminal reorder text."""
_ESCAPES = {
    code: chr(code).encode("unicode_escape").decode() for code in [*_CONTROLS, *_DIRECTIONS]
}
for kept in "\n\t":
    del _ESCAPES[ord(kept)]


def printable(text: str) -> str:
    """Text in which every control character, but new lines and tabs, is an escape.

    >>> printable("a\\x1b[2Jb")
    'a\\\\x1b[2Jb'
    """
    if text.isascii() and text.isprintable():
        return text
    return text.translate(_ESCAPES).encode(errors="backslashreplace").decode()


def as_cell(value: Any) -> Any:
    """A value for a cell of a table that others open: text is never a formula there.

    >>> as_cell("=1+1"), as_cell("rule"), as_cell(-3)
    ("'=1+1", 'rule', -3)
    """
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value


class _Escaping:
    """A stream that shows control characters as escapes; all else is the stream's own."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        self.stream.write(printable(text))
        return len(text)

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


@contextmanager
def escaping_output(out: TextIO, error: TextIO) -> Iterator[None]:
    """Escape control characters in everything printed inside the `with` block."""
    with redirect_stdout(_Escaping(out)), redirect_stderr(_Escaping(error)):
        yield


def as_it_is(stream: TextIO) -> TextIO:
    """The stream behind one that escapes, for code that moves the cursor on purpose."""
    return stream.stream if isinstance(stream, _Escaping) else stream
