"""How much a policy knows about hidden cards: nats gained for the true world.

At some decisions of rounds that the policy was not fitted to, log(L / mean L), where L is the
likelihood of the past plays given the true hands, and the mean is over all possible hands. Its
mean says by how much inference makes the truth likelier; 0 is the knowledge of the rules alone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from agents.policies.inference import past_of, true_world_nats, types_for
from agents.policies.kinds import Policy
from agents.training.rounds import Rounds
from arena.core.seeds import rng_for
from arena.games.observation import observe


class Nats(NamedTuple):
    """Nats gained for the true world, with the standard error over rounds."""

    mean: float
    error: float
    decisions: int


def nats_of(
    model: Policy, priors: tuple[float, ...], rounds: Rounds, worlds: int, seed: int = 0
) -> Nats:
    """Nats gained in some rounds, at the lead of each trick but the first and the last."""
    gained = []
    decisions = 0
    for number in range(len(rounds)):
        game = rounds.game(number)
        types = types_for(model, game, (priors,) * len(rounds.rules.sides))
        rng = np.array([rng_for(seed, "nats", number).next64()], dtype=np.uint64)
        in_round = []
        for view, hands in rounds.leads(number):
            observed = observe(game, view, with_ledger=True)
            true_hands = game.masks(hands)
            true_hands[view.seat] = 0
            past, style = past_of(observed), model.style(observed)
            in_round.append(true_world_nats(past, types, true_hands, worlds, rng, style))
            decisions += 1
        gained.append(np.mean(in_round))
    error = float(np.std(gained, ddof=1) / np.sqrt(len(gained)))
    return Nats(float(np.mean(gained)), error, decisions)
