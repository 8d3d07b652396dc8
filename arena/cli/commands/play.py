"""Play against the agents, and with them, in the terminal or in the browser.

You sit at S unless --seat says otherwise; the agents of --with take the other seats in the order of
play, again from the first if there are fewer. An agent is a family, {family: NAME, ...} with its
parameters, or a class in a file (bot.py:Bot), which is read again before each round.

After each round 'a' starts an audit (seconds in Klaverjas, minutes in Schieber). It shows the
points that your cards lost, in hindsight and as far as could be known; only the latter are called
mistakes. --deals plays the deals of a set or of a run (its name
or folder): your score is shown next to those of agents on the same cards, in your seat.

--browser opens a page for it, served to this machine only. With --people N others sit down too:
each gets a link of their own, from other machines with --host 0.0.0.0.

--record RUN stores the rounds as 'arena run' does, for 'arena export', 'replay', 'verify' and
'report': the cards, the scores and the --names that people have chosen, nothing else. Each deal
stands for itself then, and there are no hints.

Examples:
  arena play klaverjas --level 3
  arena play klaverjas --with ismcts rule
  arena play hearts --seat W --with '{family: ismcts, simulations: 200}'
  arena play --deals klaverjas-given-1000 --with rule
  arena play --record evening --names Ann --rounds 12
  arena play schieber --browser --option weis=true
  arena play klaverjas --browser --people 2 --host 0.0.0.0
"""

from __future__ import annotations

import argparse
import secrets
import sys
from collections.abc import Sequence
from contextlib import ExitStack

from rich.console import Console

from arena.cli.agent_text import agent_at_table
from arena.cli.options import add_option, find_set, number, rules_from_args
from arena.config.entrants import AgentSpec
from arena.config.loader import load
from arena.config.usual_agent import usual_family
from arena.core.cards import parse_seat
from arena.core.deals import Deal, DealSet
from arena.core.errors import ArenaError
from arena.core.files import run_folder
from arena.core.printable import as_it_is
from arena.core.rules import Rules
from arena.store import Run
from arena.store.manifest import MANIFEST
from arena.table.browser.serving import add_serving_options, open_tables
from arena.table.recording import OWN_DEALS, Recording, seed_of
from arena.table.sitting import SeatPlan, Sitting
from arena.table.terminal import Terminal

_DEFAULT_SEAT = "S"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", metavar="GAME", nargs="?", help="default: klaverjas")
    parser.add_argument(
        "--with", dest="agents", nargs="+", metavar="AGENT", help="default: rule, else random"
    )
    parser.add_argument(
        "--level", type=number(int, 1), metavar="N",
        help="opponents and partner of a measured strength, 1 to 8 (docs/play.md)",
    )  # fmt: skip
    parser.add_argument("--seat", metavar="S", help=f"N, E, S or W (default: {_DEFAULT_SEAT})")
    parser.add_argument("--deals", metavar="SET", help="a set of deals, or a run")
    parser.add_argument("--adviser", metavar="AGENT", help="gives hints (default: as --with)")
    parser.add_argument("--seed", type=number(int, 0), help="of the cards and the agents")
    parser.add_argument("--rounds", type=number(int, 1), metavar="N", help="of a set: the first N")
    parser.add_argument("--no-help", action="store_true", help="no hints, no taking back")
    parser.add_argument(
        "--record", type=run_folder, metavar="RUN", help="store the rounds there, as a run"
    )
    parser.add_argument(
        "--names", nargs="+", metavar="NAME", help="of the people, as --record stores them"
    )
    parser.add_argument("--four-colours", action="store_true", help="a colour for each suit")
    browser = parser.add_argument_group("in the browser")
    browser.add_argument("--browser", action="store_true", help="play on a page, not here")
    browser.add_argument(
        "--people", type=number(int, 1), default=1, metavar="N",
        help="seats for people, partners first (default: 1)",
    )  # fmt: skip
    browser.add_argument(
        "--tables", type=number(int, 1), default=1, metavar="N",
        help="this many tables with the same cards (default: 1)",
    )  # fmt: skip
    browser.add_argument("--pace", type=number(float, 0), default=0.8, metavar="SECONDS",
                         help="that agents take for a card (default: 0.8)")  # fmt: skip
    add_serving_options(browser)
    add_option(parser)


def run(args: argparse.Namespace) -> int:
    with ExitStack() as stack:
        rules, deals, results = _game(args, stack)
        if not rules.has_tricks:
            raise ArenaError(f"people do not play {rules.name} here: it has no hands and tricks")
        seat = parse_seat(args.seat or _DEFAULT_SEAT)
        if seat >= rules.players:
            if args.seat:
                raise ArenaError(f"--seat {args.seat}: {rules.name} has {rules.players} seats")
            seat = 0
        names, specs, adviser = _agents(args, rules)
        people = _people(rules, seat, args.people)
        seated = _seated(rules, people, specs, names)
        seed = _seed(args)
        recording = None
        if args.record is not None:
            if args.tables > 1 or not args.names:
                raise ArenaError("--record: one table, and --names with a name for each person")
            wanted = deals or args.rounds or OWN_DEALS
            recording = stack.enter_context(
                Recording(args.record, rules, seated, args.names, wanted, seed)
            )
            deals = recording.deals
        sittings = [
            Sitting(
                rules,
                seated,
                seed=seed,
                deals=_shown(args, deals, recording),
                run=results,
                training=not args.no_help and recording is None,
                keep=None if recording is None else recording.store,
            )
            for _ in range(args.tables)
        ]
        if args.browser:
            called = dict(zip(people, args.names, strict=True)) if args.names else None
            _in_browser(args, sittings, specs[0], adviser, called)
        else:
            if args.people > 1 or args.tables > 1:
                raise ArenaError("--people and --tables need --browser")
            _in_terminal(args, sittings[0], adviser)
        print(f"seed {seed}")
    return 0


