"""Copies of our agents, all of one family, with a regression planted in them: code "changes"."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from agents.flat_mc import FlatMC
from agents.ismcts import Ismcts
from agents.rule import Rule
from agents.search.decision import exploration
from arena.core.cards import suit_of
from arena.core.rules import Action, View
from arena.core.seeds import Rng


@dataclass(frozen=True)
class Planted:
    """Plays by rules of thumb, unless `FLAW` says otherwise."""

    FLAW: ClassVar[str] = ""

    def act(self, view: View, rng: Rng) -> Action:
        if self.FLAW == "refactored":
            cards = Rule()
            return cards.act(view=view, rng=rng)
        if self.FLAW == "worst card":
            return max(view.legal)
        if self.FLAW == "illegal now and then" and rng.random() < 0.002 and view.phase == "play":
            return _other_card(view)
        if self.FLAW == "illegal in 1 of 200 deals" and _is_one_of_200(view):
            return _other_card(view)
        if self.FLAW == "3 times slower":
            _act_and_wait(view, rng)
        return Rule().act(view, rng)


def _is_one_of_200(view: View) -> bool:
    return len(view.tricks) == 3 and sum(view.dealt_hand[:4]) % 200 == 96


def _other_card(view: Any) -> int:
    return next(card for card in range(52) if not view.hand >> card & 1)


def _act_and_wait(view: View, rng: Rng) -> None:
    """Takes twice the time of the decision itself, which leaves the generator as it was."""
    began = time.perf_counter()
    Rule().act(view, Rng(rng.state))
    until = time.perf_counter() + 2 * (time.perf_counter() - began)
    while time.perf_counter() < until:
        pass


@dataclass(frozen=True)
class PlantedFlat:
    """Flat Monte Carlo; one flaw takes the value for the other side's at every second depth, the
    other never plays a trump that it need not play."""

    FLAW: ClassVar[str] = ""

    def act(self, view: View, rng: Rng) -> Action:
        agent = FlatMC(playouts=10)
        if self.FLAW == "never trumping":
            plain = tuple(card for card in view.legal if suit_of(card) != view.trump)
            return agent.act(view._replace(legal=plain or view.legal), rng)
        if self.FLAW != "sign flip by depth" or len(view.legal) == 1:
            return agent.act(view, rng)
        sign = -1 if len(view.table) % 2 else 1
        flipped = [each._replace(mean=sign * each.mean) for each in agent.estimates(view, rng)]
        return agent.best(view, flipped)


@dataclass(frozen=True)
class PlantedTree:
    """ISMCTS; the flaw divides its exploration by 100."""

    FLAW: ClassVar[str] = ""

    def act(self, view: View, rng: Rng) -> Action:
        agent = Ismcts(simulations=60)
        if self.FLAW == "C divided by 100":
            c = exploration(view.rules, None, None, agent.value)
            agent = replace(agent, c=c / 100)
        return agent.act(view, rng)
