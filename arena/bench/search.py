"""Tree searches on one core.

| key | what | target |
|---|---|---|
| `klaverjas_ismcts_200_sims_per_s` | SO-ISMCTS, random playouts, opening lead | 1.5 million |
| `klaverjas_ismcts_800_sims_per_s` | the same with more simulations | |
| `klaverjas_ismcts_3200_sims_per_s` | the same | 1.2 million |
| `hearts_ismcts_800_sims_per_s` | the same in Hearts, second to play | 15 × OpenSpiel |
| `hearts_openspiel_800_sims_per_s` | OpenSpiel's `ISMCTSBot`, if it is installed | |
| `hearts_times_openspiel` | the ratio of the two | ≥ 15 |
| `schieber_dmcts_sims_per_s` | 25 worlds × 100 simulations, opening lead | 0.8 million |
| `klaverjas_pimc_4_worlds_per_s` | worlds solved exactly with four tricks left | |
| `decision_us` | what a decision costs besides its simulations, in Python mostly | |
| `megabytes_100000` | most memory that a search of 100,000 simulations holds | < 64 |
| `budget_20ms_p99_over_ms` | by how much 99 of 100 decisions overrun 20 ms at most | < 2 |

Simulations per second are those of the search alone: a decision is made with all its
simulations and with one for each card, and the difference of the times counts;
`decision_us` is what a decision costs besides.
A decision is made many times and the fastest is taken; times are those of the thread, so
that what else the machine does counts as little as it can. The budget alone is measured by
the clock on the wall, as it must be, so it needs a quiet machine.
"""

from __future__ import annotations

import importlib
import importlib.util
import time
import tracemalloc
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from arena.games.hearts import Hearts
from arena.games.klaverjas import Klaverjas
from arena.games.schieber import Schieber
from arena.registry import AGENTS
from arena.rules import Rules, View
from arena.seeds import Rng

__all__ = ["measure"]

_MANY = 100_000
_BUDGET_MS = 20


def measure(repeats: int = 30) -> dict[str, float]:
    """All figures: each decision made `repeats` times."""
    figures: dict[str, float] = {}
    view = _view(Klaverjas())
    for simulations in (200, 800, 3200):
        per_s, rest = _speed("ismcts", view, repeats, simulations=simulations)
        figures[f"klaverjas_ismcts_{simulations}_sims_per_s"] = per_s
        figures["decision_us"] = 1e6 * rest
    hearts = _view(Hearts(), cards=1)
    figures["hearts_ismcts_800_sims_per_s"], _ = _speed("ismcts", hearts, repeats, simulations=800)
    if importlib.util.find_spec("pyspiel") is not None:
        theirs = _openspiel(800, max(3, repeats // 5))
        figures["hearts_openspiel_800_sims_per_s"] = theirs
        figures["hearts_times_openspiel"] = figures["hearts_ismcts_800_sims_per_s"] / theirs
    figures["schieber_dmcts_sims_per_s"] = _dmcts_speed(_view(Schieber()), repeats)
    figures["klaverjas_pimc_4_worlds_per_s"] = _pimc_speed(repeats)
    figures["megabytes_100000"] = _megabytes(view)
    figures["budget_20ms_p99_over_ms"] = _overrun(view, 5 * repeats)
    return figures


def _view(rules: Rules, cards: int = 0) -> View:
    """What the player sees who is to play after so many cards; there is a choice."""
    rng = Rng(1)
    state = rules.start(rules.random_deal(rng, 0))
    while state.phase != "play" or cards > 0 or len(state.legal) == 1:
        cards -= state.phase == "play"
        rules.apply(state, rng.choice(state.legal))
    return rules.view(state, state.turn)


def _speed(family: str, view: View, repeats: int, **parameters: int) -> tuple[float, float]:
    """Simulations per second, and seconds for the rest of a decision."""
    simulations, few = parameters["simulations"], len(view.legal)
    whole = _fastest(_decision(family, view, **parameters), repeats)
    least = _fastest(_decision(family, view, **{**parameters, "simulations": few}), repeats)
    per_s = (simulations - few) / (whole - least)
    return per_s, least - few / per_s


def _dmcts_speed(view: View, repeats: int) -> float:
    whole = _fastest(_decision("dmcts", view, worlds=25, iterations=100), repeats)
    single = _fastest(_decision("dmcts", view, worlds=1, iterations=1), repeats)
    return (25 * 100 - 1) / (whole - single)


def _pimc_speed(repeats: int) -> float:
    view = _view(Klaverjas(), cards=16)
    worlds = 50
    seconds = _fastest(_decision("pimc", view, exact_tricks=4, exact_worlds=worlds), repeats)
    return worlds / seconds


def _decision(family: str, view: View, **parameters: Any) -> Callable[[int], object]:
    player = AGENTS.get(family)(**parameters)
    return lambda seed: player.act(view, Rng(seed))


def _fastest(work: Callable[[int], object], repeats: int) -> float:
    work(0)  # compiles, or loads what is compiled
    best = float("inf")
    for seed in range(repeats):
        started = time.thread_time()
        work(seed)
        best = min(best, time.thread_time() - started)
    return best


def _megabytes(view: View) -> float:
    decide = _decision("ismcts", view, simulations=_MANY)
    decide(0)
    tracemalloc.start()
    try:
        decide(1)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return most / 1e6


def _overrun(view: View, decisions: int) -> float:
    budget = SimpleNamespace(milliseconds=float(_BUDGET_MS))
    decide = _decision("ismcts", view, budget=budget)
    decide(0)
    spent = []
    for seed in range(decisions):
        started = time.perf_counter()
        decide(seed)
        spent.append(time.perf_counter() - started)
    spent.sort()
    return 1e3 * spent[int(0.99 * (len(spent) - 1))] - _BUDGET_MS


def _openspiel(simulations: int, repeats: int) -> float:
    """Simulations per second of OpenSpiel's C++ bot in the same kind of position."""
    pyspiel: Any = importlib.import_module("pyspiel")
    game = pyspiel.load_game("hearts(pass_cards=false)")
    rng = Rng(1)
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(rng.choice([action for action, _ in state.chance_outcomes()]))
    while len(state.legal_actions()) == 1:
        state.apply_action(state.legal_actions()[0])
    bot = pyspiel.ISMCTSBot(
        1, pyspiel.RandomRolloutEvaluator(1, 1), 2.0, simulations, -1,
        pyspiel.ISMCTSFinalPolicyType.MAX_VISIT_COUNT, False, False,
    )  # fmt: skip
    return simulations / _fastest(lambda seed: bot.step(state), repeats)
