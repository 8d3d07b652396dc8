"""Every feature on positions made by hand, and what a position knows beside the rule book."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.forest_rows import features_of
from helpers.klaverjas_views import klaverjas_view

from agents.forests import features as columns
from agents.forests.features import ALL, DEFINITIONS, FEATURES
from agents.forests.position import MAY, SIZE, position_of, view_numbers
from arena.core.cards import card_name, cards_of
from arena.core.seeds import rng_for
from arena.games.infoset import InfoSet
from arena.games.kernel.spec import kernel_game
from arena.games.klaverjas import Klaverjas


def seen(card: str, *names: str, features: str = "ours", **view: str) -> tuple[float, ...]:
    """Some features of a card."""
    position = klaverjas_view(**view)
    cards = cards_of(position.hand) if features.startswith("legal") else position.legal
    row = features_of(position, features)[[card_name(c) for c in cards].index(card)]
    return tuple(float(row[FEATURES[features].index(name)]) for name in names)


def test_the_sets_are_as_large_as_published():
    sizes = {name: len(found) for name, found in FEATURES.items()}
    expected = {"legal-19": 19, "legal-21": 21, "published": 42, "published-41": 41, "ours": 55}
    assert sizes == expected
    assert set().union(*FEATURES.values()) == set(DEFINITIONS)
    view = klaverjas_view("HJ H7 C7 SA", "C8 CQ")
    for name, size in sizes.items():
        cards = view.hand.bit_count() if name.startswith("legal") else len(view.legal)
        assert features_of(view, name).shape == (cards, size)


def test_each_column_is_where_its_name_says():
    renamed = {"1_": "LED_", "2_": "SECOND_", "3_": "THIRD_", "own_side_declared": "DECLARED"}
    for place, name in enumerate(ALL):
        if name.startswith("Player"):
            family = name.replace(name[6:10], "s_have") if "_has" in name else name
            first = getattr(columns, family.upper().replace("S_HAVES", "S_HAVE"))
            assert first + int(name[6]) - 1 == place
            continue
        for old, new in renamed.items():
            if name.startswith(old):
                name = name.replace(old, new, 1)
        assert getattr(columns, name.upper()) == place, name


# --- the legal-card forest ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("card", "table", "expected"),
    [
        ("C7", "C8", (0, 1, 0)),
        ("HJ", "SA", (0, 0, 1)),
        ("D9", "SA", (1, 0, 0)),
        ("HJ", "H8", (0, 0, 1)),
        ("D9", "", (1, 0, 0)),
        ("HJ", "", (0, 0, 1)),
    ],
)
def test_what_the_card_is(card, table, expected):
    hand = {"hand": "HJ D9 C7", "table": table, "features": "legal-19"}
    assert seen(card, "p_none", "p_s", "p_t", **hand) == expected


def test_what_lies_on_the_table():
    names = ("1_t", "1_nt", "2_n", "2_s", "2_t", "3_n", "3_s", "3_t")
    hand = {"hand": "C7 C9", "features": "legal-19"}
    assert seen("C7", *names, table="", **hand) == (0, 0, 0, 0, 0, 0, 0, 0)
    assert seen("C7", *names, table="C8 CQ D9", **hand) == (0, 1, 0, 1, 0, 1, 0, 0)
    assert seen("C7", *names, table="C8 S8 H9", **hand) == (0, 1, 1, 0, 0, 0, 0, 1)
    assert seen("C7", *names, table="H8 H9", **hand) == (1, 0, 0, 0, 1, 0, 0, 0)


def test_ranks_go_by_the_order_of_the_game():
    names = ("rank", "rank_1", "rank_2", "rank_3")
    assert seen("HJ", *names, hand="HJ C7", table="H9") == (15, 14, 0, 0)
    assert seen("C7", *names, hand="C7 S7", table="CA CT H7") == (0, 7, 6, 8)
    assert [seen(f"C{rank}", "rank", hand="C7 C8 C9 CJ CQ CK CT CA")[0] for rank in "789JQKTA"] == [
        *range(8)
    ]


def test_what_the_hand_has():
    names = ("Has_suit", "Has_trump", "Has_higher_trump", "Is_higher", "other_suits")
    hand = {"features": "legal-21"}
    assert seen("H9", *names, hand="H9 H7 C7", table="SA HT", **hand) == (0, 1, 1, 1, 1)
    assert seen("H7", *names, hand="H9 H7 C7", table="SA HT", **hand) == (0, 1, 1, 0, 1)
    assert seen("H7", *names, hand="H7 H8", table="SA HT", **hand) == (0, 1, 0, 0, 0)
    assert seen("C7", *names, hand="C7 D7", table="C8", **hand) == (1, 0, 0, 0, 1)
    assert seen("H7", *names, hand="H7 D7", table="", **hand) == (0, 1, 1, 1, 1)


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("", 0),
        ("CA", 0),
        ("CA CQ", 1),
        ("CQ CA", 0),
        ("CA H7", 0),
        ("CQ CA CK", 1),
        ("CA CQ CK", 0),
    ],
)
def test_the_partner_holds_the_trick(table, expected):
    names = ("Is_winning", "Teammate_winning")
    for name, features in zip(names, ("legal-21", "published"), strict=True):
        found = seen("C7", name, hand="C7 C8", table=table, features=features)
        assert found == (expected,)


# --- the best-card forest ----------------------------------------------------------------


@pytest.mark.parametrize(("table", "place"), [("", 0), ("C8", 1), ("C8 CQ", 2), ("C8 CQ CK", 3)])
def test_places(table, place):
    found = seen("C7", "t1", "t2", "t3", "t4", "Teammate_played", hand="C7 C9", table=table)
    assert found == (*(float(i == place) for i in range(4)), float(place >= 2))


def test_what_others_may_hold():
    trumps = [f"Player{i}_has_trump" for i in (1, 2, 3)]
    suits = [f"Player{i}_has_suit" for i in (1, 2, 3)]
    # Seat N led clubs: player 1 discarded, so has neither clubs nor trumps; 2 trumped.
    gone = "CA S7 H7 C8"
    names = (*trumps, *suits)
    assert seen("C7", *names, hand="C7 D9", gone=gone) == (0, 1, 1, 0, 0, 1)
    assert seen("D9", *names, hand="C7 D9", gone=gone) == (0, 1, 1, 1, 1, 1)
    # Player 2 played a seven under a ten: no higher trump is left to them, and no lower one is out.
    gone = "CA HT H7 C8 H8 HQ HK HA"
    assert seen("D9", *trumps, hand="H9 D9 HJ", gone=gone) == (0, 0, 0)


def test_streets():
    names = ("Creates_street", "Can_create_street", "No_playable_cards")
    assert seen("CJ", *names, hand="CJ C7 S8", table="C9 CT") == (1, 1, 2)
    assert seen("C7", *names, hand="CJ C7 S8", table="C9 CT") == (0, 1, 2)
    assert seen("C7", *names, hand="CA C7", table="C9 CT") == (0, 0, 2)
    # The hand could, but must follow suit: the text asks the hand, the program the legal cards.
    held = {"hand": "C7 C8 DT", "table": "CA DJ DQ"}
    assert seen("C7", "Can_create_street", **held) == (1,)
    assert seen("C7", "Can_create_street", features="published-41", **held) == (0,)


def test_highest_left():
    names = ("Is_highest_suit", "Is_second_highest_suit", "Has_highest_suit")
    more = ("Has_second_highest_suit", "Still_in_game")
    assert seen("CA", *names, *more, hand="CA CT C7") == (1, 0, 1, 1, 0)
    assert seen("CT", *names, *more, hand="CA CT C7") == (0, 1, 1, 1, 0)
    assert seen("C7", *names, *more, hand="CT C7") == (0, 0, 0, 1, 1)
    assert seen("CT", *names, *more, hand="CT C7", gone="CA DA SA HA") == (1, 0, 1, 0, 0)
    # On the table it is no longer in the game, though in no finished trick.
    assert seen("C7", *names, *more, hand="C7 C8", table="CA") == (0, 0, 0, 0, 0)
    # Of the suit led, whatever the card is.
    assert seen("SA", *names, *more, hand="SA S7", table="C8 C9") == (1, 0, 0, 0, 1)


def test_values():
    names = ("Is_lowest_value", "Is_highest_value", "points")
    assert seen("C7", *names, hand="C7 CK SA", table="CQ") == (1, 0, 0)
    assert seen("CK", *names, hand="C7 CK SA", table="CQ") == (0, 0, 4)
    held = {"hand": "C7 CK SA", "table": "CQ", "features": "published-41"}
    assert seen("CK", "Is_lowest_value", "Is_highest_value", **held) == (0, 1)


def test_has_higher_asks_the_hand():
    assert seen("C7", "Has_higher", hand="C7 CA", table="CK") == (1,)
    assert seen("C7", "Has_higher", hand="C7 C8", table="CK") == (0,)
    assert seen("C7", "Has_higher", hand="C7 C8") == (1,)
    held = {"hand": "C7 C8 HJ", "table": "CK"}
    assert seen("C7", "Has_higher", **held) == (1,)
    assert seen("C7", "Has_higher", features="published-41", **held) == (0,)


def test_ours():
    names = ("table_points", "roem", "takes_trick", "tricks_left", "trumps_held", "trumps_unseen")
    held = {"hand": "CJ C7 H9", "table": "C9 CT"}
    assert seen("CJ", *names, **held) == (10, 20, 0, 3, 1, 7)
    assert seen("HJ", *names, hand="HJ H7", table="C9 CT H8") == (10, 0, 1, 2, 2, 5)
    names = ("suit_held", "suit_unseen", "higher_unseen", "second_choice_gap")
    assert seen("CK", *names, hand="CK C7 SA", gone="CA C8 C9 DA") == (2, 3, 1, 5)
    view = klaverjas_view("CK C7")._replace(points=(40, 25), bonus=(0, 20), declarer=2)
    row = features_of(view)[0]
    found = [row[FEATURES["ours"].index(n)] for n in ("own_side_declared", "lead_in_points")]
    assert found == [1, -5]
    row = features_of(view._replace(declarer=3))[0]
    assert row[FEATURES["ours"].index("own_side_declared")] == 0


# --- as the program of the thesis computes them ------------------------------------------


def coded(card: str, *names: str, **view: str) -> tuple[float, ...]:
    return seen(card, *names, features="published-41", **view)


def test_the_program_goes_by_face_value():
    names = ("Is_highest_suit", "Has_highest_suit", "Has_second_highest_suit", "Still_in_game")
    assert coded("CK", *names, hand="CK CT", gone="CA DA SA HA") == (1, 1, 0, 0)
    assert coded("HJ", *names, hand="HJ H7") == (0, 0, 0, 1)  # the ace of trumps comes first
    assert coded("HA", *names, hand="HA HJ") == (1, 1, 0, 0)
    # It asks whether a card is the highest only if the suit led is held from the top.
    assert coded("SA", *names, hand="SA S7", table="C8 C9") == (0, 0, 0, 1)


def test_the_program_on_lead():
    names = ("Has_suit", "Is_higher", "Has_higher", "p_none", "p_s")
    assert coded("C7", *names, hand="C7 D9") == (1, 1, 1, 1, 0)


def test_the_program_asks_the_legal_cards():
    held = {"hand": "C7 C8 HJ", "table": "CK"}
    assert coded("C7", "Has_trump", **held) == (0,)
    assert seen("C7", "Has_trump", **held) == (1,)
    assert coded("C7", "2_s", "2_t", hand="C7 C8", table="H8 H9") == (1, 0)


def test_the_program_takes_voids_from_suits_not_followed():
    # A player who did not trump has no trumps by the rules; the program waits for a trump lead.
    names = [f"Player{i}_has_trump" for i in (1, 2, 3)]
    assert coded("C7", *names, hand="C7 D9", gone="CA S7 H7 C8") == (1, 1, 1)
    assert coded("C7", *names, hand="C7 D9", gone="HA S7 H7 H8") == (0, 1, 1)


# --- positions ---------------------------------------------------------------------------


@pytest.mark.parametrize("variant", ["rotterdam", "amsterdam", "amsterdam-official"])
def test_positions_know_what_the_rule_book_tells(variant):
    rules = Klaverjas(variant=variant)
    position = np.empty(SIZE, dtype=np.uint64)
    for number in range(15):
        rng = rng_for(7, variant, number)
        state = rules.start(rules.random_deal(rng, number))
        while state.turn is not None:
            view = rules.view(state, state.turn)
            game, known = kernel_game(rules, view.trump), InfoSet.of(view)
            position_of(view_numbers(view), game.words, game.to_bits, position)
            for player in range(3):
                other = rules.seat_after(view.seat, player + 1)
                assert game.card_mask(position[MAY + player]) == known.may[other]
            rules.apply(state, rng.choice(view.legal))
