"""Each function of the contract, for all games: `kind`, the first argument, says which.

Our own games are chosen by number, in functions that are generated and inlined, so where `kind`
is a constant nothing is left of the choice. The functions of a plug-in's game are called through
their addresses, which are in the words of the game: what is compiled here, and with it every
search, stays the same whatever is installed. A function that a game leaves out has address 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from arena.games.kernel.contract import FUNCTIONS, Function, Kernel, our_kernels, slot_of
from arena.games.kernel.generated import call_of, import_generated

_NOTHING = {"word": "ZERO", "flag": "False", "": "None"}


def source(games: tuple[Kernel, ...]) -> str:
    """The text of a module that has the functions of the contract for some games."""
    lines = [
        "from arena.games.kernel.contract import PROTOTYPES",
        "from arena.games.kernel.jit import inlined",
        "from arena.games.kernel.layout import HOLDER, ZERO",
    ]
    for game in games:
        package, _, name = game.module.__name__.rpartition(".")
        lines.append(f"from {package} import {name} as game_{game.number}")
    for name, function in FUNCTIONS.items():
        lines += _choice(name, function, games)
    return "\n".join([*lines, ""])


def _choice(name: str, function: Function, games: tuple[Kernel, ...]) -> Iterator[str]:
    """A function that gives the answer of one of the games, or of a plug-in's."""
    parameters = ", ".join(function.parameters)
    yield from ("", "", f'call_{name} = PROTOTYPES["{name}"]')
    yield from ("", "", "@inlined", f"def {name}(kind, {parameters}):")
    for game in games:
        yield f"    if kind == np.uint64({game.number}):  # {game.game}"
        yield f"        return {call_of(game, name, function, f'game_{game.number}')}"
    yield f"    if game[{slot_of(name)}] == ZERO:"
    yield f"        return {function.usual or _NOTHING[function.result]}"
    yield f"    return call_{name}(game[{slot_of(name)}], {parameters})"


_generated: Any = import_generated(__name__, source(our_kernels()))

_Compiled = Callable[..., Any]
after_trick: _Compiled = _generated.after_trick
final_scores: _Compiled = _generated.final_scores
following: _Compiled = _generated.following
score_ahead: _Compiled = _generated.score_ahead
can_score_ahead: _Compiled = _generated.can_score_ahead
leading: _Compiled = _generated.leading
opens: _Compiled = _generated.opens
semi_following: _Compiled = _generated.semi_following
semi_leading: _Compiled = _generated.semi_leading
taker: _Compiled = _generated.taker
trick_value: _Compiled = _generated.trick_value


def __getattr__(name: str) -> _Compiled:
    """`step`, `can_open`, `pairs` and `alone`: only in the copies for one game (`generated`)."""
    raise AttributeError(f"{name} is known where there is one game only")
