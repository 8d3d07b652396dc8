"""Every point of a margin is accounted for."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helpers.experiments import entrant, make_experiment, play

import arena
from arena.audit.campaign import Audit
from arena.audit.rounds import (
    GRADES,
    AuditedRound,
    AuditSettings,
    _are_equals,
    audit_round,
    grade_of,
)
from arena.core.cards import cards_of, mask_of, parse_card, parse_cards
from arena.core.rules import Standing, Trick, View
from arena.core.seeds import Rng
from arena.games.klaverjas import Klaverjas
from arena.games.likely_worlds import UniformWorlds, worlds_for
from arena.games.schieber import Schieber
from arena.solver.solution import Solver
from arena.store import Run

NO_WORLDS = AuditSettings(0)


def test_the_margin_of_every_round_is_the_value_of_the_deal_less_what_was_lost(
    audit: Audit,
) -> None:
    assert len(audit.rounds) == 6
    for each in audit.rounds:
        first, second = each.replay.record.scores
        assert each.audit.margin(audit.rules) == first - second
    values = {each.replay.record.deal: each.audit.value for each in audit.rounds}
    assert all(each.audit.value == values[each.replay.record.deal] for each in audit.rounds)
    assert sum(each.audit.lost_by(audit.rules, 0) for each in audit.rounds) > 0


@pytest.mark.long
def test_so_it_is_in_schieber_with_weis_and_an_auction(tmp_path: Path) -> None:
    rules = Schieber(weis=True, stoeck=True, match_bonus=100)
    play(make_experiment(1, (entrant("rule", "rule"), entrant("any", "random")), rules), tmp_path)
    solver = Solver()
    with Run(tmp_path) as run:
        replays = [replay for pairing in run.pairings for replay in run.replays(pairing)]
    assert len(replays) == 2
    for replay in replays:
        record = replay.record
        found = audit_round(
            rules, replay.deal, replay.standing, record.actions, solver, UniformWorlds(), NO_WORLDS
        )
        assert found.margin(rules) == record.scores[0] - record.scores[1]
        assert all(decision.known is None for decision in found.decisions)


def test_hearts_has_hindsight_where_max_n_solves_and_a_knowable_loss_everywhere() -> None:
    played = arena.play("hearts", ["random"] * 4, seed=3)
    found = audit_round(
        played.rules,
        played.deal,
        Standing(),
        played.actions,
        Solver(),
        UniformWorlds(),
        AuditSettings(4),
    )
    assert found.value is None and found.margin(played.rules) is None
    for decision in found.decisions:
        assert decision.known is not None
        assert (decision.hindsight is not None) == (decision.trick >= 8)
    assert AuditedRound.from_json(found.to_json()) == found


def test_a_best_card_loses_nothing_and_single_cards_are_no_decisions(audit: Audit) -> None:
    for each in audit.rounds:
        for decision in each.audit.decisions:
            assert len(decision.legal) > 1
            assert decision.hindsight >= 0
            assert decision.agrees == (
                decision.exact[decision.legal.index(decision.card)] == max(decision.exact)
            )


def test_a_loss_that_only_hindsight_sees_has_no_grade(audit: Audit) -> None:
    rules = Klaverjas()
    decisions = [x for each in audit.rounds for x in each.audit.decisions]
    only_hindsight = [x for x in decisions if x.hindsight > 20 and x.loss == 0]
    assert only_hindsight
    assert all(grade_of(rules, x.loss) is None for x in only_hindsight)
    mistakes = [x for x in decisions if grade_of(rules, x.loss) is not None]
    assert mistakes
    assert all(x.line[0] == x.better for x in mistakes)


def test_grades_are_shares_of_the_stake() -> None:
    rules = Klaverjas()
    assert [grade_of(rules, loss) for loss in (4.9, 5, 15, 40)] == [None, *GRADES[::-1]]


def _view(hand: str, unseen: str) -> View:
    """A view with clubs as trump in which the others may hold `unseen`; all else is played."""
    rules = Klaverjas()
    state = rules.start(rules.random_deal(Rng(1), 0))
    held, others = mask_of(parse_cards(hand)), mask_of(parse_cards(unseen))
    trick = Trick(0, tuple(cards_of(rules.deck & ~held & ~others)), 0, 0, 0)
    return rules.view(state, state.turn)._replace(hand=held, trump=0, tricks=(trick,))


def test_equals_are_cards_with_nothing_between_them() -> None:
    nine, eight, ten = (parse_card(card) for card in ("H9", "H8", "HT"))
    assert _are_equals(_view("H9 H8", "HT"), nine, eight)
    assert not _are_equals(_view("HT H9", "HQ"), ten, nine)
    assert _are_equals(_view("HT H9", "HA"), ten, nine)
    assert not _are_equals(_view("HT S9", "HA"), ten, parse_card("S9"))


def test_worlds_come_from_the_registered_weights_and_agree_with_the_view() -> None:
    rules = Klaverjas()
    name, worlds = worlds_for(rules)
    assert name.startswith("plays ")
    state = rules.start(rules.random_deal(Rng(1), 0))
    rng = Rng(5)
    while len(state.tricks) < 5:
        rules.apply(state, rng.choice(state.legal))
    view = rules.view(state, state.turn)
    for source in (worlds, UniformWorlds()):
        draw = source.draw(view, 40, Rng(3))
        assert np.isclose(draw.weights.sum(), 1.0)
        assert len(set(map(tuple, draw.hands.tolist()))) > 1
        values = Solver().worlds(view, draw.hands)
        assert values.shape == (len(draw.hands), len(view.legal))
    again = worlds.draw(view, 40, Rng(3))
    assert np.array_equal(again.hands, worlds.draw(view, 40, Rng(3)).hands)
