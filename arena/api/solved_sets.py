"""Whole sets of deals, solved by all cores: every legal first card of every deal."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

from arena.api.solving import contracts, play_cards
from arena.core.cards import SEATS, TRUMPS, card_name
from arena.core.deals import Deal, DealSet, write_deal
from arena.core.errors import ArenaError
from arena.core.files import read_bytes, write_atomically, writing
from arena.core.rules import Rules
from arena.solver.solution import Solver
from arena.store.export import parquet_modules

COLUMNS = ("deal", "trump", "declarer", "seat", "card", "low", "high")
_GLANCE = 5_000
"""Positions for a first look at how hard a deal is."""
_SMALL_TABLE = 12


class _Task(NamedTuple):
    name: str
    rules: Rules
    deal: Deal
    nodes: int | None


def solve_set(
    deals: DealSet,
    rules: Rules,
    out: Path,
    *,
    trump: str | None = None,
    declarer: str | None = None,
    nodes: int | None = None,
    jobs: int | None = None,
    progress: Callable[[int, int], object] = lambda done, total: None,
) -> int:
    """Write a row for every deal and legal first card; how many deals were solved before.

    What is done is kept in a file next to `out` until all is done, so that the same call goes on
    after a kill. The result is the same whatever the number of workers.
    """
    if out.suffix not in (".csv", ".parquet"):
        raise ArenaError(f"{out}: expected a name that ends in .csv or .parquet")
    tasks = list(_tasks(deals, rules, trump, declarer, nodes))
    journal = _Journal(out, tasks)
    found = journal.read()
    waiting = [task for task in tasks if task.name not in found]
    before = len(found)
    progress(before, len(tasks))
    with writing(journal.path), journal.path.open("ab") as lines:
        for name, rows in _solved(_hard_first(waiting), jobs):
            found[name] = rows
            text = json.dumps([name, rows]).encode()
            lines.write(_digest(text) + b" " + text + b"\n")
            lines.flush()
            progress(len(found), len(tasks))
    rows = [row for task in tasks for row in found[task.name]]
    write_atomically(out, _csv(rows) if out.suffix == ".csv" else _parquet(rows))
    journal.path.unlink()
    return before


def _tasks(
    deals: DealSet, rules: Rules, trump: str | None, declarer: str | None, nodes: int | None
) -> Iterator[_Task]:
    for deal in deals.deals:
        for fixed_rules, fixed in contracts(rules, deal, trump, declarer):
            play_cards(fixed_rules, fixed, (), "")  # an error now if it cannot be solved
            yield _Task(f"{deal.id} {fixed.trump} {fixed.declarer}", fixed_rules, fixed, nodes)


def _hard_first(tasks: list[_Task]) -> list[_Task]:
    """Those of which least is known after a short search come first: no worker idles at the end."""
    solver = Solver(_SMALL_TABLE)
    width = {}
    for task in tasks:
        state = play_cards(task.rules, task.deal, (), "")
        low, high = solver.value(task.rules, state, nodes=_GLANCE)
        width[task.name] = high - low
    return sorted(tasks, key=lambda task: -width[task.name])


def _solved(tasks: list[_Task], jobs: int | None) -> Iterator[tuple[str, list[list[Any]]]]:
    workers = min(jobs or os.cpu_count() or 1, len(tasks))
    if workers <= 1:
        yield from map(_solve, tasks)
        return
    from joblib import delayed  # here: it takes long to import

    from arena.tournament.pool import parallel, workers_that_end

    with workers_that_end():
        yield from parallel("loky", workers)(delayed(_solve)(task) for task in tasks)


def _solve(task: _Task) -> tuple[str, list[list[Any]]]:
    """The rows of one deal. A solver of its own: with limited nodes, bounds depend on the table."""
    state = play_cards(task.rules, task.deal, (), "")
    solution = Solver().solve(task.rules, state, nodes=task.nodes)
    about = [
        task.deal.id,
        None if state.trump is None else TRUMPS[state.trump],
        None if state.declarer is None else SEATS[state.declarer],
        SEATS[solution.seat],
    ]
    return task.name, [[*about, card_name(card), *each] for card, each in solution.cards.items()]


class _Journal:
    """A journal of solved deals, a line for each; the first line identifies the task."""

    def __init__(self, out: Path, tasks: list[_Task]) -> None:
        self.path = out.with_name(f"{out.name}.part")
        said = [[task.name, repr(task.rules), write_deal(task.deal), task.nodes] for task in tasks]
        self._of = hashlib.sha256(json.dumps(said).encode()).hexdigest()

    def read(self) -> dict[str, list[list[Any]]]:
        """The rows of each deal that is solved; begins the file if there is none."""
        with writing(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            data = read_bytes(self.path) if self.path.exists() else b""
            if data and not data.startswith(f"{self._of}\n".encode()):
                raise ArenaError(f"{self.path}: begun with other deals or options; remove it")
            whole = data[: data.rfind(b"\n") + 1]
            if whole:  # a line that was cut short goes
                os.truncate(self.path, len(whole))
            else:
                self.path.write_text(f"{self._of}\n")
        found = {}
        for number, line in enumerate(whole.splitlines()[1:], 2):
            digest, _, text = line.partition(b" ")
            if digest != _digest(text):
                raise ArenaError(f"{self.path}:{number}: damaged; remove it to solve all again")
            name, rows = json.loads(text)
            found[name] = rows
        return found


def _digest(text: bytes) -> bytes:
    return b"%08x" % crc32(text)


def _csv(rows: list[list[Any]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([COLUMNS, *rows])
    return text.getvalue()


def _parquet(rows: list[list[Any]]) -> bytes:
    pa, pq = parquet_modules()
    kinds = [*[pa.string()] * (len(COLUMNS) - 2), pa.int32(), pa.int32()]
    schema = pa.schema(list(zip(COLUMNS, kinds, strict=True)))
    table = pa.Table.from_pylist([dict(zip(COLUMNS, row, strict=True)) for row in rows], schema)
    out = io.BytesIO()
    pq.write_table(table, out)
    return out.getvalue()
