"""Make a model from recorded games, as a recipe in YAML says.

The recipe names the recording (see 'arena record'), the file to write and the parameters of the
training. Plug-ins bring trainers of their own (entry points of the group arena.trainers).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from arena.registry import Registry

TRAINERS: Registry[Any] = Registry("trainer", "arena.trainers")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to make, by which recipe."""
    parser.add_argument("what", metavar="WHAT", help=f"one of: {', '.join(TRAINERS)}")
    parser.add_argument("recipe", type=Path, metavar="RECIPE", help="a YAML file")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="cores (default: 1)")


def run(args: argparse.Namespace) -> int:
    """Follow the recipe."""
    from arena.config.document import read
    from arena.config.problems import Problems
    from arena.parameters import model_of, values_of

    trainer = TRAINERS.get(args.what)
    document = read(args.recipe)
    problems = Problems(document)
    checked = problems.check(model_of(trainer), document.data, ())
    problems.stop_if_any()
    assert checked is not None
    made = trainer(**values_of(checked))
    made.make(args.recipe.parent, args.jobs, lambda line: print(line, file=sys.stderr))
    return 0
