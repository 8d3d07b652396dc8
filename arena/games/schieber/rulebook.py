"""The rule player of Schieber, compiled: `arena.games.schieber.rule_player` in kernel coordinates.

What the player remembers is gone through again at every decision, as in the readable twin; the
cards played are in the book. Where the rules have no answer, all legal cards are given back.
"""

from __future__ import annotations

import numpy as np

from arena.core.cards import RANKS, cards_of, mask_of, rank_of
from arena.core.rules import OBE, UNE
from arena.games.kernel.bits import ctz, popcount
from arena.games.kernel.jit import compiled, inlined, uncounted
from arena.games.kernel.layout import (
    BEST,
    DECK,
    DECLARER,
    HANDS,
    HOLDER,
    LED,
    ONE,
    PLAYED,
    STEP,
    SUIT_WIDTH,
    TABLE,
    THREE,
    TRUMPS,
    TURN,
    TWO,
    ZERO,
    Int,
    Word,
    Words,
)
from arena.games.kernel.spec import KernelGame
from arena.games.kernel.step import suit_bits_of
from arena.games.rulebook import (
    CARDS,
    COUNT,
    LEADER,
    OWN_WORDS,
    PLAYS,
    Book,
    above,
    first_of,
    highest,
    lowest,
)
from arena.games.schieber import ripper
from arena.games.schieber.ripper import BLANK, FAT
from arena.games.schieber.rule_player import SUIT_ORDER
from arena.games.schieber.tables import DECK as DECK_CARDS
from arena.games.schieber.tables import POINTS, SUIT_MASK

JACKS, LOW_IS_GOOD = OWN_WORDS + 2, OWN_WORDS + 3
"""Words of the book, after those of `ripper`: jacks, and 1 in une-ufe."""
LANES = OWN_WORDS + 4
"""Four words: the lanes of the suits in the order in which suits are looked through."""

# A memory is an array of words, by seat where several stand together.
_HAS_LED = 0
_NOT_FOLLOWED = 4
"""The lanes of suits that a seat once did not follow."""
_TOSSED = 8
"""The lanes of suits that a seat played instead."""
_LACKS = 12
"""Cards that a seat is thought not to hold."""
_WEAK = 16
"""Lanes that partner did not follow, in order, each once; then those that partner tossed."""
_TOSSED_IN_ORDER = 20
_MEMORY = 24


def fill(game: KernelGame, book: Book) -> None:
    """What the rules of a trump look at."""
    trump = game.trump
    assert trump is not None  # cards are played once trump is known
    book[FAT] = game.mask(_of_ranks("T8" if trump == OBE else "T"))
    book[JACKS] = game.mask(_of_ranks("J"))
    book[BLANK] = game.mask(mask_of(c for c in game.bits if POINTS[trump][c] == 0))
    book[LOW_IS_GOOD] = trump == UNE
    for number, suit in enumerate(SUIT_ORDER):
        lane = int(game.mask(SUIT_MASK[suit])).bit_length() // 16
        book[LANES + number] = 0xFFFF << 16 * lane


def _of_ranks(ranks: str) -> int:
    return mask_of(card for card in cards_of(DECK_CARDS) if RANKS[rank_of(card)] in ranks)


@compiled
def choose(state: Words, game: Words, book: Book, legal: Word) -> Word:
    """The card that the rule player plays, or all legal ones; several are legal."""
    memory = _recall(state, game, book)
    table, trumps = state[TABLE], game[TRUMPS]
    found = ZERO
    if table == ZERO and trumps != ZERO:
        found = _lead_with_trumps(state, game, book, memory, legal)
    elif table == ZERO:
        found = _lead_without_trumps(state, game, book, memory, legal)
    else:
        found = _sure_winner(state, game, book, memory, legal)
        if found == ZERO:
            maker = _role(state, game, book) == _MAKER
            silent = trumps != ZERO and popcount(table) == TWO and maker
            if not silent or memory[_HAS_LED + np.int64(state[TURN])] == ZERO:
                found = _toss(state, game, book, memory, legal)
    return found if found != ZERO else legal


_MAKER, _HELPER, _DEFENDER = 0, 1, 2


