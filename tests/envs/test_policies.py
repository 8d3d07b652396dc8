"""Agents as policies in environments, and policies as agents."""

from __future__ import annotations

import pytest

import arena
from arena.core.errors import ArenaError
from arena.core.rules import Rules, View
from arena.core.seeds import Rng
from arena.envs import AgentPolicy, Int8s, PolicyAgent, TableEnv
from arena.games.hearts import Hearts
from arena.games.klaverjas import Klaverjas


@pytest.mark.parametrize(
    "rules", [Klaverjas(bidding="classical"), Hearts(passing="left")], ids=repr
)
def test_an_agent_decides_as_in_the_arena(rules: Rules) -> None:
    env, policy = TableEnv(rules), AgentPolicy("rule", seed=4)
    env.reset(seed=1)
    for _ in range(2):
        actions = []
        while env.round.turn is not None:
            actions.append(policy(env))
            env.step(actions[-1])
        played = arena.play(rules, ["rule"] * rules.players, seed=4, deal=env.round.deal)
        assert tuple(actions) == played.actions
        env.reset()


class CountsDecisions:
    """Plays the legal action with the number of its decision; remembers how many it has made."""

    def __init__(self) -> None:
        self.made = 0

    def take_seat(self, setup: object) -> CountsDecisions:
        return CountsDecisions()

    def act(self, view: View, rng: Rng) -> int:
        self.made += 1
        assert self.made == len(view.tricks) + 1
        return view.legal[self.made % len(view.legal)]


def test_agents_that_remember_begin_anew() -> None:
    env, policy = TableEnv("klaverjas"), AgentPolicy(CountsDecisions())
    for seed in range(2):
        env.reset(seed=seed)
        while env.round.turn is not None:
            env.step(policy(env))


def last_legal(observation: Int8s, mask: Int8s) -> int:
    return int(mask.nonzero()[0][-1])


class LastLegal(PolicyAgent):
    def policy(self, observation: Int8s, mask: Int8s) -> int:
        return last_legal(observation, mask)


def test_a_policy_is_an_agent() -> None:
    played = arena.play("schieber", [PolicyAgent(last_legal), LastLegal()] * 2, seed=1)
    assert played.fault is None
    env = TableEnv("schieber")
    env.reset(options={"deal": played.deal})
    for action in played.actions:
        assert action == max(env.round.legal)
        env.step(action)


def test_an_illegal_answer_is_a_fault() -> None:
    played = arena.play("klaverjas", [PolicyAgent(lambda observation, mask: -1), "rule"] * 2)
    assert played.fault is not None and played.fault.kind == "illegal"


def test_an_agent_without_policy_is_refused() -> None:
    with pytest.raises(ArenaError, match="has no policy"):
        PolicyAgent()
