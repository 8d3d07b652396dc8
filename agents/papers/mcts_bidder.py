"""A bidder that searches: naming trump is the first move of a tree search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from agents.bidding.calls import best_or_pass, call_for, trumps_on_offer
from agents.bidding.ranked_rule import best_trump, ratings
from agents.dmcts import Dmcts
from arena.core.agent import parameter
from arena.core.rules import PUSH, Action, RulesError, View
from arena.core.seeds import Rng
from arena.games.infoset import InfoSet
from arena.games.kernel.spec import kernel_game
from arena.games.world_sampler import WorldSampler


@dataclass(frozen=True)
class MctsBidder:
    """Deals the other cards, names trump, and lets a tree search play on; keeps the best mean.

    Pushing is one of the moves: the partner, with a hand dealt anew each time, then names the
    trump of `ranked-rule`, and the search goes on from there.

    Source: the MCTS trump selection of JassTheRipper (Niklaus 2019, section 13.2), which also
    looks only at the best trumps by `ranked-rule`. Differs: after a push the forehand leads
    from the forehand's own cards (the program gives them those of the one who names trump); the
    searches are those of `dmcts`, a tree for every world.
    """

    games: ClassVar[tuple[str, ...]] = ("schieber",)

    worlds: int = parameter(40, help="worlds for each call that is considered", at_least=1)
    iterations: int = parameter(200, help="simulations in the tree of a world", at_least=1)
    candidates: int = parameter(
        3, help="how many trumps to consider, the best ones by ranked-rule", at_least=1
    )

    def bid(self, view: View, rng: Rng) -> Action:
        """The trump with the best mean, or a push if that is better."""
        rated = ratings(view.hand, pushed=PUSH not in view.legal)
        considered = sorted(trumps_on_offer(view), key=rated.__getitem__, reverse=True)
        considered = considered[: self.candidates]
        if PUSH not in view.legal and len(considered) == 1:
            return call_for(view, considered[0])
        margins = {
            trump: self._margin(view, trump, view.seat, self.worlds, rng) for trump in considered
        }
        push = self._margin_of_push(view, rng) if PUSH in view.legal else 0.0
        return best_or_pass(view, margins, more_than=push)

    def _margin_of_push(self, view: View, rng: Rng) -> float:
        partner = view.rules.seat_after(view.seat, 2)
        sampled = WorldSampler(InfoSet.of(view)).sample_many(self.worlds, rng)
        total = 0.0
        for hand in sampled[:, partner].tolist():
            both_known = view._replace(shown=((partner, hand),))
            trump = best_trump(hand, pushed=True)
            total += self._margin(both_known, trump, partner, 1, rng)
        return total / self.worlds

    def _margin(self, view: View, trump: int, declarer: int, worlds: int, rng: Rng) -> float:
        """The mean over worlds of what the search finds for the side of a view."""
        rules, leader = view.rules, view.leader
        if leader is None:
            raise RulesError(f"{rules.name}: the leader is not known while bids are made")
        search = Dmcts(worlds=worlds, iterations=self.iterations)
        declared = view._replace(phase="play", trump=trump, declarer=declarer)
        hands = [view.hand if seat == view.seat else 0 for seat in range(rules.players)]
        question = search.question(declared, rng)._replace(
            root=kernel_game(rules, trump).state(declared, hands, leader)
        )
        ballots = search.search(declared, question)
        mean = float(ballots.chosen_means.sum() / ballots.chosen.sum())
        return mean if rules.side_of(leader) == rules.side_of(view.seat) else -mean
