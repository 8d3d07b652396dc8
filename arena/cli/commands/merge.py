"""Put the parts of one experiment together, as array jobs have played them.

Each job plays a part of its own: 'arena run CONFIG --part 3/100 --out parts/3'. The merged folder
is the same as that of one run. Parts may overlap, and more parts may be merged into the same
folder later; what no part has, 'arena run CONFIG --out DIR' plays.

Examples:
  arena merge parts/* --out reports/mine

Exit codes: 0 merged, 2 the folders are not parts of one run, or a deal was played in two ways.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from arena.cli.end_of_run import show_end
from arena.cli.options import add_run
from arena.store.folder import RunFolder
from arena.store.manifest import read_manifest
from arena.tournament.merging import merge


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The parts, and the folder to merge into."""
    add_run(parser, nargs="+")
    parser.add_argument(
        "--out", type=Path, required=True, metavar="DIR", help="folder for all results"
    )
    parser.add_argument("--no-report", action="store_true", help="write no report at the end")
    parser.add_argument("--quiet", action="store_true", help="say nothing unless it goes wrong")


def run(args: argparse.Namespace) -> int:
    """Merge; with all parts there, show the tables as a run does."""
    for part in args.runs:
        read_manifest(part)  # before anything is written
    with RunFolder(args.out) as folder:
        merged = merge(args.runs, folder)
        if merged.stored == merged.total:
            show_end(args.out, new=True, report=not args.no_report, quiet=args.quiet)
        elif not args.quiet:
            print(
                f"{merged.added:,} added, {merged.stored:,} of {merged.total:,} stored in "
                f"{args.out}; merge the other parts, or let 'arena run CONFIG --out {args.out}' "
                "play the rest"
            )
    return 0
