"""Epochs over rounds, until a network gets no better on rounds that are held out.

Rounds are taken in stretches, in an order of their own in every epoch; after each stretch all
that is known is written down, so training that is stopped goes on there, to the same end.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from agents.training.curves import line
from agents.training.networks.learner import Learner
from agents.training.networks.positions import Encoding, Examples, Playouts, examples_of
from agents.training.rounds import Rounds
from arena.core.errors import ArenaError
from arena.core.files import write_atomically
from arena.core.seeds import rng_for

_HELD_OUT_AT_MOST = 2000
"""Rounds on which an epoch is measured; more would cost time and tell nothing new."""


@dataclass(frozen=True)
class Course:
    """How long and how fast."""

    epochs: int
    batch: int
    learning_rate: float
    last_rate: float
    """The learning rate falls to this, in a straight line over all epochs."""
    patience: int
    """Epochs without a better held-out loss after which training ends; 0 for never."""
    held_out: float
    stretch: int
    seed: int


class Task(Protocol):
    """What is learnt."""

    @property
    def encoding(self) -> Encoding:
        """What the network is shown."""
        ...

    @property
    def everyone(self) -> bool:
        """Whether all seats look at a position, or only the one to move."""
        ...

    @property
    def playouts(self) -> Playouts | None:
        """What positions are worth, if not how the round ended."""
        ...

    @property
    def unit(self) -> str:
        """Of losses as they are told."""
        ...

    def targets(self, examples: Examples) -> dict[str, NDArray[Any]]:
        """What ought to come out, a row for each position."""
        ...

    def told(self, loss: float) -> float:
        """A mean loss in units for people."""
        ...


@dataclass(frozen=True)
class Epoch:
    """How it went."""

    train: float
    held_out: float


def fit(
    learner: Learner,
    rounds: Rounds,
    task: Task,
    course: Course,
    notes: Path,
    say: Callable[[str], None],
) -> list[Epoch]:
    """Train; the learner is left as it was when it did best on the rounds held out.

    `notes` is the file in which all that is known is written down on the way.
    """
    held = max(1, round(len(rounds) * course.held_out))
    if len(rounds) - held < 1:
        raise ArenaError(f"{len(rounds)} rounds are too few to hold {course.held_out:.0%} out")
    learnt, unseen = rounds.part(slice(0, -held)), rounds.part(slice(-held, None))
    unseen = unseen.part(slice(0, _HELD_OUT_AT_MOST))
    stretches = -(-len(learnt) // course.stretch)
    history, losses, epoch, stretch = list[Epoch](), list[float](), 0, 0
    best: dict[str, NDArray[Any]] = {}
    if notes.exists():
        kept = load_arrays(notes)
        learner.restore({k: v for k, v in kept.items() if not k.startswith("best_")})
        best = {k.removeprefix("best_"): v for k, v in kept.items() if k.startswith("best_")}
        where = json.loads(str(kept["where"]))
        epoch, stretch, losses = where["epoch"], where["stretch"], where["losses"]
        history = [Epoch(*each) for each in where["history"]]
        if epoch < course.epochs:
            say(f"going on with epoch {epoch + 1} of {course.epochs}")
    else:
        some = examples_of(learnt.part(slice(0, 500)), task.encoding, task.everyone, course.seed)
        learner.ignore(np.asarray(~some.inputs.any(axis=0)))
    while epoch < course.epochs and not _is_done(history, course.patience):
        order = np.random.default_rng([course.seed, epoch]).permutation(len(learnt))
        while stretch < stretches:
            done = (epoch + stretch / stretches) / course.epochs
            rate = course.learning_rate + done * (course.last_rate - course.learning_rate)
            learner.set_learning_rate(rate)
            chosen = np.sort(order[stretch * course.stretch : (stretch + 1) * course.stretch])
            rng = rng_for(course.seed, "stretch", epoch, stretch)
            losses.append(_learn(learner, learnt, chosen, task, course.batch, rng.next64() >> 1))
            stretch += 1
            _note(notes, learner, best, epoch, stretch, losses, history)
            shown = [task.told(loss) for loss in losses]
            done = (epoch + stretch / stretches) / course.epochs
            say(line(done, f"epoch {epoch + 1} of {course.epochs}", shown, task.unit))
        history.append(
            Epoch(
                task.told(float(np.mean(losses[-stretches:]))),
                task.told(_loss(learner, unseen, task, course.batch)),
            )
        )
        if history[-1].held_out == min(each.held_out for each in history):
            best = learner.arrays()
        epoch, stretch = epoch + 1, 0
        _note(notes, learner, best, epoch, stretch, losses, history)
        say(
            f"epoch {epoch}: {history[-1].train:.3f} {task.unit}, "
            f"held out {history[-1].held_out:.3f}"
        )
    learner.restore(best)
    return history


def _is_done(history: list[Epoch], patience: int) -> bool:
    if not patience or len(history) <= patience:
        return False
    losses = [each.held_out for each in history]
    return min(losses[-patience:]) > min(losses[:-patience])


def _learn(
    learner: Learner,
    rounds: Rounds,
    chosen: NDArray[np.int64],
    task: Task,
    batch: int,
    seed: int,
) -> float:
    """Learn from some rounds; the mean loss."""
    some = rounds.rows(chosen)
    examples = examples_of(some, task.encoding, task.everyone, seed, task.playouts)
    targets = task.targets(examples)
    order = np.random.default_rng(seed).permutation(len(examples.margins))
    losses = []
    for first in range(0, len(order), batch):
        rows = order[first : first + batch]
        losses.append(learner.step(examples.inputs[rows], _rows(targets, rows)))
    return float(np.mean(losses))


def _loss(learner: Learner, rounds: Rounds, task: Task, batch: int) -> float:
    examples = examples_of(rounds, task.encoding, task.everyone, playouts=task.playouts)
    targets = task.targets(examples)
    total, count = 0.0, len(examples.margins)
    for first in range(0, count, batch):
        rows = np.arange(first, min(first + batch, count))
        total += len(rows) * learner.loss(examples.inputs[rows], _rows(targets, rows))
    return total / count


def _rows(targets: Mapping[str, NDArray[Any]], rows: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
    return {name: array[rows] for name, array in targets.items()}


# --- what is written down ----------------------------------------------------------------


def _note(
    path: Path,
    learner: Learner,
    best: Mapping[str, NDArray[Any]],
    epoch: int,
    stretch: int,
    losses: list[float],
    history: list[Epoch],
) -> None:
    where = {
        "epoch": epoch,
        "stretch": stretch,
        "losses": losses,
        "history": [[each.train, each.held_out] for each in history],
    }
    kept = {f"best_{name}": array for name, array in best.items()}
    save_arrays(path, {**learner.arrays(), **kept, "where": np.array(json.dumps(where))})


def save_arrays(path: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays, all or nothing."""
    content = BytesIO()
    np.savez(content, **arrays)  # type: ignore[arg-type]  # none of them is called allow_pickle
    write_atomically(path, content.getvalue())


def load_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """Read arrays; nothing is unpickled."""
    try:
        with np.load(path, allow_pickle=False) as file:
            return dict(file)
    except (OSError, ValueError, KeyError) as error:
        raise ArenaError(f"{path}: notes of a training that cannot be read: {error}") from error
