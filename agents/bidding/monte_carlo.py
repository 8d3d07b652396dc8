"""Plays the hand out many times before it says anything."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from agents.beliefs import Beliefs
from agents.bidding.calls import best_or_pass, trumps_on_offer
from agents.search.flat_mc import DIFFERENCE, RANDOM, SEMI_RANDOM, Question, Sums, judge
from agents.search.worlds import plan_worlds
from arena.agent import parameter
from arena.games.kernel.rng import rng_array
from arena.games.kernel.spec import kernel_game
from arena.rules import Action, RulesError, View
from arena.seeds import Rng

__all__ = ["MonteCarlo"]


@dataclass(frozen=True)
class MonteCarlo:
    """Deals the other cards at random, declares, plays out, and counts who comes out ahead.

    Plays if the own side scores more than the other on average, what nat, roem and pit are
    worth included; of several trumps, the one with the greatest difference.

    Source: Hoogenboom 2017, section 4.2 and its program, which plays out semi-randomly
    where the text says randomly. Differs: where a trump can be named, the best one is. For
    Schieber nothing is published: it pushes unless the best trump is worth more than
    `threshold`. In all games earlier calls are not taken as a sign of anything.
    """

    needs: ClassVar[tuple[str, ...]] = ("kernel", "two-sides", "usual-bids")

    playouts: int = parameter(1000, help="playouts per trump on offer", at_least=1)
    rollout: Literal["random", "semi-random"] = parameter(
        "semi-random", help="how playouts choose cards"
    )
    threshold: float = parameter(
        0.0, help="play if the own side is ahead by more than this", at_least=-1000, at_most=1000
    )

    def bid(self, view: View, rng: Rng) -> Action:
        """Play or pass, or the best trump."""
        numbers = rng_array(Rng(rng.next64()))
        margins = {}
        for trump in trumps_on_offer(view):
            sums = Sums.zeros(1)
            judge(self._question(view, trump), self.playouts, 1, True, numbers, sums)
            margins[trump] = float(sums.values[0]) / self.playouts
        return best_or_pass(view, margins, more_than=self.threshold)

    def _question(self, view: View, trump: int) -> Question:
        if view.leader is None:
            raise RulesError(f"{view.rules.name}: nobody knows who leads while bids are made")
        game = kernel_game(view.rules, trump)
        declared = view._replace(trump=trump, declarer=view.seat)
        hands = [view.hand if seat == view.seat else 0 for seat in range(view.rules.players)]
        return Question(
            root=game.state(declared, hands, view.leader),
            game=game.words,
            worlds=plan_worlds(game, view, Beliefs()),
            candidates=np.zeros(1, dtype=np.uint64),
            punishments=np.zeros(1),
            side=view.rules.side_of(view.seat),
            value=DIFFERENCE,
            rollout=RANDOM if self.rollout == "random" else SEMI_RANDOM,
            stop=0,
            own_moon_costs=False,
            doubled_seat=-1,
        )
