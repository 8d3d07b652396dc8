"""What a forest is shown of a card in Klaverjas: one code, for training and for play.

`PUBLISHED` are the 42 features of the best-card forest as the text of Hordijk 2022 (sections
4.1 and 4.2) defines them: "has" is asked of the whole hand, the highest card left goes by the
order of the game. `OURS` adds what the text leaves out: points, roem, tricks and trumps left,
and who declared. The program of the thesis computes some features otherwise in training and in
play; here there is no second place to compute them in.

Players 1, 2 and 3 are the seats in the order of play after the one to move; 2 is the partner.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arena.cards import LANE, cards_of, suit_of
from arena.games.infoset import InfoSet
from arena.games.klaverjas.tables import DECK, POINTS, STRENGTH, SUIT_MASK
from arena.rules import View

__all__ = ["FEATURES", "OURS", "PUBLISHED", "VERSION", "features_of"]

VERSION = 1
"""Of the code below: a model made with another version is refused."""

PUBLISHED = (
    "p_none", "p_s", "p_t", "1_t", "1_nt", "2_n", "2_s", "2_t", "3_n", "3_s", "3_t",
    "rank", "rank_1", "rank_2", "rank_3",
    "Has_suit", "Has_trump", "Has_higher_trump", "Is_higher",
    "t1", "t2", "t3", "t4", "Player1_has_trump", "Player2_has_trump", "Player3_has_trump",
    "No_playable_cards", "Teammate_played", "Teammate_winning", "Can_create_street", "Has_higher",
    "Is_highest_suit", "Is_second_highest_suit", "Is_lowest_value", "Is_highest_value",
    "Creates_street", "Player1_has_suit", "Player2_has_suit", "Player3_has_suit",
    "Has_highest_suit", "Has_second_highest_suit", "Still_in_game",
)  # fmt: skip
OURS = (
    *PUBLISHED,
    "points", "table_points", "roem", "takes_trick", "tricks_left", "trumps_held",
    "trumps_unseen", "suit_held", "suit_unseen", "higher_unseen", "own_side_declared",
    "lead_in_points", "second_choice_gap",
)  # fmt: skip
FEATURES: dict[str, tuple[str, ...]] = {"published": PUBLISHED, "ours": OURS}


def features_of(view: View, features: str = "ours") -> NDArray[np.float32]:
    """A row for each legal card, in the order of `view.legal`."""
    assert view.trump is not None
    trump, table, hand = view.trump, view.table, view.hand
    strength, points = STRENGTH[trump], POINTS[trump]
    rules, seat = view.rules, view.seat
    known = InfoSet.of(view)
    gone = sum(1 << card for trick in view.tricks for card in trick.cards)
    place = len(table)
    led = suit_of(table[0]) if table else None
    held = cards_of(hand)
    others = [rules.seat_after(seat, step) for step in (1, 2, 3)]
    trumps_on_table = [strength[card] for card in table if suit_of(card) == trump]
    best_trump = max(trumps_on_table, default=-1)
    holding = -1
    winner = None
    if table:
        places = [i for i, card in enumerate(table) if suit_of(card) in (led, trump)]
        best = max(places, key=lambda i: _force(table[i], trump, strength))
        holding, winner = _force(table[best], trump, strength), view.seat_at(best)
    partner_wins = winner == others[1]
    before = rules.trick_value(table, trump, False)[1] if table else 0
    table_points = sum(points[card] for card in table)
    legal = view.legal
    low = min(points[card] for card in held)
    high = max(points[card] for card in held)
    streets = {card: _street(table, card) for card in legal}
    side = rules.side_of(seat)
    lead = view.points[side] + view.bonus[side] - view.points[1 - side] - view.bonus[1 - side]
    declared = view.declarer is not None and rules.side_of(view.declarer) == side

    fixed = [
        led is not None and bool(hand & SUIT_MASK[led]),
        bool(hand & SUIT_MASK[trump]),
        any(suit_of(card) == trump and strength[card] > best_trump for card in held),
    ]
    turn = [place == i for i in range(4)]
    may_trump = [bool(known.may[other] & SUIT_MASK[trump]) for other in others]
    beats = [_beats(card, led, trump, strength, holding) for card in legal]
    tail = [len(legal), place >= 2, partner_wins, any(streets.values()), any(beats)]
    centre = [
        led == trump and led is not None, led is not None and led != trump,
        *_kind(table, 1, led, trump), *_kind(table, 2, led, trump),
    ]  # fmt: skip
    ranks = [_rank(table[i], trump, strength) if i < place else 0 for i in range(3)]
    rows = []
    for i, card in enumerate(legal):
        suit = suit_of(card)
        asked = suit if led is None else led
        left = sorted(
            cards_of(DECK & SUIT_MASK[suit] & ~gone), key=strength.__getitem__, reverse=True
        )
        asked_left = left if asked == suit else sorted(
            cards_of(DECK & SUIT_MASK[asked] & ~gone), key=strength.__getitem__, reverse=True
        )  # fmt: skip
        top = asked_left[0] if asked_left else -1
        second = asked_left[1] if len(asked_left) > 1 else -1
        row = [
            suit not in (asked, trump), suit == asked and suit != trump, suit == trump, *centre,
            _rank(card, trump, strength), *ranks, *fixed,
            suit == trump and strength[card] > best_trump, *turn, *may_trump, *tail,
            card == left[0], len(left) > 1 and card == left[1],
            points[card] == low, points[card] == high, streets[card],
            *(bool(known.may[other] & SUIT_MASK[asked]) for other in others),
            top >= 0 and bool(hand >> top & 1), second >= 0 and bool(hand >> second & 1),
            top >= 0 and not hand >> top & 1 and top not in table,
        ]  # fmt: skip
        if features == "ours":
            after = (*table, card)
            roem = rules.trick_value(after, trump, False)[1] - before
            own = cards_of(hand & SUIT_MASK[suit])
            unseen = known.unseen & SUIT_MASK[suit]
            higher = sum(strength[x] > strength[card] for x in cards_of(unseen))
            row += [
                points[card], table_points, roem, beats[i], rules.hand_size - len(view.tricks),
                (hand & SUIT_MASK[trump]).bit_count(),
                (known.unseen & SUIT_MASK[trump]).bit_count(),
                len(own), unseen.bit_count(), higher, declared, lead,
                strength[card] - min(strength[x] for x in own),
            ]  # fmt: skip
        rows.append(row)
    return np.array(rows, dtype=np.float32)


def _force(card: int, trump: int, strength: tuple[int, ...]) -> int:
    return strength[card] + 100 * (suit_of(card) == trump)


def _rank(card: int, trump: int, strength: tuple[int, ...]) -> int:
    """0 to 7 in plain suits, 8 to 15 for trumps."""
    return _order(card, strength, trump) + 8 * (suit_of(card) == trump)


def _order(card: int, strength: tuple[int, ...], trump: int) -> int:
    lane = cards_of(DECK & SUIT_MASK[suit_of(card)])
    return sum(strength[other] < strength[card] for other in lane)


def _kind(table: tuple[int, ...], place: int, led: int | None, trump: int) -> list[bool]:
    """Whether the card at a place is of another suit, of the led one, or a trump."""
    if place >= len(table):
        return [False, False, False]
    suit = suit_of(table[place])
    return [suit not in (led, trump), suit == led and suit != trump, suit == trump]


def _beats(card: int, led: int | None, trump: int, strength: tuple[int, ...], holding: int) -> bool:
    suit = suit_of(card)
    return led is None or (suit in (led, trump) and _force(card, trump, strength) > holding)


def _street(table: tuple[int, ...], card: int) -> bool:
    """Whether a card makes three in a row with two on the table."""
    ranks = sum(1 << other % LANE for other in (*table, card) if suit_of(other) == suit_of(card))
    # From the seven up, ranks of the deck follow each other in a lane.
    runs = ranks & ranks >> 1 & ranks >> 2
    here = card % LANE
    return any(runs >> start & 1 for start in range(max(0, here - 2), here + 1))
