"""Flat Monte Carlo on one core, and what it costs to play a match with it.

| key | what | target |
|---|---|---|
| `random_playouts_per_s` | Klaverjas opening lead, 8 cards × 1000 playouts | ≥ 1.8 million |
| `semi_random_playouts_per_s` | the same with semi-random playouts | ≥ 1.0 million |
| `probabilities_playouts_per_s` | the same with worlds drawn by probabilities | ≥ 1.0 million |
| `opening_move_ms_random` | these decisions themselves | ≤ 4.5 |
| `opening_move_ms_semi_random` | | ≤ 8 |
| `opening_move_ms_probabilities` | | ≤ 8 |
| `opening_move_ms_..._separate` | with separate worlds for all cards, as published | |
| `match_of_16_rounds_s` | two teams of 1000 playouts with Monte Carlo bidding | < 5 |

Everything that a decision costs is in its time, what is done in Python included. A decision
is made many times and the fastest is taken; times are those of the thread, so that what
else the machine does counts as little as it can.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from arena.core.agent import Agent, Player
from arena.core.registry import AGENTS, BIDDERS, Registry
from arena.core.rules import View
from arena.core.seeds import Rng, rng_for
from arena.games.klaverjas import Klaverjas
from arena.measure.bench import fastest
from arena.tournament.referee import Lineup, Referee

_PLAYOUTS = 1000
_BELIEFS: Registry[Any] = Registry("kind of beliefs", "arena.beliefs")
_ROLLOUTS = {"random": "random", "semi_random": "semi-random", "probabilities": "semi-random"}


def measure(repeats: int = 40, rounds: int = 16) -> dict[str, float]:
    """All figures: each decision made `repeats` times, a match of so many rounds."""
    view = _opening_lead()
    figures: dict[str, float] = {}
    for name, rollout in _ROLLOUTS.items():
        beliefs = _BELIEFS.get("probabilities" if name == "probabilities" else "certain")()
        for suffix, shared in (("", True), ("_separate", False)):
            player = AGENTS.get("flat-mc")(
                playouts=_PLAYOUTS, shared_worlds=shared, rollout=rollout, beliefs=beliefs
            )
            seconds = fastest(_decision(player, view), repeats)
            figures[f"opening_move_ms_{name}{suffix}"] = 1e3 * seconds
            if shared:
                figures[f"{name}_playouts_per_s"] = len(view.legal) * _PLAYOUTS / seconds
    figures["match_of_16_rounds_s"] = _match(rounds) * 16 / rounds
    return figures


def _opening_lead() -> View:
    """Eight cards to choose from, and an opponent who declared: beliefs have something to say."""
    rules = Klaverjas()
    state = rules.start(replace(rules.random_deal(Rng(1), 0), declarer=1, leader=0))
    return rules.view(state, 0)


def _decision(player: Agent, view: View) -> Callable[[int], object]:
    return lambda seed: player.act(view, Rng(seed))


def _match(rounds: int) -> float:
    """Seconds for a match between two teams of the same player."""
    rules = Klaverjas(bidding="classical")
    player = Player(AGENTS.get("flat-mc")(playouts=_PLAYOUTS), BIDDERS.get("monte-carlo")())
    referee, lineup = Referee(rules), Lineup.of([player] * 4)
    deals = [rules.random_deal(rng_for(1, "bench", number), number) for number in range(rounds)]
    referee.play(deals[0], lineup)
    started = time.thread_time()
    for deal in deals:
        referee.play(deal, lineup)
    return time.thread_time() - started
