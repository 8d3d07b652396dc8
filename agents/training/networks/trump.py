"""Which trump to name in Schieber: `arena train trump RECIPE`.

A policy in compiled code plays random deals with each of the six trumps. The network learns, from
the declarer's hand, the margin of each trump; and then, from the trumps that it would name for
the partner, the margin of a push.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.bidding.network import PUSH, TRUMP_USE, trump_inputs
from agents.networks.dense_network import save_network
from agents.policies.model import policies_for
from agents.training.curves import write_loss_curves
from agents.training.networks.base import (
    HIDDEN_HELP,
    POINTS,
    RATE_HELP,
    SEED_HELP,
    NetworkRecipe,
    NetworkTraining,
    header_text,
    shown,
)
from agents.training.networks.learner import Floats, Learner, Targets, squared_error
from agents.training.networks.positions import margins_of
from agents.training.policy_play import play_by_policy
from agents.training.rounds import Rounds
from agents.training.trainer import Arrays
from arena.config.recipe import TrainingOrder
from arena.core.agent import parameter
from arena.core.cards import SUITS, mask_of
from arena.core.seeds import rng_for
from arena.games.kernel.spec import kernel_game
from arena.games.schieber import Schieber

_ORDERS = np.array(list(permutations(range(len(SUITS)))))
_PARTS = ("naming", "and pushing")
"""First the margin of each trump, then also of a push, which depends on the partner's choice."""


@dataclass(frozen=True)
class TrumpRecipe(NetworkRecipe):
    """Trains a network that names trump in Schieber.

    Source: Niklaus 2019, section 10.3.2 (`hidden: [592, 592]`). Differs: see `NetworkBidder`.
    """

    hidden: tuple[int, ...] = parameter((128, 64), help=HIDDEN_HELP)
    deals: int = parameter(40_000, help="random deals", at_least=10)
    sharpness: float = parameter(2.0, help="of the policy that plays them", at_least=0)
    epochs: int = parameter(10, help="epochs, first without and then with pushing", at_least=1)
    batch: int = parameter(512, help="hands of a step of Adam", at_least=1)
    learning_rate: float = parameter(0.001, help=RATE_HELP, at_least=0)
    seed: int = parameter(2019, help=SEED_HELP, at_least=0)

    def begin(self, order: TrainingOrder) -> TrumpTraining:
        """Play the deals and make a new network."""
        return TrumpTraining(self, order)

    def margins(
        self, rules: Schieber, deals: list[list[int]], trump: int, declarer: int
    ) -> NDArray[np.float32]:
        """What seats 0 and 2 win, in hundreds, if one of them names a trump; seat 0 leads."""
        game, rows = kernel_game(rules, trump), len(deals)
        seeds = [
            rng_for(self.seed, "play", trump, declarer, number).next64() for number in range(rows)
        ]
        trumps, declarers, leaders = (
            np.full(rows, value, np.int8) for value in (trump, declarer, 0)
        )
        cards = play_by_policy(
            game,
            policies_for(rules, None).factors(game, self.sharpness),
            np.stack([game.masks(deal) for deal in deals]),
            leaders,
            declarers,
            np.array(seeds, dtype=np.uint64),
        )
        return margins_of(Rounds(rules, trumps, declarers, leaders, cards)) / np.float32(POINTS)


