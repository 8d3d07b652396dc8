"""Rate all agents of a run: points per deal above the field, and Elo.

Both have intervals that know that all pairs share the deals. Agents that share a letter
are not distinguishable after adjustment for the number of pairs. Several runs are pooled
if their rules, deals and agents match; else the command names the difference.

Examples:
  arena ratings quickstart
  arena ratings quickstart --anchor random
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, replace
from typing import Any

from arena.analysis.results import check_not_stopped, read
from arena.analysis.standings import RatingOptions, Standings, make_standings
from arena.cli.options import add_json, add_run, number, print_json
from arena.core.rules import plural
from arena.report.standings import limits, meetings_table, standings_table
from arena.report.tables import as_text
from arena.store import Run


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_run(parser, "+")
    parser.add_argument("--anchor", metavar="AGENT", help="this agent is 0 (default: the mean is)")
    parser.add_argument(
        "--meetings", action="store_true", help="also what each pair did when it met"
    )
    parser.add_argument(
        "--bootstrap",
        type=number(int, 100, at_most=1_000_000),
        default=0,
        metavar="N",
        help="intervals from N resamples of the deals (default: from the covariance)",
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    with ExitStack() as stack:
        runs = [stack.enter_context(Run(path)) for path in args.runs]
        check_not_stopped(runs, "a rating")
        results = read(runs)
    found = make_standings(results, RatingOptions(args.anchor, args.bootstrap))
    show_standings(found, as_json=args.json, meetings=args.meetings)
    return 0


def show_standings(
    found: Standings, *, as_json: bool, meetings: bool = False, notes: Sequence[str] = ()
) -> None:
    """Print ratings, as a table or as JSON; `notes` come with those of the ratings."""
    found = replace(found, notes=(*found.notes, *notes))
    if as_json:
        print_json(_plain(found))
    else:
        print("\n".join(_lines(found, meetings)))


def _plain(found: Standings) -> dict[str, Any]:
    """Without the covariances, which are arrays."""
    return {
        "unit": found.unit,
        "alpha": found.alpha,
        "agents": [asdict(agent) for agent in found.agents],
        "pairs": [asdict(pair) for pair in found.pairs],
        "comparisons": [asdict(contrast) for contrast in found.joint.contrasts],
        "basis": found.joint.basis,
        "fit": asdict(found.joint.fit),
        "cycles": found.joint.cycles,
        "notes": list(found.notes),
    }


def _lines(found: Standings, meetings: bool) -> Iterator[str]:
    singles = "rounds" if found.unit == "deal" else plural(found.unit)
    more = {"95% interval of Elo": lambda agent: limits(agent.elo, 0)}
    yield as_text(standings_table(found.agents, found.unit, singles, more=more))
    yield ""
    compared = "the ratings" if found.joint.basis == "joint" else "direct meetings"
    yield (
        f"score rating: points per {found.unit} above the field; agents that share a letter "
        f"are not distinguishable (simultaneous 95% comparisons of {compared})"
    )
    yield found.joint.fit.words
    yield from found.notes
    for cycle in found.joint.cycles:
        yield f"in a circle: {' beats '.join((*cycle, cycle[0]))}"
    if meetings:
        yield ""
        yield as_text(meetings_table(found.pairs, found.unit, singles))
        yield "direct meetings are a description, each pair alone; who is stronger is said above"
