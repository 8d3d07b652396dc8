"""The observation of a seat, as the inputs of a network that values cards.

An input is there or not, so a position is the list of those that are there: about forty of some
four hundred. Sets of cards come first, an input for each card, then small numbers, an input for
each value:

| inputs | what |
|---|---|
| cards | own hand; played by each place; on the table; the one that holds the trick |
| cards | unseen ones that each of the others cannot hold; those that tricks were led with |
| 4 each | place of the declarer; of the one who holds the trick; cards on the table |
| 14, 1, 3 | tricks left; whether the suit that may not be led at first is open; the kind of trump |
| 26 each | points of one's own side and of the others, in tens; of each place where all are alone |

Seats are *places*: 0 is the one who looks, 1 plays after them, and so on. Suits are put in order
by what they are (the trump suit first), and those that are alike by what the one who looks holds
of them. So nothing is learnt twice, and where suits change their names, values go with them.

What the state of a round does not say is noted card by card (`arena.games.observation`): the cards
that each seat may hold by public knowledge, and those that tricks were led with.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from agents.networks.encodings import mode_of
from agents.policies.features import deck_of, kinds_of
from arena.games.kernel.bits import ctz, popcount
from arena.games.kernel.jit import inlined
from arena.games.kernel.layout import (
    BEST,
    DECK,
    DECLARER,
    HANDS,
    HOLDER,
    LED,
    LEFT,
    LOW_SUIT,
    ONE,
    OPENED,
    PLAYED,
    S16,
    S32,
    S48,
    SIDES,
    STEP,
    SUIT_WIDTH,
    TABLE,
    TAKEN,
    THREE,
    TURN,
    TWO,
    ZERO,
    Int,
    Word,
    Words,
)
from arena.games.kernel.spec import KernelGame
from arena.games.kernel.step import side_of
from arena.games.observation import LEADS

ENCODING = "cards"
"""The name of this encoding in model files."""
MOST_SEEN = 256
"""More inputs than are ever there at once."""

Scheme: TypeAlias = Words
"""How a game is looked at; made by `scheme_of`."""
_WIDTH, _CARDS, _UNIT, _POINTS, _MODE, _LANES = 0, 1, 2, 3, 4, 5
"""Cards of a suit, of the deck; points of a step, how many sides have them; what is trump; and
from `_LANES` on the rank of the suit in each lane, trump highest."""

_PLANES = 11
_TAIL = 4 + 4 + 4 + 14 + 1 + 3
_STEPS = 26
_PART = np.uint64(0xFFFF)
_S4, _S6, _S19, _S45, _S58, _S62 = (np.uint64(n) for n in (4, 6, 19, 45, 58, 62))
_IN_LANE = np.uint64(15)


def _width(game: KernelGame) -> int:
    return max(bit % SUIT_WIDTH for bit in game.cards) + 1


def output_count(game: KernelGame) -> int:
    """How many values come out: one for each card of four suits."""
    return 4 * _width(game)


def input_count(game: KernelGame) -> int:
    """How many inputs there are."""
    return _PLANES * output_count(game) + _TAIL + _STEPS * _sides(game)


def _sides(game: KernelGame) -> int:
    return len(game.rules.sides)


@lru_cache(maxsize=256)
def scheme_of(game: KernelGame) -> Scheme:
    """How the cards of a game with its trump are looked at."""
    scheme = np.zeros(_LANES + 4, np.uint64)
    scheme[_WIDTH], scheme[_CARDS] = _width(game), output_count(game)
    scheme[_UNIT] = 10 if _sides(game) < game.rules.players else 1
    scheme[_POINTS] = _sides(game)
    scheme[_MODE] = mode_of(game)
    kinds = kinds_of(deck_of(game))
    first = [int(kinds[SUIT_WIDTH * lane]) for lane in range(4)]
    for lane in range(4):
        scheme[_LANES + lane] = sorted(set(first)).index(first[lane])
    scheme.flags.writeable = False
    return scheme


# --- inputs ------------------------------------------------------------------------------


@inlined
def _sorted_lanes(
    hand: Word, out: Word, left: Word, across: Word, seen: Words, turn: Word, step: Word,
    led: Word, scheme: Scheme,
) -> Word:  # fmt: skip
    """Where the cards of each lane begin among the inputs: 16 bits for each lane."""
    a = _key(ZERO, hand, out, left, across, seen, turn, step, led, scheme)
    b = _key(ONE, hand, out, left, across, seen, turn, step, led, scheme)
    c = _key(TWO, hand, out, left, across, seen, turn, step, led, scheme)
    d = _key(THREE, hand, out, left, across, seen, turn, step, led, scheme)
    # How many come before each; of lanes that are alike the lower one does.
    ab, ac, ad = Word(b > a), Word(c > a), Word(d > a)
    bc, bd, cd = Word(c > b), Word(d > b), Word(d > c)
    places = ab + ac + ad
    places |= (ONE - ab + bc + bd) << S16
    places |= (TWO - ac - bc + cd) << S32
    places |= (THREE - ad - bd - cd) << S48
    return Word(places * scheme[_WIDTH])


@inlined
def _key(
    lane: Word, hand: Word, out: Word, left: Word, across: Word, seen: Words, turn: Word,
    step: Word, led: Word, scheme: Scheme,
) -> Word:  # fmt: skip
    """The order of a lane: what suit it is, how many cards are held, which; and all the rest."""
    shift = lane << _S4
    held = hand >> shift & _PART
    key = scheme[np.uint64(_LANES) + lane] << _S62
    key |= popcount(held) << _S58
    key |= held << _S45
    key |= (out >> shift & _PART) << S32
    key |= (left >> shift & _PART) << _S19
    key |= (across >> shift & _PART) << _S6
    whole = LOW_SUIT << shift
    bit = ONE
    for place in range(1, 4):
        if seen[(turn + np.uint64(place) * step) & THREE] & out & whole != out & whole:
            key |= bit
        bit += bit
    if led == whole:
        key |= bit
    return Word(key)


@inlined
def _enter(
    cards: Word, first: Int, places: Word, inputs: NDArray[np.int32], count: Int
) -> Int:  # fmt: skip
    while cards != ZERO:
        bit = ctz(cards)
        cards &= cards - ONE
        inputs[np.uint64(count)] = first + np.int64(
            (places >> (bit & S48) & _PART) + (bit & _IN_LANE)
        )
        count += 1
    return count


@inlined
def output_of(places: Word, card: Word) -> Int:
    """Which of the outputs is the value of a card."""
    bit = ctz(card)
    return np.int64((places >> (bit & S48) & _PART) + (bit & _IN_LANE))


@inlined
def look_at(
    state: Words, game: Words, seen: Words, scheme: Scheme, inputs: NDArray[np.int32]
) -> tuple[Int, Word]:
    """Enter the inputs that are there for the seat in turn.

    How many there are, and where the cards of each lane begin (for `output_of`).
    """
    turn, step, table = state[TURN], game[STEP], state[TABLE]
    hand, own = state[HANDS + turn], state[PLAYED + turn]
    next_, across = (turn + step) & THREE, (turn + TWO) & THREE
    last = (turn - step) & THREE
    left, right = state[PLAYED + next_], state[PLAYED + last]
    partner = state[PLAYED + across]
    out = game[DECK] & ~(hand | own | left | partner | right)
    places = _sorted_lanes(
        hand, out, left, partner, seen, turn, step, state[LED], scheme
    )  # fmt: skip
    size = np.int64(scheme[_CARDS])
    count = _enter(hand, 0, places, inputs, 0)
    count = _enter(own, size, places, inputs, count)
    count = _enter(left, 2 * size, places, inputs, count)
    count = _enter(partner, 3 * size, places, inputs, count)
    count = _enter(right, 4 * size, places, inputs, count)
    count = _enter(table, 5 * size, places, inputs, count)
    count = _enter(state[BEST], 6 * size, places, inputs, count)
    count = _enter(out & ~seen[next_], 7 * size, places, inputs, count)
    count = _enter(out & ~seen[across], 8 * size, places, inputs, count)
    count = _enter(out & ~seen[last], 9 * size, places, inputs, count)
    count = _enter(seen[LEADS], 10 * size, places, inputs, count)
    at = _PLANES * size
    inputs[count] = at + np.int64((state[DECLARER] - turn) * step & THREE)
    count += 1
    if table != ZERO:
        inputs[count] = at + 4 + np.int64((state[HOLDER] - turn) * step & THREE)
        count += 1
    inputs[count] = at + 8 + np.int64(popcount(table))
    inputs[count + 1] = at + 12 + np.int64(state[LEFT])
    count += 2
    if state[OPENED] & ONE != ZERO:
        inputs[count] = at + 26
        count += 1
    inputs[count] = at + 27 + np.int64(scheme[_MODE])
    count += 1
    at += _TAIL
    sides = np.int64(game[SIDES])
    for place in range(sides):
        taken = state[TAKEN + side_of(game, (turn + np.uint64(place) * step) & THREE)]
        points = ((taken & _PART) + (taken >> S16 & _PART)) // scheme[_UNIT]
        inputs[count] = at + min(np.int64(points), np.int64(_STEPS - 1))
        count += 1
        at += _STEPS
    return count, places
