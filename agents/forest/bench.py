"""The random forest player on one core, for `arena bench forest`.

| key | what | aimed at |
|---|---|---|
| `forest_rotterdam_decisions_per_s` | decisions of the shipped forest, features included | ≥ 20,000 |
| `forest_amsterdam_decisions_per_s` | the same for the other variant | ≥ 20,000 |
| `forest_times_predict_proba` | how much faster one decision's cards are judged than by the `predict_proba` of scikit-learn with `n_jobs=1`, features apart | ≥ 100 |
| `forest_largest_difference` | between the two, over all cards judged | ≤ 0.000001 |

Decisions are those of random rounds that leave a choice. scikit-learn is compared on a
classifier of the published kind (100 trees, which card was played), grown here on games of the
rule player with leaves of twenty cards. Times are those of the thread, the best of some rounds.
"""  # noqa: E501

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable

import numpy as np

from agents.forest.agent import ForestPlayer
from agents.forest.decisions import Decision
from agents.forest.features import rows_of
from agents.forest.model import predict
from agents.forest.position import SIZE, position_of, told
from agents.forest.training import Shape, examples_of, grow, pack
from agents.rule_klaverjas import choose_card
from arena.games.kernel.spec import kernel_game
from arena.games.klaverjas import Klaverjas
from arena.rules import Rules, View
from arena.seeds import Rng, rng_for

__all__ = ["ForestBench"]

_REPEATS = 5
_TREES, _LEAF = 100, 20


class ForestBench:
    """`arena bench forest`."""

    def measure(self, rounds: int = 60) -> dict[str, float]:
        """All figures, over the decisions of so many rounds."""
        figures = {}
        player = ForestPlayer()
        for rules in (Klaverjas(), Klaverjas(variant="amsterdam")):
            views = [view for view, _ in _rounds(rules, rounds, "random") if len(view.legal) > 1]
            player.act(views[0], Rng(0))  # compiles, or loads what is compiled
            took = _best_of(lambda views=views: [player.act(view, _NO_RNG) for view in views])  # type: ignore[misc]
            figures[f"forest_{rules.variant}_decisions_per_s"] = len(views) / took
        if importlib.util.find_spec("sklearn") is not None:
            figures |= _beside_scikit_learn(rounds)
        return figures

    def left_out(self) -> str | None:
        """What cannot be measured here, if anything."""
        if importlib.util.find_spec("sklearn") is not None:
            return None
        return "scikit-learn is not installed, so it is not compared with"


_NO_RNG = Rng(0)


def _beside_scikit_learn(rounds: int) -> dict[str, float]:
    rules = Klaverjas()
    known = [_decision(view, card) for view, card in _rounds(rules, rounds, "rule")]
    grown = grow(examples_of(known, "ours", "card"), Shape(_TREES, _LEAF, 0.5, seed=1))
    forest = pack(grown, "ours")
    asked = [_decision(view, card) for view, card in _rounds(rules, 5, "random")]
    rows = [rows_of(d.position, d.game, "ours") for d in asked if len(d.view.legal) > 1]
    ours = [predict(forest, each) for each in rows]
    theirs = [grown.predict_proba(each)[:, 1] for each in rows]
    fast = _best_of(lambda: [predict(forest, each) for each in rows])
    slow = _best_of(lambda: [grown.predict_proba(each) for each in rows], 1)
    return {
        "forest_times_predict_proba": slow / fast,
        "forest_largest_difference": float(
            np.max(np.abs(np.concatenate(ours) - np.concatenate(theirs)))
        ),
    }


def _rounds(rules: Rules, rounds: int, player: str) -> list[tuple[View, int]]:
    """All decisions of some rounds, and the cards that were played."""
    found = []
    for number in range(rounds):
        rng = rng_for(1, "bench", number)
        state = rules.start(rules.random_deal(rng, number))
        while state.turn is not None:
            view = rules.view(state, state.turn)
            card = choose_card(view, "as-published") if player == "rule" else rng.choice(view.legal)
            found.append((view, card))
            rules.apply(state, card)
    return found


def _decision(view: View, card: int) -> Decision:
    game, position = kernel_game(view.rules, view.trump), np.empty(SIZE, dtype=np.uint64)
    position_of(told(view), game.words, game.to_bits, position)
    return Decision(str(view.leader), game, position, view, card, None)


def _best_of(work: Callable[[], object], repeats: int = _REPEATS) -> float:
    """Seconds of the thread that some work takes, at best."""
    took = []
    for _ in range(repeats):
        started = time.thread_time()
        work()
        took.append(time.thread_time() - started)
    return min(took)
