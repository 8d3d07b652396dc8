"""A readable transcript for every game, kept as text.

The first line of each file is the command that prints the rest.
"""

from __future__ import annotations

import shlex

import pytest
from helpers.paths import TESTS

from arena.cli import main
from arena.core.registry import GAMES

GOLDEN = TESTS / "golden"


@pytest.mark.parametrize("game", GAMES.names())
def test_every_game_has_a_transcript_and_still_plays_it(game, capsys):
    path = GOLDEN / f"{game}.txt"
    assert path.exists(), f"add tests/golden/{game}.txt: a transcript of a round of {game}"
    command, _, expected = path.read_text(encoding="utf-8").partition("\n")
    if game == "open-spiel":
        pytest.importorskip("pyspiel", reason="pip install open_spiel")
    words = shlex.split(command.removeprefix("$ arena "))
    assert words[:3] == ["demo", "--game", game]
    assert main(words) == 0
    assert capsys.readouterr().out == expected