@inlined
def _role(state: Words, game: Words, book: Book) -> Int:
    place = (state[TURN] - book[LEADER]) * game[STEP] & THREE
    if place & ONE != ZERO:
        return _DEFENDER
    pushed = state[DECLARER] != book[LEADER]
    return _MAKER if (place == ZERO) != pushed else _HELPER


# --- what it remembers -------------------------------------------------------------------


@compiled
def _recall(state: Words, game: Words, book: Book) -> Words:
    """Go through the cards played as the player has seen them."""
    memory = np.zeros(_MEMORY, np.uint64)
    me, step, trumps = state[TURN], game[STEP], game[TRUMPS]
    partner = (me + TWO) & THREE
    dealt = state[HANDS + me] | state[PLAYED + me]
    pushed = state[DECLARER] != book[LEADER]
    gone = ZERO
    leader = book[LEADER]
    count = np.int64(book[COUNT])
    for start in range(0, count, 4):
        led = book[PLAYS + start]
        lane = suit_bits_of(led)
        left = game[DECK] & ~gone & ~led
        if not (start == 0 and pushed and trumps != ZERO):
            memory[_HAS_LED + np.int64(leader)] = ONE
        if leader == partner:
            _learn_from_lead(memory, game, book, led, left, gone, dealt, me)
        best, place_of_best, trick = ZERO, 0, ZERO
        cards: Int = min(4, count - start)
        for place in range(cards):
            card = book[PLAYS + start + place]
            seat = np.int64((leader + step * np.uint64(place)) & THREE)
            trick |= card
            if card & (lane | trumps) > best:
                best, place_of_best = card & (lane | trumps), place
            if card & lane == ZERO:
                memory[_NOT_FOLLOWED + seat] |= lane
                memory[_TOSSED + seat] |= suit_bits_of(card)
                if seat == np.int64(partner):
                    _append(memory, _WEAK, lane)
                    _append(memory, _TOSSED_IN_ORDER, suit_bits_of(card))
        if cards == 4:
            gone |= trick
            if (leader + step * THREE) & THREE == partner and place_of_best % 2 == 0:
                memory[_LACKS + np.int64(partner)] |= _stronger(trumps, best) & ~gone
            leader = (leader + step * np.uint64(place_of_best)) & THREE
    return memory


@inlined
def _learn_from_lead(
    memory: Words, game: Words, book: Book, led: Word, left: Word, gone: Word, dealt: Word, me: Word
) -> None:
    """What partner's lead tells of the others."""
    trumps = game[TRUMPS]
    if trumps != ZERO:
        if led == _odd_card(book, trumps, suit_bits_of(led), left, led):
            for seat in (np.int64((me + ONE) & THREE), np.int64((me + THREE) & THREE)):
                memory[_LACKS + seat] |= left & trumps & ~dealt
    elif _stronger(trumps, led) & ~gone != ZERO:
        partner = np.int64((me + TWO) & THREE)
        for number in range(4):
            memory[_LACKS + partner] |= _odd_card(book, trumps, book[LANES + number], left, led)


@inlined
def _append(memory: Words, start: Int, lane: Word) -> None:
    """Add a lane to a list unless it is there."""
    for place in range(start, start + 4):
        if memory[place] == lane:
            return
        if memory[place] == ZERO:
            memory[place] = lane
            return


@inlined
def _stronger(trumps: Word, card: Word) -> Word:
    """The cards that beat a card which holds a trick: better ones of its suit, and trumps."""
    lane = suit_bits_of(card)
    return lane & above(card) | (trumps if lane != trumps else ZERO)


@inlined
def _odd_card(book: Book, trumps: Word, lane: Word, left: Word, lying: Word) -> Word:
    """The worst card left of a suit, by the order of obe-abe in une-ufe; `lying` counts too."""
    cards = left & lane
    found = highest(cards) if book[LOW_IS_GOOD] != ZERO else lowest(cards)
    if lying == ZERO:
        return found
    if found == ZERO or _order(book, trumps, lying) < _order(book, trumps, found):
        return lying
    return found


@inlined
def _order(book: Book, trumps: Word, card: Word) -> Int:
    place = np.int64(ctz(card)) % SUIT_WIDTH
    if book[LOW_IS_GOOD] != ZERO:
        return -place
    return place + (16 if card & trumps != ZERO else 0)


# --- leading -----------------------------------------------------------------------------


