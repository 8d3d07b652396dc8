"""Any program as an agent: the family `command`.

The program speaks the protocol of `docs/protocol.md` on its standard input and output.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.core.agent import parameter
from arena.core.errors import ArenaError
from arena.core.files import RUNS, own_file
from arena.core.source_code import code_digest
from arena.process.client import PlaysElsewhere, Program


@dataclass(frozen=True)
class Command(PlaysElsewhere):
    """A program of one's own, in any language, in a process of its own."""

    argv: tuple[str, ...] = parameter(
        help="the program and its arguments; words that begin with ./ or ../ are files, "
        "found from the folder of the experiment",
    )
    sees_all_cards: bool = parameter(False, help="whether it sees all cards")
    reproducible: bool = parameter(
        True, help="whether the same view and seed always lead to the same action"
    )

    def __post_init__(self) -> None:
        if not self.argv:
            raise ArenaError("argv: expected at least the name of a program")
        super().__post_init__()

    @classmethod
    def relative_to(cls, folder: Path, values: dict[str, Any]) -> dict[str, Any]:
        """The parameters, with the files among them as they are found from `folder`."""
        return {**values, "argv": tuple(_found_from(folder, word) for word in values["argv"])}

    @classmethod
    def own_files(cls, folder: Path, values: Mapping[str, Any]) -> dict[str, Path]:
        """The files of the program by their names in an experiment in `folder`.

        Those that its command line names, and the others of their folders if these are small:
        a program may load them.
        """
        found: dict[str, Path] = {}
        for word in values.get("argv", ()):
            path = own_file(folder, word)
            if _is_path(word) and path.is_file():
                found[word] = path
                for file in _small_folder(path.parent):
                    name = Path(word).parent / file.relative_to(path.parent)
                    found.setdefault(f"./{name.as_posix()}", file)
        return found

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


def _is_path(word: str) -> bool:
    return word.startswith(("./", "../"))


def _found_from(folder: Path, word: str) -> str:
    return str(own_file(folder.absolute(), word)) if _is_path(word) else word


_MOST_FILES, _MOST_BYTES = 1_000, 10_000_000
_NO_SOURCES = ("__pycache__", "node_modules", RUNS.name)


def _small_folder(folder: Path) -> list[Path]:
    """The files in and below a folder of sources; none if they are too many or too large."""
    found: list[Path] = []
    size = 0
    for top, folders, files in os.walk(folder):
        here = Path(top)
        folders[:] = [
            name
            for name in folders
            if name not in _NO_SOURCES
            and not name.startswith(".")
            and not any((here / name / mark).exists() for mark in ("pyvenv.cfg", "manifest.json"))
        ]
        for name in files:
            path = here / name
            if name.startswith(".") or path.is_symlink() or not path.is_file():
                continue
            found.append(path)
            size += path.stat().st_size
            if len(found) > _MOST_FILES or size > _MOST_BYTES:
                return []
    return found
