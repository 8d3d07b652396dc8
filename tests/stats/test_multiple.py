"""Many agents at once: adjustment, letters, cycles, ranks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from arena.measure.calibrate.statistics import FieldModel
from arena.stats import (
    PairResults,
    StatsError,
    adjust_p,
    all_pairs,
    paired_t,
    share_of_wins,
    significant_cycles,
)
from arena.stats.letters import compact_letters


def results(margins: dict[tuple[int, int], list[float]], agents: str) -> PairResults:
    """A small tournament from margins per pair."""
    rows = [(i, j, d, m) for (i, j), values in margins.items() for d, m in enumerate(values)]
    a, b, deal, margin = (list(column) for column in zip(*rows, strict=True))
    return PairResults.from_margins(tuple(agents), a, b, deal, margin)


def test_benjamini_hochberg_by_hand() -> None:
    # p·m/rank, made monotone from the top: 0.04·4/4, 0.03·4/3, 0.02·4/2, 0.005·4
    assert adjust_p([0.02, 0.005, 0.04, 0.03], "bh") == pytest.approx([0.04, 0.02, 0.04, 0.04])
    assert adjust_p([0.3, 0.01], "none").tolist() == [0.3, 0.01]
    assert adjust_p([], "holm").size == 0


def test_adjustments_against_statsmodels() -> None:
    from statsmodels.stats.multitest import multipletests

    p = np.random.default_rng(1).random(40) ** 3
    p[5] = p[6]  # a tie
    np.testing.assert_allclose(adjust_p(p, "holm"), multipletests(p, method="holm")[1])
    np.testing.assert_allclose(adjust_p(p, "bh"), multipletests(p, method="fdr_bh")[1])


def test_adjust_refuses_nonsense() -> None:
    with pytest.raises(StatsError, match="between 0 and 1"):
        adjust_p([0.1, np.nan])
    with pytest.raises(StatsError, match="unknown adjustment"):
        adjust_p([0.1], "bonferoni")  # type: ignore[arg-type]


def test_all_pairs_is_holm_over_the_paired_t_tests() -> None:
    tournament = FieldModel((40.0, 0.0, 0.0, 0.0)).draw(np.random.default_rng(1), 60)
    r = all_pairs(tournament)
    plain = [paired_t(tournament.pair(i, j)).p for i in range(4) for j in range(i + 1, 4)]
    assert [c.p for c in r.comparisons] == pytest.approx(plain)
    assert [c.p_adjusted for c in r.comparisons] == pytest.approx(adjust_p(plain))
    assert [c.significant for c in r.comparisons] == [True] * 3 + [False] * 3
    assert r.letters == {"agent1": "a", "agent2": "b", "agent3": "b", "agent4": "b"}


def test_all_pairs_says_what_could_not_be_tested() -> None:
    r = all_pairs(results({(0, 1): [0.0] * 5, (1, 2): [1.0, 2.0, 3.0]}, "ABC"))
    assert r.comparisons[0].p is None
    assert "played alike" in r.comparisons[0].note
    assert "1 pairs never met" in r.note
    assert r.comparisons[1].p_adjusted == r.comparisons[1].p


def test_letters_of_the_textbook_case() -> None:
    # 0 differs from 2 and 3, 1 from 3: {0,1} {1,2} {2,3}
    assert compact_letters(4, [(0, 2), (0, 3), (1, 3)]) == ["a", "ab", "bc", "c"]
    assert compact_letters(3, []) == ["a", "a", "a"]


@settings(max_examples=80, deadline=None)
@given(st.integers(2, 7), st.data())
def test_letters_say_exactly_what_differs(agents: int, data: st.DataObject) -> None:
    pairs = [(i, j) for i in range(agents) for j in range(i + 1, agents)]
    different = data.draw(st.lists(st.sampled_from(pairs), unique=True))
    letters = compact_letters(agents, different)
    for i, j in pairs:
        assert bool(set(letters[i]) & set(letters[j])) == ((i, j) not in different)


def test_a_significant_cycle_is_found_and_an_order_is_not() -> None:
    strong = [10.0, 12.0, 9.0, 11.0, 10.5, 9.5]
    weak = [-x for x in strong]
    noise = [5.0, -6.0, 1.0, 0.0, 2.0, -3.0]
    beats = {(0, 1): strong, (1, 2): strong, (0, 2): weak, (0, 3): strong, (2, 3): noise}
    r = significant_cycles(all_pairs(results(beats, "ABCD")))
    assert r.cycles == (("A", "B", "C"),)
    assert r.groups == (("A", "B", "C"),)
    beats[(0, 2)] = noise  # one edge no longer significant
    broken = significant_cycles(all_pairs(results(beats, "ABCD")))
    assert (broken.cycles, broken.groups) == ((), ())
    assert "No significant cycle" in broken.note


def test_longer_cycles_are_listed_on_request_and_always_grouped() -> None:
    win = [10.0, 12.0, 9.0, 11.0, 10.5, 9.5]
    ring = {(i, i + 1): win for i in range(4)} | {(0, 4): [-x for x in win]}
    pairs = all_pairs(results(ring, "ABCDE"))
    assert significant_cycles(pairs).cycles == ()
    assert significant_cycles(pairs).groups == (("A", "B", "C", "D", "E"),)
    assert significant_cycles(pairs, max_length=5).cycles == (("A", "B", "C", "D", "E"),)


def test_pair_results_refuse_what_they_cannot_mean() -> None:
    with pytest.raises(StatsError, match="has deal 3 twice"):
        PairResults.from_margins("AB", [0, 1], [1, 0], [3, 3], [1.0, 2.0]).table()
    with pytest.raises(StatsError, match="A meets itself"):
        PairResults.from_margins("AB", [0], [0], [1], [1.0])
    with pytest.raises(StatsError, match="different names"):
        PairResults.from_margins("AA", [0], [1], [1], [1.0])
    with pytest.raises(StatsError, match="no results but forfeits"):
        PairResults.from_margins("AB", [0], [1], [1], [np.nan])
    with pytest.raises(StatsError, match="between 0 and 1"):
        PairResults.from_margins("AB", [0], [2], [1], [1.0])


def test_seatings_become_one_row() -> None:
    r = PairResults.from_seatings("AB", [0, 0, 0], [1, 1, 1], [1, 2, 3],
                                  [[10, -4], [0, 0], [np.nan, 3]])  # fmt: skip
    assert (r.margin.tolist(), r.forfeits) == ([3.0, 0.0], 1)
    assert (r.wins.tolist(), r.draws.tolist(), r.losses.tolist()) == ([0.5, 0], [0, 1], [0.5, 0])


def test_limits_are_bonferronis_and_never_cut() -> None:
    """Holm's p beside them finds a little more: a significant pair may have limits around 0."""
    rng = np.random.default_rng(3)
    truth = {(0, 1): 0.0, (2, 3): 2.0, (4, 5): 2.0, (6, 7): 0.6, (8, 9): 0.6}
    later = 0
    for _ in range(40):
        margins = {pair: mean + rng.normal(size=25) for pair, mean in truth.items()}
        found = all_pairs(results({k: v.tolist() for k, v in margins.items()}, "ABCDEFGHIJ"))
        for pair, x in zip(found.comparisons, margins.values(), strict=True):
            t = stats.t.ppf(1 - 0.05 / 10, 24) * x.std(ddof=1) / 5
            assert (pair.low, pair.high) == pytest.approx((x.mean() - t, x.mean() + t))
            later += pair.significant and (x.mean() - t) * (x.mean() + t) < 0
    assert later > 0


