"""A decision made again: what the player's search found out about each card.

The search is repeated with the same random numbers. Of an agent that remembers something from
its earlier decisions, or thinks by the clock, the numbers may differ from those it had.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from arena.core.agent import Belief, sees_all_cards
from arena.core.rules import Action, View
from arena.core.seeds import Rng
from arena.store import Replay, Run
from arena.tournament.referee import decision_rng


@runtime_checkable
class Explains(Protocol):
    """An agent that can tell what it considered."""

    def explain(self, view: View, rng: Rng) -> Mapping[Action, Any]:
        """Numbers with names (a named tuple) for each action."""
        ...


@runtime_checkable
class Believes(Protocol):
    """An agent that can tell who it thinks holds the hidden cards."""

    def believes(self, view: View, rng: Rng) -> Belief:
        """How likely each seat is to hold each of them."""
        ...


@dataclass(frozen=True)
class RepeatedDecision:
    """Action number `at` of a round, made again."""

    seat: int
    phase: str
    did: Action
    legal: tuple[Action, ...]
    bids: bool
    """Whether a bidder made it, which does not explain itself."""
    values: Mapping[Action, Any] | None
    """Numbers with names (a named tuple) for each card; None if the agent does not explain."""
    chosen: Action | None
    """What the search plays now; None if it was not asked."""
    belief: Belief | None = None
    """What the player believes of the hidden cards; None if it does not say, or sees them."""


def decide_again(run: Run, replay: Replay, at: int) -> RepeatedDecision:
    """Build the agent that sat there, and let it search again."""
    rules, record = run.rules, replay.record
    state = rules.start(replay.deal, replay.standing)
    turns: list[int] = []
    for action in record.actions[:at]:
        turns.append(state.turn)
        rules.apply(state, action)
    seat, did = state.turn, record.actions[at]
    spec = run.agent_at(replay, seat)
    player = spec.build(run.path)
    view = rules.view(state, seat, all_hands=sees_all_cards(player))
    bids = view.phase == "bid" and player.bidder is not None
    searcher = player.cards
    silent = bids or len(view.legal) == 1 or view.phase != "play"
    if silent or not isinstance(searcher, Explains):
        return RepeatedDecision(seat, view.phase, did, view.legal, bids, None, None)

    def again() -> Rng:
        number = turns.count(seat)
        return decision_rng(
            *(run.manifest.seed, replay.deal.id, record.seating, seat, number), spec.twin
        )

    found, chosen = searcher.explain(view, again()), player.cards.act(view, again())
    belief = None
    if isinstance(searcher, Believes) and not sees_all_cards(player):
        belief = searcher.believes(view, again())
    return RepeatedDecision(seat, view.phase, did, view.legal, bids, found, chosen, belief)
