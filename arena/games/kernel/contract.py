"""What a game's `kernel` module must offer, and which games do.

A game takes part in the kernel by having a module `kernel` in the package of its rule book,
built-in or plug-in: the entry points of `arena.games` lead to it. The module has
compiled functions with the names and parameters below, a few constants, and
`kernel_game(rules, trump) -> KernelGame`; README.md says what each is for. A function that
has a usual answer may be left out.

Built-in games are numbered in the order of their names, then those of plug-ins. A module that
breaks the contract, or cannot be imported or compiled, takes no part; `kernel_of` raises an
error with the reason.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any

from numba import types

from arena.core.registry import GAMES
from arena.core.rules import Rules, RulesError
from arena.games.kernel import jit, layout
from arena.games.kernel.pointers import GAME, NUMBERS, WORDS, prototype
from arena.games.parts import has_part, part_name, part_of


@dataclass(frozen=True)
class Function:
    """A function of the contract."""

    parameters: tuple[str, ...]
    result: str
    """`word`, `flag` or nothing."""
    usual: str | None = None
    """Its value in a game without this function, as an expression; None if it is required."""


def _function(parameters: str, result: str, usual: str | None = None) -> Function:
    return Function(tuple(parameters.split()), result, usual)


FUNCTIONS: dict[str, Function] = {
    "leading": _function("rule game hand first_trick opened", "word", "hand"),
    "following": _function(
        "rule game trumps hand table led best partner_holds first_trick", "word"
    ),
    "trick_value": _function("game first_parameter table", "word"),
    "opens": _function("game table seat", "word", "ZERO"),
    "taker": _function("state game table", "word", "state[HOLDER]"),
    "after_trick": _function("state game table leader left", "", "None"),
    "can_score_ahead": _function("game", "flag", "False"),
    "score_ahead": _function("state game", "", "None"),
    "final_scores": _function("state game scores", ""),
    "semi_leading": _function("semi_random_flags game calls seat cards", "word", "cards"),
    "semi_following": _function(
        "semi_random_flags game trumps calls seat cards table led best partner_holds", "word"
    ),
}

_FLAGS = {"first_trick", "partner_holds"}
_TYPES: dict[str, Any] = {
    "game": GAME,
    "state": WORDS,
    "scores": NUMBERS,
    **dict.fromkeys(_FLAGS, types.boolean),
}
_RESULTS = {"word": types.uint64, "flag": types.boolean, "": types.none}


def _types_of(function: Function) -> tuple[Any, ...]:
    return tuple(_TYPES.get(parameter, types.uint64) for parameter in function.parameters)


PROTOTYPES = {
    name: prototype(_RESULTS[function.result], *_types_of(function))
    for name, function in FUNCTIONS.items()
}
"""For calls of a plug-in's functions through their addresses."""


def slot_of(name: str) -> int:
    """Which word of a plug-in's game has the address of a function."""
    return layout.FUNCTIONS + list(FUNCTIONS).index(name)


@dataclass(frozen=True)
class Kernel:
    """A game's part of the kernel."""

    number: int
    game: str
    module: ModuleType

    @property
    def is_ours(self) -> bool:
        """Whether it belongs to arena itself; searches have the code of these games built in."""
        return self.module.__name__.startswith("arena.")

    @property
    def step(self) -> int:
        """With four players the next turn is that of `(seat + step) % 4`."""
        return 1 if self.module.CLOCKWISE else 3

    @property
    def pairs(self) -> bool:
        """Whether partners sit opposite and nothing depends on which of them took a trick."""
        return bool(self.module.PAIRS)

    @property
    def alone(self) -> bool:
        """Whether every seat is a side of its own, with its number."""
        return bool(getattr(self.module, "ALONE", False))

    @property
    def special_rules(self) -> tuple[int, ...]:
        """The values of `RULE` that get a playout loop of their own."""
        return tuple(map(int, getattr(self.module, "SPECIAL_RULES", ())))

    def has(self, function: str) -> bool:
        """Whether the module has one of the functions that may be left out."""
        return hasattr(self.module, function)


