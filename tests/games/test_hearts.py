"""Hearts, rule by rule; each option with a round that ends otherwise without it."""

from __future__ import annotations

import copy
from dataclasses import asdict, fields, replace

import pytest
from helpers.rounds import deal, legal, play_at_random, play_lowest
from hypothesis import given
from hypothesis import strategies as st

from arena.core.cards import cards_of, mask_of, parse_card, parse_cards
from arena.core.deals import Deal, DealError
from arena.core.rules import IllegalAction, RulesError, Standing
from arena.core.seeds import Rng
from arena.games.hearts import Hearts
from arena.games.hearts.rules import PRESETS
from arena.games.hearts.tables import ALL_POINTS, POINTS

THESIS = Hearts()
CODE = Hearts(variant="kiele_code")
OPENSPIEL = Hearts(variant="openspiel_default")
CLASSIC = Hearts(variant="classic")
VARIANTS = (THESIS, CODE, OPENSPIEL, CLASSIC)


def playable(rules, trick, hand, **facts):
    return legal(rules, trump=None, trick=trick, hand=hand, **facts)


# --- which cards may be played -----------------------------------------------------------


@pytest.mark.parametrize("rules", VARIANTS)
def test_the_two_of_clubs_must_be_led(rules):
    assert playable(rules, "", "C2 C7 DA HA", trick_number=0) == "C2"


@pytest.mark.parametrize("rules", VARIANTS)
def test_follow_suit(rules):
    assert playable(rules, "D7", "C3 D2 DA HA SQ") == "D2 DA"
    assert playable(rules, "H7", "C3 H2 HA") == "H2 HA"
    assert playable(rules, "C2", "C3 CA HA SQ", trick_number=0) == "C3 CA"


@pytest.mark.parametrize("rules", VARIANTS)
def test_who_cannot_follow_may_play_anything(rules):
    assert playable(rules, "D7", "C3 HA SQ") == "C3 HA SQ"


def test_points_on_the_first_trick():
    position = {"trick": "C2", "hand": "D7 HA S2 SQ", "trick_number": 0}
    assert playable(THESIS, **position) == "D7 HA S2 SQ"
    assert playable(CODE, **position) == "D7 HA S2 SQ"
    assert playable(OPENSPIEL, **position) == "D7 S2"
    assert playable(CLASSIC, **position) == "D7 S2"


def test_nothing_but_points_on_the_first_trick():
    for rules in VARIANTS:
        assert playable(rules, "C2", "H2 HA SQ", trick_number=0) == "H2 HA SQ"


def test_hearts_may_not_be_led_before_they_are_broken():
    hand = "C3 H2 HA S7"
    for rules in VARIANTS:
        assert playable(rules, "", hand) == "C3 S7"
        assert playable(rules, "", hand, opened=True) == hand
        assert playable(rules, "", "H2 HA") == "H2 HA"


def test_leading_the_queen_of_spades():
    hand = "C3 H2 S7 SQ"
    assert playable(THESIS, "", hand) == "C3 S7 SQ"
    assert playable(CODE, "", hand) == "C3 S7"
    assert playable(CODE, "", hand, opened=True) == hand


def test_only_hearts_and_the_queen():
    # Without the ban the queen is the only card that may be led; with it all are banned alike.
    assert playable(THESIS, "", "H2 HA SQ") == "SQ"
    assert playable(OPENSPIEL, "", "H2 HA SQ") == "SQ"
    assert playable(CODE, "", "H2 HA SQ") == "H2 HA SQ"


@pytest.mark.parametrize(
    ("trick", "thesis", "classic"),
    [("C2 C3 C4 C5", False, False), ("C2 C3 H4 C5", True, True), ("C2 C3 SQ C5", True, False)],
)
def test_what_breaks_hearts(trick, thesis, classic):
    assert THESIS.opens(parse_cards(trick)) is thesis
    assert CLASSIC.opens(parse_cards(trick)) is classic


@pytest.mark.parametrize(
    ("trick", "winner", "points"),
    [
        ("C2 CA C3 CK", 1, 0),
        ("C2 DA HA SA", 0, 1),
        ("H2 H9 HT H3", 2, 4),
        ("S2 SQ SK DA", 2, 13),
        ("DA SQ H2 DK", 0, 14),
    ],
)
def test_who_takes_the_trick_and_what_it_is_worth(trick, winner, points):
    cards = parse_cards(trick)
    assert THESIS.trick_winner(cards, None) == winner
    assert THESIS.trick_value(cards, None, last=False) == (points, 0)
    assert THESIS.trick_value(cards, None, last=True) == (points, 0)