class TrumpTraining(NetworkTraining):
    """Epochs over all hands but the last tenth of the deals, first for naming, then for pushing."""

    unit = "epoch"

    def __init__(self, recipe: TrumpRecipe, order: TrainingOrder) -> None:
        self.recipe = recipe
        rules, count = Schieber(), recipe.deals
        sizes = [*TRUMP_USE.inputs, *recipe.hidden, *TRUMP_USE.outputs]
        learner = Learner(sizes, _loss, recipe.learning_rate, recipe.seed)
        deals = [
            [mask_of(hand) for hand in rules.random_deal(rng_for(recipe.seed, i), i).hands]
            for i in range(count)
        ]
        order.say(
            f"{count} deals, each with six trumps, named by the first player and after a push"
        )
        self.hands = np.stack(
            [trump_inputs(deal[0], False) for deal in deals]
            + [trump_inputs(deal[2], True) for deal in deals]
        )
        self.margins = np.full((2 * count, PUSH + 1), np.nan, np.float32)
        for half, declarer in ((slice(0, count), 0), (slice(count, None), 2)):
            for trump in range(PUSH):
                self.margins[half, trump] = recipe.margins(rules, deals, trump, declarer)
        self.held_out = np.arange(2 * count) % count >= count - max(1, count // 10)
        super().__init__(order, len(_PARTS) * recipe.epochs, {"seed": recipe.seed}, learner)

    def step(self) -> str:
        recipe, losses = self.recipe, self.log["losses"]
        part, epoch = divmod(self.done, recipe.epochs)
        if part == 1 and epoch == 0:
            named = self.learner.outputs(self.hands[recipe.deals :])[:, :PUSH].argmax(axis=1)
            after = self.margins[recipe.deals :]
            self.margins[: recipe.deals, PUSH] = after[np.arange(recipe.deals), named]
        rng = np.random.default_rng([recipe.seed, epoch, len(_PARTS[part])])
        self.learner.set_learning_rate(recipe.learning_rate * (1 - epoch / recipe.epochs))
        order = rng.permutation(np.flatnonzero(~self.held_out))
        for start in range(0, len(order), recipe.batch):
            rows = order[start : start + recipe.batch]
            suits = _ORDERS[rng.integers(len(_ORDERS), size=len(rows))]
            inputs, targets = _reordered(self.hands[rows], self.margins[rows], suits)
            self.learner.step(inputs, {"margins": targets})
        held_out = {"margins": self.margins[self.held_out]}
        losses.append(float(POINTS * self.learner.loss(self.hands[self.held_out], held_out) ** 0.5))
        return shown(_PARTS[part], losses[part * recipe.epochs :], "points, held out")

    def arrays(self) -> Arrays:
        return super().arrays() | {"pushed": self.margins[: self.recipe.deals, PUSH]}

    def restore(self, arrays: Arrays) -> None:
        self.margins[: self.recipe.deals, PUSH] = arrays.pop("pushed")
        super().restore(arrays)

    def figures(self) -> dict[str, Any]:
        """The loss held out, and how often the network pushes."""
        outputs = self.learner.outputs(self.hands[: self.recipe.deals])
        pushes = float((outputs.argmax(axis=1) == PUSH).mean())
        self.order.say(f"it pushes in {pushes:.1%} of the deals")
        return {"held_out": round(self.log["losses"][-1], 3), "pushes": round(pushes, 4)}

    def write(self, header: dict[str, Any]) -> None:
        output, losses, epochs = self.order.output, self.log["losses"], self.recipe.epochs
        network = self.learner.network("", np.full(PUSH + 1, POINTS, np.float32))
        save_network(output, network, header_text(header))
        curves = dict(zip(_PARTS, (losses[:epochs], losses[epochs:]), strict=True))
        write_loss_curves(output.with_suffix(".svg"), curves, "points, held out")


def _reordered(
    hands: NDArray[np.float32], margins: NDArray[np.float32], suits: NDArray[np.int64]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The same hands and margins with the suits exchanged."""
    by_suit = hands[:, :-1].reshape(len(hands), len(SUITS), -1)
    moved = np.take_along_axis(by_suit, suits[:, :, None], axis=1).reshape(len(hands), -1)
    values = margins.copy()
    values[:, : len(SUITS)] = np.take_along_axis(margins[:, : len(SUITS)], suits, axis=1)
    return np.concatenate([moved, hands[:, -1:]], axis=1), values


def _loss(outputs: Floats, targets: Targets) -> tuple[float, Floats]:
    """The mean square over the margins that are known."""
    off = outputs - targets["margins"]
    known = ~np.isnan(off)
    loss, slope = squared_error(off[known])
    slopes = np.zeros_like(off)
    slopes[known] = slope
    return loss, slopes
