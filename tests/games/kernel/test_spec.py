"""A game for the kernel: one object for each choice of rules and trump."""

from __future__ import annotations

import pickle

import pytest

from arena.games.hearts import Hearts
from arena.games.kernel.spec import kernel_game
from arena.games.klaverjas import Klaverjas


@pytest.mark.parametrize(("rules", "trump"), [(Klaverjas(), 2), (Hearts(), None)], ids=str)
def test_a_game_that_was_pickled_is_the_same_object(rules, trump):
    """Its arrays keep their type, so nothing is compiled again where an agent is sent to."""
    game = kernel_game(rules, trump)
    found = pickle.loads(pickle.dumps(game))
    assert found is game
    assert not found.words.flags.writeable
