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

from typing import Any, NamedTuple

import numpy as np

from arena.games.kernel import dispatch
from arena.games.kernel.bits import ctz, high_bit, popcount
from arena.games.kernel.jit import inlined, records, uncounted
from arena.games.kernel.layout import (
    BEST,
    HANDS,
    HOLDER,
    KIND,
    LAST_TRICK,
    LED,
    LEFT,
    LOW_SUIT,
    ONE,
    OWN,
    RULE,
    S16,
    S32,
    S48,
    STEP,
    TABLE,
    TAKEN,
    THREE,
    TRICKS,
    TRUMPS,
    TURN,
    ZERO,
    Int,
    Numbers,
    Word,
    Words,
)
from arena.games.kernel.rng import mix
from arena.games.score_form import (
    ALIKE,
    BONUS_LEFT,
    CONTRACT,
    FACTOR,
    FAILED,
    HERO_SWEEP,
    INTERCHANGEABLE,
    LOW_CARDS,
    LOW_RANKS,
    MADE_FROM,
    NATURAL,
    OTHER_SWEEP,
    POINTS,
    SUIT_SIZE,
)

FAR = 20_000
"""Beyond every balance."""
NEVER = -1
"""Instead of a limit for bonuses: they do not count."""
UNKNOWN = 30_000
"""The answer of a search that ran out of nodes."""

ENTRY = np.dtype(
    [
        ("key", np.uint64),
        ("low", np.int16),
        ("high", np.int16),
        ("low_bonus", np.int16),
        ("high_bonus", np.int16),
        ("card", np.int16),
        ("size", np.int16),
    ],
    align=True,
)
"""Bounds of X; with a limit for bonuses, a goal and limit that are reached and one that is not."""

_CARDS = 40
_K1, _K2 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
_PART = np.uint64(0xFFFF)
_SUIT = np.uint64(511)


class Workspace(NamedTuple):
    """Memory of a solver. Positions of one deal, trump and hero share entries of the table."""

    table: Any
    counts: Numbers
    """Nodes visited, the most that may be, and the number of the deal."""
    hands: Words
    frames: Any
    """A record for each card played."""

    @classmethod
    def of(cls, bits: int = 18) -> Workspace:
        """A table of 2 ** `bits` entries."""
        return cls(
            records(np.zeros(1 << bits, dtype=ENTRY)),
            np.array([0, np.iinfo(np.int64).max, 1], dtype=np.int64),
            np.zeros(4, dtype=np.uint64),
            records(np.zeros(_CARDS, dtype=FRAME)),
        )


FRAME = np.dtype(
    [
        ("moves", np.uint64),
        ("card", np.uint64),
        ("table", np.uint64),
        ("led", np.uint64),
        ("best", np.uint64),
        ("key", np.uint64),
        ("seat", np.uint64),
        ("holder", np.uint64),
        ("place", np.int64),
        ("left", np.int64),
        ("sweeps", np.int64),
        ("goal", np.int64),
        ("limit", np.int64),
        ("value", np.int64),
        ("advice", np.uint64),
    ],
    align=True,
)
"""A position on the way: the trick so far, what is asked of it, and the answer so far."""

NODES, MOST_NODES, SALT = 0, 1, 2


@inlined
def _suit(cards: Word, number: Int) -> Any:
    return np.int64(cards >> np.uint64(16 * number) & _SUIT)


@inlined
def _points_left(game: Words, cards: Word) -> Int:
    """The points of all cards: tables of tricks have them for any set of cards."""
    return np.int64(dispatch.trick_value(game[KIND], game, game[OWN], cards) & _PART)


@inlined
def _bonus_left(form: Numbers, cards: Word) -> Int:
    """The most bonus that can still be made of some cards."""
    total: Int = np.int64(0)
    ranks: Int = np.int64(511)
    for number in range(4):
        at = number * SUIT_SIZE + _suit(cards, number)
        total += form[BONUS_LEFT + at]
        ranks &= form[NATURAL + at]
    return total + form[ALIKE + ranks]


@inlined
def _fixed(form: Numbers, cards: Word) -> bool:
    """Whether four low cards of one rank are left, so that it matters which ones are."""
    ranks: Int = form[LOW_RANKS]
    for number in range(4):
        ranks &= form[NATURAL + number * SUIT_SIZE + _suit(cards, number)]
    return bool(ranks != 0)


