"""Rounds that a policy plays in compiled code: next to no time for a round."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.bidding.usual import usual_bid
from agents.policies.features import Deck, deck_of
from agents.policies.model import policies_for
from agents.policies.tables import Factors, play_out
from agents.training.rounds import Numbers, Rounds, number_of
from arena.core.deals import DealSet
from arena.core.errors import ArenaError
from arena.core.registry import BIDDERS, GAMES
from arena.core.rules import Rules
from arena.core.seeds import rng_for
from arena.games.kernel.jit import compiled
from arena.games.kernel.layout import (
    DECLARER,
    HANDS,
    LEFT,
    STATE_WORDS,
    TURN,
    ZERO,
    Words,
)
from arena.games.kernel.spec import KernelGame, kernel_game


def policy_rounds(deals: DealSet, plays: int, sharpness: float, bidder: str, seed: int) -> Rounds:
    """Play each deal of a set some times, every seat by the bundled policy of the game.

    The chances of cards are raised to the power `sharpness`. All plays of a deal follow each
    other.
    """
    rules: Rules = GAMES.get(deals.game)(**deals.meta.get("options", {}))
    model = policies_for(rules, None)
    bids = BIDDERS.get(bidder)().bid if bidder else usual_bid
    rows = len(deals) * plays
    trumps, declarers, leaders = (np.empty(rows, np.int8) for _ in range(3))
    hands, seeds = np.empty((rows, 4), np.uint64), np.empty(rows, np.uint64)
    for number, deal in enumerate(deals):
        state = rules.start(deal)
        rng = rng_for(seed, "policy", deal.id)
        while state.phase == "bid":
            rules.apply(state, bids(rules.view(state, state.turn), rng))
        if state.phase != "play":
            raise ArenaError(f"{deals.name}: deal {deal.id} begins with {state.phase}")
        part = slice(number * plays, (number + 1) * plays)
        trumps[part], declarers[part] = number_of(state.trump), number_of(state.declarer)
        leaders[part] = state.turn
        hands[part] = kernel_game(rules, state.trump).masks(state.hands)
        seeds[part] = [rng.next64() for _ in range(plays)]
    cards = np.empty((rows, 4 * rules.hand_size), np.int8)
    for trump in sorted(set(trumps.tolist())):
        game = kernel_game(rules, None if trump < 0 else trump)
        chosen = np.flatnonzero(trumps == trump)
        cards[chosen] = play_by_policy(
            game,
            model.factors(game, sharpness),
            hands[chosen],
            leaders[chosen],
            declarers[chosen],
            seeds[chosen],
        )
    return Rounds(rules, trumps, declarers, leaders, cards)


def play_by_policy(
    game: KernelGame,
    factors: Factors,
    hands: Words,
    leaders: Numbers,
    declarers: Numbers,
    seeds: Words,
) -> Numbers:
    """The cards of rounds with these hands (in kernel coordinates), in the order of play."""
    bits = np.empty((len(hands), 4 * game.rules.hand_size), np.uint8)
    _play(
        hands,
        leaders.astype(np.uint64),
        np.maximum(declarers, 0).astype(np.uint64),
        seeds,
        game.words,
        deck_of(game),
        factors,
        bits,
    )
    return game.to_cards[bits].astype(np.int8)


@compiled
def _play(
    hands: Words,
    leaders: Words,
    declarers: Words,
    seeds: Words,
    game: Words,
    deck: Deck,
    factors: Factors,
    bits: NDArray[np.uint8],
) -> None:
    """Play rounds; `bits` are the cards in the order of play."""
    state, voids = np.empty(STATE_WORDS, np.uint64), np.empty(4, np.uint64)
    weights, rng = np.empty(64, np.float64), np.empty(1, np.uint64)
    for i in range(len(hands)):
        state[:] = ZERO
        voids[:] = ZERO
        for seat in range(4):
            state[HANDS + np.uint64(seat)] = hands[i, seat]
        state[TURN], state[DECLARER] = leaders[i], declarers[i]
        state[LEFT] = np.uint64(bits.shape[1] // 4)
        rng[0] = seeds[i]
        play_out(state, voids, game, deck, factors, weights, rng, bits[i])
