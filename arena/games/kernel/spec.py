"""A game in kernel coordinates, and conversions from and to cards.

A game takes part by having a module `kernel` in its package that keeps the `contract`;
`kernel_game` finds it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Protocol

import numpy as np

from arena.core.cards import SUITS, cards_of
from arena.core.rules import Bid, Rules, Standing, Trick, View
from arena.core.seeds import Rng
from arena.games.kernel.bits import ctz
from arena.games.kernel.contract import (
    PROTOTYPES,
    check_agreement,
    complaint,
    kernel_of,
    slot_of,
)
from arena.games.kernel.jit import uncounted
from arena.games.kernel.layout import (
    BEST,
    BY_STEPS,
    DECK,
    DECLARER,
    FEW_ARE_GOOD,
    HANDS,
    HOLDER,
    KIND,
    LED,
    LEFT,
    ONE,
    OPENED,
    PLAYED,
    PLAYERS,
    SIDE_OF,
    SIDES,
    STATE_WORDS,
    STEP,
    SUIT_WIDTH,
    TABLE,
    TABLES,
    TAKEN,
    TRICKS,
    TRUMPS,
    TURN,
    ZERO,
    Word,
    Words,
    pack,
)
from arena.games.kernel.pointers import address_of

_LANE = (1 << SUIT_WIDTH) - 1
_HANDS, _TAKEN, _PLAYED = int(HANDS), int(TAKEN), int(PLAYED)


class Table(Protocol):
    """What is common to a round in progress and a seat's view of it."""

    @property
    def tricks(self) -> tuple[Trick, ...]:
        """The finished tricks."""

    @property
    def table(self) -> tuple[int, ...]:
        """Cards of the trick in progress, in the order of play."""

    @property
    def table_leader(self) -> int | None:
        """The seat that led the trick in progress."""

    @property
    def declarer(self) -> int | None:
        """The seat that declared."""

    @property
    def bids(self) -> tuple[Bid, ...]:
        """The calls of the auction."""

    @property
    def standing(self) -> Standing:
        """The standing of the match before the round."""

    @property
    def opened(self) -> bool:
        """Whether the suit that may not be led at first has been broken."""

    @property
    def points(self) -> tuple[int, ...]:
        """Card points per side."""

    @property
    def bonus(self) -> tuple[int, ...]:
        """Bonus per side."""


@uncounted
def translate(mask: Word, bit_of: np.ndarray) -> Word:
    """A mask with every bit moved to where `bit_of` says."""
    result = ZERO
    while mask != ZERO:
        result |= ONE << np.uint64(bit_of[ctz(mask)])
        mask &= mask - ONE
    return result


@uncounted
def translate_all(masks: Words, bit_of: np.ndarray, results: Words) -> None:
    """`translate` for each of some masks."""
    for i in range(len(masks)):
        results[i] = translate(masks[i], bit_of)


