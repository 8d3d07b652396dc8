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

from arena.analysis import RatingOptions, Standings, check_not_stopped, make_standings, read
from arena.cli.options import add_json, add_run, number, print_json
from arena.core.rules import plural
from arena.core.tables import text_table
from arena.report.words import DASH, count, interval, percent, plain, rating_text, signed
from arena.stats import Rating
from arena.store import Run


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_run(parser, "+")
    parser.add_argument("--anchor", metavar="AGENT", help="this agent is 0 (default: the mean is)")
    parser.add_argument(
        "--meetings", action="store_true", help="also what each pair did when it met"
    )
    parser.add_argument(
        "--bootstrap",
        type=number(int, 100),
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
    rows = []
    for agent in found.agents:
        ranks = f"{agent.rank_best}-{agent.rank_worst}"
        rows.append(
            (
                agent.name,
                str(agent.rank),
                ranks,
                agent.letters,
                rating_text(agent.rating),
                _limits(agent.rating, 1),
                rating_text(agent.elo, 0),
                _limits(agent.elo, 0),
                plain(agent.points.value),
                percent(agent.win_rate.value),
                count(agent.margin.n),
            )
        )
    units, singles = _words(found)
    head = ("agent", "rank", "ranks", "group", "score rating", "95% interval", "Elo")
    more = ("95% interval", f"points per {found.unit}", f"{singles} won", units)
    yield text_table((*head, *more), rows)
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
        yield from _meetings(found)


def _meetings(found: Standings) -> Iterator[str]:
    units, singles = _words(found)
    rows = [
        (
            f"{pair.first} - {pair.second}",
            count(pair.n),
            signed(pair.mean),
            interval(pair.low, pair.high),
            f"{count(pair.won)}-{count(pair.drawn)}-{count(pair.lost)}",
            percent(pair.win_rate.value),
        )
        for pair in found.pairs
    ]
    head = ("direct meeting", units, f"points per {found.unit}", "95% interval (alone)")
    yield text_table((*head, f"{units} won-drawn-lost", f"{singles} won"), rows)
    yield "direct meetings are a description, each pair alone; who is stronger is said above"


def _words(found: Standings) -> tuple[str, str]:
    """What is the unit, and what a seating of it, more than one of them."""
    units = plural(found.unit)
    return units, "rounds" if found.unit == "deal" else units


def _limits(rating: Rating | None, digits: int) -> str:
    return DASH if rating is None else interval(rating.low, rating.high, digits)
