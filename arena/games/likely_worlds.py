"""Worlds as likely as what was played makes them: from a registered class, else all alike.

A world is a guess at the other hands that agrees with all that a seat knows. A package that can
say how likely each world is registers a class (for all its games at once):

    [project.entry-points."arena.worlds"]
    my-worlds = "my_package.module:MyWorlds"

with a method `draw(view, count, rng) -> WorldDraw`, and `games` and `needs` as agents have them.
`model_hash`, if it has one, names the model that the weights come from.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np

from arena.core.registry import Registry
from arena.core.rules import Rules, View
from arena.core.seeds import Rng
from arena.games.infoset import InfoSet
from arena.games.kernel.layout import Words
from arena.games.kernel.spec import kernel_game
from arena.games.kernel.weighted_worlds import Floats
from arena.games.needs import why_not
from arena.games.world_sampler import WorldSampler

WORLDS: Registry[Any] = Registry("kind of worlds", "arena.worlds")


class WorldDraw(NamedTuple):
    """Worlds and how likely they are."""

    hands: Words
    """A row for each world: the hands of all seats, in the coordinates of the game's kernel."""
    weights: Floats
    """The chance of each; together 1."""
    exact: bool = False
    """Whether these are all possible worlds, not a sample."""


class DrawsWorlds(Protocol):
    """Draws worlds from the information set of a view."""

    def draw(self, view: View, count: int, rng: Rng) -> WorldDraw:
        """`count` worlds, or all if there are no more."""
        ...


class UniformWorlds:
    """All worlds that agree with what a seat knows are equally likely."""

    def draw(self, view: View, count: int, rng: Rng) -> WorldDraw:
        """A sample."""
        game = kernel_game(view.rules, view.trump)
        hands = WorldSampler(InfoSet.of(view)).sample_many(count, rng)
        hands = game.masks(hands.ravel().tolist()).reshape(hands.shape)
        return WorldDraw(hands, np.full(count, 1.0 / count))


def worlds_for(rules: Rules) -> tuple[str, DrawsWorlds]:
    """The worlds of a game, and a name for where their weights come from."""
    for name, family in WORLDS.loaded(lambda _: None).items():
        if why_not(family, rules) is None:
            found = family()
            return f"{name} {getattr(found, 'model_hash', '')}".strip(), found
    return "uniform", UniformWorlds()
