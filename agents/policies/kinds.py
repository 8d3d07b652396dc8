"""Kinds of policies: all say how much each legal card weighs for the seat in turn.

| kind | weights |
|---|---|
| tables | products of entries in small tables (`tables`): by far the fastest |
| a network | exp(value / temperature), the values being what the cards will come to (`network`) |
| rules | nearly all on the card that a rule player plays, the rest on the others (`by_rule`) |

Hot loops look cards up in tables themselves. Whatever else there is, is asked by `weigh_in`, card
by card, with the state of the round, what there was to notice (`scheme`) and, for rules, a book
of the cards played (`arena.games.rulebook`).
"""

from __future__ import annotations

import abc
from collections.abc import Mapping
from typing import ClassVar, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from agents.policies.asking import Asked, ask, late_row
from agents.policies.card_values import Valuer, weigh_by
from agents.policies.features import Deck
from agents.policies.tables import Factors, chances
from arena.core.errors import ArenaError, did_you_mean
from arena.core.rules import Rules
from arena.games.kernel.bits import kth_bit, popcount
from arena.games.kernel.jit import inlined, uncounted
from arena.games.kernel.layout import ONE, PLAYED, THREE, TURN, TWO, ZERO, Int, Word, Words
from arena.games.kernel.rng import next64
from arena.games.kernel.spec import KernelGame
from arena.games.observation import Observation, watch
from arena.games.rulebook import COUNT, Book, advised

_S11 = np.uint64(11)
_UNIT = 2.0**-53


class BySeat(NamedTuple):
    """A style that not all seats have: some play by tables, or only by their likeliest card."""

    deck: Deck
    factors: Factors
    rows: NDArray[np.int64]
    """By seat: the row of its tables; -1 if it plays in the style."""
    greedy: NDArray[np.int64]
    """By seat: whether it plays its likeliest card, but for slips."""
    slips: float
    first_voids: Words
    """The suits that each seat had not followed at the decision."""
    voids: Words
    """The same where compiled code is; to be kept up to date by who plays on."""
    asked: Asked | None
    """The agent to ask, if the style is that of an agent."""


class Style(NamedTuple):
    """A way to play that is not by tables, at one decision, for compiled code.

    By a network or by a book; what is None is not compiled.
    """

    valuer: Valuer | None
    book: Book | None
    """What rules look at; to be kept up to date by who plays on."""
    slips: float
    """By rules: how often another card is played."""
    power: float
    """The power to which weights are raised; of a network, of exp(value)."""
    weights: NDArray[np.float64]
    """Room for those of the cards."""
    by_seat: BySeat | None = None
    """None: all seats play in the style."""


Shares: TypeAlias = Mapping[str, float]
"""How likely each type is; one that is not named is not expected."""


class Policy(abc.ABC):
    """The probability of each legal card, given what a seat knows."""

    types: tuple[str, ...]
    """Names of the ways to play that it knows."""
    recipe: str

    @property
    def shares(self) -> tuple[Shares, Shares]:
        """How likely each type is, of others and of partners, where nothing else is said."""
        first = {self.types[0]: 1.0}
        return first, first

    @property
    @abc.abstractmethod
    def games(self) -> tuple[str, ...]:
        """The games that it is for."""

    @property
    @abc.abstractmethod
    def sha256(self) -> str:
        """The hash of the model, for the fingerprint."""

    @abc.abstractmethod
    def factors(self, game: KernelGame, sharpness: float = 1.0) -> Factors:
        """Tables, a row for each type, raised to a power; of other kinds a row that is empty."""

    @abc.abstractmethod
    def style(self, observed: Observation, sharpness: float = 1.0) -> Style | None:
        """How it plays at a decision; None if by its tables."""

    def dealt_factors(self, game: KernelGame) -> NDArray[np.float32] | None:
        """Evidence of bids, a row for each type; None if the policy has none."""
        return None

    def check(self, rules: Rules) -> None:
        """Raise `ArenaError` unless the policy is for a game."""
        if rules.name not in self.games:
            raise ArenaError(f"the policy is for {', '.join(self.games)}, not for {rules.name}")

    def number(self, name: str) -> int:
        """The number of a type; '' is the first."""
        if name and name not in self.types:
            raise ArenaError(f"type: unknown {name!r}; {did_you_mean(name, self.types)}")
        return self.types.index(name) if name else 0

    def __hash__(self) -> int:
        return hash(self.sha256)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Policy) and self.sha256 == other.sha256


class OfOneType(Policy):
    """A policy that is not by tables, and knows one way to play."""

    no_factors: ClassVar[Factors] = np.zeros((1, 0), np.float32)

    def factors(self, game: KernelGame, sharpness: float = 1.0) -> Factors:
        """One row that is empty."""
        self.check(game.rules)
        return self.no_factors


# --- compiled ----------------------------------------------------------------------------


@inlined
def weigh_in(
    style: Style, state: Words, game: Words, seen: Words, cards: Word, weights: NDArray[np.float64]
) -> float:
    """The weight of each of the legal `cards`, lowest first, for the seat in turn; their sum."""
    return _weigh(
        style.valuer, style.book, style.slips, style.power, style.by_seat, state, game, seen,
        cards, weights,
    )  # fmt: skip


