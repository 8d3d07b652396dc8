"""Which trump to name in Schieber: `arena train trump RECIPE`.

Random deals are played with each of the six trumps, by a policy in compiled code. From the hand
of the one who names trump, the network learns by how much their side wins; and then, from what the
partner would name, by how much it wins after a push.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.bidding.network import PUSH, TRUMP_USE, trump_inputs
from agents.dense_network import save_network
from agents.networks.curves import line
from agents.networks.examples import margins_of
from agents.networks.learner import Learner
from agents.networks.policy_rounds import play_by_policy
from agents.policies.model import policies_for
from agents.policies.rounds import Rounds
from arena import __version__
from arena.agent import parameter
from arena.cards import SUITS, mask_of
from arena.config.recipe import RecipeTrainer
from arena.errors import ArenaError
from arena.games.kernel.spec import kernel_game
from arena.games.schieber import Schieber
from arena.seeds import rng_for

__all__ = ["TrumpRecipe", "TrumpTrainer"]

_POINTS = 100.0
_ORDERS = np.array(list(permutations(range(len(SUITS)))))


@dataclass(frozen=True)
class TrumpRecipe:
    """Trains a network that names trump in Schieber.

    Source: Niklaus 2019, section 10.3.2 (`hidden: [592, 592]`). Differs: see `NetworkBidder`.
    """

    hidden: tuple[int, ...] = parameter((128, 64), help="nodes of the hidden layers")
    deals: int = parameter(40_000, help="random deals", at_least=10)
    sharpness: float = parameter(2.0, help="of the policy that plays them", at_least=0)
    epochs: int = parameter(10, help="epochs, first without and then with pushing", at_least=1)
    batch: int = parameter(512, help="hands of a step", at_least=1)
    learning_rate: float = parameter(0.001, help="of Adam", at_least=0)
    seed: int = parameter(2019, help="where all randomness comes from", at_least=0)

    def __post_init__(self) -> None:
        if not self.hidden or min(self.hidden) < 1:
            raise ArenaError("hidden: expected numbers of nodes from 1 on")

    def make(self, folder: Path, output: Path, workers: int, say: Callable[[str], None]) -> None:
        """Play, train and write the model."""
        rules = Schieber()
        sizes = [*TRUMP_USE.inputs, *self.hidden, *TRUMP_USE.outputs]
        learner = Learner(sizes, _loss, self.learning_rate, self.seed)
        deals = [
            [mask_of(hand) for hand in rules.random_deal(rng_for(self.seed, number), number).hands]
            for number in range(self.deals)
        ]
        say(f"{self.deals} deals, each with six trumps, named by the first player and after a push")
        first = np.stack([self._margins(rules, deals, trump, 0) for trump in range(PUSH)], axis=1)
        after = np.stack([self._margins(rules, deals, trump, 2) for trump in range(PUSH)], axis=1)
        hands = np.stack(
            [trump_inputs(deal[0], False) for deal in deals]
            + [trump_inputs(deal[2], True) for deal in deals]
        )
        margins = np.full((len(hands), PUSH + 1), np.nan, np.float32)
        margins[: self.deals, :PUSH], margins[self.deals :, :PUSH] = first, after
        self._learn(learner, hands, margins, "naming", say)
        named = learner.outputs(hands[self.deals :])[:, :PUSH].argmax(axis=1)
        margins[: self.deals, PUSH] = after[np.arange(self.deals), named]
        held_out = self._learn(learner, hands, margins, "and pushing", say)
        pushes = learner.outputs(hands[: self.deals]).argmax(axis=1) == PUSH
        say(f"it pushes in {pushes.mean():.1%} of the deals")
        scale = np.full(PUSH + 1, _POINTS, np.float32)
        header = {
            "recipe": asdict(self),
            "data": {"seed": self.seed},
            "arena": __version__,
            "held_out": round(held_out, 3),
            "pushes": round(float(pushes.mean()), 4),
        }
        save_network(output, learner.network("", scale), json.dumps(header, sort_keys=True))

    def _margins(
        self, rules: Schieber, deals: list[list[int]], trump: int, declarer: int
    ) -> NDArray[np.float32]:
        """What seats 0 and 2 win, in hundreds, if one of them names a trump; seat 0 leads."""
        game = kernel_game(rules, trump)
        seeds = [
            rng_for(self.seed, "play", trump, declarer, number).next64()
            for number in range(len(deals))
        ]
        rows = len(deals)
        cards = play_by_policy(
            game,
            policies_for(rules, None).factors(game, self.sharpness),
            np.stack([game.masks(deal) for deal in deals]),
            np.zeros(rows, np.int8),
            np.full(rows, declarer, np.int8),
            np.array(seeds, dtype=np.uint64),
        )
        trumps, declarers, leaders = (
            np.full(rows, value, np.int8) for value in (trump, declarer, 0)
        )
        rounds = Rounds(rules, trumps, declarers, leaders, cards)
        return margins_of(rounds) / np.float32(_POINTS)

    def _learn(
        self,
        learner: Learner,
        hands: NDArray[np.float32],
        margins: NDArray[np.float32],
        what: str,
        say: Callable[[str], None],
    ) -> float:
        """Epochs over all hands but the last tenth of the deals; the loss there."""
        held = np.arange(len(hands)) % self.deals >= self.deals - max(1, self.deals // 10)
        known = np.flatnonzero(~held)
        losses, last = [], 0.0
        for epoch in range(self.epochs):
            rng = np.random.default_rng([self.seed, epoch, len(what)])
            learner.set_learning_rate(self.learning_rate * (1 - epoch / self.epochs))
            order = rng.permutation(known)
            for start in range(0, len(order), self.batch):
                rows = order[start : start + self.batch]
                suits = _ORDERS[rng.integers(len(_ORDERS), size=len(rows))]
                inputs, targets = _reordered(hands[rows], margins[rows], suits)
                learner.step(inputs, {"margins": targets})
            last = learner.loss(hands[held], {"margins": margins[held]})
            losses.append(_POINTS * last**0.5)
            say(line((epoch + 1) / self.epochs, what, losses, "points, held out"))
        return float(_POINTS * last**0.5)


def _reordered(
    hands: NDArray[np.float32], margins: NDArray[np.float32], suits: NDArray[np.int64]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The same with suits exchanged, which changes nothing."""
    by_suit = hands[:, :-1].reshape(len(hands), len(SUITS), -1)
    moved = np.take_along_axis(by_suit, suits[:, :, None], axis=1).reshape(len(hands), -1)
    values = margins.copy()
    values[:, : len(SUITS)] = np.take_along_axis(margins[:, : len(SUITS)], suits, axis=1)
    return np.concatenate([moved, hands[:, -1:]], axis=1), values


def _loss(outputs: Any, targets: Any) -> Any:
    """The mean square where something is known."""
    wanted = targets["margins"]
    known = ~wanted.isnan()
    return ((outputs[known] - wanted[known]) ** 2).mean()


class TrumpTrainer(RecipeTrainer):
    """`arena train trump RECIPE`."""

    recipe = TrumpRecipe
