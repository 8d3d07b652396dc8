"""A table in the terminal: lines that fit in 80 columns, and answers of one line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import groupby

from rich.console import Console
from rich.text import Text

from arena.analysis.decisions import Considered
from arena.audit.rounds import AuditedDecision, grade_of
from arena.core.agent import Player
from arena.core.cards import SEATS, SUIT_SYMBOLS, SUITS, cards_of, pretty, suit_of, trump_name
from arena.core.errors import ArenaError, did_you_mean
from arena.core.printable import printable
from arena.core.rules import Action, Rules, View, action_name, pretty_action, side_name
from arena.core.tables import text_table
from arena.core.transcript import outcome_lines
from arena.report.words import count, interval, plain
from arena.table.score_sheet import luck_lines
from arena.table.session import Chair, ChairFault, FirstLegal, TableSession
from arena.table.sitting import Sitting

HELP = """\
a number or a name  plays that card or makes that bid: 3, h7, pass
h  hint: what the adviser would play, and why    u  undo: take your last card back
c  claim: the rest plays itself                  s  score sheet
q  quit                                          ?  this help"""
_COLOURS = {"♣": "green", "♦": "bright_blue", "♥": "red", "♠": "default"}
_TWO_COLOURS = {"♣": "default", "♦": "red", "♥": "red", "♠": "default"}


class Quit(Exception):
    """The person leaves the table."""


class Screen:
    """What one seat sees, line by line; suits have their colours."""

    def __init__(self, console: Console, *, four_colours: bool = False) -> None:
        self._console = console
        self._colours = _COLOURS if four_colours else _TWO_COLOURS
        self._seen: Counter[str] = Counter()
        """Lines of the log that the person has seen."""

    def begin(self) -> None:
        """Show the log from its beginning: of another round, or after cards were taken back."""
        self._seen.clear()

    def say(self, line: str) -> None:
        """A line, or several."""
        text = Text(printable(line))
        for suit, colour in self._colours.items():
            text.highlight_regex(rf"{suit}\w*", colour)
        self._console.print(text)

    def log(self, view: View) -> None:
        """What has happened since the last time."""
        log: Counter[str] = Counter()
        for line in log_lines(view):
            log[line] += 1
            if log[line] > self._seen[line]:
                self.say(line)
        self._seen = log

    def position(self, view: View) -> None:
        """The table and the hand; legal actions with their numbers."""
        self.log(view)
        rules = view.rules
        points = "  ".join(
            f"{side_name(rules, side)} {taken + bonus}"
            for side, (taken, bonus) in enumerate(zip(view.points, view.bonus, strict=True))
        )
        trump = "" if view.trump is None else f"trump {trump_name(view.trump)}   "
        if view.phase == "bid" and view.turn_ups:
            trump = f"turned up {SUIT_SYMBOLS[view.turn_ups[-1]]}   "
        self.say(f"{trump}{points}")
        if view.phase == "pass" and view.passed:
            self.say(f"to pass on: {' '.join(map(pretty, view.passed))}")
        if view.table:
            table = (f"{SEATS[view.seat_at(i)]} {pretty(c)}" for i, c in enumerate(view.table))
            self.say(f"on the table: {'  '.join(table)}")
        for line in self._hand_lines(view):
            self._console.print(line, soft_wrap=False)
        if view.phase == "bid":
            bids = (f"{n}:{_bid(a, rules)}" for n, a in enumerate(view.legal, start=1))
            self.say(f"you may say: {'  '.join(bids)}")

    def _hand_lines(self, view: View) -> Iterator[Text]:
        """The hand, as many suits in a line as fit; cards that may not be played are dim."""
        line = head = Text("your hand: ")
        for _, suit in groupby(cards_of(view.hand), suit_of):
            group = Text()
            for card in suit:
                label, style = pretty(card), self._colours[pretty(card)[0]]
                if view.phase != "bid":
                    is_legal = card in view.legal
                    label = f"{view.legal.index(card) + 1}:{label}" if is_legal else label
                    style = f"bold {style}" if is_legal else "dim"
                group.append(label, style=style)
                group.append("  ")
            if line is not head and len(line) + len(group) - 2 > self._console.width:
                line.rstrip()
                yield line
                line = Text(" " * len(head))
            line = line + group
        line.rstrip()
        yield line


class Terminal:
    """One person's seat."""

    def __init__(
        self,
        sitting: Sitting,
        adviser: Callable[[], Player],
        console: Console,
        ask: Callable[[str], str],
        *,
        four_colours: bool = False,
    ) -> None:
        """`ask` shows a prompt and reads a line; it raises `EOFError` at the end of the input."""
        self._sitting, self._adviser = sitting, adviser
        self._screen, self._ask = Screen(console, four_colours=four_colours), ask
        self._say = self._screen.say
        (self._seat,) = sitting.people

    def play(self) -> None:
        """Play rounds until the person leaves, the match is over or no deal is left."""
        try:
            while (table := self._sitting.next_round()) is not None:
                self._play_round(table)
                self._after(table)
        except (Quit, EOFError):
            self._say("")
        if self._sitting.sheet.rows:
            self._sheet()
        for line in self._evening():
            self._say(line)

    # --- a round -------------------------------------------------------------------------

    def _play_round(self, table: TableSession) -> None:
        self._screen.begin()
        names = "  ".join(f"{SEATS[s]} {chair.name}" for s, chair in enumerate(table.chairs))
        number = len(self._sitting.sheet.rows) + 1
        self._say(f"\n{table.rules.name}, round {number}, deal {table.deal.id}: {names}")
        while not table.is_over:
            if table.waits_for_person:
                self._screen.position(table.view(self._seat))
                self._answer(table)
            else:
                self._let_agent_act(table)
        self._screen.log(table.view(self._seat))

    def _let_agent_act(self, table: TableSession) -> None:
        try:
            table.let_agent_act()
        except ChairFault as fault:
            seat = table.turn
            assert seat is not None
            self._say(f"{fault}; the first legal cards from here on")
            table.seat_chair(seat, Chair("first card", Player(FirstLegal())))

    def _answer(self, table: TableSession) -> None:
        view = table.view(self._seat)
        while True:
            typed = self._ask(f"{SEATS[self._seat]} to {view.phase}> ").strip()
            commands = {"h": self._hint, "u": self._undo, "c": self._claim, "s": self._sheet}
            try:
                if typed in ("q", "quit"):
                    raise Quit
                if typed in ("", "?", "help"):
                    self._say(HELP)
                elif typed in commands:
                    if commands[typed](table):
                        return
                else:
                    table.act(self._seat, read_action(typed, view))
                    return
            except ArenaError as error:
                self._say(str(error))

    def _hint(self, table: TableSession) -> bool:
        for line in hint_lines(table.hint(self._seat, self._adviser()), table.rules, self._seat):
            self._say(line)
        return False

    def _undo(self, table: TableSession) -> bool:
        table.undo(self._seat)
        self._screen.begin()
        self._say("taken back")
        return True

    def _claim(self, table: TableSession) -> bool:
        table.claim(self._seat)
        self._say("the claim is right: the rest plays itself")
        return True

    def _sheet(self, table: TableSession | None = None) -> bool:
        self._say(str(self._sitting.sheet))
        for line in luck_lines(self._sitting.adjusted(self._seat)):
            self._say(line)
        return False

    # --- after it ------------------------------------------------------------------------

    def _after(self, table: TableSession) -> None:
        self._sitting.finish(table)
        others = self._sitting.on_same_cards(table, self._seat)
        for line in outcome_lines(table.rules, table.state, table.outcome):
            self._say(line)
        if others:
            mine = table.outcome.scores[table.rules.side_of(self._seat)]
            scores = ", ".join(f"{name} {plain(score, 0)}" for name, score in others.items())
            self._say(f"on the same cards: you {mine}, {scores}")
        while (
            typed := self._ask("enter: next round, a: audit, s: sheet, q: quit> ").strip()
        ) != "":
            if typed == "q":
                raise Quit
            if typed == "a":
                self._audit(table)
            elif typed == "s":
                self._sheet()
            else:
                self._say(f"{typed[:20]!r}: expected a, s, q or nothing")

    def _audit(self, table: TableSession) -> None:
        try:
            audited = self._sitting.audit(table)
        except ArenaError as error:
            self._say(f"no audit: {error}")
            return
        mine_only = [each for each in audited.decisions if each.seat == self._seat]
        for line in audit_lines(mine_only, table.rules):
            self._say(line)

    def _evening(self) -> Iterator[str]:
        for name, better in self._sitting.compared(self._seat).items():
            yield (
                f"you against {name} on the same cards: {plain(better.value)} points per deal "
                f"({interval(better.low, better.high)}, {count(better.n)} deals)"
            )


