"""A game's kernel keeps the contract or is left out; nothing else suffers."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from arena.core.registry import GAMES
from arena.core.rules import RulesError
from arena.games.kernel import contract, dispatch, layout
from arena.games.kernel.contract import (
    FUNCTIONS,
    Kernel,
    complaint,
    kernel_of,
    our_kernels,
    uncompilable,
)
from arena.games.kernel.jit import inlined
from arena.games.kernel.layout import KIND, LEFT, STATE_WORDS, TABLES
from arena.games.kernel.playout import playout_random
from arena.games.kernel.spec import kernel_game
from arena.games.klaverjas import Klaverjas
from arena.games.klaverjas import kernel as klaverjas


@pytest.mark.parametrize("kernel", our_kernels(), ids=lambda kernel: kernel.game)
def test_our_kernels_compile_for_the_types_of_the_contract(kernel: Any) -> None:
    assert not list(uncompilable(kernel.module))


def test_games_are_numbered_and_every_word_of_a_game_says_which() -> None:
    assert [kernel.number for kernel in our_kernels()] == [0, 1, 2]
    numbers = {kernel.game: kernel.number for kernel in our_kernels()}
    assert kernel_game(Klaverjas(), 0).words[KIND] == numbers["klaverjas"]


def test_playouts_of_a_game_without_loops_are_an_error() -> None:
    words = kernel_game(Klaverjas(), 0).words.copy()
    words[layout.FUNCTIONS : TABLES] = 0
    words.flags.writeable = False
    state = np.zeros(STATE_WORDS, dtype=np.uint64)
    state[LEFT] = 1
    with pytest.raises(ValueError, match="loops of the game are not compiled"):
        playout_random(state, words, np.zeros(1, dtype=np.uint64))


@inlined
def _following_forgets_its_parameters(rule: Any, hand: Any) -> Any:
    return hand


@inlined
def _value_as_float(game: Any, first_parameter: Any, table: Any) -> Any:
    return 1.5


def _module(**changed: Any) -> ModuleType:
    module = ModuleType("their_game.kernel")
    vars(module).update({name: getattr(klaverjas, name, None) for name in FUNCTIONS})
    for name in FUNCTIONS:
        if getattr(klaverjas, name, None) is None:
            delattr(module, name)
    vars(module).update(CLOCKWISE=True, PAIRS=True, kernel_game=klaverjas.kernel_game, **changed)
    return module


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"following": _following_forgets_its_parameters}, "following has the parameters rule, h"),
        ({"trick_value": _value_as_float}, "trick_value returns float64; expected uint64"),
        ({"trick_value": lambda game, first_parameter, table: 0}, "trick_value is not compiled"),
    ],
)
def test_a_strangers_broken_kernel_is_left_out_and_named(
    changed: dict[str, Any], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Theirs(Klaverjas):
        pass

    Theirs.__module__ = "their_game.rules"
    Theirs.name = "theirs"
    monkeypatch.setitem(sys.modules, "their_game.kernel", _module(**changed))
    monkeypatch.setattr(contract, "has_part", lambda game, part: True)
    monkeypatch.setattr(GAMES, "_added", {"theirs": Theirs})
    contract._found.cache_clear()
    try:
        with pytest.raises(RulesError, match="cannot be used"):
            kernel_of(Theirs())
        assert complaint(Klaverjas()) is None
        why = complaint(Theirs())
        assert why is not None
        assert why.startswith("the kernel of the game 'theirs' (their_game.kernel) cannot be used:")
        assert said in why
    finally:
        monkeypatch.undo()
        contract._found.cache_clear()


def test_the_dispatch_has_a_branch_for_each_of_our_games_and_calls_others_by_address() -> None:
    text = dispatch.source(our_kernels())
    for name in FUNCTIONS:
        body = text.split(f"def {name}(")[1].split("\n\n")[0]
        assert body.count("if kind ==") == len(our_kernels()) == 3
        assert body.count(f"return call_{name}(game[") == 1


@pytest.mark.parametrize(
    ("constants", "said"),
    [
        ({"CLOCKWISE": False}, "is wrong about CLOCKWISE"),
        ({"ALONE": True}, r"says ALONE, but sides are \(\(0, 2\), \(1, 3\)\)"),
    ],
)
def test_constants_that_contradict_the_rules_are_refused(
    constants: dict[str, Any], said: str
) -> None:
    module = _module()
    vars(module).update(constants)
    with pytest.raises(RulesError, match=said):
        contract.check_agreement(Kernel(0, "theirs", module), Klaverjas())
