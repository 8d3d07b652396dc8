"""The agent taken for a game where the user names none, and the bidder where it has none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from arena.config.entrants import AgentSpec, BidderSpec
from arena.core.rules import Rules
from arena.games.needs import why_not


def usual_family(rules: Rules, wanted: Sequence[str] = ("rule",)) -> str:
    """The first of some families that plays a game; else `random`."""
    playing = (name for name in wanted if why_not(AgentSpec(name).build().cards, rules) is None)
    return next(playing, "random")


def with_usual_bidder(spec: AgentSpec, rules: Rules) -> AgentSpec:
    """The agent with the game's usual bidder, unless it names one or is code of the user's."""
    if spec.bidder is not None or spec.names_code or rules.usual_bidder is None:
        return spec
    return replace(spec, bidder=BidderSpec(rules.usual_bidder))