def _bid(action: Action, rules: Rules) -> str:
    return pretty_action(action, rules.bids)


def read_action(typed: str, view: View) -> Action:
    """The action that a person typed: its number, its name, or a card such as h7 or 7h."""
    legal, bids = view.legal, view.rules.bids
    names = {action_name(action, bids).lower(): action for action in legal}
    for action in legal:
        names.setdefault(pretty_action(action, bids).lower(), action)
    word = typed.lower()
    if word in names:
        return names[word]
    if word.isdecimal() and 1 <= int(word) <= len(legal):
        return legal[int(word) - 1]
    if (card := card_word(typed).lower()) in names:
        return names[card]
    allowed = (action_name(action, bids) for action in legal)
    raise ArenaError(f"{typed[:20]!r} is not possible now; {did_you_mean(typed.upper(), allowed)}")


def card_word(typed: str) -> str:
    """A card as it may be typed (`h7`, `7H`, `10h`), in notation; other words in capitals."""
    word = typed.upper().replace("10", "T")
    return word[::-1] if len(word) == 2 and word[1] in SUITS else word


def log_lines(view: View) -> Iterator[str]:
    """What all at the table have seen so far: calls, shown cards and finished tricks."""
    rules = view.rules
    for bid in view.bids:
        yield f"{SEATS[bid.seat]} says {_bid(bid.action, rules)}"
    if view.received:
        passed, received = (" ".join(map(pretty, each)) for each in (view.passed, view.received))
        yield f"you passed on {passed} and received {received}"
    for number, trick in enumerate(view.tricks, start=1):
        seats = (SEATS[rules.seat_after(trick.leader, place)] for place in range(len(trick.cards)))
        cards = "  ".join(f"{s} {pretty(c):<3}" for s, c in zip(seats, trick.cards, strict=True))
        bonus = f" +{trick.bonus}" if trick.bonus else ""
        yield f"{number:2}  {cards}   {SEATS[trick.winner]} takes {trick.points}{bonus}"
    for seat, mask in view.shown:
        yield f"{SEATS[seat]} showed {' '.join(map(pretty, cards_of(mask)))}"


