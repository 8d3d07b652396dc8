"""People in a run: their scores less the luck of the cards, and agents on the same cards."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from arena.analysis.card_luck import DealValues, adjusted, valued_units
from arena.analysis.estimates import Estimate
from arena.analysis.results import Meeting, Results
from arena.stats import mean_difference
from arena.stats.luck import LuckCorrection
from arena.store import Run


@dataclass(frozen=True)
class PersonScore:
    """The result of a person over all rounds."""

    person: str
    played: Estimate
    """Margin per round."""
    adjusted: Estimate | None
    """The same less the luck of the cards; None after too few rounds."""
    variance_ratio: float | None
    """Variance of the adjusted margins, in that of those as played."""
    worth: int | None
    """How many rounds without the correction would be as precise."""


@dataclass(frozen=True)
class SameCardsScore:
    """A person and an agent on the same cards, in the same seats, against the same opponents."""

    person: str
    agent: str
    difference: Estimate
    """Points per deal by which the person did better."""


@dataclass(frozen=True)
class People:
    """The people of a run."""

    scores: tuple[PersonScore, ...]
    same_cards: tuple[SameCardsScore, ...]


def people_of(run: Run, results: Results) -> People | None:
    """All people of a run; None if there are none, or if matches were played."""
    names = [name for name in run.people if name in results.agents]
    if not names or run.is_match:
        return None
    values = DealValues(run.rules)
    return People(
        tuple(_score(run, results, name, values) for name in names),
        tuple(each for name in names for each in _same_cards(run, results, name)),
    )


def _score(run: Run, results: Results, name: str, values: DealValues) -> PersonScore:
    margins: list[float] = []
    worth: list[float] = []
    for pair in results.of(name):
        for total, found in zip((margins, worth), valued_units(run, pair, values), strict=True):
            total += found
    played = Estimate.of(mean_difference(margins))
    found_luck: LuckCorrection | None = adjusted(margins, worth)
    if found_luck is None:
        return PersonScore(name, played, None, None, None)
    corrected = Estimate.of(found_luck.corrected)
    ratio = found_luck.variance_ratio
    return PersonScore(name, played, corrected, ratio, found_luck.worth_deals)


def _same_cards(run: Run, results: Results, name: str) -> Iterator[SameCardsScore]:
    people = set(run.people)
    met = {pair.second: pair for pair in results.of(name)}
    for agent in results.agents:
        theirs = {pair.second: pair for pair in results.of(agent)}
        common = [other for other in met if other in theirs]
        if agent in people or not common:
            continue
        better = [x for other in common for x in _differences(met[other], theirs[other])]
        if better:
            yield SameCardsScore(name, agent, Estimate.of(mean_difference(better)))


def _differences(mine: Meeting, theirs: Meeting) -> Iterator[float]:
    """For each deal, by how much the first did better in the seats in which both played it."""
    place = {unit: i for i, unit in enumerate(theirs.units)}
    for unit, games in zip(mine.units, mine.games, strict=True):
        if unit in place:
            less = games - theirs.games[place[unit]]
            if not np.isnan(less).all():
                yield float(np.nanmean(less))
