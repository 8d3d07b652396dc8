"""Hearts rounds as they are recorded: one JSON object a round.

Besides the deal and the plays, a record has `tricks` (winner, points), the points taken
(`scores_raw`), who shot the moon (`shot_moon_by`) and the `scores` that follow.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from arena.core.cards import SEATS
from arena.core.errors import did_you_mean
from arena.core.rules import Outcome, RulesError
from arena.games.base import TableRound
from arena.games.hearts.tables import ALL_POINTS

OPTIONS = {
    "first_trick_points": "points_on_first_trick",
    "qs_breaks": "queen_breaks_hearts",
    "qs_lead_restricted": "queen_lead_ban",
}
"""Our names for what the `rules` of a record say."""
ALWAYS = {"two_of_clubs_leads": True, "moon": f"others+{ALL_POINTS}", "passing": False}
"""What they may say besides, and must say if they do."""


def options_of(record: dict[str, Any], variants: Collection[str]) -> dict[str, Any] | None:
    """The options a recorded round was played under; None if it is not Hearts."""
    if "game" in record:
        return record.get("options", {}) if record["game"] == "hearts" else None
    rules = record.get("rules")
    if not isinstance(rules, dict) or "name" not in rules:
        return None
    if rules["name"] not in variants:
        near = did_you_mean(str(rules["name"]), variants)
        raise RulesError(f"rules: unknown name {rules['name']!r}; {near}")
    options: dict[str, Any] = {"variant": rules["name"]}
    for key, value in rules.items():
        if key in OPTIONS:
            options[OPTIONS[key]] = value
        elif key in ALWAYS and value != ALWAYS[key]:
            raise RulesError(f"rules: {key} is {value!r}; only {ALWAYS[key]!r} is known")
        elif key not in ALWAYS and key != "name":
            near = did_you_mean(key, ("name", *OPTIONS, *ALWAYS))
            raise RulesError(f"rules: unknown {key!r}; {near}")
    hands = record.get("hands")
    options["players"] = len(hands) if isinstance(hands, dict) else 4
    return options


def facts(state: TableRound, outcome: Outcome) -> dict[str, Any]:
    """The result of a finished round, as records store it."""
    assert state.leader is not None  # the round was played
    seats = SEATS[: len(outcome.scores)]
    return {
        "leader": SEATS[state.leader],
        "tricks": [
            {"winner": SEATS[trick.winner], "points": trick.points} for trick in state.tricks
        ],
        "scores_raw": dict(zip(seats, outcome.points, strict=True)),
        "shot_moon_by": seats[outcome.points.index(ALL_POINTS)] if outcome.flags else None,
        "scores": dict(zip(seats, outcome.scores, strict=True)),
    }
