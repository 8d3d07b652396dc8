"""The tree search of Aaldering 2023 for Klaverjas, with what its program does otherwise."""

from __future__ import annotations

from dataclasses import dataclass

from agents.ismcts import Ismcts
from agents.papers.as_published import check_deviations
from agents.papers.backtracking import backtracked_worlds
from agents.search.decision import Ucb, root_statistics
from agents.search.nodes import Nodes
from agents.search.tree import Selection, call_credit
from agents.search.worlds import Worlds
from agents.searchers.tree_search import TreeQuestion
from arena.core.agent import parameter
from arena.core.errors import ArenaError
from arena.core.rules import Action, Rules
from arena.core.seeds import Rng
from arena.games.kernel.jit import uncounted
from arena.games.kernel.layout import Int, Numbers
from arena.games.kernel.pointers import address_of
from arena.games.kernel.spec import KernelGame

DEVIATIONS: dict[str, str] = {
    "sign-by-depth": (
        "values change their sign with every card, as if the sides took turns: wrong from the "
        "first trick on that the side which did not lead it takes"
    ),
    "ties-at-random": "of several cards with most visits any is played, not the one of best mean",
    "backtracked-worlds": (
        "cards are dealt one by one to any seat that may have them, and taken back where that "
        "leads nowhere: not all worlds are equally likely"
    ),
}
"""The deviations that `as_published` can switch on, and the behaviour of the thesis' program."""


@dataclass(frozen=True, kw_only=True)
class Aaldering2023(Ismcts):
    """The `ismcts` of Aaldering 2023: its constant, its formula, and its program's deviations.

    Source: Aaldering 2023, sections 4 and 5 (the rollout agent). Differs: nothing but what
    `as_published` leaves off; as `ismcts` it is right without any of them.
    """

    c: float | None = parameter(200.0, help="exploration in points", at_least=0)
    ucb: Ucb = parameter(
        "global", help="N in sqrt(ln N / n): simulations, parent's visits or availability"
    )
    as_published: tuple[str, ...] = parameter((), help="single deviations of the program of 2023")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_deviations(self.as_published, DEVIATIONS)
        if "ties-at-random" in self.as_published and self.final != "visits":
            raise ArenaError("as_published: ties-at-random goes with final: visits")

    @property
    def needs(self) -> tuple[str, ...]:
        """A sign can change between two sides only."""
        alternating = "sign-by-depth" in self.as_published
        return (*super().needs, "two-sides") if alternating else super().needs

    def selection(self, rules: Rules) -> Selection:
        """How trees choose between cards, with the signs of the program."""
        usual = super().selection(rules)
        if "sign-by-depth" not in self.as_published:
            return usual
        return usual._replace(credit=address_of(_by_depth, call_credit))

    def worlds_of(self, question: TreeQuestion) -> Worlds:
        """The worlds that are searched, drawn exactly or as the program does."""
        if "backtracked-worlds" in self.as_published:
            return backtracked_worlds(question.observed)
        return super().worlds_of(question)

    def best(self, game: KernelGame, nodes: Nodes, rng: Rng) -> Action:
        """The card to play after a search."""
        if "ties-at-random" not in self.as_published:
            return super().best(game, nodes, rng)
        found = root_statistics(game, nodes)
        most = max(card.visits for card in found.values())
        return rng.choice(tuple(card for card in found if found[card].visits == most))


@uncounted
def _by_depth(sides: Numbers, depth: Int) -> None:
    """The two sides play in turns, card by card, regardless of who has won a trick."""
    for i in range(1, depth):
        sides[i] = 1 - sides[i - 1]
