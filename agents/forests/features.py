"""What a forest is shown of a card in Klaverjas: one code, compiled, for training and for play.

`DEFINITIONS` says in words what each feature is; `fill_rows` computes them all. Which of them a
forest sees is a set of features:

| set | what |
|---|---|
| `legal-19` | the legal-card forest of Hordijk 2022 (section 4.1), Rotterdam |
| `legal-21` | the same for Amsterdam, with `Is_winning` and `other_suits` |
| `published` | the 42 of the best-card forest (section 4.2), as the text defines them |
| `published-41` | the same as the program of the thesis computes them for training |
| `ours` | the 42 and 13 more: points, roem, tricks and trumps left, and who declared |

What the program does otherwise than the text (`published-41`): it has no `Has_higher_trump`; "in
hand" means among the legal cards; the highest card left is that of the highest face value, ace
before king, trumps too; to lead, one "has" the suit, every card is "higher", and `Has_highest_suit`
is about the card itself; a player has a suit until they did not follow it, whatever is left;
a trump that follows trumps is of the suit led; any three in a row on the table make a street.
In play, the program computes some of them in yet another way; here there is no second place.

Players 1, 2 and 3 are the seats in the order of play after the one to move; 2 is the partner.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.forests.position import (
    GONE,
    HAND,
    LEAD,
    LEFT,
    LEGAL,
    MAY,
    NOT_FOLLOWED,
    OWN_SIDE_DECLARED,
    TABLE,
    Position,
)
from arena.games.kernel.bits import ctz, high_bit, popcount
from arena.games.kernel.jit import inlined, uncounted
from arena.games.kernel.layout import DECK, ONE, S16, SUIT_WIDTH, TOP_SUIT, ZERO, Int, Word, Words
from arena.games.kernel.spec import KernelGame
from arena.games.kernel.step import suit_bits_of
from arena.games.klaverjas.kernel import FOUR_JACKS, trick_value

VERSION = 2
"""Of the code below: a model made with another version is refused."""

DEFINITIONS = {
    # The legal-card forest.
    "p_none": "the card is neither of the suit led nor a trump; to lead, not a trump",
    "p_s": "the card is of the suit led, and no trump",
    "p_t": "the card is a trump",
    "1_t": "a trump was led",
    "1_nt": "a plain suit was led",
    "2_n": "the second card of the trick is neither of the suit led nor a trump",
    "2_s": "the second card is of the suit led, and no trump",
    "2_t": "the second card is a trump",
    "3_n": "the third card of the trick is neither of the suit led nor a trump",
    "3_s": "the third card is of the suit led, and no trump",
    "3_t": "the third card is a trump",
    "rank": "place of the card in the order of the game: 0 to 7, trumps 8 to 15",
    "rank_1": "place of the card led, in the same way; 0 if there is none",
    "rank_2": "place of the second card",
    "rank_3": "place of the third card",
    "Has_suit": "the hand has a card of the suit led",
    "Has_trump": "the hand has a trump",
    "Has_higher_trump": "the hand has a trump above all trumps on the table",
    "Is_higher": "the card is a trump above all trumps on the table",
    "Is_winning": "the partner holds the trick",
    "other_suits": "the hand has cards of more than one suit",
    # The best-card forest.
    "t1": "first to play to the trick",
    "t2": "second to play",
    "t3": "third to play",
    "t4": "last to play",
    "Player1_has_trump": "player 1 may hold a trump",
    "Player2_has_trump": "player 2 may hold a trump",
    "Player3_has_trump": "player 3 may hold a trump",
    "No_playable_cards": "how many cards are legal",
    "Teammate_played": "the partner has played to the trick",
    "Teammate_winning": "the partner holds the trick",
    "Can_create_street": "some card of the hand makes three in a row with the table",
    "Has_higher": "some card of the hand would take the trick; always so to lead",
    "Is_highest_suit": "the card is the highest of its suit that is in no finished trick",
    "Is_second_highest_suit": "the card is the second highest of these",
    "Is_lowest_value": "no card of the hand is worth fewer points",
    "Is_highest_value": "no card of the hand is worth more points",
    "Creates_street": "the card makes three in a row with the table",
    "Player1_has_suit": "player 1 may hold a card of the suit led; to lead, of the card's suit",
    "Player2_has_suit": "player 2 may",
    "Player3_has_suit": "player 3 may",
    "Has_highest_suit": "the hand has the highest card left of the suit led, or of the card's",
    "Has_second_highest_suit": "the hand has the second highest of these",
    "Still_in_game": "the highest of these is neither in the hand nor on the table",
    # Ours.
    "points": "what the card is worth",
    "table_points": "what the cards on the table are worth",
    "roem": "by how much the card raises the roem on the table",
    "takes_trick": "the card would hold the trick; always so to lead",
    "tricks_left": "tricks left, the one in progress included",
    "trumps_held": "trumps in the hand",
    "trumps_unseen": "trumps that others hold",
    "suit_held": "cards of the card's suit in the hand",
    "suit_unseen": "cards of the card's suit that others hold",
    "higher_unseen": "higher cards of the card's suit that others hold",
    "own_side_declared": "the own side declared",
    "lead_in_points": "points and roem of the own side so far, less those of the other",
    "second_choice_gap": "how far above the lowest card of its suit in the hand the card is",
}
"""What each feature is, in the order in which `fill_rows` computes them."""

(
    P_NONE, P_S, P_T, LED_T, LED_NT, SECOND_N, SECOND_S, SECOND_T, THIRD_N, THIRD_S, THIRD_T,
    RANK, RANK_1, RANK_2, RANK_3, HAS_SUIT, HAS_TRUMP, HAS_HIGHER_TRUMP, IS_HIGHER, IS_WINNING,
    OTHER_SUITS, T1, T2, T3, T4, PLAYERS_HAVE_TRUMP, _, _, NO_PLAYABLE_CARDS, TEAMMATE_PLAYED,
    TEAMMATE_WINNING, CAN_CREATE_STREET, HAS_HIGHER, IS_HIGHEST_SUIT, IS_SECOND_HIGHEST_SUIT,
    IS_LOWEST_VALUE, IS_HIGHEST_VALUE, CREATES_STREET, PLAYERS_HAVE_SUIT, _, _, HAS_HIGHEST_SUIT,
    HAS_SECOND_HIGHEST_SUIT, STILL_IN_GAME, POINTS, TABLE_POINTS, ROEM, TAKES_TRICK, TRICKS_LEFT,
    TRUMPS_HELD, TRUMPS_UNSEEN, SUIT_HELD, SUIT_UNSEEN, HIGHER_UNSEEN, DECLARED, LEAD_IN_POINTS,
    SECOND_CHOICE_GAP,
) = range(len(DEFINITIONS))  # fmt: skip
"""The column of each feature; those of the players are three in a row."""

ALL = tuple(DEFINITIONS)
"""The names of all features, in the order of their columns."""
_COLUMN = {name: number for number, name in enumerate(ALL)}
_LEGAL_21 = ALL[: _COLUMN["t1"]]
_LEGAL_19 = ALL[: _COLUMN["Is_winning"]]
_BEST = (*_LEGAL_19, *ALL[_COLUMN["t1"] : _COLUMN["points"]])
FEATURES: dict[str, tuple[str, ...]] = {
    "legal-19": _LEGAL_19,
    "legal-21": _LEGAL_21,
    "published": _BEST,
    "published-41": tuple(name for name in _BEST if name != "Has_higher_trump"),
    "ours": (*_BEST, *ALL[_COLUMN["points"] :]),
}
"""The sets of features, each with the names of its columns in order."""
JUDGES_LEGALITY = ("legal-19", "legal-21")
"""Sets that describe every card of the hand; all others describe the legal cards."""
_SETS = tuple(FEATURES)
_AS_CODED = _SETS.index("published-41")
_WHOLE_HAND = max(map(_SETS.index, JUDGES_LEGALITY))


def columns_of(features: str) -> NDArray[np.int64]:
    """Where the columns of a set are among all."""
    return np.array([_COLUMN[name] for name in FEATURES[features]], dtype=np.int64)


def set_number(features: str) -> int:
    """The number of a set, for compiled code."""
    return _SETS.index(features)


def rows_of(position: Position, game: KernelGame, features: str) -> NDArray[np.float32]:
    """A row for each card, legal ones or all of the hand, in ascending order of the cards."""
    rows = np.empty((game.rules.hand_size, len(ALL)), dtype=np.float32)
    number = set_number(features)
    count = fill_rows(position, game.words, game.to_cards, number, rows)
    chosen: NDArray[np.float32] = rows[:count, columns_of(features)]
    return chosen


# --- compiled ----------------------------------------------------------------------------


@uncounted
def fill_rows(
    position: Position, game: Words, to_cards: np.ndarray, features: int, rows: NDArray[np.float32]
) -> int:
    """Describe each card in a row, with all features; how many cards there are.

    Columns that are not in the set may mean nothing.
    """
    coded = features == _AS_CODED
    legal = position[LEGAL]
    hand = legal if coded else position[HAND]
    first, second, third = position[TABLE], position[TABLE + 1], position[TABLE + 2]
    table = first | second | third
    leading = first == ZERO
    place = popcount(table)
    led = ZERO if leading else suit_bits_of(first)
    can_win = led | TOP_SUIT
    best = _best_of(table & can_win)
    best_trump = _best_of(table & TOP_SUIT)
    left = game[DECK] & ~position[GONE]
    unseen = left & ~(position[HAND] | table)
    higher_trumps = _above(best_trump) & TOP_SUIT
    winners = hand if leading else hand & can_win & _above(best)
    # The partner's card is the first one in third hand, the second one in fourth.
    partner_holds = best != ZERO and best == (first if place == 2 else second) and place >= 2
    before = trick_value(game, game[FOUR_JACKS], table)
    low, high, makes_street = _LARGE, ZERO, False
    cards = hand
    while cards != ZERO:
        card = ONE << ctz(cards)
        cards ^= card
        value = _points(game, card)
        low = value if value < low else low
        high = value if value > high else high
        makes_street |= _street(table, card, to_cards, coded)

    cards = position[HAND] if features <= _WHOLE_HAND else legal
    count = 0
    while cards != ZERO:
        card = _next_card(cards, to_cards)
        cards ^= card
        row = rows[count]
        count += 1
        lane = suit_bits_of(card)
        asked = lane if leading else led
        trump = card & TOP_SUIT != ZERO
        follows = card & led != ZERO and not trump
        own_best, own_second = _two_best(left & lane, to_cards, coded)
        top, next_top = _two_best(left & asked, to_cards, coded)
        value = _points(game, card)
        takes = leading or card & can_win & _above(best) != ZERO
        has_top, has_next = hand & top != ZERO, hand & next_top != ZERO
        street = _street(table, card, to_cards, coded)
        if coded and leading:
            has_top, has_next = card == top, card == next_top

        row[P_NONE], row[P_S], row[P_T] = not trump and not follows, follows, trump
        row[LED_T], row[LED_NT] = led == TOP_SUIT, not leading and led != TOP_SUIT
        row[SECOND_N], row[SECOND_S], row[SECOND_T] = _kind(second, led, coded)
        row[THIRD_N], row[THIRD_S], row[THIRD_T] = _kind(third, led, coded)
        row[RANK], row[RANK_1] = _rank(card), _rank(first)
        row[RANK_2], row[RANK_3] = _rank(second), _rank(third)
        row[HAS_SUIT] = hand & led != ZERO or (coded and leading)
        row[HAS_TRUMP] = hand & TOP_SUIT != ZERO
        row[HAS_HIGHER_TRUMP] = hand & higher_trumps != ZERO
        row[IS_HIGHER] = takes if coded else card & higher_trumps != ZERO
        row[IS_WINNING] = partner_holds
        row[OTHER_SUITS] = hand & ~suit_bits_of(ONE << ctz(hand)) != ZERO
        row[T1], row[T2], row[T3], row[T4] = place == 0, place == 1, place == 2, place == 3
        for player in range(3):
            may, not_followed = position[MAY + player], position[NOT_FOLLOWED + player]
            row[PLAYERS_HAVE_TRUMP + player] = (
                not_followed & TOP_SUIT == ZERO if coded else may & TOP_SUIT != ZERO
            )
            row[PLAYERS_HAVE_SUIT + player] = (
                not_followed & asked == ZERO if coded else may & asked != ZERO
            )
        row[NO_PLAYABLE_CARDS] = popcount(legal)
        row[TEAMMATE_PLAYED] = place >= 2
        row[TEAMMATE_WINNING] = partner_holds
        row[CAN_CREATE_STREET] = makes_street
        row[HAS_HIGHER] = winners != ZERO
        row[IS_HIGHEST_SUIT], row[IS_SECOND_HIGHEST_SUIT] = card == own_best, card == own_second
        row[IS_LOWEST_VALUE], row[IS_HIGHEST_VALUE] = value == low, value == high
        row[CREATES_STREET] = street
        row[HAS_HIGHEST_SUIT], row[HAS_SECOND_HIGHEST_SUIT] = has_top, has_next
        row[STILL_IN_GAME] = top != ZERO and not has_top and table & top == ZERO
        if coded:
            # The program asks for these only where the suit led is held from the top.
            row[IS_HIGHEST_SUIT], row[IS_SECOND_HIGHEST_SUIT] = (
                has_top and card == own_best,
                has_next and card == own_second,
            )
            row[STILL_IN_GAME] = not has_top and (leading or table & led & top == ZERO)

        own = hand & lane
        row[POINTS] = value
        row[TABLE_POINTS] = before & _LOW
        row[ROEM] = (trick_value(game, game[FOUR_JACKS], table | card) >> S16) - (before >> S16)
        row[TAKES_TRICK] = takes
        row[TRICKS_LEFT] = position[LEFT]
        row[TRUMPS_HELD] = popcount(hand & TOP_SUIT)
        row[TRUMPS_UNSEEN] = popcount(unseen & TOP_SUIT)
        row[SUIT_HELD] = popcount(own)
        row[SUIT_UNSEEN] = popcount(unseen & lane)
        row[HIGHER_UNSEEN] = popcount(unseen & lane & _above(card))
        row[DECLARED] = position[OWN_SIDE_DECLARED]
        row[LEAD_IN_POINTS] = np.int64(position[LEAD])
        row[SECOND_CHOICE_GAP] = ctz(card) - ctz(own)
    return count


_LARGE = np.uint64(255)
_LOW = np.uint64(0xFFFF)


@inlined
def _above(card: Word) -> Word:
    """All bits above a card, or all there are."""
    return ~(card | (card - ONE)) if card != ZERO else ~ZERO


@inlined
def _best_of(cards: Word) -> Word:
    return ONE << high_bit(cards) if cards != ZERO else ZERO


@inlined
def _next_card(cards: Word, to_cards: np.ndarray) -> Word:
    """The lowest of some cards in the order of `arena.core.cards`, which is that of the rows."""
    found, lowest = ZERO, 64
    while cards != ZERO:
        bit = ctz(cards)
        cards &= cards - ONE
        if to_cards[bit] < lowest:
            found, lowest = ONE << bit, to_cards[bit]
    return found


@inlined
def _points(game: Words, card: Word) -> Word:
    return trick_value(game, ZERO, card) & _LOW


@inlined
def _rank(card: Word) -> Int:
    """0 to 7 in plain suits, 8 to 15 for trumps; 0 for no card."""
    if card == ZERO:
        return 0
    return np.int64(ctz(card)) % SUIT_WIDTH + (8 if card & TOP_SUIT != ZERO else 0)


@inlined
def _kind(card: Word, led: Word, coded: bool) -> tuple[bool, bool, bool]:
    """Whether a card on the table is of another suit, of the one led, or a trump."""
    trump, follows = card & TOP_SUIT != ZERO, card & led != ZERO
    if trump and follows:
        trump, follows = not coded, coded
    return card != ZERO and not trump and not follows, follows, trump


@inlined
def _two_best(cards: Word, to_cards: np.ndarray, by_face: bool) -> tuple[Word, Word]:
    """The highest and the second highest of some cards of a suit, 0 if there are none."""
    if not by_face:
        best = _best_of(cards)
        return best, _best_of(cards & ~best)
    best, second = ZERO, ZERO
    highest: Int = -1
    next_highest: Int = -1
    while cards != ZERO:
        bit = ctz(cards)
        cards &= cards - ONE
        card = np.int64(to_cards[bit])
        if card > highest:
            second, next_highest = best, highest
            best, highest = ONE << bit, card
        elif card > next_highest:
            second, next_highest = ONE << bit, card
    return best, second


@inlined
def _street(table: Word, card: Word, to_cards: np.ndarray, anywhere: bool) -> bool:
    """Whether a card makes three in a row with two on the table; `anywhere`: or they alone."""
    cards = table | card
    natural = ZERO
    while cards != ZERO:
        natural |= ONE << np.uint64(to_cards[ctz(cards)])
        cards &= cards - ONE
    # Ranks below the seven are not in the deck, so no run goes over the edge of a suit.
    runs = natural & natural >> ONE & natural >> np.uint64(2)
    if anywhere:
        return bool(popcount(table) >= 2 and runs != ZERO)
    here = ONE << np.uint64(to_cards[ctz(card)])
    return bool((runs | runs << ONE | runs << np.uint64(2)) & here != ZERO)
