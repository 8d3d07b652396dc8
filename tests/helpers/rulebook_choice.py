"""What a compiled book of rules advises, for tests."""

from __future__ import annotations

import numpy as np

from arena.core.rules import View
from arena.games.kernel.spec import kernel_game
from arena.games.observation import observe
from arena.games.rulebook import advised, book_of


def compiled_choice(view: View, state, rules: str = "rule") -> tuple[int, ...]:
    """The cards that the compiled player chooses among, all hands being known."""
    game = kernel_game(view.rules, view.trump)
    words = game.state(state, state.hands, view.seat)
    legal = game.mask(sum(1 << card for card in view.legal))
    book = book_of(observe(game, view), rules)
    found = int(game.card_mask(np.uint64(advised(words, game.words, book, legal))))
    return tuple(card for card in range(52) if found >> card & 1)
