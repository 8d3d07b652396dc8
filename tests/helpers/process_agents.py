"""Agents in Python that misbehave in ways that only a process of their own can survive."""

from __future__ import annotations

import ctypes
import gc
import os
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.core.agent import Setup
from arena.core.cards import cards_of
from arena.core.rules import Action, View
from arena.core.seeds import Rng


@dataclass(frozen=True)
class Stranger:
    """Any legal action, unless it is made to misbehave in trick `trick`."""

    what: str = ""
    trick: int = 2

    def act(self, view: View, rng: Rng) -> Action:
        if self.what and len(view.tricks) == self.trick and view.phase == "play":
            self._misbehave()
        return rng.choice(view.legal)

    def _misbehave(self) -> None:
        if self.what == "numba":
            _loop_forever()
        elif self.what == "sleep":
            time.sleep(1000)
        elif self.what == "segfault":
            ctypes.string_at(0)
        elif self.what == "prints":
            print("thinking ...")
            os.write(1, b"even more\n")
        elif self.what == "raises":
            raise ValueError("out of\ncards")
        elif self.what == "exit":
            os._exit(3)


def _loop_forever() -> None:
    """In compiled code that has let go of the interpreter: nothing in Python can stop it."""
    import numba  # here, so that the others start fast

    @numba.njit(nogil=True)
    def forever(x: int) -> int:
        while x >= 0:
            x = (x + 1) % 1000
        return x

    forever(1)


@dataclass(frozen=True)
class Says:
    """Answers with something that may be no action."""

    answer: Any

    def act(self, view: View, rng: Rng) -> Any:
        return self.answer


@dataclass(frozen=True)
class Remembers:
    """Counts its decisions in a deal, and draws so many numbers."""

    def take_seat(self, setup: Setup) -> _Counts:
        return _Counts()

    def act(self, view: View, rng: Rng) -> Action:
        raise AssertionError("it was not seated")


class _Counts:
    def __init__(self) -> None:
        self.asked = 0

    def act(self, view: View, rng: Rng) -> Action:
        self.asked += 1
        for _ in range(self.asked):
            rng.next64()
        return rng.choice(view.legal)


@dataclass(frozen=True)
class Spy:
    """Looks wherever Python lets it for cards that it may not see; writes down what it finds."""

    report: str

    def act(self, view: View, rng: Rng) -> Action:
        found = [what for what, things in self._everything() if self._tells(things, view)]
        found += self._of_parent()
        with Path(self.report).open("a") as file:
            file.write(f"{len(view.tricks)} {' '.join(found) or 'nothing'}\n")
        self._patch()
        return rng.choice(view.legal)

    def _everything(self) -> list[tuple[str, list[Any]]]:
        frames, frame = [], sys._getframe(0)
        while frame is not None:
            frames += frame.f_locals.values()
            frame = frame.f_back
        return [("frames", frames), ("gc", gc.get_objects())]

    def _tells(self, things: list[Any], view: View) -> bool:
        """Whether something is the round itself, or everybody's cards."""
        deck = set(cards_of(view.rules.deck))
        for thing in things:
            if type(thing).__name__ in ("TableRound", "Referee", "Deal", "Lineup", "Clock"):
                return True
            if type(thing) is tuple and len(thing) == view.rules.players:
                hands = [hand for hand in thing if type(hand) is tuple]
                if {card for hand in hands for card in hand if isinstance(card, int)} == deck:
                    return True
        return False

    def _of_parent(self) -> list[str]:
        """What the system lets one see of the process that started this one."""
        found = []
        parent = Path(f"/proc/{os.getppid()}")
        for name, look in {
            "mem": lambda path: path.open("rb").close() or True,
            "maps": Path.read_bytes,
            "environ": Path.read_bytes,
            "fd/0": os.readlink,
            "cwd": os.readlink,
        }.items():
            with suppress(OSError):
                if look(parent / name):
                    found.append(f"parent's-{name}")
        return found

    def _patch(self) -> None:
        """What a cheat would do in the referee's process: everything is legal, and wins."""
        import arena.tournament.referee as referee
        from arena.games.base import TrickGame

        TrickGame.trick_winner = lambda self, cards, trump: 0  # type: ignore[assignment]
        TrickGame.apply = lambda self, state, action: None  # type: ignore[method-assign]
        referee.perf_counter_ns = lambda: 0  # type: ignore[attr-defined]
