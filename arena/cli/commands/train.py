"""Train a model that agents play with, from a recipe: `arena train policy CONFIG`.

Kinds of models are found by name, as agents are. Training plays or reads rounds, fits a model to
some of them, measures it on the others, and writes it with its recipe, the seed of its data and
the figures that it measured. A training that was stopped or killed resumes at its last
checkpoint when the same command is given again.

Several recipes are trained in turn, and each model is named after its recipe.

Examples:
  arena train forest agents/models/forest-rotterdam.yaml --jobs 2
  arena train policy agents/policies/*.yaml --jobs 2
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from arena.cli.options import add_jobs, add_out, add_overrides
from arena.config.model_file import ModelFile
from arena.config.recipe import TrainingOrder, read_recipe
from arena.config.strict_yaml import read, with_override
from arena.core.errors import ArenaError
from arena.core.registry import Registry
from arena.tournament.pool import workers_that_end

TRAINERS: Registry[Any] = Registry("kind of model", "arena.trainers")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("kind", metavar="KIND", help="kind of model, such as policy")
    parser.add_argument("config", type=Path, nargs="+", metavar="CONFIG", help="recipes in YAML")
    add_out(parser, "FILE", "default: the name of the recipe, .npz")
    add_jobs(parser, default=1)
    parser.add_argument(
        "--keep",
        action="store_true",
        help="keep the checkpoints, such as rounds that were played: fitting again with other "
        "shares then plays none",
    )
    add_overrides(parser, "rounds=500")


def run(args: argparse.Namespace) -> int:
    family = TRAINERS.get(args.kind)
    if args.out is not None and len(args.config) > 1:
        raise ArenaError("--out names one model: leave it out to train several")
    with workers_that_end():
        for config in args.config:
            document = read(config)
            for override in args.overrides:
                document = with_override(document, override)
            output = args.out or Path(f"{config.stem}.npz")
            order = TrainingOrder(document, config.parent, output, args.jobs, print, args.keep)
            read_recipe(family, document).train(order)
            sha256 = ModelFile.find(str(output)).sha256
            print(f"wrote {output} (sha256 {sha256[:12]}...)")
    return 0
