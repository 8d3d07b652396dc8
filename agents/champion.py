"""The champion: plays what does best against hands and habits that the past makes likely.

Three parts that gain little alone and much together (docs/champion.md):

* a policy that says how likely each card is for a seat that knows this much;
* worlds as likely as they make what the others played;
* a tree in which only the champion chooses, the others playing by the policy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import ClassVar, NamedTuple

import numpy as np

from agents.bidding.monte_carlo import MonteCarlo
from agents.budget import Budget
from agents.passing import pass_card
from agents.policies.features import deck_of
from agents.policies.inference import Inference, infer, past_of, types_for
from agents.policies.model import SHIPPED, PolicyModel, hash_of, policies_for
from agents.search.best_response import Others, Plan, respond
from agents.search.codes import DIFFERENCE, RANDOM, SHOOT
from agents.search.decision import (
    CardStatistics,
    Final,
    best_card,
    exploration,
    roots_upto,
    spend,
)
from agents.search.leaves import Leaves
from arena.agent import parameter
from arena.games.kernel.jit import warms
from arena.games.kernel.layout import HANDS, Words
from arena.games.kernel.spec import KernelGame, kernel_game
from arena.games.klaverjas import Klaverjas
from arena.model_file import ModelFile
from arena.rules import Action, Rules, View
from arena.seeds import Rng

__all__ = ["Champion"]

_MOST_NODES = 1 << 17
_LEAVES = Leaves(1, RANDOM, DIFFERENCE, SHOOT, 0, 0.0)


class Found(NamedTuple):
    """What a decision came to."""

    cards: dict[Action, CardStatistics]
    inferred: Inference
    game: KernelGame


@dataclass(frozen=True, kw_only=True)
class Champion:
    """Searches for the best response to how others play, in worlds that explain their plays.

    Plays Klaverjas, Schieber and Hearts, each with a policy that comes along. Bids by Monte Carlo
    unless a bidder is set beside it; passes cards as `rule` does.
    """

    games: ClassVar[tuple[str, ...]] = SHIPPED

    simulations: int = parameter(6000, help="simulations per decision", at_least=1)
    budget: Budget | None = parameter(None, help="time per decision instead of a count")
    worlds: int = parameter(1500, help="worlds in the pool; all, if there are no more", at_least=1)
    inference: bool = parameter(True, help="weigh worlds by what was played; else all are alike")
    trust: float = parameter(
        1.0, help="the power to which the likelihood of past plays is raised", at_least=0
    )
    sharpness: float = parameter(
        2.0, help="the power to which chances are raised where others play", at_least=0
    )
    strangers: float = parameter(
        0.0,
        help="how likely it is that a side does not play like a search but by another of the types",
        at_least=0,
        at_most=1,
    )
    types_in_tree: bool = parameter(False, help="others play as their types do, else like a search")
    c: float | None = parameter(
        None, help="exploration in points; by default a constant of the game", at_least=0
    )
    final: Final = parameter("visits", help="play the card with most visits or the best mean")
    model: ModelFile | None = parameter(
        None, help="a file with policies; by default the game's own"
    )

    def policies(self, rules: Rules) -> PolicyModel:
        """The policies for a game."""
        return policies_for(rules, self.model)

    @property
    def model_hash(self) -> str:
        """What the policies are known by, for the fingerprint."""
        return hash_of(self.model)

    @property
    def reproducible(self) -> bool:
        """Whether the same seed gives the same cards: not if the clock decides."""
        return self.budget is None

    def act(self, view: View, rng: Rng) -> Action:
        """The best card after a search, where there is a choice."""
        if len(view.legal) == 1:
            return view.legal[0]
        if view.phase == "bid":
            return MonteCarlo().bid(view, rng)
        if view.phase == "pass":
            return pass_card(view, rng)
        return best_card(self.search(view, rng).cards, self.final)

    def explain(self, view: View, rng: Rng) -> Mapping[Action, CardStatistics]:
        """Visits and mean value of each card."""
        return self.search(view, rng).cards

    def search(self, view: View, rng: Rng) -> Found:
        """What each card is worth, and what is believed of the hidden cards."""
        began = perf_counter()
        rules = view.rules
        game, model = kernel_game(rules, view.trump), self.policies(rules)
        root = game.view_state(view)
        seed = np.array([rng.next64()], dtype=np.uint64)
        past = past_of(game, view, root)
        if not self.inference:
            past = past.forgotten()
        priors = _priors(len(model.types), self.strangers)
        types = types_for(model, game, priors)
        inferred = infer(past, game, types, self.worlds, 4 * self.worlds, seed, self.trust)
        others = Others(deck_of(game), model.factors(game, self.sharpness), self.types_in_tree)
        c = exploration(rules, self.c, None, "difference")
        hand = root[HANDS + np.uint64(view.seat)]
        size = int(hand).bit_count()
        plan = Plan.empty(self.simulations if self.budget is None else _MOST_NODES, size)
        roots = roots_upto(self.simulations)
        side = rules.side_of(view.seat)
        used = 1

        def simulate(simulations: int) -> None:
            nonlocal used
            used = respond(
                plan, used, simulations, root, past.ledger.voids_now, game.words, inferred.pool,
                inferred.count, others, c, _LEAVES, side, roots, seed,
            )  # fmt: skip

        if self.budget is None:
            simulate(self.simulations)
        else:
            spend(began + self.budget.milliseconds / 1000, simulate)
        return Found(_statistics(game, hand, plan), inferred, game)


def _priors(types: int, strangers: float) -> tuple[float, ...]:
    """How likely each type is: the first is that of a search."""
    if types == 1:
        return (1.0,)
    return (1.0 - strangers, *[strangers / (types - 1)] * (types - 1))


def _statistics(game: KernelGame, hand: Words, plan: Plan) -> dict[int, CardStatistics]:
    """What was found out about the cards at the root."""
    bits = [bit for bit in range(64) if int(hand) >> bit & 1]
    total = int(plan.totals[1])
    cards = {}
    for at, bit in enumerate(bits):
        visits = int(plan.visits[1, at])
        if visits:
            cards[game.cards[bit]] = CardStatistics(visits, plan.values[1, at] / visits, total)
    return dict(sorted(cards.items()))


@warms
def _exercise() -> None:
    rules = Klaverjas()
    state = rules.start(rules.random_deal(Rng(0), 0))
    while len(state.tricks) < rules.hand_size - 3:
        rules.apply(state, state.legal[0])
    assert state.turn is not None  # three tricks are left
    Champion(simulations=2, worlds=2).search(rules.view(state, state.turn), Rng(0))