def _seed(args: argparse.Namespace) -> int:
    known = None if args.record is None else seed_of(args.record)
    seed: int | None = args.seed
    if known is not None and seed not in (None, known):
        raise ArenaError(f"--seed {seed}: {args.record} has the seed {known}")
    if seed is None:
        seed = known
    return secrets.randbelow(1 << 32) if seed is None else seed


def _shown(
    args: argparse.Namespace, deals: DealSet | None, recording: Recording | None
) -> list[Deal] | None:
    """The deals to play, if they are given: not those that are stored already."""
    if deals is None:
        return None
    known = set() if recording is None else recording.stored
    return [deal for deal in deals.deals[: args.rounds] if deal.id not in known]


def _in_terminal(args: argparse.Namespace, sitting: Sitting, adviser: AgentSpec) -> None:
    colours = args.four_colours
    Terminal(sitting, adviser.build, console_of(), ask, four_colours=colours).play()


def console_of() -> Console:
    """The terminal, 80 columns at most."""
    # The only codes that reach it are ours: `Screen` escapes those of others.
    console = Console(file=as_it_is(sys.stdout), highlight=False)
    console.width = min(80, console.width)
    return console


def _in_browser(
    args: argparse.Namespace,
    sittings: list[Sitting],
    agent: AgentSpec,
    adviser: AgentSpec,
    names: dict[int, str] | None,
) -> None:
    from arena.table.browser.host import Manners, TableHost
    from arena.table.browser.same_cards import MOST_COMPARED, SameCards

    manners = Manners(pace_s=args.pace)
    hosts = [TableHost(sitting, adviser.build, agent.build, manners, names) for sitting in sittings]
    if 1 < len(hosts) <= MOST_COMPARED:
        same_cards = SameCards(hosts)
        for host in hosts:
            host.same_cards = same_cards
    open_tables(hosts, args)


def ask(prompt: str) -> str:
    """A line of standard input; what is typed by a program is shown as if by a person."""
    if sys.stdin.isatty():
        return input(prompt)
    print(prompt, end="", flush=True)
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    print(line, end="")
    return line


def _game(args: argparse.Namespace, stack: ExitStack) -> tuple[Rules, DealSet | None, Run | None]:
    if args.deals is None:
        args.game = args.game or "klaverjas"
        return rules_from_args(args), None, None
    folder = run_folder(args.deals)
    if (folder / MANIFEST).exists():
        results = stack.enter_context(Run(folder))
        if args.game not in (None, results.rules.name) or args.option:
            raise ArenaError(f"--deals {args.deals}: the run says the game: {results.rules!r}")
        if results.is_match:
            raise ArenaError(f"--deals {args.deals}: the run has matches; single deals are needed")
        found = map(results.database.deal, results.database.deal_names())
        known = tuple(deal for deal in found if deal is not None)
        manifest = results.manifest
        stored_set = DealSet(manifest.deal_set, known, sha256=manifest.deals_sha256)
        return results.rules, stored_set, results
    deals = DealSet.load(find_set(args.deals))
    return rules_from_args(args, deals), deals, None


def _agents(args: argparse.Namespace, rules: Rules) -> tuple[list[str], list[AgentSpec], AgentSpec]:
    """The agents at the table with their names, and the adviser."""
    if args.level is not None:
        if args.agents:
            raise ArenaError("give either --level or --with")
        levels = _levels(rules)
        names, adviser = [f"level-{args.level}"], [*levels.values()][-1]
        if names[0] not in levels:
            raise ArenaError(f"--level: from 1 to {len(levels)}, found {args.level}")
        specs = [levels[names[0]]]
    else:
        names = args.agents or [usual_family(rules)]
        specs = [agent_at_table(text, rules) for text in names]
        adviser = specs[0]
    return names, specs, agent_at_table(args.adviser, rules) if args.adviser else adviser


def _levels(rules: Rules) -> dict[str, AgentSpec]:
    """The agents of measured strength for a game, the strongest last."""
    try:
        experiment = load(f"levels-{rules.name}")
    except ArenaError as error:
        raise ArenaError(f"--level: there are no levels for {rules.name}") from error
    return {entrant.name: entrant.members[0] for entrant in experiment.entrants}


def _people(rules: Rules, first: int, count: int) -> tuple[int, ...]:
    """The seats of people: the first one, their partners, then the others in the order of play."""
    side = rules.sides[rules.side_of(first)]
    others = [rules.seat_after(first, turn) for turn in range(1, rules.players)]
    seats = (first, *sorted(others, key=lambda seat: seat not in side))
    if count > len(seats):
        raise ArenaError(f"--people {count}: {rules.name} has {rules.players} seats")
    return seats[:count]


def _seated(
    rules: Rules, people: Sequence[int], specs: Sequence[AgentSpec], names: Sequence[str]
) -> list[SeatPlan]:
    """The people and the agents, in the order of play from the first person on."""
    seated = [SeatPlan("you")] * rules.players
    turns = (rules.seat_after(people[0], turn) for turn in range(1, rules.players))
    for turn, seat in enumerate(seat for seat in turns if seat not in people):
        which = turn % len(specs)
        seated[seat] = SeatPlan(names[which], specs[which])
    return seated
