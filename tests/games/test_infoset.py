"""What is known: for certain, by the one rule; and what is only likely."""

from __future__ import annotations

from dataclasses import replace

import pytest
from helpers.rounds import deal
from helpers.situations import (
    HEARTS,
    KLAVERJAS,
    RULES,
    SCHIEBER,
    WITH_WEIS,
    decisions,
    endings,
    situations,
)
from helpers.splits import splits
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.core.cards import SUITS, CardSet, cards_of, parse_card, parse_cards, suit_of
from arena.core.rules import IllegalAction, Position
from arena.core.seeds import Rng
from arena.games.hearts import Hearts
from arena.games.infoset import (
    InfoSet,
    agrees,
    impossible_after,
    plays_of,
    probably_void,
    round_of,
)
from arena.games.klaverjas import Klaverjas
from arena.games.schieber import Schieber

N, E, S, W = range(4)


# --- for all games and options -----------------------------------------------------------


@given(situations([*RULES, *WITH_WEIS]))
@settings(max_examples=400, deadline=None)
def test_the_true_world_always_agrees(situation):
    view, hands = situation
    known = InfoSet.of(view)
    assert known.agrees(hands)
    assert agrees(view, hands)
    assert known.sizes == tuple(hand.bit_count() for hand in hands)
    assert known.unseen == view.unseen
    for seat, hand in enumerate(hands):
        if seat != view.seat:
            assert known.must[seat] & ~hand == 0
            assert hand & ~known.may[seat] == 0
            assert known.must[seat] & ~known.may[seat] == 0


@given(endings(RULES, most_unseen=6))
@settings(max_examples=250, deadline=None)
def test_the_masks_say_all_there_is_to_know(situation):
    """Of all ways to give out the last cards, those that agree with the masks are exactly
    those in which every past play was legal and the seat would see what it sees."""
    view, _ = situation
    known = InfoSet.of(view)
    for world in all_worlds(known):
        assert known.agrees(world) == agrees(view, world), [str(CardSet(hand)) for hand in world]


@given(endings(WITH_WEIS, most_unseen=6))
@settings(max_examples=40, deadline=None)
def test_with_weis_the_masks_exclude_nothing_possible(situation):
    view, _ = situation
    known = InfoSet.of(view)
    for world in all_worlds(known):
        assert known.agrees(world) or not agrees(view, world)


def all_worlds(known):
    """Every way to give the unseen cards to the others, whatever is known about them."""
    sizes = [0 if seat == known.seat else size for seat, size in enumerate(known.sizes)]
    for split in splits(known.unseen, [known.unseen] * len(sizes), sizes):
        yield tuple(known.hand if s == known.seat else hand for s, hand in enumerate(split))


def test_there_is_something_to_forget():
    """The test above can fail: without the masks, most worlds would break a rule."""
    forbidden = 0
    for seed in range(20):
        for view, _ in decisions(Klaverjas(), seed):
            known = InfoSet.of(view)
            if 0 < known.unseen.bit_count() <= 6:
                forgetful = replace(known, may=(known.unseen,) * 4, must=(0,) * 4)
                forbidden += sum(
                    forgetful.agrees(world) and not agrees(view, world)
                    for world in all_worlds(known)
                )
    assert forbidden > 100


@pytest.mark.parametrize("rules", [*RULES, *WITH_WEIS], ids=repr)
def test_a_card_is_legal_if_each_other_card_by_itself_allows_it(rules):
    """On this rests that a play tells about single cards and about nothing else."""
    rng = Rng(7)
    for _ in range(150):
        cards = cards_of(rules.deck)
        rng.shuffle(cards)
        size = 1 + rng.below(6)
        hand, table = cards[:size], cards[size : size + rng.below(rules.players)]
        trump = None if isinstance(rules, Hearts) else rng.below(6 if rules in SCHIEBER else 4)
        position = Position(trump, tuple(table), rng.below(3), bool(rng.below(2)))
        if isinstance(rules, Hearts) and not position.trick_number and not position.table:
            continue  # the holder of the two of clubs leads it; nobody else leads
        together = rules.playable(sum(1 << card for card in hand), position)
        for card in hand:
            one_by_one = all(
                rules.playable(1 << card | 1 << other, position) >> card & 1 for other in hand
            )
            assert bool(together >> card & 1) == one_by_one


