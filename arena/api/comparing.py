"""Two agents, deal by deal: `arena.compare` and `arena compare`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from html import escape
from pathlib import Path
from typing import Any

from arena.analysis.comparison import (
    Comparison,
    IndirectComparison,
    compare_agents,
    compare_through,
)
from arena.analysis.result_files import ResultFile
from arena.analysis.results import check_no_race, check_not_stopped, read
from arena.analysis.standings import make_standings
from arena.api.results import RunResults
from arena.core.errors import ArenaError
from arena.core.files import run_folder
from arena.core.rules import plural
from arena.core.tables import text_table
from arena.report.words import count, interval, percent, plain, pvalue, signed
from arena.stats import TestResult
from arena.store import Run
from arena.tournament.stopping import SequentialTrace, read_traces


@dataclass(frozen=True, repr=False)
class AgentComparison:
    """Two agents on the deals that both played; prints as `arena compare` shows it.

    For a run that stopped when its sequential test decided, `mean`, `low` and `high` are the
    estimate after stopping, and there is no p.
    """

    found: Comparison | IndirectComparison
    """All statistics."""
    detectable_in_field: float | None
    """The difference that the run would have found among all of its agents; None for several."""
    after_stopping: SequentialTrace | None = None
    """The sequential test by which the run stopped, with the margin of the first agent."""

    @property
    def mean(self) -> float | None:
        """The margin of the first agent in points per deal."""
        stopped = self.after_stopping
        return self.found.statistics.mean if stopped is None else stopped.estimate

    @property
    def low(self) -> float | None:
        """The lower limit of the 95% interval of the mean."""
        stopped = self.after_stopping
        return self.found.statistics.low if stopped is None else stopped.low

    @property
    def high(self) -> float | None:
        """The upper limit of the 95% interval of the mean."""
        stopped = self.after_stopping
        return self.found.statistics.high if stopped is None else stopped.high

    @property
    def p(self) -> float | None:
        """The p-value of the paired t-test."""
        return self.found.statistics.p if self.after_stopping is None else None

    def to_json(self) -> dict[str, Any]:
        """Every number, as `arena compare --json` prints them."""
        stopped = self.after_stopping
        return {
            **self.found.to_json(),
            "detectable_in_field": self.detectable_in_field,
            "after_stopping": None if stopped is None else asdict(replace(stopped, path=())),
        }

    def __repr__(self) -> str:
        return "\n".join(_lines(self.found, self.detectable_in_field, self.after_stopping))

    def _repr_html_(self) -> str:
        return f"<pre>{escape(repr(self))}</pre>"


def compare(
    run: RunResults | Path | str | Sequence[RunResults | Path | str] | ResultFile,
    first: str,
    second: str,
    *,
    through: str | None = None,
    equal_within: float | None = None,
    next_deals: int | None = None,
) -> AgentComparison:
    """Compare two agents of a run (or of several, or of a file) on the deals that both played.

    The margin is that of `first`. `through` names an opponent by which two agents are compared
    that did not meet; `equal_within` asks whether they are equal up to so many points;
    `next_deals` is how many deals to predict (as many again, if not given). Former
    versions of an agent are called NAME@1, NAME@2 and so on; versions are compared by how they
    did against the opponents that both played.
    """
    named = [name for name in (first, second, through) if name is not None]
    if len(set(named)) < len(named):
        raise ArenaError(f"{', '.join(named)}: an agent cannot be compared with itself")
    if isinstance(run, ResultFile):
        return _compare_in_file(run, first, second, through, equal_within, next_deals)
    folders = [run] if isinstance(run, (RunResults, Path, str)) else list(run)
    with ExitStack() as stack:
        former = any("@" in name for name in named)
        runs = [stack.enter_context(Run(_path(folder), versions=former)) for folder in folders]
        for each in runs:
            check_no_race(each, "this comparison")
        common = (through,) if through else _common(runs, first, second)
        if common or len(runs) > 1:
            check_not_stopped(runs, "this comparison")
        results = read(runs, [first, second, *common])
        in_field = None if former else _in_field(runs, first, second)
        stopped = _after_stopping(runs[0], first, second)
    found: Comparison | IndirectComparison
    if common:
        found = compare_through(results, first, second, common, equal_within=equal_within)
    else:
        found = compare_agents(
            results, first, second, equal_within=equal_within, next_deals=next_deals
        )
    return AgentComparison(found, in_field, stopped)


def _compare_in_file(
    file: ResultFile,
    first: str,
    second: str,
    through: str | None,
    equal_within: float | None,
    next_units: int | None,
) -> AgentComparison:
    results = file.results
    for name in (first, second):
        results.check_agent(name)
    found: Comparison | IndirectComparison
    if through is not None:
        found = compare_through(results, first, second, (through,), equal_within=equal_within)
    else:
        found = compare_agents(
            results, first, second, equal_within=equal_within, next_deals=next_units
        )
    contrast = make_standings(results).contrast(first, second)
    return AgentComparison(found, None if contrast is None else contrast.detectable)


def _path(run: RunResults | Path | str) -> Path:
    return run.path if isinstance(run, RunResults) else run_folder(run)


def _after_stopping(run: Run, first: str, second: str) -> SequentialTrace | None:
    """None if the run has no `stop` section, or is not finished."""
    for pair in read_traces(run.path) if run.manifest.stop is not None else ():
        trace = pair.trace
        if (pair.first, pair.second) == (first, second):
            return trace
        if (pair.second, pair.first) == (first, second):
            estimate, low, high = (
                None if value is None else -value
                for value in (trace.estimate, trace.high, trace.low)
            )
            return replace(trace, estimate=estimate, low=low, high=high)
    return None


def _common(runs: Sequence[Run], first: str, second: str) -> tuple[str, ...]:
    """The opponents by which two versions of an agent are compared; none for others, who meet."""
    met = [{pairing.first, pairing.second} for run in runs for pairing in run.pairings]
    common = tuple(
        name
        for name in runs[0].entrants
        if {first, name} in met and {second, name} in met and name not in (first, second)
    )
    if first.partition("@")[0] == second.partition("@")[0]:
        if not common and {first, second} <= {*runs[0].entrants}:
            raise ArenaError(f"{runs[0].path}: {first} and {second} have no opponent in common")
        return common
    if {first, second} not in met and common:
        raise ArenaError(
            f"{runs[0].path}: {first} and {second} did not play each other, but both played "
            f"{', '.join(common)}: compare them with --through {common[0]}"
        )
    return ()


def _in_field(runs: Sequence[Run], first: str, second: str) -> float | None:
    """The detectable difference of the report: adjusted for all agents of the run."""
    if len(runs) > 1 or runs[0].manifest.stop is not None:
        return None
    contrast = make_standings(read(runs)).contrast(first, second)
    return None if contrast is None else contrast.detectable


def _lines(
    found: Comparison | IndirectComparison,
    in_field: float | None,
    stopped: SequentialTrace | None,
) -> Iterator[str]:
    statistics = found.statistics
    difference = statistics.difference
    units = plural(found.unit)
    level = f"{100 * difference.confidence:.0f}%"
    who, what = found.second, "margin"
    if isinstance(found, IndirectComparison):
        through = ", ".join(found.through)
        who, what = f"{found.second}, through {through}", "difference of margins"
    yield f"{found.first} against {who}, {count(difference.n)} {units}"
    yield ""
    if stopped is not None:
        yield (
            f"{what}, points per {found.unit}, after stopping  {signed(stopped.estimate)}  "
            f"{level} interval {interval(stopped.low, stopped.high)}"
        )
        test = "has not decided" if stopped.decision == "continue" else "decided when to stop"
        yield f"Its sequential test {test}, looking at these deals. What follows ignores that:"
        yield "plain means of such runs lie too far out, and their intervals are too short."
        yield ""
    yield (
        f"{what}, points per {found.unit}  "
        f"{signed(difference.mean)}  "
        f"{level} interval {interval(difference.low, difference.high)}, "
        f"p {pvalue(statistics.p)} ({statistics.t.name}, these two alone)"
    )
    if difference.note:
        yield difference.note
    yield ""
    yield text_table(("test", "p", units, "of margin 0"), [*map(_test, _tests(found))])
    yield ""
    yield text_table(("also", ""), list(_rows(found, units, level, in_field)))
    if isinstance(found, Comparison):
        yield ""
        yield from _as_published(found)


def _rows(
    found: Comparison | IndirectComparison, units: str, level: str, in_field: float | None
) -> Iterator[tuple[str, str]]:
    statistics = found.statistics
    bootstrap, effect, outcomes = statistics.bootstrap, statistics.effect, statistics.outcomes
    yield f"{level} bootstrap interval", interval(bootstrap.low, bootstrap.high)
    yield "effect size d", f"{plain(effect.d, 2)} ({interval(effect.low, effect.high, 2)})"
    better = "won-drawn-lost" if isinstance(found, Comparison) else "better-equal-worse"
    yield f"{units} {better}", f"{outcomes.wins}-{outcomes.draws}-{outcomes.losses}"
    if isinstance(found, Comparison):
        yield from _rows_of_games(found, units)
    if isinstance(found, Comparison):
        ahead = interval(found.next.low, found.next.high)
        yield f"{level} limits of the mean of the next {count(found.next.deals)} {units}", ahead
    yield "points detectable with 80% probability, alone", plain(found.detectable)
    if in_field is not None:
        yield "the same among all of the run, as reported", plain(in_field)
    if found.equivalence is not None:
        said = {True: "yes", False: "not shown", None: "no test"}[found.equivalence.equivalent]
        bound = plain(found.equivalence.upper)
        yield f"equal within {bound} points", f"{said}, p {pvalue(found.equivalence.p)}"
    if isinstance(found, Comparison) and any(found.forfeits):
        yield "forfeited", f"{found.forfeits[0]} and {found.forfeits[1]} {units}"


def _rows_of_games(found: Comparison, units: str) -> Iterator[tuple[str, str]]:
    won, share, elo, saving = found.win_rate, found.share, found.elo, found.saving
    yield (
        f"{'rounds' if found.unit == 'deal' else units} won",
        _percents(won.value, won.low, won.high),
    )
    if share is not None:
        yield "share of points", _percents(share.share, share.low, share.high)
    if elo is not None:
        yield "Elo (pentanomial)", f"{signed(elo.elo, 0)} ({interval(elo.low, elo.high, 0)})"
    if saving is not None and saving.deals_saved is not None:
        yield f"{units} saved by exchanging seats", plain(saving.deals_saved, 0)


def _as_published(found: Comparison) -> Iterator[str]:
    published, games = found.published, found.games_of_rounds
    yield (
        f"as published work does it (unpaired): p {pvalue(published.student_p)} (t), "
        f"{pvalue(published.welch_p)} (Welch), {pvalue(published.mann_whitney_p)} (Mann-Whitney)"
    )
    best = found.best_side
    if best is not None:
        yield (
            f"games won by the best score of a single side, ties by the lower seat: "
            f"{_percents(best.value, best.low, best.high)}"
        )
    if games is not None and games.mean is not None and games.sd is not None:
        yield f"{games.label}: {percent(games.mean, 2)} ± {percent(games.sd, 2)} of the points"


def _tests(found: Comparison | IndirectComparison) -> tuple[TestResult, ...]:
    return found.statistics.t, found.statistics.wilcoxon, found.statistics.sign_flip


def _test(test: TestResult) -> tuple[str, ...]:
    return test.name, pvalue(test.p).removeprefix("= "), count(test.n), count(test.zeros)


def _percents(value: float | None, low: float | None, high: float | None) -> str:
    return f"{percent(value)} ({percent(low)} to {percent(high)})"
