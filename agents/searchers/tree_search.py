"""What the tree searches have in common: parameters, and what comes before a search."""

from __future__ import annotations

import abc
from dataclasses import dataclass
from functools import cached_property
from time import perf_counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.beliefs import BELIEFS, HELP, Beliefs, games_of, needs_of
from agents.beliefs.hoogenboom import Certain
from agents.bidding.passing import pass_card
from agents.bidding.usual import usual_bid
from agents.rulebooks import BOOKS, book_of
from agents.search.codes import MOONS, ROLLOUTS, VALUES, Moon, Rollout
from agents.search.decision import UCBS, CardStatistics, Value, exploration
from agents.search.leaves import Leaves
from agents.search.network import Judge, judge_of
from agents.search.tree import Policy
from agents.search.worlds import Worlds, belief_of, worlds_for
from agents.searchers.budget import Budget
from agents.searchers.evaluators import EVALUATORS, Evaluator, Playouts
from arena.core.agent import Belief, parameter
from arena.core.errors import ArenaError
from arena.core.rules import Action, Rules, View
from arena.core.seeds import Rng
from arena.games.kernel.contract import example_rules
from arena.games.kernel.layout import Words
from arena.games.kernel.rng import rng_array
from arena.games.kernel.spec import KernelGame, kernel_game
from arena.games.sight import Sight, sight_of, states_in


class Question(NamedTuple):
    """A decision in kernel coordinates, and how it is to be searched."""

    game: KernelGame
    sight: Sight
    """What the view says."""
    root: Words
    """Hands that the view does not show are empty."""
    voids: Words
    """The lanes that each seat did not follow."""
    policy: Policy
    leaves: Leaves
    judge: Judge
    seed: NDArray[np.uint64]
    began: float
    """When the decision began, by `perf_counter`."""


class _Case(NamedTuple):
    """What is the same for all decisions of a searcher by the same rules with the same trump."""

    game: KernelGame
    policy: Policy
    leaves: Leaves
    """Of a search that does not look at the view for them."""


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
    evaluator: Evaluator = parameter(Playouts(), help="what judges a new node", kinds=EVALUATORS)
    beliefs: Beliefs = parameter(Certain(), help=HELP, kinds=BELIEFS)
    moon: Moon = parameter(
        "shoot", help="Hearts, all points in one hand: ignore, block others, or also shoot"
    )
    lookahead: int | None = parameter(
        None, help="playouts stop so many tricks after this one; else at the end", at_least=0
    )

    def __post_init__(self) -> None:
        if self.c is not None and self.c_normalised is not None:
            raise ArenaError("give either c or c_normalised, not both")
        by_network = not isinstance(self.evaluator, Playouts)
        if by_network and (self.value != "difference" or self.lookahead is not None):
            raise ArenaError("a network judges by value: difference, without lookahead")

    @property
    def needs(self) -> tuple[str, ...]:
        """What a game must have: a kernel, two sides for a network to judge, what beliefs need."""
        judge = () if isinstance(self.evaluator, Playouts) else ("two-sides",)
        return ("kernel", *judge, *needs_of(self.beliefs))

    @property
    def games(self) -> tuple[str, ...] | None:
        """The games that it plays: those with the rules that playouts go by and, where beliefs
        need a policy, with one."""
        return games_of(self.beliefs, BOOKS.get(self.rollout))

    @property
    def model_hash(self) -> str | None:
        """What the networks are known by, for the fingerprint: the judge, then the beliefs."""
        hashes = [getattr(part, "model_hash", None) for part in (self.evaluator, self.beliefs)]
        return "+".join(known for known in hashes if known) or None

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
            return usual_bid(view, rng)
        return None if view.phase == "play" else pass_card(view, rng)

    @abc.abstractmethod
    def choose(self, view: View, rng: Rng) -> Action:
        """Search for the best of several cards."""

    @abc.abstractmethod
    def explain(self, view: View, rng: Rng) -> dict[Action, CardStatistics]:
        """What the search finds out about each card."""

    def believes(self, view: View, rng: Rng) -> Belief:
        """Who holds which hidden card how likely, as the search would assume."""
        game, seed = kernel_game(view.rules, view.trump), rng_array(Rng(rng.next64()))
        return belief_of(game, view, sight_of(game, view), self.beliefs, seed)

    def question(self, view: View, rng: Rng) -> Question:
        """The decision of a view, with a generator of its own."""
        began = perf_counter()
        key = view.rules, view.trump
        case = self._cases.get(key)
        if case is None:
            case = self._cases[key] = self._case(*key)
        game, policy, leaves = case
        if self.lookahead is not None or self.rollout in BOOKS:
            leaves = self._leaves_of(view, game, leaves)
        sight = sight_of(game, view)
        root, voids = states_in(game, sight)
        judge = judge_of(self.evaluator.network, game, view, root)
        seed = np.empty(1, np.uint64)
        seed[0] = rng.next64()
        return Question(game, sight, root, voids, policy, leaves, judge, seed, began)

    def worlds_of(self, view: View, question: Question) -> Worlds:
        """The worlds that are searched, as they are believed in."""
        game, sight, root, seed = question.game, question.sight, question.root, question.seed
        return worlds_for(game, view, sight, root, self.beliefs, seed)

    def selection(self, rules: Rules) -> Policy:
        """How trees choose between cards."""
        c = exploration(rules, self.c, self.c_normalised, self.value)
        return Policy(c, UCBS["parent"])

    @cached_property
    def _cases(self) -> dict[tuple[Rules, int | None], _Case]:
        return {}

    def _case(self, rules: Rules, trump: int | None) -> _Case:
        if self.evaluator.mix and len(rules.sides) != 2:
            raise ArenaError("a network judges games of two sides only")
        leaves = Leaves(
            self.rollouts,
            ROLLOUTS[self.rollout],
            VALUES[self.value],
            MOONS[self.moon],
            0,
            self.evaluator.mix,
        )
        return _Case(kernel_game(rules, trump), self.selection(rules), leaves)

    def _leaves_of(self, view: View, game: KernelGame, leaves: Leaves) -> Leaves:
        """How leaves are judged where that depends on the view."""
        if self.lookahead is not None:
            tricks_left = view.rules.hand_size - len(view.tricks)
            leaves = leaves._replace(stop=max(0, tricks_left - 1 - self.lookahead))
        if self.rollout in BOOKS:
            leaves = leaves._replace(book=book_of(view, game, self.rollout))
        return leaves


def decide_once(*agents: TreeSearch, rules: Rules | None = None) -> None:
    """Let agents make a decision, so that all they need is compiled before a run's workers start.

    One game is enough, any if none is named: compiled code does not differ between games.
    """
    rules = example_rules() if rules is None else rules
    state = rules.start(rules.random_deal(Rng(0), 0))
    while len(state.tricks) < rules.hand_size - 3:
        rules.apply(state, state.legal[0])
    assert state.turn is not None  # three tricks are left
    view = rules.view(state, state.turn, all_hands=True)
    for agent in agents:
        agent.choose(view, Rng(0))
