"""The referee: seats the players, asks the one to act, and carries out legal actions only.

A player is handed a `View` and a generator of its own: no state, no opponents, no
referee. What it answers is checked against the rules before it is carried out. A
player that raises, answers with something illegal or thinks too long is at fault; a
fault is data, never a substitute move.

That keeps mistakes out, not malice: an agent in our process can reach whatever Python
lets it reach. Who is not trusted plays in a process of its own (docs/security.md).

**Randomness.** Each seat has a generator seeded from (run seed, deal, number of the
deal's seed, seat); it draws one seed for each of the seat's decisions. So a decision
can be repeated without repeating those before it, and how much an agent draws in one
decision does not change the next. Neither the names of agents nor the seating count:
two agents that sit in the same seat with the same hand in turn draw the same numbers
(common random numbers), and the same agent under two names plays the same games. Twins
after the first have a seed of their own.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import nan
from time import perf_counter_ns, thread_time_ns
from typing import Any, NamedTuple

from arena.core.agent import Player, Remembers, Remote, Setup, sees_all_cards
from arena.core.cards import SEATS
from arena.core.deals import Deal
from arena.core.rules import ACTION_NAMES, OWN_BIDS, Action, Outcome, Rules, Standing, action_name
from arena.core.seeds import Rng, rng_for
from arena.process.faults import (
    AgentFault,
    FaultKind,
    Unavailable,
    crash_words,
    cut,
    shown,
    whole_number,
)
from arena.process.interrupts import was_pressed

_WORDS_LENGTH, _DETAIL_LENGTH = 1000, 10_000
WARMING_UP = -1
"""The seat on the clock during a warm-up decision, which is not used."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A player's fault, and the decision at which it happened."""

    kind: FaultKind
    seat: int
    decision: int
    """How many actions had been taken in the round when it happened."""
    message: str
    detail: str = ""
    """The traceback of a crash."""

    def __str__(self) -> str:
        return f"seat {SEATS[self.seat]} {self.message}"


class Played(NamedTuple):
    """A round as it was played, to its end or to a fault."""

    deal: Deal
    actions: bytes
    """One byte per action of the players, in order; the seats follow from the rules."""
    seats: bytes
    """The seat that took each action."""
    nanoseconds: Sequence[float]
    """How long each decision took; NaN where a process was still loading its code."""
    cpu_nanoseconds: Sequence[float]
    """How long the thread that made it was at work; NaN where it was made in another process."""
    outcome: Outcome | None
    """None if a fault ended the round."""
    trump: int | None
    declarer: int | None
    leader: int | None
    fault: Fault | None = None


@dataclass(frozen=True, slots=True)
class Lineup:
    """The players by seat, and facts about them, computed once."""

    players: tuple[Player, ...]
    open_handed: tuple[bool, ...]
    """For each player, whether it sees all cards."""
    remember: tuple[bool, ...]
    """For each player, whether it needs a fresh memory for every round."""
    twins: tuple[int, ...]
    """For each player, its number among twins."""

    @classmethod
    def of(
        cls,
        players: Sequence[Player],
        twins: Sequence[int] = (),
        open_handed: Sequence[bool] | None = None,
    ) -> Lineup:
        """The line-up of these players, one per seat; `open_handed` is asked of them if None."""
        return cls(
            tuple(players),
            tuple(map(sees_all_cards, players) if open_handed is None else open_handed),
            tuple(isinstance(player.cards, Remembers) for player in players),
            tuple(twins) or (1,) * len(players),
        )


class Clock:
    """The seat that is thinking, and since when; a watchdog in another thread reads it."""

    __slots__ = ("actions", "guarded", "interrupted", "seat", "since")

    def __init__(self) -> None:
        self.since = 0
        """`perf_counter_ns` when the decision began; 0 between decisions."""
        self.seat = 0
        self.guarded = False
        """Whether another process decides, which is ended there if it takes too long."""
        self.actions: list[Action] = []
        self.interrupted: Callable[[], bool] = was_pressed
        """Whether a KeyboardInterrupt may be the user's; if not, an agent has raised it."""


