"""Show what changed between two runs of one experiment, per agent, paired by deal.

For every agent: its margin against the opponents that both runs have and that did not change
(by fingerprint), on the deals that both have, new less old. Opponents left out are named.
Only agents that changed are tested, with p-values adjusted for their number (Holm): what an
unchanged agent did differently is chance. Runs under other rules or on other deals are refused
with the difference.

Examples:
  arena compare-runs reports/before reports/after
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import asdict

from arena.analysis.changes import Changes, find_changes
from arena.cli.options import add_json, print_json
from arena.core.files import run_folder
from arena.core.rules import plural
from arena.core.tables import text_table
from arena.report.words import count, duration, interval, pvalue, signed
from arena.store import Run


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("old", type=run_folder, metavar="OLD", help="the earlier run")
    parser.add_argument("new", type=run_folder, metavar="NEW", help="the later run")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    with Run(args.old) as old, Run(args.new) as new:
        found = find_changes(old, new)
    if args.json:
        print_json(asdict(found))
    else:
        print("\n".join(_lines(found)))
    return 0


def _lines(found: Changes) -> Iterator[str]:
    rows = []
    for agent in found.agents:
        p = pvalue(agent.p_adjusted).removeprefix("= ") + (" *" if agent.significant else "")
        rows.append(
            (
                f"{agent.name} (changed)" if agent.differs else agent.name,
                count(agent.change.n),
                signed(agent.old),
                signed(agent.new),
                signed(agent.change.mean),
                interval(agent.change.low, agent.change.high),
                p if agent.differs else "not tested",
                f"{duration(agent.seconds_old)} → {duration(agent.seconds_new)}",
            )
        )
    units = plural(found.unit)
    head = ("agent", units, "old margin", "new margin", "change", "95% interval", "p (Holm)")
    yield text_table((*head, "per decision"), rows)
    yield f"margins and change in points per {found.unit}; the interval is that of the change"
    moved = [agent for agent in found.agents if agent.significant]
    tested = any(agent.differs for agent in found.agents)
    yield ""
    yield (
        "; ".join(
            f"{agent.name} is {'better' if (agent.change.mean or 0) > 0 else 'worse'} by "
            f"{signed(abs(agent.change.mean or 0.0)).removeprefix('+')} points per {found.unit}"
            for agent in moved
        )
        or ("no change beyond chance" if tested else "no agent changed: nothing to test")
    )
    left_out = sorted({name for agent in found.agents for name in agent.left_out})
    if left_out:
        yield f"left out as opponents, because they changed: {', '.join(left_out)}"
    if found.unmeasured:
        yield f"no unchanged opponent in both runs: {', '.join(found.unmeasured)}"
    notes = dict.fromkeys(agent.change.note for agent in found.agents if agent.change.note)
    yield from notes
    if found.differences:
        yield ""
        yield "what differs:"
        yield from (f"  {line}" for line in found.differences)