@inlined
def _packed(bits: Word, kept: Word) -> Word:
    """The bits of `bits` where `kept` has one, moved together; for up to four bits."""
    result, place = ZERO, ZERO
    for number in range(4):
        bit = np.uint64(number)
        if kept >> bit & ONE != ZERO:
            result |= (bits >> bit & ONE) << place
            place += ONE
    return result


@inlined
def _key(hands: Words, form: Numbers, leader: Word, sweeps: Int, salt: Int, limited: bool) -> Word:
    """Names a position at the beginning of a trick."""
    all_cards = hands[0] | hands[1] | hands[2] | hands[3]
    first, second, third, fourth = hands[0], hands[1], hands[2], hands[3]
    fixed = _fixed(form, all_cards)
    if not fixed:
        for number in range(4):
            low = form[LOW_CARDS + number]
            left = _suit(all_cards, number)
            if form[INTERCHANGEABLE + number * SUIT_SIZE + left] == 0:
                continue
            mask = np.uint64((1 << low) - 1)
            shift = np.uint64(16 * number)
            kept = np.uint64(left) & mask
            if kept & (kept + ONE) != ZERO:  # there are gaps
                gone = ~(mask << shift)
                first = first & gone | _packed(first >> shift & mask, kept) << shift
                second = second & gone | _packed(second >> shift & mask, kept) << shift
                third = third & gone | _packed(third >> shift & mask, kept) << shift
                fourth = fourth & gone | _packed(fourth >> shift & mask, kept) << shift
    about = leader | np.uint64(sweeps) << np.uint64(2) | np.uint64(fixed) << np.uint64(4)
    about |= np.uint64(limited) << np.uint64(5) | np.uint64(salt) << np.uint64(6)
    key = mix(about * _K2 + _K1)
    key = mix(key ^ first) * _K1
    key = mix(key ^ second) * _K1
    key = mix(key ^ third) * _K1
    key = mix(key ^ fourth) * _K1
    return Word(key | ONE)


@inlined
def _distinct(moves: Word, hand: Word, form: Numbers, all_cards: Word) -> Word:
    """The legal cards without those that are as good as a weaker one of the same hand."""
    if _fixed(form, all_cards):
        return moves
    others = all_cards & ~hand
    for number in range(4):
        low = form[LOW_CARDS + number]
        shift = np.uint64(16 * number)
        mine = moves >> shift & np.uint64((1 << low) - 1)
        if mine & (mine - ONE) == ZERO or mine == ZERO:
            continue
        if form[INTERCHANGEABLE + number * SUIT_SIZE + _suit(all_cards, number)] == 0:
            continue
        between = others >> shift
        seen = False
        for place in range(low):
            bit = ONE << np.uint64(place)
            if mine & bit != ZERO:
                if seen:
                    moves ^= bit << shift
                seen = True
            elif between & bit != ZERO:
                seen = False
    return moves


@inlined
def _surely(game: Words, hands: Words, all_cards: Word) -> Int:
    """Points of the trumps that go to the side that holds them; negative if that is odd seats."""
    trumps = all_cards & game[TRUMPS]
    if trumps == ZERO:
        return np.int64(0)
    even = trumps & (hands[0] | hands[2])
    odd = trumps ^ even
    if even > odd:
        top = ONE << high_bit(odd) if odd != ZERO else ZERO
        return _points_left(game, even & ~(top | (top - ONE)) if odd != ZERO else even)
    top = ONE << high_bit(even) if even != ZERO else ZERO
    return -_points_left(game, odd & ~(top | (top - ONE)) if even != ZERO else odd)


