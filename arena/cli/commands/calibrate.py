"""Measure whether the statistics keep their promises: error rates and coverage.

On simulated margins, and on real ones: a stochastic agent plays itself on real deals, so that
every difference found is a false one, and once more with a handicap of a few points that is
known, so that every interval can be checked. `page` counts how often a report of equals claims
anything false, from 3 deals to 100, on a model and with twins of the agent. `gate` judges changes
that are rare, skewed or without spread, then plays hundreds of gates of an agent that has not
changed, and of one made worse. `plan` plans from small pilots. `race` runs races of equals, of one
better agent and of ladders; `seeds` splits variance into cards and seeds, and corrects for luck.
--quick is a short version with rough numbers, judged with that in mind.

Examples:
  arena calibrate --quick
  arena calibrate gate --keep reports/calibration

Exit codes: 0 all promises kept, 1 one is not.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from arena.api.progress import Progress
from arena.cli.options import add_json, find_set, print_json
from arena.config.games import make_rules
from arena.core.deals import DealSet
from arena.core.tables import text_table
from arena.measure.calibrate.promises import (
    GATE_DEALS,
    PAGE_AGENTS,
    PAGE_DEALS,
    QUICK,
    REAL_DEALS,
    Promise,
    PromiseJudge,
    gate_promises,
    gate_tables,
    page_promises,
    plan_promises,
    race_promises,
    real_gate,
    real_gate_promises,
    real_page_promises,
    real_promises,
    real_repetitions,
    seed_promises,
    simulated_promises,
)
from arena.measure.calibrate.real_play import SelfPlay
from arena.report.words import count, percent, plain

SEED = 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "part",
        nargs="?",
        choices=("simulated", "real", "page", "gate", "plan", "race", "seeds"),
        help="what to measure (default: simulated and real; the others take longer)",
    )
    parser.add_argument("--quick", action="store_true", help="a short version, rough")
    parser.add_argument("--agent", default="random", help="a stochastic family (default: random)")
    parser.add_argument(
        "--deals", default="klaverjas-given-10000", metavar="SET", help="real deals to play"
    )
    parser.add_argument(
        "--keep", type=Path, metavar="DIR", help="page, gate: keep the games here, to go on later"
    )
    parser.add_argument("--seed", type=int, default=SEED, help=f"default: {SEED}")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    found: list[Promise] = []
    for promise in _measure(args):
        found.append(promise)
        if not args.json:
            print(f"{promise.what}: {percent(promise.measured.rate, 2)}", file=sys.stderr)
    kept = all(promise.kept for promise in found)
    if args.json:
        promises = [{**asdict(promise), "kept": promise.kept} for promise in found]
        print_json({"kept": kept, "promises": promises})
    else:
        print(_table(found))
    return 0 if kept else 1


def _measure(args: argparse.Namespace) -> Iterator[Promise]:
    scale = QUICK if args.quick else 1
    judge = PromiseJudge(args.quick)
    if args.part in (None, "simulated"):
        yield from simulated_promises(judge, scale, args.seed)
    if args.part in (None, "real"):
        repetitions = real_repetitions(scale)
        with Progress("deals", quiet=True) as progress:
            margins = _self_play(args, progress).once(repetitions * REAL_DEALS, args.seed)
        table = margins.reshape(repetitions, REAL_DEALS)
        yield from real_promises(judge, table, args.agent, args.seed)
    if args.part == "page":
        yield from page_promises(judge, scale, args.seed)
        with Progress("deals", quiet=args.keep is None) as progress:
            play = _self_play(args, progress)
            played = play.field(PAGE_AGENTS, PAGE_DEALS // scale, args.seed, args.keep)
        yield from real_page_promises(judge, played, args.agent)
    if args.part == "plan":
        yield from plan_promises(judge, scale, args.seed)
    if args.part == "race":
        yield from race_promises(judge, scale, args.seed, lambda line: print(line, file=sys.stderr))
    if args.part == "seeds":
        yield from seed_promises(judge, scale, args.seed)
    if args.part == "gate":
        yield from _gate(judge, scale, args)


def _gate(judge: PromiseJudge, scale: int, args: argparse.Namespace) -> Iterator[Promise]:
    yield from gate_promises(judge, scale, args.seed)
    baselines, times = gate_tables(scale)
    with Progress("deals", quiet=args.keep is None) as progress:
        play = _self_play(args, progress)
        played = play.repeated(GATE_DEALS, baselines * times, args.seed, args.keep)
    found = real_gate(*(table.reshape(baselines, times, GATE_DEALS) for table in played))
    yield from real_gate_promises(judge, found, args.agent)
    print(
        f"{plain(found.mean_deals, 0)} deals on average, a fixed test needs "
        f"{found.fixed_deals:,}; among the worst tenth of baselines an unchanged agent fails in "
        f"{percent(found.worst_decile)}",
        file=sys.stderr,
    )


def _self_play(args: argparse.Namespace, progress: Progress) -> SelfPlay:
    deals = DealSet.load(find_set(args.deals))
    rules = make_rules(deals.game, dict(deals.meta.get("options", {})))
    return SelfPlay(args.agent, deals, rules, progress)


def _table(found: list[Promise]) -> str:
    rows = [
        (
            promise.what,
            percent(promise.measured.rate, 2),
            f"{percent(promise.measured.low, 2)} to {percent(promise.measured.high, 2)}",
            _range(promise),
            count(promise.measured.reps),
            percent(promise.measured.zero_share),
            "yes" if promise.kept else "NO",
        )
        for promise in found
    ]
    head = ("what", "measured", "Monte Carlo error", "must be", "repetitions", "deals of margin 0")
    return text_table((*head, "kept"), rows)


def _range(promise: Promise) -> str:
    if promise.at_least <= 0:
        return f"≤ {percent(promise.at_most)}"
    return f"{percent(promise.at_least)} to {percent(promise.at_most)}"
