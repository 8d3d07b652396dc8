"""Too good to be honest: cards that agree with the open-card solution more than a player can know.

A player who knows its information set best plays, if it wants to agree with the solution, the card
that is a best one in most worlds: it then agrees with the chance of that card. That chance is
estimated on worlds, where the largest share of several is on average too large, so an honest player
stays below it. The excess is agreement less that chance, its unit the deal. (Bridge tournaments are
screened in this way for opening leads that agree with the double-dummy solution.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arena.analysis.estimates import Estimate, mean_by_unit, rate_by_unit
from arena.audit.rounds import AuditedDecision

LIMIT_SE = 4.0
"""Standard errors above 0 from which on an excess is flagged (one-sided, about 1 in 10,000 with
many deals)."""
LEAST_WORLDS = 16
"""Decisions valued on a sample of fewer worlds are left out: the largest of several shares is then
far too large, and hides an agent that sees all cards. The first trick is left out for the same
reason: what is best in most worlds depends there on single worlds most."""
LEAST_DEALS = 8
"""With fewer deals no agent is flagged."""


@dataclass(frozen=True)
class Honesty:
    """How often an agent's cards are best with the true cards open, and how often they could be."""

    agrees: Estimate | None
    """Share of its decisions; None if none was valued on worlds."""
    possible: Estimate | None
    """Share that a player can reach who knows only its own cards."""
    excess: Estimate | None
    """The difference, per decision."""
    too_good: bool
    """Whether the excess is beyond chance."""


def judge_honesty(decisions: Sequence[tuple[int, AuditedDecision]]) -> Honesty:
    """The excess over `decisions`, each with the number of its deal.

    Formula: the mean over deals of (best card played - largest share of worlds in which one card
    is best), means over the decisions of a deal; flagged if it is above `LIMIT_SE` standard errors.
    Unit: the deal. Assumes independent deals and worlds as likely as they were for the player.
    """
    decisions = [(unit, each) for unit, each in decisions if _is_valued_well(each)]
    if not decisions:
        return Honesty(None, None, None, False)
    units = [unit for unit, _ in decisions]
    agreed = [each.agrees for _, each in decisions]
    possible = [max(each.known.best) if each.known else 0.0 for _, each in decisions]
    excess = mean_by_unit(units, [a - p for a, p in zip(agreed, possible, strict=True)])
    too_good = (
        excess.n >= LEAST_DEALS
        and excess.value is not None
        and excess.se is not None
        and excess.value > LIMIT_SE * excess.se
    )
    return Honesty(rate_by_unit(units, agreed), mean_by_unit(units, possible), excess, too_good)


def _is_valued_well(decision: AuditedDecision) -> bool:
    known = decision.known
    if not decision.solved or decision.trick == 0 or known is None:
        return False
    return known.se == 0.0 or known.worlds >= LEAST_WORLDS
