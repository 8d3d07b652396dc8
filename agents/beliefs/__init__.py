"""What a player believes about the hidden cards: from a view to worlds to draw from.

A belief is a mixture of guesses. A guess says who may hold which of the unseen cards and,
if some holders are likelier than others, gives every (player, card) a weight: a world is
as likely as the product of its weights. The samplers of `arena.games.kernel.weighted_worlds` draw
from exactly that.

What no such mixture can say is a pool of worlds, each with a weight of its own: it is inferred
by a method `infer` instead.

Kinds of beliefs are frozen dataclasses with one of these methods, found by name as agents are.
To add one, also in another package, write the class (one that infers is an `Infers`) and
register it:

    [project.entry-points."arena.beliefs"]
    my-beliefs = "my_package.module:MyBeliefs"
"""

from __future__ import annotations

import abc
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, TypeAlias

from agents.policies.inference import Inference
from arena.core.registry import Registry
from arena.core.rules import View
from arena.games.infoset import InfoSet
from arena.games.kernel.layout import Words
from arena.games.observation import Observation

__all__ = [
    "BELIEFS",
    "HELP",
    "Beliefs",
    "Believer",
    "Guess",
    "Infers",
    "Weights",
    "games_of",
    "needs_of",
]

BELIEFS: Registry[Any] = Registry("kind of beliefs", "arena.beliefs")
HELP = "what is believed of the hidden cards"
"""Help text of a parameter of this kind, for experiments."""

Weights: TypeAlias = tuple[dict[int, float], ...]
"""Per seat, the weight of each unseen card that it may hold: above 0."""


@dataclass(frozen=True, slots=True)
class Guess:
    """A part of the worlds: the possible holders of each card, and their weights."""

    share: float
    """The share of worlds that are drawn from this guess."""
    may: tuple[int, ...]
    """Per seat, mask of the unseen cards that it may hold; 0 for the searching seat."""
    weights: Weights | None = None
    """None if all worlds are equally likely."""


class Believer(Protocol):
    """Beliefs that turn a view into guesses."""

    def of(self, view: View, known: InfoSet | None = None) -> tuple[Guess, ...]:
        """The guesses, in the order in which to try them; the last one always has a world.

        A guess that turns out to have no world leaves its share to the next.
        """
        ...


class Infers(abc.ABC):
    """Beliefs that turn a view into a pool of weighted worlds."""

    needs: ClassVar[tuple[str, ...]] = ()
    """What a game must have for it (see `arena.games.needs`)."""

    @abc.abstractmethod
    def infer(self, observed: Observation, rng: Words) -> Inference:
        """The pool, in kernel coordinates; the observation has a ledger."""

    @abc.abstractmethod
    def summary(self, view: View, inferred: Inference) -> tuple[str, ...]:
        """A summary of the inference for users, one line per item."""


Beliefs: TypeAlias = Believer | Infers


def needs_of(beliefs: Beliefs) -> tuple[str, ...]:
    """What a game must have for beliefs."""
    return beliefs.needs if isinstance(beliefs, Infers) else ()


def games_of(beliefs: Beliefs) -> tuple[str, ...] | None:
    """The games that beliefs can be used in; None: any."""
    games: tuple[str, ...] | None = getattr(beliefs, "games", None)
    return games
