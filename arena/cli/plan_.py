"""Tell how many deals an experiment needs to see a difference.

The spread of a deal's margin comes from stored results of the same experiment (its folder
in reports/, or --from RUN), else from a pilot of a few deals that is played now and thrown
away. For each pair: the deals that a t-test needs to see --detect points with 80% power,
with the measured spread and with a cautious one (the upper end of its interval), and the
expected length of a sequential test of 0 against that many points.
"""

from __future__ import annotations

import argparse
import json
import math
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from arena.analysis import Meeting, read
from arena.cli.progress import Progress
from arena.cli.table import text_table
from arena.config import load
from arena.errors import ArenaError
from arena.play.experiment import Experiment
from arena.play.run import RunOptions
from arena.play.run import run as play
from arena.report.words import count, interval, percent, plain
from arena.stats import (
    DealsNeeded,
    PilotSd,
    PowerCurve,
    SequentialPlan,
    SprtDesign,
    deals_for_t_test,
    pilot_sd,
    power_curve,
    sequential_plan,
)
from arena.store import Run
from arena.store.folder import RESULTS

PILOT = 60
CURVE_DEALS = (50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which experiment, and what it should see."""
    parser.add_argument("config", metavar="CONFIG", help="an experiment in YAML")
    parser.add_argument(
        "--detect", type=_positive, required=True, metavar="POINTS", help="the margin to see"
    )
    parser.add_argument("--power", type=_share, default=0.8, help="default: 0.8")
    parser.add_argument("--alpha", type=_share, default=0.05, help="default: 0.05")
    parser.add_argument("--from", type=Path, dest="source", metavar="RUN", help="stored results")
    parser.add_argument(
        "--pilot", type=int, default=PILOT, metavar="N", help=f"deals of a pilot (default: {PILOT})"
    )
    parser.add_argument("--json", action="store_true", help="every number, as JSON")


def _positive(text: str) -> float:
    number = float(text)
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError("a positive number of points is needed")
    return number


def _share(text: str) -> float:
    number = float(text)
    if not 0 < number < 1:
        raise argparse.ArgumentTypeError("between 0 and 1")
    return number


@dataclass(frozen=True)
class PairPlan:
    """What one pair needs."""

    first: str
    second: str
    sd: PilotSd
    needed: DealsNeeded | None
    cautious: DealsNeeded | None
    sequential: SequentialPlan | None
    curve: PowerCurve | None


def run(args: argparse.Namespace) -> int:
    """Print the plan."""
    experiment = load(args.config)
    source, pairs = _spread(experiment, args)
    plans = [_plan(pair, args) for pair in pairs]
    if args.json:
        print(json.dumps(_plain(plans, source, args), indent=2, allow_nan=False))
    else:
        rounds = (experiment.match.rounds or 1) if experiment.match else 1
        print("\n".join(_lines(plans, source, args, len(experiment.deals) // rounds)))
    return 0


def _spread(experiment: Experiment, args: argparse.Namespace) -> tuple[str, tuple[Meeting, ...]]:
    """Where the spread comes from, and the pairs with their margins."""
    stored = args.source or Path("reports") / experiment.name
    if args.source is not None or (stored / RESULTS).is_file():
        with Run(stored) as results:
            game = results.manifest.rules.game
            if game != experiment.rules.name:
                raise ArenaError(f"{stored}: holds results of {game}, not {experiment.rules.name}")
            return f"stored results in {stored}", read([results]).pairs
    return _pilot(experiment, args.pilot)


def _pilot(experiment: Experiment, deals: int) -> tuple[str, tuple[Meeting, ...]]:
    if deals < 4:
        raise ArenaError("--pilot: at least 4 deals are needed")
    rounds = (experiment.match.rounds or 1) if experiment.match else 1
    few = replace(experiment, deals=experiment.deals[: deals * rounds])
    with tempfile.TemporaryDirectory(prefix="arena-pilot-") as folder:
        path = Path(folder) / "pilot"
        with Progress("deals", quiet=True) as progress:
            finished = play(few, path, RunOptions(), progress)
        if finished.stopped:
            raise ArenaError(f"the pilot stopped: {finished.stopped}")
        with Run(path) as results:
            pairs = read([results]).pairs
    return f"a pilot of {len(pairs[0].units)} {'matches' if rounds > 1 else 'deals'}", pairs


def _plan(pair: Meeting, args: argparse.Namespace) -> PairPlan:
    sd = pilot_sd(pair.margins)
    if not sd.sd:
        return PairPlan(pair.first, pair.second, sd, None, None, None, None)
    design = SprtDesign(0.0, args.detect, args.alpha, 1 - args.power)
    needed = deals_for_t_test(args.detect, sd.sd, args.power, args.alpha)
    cautious = deals_for_t_test(args.detect, sd.high, args.power, args.alpha) if sd.high else None
    curve = power_curve(
        CURVE_DEALS, (args.detect / 2, args.detect, 2 * args.detect), sd.sd, args.alpha
    )
    return PairPlan(
        pair.first, pair.second, sd, needed, cautious, sequential_plan(sd.sd, design), curve
    )


def _plain(plans: list[PairPlan], source: str, args: argparse.Namespace) -> dict[str, Any]:
    return {
        "detect": args.detect,
        "power": args.power,
        "alpha": args.alpha,
        "source": source,
        "pairs": [
            {
                **asdict(replace(plan, curve=None)),
                "curve": None
                if plan.curve is None
                else {
                    "deals": plan.curve.deals.tolist(),
                    "margins": plan.curve.margins.tolist(),
                    "power": [[_known(x) for x in row] for row in plan.curve.power.tolist()],
                },
            }
            for plan in plans
        ],
    }


def _lines(
    plans: list[PairPlan], source: str, args: argparse.Namespace, deals: int
) -> Iterator[str]:
    yield (
        f"to see {plain(args.detect)} points with {percent(args.power, 0)} power at "
        f"level {args.alpha:g}, from {source}:"
    )
    yield ""
    rows = []
    for plan in plans:
        sequential = plan.sequential
        rows.append(
            (
                f"{plan.first} - {plan.second}",
                f"{plain(plan.sd.sd)} ({interval(plan.sd.low, plan.sd.high)})",
                count(plan.needed.deals if plan.needed else None),
                count(plan.cautious.deals if plan.cautious else None),
                plain(sequential.at_h0.expected_deals if sequential else None, 0),
                plain(sequential.at_h1.expected_deals if sequential else None, 0),
            )
        )
    head = ("pair", "sd of a deal", "deals", "to be safe", "sequential if 0")
    yield text_table((*head, f"if {plain(args.detect)}"), rows)
    for plan in plans:
        if plan.sd.note:
            yield f"{plan.first} - {plan.second}: {plan.sd.note}"
    widest = max((plan for plan in plans if plan.curve), key=_sd, default=None)
    if widest is not None and widest.curve is not None:
        yield ""
        yield f"power of the t-test ({widest.first} - {widest.second}, the widest spread):"
        yield text_table(
            ("deals", *(f"{plain(margin)} points" for margin in widest.curve.margins)),
            [
                (f"{int(n):,}", *(percent(_known(float(power)), 0) for power in row))
                for n, row in zip(widest.curve.deals, widest.curve.power, strict=True)
            ],
        )
    most = max((plan.needed.deals for plan in plans if plan.needed), default=0)
    yield ""
    yield f"the experiment has {deals:,} per pair: {'enough' if deals >= most else 'too few'}"


def _known(power: float) -> float | None:
    """None where the noncentral t distribution has no numerical answer."""
    return None if math.isnan(power) else power


def _sd(plan: PairPlan) -> float:
    return plan.sd.sd or 0.0
