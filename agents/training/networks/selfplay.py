"""Who will win, from rounds that the network plays itself: `arena train selfplay RECIPE`.

A cycle plays rounds with the network as it is, adds their positions to a buffer, and learns from
as many positions of the buffer as the cycle brought. Now and then the network plays the rule
player on the same deals as ever; that is the learning curve.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any, Literal

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from agents.ismcts import Ismcts
from agents.networks.dense_network import BITS_HELP, Bits, save_network
from agents.networks.encodings import VERSIONS
from agents.rule import Rule
from agents.search.network import load_network
from agents.searchers.evaluators import NetworkJudge
from agents.training.curves import line, write_figure
from agents.training.networks.fitting import load_arrays, save_arrays
from agents.training.networks.learner import Learner
from agents.training.networks.positions import examples_of, inputs_for, margins_of
from agents.training.networks.value import POINTS, Margin, notes_of
from agents.training.rounds import Rounds, play_rounds
from arena import __version__
from arena.config.model_file import ModelFile
from arena.config.recipe import RecipeTrainer
from arena.core.agent import Agent, parameter
from arena.core.errors import ArenaError
from arena.core.files import write_atomically
from arena.core.seeds import rng_for
from arena.games.kernel.jit import warm_up
from arena.games.klaverjas import Klaverjas
from arena.stats.paired import mean_difference

_CHUNK = 15
"""Rounds that a worker plays at a time."""
_COLUMNS = ("cycle", "mean", "low", "high", "deals")


@dataclass(frozen=True)
class Measured:
    """The margin per deal against the rule player, with its 95% interval."""

    cycle: int
    mean: float
    low: float
    high: float
    deals: int


@dataclass
class _Progress:
    """Where training is; `rounds` are those in the buffer, cycle by cycle."""

    cycle: int = 0
    losses: list[float] = field(default_factory=list)
    curve: list[Measured] = field(default_factory=list)
    rounds: list[Rounds] = field(default_factory=list)


@dataclass(frozen=True)
class SelfPlayRecipe:
    """Trains a network that judges leaves on rounds that it plays itself.

    Source: Aaldering 2023, section 3.4; the defaults are as published. Differs: of a full buffer
    the oldest positions go (the text says the last added); who leads also declares; the model
    that is written is the one that did best when it was measured.
    """

    variant: Literal["rotterdam", "amsterdam"] = parameter("rotterdam", help="of Klaverjas")
    encoding: Literal["places", "world"] = parameter("places", help="what the network is shown")
    hidden: tuple[int, ...] = parameter((1024, 512, 128, 16), help="nodes of the hidden layers")
    simulations: int = parameter(10, help="of a decision, in training and when measured")
    c: float = parameter(50.0, help="exploration in points")
    cycles: int = parameter(200, help="cycles", at_least=1)
    rounds: int = parameter(60, help="rounds that a cycle plays", at_least=1)
    buffer: int = parameter(43_200, help="positions to learn from", at_least=1)
    batch: int = parameter(2048, help="positions of a step", at_least=1)
    learning_rate: float = parameter(0.01, help="of Adam", at_least=0)
    later_rate: float = parameter(0.001, help="the learning rate later on", at_least=0)
    later: int = parameter(50, help="cycles after which it is later", at_least=0)
    measured_every: int = parameter(20, help="cycles between two measurements", at_least=1)
    deals: int = parameter(500, help="deals of a measurement, each in both seatings", at_least=2)
    seed: int = parameter(2023, help="where all randomness comes from", at_least=0)
    bits: Bits = parameter(32, help=BITS_HELP)

    def __post_init__(self) -> None:
        if not self.hidden or min(self.hidden) < 1:
            raise ArenaError("hidden: expected numbers of nodes from 1 on")

    def make(self, folder: Path, output: Path, workers: int, say: Callable[[str], None]) -> None:
        """Train; write the model, and the learning curve as a table and a figure beside it."""
        rules = Klaverjas(variant=self.variant)
        warm_up()
        sizes = [inputs_for(rules, self.encoding), *self.hidden, 1]
        learner = Learner(sizes, Margin.loss, self.learning_rate, self.seed)
        learner.ignore(_never(rules, self.encoding, self.seed))
        notes = notes_of(output, self, {})
        current, best = notes.with_suffix(".current.npz"), notes.with_suffix(".best.npz")
        at = self._resumed(notes, learner, rules)
        if 0 < at.cycle < self.cycles:
            say(f"going on with cycle {at.cycle + 1} of {self.cycles}")
        positions = [self._positions(rounds, number) for number, rounds in _numbered(at)]
        with Parallel(n_jobs=workers) as pool:
            while at.cycle < self.cycles:
                if at.cycle % self.measured_every == 0:
                    self._measure(at, learner, rules, current, best, pool, say)
                self._save(learner, current)
                agent = self._agent(current)
                numbers = range(at.cycle * self.rounds, (at.cycle + 1) * self.rounds)
                played = pool(
                    delayed(play_rounds)(rules, [agent], self.seed, numbers[i : i + _CHUNK])
                    for i in range(0, self.rounds, _CHUNK)
                )
                at.rounds.append(Rounds.join(played))
                positions.append(self._positions(at.rounds[-1], at.cycle))
                while sum(len(each[1]) for each in positions[1:]) >= self.buffer:
                    del positions[0], at.rounds[0]
                at.losses.append(self._learn(learner, positions, at.cycle))
                at.cycle += 1
                self._note(notes, learner, at)
                shown = [POINTS * float(np.sqrt(loss)) for loss in at.losses]
                say(line(at.cycle / self.cycles, f"cycle {at.cycle}", shown, "points"))
            self._measure(at, learner, rules, current, best, pool, say)
        self._write(output, best, at.curve)

    def _positions(
        self, rounds: Rounds, cycle: int
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        seed = rng_for(self.seed, "suits", cycle).next64() >> 1
        found = examples_of(rounds, self.encoding, everyone=False, seed=seed)
        return found.inputs, found.margins[:, None] / np.float32(POINTS)

    def _learn(
        self,
        learner: Learner,
        positions: list[tuple[NDArray[np.float32], NDArray[np.float32]]],
        cycle: int,
    ) -> float:
        learner.set_learning_rate(self.learning_rate if cycle < self.later else self.later_rate)
        inputs = np.concatenate([each[0] for each in positions])[-self.buffer :]
        margins = np.concatenate([each[1] for each in positions])[-self.buffer :]
        count = len(positions[-1][1])
        order = np.random.default_rng([self.seed, cycle]).permutation(len(inputs))[:count]
        losses = []
        for first in range(0, count, self.batch):
            rows = order[first : first + self.batch]
            losses.append(learner.step(inputs[rows], {"margin": margins[rows]}))
        return float(np.mean(losses))

    def _agent(self, model: Path) -> Agent:
        judge = NetworkJudge(ModelFile.find(str(model)))
        return Ismcts(simulations=self.simulations, c=self.c, ucb="global", evaluator=judge)

    def _measure(
        self,
        at: _Progress,
        learner: Learner,
        rules: Klaverjas,
        current: Path,
        best: Path,
        pool: Any,
        say: Callable[[str], None],
    ) -> None:
        if at.curve and at.curve[-1].cycle == at.cycle:
            return
        self._save(learner, current)
        margins = margins_against(
            rules, self._agent(current), Rule(mode="as-published"), self.seed + 1, self.deals, pool
        )
        found = mean_difference(margins)
        assert found.mean is not None and found.low is not None and found.high is not None
        at.curve.append(Measured(at.cycle, found.mean, found.low, found.high, self.deals))
        say(
            f"cycle {at.cycle}: {found.mean:+.1f} points a deal against rule "
            f"({found.low:+.1f} to {found.high:+.1f}, {self.deals} deals)"
        )
        if found.mean == max(each.mean for each in at.curve):
            write_atomically(best, current.read_bytes())

    def _save(self, learner: Learner, path: Path) -> None:
        encoding = f"{self.encoding} {VERSIONS[self.encoding]}"
        save_network(path, learner.network(encoding, np.full(1, POINTS, np.float32)), "in training")

    def _resumed(self, notes: Path, learner: Learner, rules: Klaverjas) -> _Progress:
        if not notes.exists():
            return _Progress()
        kept = load_arrays(notes)
        learner.restore(kept)
        where = json.loads(str(kept["where"]))
        columns = [kept[name] for name in ("trump", "declarer", "leader", "cards")]
        rounds = Rounds(rules, *columns)
        parts = [
            rounds.part(slice(first, first + self.rounds))
            for first in range(0, len(rounds), self.rounds)
        ]
        curve = [Measured(**each) for each in where["curve"]]
        return _Progress(where["cycle"], where["losses"], curve, parts)

    def _note(self, notes: Path, learner: Learner, at: _Progress) -> None:
        where = {
            "cycle": at.cycle,
            "losses": at.losses,
            "curve": [asdict(each) for each in at.curve],
        }
        rounds = Rounds.join(at.rounds)
        save_arrays(
            notes,
            {
                **learner.arrays(),
                "where": np.array(json.dumps(where)),
                "trump": rounds.trump,
                "declarer": rounds.declarer,
                "leader": rounds.leader,
                "cards": rounds.cards,
            },
        )

    def _write(self, output: Path, best: Path, curve: list[Measured]) -> None:
        header = {
            "recipe": asdict(self),
            "data": {"seed": self.seed},
            "arena": __version__,
            "curve": [asdict(each) for each in curve],
        }
        network = load_network(ModelFile.find(str(best)))
        save_network(output, network, json.dumps(header, sort_keys=True), self.bits)
        table = StringIO()
        writer = csv.DictWriter(table, _COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(each) for each in curve)
        write_atomically(output.with_suffix(".csv"), table.getvalue())
        points = [(float(each.cycle), each.mean, each.low, each.high) for each in curve]
        title = f"{self.simulations} simulations against the rule player, {self.deals} deals twice"
        write_figure(output.with_suffix(".svg"), {"": points}, "cycle", "points a deal, 95%", title)


def margins_against(
    rules: Klaverjas, agent: Agent, other: Agent, seed: int, deals: int, pool: Any
) -> NDArray[np.float64]:
    """The margin of an agent in each of some random deals, played in both seatings."""
    chunks = [range(first, min(first + 50, deals)) for first in range(0, deals, 50)]
    jobs = [(lineup, chunk) for lineup in ([agent, other], [other, agent]) for chunk in chunks]
    played = pool(delayed(play_rounds)(rules, lineup, seed, chunk) for lineup, chunk in jobs)
    half = len(chunks)
    first, second = (margins_of(Rounds.join(some)) for some in (played[:half], played[half:]))
    return (first - second).astype(np.float64) / 2


def _numbered(at: _Progress) -> list[tuple[int, Rounds]]:
    return list(enumerate(at.rounds, start=at.cycle - len(at.rounds)))


def _never(rules: Klaverjas, encoding: Any, seed: int) -> NDArray[np.bool_]:
    """The inputs that are always 0: found in random rounds."""
    from agents.random_ import Random

    rounds = play_rounds(rules, [Random()], seed, range(200))
    inputs = examples_of(rounds, encoding, everyone=True, seed=seed).inputs
    return np.asarray(~inputs.any(axis=0))


class SelfPlayTrainer(RecipeTrainer):
    """`arena train selfplay RECIPE`."""

    recipe = SelfPlayRecipe
