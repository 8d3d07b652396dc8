"""The position of a seat in Klaverjas, for forests: a few words, in coordinates of the kernel.

A position comes from a view (`view_numbers`, then `position_of`, compiled), or from a row of
klaver.live's database (`agents.training.forests.klaver_live`). Features depend on nothing else, so
whatever fills these words can be learnt from and played in.

Players 1, 2 and 3 are the seats in the order of play after the one to move; 2 is the partner.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.core.rules import View
from arena.games.kernel.bits import ctz, popcount
from arena.games.kernel.jit import inlined, uncounted
from arena.games.kernel.layout import DECK, ONE, RULE, TOP_SUIT, ZERO, Word, Words
from arena.games.kernel.spec import translate
from arena.games.kernel.step import suit_bits_of
from arena.games.klaverjas.kernel import following

Position: TypeAlias = Words
ViewNumbers: TypeAlias = NDArray[np.int64]

HAND, LEGAL = 0, 1
GONE = 2
"""Cards of the finished tricks."""
LEFT = 3
"""Tricks left, the one in progress included."""
TABLE = 4
"""The cards of the trick in progress, a word each, in the order of play; 0 if not played yet."""
MAY = 7
"""For each of the players 1, 2 and 3: the unseen cards that may be theirs."""
NOT_FOLLOWED = 10
"""For each of the players 1, 2 and 3: the lanes of suits that they did not follow."""
OWN_SIDE_DECLARED = 13
LEAD = 14
"""Points and roem of the own side less those of the other; a signed number."""
SIZE = 15

_SEAT, _DECLARED, _LEAD, _HAND, _LEGAL, _TRICKS, _ON_TABLE, _LEADER, _PLAYS = range(9)
_PLAYERS = 4


def view_numbers(view: View) -> ViewNumbers:
    """A view as plain numbers, for `position_of`; cards are those of `arena.core.cards`.

    Only plain copies here, the rest is compiled: this takes most of the time of a decision.
    """
    rules, seat = view.rules, view.seat
    side = rules.side_of(seat)
    points, bonus = view.points, view.bonus
    legal = 0
    for card in view.legal:
        legal |= 1 << card
    plays = [number for trick in view.tricks for number in (trick.leader, *trick.cards)]
    return np.array(
        [
            seat,
            view.declarer is not None and rules.side_of(view.declarer) == side,
            points[side] + bonus[side] - points[1 - side] - bonus[1 - side],
            view.hand,
            legal,
            len(view.tricks),
            len(view.table),
            view.table_leader or 0,
            *plays,
            *view.table,
        ],
        dtype=np.int64,
    )


@uncounted
def position_of(numbers: ViewNumbers, game: Words, to_bits: np.ndarray, position: Position) -> None:
    """Enter the position of a view."""
    seat, tricks = numbers[_SEAT], numbers[_TRICKS]
    position[:] = ZERO
    position[HAND] = translate(np.uint64(numbers[_HAND]), to_bits)
    position[LEGAL] = translate(np.uint64(numbers[_LEGAL]), to_bits)
    position[LEFT] = popcount(position[HAND])
    position[OWN_SIDE_DECLARED] = np.uint64(numbers[_DECLARED])
    position[LEAD] = np.uint64(numbers[_LEAD])
    at = _PLAYS
    for trick in range(tricks + 1):
        finished = trick < tricks
        leader = numbers[at] if finished else numbers[_LEADER]
        at += 1 if finished else 0
        table = ZERO
        led = ZERO
        best = ZERO
        holder = 0
        for place in range(_PLAYERS if finished else numbers[_ON_TABLE]):
            card = ONE << np.uint64(to_bits[numbers[at]])
            at += 1
            player = (leader + place - seat - 1) & 3
            if place > 0 and player < 3:
                partner_holds = (holder ^ place) & 1 == 0
                others = game[DECK] & ~(position[GONE] | table | card | position[HAND])
                position[MAY + player] |= _ruled_out(
                    game, card, others, table, led, best, partner_holds
                )
                if card & led == ZERO:
                    position[NOT_FOLLOWED + player] |= led
            led = suit_bits_of(card) if place == 0 else led
            if card & (led | TOP_SUIT) > best:
                best, holder = card, place
            table |= card
            if not finished:
                position[TABLE + place] = card
        if finished:
            position[GONE] |= table
    on_table = position[TABLE] | position[TABLE + 1] | position[TABLE + 2]
    unseen = game[DECK] & ~(position[HAND] | position[GONE] | on_table)
    for player in range(3):  # until here it was what they cannot hold
        position[MAY + player] = unseen & ~position[MAY + player]


@inlined
def _ruled_out(
    game: Words, card: Word, others: Word, table: Word, led: Word, best: Word, partner_holds: bool
) -> Word:
    """Those of `others` that a player of `card` cannot hold: it would not have been legal."""
    none = ZERO
    if card & _legal(game, card | others, table, led, best, partner_holds) != ZERO:
        return none  # most plays follow suit, and one question answers for all cards
    while others != ZERO:
        other = ONE << ctz(others)
        others ^= other
        if card & _legal(game, card | other, table, led, best, partner_holds) == ZERO:
            none |= other
    return none


@inlined
def _legal(
    game: Words, hand: Word, table: Word, led: Word, best: Word, partner_holds: bool
) -> Word:
    return following(game[RULE], game, TOP_SUIT, hand, table, led, best, partner_holds, False)
