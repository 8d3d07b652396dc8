"""Faults in one line each: agent, fault, place, and the command that shows the position."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from arena.core.cards import SEATS
from arena.process.faults import error_line
from arena.store import Run
from arena.store.database import FaultRecord
from arena.store.folder import LOG

_FRAME = re.compile(r'^\s*File "(?P<file>.+)", line (?P<line>\d+)', re.MULTILINE)


def fault_line(
    fault: FaultRecord, pair: tuple[str, str], path: Path, seed: int, is_match: bool
) -> str:
    """One fault in one line, with the command that shows the position."""
    at_round = f" --round {fault.number}" if is_match else ""
    return (
        f"{pair[fault.entrant]} (seat {SEATS[fault.seat]}) {_what(fault, path)}; "
        f"deal {fault.deal}, seed {seed}; see it: arena replay {path} {fault.unit} "
        f"--pair {pair[0]} {pair[1]} --seating {fault.seating}{at_round} --at {fault.decision}"
    )


def fault_summary(results: Run) -> Iterator[str]:
    """For each agent that was at fault, how often, and its first fault."""
    manifest, faults = results.manifest, results.faults()
    for agent in results.entrants:
        mine = [(p, fault) for p, fault in faults if (p.first, p.second)[fault.entrant] == agent]
        if not mine:
            continue
        at_fault = {(pairing.id, fault.unit) for pairing, fault in mine}
        played = sum(results.units_stored(p) for p in results.pairings if agent in p[:2])
        often = (
            f"every {results.unit} it played ({played:,})"
            if len(at_fault) >= played
            else f"{len(at_fault):,} of the {played:,} {results.units} it played"
        )
        pairing, first = mine[0]
        line = fault_line(first, pairing[:2], results.path, manifest.seed, results.is_match)
        yield f"{agent} was at fault in {often}. The first time: {line}"


def _what(fault: FaultRecord, path: Path) -> str:
    """The fault; of a crash, also the line of code and the file with its traceback."""
    said, _, detail = fault.message.partition("\n")
    said = said.removeprefix(f"seat {SEATS[fault.seat]} ")
    frames = list(_FRAME.finditer(detail))
    if not frames and detail.strip():  # a program's error output
        return f"{said}: {error_line(detail)} (all of its output in {path / LOG})"
    if not frames:
        return said
    last = frames[-1]
    return f"{said} ({last['file']}:{last['line']}, traceback in {path / LOG})"