@inlined
def _lead_with_trumps(state: Words, game: Words, book: Book, memory: Words, legal: Word) -> Word:
    turn, trumps = state[TURN], game[TRUMPS]
    own = legal & trumps
    next_seat, last_seat = (turn + ONE) & THREE, (turn + THREE) & THREE
    may = _may_hold(state, game, memory, next_seat) | _may_hold(state, game, memory, last_seat)
    out_of_trumps = may & trumps == ZERO
    partner_has_led = memory[_HAS_LED + np.int64((turn + TWO) & THREE)] != ZERO
    helper = _role(state, game, book) == _HELPER
    if helper and not partner_has_led:
        own &= ~book[JACKS]
        return highest(own) if own != ZERO else _pass_to_partner(state, game, book, memory, legal)
    if own != ZERO and not out_of_trumps:
        return highest(own)
    if helper or out_of_trumps:
        winner = first_of(book, turn, _best_of_suits(state, legal & ~trumps))
        if winner != ZERO:
            return winner
    if helper:
        return ZERO
    if not out_of_trumps:
        return _toss(state, game, book, memory, legal)
    if partner_has_led:
        return _first_card(book, turn, legal)
    return _pass_to_partner(state, game, book, memory, legal)


@inlined
def _lead_without_trumps(state: Words, game: Words, book: Book, memory: Words, legal: Word) -> Word:
    turn = state[TURN]
    winner = first_of(book, turn, _best_of_suits(state, legal))
    if winner != ZERO:
        return winner
    if memory[_HAS_LED + np.int64((turn + TWO) & THREE)] != ZERO:
        return _first_card(book, turn, legal)
    return _pass_to_partner(state, game, book, memory, legal)


@inlined
def _first_card(book: Book, seat: Word, legal: Word) -> Word:
    for number in range(4):
        cards = legal & book[LANES + number]
        if cards != ZERO:
            return first_of(book, seat, cards)
    return ZERO


@uncounted
def _pass_to_partner(state: Words, game: Words, book: Book, memory: Words, legal: Word) -> Word:
    """The lowest card of a suit that partner wins for sure, else of one partner is weak in."""
    turn, trumps = state[TURN], game[TRUMPS]
    left, right = np.int64((turn + ONE) & THREE), np.int64((turn + THREE) & THREE)
    partner = (turn + TWO) & THREE
    unseen = _unseen(state, game)
    opponents = _may_hold(state, game, memory, np.uint64(left))
    opponents |= _may_hold(state, game, memory, np.uint64(right))
    both = memory[_NOT_FOLLOWED + left] & memory[_NOT_FOLLOWED + right]
    for number in range(4):
        lane: Word = book[LANES + number]
        cards = legal & lane
        if cards == ZERO:
            continue
        odd = _odd_card(book, trumps, lane, unseen | state[HANDS + turn], ZERO)
        void = trumps == ZERO and opponents & lane == ZERO
        sure = both & lane != ZERO and _may_hold(state, game, memory, partner) & odd != ZERO
        if void or sure:
            return lowest(cards)
    for place in range(3, -1, -1):
        lane = memory[_TOSSED_IN_ORDER + place]
        if lane & ~memory[_NOT_FOLLOWED + np.int64(partner)] & legal != ZERO:
            return lowest(legal & lane)
    for place in range(3, -1, -1):
        if memory[_WEAK + place] & legal != ZERO:
            return lowest(legal & memory[_WEAK + place])
    return ZERO


# --- following ---------------------------------------------------------------------------


@inlined
def _sure_winner(state: Words, game: Words, book: Book, memory: Words, legal: Word) -> Word:
    sure = legal & _stronger(game[TRUMPS], state[BEST])
    if popcount(state[TABLE]) < THREE:
        todo = sure
        while todo != ZERO:
            card = lowest(todo)
            todo ^= card
            if _next_can_beat(state, game, memory, card):
                sure ^= card
    fat = sure & book[FAT]
    return highest(fat) if fat != ZERO else highest(sure)


@uncounted
def _toss(state: Words, game: Words, book: Book, memory: Words, legal: Word) -> Word:
    cards = legal & _suit_to_toss(state, game, book, memory, legal)
    fat = cards & book[FAT]
    if fat != ZERO and _partners_trick_is_safe(state, game, memory):
        return highest(fat)
    return lowest(cards)


