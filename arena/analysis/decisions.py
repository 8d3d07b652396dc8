"""A decision made again, with the numbers that the player's search found for each card.

The search is repeated with the same random numbers. Of an agent that remembers something from
its earlier decisions, or thinks by the clock, the numbers may differ from those it had.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol, runtime_checkable

from arena.config.entrants import AgentSpec
from arena.config.live_agents import is_live
from arena.core.agent import Belief, Player, Setup, sees_all_cards
from arena.core.registry import AGENTS
from arena.core.rules import Action, View
from arena.core.seeds import Rng
from arena.process.faults import one_line_of
from arena.store import Replay, Run
from arena.tournament.referee import decision_rng
from arena.tournament.schedule import seed_number


@runtime_checkable
class Explains(Protocol):
    """An agent that can report the actions it considered."""

    def explain(self, view: View, rng: Rng) -> Mapping[Action, Any]:
        """Numbers with names (a named tuple) for each action."""
        ...


@runtime_checkable
class Believes(Protocol):
    """An agent that can report where it expects the hidden cards."""

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
    values: Mapping[Action, Any] | None = None
    """Numbers with names (a named tuple) for each card; None if the agent does not explain."""
    chosen: Action | None = None
    """The card that the search plays now; None if it was not asked."""
    belief: Belief | None = None
    """Where the player expects the hidden cards; None if it does not say, or sees them."""


class Explainers:
    """The agents of a run that can explain their play: each is built once, when it is needed."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._built: list[tuple[AgentSpec, Player | None]] = []

    def find(self, spec: AgentSpec) -> Player | None:
        """An agent of the run; None if it cannot explain itself."""
        for known, player in self._built:
            if known == spec:
                return player
        built = spec.build(self._run.path) if _may_explain(spec) else None
        found = built if built is not None and isinstance(built.cards, Explains) else None
        self._built.append((spec, found))
        return found


def _may_explain(spec: AgentSpec) -> bool:
    """Whether an agent may be able to explain itself: its class says so, without building it."""
    if spec.names_code or is_live(spec.family) or spec.source is not None:
        return True
    return hasattr(AGENTS.get(spec.family), "explain")


def decide_again(
    run: Run,
    replay: Replay,
    at: int,
    explainers: Explainers | None = None,
    by: Player | None = None,
) -> RepeatedDecision:
    """Let the agent that sat there search again, or another one (`by`) in its place."""
    rules, record = run.rules, replay.record
    state = rules.start(replay.deal, replay.standing)
    turns: list[int] = []
    for action in record.actions[:at]:
        turns.append(state.turn)
        rules.apply(state, action)
    seat, did = state.turn, record.actions[at]
    spec = run.agent_at(replay, seat)
    bids = state.phase == "bid" and spec.bidder is not None
    made = RepeatedDecision(seat, state.phase, did, tuple(state.legal), bids)
    if state.phase != "play" or len(state.legal) == 1:
        return made
    built = by or (explainers or Explainers(run)).find(spec)
    if built is None:
        return made
    with one_line_of(type(built.cards).__name__):
        player = built.take_seat(Setup(rules, seat))
    searcher = player.cards
    if by is None and not isinstance(searcher, Explains):
        return made
    view = rules.view(state, seat, all_hands=sees_all_cards(player))

    def again() -> Rng:
        seed = seed_number(run.seatings, record.seating)
        key = (run.manifest.seed, replay.deal.id, seed, seat, turns.count(seat))
        return decision_rng(*key, spec.twin)

    with one_line_of(type(built.cards).__name__):
        return replace(made, **consider(player, view, again)._asdict())


class Considered(NamedTuple):
    """An agent's findings on a view."""

    values: Mapping[Action, Any] | None
    """Numbers with names (a named tuple) for each action; None if the agent does not explain."""
    chosen: Action
    belief: Belief | None
    """Where it expects the hidden cards; None if it does not say, or sees them."""


def consider(player: Player, view: View, rng: Callable[[], Rng]) -> Considered:
    """The decision of a seated player and its reasons; `rng` gives equal generators."""
    if view.phase == "bid" and player.bidder is not None:
        return Considered(None, player.bidder.bid(view, rng()), None)
    searcher, belief = player.cards, None
    is_choice = view.phase == "play" and len(view.legal) > 1
    values = None
    if is_choice and isinstance(searcher, Explains):
        values = searcher.explain(view, rng())
    chosen = searcher.act(view, rng())
    if is_choice and isinstance(searcher, Believes) and not sees_all_cards(player):
        belief = searcher.believes(view, rng())
    return Considered(values, chosen, belief)
