"""The folder of a run: what was asked for, what it was run with, the results and a log.

    config.resolved.yaml   the experiment, everything filled in
    manifest.json          the description of the run (see `manifest`)
    results.sqlite         every round (see `database`)
    replies.sqlite         prompts and replies of language models (see `arena.llm.conversations`)
    log.txt                what happened, with times
    standings.txt          the tables of a complete run
    models/                the models of its agents, by their hashes
    deals.csv              deals that were made for the run, if Python made them
    files/                 the experiment's own files: code, programs, deals (files.1/: former ones)
    lock                   held by the process that writes, named in lock.holder

Only one process writes, under an operating system's lock, which goes with the
process however it ends. A folder belongs to one configuration, which may grow (see
`growth`): another one is refused and the difference is shown.
"""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

import yaml
from filelock import FileLock, Timeout

from arena.config.model_file import ModelFile
from arena.core.errors import ArenaError
from arena.core.files import FILES, kept_name, read_bytes, refuse_links, write_atomically, writing
from arena.store.database import Database
from arena.store.growth import growth
from arena.store.manifest import CONFIG, MANIFEST, Manifest, read_config, write_manifest

RESULTS = "results.sqlite"
AUDIT = "audit.sqlite"
LOG = "log.txt"
TABLES = "standings.txt"
DEALS_FILE = "deals.csv"
LOCK = "lock"
HOLDER = "lock.holder"
_LOCK_PATIENCE_S = 1.0
"""A process that checks whether a run is busy holds its lock for a moment."""
_RESULT_FILES = (RESULTS, f"{RESULTS}-wal", f"{RESULTS}-shm", f"{RESULTS}-journal")
_DIFFERENCES_SHOWN = 8


class RunFolder:
    """A run's folder, locked for writing until it is closed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with writing(path):
            path.mkdir(parents=True, exist_ok=True)
            refuse_links(path)
            self._lock = _lock(path)
            self.was_killed = (path / HOLDER).exists()
            """Whether the process that wrote here before was ended while it did."""
            (path / HOLDER).write_text(f"process {os.getpid()} on {socket.gethostname()}\n")
            self._log: TextIO = (path / LOG).open("a", encoding="utf-8")

    def __enter__(self) -> RunFolder:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):  # a full disk has been reported before
            self._log.close()
        (self.path / HOLDER).unlink(missing_ok=True)
        self._lock.release()

    def clear(self) -> None:
        """Start over: remove what earlier runs have left here, and nothing else."""
        # The configuration goes last: a folder that has one also has what belongs to it.
        for name in (TABLES, *_RESULT_FILES, MANIFEST, CONFIG):
            (self.path / name).unlink(missing_ok=True)
        for kept in (self.path / FILES, *self.path.glob(f"{FILES}.*")):
            shutil.rmtree(kept, ignore_errors=True)

    def claim(self, resolved: Mapping[str, Any]) -> tuple[str, ...]:
        """Make the folder that of this configuration; what it has more than the stored one.

        Refused if that would change, or leave out, what is stored.
        """
        file = self.path / CONFIG
        wanted = _plain(resolved)
        grown: tuple[str, ...] = ()
        if file.exists() and (self.path / RESULTS).exists():
            stored = read_config(self.path)
            if stored == wanted:
                return ()
            found = growth(stored, wanted)
            self._refuse(found.conflicts)
            grown = found.more
        write_atomically(file, yaml.safe_dump(dict(resolved), sort_keys=False, width=100))
        return grown

    def _refuse(self, conflicts: Sequence[str]) -> None:
        if not conflicts:
            return
        shown = "; ".join(conflicts[:_DIFFERENCES_SHOWN])
        more = len(conflicts) - _DIFFERENCES_SHOWN
        raise ArenaError(
            f"{self.path}: holds the results of another configuration ({shown}"
            + (f"; and {more} more)" if more > 0 else ")")
            + "; deals, agents and pairings may be added; for anything else give another --out, "
            "or --fresh to start over"
        )

    def write_manifest(self, manifest: Manifest) -> None:
        """Replace the manifest."""
        write_manifest(self.path, manifest)

    def keep_model(self, model: ModelFile) -> None:
        """Put a copy of a model into the folder, so that its agents can be built again."""
        kept = model.kept_in(self.path)
        if not kept.exists():
            write_atomically(kept, model.read())

    def keep_files(self, files: Mapping[str, Path]) -> None:
        """Put copies of the experiment's own files into the folder, by their names there.

        Deals that were made for the run are in its folder already. Other files of these names
        belong to an earlier version of an agent: those are kept too.
        """
        missing = {name: path for name, path in files.items() if not (self.path / name).is_file()}
        contents = {kept_name(name): read_bytes(path) for name, path in missing.items()}
        changed = [
            name
            for name, content in contents.items()
            if (self.path / name).is_file() and (self.path / name).read_bytes() != content
        ]
        if changed:
            number = 1 + len(list(self.path.glob(f"{FILES}.*")))
            (self.path / FILES).rename(self.path / f"{FILES}.{number}")
        for name, content in contents.items():
            if not (self.path / name).is_file():
                write_atomically(self.path / name, content)

    def discard_tables(self) -> None:
        """Remove the tables of earlier results: there will be others."""
        (self.path / TABLES).unlink(missing_ok=True)

    def open_results(self) -> Database:
        """The results, for appending."""
        return Database(self.path / RESULTS, writable=True)

    def log(self, text: str) -> None:
        """Add to the log, with the time."""
        with writing(self.path / LOG):
            for line in text.splitlines():
                self._log.write(f"{now()} {line}\n")
            self._log.flush()


def now() -> str:
    """The time, as it is written everywhere."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _lock(path: Path) -> FileLock:
    lock = FileLock(path / LOCK, thread_local=False)
    try:
        lock.acquire(timeout=_LOCK_PATIENCE_S)
    except Timeout as error:
        try:
            holder = (path / HOLDER).read_text(encoding="utf-8", errors="replace").strip()
        except OSError:
            holder = ""
        raise ArenaError(f"{path}: another run is writing here ({holder or 'unknown'})") from error
    return lock


def is_busy(path: Path) -> bool:
    """Whether a process is writing into a run folder now."""
    if not (path / LOCK).exists():
        return False
    try:
        with FileLock(path / LOCK, thread_local=False).acquire(timeout=0):
            return False
    except Timeout:
        return True
    except OSError:
        return False  # a folder that we may only read; no run writes there


def _plain(value: Mapping[str, Any]) -> dict[str, Any]:
    """A mapping as it comes back from a file."""
    plain = yaml.safe_load(yaml.safe_dump(dict(value)))
    return plain if isinstance(plain, dict) else {}