def test_limits_exclude_zero_exactly_where_the_adjusted_p_does() -> None:
    rng = np.random.default_rng(5)
    tournament = FieldModel((12.0, 6.0, 0.0, -6.0, -12.0)).draw(rng, 60)
    seen = set()
    for _ in range(40):
        noise = tournament.margin * rng.uniform(0.05, 1.0) + rng.normal(0, 30, tournament.a.size)
        field = PairResults.from_margins(
            tournament.agents, tournament.a, tournament.b, tournament.deal, noise
        )
        for adjustment in ("holm", "bh", "none"):
            for pair in all_pairs(field, adjustment).comparisons:
                assert pair.low is not None and pair.high is not None
                outside = pair.low >= 0 or pair.high <= 0
                assert outside == pair.significant or (adjustment == "holm" and not outside)
                assert pair.plain_low is not None and pair.plain_high is not None
                seen.add((adjustment, pair.significant))
                if adjustment == "none":
                    assert (pair.low, pair.high) == pytest.approx((pair.plain_low, pair.plain_high))
                elif not outside:
                    assert pair.low <= pair.plain_low < pair.plain_high <= pair.high
    assert len(seen) == 6


@pytest.mark.long
def test_limits_of_holms_pairs_hold_together() -> None:
    # Half of the pairs differ, half do not: where steps after the first find more.
    rng = np.random.default_rng(11)
    truth, deals, reps = np.array([0.0, 0.0, 0.0, 0.8, 0.8, 0.8]), 25, 1_000
    firsts, seconds = np.array([0, 2, 4, 6, 8, 10]), np.array([1, 3, 5, 7, 9, 11])
    wrong = 0
    for _ in range(reps):
        margins = truth[:, None] + rng.normal(size=(6, deals))
        results = PairResults.from_margins(
            tuple(map(str, range(12))),
            np.repeat(firsts, deals),
            np.repeat(seconds, deals),
            np.tile(np.arange(deals), 6),
            margins.ravel(),
        )
        found = all_pairs(results).comparisons
        wrong += any(
            not pair.low <= true <= pair.high  # type: ignore[operator]
            for pair, true in zip(found, truth, strict=True)
        )
    assert wrong / reps < 0.05 + 2 * (0.05 * 0.95 / reps) ** 0.5


def test_a_win_rate_stays_within_its_bounds_and_covers() -> None:
    one_game = np.array([1.0] * 30 + [0.5] * 4 + [0.0] * 6)
    found = share_of_wins(one_game)
    assert found.share == pytest.approx(0.8)
    assert share_of_wins(np.ones(20)).high == 1.0
    exact = proportion_confint(20, 20, method="wilson")
    assert (share_of_wins(np.ones(20)).low, 1.0) == pytest.approx(exact)
    with pytest.raises(StatsError, match="between 0 and 1"):
        share_of_wins([1.2])
    rng = np.random.default_rng(3)
    for chance in (0.5, 0.9, 0.97):
        covered, reps = 0, 1_000
        for _ in range(reps):
            # Two seatings of a deal that go together: the deal is the unit.
            luck = rng.random(60)
            again = np.where(rng.random(60) < 0.5, luck, rng.random(60))
            won = ((luck < chance).astype(float) + (again < chance)) / 2
            interval = share_of_wins(won)
            if interval.low is None:
                covered += won.mean() == chance
                continue
            assert 0 <= interval.low <= (interval.share or 0) <= (interval.high or 0) <= 1
            covered += interval.low <= chance <= (interval.high or 0)
        assert 0.93 <= covered / reps <= 0.985, chance
