"""Ctrl-C: telling the user's from an agent's, and never losing it.

Python turns it into a KeyboardInterrupt wherever the main thread happens to be: an agent may
swallow that, or a destructor. And an agent may raise one by itself. So while a run goes on,
the signal is also remembered.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_UNKNOWN, _NOT_YET, _PRESSED = "unknown", "not yet", "pressed"
_state = _UNKNOWN


@contextmanager
def track_sigint() -> Iterator[None]:
    """Remember Ctrl-C in the meantime, if this process is one that it interrupts."""
    global _state
    before = signal.getsignal(signal.SIGINT)
    interrupts = before is signal.default_int_handler
    ignored = before == signal.SIG_IGN  # as for a job in the background, which has no keyboard
    if not (interrupts or ignored) or threading.current_thread() is not threading.main_thread():
        yield
        return
    _state = _NOT_YET
    if interrupts:
        signal.signal(signal.SIGINT, _remember)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        _state = _UNKNOWN


def _remember(number: int, frame: FrameType | None) -> None:
    global _state
    _state = _PRESSED
    raise KeyboardInterrupt


def was_pressed() -> bool:
    """Whether a KeyboardInterrupt that has just been raised may be the user's."""
    return _state != _NOT_YET


def raise_if_pressed() -> None:
    """Raise the KeyboardInterrupt that an agent has swallowed."""
    if _state == _PRESSED:
        raise KeyboardInterrupt
