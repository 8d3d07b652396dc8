"""Commands of `arena` in this process: as typed, but without the start of another process."""

from __future__ import annotations

import io
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from typing import NamedTuple

from arena.cli import main


class Done(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str


def arena_main(words: Sequence[str]) -> Done:
    """Run a command."""
    out, errors = _Captured(), _Captured()
    with redirect_stdout(out), redirect_stderr(errors):
        try:
            code = main(words)
        except SystemExit as ended:  # argparse, for usage and help
            code = int(ended.code or 0)
    return Done(code, out.text(), errors.text())


class _Captured(io.TextIOWrapper):
    """A stream for text and bytes, as standard output is."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8", write_through=True)

    def text(self) -> str:
        """All that was written."""
        self.flush()
        assert isinstance(self.buffer, io.BytesIO)
        return self.buffer.getvalue().decode()
