"""Alpha-beta with a table: is a position worth at least so much to the hero?

The balance X of the tricks to come (see `arena.games.score_form`) depends on nothing but the cards
left, the leader and which sides may still take all tricks. So one entry of the table, bounds of
X, serves every position with these cards, whatever was taken before; a contract becomes a goal:
it is made if X is at least what is missing. Only where the contract fails the bonuses of both
sides count too, and positions in which bonuses are still possible are asked a second question,
"is it made, or do the bonuses stay small enough?"

Two sets of cards left are one position if they differ only in which of the worthless cards of a
suit are left and no bonus can come of them; of such neighbours in one hand only one is tried.
Bounds cut a search short: all points and possible bonuses left, and those trumps that no trump
of the other side beats, which go to the side that holds them.

Source: null windows and tables as in MTD(f) (Plaat et al. 1996); equal cards and guaranteed points
as in Kupferschmid and Helmert 2006 for Skat. There is no recursion: what numba keeps on disk
must not call itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arena.games.kernel import dispatch
from arena.games.kernel.bits import ctz, pdep, pext
from arena.games.kernel.jit import inlined, uncounted
from arena.games.kernel.layout import (
    KIND,
    LAST_TRICK,
    LOW_SUIT,
    ONE,
    OWN,
    RULE,
    S16,
    S48,
    STEP,
    THREE,
    TRICKS,
    TRUMPS,
    ZERO,
    Int,
    Numbers,
    Word,
    Words,
)
from arena.games.score_form import (
    HERO_SWEEP,
    OTHER_SWEEP,
    POINTS,
    TRUMPS_FIRST,
)
from arena.solver.bounds import PART, bonus_left, cashed, points_left, sure_trumps
from arena.solver.keys import canonical_cards, difference, distinct, low_ranks_matter, position_key
from arena.solver.memory import FAR, MOST_NODES, NEVER, NODES, SALT, UNKNOWN, Workspace


@uncounted
def search(ws: Workspace, game: Words, form: Numbers, hero: Word, goal: Int, limit: Int) -> Int:
    """A lower bound of X that is at least `goal`, or an upper bound that is below it.

    The position is `ws.hands` and `ws.frames[0]`. With a `limit` the answer only says whether
    X reaches the goal or the bonuses of both sides stay within the limit. `UNKNOWN` if there
    are no nodes left.
    """
    frames, hands, table = ws.frames, ws.hands, ws.table
    last = np.uint64(len(table) - 1)
    kind, trumps = game[KIND], game[TRUMPS]
    frames[0].goal, frames[0].limit = goal, limit
    ply: Int = np.int64(0)
    value: Int = np.int64(0)
    known = _enter(ws, game, form, hero, ply, last)
    while True:
        frame = frames[ply]
        while known or frame.moves == ZERO:
            value = frame.value
            if not known and frame.key != ZERO:
                _remember(table, last, frame, hands)
            known = False
            if ply == 0:
                return value
            ply -= 1
            below, frame = frame, frames[ply]
            hands[frame.seat] |= frame.card
            if frame.place == 3:
                value += frame.goal - below.goal  # what the trick added
            ours = (frame.seat ^ hero) & ONE == ZERO
            if ours:
                if value > frame.value:
                    frame.value = value
                    frame.advice = frame.card
                if value >= frame.goal:
                    frame.moves = ZERO
                elif frame.moves != ZERO and frame.limit < 0:
                    _drop_neighbours(frame, hands, game, form, value, 1)
            else:
                if value < frame.value:
                    frame.value = value
                    frame.advice = frame.card
                if value < frame.goal:
                    frame.moves = ZERO
                elif frame.moves != ZERO and frame.limit < 0:
                    _drop_neighbours(frame, hands, game, form, value, -1)
        if ws.counts[NODES] >= ws.counts[MOST_NODES]:
            while ply > 0:
                ply -= 1
                hands[frames[ply].seat] |= frames[ply].card
            return np.int64(UNKNOWN)
        ws.counts[NODES] += 1
        moves = frame.moves
        card = frame.advice & moves
        if card == ZERO:
            card = _first_choice(frame, moves, hands, game, form)
        else:
            frame.advice = ZERO
        frame.moves = moves ^ card
        frame.card = card
        seat = frame.seat
        hands[seat] ^= card
        following = frames[ply + 1]
        following.key = ZERO
        following.limit = frame.limit
        following.left = frame.left
        following.sweeps = frame.sweeps
        cards = frame.table | card
        led, best, holder = frame.led, frame.best, frame.holder
        if frame.place == 0:
            led = LOW_SUIT << (ctz(card) & S48)
            best, holder = card, seat
        elif card & (led | trumps) > best:
            best, holder = card, seat
        if frame.place == 3:
            worth = dispatch.trick_value(kind, game, game[OWN], cards)
            bonus = np.int64(worth >> S16 & PART)
            total = np.int64(worth & PART) + bonus
            left = frame.left - 1
            if left == 0:
                total += np.int64(game[LAST_TRICK])
            if (holder ^ hero) & ONE == ZERO:
                following.goal = frame.goal - total
                following.sweeps &= 1
            else:
                following.goal = frame.goal + total
                following.sweeps &= 2
            if frame.limit >= 0:
                following.limit = frame.limit - bonus if frame.limit >= bonus else NEVER
            following.left = left
            following.seat, following.holder = holder, holder
            following.place = 0
            following.table = following.led = following.best = ZERO
        else:
            following.goal = frame.goal
            following.seat = (seat + game[STEP]) & THREE
            following.place = frame.place + 1
            following.table, following.led = cards, led
            following.best, following.holder = best, holder
        ply += 1
        known = _enter(ws, game, form, hero, ply, last)


@inlined
def _strongest(hand: Word, led: Word, trumps: Word) -> Word:
    """The strongest card with which a hand can follow, as far as it counts in the trick."""
    cards = hand & led
    if cards == ZERO:
        cards = hand & trumps
    return Word(cards)


@inlined
def _first_choice(frame: Any, moves: Word, hands: Words, game: Words, form: Numbers) -> Word:
    """The card to try first: one that wins the trick for its side if all play their strongest."""
    if moves & (moves - ONE) == ZERO:
        return Word(moves)
    trumps, step, seat = game[TRUMPS], game[STEP], frame.seat
    led, place = frame.led, frame.place
    friendly = place != 0 and (frame.holder ^ seat) & ONE == ZERO
    ours = frame.best if friendly else ZERO
    theirs = ZERO if friendly else frame.best
    if place != 0:
        if place < 3:
            theirs = max(theirs, _strongest(hands[(seat + step) & THREE], led, trumps))
        if place < 2:
            ours = max(ours, _strongest(hands[(seat + step + step) & THREE], led, trumps))
    trumps_first = place == 0 and form[TRUMPS_FIRST] != 0
    most: Int = np.int64(-1000)
    chosen = ZERO
    rest = moves
    while rest != ZERO:
        card = rest & (~rest + ONE)
        rest ^= card
        if place == 0:
            led = LOW_SUIT << (ctz(card) & S48)
            theirs = max(
                _strongest(hands[(seat + step) & THREE], led, trumps),
                _strongest(hands[(seat - step) & THREE], led, trumps),
            )
            ours = _strongest(hands[(seat + step + step) & THREE], led, trumps)
        points = form[POINTS + np.int64(ctz(card))]
        trump = np.int64(card & trumps != ZERO)
        if max(ours, card & (led | trumps)) > theirs:
            worth = 100 + points + (20 if trumps_first else -25) * trump
        else:
            worth = -points + (8 if trumps_first else -8) * trump
        if worth >= most:
            most, chosen = worth, card
    return Word(chosen)


@inlined
def _drop_neighbours(
    frame: Any, hands: Words, game: Words, form: Numbers, value: Int, sign: Int
) -> None:
    """Leave out cards that differ from the one just tried in too few points to matter.

    Two cards of a hand between which no other player has one can change places in every line of
    play; X then differs by twice the difference of their points at most.
    """
    card = frame.card
    suit = LOW_SUIT << (ctz(card) & S48)
    near = frame.moves & suit
    if near == ZERO or suit & game[TRUMPS] != ZERO:
        return  # among trumps some games treat single cards differently
    all_cards = hands[0] | hands[1] | hands[2] | hands[3] | frame.table
    if bonus_left(form, all_cards) != 0:
        return
    others = all_cards & suit & ~hands[frame.seat]
    points = form[POINTS + np.int64(ctz(card))]
    while near != ZERO:
        other = near & (~near + ONE)
        near ^= other
        between = (other - ONE) & ~(card | (card - ONE))
        if other < card:
            between = (card - ONE) & ~(other | (other - ONE))
        if between & others == ZERO:
            bound = value + sign * 2 * abs(form[POINTS + np.int64(ctz(other))] - points)
            if (sign > 0 and bound < frame.goal) or (sign < 0 and bound >= frame.goal):
                frame.moves ^= other
                frame.value = max(frame.value, bound) if sign > 0 else min(frame.value, bound)


@inlined
def _enter(ws: Workspace, game: Words, form: Numbers, hero: Word, ply: Int, last: Word) -> bool:
    """Get a position ready; whether its value is known at once."""
    frame, hands = ws.frames[ply], ws.hands
    frame.key, frame.advice = ZERO, ZERO
    goal = frame.goal
    all_cards = hands[0] | hands[1] | hands[2] | hands[3] | frame.table
    if frame.place == 0:
        if frame.left == 0:
            frame.value = 0
            if frame.sweeps & 1:
                frame.value = form[HERO_SWEEP]
            elif frame.sweeps & 2:
                frame.value = -form[OTHER_SWEEP]
            if frame.limit >= 0 and frame.value < goal:
                frame.value = goal
            return True
        bonus = bonus_left(form, all_cards)
        if frame.limit >= bonus:
            frame.value = goal  # the bonuses stay within the limit whatever is played
            return True
        most = points_left(game, all_cards) + np.int64(game[LAST_TRICK]) + bonus
        sure = sure_trumps(game, hands, all_cards)
        if hero & ONE != ZERO:
            sure = -sure
        high = most + (form[HERO_SWEEP] if frame.sweeps & 1 else 0)
        low = -most - (form[OTHER_SWEEP] if frame.sweeps & 2 else 0)
        cash, tricks = cashed(game, hands, frame.seat, all_cards)
        if (frame.seat ^ hero) & ONE == ZERO:
            low = max(low, -most + 2 * max(sure, cash))
            if tricks > 0 and frame.sweeps & 2:
                low = max(low, -most)
            if sure < 0:
                high = most + 2 * sure
        else:
            high = min(high, most + 2 * min(sure, -cash))
            if tricks > 0 and frame.sweeps & 1:
                high = min(high, most)
            if sure > 0:
                low = -most + 2 * sure
        if goal <= low:
            frame.value = low
            return True
        if goal > high and frame.limit < 0:
            frame.value = high
            return True
        if frame.left > 1:
            limited = frame.limit >= 0
            frame.canonical, frame.points = canonical_cards(form, all_cards, bonus)
            kind = np.int64(limited) | np.int64(bonus == 0) << 1
            kind |= np.int64(low_ranks_matter(form, all_cards)) << 2
            frame.key = position_key(
                hands, all_cards, frame.canonical, frame.seat, frame.sweeps, ws.counts[SALT], kind
            )
            entry = ws.table[frame.key & last]
            if entry.key == frame.key:
                if limited:
                    if goal <= entry.low and frame.limit >= entry.low_bonus:
                        frame.value = goal
                        return True
                    if goal >= entry.high and frame.limit <= entry.high_bonus:
                        frame.value = goal - 1
                        return True
                else:
                    low = entry.low - difference(frame.points, np.uint64(entry.low_points))
                    if low >= goal:
                        frame.value = low
                        return True
                    high = entry.high + difference(frame.points, np.uint64(entry.high_points))
                    if high < goal:
                        frame.value = high
                        return True
                if entry.card >= 0:
                    place = ONE << np.uint64(entry.card)
                    frame.advice = pdep(pext(place, frame.canonical), all_cards)
    seat = frame.seat
    hand = hands[seat]
    if frame.place == 0:
        moves = Word(hand)
    else:
        partner_holds = (frame.holder ^ seat) & ONE == ZERO
        moves = dispatch.following(
            game[KIND], game[RULE], game, game[TRUMPS], hand, frame.table, frame.led, frame.best,
            partner_holds, frame.left == np.int64(game[TRICKS]),
        )  # fmt: skip
    frame.moves = distinct(moves, hand, form, all_cards)
    frame.value = -FAR if (seat ^ hero) & ONE == ZERO else FAR
    return False


@inlined
def _remember(table: Any, last: Word, frame: Any, hands: Words) -> None:
    """Keep the answer of a search."""
    entry = table[frame.key & last]
    if entry.key != frame.key:
        if entry.key != ZERO and entry.size > frame.left + 1:
            entry.size -= 1  # an entry of more cards stays for a while
            return
        entry.key = frame.key
        entry.low, entry.high = np.int16(-FAR), np.int16(FAR)
        entry.low_bonus, entry.high_bonus = np.int16(FAR), np.int16(-1)
    all_cards = hands[0] | hands[1] | hands[2] | hands[3]
    entry.size = np.int16(frame.left)
    entry.card = np.int16(-1)
    if frame.advice != ZERO:
        entry.card = np.int16(ctz(pdep(pext(frame.advice, all_cards), frame.canonical)))
    if frame.limit >= 0:
        if frame.value >= frame.goal:
            entry.low, entry.low_bonus = np.int16(frame.goal), np.int16(frame.limit)
        else:
            entry.high, entry.high_bonus = np.int16(frame.goal), np.int16(frame.limit)
    elif frame.value >= frame.goal:
        entry.low, entry.low_points = np.int16(frame.value), np.uint16(frame.points)
    else:
        entry.high, entry.high_points = np.int16(frame.value), np.uint16(frame.points)
