"""Positions as tests: make suites, add positions, let agents play them.

A suite is a readable JSONL file: positions, tags, and the points that each card loses, labelled by
the solver. 'make' collects clear mistakes from the audit of a run. 'add' takes one position: a
pasted record (--record FILE, - is the standard input), a link of the replay viewer (--replay), or a
deal and the cards so far (--deal SET DEAL --after CARDS). 'run' prints the points that agents lose
per position, by tag and in pairs, and ends with exit code 1 if an agent failed in one (a fault
loses as much as the worst card); 'show' prints diagrams; 'export --tasks' writes a line of JSON
for each position with a prompt for language models, the legal moves and the points that each loses.
SUITE is a file, or a bundled suite.

Examples:
  arena suite make quickstart --out mine.suite.jsonl
  arena suite add mine.suite.jsonl --deal klaverjas-given-1000 17 --after "SA S7 S8" --tag squeeze
  arena suite add mine.suite.jsonl --replay 'reports/quickstart/report.html#deal=...&step=9'
  arena suite run klaverjas rule '{family: ismcts, simulations: 400}'
  arena suite show klaverjas --tag ending
  arena suite export klaverjas --tasks --out tasks.jsonl
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from arena.audit.suites import (
    SUFFIX,
    Suite,
    SuitePosition,
    find_suite,
    label,
    read_suite,
    standing_before,
    write_suite,
)
from arena.cli.agent_text import agent_from_text
from arena.cli.options import (
    add_game_options,
    add_json,
    add_out,
    add_prompt_options,
    add_run,
    deal_of,
    find_set,
    number,
    print_json,
    prompter_from,
    rules_from_args,
)
from arena.config.entrants import builder_of
from arena.core.cards import SEATS, parse_cards, pretty
from arena.core.deals import DealSet
from arena.core.errors import ArenaError, did_you_mean
from arena.core.files import read_text, run_folder, write_atomically
from arena.core.rules import Rules, Standing
from arena.core.tables import text_table
from arena.core.transcript import position_diagram
from arena.report.words import count, interval, options, percent, plain, signed
from arena.store import Run
from arena.tournament.describe import rules_used
from arena.verify.records import read_record

if TYPE_CHECKING:
    from arena.audit.suite_runs import SuiteScore


def add_arguments(parser: argparse.ArgumentParser) -> None:
    commands = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    make = commands.add_parser("make", help="collect the mistakes of a run into a suite")
    add_run(make)
    make.add_argument("--out", type=Path, metavar="FILE", help="default: RUN.suite.jsonl")
    make.add_argument(
        "--size", type=number(int, 1), default=200, metavar="N", help="default: %(default)s"
    )
    make.add_argument("--name", metavar="NAME", help="default: that of the run")
    add = commands.add_parser("add", help="add one position")
    add.add_argument("suite", type=Path, metavar="SUITE", help="a file; made if it is not there")
    add.add_argument("--record", metavar="FILE", help="a recorded round as JSON; - reads it here")
    add.add_argument("--replay", metavar="LINK", help="a link of the replay viewer")
    add.add_argument("--seating", type=int, default=0, metavar="K", help="of the link; default: 0")
    add.add_argument("--deal", nargs=2, metavar=("SET", "DEAL"), help="a deal of a set")
    add.add_argument("--after", default="", metavar="CARDS", help="with --deal: cards so far")
    add.add_argument("--at", type=int, metavar="N", help="with --record: before action N (from 0)")
    add.add_argument("--tag", action="append", default=[], metavar="WORD", help="may be repeated")
    add.add_argument("--should", default="", metavar="CARDS", help="what should be played")
    add.add_argument("--note", default="", help="what it is about")
    add.add_argument("--id", metavar="NAME", help="default: from its source")
    add_game_options(add, required=False)
    run_ = commands.add_parser("run", help="let agents play the positions")
    run_.add_argument("suite", metavar="SUITE", help="a file, or a bundled suite")
    run_.add_argument("agents", nargs="+", metavar="AGENT", help="a family, or {family: NAME, ...}")
    run_.add_argument("--tag", action="append", default=[], metavar="WORD", help="only these")
    run_.add_argument("--seed", type=int, default=0, help="default: 0")
    add_json(run_)
    tasks = commands.add_parser("export", help="write positions as tasks for language models")
    tasks.add_argument("suite", metavar="SUITE", help="a file, or a bundled suite")
    tasks.add_argument("--tasks", action="store_true", required=True, help="single-turn tasks")
    tasks.add_argument("--tag", action="append", default=[], metavar="WORD", help="only these")
    add_prompt_options(tasks)
    add_out(tasks, "FILE", "default: standard output")
    show = commands.add_parser("show", help="print diagrams")
    show.add_argument("suite", metavar="SUITE", help="a file, or a bundled suite")
    show.add_argument("ids", nargs="*", metavar="ID", help="default: all")
    show.add_argument("--tag", action="append", default=[], metavar="WORD", help="only these")


def run(args: argparse.Namespace) -> int:
    actions = {"make": _make, "add": _add, "run": _run, "export": _export, "show": _show}
    return actions[args.action](args)


def _export(args: argparse.Namespace) -> int:
    from arena.audit.suite_tasks import task_lines

    suite = read_suite(find_suite(args.suite)).tagged(args.tag)
    text = "".join(task_lines(suite, prompter_from(args)))
    if args.out is None:
        print(text, end="")
    else:
        write_atomically(args.out, text)
    return 0


def _make(args: argparse.Namespace) -> int:
    from arena.api.progress import Progress
    from arena.audit.campaign import audit_run, stored_audit
    from arena.audit.making import make_suite

    with Run(args.run) as results, Progress("positions") as progress:
        audit = stored_audit(results)
        if audit is None or not audit.rounds:
            audit = audit_run(
                results,
                progress=lambda done, all_: progress.status(f"{done}/{all_} rounds audited"),
            )
        name = args.name or results.name
        suite = make_suite(
            audit, name, args.size, lambda done, all_: progress.status(f"{done}/{all_} positions")
        )
    out = args.out or Path(f"{name}{SUFFIX}")
    write_suite(suite, out)
    few = "" if len(suite.positions) == args.size else "; audit more deals for more"
    print(f"{count(len(suite.positions))} positions in {out}{few}")
    return 0


# --- add ---------------------------------------------------------------------------------


def _add(args: argparse.Namespace) -> int:
    from arena.solver.solution import Solver

    given = [each for each in (args.record, args.replay, args.deal) if each is not None]
    if len(given) != 1:
        raise ArenaError("give one of --record, --replay and --deal")
    rules, position = _position(args)
    suite = Suite(args.suite.name.partition(".")[0], rules, ())
    if args.suite.exists():
        suite = read_suite(args.suite)
        if suite.rules != rules:
            raise ArenaError(
                f"{args.suite}: holds positions of {_named(suite.rules)}, not of {_named(rules)}"
            )
        if any(each.id == position.id for each in suite.positions):
            raise ArenaError(f"{args.suite}: has a position {position.id!r} already; say --id")
    position = label(rules, position, Solver())
    write_suite(replace(suite, positions=(*suite.positions, position)), args.suite)
    print("\n".join(_diagram(rules, position)))
    if position.should and not any(position.labels[card] == 0 for card in position.should):
        best = [pretty(card) for card, lost in position.labels.items() if lost == 0]
        print(f"note: the solver prefers {' or '.join(best)}")
    return 0


def _position(args: argparse.Namespace) -> tuple[Rules, SuitePosition]:
    """The position that the options describe, without labels; checked."""
    standing = Standing()
    if args.deal is not None:
        deals = DealSet.load(find_set(args.deal[0]))
        rules = rules_from_args(args, deals)
        deal = deal_of(deals, args.deal[1])
        did: Sequence[int] = parse_cards(args.after)
        source = f"deal {deal.id}"
    elif args.replay is not None:
        rules, deal, standing, did, source = _linked(args.replay, args.seating)
    else:
        rules, deal, standing, did, source = _recorded(args)
    name = args.id or f"{deal.id or 'position'}-{len(did)}"
    should = parse_cards(args.should)
    position = SuitePosition(
        name, deal, tuple(did), tuple(args.tag), None, None, should, args.note, source, standing
    )
    legal = position.state(rules).legal
    for card in should:
        if card not in legal:
            raise ArenaError(f"--should: {pretty(card)} is not legal")
    return rules, position


def _linked(link: str, seating: int) -> tuple[Any, Any, Any, Sequence[int], str]:
    """A position from a link of the replay viewer, such as `.../report.html#deal=X&step=9`."""
    parts = urlsplit(link)
    said = {key: values[0] for key, values in parse_qs(parts.fragment).items()}
    if "deal" not in said or not said.get("step", "").isdigit():
        raise ArenaError(f"--replay {link!r}: expected .../report.html#deal=NAME&step=N")
    path = Path(parts.path)
    with Run(path.parent if path.suffix == ".html" else run_folder(path)) as results:
        names = said.get("pair", "").split(",")
        pairings = [results.pairing(*names)] if len(names) == 2 else results.pairings
        for pairing in pairings:
            for replay in results.replays_with(pairing, said["deal"]):
                if replay.record.deal == said["deal"] and replay.record.seating == seating:
                    at = int(said["step"]) - len(replay.deal.played)
                    if not 0 <= at < len(replay.record.actions):
                        raise ArenaError(f"--replay: the round has no step {said['step']}")
                    source = f"{pairing.first} - {pairing.second}, seating {seating}"
                    did, standing = replay.record.actions[:at], standing_before(replay)
                    return results.rules, replay.deal, standing, did, source
    raise ArenaError(f"--replay: deal {said['deal']}, seating {seating}, is not stored")


def _recorded(args: argparse.Namespace) -> tuple[Any, Any, Any, Sequence[int], str]:
    """A position from a recorded round; the record may end there."""
    text = sys.stdin.read() if args.record == "-" else read_text(Path(args.record))
    rules, deal, actions, standing = read_record(text)
    at = len(actions) if args.at is None else args.at
    if not 0 <= at <= len(actions):
        raise ArenaError(f"--at {at}: the record has actions 0 to {len(actions) - 1}")
    return rules, deal, standing, actions[:at], "a record"


def _named(rules: Rules) -> str:
    return f"{rules.name} ({options(rules_used(rules).options)})"


# --- run and show ------------------------------------------------------------------------


def _run(args: argparse.Namespace) -> int:
    from arena.audit.suite_runs import run_suite

    suite = read_suite(find_suite(args.suite)).tagged(args.tag)
    players = {text: builder_of(agent_from_text(text)).build() for text in args.agents}
    try:
        scores = run_suite(suite, players, args.seed)
    finally:
        for player in players.values():
            player.close()
    if args.json:
        print_json([asdict(score) for score in scores])
    else:
        print("\n".join(_scores(suite, scores)))
    for score in scores:
        failed = [each for each in score.answers if each.fault is not None]
        if failed:
            more = f" (and in {count(len(failed) - 1)} more)" if failed[1:] else ""
            print(f"position {failed[0].position}: {failed[0].fault}{more}", file=sys.stderr)
    return int(any(score.faults for score in scores))


def _scores(suite: Suite, scores: Sequence[SuiteScore]) -> Iterator[str]:
    positions = count(len(suite.positions))
    yield f"{suite.name}: {positions} positions; points lost per position, intervals over deals"
    yield ""
    rows = []
    for score in scores:
        more = score.against_first
        said = [each.as_said for each in score.answers if each.as_said is not None]
        rows.append(
            (
                score.agent,
                plain(score.lost.value),
                interval(score.lost.low, score.lost.high),
                percent(score.best),
                count(score.faults),
                f"{sum(said)} of {len(said)}" if said else "–",
                "–" if more is None else signed(more.value),
                "–" if more is None else interval(more.low, more.high),
            )
        )
    head = ("agent", "lost", "95%", "best card", "faults", "as it should be")
    yield text_table((*head, f"more than {scores[0].agent}", "95%"), rows)
    tags = list(scores[0].by_tag)
    if tags:
        yield ""
        by_tag = [
            (
                tag,
                count(sum(tag in each.tags for each in suite.positions)),
                *(plain(score.by_tag[tag].value) for score in scores),
            )
            for tag in tags
        ]
        yield text_table(("tag", "positions", *(score.agent for score in scores)), by_tag)


def _show(args: argparse.Namespace) -> int:
    suite = read_suite(find_suite(args.suite)).tagged(args.tag)
    by_id = {position.id: position for position in suite.positions}
    for name in args.ids:
        if name not in by_id:
            raise ArenaError(f"no position {name!r}; {did_you_mean(name, by_id)}")
    shown = [by_id[name] for name in args.ids] or list(suite.positions)
    print("\n\n".join("\n".join(_diagram(suite.rules, position)) for position in shown))
    return 0


def _diagram(rules: Rules, position: SuitePosition) -> Iterator[str]:
    state = position.state(rules)
    tags = f" [{', '.join(position.tags)}]" if position.tags else ""
    yield f"{position.id}{tags}"
    if position.note:
        yield position.note
    yield position_diagram(state, colour=sys.stdout.isatty())
    yield f"{SEATS[state.turn]} to play"
    rows = [
        (
            pretty(card) + (" (should)" if card in position.should else ""),
            plain(None if position.lost is None else position.lost[card]),
            plain(None if position.hindsight is None else position.hindsight[card], 0),
        )
        for card in sorted(position.labels, key=lambda card: position.labels[card])
    ]
    yield text_table(("card", "loses", "in hindsight"), rows)
