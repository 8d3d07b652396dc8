"""Small experiments, and agents that misbehave on purpose."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from arena.config.entrants import AgentSpec, Entrant
from arena.config.experiment import ResolvedExperiment
from arena.core.agent import Setup
from arena.core.deals import Deal
from arena.core.registry import AGENTS
from arena.core.rules import Action, Rules, View
from arena.core.seeds import Rng, rng_for
from arena.games.klaverjas import Klaverjas
from arena.store import Run
from arena.store.export import export
from arena.tournament.run import Finished, RunOptions, run
from arena.tournament.tally import Tally

FAMILIES: dict[str, Any] = {}


def family(name: str) -> Any:
    def registered(cls: Any) -> Any:
        FAMILIES[name] = cls
        AGENTS.add(name, cls)
        return cls

    return registered


@family("lowest")
@dataclass(frozen=True)
class Lowest:
    """Always the first legal action."""

    def act(self, view: View, rng: Rng) -> Action:
        return view.legal[0]


@family("any")
@dataclass(frozen=True)
class Anything:
    """Any legal action."""

    version: int = 1

    def act(self, view: View, rng: Rng) -> Action:
        return rng.choice(view.legal)


@family("trouble")
@dataclass(frozen=True)
class Trouble:
    """Does what it should not, in the trick `trick` if it was dealt a certain card first."""

    what: str = "crash"
    trick: int = 3
    first_card: int = -1
    """-1: on every deal."""

    def act(self, view: View, rng: Rng) -> Action:
        chosen = self.first_card in (-1, view.dealt_hand[0])
        if chosen and len(view.tricks) == self.trick:
            return self._misbehave(view)
        return view.legal[0]

    def _misbehave(self, view: View) -> Any:
        if self.what == "crash":
            raise ValueError("out of\ncards")
        if self.what == "exit":
            raise SystemExit(3)
        if self.what == "sleep":
            time.sleep(0.2)
        if self.what == "stuck":
            while True:
                pass
        if self.what == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        answers = {"none": None, "text": "H7", "bool": True, "float": float(view.legal[0])}
        not_legal = next(a for a in range(61) if a not in view.legal)
        return answers.get(self.what, view.legal[0] if self.what == "sleep" else not_legal)


@family("once")
@dataclass(frozen=True)
class KilledOnce:
    """Ends its process the first time it is asked, anywhere; plays low afterwards."""

    flag: str = ""

    def act(self, view: View, rng: Rng) -> Action:
        path = Path(self.flag)
        if view.rules.name and view.dealt_hand and path.exists() and len(view.tricks) == 2:
            path.unlink(missing_ok=True)
            os.kill(os.getpid(), signal.SIGKILL)
        return view.legal[0]


@family("remembers")
@dataclass(frozen=True)
class Memory:
    """Plays low, and knows how often it was asked in this round."""

    asked: list[int] = field(default_factory=list, compare=False)

    def take_seat(self, setup: Setup) -> Memory:
        return Memory([])

    def act(self, view: View, rng: Rng) -> Action:
        if view.phase != "play":
            return view.legal[0]
        self.asked.append(len(view.tricks))
        if self.asked != list(range(len(view.tricks) + 1)):
            raise RuntimeError(f"remembers another round: {self.asked}")
        return view.legal[0]


def make_deals(rules: Rules, count: int, prefix: str = "d") -> tuple[Deal, ...]:
    return tuple(
        replace(rules.random_deal(rng_for(5, "deal", i), i), id=f"{prefix}{i:04}")
        for i in range(count)
    )


def entrant(name: str, kind: str = "any", **parameters: Any) -> Entrant:
    return Entrant(name, (AgentSpec(kind, parameters),))


def make_experiment(
    count: int = 12,
    entrants: tuple[Entrant, ...] | None = None,
    rules: Rules | None = None,
    **changes: Any,
) -> ResolvedExperiment:
    """A round robin on `count` deals of Klaverjas."""
    rules = rules or Klaverjas()
    entrants = entrants or (entrant("any"), entrant("lowest", "lowest"))
    names = [each.name for each in entrants]
    pairings = tuple((a, b) for i, a in enumerate(names) for b in names[i + 1 :])
    base = ResolvedExperiment(
        name="small",
        rules=rules,
        deals=make_deals(rules, count),
        deal_set="made",
        deals_sha256=f"made-{count}",
        entrants=entrants,
        pairings=pairings,
    )
    return replace(base, **changes)


class Watch:
    """Keeps every message."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.tally: Tally | None = None

    def say(self, line: str) -> None:
        self.lines.append(line)

    def update(self, tally: Tally) -> None:
        self.tally = tally


def play(experiment: ResolvedExperiment, path: Path, **options: Any) -> Finished:
    options.setdefault("jobs", 1)
    return run(experiment, path, RunOptions(**options), Watch())


def exported(path: Path, tmp: Path, form: str = "csv") -> bytes:
    """A run without times, as bytes."""
    with Run(path) as results, (tmp / "export").open("wb") as out:
        export(results, form, out, times=False)
    return (tmp / "export").read_bytes()


def margins(path: Path) -> Iterator[tuple[str, float]]:
    with Run(path) as results:
        frame = results.deals()
    yield from zip(frame["unit"], frame["margin"], strict=True)
