"""Notation: whatever is written can be read back, and mistakes are message plainly."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.core.cards import (
    CARD_NAMES,
    DECK,
    CardError,
    CardSet,
    cards_of,
    deck_of,
    mask_of,
    parse_card,
    parse_cards,
    parse_seat,
    parse_trump,
    pretty,
    write_cards,
)


@given(st.lists(st.integers(0, 51), unique=True))
def test_written_cards_read_back_in_order(cards):
    assert parse_cards(write_cards(cards)) == tuple(cards)


@given(st.sets(st.integers(0, 51)))
def test_masks_are_sets(cards):
    mask = mask_of(cards)
    assert cards_of(mask) == sorted(cards)
    assert len(CardSet(mask)) == len(cards)
    assert CardSet.parse(str(CardSet(mask))) == CardSet(mask)


@given(st.integers(0, DECK), st.integers(0, DECK))
def test_card_sets_behave_like_sets(a, b):
    one, two = set(cards_of(a)), set(cards_of(b))
    assert set(CardSet(a) | CardSet(b)) == one | two
    assert set(CardSet(a) & CardSet(b)) == one & two
    assert set(CardSet(a) - CardSet(b)) == one - two
    assert hash(CardSet(a)) == hash(CardSet(a))


def test_every_card_has_a_name_of_its_own():
    assert len({*CARD_NAMES}) == len({pretty(card) for card in range(52)}) == 52
    assert deck_of("6789TJQKA").bit_count() == 36


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("X7", "'X' is no suit"),
        ("H1", "'1' is no rank"),
        ("hello", "expected a suit letter and a rank"),
        ("", "expected a suit letter and a rank"),
    ],
)
def test_what_is_no_card(text, message):
    with pytest.raises(CardError, match=message):
        parse_card(text)


def test_what_is_no_seat_or_trump():
    with pytest.raises(CardError, match=r"unknown seat 'NS'.*allowed: E, N, S, W"):
        parse_seat("NS")
    with pytest.raises(CardError, match="unknown trump 'X'"):
        parse_trump("X")