@pytest.mark.parametrize("rules", [KLAVERJAS[0], SCHIEBER[0], HEARTS[0]], ids=repr)
def test_asking_about_many_cards_at_once_is_asking_about_each(rules):
    for view, _ in decisions(rules, 5):
        for _, position, card in plays_of(view):
            one_by_one = sum(
                1 << other
                for other in cards_of(rules.deck & ~(1 << card))
                if not rules.playable(1 << card | 1 << other, position) >> card & 1
            )
            assert impossible_after(rules, position, card, rules.deck) == one_by_one


@given(situations(RULES), st.integers(0, 10**9))
@settings(max_examples=60, deadline=None)
def test_other_hidden_cards_same_knowledge(situation, seed):
    """Knowledge comes from the view: it is the same in every round that looks the same."""
    view, _ = situation
    known = InfoSet.of(view)
    for world in some_agreeing_worlds(known, seed):
        again = view.rules.view(round_of(view, world), view.seat)
        assert InfoSet.of(again) == known
        assert probably_void(again) == probably_void(view)


def some_agreeing_worlds(known, seed):
    """A few worlds, found by exchanging cards of those that may have each other's."""
    sizes = [0 if seat == known.seat else size for seat, size in enumerate(known.sizes)]
    may = (*known.may, known.may_be_undealt)
    *world, _ = next(splits(known.unseen, may, [*sizes, known.undealt]))
    rng = Rng(seed)
    for _ in range(3):
        hands = [known.hand if s == known.seat else hand for s, hand in enumerate(world)]
        for _ in range(50):
            one, other = rng.below(len(hands)), rng.below(len(hands))
            if known.seat in (one, other) or one == other or not hands[one] or not hands[other]:
                continue
            a, b = 1 << rng.choice(cards_of(hands[one])), 1 << rng.choice(cards_of(hands[other]))
            if known.may[one] & b and known.may[other] & a:
                hands[one] ^= a | b
                hands[other] ^= a | b
        yield tuple(hands)


# --- worked by hand ----------------------------------------------------------------------

KLAVERJAS_DEAL = deal(
    """N: CA CK C7 D7 D8 H7 S7 SA;
       E: HJ H8 D9 DT DJ SK SQ SJ;
       S: C9 CT CJ CQ C8 HK DQ DK;
       W: H9 HA HT HQ DA S8 S9 ST""",
    trump="H",
    declarer="N",
    leader="N",
)


def view_after(rules, the_deal, plays, seat=None):
    """What a seat (by default the next to play) sees after some plays."""
    state = rules.start(the_deal)
    for card in parse_cards(plays):
        rules.apply(state, card)
    return rules.view(state, state.turn if seat is None else seat)


def can_hold(known, seat, cards):
    """Which of some cards a seat may hold, in notation."""
    return str(CardSet(known.may[seat]) & CardSet.parse(cards))


def test_klaverjas_who_trumps_is_void_and_who_trumps_low_has_no_higher_trump():
    view = view_after(Klaverjas(), KLAVERJAS_DEAL, "CA HJ CT HQ")
    known = InfoSet.of(view)
    assert (view.seat, known.sizes) == (E, (7, 7, 7, 7))
    # W had no club and had to trump higher if they could: they cannot hold what beats the jack,
    # which nothing does, so their trumps are all still possible.
    assert can_hold(known, W, "C7 C8 C9 CJ CQ CK") == ""
    assert can_hold(known, W, "H7 H9 HT HK HA") == "H7 H9 HT HK HA"
    assert known.is_void(W, SUITS.index("C"))
    assert not known.is_void(N, SUITS.index("C"))
    assert can_hold(known, S, "C7 H9 S7") == "C7 H9 S7"


