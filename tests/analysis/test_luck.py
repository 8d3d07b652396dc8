"""The luck of known draws, on real rounds."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from helpers.experiments import entrant, make_experiment, play

from agents.policy import PolicyPlayer
from agents.random_ import Random
from agents.semi_random import SemiRandom
from arena.analysis.luck import known_luck
from arena.cli import main
from arena.core.errors import ArenaError
from arena.core.seeds import Rng
from arena.games.klaverjas import Klaverjas
from arena.store import Run


@pytest.mark.parametrize("agent", [Random(), SemiRandom(), PolicyPlayer(temperature=1.0)])
def test_reported_probabilities_are_those_of_the_draws(agent: SemiRandom) -> None:
    rules = Klaverjas()
    state = rules.start(rules.random_deal(Rng(4), 0))
    seen = 0
    while seen < 2:
        view = rules.view(state, state.turn)
        chances = agent.probabilities(view)
        if len(chances) > 2:
            seen += 1
            assert sum(chances.values()) == pytest.approx(1)
            drawn = Counter(agent.act(view, Rng(seed)) for seed in range(2000))
            assert set(drawn) <= set(chances)
            for card, chance in chances.items():
                assert drawn[card] / 2000 == pytest.approx(chance, abs=0.05)
        rules.apply(state, state.legal[0])


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("luck") / "run"
    agents = (entrant("random", "random"), entrant("semi", "semi-random"), entrant("c", "lowest"))
    play(make_experiment(60, (*agents, entrant("d", "lowest"))), folder)
    return folder


def test_luck_is_taken_off(played: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Run(played) as run:
        found = known_luck(run, "semi", "random")
        turned = known_luck(run, "random", "semi")
    assert found.known > 0.8 * found.decisions
    assert found.statistics.variance_ratio is not None
    assert found.statistics.variance_ratio < 0.8
    plain, corrected = found.statistics.plain, found.statistics.corrected
    assert plain.mean is not None and corrected.mean is not None and plain.se is not None
    assert abs(plain.mean - corrected.mean) < 4 * plain.se
    assert turned.statistics.corrected.mean == pytest.approx(-corrected.mean)
    assert main(["luck", str(played), "semi", "random", "--json"]) == 0
    message = json.loads(capsys.readouterr().out)
    assert message["statistics"]["corrected"]["mean"] == corrected.mean
    assert main(["luck", str(played), "semi", "random"]) == 0
    assert "corrected" in capsys.readouterr().out


def test_agents_without_probabilities_have_no_known_luck(played: Path) -> None:
    with Run(played) as run, pytest.raises(ArenaError, match="neither c nor d reports"):
        known_luck(run, "c", "d")
