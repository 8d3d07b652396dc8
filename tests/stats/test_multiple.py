"""Many agents at once: adjustment, letters, order, cycles, ranks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from arena.stats import PairResults, StatsError, adjust_p, share_of_wins
from arena.stats.letters import compact_letters
from arena.stats.transitivity import order_by_results


def test_holm_against_statsmodels() -> None:
    from statsmodels.stats.multitest import multipletests

    p = np.random.default_rng(1).random(40) ** 3
    p[5] = p[6]  # a tie
    np.testing.assert_allclose(adjust_p(p), multipletests(p, method="holm")[1])
    assert adjust_p([]).size == 0
    with pytest.raises(StatsError, match="between 0 and 1"):
        adjust_p([0.1, np.nan])


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


def beats(*pairs: str) -> np.ndarray:
    """Results such as "AB": A beats B."""
    found = np.zeros((5, 5), dtype=bool)
    for winner, loser in pairs:
        found["ABCDE".index(winner), "ABCDE".index(loser)] = True
    return found


def test_results_order_agents_whatever_their_ratings() -> None:
    found = order_by_results(beats("BA", "AC", "AD"), [-9.0, -1.0, -5.0, -4.0, -2.0])
    assert found.order == (4, 1, 0, 2, 3)  # E met none; B beats A, which has a higher rating
    assert (found.top, found.cycles) == ((4, 1), ())
    assert [(r.best, r.worst) for r in found.ranks] == [(2, 3), (1, 4), (2, 5), (2, 5), (1, 5)]


def test_agents_on_a_cycle_share_their_places() -> None:
    ring = ("AB", "BC", "CA", "AD", "BD", "CD")
    found = order_by_results(beats(*ring), [-1.0, -3.0, -2.0, -9.0, 0.0])
    assert set(found.order[:3]) == {0, 1, 2} and found.order[3:] == (3, 4)
    assert found.cycles == ((1, 2, 0),)
    assert set(found.top) == {0, 1, 2, 4}
    assert found.ranks[0].best == 1 and found.ranks[3].best == 4


def test_a_long_cycle_is_shown_by_its_shortest_way_round() -> None:
    ring = order_by_results(beats("AB", "BC", "CD", "DE", "EA"), range(5))
    assert ring.cycles == ((0, 1, 2, 3, 4),)
    chord = order_by_results(beats("AB", "BC", "CD", "DE", "EA", "BE"), range(5))
    assert chord.cycles == ((0, 1, 4),) and len(chord.top) == 5


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
