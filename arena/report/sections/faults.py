"""Faults of agents: crashes, illegal cards and the like."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from arena.report.context import Context
from arena.report.section import Section

MOST_FAULTS = 20


@dataclass(frozen=True)
class FaultRow:
    """One fault: its kind, the agent and the deal."""

    agent: str
    opponent: str
    deal: str
    seating: int
    kind: str
    message: str


@dataclass(frozen=True)
class FaultsPart:
    """How many there were, and the first of them."""

    count: int
    shown: int
    listed: tuple[FaultRow, ...]


class FaultsSection(Section[FaultsPart]):
    """Only in runs with faults."""

    name: ClassVar[str] = "faults"
    optional: ClassVar[bool] = True
    title: ClassVar[str] = "Faults"

    def make(self, context: Context) -> FaultsPart | None:
        faults = context.faults
        if not faults:
            return None
        listed = tuple(
            FaultRow(
                agent=str(pairing[fault.entrant]),
                opponent=str(pairing[1 - fault.entrant]),
                deal=fault.deal,
                seating=fault.seating,
                kind=fault.kind,
                message=fault.message.partition("\n")[0],
            )
            for pairing, fault in faults[:MOST_FAULTS]
        )
        return FaultsPart(len(faults), len(listed), listed)
