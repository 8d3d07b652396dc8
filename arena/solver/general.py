"""Games whose score has no known form: solved by their rules, as far as that goes.

With two sides it is the margin, bounds of it if the nodes run out. With more, max-n for the last
tricks; before them lines of likely play that end in a solved ending.
"""

from __future__ import annotations

from math import ceil, floor
from typing import Any

import numpy as np

from arena.core.cards import card_name
from arena.core.errors import ArenaError
from arena.core.rules import Rules
from arena.games.kernel.jit import uncounted
from arena.games.kernel.layout import LEFT, TABLE, USUAL_FLAGS, ZERO, Int, Words
from arena.games.kernel.rng import next64
from arena.games.kernel.spec import KernelGame, kernel_game
from arena.games.kernel.step import legal, play, semi_candidates
from arena.games.kernel.tricks import pick
from arena.solver.by_rules import RulesWorkspace, value_by_rules
from arena.solver.max_n import MaxNWorkspace, max_n
from arena.solver.memory import MOST_NODES, NO_LIMIT, NODES, SALT
from arena.solver.values import Bounds, Solution

_MOST_NODES = 20_000_000
"""Unless the caller says otherwise: whole deals could take hours."""
_EXACT_TRICKS = 5
"""Endings of more sides are solved from here on."""
_LINES, _LINE_TRICKS = 64, 3


def check_phase(state: Any) -> None:
    """Refuse rounds in which no card is to be played."""
    if state.phase != "play" or state.turn is None:
        raise ArenaError("only a round in which a card is to be played can be solved")


class RulesSolver:
    """Solves positions of any game that has a kernel."""

    def __init__(self, table_bits: int) -> None:
        self._bits = table_bits
        self._two_sides: RulesWorkspace | None = None
        self._more_sides: MaxNWorkspace | None = None
        self._deals: dict[object, int] = {}

    def solve(self, rules: Rules, state: Any, nodes: int | None) -> Solution:
        """The value of every legal card for the side to move."""
        check_phase(state)
        game = kernel_game(rules, state.trump)
        root = game.state(state, state.hands, state.turn)
        deal = (rules, state.trump, state.declarer, state.bids, state.standing)
        salt = self._deals.setdefault(deal, len(self._deals) + 1)
        limit = _MOST_NODES if nodes is None else nodes
        if len(rules.sides) == 2:
            return self._margins(game, root, state, salt, limit)
        return self._scores(game, root, state, salt, limit)

    def _margins(
        self, game: KernelGame, root: Words, state: Any, salt: int, limit: int
    ) -> Solution:
        ws = self._two_sides = self._two_sides or RulesWorkspace.of(self._bits)
        ws.counts[NODES], ws.counts[MOST_NODES], ws.counts[SALT] = 0, limit, salt
        ours = game.rules.side_of(state.turn) == 0
        least, most = game.rules.margin_bounds
        cards, guess = {}, 0
        for card in state.legal:
            found = np.array([floor(least), ceil(most)])
            value_by_rules(ws, _after(game, root, card), game.words, guess, found)
            guess = int(found[0])
            bounds = Bounds(guess, int(found[1]))
            cards[card] = bounds if ours else -bounds
        return Solution(state.turn, cards, int(ws.counts[NODES]))

    def _scores(self, game: KernelGame, root: Words, state: Any, salt: int, limit: int) -> Solution:
        ws = self._more_sides = self._more_sides or MaxNWorkspace.of(self._bits)
        ws.counts[NODES], ws.counts[MOST_NODES], ws.counts[SALT] = 0, limit, salt
        side = game.rules.side_of(state.turn)
        kept = game.rules.margin_bounds
        few = "" if game.rules.higher_wins else ", with a minus: less is better"
        remarks = [
            f"values are final scores of the seat to move{few}; all play for their own score"
        ]
        exact = len(state.tricks) + _EXACT_TRICKS >= game.rules.hand_size
        cards, tied = {}, []
        for card in state.legal:
            after = _after(game, root, card)
            if not exact:
                cards[card] = self._by_lines(ws, game, after, side)
            elif max_n(ws, after, game.words):
                value = int(ws.scores[0, side])
                cards[card] = Bounds(value, value)
                tied += [card_name(card)] if ws.tied[0] else []
            else:
                cards[card] = Bounds(floor(min(kept)), ceil(max(kept)))
        if not exact:
            remarks.append(
                f"not exact: rounded means of {_LINES} lines of semi-random play, each solved from "
                f"{_LINE_TRICKS} tricks before the end"
            )
        if tied:
            remarks.append(f"other choices among equals could change: {' '.join(tied)}")
        return Solution(state.turn, cards, int(ws.counts[NODES]), tuple(remarks))

    def _by_lines(self, ws: MaxNWorkspace, game: KernelGame, after: Words, side: int) -> Bounds:
        """The mean over lines of play; all cards are given the same random numbers."""
        ws.counts[MOST_NODES] = NO_LIMIT  # endings are short
        total = 0
        for number in range(_LINES):
            line, rng = after.copy(), np.array([number], dtype=np.uint64)
            _play_on(line, game.words, rng, _LINE_TRICKS)
            max_n(ws, line, game.words)
            total += int(ws.scores[0, side])
        mean = round(total / _LINES)
        return Bounds(mean, mean)


def _after(game: KernelGame, root: Words, card: int) -> Words:
    after = root.copy()
    play(after, game.words, np.uint64(1 << game.bits[card]))
    return after


@uncounted
def _play_on(state: Words, game: Words, rng: Words, tricks: Int) -> None:
    """Semi-random play until so many tricks are left."""
    while np.int64(state[LEFT]) > tricks or (state[TABLE] != ZERO and state[LEFT] != ZERO):
        cards = semi_candidates(state, game, legal(state, game), USUAL_FLAGS)
        play(state, game, pick(cards, next64(rng) & np.uint64(0xFFFFFFFF)))