@inlined
def _cashed(game: Words, hands: Words, leader: Word, all_cards: Word) -> tuple[Int, Int]:
    """Points and tricks that the leader can take at once by leading cards that nobody beats."""
    cards = hands[leader]
    others = all_cards & ~cards
    points: Int = np.int64(0)
    tricks: Int = np.int64(0)
    if others & game[TRUMPS] != ZERO:
        return points, tricks  # someone could trump, the partner too
    for number in range(4):
        suit = LOW_SUIT << np.uint64(16 * number)
        theirs = others & suit
        top = cards & suit
        if theirs != ZERO:
            top &= ~((ONE << high_bit(theirs)) * np.uint64(2) - ONE)
        points += _points_left(game, top)
        tricks += np.int64(popcount(top))
    return points, tricks


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
                _remember(table, last, frame)
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
            leading = moves
            if frame.place != 0:
                best = frame.best
                leading = moves & (frame.led | trumps) & ~(best | (best - ONE))
            card = _first_choice(frame, moves, leading, game, form)
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
            bonus = np.int64(worth >> S16 & _PART)
            total = np.int64(worth & _PART) + bonus
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
def _first_choice(frame: Any, moves: Word, leading: Word, game: Words, form: Numbers) -> Word:
    """The card to try first: the strongest that takes the trick; else by points."""
    friendly = frame.place != 0 and (frame.holder ^ frame.seat) & ONE == ZERO
    if leading != ZERO and not (friendly and frame.place == 3):
        if frame.place == 3:
            return Word(leading & (~leading + ONE))
        return Word(ONE << high_bit(leading))
    most: Int = np.int64(-1000)
    chosen = ZERO
    rest = moves
    while rest != ZERO:
        card = rest & (~rest + ONE)
        rest ^= card
        points = form[POINTS + np.int64(ctz(card))]
        if card & game[TRUMPS] != ZERO:
            points = points + 8 if not friendly else points - 8
        worth = points if friendly else -points
        if worth > most:
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
        return  # among trumps some games treat single cards apart
    all_cards = hands[0] | hands[1] | hands[2] | hands[3] | frame.table
    if _bonus_left(form, all_cards) != 0:
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
        bonus = _bonus_left(form, all_cards)
        if frame.limit >= bonus:
            frame.value = goal  # the bonuses stay within the limit whatever is played
            return True
        most = _points_left(game, all_cards) + np.int64(game[LAST_TRICK]) + bonus
        sure = _surely(game, hands, all_cards)
        if hero & ONE != ZERO:
            sure = -sure
        high = most + (form[HERO_SWEEP] if frame.sweeps & 1 else 0)
        low = -most - (form[OTHER_SWEEP] if frame.sweeps & 2 else 0)
        cashed, tricks = _cashed(game, hands, frame.seat, all_cards)
        if (frame.seat ^ hero) & ONE == ZERO:
            low = max(low, -most + 2 * max(sure, cashed))
            if tricks > 0 and frame.sweeps & 2:
                low = max(low, -most)
            if sure < 0:
                high = most + 2 * sure
        else:
            high = min(high, most + 2 * min(sure, -cashed))
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
            key = _key(hands, form, frame.seat, frame.sweeps, ws.counts[SALT], limited)
            frame.key = key
            entry = ws.table[key & last]
            if entry.key == key:
                if limited:
                    if goal <= entry.low and frame.limit >= entry.low_bonus:
                        frame.value = goal
                        return True
                    if goal >= entry.high and frame.limit <= entry.high_bonus:
                        frame.value = goal - 1
                        return True
                else:
                    if entry.low >= goal:
                        frame.value = entry.low
                        return True
                    if entry.high < goal:
                        frame.value = entry.high
                        return True
                if entry.card >= 0:
                    frame.advice = ONE << np.uint64(entry.card)
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
    frame.moves = _distinct(moves, hand, form, all_cards)
    frame.value = -FAR if (seat ^ hero) & ONE == ZERO else FAR
    return False


@inlined
def _remember(table: Any, last: Word, frame: Any) -> None:
    """Keep the answer of a search."""
    entry = table[frame.key & last]
    if entry.key != frame.key:
        if entry.key != ZERO and entry.size > frame.left + 1:
            entry.size -= 1  # an entry of more cards stays for a while
            return
        entry.key = frame.key
        entry.low, entry.high = np.int16(-FAR), np.int16(FAR)
        entry.low_bonus, entry.high_bonus = np.int16(FAR), np.int16(-1)
    entry.size = np.int16(frame.left)
    entry.card = np.int16(-1)
    if frame.advice != ZERO:
        entry.card = np.int16(ctz(frame.advice))
    if frame.limit >= 0:
        if frame.value >= frame.goal:
            entry.low, entry.low_bonus = np.int16(frame.goal), np.int16(frame.limit)
        else:
            entry.high, entry.high_bonus = np.int16(frame.goal), np.int16(frame.limit)
    elif frame.value >= frame.goal:
        entry.low = np.int16(frame.value)
    else:
        entry.high = np.int16(frame.value)


