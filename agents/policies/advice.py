"""A policy applied to a view: from observations to the likeliest card, in one call."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from agents.networks.dense_network import Layers, scratch_for
from agents.policies.card_inputs import MOST_SEEN, Scheme, scheme_of
from agents.policies.card_values import Valuer, weigh_by
from agents.policies.features import Deck, deck_of
from agents.policies.kinds import Policy, Style, weigh_in
from agents.policies.model import PolicyModel, policies_for
from agents.policies.network import CardNetwork
from agents.policies.tables import Factors, chances
from arena.config.model_file import ModelFile
from arena.core.rules import Action, Rules, View
from arena.games.kernel.bits import ctz
from arena.games.kernel.jit import compiled, inlined
from arena.games.kernel.layout import ONE, STATE_WORDS, ZERO, Int, Word, Words
from arena.games.kernel.spec import KernelGame, kernel_game
from arena.games.kernel.step import legal
from arena.games.observation import SEEN_WORDS, observe, read_seen, read_state
from arena.games.view_bytes import ViewBytes, encode_view


class Adviser(Protocol):
    """A policy for a game with its trump."""

    def ask(self, view: View, found: NDArray[np.float64]) -> Action:
        """The likeliest card; `found` has room for how likely each legal one is, the card of the
        lowest bit first."""
        ...


class TableAdviser(NamedTuple):
    """A policy by tables for a game with its trump."""

    game: KernelGame
    words: Words
    to_bits: NDArray[np.uint8]
    deck: Deck
    factors: Factors
    row: int
    """Which of the policies it is."""

    def ask(self, view: View, found: NDArray[np.float64]) -> Action:
        """The likeliest card; `found` has room for how likely each legal one is (see `advise`)."""
        bit = advise(
            encode_view(self.game, view), self.words, self.to_bits, self.deck, self.factors,
            self.row,
            found,
        )  # fmt: skip
        return self.game.cards[bit]


class NetworkAdviser(NamedTuple):
    """A network that values cards, for a game with its trump."""

    game: KernelGame
    scheme: Scheme
    layers: Layers
    power: float

    def ask(self, view: View, found: NDArray[np.float64]) -> Action:
        """The card of the highest value."""
        game, layers = self.game, self.layers
        bit = advise_by_network(
            encode_view(game, view), game.words, game.to_bits, self.scheme, layers.sizes,
            layers.weights, self.power, found,
        )  # fmt: skip
        return game.cards[bit]


class RuleAdviser(NamedTuple):
    """A rule player, for a game with its trump."""

    game: KernelGame
    policy: Policy

    def ask(self, view: View, found: NDArray[np.float64]) -> Action:
        """The card by the rules."""
        observed = observe(self.game, view)
        style = self.policy.style(observed)
        assert style is not None  # it has no tables
        bit = advise_in_style(observed.state, self.game.words, observed.known, style, found)
        return self.game.cards[bit]


@lru_cache(maxsize=256)
def adviser_for(
    rules: Rules, trump: int | None, model_file: ModelFile | None, name: str
) -> Adviser:
    """A type of the policies in a file, or of the bundled ones; '' is the first."""
    game, model = kernel_game(rules, trump), policies_for(rules, model_file)
    row = model.number(name)
    if isinstance(model, CardNetwork):
        model.check_sizes(game)
        layers = model.network.layers
        return NetworkAdviser(game, scheme_of(game), layers, 1.0 / model.temperature)
    if not isinstance(model, PolicyModel):
        return RuleAdviser(game, model)
    return TableAdviser(game, game.words, game.to_bits, deck_of(game), model.factors(game), row)


@compiled
def advise(
    encoded: ViewBytes,
    game: Words,
    bits: NDArray[np.uint8],
    deck: Deck,
    factors: Factors,
    row: Int,
    found: NDArray[np.float64],
) -> Int:
    """Put how likely each legal card is into `found`, the card of the lowest bit first; the number
    of the likeliest one's bit, the lowest of equals."""
    state, voids = np.empty(STATE_WORDS, np.uint64), np.empty(4, np.uint64)
    read_state(encoded, game, bits, state, voids)
    cards = legal(state, game)
    total = chances(state, game, voids, deck, factors, row, cards, found)
    return likeliest(cards, total, found)


@inlined
def likeliest(cards: Word, total: float, found: NDArray[np.float64]) -> Int:
    """Make chances of weights; the number of the bit of the likeliest card."""
    best, best_bit, count = -1.0, ZERO, 0
    while cards != ZERO:
        found[count] /= total
        if found[count] > best:
            best, best_bit = found[count], ctz(cards)
        cards &= cards - ONE
        count += 1
    return np.int64(best_bit)


@compiled
def advise_by_network(
    encoded: ViewBytes,
    game: Words,
    bits: NDArray[np.uint8],
    scheme: Scheme,
    sizes: NDArray[np.int64],
    weights: NDArray[np.float32],
    power: float,
    found: NDArray[np.float64],
) -> Int:
    """`advise` for a network that values cards."""
    state, voids = np.empty(STATE_WORDS, np.uint64), np.empty(4, np.uint64)
    seen = np.empty(SEEN_WORDS, np.uint64)
    layers = Layers(sizes, weights)
    valuer = Valuer(scheme, layers, scratch_for(layers), np.empty(MOST_SEEN, np.int32))
    read_seen(encoded, game, bits, state, voids, seen)
    cards = legal(state, game)
    total = weigh_by(state, game, seen, valuer, power, cards, found)
    return likeliest(cards, total, found)


@compiled
def advise_in_style(
    state: Words, game: Words, seen: Words, style: Style, found: NDArray[np.float64]
) -> Int:
    """`advise` for whatever else plays in a style."""
    cards = legal(state, game)
    return likeliest(cards, weigh_in(style, state, game, seen, cards, found), found)
