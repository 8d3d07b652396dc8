"""OpenSpiel's own bots, for the games that come from there.

Sources: OpenSpiel 2.0 (Lanctot et al. 2019, arXiv:1908.09453); Cowling, Powley and Whitehouse 2012
for information set search, Kocsis and Szepesvári 2006 for UCT. The bots are OpenSpiel's; ours is
how they come to a state: each begins with the round that the view holds possible, and searches
rounds that look the same. The search in C++ draws them by OpenSpiel's own sampler, which in
hearts deals cards to players that are out of the suit, and in euchre never doubts its guess of
what the dealer has discarded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from arena.core.agent import parameter
from arena.core.rules import Action, View
from arena.core.seeds import Rng
from arena.games.open_spiel import OpenSpielGame

_MEMORY_MB = 1000
_SEEDS = 1 << 31


@dataclass(frozen=True)
class OpenSpielBot:
    """A bot of OpenSpiel: search over information sets, or full-information search on worlds."""

    bot: Literal["ismcts", "python-ismcts", "mcts"] = parameter(
        "mcts",
        help="MCTS on each of so many worlds, by their votes; or IS-MCTS, in C++ or in Python",
    )
    simulations: int = parameter(100, help="simulations per decision; mcts: per world", at_least=2)
    worlds: int = parameter(10, help="worlds per decision, for mcts", at_least=1)
    uct_c: float = parameter(
        5.0, help="the constant of UCT, in the game's own returns", at_least=0.0
    )
    rollouts: int = parameter(1, help="random rollouts at each leaf", at_least=1)

    games: ClassVar[tuple[str, ...]] = (OpenSpielGame.name,)

    @property
    def needs(self) -> tuple[str, ...]:
        """Searches over information sets need distinct ones."""
        return ("possible-rounds",) if self.bot == "mcts" else ("possible-rounds", "own-actions")

    @property
    def reproducible(self) -> bool:
        """Not in C++: the order in which that search tries moves depends on memory addresses."""
        return self.bot != "ismcts"

    def act(self, view: View, rng: Rng) -> Action:
        """What the bot does in a round that looks the same."""
        rules = view.rules
        assert isinstance(rules, OpenSpielGame)  # `games` says so
        assert view.information is not None  # each view of such a game has it
        if len(view.legal) == 1:
            return view.legal[0]
        state = rules.state_after(view.information.history)

        def another() -> Any:
            return rules.state_after(rules.possible_history(state, view.seat, rng))

        if self.bot == "mcts":
            action = self._mcts(another, rng)
        elif self.bot == "ismcts":
            action = self._ismcts(state, rng)
        else:
            action = self._python_ismcts(state, another, rng)
        return rules.arena_action(state, action)

    def _mcts(self, another: Callable[[], Any], rng: Rng) -> int:
        import pyspiel

        rollout = pyspiel.RandomRolloutEvaluator(self.rollouts, rng.below(_SEEDS))
        votes: Counter[int] = Counter()
        for _ in range(self.worlds):
            world, seed = another(), rng.below(_SEEDS)
            game = world.get_game()
            bot = pyspiel.MCTSBot(
                game, rollout, self.uct_c, self.simulations, _MEMORY_MB, False, seed, False
            )
            votes[bot.step(world)] += 1
        most = max(votes.values())
        return min(action for action, count in votes.items() if count == most)

    def _ismcts(self, state: Any, rng: Rng) -> int:
        import pyspiel

        best = pyspiel.ISMCTSFinalPolicyType.MAX_VISIT_COUNT
        rollout = pyspiel.RandomRolloutEvaluator(self.rollouts, rng.below(_SEEDS))
        bot = pyspiel.ISMCTSBot(
            rng.below(_SEEDS), rollout, self.uct_c, self.simulations, -1, best, False, False
        )
        return int(bot.step(state))

    def _python_ismcts(self, state: Any, another: Callable[[], Any], rng: Rng) -> int:
        import numpy as np
        from open_spiel.python.algorithms import ismcts, mcts

        numbers = np.random.RandomState(rng.below(_SEEDS))
        rollout = mcts.RandomRolloutEvaluator(self.rollouts, numbers)
        bot = ismcts.ISMCTSBot(
            state.get_game(), rollout, self.uct_c, self.simulations, random_state=numbers
        )
        bot.set_resampler(lambda at, player: another())
        return int(bot.step(state))
