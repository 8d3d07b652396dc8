"""What a forfeit costs: the worst that can be played, and always the match."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.experiments import entrant, make_experiment, play

from arena.core.rules import MatchFormat
from arena.core.scoring import forfeit_margin
from arena.games.hearts import Hearts
from arena.games.klaverjas import Klaverjas
from arena.store import Run


@pytest.mark.parametrize(
    ("owners", "entrant", "worst"),
    [
        ([0, 1, 1, 0], 0, -13.0),
        ([0, 1, 1, 0], 1, 13.0),
        ([0, 1, 1, 1], 0, 1 / 3 - 25),
        ([0, 0, 0, 1], 0, -26.0),
        ([0, 1, 1, 1], 1, 26.0),
    ],
)
def test_the_worst_of_hearts_depends_on_the_seats_one_has(
    owners: list[int], entrant: int, worst: float
) -> None:
    assert forfeit_margin(Hearts(), owners, entrant, 1, 0.0) == pytest.approx(worst)


def test_the_worst_of_two_seats_can_be_played_in_hearts(tmp_path: Path) -> None:
    """No stored deal of two against two goes beyond it."""
    agents = (entrant("a"), entrant("b", "lowest"))
    play(make_experiment(20, agents, Hearts()), tmp_path / "run")
    with Run(tmp_path / "run") as run:
        assert run.rounds()["margin"].abs().max() <= 13.0


def test_a_forfeit_costs_what_is_left_of_the_match() -> None:
    rules = Klaverjas()
    worst = rules.margin_bounds[0]
    assert forfeit_margin(rules, [0, 1], 0, 3, 0.0) == 3 * worst
    assert forfeit_margin(rules, [0, 1], 1, 3, 0.0) == -3 * worst


@pytest.mark.parametrize("entrant", [0, 1])
def test_who_forfeits_cannot_win_the_match(entrant: int) -> None:
    """However far ahead: a match to a target has one round left as far as anybody knows."""
    rules = Klaverjas()
    ahead = 1500.0 if entrant == 0 else -1500.0
    total = ahead + forfeit_margin(rules, [0, 1], entrant, 1, ahead)
    assert total == (rules.margin_bounds[0] if entrant == 0 else rules.margin_bounds[1])


def test_a_match_to_a_target_is_lost_by_who_forfeits_it(tmp_path: Path) -> None:
    experiment = make_experiment(
        3,
        (entrant("bad", "trouble", trick=5), entrant("b")),
        Klaverjas(bidding="classical"),
        match=MatchFormat(target=1500),
        on_fault="forfeit",
    )
    play(experiment, tmp_path / "run")
    with Run(tmp_path / "run") as run:
        deals = run.deals()
    assert (deals["forfeits_first"] > 0).all()
    assert (deals["margin"] <= Klaverjas().margin_bounds[0]).all()
