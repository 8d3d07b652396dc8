"""Flat Monte Carlo with the knowledge of Hoogenboom 2017: bonuses, and who may hold what."""

from __future__ import annotations

from dataclasses import dataclass

from agents.searchers.flat_search import FlatSearch
from arena.core.agent import parameter
from arena.core.rules import View


@dataclass(frozen=True)
class FlatMC(FlatSearch):
    """Deals the hidden cards again and again, plays each legal card out, keeps the best mean.

    Source: Hoogenboom 2017, sections 5 and 6 (types 1, 2, 3 and 5 of its program). Differs:
    all candidates meet the same worlds unless `shared_worlds` is off; worlds are drawn
    exactly, not by trial and error; ties go to the lowest card. `hoogenboom-2017` brings single
    deviations of the program back. Bids by Monte Carlo (section 4.2) unless a bidder is set;
    passes cards as `rule` does.
    """

    roem_punishment: bool = parameter(
        True, help="subtract a bonus given away at once (section 6.3)"
    )

    def punishment(self, view: View, card: int) -> float:
        """The bonus that a card adds to a trick which the opponents then hold."""
        if not self.roem_punishment or not view.table:
            return 0.0
        rules, after = view.rules, (*view.table, card)
        holder = view.seat_at(rules.trick_winner(after, view.trump))
        if rules.side_of(holder) == rules.side_of(view.seat):
            return 0.0
        before = rules.trick_value(view.table, view.trump, False)[1]
        return float(rules.trick_value(after, view.trump, False)[1] - before)
