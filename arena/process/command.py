"""Any program as an agent: the family `command`.

The program speaks the protocol of `docs/protocol.md` on its standard input and output.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from arena.core.agent import Setup, parameter
from arena.core.errors import ArenaError
from arena.core.rules import Action, View
from arena.core.seeds import Rng
from arena.core.source_code import code_digest
from arena.process.client import ProcessAgent, Program, Seated
from arena.process.limits import Limits


@dataclass(frozen=True)
class Command:
    """A program of one's own, in any language, in a process of its own."""

    argv: tuple[str, ...] = parameter(
        help="the program and its arguments; words that begin with ./ or ../ are files, "
        "found from the folder of the experiment",
    )
    sees_all_cards: bool = parameter(False, help="whether it is shown everybody's cards")
    reproducible: bool = parameter(
        True, help="whether the same view and seed always lead to the same action"
    )
    _processes: ProcessAgent = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.argv:
            raise ArenaError("argv: expected at least the name of a program")
        object.__setattr__(
            self, "_processes", ProcessAgent(self.launch, Limits(Program.patience_s))
        )

    @classmethod
    def relative_to(cls, folder: Path, values: dict[str, Any]) -> dict[str, Any]:
        """The parameters, with the files among them as they are found from `folder`."""
        return {**values, "argv": tuple(_found_from(folder, word) for word in values["argv"])}

    @property
    def launch(self) -> Program:
        """How the program is started."""
        return Program(self.argv)

    @property
    def model_hash(self) -> str:
        """The hash of the files that are named: another program is another agent."""
        try:
            return code_digest(self._files())
        except OSError as error:
            raise ArenaError(f"argv: {error.filename}: {error.strerror or error}") from error

    def _files(self) -> Iterator[Path]:
        for word in self.argv:
            if word.startswith(("./", "../", "/")) and not Path(word).is_dir():
                yield Path(word)

    def take_seat(self, setup: Setup) -> Seated:
        """Begin a deal."""
        return self._processes.take_seat(setup)

    def act(self, view: View, rng: Rng) -> Action:
        """What the program answers."""
        return self._processes.act(view, rng)

    def close(self) -> None:
        """End the processes."""
        self._processes.close()


def _found_from(folder: Path, word: str) -> str:
    return str(folder.absolute() / word) if word.startswith(("./", "../")) else word
