"""Best response: searches only this seat's decisions, the others play by a policy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from agents.bidding.pass_search import PASSING_HELP, Passing, pass_by_search
from agents.policies.features import deck_of
from agents.policies.kinds import Policy
from agents.policies.model import SHIPPED, hash_of, policies_for, read_policy
from agents.search.best_response import Others, Plan, respond
from agents.search.decision import CardStatistics, Final, best_card, roots_upto
from agents.search.response_by_steps import respond_by_steps
from agents.searchers.tree_search import Searcher
from arena.config.model_file import ModelFile
from arena.core.agent import parameter
from arena.core.rules import Action, Rules, View
from arena.core.seeds import Rng
from arena.games.kernel.layout import HANDS, Words
from arena.games.kernel.spec import KernelGame

_MOST_NODES = 1 << 17
"""A tree with a time budget stops growing here, but not searching."""
_LOOKS = 16
"""A search looks at most so often whether its card is certain; a look takes 0.02 ms."""


@dataclass(frozen=True, kw_only=True)
class BestResponse(Searcher):
    """Finds the card that does best against others that play by a policy.

    The tree has nodes for this seat's decisions only; the others draw their cards from the
    policy, each from their own hand, in the tree and in playouts (docs/research/champion.md).
    Source: none. Bids by Monte Carlo unless the configuration names a bidder.
    """

    simulations: int = parameter(1000, help="simulations per decision", at_least=1)
    policy: ModelFile | None = parameter(
        None, help="a file with policies; by default the game's own"
    )
    sharpness: float = parameter(
        2.0, help="the power to which chances are raised where others play", at_least=0
    )
    partner: Literal["policy", "searches"] = parameter(
        "policy", help="whether the partner searches too"
    )
    types_in_tree: bool = parameter(
        False, help="others play by the types that beliefs found, else all by the first"
    )
    final: Final = parameter("visits", help="play the card with most visits or the best mean")
    passing: Passing = parameter("rule", help=PASSING_HELP)

    @property
    def needs(self) -> tuple[str, ...]:
        """Policies are for four players, and the search gives tricks to the highest card."""
        return (*super().needs, "four-players", "highest-takes")

    @property
    def games(self) -> tuple[str, ...] | None:
        """The games of the policy; without one of its own, those with a bundled policy."""
        allowed = super().games
        known = SHIPPED if self.policy is None else read_policy(self.policy).games
        return known if allowed is None else tuple(game for game in known if game in allowed)

    @property
    def model_hash(self) -> str:
        """The hashes of the beliefs' model and of the policies, for the fingerprint."""
        bundled = hash_of(None) if self.policy and self.passing == "search" else None
        return "+".join(filter(None, (super().model_hash, hash_of(self.policy), bundled)))

    def others(self, rules: Rules) -> Policy:
        """The policy by which the others play."""
        return policies_for(rules, self.policy)

    def pass_card(self, view: View, rng: Rng) -> Action:
        """A card to pass on."""
        by_search = self.passing == "search"
        return pass_by_search(view, rng) if by_search else super().pass_card(view, rng)

    def choose(self, view: View, rng: Rng) -> Action:
        """The card that `search_all` finds; stops as soon as no other can have more visits."""
        return self._search(view, rng, self.final == "visits" and self.budget is None)[0]

    def search_all(self, view: View, rng: Rng) -> tuple[Action, dict[Action, CardStatistics]]:
        """The card, and visits and mean value of each against others that play by the policy."""
        return self._search(view, rng, until_decided=False)

    def _search(
        self, view: View, rng: Rng, until_decided: bool
    ) -> tuple[Action, dict[Action, CardStatistics]]:
        """Search with all simulations, or only until the card with most visits is certain."""
        question = self.question(view, rng)
        game, root, rules = question.game, question.root, view.rules
        worlds = self.worlds_of(question)
        side, searching = rules.side_of(view.seat), self._searching(view)
        policy = self.others(rules)
        style, observed = policy.style(question.observed, self.sharpness), question.observed
        factors = policy.factors(game, self.sharpness)
        others = Others(deck_of(game), factors, self.types_in_tree, searching)
        hand = int(root[int(HANDS) + view.seat])
        nodes = self.simulations if self.budget is None else _MOST_NODES
        plan, roots, c = (
            Plan.empty(nodes, hand.bit_count()),
            roots_upto(nodes),
            question.selection.c,
        )
        used = 1

        def simulate(simulations: int) -> None:
            nonlocal used
            luck = question.seed.copy()  # the same for all parts of a search
            if style is None:
                used = respond(
                    plan, used, simulations, root, observed.voids, game.words, worlds, others, c,
                    question.leaves, side, roots, luck,
                )  # fmt: skip
            else:
                used = respond_by_steps(
                    plan, used, simulations, root, observed.known, game.words, worlds, style,
                    searching, c, question.leaves, side, roots, luck,
                )  # fmt: skip

        if until_decided:
            _simulate_until_decided(plan, self.simulations, simulate)
        else:
            self.spend(question, self.simulations, simulate)
        found = _plan_statistics(game, hand, plan)
        return best_card(found, self.final), found

    def _searching(self, view: View) -> Words:
        """A bit for each seat that searches."""
        rules = view.rules
        partners = rules.sides[rules.side_of(view.seat)]
        seats = partners if self.partner == "searches" else (view.seat,)
        return np.array([sum(1 << seat for seat in seats)], dtype=np.uint64)


def _simulate_until_decided(plan: Plan, simulations: int, simulate: Callable[[int], None]) -> None:
    """Call `simulate` until no other card at the root can have as many visits as the first.

    The next look is when that could be at the earliest, but not after very few simulations.
    """
    left, least = simulations, max(1, simulations // _LOOKS)
    while left > 0:
        second, first = np.partition(plan.visits[1, :-1], -2)[-2:].tolist()
        if first - second > left:
            return
        part = min(left, max(least, (left - (first - second)) // 2 + 1))
        simulate(part)
        left -= part


def _plan_statistics(game: KernelGame, hand: int, plan: Plan) -> dict[int, CardStatistics]:
    """The statistics of the cards at the root, in ascending order of the cards."""
    bits = [bit for bit in range(64) if hand >> bit & 1]
    total = int(plan.visits[1, -1])
    cards = {
        game.cards[bit]: CardStatistics(visits, float(plan.scores[1, at, 0]), total)
        for at, bit in enumerate(bits)
        if (visits := int(plan.visits[1, at]))
    }
    return dict(sorted(cards.items()))
