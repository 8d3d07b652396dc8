"""The random forest player on one core.

| key | what | aimed at |
|---|---|---|
| `forest_decisions_per_s` | decisions of the shipped forest, features included | ≥ 20,000 |

Decisions are those of random rounds that leave a choice. The walk through the trees is
compiled, the features are not yet: they are most of the time.
"""

from __future__ import annotations

import time

from arena.games.klaverjas import Klaverjas
from arena.registry import AGENTS
from arena.rules import View
from arena.seeds import Rng, rng_for

__all__ = ["measure"]


def measure(rounds: int = 30) -> dict[str, float]:
    """All figures, over the decisions of so many rounds."""
    views = _decisions(rounds)
    player = AGENTS.get("forest")()
    player.act(views[0], Rng(0))  # compiles, or loads what is compiled
    started = time.thread_time()
    for view in views:
        player.act(view, Rng(0))
    return {"forest_decisions_per_s": len(views) / (time.thread_time() - started)}


def _decisions(rounds: int) -> list[View]:
    rules = Klaverjas()
    found = []
    for number in range(rounds):
        rng = rng_for(1, "bench", number)
        state = rules.start(rules.random_deal(rng, number))
        while state.turn is not None:
            view = rules.view(state, state.turn)
            if len(view.legal) > 1:
                found.append(view)
            rules.apply(state, rng.choice(view.legal))
    return found