@dataclass(frozen=True)
class Referee:
    """Plays rounds of one game under one run seed."""

    rules: Rules
    seed: int = 0
    decision_limit_s: float | None = None
    clock: Clock | None = None

    def play(
        self, deal: Deal, lineup: Lineup, seed_number: int = 0, standing: Standing = Standing()
    ) -> Played:
        """One round, with one of the deal's seeds: `seed_number` says which."""
        rules, clock = self.rules, self.clock or Clock()
        limit = None if self.decision_limit_s is None else int(self.decision_limit_s * 1e9)
        state = rules.start(deal, standing)
        actions: list[Action] = []
        seats: list[int] = []
        times: list[float] = []
        cpu_times: list[float] = []
        clock.actions = actions
        fault: Fault | None = None
        remote: dict[int, Remote] = {}
        seat = 0
        try:
            seated = []
            for seat, player in enumerate(lineup.players):
                if lineup.remember[seat]:
                    player = player.take_seat(Setup(rules, seat))
                    if isinstance(player.cards, Remote):
                        remote[seat] = player.cards
                seated.append(player.act if player.bidder else player.cards.act)
        except BaseException as error:
            fault = crash_fault(seat, 0, error, clock)
        open_handed = lineup.open_handed
        seeds = [
            seat_rng(self.seed, deal.id, seed_number, seat, lineup.twins[seat])
            for seat in range(rules.players)
        ]
        while fault is None and state.turn is not None:
            seat = state.turn
            view = rules.view(state, seat, all_hands=open_handed[seat])
            rng = Rng(seeds[seat].next64())
            clock.seat, clock.guarded = seat, seat in remote
            cpu_started = thread_time_ns()
            clock.since = started = perf_counter_ns()
            try:
                answer = seated[seat](view, rng)
            except BaseException as error:
                clock.since = 0
                fault = crash_fault(seat, len(actions), error, clock)
                break
            clock.since = 0
            elapsed: float = perf_counter_ns() - started
            # Read around the other clock, it counts that too; but no thread works longer than that.
            cpu: float = min(thread_time_ns() - cpu_started, elapsed)
            if seat in remote:
                elapsed, cpu = remote[seat].nanoseconds, nan
            action = answer if type(answer) is int else whole_number(answer)
            if action not in view.legal:
                fault = illegal_fault(seat, len(actions), answer, view.legal, view.rules.bids)
                break
            if limit is not None and elapsed > limit:
                fault = overtime("overtime", seat, len(actions), self.decision_limit_s or 0.0)
                break
            rules.apply(state, action)
            actions.append(action)
            seats.append(seat)
            times.append(elapsed)
            cpu_times.append(cpu)
        outcome = rules.outcome(state) if fault is None else None
        for each in remote.values():
            each.end_deal(outcome)
        return Played(
            deal,
            bytes(actions),
            bytes(seats),
            times,
            cpu_times,
            outcome,
            state.trump,
            state.declarer,
            state.leader,
            fault,
        )


def seat_rng(seed: int, deal_id: str, seed_number: int, seat: int, twin: int = 1) -> Rng:
    """The generator of the seeds of a seat's decisions; a first twin has that of a single agent."""
    return rng_for(seed, deal_id, seed_number, seat, *(() if twin == 1 else ("twin", twin)))


def decision_rng(
    seed: int, deal_id: str, seed_number: int, seat: int, decision: int, twin: int = 1
) -> Rng:
    """The generator that `seat` was given for its own decision number `decision` (from 0)."""
    seeds = seat_rng(seed, deal_id, seed_number, seat, twin)
    for _ in range(decision):
        seeds.next64()
    return Rng(seeds.next64())


def overtime(kind: FaultKind, seat: int, decision: int, limit_s: float) -> Fault:
    """The fault of a player that came back late, or not at all."""
    what = "thought longer than" if kind == "overtime" else "did not come back within"
    return Fault(kind, seat, decision, f"{what} {limit_s:g} s")


def first_decisions(rules: Rules, player: Player, clock: Clock) -> None:
    """Let a player make its first decision of each phase, on a deal that does not count.

    The first time costs what later ones do not: compiled code is loaded, tables are made.
    What goes wrong here goes wrong again where it counts. A server is not asked for nothing.
    """
    if getattr(player.cards, "asks_server", False):
        return
    rng = rng_for(0, "warm-up")
    state = rules.start(rules.random_deal(rng_for(0, "warm-up deal"), 0))
    seen: set[str] = set()
    clock.actions, clock.seat, clock.guarded = [], WARMING_UP, False
    while "play" not in seen and state.turn is not None:
        seat = state.turn
        if state.phase not in seen and (state.phase != "play" or len(state.legal) > 1):
            seen.add(state.phase)
            view = rules.view(state, seat, all_hands=sees_all_cards(player))
            clock.since = perf_counter_ns()
            try:
                player.take_seat(Setup(rules, seat)).act(view, Rng(rng.next64()))
            except BaseException as error:
                crash_fault(seat, 0, error, clock)
            finally:
                clock.since = 0
        rules.apply(state, rng.choice(state.legal))


def crash_fault(seat: int, decision: int, error: BaseException, clock: Clock) -> Fault:
    """The fault of a player that raised an error.

    An interrupt of the user's is raised again, and so is what no player is at fault for.
    """
    if isinstance(error, AgentFault):
        words = cut(" ".join(error.words.split()), _WORDS_LENGTH)
        return Fault(error.kind, seat, decision, words, cut(error.detail, _DETAIL_LENGTH))
    if isinstance(error, KeyboardInterrupt) and clock.interrupted():
        raise error
    if isinstance(error, Unavailable):
        raise error
    try:
        detail = cut("".join(traceback.format_exception(error)), _DETAIL_LENGTH)
    except Exception:  # an agent's own type, and one more defect of the agent's
        detail = ""
    return Fault("crash", seat, decision, crash_words(error), detail)


def illegal_fault(
    seat: int, decision: int, answer: Any, legal: tuple[Action, ...], bids: tuple[str, ...]
) -> Fault:
    """The fault of a player that answered with something that is not legal."""
    action = whole_number(answer)
    known = 0 <= action < len(ACTION_NAMES) or 0 <= action - OWN_BIDS < len(bids)
    played = action_name(action, bids) if known else shown(answer)
    allowed = " ".join(action_name(each, bids) for each in legal)
    words = f"played {played}, legal: {allowed}"
    if not known:
        words += " (an action is a number, one of view.legal)"
    return Fault("illegal", seat, decision, words)
