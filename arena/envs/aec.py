"""Every game of the arena as a PettingZoo environment (AEC): one round, four (or fewer) agents.

    env = pettingzoo.make("aec", "arena/klaverjas-v0")     # after `import arena.envs`
    env = arena.envs.TableEnv({"name": "hearts", "passing": "left"}, render_mode="ansi")

Agents are `player_0` to `player_3`, in the seats N, E, S, W. A call, a card to pass on and a card
to play are actions alike; a seat that passes three cards acts three times. The reward at the end
of the round is the margin of the seat's side: its score less the mean of the others', in its
favour. All rewards before that are 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from arena.api.rounds import rules_of
from arena.core.cards import SEATS
from arena.core.deals import Deal
from arena.core.rules import Action, Rules, View, side_name
from arena.core.scoring import side_margins
from arena.core.seeds import rng_for
from arena.envs.compiled_round import CompiledRng, CompiledRound, CompiledRounds
from arena.envs.encoding import Encoding, Int8s, Record, action_mask, encoding_of, known_cards


class TableEnv(AECEnv):  # type: ignore[misc]  # PettingZoo comes without types
    """One table; `reset` deals a new round.

    `reset(seed=...)` fixes this deal and those of later resets. `reset(options={"deal": deal})`
    plays a given deal, so that several policies can play the same cards.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "render_modes": ["human", "ansi"],
        "is_parallelizable": False,
        "render_fps": 1,
    }

    def __init__(
        self, game: str | Mapping[str, Any] | Rules, render_mode: str | None = None
    ) -> None:
        super().__init__()
        self.rules = rules_of(game)
        self.render_mode = render_mode
        self.metadata = {**type(self).metadata, "name": f"arena_{self.rules.name}_v0"}  # type: ignore[misc]
        self.possible_agents = [f"player_{seat}" for seat in range(self.rules.players)]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        encoding = encoding_of(self.rules)
        self._observations = {agent: _observations(encoding) for agent in self.possible_agents}
        self._actions = {agent: spaces.Discrete(encoding.actions) for agent in self.possible_agents}
        self._size = encoding.size
        self._compiled_rounds = CompiledRounds(self.rules)
        self._deals = rng_for(0, "environment")
        self._number = 0
        self.agents: list[str] = []
        self._round: Any = None
        self._unplayed: list[Action] = []
        """Actions that the rule book has not been given yet: compiled code has carried them out."""
        self._compiled: CompiledRound | None = None

    @property
    def round(self) -> Any:
        """The round in progress, with all hands, by the rule book."""
        for action in self._unplayed:
            self.rules.apply(self._round, action)
        self._unplayed.clear()
        return self._round

    def observation_space(self, agent: str) -> spaces.Dict:
        """`observation` (see `arena.envs.encoding`) and `action_mask`; both int8."""
        return self._observations[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Arena's own numbers: cards, then calls."""
        return self._actions[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new round."""
        if seed is not None:
            self._deals, self._number = rng_for(seed, "environment"), 0
        deal: Deal | None = (options or {}).get("deal")
        if deal is None:
            deal = self.rules.random_deal(CompiledRng(self._deals.next64()), self._number)
            self._number += 1
        else:
            self.rules.check_deal(deal)
        self._unplayed.clear()
        self._round = self.rules.start(deal)
        self._record = Record(self.rules)
        self._compiled = self._follow()
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self.agent_selection = self.possible_agents[self._round.turn]

    def _follow(self) -> CompiledRound | None:
        self._record.follow(self._round)
        return self._compiled_rounds.begin(self._round, self._record)

    def observe(self, agent: str) -> dict[str, Int8s]:
        """What the seat of an agent knows, and what it may do; nothing, if it is not its turn."""
        seat = self._seats[agent]
        if self._compiled is not None:
            seen = self._compiled.observation(seat)
            return {"observation": seen[: self._size], "action_mask": seen[self._size :]}
        table = self._round
        legal = table.legal if seat == table.turn else ()
        observation = (
            self._record.observation(seat, table.hands[seat], known_cards(self.view(agent)))
            if table.shown or table.passing
            else self._record.observation(seat, table.hands[seat])
        )
        return {"observation": observation, "action_mask": action_mask(self.rules, legal)}

    def view(self, agent: str | None = None) -> View:
        """What the seat of an agent knows, as agents of the arena get it; by default, in turn."""
        seat = self._seats[self.agent_selection if agent is None else agent]
        return self.rules.view(self.round, seat)

    def step(self, action: int | None) -> None:
        """Perform the action of the agent in turn; an illegal one raises `IllegalAction`."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        turn = self._turn_after(-1 if action is None else int(action))
        if turn is not None:
            self.agent_selection = self.possible_agents[turn]
        else:
            self._finish()
        if self.render_mode == "human":
            self.render()

    def _turn_after(self, action: Action) -> int | None:
        """Perform an action; the seat in turn then, None after the round."""
        compiled = self._compiled
        if compiled is None:
            self.rules.apply(self._round, action)
            self._compiled = self._follow()
            turn: int | None = self._round.turn
            return turn
        if not compiled.play(action):
            self.rules.apply(self.round, action)  # says why
        self._unplayed.append(action)
        return None if compiled.is_over else compiled.turn

    def _finish(self) -> None:
        compiled = self._compiled
        scores = compiled.scores() if compiled else self.rules.outcome(self._round).scores
        margins = side_margins(self.rules, scores)
        for seat, each in enumerate(self.possible_agents):
            self.rewards[each] = margins[self.rules.side_of(seat)]
            self.terminations[each] = True
        self._accumulate_rewards()
        self._deads_step_first()

    def render(self) -> str | None:
        """The view of the seat in turn, or the result, as text; `human` prints it."""
        if self.round.turn is None:
            outcome = self.rules.outcome(self.round)
            sides = (side_name(self.rules, side) for side in range(len(outcome.scores)))
            scores = zip(sides, outcome.scores, strict=True)
            text = "score   " + ", ".join(f"{side} {score}" for side, score in scores)
        else:
            text = f"{SEATS[self.round.turn]}\n{self.view()}"
        if self.render_mode == "ansi":
            return text
        print(text)
        return None

    def close(self) -> None:
        """No-op: there are no resources."""


def _observations(encoding: Encoding) -> spaces.Dict:
    return spaces.Dict(
        {
            "observation": spaces.Box(0, 127, (encoding.size,), np.int8),
            "action_mask": spaces.Box(0, 1, (encoding.actions,), np.int8),
        }
    )
