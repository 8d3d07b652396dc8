"""Make a model that agents play with, from a training file: `arena train policy CONFIG`.

What can be trained is found by name, as agents are. Training plays rounds, fits a model to them,
says how well it does on rounds it was not fitted to, and writes the model with its recipe.
Stopped, it goes on where it was when it is started again.

Several training files are trained in turn, and each model is named after its file.

Examples:
  arena train forest configs/training/forest-rotterdam.yaml --jobs 2
  arena train policy agents/policies/*.yaml --jobs 2
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from arena.cli.options import add_out
from arena.core.errors import ArenaError
from arena.core.registry import Registry
from arena.tournament.pool import workers_that_end

TRAINERS: Registry[Any] = Registry("kind of model", "arena.trainers")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to train, and where to put it."""
    parser.add_argument("kind", metavar="KIND", help="what to train, such as policy")
    parser.add_argument(
        "config", type=Path, nargs="+", metavar="CONFIG", help="training files in YAML"
    )
    add_out(parser, "FILE", "default: the name of the training file, .npz")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="workers (default: 1)")
    parser.add_argument("--workers", type=int, dest="jobs", help=argparse.SUPPRESS)
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        dest="overrides",
        metavar="KEY=VALUE",
        help="change a key, such as rounds=500; may be repeated",
    )


def run(args: argparse.Namespace) -> int:
    """Train, telling how far it is."""
    trainer = TRAINERS.get(args.kind)()
    if args.out is not None and len(args.config) > 1:
        raise ArenaError("--out names one model: leave it out to train several")
    with workers_that_end():
        for config in args.config:
            output = args.out or Path(f"{config.stem}.npz")
            sha256 = trainer.train(config, args.overrides, output, args.jobs, print)
            print(f"wrote {output} (sha256 {sha256[:12]}...)")
    return 0