# --- options that change the end ---------------------------------------------------------

CLUBS, DIAMONDS = "C2 C3 C4 C5 C6 C7 C8 C9 CT CJ CQ CK CA", "D2 D3 D4 D5 D6 D7 D8 D9 DT DJ DQ DK DA"
HEARTS, SPADES = "H2 H3 H4 H5 H6 H7 H8 H9 HT HJ HQ HK HA", "S2 S3 S4 S5 S6 S7 S8 S9 ST SJ SQ SK SA"
ONE_SUIT_EACH = f"N: {CLUBS}; E: {DIAMONDS}; S: {HEARTS}; W: {SPADES}"


def play_first_of(rules, the_deal, *wanted):
    """Everybody plays the first of `wanted` cards that is legal, else the lowest legal card."""
    state = rules.start(the_deal)
    cards = [parse_card(name) for name in wanted]
    while state.turn is not None:
        choice = next((card for card in cards if card in state.legal), state.legal[0])
        rules.apply(state, choice)
    return rules.outcome(state)


def test_moon():
    # N takes everything with clubs.
    outcome = play_lowest(THESIS, deal(ONE_SUIT_EACH))
    assert (outcome.points, outcome.tricks) == ((26, 0, 0, 0), (13, 0, 0, 0))
    assert (outcome.scores, outcome.flags) == ((0, 26, 26, 26), ("moon",))


FIRST_TRICK = """N: C2 C3 C4 C5 C6 C7 C8 C9 CT CJ CQ CK DA;
                 E: CA D2 D3 D4 D5 D6 D7 D8 D9 DT DJ DQ DK;
                 S: H2 H3 H4 H5 H6 H7 H8 H9 HT HJ HQ HK HA;
                 W: S2 S3 S4 S5 S6 S7 S8 S9 ST SJ SQ SK SA"""


def test_points_on_first_trick():
    # W throws the queen as soon as they may. C2 CA H2 and W's card: E takes it. They lead D2, N
    # takes it with the ace and then everything with clubs, a heart in each of the 12 tricks.
    the_deal = deal(FIRST_TRICK)
    assert play_first_of(THESIS, the_deal, "SQ").scores == (12, 1 + 13, 0, 0)
    off = Hearts(points_on_first_trick=False)
    outcome = play_first_of(off, the_deal, "SQ")
    # S had nothing but hearts to play: theirs was allowed, the queen was not.
    assert (outcome.scores, outcome.flags) == ((12 + 13, 1, 0, 0), ())


def test_queen_breaks_hearts():
    # C2 CK CA SQ: S has 13, and then leads hearts, the lowest first, as soon as they may.
    #   broken: H4 S2 H2 H3 (S 3), H5 S3 HA D2 (N 2); N's ten clubs bring them H6 to HK, 8 more.
    #   not:    DK S2 H2 D2 (S 1), H4 S3 HA H3 (N 3); N's ten clubs bring them H5 to HK, 9 more.
    the_deal = deal(
        """N: C2 C3 C4 C5 C6 C7 C8 C9 CT CJ CQ H2 HA; E: CK H3 D2 D3 D4 D5 D6 D7 D8 D9 DT DJ DQ;
           S: CA DK DA H4 H5 H6 H7 H8 H9 HT HJ HQ HK; W: S2 S3 S4 S5 S6 S7 S8 S9 ST SJ SQ SK SA"""
    )
    wanted = ("SQ", *HEARTS.split())
    assert play_first_of(THESIS, the_deal, *wanted).scores == (10, 0, 16, 0)
    off = Hearts(queen_breaks_hearts=False)
    assert play_first_of(off, the_deal, *wanted).scores == (12, 0, 14, 0)


def test_queen_lead_ban():
    # C2 CK CA DA: S is in with hearts and the queen. Without the ban they must lead the queen,
    # W still has S2, and S goes on to take every heart: a moon. With the ban they may lead
    # hearts first; W keeps their ace for the queen, which comes last.
    the_deal = deal(
        """N: C2 C3 C4 C5 C6 C7 C8 C9 CT CJ CQ H2 H3; E: CK D2 D3 D4 D5 D6 D7 D8 D9 DT DJ DQ DK;
           S: CA SQ H4 H5 H6 H7 H8 H9 HT HJ HQ HK HA; W: S2 S3 S4 S5 S6 S7 S8 S9 ST SJ SK SA DA"""
    )
    outcome = play_lowest(THESIS, the_deal)
    assert (outcome.scores, outcome.flags) == ((26, 26, 0, 26), ("moon",))
    outcome = play_lowest(Hearts(queen_lead_ban=True), the_deal)
    assert (outcome.scores, outcome.flags) == ((0, 0, 13, 13), ())


