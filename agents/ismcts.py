"""Information set Monte Carlo tree search with a single observer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Literal

import numpy as np

from agents.policies.card_inputs import seen_of
from agents.policies.features import deck_of
from agents.policies.model import SHIPPED, hash_of, policies_for, read_policy
from agents.search.best_response import Others, Plan, respond
from agents.search.decision import (
    UCBS,
    CardStatistics,
    Final,
    Ucb,
    best_card,
    most_promising,
    root_statistics,
    roots_upto,
    scales_upto,
    spend,
)
from agents.search.nodes import Nodes, give_up, keep_subtree, new_nodes, size_of
from agents.search.observers import NO_HANDS, new_hands
from agents.search.response_by_steps import respond_by_steps
from agents.search.tree import Policy, grow
from agents.searchers.tree_search import Question, TreeSearch, decide_once
from arena.config.model_file import ModelFile
from arena.core.agent import Agent, Setup, parameter
from arena.core.errors import ArenaError
from arena.core.rules import Action, Rules, View
from arena.core.seeds import Rng
from arena.games.kernel.jit import warms
from arena.games.kernel.layout import HANDS, Words
from arena.games.kernel.spec import KernelGame

_MOST_NODES = 1 << 20
"""A tree with a time budget stops growing here (64 MB), but not searching."""


_MOST_PLAN_NODES = 1 << 17
"""The same for a best response."""
_NOT_HERE = (
    *("evaluator", "rollout", "rollouts", "lookahead"),
    *("first_play", "observers", "reuse_tree"),
)
"""What a best response has no use for."""


@dataclass(frozen=True, kw_only=True)
class Ismcts(TreeSearch):
    """Grows one tree over all worlds that agree with what is known; plays the card tried most.

    Source: SO-ISMCTS of Cowling, Powley and Whitehouse 2012 as used by Aaldering 2023
    (`ucb: global` as in its program, `c: 200` its best constant); in Hearts every player
    maximises their own value (max-n). Differs: values are always those of the side to move,
    where the program of the thesis changes their sign with every card, also between the
    last card of a trick and the lead of its winner; worlds are drawn exactly; ties go to the
    best mean. `aaldering-2023` brings single deviations of the program back. Bids by Monte
    Carlo unless a bidder is set beside it; passes cards as `rule` does.

    `tree: best-response` searches the decisions of this seat only, the others playing by a
    policy in the tree and in playouts (docs/champion.md).
    """

    simulations: int = parameter(1000, help="simulations per decision", at_least=1)
    ucb: Ucb = parameter(
        "availability", help="N in sqrt(ln N / n): simulations, parent's visits or availability"
    )
    first_play: float | None = parameter(
        None,
        help="urgency of a card not tried yet: points above the mean of those tried; "
        "without it all are tried once first",
        at_least=0,
    )
    observers: Literal["one", "all"] = parameter(
        "one", help="all: in the tree the other players decide by the cards they hold"
    )
    prior: float = parameter(
        3.0, help="observers all: visits that the statistics of all hands are worth", at_least=0
    )
    final: Final = parameter("visits", help="play the card with most visits or the best mean")
    reuse_tree: bool = parameter(False, help="go on with what is left of the last decision's tree")
    tree: Literal["all-seats", "best-response"] = parameter(
        "all-seats", help="who searches; best-response: this seat, the others play by a policy"
    )
    policy: ModelFile | None = parameter(
        None, help="best-response: a file with policies; by default the game's own"
    )
    sharpness: float = parameter(
        2.0, help="best-response: the power to which the chances of cards are raised", at_least=0
    )
    partner: Literal["policy", "searches"] = parameter(
        "policy", help="best-response: whether the partner searches too"
    )
    types_in_tree: bool = parameter(
        False,
        help="best-response: others play by the types that beliefs found, else all by the first",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.tree == "best-response":
            self._check_best_response()
        if self.observers == "all" and (self.reuse_tree or self.first_play is not None):
            raise ArenaError("observers: all goes with neither reuse_tree nor first_play")

    def _check_best_response(self) -> None:
        fixed = {field.name: field.default for field in fields(self) if field.name in _NOT_HERE}
        for name, default in fixed.items():
            if getattr(self, name) != default:
                raise ArenaError(f"tree: best-response does not go with {name}")
        if self.ucb == "global":
            raise ArenaError("tree: best-response goes with ucb availability or parent, the same")

    @property
    def needs(self) -> tuple[str, ...]:
        """Policies are for four players, and best responses give tricks to the highest card."""
        own = ("four-players", "highest-takes") if self.tree == "best-response" else ()
        return (*super().needs, *own)

    @property
    def games(self) -> tuple[str, ...] | None:
        """Without a policy of their own, best responses play the games that one comes along for."""
        allowed = super().games
        if self.tree != "best-response":
            return allowed
        known = SHIPPED if self.policy is None else read_policy(self.policy).games
        return known if allowed is None else tuple(game for game in known if game in allowed)

    @property
    def model_hash(self) -> str | None:
        """What the networks and the policies are known by."""
        known = super().model_hash
        if self.tree != "best-response":
            return known
        return "+".join(filter(None, (known, hash_of(self.policy))))

    def take_seat(self, setup: Setup) -> Agent:
        """With `reuse_tree` a player that remembers its tree, else this one."""
        return _Remembering(self) if self.reuse_tree else self

    def choose(self, view: View, rng: Rng) -> Action:
        """The card with most visits, or the best mean."""
        question = self.question(view, rng)
        if self.tree == "best-response":
            return best_card(self._respond(view, question), self.final)
        nodes = self.search(view, question)
        card = self.best(question.game, nodes, rng)
        give_up(nodes)
        return card

    def decide(self, view: View, rng: Rng) -> tuple[Action, dict[Action, CardStatistics]]:
        """The card, and what the search found out about all of them."""
        question = self.question(view, rng)
        if self.tree == "best-response":
            found = self._respond(view, question)
            return best_card(found, self.final), found
        nodes = self.search(view, question)
        card, found = self.best(question.game, nodes, rng), root_statistics(question.game, nodes)
        give_up(nodes)
        return card, found

    def best(self, game: KernelGame, nodes: Nodes, rng: Rng) -> Action:
        """The card to play after a search."""
        return most_promising(game, nodes, self.final)

    def explain(self, view: View, rng: Rng) -> dict[Action, CardStatistics]:
        """Visits, mean value and availability of each card."""
        return self.decide(view, rng)[1]

    def selection(self, rules: Rules) -> Policy:
        """How trees choose between cards."""
        return (
            super()
            .selection(rules)
            ._replace(
                ucb=UCBS[self.ucb],
                first_play=np.inf if self.first_play is None else self.first_play,
                prior=self.prior,
            )
        )

    def search(self, view: View, question: Question, begun: Nodes | None = None) -> Nodes:
        """The tree after this decision's simulations, added to those of a tree already begun."""
        game, policy, leaves = question.game, question.policy, question.leaves
        worlds = self.worlds_of(view, question)
        nodes = new_nodes(self.room) if begun is None else begun
        hands = new_hands(self.room + 1) if self.observers == "all" else NO_HANDS
        visits = 0 if begun is None else int(begun.slots["visits"][0])
        scales = scales_upto(visits + self.room)

        def simulate(simulations: int) -> None:
            grow(
                nodes, hands, simulations, question.root, game.words, worlds, policy, leaves,
                question.judge, scales, question.seed,
            )  # fmt: skip

        self._spend(question, simulate)
        return nodes

    @property
    def room(self) -> int:
        """How many nodes a decision may add to a tree."""
        return self.simulations if self.budget is None else _MOST_NODES

    def _respond(self, view: View, question: Question) -> dict[Action, CardStatistics]:
        """What each card is worth against others who play by a policy."""
        game, root, rules = question.game, question.root, view.rules
        worlds = self.worlds_of(view, question)
        side = rules.side_of(view.seat)
        policy, searching = policies_for(rules, self.policy), self._searching(view)
        style = policy.style(game, view, self.sharpness)
        voids = question.voids
        seen = voids if style is None else seen_of(game, view)
        factors = policy.factors(game, self.sharpness)
        others = Others(deck_of(game), factors, self.types_in_tree, searching)
        hand = int(root[int(HANDS) + view.seat])
        nodes = self.simulations if self.budget is None else _MOST_PLAN_NODES
        plan = Plan.empty(nodes, hand.bit_count())
        roots = roots_upto(nodes)
        used = 1

        def simulate(simulations: int) -> None:
            nonlocal used
            if style is None:
                used = respond(
                    plan, used, simulations, root, voids, game.words, worlds, others,
                    question.policy.c, question.leaves, side, roots, question.seed,
                )  # fmt: skip
            else:
                used = respond_by_steps(
                    plan, used, simulations, root, seen, game.words, worlds, style, searching,
                    question.policy.c, question.leaves, side, roots, question.seed,
                )  # fmt: skip

        self._spend(question, simulate)
        return plan_statistics(game, hand, plan)

    def _searching(self, view: View) -> Words:
        """A bit for each seat that searches."""
        rules = view.rules
        partners = rules.sides[rules.side_of(view.seat)]
        seats = partners if self.partner == "searches" else (view.seat,)
        return np.array([sum(1 << seat for seat in seats)], dtype=np.uint64)

    def _spend(self, question: Question, simulate: Callable[[int], None]) -> None:
        """All simulations, or as many as there is time for."""
        if self.budget is None:
            simulate(self.simulations)
        else:
            spend(question.began + self.budget.milliseconds / 1000, simulate)


