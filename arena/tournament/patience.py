"""A line for the user when nothing has finished for a while: an agent may never come back."""

from __future__ import annotations

import threading
from collections.abc import Callable

PATIENCE_S = 10.0
ENDLESS_LOOP = (
    "An agent may be in an endless loop: 'decision_limit_s: 5' in the experiment, or 'limits: "
    "{seconds_per_decision: 5}' of an agent, ends decisions that take longer"
)
SLOW_SERVER = (
    "A server may be slow, or turn requests away for now: 'seconds_per_decision' of an agent "
    "limits its decisions, 'patience_s' the time that its server may be away"
)


class Patience:
    """Says once, after `PATIENCE_S` without progress, what is being waited for."""

    def __init__(self, say: Callable[[str], object], advice: str = ENDLESS_LOOP) -> None:
        self._say, self._advice = say, advice
        self._waiting_for = ""
        self._moved = threading.Event()
        self._ended = False
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Patience:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended = True
        self._moved.set()

    def wait_for(self, what: str) -> None:
        """Something has finished; from now on this is waited for. Nothing, if it is empty."""
        self._waiting_for = what
        self._moved.set()

    def _watch(self) -> None:
        while not self._ended:
            if self._moved.wait(PATIENCE_S):
                self._moved.clear()
            elif self._waiting_for:
                self._say(
                    f"{self._waiting_for}: nothing has finished for {PATIENCE_S:g} s. "
                    f"{self._advice}"
                )
                return
