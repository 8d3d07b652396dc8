"""Klaverjas for the compiled kernel: the rules of `rules.py` on masks in kernel coordinates."""

from __future__ import annotations

import numpy as np

from arena.core.cards import LANE as SUIT_BITS
from arena.core.cards import RANKS, cards_of, mask_of
from arena.games.kernel.bits import ctz, popcount
from arena.games.kernel.jit import inlined
from arena.games.kernel.layout import (
    BETTER,
    BY_STEPS,
    DECLARER,
    HOLDER,
    LAST_TRICK,
    LED,
    LOW_SUIT,
    ONE,
    OWN,
    PLAYED,
    PROTECT_TENS,
    RULE,
    S16,
    S32,
    S48,
    TABLES,
    TAKEN,
    THREE,
    TOP_SUIT,
    TWO,
    ZERO,
    Numbers,
    Word,
    Words,
)
from arena.games.kernel.order import kernel_bits
from arena.games.kernel.spec import KernelGame, game_words, suit_contents
from arena.games.klaverjas import tables
from arena.games.klaverjas.rules import Klaverjas, roem

CLOCKWISE, PAIRS = True, True

# --- parameters --------------------------------------------------------------------------

# Values of `RULE`:
ROTTERDAM, AMSTERDAM, OFFICIAL = np.uint64(0), np.uint64(1), np.uint64(2)
PROGRAM_2022, PROGRAM_2017 = np.uint64(3), np.uint64(4)
SPECIAL_RULES = (ROTTERDAM,)
_RULES = {
    "rotterdam": ROTTERDAM,
    "amsterdam": AMSTERDAM,
    "amsterdam-official": OFFICIAL,
    "amsterdam-2022": PROGRAM_2022,
    "rotterdam-2017": PROGRAM_2017,
}
FOUR_JACKS = OWN
"""Roem for four jacks, already where it stands in a word of `TAKEN`."""
TIE_IS_NAT = OWN + 1
PIT = OWN + 2
ROUND_POINTS = OWN + 3
ACES, TENS = OWN + 4, OWN + 5
"""Aces and tens of the plain suits."""
WORTHLESS = OWN + 6
"""The cards without points."""

LANE_SIZE = 1 << len(tables.PLAIN_ORDER)
PLAIN_VALUE = np.uint64(TABLES)
"""Points and roem of the cards of a plain lane, as in a word of `TAKEN`; and if it is a
single card, a one in the hexadecimal digit of its rank, from bit 32 on."""
TRUMP_VALUE = np.uint64(TABLES + LANE_SIZE)
PLAIN_RAISES = np.uint64(TABLES + 2 * LANE_SIZE)
"""The cards that would raise the roem of a plain lane."""
TRUMP_RAISES = np.uint64(TABLES + 3 * LANE_SIZE)
ALIKE = np.uint64(TABLES + 4 * LANE_SIZE)
"""The four cards of a rank, ranks in natural order."""

_NATURAL_ORDER = "".join(rank for rank in RANKS if rank in tables.PLAIN_ORDER)
_FOURS = np.uint64(0x44444444 << 32)
_ONES = np.uint64(0x11111111 << 32)
_FOUR_JACKS = np.uint64(4 << 32 + 4 * _NATURAL_ORDER.index("J"))
_TAKEN_PARTS = np.uint64(0xFFFFFFFF)
_COUNT = np.uint64(0xFFFF)
_FOUR_ALIKE = np.uint64(tables.FOUR_ALIKE << 16)


# --- playing -----------------------------------------------------------------------------


