"""Several agents checked as one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from arena.core.agent import Remembers, Setup
from arena.core.rules import Action, View
from arena.core.seeds import Rng


@dataclass(frozen=True)
class Together:
    """Asks every agent; if one answers otherwise, so does this one."""

    agents: tuple[Any, ...]
    sees_all_cards: bool

    def take_seat(self, setup: Setup) -> Together:
        """Each agent takes the seat."""
        seated = (
            agent.take_seat(setup) if isinstance(agent, Remembers) else agent
            for agent in self.agents
        )
        return replace(self, agents=tuple(seated))

    def act(self, view: View, rng: Rng) -> Action:
        """The legal action that the sum of all answers points to."""
        answers = [agent.act(view, rng) for agent in self.agents]
        assert all(answer in view.legal for answer in answers)
        return view.legal[sum(map(view.legal.index, answers)) % len(view.legal)]
