"""Each function of the contract, for all games at once: `kind`, the first argument, says which.

The functions are generated from the games that are installed (see `contract`). They are
inlined, so where `kind` is a constant nothing is left of the choice. The number of no game
has no legal cards and no scores, and playouts raise an error; an error here, in the middle of
the loops, would cost 8% of their speed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from arena.games.kernel.contract import FUNCTIONS, Function, Kernel, kernels
from arena.games.kernel.generated import import_generated

_NOTHING = {"word": "ZERO", "flag": "False", "": "None"}


def source(games: tuple[Kernel, ...]) -> str:
    """The text of a module that has the functions of the contract for some games."""
    lines = [
        "from arena.games.kernel.jit import inlined",
        "from arena.games.kernel.layout import HOLDER, ONE, THREE, ZERO",
    ]
    for game in games:
        package, _, name = game.module.__name__.rpartition(".")
        lines.append(f"from {package} import {name} as {_alias(game)}")
    for name, function in FUNCTIONS.items():
        answers = [_call(game, name, function) for game in games]
        lines += _choice(name, function.parameters, games, answers, _NOTHING[function.result])
    steps = ["ONE" if game.step == 1 else "THREE" for game in games]
    opening = [str(game.has("opens")) for game in games]
    lines += _choice("step", (), games, steps, "ZERO")
    lines += _choice("can_open", (), games, opening, "False")
    lines += _choice("pairs", (), games, [str(game.pairs) for game in games], "False")
    lines += _choice("alone", (), games, [str(game.alone) for game in games], "False")
    return "\n".join([*lines, ""])


def _choice(
    name: str,
    parameters: tuple[str, ...],
    games: tuple[Kernel, ...],
    answers: list[str],
    nothing: str,
) -> Iterator[str]:
    """A function that gives the answer of one of the games, or `nothing`."""
    yield from ("", "", "@inlined", f"def {name}({', '.join(('kind', *parameters))}):")
    for game, answer in zip(games, answers, strict=True):
        yield f"    if kind == np.uint64({game.number}):  # {game.game}"
        yield f"        return {answer}"
    yield f"    return {nothing}"


def _call(game: Kernel, name: str, function: Function) -> str:
    if not game.has(name) and function.usual is not None:
        return function.usual
    return f"{_alias(game)}.{name}({', '.join(function.parameters)})"


def _alias(game: Kernel) -> str:
    return f"game_{game.number}"


_generated: Any = import_generated(__name__, source(kernels()))

_Compiled = Callable[..., Any]
after_trick: _Compiled = _generated.after_trick
alone: _Compiled = _generated.alone
can_open: _Compiled = _generated.can_open
final_scores: _Compiled = _generated.final_scores
following: _Compiled = _generated.following
foresee: _Compiled = _generated.foresee
foresees: _Compiled = _generated.foresees
leading: _Compiled = _generated.leading
opens: _Compiled = _generated.opens
pairs: _Compiled = _generated.pairs
semi_following: _Compiled = _generated.semi_following
semi_leading: _Compiled = _generated.semi_leading
step: _Compiled = _generated.step
taker: _Compiled = _generated.taker
trick_value: _Compiled = _generated.trick_value