def hint_lines(hint: Considered, rules: Rules, seat: int) -> Iterator[str]:
    """What an adviser would do, the values of all cards and where it expects the hidden ones."""
    yield f"the adviser would choose {_bid(hint.chosen, rules)}"
    if hint.values:
        fields = next(iter(hint.values.values()))._fields
        best_first = sorted(hint.values.items(), key=lambda item: tuple(item[1]), reverse=True)
        rows = [
            (pretty_action(a), *(f"{x:,}" if isinstance(x, int) else f"{x:,.2f}" for x in found))
            for a, found in best_first
        ]
        yield text_table(("card", *fields), rows)
    if hint.belief is not None and hint.belief.holders:
        others = [s for s in range(rules.players) if s != seat]
        by_suit: dict[int, list[str]] = {}
        for card, chances in hint.belief.holders.items():
            most = max(others, key=lambda other: chances[other])
            by_suit.setdefault(suit_of(card), []).append(
                f"{pretty(card)} {SEATS[most]} {chances[most]:.0%}"
            )
        yield "it expects the hidden cards with:"
        for cards in by_suit.values():
            for start in range(0, len(cards), 6):
                yield "  " + "  ".join(cards[start : start + 6])


def audit_lines(decisions: list[AuditedDecision], rules: Rules) -> Iterator[str]:
    """The points that a person lost; only what could be known is called a mistake."""
    known = sum(each.loss for each in decisions)
    solved = [each.hindsight for each in decisions if each.hindsight is not None]
    yield (
        f"your {len(decisions)} decisions lost {plain(known)} points as far as could be known, "
        f"{sum(solved)} in hindsight"
        + (f" (of the {len(solved)} that are solved)" if len(solved) < len(decisions) else "")
    )
    for each in decisions:
        grade = grade_of(rules, each.loss)
        if grade is not None:
            yield (
                f"  trick {each.trick + 1}: {pretty(each.card)} is a {grade.name} {grade.mark}: "
                f"{pretty(each.better)} is better by {plain(each.loss)}"
            )
