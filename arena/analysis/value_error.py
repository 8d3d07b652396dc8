"""How well agents foresee the end of a round: their values of positions against what came of them.

One player plays all seats of each deal to the end. At the beginning of every trick each agent
that explains its search says what the position is worth to the side on lead: the value of the
card that it would play. The error is that value less the margin with which the round ended.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from arena.analysis.decisions import Explains
from arena.core.agent import Player, sees_all_cards
from arena.core.deals import Deal
from arena.core.errors import ArenaError
from arena.core.rules import Rules, View
from arena.core.scoring import by_entrant, margin_of
from arena.core.seeds import Rng, rng_for
from arena.tournament.referee import Lineup, Referee


@dataclass(frozen=True)
class ValueErrors:
    """The errors of one agent after so many cards. Unit: the deal, one position each."""

    agent: str
    cards_played: int
    mean_squared_error: float
    standard_error: float | None
    """Of the mean squared error; None for a single deal."""
    bias: float
    """The mean error: above 0 if the agent expects too much for the side on lead."""
    deals: int


def value_of(agent: Explains, view: View, rng: Rng) -> float:
    """The value of the card tried most, the better one of those tried equally often."""
    found = agent.explain(view, rng).values()
    return float(max(found, key=lambda card: (card.visits, card.value)).value)


def measure_value_errors(
    rules: Rules,
    deals: Sequence[Deal],
    player: Player,
    agents: Mapping[str, Player],
    seed: int,
) -> list[ValueErrors]:
    """The errors of all agents, by cards played; positions with one legal card are left out.

    Formula: the mean of (value - margin)² over deals, its standard error s/√n, and the mean of
    value - margin. Assumes independent deals. Source: Niklaus 2019, chapter 12.
    """
    for name, agent in agents.items():
        if not isinstance(agent.cards, Explains):
            raise ArenaError(f"{name}: does not explain its search, so it has no values to judge")
        if getattr(agent.cards, "value", "difference") != "difference":
            raise ArenaError(f"{name}: its values are no margins; say value: difference")
    errors: dict[tuple[str, int], list[float]] = {}
    referee = Referee(rules, seed)
    lineup = Lineup.of([player] * rules.players)
    for deal in deals:
        played = referee.play(deal, lineup)
        if played.outcome is None:
            raise ArenaError(f"deal {deal.id}: {played.fault}")
        state = rules.start(deal)
        for action in played.actions:
            if state.phase == "play" and not state.table and len(state.legal) > 1:
                cards = len(state.tricks) * rules.players
                side = rules.side_of(state.turn)
                owners = [0 if other == side else 1 for other in range(len(rules.sides))]
                margin = margin_of(rules, *by_entrant(owners, played.outcome.scores))
                for name, agent in agents.items():
                    view = rules.view(state, state.turn, all_hands=sees_all_cards(agent))
                    rng = rng_for(seed, "foresight", deal.id, cards)
                    value = value_of(cast(Explains, agent.cards), view, rng)
                    errors.setdefault((name, cards), []).append(value - margin)
            rules.apply(state, action)
    return [_summary(name, cards, found) for (name, cards), found in sorted(errors.items())]


def _summary(agent: str, cards_played: int, errors: list[float]) -> ValueErrors:
    n = len(errors)
    squares = [error * error for error in errors]
    mean = sum(squares) / n
    se = None
    if n > 1:
        se = math.sqrt(sum((square - mean) ** 2 for square in squares) / (n - 1) / n)
    return ValueErrors(agent, cards_played, mean, se, sum(errors) / n, n)
