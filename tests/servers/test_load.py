"""Many games at once: none is lost, and each is played as if it were alone."""

from __future__ import annotations

import pytest
from helpers.servers import served

from arena.config.entrants import AgentSpec
from arena.core.agent import Setup
from arena.core.codec import codec_for
from arena.core.seeds import Rng, rng_for
from arena.games.klaverjas import Klaverjas
from arena.measure.http_load import play_at_once
from arena.servers.sessions import ServerLimits

RULES = Klaverjas()


def alone(agent: AgentSpec, number: int) -> tuple[str, ...]:
    """What the agent plays in N, in the game that `play_at_once` makes of deal `number`."""
    state, rng, found = RULES.start(deal(number)), Rng(number), []
    seated = agent.build().take_seat(Setup(RULES, 0))
    while state.turn is not None:
        if state.turn == 0:
            action = seated.act(RULES.view(state, 0), Rng(rng.next64()))
            found.append(codec_for(RULES).write_action(action))
        else:
            action = rng.choice(state.legal)
        RULES.apply(state, action)
    return tuple(found)


def deal(number: int):
    return RULES.random_deal(rng_for(9, number), number)


def play_all(agent: AgentSpec, games: int) -> None:
    with served(agent, ServerLimits(threads=4)) as (url, sessions):
        load = play_at_once(url, RULES, [deal(number) for number in range(games)])
        assert len(sessions) == 0
    assert (load.games, load.decisions) == (games, 8 * games)
    assert load.actions == tuple(alone(agent, number) for number in range(games))


def test_games_at_once() -> None:
    play_all(AgentSpec("random"), 40)


@pytest.mark.long
@pytest.mark.parametrize(("family", "games"), [("random", 1000), ("ismcts", 40), ("champion", 10)])
def test_many_games_at_once(family: str, games: int) -> None:
    play_all(AgentSpec(family), games)
