"""The luck of the cards: the worth of a deal to a side, the same for all players.

A reference player (`rule` where it plays the game, else `random`) sits in all seats of a deal. Its
margin for a side is the value of the deal. Expected is 0: the same player sits everywhere, so what
a deal gives to one side it takes from the others, and each side is as likely to be dealt either.
That needs roles (dealer, declarer, leader) to take turns, as they do in matches and in sets that
arena makes. If a turn is unfinished, the adjusted score is that of equal roles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arena.analysis.results import Meeting, check_not_stopped, read
from arena.config.entrants import AgentSpec
from arena.config.usual_agent import usual_family, with_usual_bidder
from arena.core.deals import Deal
from arena.core.errors import ArenaError
from arena.core.rules import Rules, Standing
from arena.core.scoring import by_entrant, margin_of, side_owners
from arena.stats.luck import LuckCorrection, luck_correction
from arena.store import Run
from arena.tournament.referee import Lineup, Referee

FEWEST_DEALS = 8
"""Deals from which on a luck-adjusted score is shown: with fewer the weight is a guess."""
_PARTS = 5
_SEED = 0


class DealValues:
    """The values of deals of one game."""

    def __init__(self, rules: Rules) -> None:
        self.reference = usual_family(rules)
        player = with_usual_bidder(AgentSpec(self.reference), rules).build()
        self._lineup = Lineup.of([player] * rules.players)
        self._referee = Referee(rules, _SEED)

    def of(self, deal: Deal, standing: Standing, owners: Sequence[int]) -> float:
        """The margin of the reference player with the sides that `owners` gives to the first."""
        played = self._referee.play(deal, self._lineup, 0, standing)
        if played.outcome is None:
            raise ArenaError(f"{self.reference} cannot value deal {deal.id}: {played.fault}")
        return margin_of(self._referee.rules, *by_entrant(owners, played.outcome.scores))


def adjusted(margins: Sequence[float], values: Sequence[float]) -> LuckCorrection | None:
    """Margins less the luck of the cards; None of too few deals."""
    if len(margins) < FEWEST_DEALS:
        return None
    return luck_correction(margins, values, parts=_PARTS)


@dataclass(frozen=True)
class CardLuck:
    """Two agents with and without the luck of the cards."""

    first: str
    second: str
    unit: str
    reference: str
    """Who played the deals in all seats, to value them."""
    statistics: LuckCorrection


def card_luck(run: Run, first: str, second: str) -> CardLuck:
    """Correct the margin of two agents for the luck of the cards.

    For rounds without exchanged seats: those of people. In other rounds the luck cancels.
    """
    check_not_stopped([run], "this correction")
    results = read([run], [first, second])
    pair = results.pair(first, second)
    values = DealValues(run.rules)
    margins, worth = valued_units(run, pair, values)
    found = adjusted(margins, worth)
    if found is None:
        raise ArenaError(
            f"{run.path}: {first} and {second} have played too little for a correction: "
            f"{FEWEST_DEALS} {results.unit}s needed"
        )
    return CardLuck(first, second, results.unit, values.reference, found)


def valued_units(run: Run, pair: Meeting, values: DealValues) -> tuple[list[float], list[float]]:
    """For each unit of a pair, its margin for the first and what its cards were worth to it."""
    pair = pair.without_forfeits()
    names = {pair.first, pair.second}
    (pairing,) = (each for each in run.pairings if {each.first, each.second} == names)
    owners = side_owners(run.rules, run.seatings)
    sign = 1.0 if pairing.first == pair.first else -1.0
    games: dict[str, dict[int, float]] = {unit: {} for unit in pair.units}
    for replay in run.replays(pairing):
        found, seating = games.get(replay.record.unit), replay.record.seating
        if found is not None:
            value = values.of(replay.deal, replay.standing, owners[seating])
            found[seating] = found.get(seating, 0.0) + sign * value
    worth = [float(np.mean(list(games[unit].values()))) for unit in pair.units]
    return pair.margins.tolist(), worth
