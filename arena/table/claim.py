"""Claims: the rest of a round plays itself, and the solver proves it.

Where the solver knows the score of a game, a claim holds if each decision that the claimant's side
still has to make has a card that is best in the true world and in every other one of a sample that
the player could expect; the other side plays its best with all cards open. So no side gains by
what it does not know. In other games the score must be the same whatever the seats play.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from arena.core.errors import ArenaError
from arena.core.rules import Action, Rules, View
from arena.core.seeds import Rng
from arena.games.likely_worlds import UniformWorlds
from arena.games.score_form import is_solvable
from arena.solver.solution import Solver

_MOST_TRICKS = 5
"""Tricks left from which on a claim is looked at."""
_WORLDS = 64
_MOST_POSITIONS = 5_000
"""Positions looked at in a game without an open-card score."""


class ClaimRefused(ArenaError):
    """A claim that is not proved, and why."""


class Claims:
    """Judges the claims of one game."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._solver = Solver(table_bits=16) if is_solvable(rules) else None

    def rest(self, state: Any, seat: int, rng: Rng) -> list[Action]:
        """The cards that are still to fall if `seat`, which is to act, claims."""
        if state.phase != "play":
            raise ClaimRefused("a claim is made while cards are played")
        if self._rules.hand_size - len(state.tricks) > _MOST_TRICKS:
            raise ClaimRefused(f"a claim is looked at in the last {_MOST_TRICKS} tricks")
        if self._solver is None and not _is_decided(self._rules, state):
            raise ClaimRefused("the cards left can still change the score: play on")
        side, state, cards = self._rules.side_of(seat), _copy(state), list[Action]()
        while state.turn is not None:
            card: Action = state.legal[0]
            if self._solver is not None and len(state.legal) > 1:
                best = self._solver.solve(self._rules, state).best
                card = best[0]
                if self._rules.side_of(state.turn) == side:
                    view = self._rules.view(state, state.turn)
                    card = _clear_card(self._solver, view, best, rng)
            cards.append(card)
            self._rules.apply(state, card)
        return cards


def _clear_card(solver: Solver, view: View, best: tuple[int, ...], rng: Rng) -> Action:
    """A card that is best with the true cards (`best`) and in all worlds of a sample."""
    hands = np.unique(UniformWorlds().draw(view, _WORLDS, rng).hands, axis=0)
    values = solver.worlds(view, hands)
    always = (values == values.max(axis=1, keepdims=True)).all(axis=0)
    for card, is_best in zip(view.legal, always, strict=True):
        if is_best and card in best:
            return card
    raise ClaimRefused("which card is best depends on cards that you cannot see: play on")


def _copy(state: Any) -> Any:
    return replace(state, hands=list(state.hands))


def _is_decided(rules: Rules, state: Any) -> bool:
    """Whether all ways to play on end with the same scores."""
    found: set[tuple[int, ...]] = set()
    seen: set[object] = set()
    waiting = [state]
    while waiting:
        here = waiting.pop()
        if here.turn is None:
            found.add(rules.outcome(here).scores)
        else:
            winners = tuple(trick.winner for trick in here.tricks)
            key = (tuple(here.hands), here.table, here.points, here.bonus, winners)
            if key not in seen:
                seen.add(key)
                for card in here.legal:
                    after = _copy(here)
                    rules.apply(after, card)
                    waiting.append(after)
        if len(found) > 1 or len(seen) > _MOST_POSITIONS:
            return False
    return True
