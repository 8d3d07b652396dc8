"""Networks that value cards, from nothing: `arena train policy RECIPE` with `kind: network`.

In each cycle the network as it is plays rounds, playouts label some decisions with the value of
every legal card (`card_labels`), and the network learns from the labels of the last cycles. In
the first cycle all seats play by the bundled tables of the game.

The loss is the squared error of the values less their mean over the legal cards, which decides
between cards, and a tenth of the squared error of the mean. New labels are measured before the
network learns from them, so the errors reported are on deals that it has not seen.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from joblib import delayed
from numpy.typing import NDArray

from agents.ismcts import Ismcts
from agents.networks.dense_network import BITS_HELP, Bits
from agents.policies.card_inputs import input_count, output_count
from agents.policies.network import CardNetwork, save_card_network
from agents.training.margins import MarginInterval
from agents.training.nats import nats_of
from agents.training.networks.base import (
    HIDDEN_HELP,
    RATE_HELP,
    SEED_HELP,
    NetworkRecipe,
    NetworkTraining,
    header_text,
    shown,
)
from agents.training.networks.card_labels import Labels, label
from agents.training.networks.card_rounds import DealBatch, deals_for, play_against, table_players
from agents.training.networks.learner import Floats, Learner, Targets, squared_error
from agents.training.networks.temperature import likelihood, temperature_of, valued_choices
from agents.training.rounds import play_rounds
from agents.training.trainer import Arrays
from arena.config.parameters import read_values
from arena.config.recipe import TrainingOrder
from arena.core.agent import parameter
from arena.core.registry import BIDDERS, GAMES
from arena.core.rules import Rules

_WEIGHT_OF_MEAN = 0.1
"""The weight of the mean over legal cards in the loss."""
_MEASURED_CHUNK = 8192
"""Decisions that are measured at a time."""
_LABELLED_CHUNK = 250
"""Deals that a worker labels at a time."""
_MEASURED_DEALS = 1_000_000
"""The number of the first deal that is measured on: far from those that are learnt from."""
_NATS_WORLDS = 500
"""Worlds that the true one is compared with."""
_GREEDY = 8.0
"""A sharpness at which tables play their best card."""


@dataclass(frozen=True)
class CardNetworkRecipe(NetworkRecipe):
    """Trains a network that values every card that a seat may play."""

    kind: Literal["network"] = parameter("network", help="the kind of policy")
    game: str = parameter("klaverjas", help="the game")
    options: dict[str, Any] | None = parameter(None, help="options of the game")
    bidder: str = parameter("", help="bidder; by default the usual one of the game")
    hidden: tuple[int, ...] = parameter((256, 64), help=HIDDEN_HELP)
    cycles: int = parameter(100, help="cycles", at_least=1)
    first: int = parameter(
        100, help="cycles in which the tables play cards out; in later ones, the network does"
    )
    worlds: int = parameter(30, help="worlds in which the tables play cards out", at_least=1)
    deals: int = parameter(4000, help="deals that a cycle plays", at_least=1)
    share: float = parameter(0.5, help="share of the decisions that are labelled", at_most=1)
    kept: int = parameter(20, help="cycles from which labels are kept to learn from", at_least=1)
    passes: float = parameter(3.0, help="how often the network learns from a label", at_least=0)
    batch: int = parameter(1024, help="decisions of a step of Adam", at_least=1)
    learning_rate: float = parameter(0.001, help=RATE_HELP, at_least=0)
    last_rate: float = parameter(0.00002, help="the learning rate falls to this", at_least=0)
    average: float = parameter(0.999, help="share of the averaged weights that each step keeps")
    explore: float = parameter(0.1, help="share of cards played at random", at_most=1)
    strangers: float = parameter(
        0.3, help="share of deals in which some seats play by the tables", at_most=0.99
    )
    sharpness: float = parameter(2.0, help="of the tables", at_least=0)
    measured_every: int = parameter(10, help="cycles between two measurements", at_least=1)
    measured: int = parameter(2000, help="deals of a measurement, each in two seatings", at_least=2)
    search: int = parameter(
        1600, help="simulations of the search that the temperature is fitted to", at_least=1
    )
    rounds: int = parameter(200, help="rounds that this search plays", at_least=4)
    seed: int = parameter(2026, help=SEED_HELP, at_least=0)
    bits: Bits = parameter(16, help=BITS_HELP)

    def begin(self, order: TrainingOrder) -> CardNetworkTraining:
        """Make a new network."""
        family = GAMES.get(self.game)
        options = read_values(family, self.options or {}, f"options of {self.game}", order.folder)
        if self.bidder:
            BIDDERS.get(self.bidder)
        return CardNetworkTraining(self, order, family(**options))


class CardNetworkTraining(NetworkTraining):
    """Plays, labels and learns, cycle by cycle."""

    unit = "cycle"

    def __init__(self, recipe: CardNetworkRecipe, order: TrainingOrder, rules: Rules) -> None:
        self.recipe, self.rules = recipe, rules
        numbers = range(_MEASURED_DEALS, _MEASURED_DEALS + recipe.measured)
        self.measured = deals_for(rules, recipe.seed, numbers, recipe.bidder)
        game = self.measured[0].game
        sizes = [input_count(game), *recipe.hidden, output_count(game)]
        self.points = rules.stake or max(map(abs, rules.margin_bounds))
        learner = Learner(sizes, loss_of, recipe.learning_rate, recipe.seed, recipe.average)
        order.say(f"{rules.name}: layers {sizes}")
        super().__init__(order, recipe.cycles, {"seed": recipe.seed}, learner)
        self.log |= {"curve": [], "labels": 0}
        self.labels: list[Labels] = []
        """The labels to learn from, cycle by cycle."""
        self.temperature = 1.0

    def step(self) -> str:
        recipe, log = self.recipe, self.log
        new = self._new_labels()
        log["losses"].append(self._error_of(new))
        if self.done == 0:
            self.learner.ignore(np.asarray(~self._inputs(new.inputs).any(axis=0)))
        self.labels = [*self.labels, new][-recipe.kept :]
        log["labels"] += len(new)
        self._learn(len(new))
        cycle = self.done + 1
        if cycle % recipe.measured_every == 0 or cycle == recipe.cycles:
            log["curve"].append(self._curve_point(cycle))
        self.files.save(f"labels-{self.done}", new._asdict())
        # The state on disk is still that of the cycle before, which needs one cycle more.
        self.files.drop(f"labels-{self.done - recipe.kept - 1}")
        return shown(f"cycle {cycle}", log["losses"], f"points, {log['labels']:,} labels")

    def restore(self, arrays: Arrays) -> None:
        super().restore(arrays)
        for cycle in range(max(0, self.done - self.recipe.kept), self.done):
            kept = self.files.load(f"labels-{cycle}")
            if kept is None:
                raise KeyError(f"labels-{cycle}")
            self.labels.append(Labels(**kept))

    def _model(self) -> CardNetwork:
        """The network as it is."""
        scale = np.full(self.learner.sizes[-1], self.points, np.float32)
        return CardNetwork(self.rules.name, self.learner.network("", scale), self.temperature)

    def _inputs(self, packed: NDArray[np.uint8]) -> NDArray[np.float32]:
        size = self.learner.sizes[0]
        return np.unpackbits(packed, axis=1, count=size, bitorder="little").astype(np.float32)

    def _new_labels(self) -> Labels:
        """The labels of a cycle; each depends on its deal alone."""
        recipe, model = self.recipe, self._model()
        numbers = range(self.done * recipe.deals, (self.done + 1) * recipe.deals)
        worlds = recipe.worlds if self.done < recipe.first else 0
        share_of_tables = recipe.strangers if self.done else 1.0
        labelled = self.in_workers(
            delayed(_label)(part, model, recipe, worlds, share_of_tables)
            for deals in deals_for(self.rules, recipe.seed, numbers, recipe.bidder)
            for part in deals.parts(_LABELLED_CHUNK)
        )
        return Labels.join(list(labelled))

    def _learn(self, count: int) -> None:
        """Learn from batches of all labels kept, in proportion to the `count` of new ones."""
        recipe = self.recipe
        rng = np.random.default_rng([recipe.seed, self.done])
        labels = Labels.join(self.labels)
        steps = max(1, round(recipe.passes * count / recipe.batch))
        for step in range(steps):
            done = (self.done + step / steps) / recipe.cycles
            self.learner.set_learning_rate(
                recipe.last_rate
                + (recipe.learning_rate - recipe.last_rate) * 0.5 * (1.0 + np.cos(np.pi * done))
            )
            rows = rng.integers(len(labels), size=recipe.batch)
            targets = {"values": labels.values[rows] / np.float32(self.points)}
            self.learner.step(self._inputs(labels.inputs[rows]), targets)

    # --- measurements --------------------------------------------------------------------

    def _error_of(self, labels: Labels) -> float:
        """The root of the mean squared error on labels, less their means, in points."""
        errors, count = 0.0, 0.0
        for first in range(0, len(labels), _MEASURED_CHUNK):
            chunk = slice(first, first + _MEASURED_CHUNK)
            values = labels.values[chunk]
            legal = ~np.isnan(values)
            found = self.learner.outputs(self._inputs(labels.inputs[chunk])) * self.points
            found = np.where(legal, found, np.nan)
            off = (found - np.nanmean(found, axis=1, keepdims=True)) - (
                values - np.nanmean(values, axis=1, keepdims=True)
            )
            errors += float(np.nansum(off**2))
            count += float(legal.sum())
        return float(np.sqrt(errors / count))

    def _curve_point(self, cycle: int) -> dict[str, float]:
        """The mean margin per deal against the tables, on the same deals every time."""
        model, margins = self._model(), []
        for deals in self.measured:
            opponents = table_players(deals.game, _GREEDY)
            margins.append(play_against(deals, model.valuer(deals.game), opponents))
        found = MarginInterval.of(np.concatenate(margins))
        self.order.say(f"cycle {cycle}: {found.against('the tables', 2)}")
        point = found.rounded(3)
        del point["deals"]  # the recipe has it
        return {"cycle": cycle, "labels": self.log["labels"], **point}

    def figures(self) -> dict[str, Any]:
        """Set the temperature at which a search's plays are likeliest, and how likely they are.

        It is found in half of the rounds, and measured in the others.
        """
        recipe, model = self.recipe, self._model()
        search = Ismcts(simulations=recipe.search)
        played = play_rounds(self.rules, [search], recipe.seed, range(recipe.rounds))
        known, unknown = played[::2], played[1::2]
        self.temperature = round(temperature_of(valued_choices(model, known)), 3)
        test = valued_choices(model, unknown)
        nats = nats_of(replace(model, temperature=self.temperature), (1.0,), unknown, _NATS_WORLDS)
        figures = {
            "decisions": len(test.values),
            "likelihood": round(likelihood(test, self.temperature), 4),
            "uniform": round(test.uniform, 4),
            "nats": round(nats.mean, 3),
            "nats_error": round(nats.error, 3),
        }
        listed = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in figures.items())
        self.order.say(f"search's plays at temperature {self.temperature}: {listed}")
        return {
            "labels": self.log["labels"],
            "errors": [round(loss, 3) for loss in self.log["losses"]],
            "curve": self.log["curve"],
            "figures": figures,
        }

    def write(self, header: dict[str, Any]) -> None:
        model = replace(self._model(), recipe=header_text(header))
        save_card_network(self.order.output, model, self.recipe.bits)


def _label(
    deals: DealBatch,
    model: CardNetwork,
    recipe: CardNetworkRecipe,
    worlds: int,
    share_of_tables: float,
) -> Labels:
    valuer, tables = model.valuer(deals.game), table_players(deals.game, recipe.sharpness)
    return label(deals, valuer, tables, worlds, share_of_tables, recipe.explore, recipe.share)


def loss_of(outputs: Floats, targets: Targets) -> tuple[float, Floats]:
    """Squared error of values less their mean over legal cards, and a tenth of the mean's."""
    off = outputs - targets["values"]
    legal = ~np.isnan(off)
    off[~legal] = 0.0
    count = legal.sum(axis=1, keepdims=True, dtype=np.float32)
    mean = off.sum(axis=1, keepdims=True) / count
    error = np.where(legal, off - mean, np.float32(0.0))
    of_mean, slope = squared_error(mean)
    loss = float((error**2).sum() / count.sum()) + _WEIGHT_OF_MEAN * of_mean
    shared = np.float32(_WEIGHT_OF_MEAN) * slope / count
    return loss, np.where(legal, error * (np.float32(2.0) / count.sum()) + shared, np.float32(0.0))