@inlined
def following(
    rule: Word,
    game: Words,
    trumps: Word,
    hand: Word,
    table: Word,
    led: Word,
    best: Word,
    partner_holds: bool,
    first_trick: bool,
) -> Word:
    """The cards that may be played to a trick that has been led."""
    own_trumps = hand & TOP_SUIT
    higher = own_trumps & ~(best | (best - ONE))
    if rule == AMSTERDAM and partner_holds:
        free = hand & led
        return free if free != ZERO else hand
    if rule == PROGRAM_2022 and partner_holds:
        free = hand & led & ~TOP_SUIT
        return free if free != ZERO else hand
    duty = own_trumps if own_trumps != ZERO else hand
    if rule == OFFICIAL and led != TOP_SUIT:
        discards = hand & ~TOP_SUIT
        duty = discards if discards != ZERO else hand
        if partner_holds:
            allowed = discards | higher
            duty = allowed if allowed != ZERO else hand
            higher = ZERO
    duty = higher if higher != ZERO else duty
    plain = hand & led & ~TOP_SUIT
    return plain if plain != ZERO else duty


@inlined
def trick_value(game: Words, first_parameter: Word, table: Word) -> Word:
    """Points and roem of a trick, without those for the last one.

    `first_parameter` is `game[FOUR_JACKS]`.
    """
    value = _lanes_value(game, table)
    taken = value & _TAKEN_PARTS
    if value & _FOURS != ZERO:
        taken += first_parameter if value & _FOUR_JACKS != ZERO else _FOUR_ALIKE
    return taken


@inlined
def _lanes_value(game: Words, table: Word) -> Word:
    return Word(
        game[PLAIN_VALUE + (table & LOW_SUIT)]
        + game[PLAIN_VALUE + (table >> S16 & LOW_SUIT)]
        + game[PLAIN_VALUE + (table >> S32 & LOW_SUIT)]
        + game[TRUMP_VALUE + (table >> S48)]
    )


@inlined
def taker(state: Words, game: Words, table: Word) -> Word:
    """The holder takes a complete trick; in the program of 2017, the card with most points does."""
    if game[RULE] != PROGRAM_2017:
        return Word(state[HOLDER])
    trumped = table & TOP_SUIT
    can_win = trumped if trumped != ZERO else table & state[LED]
    # Points rise with strength. Only cards without points must be compared by strength.
    if can_win & ~game[WORTHLESS] == ZERO:
        for number in range(4):
            seat = Word(number)
            if state[PLAYED + seat] & can_win != ZERO:
                return seat
    return Word(state[HOLDER])


@inlined
def final_scores(state: Words, game: Words, scores: Numbers) -> None:
    """Nat and pit decide what points and roem are worth."""
    # The CPU cannot predict a nat: masks are faster than branches here.
    odd_declares = ZERO - (state[DECLARER] & ONE)
    even, odd = state[TAKEN], state[TAKEN + ONE]
    differing = (even ^ odd) & odd_declares
    ours, theirs = even ^ differing, odd ^ differing
    roem_of_both = (ours >> S16 & _COUNT) + (theirs >> S16 & _COUNT)
    our_count = (ours & _COUNT) + (ours >> S16 & _COUNT)
    their_count = (theirs & _COUNT) + (theirs >> S16 & _COUNT)
    nat = ZERO - Word(our_count < their_count + game[TIE_IS_NAT])
    if theirs >> S32 == ZERO:
        our_count += game[PIT]
    our_score = our_count & ~nat
    their_score = (their_count & ~nat) | ((game[ROUND_POINTS] + roem_of_both) & nat)
    differing = (our_score ^ their_score) & odd_declares
    scores[0] = np.int64(our_score ^ differing)
    scores[1] = np.int64(their_score ^ differing)


# --- semi-random play --------------------------------------------------------------------


@inlined
def semi_following(
    semi_random_flags: Word,
    game: Words,
    trumps: Word,
    calls: Word,
    seat: Word,
    cards: Word,
    table: Word,
    led: Word,
    best: Word,
    partner_holds: bool,
) -> Word:
    """`semi_random.candidates` as a mask, for a trick that has been led."""
    can_win = led | TOP_SUIT
    ours = cards if partner_holds else cards & can_win & ~(best | (best - ONE))
    place = popcount(table)
    raising = _raising(game, table, place) if place >= TWO else ZERO
    chosen = ours & raising if place == THREE and semi_random_flags & BETTER != ZERO else ZERO
    protected = game[ACES] | game[TENS] if semi_random_flags & PROTECT_TENS != ZERO else game[ACES]
    good = cards & (ours | ~(raising | (protected & ~can_win)))
    good = good if good != ZERO else cards
    return chosen if chosen != ZERO else good


