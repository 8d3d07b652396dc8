"""Write the report of a run: report.html, report.md, report.json, tables and figures.

Of results from elsewhere (a CSV or Parquet file, see docs/other-results.md) too.

The page is one file that opens offline, on a phone and in the dark, and prints well.
docs/reports.md says what is in it, docs/report-json.md what the numbers are called.

Examples:
  arena report quickstart
  arena report quickstart --open
  arena report quickstart --latex    tables for a paper
  arena report results.csv --unit task --agent model --score accuracy
"""

from __future__ import annotations

import argparse
from pathlib import Path

from arena.cli.options import add_result_columns, add_run, result_file
from arena.report import write, write_file_report


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_run(parser)
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="default: into the run's folder, or NAME-report"
    )
    parser.add_argument(
        "--latex",
        action="store_true",
        help="also report.tex (tables that fit a column), supplement.tex (long tables, whole) "
        "and references.bib (arena, the repeated work, the methods)",
    )
    parser.add_argument("--png", action="store_true", help="also every figure as PNG")
    parser.add_argument("--open", action="store_true", help="open the page in a browser")
    add_result_columns(parser)


def run(args: argparse.Namespace) -> int:
    file = result_file(args.run, args)
    if file is None:
        page = write(args.run, args.out, latex=args.latex, png=args.png)
    else:
        folder = args.out or args.run.with_name(f"{args.run.stem}-report")
        page = write_file_report(file, folder, latex=args.latex, png=args.png)
    print(page)
    if args.open:
        import webbrowser

        webbrowser.open(page.resolve().as_uri())
    return 0
