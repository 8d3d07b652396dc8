"""The progress of a run: a bar in terminals and notebooks, otherwise a line now and then."""

from __future__ import annotations

import sys
import time

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from arena.core.printable import as_it_is
from arena.tournament.tally import RateMeter, Tally

_LINE_EVERY_S = 5.0
_STANDINGS_SHOWN = 12


class Progress:
    """Watches a run; writes to standard error, so that the tables can go to a file."""

    def __init__(self, what: str, quiet: bool = False, *, lines: bool = True) -> None:
        """`lines` allows lines of text where there is no place for a bar."""
        self.what, self._lines = what, lines and not quiet
        console = Console(file=as_it_is(sys.stderr))
        self._live = None
        if not quiet and (console.is_terminal or console.is_jupyter):
            self._live = Live(console=console, transient=True, refresh_per_second=8)
        self._pace = RateMeter()
        self._last_line = time.monotonic()
        self.tally: Tally | None = None

    def __enter__(self) -> Progress:
        if self._live:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live:
            self._live.stop()

    def say(self, line: str) -> None:
        """Show one line."""
        if self._live:
            self._live.console.print(line, markup=False, highlight=False)
        elif self._lines:
            print(line, file=sys.stderr, flush=True)

    def status(self, line: str) -> None:
        """Show a line in place; outside a terminal, print it now and then."""
        now = time.monotonic()
        if self._live:
            self._live.update(Text(line))
        elif now - self._last_line >= _LINE_EVERY_S:
            self._last_line = now
            self.say(line)

    def update(self, tally: Tally) -> None:
        """Show how many units are stored."""
        self.tally = tally
        now = time.monotonic()
        self._pace.add(now, tally.done)
        if self._live:
            self._live.update(self._shown(tally))
        elif self._lines and now - self._last_line >= _LINE_EVERY_S:
            self._last_line = now
            first = tally.standings()[:_STANDINGS_SHOWN]
            leaders = ", ".join(f"{name} {mean:+.1f}" for name, mean in first)
            numbers = "; ".join(filter(None, (self._numbers(tally), leaders)))
            self.say("\n  ".join((numbers, *tally.tests)))

    def _numbers(self, tally: Tally) -> str:
        text = f"{tally.done:,}/{tally.total:,} {self.what}"
        rate = self._pace.rate
        if rate is not None:
            left = (tally.total - tally.done) / rate
            text += f", {rate:,.3g}/s, {_clock(left)} left"
        return text + (f", {tally.faults} faults" if tally.faults else "")

    def _shown(self, tally: Tally) -> Group:
        bar = ProgressBar(total=tally.total, completed=tally.done, width=40)
        line = Table.grid(padding=(0, 2))
        line.add_row(bar, Text(self._numbers(tally)))
        standings = Table.grid(padding=(0, 2))
        standings.add_column()
        standings.add_column(justify="right")
        for name, mean in tally.standings()[:_STANDINGS_SHOWN]:
            standings.add_row(Text(name), Text(f"{mean:+.1f}"))
        return Group(line, standings, *map(Text, tally.tests[:_STANDINGS_SHOWN]))


def _clock(seconds: float) -> str:
    """Seconds as hours, minutes and seconds.

    >>> _clock(75), _clock(7300)
    ('1:15', '2:01:40')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
