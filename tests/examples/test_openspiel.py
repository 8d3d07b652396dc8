"""OpenSpiel's bots at our tables: the same positions, the same legal cards."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from helpers.paths import ROOT

from arena.core.seeds import Rng
from arena.games.hearts import Hearts

pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: pip install open_spiel")

BOTS = ROOT / "examples" / "openspiel" / "bots.py"


@pytest.fixture(scope="module")
def bots() -> Iterator[Any]:
    spec = importlib.util.spec_from_file_location("openspiel_bots", BOTS)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, spec.name, module)  # dataclasses look for it there
        spec.loader.exec_module(module)
        yield module


def play(bot: Any, rules: Hearts, rounds: int) -> None:
    """Rounds in which the bot decides for every seat."""
    for number in range(rounds):
        rng = Rng(number)
        state = rules.start(rules.random_deal(rng, 0))
        while state.turn is not None:
            view = rules.view(state, state.turn, all_hands=getattr(bot, "sees_all_cards", False))
            rules.apply(state, bot.act(view, rng))


@pytest.mark.parametrize("family", ["Ismcts", "Mcts"])
def test_they_play_by_the_same_rules(bots: Any, family: str) -> None:
    play(getattr(bots, family)(simulations=3), Hearts(variant="openspiel_default"), rounds=5)


def test_other_rules_are_reported(bots: Any) -> None:
    with pytest.raises(ValueError, match="say variant: openspiel_default"):
        play(bots.Ismcts(simulations=3), Hearts(variant="kiele_code"), rounds=40)
