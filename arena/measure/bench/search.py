"""Tree searches on one core.

| key | what | target |
|---|---|---|
| `klaverjas_ismcts_200_sims_per_s` | SO-ISMCTS, random playouts, opening lead | 1.5 million |
| `klaverjas_ismcts_800_sims_per_s` | the same with more simulations | |
| `klaverjas_ismcts_3200_sims_per_s` | the same | 1.2 million |
| `klaverjas_ismcts_12800_sims_per_s` | the same | |
| `klaverjas_ismcts_51200_sims_per_s` | the same | |
| `large_trees_share` | the slower of these two as a share of that with 3,200, in turns | ≥ 0.85 |
| `klaverjas_champion_sims_per_s` | best response with the table policy, opening lead | |
| `champion_simulation_us` | one of its simulations, mean over the decisions of a round | ≤ 1.0 |
| `champion_decision_us` | the rest of its decision, 1,000 worlds weighed | |
| `policy_decision_us` | a decision of `policy`, which does not search | < 10 |
| `network_policy_decision_us` | the same with the bundled network | < 10 |
| `hearts_ismcts_800_sims_per_s` | `ismcts` in Hearts, second to play | 50 × OpenSpiel |
| `hearts_openspiel_800_sims_per_s` | OpenSpiel's `ISMCTSBot` there, if it is installed | |
| `hearts_times_openspiel` | the ratio of the two | ≥ 50 |
| `schieber_dmcts_sims_per_s` | 25 worlds × 100 simulations, opening lead | 0.8 million |
| `klaverjas_pimc_4_worlds_per_s` | worlds solved exactly with four tricks left | |
| `decision_us` | the rest of a decision, mostly in Python | ≤ 30 |
| `megabytes_100000` | most memory that a search of 100,000 simulations holds | < 64 |
| `budget_20ms_p99_over_ms` | by how much 99 of 100 decisions overrun 20 ms at most | < 2 |

Simulations per second are those of the search alone: a decision is made with all its
simulations and with one for each card, and the difference of the times counts;
`decision_us` is the rest of its time. OpenSpiel is measured in the same way, by the
same rules of Hearts, with the same cards dealt and played.
A decision is made many times and the fastest is taken; times are those of the thread, so
that what else the machine does counts as little as it can. Large trees and small ones are
made in turns, as many simulations of each, and the share is the median over the turns. The
budget alone is measured by the clock on the wall, as it must be, so it needs a quiet machine.
"""

from __future__ import annotations

import importlib
import importlib.util
import time
import tracemalloc
from collections.abc import Callable
from statistics import median
from types import SimpleNamespace
from typing import Any

from arena.config.model_file import ModelFile
from arena.core.cards import SUITS, rank_of, suit_of
from arena.core.deals import Deal
from arena.core.registry import AGENTS
from arena.core.rules import Rules, View
from arena.core.seeds import Rng
from arena.games.hearts import Hearts
from arena.games.klaverjas import Klaverjas
from arena.games.schieber import Schieber
from arena.measure.bench import fastest, in_turns

_HEARTS = Hearts(variant="openspiel_default")
_MANY = 100_000
_SOME = 3_000
_TREES = 16
"""Small trees that have as many simulations as a large one."""
_BUDGET_MS = 20
_NO_PASSING = 0