def test_passing():
    # Everybody passes their three lowest to the left. E leads C2 and N, with C5 to CA, takes ten
    # tricks: W's H2 H3 H4, then seven hearts of S. N leads S2; W takes the last three with
    # SQ SK SA, and HQ HK HA in them. Without passing N shoots the moon.
    outcome = play_lowest(Hearts(passing="left"), deal(ONE_SUIT_EACH))
    assert outcome.scores == (10, 0, 0, 13 + 3)
    assert play_lowest(THESIS, deal(ONE_SUIT_EACH)).flags == ("moon",)


def test_two_players():
    # E never follows suit: N takes all 26 tricks, and the moon counts for the two of them.
    rules = Hearts(players=2)
    the_deal = deal(f"N: {CLUBS} {DIAMONDS}; E: {HEARTS} {SPADES}")
    rules.check_deal(the_deal)
    outcome = play_lowest(rules, the_deal)
    assert (outcome.scores, outcome.tricks, outcome.flags) == ((0, 26), (26, 0), ("moon",))
    with pytest.raises(DealError, match="2 hands, expected 4"):
        THESIS.check_deal(the_deal)


def test_three_players():
    # Seventeen cards each, and the queen of spades is left over: 13 points are all there are.
    rules = Hearts(players=3)
    the_deal = deal(
        f"N: {CLUBS} D2 D3 D4 D5; E: {DIAMONDS[12:]} {SPADES[:23]}; S: {HEARTS} ST SJ SK SA"
    )
    rules.check_deal(the_deal)
    outcome = play_lowest(rules, the_deal)
    assert (outcome.scores, outcome.flags) == ((0, 13, 13), ("moon",))


def test_with_three_players_the_two_of_clubs_is_always_dealt():
    rules, left_over = Hearts(players=3), set()
    for number in range(300):
        hands = rules.random_deal(Rng(number), number).hands
        assert [len(hand) for hand in hands] == [17, 17, 17]
        left_over |= set(range(52)).difference(*hands)
    assert parse_card("C2") not in left_over and len(left_over) > 40
    hands = (tuple(range(1, 18)), tuple(range(18, 35)), tuple(range(35, 52)))
    with pytest.raises(RulesError, match="no seat holds the two of clubs"):
        rules.check_deal(Deal("", hands))


# --- variants and single options ---------------------------------------------------------


@pytest.mark.parametrize("variant", sorted(PRESETS))
def test_a_variant_is_its_single_options(variant):
    whole = Hearts(variant=variant)
    single = Hearts(**PRESETS[variant]._asdict())
    assert {k: v for k, v in asdict(whole).items() if k != "variant"} == {
        k: v for k, v in asdict(single).items() if k != "variant"
    }
    # What is written down makes the same rules again.
    assert Hearts(**asdict(whole)) == whole
    assert hash(Hearts(**asdict(whole))) == hash(whole)


def test_single_options_change_a_variant():
    rules = Hearts(variant="classic", points_on_first_trick=True)
    assert rules.points_on_first_trick is True
    assert rules.queen_breaks_hearts is False


# --- passing -----------------------------------------------------------------------------


def pass_lowest(rules, standing=Standing()):
    state = rules.start(deal(ONE_SUIT_EACH), standing)
    while state.phase == "pass":
        rules.apply(state, state.legal[0])
    return state


@pytest.mark.parametrize(
    ("passing", "clubs_go_to"), [("left", 1), ("across", 2), ("right", 3), ("none", 0)]
)
def test_where_the_cards_go(passing, clubs_go_to):
    state = pass_lowest(Hearts(passing=passing))
    low_clubs = mask_of(parse_cards("C2 C3 C4"))
    assert state.hands[clubs_go_to] & low_clubs == low_clubs
    assert state.leader == state.turn == clubs_go_to
    assert [hand.bit_count() for hand in state.hands] == [13] * 4


def test_rotation_goes_by_the_round_of_the_match():
    rules = Hearts(passing="rotate")
    leaders = [pass_lowest(rules, Standing(number, (0,) * 4)).leader for number in range(6)]
    # The two of clubs goes left, right, across, stays, and so on.
    assert leaders == [1, 3, 2, 0, 1, 3]


def test_three_players_pass_left_and_right_but_not_across():
    ways = [Hearts(players=3, passing="rotate").passing_steps(number) for number in range(4)]
    assert ways == [1, 2, 0, 1]
    with pytest.raises(
        RulesError, match="passing: unknown 'across'; allowed: left, none, right, rotate"
    ):
        Hearts(players=3, passing="across")


