"""OpenSpiel's bots as agents."""

from __future__ import annotations

from typing import Literal

import pytest

import arena
from agents.open_spiel_bot import OpenSpielBot
from arena.core.errors import ArenaError
from arena.core.seeds import Rng
from arena.games.hearts import Hearts
from arena.games.needs import why_not
from arena.games.open_spiel import OpenSpielGame

pytest.importorskip("pyspiel", reason="pip install open_spiel (no wheels for Intel Macs)")


@pytest.mark.parametrize(
    ("game", "bot"),
    [
        ("euchre", "mcts"),
        ("euchre", "python-ismcts"),
        ("euchre", "ismcts"),
        ("bridge", "mcts"),
        ("hearts", "mcts"),
        ("hearts(pass_cards=false)", "ismcts"),
        ("oh_hell", "ismcts"),
        ("spades", "mcts"),
    ],
)
def test_each_bot_plays_and_repeats_itself(
    game: str, bot: Literal["mcts", "ismcts", "python-ismcts"]
) -> None:
    rules = OpenSpielGame(game)
    player = OpenSpielBot(bot=bot, simulations=4, worlds=2)
    assert why_not(player, rules) is None
    rng = Rng(1)
    table = rules.start(rules.random_deal(rng, 0))
    while table.turn is not None:
        view = rules.view(table, table.turn)
        action = rng.choice(view.legal)
        if rng.below(4) == 0:
            action = player.act(view, Rng(2))
            assert action in view.legal
            if player.reproducible:
                assert player.act(view, Rng(2)) == action
        rules.apply(table, action)


def test_games_that_a_bot_cannot_play_are_refused() -> None:
    for game in ("skat", "tarok"):
        assert "tell no secrets" in (why_not(OpenSpielBot(), OpenSpielGame(game)) or "")
    search = OpenSpielBot(bot="ismcts")
    for game in ("hearts", "spades"):
        assert "done itself" in (why_not(search, OpenSpielGame(game)) or "")
    assert "plays: open-spiel" in (why_not(search, Hearts()) or "")
    with pytest.raises(ArenaError, match="does not play open-spiel"):
        arena.play({"name": "open-spiel", "game": "euchre"}, ["rule"] * 4)


def test_it_beats_chance() -> None:
    bot = OpenSpielBot(simulations=40, worlds=4)
    margins = []
    for seed in range(12):
        done = arena.play(OpenSpielGame("euchre"), [bot, "random"] * 2, seed=seed)
        assert done.outcome is not None
        margins.append(done.outcome.scores[0] - done.outcome.scores[1])
    assert sum(margins) > 0
