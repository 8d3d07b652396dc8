"""Beliefs by a network that predicts the holders of unseen cards.

It is a dense network (`agents.networks.dense_network`) and serves all games. What it is shown are
`INPUTS` numbers, each 0 or 1, seen from the seat that thinks. First nine sets of cards, 64 bits
each in kernel coordinates (bit b of set s is number 64 * s + b):

* 0: the own hand;
* 1 to 4: the cards played so far, also to the trick in progress, by this seat, the next one,
  the one after it and the last one in the order of play;
* 5: the cards on the table;
* 6 to 8: what the next seat, the one after it and the last one may hold (`InfoSet.may`).

Then 576 to 579: whether this seat, the next, the one after it or the last one declared, all 0
without a declarer; and 580: whether the declarer was forced. With two players the sets of the third
and the fourth seat are empty.

Its `OUTPUTS` numbers are, for the next seat, the one after it and the last one, 64 logits each,
by the bit of the card: the chances of a card are the softmax over the seats that may hold it.
A seat that cannot hold a card has chance 0, whatever the network says. The chances are the weights
of worlds, as with `probabilities`. If no world has a weight, all are equally likely.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from agents.beliefs import Guess, Weights
from agents.networks.dense_network import Network, Use, forward, read_network
from agents.networks.encodings import MODES, SEAT, mode_of
from agents.policies.card_inputs import ENCODING as CARDS
from arena.config.model_file import ModelFile
from arena.core.agent import parameter
from arena.core.cards import cards_of
from arena.core.errors import ArenaError
from arena.core.rules import View
from arena.games.infoset import InfoSet
from arena.games.kernel.layout import PLAYED, TABLE
from arena.games.kernel.spec import KernelGame, kernel_game

_SEATS = 4
_HAND, _PLAYED, _TABLE, _MAY, _SETS = 0, 1, 5, 6, 9
_DECLARER = 64 * _SETS
_FORCED = _DECLARER + _SEATS
INPUTS = SEAT
OUTPUTS = 64 * (_SEATS - 1)
SEAT_OUTPUTS = OUTPUTS + 64 + 1
"""Of networks that also say which card is played, 64 logits by its bit, and by how many hundred
points the side will win."""
_BELIEFS = Use("says who holds the unseen cards", (INPUTS, INPUTS + MODES), (OUTPUTS, SEAT_OUTPUTS))
_SEAT = Use("says what a seat plays", (INPUTS, INPUTS + MODES), (SEAT_OUTPUTS,))


@dataclass(frozen=True, slots=True)
class NetworkBeliefs:
    """The chances of the hidden cards as a network sees them."""

    kind: ClassVar[str] = "network"

    model: ModelFile = parameter(help="the network")

    @property
    def network(self) -> Network:
        """The network; `ArenaError` says what is wrong with the model."""
        return read_network(self.model, _BELIEFS)

    @property
    def model_hash(self) -> str:
        """The hash of the network, for the fingerprint."""
        return self.network.sha256

    def of(self, view: View, known: InfoSet | None = None) -> tuple[Guess, ...]:
        """What the network says; and if that leaves no world, what is certain."""
        known = InfoSet.of(view) if known is None else known
        table = self.table(view, known)
        may = tuple(sum(1 << card for card in row) for row in table)
        return Guess(1.0, may, table), Guess(0.0, known.may)

    def table(self, view: View, known: InfoSet) -> Weights:
        """The chance of every (seat, unseen card); the chances of a card add up to 1."""
        game = kernel_game(view.rules, view.trump)
        logits = answer_of(self.network, game, view, known)
        if not np.all(np.isfinite(logits)):
            raise ArenaError("the network of beliefs answers with something that is not a number")
        others = _in_order(view)[1:]
        table: Weights = tuple({} for _ in range(view.rules.players))
        for card in cards_of(known.unseen):
            said = {
                seat: float(logits[64 * place + game.bits[card]])
                for place, seat in enumerate(others)
                if known.may[seat] >> card & 1
            }
            for seat, chance in _softmax(said).items():
                if chance > 0.0:
                    table[seat][card] = chance
        return table


def read_seat_network(model: ModelFile) -> Network:
    """Read a model that also says which card is played."""
    return read_network(model, _SEAT)


@lru_cache(maxsize=16)
def is_network(model: ModelFile) -> bool:
    """Whether a model is such a network, and not something else that says which card is played."""
    arrays = model.arrays()
    return "sizes" in arrays and not str(arrays.get("encoding", "")).startswith(CARDS)


def card_chances(network: Network, view: View) -> dict[int, float]:
    """How likely each legal card is to a network that says which card is played."""
    game = kernel_game(view.rules, view.trump)
    logits = answer_of(network, game, view, InfoSet.of(view))
    if not np.all(np.isfinite(logits)):
        raise ArenaError("the network answers with something that is not a number")
    return _softmax({card: float(logits[OUTPUTS + game.bits[card]]) for card in view.legal})


def answer_of(
    network: Network, game: KernelGame, view: View, known: InfoSet
) -> NDArray[np.float64]:
    """The outputs of a network for a view."""
    values = np.zeros(int(network.sizes[0]), dtype=np.float32)
    values[:INPUTS] = inputs_of(game, view, known)
    if len(values) > INPUTS and mode_of(game):
        values[INPUTS + mode_of(game) - 1] = 1.0
    return forward(network.layers, values).astype(np.float64)


def inputs_of(game: KernelGame, view: View, known: InfoSet) -> NDArray[np.float32]:
    """The inputs of a network for a view, in the coordinates of `game`."""
    state = game.view_state(view)
    may = game.masks(known.may)
    seats = _in_order(view)
    sets = np.zeros(_SETS, dtype="<u8")
    sets[_HAND] = game.mask(view.hand)
    sets[_TABLE] = state[TABLE]
    for place, seat in enumerate(seats):
        sets[_PLAYED + place] = state[int(PLAYED) + seat]
    for place, seat in enumerate(seats[1:]):
        sets[_MAY + place] = may[seat]
    values = np.zeros(INPUTS, dtype=np.float32)
    values[:_DECLARER] = np.unpackbits(sets.view(np.uint8), bitorder="little")
    if view.declarer is not None:
        values[_DECLARER + seats.index(view.declarer)] = 1.0
        values[_FORCED] = view.forced
    return values


def _in_order(view: View) -> list[int]:
    """The seats in the order of play, beginning with the seat to act."""
    rules = view.rules
    return [rules.seat_after(view.seat, place) for place in range(rules.players)]


def _softmax(logits: dict[int, float]) -> dict[int, float]:
    highest = max(logits.values(), default=0.0)
    powers = {seat: math.exp(logit - highest) for seat, logit in logits.items()}
    total = sum(powers.values())
    return {seat: power / total for seat, power in powers.items()}
