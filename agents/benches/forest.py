"""The random forest player on one core, for `arena bench forest`.

| key | figure | aimed at |
|---|---|---|
| `forest_rotterdam_decisions_per_s` | decisions of the shipped forest, with features | ≥ 20,000 |
| `forest_amsterdam_decisions_per_s` | the same for the other variant | ≥ 20,000 |
| `forest_times_predict_proba` | one decision's cards, against scikit-learn (below) | ≥ 100 |
| `forest_largest_difference` | between the two, over all cards judged | ≤ 0.000001 |

Decisions are those of random rounds that leave a choice. scikit-learn judges by its
`predict_proba` with `n_jobs=1`; computing features counts on neither side. It is a
classifier of the published kind (100 trees, which card was played), grown here on games of the
rule player with leaves of twenty cards. Times are those of the thread, the best of some rounds.
"""

from __future__ import annotations

import importlib.util

import numpy as np

from agents.forest import ForestPlayer
from agents.forests.features import rows_of
from agents.forests.model import predict
from agents.training.forests.decisions import TeacherDecision
from agents.training.forests.growing import ForestShape, card_examples, grow, new_forest, pack
from arena.core.rules import View
from arena.core.seeds import Rng, rng_for
from arena.games.klaverjas import Klaverjas
from arena.games.klaverjas.rule_player import choose_card
from arena.measure.bench import fastest

_REPEATS = 5
_SHAPE, _TREES = ForestShape(leaf=20, columns=0.5, seed=1), 100
_ROUNDS_COMPARED = 5


class ForestBench:
    """`arena bench forest`."""

    def measure(self, rounds: int = 60) -> dict[str, float]:
        """All figures, over the decisions of so many rounds."""
        figures = {
            f"forest_{rules.variant}_decisions_per_s": _decisions_per_s(rules, rounds)
            for rules in (Klaverjas(), Klaverjas(variant="amsterdam"))
        }
        return figures | (_beside_scikit_learn(rounds) if _has_scikit_learn() else {})

    def left_out(self) -> str | None:
        """A note on what cannot be measured here, if anything."""
        if _has_scikit_learn():
            return None
        return "scikit-learn is not installed, so it is not compared with"


def _has_scikit_learn() -> bool:
    return importlib.util.find_spec("sklearn") is not None


def _decisions_per_s(rules: Klaverjas, rounds: int) -> float:
    player = ForestPlayer()
    views = [view for view, _ in _plays(rules, rounds, by_rule=False) if len(view.legal) > 1]
    return len(views) / fastest(lambda seed: [player.act(v, Rng(seed)) for v in views], _REPEATS)


def _beside_scikit_learn(rounds: int) -> dict[str, float]:
    learnt = _plays(Klaverjas(), rounds, by_rule=True)
    decisions = (TeacherDecision.of(str(view.leader), view, card) for view, card in learnt)
    examples = card_examples(decisions, "ours", "card")
    grown = new_forest(examples, _SHAPE)
    grow(grown, examples, _TREES)
    forest = pack(grown.estimators_, "ours")
    asked = [
        TeacherDecision.of("", view, card)
        for view, card in _plays(Klaverjas(), _ROUNDS_COMPARED, by_rule=False)
        if len(view.legal) > 1
    ]
    rows = [rows_of(decision.position, decision.game, "ours") for decision in asked]
    ours = np.concatenate([predict(forest, each) for each in rows])
    theirs = np.concatenate([grown.predict_proba(each)[:, 1] for each in rows])
    fast = fastest(lambda _: [predict(forest, each) for each in rows], _REPEATS)
    slow = fastest(lambda _: [grown.predict_proba(each) for each in rows], 1)
    return {
        "forest_times_predict_proba": slow / fast,
        "forest_largest_difference": float(np.max(np.abs(ours - theirs))),
    }


def _plays(rules: Klaverjas, rounds: int, *, by_rule: bool) -> list[tuple[View, int]]:
    """All decisions of some rounds, and the cards played: by the rule player, or at random."""
    found = []
    for number in range(rounds):
        rng = rng_for(1, "bench", number)
        state = rules.start(rules.random_deal(rng, number))
        while state.turn is not None:
            view = rules.view(state, state.turn)
            card = choose_card(view, "as-published") if by_rule else rng.choice(view.legal)
            found.append((view, card))
            rules.apply(state, card)
    return found
