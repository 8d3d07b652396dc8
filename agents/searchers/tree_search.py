"""Base of tree searches: their parameters, and the preparation of a search."""

from __future__ import annotations

import abc
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from time import perf_counter
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.beliefs import BELIEFS, HELP, Beliefs, Infers, games_of, needs_of
from agents.beliefs.hoogenboom import Certain
from agents.bidding.passing import pass_card
from agents.bidding.usual import usual_bid
from agents.search.codes import (
    MOONS,
    PLAIN_ROLLOUTS,
    ROLLOUTS,
    RULE,
    VALUES,
    Moon,
    Rollout,
    needs_of_rollout,
)
from agents.search.decision import UCBS, CardStatistics, Value, best_card, exploration, spend
from agents.search.leaves import Leaves
from agents.search.network import Judge, judge_of
from agents.search.tree import Selection
from agents.search.worlds import Worlds, belief_of, worlds_for
from agents.searchers.budget import Budget
from agents.searchers.endings import Endings
from agents.searchers.evaluators import EVALUATORS, Evaluator, Playouts
from agents.searchers.strength import Strength
from arena.core.agent import Belief, parameter
from arena.core.errors import ArenaError
from arena.core.rules import Action, Rules, View
from arena.core.seeds import Rng
from arena.games.kernel.layout import Words
from arena.games.kernel.playout import with_loops
from arena.games.kernel.rng import rng_array
from arena.games.kernel.spec import KernelGame, kernel_game
from arena.games.observation import Observation, observe
from arena.games.rulebook import book_of


class TreeQuestion(NamedTuple):
    """A decision in kernel coordinates, and how to search it."""

    game: KernelGame
    observed: Observation
    root: Words
    """The state to search from; hands that the view does not show are empty."""
    selection: Selection
    leaves: Leaves
    judge: Judge | None
    seed: NDArray[np.uint64]
    began: float
    """When the decision began, by `perf_counter`."""


class _Case(NamedTuple):
    """What all decisions of a searcher by the same rules with the same trump share."""

    game: KernelGame
    selection: Selection
    leaves: Leaves
    """As far as they do not depend on the view."""
    infers: bool
    """Whether beliefs need a ledger of what was played."""


