"""Hidden cards by plain enumeration: what inference is compared with."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import numpy as np

from agents.policies.features import deck_of, table_size
from agents.policies.model import PolicyModel, mode_of
from agents.policies.tables import weigh
from agents.random_ import Random
from agents.training.rounds import play_rounds
from arena.core.cards import cards_of
from arena.core.rules import Rules, View
from arena.games.kernel.layout import TURN
from arena.games.kernel.spec import KernelGame
from arena.games.kernel.step import legal, play
from arena.games.observation import watch


def random_model(game: KernelGame, types: int) -> PolicyModel:
    """Policies that are far from uniform."""
    size = table_size(deck_of(game))
    weights = np.random.default_rng(7).normal(0.0, 0.6, (types, size)).astype(np.float32)
    names = tuple(f"type{t}" for t in range(types))
    return PolicyModel(game.rules.name, names, {mode_of(game.trump): weights})


def endings(rules: Rules, tricks: int, count: int = 3) -> Iterator[tuple[View, tuple[int, ...]]]:
    """What the leader sees when some tricks are left, and the true hands."""
    rounds = play_rounds(rules, [Random()], 11, range(count))
    for number in range(count):
        yield list(rounds.leads(number))[-(tricks - 1)]


def all_worlds(view: View) -> list[tuple[int, ...]]:
    """Every way to deal the unseen cards under which the round would look the same."""
    size = view.hand.bit_count()
    others = [seat for seat in range(4) if seat != view.seat]
    found = set()
    for order in permutations(cards_of(view.unseen)):
        hands = [0] * 4
        hands[view.seat] = view.hand
        for place, card in enumerate(order):
            hands[others[place // size]] |= 1 << card
        found.add(tuple(hands))
    return sorted(found)


def likelihoods(
    view: View, game: KernelGame, model: PolicyModel, hands: tuple[int, ...]
) -> np.ndarray:
    """`[seat, type]`: the chance of all that a seat played; 0 if it was illegal."""
    rules = view.rules
    chances = np.ones((4, len(model.types)))
    held = list(hands)
    for trick in view.tricks:
        for place, card in enumerate(trick.cards):
            held[rules.seat_after(trick.leader, place)] |= 1 << card
    first = game.state(
        view._replace(tricks=(), table=(), opened=False), held, view.tricks[0].leader
    )
    voids = np.zeros(4, np.uint64)
    for trick in view.tricks:
        for card in trick.cards:
            seat = int(first[TURN])
            allowed, single = np.uint64(legal(first, game.words)), game.mask(1 << card)
            if seat != view.seat:
                if not int(allowed) & int(single):
                    return np.zeros((4, len(model.types)))
                for t in range(len(model.types)):
                    weights = np.zeros(64)
                    total = weigh(
                        first, game.words, voids, deck_of(game), model.factors(game), t, allowed,
                        weights,
                    )  # fmt: skip
                    at = (int(allowed) & (int(single) - 1)).bit_count()
                    chances[seat, t] *= weights[at] / total
            watch(first, voids, single)
            play(first, game.words, single)
    return chances
