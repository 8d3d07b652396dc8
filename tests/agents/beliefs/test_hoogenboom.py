"""Beliefs: the tables of the thesis, and worlds that agree with them."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from helpers.all_rules import ALL, situations
from helpers.rounds import deal
from scipy.stats import chisquare

from agents.beliefs import Believer, hoogenboom
from agents.beliefs.hoogenboom import (
    Certain,
    Probabilities,
    Probable,
    strongest_trumps,
)
from agents.papers.hoogenboom_2017 import BELIEF_DEVIATIONS, Probabilities2017
from agents.search.worlds import deal_world, plan_worlds, worlds_for
from agents.semi_random import SemiRandom
from arena.core.cards import LANE, CardSet, parse_card, parse_seat, parse_trump
from arena.core.errors import ArenaError
from arena.core.rules import PUSH, View, choose_trump
from arena.core.seeds import Rng
from arena.games.hearts import Hearts
from arena.games.infoset import InfoSet, probably_void
from arena.games.kernel.layout import HANDS
from arena.games.kernel.rng import rng_array
from arena.games.kernel.spec import kernel_game
from arena.games.kernel.weighted_worlds import (
    plan_weighted,
    sample_weighted,
    weighted_odds,
    weighted_plan,
)
from arena.games.klaverjas import Klaverjas
from arena.games.observation import observe
from arena.games.schieber import Schieber

SUIT = (1 << LANE) - 1
WEST = parse_seat("W")
ANY_DEAL = "N: C7 C8 C9 CT CJ CQ CK CA; E: D7 D8 D9 DT DJ DQ DK DA; S: H7 H8 H9 HT HJ HQ HK HA; \
W: S7 S8 S9 ST SJ SQ SK SA"
NO_VOIDS = (0,) * 4


def view_of_west(trump: str, declarer: str, forced: bool = False) -> View:
    """A view that says who declared what; its cards are not looked at."""
    rules = Klaverjas()
    state = rules.start(deal(ANY_DEAL, trump=trump, declarer=declarer, leader="W"))
    return rules.view(state, WEST)._replace(forced=forced)


def knowledge(unseen: str, sizes: tuple[int, int, int], **cannot: str) -> InfoSet:
    """What west knows if these cards are out and N, E and S cannot hold some of them."""
    cards = CardSet.parse(unseen).mask
    may = [cards & ~CardSet.parse(cannot.get(seat, "")).mask for seat in "NES"]
    return InfoSet(
        Klaverjas(),
        seat=WEST,
        hand=0,
        unseen=cards,
        undealt=0,
        sizes=(*sizes, 0),
        may=(*may, 0),
        must=(0,) * 4,
    )


def void_in(seat: str, suit: str) -> tuple[int, ...]:
    void = [0] * 4
    void[parse_seat(seat)] = 1 << parse_trump(suit)
    return tuple(void)


def chances(table: Any, card: str) -> list[float]:
    return [round(table[seat].get(parse_card(card), 0.0), 2) for seat in range(3)]


# --- the tables of the thesis; its players 0, 1, 2 are N, E, S ----------------------------


def test_table_7() -> None:
    known = knowledge("S7 S8 H7 HQ HK HT", (2, 2, 2), E="H7 HQ HK HT")
    table = Probabilities().table(view_of_west("H", declarer="S"), known, void_in("N", "S"))
    assert chances(table, "S7") == chances(table, "S8") == [0.17, 0.42, 0.42]
    assert chances(table, "HQ") == chances(table, "HT") == [0.4, 0.0, 0.6]


def test_tables_8_and_9() -> None:
    known = knowledge("HA D7 D8 D9 DT DJ", (2, 2, 2), N="HA")
    table = Probabilities().table(view_of_west("C", declarer="S"), known, NO_VOIDS)
    assert chances(table, "HA") == [0.0, 0.5, 0.5]
    assert chances(table, "D7") == [0.33, 0.33, 0.33]
    hearts, diamonds = SUIT << 2 * LANE, SUIT << LANE
    seen = Counter()
    for hands in _sampled_from_table(known, table, 4000):
        seen[tuple((h & hearts).bit_count() for h in hands)] += 1
        assert (hands[0] & diamonds).bit_count() == 2
    assert set(seen) == {(0, 1, 0), (0, 0, 1)}
    assert chisquare(list(seen.values())).pvalue > 1e-4


def test_table_10() -> None:
    known = knowledge("HQ HK H9 HJ S7 S8", (2, 2, 2))
    table = Probabilities().table(view_of_west("H", declarer="S"), known, NO_VOIDS)
    assert chances(table, "HQ") == chances(table, "HK") == [0.3, 0.3, 0.4]
    assert chances(table, "H9") == chances(table, "HJ") == [0.26, 0.26, 0.48]


def _sampled_from_table(known: InfoSet, table: Any, count: int) -> Iterator[list[int]]:
    plan, odds, hands = weighted_plan(), weighted_odds(), np.zeros(4, dtype=np.uint64)
    weights = np.zeros((4, 64))
    for seat, row in enumerate(table):
        for card, weight in row.items():
            weights[seat, card] = weight
    may = np.array(known.may, dtype=np.uint64)
    assert plan_weighted(plan, odds, np.uint64(known.unseen), may, np.array(known.sizes), weights)
    rng = rng_array(Rng(7))
    for _ in range(count):
        sample_weighted(plan, odds, rng, hands)
        yield [int(hand) for hand in hands[:3]]


# --- what declaring tells ----------------------------------------------------------------


def test_a_forced_declarer_tells_nothing_unless_as_published() -> None:
    known = knowledge("HQ HK H9 HJ S7 S8", (2, 2, 2))
    view = view_of_west("H", declarer="S", forced=True)
    assert chances(Probabilities().table(view, known, NO_VOIDS), "HJ") == [0.33] * 3
    published = Probabilities2017(as_published=("forced-is-strong",))
    assert chances(published.table(view, known, NO_VOIDS), "HJ") == [0.26, 0.26, 0.48]


def test_a_partner_who_names_trump_after_a_push_chose_it_freely() -> None:
    rules = Schieber()
    hands = "N: C8 CT CQ D8 DT DQ H8 HT HQ; E: C6 C9 CK D6 D9 H6 H9 S6 S7; \
S: SJ S9 SA SK SQ ST C7 D7 H7; W: CJ CA DJ DK DA HJ HK HA S8"
    state = rules.start(deal(hands, dealer="E"))
    rules.apply(state, PUSH)
    rules.apply(state, choose_trump(parse_trump("S")))
    view = rules.view(state, WEST)
    north, east, south = chances(Probabilities().table(view, InfoSet.of(view), NO_VOIDS), "SJ")
    assert north == east < south


def test_declaring_oneself_tells_nothing() -> None:
    known = knowledge("HQ HK H9 HJ S7 S8", (2, 2, 2))
    table = Probabilities().table(view_of_west("H", declarer="W"), known, NO_VOIDS)
    assert chances(table, "HJ") == [0.33] * 3


def test_high_multipliers_are_capped() -> None:
    known = knowledge("HQ HJ S7", (1, 1, 1))
    table = Probabilities(m1=5.0).table(view_of_west("H", declarer="N"), known, NO_VOIDS)
    assert chances(table, "HQ") == chances(table, "HJ") == [0.98, 0.01, 0.01]


def test_a_card_that_only_one_may_hold_is_his() -> None:
    known = knowledge("HJ S7 S8", (1, 1, 1), N="HJ", S="HJ")
    table = Probabilities().table(view_of_west("H", declarer="N"), known, NO_VOIDS)
    assert chances(table, "HJ") == [0.0, 1.0, 0.0]


def test_impossible_holders_leave_their_chance_to_the_others() -> None:
    """The program of 2017 loses it to the third player, even if they cannot have the card."""
    known = knowledge("HQ HJ S7 S8 S9 ST", (2, 2, 2), N="HJ", S="HJ")
    view = view_of_west("H", declarer="N")
    assert chances(Probabilities().table(view, known, NO_VOIDS), "HJ") == [0.0, 1.0, 0.0]
    published = Probabilities2017(as_published=("third-takes-rest",))
    assert chances(published.table(view, known, NO_VOIDS), "HJ") == [0.0, 0.26, 0.74]


def test_probable_voids_and_trumps() -> None:
    known = knowledge("HQ HK S7", (1, 1, 1))
    view, voids = view_of_west("H", declarer="W"), void_in("N", "H")
    assert chances(Probabilities().table(view, known, voids), "HQ") == [0.17, 0.42, 0.42]
    published = Probabilities2017(as_published=("roem-ignored-for-trumps",))
    assert chances(published.table(view, known, voids), "HQ") == [0.33] * 3


def test_coarse_odds_come_in_steps() -> None:
    known = knowledge("HQ HK S7", (1, 1, 1))
    coarse = Probabilities2017(as_published=("coarse-odds",))
    table = coarse.table(view_of_west("H", declarer="W"), known, NO_VOIDS)
    assert chances(table, "S7") == [0.4, 0.3, 0.3]  # one card in steps of 0.1
    assert chances(table, "HQ") == [0.34, 0.33, 0.33]


def test_unknown_deviations_are_refused() -> None:
    with pytest.raises(ArenaError, match="did you mean 'coarse-odds'"):
        Probabilities2017(as_published=("coarse-ods",))


def test_strongest_trumps() -> None:
    for rules in (Klaverjas(), Schieber()):
        for trump, suit in enumerate("CDHS"):
            assert str(CardSet(strongest_trumps(rules, trump))) == f"{suit}9 {suit}J"


# --- from views --------------------------------------------------------------------------


def positions(rules: Any, seed: int, rounds: int) -> Iterator[tuple[Any, View]]:
    """Rounds of semi-random players, and what is seen at each card."""
    rng, player = Rng(seed), SemiRandom()
    for number in range(rounds):
        state = rules.start(rules.random_deal(rng, number))
        while state.turn is not None:
            view = rules.view(state, state.turn)
            if state.phase == "play":
                yield state, view
            rules.apply(state, player.act(view, rng))


GAMES = [Klaverjas(bidding="classical"), Schieber(), Hearts()]


@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: rules.name)
def test_chances_of_a_card_add_up_to_one_and_respect_the_facts(rules: Any) -> None:
    for _, view in positions(rules, seed=1, rounds=10):
        known = InfoSet.of(view)
        table = Probabilities().table(view, known, probably_void(view))
        for card in CardSet(known.unseen):
            assert sum(row.get(card, 0.0) for row in table) == pytest.approx(1.0)
            for seat, row in enumerate(table):
                assert (card in row) == bool(known.may[seat] >> card & 1)


@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: rules.name)
@pytest.mark.parametrize("kind", [Certain, Probable, Probabilities])
def test_worlds_agree_with_what_is_known(rules: Any, kind: Any) -> None:
    rng = rng_array(Rng(2))
    for _, view in positions(rules, seed=2, rounds=6):
        game = kernel_game(rules, view.trump)
        worlds = plan_worlds(game, view, kind())
        known = InfoSet.of(view)
        state = game.view_state(view)
        for _ in range(5):
            deal_world(worlds, rng, state)
            hands = [game.card_mask(state[HANDS + seat]) for seat in range(4)]
            assert known.agrees(hands)


@pytest.mark.parametrize("rules", ALL, ids=str)
def test_what_is_certain_is_planned_from_what_a_seat_has_seen(rules: Any) -> None:
    """By compiled code alone, where other beliefs ask the rules: the same worlds come out."""
    for table, rng in situations(rules, 8, 3):
        if table.phase == "play":
            view = rules.view(table, table.turn)
            game, seed = kernel_game(rules, view.trump), rng_array(rng)
            observed = observe(game, view)
            root, worlds = observed.state, worlds_for(observed, Certain(), seed)
            slowly = plan_worlds(game, view, Certain())
            dealt, expected, same = root.copy(), root.copy(), seed.copy()
            for _ in range(20):
                deal_world(worlds, seed, dealt)
                deal_world(slowly, same, expected)
                assert dealt.tolist() == expected.tolist()


def all_worlds(known: InfoSet) -> list[tuple[int, ...]]:
    """Every world, by trying all of them."""
    found = []
    cards = list(CardSet(known.unseen))
    seats = [seat for seat in range(4) if seat != known.seat]
    for holders in itertools.product(seats, repeat=len(cards)):
        hands = [0] * 4
        hands[known.seat] = known.hand
        for card, seat in zip(cards, holders, strict=True):
            hands[seat] |= 1 << card
        if known.agrees(hands):
            found.append(tuple(hands))
    return found


def endings(seed: int, tricks_left: int) -> Iterator[View]:
    rules = Klaverjas(bidding="classical")
    for _, view in positions(rules, seed, rounds=1000):
        if len(view.tricks) == 8 - tricks_left:
            yield view


def sampled(view: View, beliefs: Believer, count: int) -> Counter[tuple[int, ...]]:
    game = kernel_game(view.rules, view.trump)
    worlds, state = plan_worlds(game, view, beliefs), game.view_state(view)
    rng = rng_array(Rng(3))
    seen: Counter[tuple[int, ...]] = Counter()
    for _ in range(count):
        deal_world(worlds, rng, state)
        seen[tuple(game.card_mask(state[HANDS + seat]) for seat in range(4))] += 1
    return seen


def check_distribution(seen: Counter[tuple[int, ...]], expected: dict[Any, float]) -> None:
    assert set(seen) <= set(expected)
    total = sum(seen.values())
    worlds = list(expected)
    if len(worlds) > 1:
        found = [seen[world] for world in worlds]
        assert chisquare(found, [expected[world] * total for world in worlds]).pvalue > 1e-5


def test_without_multipliers_and_voids_probabilities_are_certain() -> None:
    plain = Probabilities(m1=1.0, m2=1.0)
    checked = 0
    for view in itertools.islice(endings(seed=4, tricks_left=2), 0, 120, 4):
        if any(probably_void(view)):
            continue
        worlds = all_worlds(InfoSet.of(view))
        equal = dict.fromkeys(worlds, 1.0 / len(worlds))
        count = 40 * len(worlds)
        check_distribution(sampled(view, plain, count), equal)
        check_distribution(sampled(view, Certain(), count), equal)
        checked += len(worlds) > 1
    assert checked > 10


def test_probabilities_are_the_product_of_the_chances() -> None:
    beliefs = Probabilities(m1=1.5, m2=1.3)
    checked = 0
    for view in itertools.islice(endings(seed=5, tricks_left=2), 0, 160, 4):
        known = InfoSet.of(view)
        table = beliefs.table(view, known, probably_void(view))
        weights = {}
        for world in all_worlds(known):
            weight = 1.0
            for seat in range(4):
                for card in CardSet(world[seat] & known.unseen):
                    weight *= table[seat][card]
            weights[world] = weight
        total = sum(weights.values())
        expected = {world: weight / total for world, weight in weights.items()}
        check_distribution(sampled(view, beliefs, 40 * len(weights)), expected)
        checked += len({round(p, 9) for p in expected.values()}) > 1
    assert checked > 5


# --- probable voids ----------------------------------------------------------------------

GAVE_ROEM = "N: H7 C7 C8 C9 D7 D8 D9 S7; E: H9 CT CJ CQ DT DJ DQ S8; S: HT CK CA DK DA S9 ST SJ; \
W: H8 HK HQ HJ HA SQ SK SA"


def after_giving_roem() -> View:
    """West was last, had to choose among hearts, and made a run of four for the opponents."""
    rules = Klaverjas()
    state = rules.start(deal(GAVE_ROEM, trump="C", declarer="N", leader="N"))
    for card in ("H7", "H9", "HT", "H8"):
        rules.apply(state, parse_card(card))
    assert state.tricks[0].bonus == 50 and state.turn == parse_seat("S")
    return rules.view(state, parse_seat("S"))


def test_who_gave_roem_is_probably_void() -> None:
    view = after_giving_roem()
    known = InfoSet.of(view)
    hearts = SUIT << 2 * LANE
    assert known.may[WEST] & hearts
    probable, certain = Probable(share=0.7).of(view)
    assert not probable.may[WEST] & hearts and certain.may == known.may
    assert (probable.share, certain.share) == (0.7, pytest.approx(0.3))
    table = Probabilities().table(view, known, probably_void(view))
    heart = parse_card("HA")
    assert [round(row.get(heart, 0.0), 2) for row in table] == [0.42, 0.42, 0.0, 0.17]


def test_the_share_of_probable_worlds() -> None:
    view = after_giving_roem()
    hearts = SUIT << 2 * LANE
    for share in (0.0, 0.5, 1.0):
        seen = sampled(view, Probable(share=share), 4000)
        without = sum(n for hands, n in seen.items() if not hands[WEST] & hearts) / 4000
        # Some of the certain worlds have no heart there either.
        chance = sum(
            n for hands, n in sampled(view, Certain(), 4000).items() if not hands[WEST] & hearts
        )
        expected = share + (1 - share) * chance / 4000
        assert without == pytest.approx(expected, abs=0.03)


def test_if_no_world_is_probable_all_are_certain() -> None:
    """Here the others are taken to be out of everything."""
    view = after_giving_roem()
    known = InfoSet.of(view)
    assert len(Probable().of(view, known)) == 2
    game = kernel_game(view.rules, view.trump)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hoogenboom, "probably_void", lambda view: (15, 15, 0, 15))
        guesses = Probable(share=1.0).of(view, known)
        assert guesses[0].may == (0, 0, 0, 0)
        worlds = plan_worlds(game, view, Probable(share=1.0))
    state, rng = game.view_state(view), rng_array(Rng(1))
    deal_world(worlds, rng, state)
    assert known.agrees([game.card_mask(state[HANDS + seat]) for seat in range(4)])


# --- single deviations of the program ----------------------------------------------------


def contradicting(*deviations: str) -> float:
    """The share of sampled worlds that contradict what is known, over whole rounds."""
    rules = Klaverjas(bidding="classical")
    rng, worlds_drawn, wrong = rng_array(Rng(5)), 0, 0
    for _, view in positions(rules, seed=6, rounds=60):
        game = kernel_game(rules, view.trump)
        worlds = plan_worlds(game, view, Probabilities2017(as_published=deviations))
        state, known = game.view_state(view), InfoSet.of(view)
        for _ in range(4):
            deal_world(worlds, rng, state)
            hands = [game.card_mask(state[HANDS + seat]) for seat in range(4)]
            wrong += not known.agrees(hands)
            worlds_drawn += 1
    return wrong / worlds_drawn


def test_a_few_worlds_of_the_program_contradict_the_facts() -> None:
    assert contradicting() == 0.0
    assert 0.003 < contradicting("third-takes-rest") < 0.04


@pytest.mark.parametrize("deviation", BELIEF_DEVIATIONS)
def test_every_deviation_changes_some_chance(deviation: str) -> None:
    rules = Klaverjas(bidding="classical")
    published = Probabilities2017(as_published=(deviation,))
    for _, view in positions(rules, seed=8, rounds=400):
        known, voids = InfoSet.of(view), probably_void(view)
        if published.table(view, known, voids) != Probabilities().table(view, known, voids):
            return
        forced = view._replace(forced=True)
        if published.table(forced, known, voids) != Probabilities().table(forced, known, voids):
            return
    pytest.fail(f"{deviation} changes nothing")
