"""Games without a known score form: solved by their rules, as far as that goes.

With two sides it is the margin, bounds of it if the nodes run out. With more, max-n for the last
tricks; before them lines of likely play that end in a solved ending.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.core.cards import card_name
from arena.core.errors import ArenaError
from arena.core.rules import Rules, View
from arena.games.kernel.jit import uncounted
from arena.games.kernel.layout import (
    HANDS,
    LEFT,
    STATE_WORDS,
    TABLE,
    USUAL_FLAGS,
    ZERO,
    Int,
    Numbers,
    Words,
)
from arena.games.kernel.rng import next64
from arena.games.kernel.spec import KernelGame, kernel_game
from arena.games.kernel.step import copy_state, legal, play, semi_candidates
from arena.games.kernel.tricks import pick
from arena.solver.by_rules import RulesWorkspace, value_by_rules
from arena.solver.max_n import MaxNWorkspace, max_n
from arena.solver.memory import MOST_NODES, NO_LIMIT, NODES, SALT
from arena.solver.values import Bounds, CardMean, Solution

_MOST_NODES = 20_000_000
"""Unless the caller says otherwise: whole deals could take hours."""
EXACT_TRICKS = 5
"""Endings of more sides are solved from here on."""
_LINES, _LINE_TRICKS = 64, 3
_LINES_A_WORLD = 4
"""Where there are many worlds."""
_NOT_EXACT = (
    f"not exact: means of {_LINES} lines of semi-random play with 95% intervals over lines; each "
    f"line is solved from {_LINE_TRICKS} tricks before the end"
)


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
        counts = self._begin(game, state, nodes)
        if len(rules.sides) == 2:
            cards = self._margins(game, root, state.turn, state.legal)
            return Solution(state.turn, cards, int(counts[NODES]))
        if _is_exact(game, state):
            return self._scores(game, root, state)
        found = self._by_lines(game, root, state.turn, state.legal, _LINES)
        means = {card: _mean(found[:, at]) for at, card in enumerate(state.legal)}
        cards = {card: Bounds(floor(x.low), ceil(x.high)) for card, x in means.items()}
        remarks = _remarks(rules, _NOT_EXACT)
        return Solution(state.turn, cards, int(counts[NODES]), remarks, means)

    def worlds(self, view: View, worlds: Words) -> NDArray[np.float64]:
        """The values of the legal cards in each world; see `Solver.worlds`.

        Where the nodes do not last it is the middle of the bounds. Of games with more sides,
        before their last tricks, it is the mean over a few lines of play.
        """
        game = kernel_game(view.rules, view.trump)
        root = game.view_state(view)
        values = np.empty((len(worlds), len(view.legal)))
        for number, hands in enumerate(worlds):
            root[int(HANDS) : int(HANDS) + 4] = hands
            self._begin(game, view, None)
            if len(game.rules.sides) == 2:
                found = self._margins(game, root, view.seat, view.legal)
                values[number] = [sum(found[card]) / 2 for card in view.legal]
            elif _is_exact(game, view):
                scores, _ = self._max_n(game, root, view.seat, view.legal)
                values[number] = [sum(scores[card]) / 2 for card in view.legal]
            else:
                lines = self._by_lines(
                    game, root, view.seat, view.legal, _LINES_A_WORLD, _LINES_A_WORLD * number
                )
                values[number] = lines.mean(axis=0)
        return values

    def _begin(self, game: KernelGame, seen: Any, nodes: int | None) -> Numbers:
        """Get the workspace of a game ready for a round or a view; its counts."""
        ws: RulesWorkspace | MaxNWorkspace
        if len(game.rules.sides) == 2:
            ws = self._two_sides = self._two_sides or RulesWorkspace.of(self._bits)
        else:
            ws = self._more_sides = self._more_sides or MaxNWorkspace.of(self._bits)
        deal = (game.rules, game.trump, seen.declarer, seen.bids, seen.standing)
        ws.counts[NODES], ws.counts[MOST_NODES] = 0, _MOST_NODES if nodes is None else nodes
        ws.counts[SALT] = self._deals.setdefault(deal, len(self._deals) + 1)
        return ws.counts

    def _margins(
        self, game: KernelGame, root: Words, turn: int, legal: Sequence[int]
    ) -> dict[int, Bounds]:
        assert self._two_sides is not None
        ours = game.rules.side_of(turn) == 0
        least, most = game.rules.margin_bounds
        cards, guess = {}, 0
        for card in legal:
            found = np.array([floor(least), ceil(most)])
            value_by_rules(self._two_sides, _after(game, root, card), game.words, guess, found)
            guess = int(found[0])
            bounds = Bounds(guess, int(found[1]))
            cards[card] = bounds if ours else -bounds
        return cards

    def _scores(self, game: KernelGame, root: Words, state: Any) -> Solution:
        cards, by_ties = self._max_n(game, root, state.turn, state.legal)
        assert self._more_sides is not None
        nodes = int(self._more_sides.counts[NODES])
        names = [f"{card_name(card)} ({x})" for card, x in by_ties.items() if not x.solved]
        ties = f"other choices among equals could change: {', '.join(names)}"
        remarks = _remarks(game.rules, *([ties] if names else []))
        return Solution(state.turn, cards, nodes, remarks)

    def _max_n(
        self, game: KernelGame, root: Words, turn: int, legal: Sequence[int]
    ) -> tuple[dict[int, Bounds], dict[int, Bounds]]:
        """The final score after each card, and its bounds whatever is chosen among equals."""
        ws = self._more_sides
        assert ws is not None
        side = game.rules.side_of(turn)
        cards, by_ties = {}, {}
        for card in legal:
            cards[card] = _own_scores(game.rules)
            if max_n(ws, _after(game, root, card), game.words):
                value = int(ws.scores[0, side])
                cards[card] = Bounds(value, value)
                by_ties[card] = Bounds(int(ws.lows[0, side]), int(ws.highs[0, side]))
        return cards, by_ties

    def _by_lines(
        self,
        game: KernelGame,
        root: Words,
        turn: int,
        legal: Sequence[int],
        lines: int,
        first: int = 0,
    ) -> NDArray[np.float64]:
        """The final score of each card (a column) in each line of play (a row).

        All cards are given the same random numbers.
        """
        ws = self._more_sides
        assert ws is not None
        ws.counts[MOST_NODES] = NO_LIMIT  # endings are short
        side = game.rules.side_of(turn)
        scores = np.empty((len(legal), lines))
        line, rng = np.empty(STATE_WORDS, np.uint64), np.empty(1, np.uint64)
        for at, card in enumerate(legal):
            after = _after(game, root, card)
            _score_lines(ws, after, game.words, side, first, line, rng, scores[at])
        return scores.T


def _mean(values: NDArray[np.float64]) -> CardMean:
    from arena.stats.paired import mean_difference  # here: it takes long to import

    mean = float(values.mean())
    found = mean_difference(values)
    if found.low is None or found.high is None:
        return CardMean(mean, mean, mean)  # all lines end alike
    return CardMean(mean, found.low, found.high)


def _is_exact(game: KernelGame, seen: Any) -> bool:
    """Whether a round or a view of more than two sides is in the tricks that are solved."""
    return len(seen.tricks) + EXACT_TRICKS >= game.rules.hand_size


def _own_scores(rules: Rules) -> Bounds:
    """Bounds of what a seat can score, higher for better."""
    least, most = rules.margin_bounds
    return Bounds(floor(min(least, most)), ceil(max(least, most)))


def _remarks(rules: Rules, *more: str) -> tuple[str, ...]:
    few = "" if rules.higher_wins else ", with a minus: less is better"
    return (
        f"values are final scores of the seat to move{few}; all play for their own score",
        *more,
    )


def _after(game: KernelGame, root: Words, card: int) -> Words:
    after = root.copy()
    play(after, game.words, np.uint64(1 << game.bits[card]))
    return after


@uncounted
def _score_lines(
    ws: MaxNWorkspace,
    after: Words,
    game: Words,
    side: Int,
    first: Int,
    line: Words,
    rng: Words,
    scores: NDArray[np.float64],
) -> None:
    """The final score of a side in lines of play, each with random numbers of its own."""
    for number in range(len(scores)):
        copy_state(after, line)
        rng[0] = np.uint64(first + number)
        _play_on(line, game, rng, _LINE_TRICKS)
        max_n(ws, line, game)
        scores[number] = ws.scores[0, side]


@uncounted
def _play_on(state: Words, game: Words, rng: Words, tricks: Int) -> None:
    """Semi-random play until so many tricks are left."""
    while np.int64(state[LEFT]) > tricks or (state[TABLE] != ZERO and state[LEFT] != ZERO):
        cards = semi_candidates(state, game, legal(state, game), USUAL_FLAGS)
        play(state, game, pick(cards, next64(rng) & np.uint64(0xFFFFFFFF)))
