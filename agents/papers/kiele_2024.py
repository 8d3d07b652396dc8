"""The two players of Kiele 2024 for Hearts: flat searches of a few worlds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from agents.beliefs import Guess
from agents.papers.as_published import check_deviations
from agents.papers.playouts import with_one_leader
from agents.search.codes import BLOCK, ROLLOUTS, RULE
from agents.search.flat_mc import Question
from agents.search.worlds import plan_worlds
from agents.searchers.flat_search import CardEstimate, FlatSearch
from arena.core.agent import parameter
from arena.core.cards import SUITS, rank_of, suit_of
from arena.core.errors import ArenaError
from arena.core.rules import View
from arena.games.infoset import InfoSet
from arena.games.kernel.layout import Words
from arena.games.kernel.spec import kernel_game

DEVIATIONS: dict[str, str] = {
    "own-moon-costs": "shooting the moon counts as taking 26 points",
    "integer-means": (
        "means are cut to whole numbers, and on ties the last card in the order C D S H, low to "
        "high, is played: high hearts and spades are favoured"
    ),
    "ignores-voids": (
        "the cards are dealt as if no player had ever failed to follow suit; the program forgets "
        "what it noted about that before every card, although the thesis says that it is used"
    ),
    "first-winner-leads": (
        "in playouts, the winner of the present trick leads all further ones too"
    ),
}
"""The deviations that `as_published` can switch on, and the behaviour of the thesis' program."""

_SHOOT_FROM_POINTS, _SHOOT_BELOW_SCORE = 15, 75
"""When the player goes for all points: from so many on, and below this score."""
_SUITS = "CDSH"


@dataclass(frozen=True)
class Kiele2024(FlatSearch):
    """Plays each legal card out some tricks far in a few worlds, or in the true one.

    Source: Kiele 2024, sections 2.2 and 3: the player who guesses (`worlds`, `playouts`,
    `lookahead`) and the one who sees all cards (`sees: all`). Differs: worlds are drawn
    exactly; all candidates meet the same ones unless `shared_worlds` is off; ties go to the
    lowest card. `as_published` brings single deviations of the program back. Passes
    cards as `rule` does.
    """

    games: ClassVar[tuple[str, ...]] = ("hearts",)

    shoot_the_moon: bool = parameter(
        False, help="go for all points of a round when it looks possible"
    )
    as_published: tuple[str, ...] = parameter((), help="single deviations of the program of 2024")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_deviations(self.as_published, DEVIATIONS)
        if "first-winner-leads" in self.as_published and ROLLOUTS[self.rollout] == RULE:
            raise ArenaError("as_published: first-winner-leads goes with random playouts")
        if "own-moon-costs" in self.as_published and self.value != "own-points":
            raise ArenaError("as_published: own-moon-costs goes with value: own-points")

    def question(self, view: View, numbers: Words) -> Question:
        """The decision of a view, with what the program does otherwise."""
        question = super().question(view, numbers)
        if "ignores-voids" in self.as_published and self.sees == "own":
            game = kernel_game(view.rules, view.trump)
            question = question._replace(worlds=plan_worlds(game, view, _Forgetful()))
        if "own-moon-costs" in self.as_published:
            question = question._replace(moon=BLOCK)
        if "first-winner-leads" in self.as_published:
            question = with_one_leader(question)
        return question

    def best(self, view: View, estimates: list[CardEstimate]) -> int:
        """The card with the fewest points, or with the most on the way to the moon."""
        sign = 1 if self.shoot_the_moon and _may_shoot(view) else -1
        if "integer-means" in self.as_published:
            return max(estimates, key=lambda e: (sign * int(e.mean), _place_in_hand(e.card))).card
        return max(estimates, key=lambda e: sign * e.mean).card


class _Forgetful:
    """Beliefs in which every other seat may hold every unseen card, whatever was played."""

    def of(self, view: View, known: InfoSet | None = None) -> tuple[Guess, ...]:
        """One guess: hand sizes are all that is known."""
        seats = range(view.rules.players)
        return (Guess(1.0, tuple(0 if seat == view.seat else view.unseen for seat in seats)),)


def _may_shoot(view: View) -> bool:
    """Whether all points so far are one's own, they are many, and the match stands well."""
    side = view.rules.side_of(view.seat)
    own = view.points[side]
    return (
        own >= _SHOOT_FROM_POINTS
        and own == sum(view.points)
        and view.standing.scores[side] < _SHOOT_BELOW_SCORE
    )


def _place_in_hand(card: int) -> tuple[int, int]:
    """Where a card is in a hand sorted as the program does: C D S H, low to high."""
    return _SUITS.index(SUITS[suit_of(card)]), rank_of(card)
