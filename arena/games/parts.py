"""The optional modules of a game, found by their names in the package of its rule book.

In the package of a game's rules, be it ours or a plug-in's,

* `kernel` is its part of the compiled kernel (see `arena.games.kernel.contract`);
* `semi_random` has `candidates`, the cards that a semi-random player chooses from;
* `rule_player` has `act(view, rng, mode)`, what the game's rule player does, for the family `rule`;
* `rulebook` is the rule player in compiled code, for playouts (see `arena.games.rulebook`).
"""

from __future__ import annotations

import importlib
import importlib.util
from types import ModuleType
from typing import Any


def part_name(game: type[Any], part: str) -> str:
    """The full name of a part of a game, whether it exists or not."""
    return ".".join([*game.__module__.split(".")[:-1], part])


def has_part(game: type[Any], part: str) -> bool:
    """Whether a game has a part."""
    module = part_name(game, part)
    try:
        return "." in module and importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def part_of(game: type[Any], part: str) -> ModuleType:
    """A part of a game that has it."""
    return importlib.import_module(part_name(game, part))
