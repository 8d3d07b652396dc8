"""What the tree searches have in common: parameters, and what comes before a search."""

from __future__ import annotations

import abc
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from agents.belief_network import HELP, believer, check_beliefs, model_of
from agents.beliefs import Beliefs, Believer
from agents.bidding.monte_carlo import MonteCarlo
from agents.flat_mc import Budget
from agents.passing import pass_card
from agents.search.decision import (
    MOONS,
    ROLLOUTS,
    UCBS,
    VALUES,
    CardStatistics,
    Moon,
    Rollout,
    Ucb,
    Value,
    exploration,
)
from agents.search.leaves import Leaves
from agents.search.network import NO_NETWORK, Network, load_network
from agents.search.tree import Policy
from arena.agent import parameter
from arena.errors import ArenaError
from arena.games.kernel.layout import Words
from arena.games.kernel.spec import KernelGame, kernel_game
from arena.games.klaverjas import Klaverjas
from arena.rules import Action, View
from arena.seeds import Rng

__all__ = ["Question", "TreeSearch", "decide_once"]


@dataclass(frozen=True, slots=True)
class Question:
    """A decision in kernel coordinates, and how it is to be searched."""

    game: KernelGame
    root: Words
    """Hands that the view does not show are empty."""
    policy: Policy
    leaves: Leaves
    network: Network
    seed: NDArray[np.uint64]
    began: float
    """When the decision began, by `perf_counter`."""


@dataclass(frozen=True, kw_only=True)
class TreeSearch(abc.ABC):
    """A family that searches trees; bids by Monte Carlo, passes cards as `rule` does."""

    budget: Budget | None = parameter(None, help="time per decision instead of a count")
    c: float | None = parameter(
        None, help="exploration in points; by default a constant of the game", at_least=0
    )
    c_normalised: float | None = parameter(
        None, help="exploration as a share of the game's range, instead of c", at_least=0
    )
    rollouts: int = parameter(1, help="playouts per new node", at_least=1)
    rollout: Rollout = parameter("random", help="how playouts choose cards")
    value: Value = parameter("difference", help="what a playout is worth to a side")
    evaluator: str = parameter(
        "rollout", help="what judges a new node: rollout, or network:FILE for a model"
    )
    mix: float = parameter(
        1.0, help="the network's share in a value, playouts have the rest", at_least=0, at_most=1
    )
    beliefs: str = parameter("certain", help=HELP)
    share: float = parameter(
        0.9, help="beliefs probable: share of worlds with probable voids", at_least=0, at_most=1
    )
    m1: float = parameter(
        1.2, help="beliefs probabilities: the declarer and trumps", at_least=0, at_most=1000
    )
    m2: float = parameter(
        1.2, help="beliefs probabilities: the two highest trumps", at_least=0, at_most=1000
    )
    roem_factor: float = parameter(
        0.5, help="beliefs probabilities: what a probable void leaves", at_least=0, at_most=1
    )
    moon: Moon = parameter(
        "shoot", help="Hearts, all points in one hand: ignore, block others, or also shoot"
    )
    lookahead: int | None = parameter(
        None, help="playouts stop so many tricks after this one; else at the end", at_least=0
    )

    def __post_init__(self) -> None:
        check_beliefs(self.beliefs)
        if self.c is not None and self.c_normalised is not None:
            raise ArenaError("give either c or c_normalised, not both")
        if self.evaluator != "rollout":
            if not self.evaluator.startswith("network:"):
                raise ArenaError(
                    f"evaluator: unknown {self.evaluator!r}; allowed: rollout, network:FILE"
                )
            if self.value != "difference" or self.lookahead is not None:
                raise ArenaError("a network judges by value: difference, without lookahead")

    @property
    def network(self) -> Network:
        """The network that judges new nodes."""
        if self.evaluator == "rollout":
            return NO_NETWORK
        return load_network(Path(self.evaluator.removeprefix("network:")))

    @property
    def model_hash(self) -> str | None:
        """What the networks are known by, for the fingerprint: the judge, then the beliefs."""
        judge = None if self.evaluator == "rollout" else self.network
        used = [model for model in (judge, model_of(self.beliefs)) if model is not None]
        return "+".join(model.sha256 for model in used) or None

    @property
    def reproducible(self) -> bool:
        """Whether the same seed gives the same cards: not if the clock decides."""
        return self.budget is None

    def act(self, view: View, rng: Rng) -> Action:
        """The best card after a search, where there is a choice."""
        action = self.without_search(view, rng)
        return self.choose(view, rng) if action is None else action

    def without_search(self, view: View, rng: Rng) -> Action | None:
        """What is done without a search: the only legal card, a bid, a card passed."""
        if len(view.legal) == 1:
            return view.legal[0]
        if view.phase == "bid":
            return MonteCarlo().bid(view, rng)
        return None if view.phase == "play" else pass_card(view, rng)

    @abc.abstractmethod
    def choose(self, view: View, rng: Rng) -> Action:
        """Search for the best of several cards."""

    @abc.abstractmethod
    def explain(self, view: View, rng: Rng) -> dict[Action, CardStatistics]:
        """What the search finds out about each card."""

    def question(self, view: View, rng: Rng, ucb: Ucb, proves: bool = False) -> Question:
        """The decision of a view, with a generator of its own."""
        began = perf_counter()
        game = kernel_game(view.rules, view.trump)
        c = exploration(view.rules, self.c, self.c_normalised, self.value)
        return Question(
            game,
            game.view_state(view),
            Policy(c, UCBS[ucb], proves=proves),
            self._leaves(view),
            self.network,
            np.array([rng.next64()], dtype=np.uint64),
            began,
        )

    def _leaves(self, view: View) -> Leaves:
        uses_network = self.evaluator != "rollout"
        if uses_network and len(view.rules.sides) != 2:
            raise ArenaError("a network judges games of two sides only")
        stop = 0
        if self.lookahead is not None:
            tricks_left = view.rules.hand_size - len(view.tricks)
            stop = max(0, tricks_left - 1 - self.lookahead)
        return Leaves(
            self.rollouts,
            ROLLOUTS[self.rollout],
            VALUES[self.value],
            MOONS[self.moon],
            stop,
            self.mix if uses_network else 0.0,
        )

    @property
    def believed(self) -> Believer:
        """What is believed of the hidden cards."""
        strength = Beliefs("certain", self.share, self.m1, self.m2, self.roem_factor)
        return believer(self.beliefs, strength)


def decide_once(*agents: TreeSearch) -> None:
    """Let agents make a decision, so that all they need is compiled before a run's workers start.

    One game is enough: compiled code does not differ between games.
    """
    rules = Klaverjas()
    state = rules.start(rules.random_deal(Rng(0), 0))
    while len(state.tricks) < rules.hand_size - 3:
        rules.apply(state, state.legal[0])
    assert state.turn is not None  # three tricks are left
    view = rules.view(state, state.turn, all_hands=True)
    for agent in agents:
        agent.choose(view, Rng(0))
