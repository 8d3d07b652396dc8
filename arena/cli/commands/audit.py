"""Where were the points lost? Every decision of a run, valued by the solver.

For each card played where there was a choice: the points lost in hindsight (with the true cards
open, exactly) and as far as could be known (the mean over worlds that the player could expect, all
cards valued on the same worlds). Only the second is ever called a mistake. Results are stored in
the run folder: an audit that was stopped goes on, and one of a run that has grown adds what is new.

--agents audits the rounds that these agents played against each other (of one agent: all its
rounds). --deals says how many deals of each pairing; by default as many as take a few minutes.

Examples:
  arena audit quickstart
  arena audit quickstart --agents ismcts rule --deals 20
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from arena.analysis.estimates import Estimate
from arena.api.progress import Progress
from arena.audit.campaign import AuditOptions, audit_run
from arena.audit.mistakes import AuditedMistake, worst_mistakes
from arena.audit.rounds import GRADES, AuditSettings
from arena.audit.tables import DIMENSIONS, AuditTables, make_tables
from arena.cli.options import add_jobs, add_json, add_run, number, print_json
from arena.core.errors import ArenaError
from arena.core.tables import text_table
from arena.report.words import DASH, count, interval, percent, plain
from arena.store import Run


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_run(parser)
    parser.add_argument("--agents", nargs="+", default=[], metavar="AGENT", help="default: all")
    parser.add_argument("--deals", type=number(int, 1), metavar="N", help="deals of each pairing")
    parser.add_argument(
        "--worlds",
        type=number(int, 4),
        default=AuditSettings.worlds,
        metavar="W",
        help="worlds per decision, fewer in the first tricks (default: %(default)s)",
    )
    add_jobs(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    options = AuditOptions(tuple(args.agents), args.deals, AuditSettings(args.worlds), args.jobs)
    with Run(args.run) as results:
        with Progress("rounds", quiet=args.json) as progress:
            audit = audit_run(
                results,
                options,
                lambda done, total: progress.status(f"{done}/{total} rounds audited"),
            )
        if not audit.rounds:
            raise ArenaError(f"{args.run}: no finished round to audit")
        tables, worst = make_tables(audit), worst_mistakes(audit)
    if args.json:
        found = {**asdict(tables), "worst": [asdict(mistake) for mistake in worst]}
        print_json(found)
    else:
        print("\n".join(_lines(tables, worst, args.run)))
    return 0


def _lines(tables: AuditTables, worst: tuple[AuditedMistake, ...], folder: Path) -> Iterator[str]:
    yield (
        f"{count(tables.decisions)} decisions in {count(tables.rounds)} rounds of "
        f"{count(tables.units)} deals; points lost per decision, with 95% intervals over deals"
    )
    yield ""
    grades = (f"{grade.name} {grade.mark}" for grade in GRADES)
    head = ("agent", "could be known", "95%", "hindsight", "95%", *grades, "best card", "possible")
    rows = []
    for agent in tables.agents:
        honesty = agent.honesty
        rows.append(
            (
                agent.name,
                *_estimate(agent.known),
                *_estimate(agent.hindsight),
                *(percent(agent.grades[grade.name].value) for grade in GRADES),
                _share(honesty.agrees) + (" !" if honesty.too_good else ""),
                _share(honesty.possible),
            )
        )
    yield text_table(head, rows)
    for agent in tables.agents:
        excess = agent.honesty.excess
        if agent.honesty.too_good and excess is not None:
            yield (
                f"! {agent.name} plays the best card with all cards open more often than a player "
                f"can who knows its own cards only: by {percent(excess.value)} "
                f"({interval(excess.low, excess.high, 3)}, {count(excess.n)} deals)"
            )
    for dimension, title in DIMENSIONS.items():
        if tables.groups(dimension):
            yield ""
            yield f"points lost per decision as far as could be known, by {title}"
            yield ""
            yield _by_group(tables, dimension)
    yield ""
    yield text_table(
        ("mistakes that have a name", *(agent.name for agent in tables.agents)),
        [
            (words, *(count(agent.patterns[words]) for agent in tables.agents))
            for words in tables.agents[0].patterns
        ],
    )
    if worst:
        yield ""
        yield "the worst mistakes, as far as could be known"
    for mistake in worst:
        yield ""
        yield (
            f"{mistake.agent} ({mistake.seat}) plays {mistake.played}; {mistake.better} is better "
            f"by {plain(mistake.loss)} ± {plain(mistake.se)} points ({mistake.worlds} worlds)"
            + ("" if mistake.hindsight is None else f", by {mistake.hindsight} in hindsight")
        )
        yield f"  played  {' '.join(mistake.line)}"
        yield f"  better  {' '.join(mistake.better_line)}"
        yield f"  {mistake.command(str(folder))}"


def _by_group(tables: AuditTables, dimension: str) -> str:
    groups = tables.groups(dimension)
    rows = []
    for agent in tables.agents:
        cells = [tables.losses_of(agent.name, dimension, group) for group in groups]
        rows.append((agent.name, *(_estimate(x.known if x else None)[0] for x in cells)))
    return text_table(("agent", *groups), rows)


def _estimate(found: Estimate | None) -> tuple[str, str]:
    return (DASH, DASH) if found is None else (plain(found.value), interval(found.low, found.high))


def _share(found: Estimate | None) -> str:
    return percent(None if found is None else found.value)
