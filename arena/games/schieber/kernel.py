"""Schieber for the compiled kernel: the rules of `rules.py` on masks in kernel coordinates."""

from __future__ import annotations

import numpy as np

from arena.core.cards import LANE as SUIT_BITS
from arena.core.cards import RANKS, mask_of
from arena.core.rules import UNE
from arena.games.kernel.bits import popcount
from arena.games.kernel.jit import inlined, uncounted
from arena.games.kernel.layout import (
    BETTER,
    HANDS,
    LAST_TRICK,
    LEFT,
    LOW_SUIT,
    ONE,
    OWN,
    PLAYED,
    PROTECT_TENS,
    RULE,
    S16,
    S32,
    S48,
    STEP,
    TABLE,
    TABLES,
    TAKEN,
    THREE,
    TRICKS,
    TRUMPS,
    TURN,
    TWO,
    ZERO,
    Numbers,
    Word,
    Words,
)
from arena.games.kernel.order import kernel_bits
from arena.games.kernel.spec import KernelGame, game_words, suit_contents
from arena.games.schieber import semi_random, tables
from arena.games.schieber.rules import Schieber
from arena.games.schieber.weis import Weis, weis_in

CLOCKWISE, PAIRS = False, True

# --- parameters --------------------------------------------------------------------------

# Values of `RULE`:
HIGHEST, JASSKIT, PYSCHIEBER = np.uint64(0), np.uint64(1), np.uint64(2)
SPECIAL_RULES = (HIGHEST,)
_RULES = {"highest": HIGHEST, "jasskit": JASSKIT, "pyschieber": PYSCHIEBER}
JACK = OWN
"""The trump jack; 0 without a trump suit."""
MATCH_BONUS = OWN + 1
FACTOR = OWN + 2
WEIS = OWN + 3
"""Whether Weis are scored."""
STOECK = OWN + 4
"""Points for Stöck, already where they stand in a word of `TAKEN`; 0 if not scored."""
STOECK_CARDS = OWN + 5
RICH, FAT = OWN + 6, OWN + 7
"""See `semi_random`."""

LANE_SIZE = 1 << len(tables.NATURAL_ORDER)
PLAIN_POINTS = np.uint64(TABLES)
TOP_POINTS = np.uint64(TABLES + LANE_SIZE)
PLAIN_NATURAL = np.uint64(TABLES + 2 * LANE_SIZE)
"""The cards of a lane in the order 6 7 8 9 T J Q K A."""
TOP_NATURAL = np.uint64(TABLES + 3 * LANE_SIZE)
RUNS = np.uint64(TABLES + 4 * LANE_SIZE)
"""The Weis of runs in a suit in natural order: points, and in the high half the rank of the
best one (see `_rank`)."""
FOURS = np.uint64(TABLES + 5 * LANE_SIZE)
"""The same for four alike, by the set of ranks that are there four times."""

_LOW_HALF = np.uint64(0xFFFFFFFF)
_COUNT = np.uint64(0xFFFF)


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
    follow = hand & led
    own_trumps = hand & trumps
    if led == trumps:
        # The trump jack is never forced out.
        return follow if follow & ~game[JACK] != ZERO else hand
    to_beat = best & trumps
    if rule == JASSKIT:
        to_beat = _lower_natural_rank(game, table & trumps)
    below = (to_beat | (to_beat - ONE)) if to_beat != ZERO else ZERO
    higher = own_trumps & ~below
    only_trumps = own_trumps == hand
    free = hand & ~trumps | higher
    if only_trumps and (rule != PYSCHIEBER or higher == ZERO):
        free = hand
    plain = follow | higher
    return plain if follow != ZERO else free


@inlined
def _lower_natural_rank(game: Words, trumps: Word) -> Word:
    """Of the trumps in a trick, at most two, the one that comes first in 6 7 8 9 T J Q K A."""
    lower = trumps & (~trumps + ONE)
    higher = trumps ^ lower
    if higher != ZERO and (
        game[TOP_NATURAL + (higher >> S48)] < game[TOP_NATURAL + (lower >> S48)]
    ):
        return higher
    return lower


