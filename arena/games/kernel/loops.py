"""The playout loops of all games: `tricks` and `lanes` with the constants of each.

The functions are generated from the games that are installed, as in `dispatch`. A game whose
most usual rule for following suit is to be fast (`SPECIAL_RULES`) has a loop for it in random
playouts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from arena.games.kernel.contract import Kernel, kernels
from arena.games.kernel.generated import import_generated

__all__ = ["lane_tricks", "random_tricks", "semi_tricks", "source"]


def source(games: tuple[Kernel, ...]) -> str:
    """The text of a module that has the playout loops of some games."""
    lines = [
        '"""Written by arena.games.kernel.loops; changes will be lost."""',
        "import numpy as np",
        "from arena.games.kernel import lanes, tricks",
        "from arena.games.kernel.jit import inlined",
        "from arena.games.kernel.layout import KIND, RULE, ZERO",
        *_choice(
            "random_tricks(state, game, seed)",
            "tricks.tricks({kind}, {rule}, False, state, game, seed, ZERO)",
            games,
            special=True,
        ),
        *_choice(
            "semi_tricks(state, game, seed, habits)",
            "tricks.tricks({kind}, {rule}, True, state, game, seed, habits)",
            games,
        ),
        *_choice(
            "lane_tricks(worlds, state, game)",
            "lanes.tricks({kind}, {rule}, worlds, state, game)",
            games,
            special=True,
        ),
    ]
    return "\n".join([*lines, ""])


def _choice(
    function: str, loop: str, games: tuple[Kernel, ...], special: bool = False
) -> Iterator[str]:
    """A function that runs the loop of one of the games."""
    yield from ("", "", "@inlined", f"def {function}:", "    kind, rule = game[KIND], game[RULE]")
    for game in games:
        kind = f"np.uint64({game.number})"
        yield f"    if kind == {kind}:  # {game.game}"
        for number in game.special_rules if special else ():
            yield f"        if rule == np.uint64({number}):"
            yield f"            return {loop.format(kind=kind, rule=f'np.uint64({number})')}"
        yield f"        return {loop.format(kind=kind, rule='rule')}"
    yield '    raise ValueError("game[KIND] is the number of no game")'


_generated: Any = import_generated(__name__, source(kernels()))

_Compiled = Callable[..., Any]
lane_tricks: _Compiled = _generated.lane_tricks
random_tricks: _Compiled = _generated.random_tricks
semi_tricks: _Compiled = _generated.semi_tricks
