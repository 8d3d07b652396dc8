"""Did a change make an agent weaker? Play until a sequential test knows.

CONFIG names a candidate, references or an opponent, a baseline and a test; see
docs/gate.md. --update plays the candidate and stores it as the baseline. --all takes a
folder of gates and divides the error rates over them.

Exit codes: 0 pass, 1 regression, 2 a mistake in what was asked for, 3 inconclusive,
4 an agent's fault, 130 interrupted.
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

from arena.cli.progress import Progress
from arena.errors import ArenaError
from arena.files import write_atomically
from arena.gate import GateOptions, Verdict, judge, update_baseline
from arena.gate.config import Gate, load_gate
from arena.play.run import RunOptions


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which gate, and what to write."""
    parser.add_argument(
        "config", metavar="CONFIG", type=Path, help="a gate, or with --all a folder"
    )
    parser.add_argument("--update", action="store_true", help="store the candidate as the baseline")
    parser.add_argument("--all", action="store_true", help="every *.yaml of the folder")
    parser.add_argument("--jobs", type=int, metavar="N", help="workers (default: cores)")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="folder for results (default: reports/gates/NAME)"
    )
    parser.add_argument(
        "--inconclusive", choices=("pass", "fail"), help="what no decision counts as (default: 3)"
    )
    parser.add_argument("--fresh", action="store_true", help="throw away what was played before")
    parser.add_argument("--quiet", action="store_true", help="the verdict only")


def run(args: argparse.Namespace) -> int:
    """Judge, say it, write it down."""
    files = sorted(args.config.glob("*.yaml")) if args.all else [args.config]
    if not files:
        raise ArenaError(f"{args.config}: no gates (*.yaml) in this folder")
    gates = [load_gate(file) for file in files]
    return max(_one(gate, args, 1 / len(gates)) for gate in gates)


def _one(gate: Gate, args: argparse.Namespace, share: float) -> int:
    out = args.out or Path("reports") / "gates"
    out = out / gate.name if args.all or args.out is None else out
    options = GateOptions(out, RunOptions(jobs=args.jobs, fresh=args.fresh), alpha_share=share)
    with Progress("deals", args.quiet) as progress:
        if args.update:
            baseline = update_baseline(gate, options, progress)
            print(
                f"{gate.stored}: {len(baseline.values):,} deals, {len(baseline.seeds)} seeds, "
                f"signature {baseline.probe.signature}"
            )
            return 0
        verdict = judge(gate, options, progress)
    _write(verdict, out)
    print(verdict.line)
    if not verdict.unchanged:
        print(verdict.block)
        for lost in verdict.worst:
            print(f"  {lost.margin:+.0f} on {lost.deal} against {lost.against}: {lost.command}")
    if os.environ.get("GITHUB_ACTIONS") == "true":
        print("\n".join(verdict.annotations(gate.path)))
    verdict.append_summary()
    return verdict.exit_code(args.inconclusive)


def _write(verdict: Verdict, out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    text = json.dumps(verdict.as_json(), indent=1, allow_nan=False)
    write_atomically(out / "gate.json", text + "\n")
    write_atomically(out / "junit.xml", verdict.junit())
    write_atomically(out / "gate.md", verdict.markdown())
