"""Which trump to name in Schieber: `arena train trump RECIPE`.

Random deals are played with each of the six trumps, by a policy in compiled code. From the hand
of the one who names trump, the network learns by how much their side wins; and then, from what the
partner would name, by how much it wins after a push. After every epoch all that is known is
written down, so training that is stopped goes on there, to the same end.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.bidding.network import PUSH, TRUMP_USE, trump_inputs
from agents.networks.dense_network import save_network
from agents.policies.model import policies_for
from agents.training.curves import line, write_figure
from agents.training.networks.fitting import load_arrays, save_arrays
from agents.training.networks.learner import Learner
from agents.training.networks.positions import margins_of
from agents.training.networks.value import notes_of
from agents.training.policy_rounds import play_by_policy
from agents.training.rounds import Rounds
from arena import __version__
from arena.config.recipe import RecipeTrainer
from arena.core.agent import parameter
from arena.core.cards import SUITS, mask_of
from arena.core.errors import ArenaError
from arena.core.seeds import rng_for
from arena.games.kernel.spec import kernel_game
from arena.games.schieber import Schieber

_POINTS = 100.0
_ORDERS = np.array(list(permutations(range(len(SUITS)))))
_PARTS = ("naming", "and pushing")
"""First what naming a trump is worth, then also a push, which depends on what is named after it."""


@dataclass
class _Progress:
    """Where training is."""

    epoch: int = 0
    """Epochs done, of both parts."""
    losses: list[float] = field(default_factory=list)
    """Held out, in points, after each epoch."""
    named: NDArray[np.int64] | None = None
    """What the partner names in each deal after a push, once the first part is learnt."""


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
        notes = notes_of(output, self, {})
        at = _resumed(notes, learner)
        if 0 < at.epoch < len(_PARTS) * self.epochs:
            say(f"going on with epoch {at.epoch + 1} of {len(_PARTS) * self.epochs}")
        if at.epoch < self.epochs:
            self._learn(learner, hands, margins, at, notes, say)
        if at.named is None:
            at.named = learner.outputs(hands[self.deals :])[:, :PUSH].argmax(axis=1)
        margins[: self.deals, PUSH] = after[np.arange(self.deals), at.named]
        self._learn(learner, hands, margins, at, notes, say)
        pushes = learner.outputs(hands[: self.deals]).argmax(axis=1) == PUSH
        say(f"it pushes in {pushes.mean():.1%} of the deals")
        scale = np.full(PUSH + 1, _POINTS, np.float32)
        header = {
            "recipe": asdict(self),
            "data": {"seed": self.seed},
            "arena": __version__,
            "held_out": round(at.losses[-1], 3),
            "pushes": round(float(pushes.mean()), 4),
        }
        save_network(output, learner.network("", scale), json.dumps(header, sort_keys=True))
        curves = {
            part: [(i + 1, loss, loss, loss) for i, loss in enumerate(losses)]
            for part, losses in zip(_PARTS, self._by_part(at.losses), strict=True)
        }
        write_figure(output.with_suffix(".svg"), curves, "epoch", "points, held out", output.stem)

    def _by_part(self, losses: list[float]) -> tuple[list[float], list[float]]:
        return losses[: self.epochs], losses[self.epochs :]

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
        at: _Progress,
        notes: Path,
        say: Callable[[str], None],
    ) -> None:
        """The epochs of a part that are left, over all hands but the last tenth of the deals."""
        held = np.arange(len(hands)) % self.deals >= self.deals - max(1, self.deals // 10)
        known = np.flatnonzero(~held)
        number = 0 if at.named is None else 1
        part = _PARTS[number]
        for epoch in range(at.epoch - number * self.epochs, self.epochs):
            rng = np.random.default_rng([self.seed, epoch, len(part)])
            learner.set_learning_rate(self.learning_rate * (1 - epoch / self.epochs))
            order = rng.permutation(known)
            for start in range(0, len(order), self.batch):
                rows = order[start : start + self.batch]
                suits = _ORDERS[rng.integers(len(_ORDERS), size=len(rows))]
                inputs, targets = _reordered(hands[rows], margins[rows], suits)
                learner.step(inputs, {"margins": targets})
            loss = learner.loss(hands[held], {"margins": margins[held]})
            at.losses.append(float(_POINTS * loss**0.5))
            at.epoch += 1
            _note(notes, learner, at)
            told = self._by_part(at.losses)[number]
            say(line((epoch + 1) / self.epochs, part, told, "points, held out"))


def _resumed(notes: Path, learner: Learner) -> _Progress:
    if not notes.exists():
        return _Progress()
    kept = load_arrays(notes)
    learner.restore(kept)
    where = json.loads(str(kept["where"]))
    return _Progress(where["epoch"], where["losses"], kept.get("named"))


def _note(notes: Path, learner: Learner, at: _Progress) -> None:
    where = np.array(json.dumps({"epoch": at.epoch, "losses": at.losses}))
    named = {} if at.named is None else {"named": at.named}
    save_arrays(notes, {**learner.arrays(), **named, "where": where})


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
