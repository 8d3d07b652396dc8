"""Klaverjas rounds as they are recorded: one JSON object a round.

Besides the deal and the plays, a record has `tricks` (winner, points, roem),
`totals` and `tricks_won` by side, `nat`, `pit` and the `final` score.
"""

from __future__ import annotations

from typing import Any

from arena.core.cards import SEATS
from arena.core.rules import Outcome, RulesError
from arena.games.base import TableRound

SIDES = ("NS", "EW")


def options_of(record: dict[str, Any]) -> dict[str, Any] | None:
    """The options a recorded round was played under; None if it is not Klaverjas."""
    if "game" in record:
        return record.get("options", {}) if record["game"] == "klaverjas" else None
    if "variant" not in record:
        return None
    if not isinstance(record["variant"], str):
        raise RulesError(f"'variant': expected a name, found {record['variant']!r}")
    return {"variant": record["variant"]}


def facts(state: TableRound, outcome: Outcome) -> dict[str, Any]:
    """The result of a finished round, as records store it."""
    return {
        "tricks": [
            {"winner": SEATS[trick.winner], "points": trick.points, "roem": trick.bonus}
            for trick in state.tricks
        ],
        "totals": {
            name: {"points": points, "roem": bonus}
            for name, points, bonus in zip(SIDES, outcome.points, outcome.bonus, strict=True)
        },
        "tricks_won": dict(zip(SIDES, outcome.tricks, strict=True)),
        "nat": "nat" in outcome.flags,
        "pit": "pit" in outcome.flags,
        "final": dict(zip(SIDES, outcome.scores, strict=True)),
    }
