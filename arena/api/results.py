"""The results of a run: pandas frames, figures, comparisons; each is made when it is first used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.analysis.estimates import Estimate
from arena.analysis.people import people_of
from arena.analysis.results import read
from arena.analysis.standings import Standings, make_standings
from arena.core.cards import card_name
from arena.core.errors import ArenaError, did_you_mean
from arena.core.files import run_folder, write_atomically
from arena.core.rules import plural, unit_of
from arena.core.tables import text_table
from arena.report.context import Context
from arena.report.standings import standings_table
from arena.report.tables import TextTable, as_text
from arena.report.words import plain
from arena.stats import Rating
from arena.store import Manifest, Run

if TYPE_CHECKING:
    import pandas as pd

    from arena.audit.campaign import Audit
    from arena.audit.mistakes import AuditedMistake
    from arena.audit.tables import AuditTables
    from arena.report.figures import Picture


class RunResults:
    """The results of a run folder.

    agents   a row per agent, the best first: rating (points per deal above the field) with its
             limits low and high, Elo with its limits, points per deal, win rate
    comparisons  a row per two agents, the first ahead: difference of their ratings in points
             per deal; low, high and p are adjusted for the number of comparisons
    pairs    a row per pair that met: margin of `first` in points per deal; low and high are the
             interval of this pair alone
    deals    a row per pair and deal: margin and scores, means over the seatings
    rounds   a row per pair, deal, seating and round
    people   a row per person, where people played: points per round as played and less the luck of
             the cards, each with low and high
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        with Run(self.path) as run:
            self.manifest: Manifest = run.manifest
            self.config: dict[str, Any] = run.config

    @cached_property
    def standings(self) -> Standings:
        """The results of `arena ratings`, as objects."""
        with Run(self.path) as run:
            return make_standings(read([run]))

    @cached_property
    def agents(self) -> pd.DataFrame:
        """A row per agent, the best first."""
        return _frame(
            {
                "agent": agent.name,
                "rank": agent.rank,
                "group": agent.letters,
                **_rating("rating", "", agent.rating),
                **_rating("elo", "elo_", agent.elo),
                "points": agent.points.value,
                "win_rate": agent.win_rate.value,
                "deals": agent.margin.n,
                "forfeits": agent.forfeits,
            }
            for agent in self.standings.agents
        )

    @cached_property
    def comparisons(self) -> pd.DataFrame:
        """A row per two agents, adjusted together: who is stronger, and by how much."""
        return _frame(
            {
                "first": known.first,
                "second": known.second,
                "difference": known.difference,
                "low": known.low,
                "high": known.high,
                "p": known.p_adjusted,
                "different": known.different,
                "met": known.deals,
            }
            for known in self.standings.joint.contrasts
        )

    @cached_property
    def pairs(self) -> pd.DataFrame:
        """A row per pair that met, seen from the agent that is ahead."""
        return _frame(
            {
                "first": pair.first,
                "second": pair.second,
                "margin": pair.mean,
                "low": pair.low,
                "high": pair.high,
                "deals": pair.n,
                "won": pair.won,
                "drawn": pair.drawn,
                "lost": pair.lost,
                "win_rate": pair.win_rate.value,
            }
            for pair in self.standings.pairs
        )

    @cached_property
    def deals(self) -> pd.DataFrame:
        """A row per pair and deal (or match): means over its seatings."""
        with Run(self.path) as run:
            return run.deals().rename(columns={"unit": run.unit})

    @cached_property
    def rounds(self) -> pd.DataFrame:
        """A row per pair, deal, seating and round."""
        with Run(self.path) as run:
            return run.rounds()

    @cached_property
    def people(self) -> pd.DataFrame:
        """A row per person: the score per round as played, and less the luck of the cards."""
        with Run(self.path) as run:
            found = people_of(run, read([run]))
        return _frame(
            {
                "person": each.person,
                "rounds": each.played.n,
                **_limits("played", each.played),
                **_limits("adjusted", each.adjusted),
                "variance_ratio": each.variance_ratio,
            }
            for each in (found.scores if found is not None else ())
        )

    def plot(self, *names: str) -> Figures:
        """The figures of the report's page, or any of the report with these names."""
        from arena.report.document import all_sections, make_document  # here: matplotlib is slow
        from arena.report.figures import draw

        sections = list(all_sections())
        with Run(self.path) as run:
            if run.manifest.stops_early:
                raise ArenaError(f"{self.path}: races and sequential tests have no such figures")
            document = make_document(Context(run), sections)
        found = {each.name: each for each in draw(document, sections, every=bool(names))}
        for name in names:
            if name not in found:
                raise ArenaError(f"no figure is called {name!r}; {did_you_mean(name, found)}")
        return Figures({name: found[name] for name in names or found})

    def audit(
        self,
        *agents: str,
        deals: int | None = None,
        worlds: int | None = None,
        jobs: int | None = None,
    ) -> RunAudit:
        """Where the points were lost; what `arena audit` does, with the same arguments."""
        # Here: the solver and its compiler take long to import.
        from arena.audit.campaign import AuditOptions, audit_run
        from arena.audit.rounds import AuditSettings

        settings = AuditSettings() if worlds is None else AuditSettings(worlds)
        with Run(self.path) as run:
            return RunAudit(audit_run(run, AuditOptions(agents, deals, settings, jobs)))

    def report(self, out: Path | str | None = None) -> Path:
        """Write the report into the run folder (or `out`); the path of its page."""
        from arena.report import write

        return write(self.path, out)

    def __repr__(self) -> str:
        manifest = self.manifest
        wanted, count = manifest.units_per_pairing, len(manifest.pairings)
        units = plural(unit_of(manifest.match))
        pairs = f"{count} pair" + "s" * (count > 1)
        head = f"{manifest.name}: {pairs}, {wanted:,} {units} each, in {self.path}"
        return f"{head}\n\n{as_text(self._table)}"

    def _repr_html_(self) -> str:
        titles = "".join(f"<th>{escape(column.title)}</th>" for column in self._table.columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
            for row in self._table.cells
        )
        title, _, _ = repr(self).partition("\n")
        return f"<p>{escape(title)}</p><table><tr>{titles}</tr>{body}</table>"

    @cached_property
    def _table(self) -> TextTable:
        unit = unit_of(self.manifest.match)
        singles = "rounds" if unit == "deal" else plural(unit)
        return standings_table(self.standings.agents, unit, singles)