@inlined
def trick_value(game: Words, first_parameter: Word, table: Word) -> Word:
    """Points of a trick, without those for the last one."""
    return Word(
        game[PLAIN_POINTS + (table & LOW_SUIT)]
        + game[PLAIN_POINTS + (table >> S16 & LOW_SUIT)]
        + game[PLAIN_POINTS + (table >> S32 & LOW_SUIT)]
        + game[TOP_POINTS + (table >> S48)]
    )


@inlined
def final_scores(state: Words, game: Words, scores: Numbers) -> None:
    """Points, bonus and match, times the factor of the trump."""
    first, second = state[TAKEN], state[TAKEN + ONE]
    ours = (first & _COUNT) + (first >> S16 & _COUNT)
    theirs = (second & _COUNT) + (second >> S16 & _COUNT)
    if second >> S32 == ZERO:
        ours += game[MATCH_BONUS]
    elif first >> S32 == ZERO:
        theirs += game[MATCH_BONUS]
    scores[0] = np.int64(ours * game[FACTOR])
    scores[1] = np.int64(theirs * game[FACTOR])


# --- Weis and Stöck ----------------------------------------------------------------------


@inlined
def after_trick(state: Words, game: Words, table: Word, leader: Word, left: Word) -> None:
    """Score Weis after the first trick, Stöck after the one with the second of the two cards."""
    if game[WEIS] != ZERO and left + ONE == game[TRICKS]:
        score_weis(state, game, leader)
    if game[STOECK] != ZERO and table & game[STOECK_CARDS] != ZERO:
        holder = _stoeck_holder(state, game)
        if holder <= THREE and state[HANDS + holder] & game[STOECK_CARDS] == ZERO:
            state[TAKEN + (holder & ONE)] += game[STOECK]


@inlined
def can_score_ahead(game: Words) -> bool:
    """Whether Weis or Stöck are scored."""
    return bool(game[WEIS] | game[STOECK])


@inlined
def score_ahead(state: Words, game: Words) -> None:
    """Score now what Weis and Stöck will be scored in the rest of the round."""
    table = state[TABLE]
    if game[WEIS] != ZERO and state[LEFT] == game[TRICKS]:
        forehand = (state[TURN] + popcount(table) * game[STEP] * THREE) & THREE
        score_weis(state, game, forehand)
    if game[STOECK] != ZERO:
        holder = _stoeck_holder(state, game)
        if holder <= THREE and (state[HANDS + holder] | table) & game[STOECK_CARDS] != ZERO:
            state[TAKEN + (holder & ONE)] += game[STOECK]


@inlined
def _stoeck_holder(state: Words, game: Words) -> Word:
    """The seat that was dealt king and queen of trump; a greater number if no seat was."""
    pair = game[STOECK_CARDS]
    holder = S16
    for number in range(4):
        seat = np.uint64(number)
        if (state[HANDS + seat] | state[PLAYED + seat]) & pair == pair:
            holder = seat
    return holder


@uncounted
def score_weis(state: Words, game: Words, forehand: Word) -> None:
    """Score the Weis of the side that has the best one, from the hands as they were dealt."""
    forehand_points, other_points = ZERO, ZERO
    best, winner = ZERO, forehand & ONE
    seat = forehand
    for place in range(4):
        points, rank = _weis(game, state[HANDS + seat] | state[PLAYED + seat])
        if place & 1:
            other_points += points
        else:
            forehand_points += points
        if rank > best:
            best, winner = rank, seat & ONE
        seat = (seat + game[STEP]) & THREE
    points = forehand_points if winner == forehand & ONE else other_points
    state[TAKEN + winner] += points << S16


