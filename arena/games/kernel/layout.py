"""Where things are in the kernel's two arrays, and how its words are divided.

A *state* is a round in progress, known in full: 24 words (uint64). A *game* is the rules
with the trump of the round: parameters and tables, also words, and never written to.
Sets of cards are masks in kernel coordinates: four lanes of 16 bits, one for each suit;
inside a lane cards ascend by strength, and if there is a trump suit its lane is the top
one. So the card that holds a trick is the greatest of those in the suit led or trump.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

Words: TypeAlias = np.ndarray[Any, np.dtype[np.uint64]]
Word: TypeAlias = np.uint64
Numbers: TypeAlias = np.ndarray[Any, np.dtype[np.int64]]
Int: TypeAlias = Any
"""A whole number: `int` in Python, `int64` in compiled code."""

# --- the state ---------------------------------------------------------------------------

# What a seat or a side, itself a word, is added to must be a word: int64 + uint64 is a float.
HANDS = np.uint64(0)
"""`state[HANDS + seat]`: the cards of a seat."""
TAKEN = np.uint64(4)
"""`state[TAKEN + side]`: points, bonus and tricks of a side; see `unpack`."""
TABLE = 8
"""The cards of the trick in progress."""
LED = 9
"""The whole lane of the suit led; 0 before the lead."""
BEST = 10
"""The card that holds the trick."""
HOLDER = 11
"""The seat that holds the trick."""
TURN = 12
"""The seat to act; when a round is over, the seat that took the last trick."""
LEFT = 13
"""Tricks not yet finished, the one in progress included; 0 when the round is over."""
DECLARER = 14
"""The seat that declared, in games that have one."""
OPENED = 15
"""What tricks have brought about once and for all, a bit each: bit 0 is set once the suit that
may not be led at first has been broken, the others are the game's own."""
PLAYED = np.uint64(16)
"""`state[PLAYED + seat]`: the cards that a seat has played in this round."""
OWN_STATE = 20
"""From here on, words that each game names for itself, such as what was bid; playouts do not
write them. The first one is handed to the game's functions as `calls`."""
STATE_WORDS = 24

# --- the game ----------------------------------------------------------------------------

KIND = 0
"""Which game's functions to use: its number among the kernels (see `contract`)."""
PLAYERS = 1
STEP = 2
"""The next turn is that of `(seat + STEP) % PLAYERS`."""
SIDE_OF = 3
"""The side that each seat scores for, two bits a seat: see `step.side_of`."""
TRICKS = 4
"""Tricks in a round, and so cards in a hand."""
TRUMPS = 5
"""The whole lane of the trump suit; 0 if there is none."""
DECK = 6
"""All cards of the game."""
LAST_TRICK = 7
"""Points for the last trick."""
RULE = 8
"""Which of the game's rules for following suit is played; the numbers are the game's own."""
SIDES = 9
"""How many sides there are."""
FEW_ARE_GOOD = 10
"""1 if the side with the lowest score wins."""
FIRST_LEAD = 11
"""The card that gives its holder the first lead; 0 if the deal names the leader."""
BY_STEPS = 12
"""1 if playouts go card by card: with two or three players, and under rules that the loops for
whole tricks do not know."""
OWN = 13
"""From here on, parameters that each game names for itself. The first one is handed to the
game's functions as `first_parameter`: loops load it once."""
FUNCTIONS = 32
"""From here on, the addresses of functions: those of the contract, in games of plug-ins, and the
loops of playouts."""
TABLES = 48
"""From here on, tables."""

# --- flags of semi-random play ------------------------------------------------------------

PROTECT_TENS, BETTER = np.uint64(1), np.uint64(2)
"""The switches of each game's `semi_random.candidates`; both are on by default."""
USUAL_FLAGS = PROTECT_TENS | BETTER

# --- words -------------------------------------------------------------------------------

ZERO, ONE, TWO, THREE = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)
S16, S32, S48 = np.uint64(16), np.uint64(32), np.uint64(48)
"""Shifts: to the next lanes, and to the parts of a word of `TAKEN`."""
LOW_SUIT = np.uint64(0xFFFF)
"""The lowest lane."""
TOP_SUIT = np.uint64(0xFFFF << 48)
"""The lane of the trump suit, if there is one."""
SUIT_WIDTH = 16
LOW_HALF = np.uint64(0xFFFFFFFF)
ONE_TRICK = np.uint64(1 << 32)


def pack(points: int, bonus: int, tricks: int) -> int:
    """A word of `TAKEN`."""
    return points | bonus << 16 | tricks << 32


def unpack(taken: Word) -> tuple[int, int, int]:
    """Points, bonus (roem, or Weis and Stöck) and tricks in a word of `TAKEN`."""
    word = int(taken)
    return word & 0xFFFF, word >> 16 & 0xFFFF, word >> 32
