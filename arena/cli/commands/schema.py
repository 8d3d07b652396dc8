"""Print a JSON Schema: of experiments, for editors that check YAML; of views; of messages to
and from an agent's process; of report.json.

The first line of an experiment tells editors where its schema is:
# yaml-language-server: $schema=arena.schema.json

Examples:
  arena schema > arena.schema.json
  arena schema protocol
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from arena.cli.options import print_json, report_left_out
from arena.config.schema import json_schema
from arena.core.codec import view_schema
from arena.gate.config import GateFile
from arena.gate.verdict import verdict_schema
from arena.process.messages import message_schema
from arena.report.document import json_schema as report_schema
from arena.table.study_file import StudyFile

SCHEMAS: dict[str, Callable[[], dict[str, Any]]] = {
    "experiment": lambda: json_schema(report_left_out),
    "view": view_schema,
    "protocol": message_schema,
    "report": report_schema,
    "gate": lambda: {**GateFile.model_json_schema(), "title": "A gate of arena"},
    "gate-json": verdict_schema,
    "study": lambda: {**StudyFile.model_json_schema(), "title": "A study of arena"},
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "of",
        nargs="?",
        choices=tuple(SCHEMAS),
        default="experiment",
        help="an experiment file (default), a view, the protocol of processes, report.json, "
        "a gate file, gate.json, or a study file",
    )


def run(args: argparse.Namespace) -> int:
    print_json(SCHEMAS[args.of]())
    return 0
