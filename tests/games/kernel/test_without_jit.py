"""A small set with the JIT disabled: the same code as plain Python."""

from __future__ import annotations

import os
import subprocess
import sys

from helpers.paths import ROOT

CODE = """
import numpy as np
from arena.games.hearts import Hearts
from arena.games.kernel import bits, by_steps, check, playout, rng, step
from arena.games.kernel.layout import TAKEN, USUAL_FLAGS
from arena.games.kernel.spec import kernel_game
from arena.games.klaverjas import Klaverjas
from arena.games.schieber import Schieber
from arena.core.seeds import Rng

assert not hasattr(step.legal, "py_func")  # not compiled
source = Rng(7)
for rules in (
    Klaverjas(), Klaverjas(variant="amsterdam"), Klaverjas(variant="amsterdam-official"),
    Schieber("given", weis=True, stoeck=True), Schieber("given", "jasskit"),
    Hearts(), Hearts(players=2),
):
    for number in range(3):
        deal = rules.random_deal(source, number)
        message = check.disagreement(rules, deal, source)
        assert not message, message
    table = rules.start(rules.random_deal(source, 0))
    rules.apply(table, table.legal[0])
    game = playout.with_loops(kernel_game(rules, table.trump))
    state = game.state(table, table.hands, table.turn)
    stepped, in_lanes, semi = state.copy(), state.copy(), state.copy()
    words = rng.rng_array(source)
    seeds, scores = np.repeat(words, 2), np.zeros((2, 4), dtype=np.int64)
    playout.playout_random(state, game.words, words.copy())
    by_steps.playout_random_by_steps(stepped, game.words, words.copy())
    assert state[4:8].tolist() == stepped[4:8].tolist()
    if rules.players == 4 and rules == Klaverjas():
        playout.playouts(in_lanes, game.words, np.tile(in_lanes[:4], (2, 1)), seeds, scores)
        alone = np.zeros(4, dtype=np.int64)
        step.final_scores(state, game.words, alone)
        assert scores.tolist() == [alone.tolist()] * 2
    playout.playout_semi(semi, game.words, words, USUAL_FLAGS)
    print(state[4:8].tolist(), semi[4:8].tolist())
"""


def test_the_kernel_runs_as_python_and_gives_the_same() -> None:
    compiled_code = CODE.replace("assert not hasattr", "assert hasattr")

    def run(code: str, **environment: str) -> str:
        return subprocess.run(
            [sys.executable, "-W", "error", "-c", code],
            env={**os.environ, **environment},
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    assert run(CODE, NUMBA_DISABLE_JIT="1") == run(compiled_code)
