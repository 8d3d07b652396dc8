"""The codes of named options in compiled searches."""

from __future__ import annotations

from typing import Literal, TypeAlias

RANDOM, SEMI_RANDOM, CALLED, RULE = 0, 1, 2, 3
"""How playouts choose cards. `CALLED` is by a compiled function of the player's own, `RULE` by a
book of rules (see `arena.games.rulebook`)."""
DIFFERENCE, OWN_POINTS, WIN, SHARE = 0, 1, 2, 3
"""What a playout is worth to a side: points more than the others, its points, 1 for a win, or its
share of all points."""
IGNORE, BLOCK, SHOOT = 0, 1, 2
"""What all points in one hand mean where few are good."""

PlainRollout: TypeAlias = Literal["random", "semi-random"]
Rollout: TypeAlias = Literal["random", "semi-random", "rule", "light", "heavy"]
Moon: TypeAlias = Literal["ignore", "block", "shoot"]

PLAIN_ROLLOUTS: dict[PlainRollout, int] = {"random": RANDOM, "semi-random": SEMI_RANDOM}
ROLLOUTS: dict[Rollout, int] = {
    "random": RANDOM,
    "semi-random": SEMI_RANDOM,
    "rule": RULE,
    "light": RULE,
    "heavy": RULE,
}
VALUES: dict[str, int] = {
    "difference": DIFFERENCE,
    "own-points": OWN_POINTS,
    "win": WIN,
    "share": SHARE,
}
MOONS: dict[Moon, int] = {"ignore": IGNORE, "block": BLOCK, "shoot": SHOOT}


def needs_of_rollout(rollout: Rollout) -> tuple[str, ...]:
    """What a game must have for playouts of this kind (see `arena.games.needs`)."""
    return (f"{rollout}-playouts",) if ROLLOUTS[rollout] == RULE else ()