def measure(repeats: int = 30) -> dict[str, float]:
    """All figures: each decision made `repeats` times."""
    figures: dict[str, float] = {}
    view = _view(Klaverjas())
    for simulations in (200, 800, 3200):
        per_s, rest = _ismcts_speed(view, simulations, repeats)
        figures[f"klaverjas_ismcts_{simulations}_sims_per_s"] = per_s
        figures["decision_us"] = 1e6 * rest
    for simulations in (12_800, 51_200):
        per_s, _ = _ismcts_speed(view, simulations, max(3, repeats // 5))
        figures[f"klaverjas_ismcts_{simulations}_sims_per_s"] = per_s
    figures["large_trees_share"] = _large_trees_share(view, max(3, repeats // 2))
    figures |= _champion_speed(repeats)
    deal, second = _position(_HEARTS, cards=1)
    ours, _ = _ismcts_speed(second, 800, repeats)
    figures["hearts_ismcts_800_sims_per_s"] = ours
    if _has_openspiel():
        theirs = _openspiel_speed(_in_openspiel(deal, second), 800, max(3, repeats // 5))
        figures["hearts_openspiel_800_sims_per_s"] = theirs
        figures["hearts_times_openspiel"] = ours / theirs
    figures["schieber_dmcts_sims_per_s"] = _dmcts_speed(_view(Schieber()), repeats)
    figures["klaverjas_pimc_4_worlds_per_s"] = _pimc_speed(repeats)
    figures["megabytes_100000"] = _megabytes(view)
    figures["budget_20ms_p99_over_ms"] = _overrun(view, 5 * repeats)
    return figures


def left_out() -> str | None:
    """A note on what cannot be measured here, and why."""
    if _has_openspiel():
        return None
    return "not compared with OpenSpiel, which is not installed: pip install open_spiel"


def _position(rules: Rules, cards: int = 0) -> tuple[Deal, View]:
    """A deal, and what the player sees who has a choice after so many cards."""
    rng = Rng(1)
    deal = rules.random_deal(rng, 0)
    state = rules.start(deal)
    while state.phase != "play" or cards > 0 or len(state.legal) == 1:
        cards -= state.phase == "play"
        rules.apply(state, rng.choice(state.legal))
    return deal, rules.view(state, state.turn)


def _view(rules: Rules, cards: int = 0) -> View:
    return _position(rules, cards)[1]


def _ismcts_speed(view: View, simulations: int, repeats: int) -> tuple[float, float]:
    """Simulations per second, and seconds for the rest of a decision."""
    few = len(view.legal)
    whole = fastest(_decision("ismcts", view, simulations=simulations), repeats)
    least = fastest(_decision("ismcts", view, simulations=few), repeats)
    per_s = (simulations - few) / (whole - least)
    return per_s, least - few / per_s


def _large_trees_share(view: View, repeats: int) -> float:
    """How fast simulations are in large trees, as a share of how fast they are in small ones."""
    few = len(view.legal)
    sizes = (few, 3_200, 12_800, 51_200)
    times = (_TREES, _TREES, _TREES // 4, 1)
    decisions = [_decision("ismcts", view, simulations=size) for size in sizes]
    works = [_repeated(decide, n) for decide, n in zip(decisions, times, strict=True)]
    shares: list[list[float]] = []
    for turn in in_turns(works, repeats):
        least, *whole = (seconds / n for seconds, n in zip(turn, times, strict=True))
        spent = [(s - least) / (size - few) for s, size in zip(whole, sizes[1:], strict=True)]
        shares.append([spent[0] / large for large in spent[1:]])
    return float(min(median(of_size) for of_size in zip(*shares, strict=True)))


def _repeated(decide: Callable[[int], object], times: int) -> Callable[[int], object]:
    return lambda seed: [decide(seed + i) for i in range(times)]


def _champion_speed(repeats: int) -> dict[str, float]:
    """A simulation of the champion, the rest of its decisions and those of its policy alone,
    over the decisions of a round."""
    spent, rest, without, by_network = [], [], [], []
    network = ModelFile.find("policy-klaverjas")
    for cards in range(0, 28, 4):
        view = _view(Klaverjas(), cards)
        few = len(view.legal)
        whole = fastest(_decision("champion", view, simulations=_SOME, worlds=1000), repeats)
        least = fastest(_decision("champion", view, simulations=few, worlds=1000), repeats)
        spent.append((whole - least) / (_SOME - few))
        rest.append(least - few * spent[-1])
        without.append(fastest(_decision("policy", view), 5 * repeats))
        by_network.append(fastest(_decision("policy", view, model=network), 5 * repeats))
    return {
        "klaverjas_champion_sims_per_s": 1.0 / spent[0],
        "champion_simulation_us": 1e6 * sum(spent) / len(spent),
        "champion_decision_us": 1e6 * sum(rest) / len(rest),
        "policy_decision_us": 1e6 * sum(without) / len(without),
        "network_policy_decision_us": 1e6 * sum(by_network) / len(by_network),
    }


def _dmcts_speed(view: View, repeats: int) -> float:
    whole = fastest(_decision("dmcts", view, worlds=25, iterations=100), repeats)
    single = fastest(_decision("dmcts", view, worlds=1, iterations=1), repeats)
    return (25 * 100 - 1) / (whole - single)


def _pimc_speed(repeats: int) -> float:
    view = _view(Klaverjas(), cards=16)
    pimc = AGENTS.get("pimc")()
    return float(pimc.endings.worlds / fastest(lambda seed: pimc.act(view, Rng(seed)), repeats))


def _decision(family: str, view: View, **parameters: Any) -> Callable[[int], object]:
    player = AGENTS.get(family)(**parameters)
    return lambda seed: player.act(view, Rng(seed))


def _megabytes(view: View) -> float:
    _decision("ismcts", view, simulations=1)(0)  # compiles, or loads what is compiled
    decide = _decision("ismcts", view, simulations=_MANY)
    tracemalloc.start()
    try:
        decide(0)  # the first one: the next would find its memory already there
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


def _has_openspiel() -> bool:
    return importlib.util.find_spec("pyspiel") is not None


def _in_openspiel(deal: Deal, view: View) -> Any:
    """The same position in OpenSpiel, where chance first decides the direction of passing."""
    pyspiel: Any = importlib.import_module("pyspiel")
    state = pyspiel.load_game("hearts(pass_cards=false)").new_initial_state()
    state.apply_action(_NO_PASSING)
    dealt = [card for cards in zip(*deal.hands, strict=True) for card in cards]
    taken = [card for trick in view.tricks for card in trick.cards]
    for card in (*dealt, *taken, *view.table):
        state.apply_action(_openspiel_card(card))
    return state


def _openspiel_card(card: int) -> int:
    """OpenSpiel counts rank by rank, C D H S in each."""
    return len(SUITS) * rank_of(card) + suit_of(card)


def _openspiel_speed(state: Any, simulations: int, repeats: int) -> float:
    """Simulations per second of OpenSpiel's C++ bot."""
    few = len(state.legal_actions())
    whole = fastest(_openspiel_decision(state, simulations), repeats)
    least = fastest(_openspiel_decision(state, few), repeats)
    return (simulations - few) / (whole - least)


def _openspiel_decision(state: Any, simulations: int) -> Callable[[int], object]:
    pyspiel: Any = importlib.import_module("pyspiel")
    bot = pyspiel.ISMCTSBot(
        1, pyspiel.RandomRolloutEvaluator(1, 1), 2.0, simulations, -1,
        pyspiel.ISMCTSFinalPolicyType.MAX_VISIT_COUNT, False, False,
    )  # fmt: skip
    return lambda seed: bot.step(state)