@uncounted
def place_root(
    ws: Workspace, state: Words, hero: Word, game: Words, form: Numbers
) -> tuple[Int, Int]:
    """Make a state the root; X and the bonuses of both sides so far."""
    for number in range(4):
        ws.hands[number] = state[HANDS + np.uint64(number)]
    frame = ws.frames[0]
    frame.table, frame.led = state[TABLE], state[LED]
    frame.best, frame.holder = state[BEST], state[HOLDER]
    frame.seat = state[TURN]
    frame.place = np.int64(popcount(state[TABLE]))
    frame.left = np.int64(state[LEFT])
    ours, theirs = state[TAKEN + (hero & ONE)], state[TAKEN + (hero & ONE ^ ONE)]
    sweeps: Int = np.int64(0)
    if theirs >> S32 == ZERO and form[HERO_SWEEP] != 0:
        sweeps |= 1
    if ours >> S32 == ZERO and form[OTHER_SWEEP] != 0:
        sweeps |= 2
    frame.sweeps = sweeps
    our_bonus, their_bonus = ours >> S16 & _PART, theirs >> S16 & _PART
    balance = np.int64((ours & _PART) + our_bonus) - np.int64((theirs & _PART) + their_bonus)
    return balance, np.int64(our_bonus + their_bonus)


@inlined
def _cards_left(ws: Workspace) -> Word:
    """The cards that are held or on the table at the root."""
    hands = ws.hands
    return Word(hands[0] | hands[1] | hands[2] | hands[3] | ws.frames[0].table)


@inlined
def _extremes(ws: Workspace, game: Words, form: Numbers) -> tuple[Int, Int]:
    """Bounds of X at the root: everything goes to one side."""
    cards = _cards_left(ws)
    most = _points_left(game, cards) + np.int64(game[LAST_TRICK]) + _bonus_left(form, cards)
    sweeps = ws.frames[0].sweeps
    return (
        -most - (form[OTHER_SWEEP] if sweeps & 2 else 0),
        most + (form[HERO_SWEEP] if sweeps & 1 else 0),
    )


@uncounted
def solve(
    ws: Workspace, state: Words, hero: Word, game: Words, form: Numbers, guess: Int, found: Numbers
) -> None:
    """Write the least and the greatest margin that the position can be worth into `found`.

    They are the same unless the nodes run out. `state` has everything scored that is certain.
    """
    balance, bonus = place_root(ws, state, hero, game, form)
    if form[CONTRACT] == 0:
        _close_in(ws, game, form, hero, balance, guess // form[FACTOR] - balance, found)
        found[0] *= form[FACTOR]
        found[1] *= form[FACTOR]
        return
    made = form[MADE_FROM] - balance
    value = search(ws, game, form, hero, made, NEVER)
    cards = _cards_left(ws)
    found[0] = -form[FAILED] - bonus - _bonus_left(form, cards)
    found[1] = _extremes(ws, game, form)[1] + balance
    if value == UNKNOWN:
        return
    if value >= made:
        _close_in(ws, game, form, hero, balance, max(made, guess - balance), found)
        found[0] = max(found[0], form[MADE_FROM])
        return
    # It fails, and costs the more the more bonuses the other side can bring about.
    low: Int = np.int64(0)
    high = _bonus_left(form, cards)
    found[0], found[1] = -form[FAILED] - bonus - high, -form[FAILED] - bonus
    middle = low
    while low < high:
        answer = search(ws, game, form, hero, made, middle)
        if answer == UNKNOWN:
            return
        if answer >= made:
            high = middle
        else:
            low = middle + 1
        found[0], found[1] = -form[FAILED] - bonus - high, -form[FAILED] - bonus - low
        middle = (low + high) // 2


@uncounted
def _close_in(
    ws: Workspace, game: Words, form: Numbers, hero: Word, balance: Int, guess: Int, found: Numbers
) -> None:
    """Find X by questions that halve what is left, beginning near a guess; `balance` is added."""
    low, high = _extremes(ws, game, form)
    least, most = low, high
    goal = max(low + 1, min(guess, high))
    step: Int = np.int64(32)
    while low < high:
        value = search(ws, game, form, hero, goal, NEVER)
        if value == UNKNOWN:
            break
        if value >= goal:
            low = value
        else:
            high = value
        if low > least and high < most:
            goal = low + (high - low + 1) // 2
        elif low > least:
            goal = low + step
        else:
            goal = high - step + 1
        goal = max(low + 1, min(goal, high))
    found[0], found[1] = low + balance, high + balance