@cache
def _found() -> tuple[tuple[Kernel, ...], dict[str, str]]:
    """The kernels with the right form, and what is wrong with the others, by module name."""
    sound: dict[str, Kernel] = {}
    broken: dict[str, str] = {}
    games = GAMES.loaded(lambda _: None).items()
    for name, game in sorted(games, key=lambda item: not item[1].__module__.startswith("arena.")):
        module = _module_name(game)
        if module in sound or module in broken or not has_part(game, "kernel"):
            continue
        try:
            found = part_of(game, "kernel")
            why = next(_complaints(found), None)
        except (Exception, SystemExit) as error:  # importing runs a plug-in's code
            why = _said(error)
        if why is None:
            sound[module] = Kernel(len(sound), name, found)
        else:
            broken[module] = why
    return tuple(sound.values()), broken


@cache
def _compile_error(kernel: Kernel) -> str | None:
    """Why a plug-in's functions cannot be compiled; ours are compiled by the tests."""
    if kernel.is_ours or jit.config.DISABLE_JIT:
        return None
    try:
        return next(uncompilable(kernel.module), None)
    except Exception as error:  # compiling a plug-in's code
        return _said(error)


def _said(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


def our_kernels() -> tuple[Kernel, ...]:
    """The games of arena itself, by number."""
    return tuple(kernel for kernel in _found()[0] if kernel.is_ours)


def kernel_of(rules: Rules) -> Kernel:
    """The kernel of a game; `RulesError` says why it has none."""
    if (why := complaint(rules)) is not None:
        raise RulesError(why)
    module = _module_name(type(rules))
    return next(kernel for kernel in _found()[0] if kernel.module.__name__ == module)


def complaint(rules: Rules) -> str | None:
    """Why the kernel cannot play a game; None if it can."""
    module = _module_name(type(rules))
    sound, broken = _found()
    kernel = next((kernel for kernel in sound if kernel.module.__name__ == module), None)
    if kernel is None and module not in broken:
        return f"the game {rules.name!r} has no compiled kernel"
    why = broken[module] if kernel is None else _compile_error(kernel)
    if why is None:
        return None
    return f"the kernel of the game {rules.name!r} ({module}) cannot be used: {why}"


def _module_name(game: type) -> str:
    return part_name(game, "kernel")


def _complaints(module: ModuleType) -> Iterator[str]:
    """What a module does not have that it must have."""
    for name in ("CLOCKWISE", "PAIRS", "kernel_game"):
        if not hasattr(module, name):
            yield f"it has no {name}"
    for name, wanted in FUNCTIONS.items():
        function = getattr(module, name, None)
        if function is None:
            if wanted.usual is None:
                yield f"it has no function {name}"
            continue
        parameters = tuple(inspect.signature(getattr(function, "py_func", function)).parameters)
        if parameters != wanted.parameters:
            yield (
                f"{name} has the parameters {', '.join(parameters)}; "
                f"expected {', '.join(wanted.parameters)}"
            )


def uncompilable(module: ModuleType) -> Iterator[str]:
    """The functions of a kernel module that cannot be compiled for the types of the contract."""
    for name, wanted in FUNCTIONS.items():
        function = getattr(module, name, None)
        if function is None:
            continue
        if not hasattr(function, "py_func"):
            yield f"{name} is not compiled: decorate it with @inlined or @compiled"
            continue
        signature = _types_of(wanted)
        function.compile(signature)
        found = function.overloads[signature].signature.return_type
        if found != _RESULTS[wanted.result]:
            yield f"{name} returns {found}; expected {_RESULTS[wanted.result]}"


def check_agreement(kernel: Kernel, rules: Rules) -> None:
    """Raise `RulesError` if a kernel's constants are not those of the rules."""
    if rules.players == 4 and rules.seat_after(0) != kernel.step:
        raise RulesError(f"the kernel of {rules.name!r} is wrong about CLOCKWISE")
    if rules.players == 4 and kernel.pairs and rules.sides != ((0, 2), (1, 3)):
        raise RulesError(f"the kernel of {rules.name!r} says PAIRS, but sides are {rules.sides}")
    if kernel.alone and rules.sides != tuple((seat,) for seat in range(rules.players)):
        raise RulesError(f"the kernel of {rules.name!r} says ALONE, but sides are {rules.sides}")
