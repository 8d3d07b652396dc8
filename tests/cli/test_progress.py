"""What is said while a run goes on."""

from __future__ import annotations

import pytest

from arena.api import progress
from arena.api.progress import Progress
from arena.tournament.tally import Tally


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


def test_getting_ready_is_not_pace(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = Clock()
    monkeypatch.setattr(progress, "time", clock)
    watch, tally = Progress("deals"), Tally((("a", "b"),), 1000)
    watch.update(tally)
    clock.now += 60  # compiling
    tally.units[0] = 10
    watch.update(tally)
    for _ in range(10):  # ten deals a second
        clock.now += 1
        tally.units[0] += 10
        watch.update(tally)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "10/1,000 deals; a +0.0, b +0.0", "nothing is said before it is known"
    assert lines[-1].startswith("110/1,000 deals, 10/s, 1:29 left")
    assert len(lines) == 3
    clock.now += 6  # the next run of the same command, such as a baseline's second seed
    watch.update(Tally((("a", "b"),), 1000))
    assert capsys.readouterr().err.startswith("0/1,000 deals\n")
