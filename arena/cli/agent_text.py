"""An agent on the command line: `champion`, or `{family: ismcts, simulations: 500}`."""

from __future__ import annotations

from pathlib import Path

import yaml

from arena.config.entrants import AgentSpec, spec_of
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
    spec = spec_of(written, "agent")
    if spec.names_code:
        trust(Path())
    return spec


def agent_at_table(text: str, rules: Rules) -> AgentSpec:
    """An agent that plays a game: with the game's usual bidder unless it names one."""
    spec = with_usual_bidder(agent_from_text(text), rules)
    if (why := why_not(spec.build().cards, rules)) is not None:
        raise ArenaError(f"{text} {why}")
    return spec
