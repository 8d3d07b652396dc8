"""Files: written whole or not at all, and found by name wherever we are installed."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from arena.core.errors import ArenaError, did_you_mean

_PACKAGE = Path(__file__).parents[1]


_MOST_BYTES = 1 << 28
_PIECE_BYTES = 1 << 20


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn errors of the file system into an `ArenaError` that names the file."""
    try:
        yield
    except OSError as error:
        raise ArenaError(f"{path}: cannot be written: {error.strerror or error}") from error


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A file to write to, which replaces `path` at the end; no reader ever sees a part of it.

    If that fails, the old file is unchanged.
    """
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        _remove_parts(path)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.{os.getpid()}.")
        temporary = Path(name)
        try:
            with os.fdopen(handle, "wb") as out:
                yield out
                out.flush()
                os.fsync(out.fileno())
            temporary.chmod(0o644)
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


def _remove_parts(path: Path) -> None:
    """Remove what a process left that was killed while it wrote this file."""
    for part in path.parent.iterdir():
        if part.name.startswith(f".{path.name}."):
            import psutil  # here: there is hardly ever anything to remove

            pid = part.name.removeprefix(f".{path.name}.").partition(".")[0]
            if pid.isdecimal() and not psutil.pid_exists(int(pid)):
                part.unlink(missing_ok=True)


def write_atomically(path: Path, data: str | bytes) -> None:
    """Replace the file at `path` with `data`; raises `ArenaError` if that fails."""
    with replacing(path) as out:
        out.write(data.encode() if isinstance(data, str) else data)


def read_bytes(path: Path, most: int = _MOST_BYTES) -> bytes:
    """The content of a file; `ArenaError` if it cannot be read or is larger than `most`.

    Pipes are refused, which might never be written to; a device such as /dev/zero never ends.
    """
    try:
        if path.is_fifo() and not path.is_relative_to("/dev"):  # a shell's are there
            raise ArenaError(f"{path}: is a pipe, not a file")
        with path.open("rb") as file:
            is_small = os.fstat(file.fileno()).st_size <= most
            data = _first_bytes(file, most + 1) if is_small else b""
    except OSError as error:
        raise ArenaError(f"{path}: {error.strerror or error}") from error
    if not is_small or len(data) > most:
        raise ArenaError(f"{path}: larger than {most:,} bytes")
    return data


def _first_bytes(file: IO[bytes], most: int) -> bytes:
    """At most so many bytes; `file.read(most)` would ask for all that memory at once."""
    pieces, left = [], most
    while piece := file.read(min(left, _PIECE_BYTES)):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


def read_text(path: Path) -> str:
    """The text in a file, as `read_bytes`."""
    try:
        return read_bytes(path).decode()
    except UnicodeDecodeError as error:
        raise ArenaError(f"{path}: not UTF-8 text: {error}") from error


def read_json(path: Path) -> dict[str, Any]:
    """The object in a JSON file; `ArenaError` says what is wrong with the file."""
    try:
        found = json.loads(read_bytes(path))
    except (ValueError, RecursionError) as error:
        raise ArenaError(f"{path}: not JSON: {error}") from error
    if not isinstance(found, dict):
        raise ArenaError(f"{path}: expected a JSON object")
    return found


_LONGEST_PATH, _LONGEST_NAME = 4096, 255


def check_name(name: str) -> None:
    """Raise `ArenaError` for a name that no file can have."""
    try:
        parts = name.encode().split(b"/")
    except UnicodeEncodeError:  # half a character
        parts = [b"\0"]
    too_long = len(name) > _LONGEST_PATH or max(map(len, parts)) > _LONGEST_NAME
    if too_long or any(b"\0" in part for part in parts):
        shown = shortened(name)
        raise ArenaError(f"{shown!r} ({len(name)} characters): no file can be called that")


def shortened(name: str) -> str:
    """A name as a message can show it."""
    return name if len(name) <= 40 else f"{name[:37]}..."


def refuse_special_files(folder: Path) -> None:
    """Raise `ArenaError` if a folder has something that is no file and may never end."""
    for path in folder.iterdir() if folder.is_dir() else ():
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise ArenaError(f"{path}: is a pipe, a socket or a device, not a file: remove it")


def refuse_links(folder: Path) -> None:
    """Raise `ArenaError` if a link in a folder would lead out of it what is written there.

    Files are replaced, not written through a link; folders, logs and databases are not.
    """
    for path in folder.iterdir() if folder.is_dir() else ():
        if path.is_symlink():
            raise ArenaError(
                f"{path}: is a link; nothing is written into a folder with links, which could "
                "lead anywhere: remove it, or give another folder"
            )


def shipped_folders(kind: str) -> Iterator[Path]:
    """Where what comes with the package may lie."""
    # A wheel has configs and deals inside of the package; all the rest is next to it.
    yield _PACKAGE / "shipped" / kind
    yield _PACKAGE.parent / kind


def shipped_names(kind: str, suffix: str) -> list[str]:
    """Names of what comes with the package, such as the deal sets (`deals`, `.csv`)."""
    names = {
        str(file.relative_to(folder).with_suffix(""))
        for folder in shipped_folders(kind)
        for file in folder.rglob(f"*{suffix}")
        if not file.name.endswith((".gate.yaml", ".study.yaml"))  # these are no experiments
    }
    return sorted(names)


_ONE_OF = {
    "configs": "experiment",
    "deals": "set of deals",
    "deals/suites": "suite",
    "agents/models": "model",
}


def find_shipped(kind: str, name: str, suffix: str) -> Path:
    """The file that the package ships under `name`, such as `klaverjas-given-1000`."""
    check_name(name)
    for folder in shipped_folders(kind):
        path = folder / f"{name}{suffix}"
        if path.is_file():
            return path
    lists = {"configs": "arena list experiments", "deals": "arena list deals"}
    near = did_you_mean(name, shipped_names(kind, suffix), lists.get(kind, ""))
    raise ArenaError(f"no {_ONE_OF.get(kind, kind)} named {name!r} is shipped; {near}")


FILES = "files"
"""The folder in which a run keeps the files of its experiment: code, programs, deals."""


def kept_name(written: str) -> Path:
    """Where the folder of a run keeps a file that its experiment calls `written`.

    >>> kept_name("../bots/greedy.py").as_posix()
    'files/up/bots/greedy.py'
    """
    return Path(FILES, *("up" if part == ".." else part for part in Path(written).parts))


def own_file(folder: Path, written: str) -> Path:
    """A file that an experiment in `folder` calls `written`: there, or kept by a run."""
    path = folder / written
    if Path(written).is_absolute() or path.exists():
        return path
    kept = folder / kept_name(written)
    return kept if kept.exists() else path


RUNS = Path("reports")
"""The folder of the run folders, unless the user names another."""


def run_folder(name: Path | str) -> Path:
    """The folder of a run: a path, or the name of a run in `reports/`."""
    path, named = Path(name), RUNS / name
    return path if path.exists() or not named.is_dir() else named


def run_names() -> list[str]:
    """The runs in `reports/`."""
    return sorted(manifest.parent.name for manifest in RUNS.glob("*/manifest.json"))