# What a function is given as None, numba knows when it compiles it.
@uncounted
def _weigh(
    valuer: Valuer | None,
    book: Book | None,
    slips: float,
    power: float,
    by_seat: BySeat | None,
    state: Words,
    game: Words,
    seen: Words,
    cards: Word,
    weights: NDArray[np.float64],
) -> float:
    if by_seat is None:
        return _weigh_in_style(valuer, book, slips, power, state, game, seen, cards, weights)
    seat = np.int64(state[TURN])
    row = _row_of(by_seat.asked, by_seat.rows[seat], state)
    if row >= 0:
        total = chances(
            state, game, by_seat.voids, by_seat.deck, by_seat.factors, row, cards, weights
        )
    else:
        total = _weigh_by_agent(by_seat.asked, state, cards, weights)
        if total < 0.0:
            total = _weigh_in_style(valuer, book, slips, power, state, game, seen, cards, weights)
    if by_seat.greedy[seat]:
        return _only_likeliest(np.int64(popcount(cards)), by_seat.slips, weights)
    return total


@uncounted
def _row_of(asked: Asked | None, row: Int, state: Words) -> Int:
    """The row of the seat in turn, or where an agent is not asked any more the one instead."""
    return row if asked is None else late_row(asked, row, state)


@uncounted
def _weigh_by_agent(
    asked: Asked | None, state: Words, cards: Word, weights: NDArray[np.float64]
) -> float:
    """What an agent says; below 0 if there is none to ask."""
    return -1.0 if asked is None else ask(asked, state, cards, weights)


@uncounted
def _only_likeliest(count: Int, slips: float, weights: NDArray[np.float64]) -> float:
    """All weight on the likeliest card, the first of equals, but for slips; the sum."""
    best = 0
    for i in range(1, count):
        if weights[i] > weights[best]:
            best = i
    for i in range(count):
        weights[i] = slips / (count - 1) if i != best else 1.0 - slips
    return 1.0


@uncounted
def _weigh_in_style(
    valuer: Valuer | None,
    book: Book | None,
    slips: float,
    power: float,
    state: Words,
    game: Words,
    seen: Words,
    cards: Word,
    weights: NDArray[np.float64],
) -> float:
    if valuer is not None:
        return weigh_by(state, game, seen, valuer, power, cards, weights)
    if book is not None:
        return _weigh_by_rule(book, slips, power, state, game, cards, weights)
    return 0.0


@uncounted
def _weigh_by_rule(
    book: Book,
    slips: float,
    power: float,
    state: Words,
    game: Words,
    cards: Word,
    weights: NDArray[np.float64],
) -> float:
    found = advised(state, game, book, cards)
    others = cards & ~found
    slipped = slips if others != ZERO else 0.0
    by_rule = ((1.0 - slipped) / np.float64(popcount(found))) ** power
    besides = (slipped / np.float64(max(popcount(others), ONE))) ** power
    total, count = 0.0, 0
    while cards != ZERO:
        card = cards & (~cards + ONE)
        cards ^= card
        weight = by_rule if found & card != ZERO else besides
        weights[count] = weight
        total += weight
        count += 1
    return total


@uncounted
def _turn_to(book: Book | None, state: Words) -> None:
    """A book has the whole past: how much of it was past then is how many had been played."""
    if book is not None:
        played = state[PLAYED] | state[PLAYED + ONE] | state[PLAYED + TWO] | state[PLAYED + THREE]
        book[COUNT] = popcount(played)


@uncounted
def _take_voids(by_seat: BySeat | None, voids: Words) -> None:
    if by_seat is not None:
        for seat in range(len(by_seat.voids)):
            by_seat.voids[seat] = voids[seat]


@uncounted
def open_voids(by_seat: BySeat | None) -> None:
    """Forget the suits that were not followed since the decision."""
    if by_seat is not None:
        _take_voids(by_seat, by_seat.first_voids)


@uncounted
def watch_in(by_seat: BySeat | None, state: Words, card: Word) -> None:
    """Record a suit that the seat to act does not follow. Call it before `play`."""
    if by_seat is not None:
        watch(state, by_seat.voids, card)


@uncounted
def chance_in(
    style: Style | None,
    state: Words,
    game: Words,
    seen: Words,
    voids: Words,
    cards: Word,
    card: Word,
) -> float:
    """How likely the seat in turn is to play `card`, one of the legal `cards`; below 0 if it plays
    by tables, which say it themselves."""
    if style is None:
        return -1.0
    _turn_to(style.book, state)
    _take_voids(style.by_seat, voids)
    total = weigh_in(style, state, game, seen, cards, style.weights)
    return float(style.weights[popcount(cards & (card - ONE))]) / total


@inlined
def draw_by(
    style: Style,
    state: Words,
    game: Words,
    seen: Words,
    cards: Word,
    among: Word,
    rng: Words,
) -> Word:
    """One of `among`, some of the legal `cards`, as likely as they weigh."""
    weights = style.weights
    total = weigh_in(style, state, game, seen, cards, weights)
    if among != cards:
        total, number, left = 0.0, 0, cards
        while left != ZERO:
            card = left & (~left + ONE)
            left ^= card
            if among & card == ZERO:
                weights[number] = 0.0
            total += weights[number]
            number += 1
    goal = total * (np.float64(next64(rng) >> _S11) * _UNIT)
    upto, passed = 0.0, ZERO
    for i in range(np.int64(popcount(cards)) - 1):
        upto += weights[i]
        passed += ONE if upto <= goal else ZERO
    card = Word(kth_bit(cards, passed))
    # If all that is left weighs nothing, or the sum was rounded, any of them will do.
    return card if among & card != ZERO else Word(among & (~among + ONE))
