"""A line for the user when a decision takes long: the agent may never come back."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

PATIENCE_S = 10.0
"""How long a decision takes before it is reported."""
_NO_PROGRESS_S = 60.0
"""How long nothing finishes before that is reported."""
ENDLESS_LOOP = (
    "An agent may be in an endless loop: 'decision_limit_s: 5' in the experiment, or 'limits: "
    "{seconds_per_decision: 5}' of an agent, ends decisions that take longer"
)
SLOW_SERVER = (
    "A server may be slow, or turn requests away for now: 'seconds_per_decision' of an agent "
    "limits its decisions, 'patience_s' the time that its server may be away"
)


class Patience:
    """Says once which decision takes long, or that nothing has finished for a minute."""

    def __init__(
        self,
        say: Callable[[str], object],
        slow_decision: Callable[[], str],
        advice: str = ENDLESS_LOOP,
    ) -> None:
        """`slow_decision` finds a decision that takes long, in words; empty if there is none."""
        self._say, self._slow_decision, self._advice = say, slow_decision, advice
        self._waiting_for, self._since = "", 0.0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Patience:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()

    def wait_for(self, what: str) -> None:
        """Report progress and name the next step; empty if there is none."""
        self._waiting_for, self._since = what, time.monotonic()

    def _watch(self) -> None:
        while not self._ended.wait(PATIENCE_S / 10):
            if not self._waiting_for:
                continue
            found = self._slow_decision()
            if not found and time.monotonic() - self._since > _NO_PROGRESS_S:
                found = f"{self._waiting_for}: nothing has finished for {_NO_PROGRESS_S:g} s"
            if found:
                self._say(f"{found}. {self._advice}")
                return
