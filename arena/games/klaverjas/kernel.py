"""Klaverjas for the compiled kernel: the rules of `rules.py` on masks in kernel coordinates."""

from __future__ import annotations

import numpy as np

from arena.cards import LANE as SUIT_BITS
from arena.cards import RANKS, cards_of, mask_of
from arena.games.kernel.bits import ctz, popcount
from arena.games.kernel.jit import inlined
from arena.games.kernel.layout import (
    BEST,
    DECLARER,
    HOLDER,
    KLAVERJAS,
    LANE,
    LAST_TRICK,
    LED,
    ONE,
    OWN,
    S16,
    S32,
    S48,
    TABLE,
    TABLES,
    TAKEN,
    THREE,
    TRUMPS,
    TURN,
    TWO,
    ZERO,
    Word,
    Words,
)
from arena.games.kernel.order import kernel_bits
from arena.games.kernel.spec import KernelGame, game_words, lane_masks
from arena.games.klaverjas import tables
from arena.games.klaverjas.rules import Klaverjas, roem

__all__ = ["final_scores", "following", "kernel_game", "semi_candidates", "trick_value"]

# --- parameters --------------------------------------------------------------------------

RULE = OWN
"""What a player who cannot follow must do: one of the three numbers below."""
ROTTERDAM, AMSTERDAM, OFFICIAL = np.uint64(0), np.uint64(1), np.uint64(2)
_RULES = {"rotterdam": ROTTERDAM, "amsterdam": AMSTERDAM, "amsterdam-official": OFFICIAL}
FOUR_ALIKE, FOUR_JACKS = OWN + 1, OWN + 2
"""Roem, already where it stands in a word of `TAKEN`."""
TIE_IS_NAT = OWN + 3
PIT = OWN + 4
ROUND_POINTS = OWN + 5
ACES, TENS = OWN + 6, OWN + 7
"""Aces and tens of the plain suits."""

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
_JACKS = np.uint64(0xF << 32 + 4 * _NATURAL_ORDER.index("J"))
_TAKEN_PARTS = np.uint64(0xFFFFFFFF)
_ROEM = np.uint64(0xFFFF)


# --- playing -----------------------------------------------------------------------------


@inlined
def following(game: Words, hand: Word, led: Word, best: Word, partner_holds: bool) -> Word:
    """The cards that may be played to a trick that has been led."""
    trump = game[TRUMPS]
    trumps = hand & trump
    higher = trumps & ~(best | (best - ONE))
    plain = hand & led & ~trump
    if game[RULE] == AMSTERDAM and partner_holds:
        free = hand & led
        return free if free != ZERO else hand
    duty = trumps if trumps != ZERO else hand
    if game[RULE] == OFFICIAL and led != trump:
        discards = hand & ~trump
        duty = discards if discards != ZERO else hand
        if partner_holds:
            allowed = discards | higher
            duty = allowed if allowed != ZERO else hand
            higher = ZERO
    duty = higher if higher != ZERO else duty
    return plain if plain != ZERO else duty


@inlined
def trick_value(game: Words, table: Word) -> Word:
    """Points and roem of a trick, without those for the last one."""
    value = _lanes_value(game, table)
    taken = value & _TAKEN_PARTS
    if value & _FOURS != ZERO:
        taken += game[FOUR_JACKS] if value & _JACKS != ZERO else game[FOUR_ALIKE]
    return taken


@inlined
def _lanes_value(game: Words, table: Word) -> Word:
    return (
        game[PLAIN_VALUE + (table & LANE)]
        + game[PLAIN_VALUE + (table >> S16 & LANE)]
        + game[PLAIN_VALUE + (table >> S32 & LANE)]
        + game[TRUMP_VALUE + (table >> S48)]
    )


@inlined
def final_scores(state: Words, game: Words, scores: np.ndarray) -> None:
    """Nat and pit decide what points and roem are worth."""
    declaring = state[DECLARER] & ONE
    defending = declaring ^ ONE
    ours, theirs = state[TAKEN + declaring], state[TAKEN + defending]
    our_roem, their_roem = ours >> S16 & _ROEM, theirs >> S16 & _ROEM
    ours_counted = (ours & _ROEM) + our_roem
    theirs_counted = (theirs & _ROEM) + their_roem
    if ours_counted < theirs_counted or (
        ours_counted == theirs_counted and game[TIE_IS_NAT] != ZERO
    ):
        ours_counted = ZERO
        theirs_counted = game[ROUND_POINTS] + our_roem + their_roem
    elif theirs >> S32 == ZERO:
        ours_counted += game[PIT]
    scores[declaring] = np.int64(ours_counted)
    scores[defending] = np.int64(theirs_counted)


# --- semi-random play --------------------------------------------------------------------


@inlined
def semi_candidates(
    state: Words, game: Words, legal: Word, protect_tens: bool, better: bool
) -> Word:
    """`semi_random.candidates`, as a mask."""
    table = state[TABLE]
    if table == ZERO:
        return legal
    best = state[BEST]
    can_win = state[LED] | game[TRUMPS]
    partner_holds = (state[TURN] ^ state[HOLDER]) & ONE == ZERO
    ours = legal if partner_holds else legal & can_win & ~(best | (best - ONE))
    place = popcount(table)
    raising = _raising(game, table, place) if place >= TWO else ZERO
    if better and place == THREE:
        chosen = ours & raising
        if chosen != ZERO:
            return chosen
    protected = game[ACES] | game[TENS] if protect_tens else game[ACES]
    good = legal & (ours | ~(raising | (protected & ~can_win)))
    return good if good != ZERO else legal


@inlined
def _raising(game: Words, table: Word, place: Word) -> Word:
    """All cards of the deck that would raise the roem of the table."""
    cards = (
        game[PLAIN_RAISES + (table & LANE)]
        | game[PLAIN_RAISES + (table >> S16 & LANE)] << S16
        | game[PLAIN_RAISES + (table >> S32 & LANE)] << S32
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
    words = game_words(rules, KLAVERJAS, trump, bits, table_words=4 * LANE_SIZE + 8)
    words[LAST_TRICK] = tables.LAST_TRICK
    words[RULE] = _RULES[rules.variant]
    words[FOUR_ALIKE], words[FOUR_JACKS] = tables.FOUR_ALIKE << 16, rules.four_jacks << 16
    words[TIE_IS_NAT] = rules.tie_is_nat
    words[PIT] = tables.PIT
    words[ROUND_POINTS] = tables.ROUND_POINTS
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
        in_lane = lane_masks(cards, lane, LANE_SIZE)
        found = [_roem_in_lane(rules, in_lane[mask], trump) for mask in range(LANE_SIZE)]
        for mask in range(LANE_SIZE):
            points = sum(tables.POINTS[trump][card] for card in in_lane[mask])
            single = 0
            if len(in_lane[mask]) == 1:
                rank = _NATURAL_ORDER.index(RANKS[in_lane[mask][0] % SUIT_BITS])
                single = 1 << 32 + 4 * rank
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
