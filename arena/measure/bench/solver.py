"""How fast the solver is, on one core: CPU milliseconds per position, all cards of it open.

| key | what | target |
|---|---|---|
| `klaverjas_8_ms` | whole deals, nat and pit counted: median | 50 |
| `klaverjas_8_p95_ms` | the same: 95th percentile | 300 |
| `klaverjas_5_ms` | five tricks left: median | 0.3 |
| `schieber_9_ms` | whole deals: median | 500 |
| `schieber_6_ms` | six tricks left: median | 5 |
| `klaverjas_trace_ratio` | every card of a round, by the time of one solve | 3 |

The value of the position is found, not that of every card. Positions are random, the same in
every run; after `_MOST_NODES` nodes a position counts as it is.
"""

from __future__ import annotations

import time
from statistics import median, quantiles
from typing import Any

from arena.core.rules import Rules
from arena.core.seeds import Rng, rng_for
from arena.games.klaverjas import Klaverjas
from arena.games.schieber import Schieber
from arena.solver.solution import Solver

_DEALS = 100
_SCHIEBER_DEALS = 15
_ENDINGS = 300
_MOST_NODES = 100_000_000


def measure() -> dict[str, float]:
    """All figures."""
    klaverjas, schieber = Klaverjas(), Schieber(bidding="given")
    whole = _times(klaverjas, 8, _DEALS)
    return {
        "klaverjas_8_ms": median(whole),
        "klaverjas_8_p95_ms": quantiles(whole, n=20)[-1],
        "klaverjas_5_ms": median(_times(klaverjas, 5, _ENDINGS)),
        "schieber_9_ms": median(_times(schieber, 9, _SCHIEBER_DEALS)),
        "schieber_6_ms": median(_times(schieber, 6, _ENDINGS)),
        "klaverjas_trace_ratio": sum(_trace_times(klaverjas, _DEALS)) / sum(whole),
    }


def _trace_times(rules: Rules, count: int) -> list[float]:
    """Milliseconds for every card of random rounds of the same deals."""
    solver = Solver()
    found = []
    for number in range(count):
        state = _position(rules, 0, number)
        actions = [card for trick in state.tricks for card in trick.cards]
        started = time.thread_time()
        solver.trace(rules, state.deal, actions, nodes=_MOST_NODES)
        found.append(1000 * (time.thread_time() - started))
    return found


def _times(rules: Rules, tricks: int, count: int) -> list[float]:
    solver = Solver()
    solver.value(rules, _position(rules, min(tricks, 3), 0))  # compiles, or loads what is compiled
    found = []
    for number in range(count):
        state = _position(rules, tricks, number)
        started = time.thread_time()
        solver.value(rules, state, nodes=_MOST_NODES)
        found.append(1000 * (time.thread_time() - started))
    return found


def _position(rules: Rules, tricks: int, number: int) -> Any:
    """A random round with so many tricks left."""
    state = rules.start(rules.random_deal(rng_for(34, "bench solver", number), number))
    rng = Rng(number)
    while len(state.tricks) < rules.hand_size - tricks:
        rules.apply(state, rng.choice(state.legal))
    return state