@inlined
def _suit_to_toss(state: Words, game: Words, book: Book, memory: Words, legal: Word) -> Word:
    led, trumps = state[LED], game[TRUMPS]
    if led != ZERO:
        following = legal & led
        only_the_jack = led == trumps and following & book[JACKS] == following
        if following != ZERO and not only_the_jack:
            return Word(led)
    tossed, unseen = memory[_TOSSED + np.int64(state[TURN])], _unseen(state, game)
    found: Word = ZERO
    most: Int = -1
    for number in range(4):
        lane = book[LANES + number]
        if lane & tossed != ZERO and _most_above(book, legal & lane, unseen & lane) > 0:
            return Word(lane)
    for number in range(4):
        lane = book[LANES + number]
        if lane & tossed == ZERO and lane != trumps:
            distance = _fewest_above(book, legal & lane, unseen & lane)
            if distance > most:
                found, most = lane, distance
    if found != ZERO:
        return found
    fewest: Int = 99
    for number in range(4):
        held_by_others = np.int64(popcount(unseen & book[LANES + number]))
        if held_by_others < fewest:
            found, fewest = book[LANES + number], held_by_others
    return found


@inlined
def _most_above(book: Book, cards: Word, unseen: Word) -> Int:
    most: Int = 0
    while cards != ZERO:
        card = lowest(cards)
        cards ^= card
        most = max(most, _missing_above(book, card, unseen))
    return most


@inlined
def _fewest_above(book: Book, cards: Word, unseen: Word) -> Int:
    """How many unseen cards are above the best one held; 0 if none is held."""
    fewest: Int = 0 if cards == ZERO else 99
    while cards != ZERO:
        card = lowest(cards)
        cards ^= card
        fewest = min(fewest, _missing_above(book, card, unseen))
    return fewest


@inlined
def _missing_above(book: Book, card: Word, unseen: Word) -> Int:
    """Unseen cards of the suit above this one, in the order of a plain suit."""
    count: Int = 0
    here = book[CARDS + np.int64(ctz(card))]
    while unseen != ZERO:
        other = book[CARDS + np.int64(ctz(unseen))]
        unseen &= unseen - ONE
        higher = other < here if book[LOW_IS_GOOD] != ZERO else other > here
        count += 1 if higher else 0
    return count


@inlined
def _partners_trick_is_safe(state: Words, game: Words, memory: Words) -> bool:
    if state[TABLE] == ZERO or state[HOLDER] != (state[TURN] + TWO) & THREE:
        return False
    return popcount(state[TABLE]) == THREE or not _next_can_beat(state, game, memory, state[BEST])


# --- cards -------------------------------------------------------------------------------


@inlined
def _unseen(state: Words, game: Words) -> Word:
    played = state[PLAYED] | state[PLAYED + ONE] | state[PLAYED + TWO] | state[PLAYED + THREE]
    return Word(game[DECK] & ~(state[HANDS + state[TURN]] | played))


@inlined
def _may_hold(state: Words, game: Words, memory: Words, seat: Word) -> Word:
    """Unseen cards that a seat is thought to hold perhaps."""
    number = np.int64(seat)
    known = memory[_NOT_FOLLOWED + number] | memory[_LACKS + number]
    return Word(_unseen(state, game) & ~known)


@inlined
def _next_can_beat(state: Words, game: Words, memory: Words, card: Word) -> bool:
    next_seat = (state[TURN] + game[STEP]) & THREE
    held = _may_hold(state, game, memory, next_seat)
    return bool(_stronger(game[TRUMPS], card) & held != ZERO)


@inlined
def _best_of_suits(state: Words, cards: Word) -> Word:
    """Those cards of which nothing better of the suit is left, the own hand included."""
    played = state[PLAYED] | state[PLAYED + ONE] | state[PLAYED + TWO] | state[PLAYED + THREE]
    finished = played & ~state[TABLE]
    found = ZERO
    while cards != ZERO:
        card = lowest(cards)
        cards ^= card
        if suit_bits_of(card) & above(card) & ~finished & _ALL_CARDS == ZERO:
            found |= card
    return found


_LANE_CARDS = 0x1FF
_ALL_CARDS = np.uint64(sum(_LANE_CARDS << SUIT_WIDTH * lane for lane in range(4)))


RULES = {"rule": choose, "light": ripper.light, "heavy": ripper.heavy}
