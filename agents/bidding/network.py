"""A bidder for Schieber: names the trump with the highest value by a network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from agents.bidding.calls import best_or_pass, pass_call
from agents.networks.dense_network import Use, forward, read_network
from arena.config.model_file import ModelFile
from arena.core.agent import parameter
from arena.core.cards import SUITS, cards_of, rank_of, suit_of
from arena.core.rules import Action, View
from arena.core.seeds import Rng
from arena.games.schieber.tables import NATURAL_ORDER

_RANKS = len(NATURAL_ORDER)
_LOWEST = 13 - _RANKS
INPUTS = len(SUITS) * _RANKS + 1
PUSH = 6
"""The output for pushing; those before it are for C D H S, obe-abe and une-ufe."""
TRUMP_USE = Use("names trump", (INPUTS,), (PUSH + 1,))
SHIPPED = "trump-schieber"


@dataclass(frozen=True)
class NetworkBidder:
    """Asks a network by how much the side will win with each trump, and if it pushes.

    Source: the trump selection network of Niklaus 2019, section 10.3.2, with its 37 inputs (the
    hand, and whether the partner pushed) and 7 outputs. Differs: it has learnt what came of each
    trump, not what people chose.
    """

    games: ClassVar[tuple[str, ...]] = ("schieber",)

    model: ModelFile | None = parameter(None, help="the network; by default the one shipped")

    @property
    def model_hash(self) -> str:
        """The hash of the network, for the fingerprint."""
        return read_network(self.model or ModelFile.find(SHIPPED), TRUMP_USE).sha256

    def bid(self, view: View, rng: Rng) -> Action:
        """The best trump, or a push if that promises more."""
        network = read_network(self.model or ModelFile.find(SHIPPED), TRUMP_USE)
        pushed = pass_call(view) is None
        values = forward(network.layers, trump_inputs(view.hand, pushed)).tolist()
        return best_or_pass(view, dict(enumerate(values[:PUSH])), more_than=values[PUSH])


def trump_inputs(hand: int, pushed: bool) -> NDArray[np.float32]:
    """A hand, nine ranks from six to ace for each suit; and whether the partner pushed."""
    values = np.zeros(INPUTS, dtype=np.float32)
    for card in cards_of(hand):
        values[_RANKS * suit_of(card) + rank_of(card) - _LOWEST] = 1.0
    values[-1] = pushed
    return values
