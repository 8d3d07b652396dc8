"""Print the JSON Schema of experiment files, for editors that complete and check YAML.

For example: arena schema > arena.schema.json, and as the first line of an experiment
  # yaml-language-server: $schema=arena.schema.json
"""

from __future__ import annotations

import argparse
import json

from arena.cli.options import tell_left_out
from arena.config.schema import json_schema


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Nothing to choose."""


def run(args: argparse.Namespace) -> int:
    """Print the schema."""
    print(json.dumps(json_schema(tell_left_out), indent=2, ensure_ascii=False))
    return 0