def test_two_players_pass_to_each_other():
    rules = Hearts(players=2, passing="across")
    the_deal = deal(f"N: {CLUBS} {DIAMONDS}; E: {HEARTS} {SPADES}")
    state = rules.start(the_deal)
    for _ in range(6):
        rules.apply(state, state.legal[0])
    assert state.received == [parse_cards("H2 H3 H4"), parse_cards("C2 C3 C4")]
    assert state.leader == 1


def test_cards_are_chosen_one_by_one_and_move_when_all_have_chosen():
    rules = Hearts(passing="left")
    state = rules.start(deal(ONE_SUIT_EACH))
    for number in range(12):
        seat = number // 3
        assert (state.phase, state.turn, state.leader) == ("pass", seat, None)
        view = rules.view(state, seat)
        assert len(view.legal) == 13 - number % 3
        assert not set(view.passed) & set(view.legal)
        # Nothing has moved yet, and nothing has arrived.
        assert view.hand == mask_of(view.dealt_hand)
        assert (view.received, len(view.passed)) == ((), number % 3)
        rules.apply(state, view.legal[0])
    assert (state.phase, state.turn) == ("play", 1)


def test_a_card_cannot_be_passed_twice():
    rules = Hearts(passing="left")
    state = rules.start(deal(ONE_SUIT_EACH))
    rules.apply(state, parse_card("C2"))
    with pytest.raises(IllegalAction, match="played C2"):
        rules.apply(state, parse_card("C2"))


def test_only_passer_and_receiver_see_what_was_passed():
    rules = Hearts(passing="left")
    state = pass_lowest(rules)
    lows = [parse_cards(f"{suit}2 {suit}3 {suit}4") for suit in "CDHS"]
    for seat in range(4):
        view = rules.view(state, seat)
        assert view.passed == lows[seat]
        assert view.received == lows[(seat - 1) % 4]
        assert rules.seat_after(seat, view.passing) == (seat + 1) % 4
        assert view.dealt_hand == state.deal.hands[seat]
        assert view.hand == mask_of(view.dealt_hand) & ~mask_of(view.passed) | mask_of(
            view.received
        )


@given(st.integers(0, 2**64 - 1), st.sampled_from(["left", "right", "across"]), st.integers(0, 3))
def test_before_the_exchange_a_view_depends_on_the_own_hand_alone(seed, passing, seat):
    # Two deals that agree in one hand, and others who choose as they like.
    rules, rng = Hearts(passing=passing), Rng(seed)
    first = rules.random_deal(rng, 0)
    rest = [card for s in range(4) if s != seat for card in first.hands[s]]
    rng.shuffle(rest)
    hands = [rest[13 * i : 13 * (i + 1)] for i in range(3)]
    hands.insert(seat, list(first.hands[seat]))
    second = replace(first, hands=tuple(map(tuple, hands)))
    views = []
    for the_deal in (first, second):
        state = rules.start(the_deal)
        while state.turn != seat:
            rules.apply(state, rng.choice(state.legal))
        views.append(rules.view(state, seat))
    assert views[0] == views[1]


@given(st.integers(0, 2**64 - 1), st.sampled_from(["left", "right", "across"]))
def test_a_view_stays_the_same_when_unseen_cards_change_places(seed, passing):
    rules, rng = Hearts(passing=passing), Rng(seed)
    state = rules.start(rules.random_deal(rng, 0))
    for _ in range(12 + rng.below(40)):
        rules.apply(state, rng.choice(state.legal))
    seat = state.turn
    other = copy.deepcopy(state)
    others = [s for s in range(4) if s != seat]
    cards = [card for s in others for card in cards_of(state.hands[s])]
    rng.shuffle(cards)
    for s in others:
        size = state.hands[s].bit_count()
        other.hands[s], cards = mask_of(cards[:size]), cards[size:]
        other.passed[s] = other.received[s] = ()
    dealt = [hand if s == seat else () for s, hand in enumerate(state.deal.hands)]
    other.deal = replace(state.deal, hands=tuple(dealt))
    assert rules.view(other, seat) == rules.view(state, seat)
    assert (
        rules.view(other, seat, all_hands=True) != rules.view(state, seat, all_hands=True)
        or other.hands == state.hands
    )


# --- margins and matches -----------------------------------------------------------------


def margins(outcome):
    """For each player, the mean of the others' points less their own."""
    total, others = sum(outcome.scores), len(outcome.scores) - 1
    return [(total - own) / others - own for own in outcome.scores]


