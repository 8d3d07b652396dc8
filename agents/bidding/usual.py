"""Bids for agents that have no configured bidder and do not bid themselves."""

from __future__ import annotations

from functools import cache

from agents.bidding.monte_carlo import MonteCarlo
from arena.core.agent import Bidder
from arena.core.registry import BIDDERS
from arena.core.rules import Action, View
from arena.core.seeds import Rng


def usual_bid(view: View, rng: Rng, playouts: int = 1000) -> Action:
    """By the bidder that the game names as usual; else by Monte Carlo, if the calls are usual.

    In a game that has bids of its own and names no bidder, any legal bid.
    """
    rules = view.rules
    if rules.usual_bidder is not None:
        return _bidder(rules.usual_bidder).bid(view, rng)
    if rules.bids:
        return rng.choice(view.legal)
    return MonteCarlo(playouts).bid(view, rng)


@cache
def _bidder(name: str) -> Bidder:
    bidder: Bidder = BIDDERS.get(name)()
    return bidder
