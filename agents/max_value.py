"""Plays the card after which a network sees the best end of the round; no search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from agents.beliefs import BELIEFS, HELP, Beliefs
from agents.beliefs.hoogenboom import Certain
from agents.bidding.usual import usual_bid
from agents.networks.dense_network import Network
from agents.search.decision import CardStatistics, best_card
from agents.search.network import Judge, expected_margin, follow, judge_of, load_network, set_out
from agents.search.worlds import Worlds, deal_world, observe_for, worlds_for
from arena.config.model_file import ModelFile
from arena.core.agent import parameter
from arena.core.cards import cards_of
from arena.core.rules import Action, View
from arena.core.seeds import Rng
from arena.games.kernel.jit import compiled
from arena.games.kernel.layout import LEFT, STATE_WORDS, TURN, ZERO, Words
from arena.games.kernel.spec import kernel_game
from arena.games.kernel.step import copy_state, final_scores, play, side_of

SHIPPED = "value-klaverjas"


@dataclass(frozen=True, kw_only=True)
class MaxValue:
    """Asks a value network about every legal card in some worlds, and plays the best mean.

    Source: the "Max Value" bot of Niklaus 2019, section 13.4 (1,000 worlds). Bids by Monte Carlo
    unless the configuration names a bidder.
    """

    compiles: ClassVar[bool] = True

    needs: ClassVar[tuple[str, ...]] = ("kernel", "two-sides")

    model: ModelFile | None = parameter(
        None, help="the network, as for evaluator: network; by default the one for Klaverjas"
    )
    worlds: int = parameter(1000, help="worlds per decision", at_least=1)
    beliefs: Beliefs = parameter(Certain(), help=HELP, kinds=BELIEFS)

    @property
    def network(self) -> Network:
        """The network; `ArenaError` says what is wrong with the model."""
        return load_network(self.model or ModelFile.find(SHIPPED))

    @property
    def games(self) -> tuple[str, ...] | None:
        """The games that it plays: with the bundled network, Klaverjas."""
        return ("klaverjas",) if self.model is None else None

    @property
    def model_hash(self) -> str:
        """The hashes of the networks, for the fingerprint."""
        hashes = [self.network.sha256, getattr(self.beliefs, "model_hash", None)]
        return "+".join(known for known in hashes if known)

    def act(self, view: View, rng: Rng) -> Action:
        """The card with the best mean."""
        if len(view.legal) == 1:
            return view.legal[0]
        if view.phase == "bid":
            return usual_bid(view, rng)
        return best_card(self.explain(view, rng), "value")

    def explain(self, view: View, rng: Rng) -> dict[Action, CardStatistics]:
        """The mean value of each card."""
        game = kernel_game(view.rules, view.trump)
        observed = observe_for(self.beliefs, game, view)
        judge = judge_of(self.network, observed)
        # Where the network is not shown worlds, they are all alike.
        worlds = self.worlds if judge.sees_worlds else 1
        bits = cards_of(int(game.mask(sum(1 << card for card in view.legal))))
        cards = np.array([1 << bit for bit in bits], dtype=np.uint64)
        means = np.zeros(len(cards))
        seed = np.array([rng.next64()], dtype=np.uint64)
        plan = worlds_for(observed, self.beliefs, seed)
        _ask(observed.state, game.words, plan, judge, cards, worlds, seed, means)
        return {
            game.cards[bit]: CardStatistics(worlds, float(mean), worlds)
            for bit, mean in zip(bits, means, strict=True)
        }


@compiled
def _ask(
    root: Words,
    game: Words,
    plan: Worlds,
    judge: Judge,
    cards: Words,
    worlds: Any,
    rng: Words,
    means: NDArray[np.float64],
) -> None:
    """The mean of what the network expects after each card, for the side that plays it."""
    world, state = np.empty(STATE_WORDS, np.uint64), np.empty(STATE_WORDS, np.uint64)
    scores = np.empty(4, np.int64)
    copy_state(root, world)
    side = side_of(game, root[TURN])
    for _ in range(worlds):
        deal_world(plan, rng, world)
        for i in range(len(cards)):
            copy_state(world, state)
            play(state, game, cards[i])
            set_out(judge)
            follow(judge, cards[i])
            if state[LEFT] == ZERO:
                final_scores(state, game, scores)
                value = float(scores[side] - scores[side ^ np.uint64(1)])
            else:
                value = expected_margin(state, game, judge)
                if side_of(game, state[TURN]) != side:
                    value = -value
            means[i] += value / np.float64(worlds)
