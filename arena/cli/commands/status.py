"""How far a run is: what is stored, what is missing, and whether a process is playing it.

Without RUN: all runs in reports/.

Examples:
  arena status quickstart
"""

from __future__ import annotations

import argparse

from arena.cli.options import add_run
from arena.core.errors import ArenaError
from arena.core.files import RUNS, run_names
from arena.core.scoring import unit_margin
from arena.core.tables import text_table
from arena.report.words import interval, signed
from arena.stats import mean_difference
from arena.store import Run


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_run(parser, nargs="?")


def run(args: argparse.Namespace) -> int:
    if args.run is None:
        print(_all_runs())
        return 0
    with Run(args.run) as results:
        print(status(results))
    return 0


def _all_runs() -> str:
    rows = []
    for name in run_names():
        try:
            with Run(RUNS / name) as results:
                stored = sum(map(results.units_stored, results.pairings))
                wanted = sum(map(results.units_wanted, results.pairings))
                state = _state(results, stored == wanted or _decided(results))
                game = results.manifest.rules.game
                rows.append((name, game, f"{stored:,} of {wanted:,}", state.partition(";")[0]))
        except ArenaError as error:
            rows.append((name, "", "", str(error)))
    if not rows:
        return f"there are no runs in {RUNS}/; 'arena run quickstart' makes one"
    return text_table(("run", "game", "stored", "state"), rows)


def status(results: Run) -> str:
    """The state of a run, as text."""
    manifest = results.manifest
    rows = []
    total = all_wanted = 0
    for pairing in results.pairings:
        margins = [unit_margin(games) for _, games in results.database.units(pairing.id)]
        stored = len(margins)
        wanted = results.units_wanted(pairing)
        total, all_wanted = total + stored, all_wanted + wanted
        # The plain mean of what stops on a lucky streak would mislead; the report has better.
        margin = mean_difference(margins) if stored and not manifest.stops_early else None
        shown = (signed(margin.mean), interval(margin.low, margin.high)) if margin else ("-", "-")
        rows.append((f"{pairing.first} - {pairing.second}", f"{stored:,}", f"{wanted:,}", *shown))
    last = manifest.sessions[-1]
    lines = [
        f"{results.name}: {_state(results, total == all_wanted or _decided(results))}",
        f"{manifest.rules.game}, {manifest.deal_set}, seed {manifest.seed}",
        f"started {manifest.started}, last {last.started} to {last.ended or '...'}, "
        f"{manifest.cpu_s:,.1f} CPU seconds",
        "",
        text_table(
            ("pair", "stored", results.units, f"points per {results.unit}", "95% interval"), rows
        ),
    ]
    lines += _versions(results)
    faults = results.faults()
    if faults:
        lines += ["", f"{len(faults)} faults:"]
        lines += [
            f"  {p[fault.entrant]} on {fault.deal}: {fault.message.partition(chr(10))[0]}"
            for p, fault in faults[:10]
        ]
    return "\n".join(lines)


def _versions(results: Run) -> list[str]:
    """Former versions of agents, which 'arena compare' takes by name."""
    former = results.manifest.former
    if not former:
        return []
    rows = []
    for name, version in former.items():
        pairings = [p for p in results.manifest.former_pairings if name in p]
        stored = sum(results.units_stored(pairing) for pairing in pairings)
        rows.append((name, version.until, f"{stored:,}"))
    first = next(iter(former))
    return [
        "",
        text_table(("former version", "until", results.units), rows),
        f"'arena compare {results.path} {first} {first.rpartition('@')[0]}' compares two versions",
    ]


def _decided(results: Run) -> bool:
    """Whether sequential tests have ended the run before all was played."""
    return results.manifest.stops_early and results.manifest.sessions[-1].ending == "finished"


def _state(results: Run, complete: bool) -> str:
    if results.is_busy:
        return "running"
    if complete:
        return "complete"
    ending = results.manifest.sessions[-1].ending or "killed"
    goes_on = "'arena run' with the same configuration"
    if results.people:
        goes_on = "the same 'arena play' or 'arena study'"
    return f"{ending}, not complete; {goes_on} goes on"
