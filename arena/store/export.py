"""A run in other formats: CSV and Parquet for tables, JSONL for recorded rounds.

CSV and Parquet have a row per round. JSONL has a record per finished round in the
format that `arena verify` replays: deal, bids, plays with their legal cards, and what
the round came to. Everything is written row by row, ordered by key.
"""

from __future__ import annotations

import csv
import importlib
import io
import json
from collections.abc import Callable
from typing import IO, Any

from arena.core.cards import SEATS, TRUMPS, card_name
from arena.core.deals import deal_record
from arena.core.errors import ArenaError
from arena.core.printable import as_cell
from arena.core.rules import Outcome, action_name
from arena.store.database import StoreError
from arena.store.manifest import Pairing
from arena.store.reader import Replay, Run
from arena.store.records import RoundRecord

_PARQUET_ROWS = 20_000
_FROM_OUTSIDE = ("first", "second", "unit", "deal", "forfeit", "fault")
"""Columns with names and messages; the other text is ours, lists of numbers mostly."""


def export(run: Run, form: str, out: IO[bytes], times: bool = True) -> int:
    """Write a run to `out`; how many rounds were left out because a fault cut them short."""
    return FORMATS[form](run, out, times)


def _csv(run: Run, out: IO[bytes], times: bool) -> int:
    text = io.TextIOWrapper(out, encoding="utf-8", newline="", write_through=True)
    try:
        writer = None
        for row in run.rows(times):
            if writer is None:
                writer = csv.DictWriter(text, list(row), lineterminator="\n")
                writer.writeheader()
            writer.writerow(row | {name: as_cell(row[name]) for name in _FROM_OUTSIDE})
    finally:
        text.detach()
    return 0


def parquet_modules() -> tuple[Any, Any]:
    """The packages `pyarrow` and `pyarrow.parquet`; `ArenaError` says how to install them."""
    try:
        return importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    except ImportError as error:
        raise ArenaError(
            "the format 'parquet' needs pyarrow: pip install 'arena-tricks[parquet]'"
        ) from error


def _parquet(run: Run, out: IO[bytes], times: bool) -> int:
    pa, pq = parquet_modules()
    schema: Any = None
    writer: Any = None
    batch: list[dict[str, Any]] = []

    def flush() -> None:
        nonlocal schema, writer
        if schema is None:
            schema = pa.schema([(name, _arrow_type(pa, name)) for name in batch[0]])
            writer = pq.ParquetWriter(out, schema)
        writer.write_table(pa.Table.from_pylist(batch, schema))
        batch.clear()

    for row in run.rows(times):
        batch.append(row)
        if len(batch) == _PARQUET_ROWS:
            flush()
    if batch:
        flush()
    if writer is not None:
        writer.close()
    return 0


_WHOLE = ("seating", "round", "decisions_first", "decisions_second")
_REAL = ("score", "margin", "points", "bonus", "tricks", "seconds", "cpu")


def _arrow_type(pa: Any, column: str) -> Any:
    if column in _WHOLE:
        return pa.int32()
    return pa.float64() if column.partition("_")[0] in _REAL else pa.string()


def _jsonl(run: Run, out: IO[bytes], times: bool) -> int:
    left_out = 0
    for pairing in run.pairings:
        for replay in run.replays(pairing):
            if not replay.record.scores:
                left_out += 1
                continue
            with run.sensible():
                record = round_record(run, pairing, replay, times)
            out.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")
    return left_out


def round_record(run: Run, pairing: Pairing, replay: Replay, times: bool = True) -> dict[str, Any]:
    """A finished round as it is recorded."""
    rules, stored = run.rules, replay.record
    state = rules.start(replay.deal, replay.standing)
    bids, plays, done = [], [], []
    for action in stored.actions:
        seat = SEATS[state.turn]
        if not rules.has_tricks:
            done.append({"seat": seat, "action": action_name(action, rules.bids)})
        elif state.phase == "play":
            legal = [card_name(card) for card in state.legal]
            plays.append({"seat": seat, "card": card_name(action), "legal": legal})
        else:
            bids.append({"seat": seat, "action": action_name(action, rules.bids)})
        rules.apply(state, action)
    _compare(run, pairing, stored, rules.outcome(state))
    record: dict[str, Any] = {
        "id": f"{stored.deal} {pairing.first} {pairing.second} {stored.seating}",
        "game": rules.name,
        "options": run.manifest.rules.options,
        "deal": stored.deal,
        "first": pairing.first,
        "second": pairing.second,
        "seating": stored.seating,
        "players": dict(zip(SEATS, replay.seats, strict=False)),
    }
    if run.is_match:
        record |= {
            "match": stored.unit,
            "round": stored.number,
            "standing": {
                "round_number": replay.standing.round_number,
                "scores": list(replay.standing.scores),
            },
        }
    record |= deal_record(replay.deal)
    if state.trump is not None:
        record["trump"] = TRUMPS[state.trump]
    if state.declarer is not None:
        record["declarer"] = SEATS[state.declarer]
    if bids:
        record["bids"] = bids
    if rules.has_tricks:
        record["plays"] = plays
    else:
        record["actions"] = done
    record |= rules.facts(state)
    if times:
        record |= run.seconds(stored)
    return record


def _compare(run: Run, pairing: Pairing, stored: RoundRecord, outcome: Outcome) -> None:
    """What is written down is what the cards come to, and what is stored must be the same."""
    for what, found in outcome._asdict().items():
        kept = getattr(stored, what)
        if tuple(found) != kept:
            raise StoreError(
                f"{run.path}: {pairing.first} – {pairing.second}, {stored.unit}, seating "
                f"{stored.seating}, round {stored.number}: the stored {what} "
                f"({' '.join(map(str, kept))}) is not what its cards come to; 'arena verify "
                f"{run.path}' names everything that is wrong"
            )


FORMATS: dict[str, Callable[[Run, IO[bytes], bool], int]] = {
    "csv": _csv,
    "parquet": _parquet,
    "jsonl": _jsonl,
}
