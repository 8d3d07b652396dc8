"""The contract of trainers, and the one loop that runs all of them.

A trainer is a `TrainingRecipe`: a frozen dataclass; its fields are the keys of a training file.
Its method `begin` prepares a `Training`: examples, and something that learns from them. The loop
does the steps of the training one after the other and writes a checkpoint after each. A training
that was killed resumes after its last finished step, and its model has the same bytes as if it
had never stopped. The bytes do not depend on the number of workers either.

At the end the training measures its model and writes it, with a header that holds the recipe, the
origin and seed of the examples, the version of arena and the figures that were measured. The
checkpoints are deleted, unless they are to be kept.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, ClassVar, TypeAlias
from zipfile import BadZipFile

import numpy as np
from joblib import Parallel
from numpy.typing import NDArray

from agents.training.curves import bar
from arena import __version__
from arena.config.recipe import TrainingOrder
from arena.core.errors import ArenaError
from arena.core.files import write_atomically
from arena.tournament.pool import options_of_workers

Arrays: TypeAlias = dict[str, NDArray[Any]]
_STATE = "state"


@dataclass(frozen=True)
class CheckpointFolder:
    """Arrays on disk, next to the model; each file is written whole or not at all."""

    path: Path

    def save(self, name: str, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Write arrays under a name."""
        content = BytesIO()
        np.savez(content, **arrays)  # type: ignore[arg-type]  # none is called allow_pickle
        write_atomically(self._file(name), content.getvalue())

    def load(self, name: str) -> Arrays | None:
        """The arrays that were saved under a name, or None. Nothing is unpickled."""
        path = self._file(name)
        if not path.exists():
            return None
        try:
            with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
                return dict(arrays)
        except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
            raise self.unusable(error) from error

    def drop(self, name: str) -> None:
        """Delete the arrays of a name, if there are any."""
        self._file(name).unlink(missing_ok=True)

    def unusable(self, why: object) -> ArenaError:
        """The error for checkpoints that are damaged or of another version."""
        return ArenaError(f"{self.path}: a checkpoint that cannot be used ({why}): delete it")

    def remove(self) -> None:
        """Delete the folder."""
        shutil.rmtree(self.path, ignore_errors=True)

    def _file(self, name: str) -> Path:
        return self.path / f"{name}.npz"


class Training(ABC):
    """A training under way.

    The loop counts the steps in `done`, and writes `log` and `arrays()` to the checkpoint: with
    the recipe and the examples they must determine all that follows.
    """

    unit: ClassVar[str] = "step"
    """The name of a step."""
    files: CheckpointFolder
    """For results within a step, and for arrays too large to write again after every step."""

    def __init__(
        self, order: TrainingOrder, total: int, data: dict[str, Any], sha256: str = ""
    ) -> None:
        self.order = order
        self.total = total
        self.data = data
        """The origin of the examples, for the header of the model."""
        self.identity = [data, sha256]
        """Names the checkpoint, with the recipe; `sha256` is a hash of the examples."""
        self.done = 0
        self.log: dict[str, Any] = {}
        """Figures measured on the way, as plain values."""

    @property
    def is_finished(self) -> bool:
        """Whether no step is left; a training may end before `total` steps."""
        return self.done >= self.total

    @abstractmethod
    def step(self) -> str:
        """Do step number `done`; a few words and figures for the progress line."""

    @abstractmethod
    def arrays(self) -> Arrays:
        """The arrays that the next steps depend on."""

    @abstractmethod
    def restore(self, arrays: Arrays) -> None:
        """Go back to where `arrays` were taken; `done` and `log` are set already."""

    @abstractmethod
    def figures(self) -> dict[str, Any]:
        """Measure the finished model; entries for its header."""

    @abstractmethod
    def write(self, header: dict[str, Any]) -> None:
        """Write the model to `order.output`, all or nothing, and its figures next to it."""

    def in_workers(self, tasks: Iterable[Any]) -> Iterator[Any]:
        """The results of joblib's tasks in their order, as the workers deliver them."""
        results: Iterator[Any] = Parallel(
            n_jobs=self.order.jobs, return_as="generator", **options_of_workers()
        )(tasks)
        return results


@dataclass(frozen=True)
class TrainingRecipe(ABC):
    """How to make a model: parameters with help texts, read strictly from YAML."""

    no_step_depends_on: ClassVar[frozenset[str]] = frozenset()
    """Fields that may change between two calls that share a checkpoint."""

    @abstractmethod
    def begin(self, order: TrainingOrder) -> Training:
        """Read or make the examples and set up the training at its first step."""

    def train(self, order: TrainingOrder) -> None:
        """Run the training to its end, from its checkpoint if there is one."""
        training = self.begin(order)
        name = f"{order.output.stem}-{self._digest(training.identity)}"
        training.files = CheckpointFolder(order.output.with_name(name).resolve())
        _resume(training)
        while not training.is_finished:
            text = training.step()
            training.done += 1
            log = np.array(json.dumps({"done": training.done, **training.log}))
            training.files.save(_STATE, {**training.arrays(), "log": log})
            order.say(f"{bar(training.done / training.total)} {text}")
        figures = training.figures()
        header = {"recipe": asdict(self), "data": training.data, "arena": __version__, **figures}
        training.write(header)
        if not order.keep:
            training.files.remove()

    def _digest(self, identity: list[Any]) -> str:
        counted = {k: v for k, v in asdict(self).items() if k not in self.no_step_depends_on}
        text = json.dumps([counted, identity], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:12]


def _resume(training: Training) -> None:
    """Go back to the last checkpoint, if there is one."""
    state = training.files.load(_STATE)
    if state is None:
        return
    try:
        log = json.loads(str(state.pop("log")))
        training.done, training.log = log.pop("done"), log
        training.restore(state)
    except (KeyError, TypeError, ValueError) as error:
        raise training.files.unusable(error) from error
    if not training.is_finished:
        step = f"{training.unit} {training.done + 1} of {training.total}"
        training.order.say(f"resuming at {step}")
