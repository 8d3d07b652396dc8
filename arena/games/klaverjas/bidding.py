"""Bidding systems: they decide trump and declarer.

Source: Hoogenboom 2017, sections 2.2 and 2.4.2. The elder hand sits left of the
dealer, speaks first and leads to the first trick, whichever seat declares.

* `given`: there is no auction; the deal says trump, declarer and leader.
* `classical`: a suit is turned up; each in turn says play or pass. If all pass, a
  second, different suit is turned up. If all pass again, the elder hand is forced
  to play on a third one, which may be any of the four.
* `classical-redeal`: as above, but when all pass twice the cards are thrown in:
  no side scores, and a match does not count the round.
* `classical-elder-picks`: as above, but then the elder hand must name any suit.
* `free-choice`: each in turn names any suit or passes; if all pass, the elder hand
  must name one.
* `utrecht`: the elder hand must name a suit.

Deviations: the turned suits are drawn uniformly (the second from the other three,
the third from all four) as in the program of 2017, not from a side deck of the 20
low cards, which gives slightly different odds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias, get_args

from arena.core.deals import Deal
from arena.core.rules import PASS, PLAY, Action, Bid, RulesError, choose_trump, chosen_trump
from arena.core.seeds import Rng
from arena.games.base import TableRound

Bidding: TypeAlias = Literal[
    "given",
    "classical",
    "classical-redeal",
    "classical-elder-picks",
    "free-choice",
    "utrecht",
]
SYSTEMS: tuple[str, ...] = get_args(Bidding)

PLAYERS = 4
SUIT_CHOICES: tuple[Action, ...] = tuple(choose_trump(suit) for suit in range(4))


def turn_ups_needed(system: str) -> int:
    """How many turned suits a deal must have for this system."""
    return {"classical": 3, "classical-redeal": 2, "classical-elder-picks": 2}.get(system, 0)


def draw_turn_ups(system: str, rng: Rng) -> tuple[int, ...]:
    """The suits that will be turned up, one after the other."""
    first = rng.below(4)
    second = (first + 1 + rng.below(3)) % 4
    return (first, second, rng.below(4))[: turn_ups_needed(system)]


def next_turn_ups(before: Sequence[int]) -> list[int]:
    """The suits that can be turned up after these; all are equally likely."""
    return [suit for suit in range(4) if len(before) != 1 or suit != before[0]]


def check(system: str, deal: Deal) -> None:
    """Raise `RulesError` if the deal lacks what the system needs."""
    needed = turn_ups_needed(system)
    if len(deal.turn_ups) < needed:
        raise RulesError(
            f"deal {deal.id}: bidding {system!r} needs {needed} turn-up suits, "
            f"found {len(deal.turn_ups)}"
        )
    if needed and deal.turn_ups[0] == deal.turn_ups[1]:
        raise RulesError(f"deal {deal.id}: the second turn-up suit must differ from the first")


def first_question(system: str, state: TableRound) -> None:
    """Turn up the first suit where the system has one."""
    if turn_ups_needed(system):
        state.turn_ups = state.deal.turn_ups[:1]


def legal(system: str, state: TableRound) -> tuple[Action, ...]:
    """The legal calls of the seat to act."""
    calls = len(state.bids)
    if system == "utrecht":
        return SUIT_CHOICES
    if system == "free-choice":
        return (PASS, *SUIT_CHOICES) if calls < PLAYERS else SUIT_CHOICES
    return SUIT_CHOICES if calls == 2 * PLAYERS else (PASS, PLAY)


def apply(system: str, state: TableRound, action: Action) -> Literal["next", "play", "thrown in"]:
    """Record a call; whether the auction goes on, is decided, or ends without a declarer."""
    seat = state.turn
    assert seat is not None  # the auction is not over
    forced = PASS not in state.legal
    state.bids = (*state.bids, Bid(seat, action))
    if action != PASS:
        trump = chosen_trump(action)
        _declare(state, seat, state.turn_ups[-1] if trump is None else trump, forced)
        return "play"
    if system == "free-choice":
        return "next"
    if len(state.bids) == PLAYERS:
        state.turn_ups = state.deal.turn_ups[:2]
    if len(state.bids) == 2 * PLAYERS:
        if system == "classical-redeal":
            return "thrown in"
        if system == "classical":
            state.turn_ups = state.deal.turn_ups
            elder = state.bids[0].seat
            _declare(state, elder, state.turn_ups[-1], forced=True)
            return "play"
    return "next"


def _declare(state: TableRound, seat: int, trump: int, forced: bool) -> None:
    state.trump, state.declarer, state.forced = trump, seat, forced
