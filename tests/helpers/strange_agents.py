"""Agents that do what they must not, each in its own way, and some that only look odd."""

from __future__ import annotations

import random
import sys
from dataclasses import dataclass, field
from typing import Any, ClassVar

from arena.core.agent import Setup
from arena.core.rules import PASS, Action, View
from arena.core.seeds import Rng


@dataclass(frozen=True)
class Illegal:
    """Plays its highest card, legal or not."""

    def act(self, view: View, rng: Rng) -> Action:
        return view.hand.bit_length() - 1 if view.phase == "play" else view.legal[0]


@dataclass(frozen=True)
class NeverBid:
    """Passes even where it must name a suit."""

    def act(self, view: View, rng: Rng) -> Action:
        return PASS if view.phase == "bid" else view.legal[0]


@dataclass(frozen=True)
class NoPhases:
    """Knows only the phase in which cards are played."""

    def act(self, view: View, rng: Rng) -> Action:
        return {"play": view.legal[0]}[view.phase]


@dataclass(frozen=True)
class OwnChance:
    """Draws from the module's generator."""

    def act(self, view: View, rng: Rng) -> Action:
        return random.choice(view.legal)


@dataclass(frozen=True)
class TextOrder:
    """Depends on how Python hashes text in this process."""

    def act(self, view: View, rng: Rng) -> Action:
        return sorted(view.legal, key=lambda action: hash(f"card {action}"))[0]


@dataclass
class Counts:
    """Counts its decisions over all deals and seats."""

    decisions: int = 0

    def act(self, view: View, rng: Rng) -> Action:
        self.decisions += 1
        return view.legal[self.decisions % len(view.legal)]


@dataclass(frozen=True)
class CountsInItsSeat:
    """Counts its decisions too, but in an object of its own for each round and seat."""

    def take_seat(self, setup: Setup) -> Counts:
        return Counts()

    def act(self, view: View, rng: Rng) -> Action:
        return view.legal[0]


def _state_of_the_referee() -> Any:
    frame = sys._getframe(1)
    while frame is not None:
        if "state" in frame.f_locals:
            return frame.f_locals["state"]
        frame = frame.f_back
    return None


@dataclass(frozen=True)
class Peeps:
    """Looks at the next player's cards, through the referee's own variables."""

    def act(self, view: View, rng: Rng) -> Action:
        state = _state_of_the_referee()
        others = state.hands[view.rules.seat_after(view.seat)]
        return view.legal[others % len(view.legal)]


@dataclass(frozen=True)
class Hoards:
    """Keeps the referee's state, though it does nothing with it."""

    kept: list[Any] = field(default_factory=list)

    def act(self, view: View, rng: Rng) -> Action:
        self.kept.append({"round": (_state_of_the_referee(),)})
        return view.legal[0]


@dataclass(frozen=True)
class HoardsInAClosure:
    """Keeps another player's hand where a function can get at it."""

    kept: list[Any] = field(default_factory=list)

    def act(self, view: View, rng: Rng) -> Action:
        hand = _state_of_the_referee().deal.hands[view.rules.seat_after(view.seat)]
        self.kept.append(lambda: hand)
        return view.legal[0]


@dataclass(frozen=True)
class OpenHanded:
    """Sees all cards, and says so."""

    sees_all_cards: ClassVar[bool] = True

    def act(self, view: View, rng: Rng) -> Action:
        assert view.all_hands is not None
        return view.legal[sum(view.all_hands) % len(view.legal)]


WATCHED: set[tuple[Any, str]] = set()
"""The rules and phases that a `Watcher` has met."""


@dataclass(frozen=True)
class Watcher:
    """Writes down what it is asked to play."""

    games: ClassVar[tuple[str, ...]] = ("hearts", "klaverjas")

    def act(self, view: View, rng: Rng) -> Action:
        WATCHED.add((view.rules, view.phase))
        return view.legal[0]


class Unpicklable:
    """Holds what no other process can have."""

    def __init__(self) -> None:
        self.choose = lambda legal: legal[0]

    def act(self, view: View, rng: Rng) -> Action:
        return self.choose(view.legal)


@dataclass(frozen=True)
class SaysTrue:
    """Answers with a truth value, which Python takes for a number."""

    def act(self, view: View, rng: Rng) -> Any:
        return True


class Nobody:
    """Has nothing to play with."""
