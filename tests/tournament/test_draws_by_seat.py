"""Random numbers belong to seats: neither names, nor seatings, nor the order of agents count."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from helpers.experiments import entrant, family, make_experiment, play

from arena.analysis.results import read
from arena.config.entrants import AgentSpec, Entrant
from arena.core.rules import Action, Rules, View
from arena.core.seeds import Rng
from arena.games.hearts import Hearts
from arena.games.klaverjas import Klaverjas
from arena.store import Run
from arena.tournament.schedule import seatings_of, seed_number
from arena.verify.run import check_run


@family("hasty")
@dataclass(frozen=True)
class Hasty:
    """The first legal card, with some probability; else any."""

    share: float = 0.5

    def act(self, view: View, rng: Rng) -> Action:
        any_card = rng.choice(view.legal)
        return view.legal[0] if rng.random() < self.share else any_card


AGENTS = (entrant("any"), entrant("hasty", "hasty"), entrant("hastier", "hasty", share=0.6))


def margins(folder: Path) -> dict[tuple[str, str, str], float]:
    """By both agents and unit, seen from each of them."""
    with Run(folder) as run:
        frame = run.deals()
    found = {}
    for first, second, unit, margin in zip(
        frame["first"], frame["second"], frame["unit"], frame["margin"], strict=True
    ):
        found[first, second, unit], found[second, first, unit] = margin, -margin
    return found


@pytest.mark.parametrize(
    ("rules", "options"),
    [
        (Klaverjas(), {}),
        (Klaverjas(), {"seeds_per_deal": 2}),
        (Hearts(), {}),
        (Hearts(), {"placements": "mixed"}),
    ],
)
def test_the_order_of_agents_changes_no_number(
    rules: Rules, options: dict[str, Any], tmp_path: Path
) -> None:
    team = Entrant("team", (AgentSpec("any"), AgentSpec("hasty", {"share": 0.7})))
    found = []
    for number, order in enumerate(permutations((*AGENTS[1:], team))):
        play(make_experiment(3, order, rules, **options), tmp_path / str(number))
        found.append(margins(tmp_path / str(number)))
    # The seatings come in another order, so sums may differ in their last bit.
    assert all(each == pytest.approx(found[0], abs=1e-9) for each in found[1:])
    assert any(found[0].values())


def test_the_same_agent_under_two_names_plays_alike_and_twins_do_not(tmp_path: Path) -> None:
    twin = Entrant("twin", (AgentSpec("any", twin=2),))
    play(make_experiment(6, (entrant("any"), entrant("other"), twin)), tmp_path / "run")
    found = margins(tmp_path / "run")
    assert {margin for (a, b, _), margin in found.items() if {a, b} == {"any", "other"}} == {0.0}
    assert any(margin for (a, _, _), margin in found.items() if a == "twin")


def test_a_seat_draws_the_same_whoever_sits_opposite(tmp_path: Path) -> None:
    """A contrast through a third agent: both meet the third agent's very draws."""
    play(make_experiment(4, (*AGENTS, entrant("b", "hasty"))), tmp_path / "run")
    found = margins(tmp_path / "run")
    for unit in {unit for _, _, unit in found}:
        assert found["hasty", "any", unit] == found["b", "any", unit]


def test_more_seeds_per_deal_are_more_games_of_the_same_deal(tmp_path: Path) -> None:
    once = make_experiment(5, AGENTS[:2])
    thrice = replace(once, seeds_per_deal=3)
    assert [seed_number(seatings_of(thrice), game) for game in range(6)] == [0, 0, 1, 1, 2, 2]
    rounds = []
    for experiment in (once, thrice):
        folder = tmp_path / str(experiment.seeds_per_deal)
        play(experiment, folder)
        with Run(folder) as run:
            rounds.append({(r.unit, r.seating): r for r in run.database.rounds(1)})
            deals = run.deals()
        assert not [line for checked in check_run(folder) for line in checked.mismatches]
    for (unit, seating), record in rounds[0].items():
        assert rounds[1][unit, seating].actions == record.actions
        assert rounds[1][unit, seating + 2].actions != record.actions
    for unit, margin in zip(deals["unit"], deals["margin"], strict=True):
        games = [rounds[1][unit, seating].margin for seating in range(6)]
        assert margin == pytest.approx(sum(games) / 6)
    with Run(tmp_path / "1") as first, Run(tmp_path / "3") as second:
        pooled, alone = (
            read([first, second]).pairs[0],
            [read([r]).pairs[0] for r in (first, second)],
        )
    assert pooled.games.shape == (5, 2)
    assert pooled.margins == pytest.approx((alone[0].margins + alone[1].margins) / 2)
