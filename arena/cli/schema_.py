"""Print a JSON Schema: of experiment files, for editors that complete and check YAML, or of views.

For example: arena schema > arena.schema.json, and as the first line of an experiment
  # yaml-language-server: $schema=arena.schema.json
"""

from __future__ import annotations

import argparse
import json

from arena.cli.options import tell_left_out
from arena.codec import view_schema
from arena.config.schema import json_schema

SCHEMAS = {"experiment": lambda: json_schema(tell_left_out), "view": view_schema}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the schema is of."""
    parser.add_argument(
        "of",
        nargs="?",
        choices=SCHEMAS,
        default="experiment",
        help="an experiment file (default), or a view: what an agent is told, as JSON",
    )


def run(args: argparse.Namespace) -> int:
    """Print the schema."""
    print(json.dumps(SCHEMAS[args.of](), indent=2, ensure_ascii=False))
    return 0
