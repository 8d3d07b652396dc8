"""Write the rounds of a run as CSV, Parquet or JSONL, or its decisions as training text.

JSONL has the recorded rounds that 'arena verify' replays: deal, bids, plays with their
legal cards, and what the round came to. Rounds that a fault cut short are only in CSV
and Parquet. Rows are ordered by pairing, deal, seating and round.

--sft writes a row for each decision with a choice: a conversation of the prompt that a language
model would get and the move that was made, for supervised fine-tuning.

Examples:
  arena export quickstart --out rounds.csv
  arena export quickstart --format jsonl --out rounds.jsonl
  arena export quickstart --sft --agent rule --out moves.jsonl
"""

from __future__ import annotations

import argparse
import sys
from typing import IO

from arena.cli.options import add_out, add_prompt_options, add_run, prompter_from
from arena.core.errors import ArenaError
from arena.core.files import replacing
from arena.store import Run
from arena.store.export import FORMATS, export
from arena.store.training_text import export_training_text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_run(parser)
    parser.add_argument("--format", choices=tuple(FORMATS), default="csv", help="default: csv")
    parser.add_argument(
        "--no-times", action="store_true", help="leave out what differs when a run is repeated"
    )
    parser.add_argument("--sft", action="store_true", help="decisions as training text (JSONL)")
    parser.add_argument(
        "--agent", action="append", default=[], metavar="NAME", help="with --sft: only its moves"
    )
    add_prompt_options(parser)
    add_out(parser, "FILE", "default: standard output")


def run(args: argparse.Namespace) -> int:
    if args.agent and not args.sft:
        raise ArenaError("--agent is for --sft")
    with Run(args.run) as results:

        def write(out: IO[bytes]) -> int:
            if args.sft:
                return export_training_text(results, out, prompter_from(args), args.agent)
            return export(results, args.format, out, not args.no_times)

        if args.out is not None:
            with replacing(args.out) as out:
                left_out = write(out)
        elif args.format == "parquet" and sys.stdout.isatty():
            raise ArenaError("parquet is not for reading: give --out FILE")
        else:
            left_out = write(sys.stdout.buffer)
            sys.stdout.buffer.flush()
    if left_out:
        print(f"{left_out} rounds that a fault cut short were left out", file=sys.stderr)
    return 0
