"""A club evening or a user study: people play agents in a balanced design, stored as a run.

CONFIG says who plays what (docs/study.md): agents as opponents and partner, how many rounds each
participant plays against each opponent, and how many participants there are, or their names. All
meet each opponent equally often and no deal twice; the order of opponents, the seats, and the
opponents on each deal are balanced over participants. The same CONFIG gives the same design.

--names says who plays now: one of them in the terminal, any number in the browser, each with a
link of their own. Finished rounds are stored at once; the same command goes on where it stopped.
--status shows who has played how much. --alongside lets the agents of that name in CONFIG play the
participants' deals in the same seats, in one process; 'arena report' then shows people and agents
together.

Of people the names that they choose and their cards are stored, nothing else.

Examples:
  arena study configs/studies/club-evening.study.yaml --names Ann
  arena study configs/studies/club-evening.study.yaml --names Ann Ben Cas --browser --host 0.0.0.0
  arena study configs/studies/club-evening.study.yaml --status
  arena study configs/studies/club-evening.study.yaml --alongside
  arena report club-evening
"""

from __future__ import annotations

import argparse
from contextlib import ExitStack
from pathlib import Path

from rich.progress import track

from arena.cli.commands.play import ask, console_of
from arena.cli.options import number
from arena.core.agent import Player
from arena.core.cards import SEATS
from arena.core.errors import ArenaError
from arena.core.files import RUNS
from arena.core.tables import text_table
from arena.store import Run
from arena.table.browser.serving import add_serving_options, open_tables
from arena.table.session import FirstLegal
from arena.table.study import StudyRun, StudySitting, participants_of, stored_progress
from arena.table.study_file import Study, load_study
from arena.table.terminal import Terminal


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("config", type=Path, metavar="CONFIG", help="a study file (YAML)")
    parser.add_argument("--names", nargs="+", metavar="NAME", help="the participants who play now")
    parser.add_argument("--status", action="store_true", help="show who has played how much")
    parser.add_argument(
        "--alongside", action="store_true", help="let the agents alongside play the same deals"
    )
    parser.add_argument("--out", type=Path, metavar="DIR", help="default: reports/NAME of CONFIG")
    parser.add_argument("--four-colours", action="store_true", help="a colour for each suit")
    parser.add_argument(
        "--trust", action="store_true",
        help="import code that CONFIG names although it lies outside the current folder",
    )  # fmt: skip
    browser = parser.add_argument_group("in the browser")
    browser.add_argument("--browser", action="store_true", help="play on pages, not here")
    browser.add_argument("--pace", type=number(float, 0), default=0.8, metavar="SECONDS",
                         help="that agents take for a card (default: 0.8)")  # fmt: skip
    add_serving_options(browser)


def run(args: argparse.Namespace) -> int:
    study = load_study(args.config, args.trust)
    path = args.out or RUNS / study.name
    if sum((args.status, args.alongside, args.names is not None)) != 1:
        seated = ", ".join(study.names or participants_of(study, path)) or "none yet"
        raise ArenaError(
            f"give --names, --status or --alongside (participants: {seated}; "
            f"at most {study.participants})"
        )
    if args.status:
        print(_status(study, path))
        return 0
    if args.names is not None and len(args.names) > 1 and not args.browser:
        raise ArenaError("--names: one person plays in the terminal; several need --browser")
    if args.names is not None and len(set(args.names)) < len(args.names):
        raise ArenaError("--names: a name is there twice")
    with ExitStack() as stack:
        table = stack.enter_context(StudyRun(study, path, args.names or ()))
        if args.alongside:
            _play_alongside(table)
        else:
            _sit_down(args, study, table)
    return 0


def _sit_down(args: argparse.Namespace, study: Study, table: StudyRun) -> None:
    """Seat the participants who have rounds left."""
    playing = []
    for name in args.names:
        participant = table.progress.participant(name)
        total, left = len(participant.rounds), len(participant.left)
        print(f"{name}: round {total - left + 1} of {total}" if left else f"{name}: all played")
        if left:
            playing.append(participant)
    sittings = [StudySitting(table, participant) for participant in playing]
    if not sittings:
        return
    if args.browser:
        from arena.table.browser.host import Manners, TableHost

        def stand_in() -> Player:
            return Player(FirstLegal())

        manners = Manners(pace_s=args.pace)
        hosts = [
            TableHost(sitting, stand_in, stand_in, manners, {each.seat: each.name})
            for sitting, each in zip(sittings, playing, strict=True)
        ]
        open_tables(hosts, args)
    else:
        colours = args.four_colours
        Terminal(sittings[0], lambda: Player(FirstLegal()), console_of(), ask,
                 four_colours=colours).play()  # fmt: skip
        left = len(table.progress.participant(args.names[0]).left)
        print(f"{left} rounds left" if left else "all rounds are played: thank you")


def _play_alongside(table: StudyRun) -> None:
    left = table.progress.alongside_left
    if not table.study.alongside:
        raise ArenaError("the study names no agents under alongside")
    print(f"{len(left)} deals to play")
    for agent, planned in track(left, description="alongside"):
        table.play_alongside(agent, planned)


def _status(study: Study, path: Path) -> str:
    names = participants_of(study, path)
    if not names:
        return f"{study.name}: no participant has sat down yet"
    with Run(path) as run:
        progress = stored_progress(study, run, names)
        rows = [
            (each.name, SEATS[each.seat], f"{len(each.rounds) - len(each.left)}",
             f"{len(each.rounds)}")
            for each in progress.participants
        ]  # fmt: skip
        left = len(progress.alongside_left)
    size, seated = study.design.full_size, len(rows)
    lines = [
        f"{study.name}: {seated} of {study.participants} participants have sat down; "
        f"balanced in all respects with {size}, or a multiple of it",
        text_table(("participant", "seat", "played", "of"), rows),
    ]
    if study.alongside:
        lines.append(f"alongside: {left} deals left ('--alongside' plays them)")
    return "\n".join(lines)