@inlined
def _raising(game: Words, table: Word, place: Word) -> Word:
    """All cards of the deck that would raise the roem of the table."""
    cards = Word(
        game[PLAIN_RAISES + (table & LOW_SUIT)]
        | game[PLAIN_RAISES + (table >> S16 & LOW_SUIT)] << S16
        | game[PLAIN_RAISES + (table >> S32 & LOW_SUIT)] << S32
        | game[TRUMP_RAISES + (table >> S48)] << S48
    )
    if place == THREE:
        value = _lanes_value(game, table)
        # A digit is 3, both of its low bits set, if the three cards are alike.
        three_alike = value & value >> ONE & _ONES
        if three_alike != ZERO:
            cards |= game[ALIKE + (ctz(three_alike) - S32 >> TWO)] & ~table
    return cards


# --- parameters and tables from the rules ------------------------------------------------


def kernel_game(rules: Klaverjas, trump: int) -> KernelGame:
    """The rules with a trump suit."""
    bits = kernel_bits(tables.DECK, trump, tables.STRENGTH[trump])
    cards = {bit: card for card, bit in bits.items()}
    words = game_words(rules, trump, bits, table_words=4 * LANE_SIZE + 8)
    words[LAST_TRICK] = tables.LAST_TRICK
    words[RULE] = _RULES[rules.variant]
    if rules.variant == "rotterdam-2017":
        words[BY_STEPS] = 1  # the loops do not know which seat played which card
    words[FOUR_JACKS] = rules.four_jacks << 16
    words[TIE_IS_NAT] = rules.tie_is_nat
    words[PIT] = tables.PIT
    words[ROUND_POINTS] = tables.ROUND_POINTS
    worthless = (bits[card] for card in bits if not tables.POINTS[trump][card])
    words[WORTHLESS] = mask_of(worthless)
    plain_deck = tables.DECK & ~tables.SUIT_MASK[trump]
    for parameter, rank in ((ACES, "A"), (TENS, "T")):
        words[parameter] = mask_of(
            bits[card] for card in cards_of(plain_deck) if card % SUIT_BITS == RANKS.index(rank)
        )
    for number, name in enumerate(_NATURAL_ORDER):
        alike = (SUIT_BITS * suit + RANKS.index(name) for suit in range(4))
        words[int(ALIKE) + number] = mask_of(bits[card] for card in alike)

    for lane, value_table, raises_table in (
        (0, PLAIN_VALUE, PLAIN_RAISES),
        (3, TRUMP_VALUE, TRUMP_RAISES),
    ):
        in_lane = suit_contents(cards, lane, LANE_SIZE)
        found = [_roem_in_lane(rules, in_lane[mask], trump) for mask in range(LANE_SIZE)]
        for mask in range(LANE_SIZE):
            points = sum(tables.POINTS[trump][card] for card in in_lane[mask])
            single = 0
            if len(in_lane[mask]) == 1:
                name = RANKS[in_lane[mask][0] % SUIT_BITS]
                single = 1 << 32 + 4 * _NATURAL_ORDER.index(name)
            words[int(value_table) + mask] = points | found[mask] << 16 | single
            words[int(raises_table) + mask] = sum(
                1 << place
                for place in range(len(_NATURAL_ORDER))
                if not mask >> place & 1 and found[mask | 1 << place] > found[mask]
            )
    return KernelGame(rules, trump, words, bits)


def _roem_in_lane(rules: Klaverjas, cards: tuple[int, ...], trump: int) -> int:
    # More cards than a trick has are never looked up.
    return roem(cards, trump, rules.four_jacks) if len(cards) <= 4 else 0
