"""Many tables at once: the same rounds as the referee's, observations and rewards included."""

from __future__ import annotations

import numpy as np
import pytest

from arena.core.errors import ArenaError
from arena.core.rules import IllegalAction, Rules
from arena.envs import TableEnv, Tables, TablesStep
from arena.games.hearts import Hearts
from arena.games.klaverjas import Klaverjas
from arena.games.schieber import Schieber

RULES: list[Rules] = [
    Klaverjas(),
    Klaverjas(bidding="classical"),
    Schieber(),
    Hearts(passing="none"),
    Hearts(players=3, passing="none"),
]


def random_actions(step: TablesStep, rng: np.random.Generator) -> np.ndarray:
    return np.asarray((step.action_mask * rng.random(step.action_mask.shape)).argmax(1))


def same_round(tables: Tables, table: int) -> TableEnv:
    """The round that begins at a table, played by the referee."""
    env, dealt = TableEnv(tables.rules), tables.deal(table)
    env.reset(options={"deal": dealt.deal})
    for call in dealt.calls:
        env.step(call)
    return env


@pytest.mark.parametrize("rules", RULES, ids=repr)
def test_same_rounds_as_the_referee(rules: Rules) -> None:
    count, rounds = 20, 2
    rng = np.random.default_rng(1)
    tables = Tables(rules, count, seed=3)
    step = tables.reset()
    envs = [same_round(tables, table) for table in range(count)]
    for _ in range(rounds * rules.players * rules.hand_size):
        actions = random_actions(step, rng)
        for table, env in enumerate(envs):
            seat = int(step.seat[table])
            assert env.agent_selection == f"player_{seat}"
            seen = env.observe(env.agent_selection)
            np.testing.assert_array_equal(step.observation[table], seen["observation"])
            np.testing.assert_array_equal(step.action_mask[table], seen["action_mask"])
            env.step(int(actions[table]))
        step = tables.step(actions)
        for table, env in enumerate(envs):
            assert step.done[table] == all(env.terminations.values())
            np.testing.assert_allclose(step.rewards[table], [*env.rewards.values()], rtol=1e-6)
        if step.done.all():
            envs = [same_round(tables, table) for table in range(count)]
    assert len({repr(tables.deal(table)) for table in range(count)}) == count


def test_a_table_does_not_depend_on_the_others() -> None:
    few, many = Tables("klaverjas", 2, seed=5), Tables("klaverjas", 9, seed=5)
    few.reset()
    many.reset()
    assert few.deal(1) == many.deal(1)
    assert few.deal(1) != Tables("klaverjas", 2, seed=6).deal(1)


def test_wrong_actions_are_refused_before_any_card_is_played() -> None:
    tables = Tables("hearts", 3, seed=1)
    step = tables.reset()
    actions = step.action_mask.argmax(1)
    before = step.observation.copy()
    for wrong in (int(np.flatnonzero(step.action_mask[2] == 0)[0]), -1, 1_000):
        with pytest.raises(IllegalAction, match=r"legal: .*table 2"):
            tables.step([*actions[:2], wrong])
    with pytest.raises(ArenaError, match=r"shape \(2,\); expected \(3,\)"):
        tables.step(actions[:2])
    np.testing.assert_array_equal(step.observation, before)
    tables.step(actions)


@pytest.mark.parametrize(
    ("game", "why"),
    [
        ({"name": "hearts", "passing": "left"}, "say passing: none"),
        ({"name": "schieber", "weis": True}, "say weis: false"),
    ],
)
def test_games_that_cannot_be_played_here(game: dict[str, object], why: str) -> None:
    with pytest.raises(ArenaError, match=why):
        Tables(game, 2)
    with pytest.raises(ArenaError, match="at least 1"):
        Tables("klaverjas", 0)
