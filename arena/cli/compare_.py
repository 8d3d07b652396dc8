"""Compare two agents on the deals that both played, deal by deal.

The deal is the unit: its seatings are averaged first. The main answer is the mean margin
with its t interval and the paired t-test; the other tests ask less of the margins and are
there to be checked against it. Several runs are pooled if their rules, deals and the two
agents match; else the difference is told. A deal that several runs have is still one deal.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from arena.analysis import Comparison, compare, read
from arena.cli.table import text_table
from arena.report.words import count, interval, percent, plain, pvalue, signed
from arena.stats import TestResult
from arena.store import Run


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which run, which two."""
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="a run's folder")
    parser.add_argument("first", metavar="A", help="the agent that margins are in favour of")
    parser.add_argument("second", metavar="B", help="its opponent")
    parser.add_argument(
        "--equal-within",
        type=float,
        metavar="POINTS",
        help="also test whether they are equal up to so many points",
    )
    parser.add_argument("--json", action="store_true", help="every number, as JSON")


def run(args: argparse.Namespace) -> int:
    """Print the comparison."""
    with ExitStack() as stack:
        runs = [stack.enter_context(Run(path)) for path in args.runs]
        results = read(runs, (args.first, args.second))
    found = compare(results, args.first, args.second, equal_within=args.equal_within)
    if args.json:
        print(json.dumps(found.to_json(), indent=2, ensure_ascii=False, allow_nan=False))
    else:
        print("\n".join(_lines(found)))
    return 0


def _lines(found: Comparison) -> Iterator[str]:
    statistics = found.statistics
    difference, outcomes, effect = statistics.difference, statistics.outcomes, statistics.effect
    units = {"deal": "deals", "match": "matches"}[found.unit]
    level = f"{100 * difference.confidence:.0f}%"
    yield f"{found.first} against {found.second}, {count(difference.n)} {units}"
    yield ""
    yield (
        f"margin per {found.unit}  {signed(difference.mean)}  "
        f"{level} interval {interval(difference.low, difference.high)}, "
        f"p {pvalue(statistics.p)} (paired t)"
    )
    if difference.note:
        yield difference.note
    yield ""
    yield text_table(("test", "p", units, "of margin 0"), [*map(_test, _tests(found))])
    yield ""
    rows = [
        (
            f"{level} bootstrap interval",
            interval(statistics.bootstrap.low, statistics.bootstrap.high),
        ),
        ("effect size d", f"{plain(effect.d, 2)} ({interval(effect.low, effect.high, 2)})"),
        (f"{units} won-drawn-lost", f"{outcomes.wins}-{outcomes.draws}-{outcomes.losses}"),
        (
            "win rate of games",
            _percents(found.win_rate.value, found.win_rate.low, found.win_rate.high),
        ),
    ]
    if found.share is not None:
        rows.append(
            ("share of points", _percents(found.share.share, found.share.low, found.share.high))
        )
    if found.elo is not None:
        rows.append(
            (
                "Elo (pentanomial)",
                f"{signed(found.elo.elo, 0)} ({interval(found.elo.low, found.elo.high, 0)})",
            )
        )
    if found.saving is not None and found.saving.deals_saved is not None:
        rows.append((f"{units} saved by exchanging seats", plain(found.saving.deals_saved, 0)))
    rows.append(("would be found with 80% power", plain(found.detectable)))
    if found.equivalence is not None:
        said = {True: "yes", False: "not shown", None: "no test"}[found.equivalence.equivalent]
        bound = plain(found.equivalence.upper)
        rows.append((f"equal within {bound} points", f"{said}, p {pvalue(found.equivalence.p)}"))
    if any(found.forfeits):
        rows.append(("forfeited", f"{found.forfeits[0]} and {found.forfeits[1]} {units}"))
    yield text_table(("also", ""), rows)
    yield ""
    published = found.published
    yield (
        f"as published work does it (unpaired): p {pvalue(published.student_p)} (t), "
        f"{pvalue(published.welch_p)} (Welch), {pvalue(published.mann_whitney_p)} (Mann-Whitney)"
    )
    games = found.games_of_rounds
    if games is not None and games.mean is not None and games.sd is not None:
        yield f"{games.label}: {percent(games.mean, 2)} ± {percent(games.sd, 2)} of the points"


def _tests(found: Comparison) -> tuple[TestResult, ...]:
    return found.statistics.t, found.statistics.wilcoxon, found.statistics.sign_flip


def _test(test: TestResult) -> tuple[str, ...]:
    return test.name, pvalue(test.p).removeprefix("= "), count(test.n), count(test.zeros)


def _percents(value: float | None, low: float | None, high: float | None) -> str:
    return f"{percent(value)} ({percent(low)} to {percent(high)})"
