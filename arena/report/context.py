"""One run and everything that a command computes from it, each result once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from arena.analysis import (
    Results,
    Standings,
    Sweep,
    find_sweeps,
    make_standings,
    read,
    without_forfeits,
)
from arena.analysis.cross_play import with_other_partners
from arena.analysis.estimates import Estimate
from arena.report.labels import short_labels
from arena.store import Pairing, Run, Thinking
from arena.store.database import FaultRecord

if TYPE_CHECKING:
    from arena.audit.campaign import Audit
    from arena.report.section import Section

Part = TypeVar("Part")


@dataclass(frozen=True)
class Context:
    """A run and its results by `arena.analysis`, shared by the tables and the report."""

    run: Run

    @cached_property
    def results(self) -> Results:
        """Every pair, deal by deal."""
        return read([self.run])

    @cached_property
    def standings(self) -> Standings:
        """Ratings, ranks and comparisons of all agents."""
        return make_standings(self.results)

    @cached_property
    def played_standings(self) -> Standings | None:
        """The standings without forfeited deals; None if no deal, or every deal, was forfeited."""
        return without_forfeits(self.results)

    @cached_property
    def thinking(self) -> dict[str, Thinking]:
        """Time per decision of every agent."""
        return self.run.thinking()

    @cached_property
    def faults(self) -> Sequence[tuple[Pairing, FaultRecord]]:
        """Every fault of the run, with the pairing in which it happened."""
        return self.run.faults()

    @cached_property
    def stored(self) -> dict[int, int]:
        """Units stored of each pairing, by its id."""
        return {pairing.id: self.run.units_stored(pairing) for pairing in self.run.pairings}

    @cached_property
    def audit(self) -> Audit | None:
        """What `arena audit` has found of this run; None if it was not audited."""
        from arena.audit.campaign import stored_audit  # here: it brings the solver and numba

        found = stored_audit(self.run)
        return found if found is not None and found.rounds else None

    @cached_property
    def with_other_partners(self) -> dict[str, Estimate]:
        """In cross-play: how each agent does with partners other than itself."""
        return with_other_partners(self.run, self.results)

    @cached_property
    def sweeps(self) -> list[Sweep]:
        """Families of agents along one of their parameters."""
        return find_sweeps(self.run.manifest.entrants, self.standings)

    @cached_property
    def labels(self) -> dict[str, str]:
        """Short names for figures and wide tables."""
        return short_labels(self.results.agents)

    @cached_property
    def _parts(self) -> dict[str, Any]:
        return {}

    def part(self, section: Section[Part]) -> Part | None:
        """A section's part of the document, made once."""
        if section.name not in self._parts:
            self._parts[section.name] = section.make(self)
        found: Part | None = self._parts[section.name]
        return found

    @property
    def units(self) -> str:
        """The unit of replication in the plural."""
        return {"deal": "deals", "match": "matches"}[self.results.unit]