@inlined
def _weis(game: Words, dealt: Word) -> tuple[Word, Word]:
    """Points of the Weis in a hand, and the rank of the best one."""
    a = game[PLAIN_NATURAL + (dealt & LOW_SUIT)]
    b = game[PLAIN_NATURAL + (dealt >> S16 & LOW_SUIT)]
    c = game[PLAIN_NATURAL + (dealt >> S32 & LOW_SUIT)]
    d = game[TOP_NATURAL + (dealt >> S48)]
    fours = game[FOURS + (a & b & c & d)]
    top_runs = game[RUNS + d]
    points = (fours & _LOW_HALF) + (top_runs & _LOW_HALF)
    rank = top_runs >> S32
    if rank != ZERO and game[TRUMPS] != ZERO:
        rank += ONE  # between equals, the one in trumps
    rank = max(rank, fours >> S32)
    for suit in (a, b, c):
        runs = game[RUNS + suit]
        points += runs & _LOW_HALF
        rank = max(rank, runs >> S32)
    return points, rank


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
    can_win = led | trumps
    ours = cards if partner_holds else cards & can_win & ~(best | (best - ONE))
    place = popcount(table)
    chosen = ours & game[FAT] if place == THREE and semi_random_flags & BETTER != ZERO else ZERO
    protected = game[RICH] if semi_random_flags & PROTECT_TENS != ZERO else game[RICH] & ~game[FAT]
    if place < TWO:
        protected &= ~can_win
    good = cards & (ours | ~protected)
    good = good if good != ZERO else cards
    return chosen if chosen != ZERO else good


# --- parameters and tables from the rules ------------------------------------------------


def kernel_game(rules: Schieber, trump: int) -> KernelGame:
    """The rules with one of the six trumps."""
    bits = kernel_bits(tables.DECK, trump, tables.STRENGTH[trump])
    cards = {bit: card for card, bit in bits.items()}
    words = game_words(rules, trump, bits, table_words=6 * LANE_SIZE)
    words[LAST_TRICK] = tables.LAST_TRICK
    words[RULE] = _RULES[rules.undertrump]
    words[MATCH_BONUS] = rules.match_bonus
    words[FACTOR] = tables.MULTIPLIERS[rules.multipliers][trump]
    words[WEIS] = rules.weis
    if trump < len(tables.SUIT_MASK):
        words[JACK] = 1 << bits[tables.JACK[trump].bit_length() - 1]
        words[STOECK] = tables.STOECK << 16 if rules.stoeck else 0
        words[STOECK_CARDS] = mask_of(
            bit for card, bit in bits.items() if tables.STOECK_CARDS[trump] >> card & 1
        )
    words[RICH] = mask_of(bits[card] for card in semi_random.rich_cards(trump))
    words[FAT] = mask_of(bits[card] for card in semi_random.fat_cards(trump))

    lowest = RANKS.index(tables.NATURAL_ORDER[0])
    for lane, points_table, natural_table in (
        (0, PLAIN_POINTS, PLAIN_NATURAL),
        (3, TOP_POINTS, TOP_NATURAL),
    ):
        for mask, in_lane in enumerate(suit_contents(cards, lane, LANE_SIZE)):
            words[int(points_table) + mask] = sum(tables.POINTS[trump][card] for card in in_lane)
            words[int(natural_table) + mask] = mask_of(
                card % SUIT_BITS - lowest for card in in_lane
            )
    for ranks in range(LANE_SIZE):
        # A suit that is not trump, and the same ranks in all four suits.
        suit = ranks << lowest
        runs = weis_in(suit, UNE if trump == UNE else len(tables.SUIT_MASK))
        words[int(RUNS) + ranks] = _sum_and_best(runs)
        four_suits = sum(suit << SUIT_BITS * s for s in range(4))
        alike = [w for w in weis_in(four_suits, trump) if _is_four(w)]
        words[int(FOURS) + ranks] = _sum_and_best(alike)
    return KernelGame(rules, trump, words, bits)


def _is_four(weis: Weis) -> bool:
    return all(weis.cards & suit for suit in tables.SUIT_MASK)


def _sum_and_best(found: list[Weis]) -> int:
    return sum(weis.points for weis in found) | max(map(_rank, found), default=0) << 32


def _rank(weis: Weis) -> int:
    """A number that is greater for the better Weis; its lowest bit is left for `in trumps`."""
    return ((weis.points << 4 | weis.size) << 5 | weis.height + len(RANKS)) << 1
