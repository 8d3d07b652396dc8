"""Models that agents play with: files, known by what is in them.

A family, or a kind of something that it is made of, has a parameter of this type:

    model: ModelFile = parameter(help="the network")

Experiments name a file, which is looked for beside the experiment, or a model that comes
with arena by its name. What counts is the content: a file that is replaced while a run goes
on is noticed, and two files with the same content are the same model.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any

from arena.errors import ArenaError
from arena.files import find_shipped

__all__ = ["MODELS", "ModelFile", "model_files"]

MODELS = "models"
"""The folder of models: those that come with arena, and those that a run keeps beside it."""
_SUFFIX = ".npz"


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A model by its content, and where to find it."""

    sha256: str
    """The hash of the whole file."""
    path: Path = field(compare=False, repr=False)
    written: str = field(compare=False, repr=False)
    """As an experiment names it: a path relative to the experiment, or a shipped model's name."""

    @classmethod
    def find(cls, written: str, folder: Path = Path(), sha256: str | None = None) -> ModelFile:
        """The model that is called `written` by something in `folder`.

        `sha256` is the hash that it must have. A folder of a run keeps the models it was
        played with, by their hashes; those come first.
        """
        kept = folder / MODELS / f"{sha256}{_SUFFIX}"
        if sha256 is not None and kept.is_file():
            return cls(sha256, kept.resolve(), written)
        path = folder / written
        if not written.endswith(_SUFFIX) and not path.exists():
            path = find_shipped(MODELS, written, _SUFFIX)
        found = hashlib.sha256(_content(path)).hexdigest()
        if sha256 is not None and found != sha256:
            raise ArenaError(f"{path}: is another model: its sha256 is {found}, not {sha256}")
        return cls(found, path.resolve(), written)

    def read(self) -> bytes:
        """The content, which must be what it was when the model was found."""
        content = _content(self.path)
        if hashlib.sha256(content).hexdigest() != self.sha256:
            raise ArenaError(f"{self.path}: was replaced by another model in the meantime")
        return content

    def kept_in(self, folder: Path) -> Path:
        """Where the folder of a run has its copy."""
        return folder / MODELS / f"{self.sha256}{_SUFFIX}"

    def plain(self) -> dict[str, str]:
        """As an experiment can hold it."""
        return {"file": self.written, "sha256": self.sha256}


def model_files(value: Any) -> Iterator[ModelFile]:
    """All models inside parameters, however deep."""
    if isinstance(value, ModelFile):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from model_files(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from model_files(inner)
    elif is_dataclass(value) and not isinstance(value, type):
        for item in fields(value):
            yield from model_files(getattr(value, item.name))


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ArenaError(f"{path}: not a model that can be read: {error.strerror}") from error
