"""A network as a policy: the value of every card that a seat may play, in one pass.

A value is by how many points the seat's side is expected to win the round with this card (in games
without partners: points fewer than the others have on average). The policy plays the card of the
highest value; where chances are asked for, they are as exp(value / temperature).

A model is a dense network in a file (`agents.dense_network`) with what `sight` shows as its inputs
and a value for each card, with the name of its `game` and the `temperature` at which its chances
explain a search's plays best. `arena train policy` makes it from a file with `kind: network`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.dense_network import (
    Bits,
    Layers,
    Network,
    Scratch,
    Use,
    evaluate,
    read_network,
    save_network,
    scratch_for,
)
from agents.encodings import VERSIONS
from agents.policies.sight import (
    ENCODING,
    MOST_SEEN,
    Sight,
    input_count,
    look_at,
    output_count,
    output_of,
    sight_of,
)
from arena.errors import ArenaError
from arena.games.kernel.jit import inlined
from arena.games.kernel.layout import ONE, ZERO, Word, Words
from arena.games.kernel.spec import KernelGame
from arena.model_file import ModelFile
from arena.rules import Rules

__all__ = [
    "CardNetwork",
    "Valuer",
    "best_by",
    "is_card_network",
    "read_card_network",
    "save_card_network",
    "value_cards",
    "weigh_by",
]

_ENCODING = f"{ENCODING} {VERSIONS[ENCODING]}"


@dataclass(frozen=True, eq=False)
class CardNetwork:
    """A network that values cards, for a game."""

    game: str
    network: Network
    temperature: float = 1.0
    recipe: str = ""

    @cached_property
    def sha256(self) -> str:
        """What it is known by."""
        return self.network.sha256

    def check(self, game: KernelGame) -> None:
        """Raise `ArenaError` unless the network is for a game."""
        sizes = self.network.sizes.tolist()
        if game.rules.name != self.game:
            raise ArenaError(f"the policy is for {self.game}, not for {game.rules.name}")
        if (sizes[0], sizes[-1]) != (input_count(game), output_count(game)):
            raise ArenaError(
                f"the policy has {sizes[0]} inputs and {sizes[-1]} outputs, but "
                f"{self.game} has {input_count(game)} and {output_count(game)}"
            )

    def valuer(self, game: KernelGame) -> Valuer:
        """The network for compiled code, with room of its own."""
        self.check(game)
        layers = self.network.layers
        inputs = np.zeros(MOST_SEEN, np.int32)
        return Valuer(sight_of(game), layers, scratch_for(layers), inputs)


class Valuer(NamedTuple):
    """A network that values cards, for compiled code."""

    sight: Sight
    layers: Layers
    scratch: Scratch
    inputs: NDArray[np.int32]
    """Room for those that are there."""


@inlined
def value_cards(state: Words, game: Words, seen: Words, valuer: Valuer) -> Word:
    """Value all cards for the seat in turn, into `valuer.scratch.values`.

    Which is whose is told by `output_of` and what this gives back.
    """
    count, places = look_at(state, game, seen, valuer.sight, valuer.inputs)
    evaluate(valuer.layers, valuer.inputs, count, valuer.scratch)
    return places


@inlined
def best_by(state: Words, game: Words, seen: Words, valuer: Valuer, cards: Word) -> Word:
    """Of some cards, the one with the highest value."""
    places = value_cards(state, game, seen, valuer)
    best, most = ZERO, np.float32(-np.inf)
    while cards != ZERO:
        card = cards & (~cards + ONE)
        cards ^= card
        value = valuer.scratch.values[output_of(places, card)]
        if value > most:
            best, most = card, value
    return best


@inlined
def weigh_by(
    state: Words,
    game: Words,
    seen: Words,
    valuer: Valuer,
    power: float,
    cards: Word,
    weights: NDArray[np.float64],
) -> float:
    """The weight of each of some cards, lowest first, exp(power * value); and their sum.

    The largest is 1, so nothing is too large or too small for numbers.
    """
    places = value_cards(state, game, seen, valuer)
    most = np.float32(-np.inf)
    left = cards
    while left != ZERO:
        card = left & (~left + ONE)
        left ^= card
        most = max(most, valuer.scratch.values[output_of(places, card)])
    total, count = 0.0, 0
    while cards != ZERO:
        card = cards & (~cards + ONE)
        cards ^= card
        value = valuer.scratch.values[output_of(places, card)]
        weight = np.exp(power * np.float64(value - most))
        weights[count] = weight
        total += weight
        count += 1
    return total


# --- files -------------------------------------------------------------------------------


def save_card_network(path: Path, model: CardNetwork, bits: Bits = 32) -> None:
    """Write a model."""
    more = {"game": np.array(model.game), "temperature": np.array(model.temperature)}
    network = Network(model.network.sizes, model.network.weights, _ENCODING)
    save_network(path, network, model.recipe, bits, more)


@lru_cache(maxsize=16)
def is_card_network(model: ModelFile) -> bool:
    """Whether a model is a network that values cards."""
    return str(model.arrays().get("encoding", "")).partition(" ")[0] == ENCODING


@lru_cache(maxsize=16)
def read_card_network(model: ModelFile) -> CardNetwork:
    """Read a model; `ArenaError` says what is wrong with it."""
    arrays = model.arrays()
    try:
        game, temperature = str(arrays["game"]), float(arrays["temperature"])
        recipe = str(arrays["recipe"])
        sizes = arrays["sizes"]
        use = Use("values cards", (int(sizes[0]),), (int(sizes[-1]),))
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise ArenaError(f"{model.path}: not a policy: {error or type(error).__name__}") from error
    if not 0.0 < temperature < np.inf:
        raise ArenaError(f"{model.path}: not a policy: a temperature of {temperature}")
    return CardNetwork(game, read_network(model, use), temperature, recipe)


def card_network_for(rules: Rules, model: ModelFile) -> CardNetwork:
    """The network in a file, for a game."""
    found = read_card_network(model)
    if found.game != rules.name:
        raise ArenaError(f"the policy is for {found.game}, not for {rules.name}")
    return found
