"""The conformance suite for programs that play."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from arena.core.agent import Setup
from arena.core.cards import SEATS
from arena.core.deals import Deal
from arena.core.rules import Action, Rules, View
from arena.core.seeds import Rng, rng_for, seed_for
from arena.process.client import Launch, Seated
from arena.process.faults import AgentFault, error_line
from arena.process.limits import Limits


class BotCheck(NamedTuple):
    """The result of one check."""

    what: str
    wrong: str = ""
    """The error; empty if all is well."""


def check_bot(
    launch: Launch, rules: Rules, deals: int = 4, seed: int = 0, limits: Limits | None = None
) -> Iterator[BotCheck]:
    """Let a program play some deals; what was looked at, one after the other.

    Ends with the first thing that makes all others meaningless.
    """
    limits = limits or Limits(seconds_per_decision=10.0)
    bot = Seated(launch, limits)
    suite = _Suite(bot, rules, seed)
    dealt = [_deal(rules, seed, number) for number in range(deals)]
    try:
        for checked in suite.run(dealt, Seated(launch, limits)):
            yield checked
            if checked.wrong:
                return
        code = bot.close()
        why = "did not end within 2 s of 'quit', and was killed" if code is None else ""
        if code:
            why = f"ended with exit code {code} after 'quit', expected 0"
            why = f"answered {code} to the end of a session" if launch.what == "session" else why
        yield BotCheck("ends after 'quit'", why)
    finally:
        bot.close()


def _deal(rules: Rules, seed: int, number: int) -> Deal:
    return replace(rules.random_deal(rng_for(seed, "check-bot", number), number), id=str(number))


class _Wrong(Exception):
    """A mistake of a bot, with its place."""


@dataclass(frozen=True)
class _Suite:
    bot: Seated
    rules: Rules
    seed: int

    def run(self, deals: Sequence[Deal], second: Seated) -> Iterator[BotCheck]:
        played: list[list[Action]] = []

        def play_all() -> None:
            for number, deal in enumerate(deals):
                played.append(self.play(self.bot, deal, number % self.rules.players))

        checks: list[tuple[str, Callable[[], None]]] = [
            ("starts and says that it is ready", lambda: self.start(self.bot)),
            (f"plays {len(deals)} deals by the rules, in every seat", play_all),
            ("does the same when it is asked the same again", lambda: self.again(deals, played)),
            ("goes on after a deal that was cut short", lambda: self.cut_short(deals[0])),
            (
                f"does the same in a fresh {second.launch.what}",
                lambda: self.same(
                    self.play(second, deals[0], 0),
                    played[0],
                    f"a fresh {second.launch.what} was asked",
                ),
            ),
        ]
        try:
            for what, check in checks:
                try:
                    check()
                except _Wrong as wrong:
                    yield BotCheck(what, str(wrong))
                    return
                yield BotCheck(what)
        finally:
            second.close()

    def start(self, bot: Seated) -> None:
        self._asked(lambda: bot.start_deal(Setup(self.rules, 0)), "at the start")
        bot.end_deal(None)

    def play(self, bot: Seated, deal: Deal, seat: int, most: int = 1000) -> list[Action]:
        """The checks of a deal that the bot plays; the other seats play at random."""
        state = self.rules.start(deal)
        others = rng_for(self.seed, "others", deal.id)
        where = f"deal {deal.id}, seat {SEATS[seat]}"
        self._asked(lambda: bot.start_deal(Setup(self.rules, seat)), where)
        done: list[Action] = []
        while state.turn is not None and len(done) < most:
            if state.turn == seat:
                view = self.rules.view(state, seat)
                done.append(self.ask(bot, view, seed_for(self.seed, deal.id, len(done)), where))
                self.rules.apply(state, done[-1])
            else:
                self.rules.apply(state, others.choice(state.legal))
        bot.end_deal(self.rules.outcome(state) if state.turn is None else None)
        return done

    def ask(self, bot: Seated, view: View, seed: int, where: str) -> Action:
        """One decision, which must be legal."""
        place = f"{where}, phase {view.phase}, trick {len(view.tricks) + 1}"
        action = self._asked(lambda: bot.act(view, Rng(seed)), place)
        if action not in view.legal:
            names = " ".join(map(bot.name_of, view.legal))
            raise _Wrong(f"played {bot.name_of(action)}, legal: {names} ({place})")
        return action

    def again(self, deals: Sequence[Deal], played: Sequence[Sequence[Action]]) -> None:
        for number, deal in enumerate(deals):
            actions = self.play(self.bot, deal, number % self.rules.players)
            self.same(actions, played[number], f"the same {self.bot.launch.what} was asked again")

    def same(self, now: Sequence[Action], before: Sequence[Action], who: str) -> None:
        for number, (one, other) in enumerate(zip(now, before, strict=False)):
            if one != other:
                raise _Wrong(
                    f"played {self.bot.name_of(one)} instead of {self.bot.name_of(other)} for the "
                    f"same view and seed when {who} (decision {number}). Take all chance "
                    "from 'seed' and remember nothing after 'end'; a bot that cannot is declared "
                    "with 'reproducible: false'"
                )

    def cut_short(self, deal: Deal) -> None:
        self.play(self.bot, deal, 0, most=2)
        self.play(self.bot, deal, 1 % self.rules.players)

    def _asked(self, ask: Callable[[], Action | None], where: str) -> Action:
        try:
            return ask() or 0
        except AgentFault as fault:
            said = f"; it wrote: {error_line(fault.detail)}" if fault.detail.strip() else ""
            advice = _ADVICE.get(fault.kind, "") if self.bot.launch.what == "process" else ""
            raise _Wrong(f"{fault.words} ({where}){said}{advice}") from None


_ADVICE = {
    "protocol": ". Every line on standard output is one JSON message; notes for people go to "
    "standard error",
    "stuck": ". Is the answer followed by the end of a line, and is the output flushed?",
}
