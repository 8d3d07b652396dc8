"""An agent on the command line: `champion`, or `{family: ismcts, simulations: 500}`."""

from __future__ import annotations

from typing import Any

import yaml

from arena.config.entrants import AgentSpec, BidderSpec
from arena.core.errors import ArenaError


def agent_from_text(text: str) -> AgentSpec:
    """An agent on the command line: a family, or its parameters too, as in an experiment."""
    try:
        written = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ArenaError(f"agent: not YAML: {' '.join(str(error).split())}") from error
    family, parameters = _family_in(written, "agent")
    bidder = parameters.pop("bidder", None)
    return AgentSpec(
        family, parameters, None if bidder is None else BidderSpec(*_family_in(bidder, "bidder"))
    )


def _family_in(written: Any, what: str) -> tuple[str, dict[str, Any]]:
    if isinstance(written, str):
        return written, {}
    if not isinstance(written, dict) or not isinstance(written.get("family"), str):
        raise ArenaError(f"{what}: expected {{family: NAME, ...}}, found {written!r}")
    return written["family"], {key: value for key, value in written.items() if key != "family"}