class KernelGame:
    """Rules with the trump of a round (None if the game has none), ready for the kernel.

    `fill_in(table, state)` is given every new state, a list of numbers, and puts into it what
    only the game knows: its own words, and the bits of `OPENED` but the first. The other words are
    not always there when it is called.
    """

    def __init__(
        self,
        rules: Rules,
        trump: int | None,
        words: Words,
        bits: dict[int, int],
        fill_in: Callable[[Table, list[int]], None] | None = None,
    ) -> None:
        self.rules = rules
        self.trump = trump
        self._memory = words
        self.words = words.view()
        """The array that compiled functions take as `game`; read-only."""
        self.bits = bits
        """The number of each card's bit."""
        self.fill_in = fill_in
        self.cards = {bit: card for card, bit in bits.items()}
        """The card of each bit."""
        self.to_bits = np.zeros(64, dtype=np.uint8)
        """For `translate`: from cards to kernel bits."""
        self.to_cards = np.zeros(64, dtype=np.uint8)
        """For `translate`: from kernel bits to cards."""
        for card, bit in bits.items():
            self.to_bits[card], self.to_cards[bit] = bit, card
        for array in (self.words, self.to_bits, self.to_cards):
            array.flags.writeable = False
        # Asked for every card that was played.
        seats = range(rules.players)
        self._next = tuple(rules.seat_after(seat) for seat in seats)
        self._side = tuple(rules.side_of(seat) for seat in seats)

    def __reduce__(self) -> tuple[Any, ...]:
        return kernel_game, (self.rules, self.trump)  # addresses are those of a process

    def set_function(self, slot: int, address: int) -> None:
        """Enter the address of a compiled function in a word of the game."""
        self._memory[slot] = address

    def mask(self, cards: int) -> Word:
        """A set of cards (a mask as in `arena.core.cards`) in kernel coordinates."""
        return np.uint64(translate(np.uint64(cards), self.to_bits))

    def card_mask(self, mask: Word) -> int:
        """A set of cards in kernel coordinates, as a mask as in `arena.core.cards`."""
        return int(translate(np.uint64(mask), self.to_cards))

    def masks(self, masks: Sequence[int]) -> Words:
        """Several sets of cards in kernel coordinates."""
        result = np.array(masks, dtype=np.uint64)
        translate_all(result, self.to_bits, result)
        return result

    def card(self, single: Word) -> int:
        """The card of a mask with one bit."""
        return self.cards[int(single).bit_length() - 1]

    def state(self, table: Table, hands: Sequence[int], turn: int) -> Words:
        """A round in progress: all but the hands from a view or from the referee's round.

        `hands` are masks as in `arena.core.cards`, one for each seat.
        """
        bits, rules, tricks = self.bits, self.rules, table.tricks
        state = [0] * STATE_WORDS
        won = [0] * len(table.points)
        for trick in tricks:
            seat = trick.leader
            for card in trick.cards:
                state[_PLAYED + seat] |= 1 << bits[card]
                seat = self._next[seat]
            won[self._side[trick.winner]] += 1
        for side, number in enumerate(won):
            state[_TAKEN + side] = pack(table.points[side], table.bonus[side], number)
        if table.table:
            assert table.table_leader is not None  # they led
            led = _LANE << (bits[table.table[0]] // SUIT_WIDTH * SUIT_WIDTH)
            can_win = led | int(self.words[TRUMPS])
            state[LED] = led
            seat = table.table_leader
            for card in table.table:
                single = 1 << bits[card]
                state[_PLAYED + seat] |= single
                state[TABLE] |= single
                if single & can_win and single > state[BEST]:
                    state[BEST], state[HOLDER] = single, seat
                seat = self._next[seat]
        state[TURN] = turn
        state[LEFT] = rules.hand_size - len(tricks)
        state[DECLARER] = table.declarer or 0
        state[OPENED] = int(table.opened)
        if self.fill_in is not None:
            self.fill_in(table, state)
        for seat, hand in enumerate(hands):
            if hand:
                state[_HANDS + seat] = int(translate(np.uint64(hand), self.to_bits))
        return np.array(state, dtype=np.uint64)

    def view_state(self, view: View) -> Words:
        """What a seat knows when it is to play: the other hands are empty, to be filled in."""
        hands = [view.hand if seat == view.seat else 0 for seat in range(self.rules.players)]
        return self.state(view, view.all_hands or hands, view.seat)


@cache
def kernel_game(rules: Rules, trump: int | None) -> KernelGame:
    """The rules with the trump of a round, for the kernel."""
    kernel = kernel_of(rules)
    game: KernelGame = kernel.module.kernel_game(rules, trump)
    if not kernel.is_ours:
        for name, call in PROTOTYPES.items():
            if kernel.has(name):
                game.set_function(slot_of(name), address_of(getattr(kernel.module, name), call))
    return game


def example_game(rules: Rules) -> KernelGame:
    """The rules with the trump of some round."""
    state = rules.start(rules.random_deal(Rng(0), 0))
    while state.phase in ("bid", "pass"):
        rules.apply(state, state.legal[0])
    return kernel_game(rules, state.trump)


def has_kernel(rules: Rules) -> bool:
    """Whether the compiled kernel can play a game."""
    return complaint(rules) is None


# --- what the games' modules need to build their words -----------------------------------


def game_words(rules: Rules, trump: int | None, bits: dict[int, int], table_words: int) -> Words:
    """The words of a game with all that is common to games; the tables are empty."""
    kernel = kernel_of(rules)
    check_agreement(kernel, rules)
    words = np.zeros(TABLES + table_words, dtype=np.uint64)
    words[KIND] = kernel.number
    words[PLAYERS] = rules.players
    words[BY_STEPS] = rules.players != 4
    words[STEP] = rules.seat_after(0)
    words[SIDE_OF] = sum(rules.side_of(seat) << 2 * seat for seat in range(rules.players))
    words[SIDES] = len(rules.sides)
    words[FEW_ARE_GOOD] = not rules.higher_wins
    words[TRICKS] = rules.hand_size
    words[TRUMPS] = _LANE << 3 * SUIT_WIDTH if trump is not None and trump < len(SUITS) else 0
    words[DECK] = sum(1 << bits[card] for card in cards_of(rules.deck))
    return words


def suit_contents(cards: dict[int, int], lane: int, size: int) -> list[tuple[int, ...]]:
    """The cards of each possible content of a lane, by its bits."""
    return [
        tuple(cards[SUIT_WIDTH * lane + bit] for bit in range(SUIT_WIDTH) if mask >> bit & 1)
        for mask in range(size)
    ]
