"""Too good to be honest: who is flagged, and who is not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helpers.experiments import entrant, make_experiment, play

from arena.audit.campaign import AuditOptions, audit_run
from arena.audit.honesty import judge_honesty
from arena.audit.knowable import Knowable
from arena.audit.rounds import AuditedDecision
from arena.audit.tables import make_tables
from arena.store import Run

CARDS, WORLDS = 4, 32


def _decisions(
    rng: np.random.Generator, deals: int, sees_all: float
) -> list[tuple[int, AuditedDecision]]:
    """Decisions of a player who plays the likeliest best card, or with a chance the best one."""
    found = []
    for deal in range(deals):
        for number in range(12):
            chances = rng.dirichlet(np.ones(CARDS))
            best = int(rng.choice(CARDS, p=chances))
            shares = rng.multinomial(WORLDS, chances) / WORLDS
            card = best if rng.random() < sees_all else int(chances.argmax())
            exact = tuple(10 if each == best else 0 for each in range(CARDS))
            known = Knowable((0.0,) * CARDS, tuple(shares.tolist()), 0.0, 1.0, WORLDS)
            legal = tuple(range(CARDS))
            decision = AuditedDecision(
                number, 0, number, "lead", None, card, legal, exact, (), known
            )
            found.append((deal, decision))
    return found


def test_a_player_who_knows_the_chances_best_is_not_flagged() -> None:
    rng = np.random.default_rng(1)
    flagged = [judge_honesty(_decisions(rng, 20, 0.0)).too_good for _ in range(200)]
    assert not any(flagged)


def test_one_who_sees_all_cards_is() -> None:
    rng = np.random.default_rng(2)
    for share, deals in ((1.0, 10), (0.6, 20)):
        found = [judge_honesty(_decisions(rng, deals, share)) for _ in range(20)]
        assert sum(each.too_good for each in found) >= 19
        assert all(((each.excess and each.excess.value) or 0.0) > 0.1 for each in found)


def test_few_deals_say_nothing() -> None:
    assert not judge_honesty(_decisions(np.random.default_rng(3), 7, 1.0)).too_good
    assert judge_honesty([]).agrees is None


@pytest.mark.long
def test_mcts_with_all_cards_is_flagged_and_its_honest_opponent_is_not(tmp_path: Path) -> None:
    # The excess is about 5 percentage points; 12 and 40 deals of one pairing are too few for it.
    sees_all = entrant("mcts", "mcts", simulations=800)
    play(make_experiment(80, (sees_all, entrant("ismcts", "ismcts", simulations=200))), tmp_path)
    with Run(tmp_path) as run:
        audit = audit_run(run, AuditOptions(deals=80, jobs=2))
    flagged = {agent.name: agent.honesty.too_good for agent in make_tables(audit).agents}
    assert flagged == {"mcts": True, "ismcts": False}
