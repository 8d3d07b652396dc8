"""The design of studies: what it promises is counted."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise, product

import pytest

from arena.table.design import BalancedDesign, williams_square


@pytest.mark.parametrize("treatments", range(1, 9))
def test_a_williams_square_balances_places_and_successions(treatments: int) -> None:
    rows = williams_square(treatments)
    assert all(sorted(row) == list(range(treatments)) for row in rows)
    each = len(rows) // treatments
    for place in range(treatments):
        assert set(Counter(row[place] for row in rows).values()) == {each}
    after = Counter(pair for row in rows for pair in pairwise(row))
    ordered = [(a, b) for a, b in product(range(treatments), repeat=2) if a != b]
    assert after == dict.fromkeys(ordered, each)


@pytest.mark.parametrize(("opponents", "seats"), list(product(range(1, 6), (2, 4))))
def test_a_full_design_is_balanced(opponents: int, seats: int) -> None:
    design = BalancedDesign(opponents, seats, cycles=3)
    met: Counter[tuple[int, int, int]] = Counter()
    for participant in range(design.full_size):
        rounds = design.rounds_of(participant)
        assert [each.deal for each in rounds] == list(range(design.rounds))
        assert set(Counter(each.opponent for each in rounds).values()) == {design.cycles}
        for each in rounds:
            met[each.deal, each.opponent, design.seat(participant)] += 1
    # Every deal against every opponent in every seat, equally often.
    assert len(met) == design.rounds * opponents * seats
    assert len(set(met.values())) == 1


def test_few_participants_sit_in_both_seats_and_meet_all_opponents() -> None:
    design = BalancedDesign(2, 2, cycles=1)
    assert {design.seat(participant) for participant in (0, 1)} == {0, 1}
    assert {design.rounds_of(participant)[0].opponent for participant in (0, 1)} == {0, 1}
