"""A network as a policy: the value of every card that a seat may play, in one pass.

The policy plays the card of the highest value (`card_values`); where chances are asked for, they
are as exp(value / temperature).

A model is a dense network (`networks.dense_network`) with what `scheme` shows as its inputs
and a value for each card, with the name of its `game` and the `temperature` at which its chances
explain a search's plays best. `arena train policy` makes it from a file with `kind: network`.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from agents.networks.dense_network import Bits, Network, Use, read_network, save_network
from agents.networks.encodings import VERSIONS
from agents.policies.card_inputs import ENCODING, input_count, output_count
from agents.policies.card_values import Valuer, valuer_of
from agents.policies.kinds import OfOneType, Style
from arena.config.model_file import ModelFile
from arena.core.errors import ArenaError
from arena.games.kernel.spec import KernelGame
from arena.games.observation import Observation

_ENCODING = f"{ENCODING} {VERSIONS[ENCODING]}"


@dataclass(frozen=True, eq=False)
class CardNetwork(OfOneType):
    """A network that values cards, for a game."""

    game: str
    network: Network
    temperature: float = 1.0
    recipe: str = ""
    types: tuple[str, ...] = ("network",)

    @cached_property
    def sha256(self) -> str:
        """The hash of the model, for the fingerprint."""
        return hashlib.sha256(f"{self.network.sha256} {self.temperature!r}".encode()).hexdigest()

    @property
    def games(self) -> tuple[str, ...]:
        """Its game."""
        return (self.game,)

    def check_sizes(self, game: KernelGame) -> None:
        """Raise `ArenaError` unless the network is for a game."""
        self.check(game.rules)
        sizes = self.network.sizes.tolist()
        if (sizes[0], sizes[-1]) != (input_count(game), output_count(game)):
            raise ArenaError(
                f"the policy has {sizes[0]} inputs and {sizes[-1]} outputs, but "
                f"{self.game} has {input_count(game)} and {output_count(game)}"
            )

    def valuer(self, game: KernelGame) -> Valuer:
        """The network for compiled code, with room of its own."""
        self.check_sizes(game)
        return valuer_of(game, self.network.layers)

    def style(self, observed: Observation, sharpness: float = 1.0) -> Style:
        """Cards are as likely as exp(value / temperature), raised to a power."""
        return Style(
            self.valuer(observed.game), None, 0.0, sharpness / self.temperature, np.zeros(64)
        )


# --- files -------------------------------------------------------------------------------


def save_card_network(path: Path, model: CardNetwork, bits: Bits = 32) -> None:
    """Write a model."""
    more = {"game": np.array(model.game), "temperature": np.array(model.temperature)}
    network = Network(model.network.sizes, model.network.weights, _ENCODING)
    save_network(path, network, model.recipe, bits, more)


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
