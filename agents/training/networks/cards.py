"""Networks that value cards, from nothing: `arena train policy RECIPE` with `kind: network`.

In each cycle rounds are played by the network as it is, decisions are labelled with what every
legal card would have come to (`card_labels`), and the network learns from the labels of the last
cycles. In the first cycle everybody plays by the tables that come with the game.

The loss is the squared error of the values less their mean over the legal cards, which is what
decides between cards, and a tenth of that of the mean. New labels are measured before they are
learnt from, so what is told of them is of deals that the network has not seen.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from agents.ismcts import Ismcts
from agents.networks.dense_network import BITS_HELP, Bits, Network
from agents.policies.card_inputs import input_count, output_count
from agents.policies.network import CardNetwork, save_card_network
from agents.training.curves import line
from agents.training.nats import nats_of
from agents.training.networks.card_labels import Labels, label
from agents.training.networks.card_rounds import Deals, company_for, deals_for, play_against
from agents.training.networks.fitting import load_arrays, save_arrays
from agents.training.networks.learner import Learner, need_torch
from agents.training.networks.temperature import choices_of, likelihood, temperature_of
from agents.training.networks.value import notes_of
from agents.training.rounds import play_rounds
from arena import __version__
from arena.config.parameters import read_values
from arena.config.recipe import RecipeTrainer
from arena.core.agent import parameter
from arena.core.errors import ArenaError
from arena.core.registry import GAMES
from arena.core.rules import Rules
from arena.stats.paired import mean_difference

_OF_THE_MEAN = 0.1
"""What the mean of the legal cards counts in the loss."""
_CHUNK = 8192
"""Decisions that are measured at a time."""
_DEALS = 250
"""Deals that are labelled together."""
_MEASURED_DEALS = 1_000_000
"""The number of the first deal that is measured on: far from those that are learnt from."""

_NATS_WORLDS = 500
"""Worlds that the true one is compared with."""
_GREEDY = 8.0
"""The tables are made so sharp to be measured against that they play their best card."""


@dataclass
class _Progress:
    """Where training is; `labels` are those to learn from, cycle by cycle."""

    cycle: int = 0
    losses: list[float] = field(default_factory=list)
    curve: list[dict[str, float]] = field(default_factory=list)
    seen: int = 0
    labels: list[Labels] = field(default_factory=list)


@dataclass(frozen=True)
class CardsRecipe:
    """Trains a network that values every card that a seat may play."""

    kind: Literal["network"] = parameter("network", help="what the policy is")
    game: str = parameter("klaverjas", help="the game")
    options: dict[str, Any] | None = parameter(None, help="options of the game")
    bidder: str = parameter("", help="who bids; by default as the game says")
    hidden: tuple[int, ...] = parameter((256, 64), help="nodes of the hidden layers")
    cycles: int = parameter(100, help="cycles", at_least=1)
    first: int = parameter(
        100, help="cycles in which cards are played out by the tables; in others, by the network"
    )
    worlds: int = parameter(30, help="worlds in which the tables play cards out", at_least=1)
    deals: int = parameter(4000, help="deals that a cycle plays", at_least=1)
    share: float = parameter(0.5, help="of the decisions that are labelled", at_most=1)
    kept: int = parameter(20, help="cycles whose labels are learnt from", at_least=1)
    passes: float = parameter(3.0, help="how often a label is learnt from", at_least=0)
    batch: int = parameter(1024, help="decisions of a step", at_least=1)
    learning_rate: float = parameter(0.001, help="of Adam", at_least=0)
    last_rate: float = parameter(0.00002, help="the learning rate falls to this", at_least=0)
    average: float = parameter(0.999, help="of the averaged weights, what stays each step")
    explore: float = parameter(0.1, help="share of cards played at random", at_most=1)
    strangers: float = parameter(
        0.3, help="share of deals with seats that play by the tables", at_most=0.99
    )
    sharpness: float = parameter(2.0, help="of the tables", at_least=0)
    measured_every: int = parameter(10, help="cycles between two measurements", at_least=1)
    measured: int = parameter(2000, help="deals of a measurement, each in two seatings", at_least=2)
    search: int = parameter(
        1600, help="simulations of the search whose plays give the temperature", at_least=1
    )
    rounds: int = parameter(200, help="rounds that it plays for it", at_least=4)
    seed: int = parameter(2026, help="where all randomness comes from", at_least=0)
    bits: Bits = parameter(16, help=BITS_HELP)

    def __post_init__(self) -> None:
        if not self.hidden or min(self.hidden) < 1:
            raise ArenaError("hidden: expected numbers of nodes from 1 on")

    def make(self, folder: Path, output: Path, workers: int, say: Callable[[str], None]) -> None:
        """Train and write the model; what is known on the way is kept beside it."""
        family = GAMES.get(self.game)
        options = read_values(family, self.options or {}, f"options of {self.game}", folder)
        rules: Rules = family(**options)
        need_torch()
        measured = deals_for(
            rules, self.seed, range(_MEASURED_DEALS, _MEASURED_DEALS + self.measured), self.bidder
        )
        game = measured[0].game
        sizes = [input_count(game), *self.hidden, output_count(game)]
        points = rules.stake or max(map(abs, rules.margin_bounds))
        learner = Learner(sizes, loss_of, self.learning_rate, self.seed, self.average)
        notes = notes_of(output, self, {})
        parts = notes.with_suffix("")
        parts.mkdir(parents=True, exist_ok=True)
        at = self._resumed(notes, parts, learner)
        say(
            f"{rules.name}: layers {sizes}"
            + (f", going on with cycle {at.cycle + 1}" if at.cycle else "")
        )
        network = _network(learner, points)
        pool = Parallel(n_jobs=workers, max_nbytes=None)
        while at.cycle < self.cycles:
            new = self._labels(rules, network, at.cycle, pool)
            at.losses.append(self._measure_labels(learner, new, points))
            if at.cycle == 0:
                learner.ignore(np.asarray(~_inputs(new.inputs, sizes[0]).any(axis=0)))
            at.labels = [*at.labels, new][-self.kept :]
            at.seen += len(new)
            self._learn(learner, at, len(new), points, sizes[0])
            at.cycle += 1
            network = _network(learner, points)
            text = line(at.cycle / self.cycles, f"cycle {at.cycle}", at.losses, "points")
            say(f"{text}, {at.seen:,} labels")
            if at.cycle % self.measured_every == 0 or at.cycle == self.cycles:
                at.curve.append(self._measure(measured, network, at))
                found = at.curve[-1]
                say(
                    f"cycle {at.cycle}: {found['mean']:+.2f} points a deal against the tables "
                    f"({found['low']:+.2f} to {found['high']:+.2f}, {self.measured} deals)"
                )
            self._note(notes, parts, learner, at, new)
        model = CardNetwork(rules.name, network)
        temperature, figures = self._explain(model, rules, say)
        header = {
            "recipe": asdict(self),
            "data": {"seed": self.seed},
            "arena": __version__,
            "labels": at.seen,
            "errors": [round(loss, 3) for loss in at.losses],
            "curve": at.curve,
            "figures": figures,
        }
        model = replace(model, temperature=temperature, recipe=json.dumps(header, sort_keys=True))
        save_card_network(output, model, self.bits)

    def _explain(
        self, model: CardNetwork, rules: Rules, say: Callable[[str], None]
    ) -> tuple[float, dict[str, float]]:
        """The temperature at which a search's plays are likeliest, and how likely they are then.

        It is found in half of the rounds, and measured in the others.
        """
        played = play_rounds(
            rules, [Ismcts(simulations=self.search)], self.seed, range(self.rounds)
        )
        known, unknown = played.part(slice(0, None, 2)), played.part(slice(1, None, 2))
        temperature = round(temperature_of(choices_of(model, known)), 3)
        test = choices_of(model, unknown)
        nats = nats_of(replace(model, temperature=temperature), (1.0,), unknown, _NATS_WORLDS)
        figures = {
            "decisions": len(test.values),
            "likelihood": round(likelihood(test, temperature), 4),
            "uniform": round(test.uniform, 4),
            "nats": round(nats.mean, 3),
            "nats_error": round(nats.error, 3),
        }
        told = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in figures.items())
        say(f"search's plays at temperature {temperature}: {told}")
        return temperature, figures

    def _labels(self, rules: Rules, network: Network, cycle: int, pool: Parallel) -> Labels:
        """The labels of a cycle; each depends on its deal alone."""
        numbers = range(cycle * self.deals, (cycle + 1) * self.deals)
        model = CardNetwork(rules.name, network)
        worlds = self.worlds if cycle < self.first else 0
        strangers = self.strangers if cycle else 1.0
        return Labels.join(
            pool(
                delayed(_label)(
                    part, model, self.sharpness, worlds, strangers, self.explore, self.share
                )
                for deals in deals_for(rules, self.seed, numbers, self.bidder)
                for part in deals.parts(_DEALS)
            )
        )

    def _learn(self, learner: Learner, at: _Progress, count: int, points: float, size: int) -> None:
        """As many steps as the new labels are worth, with batches of all that are kept."""
        rng = np.random.default_rng([self.seed, at.cycle])
        labels = Labels.join(at.labels)
        steps = max(1, round(self.passes * count / self.batch))
        for step in range(steps):
            done = (at.cycle + step / steps) / self.cycles
            learner.set_learning_rate(
                self.last_rate
                + (self.learning_rate - self.last_rate) * 0.5 * (1.0 + np.cos(np.pi * done))
            )
            rows = rng.integers(len(labels), size=self.batch)
            targets = {"values": labels.values[rows] / np.float32(points)}
            learner.step(_inputs(labels.inputs[rows], size), targets)

    def _measure_labels(self, learner: Learner, labels: Labels, points: float) -> float:
        """The root of the mean squared error of new labels, less their means, in points."""
        errors, count = 0.0, 0.0
        size = learner.sizes[0]
        for first in range(0, len(labels), _CHUNK):
            values = labels.values[first : first + _CHUNK]
            legal = ~np.isnan(values)
            found = learner.outputs(_inputs(labels.inputs[first : first + _CHUNK], size)) * points
            found = np.where(legal, found, np.nan)
            off = (found - np.nanmean(found, axis=1, keepdims=True)) - (
                values - np.nanmean(values, axis=1, keepdims=True)
            )
            errors += float(np.nansum(off**2))
            count += float(legal.sum())
        return float(np.sqrt(errors / count))

    def _measure(
        self, deals: list[Deals], network: Network, at: _Progress
    ) -> dict[str, float]:  # fmt: skip
        margins = []
        for some in deals:
            valuer = CardNetwork(some.game.rules.name, network).valuer(some.game)
            margins.append(play_against(some, valuer, company_for(some.game, _GREEDY)))
        found = mean_difference(np.concatenate(margins))
        assert found.mean is not None and found.low is not None and found.high is not None
        named = {"mean": found.mean, "low": found.low, "high": found.high}
        return {"cycle": at.cycle, "labels": at.seen, **{k: round(v, 3) for k, v in named.items()}}

    # --- what is kept on the way ---------------------------------------------------------

    def _resumed(self, notes: Path, parts: Path, learner: Learner) -> _Progress:
        if not notes.exists():
            return _Progress()
        kept = load_arrays(notes)
        learner.restore(kept)
        where = json.loads(str(kept["where"]))
        labels = []
        for cycle in range(max(0, where["cycle"] - self.kept), where["cycle"]):
            arrays = load_arrays(parts / f"{cycle}.npz")
            labels.append(Labels(arrays["inputs"], arrays["values"]))
        return _Progress(where["cycle"], where["losses"], where["curve"], where["seen"], labels)

    def _note(
        self, notes: Path, parts: Path, learner: Learner, at: _Progress, new: Labels
    ) -> None:  # fmt: skip
        save_arrays(parts / f"{at.cycle - 1}.npz", new._asdict())
        (parts / f"{at.cycle - 1 - self.kept}.npz").unlink(missing_ok=True)
        where = {"cycle": at.cycle, "losses": at.losses, "curve": at.curve, "seen": at.seen}
        save_arrays(notes, {**learner.arrays(), "where": np.array(json.dumps(where))})


def _label(
    deals: Deals,
    model: CardNetwork,
    sharpness: float,
    worlds: int,
    strangers: float,
    explore: float,
    share: float,
) -> Labels:
    valuer, company = model.valuer(deals.game), company_for(deals.game, sharpness)
    return label(deals, valuer, company, worlds, strangers, explore, share)


def loss_of(outputs: Any, targets: Any) -> Any:
    """Squared error of values less their mean over legal cards, and a tenth of the mean's."""
    torch = need_torch()
    values = targets["values"]
    legal = ~torch.isnan(values)
    count = legal.sum(dim=1, keepdim=True)
    off = torch.where(legal, outputs - torch.nan_to_num(values), 0.0)
    mean = off.sum(dim=1, keepdim=True) / count
    apart = torch.where(legal, off - mean, 0.0)
    return (apart**2).sum() / count.sum() + _OF_THE_MEAN * (mean**2).mean()


def _inputs(packed: NDArray[np.uint8], size: int) -> NDArray[np.float32]:
    return np.unpackbits(packed, axis=1, count=size, bitorder="little").astype(np.float32)


def _network(learner: Learner, points: float) -> Network:
    return learner.network("", np.full(learner.sizes[-1], points, np.float32))


class CardsTrainer(RecipeTrainer):
    """`arena train policy RECIPE` with `kind: network`."""

    recipe = CardsRecipe
