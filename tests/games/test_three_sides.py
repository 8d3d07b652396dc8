"""Three players, everybody for themselves: a plug-in's game whose sides are not two or four.

Another game beside ours means that everything is compiled once more, so here the kernel runs as
plain Python; that its functions compile is a test of its own.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from helpers import thirds
from helpers.thirds import kernel
from helpers.thirds.rules import Thirds

from arena.games.kernel.contract import uncompilable
from arena.testing import check_game
from arena.tournament.schedule import seatings

EXPERIMENT = """
name: three
game: {name: thirds}
deals: {file: deals.csv}
placements: mixed
agents:
  random: {family: random}
  semi: {family: semi-random}
  ismcts: {family: ismcts, simulations: 4}
schedule: {type: round-robin}
seed: 1
"""

KERNEL = """
import numpy as np
from agents.policies.features import deck_of
from agents.semi_random import SemiRandom
from arena.core.errors import ArenaError
from arena.games.infoset import InfoSet
from arena.games.kernel.check import disagreement
from arena.games.kernel.deal import random_deal
from arena.games.kernel.layout import DECK, LEFT, STATE_WORDS, TURN, USUAL_FLAGS
from arena.games.kernel.playout import playout_random, playout_semi, playouts, with_loops
from arena.games.kernel.rng import rng_array
from arena.games.kernel.spec import kernel_game
from arena.games.kernel.step import final_scores
from arena.games.world_sampler import WorldSampler
from arena.core.seeds import Rng
from thirds.rules import Thirds

rules, rng = Thirds(), Rng(31)
game = with_loops(kernel_game(rules, None))
for number in range(30):
    message = disagreement(rules, rules.random_deal(rng, number), rng)
    assert not message, message

state, words = np.zeros(STATE_WORDS, dtype=np.uint64), rng_array(rng)
for leader in range(3):
    random_deal(state, game.words, words, np.uint64(leader), np.uint64(0))
    hands = [int(hand) for hand in state[:4]]
    assert [hand.bit_count() for hand in hands] == [6, 6, 6, 0]
    assert sum(hands) == game.words[DECK]
    assert (state[TURN], state[LEFT]) == (leader, 6)

for number in range(10):
    table = rules.start(rules.random_deal(rng, number))
    for _ in range(rng.below(14)):
        rules.apply(table, rng.choice(table.legal))
    state = game.state(table, table.hands, table.turn)

    known = InfoSet.of(rules.view(table, table.turn))
    drawn = WorldSampler(known).sample_many(5, rng)
    assert all(known.agrees([int(hand) for hand in row]) for row in drawn)

    worlds = np.zeros((5, 4), dtype=np.uint64)
    worlds[:, :3] = [game.masks(row) for row in drawn]
    seeds = np.arange(5, dtype=np.uint64)
    scores = np.zeros((5, 4), dtype=np.int64)
    playouts(state, game.words, worlds, seeds.copy(), scores)
    for world, seed, row in zip(worlds, seeds, scores, strict=True):
        single, alone = state.copy(), np.zeros(4, dtype=np.int64)
        single[:4] = world
        playout_random(single, game.words, np.array([seed]))
        final_scores(single, game.words, alone)
        assert row.tolist() == alone.tolist()
        assert row.sum() == 8

    agent, words, alone = SemiRandom(), rng_array(rng), np.zeros(4, dtype=np.int64)
    playout_semi(state, game.words, words, USUAL_FLAGS)
    final_scores(state, game.words, alone)
    while table.turn is not None:
        rules.apply(table, agent.act(rules.view(table, table.turn), rng))
    assert rules.outcome(table).scores == tuple(alone[:3])
    assert rng.state == words[0]

try:
    deck_of(game)
except ArenaError as error:
    assert str(error) == "policies are for games of four players, not of 3"
else:
    raise AssertionError("a policy would look at seats that are not there")
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A folder in which the game is installed."""
    site = tmp_path_factory.mktemp("site")
    shutil.copytree(Path(thirds.__file__).parent, site / "thirds")
    info = site / "arena_thirds-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: arena-thirds\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[arena.games]\nthirds = thirds.rules:Thirds\n")
    return site


@pytest.fixture(scope="module")
def python(site):
    """Runs Python where the game is installed; what it printed."""

    def run(*words: str, code: int = 0) -> str:
        done = subprocess.run(
            [sys.executable, *words],
            cwd=site,
            env={**os.environ, "PYTHONPATH": str(site), "NUMBA_DISABLE_JIT": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    return run


@pytest.fixture(scope="module")
def deals(python):
    """How many deals there are in `deals.csv`."""
    count = 2
    made = ["--count", str(count), "--seed", "1", "--out", "deals.csv"]
    python("-m", "arena", "deals", "make", "--game", "thirds", *made)
    return count


def test_it_is_a_game() -> None:
    check_game(Thirds(), deals=3)


def test_its_kernel_compiles() -> None:
    assert not list(uncompilable(kernel))


def test_its_kernel_equals_the_rule_book_and_deals_samples_and_plays_for_three(python) -> None:
    python("-W", "error", "-c", KERNEL)


def test_in_the_seatings_both_sit_everywhere_equally_often() -> None:
    found = seatings(Thirds(), "mixed")
    assert len(set(found)) == len(found) == 6
    assert [sum(seating[seat] for seating in found) for seat in range(3)] == [3, 3, 3]


def test_a_tournament_is_played_and_reported(python, site, deals) -> None:
    (site / "three.yaml").write_text(EXPERIMENT)
    assert "ismcts" in python("-m", "arena", "validate", "three.yaml")
    python("-m", "arena", "run", "three.yaml", "--jobs", "1", "--out", "run")
    python("-m", "arena", "export", "run", "--format", "jsonl", "--output", "rounds.jsonl")
    rounds = [json.loads(line) for line in (site / "rounds.jsonl").read_text().splitlines()]
    assert len(rounds) == 3 * deals * 6, "pairings, deals, seatings"
    assert {frozenset(each["scores"]) for each in rounds} == {frozenset("NES")}
    assert {sum(each["scores"].values()) for each in rounds} == {8}
    message = python("-m", "arena", "verify", "rounds.jsonl")
    assert f"{len(rounds)} rounds, {18 * len(rounds)} plays checked, 0 mismatches" in message
    report = json.loads((site / "run" / "report.json").read_text())
    assert {"random", "semi", "ismcts"} <= set(json.dumps(report).split('"'))
    assert (site / "run" / "report.html").is_file()


def test_three_sides_cannot_be_shared_equally(python, site, deals) -> None:
    (site / "equal.yaml").write_text(EXPERIMENT.replace("placements: mixed\n", ""))
    said = python("-m", "arena", "validate", "equal.yaml", code=2)
    assert said.count("\n") == 1
    assert "two entrants cannot share 3 sides equally; say placements: mixed" in said