class RunAudit:
    """The audit of a run.

    agents      a row per agent: points lost per decision, as far as could be known and in hindsight
    decisions   a row per card that was played where there was a choice
    mistakes    the worst mistakes, as far as could be known
    """

    def __init__(self, audit: Audit) -> None:
        from arena.audit.mistakes import worst_mistakes
        from arena.audit.tables import make_tables

        self.audit = audit
        self.tables: AuditTables = make_tables(audit)
        self.mistakes: tuple[AuditedMistake, ...] = worst_mistakes(audit)

    @cached_property
    def agents(self) -> pd.DataFrame:
        """A row per agent, the one that lost least first."""
        return _frame(
            {
                "agent": agent.name,
                "known": None if agent.known is None else agent.known.value,
                "low": None if agent.known is None else agent.known.low,
                "high": None if agent.known is None else agent.known.high,
                "hindsight": agent.hindsight.value,
                **{name: found.value for name, found in agent.grades.items()},
                "too_good": agent.honesty.too_good,
                "decisions": agent.decisions,
            }
            for agent in self.tables.agents
        )

    @cached_property
    def decisions(self) -> pd.DataFrame:
        """A row per decision: points lost in hindsight and as far as could be known."""
        return _frame(
            {
                "agent": each.replay.seats[decision.seat],
                "unit": each.replay.record.unit,
                "deal": each.replay.record.deal,
                "seating": each.replay.record.seating,
                "at": decision.at,
                "trick": decision.trick + 1,
                "kind": decision.kind,
                "played": card_name(decision.card),
                "better": card_name(decision.better),
                "hindsight": decision.hindsight,
                "known": None if decision.known is None else decision.known.loss,
                "se": None if decision.known is None else decision.known.se,
                "worlds": 0 if decision.known is None else decision.known.worlds,
            }
            for each in self.audit.rounds
            for decision in each.audit.decisions
        )

    def __repr__(self) -> str:
        tables = self.tables
        head = f"{tables.decisions:,} decisions in {tables.rounds:,} rounds; points lost a decision"
        rows = [
            (
                agent.name,
                plain(agent.known.value if agent.known else None),
                plain(agent.hindsight.value),
            )
            for agent in tables.agents
        ]
        return f"{head}\n\n{text_table(('agent', 'could be known', 'hindsight'), rows)}"


def load_run(path: Path | str) -> RunResults:
    """The results of a run: its folder, or its name in `reports/`."""
    return RunResults(run_folder(path))


def _limits(name: str, found: Estimate | None) -> dict[str, float | None]:
    value, low, high = (None,) * 3 if found is None else (found.value, found.low, found.high)
    return {name: value, f"{name}_low": low, f"{name}_high": high}


def _rating(name: str, prefix: str, rating: Rating | None) -> dict[str, float | None]:
    value, low, high = (None,) * 3 if rating is None else (rating.value, rating.low, rating.high)
    return {name: value, f"{prefix}low": low, f"{prefix}high": high}


def _frame(rows: Iterator[dict[str, Any]]) -> pd.DataFrame:
    import pandas as pd  # here, so that `import arena` stays light

    return pd.DataFrame(rows)


# --- figures -----------------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class Figures(Mapping[str, "Picture"]):
    """Figures by name; a notebook shows them, `save` writes them."""

    pictures: Mapping[str, Picture]

    def __getitem__(self, name: str) -> Picture:
        return self.pictures[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.pictures)

    def __len__(self) -> int:
        return len(self.pictures)

    def save(self, folder: Path | str) -> list[Path]:
        """Write the figures as SVG files."""
        paths = [Path(folder) / f"{name}.svg" for name in self]
        for path, picture in zip(paths, self.values(), strict=True):
            write_atomically(path, picture.svg)
        return paths

    def __repr__(self) -> str:
        return f"<figures {', '.join(self)}; save(folder) writes them>"

    def _repr_html_(self) -> str:
        return "".join(
            f"<figure>{each.svg[each.svg.index('<svg') :]}<figcaption>{escape(each.caption)}"
            "</figcaption></figure>"
            for each in self.values()
        )
