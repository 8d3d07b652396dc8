"""Play an experiment: every pairing on the same deals, every deal in all seatings.

Results go to reports/NAME/ (or --out). A run that was interrupted, killed or stopped
by a full disk goes on where it stopped when the same command is given again; one that
is complete only shows its tables. More deals, another agent or another pairing may be
added: the same folder goes on and plays only what is missing.

An agent may be a class in a file next to or below CONFIG: 'family: ./bot.py:Greedy'. Its
code is imported, and 'arena run' says so; if CONFIG lies outside the current folder, only
with --trust.

Examples:
  arena run quickstart                          an experiment that comes with arena
  arena run mine.yaml --set deals.limit=200     with more deals
  arena run mine.yaml --jobs 4 --out results    on four cores, into another folder
  arena run mine.yaml --serve                   with a page to watch it in a browser
  arena run mine.yaml --part 3/100 --out parts/3   one of 100 jobs on a cluster

Exit codes: 0 all played, 1 an agent's fault stopped the run, 130 interrupted.
"""

from __future__ import annotations

import argparse
import sys
from contextlib import ExitStack
from pathlib import Path

from arena.api.progress import Progress
from arena.cli.end_of_run import show_end
from arena.cli.options import add_experiment_options, add_jobs
from arena.config.loader import load
from arena.core.errors import ArenaError
from arena.store.folder import RunFolder
from arena.tournament.run import RunOptions, run_in
from arena.tournament.runner import BACKENDS
from arena.tournament.schedule import WHOLE, Part
from arena.tournament.watcher import Watcher, Watchers


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("config", metavar="CONFIG", help="an experiment in YAML")
    add_experiment_options(
        parser, trust="import code that CONFIG names although it lies outside the current folder"
    )
    add_jobs(parser)
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder for the results")
    parser.add_argument(
        "--fresh", action="store_true", help="throw away what is stored there and start over"
    )
    parser.add_argument(
        "--backend",
        choices=BACKENDS,
        help="how workers run (default: loky, processes on this machine; dask: the cluster "
        "at DASK_SCHEDULER_ADDRESS, or one on this machine)",
    )
    parser.add_argument(
        "--part",
        type=_part,
        default=WHOLE,
        metavar="K/N",
        help="play only the Kth of N equal parts; 'arena merge' puts the parts together",
    )
    parser.add_argument(
        "--mix-code",
        action="store_true",
        help="go on although the code of agents has changed, if they play the same on a few deals",
    )
    parser.add_argument(
        "--serve",
        nargs="?",
        type=int,
        const=0,
        metavar="PORT",
        help="show the run on a page while it goes on, to this machine only; it becomes the report",
    )
    parser.add_argument("--no-report", action="store_true", help="write no report at the end")
    parser.add_argument("--quiet", action="store_true", help="say nothing unless it goes wrong")


def _part(text: str) -> Part:
    try:
        return Part.parse(text)
    except ArenaError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def run(args: argparse.Namespace) -> int:
    quiet = args.quiet
    experiment = load(
        args.config,
        args.overrides,
        trust=args.trust or None,
        report=lambda line: quiet or print(f"arena: {line}", file=sys.stderr),
    )
    path = args.out or Path("reports") / experiment.name
    options = RunOptions(
        args.jobs, args.backend, args.fresh, mix_code=args.mix_code, part=args.part
    )
    unit = experiment.units
    progress = Progress(unit, quiet)
    try:
        with RunFolder(path) as folder, ExitStack() as stack:
            watchers: list[Watcher] = [progress]
            if args.serve is not None:
                from arena.live import LivePage  # here: its texts come with all of the report

                page = stack.enter_context(LivePage(experiment.name, unit, path, args.serve))
                print(f"arena: live at {page.url}", file=sys.stderr, flush=True)
                watchers.append(page)
            with progress:
                finished = run_in(folder, experiment, options, Watchers(watchers))
            if finished.stopped:
                print(f"arena: stopped: {finished.stopped}", file=sys.stderr)
                return 1
            if args.part != WHOLE:
                if not quiet:
                    print(
                        f"part {args.part}: all {finished.found + finished.played:,} {unit} are "
                        f"stored in {path}; 'arena merge' puts the parts together"
                    )
                return 0
            if finished.found and not finished.played and not quiet:
                print(f"all {finished.found:,} {unit} were stored before in {path}\n")
            # The folder stays locked, so that no other run starts over while the report is made.
            show_end(path, new=finished.played > 0, report=not args.no_report, quiet=quiet)
    except KeyboardInterrupt:
        stored = f"{progress.tally.done:,} {unit} are" if progress.tally else "what was finished is"
        print(
            f"arena: interrupted; {stored} stored in {path}, the same command goes on from there",
            file=sys.stderr,
        )
        return 130
    return 0
