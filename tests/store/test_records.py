"""Rounds as they are packed, and as arrays: both say what the rounds said."""

from __future__ import annotations

import zlib
from random import Random

import numpy as np
import pytest

from arena.core.errors import ArenaError
from arena.core.scoring import games_of, unit_score
from arena.store.columns import RoundColumns, decision_seatings
from arena.store.records import (
    RoundRecord,
    decode_times,
    encode_times,
    pack,
    same_plays,
    unpack,
    unpack_plays,
)


def some_rounds(rng: Random, unit: str, sides: int, matches: bool) -> list[RoundRecord]:
    """Rounds such as a run can have: faults, thrown-in rounds, lost workers, flags."""
    rounds = []
    for seating in range(rng.choice((2, 6))):
        for number in range(rng.choice((1, 3)) if matches else 1):
            forfeit = rng.choice((0, 0, 0, 0, 0, 0, 1, 2))
            lost = forfeit and rng.random() < 0.5
            actions = rng.randbytes(rng.randrange(1, 40))
            seats = b"" if lost else bytes(rng.randrange(4) for _ in actions)
            by_side = [tuple(rng.randrange(-300, 300) for _ in range(sides)) for _ in range(4)]
            first, second = (None, None) if forfeit else (rng.randrange(300) / 3, -7.5)
            rounds.append(
                RoundRecord(
                    unit=unit,
                    seating=seating,
                    number=number,
                    deal=unit if not number else f"{unit}+{number}",
                    score_first=first,
                    score_second=second,
                    margin=rng.choice((0.0, rng.randrange(-400, 400) / 7)),
                    scores=() if forfeit else by_side[0],
                    points=() if forfeit else by_side[1],
                    bonus=() if forfeit else by_side[2],
                    tricks=() if forfeit else by_side[3],
                    flags=rng.choice(((), (), ("nat",), ("pit",), ("match", "nat"))),
                    trump=rng.choice((None, 0, 5)),
                    declarer=rng.choice((None, 0, 3)),
                    leader=rng.choice((None, 2)),
                    counts=rng.choice((0, 1, 1)),
                    forfeit=forfeit,
                    fault="crash: seat N raised X: ü\nmore" if forfeit else "",
                    actions=actions,
                    seats=seats,
                    times=encode_times(rng.random() * 1e6 for _ in seats),
                    cpu_times=encode_times(rng.random() * 1e6 for _ in seats),
                )
            )
            if forfeit:
                break
    return rounds


@pytest.mark.parametrize("matches", [False, True])
@pytest.mark.parametrize("sides", [2, 3, 4])
def test_what_is_packed_comes_back(sides: int, matches: bool) -> None:
    rng = Random(sides)
    for number in range(50):
        rounds = some_rounds(rng, f"d{number}", sides, matches)
        assert list(unpack(pack(7, f"d{number}", rounds, sides), sides)) == rounds


@pytest.mark.parametrize("matches", [False, True])
@pytest.mark.parametrize("sides", [2, 4])
def test_arrays_score_as_single_units_do(sides: int, matches: bool) -> None:
    rng = Random(sides)
    units = [some_rounds(rng, f"d{number:03}", sides, matches) for number in range(200)]
    rows = [pack(1, rounds[0].unit, rounds, sides) for rounds in units]
    columns = RoundColumns.read([(row.unit, row.numbers, row.flags) for row in rows], sides)
    every = [one for rounds in units for one in rounds]
    assert columns.units == [rounds[0].unit for rounds in units]
    assert [columns.units[place] for place in columns.unit] == [one.unit for one in every]
    for flag in ("nat", "pit", "match", "none"):
        assert columns.flagged(flag).tolist() == [flag in one.flags for one in every]
    for name in ("scores", "points", "bonus", "tricks"):
        expected = [getattr(one, name) or (0,) * sides for one in every]
        assert list(map(tuple, columns.numbers[name].tolist())) == expected
    games, scored = columns.games, columns.games.scored
    expected_games = [games_of(one.game for one in rounds) for rounds in units]
    flat = [game for of_unit in expected_games for game in of_unit]
    assert games.margin.tolist() == [game.margin for game in flat]
    assert games.seating.tolist() == [game.seating for game in flat]
    assert games.rounds.tolist() == [game.rounds for game in flat]
    assert games.forfeit.tolist() == [game.forfeit for game in flat]
    first = np.array([np.nan if g.score_first is None else g.score_first for g in flat])
    assert np.array_equal(games.score_first, first, equal_nan=True)
    found = list(zip(scored.margin.tolist(), scored.won.tolist(), scored.drawn.tolist(),
                     strict=True))  # fmt: skip
    assert found == [tuple(unit_score(of_unit)) for of_unit in expected_games]
    forfeited = [any(game.forfeit for game in of_unit) for of_unit in expected_games]
    assert scored.forfeited.tolist() == forfeited
    seatings = decision_seatings(b"".join(row.numbers for row in rows), sides)
    assert seatings.tolist() == [one.seating for one in every for _ in one.seats]


def test_a_pairing_without_rounds_has_empty_arrays() -> None:
    columns = RoundColumns.read([], 2)
    assert columns.units == []
    assert columns.games.scored.margin.size == 0


def test_a_score_that_is_no_integer_is_refused_in_one_line() -> None:
    (one, *_) = some_rounds(Random(1), "d0", 2, False)
    for wrong in ((1.5, 2), (1 << 40, 0), (1, 2, 3)):
        with pytest.raises(ArenaError, match="d0: the round cannot be stored: ") as error:
            pack(1, "d0", [one._replace(scores=wrong)], 2)
        assert "\n" not in str(error.value)


def test_times_are_right_to_half_a_percent_and_unknown_ones_stay_unknown() -> None:
    taken = 10 ** np.random.default_rng(1).uniform(2, 11, 5000)
    stored = decode_times(encode_times(taken))
    assert np.abs(stored / taken - 1).max() < 0.004
    assert abs((stored / taken).mean() - 1) < 1e-4  # sums are not shifted
    assert np.isnan(decode_times(encode_times([float("nan")])))[0]


def test_a_row_that_is_larger_than_its_rounds_can_be_is_refused() -> None:
    with pytest.raises(ValueError, match="not as it was compressed"):
        unpack_plays(zlib.compress(bytes(1 << 20)), 0, 2)
    with pytest.raises(ValueError, match="not as it was compressed"):
        unpack_plays(zlib.compress(b"12") + b"more", 0, 2)


def test_plays_are_the_same_however_they_were_compressed() -> None:
    plays = bytes(range(64)) * 2
    assert same_plays(zlib.compress(plays, 1), zlib.compress(plays, 9), 2)
    assert not same_plays(zlib.compress(plays), zlib.compress(plays[::-1]), 2)
    assert not same_plays(zlib.compress(plays), b"no plays", 2)
