"""Let an agent play for a program that speaks the protocol on our standard input and output.

What is said is described in docs/protocol.md; 'arena schema protocol' prints its JSON Schema.

Examples:
  arena serve-agent '{family: ismcts, simulations: 500}'
  arena serve-agent '{family: "./bot.py:Greedy"}'
"""

from __future__ import annotations

import argparse
import json

from arena.cli.agent_text import agent_from_text
from arena.config.entrants import facts_of
from arena.core.agent import Player
from arena.core.errors import ArenaError
from arena.core.rules import Rules
from arena.process.serve import serve, standard_streams


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("agent", help="the agent as in an experiment: {family: NAME, ...}")
    parser.add_argument(
        "--facts",
        action="store_true",
        help="only say whether it sees all cards and whether it is reproducible, as JSON",
    )


def run(args: argparse.Namespace) -> int:
    spec = agent_from_text(args.agent)
    player = spec.build()
    if args.facts:
        print(json.dumps(facts_of(player)))
        return 0

    def build(rules: Rules) -> Player:
        games = getattr(player.cards, "games", None)
        if games is not None and rules.name not in games:
            raise ArenaError(f"{spec.family!r} does not play {rules.name}")
        return player

    with standard_streams() as (lines, answers):
        serve(build, lines, answers)
    return 0
