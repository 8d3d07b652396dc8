"""What was played."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from arena.report.context import Context
from arena.report.section import Section
from arena.report.words import label_of


@dataclass(frozen=True)
class RunPart:
    """The run: its game, its size, and how far it is."""

    name: str
    description: str | None
    game: str
    options: dict[str, Any]
    unit: str
    """What was replicated: `deal` or `match`."""
    units: str
    single: str
    """What one seating of a unit is: `round` or `match`."""
    singles: str
    higher_wins: bool
    """Whether more points are better."""
    bonus: str
    """What the game calls its bonus."""
    indifferent: float | None
    """Points per unit that do not matter, if the experiment says so."""
    units_per_pair: int
    seatings: int
    """In how many seatings each unit is played."""
    seeds_per_deal: int
    """How often each seating is played, with other random numbers each time."""
    agents: int
    pairs: int
    complete: bool
    units_stored: int
    units_wanted: int


class OverviewSection(Section[RunPart]):
    """What was played; the head of the page shows it."""

    name: ClassVar[str] = "run"
    part: ClassVar[type[Any]] = RunPart

    def make(self, context: Context) -> RunPart:
        """From the manifest, and from what is stored."""
        run, manifest = context.run, context.run.manifest
        wanted = manifest.units_per_pairing
        unit = context.results.unit
        single, singles = ("match", "matches") if unit == "match" else ("round", "rounds")
        return RunPart(
            name=run.name,
            description=manifest.description,
            game=manifest.rules.game,
            options=manifest.rules.options,
            unit=unit,
            units=context.units,
            single=single,
            singles=singles,
            higher_wins=run.rules.higher_wins,
            bonus=label_of(run.rules, "bonus"),
            indifferent=manifest.indifferent,
            units_per_pair=wanted,
            seatings=len(run.seatings),
            seeds_per_deal=manifest.seeds_per_deal,
            agents=len(context.results.agents),
            pairs=len(run.pairings),
            complete=all(n == wanted for n in context.stored.values()),
            units_stored=sum(context.stored.values()),
            units_wanted=wanted * len(run.pairings),
        )
