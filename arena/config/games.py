"""A game with options that a user has written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.config.parameters import model_of, plain, values_of
from arena.config.problems import Problems
from arena.config.strict_yaml import Place, YamlDocument
from arena.core.registry import GAMES
from arena.core.rules import Rules


def check_parameters(family: Any, values: Mapping[str, Any], what: str) -> dict[str, Any]:
    """The arguments of a family; unknown options are refused with the near miss."""
    problems = Problems(YamlDocument(values, {(): Place(what)}))
    checked = problems.check(model_of(family), plain(values), ())
    problems.stop_if_any()
    assert checked is not None  # there were no problems
    return values_of(checked)


def make_rules(name: str, options: Mapping[str, Any], what: str = "") -> Rules:
    """The game `name` with these options; `what` names them in errors."""
    game = GAMES.get(name)
    rules: Rules = game(**check_parameters(game, options, what or f"game {name!r}"))
    return rules
