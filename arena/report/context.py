"""Results and everything that a command computes from them, each result once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar, cast

from arena import __version__
from arena.analysis.cross_play import with_other_partners
from arena.analysis.estimates import Estimate
from arena.analysis.result_files import ResultFile
from arena.analysis.results import Results, read
from arena.analysis.standings import Standings, make_standings, without_forfeits
from arena.analysis.sweeps import Sweep, find_sweeps
from arena.config.entrants import AgentSpec
from arena.config.models import Reference
from arena.config.parameters import plain as as_plain
from arena.core.errors import ArenaError
from arena.core.rules import plural
from arena.report.about import AgentFacts, RunPart
from arena.report.labels import short_labels
from arena.report.words import label_of
from arena.store import Pairing, Run, Thinking
from arena.store.database import FaultRecord
from arena.tournament.conversations import RunConversations

if TYPE_CHECKING:
    from arena.audit.campaign import Audit
    from arena.report.section import Section

Part = TypeVar("Part")


class ResultsContext:
    """Results by `arena.analysis` from anywhere, shared by the tables and the report."""

    sweeps: Sequence[Sweep] = ()
    """Families of agents along one of their parameters."""
    references: Sequence[Reference] = ()
    """Published values to compare with."""

    notes: Sequence[str] = ()
    """Notes of the leaderboard."""

    @cached_property
    def results(self) -> Results:
        """Every pair, deal by deal."""
        raise NotImplementedError

    @cached_property
    def overview(self) -> RunPart:
        """The game, the deals and the agents."""
        raise NotImplementedError

    @property
    def citation(self) -> str:
        """How to cite it."""
        raise NotImplementedError

    def about(self, agent: str) -> AgentFacts:
        """Facts about an agent besides its results."""
        return AgentFacts()

    @cached_property
    def standings(self) -> Standings:
        """Ratings, ranks and comparisons of all agents."""
        return make_standings(self.results)

    @cached_property
    def played_standings(self) -> Standings | None:
        """The standings without forfeited deals; None if no deal, or every deal, was forfeited."""
        return without_forfeits(self.results)

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
            own = isinstance(self, Context) or not section.needs_run
            self._parts[section.name] = section.make(cast("Context", self)) if own else None
        found: Part | None = self._parts[section.name]
        return found

    @property
    def units(self) -> str:
        """The unit of replication in the plural."""
        return plural(self.results.unit)


@dataclass(frozen=True)
class Context(ResultsContext):
    """A run of ours."""

    run: Run

    @cached_property
    def results(self) -> Results:
        return read([self.run])

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
        """The stored audit of this run; None if it was not audited."""
        from arena.audit.campaign import stored_audit  # here: it brings the solver and numba

        found = stored_audit(self.run)
        return found if found is not None and found.rounds else None

    @cached_property
    def conversations(self) -> RunConversations:
        """The conversations with language models."""
        return RunConversations(self.run)

    @cached_property
    def with_other_partners(self) -> dict[str, Estimate]:
        """In cross-play: how each agent does with partners other than itself."""
        return with_other_partners(self.run, self.results)

    @cached_property
    def overview(self) -> RunPart:
        """From the manifest, and from what is stored."""
        run, manifest = self.run, self.run.manifest
        unit = self.results.unit
        wanted = {pairing.id: run.units_wanted(pairing) for pairing in run.pairings}
        return RunPart(
            name=run.name,
            description=manifest.description,
            game=manifest.rules.game,
            options=manifest.rules.options,
            unit=unit,
            units=self.units,
            single="match" if unit == "match" else "round",
            singles=plural("match" if unit == "match" else "round"),
            higher_wins=run.rules.higher_wins,
            bonus=label_of(run.rules, "bonus"),
            indifferent=manifest.indifferent,
            units_per_pair=manifest.units_per_pairing,
            seatings=len(run.seatings) // run.manifest.seeds_per_deal,
            seeds_per_deal=manifest.seeds_per_deal,
            agents=len(self.results.agents),
            pairs=len(run.pairings),
            complete=self.stored == wanted,
            units_stored=sum(self.stored.values()),
            units_wanted=sum(wanted.values()),
        )

    @property
    def citation(self) -> str:
        manifest = self.run.manifest
        return (
            f"{manifest.name}: {manifest.rules.game}, {manifest.deals:,} deals of "
            f"{manifest.deal_set}, seed {manifest.seed}, played with arena "
            f"{manifest.versions.get('arena', '')}; "
            f"configuration sha256 {manifest.config_sha256[:12]}, deals sha256 "
            f"{manifest.deals_sha256[:12]}."
        )

    def about(self, agent: str) -> AgentFacts:
        entrant = self.run.manifest.entrants[agent]
        return AgentFacts(
            seconds=self.thinking[agent],
            faults=sum(str(pairing[fault.entrant]) == agent for pairing, fault in self.faults),
            sees_all_cards=entrant.sees_all_cards,
            reproducible=entrant.reproducible,
            own_process=any(map(_plays_apart, entrant.members)),
            members=as_plain(entrant.members),
            with_others=self.with_other_partners.get(agent),
        )

    @property
    def references(self) -> Sequence[Reference]:  # type: ignore[override]
        return self.run.manifest.references

    @cached_property
    def sweeps(self) -> list[Sweep]:  # type: ignore[override]
        return find_sweeps(self.run.manifest.entrants, self.standings)


@dataclass(frozen=True)
class FileContext(ResultsContext):
    """Results from elsewhere, in a file."""

    file: ResultFile

    @property
    def notes(self) -> Sequence[str]:  # type: ignore[override]
        return self.file.notes

    @cached_property
    def results(self) -> Results:
        return self.file.results

    @cached_property
    def overview(self) -> RunPart:
        results, columns = self.results, self.file.columns
        stored = sum(len(pair.units) for pair in results.pairs)
        return RunPart(
            name=self.file.path.stem,
            description=None,
            game="",
            options={},
            unit=results.unit,
            units=self.units,
            single=results.unit,
            singles=self.units,
            higher_wins=not columns.lower_is_better,
            bonus="",
            indifferent=None,
            units_per_pair=len(results.units),
            seatings=0,
            seeds_per_deal=1,
            agents=len(results.agents),
            pairs=len(results.pairs),
            complete=not self.file.missing,
            units_stored=stored,
            units_wanted=stored,
        )

    @property
    def citation(self) -> str:
        return (
            f"{self.file.path.name}: {self.file.rows:,} rows, sha256 {self.file.digest[:12]}; "
            f"compared with arena {__version__}."
        )


def _plays_apart(member: AgentSpec) -> bool:
    try:
        return member.is_isolated
    except ArenaError:  # its family is not installed here; what the run says about it counts
        return bool(member.isolate or member.limits or member.source)
