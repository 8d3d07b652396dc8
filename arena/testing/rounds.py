"""Rules and deals for the conformance suite."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, Literal, get_args, get_origin, get_type_hints

from arena.core.deals import Deal
from arena.core.registry import GAMES
from arena.core.rules import Rules
from arena.core.seeds import rng_for


class NotConformant(AssertionError):
    """A violation by an agent or a game."""


def rule_sets(game: str) -> list[Rules]:
    """A game with its usual options, and with each option changed to each other value."""
    family = GAMES.get(game)
    hints = get_type_hints(family)
    usual: Rules = family()
    found = [usual]
    for option in fields(family):
        for value in _choices(hints[option.name]):
            rules: Rules = family(**{option.name: value})
            if rules not in found:
                found.append(rules)
    return found


def _choices(hint: Any) -> list[Any]:
    if hint is bool:
        return [False, True]
    if get_origin(hint) is Literal:
        return list(get_args(hint))
    return [choice for part in get_args(hint) for choice in _choices(part)]


def random_deal(rules: Rules, seed: int, number: int) -> Deal:
    """A deal for these rules, with a name."""
    deal = rules.random_deal(rng_for(seed, "conformance", number), number)
    return replace(deal, id=f"random-{number}")