class _Remembering:
    """Plays one round; begins each search with the part of the last tree that came true."""

    def __init__(self, agent: Ismcts) -> None:
        self._agent = agent
        self._tree: Nodes | None = None
        self._played: tuple[int, ...] = ()

    @property
    def reproducible(self) -> bool:
        return self._agent.reproducible

    def act(self, view: View, rng: Rng) -> Action:
        """The best card after the search."""
        if (action := self._agent.without_search(view, rng)) is not None:
            return action
        played = tuple(card for trick in view.tricks for card in trick.cards) + view.table
        question = self._agent.question(view, rng)
        begun = self._come_true(question, played)
        self._tree = self._agent.search(view, question, begun)
        self._played = played
        return self._agent.best(question.game, self._tree, rng)

    def _come_true(self, question: Question, played: tuple[int, ...]) -> Nodes | None:
        if self._tree is None:
            return None
        cards = question.game.masks([1 << card for card in played[len(self._played) :]])
        kept = new_nodes(size_of(self._tree) + self._agent.room)
        return kept if keep_subtree(self._tree, cards, kept) else None


def plan_statistics(game: KernelGame, hand: int, plan: Plan) -> dict[int, CardStatistics]:
    """What was found out about the cards at the root, in ascending order."""
    bits = [bit for bit in range(64) if hand >> bit & 1]
    total = int(plan.visits[1, -1])
    cards = {
        game.cards[bit]: CardStatistics(visits, float(plan.scores[1, at, 0]), total)
        for at, bit in enumerate(bits)
        if (visits := int(plan.visits[1, at]))
    }
    return dict(sorted(cards.items()))


@warms
def _exercise() -> None:
    decide_once(Ismcts(simulations=2))
