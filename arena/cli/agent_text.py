"""An agent on the command line: `champion`, or `{family: ismcts, simulations: 500}`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from arena.config.entrants import AgentSpec, BidderSpec
from arena.config.own_code import trust
from arena.config.usual_agent import with_usual_bidder
from arena.core.errors import ArenaError
from arena.core.rules import Rules
from arena.games.needs import why_not


def agent_from_text(text: str) -> AgentSpec:
    """An agent on the command line: a family, or its parameters too, as in an experiment.

    Code that it names is trusted: the user names the file in this very command.
    """
    try:
        written = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ArenaError(f"agent: not YAML: {' '.join(str(error).split())}") from error
    family, parameters = _family_in(written, "agent")
    bidder = parameters.pop("bidder", None)
    spec = AgentSpec(
        family, parameters, None if bidder is None else BidderSpec(*_family_in(bidder, "bidder"))
    )
    if spec.names_code:
        trust(Path())
    return spec


def _family_in(written: Any, what: str) -> tuple[str, dict[str, Any]]:
    if isinstance(written, str):
        return written, {}
    if not isinstance(written, dict) or not isinstance(written.get("family"), str):
        raise ArenaError(f"{what}: expected {{family: NAME, ...}}, found {written!r}")
    return written["family"], {key: value for key, value in written.items() if key != "family"}


def agent_at_table(text: str, rules: Rules) -> AgentSpec:
    """An agent that plays a game: with the game's usual bidder unless it names one."""
    spec = with_usual_bidder(agent_from_text(text), rules)
    if (why := why_not(spec.build().cards, rules)) is not None:
        raise ArenaError(f"{text} {why}")
    return spec
