"""Solving positions from Python: what every legal card is worth with all cards open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from arena.core.cards import SEATS, pretty
from arena.core.errors import ArenaError
from arena.core.rules import Rules
from arena.games.kernel import dispatch
from arena.games.kernel.jit import uncounted
from arena.games.kernel.layout import DECLARER, KIND, Numbers, Words
from arena.games.kernel.spec import kernel_game
from arena.games.kernel.step import play
from arena.games.score_form import form_of, packed_form
from arena.solver.alpha_beta import MOST_NODES, NODES, SALT, Workspace, solve

_NO_LIMIT = np.iinfo(np.int64).max


class Bounds(NamedTuple):
    """The least and the greatest margin that a card can be worth; the same if it is solved."""

    low: int
    high: int

    @property
    def solved(self) -> bool:
        """Whether the value is known exactly."""
        return self.low == self.high

    def __str__(self) -> str:
        return f"{self.low:+d}" if self.solved else f"{self.low:+d} to {self.high:+d}"


@dataclass(frozen=True)
class Solution:
    """The value of every legal card, as the margin of the side to move at the end of the round."""

    seat: int
    """The seat to move."""
    cards: Mapping[int, Bounds]
    nodes: int
    """Positions that the search visited."""

    @property
    def value(self) -> Bounds:
        """The value of the position for the side to move."""
        return Bounds(
            max(each.low for each in self.cards.values()),
            max(each.high for each in self.cards.values()),
        )

    @property
    def best(self) -> tuple[int, ...]:
        """The cards of which none other is known to be better."""
        reached = self.value.low
        return tuple(card for card, bounds in self.cards.items() if bounds.high >= reached)

    def __str__(self) -> str:
        rows = sorted(self.cards.items(), key=lambda item: (-item[1].low, -item[1].high, item[0]))
        shown = ", ".join(f"{pretty(card)} {bounds}" for card, bounds in rows)
        return f"{SEATS[self.seat]} to move: {shown}"


class Solver:
    """Solves positions; keeps what it found of a deal for the next position of the same deal."""

    def __init__(self, table_bits: int = 20) -> None:
        self._workspace = Workspace.of(table_bits)
        self._deal: object = None

    def solve(self, rules: Rules, state: Any, *, nodes: int | None = None) -> Solution:
        """The value of every legal card in a round in progress.

        `state` is a round of `rules` in which a card is to be played. With `nodes` the search
        stops after so many positions, and bounds are all that is known of the other cards.
        """
        position = self._position(rules, state, nodes)
        cards: dict[int, Bounds] = {}
        guess = 0
        for card in state.legal:
            after = position.root.copy()
            play(after, position.game, np.uint64(1 << position.bits[card]))
            cards[card] = bounds = self._bounds(position, after, guess)
            guess = position.sign * bounds.low
        return Solution(state.turn, cards, int(self._workspace.counts[NODES]))

    def value(self, rules: Rules, state: Any, *, nodes: int | None = None) -> Bounds:
        """The value of a round in progress for the side to move: faster than `solve`."""
        position = self._position(rules, state, nodes)
        return self._bounds(position, position.root.copy(), 0)

    def _bounds(self, position: _Position, state: Words, guess: int) -> Bounds:
        score_ahead(state, position.game)
        found = np.zeros(2, dtype=np.int64)
        solve(self._workspace, state, position.hero, position.game, position.form, guess, found)
        low, high = sorted((position.sign * int(found[0]), position.sign * int(found[1])))
        return Bounds(low, high)

    def _position(self, rules: Rules, state: Any, nodes: int | None) -> _Position:
        if state.phase != "play" or state.turn is None:
            raise ArenaError("only a round in which a card is to be played can be solved")
        form = form_of(rules, state.trump)
        if form is None:
            raise ArenaError(f"{rules.name} cannot be solved with these rules: no open-card score")
        counts = self._workspace.counts
        counts[NODES] = 0
        counts[MOST_NODES] = _NO_LIMIT if nodes is None else nodes
        game = kernel_game(rules, state.trump)
        root = game.state(state, state.hands, state.turn)
        hero = int(root[DECLARER]) & 1 if form.hero_is_declarer else 0
        self._begin((rules, state.trump, state.deal.hands, hero))
        sign = 1 if rules.side_of(state.turn) == hero else -1
        return _Position(
            root, np.uint64(hero), sign, game.words, game.bits, packed_form(rules, state.trump)
        )

    def _begin(self, deal: object) -> None:
        """Entries of another deal, trump or hero must not be found: a new number for the keys."""
        if deal != self._deal:
            self._deal = deal
            self._workspace.counts[SALT] += 1


class _Position(NamedTuple):
    """A round in progress as compiled code takes it."""

    root: Words
    hero: np.uint64
    sign: int
    """1 if the hero is the side to move, else -1."""
    game: Words
    bits: Mapping[int, int]
    form: Numbers


@uncounted
def score_ahead(state: Words, game: Words) -> None:
    """Score what will be scored whatever is played: Weis and Stöck in Schieber."""
    if dispatch.can_score_ahead(game[KIND], game):
        dispatch.score_ahead(game[KIND], state, game)
