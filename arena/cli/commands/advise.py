"""Advice at a real table: type in the cards as they fall, and an agent says what to play.

You are asked for your hand and for what the game begins with (trump, declarer, leader or dealer);
options answer in advance. Then type each call and each card in the order of play (h7, 7h, 10s,
pass, trump-H). What no card says is asked for: a suit turned up, cards received, Weis shown.
At your turn the agent's choice is shown, with the values of all cards if it searches. A card that
cannot be is refused with the reason; 'u' takes the last line back. Lines may come from a file.

Examples:
  arena advise klaverjas --seat S
  arena advise klaverjas --option bidding=classical --hand "CJ C9 CA H7 H8 D7 S7 ST"
  arena advise schieber --option weis=true --agent rule
  arena advise hearts --option passing=left < round.txt
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TypeVar

from arena.cli.agent_text import agent_at_table
from arena.cli.commands.play import ask, console_of
from arena.cli.options import add_option, number, rules_from_args
from arena.config.usual_agent import usual_family
from arena.core.agent import Player, sees_all_cards
from arena.core.cards import SEATS, parse_cards, parse_seat
from arena.core.deals import OPTIONAL_FIELDS
from arena.core.errors import ArenaError
from arena.core.rules import Standing
from arena.core.transcript import outcome_lines
from arena.games.base import TrickGame
from arena.process.faults import one_line_of
from arena.table.advising import AdvisedRound, check_hand, facts_needed
from arena.table.terminal import Quit, Screen, card_word, hint_lines

Known = TypeVar("Known")

HELP = """\
a call or a card    what the seat to act did: pass, h7, 10s
a  the advice again    u  undo: take the last line back
q  quit                ?  this help"""
_QUESTIONS = {
    "turned up": "which suit is turned up (C, D, H, S)> ",
    "received": "which cards you received> ",
    "leads": "who leads (N, E, S, W)> ",
    "shown": "what others showed, such as N H6 H7 H8 (enter: nothing)> ",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", metavar="GAME", nargs="?", default="klaverjas",
                        help="default: klaverjas")  # fmt: skip
    parser.add_argument("--agent", metavar="AGENT", help="default: champion, else rule or random")
    parser.add_argument("--seat", default="S", metavar="S", help="N, E, S or W (default: S)")
    parser.add_argument("--hand", metavar="CARDS", help="such as 'H7 HT C6'")
    for field in OPTIONAL_FIELDS:
        if not field.several:
            parser.add_argument(
                f"--{field.name}", metavar=field.name[0].upper(),
                help=field.notation.words,
            )  # fmt: skip
    parser.add_argument(
        "--round", type=number(int, 1), default=1, metavar="N", help="of the match (default: 1)"
    )
    parser.add_argument("--seed", type=number(int, 0), default=0, help="of the agent (default: 0)")
    parser.add_argument("--four-colours", action="store_true", help="a colour for each suit")
    add_option(parser)


def run(args: argparse.Namespace) -> int:
    rules = rules_from_args(args)
    if not isinstance(rules, TrickGame):
        raise ArenaError(f"there is no advice for {rules.name}: it has no hands and tricks")
    agent = agent_at_table(args.agent or usual_family(rules, ("champion", "rule")), rules).build()
    if sees_all_cards(agent):
        raise ArenaError("--agent: an agent that sees all cards cannot give advice")
    screen = Screen(console_of(), four_colours=args.four_colours)
    try:
        table = _begin(args, rules, screen)
        _advise(table, agent, screen)
    except (Quit, EOFError):
        screen.say("")
    return 0


def _begin(args: argparse.Namespace, rules: TrickGame, screen: Screen) -> AdvisedRound:
    """The round, from the options and from what has to be asked for."""
    seat = parse_seat(args.seat)
    if seat >= rules.players:
        raise ArenaError(f"--seat {args.seat}: {rules.name} has {rules.players} seats")
    fields = [field for field in OPTIONAL_FIELDS if not field.several]
    needed = facts_needed(rules)
    for field in fields:
        if field.name not in needed and getattr(args, field.name) is not None:
            raise ArenaError(f"--{field.name}: this game does not begin with it")

    def read_hand(text: str) -> tuple[int, ...]:
        cards = parse_cards(" ".join(map(card_word, text.split())))
        check_hand(rules, cards)
        return cards

    hand = _given(args.hand, "your hand", read_hand, screen)
    facts = {
        field.name: _given(getattr(args, field.name), field.name, field.notation.read, screen)
        for field in fields
        if field.name in needed
    }
    standing = Standing(args.round - 1, (0,) * len(rules.sides))
    return AdvisedRound(rules, seat, hand, facts, standing=standing, seed=args.seed)


def _given(option: str | None, what: str, read: Callable[[str], Known], screen: Screen) -> Known:
    """What the option says, or else what is typed: asked for again until it can be read."""
    if option is not None:
        return read(option.upper())
    while True:
        typed = ask(f"{what}> ").strip()
        if typed == "q":
            raise Quit
        try:
            if typed:
                return read(typed.upper())
        except ArenaError as error:
            screen.say(str(error))


def _advise(table: AdvisedRound, agent: Player, screen: Screen) -> None:
    has_advice = False
    while table.turn is not None:
        if table.is_own_turn and not has_advice:
            screen.position(table.view)
            with one_line_of("that advises"):
                advice = table.advice(agent)
            for line in hint_lines(advice, table.rules, table.seat):
                screen.say(line)
            has_advice = True
        if table.question is not None:
            prompt = _QUESTIONS[table.question]
        else:
            prompt = f"{SEATS[table.turn]} to {table.phase}> "
        typed = ask(prompt).strip()
        try:
            if typed == "q":
                raise Quit
            if typed == "?" or (not typed and table.question != "shown"):
                screen.say(HELP)
            elif typed == "a":
                has_advice = False
            elif typed == "u":
                table.undo()
                screen.begin()
                has_advice = False
            else:
                table.enter(typed)
                has_advice = False
            if table.question != "received":  # the cards in the view are made up until then
                screen.log(table.view)
        except ArenaError as error:
            screen.say(str(error))
    state, outcome = table.finished
    for line in outcome_lines(table.rules, state, outcome):
        screen.say(line)
