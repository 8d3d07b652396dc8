"""A bidder that plays the hand out many times with each trump."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.beliefs.hoogenboom import Certain
from agents.bidding.calls import best_or_pass, trumps_on_offer
from agents.search.codes import DIFFERENCE, PLAIN_ROLLOUTS, PlainRollout
from agents.search.flat_mc import Question, Sums, judge, loops_for
from agents.search.worlds import plan_worlds
from arena.core.agent import parameter
from arena.core.rules import PUSH, Action, Bid, RulesError, View
from arena.core.seeds import Rng
from arena.games.infoset import InfoSet
from arena.games.kernel.layout import Words
from arena.games.kernel.playout import with_loops
from arena.games.kernel.rng import rng_array
from arena.games.kernel.spec import kernel_game
from arena.games.world_sampler import WorldSampler

_SHARE_OF_PARTNER = 20
"""A simulated partner uses `playouts` divided by this for each trump."""


@dataclass(frozen=True)
class MonteCarlo:
    """Deals the other cards at random, declares, plays out, and counts who comes out ahead.

    Plays if the own side scores more than the other on average, what nat, roem and pit are
    worth included; of several trumps, the one with the greatest difference. Where passing
    leaves the choice to partner (Schieber), it is worth what partner will make of it: hands
    for partner are dealt, in each partner finds the best trump as this bidder does, and it
    is played out with both hands known. Pushes if that is worth more than the best trump.

    Source: Hoogenboom 2017, section 4.2 and its program, which plays out semi-randomly
    where the text says randomly. Differs: where a trump can be named, the best one is. For
    Schieber nothing is published. In all games earlier calls are not taken as a sign of
    anything.
    """

    needs: ClassVar[tuple[str, ...]] = ("kernel", "two-sides", "usual-bids")

    playouts: int = parameter(1000, help="playouts per trump on offer", at_least=1)
    rollout: PlainRollout = parameter("semi-random", help="how playouts choose cards")
    threshold: float = parameter(
        0.0,
        help="play if that is better than leaving it to others by more points than this",
        at_least=-1000,
        at_most=1000,
    )
    partner_hands: int = parameter(
        40, help="where partner may be asked: hands of partner to think of", at_least=1
    )

    def bid(self, view: View, rng: Rng) -> Action:
        """Play or pass, or the best trump."""
        numbers = rng_array(Rng(rng.next64()))
        margins = self._margins(view, self.playouts, numbers)
        passing = self._margin_of_push(view, numbers) if PUSH in view.legal else 0.0
        return best_or_pass(view, margins, more_than=passing + self.threshold)

    def _margins(self, view: View, playouts: int, numbers: Words) -> dict[int, float]:
        """What each trump on offer is worth if this seat makes it trump."""
        return {
            trump: self._margin(view, trump, view.seat, playouts, numbers)
            for trump in trumps_on_offer(view)
        }

    def _margin_of_push(self, view: View, numbers: Words) -> float:
        """The expected margin if the partner names the trump that is best for their hand."""
        partner = view.rules.seat_after(view.seat, 2)
        playouts = max(1, self.playouts // _SHARE_OF_PARTNER)
        worlds = WorldSampler(InfoSet.of(view)).sample_many(
            self.partner_hands, Rng(int(numbers[0]))
        )
        asked = view._replace(
            seat=partner,
            legal=tuple(call for call in view.legal if call != PUSH),
            bids=(*view.bids, Bid(view.seat, PUSH)),
        )
        total = 0.0
        for hand in worlds[:, partner].tolist():
            margins = self._margins(asked._replace(hand=hand), playouts, numbers)
            best = max(margins, key=margins.__getitem__)
            both_known = view._replace(shown=((partner, hand),))
            total += self._margin(both_known, best, partner, playouts, numbers)
        return total / self.partner_hands

    def _margin(
        self, view: View, trump: int, declarer: int, playouts: int, numbers: Words
    ) -> float:
        """The mean difference in favour of the side of a view."""
        sums = Sums.zeros(1)
        judge(self._question(view, trump, declarer), playouts, 1, True, numbers, sums)
        return float(sums.values[0]) / playouts

    def _question(self, view: View, trump: int, declarer: int) -> Question:
        if view.leader is None:
            raise RulesError(f"{view.rules.name}: the leader is not known while bids are made")
        rollout = PLAIN_ROLLOUTS[self.rollout]
        game = with_loops(kernel_game(view.rules, trump), *loops_for(rollout, 0))
        declared = view._replace(trump=trump, declarer=declarer)
        hands = [view.hand if seat == view.seat else 0 for seat in range(view.rules.players)]
        return Question(
            root=game.state(declared, hands, view.leader),
            game=game.words,
            worlds=plan_worlds(game, view, Certain()),
            candidates=np.zeros(1, dtype=np.uint64),
            punishments=np.zeros(1),
            side=view.rules.side_of(view.seat),
            value=DIFFERENCE,
            rollout=rollout,
            stop=0,
        )
