"""The files that an experiment brings: code, programs and deals. A run keeps a copy of them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from arena.config.experiment import ResolvedExperiment
from arena.config.own_code import OwnCode
from arena.core.deals import sidecar_of
from arena.core.files import own_file
from arena.core.registry import AGENTS
from arena.process.builder import Builder


def own_files(experiment: ResolvedExperiment, builders: Iterable[Builder]) -> dict[str, Path]:
    """The files by their names in the experiment, which are relative to its folder.

    A run keeps models by their hashes (`folder.keep_model`). What an absolute path names is not
    kept.
    """
    found: dict[str, Path] = {}
    for builder in builders:
        for family in (builder.family, builder.bidder_family):
            if isinstance(family, OwnCode):
                found.update(family.files)
    for entrant in experiment.entrants:
        for member in entrant.members:
            family = AGENTS.find(member.family)
            if family is not None and hasattr(family, "own_files") and member.source is None:
                found.update(family.own_files(experiment.folder, member.parameters))
    if (deals := experiment.deals_from.get("file")) is not None:
        path = own_file(experiment.folder, deals)
        found[deals] = path
        found[str(sidecar_of(Path(deals)))] = sidecar_of(path)
    return {name: path for name, path in found.items() if not Path(name).is_absolute()}