def test_klaverjas_who_does_not_head_a_trump_cannot():
    the_deal = deal(
        """N: CA CK C7 D7 D8 HT S7 SA;
           E: HJ H8 D9 DT DJ SK SQ SJ;
           S: C9 CT CJ CQ C8 HK DQ DK;
           W: H9 HA H7 HQ DA S8 S9 ST""",
        trump="H",
        declarer="N",
        leader="N",
    )
    known = InfoSet.of(view_after(Klaverjas(), the_deal, "HT HJ HK H7"))
    assert can_hold(known, S, "H9 HQ HA") == "H9 HQ HA"  # under the jack all are allowed
    known = InfoSet.of(view_after(Klaverjas(), the_deal, "HT", seat=W))
    assert can_hold(known, E, "H8 HJ") == "H8 HJ"
    # Partner's ten holds the trick when S plays: in rotterdam they must still head it.
    low = replace(the_deal, hands=swapped(the_deal.hands, "HJ", "SA"))
    for variant, above in (("rotterdam", ""), ("amsterdam", "HJ"), ("amsterdam-official", "")):
        known = InfoSet.of(view_after(Klaverjas(variant=variant), low, "HT H8 HK", seat=W))
        assert can_hold(known, S, "HJ") == above, variant


def swapped(hands, one, other):
    """Hands in which two cards have changed places."""
    a, b = parse_card(one), parse_card(other)
    return tuple(tuple({a: b, b: a}.get(card, card) for card in hand) for hand in hands)


def test_schieber_the_trump_jack_is_never_given_away():
    the_deal = deal(
        """N: HA HK H6 C6 C7 C8 D6 D7 S6;
           E: HT HQ C9 DK DA SJ SQ SK SA;
           S: H7 H8 H9 DT DJ DQ S8 S9 ST;
           W: HJ CT CJ CQ CK CA D8 D9 S7""",
        trump="H",
        leader="N",
    )
    known = InfoSet.of(view_after(Schieber(bidding="given"), the_deal, "HA D8"))
    assert can_hold(known, W, "HJ HT HQ HK H6") == "HJ"
    assert not known.is_void(W, SUITS.index("H"))


def test_hearts_who_leads_a_heart_too_early_has_nothing_else():
    rules = Hearts(variant="kiele_code")
    position = Position(None, (), 3, False)
    message = CardSet(impossible_after(rules, position, parse_card("H5"), rules.deck))
    assert message == CardSet(rules.deck) - CardSet.parse(
        "SQ H2 H3 H4 H5 H6 H7 H8 H9 HT HJ HQ HK HA"
    )
    assert not impossible_after(rules, position._replace(opened=True), parse_card("H5"), rules.deck)


def test_hearts_who_passed_a_card_knows_where_it_is_until_it_is_played():
    rules = Hearts(passing="left")
    checked = 0
    for seed in range(10):
        for view, _ in decisions(rules, 4 * seed):
            if view.phase == "pass":
                assert InfoSet.of(view).must == (0, 0, 0, 0)
                continue
            receiver = (view.seat + 1) % 4
            still_out = sum(1 << card for card in view.passed) & view.unseen
            known = InfoSet.of(view)
            assert known.must[receiver] & still_out == still_out
            assert all(known.may[s] & still_out == 0 for s in range(4) if s != receiver)
            checked += still_out != 0
    assert checked > 50


def test_schieber_shown_weis_are_known():
    checked = 0
    for seed in range(10):
        for view, _ in decisions(WITH_WEIS[0], seed):
            known = InfoSet.of(view)
            for seat, cards in view.shown:
                if seat != view.seat:
                    assert known.must[seat] & cards == cards & view.unseen
                    checked += cards & view.unseen != 0
    assert checked > 20


def test_weis_that_were_not_shown_are_known_to_agrees_only():
    """Nobody showed anything, so nobody holds a run; single cards are all possible."""
    refused = 0
    for seed in range(30):
        for view, _ in decisions(WITH_WEIS[0], seed):
            if len(view.tricks) == 1 and not view.table and not view.shown:
                known = InfoSet.of(view)
                for world in some_agreeing_worlds(known, seed):
                    assert known.agrees(world)
                    refused += not agrees(view, world)
    assert refused > 3


