"""Show a round of a run, trick by trick, as each player saw it.

A line per decision: the seat, who sits there, the hand it held (in parentheses what it
might not play) and, after the arrow, what it did and how long it thought. --at N stops
before action number N (from 0) and shows all that the player to move could know;
of a language model, also what it was asked and answered.
A round that a fault cut short ends where it happened.

Examples:
  arena replay quickstart 17
  arena replay quickstart 17 --pair rule random --seating 1 --at 9
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from math import isnan
from textwrap import indent
from typing import Any

from arena.cli.options import add_run, deal_named
from arena.core.cards import SEATS, cards_of, pretty
from arena.core.errors import ArenaError, did_you_mean
from arena.core.printable import as_it_is, printable
from arena.core.rules import pretty_action, side_name
from arena.core.transcript import deal_notes, deal_text, drawing_lines, outcome_lines
from arena.report.words import duration
from arena.store import Pairing, Replay, Run
from arena.store.records import decode_times
from arena.tournament.conversations import RunConversations


def add_round(parser: argparse.ArgumentParser) -> None:
    """Arguments that name a round of a run, and `--colour`."""
    add_run(parser)
    parser.add_argument("deal", metavar="DEAL", help="such as 17; of a match, its first deal")
    parser.add_argument("--pair", nargs=2, metavar=("A", "B"), help="default: the first pairing")
    parser.add_argument("--seating", type=int, default=0, metavar="K", help="default: 0")
    parser.add_argument(
        "--round", type=int, metavar="N", help="which round of a match (from 0; default: 0)"
    )
    parser.add_argument(
        "--colour", choices=("auto", "always", "never"), default="auto", help="default: auto"
    )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_round(parser)
    parser.add_argument("--at", type=int, metavar="N", help="stop before action N (from 0)")


def run(args: argparse.Namespace) -> int:
    colour = args.colour == "always" or (args.colour == "auto" and sys.stdout.isatty())
    with Run(args.run) as results:
        replay = find_round(results, args)
        text = "\n".join(_Shown(results, replay, args.at).lines())
        if args.at is not None or replay.record.fault:
            text += "".join(_conversation(results, replay, args.at))
    if colour:  # the only codes that reach the terminal are ours
        print(_painted(printable(text)), file=as_it_is(sys.stdout))
    else:
        print(text)
    return 0


def _conversation(results: Run, replay: Replay, at: int | None) -> Iterator[str]:
    """The conversation with a language model before an action, or before the fault."""
    at = len(replay.record.actions) if at is None else at
    talks = RunConversations(results).of_round(replay)
    attempts = [each.attempts for each in talks if each.at == at]
    for attempt in attempts[0] if attempts else ():
        tokens = f"{attempt.prompt_tokens or '?'} + {attempt.completion_tokens or '?'} tokens"
        cost = "" if attempt.cost is None else f", cost {attempt.cost:.6g}"
        yield f"\n\nasked ({tokens}{cost}, {duration(attempt.seconds)}):\n"
        yield _quoted(attempt.messages[-1]["content"])
        if attempt.reasoning:
            yield f"\nreasoning:\n{_quoted(attempt.reasoning)}"
        problem = f", {attempt.problem}" if attempt.problem else ""
        yield f"\nanswered (finish reason: {attempt.finish or 'none'}{problem}):\n"
        yield _quoted(attempt.reply or "(no text)")


def _quoted(text: str) -> str:
    return indent(text.rstrip(), "  | ", lambda line: True)


def find_round(results: Run, args: argparse.Namespace) -> Replay:
    """The round that the arguments name, finished or cut short by a fault."""
    pairings = [results.pairing(*args.pair)] if args.pair else results.pairings
    args.deal = deal_named(args.deal, results.database.deal_names())
    if not 0 <= args.seating < len(results.seatings):
        raise ArenaError(
            f"{results.path}: there is no seating {args.seating} "
            f"(allowed: 0 to {len(results.seatings) - 1})"
        )
    found: list[Replay] = []
    for pairing in pairings:
        found = [
            replay
            for replay in results.replays_with(pairing, args.deal)
            if replay.record.seating == args.seating
            and (args.round is None or replay.record.number == args.round)
        ]
        named = [replay for replay in found if replay.record.deal == args.deal]
        if found:
            return (named or found)[0]
    raise ArenaError(f"{results.path}: {_what_is_missing(results, pairings, args)}")


def _what_is_missing(results: Run, pairings: Sequence[Pairing], args: argparse.Namespace) -> str:
    ids = results.database.deal_names()
    if args.deal not in ids:
        return f"no deal {args.deal!r}; {did_you_mean(args.deal, ids[:2000])}"
    pair = " - ".join(pairings[0][:2]) if len(pairings) == 1 else "any pairing"
    at_round = "" if args.round is None else f", round {args.round}"
    return f"deal {args.deal} of {pair}, seating {args.seating}{at_round}, is not stored (yet)"


class _Shown:
    """One round as text."""

    def __init__(self, results: Run, replay: Replay, at: int | None) -> None:
        self.rules, self.replay = results.rules, replay
        self.actions = replay.record.actions
        if at is not None and not 0 <= at <= len(self.actions):
            raise ArenaError(f"--at {at}: the round has actions 0 to {len(self.actions) - 1}")
        self.at = len(self.actions) if at is None else at
        self.stops = at is not None
        self.state = self.rules.start(replay.deal, replay.standing)
        self.width = max(map(len, replay.seats))
        self.times = iter(decode_times(replay.record.times))

    def lines(self) -> Iterator[str]:
        record, rules = self.replay.record, self.rules
        yield self._title()
        yield ""
        yield deal_text(rules, self.replay.deal, self._notes())
        trick, phase = -1, ""
        for action in self.actions[: self.at]:
            if self.state.phase != phase or (phase == "play" and len(self.state.tricks) != trick):
                yield from self._trick_result(trick)
                phase, trick = self.state.phase, len(self.state.tricks)
                yield ""
                yield f"trick {trick + 1}" if phase == "play" and rules.has_tricks else phase
            yield self._decision(action)
            rules.apply(self.state, action)
        yield from self._trick_result(trick)
        yield from () if self.stops else drawing_lines(rules, self.state)
        yield ""
        if self.state.turn is None:
            yield from outcome_lines(rules, self.state, rules.outcome(self.state))
        elif self.stops or record.fault:
            yield from self._to_move()
        if record.fault and self.at == len(self.actions):
            yield ""
            yield f"fault: {record.fault}"

    def _title(self) -> str:
        record, pairing = self.replay.record, self.replay.pairing
        seats = ", ".join(f"{SEATS[i]} {name}" for i, name in enumerate(self.replay.seats))
        number = f", round {record.number}" if record.unit != record.deal or record.number else ""
        return (
            f"{pairing.first} - {pairing.second}, deal {record.deal}{number}, "
            f"seating {record.seating}: {seats}"
        )

    def _notes(self) -> list[str]:
        notes = deal_notes(self.replay.deal)
        if any(self.replay.standing.scores):
            scores = self.replay.standing.scores
            sides = (f"{side_name(self.rules, i)} {score}" for i, score in enumerate(scores))
            notes.append("match: " + ", ".join(sides))
        return notes

    def _decision(self, action: int) -> str:
        seat, legal = self.state.turn, self.state.legal
        name = self.replay.seats[seat]
        view = self.rules.view(self.state, seat)
        hand = _hand(view.hand, legal if self.state.phase == "play" else None)
        shown = f"  {hand}" if hand or self.rules.has_tricks else ""
        done = pretty_action(action, self.rules.bids)
        taken = next(self.times, None)
        spent = "" if taken is None or isnan(taken) else f"  {duration(float(taken) / 1e9)}"
        return f"  {SEATS[seat]} {name:<{self.width}}{shown}  → {done}{spent}"

    def _trick_result(self, trick: int) -> Iterator[str]:
        if 0 <= trick < len(self.state.tricks):
            done = self.state.tricks[trick]
            bonus = f" and {done.bonus} bonus" if done.bonus else ""
            yield f"  {SEATS[done.winner]} takes it: {done.points} points{bonus}"

    def _to_move(self) -> Iterator[str]:
        seat = self.state.turn
        view = self.rules.view(self.state, seat)
        yield f"{SEATS[seat]} {self.replay.seats[seat]} to {view.phase}, and knows:"
        yield from (f"  {line}" for line in str(view).splitlines())
        if self.at < len(self.actions):
            action = self.actions[self.at]
            done = pretty_action(action, self.rules.bids)
            yield f"  did: {done}"


def _hand(hand: int, legal: Any) -> str:
    cards = []
    for card in cards_of(hand):
        may = legal is None or card in legal
        cards.append(pretty(card) if may else f"({pretty(card)})")
    return " ".join(cards)


def _painted(text: str) -> str:
    """Red suits red, forbidden cards dim, what was done bold."""
    text = re.sub(r"\(([♣♦♥♠]\w+)\)", "\x1b[2m\\1\x1b[22m", text)
    text = re.sub(r"→ (\S+)", "→ \x1b[1m\\1\x1b[22m", text)
    return re.sub(r"([♥♦])(\w*)", "\x1b[31m\\1\\2\x1b[39m", text)
