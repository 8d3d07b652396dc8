"""Start something of your own in the current folder: an agent, an experiment, a training or a game.

What is written works as it is and says what to do next; agents, experiments and games have a test.

Examples:
  arena new agent greedy          greedy.py, greedy.yaml and test_greedy.py
  arena run greedy.yaml           plays it at once
  arena new experiment first      first.yaml, with its schema for editors
  arena new training mine         mine.yaml and mine_network.yaml, recipes for small models
  arena new game whist            a package in the folder whist/
"""

from __future__ import annotations

import argparse
from pathlib import Path

from arena.new import KINDS, make


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("kind", choices=sorted(KINDS), help="what to start")
    parser.add_argument("name", metavar="NAME", help="such as greedy, or my-bot")


def run(args: argparse.Namespace) -> int:
    files = make(args.kind, args.name, Path(), _schema)
    for file in files:
        print(f"wrote {file}")
    module = files[0].stem if args.kind != "game" else files[0].parent.name
    print()
    for line in _NEXT[args.kind]:
        print(line.format(module=module, name=module.replace("_", "-")))
    return 0


def _schema() -> str:
    import json

    from arena.config.schema import json_schema  # slow to make, and only experiments need it

    return json.dumps(json_schema(), indent=1, ensure_ascii=False) + "\n"


_NEXT = {
    "agent": (
        "arena run {module}.yaml            play it against others",
        "python -m pytest test_{module}.py  does it keep to the rules?",
        "docs/agent-api.md says what a view holds",
    ),
    "experiment": (
        "arena validate {module}.yaml       what would be played",
        "arena run {module}.yaml            play it",
        "python -m pytest test_{module}.py  can it be played?",
    ),
    "training": (
        "arena train policy {module}.yaml           tables, in about a minute",
        "arena train policy {module}_network.yaml   a network, in a minute or two",
        "arena run {module}_play.yaml               what they are worth at play",
    ),
    "game": (
        "cd {module}",
        "python -m pytest                   is it played by its rules?",
        "python -m pip install --editable . register it with arena",
        "arena deals make --game {name} --count 100 --seed 1 --out deals.csv",
        "arena run experiment.yaml",
    ),
}