def test_a_card_that_only_one_can_hold_is_his():
    # W trumped clubs and E did too, so the clubs that N has not seen are all with S.
    known = InfoSet.of(view_after(Klaverjas(), KLAVERJAS_DEAL, "CA HJ CT HQ", seat=N))
    assert str(CardSet(known.must[S]) & CardSet.parse("C7 C8 C9 CJ CQ CK")) == "C8 C9 CJ CQ"


def test_a_world_of_the_wrong_shape_does_not_agree():
    view, hands = decisions(Klaverjas(), 1)[0]
    known = InfoSet.of(view)
    others = [seat for seat in range(4) if seat != view.seat]
    a, b = others[0], others[1]
    moved = list(hands)
    card = moved[a] & -moved[a]
    moved[a] ^= card
    moved[b] ^= card
    assert not known.agrees(moved)
    twice = list(hands)
    twice[a] = hands[b]
    assert not known.agrees(twice)
    turned = [hands[(seat + 1) % 4] for seat in range(4)]
    assert not known.agrees(turned)
    assert not agrees(view, turned)


def test_a_round_that_cannot_have_been_played_is_refused():
    view = view_after(Klaverjas(), KLAVERJAS_DEAL, "CA HJ CT HQ")
    state = Klaverjas().start(KLAVERJAS_DEAL)
    hands = [sum(1 << card for card in hand) for hand in KLAVERJAS_DEAL.hands]
    for seat, card in enumerate(parse_cards("CA HJ CT HQ")):
        hands[seat] ^= 1 << card
    assert state.turn == N
    assert agrees(view, hands)
    club, spade = 1 << parse_card("CK"), 1 << parse_card("S8")
    hands[N] ^= club | spade
    hands[W] ^= club | spade  # W would have had to follow suit
    assert not agrees(view, hands)
    with pytest.raises(IllegalAction):
        round_of(view, hands)


# --- signs -------------------------------------------------------------------------------


def test_signs_giving_roem_away_as_the_last_player():
    the_deal = deal(
        """N: CA CK C7 D7 D8 H7 S7 SA;
           E: HJ H8 D9 DT DJ SK SQ SJ;
           S: CT CJ C9 C8 HK DQ DK ST;
           W: H9 HA HT HQ DA S8 S9 CQ""",
        trump="H",
        declarer="N",
        leader="S",
    )
    # S leads the jack; W follows with the queen, N takes with the ace, E is void and trumps.
    view = view_after(Klaverjas(), the_deal, "CJ CQ CK H8")
    clubs = 1 << SUITS.index("C")
    # The king made it a run for E and W, who took the trick; N was not last.
    assert probably_void(view) == (0, 0, 0, 0)
    last = replace(the_deal, hands=swapped(the_deal.hands, "H8", "C8"), leader=W)
    last = replace(last, hands=swapped(last.hands, "CT", "CA"))
    # W leads the queen, N the king, E follows low; S has to follow and gives the jack.
    view = view_after(Klaverjas(), last, "CQ CT C8 CJ")
    assert view.tricks[0].winner == N
    assert probably_void(view) == (0, 0, 0, 0)  # their partner N takes the roem
    other = replace(last, hands=swapped(last.hands, "CT", "C8"))
    view = view_after(Klaverjas(), other, "CQ CK CT CJ")
    assert view.tricks[0].winner == E
    assert probably_void(view) == (0, 0, clubs, 0)


@given(situations(RULES))
@settings(max_examples=100, deadline=None)
def test_signs_follow_from_what_was_played(situation):
    view, _ = situation
    for seat in range(view.rules.players):
        last = {
            suit_of(play.card)
            for play in plays_of(view)
            if play.seat == seat and len(play.position.table) == view.rules.players - 1
        }
        assert all(suit in last for suit in range(4) if probably_void(view)[seat] >> suit & 1)
