"""Monte Carlo tree search that sees all cards: an upper bound for what search can do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from agents.search.decision import (
    CardStatistics,
    Final,
    most_promising,
    proven_cards,
    root_statistics,
    scales_upto,
)
from agents.search.nodes import Nodes, give_up, new_nodes
from agents.search.observers import NO_HANDS
from agents.search.tree import Selection, grow
from agents.search.worlds import Worlds, known_worlds
from agents.searchers.evaluators import Playouts
from agents.searchers.tree_search import TreeQuestion, TreeSearch
from arena.core.agent import parameter
from arena.core.rules import Action, Rules, View
from arena.core.seeds import Rng

_MOST_NODES = 1 << 20


@dataclass(frozen=True, kw_only=True)
class Mcts(TreeSearch):
    """UCT on the true cards: it cheats, and shows what knowing them is worth.

    Source: the cheating MCTS of Niklaus 2019, section 13. Differs: between two sides it proves
    values as soon as the ends of the tree are reached (`proves`). Its
    `beliefs` have no effect. Bids by Monte Carlo unless the configuration names a bidder;
    passes cards as `rule` does.
    """

    sees_all_cards: ClassVar[bool] = True

    simulations: int = parameter(1000, help="simulations per decision", at_least=1)
    sees: Literal["all"] = parameter("all", help="it sees all cards")
    final: Final = parameter("visits", help="play the card with most visits or the best mean")
    proves: bool = parameter(True, help="between two sides: prove values near the end")

    def search_all(self, view: View, rng: Rng) -> tuple[Action, dict[Action, CardStatistics]]:
        """The card with most visits, or the best mean, or one that is proven to be better."""
        question, nodes = self._search(view, rng)
        cards = root_statistics(question.game, nodes)
        chosen = most_promising(question.game, nodes, self.final)
        proven = proven_cards(question.game, nodes)
        give_up(nodes)
        return max([*proven, chosen], key=lambda card: cards[card].value), cards

    def worlds_of(self, question: TreeQuestion) -> Worlds:
        """The true cards."""
        return known_worlds()

    def _search(self, view: View, rng: Rng) -> tuple[TreeQuestion, Nodes]:
        question = self.question(view, rng)
        game, selection = question.game, question.selection
        room = self.simulations if self.budget is None else _MOST_NODES
        nodes, scales = new_nodes(room, selection.proves), scales_upto(room)
        known = self.worlds_of(question)

        def simulate(simulations: int) -> None:
            grow(
                nodes, NO_HANDS, simulations, question.root, game.words, known, selection,
                question.leaves, question.judge, scales, question.seed,
            )  # fmt: skip

        self.spend(question, self.simulations, simulate)
        return question, nodes

    def selection(self, rules: Rules) -> Selection:
        """How trees choose between cards; where values are proven, those may still be best."""
        proves = self.proves and self._can_prove(rules)
        return super().selection(rules)._replace(proves=proves)

    def _can_prove(self, rules: Rules) -> bool:
        return (
            len(rules.sides) == 2
            and rules.higher_wins
            and self.value == "difference"
            and self.lookahead is None
            and isinstance(self.evaluator, Playouts)
        )
