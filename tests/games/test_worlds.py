"""The samplers against going through all worlds, and against the views they came from."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from functools import cache
from math import factorial, prod
from typing import NamedTuple

import numpy as np
import pytest
from helpers.situations import RULES, WITH_WEIS, decisions, situations
from helpers.splits import splits
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

from arena.core.cards import cards_of, mask_of
from arena.core.seeds import Rng
from arena.games.infoset import InfoSet, agrees, round_of
from arena.games.kernel.uniform_worlds import (
    bench_uniform,
    plan_uniform,
    sample_many_uniform,
    uniform_plan,
)
from arena.games.kernel.weighted_worlds import (
    bench_weighted,
    plan_weighted,
    sample_many_weighted,
    weighted_odds,
    weighted_plan,
)
from arena.games.klaverjas import Klaverjas
from arena.games.world_sampler import WorldSampler, WorldsError, holders_of

CASES = 60
NEVER = 1e-7
"""With other seeds, a fair sampler would fail one of 60 cases once in 170,000 runs."""


class Case(NamedTuple):
    """Cards to give out, who may have them, and weights; holders with size 0 take no part."""

    unseen: int
    may: tuple[int, ...]
    sizes: tuple[int, ...]
    weights: np.ndarray


@cache
def random_case(seed: int) -> Case:
    """A small case with two to four hundred worlds, on any of the 64 bits."""
    rng = Rng(seed)
    while True:
        holders = 2 + rng.below(2)
        bits = list(range(64))
        rng.shuffle(bits)
        bits = bits[: 4 + rng.below(6)]
        rows = list(range(4))
        rng.shuffle(rows)
        rows = rows[:holders]
        may, sizes = [0] * 4, [0] * 4
        for bit in bits:
            rule = rng.below(8) or 7  # which of the three may have it; mostly not only one
            for place, row in enumerate(rows):
                may[row] |= (rule >> place & 1) << bit
            sizes[rng.choice(rows)] += 1
        weights = np.array([[rng.random() ** 3 for _ in range(64)] for _ in range(4)])
        case = Case(mask_of(bits), tuple(may), tuple(sizes), weights)
        if 2 <= sum(1 for _ in splits(case.unseen, may, sizes)) <= 400:
            return case


def all_worlds(case: Case) -> dict[tuple[int, ...], float]:
    """All worlds of a case and the product of weights of each."""
    return {
        world: prod(
            case.weights[holder, card]
            for holder, hand in enumerate(world)
            for card in cards_of(hand)
        )
        for world in splits(case.unseen, case.may, case.sizes)
    }


def p_value(drawn: Counter, chances: dict[tuple[int, ...], float]) -> float:
    """Pearson's chi-square of draws; 0 if something was drawn that has no chance.

    Worlds with fewer than 5 draws expected are counted together.
    """
    if set(drawn) - set(chances):
        return 0.0
    n, total = drawn.total(), sum(chances.values())
    statistic, cells, rare_expected, rare_seen = 0.0, 0, 0.0, 0
    for world, chance in chances.items():
        expected = n * chance / total
        if expected < 5:
            rare_expected += expected
            rare_seen += drawn[world]
        else:
            statistic += (drawn[world] - expected) ** 2 / expected
            cells += 1
    if rare_expected:
        statistic += (rare_seen - rare_expected) ** 2 / rare_expected
        cells += 1
    return float(chi2.sf(statistic, max(1, cells - 1)))


def as_arrays(case: Case):
    """A case as the samplers take it."""
    may = np.array(case.may, dtype=np.uint64)
    return np.uint64(case.unseen), may, np.array(case.sizes, dtype=np.int64)


def uniform_worlds(case: Case, n: int, seed: int) -> np.ndarray:
    """`n` uniform worlds, one a row."""
    plan = uniform_plan()
    assert plan_uniform(plan, *as_arrays(case)) > 0
    rng, worlds = np.array([seed], dtype=np.uint64), np.zeros((n, 4), dtype=np.uint64)
    sample_many_uniform(plan, rng, worlds)
    return worlds


def weighted_worlds(case: Case, n: int, seed: int) -> np.ndarray:
    """`n` worlds by weight, one a row."""
    plan, odds = weighted_plan(), weighted_odds()
    assert plan_weighted(plan, odds, *as_arrays(case), case.weights)
    rng, worlds = np.array([seed], dtype=np.uint64), np.zeros((n, 4), dtype=np.uint64)
    sample_many_weighted(plan, odds, rng, worlds)
    return worlds


def draw_uniform(case: Case, n: int, seed: int) -> Counter:
    """How often each world comes up in `n` draws."""
    return Counter(map(tuple, uniform_worlds(case, n, seed).tolist()))


def draw_weighted(case: Case, n: int, seed: int) -> Counter:
    """How often each world comes up in `n` draws by weight."""
    return Counter(map(tuple, weighted_worlds(case, n, seed).tolist()))


def times_held(worlds: np.ndarray, holder: int, cards: int) -> np.ndarray:
    """How often a holder has each of the lowest cards."""
    bits = worlds[:, holder, None] >> np.arange(cards, dtype=np.uint64)
    return (bits & np.uint64(1)).sum(axis=0)


# --- against enumeration -----------------------------------------------------------------


@pytest.mark.parametrize("seed", range(CASES))
def test_uniform_worlds_are_uniform(seed):
    case = random_case(seed)
    chances = dict.fromkeys(all_worlds(case), 1.0)
    assert plan_uniform(uniform_plan(), *as_arrays(case)) == len(chances)
    assert p_value(draw_uniform(case, 100 * len(chances), seed), chances) > NEVER


@pytest.mark.parametrize("seed", range(CASES))
def test_weighted_worlds_follow_the_weights(seed):
    case = random_case(seed)
    assert p_value(draw_weighted(case, 40_000, seed), all_worlds(case)) > NEVER


def test_equal_weights_are_no_weights():
    for seed in range(10):
        case = random_case(seed)._replace(weights=np.full((4, 64), 0.3))
        chances = dict.fromkeys(all_worlds(case), 1.0)
        assert p_value(draw_weighted(case, 100 * len(chances), seed), chances) > NEVER


def test_weights_of_any_magnitude():
    for seed in range(CASES):
        weights = 10.0 ** np.random.default_rng(seed).uniform(-25, 0, (4, 64))
        case = random_case(seed)._replace(weights=weights)
        assert p_value(draw_weighted(case, 2_000, seed), all_worlds(case)) > NEVER


def test_a_weight_of_zero_is_a_prohibition():
    for seed in range(CASES):
        case = random_case(seed)
        case = case._replace(weights=np.where(case.weights < 0.1, 0.0, case.weights))
        chances = {world: chance for world, chance in all_worlds(case).items() if chance > 0}
        possible = plan_weighted(
            weighted_plan(),
            weighted_odds(),
            *as_arrays(case),
            case.weights,
        )
        assert possible == bool(chances)
        if chances:
            assert p_value(draw_weighted(case, 10_000, seed), chances) > NEVER


def test_p_values_are_neither_too_small_nor_too_large():
    """Sums of -2 log p are chi-square: a sampler a little off in all cases is seen here."""
    uniform = weighted = 0.0
    for seed in range(CASES):
        case = random_case(seed)
        chances = all_worlds(case)
        weighted -= 2 * np.log(p_value(draw_weighted(case, 10_000, 1000 + seed), chances))
        chances = dict.fromkeys(chances, 1.0)
        uniform -= 2 * np.log(p_value(draw_uniform(case, 10_000, 1000 + seed), chances))
    for statistic in (uniform, weighted):
        assert 1e-5 < chi2.sf(statistic, 2 * CASES) < 1 - 1e-5


def draw_card_by_card(case: Case, n: int, seed: int) -> Counter:
    """The natural way: the scarcest card first, to any holder who may have it and has room;
    start over when stuck. Every world can come up, but not equally often."""
    rng, drawn = Rng(seed), Counter()
    cards = sorted(cards_of(case.unseen), key=lambda c: sum(m >> c & 1 for m in case.may))
    while drawn.total() < n:
        world, left = [0] * 4, list(case.sizes)
        for card in cards:
            holders = [h for h in range(4) if left[h] and case.may[h] >> card & 1]
            if not holders:
                break
            holder = rng.choice(holders)
            world[holder] |= 1 << card
            left[holder] -= 1
        else:
            drawn[tuple(world)] += 1
    return drawn


def test_a_biased_sampler_is_found_out():
    found_out = 0
    for seed in range(20):
        case = random_case(seed)
        chances = dict.fromkeys(all_worlds(case), 1.0)
        found_out += p_value(draw_card_by_card(case, 50 * len(chances), seed), chances) < NEVER
    assert found_out >= 10


def test_a_sampler_that_forgets_the_weights_is_found_out():
    for seed in range(10):
        case = random_case(seed)
        assert p_value(draw_uniform(case, 40_000, seed), all_worlds(case)) < NEVER


# --- large cases -------------------------------------------------------------------------


@pytest.mark.parametrize("size", [8, 9, 13])
def test_three_full_hands(size):
    cards = 3 * size
    full = (1 << cards) - 1
    case = Case(full, (full, 0, full, full), (size, 0, size, size), np.ones((4, 64)))
    plan = uniform_plan()
    worlds = factorial(cards) // factorial(size) ** 3
    assert plan_uniform(plan, *as_arrays(case)) == worlds
    n = 30_000
    for draw in (uniform_worlds, weighted_worlds):
        drawn = draw(case, n, 3)
        for holder in (0, 2, 3):
            held = times_held(drawn, holder, cards)
            assert held.sum() == n * size
            assert np.all(abs(held - n / 3) < 6 * (n * 2 / 9) ** 0.5)
        assert np.all(drawn[:, 0] | drawn[:, 2] | drawn[:, 3] == full)
        # Two cards are together in a given hand with chance C(size, 2) / C(cards, 2).
        together = np.count_nonzero(drawn[:, 0] & np.uint64(3) == 3)
        chance = size * (size - 1) / (cards * (cards - 1))
        assert abs(together - n * chance) < 6 * (n * chance) ** 0.5


def test_the_largest_table():
    """Three classes of 13 cards that two share: no other case has more splits."""
    first, second, third = (0x1FFF << 13 * k for k in range(3))
    unseen = first | second | third
    case = Case(
        unseen,
        (first | second, first | third, second | third, 0),
        (13, 13, 13, 0),
        np.ones((4, 64)),
    )
    worlds = sum(
        choose(13, x) * choose(13, 13 - x) * choose(13, x) for x in range(14)
    )  # A has x of the first, 13 - x of the second; B the rest of the first and x of the third
    assert plan_uniform(uniform_plan(), *as_arrays(case)) == worlds
    mean = sum(x * choose(13, x) ** 3 for x in range(14)) / worlds
    for draw in (draw_uniform, draw_weighted):
        drawn = draw(case, 20_000, 5)
        found = sum((w[0] & first).bit_count() * k for w, k in drawn.items()) / 20_000
        assert abs(found - mean) < 0.05
        assert all(w[h] & ~case.may[h] == 0 for w in drawn for h in range(3))


def choose(n: int, k: int) -> int:
    """Binomial coefficient."""
    return factorial(n) // factorial(k) // factorial(n - k)


def test_only_ratios_of_weights_matter():
    """Also where plain products would vanish; scaled by powers of two, draws are the same."""
    full = (1 << 24) - 1
    rng = np.random.default_rng(1)
    weights = rng.random((4, 64))
    case = Case(full, (full, full, full, 0), (8, 8, 8, 0), weights)
    scaled = case._replace(weights=weights * 2.0 ** rng.integers(-900, 900, 64))
    assert draw_weighted(case, 2000, 1) == draw_weighted(scaled, 2000, 1)


@pytest.mark.parametrize("tiny", [1e-60, 1e-300])
def test_very_unlikely_hands_are_drawn_if_there_are_no_others(tiny):
    """Holder 0 gets eight cards that are all but impossible for them, in every world."""
    full = (1 << 24) - 1
    weights = np.ones((4, 64))
    weights[0] = tiny
    case = Case(full, (full, full, full, 0), (8, 8, 8, 0), weights)
    held = times_held(weighted_worlds(case, 20_000, 1), 0, 24)
    assert np.all(abs(held - 20_000 / 3) < 6 * (20_000 * 2 / 9) ** 0.5)


# --- one generator -----------------------------------------------------------------------


def test_many_worlds_are_single_worlds_one_after_the_other():
    view, _ = decisions(Klaverjas(), 3)[9]
    known = InfoSet.of(view)
    for weights in (None, np.random.default_rng(1).random((4, 52))):
        sampler = WorldSampler(known, weights)
        one, many = Rng(5), Rng(5)
        singly = [sampler.sample(one) for _ in range(20)]
        assert [tuple(row) for row in sampler.sample_many(20, many).tolist()] == singly
        assert one.state == many.state
        assert len(set(singly)) > 10


def test_the_generator_is_the_one_of_the_run():
    """At the opening lead a hand is drawn by 8 of `Rng.below`, from the cards in order."""
    full = (1 << 24) - 1
    case = Case(full, (0, full, full, full), (0, 8, 8, 8), np.ones((4, 64)))
    rng, left = Rng(11), cards_of(full)
    hands = [mask_of(left.pop(rng.below(len(left))) for _ in range(8)) for _ in range(2)]
    ((world, _),) = draw_uniform(case, 1, 11).items()
    assert world == (0, *hands, mask_of(left))


PRINT_WORLDS = """
import json
from arena.games.kernel.uniform_worlds import bench_uniform
from arena.games.kernel.weighted_worlds import bench_weighted
print(json.dumps([bench_uniform(20, 7).tolist(), bench_weighted(20, 7).tolist()]))
"""


def test_without_the_compiler_the_worlds_are_the_same():
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", PRINT_WORLDS],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    uniform, weighted = json.loads(run.stdout)
    assert uniform == bench_uniform(20, 7).tolist()
    assert weighted == bench_weighted(20, 7).tolist()
    assert uniform != weighted


# --- all games ---------------------------------------------------------------------------


@given(situations(RULES), st.integers(0, 2**63), st.booleans())
@settings(max_examples=250, deadline=None)
def test_a_sampled_world_looks_the_same(situation, seed, weighted):
    """Resample the information set: every world makes every past play legal, and the seat
    sees exactly what it saw."""
    view, hands = situation
    known = InfoSet.of(view)
    weights = np.random.default_rng(seed).random((len(hands), 52)) if weighted else None
    sampler = WorldSampler(known, weights)
    for row in sampler.sample_many(4, Rng(seed)).tolist():
        world = tuple(row)
        assert known.agrees(world)
        assert view.rules.view(round_of(view, world), view.seat) == view


@given(situations(WITH_WEIS), st.integers(0, 2**63))
@settings(max_examples=60, deadline=None)
def test_with_weis_a_sampled_world_differs_in_weis_at_most(situation, seed):
    view, _ = situation
    sampler = WorldSampler(InfoSet.of(view))
    for row in sampler.sample_many(4, Rng(seed)).tolist():
        seen = view.rules.view(round_of(view, row), view.seat)
        assert seen._replace(shown=view.shown, bonus=view.bonus) == view
        assert agrees(view, row) == (seen == view)


def test_the_number_of_worlds_shrinks_to_one():
    for seed in range(5):
        counts = {}
        for view, _ in decisions(Klaverjas(), seed):
            counts.setdefault(view.seat, []).append(WorldSampler(InfoSet.of(view)).worlds)
        for series in counts.values():
            assert series == sorted(series, reverse=True)
        assert min(series[-1] for series in counts.values()) == 1


def test_undealt_cards():
    """Two players of a three-handed game and a stock of one card: the stock is drawn as well."""
    view, _ = decisions(Klaverjas(), 1)[0]
    known = InfoSet.of(view)
    cards = cards_of(known.unseen)[:6]
    known = replace(
        known,
        unseen=mask_of(cards),
        undealt=1,
        sizes=(8, 3, 2),
        may=(0, mask_of(cards[1:]), mask_of(cards)),
        must=(0, 0, 0),
        seat=0,
    )
    sampler = WorldSampler(known)
    drawn = Counter(map(tuple, sampler.sample_many(5000, Rng(1)).tolist()))
    # Without the first card: C(5, 3) hands for seat 1, then 3 places for the stock's card.
    assert sampler.worlds == len(drawn) == 30
    chances = dict.fromkeys(drawn, 1.0)
    assert p_value(drawn, chances) > NEVER


# --- contradictions ----------------------------------------------------------------------


def known_at_the_lead() -> InfoSet:
    """What the leader of a Klaverjas round knows; seat N."""
    view, _ = decisions(Klaverjas(), 0)[0]
    assert view.seat == 0
    return InfoSet.of(view)


def test_a_card_that_nobody_can_hold():
    known = known_at_the_lead()
    card = known.unseen & -known.unseen
    wrong = replace(known, may=tuple(mask & ~card for mask in known.may))
    with pytest.raises(WorldsError, match=r"seat N knows: no seat can hold [CDHS][7-9TJQKA]$"):
        WorldSampler(wrong)


def test_a_hand_that_cannot_be_filled():
    known = known_at_the_lead()
    three = mask_of(cards_of(known.unseen)[:3])
    wrong = replace(known, may=(0, three, known.unseen, known.unseen))
    with pytest.raises(WorldsError, match="seat E holds 8 cards, but only 3 can be theirs: "):
        WorldSampler(wrong)


def test_two_hands_that_cannot_be_filled_together():
    known = known_at_the_lead()
    ten = mask_of(cards_of(known.unseen)[:10])
    wrong = replace(known, may=(0, ten, ten, known.unseen))
    with pytest.raises(WorldsError, match="together the others hold more"):
        WorldSampler(wrong)


def test_hands_of_the_wrong_size():
    known = known_at_the_lead()
    with pytest.raises(WorldsError, match="the others hold 23 cards, but 24 are unseen"):
        WorldSampler(replace(known, sizes=(8, 7, 8, 8)))


def test_more_holders_than_a_table_has():
    known = replace(known_at_the_lead(), undealt=1)
    with pytest.raises(WorldsError, match="more than 3 hold unseen cards"):
        WorldSampler(known)


def test_weights_that_are_no_weights():
    known = known_at_the_lead()
    good = np.ones((4, 52))
    with pytest.raises(WorldsError, match=r"shape \(3, 52\), expected \(4, 52\)"):
        WorldSampler(known, good[:3])
    for bad in (-1.0, np.nan, np.inf):
        weights = good.copy()
        weights[1, 20] = bad
        with pytest.raises(WorldsError, match="finite and not negative"):
            WorldSampler(known, weights)
    with pytest.raises(WorldsError, match="the weights exclude all 9465511770 worlds"):
        WorldSampler(known, np.zeros((4, 52)))
    with pytest.raises(WorldsError, match="-1 worlds cannot be drawn"):
        WorldSampler(known).sample_many(-1, Rng(0))


def test_contradictions_are_answered_at_once_in_compiled_code():
    """Random facts, mostly impossible: the plan says 0 exactly if there is no world."""
    impossible = 0
    for seed in range(300):
        rng = Rng(seed)
        unseen = mask_of(range(1 + rng.below(6)))
        may = tuple(rng.below(unseen + 1) for _ in range(4))
        sizes = tuple(rng.below(3) for _ in range(4))
        case = Case(unseen, may, sizes, np.ones((4, 64)))
        worlds = sum(1 for _ in splits(unseen, may, sizes))
        if sum(size > 0 for size in sizes) > 3:
            worlds = 0
        assert plan_uniform(uniform_plan(), *as_arrays(case)) == worlds
        assert plan_weighted(
            weighted_plan(),
            weighted_odds(),
            *as_arrays(case),
            case.weights,
        ) == (worlds > 0)
        impossible += worlds == 0
    assert 100 < impossible < 300


def test_nothing_left_to_guess():
    """When no card is unseen there is one world: the own hand."""
    view, hands = decisions(Klaverjas(), 2)[-1]
    sampler = WorldSampler(InfoSet.of(view))
    assert sampler.worlds == 1
    assert sampler.sample(Rng(0)) == hands
    may, sizes = holders_of(sampler.known)
    assert may.dtype == np.uint64
    assert sizes.tolist() == [0, 0, 0, 0, 0]
