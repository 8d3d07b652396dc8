"""Solving positions from Python: what every legal card is worth with all cards open."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.core.deals import Deal
from arena.core.errors import ArenaError
from arena.core.rules import Action, Rules, View
from arena.games.kernel.layout import DECLARER, Numbers, Words
from arena.games.kernel.spec import KernelGame, kernel_game
from arena.games.score_form import form_of, packed_form
from arena.solver.general import RulesSolver, check_phase
from arena.solver.margins import FAR_MARGIN, value_cards, value_position, value_worlds
from arena.solver.memory import MOST_NODES, NO_LIMIT, NODES, SALT, Workspace
from arena.solver.values import Bounds as Bounds
from arena.solver.values import Solution as Solution


class TracedCard(NamedTuple):
    """A card of a recorded round; values are margins of the side that played it."""

    seat: int
    card: int
    before: Bounds
    """The value of the position: with the best card."""
    after: Bounds
    """The value with this card."""

    @property
    def lost(self) -> Bounds:
        """How much less the card is worth than the best one, never less than 0."""
        least = max(0, self.before.low - self.after.high)
        return Bounds(least, self.before.high - self.after.low)


_FIRST_NODES = 100_000
"""Of a search with a time budget: well below a second."""
_ANYTHING = Bounds(-FAR_MARGIN, FAR_MARGIN)


class Solver:
    """Solves positions with one table, whatever their deals, trumps and leaders."""

    def __init__(self, table_bits: int = 20) -> None:
        """A table of 2 ** `table_bits` entries of 24 bytes; values do not depend on it."""
        self._workspace = Workspace.of(table_bits)
        self._salts: dict[object, int] = {}
        self._others = RulesSolver(table_bits)

    def solve(
        self, rules: Rules, state: Any, *, nodes: int | None = None, seconds: float | None = None
    ) -> Solution:
        """The value of every legal card in a round in progress.

        `state` is a round of `rules` in which a card is to be played. With `nodes` the search
        stops after so many positions, with `seconds` after about so long, and bounds are all that
        is known of the other cards.
        """
        check_phase(state)
        if seconds is not None:
            return self._solve_within(rules, state, nodes, seconds)
        if form_of(rules, state.trump) is None:
            return self._others.solve(rules, state, nodes)
        position = self._position(rules, state)
        self._allow(nodes)
        values = np.empty((2, 64), dtype=np.int64)
        value_cards(self._workspace, *position.arguments, values)
        low, high = values.tolist()
        bits = position.game.bits
        cards = {card: position.margin(low[bits[card]], high[bits[card]]) for card in state.legal}
        return Solution(state.turn, cards, int(self._workspace.counts[NODES]))

    def _solve_within(
        self, rules: Rules, state: Any, nodes: int | None, seconds: float
    ) -> Solution:
        """Search with more and more nodes until the time is over; the table keeps what is found."""
        began, limit, found = perf_counter(), _FIRST_NODES, None
        while True:
            last = nodes is not None and limit >= nodes
            solution = self.solve(rules, state, nodes=nodes if last else limit)
            found = solution if found is None else found.narrowed(solution)
            used = perf_counter() - began
            if last or used >= seconds or all(each.solved for each in found.cards.values()):
                return found
            limit = max(limit, min(2 * limit, int(found.nodes / used * (seconds - used))))

    def value(self, rules: Rules, state: Any, *, nodes: int | None = None) -> Bounds:
        """The value of a round in progress for the side to move: faster than `solve`."""
        check_phase(state)
        if form_of(rules, state.trump) is None:
            return self._others.solve(rules, state, nodes).value
        return self._value(self._position(rules, state), nodes=nodes)

    def worlds(
        self, view: View, worlds: Words, *, points_only: bool = False
    ) -> NDArray[np.float64]:
        """The values of the legal cards of a view in each of some worlds, for the side to move.

        `worlds` has a row for each world: the cards left in the four hands, in kernel
        coordinates, as samplers draw them. The result has a row for each world and a column for
        each of `view.legal`. With `points_only` values are the difference of points and bonuses,
        not of scores.
        """
        if form_of(view.rules, view.trump) is None:
            return self._others.worlds(view, worlds)
        game = _solvable_game(view.rules, view.trump)
        position = self._placed(game, game.view_state(view), view.seat, points_only)
        self._allow(None)
        values = np.empty((len(worlds), 2, 64), dtype=np.int64)
        value_worlds(self._workspace, *position.arguments, worlds, values)
        columns = [game.bits[card] for card in view.legal]
        return (position.sign * values[:, 0, columns]).astype(np.float64)

    def trace(
        self, rules: Rules, deal: Deal, actions: Sequence[Action], *, nodes: int | None = None
    ) -> list[TracedCard]:
        """The value of every card of a recorded round, solved from the last one backwards.

        `actions` are bids and cards as they are stored; a round that was broken off is traced as
        far as it goes. `nodes` is the most for one card.
        """
        state = rules.start(deal)
        steps: list[tuple[_Position, int, int, bool]] = []
        for action in actions:
            if state.phase == "play":
                forced = len(state.legal) == 1
                steps.append((self._position(rules, state), state.turn, action, forced))
            rules.apply(state, action)
        if not steps:
            return []
        if state.turn is None:
            scores = rules.outcome(state).scores
            side = rules.side_of(steps[-1][1])
            margin = int(scores[side] - scores[1 - side])
            value, sign = Bounds(margin, margin), steps[-1][0].sign
        else:
            last = self._position(rules, state)
            value, sign = self._value(last, 0, nodes=nodes), last.sign
        traced: list[TracedCard] = []
        for position, seat, card, forced in reversed(steps):
            after = value if sign == position.sign else -value
            before = after
            if not forced:
                known = Bounds(after.low, FAR_MARGIN)
                before = self._value(position, after.high + 1, known, nodes)
            traced.append(TracedCard(seat, card, before, after))
            value, sign = before, position.sign
        return traced[::-1]

    def _value(
        self,
        position: _Position,
        guess: int = 0,
        known: Bounds = _ANYTHING,
        nodes: int | None = None,
    ) -> Bounds:
        """The value of a position near a guess and within known bounds, for the side to move."""
        self._allow(nodes)
        found = self._workspace.found
        found[:] = position.margin(*known)
        value_position(self._workspace, *position.arguments, position.sign * guess)
        return position.margin(int(found[0]), int(found[1]))

    def _allow(self, nodes: int | None) -> None:
        counts = self._workspace.counts
        counts[NODES], counts[MOST_NODES] = 0, NO_LIMIT if nodes is None else nodes

    def _position(self, rules: Rules, state: Any) -> _Position:
        game = _solvable_game(rules, state.trump)
        return self._placed(game, game.state(state, state.hands, state.turn), state.turn)

    def _placed(
        self, game: KernelGame, root: Words, turn: int, points_only: bool = False
    ) -> _Position:
        """A state ready to be solved; entries of another game, trump or hero are not found."""
        form = form_of(game.rules, game.trump)
        assert form is not None  # `_solvable_game` has checked
        hero = int(root[DECLARER]) & 1 if form.hero_is_declarer else 0
        case = game.rules, game.trump, hero, points_only
        self._workspace.counts[SALT] = self._salts.setdefault(case, len(self._salts) + 1)
        sign = 1 if game.rules.side_of(turn) == hero else -1
        packed = packed_form(game.rules, game.trump, points_only)
        return _Position(root, np.uint64(hero), sign, game, packed)


class _Position(NamedTuple):
    """A round in progress as compiled code takes it."""

    root: Words
    hero: np.uint64
    sign: int
    """1 if the hero is the side to move, else -1."""
    game: KernelGame
    form: Numbers

    @property
    def arguments(self) -> tuple[Words, np.uint64, Words, Numbers]:
        """What compiled functions are given."""
        return self.root, self.hero, self.game.words, self.form

    def margin(self, low: int, high: int) -> Bounds:
        """Bounds for the hero as bounds for the side to move, and back."""
        return Bounds(low, high) if self.sign > 0 else Bounds(-high, -low)


def _solvable_game(rules: Rules, trump: int | None) -> KernelGame:
    if form_of(rules, trump) is None:
        raise ArenaError(f"{rules.name} cannot be solved with these rules: no open-card score")
    return kernel_game(rules, trump)
