"""Putting the parts of one experiment together that several jobs have played.

Parts may overlap: results are the same for a seed on every machine, and a unit that two parts
have must have been played alike. The merged folder is that of an ordinary run: what no part has,
`arena run` plays there.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from arena.config.model_file import MODELS
from arena.core.errors import ArenaError
from arena.core.files import FILES, writing
from arena.store.database import Database
from arena.store.folder import DEALS_FILE, RESULTS, RunFolder
from arena.store.manifest import Manifest, read_config
from arena.store.merging import Conflict, take_in
from arena.store.reader import Run
from arena.tournament.describe import pairing_key

_SAME = ("rules", "deals_sha256", "deals", "match", "seatings", "seed", "on_fault")


@dataclass(frozen=True)
class Merged:
    """The result of merging."""

    path: Path
    added: int
    """Deals (or matches) of all pairings that were not in the folder before."""
    stored: int
    total: int


def merge(paths: Sequence[Path], folder: RunFolder) -> Merged:
    """Copy the results of parts into one folder; nothing is written if they do not belong together.

    The folder may have results already, of the same experiment.
    """
    if not paths:
        raise ArenaError("no parts to merge")
    with ExitStack() as stack:
        parts = [stack.enter_context(Run(path)) for path in paths]
        first = parts[0]
        for part in parts[1:]:
            _refuse_another_experiment(first, part)
        _refuse_stopped(first.manifest)
        earlier = _merged_before(folder, first)
        is_new = not (folder.path / RESULTS).exists()
        folder.claim(read_config(first.path))
        _copy_kept(first.path, folder.path)
        try:
            return _merged(parts, folder, earlier)
        except BaseException:
            if is_new:
                folder.clear()
            raise


def _merged(parts: Sequence[Run], folder: RunFolder, earlier: Manifest | None) -> Merged:
    manifest = parts[0].manifest
    with folder.open_results() as results:
        keys = [pairing_key(manifest, pairing) for pairing in manifest.pairings]
        sides = len(parts[0].rules.sides)
        added = 0
        with results.transaction():
            ids = [results.pairing_id(key, sides) for key in keys]
            for number, part in enumerate(parts):
                theirs = [pairing.id for pairing in part.manifest.pairings]
                numbers = dict(zip(theirs, ids, strict=True))
                try:
                    added += take_in(results, part.database, numbers)
                except Conflict as conflict:
                    raise _conflict(conflict.unit, parts[:number], part, folder) from None
        results.finish()
        stored = sum(map(results.count_units, ids))
    sessions = {session for part in parts for session in part.manifest.sessions}
    sessions.update(earlier.sessions if earlier else ())
    described = manifest.numbered(ids).model_copy(
        update={
            "sessions": tuple(sorted(sessions, key=lambda session: session.started)),
            "former": {},
            "former_pairings": (),
        }
    )
    for part in parts:
        if part.replies is not None:
            part.replies.copy_to(folder.path)
    folder.discard_tables()
    folder.write_manifest(described)
    folder.log(f"merged: {added} units of {', '.join(str(part.path) for part in parts)}")
    return Merged(folder.path, added, stored, manifest.units_per_pairing * len(ids))


def _copy_kept(source: Path, target: Path) -> None:
    """Copy what a run keeps of its experiment: own files, models and made deals; no links."""
    with writing(target):
        for kept in (source / FILES, source / MODELS):
            if kept.is_dir() and not kept.is_symlink():
                shutil.copytree(kept, target / kept.name, ignore=_links, dirs_exist_ok=True)
        deals = source / DEALS_FILE
        if deals.is_file() and not deals.is_symlink():
            shutil.copyfile(deals, target / DEALS_FILE)


def _links(folder: str, names: list[str]) -> list[str]:
    return [name for name in names if (Path(folder) / name).is_symlink()]


def _merged_before(folder: RunFolder, first: Run) -> Manifest | None:
    """The manifest of a folder that has results already; refused if of something else."""
    try:
        stored = Run(folder.path)
    except ArenaError:
        return None
    _refuse_another_experiment(stored, first)
    return stored.manifest


def _refuse_stopped(manifest: Manifest) -> None:
    if manifest.stops_early:
        raise ArenaError(
            f"{manifest.name}: results decided how much was played (stop or race); runs that stop "
            "early are not merged"
        )


def _refuse_another_experiment(one: Run, other: Run) -> None:
    """Raise `ArenaError` that names the first thing in which two runs are not the same."""
    first, second = _identity(one.manifest), _identity(other.manifest)
    for what in {**first, **second}:
        if first.get(what) != second.get(what):
            raise ArenaError(
                f"{one.path} and {other.path} are not parts of one run: {what} is "
                f"{first.get(what)} in the first, {second.get(what)} in the second"
            )


def _identity(manifest: Manifest) -> dict[str, object]:
    """The properties that all parts of a run share, by readable names."""
    return {
        **manifest.versions,
        **{name.replace("_", " "): getattr(manifest, name) for name in _SAME},
        **{
            f"the fingerprint of agent {name}": used.fingerprint[:12]
            for name, used in manifest.entrants.items()
        },
        "the list of pairings": [pairing[:2] for pairing in manifest.pairings],
    }


def _conflict(unit: str, before: Sequence[Run], part: Run, folder: RunFolder) -> ArenaError:
    def has(database: Database) -> bool:
        return database.one("SELECT 1 FROM units WHERE unit = ?", unit) is not None

    holder = next((run.path for run in before if has(run.database)), folder.path)
    used = part.manifest.entrants.items()
    doubtful = [name for name, each in used if not each.reproducible]
    why = (
        f"{' and '.join(doubtful)} cannot be repeated, so parts must not overlap"
        if doubtful
        else "an agent that draws from something other than its seed, or a time limit"
    )
    return ArenaError(f"deal {unit} was played in two ways, in {holder} and in {part.path} ({why})")