@dataclass(frozen=True, kw_only=True)
class Searcher(Strength, abc.ABC):
    """A family that searches for its cards; it bids by Monte Carlo and passes cards as `rule`."""

    compiles: ClassVar[bool] = True

    budget: Budget | None = parameter(None, help="time per decision instead of a count")
    c: float | None = parameter(
        None, help="exploration in points; by default a constant of the game", at_least=0
    )
    c_normalised: float | None = parameter(
        None, help="exploration as a share of the game's range, instead of c", at_least=0
    )
    value: Value = parameter("difference", help="what a playout is worth to a side")
    beliefs: Beliefs = parameter(Certain(), help=HELP, kinds=BELIEFS)
    moon: Moon = parameter(
        "shoot", help="Hearts, all points in one hand: ignore, block others, or also shoot"
    )
    endings: Endings | None = parameter(
        None, help="the last tricks, solved in sampled worlds instead of searched"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.c is not None and self.c_normalised is not None:
            raise ArenaError("give either c or c_normalised, not both")

    @property
    def needs(self) -> tuple[str, ...]:
        """What a game must have: a kernel, and what beliefs and endings need."""
        endings = () if self.endings is None else self.endings.needs
        return ("kernel", *needs_of(self.beliefs), *endings)

    @property
    def games(self) -> tuple[str, ...] | None:
        """The games that it plays: where beliefs need a policy, those that have one."""
        return self.measured(games_of(self.beliefs))

    @property
    def model_hash(self) -> str | None:
        """The hash of the beliefs' model, for the fingerprint."""
        return getattr(self.beliefs, "model_hash", None)

    @property
    def reproducible(self) -> bool:
        """Whether the same seed gives the same cards: not if the clock decides."""
        return self.budget is None

    def act(self, view: View, rng: Rng) -> Action:
        """The best card after a search, where there is a choice; a weak player draws one."""
        if self.is_weak and view.phase == "play" and len(view.legal) > 1:
            return self.decide(view, rng)[0]
        action = self.without_search(view, rng)
        return self.choose(view, rng) if action is None else action

    def without_search(self, view: View, rng: Rng) -> Action | None:
        """The only legal card, a bid, a passed or a solved card; None if a search must decide."""
        if len(view.legal) == 1:
            return view.legal[0]
        if view.phase == "bid":
            return usual_bid(view, rng)
        if view.phase == "pass":
            return self.pass_card(view, rng)
        solved = self._solved(view, rng)
        return None if solved is None else best_card(solved, "value")

    def pass_card(self, view: View, rng: Rng) -> Action:
        """A card to pass on."""
        return pass_card(view, rng)

    def decide(self, view: View, rng: Rng) -> tuple[Action, dict[Action, CardStatistics]]:
        """The card, and what was found out about all cards."""
        solved = self._solved(view, rng)
        card, found = self.search_all(view, rng) if solved is None else (None, solved)
        if self.is_weak:
            card = self.drawn(view, found, rng)
        return best_card(found, "value") if card is None else card, found

    def explain(self, view: View, rng: Rng) -> dict[Action, CardStatistics]:
        """What was found out about each card."""
        return self.decide(view, rng)[1]

    def choose(self, view: View, rng: Rng) -> Action:
        """Search for the best of several cards."""
        return self.search_all(view, rng)[0]

    @abc.abstractmethod
    def search_all(self, view: View, rng: Rng) -> tuple[Action, dict[Action, CardStatistics]]:
        """Search for the best of several cards; with statistics of all cards."""

    def _solved(self, view: View, rng: Rng) -> dict[Action, CardStatistics] | None:
        """The statistics of an ending; None if the view is of an earlier trick."""
        if self.endings is None or not self.endings.covers(view):
            return None
        question = self.question(view, rng)
        worlds = self.worlds_of(question)
        until = None if self.budget is None else question.began + self.budget.milliseconds / 1000
        return self.endings.solve(view, question.root, worlds, question.seed, until)

    def believes(self, view: View, rng: Rng) -> Belief:
        """The probability of each seat to hold each hidden card, as the search assumes."""
        return belief_of(view, self.beliefs, rng_array(Rng(rng.next64())))

    def question(self, view: View, rng: Rng) -> TreeQuestion:
        """The decision of a view, with a generator of its own."""
        began = perf_counter()
        key = view.rules, view.trump
        case = self._cases.get(key)
        if case is None:
            rules = view.rules
            game = kernel_game(*key)
            if self.loops:
                with_loops(game, *self.loops)
            infers = isinstance(self.beliefs, Infers)
            case = _Case(game, self.selection(rules), self.leaves(rules), infers)
            self._cases[key] = case
        game, selection, leaves, infers = case
        observed = observe(game, view, infers)
        seed = np.empty(1, np.uint64)
        seed[0] = rng.next64()
        return TreeQuestion(game, observed, observed.state, selection, leaves, None, seed, began)

    def worlds_of(self, question: TreeQuestion) -> Worlds:
        """The worlds to search, drawn as the searcher believes."""
        return worlds_for(question.observed, self.beliefs, question.seed)

    def spend(
        self, question: TreeQuestion, simulations: int, simulate: Callable[[int], None]
    ) -> None:
        """Call `simulate` with all simulations, or with as many as there is time for."""
        if self.budget is None:
            simulate(simulations)
        else:
            spend(question.began + self.budget.milliseconds / 1000, simulate)

    def selection(self, rules: Rules) -> Selection:
        """How trees choose between cards."""
        c = exploration(rules, self.c, self.c_normalised, self.value)
        return Selection(c, UCBS["parent"])

    def leaves(self, rules: Rules) -> Leaves:
        """How playouts choose cards, and what their results are worth."""
        return Leaves(1, ROLLOUTS["random"], VALUES[self.value], MOONS[self.moon], 0, 0.0)

    @property
    def loops(self) -> tuple[str, ...]:
        """The loops of the kernel that playouts run in, as `with_loops` names them."""
        return ()

    def __getstate__(self) -> dict[str, Any]:
        """The parameters: addresses of compiled functions are those of one process."""
        return {name: value for name, value in self.__dict__.items() if name != "_cases"}

    @cached_property
    def _cases(self) -> dict[tuple[Rules, int | None], _Case]:
        return {}


@dataclass(frozen=True, kw_only=True)
class TreeSearch(Searcher):
    """A family that searches trees of all seats' cards, and plays new nodes out or judges them."""

    rollouts: int = parameter(1, help="playouts per new node", at_least=1)
    rollout: Rollout = parameter("random", help="how playouts choose cards")
    evaluator: Evaluator = parameter(Playouts(), help="what judges a new node", kinds=EVALUATORS)
    lookahead: int | None = parameter(
        None, help="playouts stop so many tricks after this one; else at the end", at_least=0
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        by_network = not isinstance(self.evaluator, Playouts)
        if by_network and (self.value != "difference" or self.lookahead is not None):
            raise ArenaError("a network judges by value: difference, without lookahead")

    @property
    def needs(self) -> tuple[str, ...]:
        """What a game must have; a network judges games of two sides only."""
        judge = () if isinstance(self.evaluator, Playouts) else ("two-sides",)
        return (*needs_of_rollout(self.rollout), *super().needs, *judge)

    @property
    def model_hash(self) -> str | None:
        """The hashes of the networks, for the fingerprint: the evaluator's, then the beliefs'."""
        hashes = (getattr(self.evaluator, "model_hash", None), super().model_hash)
        return "+".join(filter(None, hashes)) or None

    def question(self, view: View, rng: Rng) -> TreeQuestion:
        """The decision of a view, with leaves and judge as the view asks for."""
        question = super().question(view, rng)
        leaves = question.leaves
        if self.lookahead is not None:
            tricks_left = view.rules.hand_size - len(view.tricks)
            leaves = leaves._replace(stop=max(0, tricks_left - 1 - self.lookahead))
        if ROLLOUTS[self.rollout] == RULE:
            leaves = leaves._replace(book=book_of(question.observed, self.rollout))
        if leaves is not question.leaves:
            question = question._replace(leaves=leaves)
        if self.evaluator.mix:
            judge = judge_of(self.evaluator.network, question.observed)
            question = question._replace(judge=judge)
        return question

    def leaves(self, rules: Rules) -> Leaves:
        """How playouts choose cards, and the evaluator's share in a value."""
        if self.evaluator.mix and len(rules.sides) != 2:
            raise ArenaError("a network judges games of two sides only")
        return (
            super()
            .leaves(rules)
            ._replace(
                rollouts=self.rollouts,
                rollout=ROLLOUTS[self.rollout],
                mix=self.evaluator.mix,
            )
        )

    @property
    def loops(self) -> tuple[str, ...]:
        """The loops of plain playouts; playouts by a book of rules have none."""
        if self.rollout not in PLAIN_ROLLOUTS:
            return ()
        return ("random",) if self.rollout == "random" else ("semi",)