def test_the_best_and_the_worst_margin_of_four_are_reached():
    moon = play_lowest(THESIS, deal(ONE_SUIT_EACH))
    nearly = play_first_of(Hearts(points_on_first_trick=False), deal(FIRST_TRICK), "SQ")
    assert nearly.scores == (25, 1, 0, 0)
    low, high = THESIS.margin_bounds
    assert high == max(margins(moon)) == 26
    assert low == pytest.approx(min(margins(nearly)))
    assert low == pytest.approx(1 / 3 - 25)


def test_the_best_and_the_worst_margin_of_two_are_reached():
    rules = Hearts(players=2)
    moon = play_lowest(rules, deal(f"N: {CLUBS} {DIAMONDS}; E: {HEARTS} {SPADES}"))
    assert rules.margin_bounds == (min(margins(moon)), max(margins(moon))) == (-26, 26)


def test_a_match_goes_to_a_hundred_and_the_lowest_wins():
    assert not THESIS.higher_wins
    assert not THESIS.match.is_over(Standing(30, (99, 99, 99, 99)))
    assert THESIS.match.is_over(Standing(4, (3, 100, 0, 1)))


# --- options and deals that cannot be ----------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"variant": "kiele"}, "hearts: variant: unknown 'kiele'; did you mean 'kiele_"),
        ({"players": 5}, "players: unknown 5; allowed: 2, 3, 4"),
        ({"players": "4"}, "players: unknown '4'"),
        ({"passing": "lft"}, "did you mean 'left'"),
        ({"queen_lead_ban": "no"}, "queen_lead_ban: unknown 'no'; allowed: False, True"),
        ({"points_on_first_trick": 0}, "points_on_first_trick: unknown 0"),
    ],
)
def test_unknown_options_are_refused(options, message):
    with pytest.raises(RulesError, match=message):
        Hearts(**options)


def test_every_option_is_explained():
    assert set(Hearts.options_help) == {field.name for field in fields(Hearts)}


def test_a_leader_must_hold_the_two_of_clubs():
    THESIS.check_deal(deal(ONE_SUIT_EACH, leader="N"))
    with pytest.raises(RulesError, match="leader E does not hold the two of clubs"):
        THESIS.check_deal(deal(ONE_SUIT_EACH, leader="E"))
    Hearts(passing="left").check_deal(deal(ONE_SUIT_EACH, leader="E"))


def test_a_filter_looks_for_long_hearts():
    assert Hearts.measures["most-hearts"](deal(ONE_SUIT_EACH)) == 13


# --- properties --------------------------------------------------------------------------

any_rules = st.builds(
    Hearts,
    players=st.sampled_from([2, 3, 4]),
    variant=st.sampled_from(sorted(PRESETS)),
    passing=st.sampled_from(["none", "left", "right", "rotate"]),
    points_on_first_trick=st.sampled_from([None, False, True]),
    queen_breaks_hearts=st.sampled_from([None, False, True]),
    queen_lead_ban=st.sampled_from([None, False, True]),
)


@given(any_rules, st.integers(0, 2**64 - 1))
def test_random_rounds_add_up(rules, seed):
    rng = Rng(seed)
    the_deal = rules.random_deal(rng, 0)
    rules.check_deal(the_deal)
    state, _ = play_at_random(rules, the_deal, rng)
    outcome = rules.outcome(state)
    played = {card for trick in state.tricks for card in trick.cards}
    assert played == {card for hand in the_deal.hands for card in hand}
    dealt = sum(POINTS[card] for card in played)
    assert dealt == ALL_POINTS == 26 or rules.players == 3
    assert sum(outcome.points) == dealt
    assert sum(outcome.tricks) == rules.hand_size == 52 // rules.players
    moon = "moon" in outcome.flags
    assert moon == (dealt in outcome.points)
    assert sum(outcome.scores) == (dealt * (rules.players - 1) if moon else dealt)
    low, high = rules.margin_bounds
    assert all(low - 1e-9 <= margin <= high for margin in margins(outcome))
    assert state.tricks[0].cards[0] == parse_card("C2")


@given(any_rules, st.integers(0, 2**64 - 1))
def test_a_heart_led_early_came_from_a_hand_of_banned_cards(rules, seed):
    rng = Rng(seed)
    state = rules.start(rules.random_deal(rng, 0))
    hearts = mask_of(parse_cards(HEARTS))
    queen = 1 << parse_card("SQ")
    banned = hearts | queen if rules.queen_lead_ban else hearts
    while state.turn is not None:
        assert state.legal
        hand, leads = state.hands[state.turn], state.phase == "play" and not state.table
        card = rng.choice(state.legal)
        if leads and not state.opened and banned >> card & 1:
            assert hand & ~banned == 0
        rules.apply(state, card)
