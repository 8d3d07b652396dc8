"""Environments for reinforcement learning: every game as a PettingZoo environment, and n at once.

`import arena.envs` registers `arena/klaverjas-v0`, `arena/schieber-v0`, `arena/hearts-v0` and one
for each game of a plug-in with PettingZoo, so that `pettingzoo.make("aec", ...)` finds them. The
package needs `pip install "arena-tricks[envs]"`.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

from pettingzoo import register

from arena.core.rules import Rules
from arena.envs.aec import TableEnv
from arena.envs.encoding import Int8s, action_mask, encoding_of, observe
from arena.envs.policies import AgentPolicy, PolicyAgent
from arena.envs.tables import TableDeal, Tables, TablesStep
from arena.games.needs import trick_games

__all__ = [
    "AgentPolicy",
    "Int8s",
    "PolicyAgent",
    "TableDeal",
    "TableEnv",
    "Tables",
    "TablesStep",
    "action_mask",
    "encoding_of",
    "observe",
    "register_game",
]


def register_game(name: str, game: str | Mapping[str, Any] | Rules) -> None:
    """Let PettingZoo find a game, or a choice of its options, as `arena/NAME-v0`."""
    register("aec", f"arena/{name}-v0", entry_point=partial(TableEnv, game))


for _name in trick_games():
    register_game(_name, _name)
