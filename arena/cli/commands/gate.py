"""Did a change make an agent weaker? Play until a sequential test knows.

CONFIG names a candidate, references or an opponent, a baseline and a test; see
docs/gate.md. --update plays the candidate and stores it as the baseline. --all takes a
folder of gates and divides the error rates over them.

Examples:
  arena gate gate.yaml
  arena gate gate.yaml --update

Exit codes: 0 pass, 1 regression, 2 a user error, 3 inconclusive,
4 an agent's fault, 130 interrupted.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.api.progress import Progress
from arena.cli.options import add_jobs
from arena.core.errors import ArenaError
from arena.gate.config import Gate, load_gate
from arena.gate.judge import GateOptions, judge_gate, update_baseline
from arena.tournament.run import RunOptions


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "config", metavar="CONFIG", type=Path, help="a gate, or with --all a folder"
    )
    parser.add_argument(
        "--baseline", type=Path, metavar="FILE", help="another file for the stored baseline"
    )
    parser.add_argument("--update", action="store_true", help="store the candidate as the baseline")
    parser.add_argument("--all", action="store_true", help="every *.yaml of the folder")
    add_jobs(parser)
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="folder for results (default: reports/gates/NAME)"
    )
    parser.add_argument(
        "--inconclusive", choices=("pass", "fail"), help="what no decision counts as (default: 3)"
    )
    parser.add_argument("--fresh", action="store_true", help="throw away what was played before")
    parser.add_argument(
        "--trust", action="store_true", help="import code of a gate outside the current folder"
    )
    parser.add_argument("--quiet", action="store_true", help="the verdict only")


def run(args: argparse.Namespace) -> int:
    files = sorted(args.config.glob("*.yaml")) if args.all else [args.config]
    if not files:
        raise ArenaError(f"{args.config}: no gates (*.yaml) in this folder")
    gates = [load_gate(file, args.trust) for file in files]
    if args.baseline is not None:
        if args.all:
            raise ArenaError("--baseline is for one gate, not for --all")
        gates = [gate.with_baseline(args.baseline) for gate in gates]
    names = [gate.name for gate in gates]
    if len(set(names)) < len(names):
        raise ArenaError(f"{args.config}: two gates have the same name")
    if args.all and args.update:
        gates = [gate for gate in gates if gate.stored is not None]
    return max((_one(gate, args, 1 / len(gates)) for gate in gates), default=0)


def _one(gate: Gate, args: argparse.Namespace, share: float) -> int:
    out = args.out or Path("reports") / "gates"
    out = out / gate.name if args.all or args.out is None else out
    options = GateOptions(out, RunOptions(jobs=args.jobs, fresh=args.fresh), alpha_share=share)
    with Progress("deals", args.quiet) as progress, _telling(out):
        if args.update:
            baseline = update_baseline(gate, options, progress)
            print(
                f"{gate.stored}: {len(baseline.values):,} deals, {len(baseline.seeds)} seeds, "
                f"signature {baseline.probe.signature}"
            )
            return 0
        verdict = judge_gate(gate, options, progress)
    print(verdict.line)
    if not verdict.unchanged:
        print(verdict.block)
        for lost in verdict.worst:
            print(f"  {lost.margin:+.0f} on {lost.deal} against {lost.against}: {lost.command}")
    if os.environ.get("GITHUB_ACTIONS") == "true":
        print("\n".join(verdict.annotations(gate.path)))
    verdict.append_summary()
    verdict.append_output()
    return verdict.exit_code(args.inconclusive)


@contextmanager
def _telling(out: Path) -> Iterator[None]:
    """An interrupted gate loses nothing, and says so."""
    try:
        yield
    except KeyboardInterrupt:
        print(f"{out}: what was played is kept, the same command goes on", file=sys.stderr)
        raise
