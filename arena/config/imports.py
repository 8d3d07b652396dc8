"""Whether the code that an experiment names is imported: not from just anywhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from arena.config.own_code import OwnCode, is_trusted, trust
from arena.core.errors import ArenaError


@dataclass(frozen=True)
class Imports:
    """What is done about `family: ./bot.py:Greedy` in an experiment."""

    file: Path
    """The experiment."""
    wanted: bool
    """Whether code is imported, or left alone: then nothing is known of it but its name."""
    trusted: bool
    """Whether it is imported wherever the experiment lies."""
    report: Callable[[str], object]
    """Receives a line before each import."""
    _reported: set[str] = field(default_factory=set)

    def class_of(self, code: OwnCode) -> type | None:
        """The class; None if it is left alone."""
        if not self.wanted:
            return None
        self.allow(code.written)
        if code.path not in self._reported:
            self._reported.add(code.path)
            self.report(f"imports {code.path} (sha256 {code.sha256[:12]})")
        return code.load()

    def allow(self, written: str) -> None:
        """Trust the folder of the experiment, or refuse to import the code that it names."""
        home = self.file.parent
        if not self.wanted:
            return
        if not (self.trusted or is_trusted(home) or home.resolve().is_relative_to(Path.cwd())):
            raise ArenaError(
                f"{written} is code, and {self.file} lies outside the current folder: "
                "--trust imports it all the same"
            )
        trust(home)
