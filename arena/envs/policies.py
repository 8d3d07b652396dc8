"""Agents of the arena as policies in environments, and policies as agents of the arena.

policy = AgentPolicy("ismcts", seed=1)
env.step(policy(env))

agent = PolicyAgent(lambda observation, mask: int(mask.argmax()))
arena.play("klaverjas", [agent, "rule"] * 2)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from arena.api.rounds import seat_agent
from arena.core.agent import Player, Setup, sees_all_cards
from arena.core.errors import ArenaError
from arena.core.rules import Action, Rules, View
from arena.core.seeds import Rng
from arena.envs.encoding import Int8s, action_mask, observe
from arena.tournament.referee import seat_rng


class AgentPolicy:
    """An agent, or the name of a family, that acts for the seat in turn of an environment.

    It decides as in `arena.play` with the same seed and deal, and may have any number of seats.
    """

    def __init__(self, agent: Any, *, seed: int = 0) -> None:
        self._agent, self._seed = agent, seed
        self._round: Any = None
        self._seats: dict[int, tuple[Player, Rng]] = {}

    def __call__(self, env: Any) -> Action:
        """The action of the agent in turn; `env` is a `TableEnv`, also inside wrappers."""
        table = env.unwrapped.round
        if table is not self._round:
            self.restart()
            self._round = table
        return self.act(env.unwrapped.rules, table)

    def restart(self) -> None:
        """Forget the round: another one begins."""
        self._seats = {}

    def act(self, rules: Rules, table: Any) -> Action:
        """The action of the seat in turn; `table` is the round in progress."""
        seat: int = table.turn
        if seat not in self._seats:
            player = seat_agent(self._agent, rules, copied=True).take_seat(Setup(rules, seat))
            self._seats[seat] = player, seat_rng(self._seed, table.deal.id, 0, seat)
        player, seeds = self._seats[seat]
        view = rules.view(table, seat, all_hands=sees_all_cards(player))
        return player.act(view, Rng(seeds.next64()))


Policy = Callable[[Int8s, Int8s], Any]
"""From an observation and an action mask to an action."""


class PolicyAgent:
    """An agent that does what a policy says, in games of environments.

    Derive from it, with a `policy` of your own, for a family that experiments name
    (`family: "./mine.py:Mine"`).
    """

    def __init__(self, policy: Policy | None = None) -> None:
        if policy is not None:
            self.policy: Policy = policy
        elif not callable(getattr(self, "policy", None)):
            raise ArenaError(f"{type(self).__name__} has no policy(observation, action_mask)")

    def act(self, view: View, rng: Rng) -> Action:
        """What the policy answers; an illegal action is a fault, as for every agent."""
        return int(self.policy(observe(view), action_mask(view.rules, view.legal)))
