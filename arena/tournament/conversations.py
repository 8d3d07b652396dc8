"""Prompts and replies of language models in the rounds of a run.

A stored round says what was played. What a model was asked there is found by making each of its
views again: replies are kept by a hash of the view and of the seed of the decision.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from arena.config.entrants import AgentSpec
from arena.config.live_agents import is_live
from arena.core.errors import ArenaError
from arena.core.registry import AGENTS
from arena.core.rules import View
from arena.core.seeds import Rng
from arena.llm.conversations import Attempt
from arena.store import Replay, Run
from arena.tournament.referee import seat_rng
from arena.tournament.schedule import seed_number


class AskedDecision(NamedTuple):
    """A decision for which a model was asked."""

    at: int
    """The number of the action (from 0); after the last one, the decision that was a fault."""
    view: View
    attempts: list[Attempt]


class RunConversations:
    """The conversations of a run; none if no model plays in it."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._agents: list[tuple[AgentSpec, Any]] = []

    @property
    def spent(self) -> float:
        """The cost of all replies of the run, those of unfinished rounds included."""
        return 0.0 if self._run.replies is None else self._run.replies.spent()

    def of_round(self, replay: Replay) -> Iterator[AskedDecision]:
        """The decisions of a round for which a model was asked, in order."""
        kept, run = self._run.replies, self._run
        if kept is None:
            return
        specs = [run.agent_at(replay, seat) for seat in range(len(replay.seats))]
        asked = [self._agent(spec) for spec in specs]
        if not any(asked):
            return
        number = seed_number(run.seatings, replay.record.seating)
        key = (run.manifest.seed, replay.deal.id, number)
        seeds = [seat_rng(*key, seat, spec.twin) for seat, spec in enumerate(specs)]
        state = run.rules.start(replay.deal, replay.standing)
        for at in range(len(replay.record.actions) + 1):
            seat = state.turn
            if seat is None:
                return
            seed = seeds[seat].next64()
            if asked[seat] is not None:
                view: View = run.rules.view(state, seat)
                attempts = asked[seat].conversation(view, Rng(seed), kept)
                if attempts:
                    yield AskedDecision(at, view, attempts)
            if at < len(replay.record.actions):
                run.rules.apply(state, replay.record.actions[at])

    def _agent(self, spec: AgentSpec) -> Any:
        """An agent that has conversations; None if it has none, or cannot be made here."""
        for known, agent in self._agents:
            if known == spec:
                return agent
        agent = None
        if self._run.replies is not None and spec.source is None and not spec.names_code:
            family = None if is_live(spec.family) else AGENTS.find(spec.family)
            if hasattr(family, "conversation"):
                try:
                    agent = spec.build(self._run.path).cards
                except ArenaError:  # its template is gone
                    agent = None
        self._agents.append((spec, agent))
        return agent
