"""One round by the compiled kernel, from its first card on, and what its seats know.

It is the fast twin of the rule book and of `arena.envs.encoding.Record`, for `TableEnv`; `Tables`
plays many rounds at once and shares what writes an observation.
"""

from __future__ import annotations

from collections.abc import MutableSequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from arena.core.rules import Rules
from arena.core.seeds import Rng
from arena.envs.encoding import CARDS, Encoding, Int8s, Record, encoding_of
from arena.games.kernel.bits import ctz
from arena.games.kernel.jit import inlined, uncounted
from arena.games.kernel.layout import (
    HANDS,
    LEFT,
    ONE,
    OPENED,
    PLAYED,
    PLAYERS,
    S16,
    STATE_WORDS,
    STEP,
    TABLE,
    TAKEN,
    TRICKS,
    TURN,
    ZERO,
    Int,
    Numbers,
    Word,
    Words,
)
from arena.games.kernel.rng import below, rng_array, take_back
from arena.games.kernel.spec import KernelGame, has_kernel, kernel_game
from arena.games.kernel.step import final_scores, legal, play, side_of

T = TypeVar("T")

_PART = np.uint64(0xFFFF)


def why_not_observed(rules: Rules, passing: int) -> str | None:
    """Why compiled code cannot say what seats know of a round; None if it can."""
    if passing:
        return "only cards are played here: say passing: none"
    if getattr(rules, "weis", False):
        return "what seats show is not observed here: say weis: false"
    return None


class CompiledRounds:
    """Makes compiled rounds of one game."""

    def __init__(self, rules: Rules) -> None:
        self.encoding = encoding_of(rules)
        self.offsets = offsets_of(self.encoding)
        self._rules = rules
        self._has_kernel = has_kernel(rules)
        self._games: dict[int | None, KernelGame] = {}

    def begin(self, table: Any, record: Record) -> CompiledRound | None:
        """The round of the referee at its first card; None if compiled code cannot play it."""
        if not self._has_kernel or table.phase != "play" or table.tricks or table.table:
            return None
        if why_not_observed(self._rules, table.passing) is not None:
            return None
        if (game := self._games.get(table.trump)) is None:
            game = self._games[table.trump] = kernel_game(self._rules, table.trump)
        return CompiledRound(self, game, table, record)


class CompiledRound:
    """A round in progress."""

    def __init__(
        self, rounds: CompiledRounds, game: KernelGame, table: Any, record: Record
    ) -> None:
        self.turn: int = table.turn
        """The seat to act; meaningless after the round."""
        self._words, self._to_bits, self._to_cards = game.words, game.to_bits, game.to_cards
        self._state = np.zeros(_WORDS, np.uint64)
        self._state[:STATE_WORDS] = game.state(table, table.hands, table.turn)
        self._state[_LEADER] = table.turn
        self._order = np.zeros(CARDS, np.int8)
        rows = [record.observation(seat, 0) for seat in range(len(table.hands))]
        self._begin = np.concatenate(rows).reshape(len(rows), -1)
        self._offsets, self._sides = rounds.offsets, len(table.points)
        self._seen = np.zeros(rounds.encoding.size + rounds.encoding.actions, np.int8)
        """What the seat to act knows, and its action mask."""
        _begin(self._state, self._words)
        self._look(self.turn, self._seen)

    def play(self, card: int) -> bool:
        """Play a card for the seat to act; False if it is illegal, and nothing is done."""
        if not 0 <= card < CARDS:
            return False
        turn = _play(
            self._state, self._words, self._to_bits, self._to_cards, self._begin, self._order,
            self._offsets, card, self._seen,
        )  # fmt: skip
        if turn < 0:
            return False
        self.turn = turn
        return True

    @property
    def is_over(self) -> bool:
        """Whether all cards are played."""
        return not self._state[LEFT]

    def scores(self) -> list[int]:
        """The final score of each side."""
        scores = np.zeros(self._sides, np.int64)
        _scores(self._state, self._words, scores)
        return scores.tolist()

    def observation(self, seat: int) -> Int8s:
        """What a seat knows, followed by its action mask."""
        seen = self._seen.copy()
        if seat != self.turn:
            self._look(seat, seen)
        return seen

    def _look(self, seat: int, out: Int8s) -> None:
        _look(
            self._state, self._words, self._to_cards, self._begin, self._order, self._offsets,
            seat, out,
        )  # fmt: skip


class CompiledRng(Rng):
    """Shuffles in compiled code, as `Rng` does: half the time of a new round were its draws."""

    def shuffle(self, items: MutableSequence[T]) -> None:
        """Put `items` into random order, in place."""
        order, state = np.arange(len(items)), rng_array(self)
        _shuffle(order, state)
        take_back(self, state)
        items[:] = [items[place] for place in order.tolist()]


# --- compiled ----------------------------------------------------------------------------

_LEGAL, _LEADER, _WORDS = STATE_WORDS, STATE_WORDS + 1, STATE_WORDS + 2
"""What follows a state here: the legal cards, and the leader of the first trick."""


