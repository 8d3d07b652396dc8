"""Deal the cards, play a round at random, and show every trick and the score.

Examples:
  arena demo
  arena demo --game hearts --seed 7
"""

from __future__ import annotations

import argparse
import sys

from arena.cli.options import add_game_options, rules_from_args
from arena.core.generate import make_deals
from arena.core.seeds import rng_for
from arena.core.transcript import transcript


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=int, default=1, help="another seed, another round")
    add_game_options(parser, required=False)
    parser.set_defaults(game="klaverjas")


def run(args: argparse.Namespace) -> int:
    rules = rules_from_args(args)
    (deal,) = make_deals(rules, "demo", 1, args.seed)
    rng = rng_for(args.seed, "demo")
    state = rules.start(deal)
    actions = []
    while state.turn is not None:
        action = rng.choice(state.legal)
        actions.append(action)
        rules.apply(state, action)
    print(transcript(rules, deal, actions, colour=sys.stdout.isatty()))
    return 0
