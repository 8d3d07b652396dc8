"""Whether an experiment may import code and send keys: not one from just anywhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from arena.config.own_code import OwnCode, is_trusted, trust
from arena.core.errors import ArenaError


@dataclass(frozen=True)
class Imports:
    """The policy on `family: ./bot.py:Greedy` and `api_key_env` in an experiment."""

    file: Path
    """The experiment."""
    wanted: bool
    """Whether code is imported, or left alone: then nothing is known of it but its name."""
    trusted: bool
    """Whether code is imported and keys are sent wherever the experiment lies."""
    report: Callable[[str], object]
    """Receives a line for each file that is imported and each key that may be sent."""
    _reported: set[str] = field(default_factory=set)

    def class_of(self, code: OwnCode) -> type | None:
        """The class; None if it is left alone."""
        if not self.wanted:
            return None
        self.allow_code(code.written)
        self._report_once(f"imports {code.path} (sha256 {code.sha256[:12]})")
        return code.load()

    def allow_code(self, written: str) -> None:
        """Trust the folder of the experiment, or refuse to import the code that it names."""
        self._allow(f"{written} is code", "imports it")

    def allow_key(self, variable: str, server: str) -> None:
        """The same for a key that the experiment sends to a server of its choice."""
        self._allow(f"{variable} would be sent to {server}", "sends it")
        if self.wanted:
            self._report_once(f"sends the key in {variable} to {server}")

    def _report_once(self, line: str) -> None:
        if line not in self._reported:
            self._reported.add(line)
            self.report(line)

    def _allow(self, what: str, trusting: str) -> None:
        home = self.file.parent
        if not self.wanted:
            return
        if not (self.trusted or is_trusted(home) or home.resolve().is_relative_to(Path.cwd())):
            raise ArenaError(
                f"{what}, and {self.file} lies outside the current folder: "
                f"--trust {trusting} all the same"
            )
        trust(home)