@uncounted
def _begin(state: Words, game: Words) -> None:
    state[_LEGAL] = legal(state, game)


@uncounted
def _play(
    state: Words,
    game: Words,
    to_bits: NDArray[np.uint8],
    to_cards: NDArray[np.uint8],
    begin: Int8s,
    order: Int8s,
    offsets: Numbers,
    card: Int,
    seen: Int8s,
) -> Int:
    single = ONE << np.uint64(to_bits[card])
    if state[_LEGAL] & single == ZERO or to_cards[to_bits[card]] != card:
        return -1
    play_and_order(state, game, single, order, card)
    state[_LEGAL] = legal(state, game) if state[LEFT] != ZERO else ZERO
    turn = np.int64(state[TURN])
    _look(state, game, to_cards, begin, order, offsets, turn, seen)
    return turn


@uncounted
def _look(
    state: Words,
    game: Words,
    to_cards: NDArray[np.uint8],
    begin: Int8s,
    order: Int8s,
    offsets: Numbers,
    seat: Int,
    out: Int8s,
) -> None:
    turn, size = np.uint64(seat), begin.shape[1]
    write_observation(state, game, to_cards, begin[seat], order, state[_LEADER], offsets, turn, out)
    for at in range(size, len(out)):
        out[at] = 0
    if turn == state[TURN]:
        enter_cards(state[_LEGAL], to_cards, out, size)


@uncounted
def _scores(state: Words, game: Words, scores: Numbers) -> None:
    final_scores(state, game, scores)


@uncounted
def _shuffle(order: Numbers, rng: Words) -> None:
    for i in range(len(order) - 1, 0, -1):
        j = np.int64(below(rng, np.uint64(i + 1)))
        order[i], order[j] = order[j], order[i]


@inlined
def play_and_order(state: Words, game: Words, single: Word, order: Int8s, card: Int) -> None:
    """Play a legal card, and note which of the round it is."""
    before = (game[TRICKS] - state[LEFT]) * game[PLAYERS]
    table = state[TABLE]
    while table != ZERO:
        before += ONE
        table &= table - ONE
    order[card] = np.int8(before + ONE)
    play(state, game, single)


_PARTS = (
    "table",
    "order",
    "on_table",
    "trick",
    "opened",
    "played 0",
    "points 0",
    "bonus 0",
    "leader 0",
)
(
    _TABLE,
    _ORDER,
    _ON_TABLE,
    _TRICK,
    _OPENED,
    _PLAYED_BY,
    _POINTS,
    _BONUS,
    _LEADS,
    _PLACE_SIZE,
) = range(len(_PARTS) + 1)


def offsets_of(encoding: Encoding) -> Numbers:
    """Where `write_observation` writes what; the last entry is the size of a place."""
    starts = [encoding.parts[part].start for part in _PARTS]
    return np.array([*starts, encoding.place_size], np.int64)


@inlined
def write_observation(
    state: Words,
    game: Words,
    to_cards: NDArray[np.uint8],
    begin: Int8s,
    order: Int8s,
    leader: Word,
    offsets: Numbers,
    seat: Word,
    out: Int8s,
) -> None:
    """Write what a seat knows; `begin` is what it observed before the first card, without hand."""
    for at in range(len(begin)):
        out[at] = begin[at]
    enter_cards(state[HANDS + seat], to_cards, out, 0)
    on_table = enter_cards(state[TABLE], to_cards, out, offsets[_TABLE])
    for card in range(CARDS):
        out[offsets[_ORDER] + card] = order[card]
    out[offsets[_ON_TABLE]] = 0
    out[offsets[_ON_TABLE] + on_table] = 1
    out[offsets[_TRICK]] = np.int8(game[TRICKS] - state[LEFT])
    out[offsets[_OPENED]] = np.int8(state[OPENED] & ONE)
    at = 0
    for _ in range(np.int64(game[PLAYERS])):
        out[offsets[_LEADS] + at] = np.int8(seat == leader)
        enter_cards(state[PLAYED + seat], to_cards, out, offsets[_PLAYED_BY] + at)
        taken = state[TAKEN + side_of(game, seat)]
        _enter_number(taken & _PART, out, offsets[_POINTS] + at)
        _enter_number(taken >> S16 & _PART, out, offsets[_BONUS] + at)
        seat += game[STEP]
        seat = seat - game[PLAYERS] if seat >= game[PLAYERS] else seat
        at += offsets[_PLACE_SIZE]


@inlined
def enter_cards(cards: Word, to_cards: NDArray[np.uint8], out: Int8s, first: Int) -> Int:
    """Enter a set of cards; how many they are."""
    count = 0
    while cards != ZERO:
        out[first + to_cards[ctz(cards)]] = 1
        cards &= cards - ONE
        count += 1
    return count


@inlined
def _enter_number(number: Word, out: Int8s, at: Int) -> None:
    tens = np.int64(number // np.uint64(10))
    out[at] = np.int8(tens if tens < 127 else 127)
    out[at + 1] = np.int8(np.int64(number) - 10 * tens)
