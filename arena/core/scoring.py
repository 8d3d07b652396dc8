"""From the scores of rounds to the margin of a deal, each step in one function.

A side belongs to the entrant that sits there (`side_owners`). A round's margin is by how much
the first entrant's sides did better than the second's (`by_entrant`, `margin_of`). A game is a
unit (a deal or a match) in one seating: the sum of its rounds (`games_of`). A unit's margin is
the mean over its games (`unit_score`), and forfeiting loses it: if an entrant forfeited in some
seatings, these alone decide the unit, its margin and its wins alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from arena.core.rules import Rules


def side_owners(rules: Rules, seatings: Iterable[Sequence[int]]) -> list[list[int]]:
    """For each seating and side, the entrant that plays it: 0 the first, 1 the second."""
    return [[seats[side[0]] for side in rules.sides] for seats in seatings]


def by_entrant(owners: Sequence[int], values: Sequence[float]) -> tuple[float, float]:
    """Means over the sides of each entrant; `owners` has the entrant (0 or 1) of each side.

    >>> by_entrant([0, 1, 1, 0], [26, 0, 0, 13])
    (19.5, 0.0)
    """
    if len(values) == 2:  # the usual case, and done for every round
        first, second = values if owners[0] == 0 else reversed(values)
        return float(first), float(second)
    totals, sides = [0.0, 0.0], [0, 0]
    for owner, value in zip(owners, values, strict=True):
        totals[owner] += value
        sides[owner] += 1
    return totals[0] / sides[0], totals[1] / sides[1]


def margin_of(rules: Rules, first: float, second: float) -> float:
    """By how much the first score is better than the second, whether high or low scores win."""
    return first - second if rules.higher_wins else second - first


def side_margins(rules: Rules, scores: Sequence[float]) -> list[float]:
    """For each side, by how much it did better than the mean of the others."""
    others = len(scores) - 1
    total = sum(scores)
    return [margin_of(rules, own, (total - own) / others) for own in scores]


def forfeit_margin(
    rules: Rules, owners: Sequence[int], entrant: int, rounds_left: int, before: float
) -> float:
    """The margin of a round that an entrant (0 or 1) forfeits, in the first one's favour.

    It counts as the worst round that can be played with these seats, and so do the rounds
    that a match still had. `before` is the margin of the match so far: whatever it is, who
    forfeits loses the match, by no less than the worst round.
    """
    worst = rules.worst_margin(list(owners).count(entrant))
    sign = 1 if entrant == 0 else -1
    return sign * min(worst * rounds_left, worst - sign * before)


class Game(NamedTuple):
    """A unit in one seating: a round, or all rounds of a match."""

    seating: int
    margin: float
    """In the first entrant's favour."""
    score_first: float | None
    """None if a round was not finished."""
    score_second: float | None
    rounds: int
    """Rounds that count."""
    forfeit: int
    """The entrant that forfeited (1 the first, 2 the second); 0 if neither did."""


def games_of(rounds: Iterable[Game]) -> tuple[Game, ...]:
    """The games of one unit, from its rounds in the order of their seatings."""
    games: list[Game] = []
    for one in rounds:
        if not games or games[-1].seating != one.seating:
            games.append(one)
            continue
        before = games[-1]
        games[-1] = Game(
            one.seating,
            before.margin + one.margin,
            _sum(before.score_first, one.score_first),
            _sum(before.score_second, one.score_second),
            before.rounds + one.rounds,
            max(before.forfeit, one.forfeit),
        )
    return tuple(games)


def _sum(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else a + b


class UnitScore(NamedTuple):
    """Result of a unit for its first entrant."""

    margin: float
    won: float
    """Share of the unit's games."""
    drawn: float


def unit_score(games: Sequence[Game]) -> UnitScore:
    """Means over the games of a unit, or over those that were forfeited.

    >>> unit_score([Game(0, 30.0, 96, 66, 1, 0), Game(1, -10.0, 76, 86, 1, 0)])
    UnitScore(margin=10.0, won=0.5, drawn=0.0)
    >>> unit_score([Game(0, 30.0, 96, 66, 1, 0), Game(1, -262.0, None, None, 1, 1)])
    UnitScore(margin=-262.0, won=0.0, drawn=0.0)
    """
    total, won, drawn, count = 0.0, 0, 0, 0
    decisive = [game for game in games if game.forfeit] or games
    for game in decisive:  # a loop: this is done for every unit that was ever played
        margin = game.margin
        total += margin
        won += margin > 0
        drawn += margin == 0
        count += 1
    return UnitScore(total / count, won / count, drawn / count)


def unit_margin(games: Sequence[Game]) -> float:
    """A unit's margin in favour of its first entrant."""
    return unit_score(games).margin
