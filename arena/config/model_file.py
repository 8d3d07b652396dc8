"""Models that agents play with: files, known by what is in them.

A family, or a kind of something that it is made of, has a parameter of this type:

    model: ModelFile = parameter(help="the network")

Experiments name a file, which is looked for next to the experiment, or a model that comes
with arena by its name. What counts is the content: a file that is replaced while a run goes
on is noticed, and two files with the same content are the same model.

A model may come from anywhere. It is a `.npz` file, an archive of plain arrays, and what is in
it is looked at before it is unpacked: nothing is unpickled, and nothing grows beyond `MOST_BYTES`.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from io import BytesIO
from math import prod
from pathlib import Path
from tokenize import TokenError
from typing import TYPE_CHECKING, Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

from arena.core.errors import ArenaError
from arena.core.files import check_name, find_shipped, read_bytes

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_BYTES = 1 << 28
"""The arrays of a model take no more, and so does the file."""

MODELS = "models"
"""The folder of a run that keeps its models."""
SHIPPED_MODELS = "agents/models"
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
        check_name(written)
        kept = folder / MODELS / f"{sha256}{_SUFFIX}"
        if sha256 is not None and kept.is_file():
            return cls(sha256, kept.resolve(), written)
        path = folder / written
        if not written.endswith(_SUFFIX) and not path.exists():
            path = find_shipped(SHIPPED_MODELS, written, _SUFFIX)
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

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays of the model by their names; `ArenaError` says why it cannot be read."""
        try:
            with ZipFile(BytesIO(self.read())) as archive:
                _check_members(archive)
                return {
                    member.filename.removesuffix(_ARRAY): _array(archive.read(member))
                    for member in archive.infolist()
                }
        except _UNREADABLE as error:
            why = str(error) or type(error).__name__
            raise ArenaError(f"{self.path}: not a model that can be read: {why}") from error

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


_ARRAY = ".npy"
_ENCRYPTED = 0x1
_UNREADABLE = (
    BadZipFile,
    EOFError,
    MemoryError,
    NotImplementedError,  # an archive of several disks, or of a later version
    OSError,
    OverflowError,
    RecursionError,
    RuntimeError,
    SyntaxError,
    TokenError,  # in the description of an array, as is the one above
    TypeError,
    ValueError,
    zlib.error,
)
"""Errors of zipfile and numpy for files that are truncated, damaged or of another kind."""


def _check_members(archive: ZipFile) -> None:
    """Raise `ValueError` unless all that is inside are plain arrays that are not too large."""
    members = archive.infolist()
    for member in members:
        if not member.filename.endswith(_ARRAY):
            raise ValueError(f"{member.filename!r} is no array")
        if member.flag_bits & _ENCRYPTED:
            raise ValueError(f"{member.filename!r} is encrypted")
        if member.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
            raise ValueError(f"{member.filename!r} is packed in a way that numpy does not write")
    size = sum(member.file_size for member in members)
    if size > MOST_BYTES:
        raise ValueError(f"unpacked it has {size:,} bytes; at most {MOST_BYTES:,} are read")


def _array(content: bytes) -> NDArray[Any]:
    import numpy as np  # here, so that light commands start fast
    from numpy.lib import format as npy

    file = BytesIO(content)
    version = npy.read_magic(file)
    if version == (1, 0):
        shape, by_columns, dtype = npy.read_array_header_1_0(file)
    elif version == (2, 0):
        shape, by_columns, dtype = npy.read_array_header_2_0(file)
    else:
        raise ValueError(f"an array of format {version[0]}.{version[1]}")
    if dtype.hasobject:
        raise ValueError("an array of objects")
    data = content[file.tell() :]
    if any(length < 0 for length in shape) or dtype.itemsize * prod(shape) != len(data):
        raise ValueError(f"an array of shape {shape} in {len(data)} bytes")
    if not dtype.itemsize:
        return np.empty(shape, dtype)
    return np.frombuffer(data, dtype).reshape(shape, order="F" if by_columns else "C").copy()


def _content(path: Path) -> bytes:
    try:
        return read_bytes(path, MOST_BYTES)
    except (ArenaError, ValueError) as error:
        why = str(error).removeprefix(f"{path}: ")
        raise ArenaError(f"{path}: not a model that can be read: {why}") from error


def model_hash(part: object) -> str | None:
    """The hash of the model that an agent or a bidder plays with; None if it has none."""
    value = getattr(part, "model_hash", None)
    return None if value is None else str(value() if callable(value) else value)
