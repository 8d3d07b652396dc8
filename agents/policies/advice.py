"""What a policy says to a view: from what a seat has seen to the likeliest card, in one call."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.policies.features import Deck, deck_of
from agents.policies.model import policies_for
from agents.policies.tables import Factors, chances
from arena.games.kernel.bits import ctz
from arena.games.kernel.jit import compiled
from arena.games.kernel.layout import ONE, STATE_WORDS, ZERO, Int, Words
from arena.games.kernel.spec import KernelGame, kernel_game
from arena.games.kernel.step import legal
from arena.games.sight import Sight, read_state, sight_of
from arena.model_file import ModelFile
from arena.rules import Action, Rules, View

__all__ = ["Adviser", "advise", "adviser_for"]


class Adviser(NamedTuple):
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
            sight_of(self.game, view), self.words, self.to_bits, self.deck, self.factors, self.row,
            found,
        )  # fmt: skip
        return self.game.cards[bit]


@lru_cache(maxsize=256)
def adviser_for(
    rules: Rules, trump: int | None, model_file: ModelFile | None, name: str
) -> Adviser:
    """A type of the policies in a file, or of those that come along; '' is the first."""
    game, model = kernel_game(rules, trump), policies_for(rules, model_file)
    row = model.number(name)
    return Adviser(game, game.words, game.to_bits, deck_of(game), model.factors(game), row)


@compiled
def advise(
    sight: Sight,
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
    read_state(sight, game, bits, state, voids)
    cards = legal(state, game)
    total = chances(state, game, voids, deck, factors, row, cards, found)
    best, best_bit, count = -1.0, ZERO, 0
    while cards != ZERO:
        found[count] /= total
        if found[count] > best:
            best, best_bit = found[count], ctz(cards)
        cards &= cards - ONE
        count += 1
    return np.int64(best_bit)
