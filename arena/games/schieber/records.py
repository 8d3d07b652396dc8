"""Schieber rounds as they are recorded: one JSON object a round.

Besides the deal and the plays, a record has `tricks` (winner, points), the `totals` by
side under its own rules, the same with a match bonus of 100, and the side that made a
`match`. Records of the published bots say of their rules only `undertrump`.
"""

from __future__ import annotations

from typing import Any

from arena.core.cards import SEATS, parse_trump
from arena.core.errors import did_you_mean
from arena.core.rules import Outcome, RulesError
from arena.games.base import TableRound
from arena.games.schieber.tables import LAST_TRICK, MULTIPLIERS

SIDES = ("NS", "EW")
KNOWN = ("factor", "last_trick", "match_bonus", "stoeck", "undertrump", "weis")
"""What the `rules` of a record may say."""


def options_of(record: dict[str, Any]) -> dict[str, Any] | None:
    """The options a recorded round was played under; None if it is not Schieber."""
    if "game" in record:
        return record.get("options", {}) if record["game"] == "schieber" else None
    rules = record.get("rules")
    if not isinstance(rules, dict) or "undertrump" not in rules:
        return None
    for key in rules:
        if key not in KNOWN:
            raise RulesError(f"rules: unknown {key!r}; {did_you_mean(key, KNOWN)}")
    if rules.get("last_trick", LAST_TRICK) != LAST_TRICK:
        raise RulesError(f"rules: last_trick is {rules['last_trick']}, Schieber has {LAST_TRICK}")
    options = {key: rules[key] for key in KNOWN[2:] if key in rules}
    options["bidding"] = "schieben" if "bids" in record else "given"
    if "factor" in rules:
        options["multipliers"] = _multipliers_with(rules["factor"], record.get("trump"))
    return options


def _multipliers_with(factor: object, trump: object) -> str:
    """A choice of multipliers that has this factor for the trump of the round."""
    if not isinstance(trump, str):
        raise RulesError(f"'trump': expected a letter, found {trump!r}")
    index = parse_trump(trump)
    for name, factors in MULTIPLIERS.items():
        if factors[index] == factor:
            return name
    raise RulesError(f"rules: no multipliers have the factor {factor!r} for trump {trump}")


def facts(state: TableRound, outcome: Outcome, with_match_bonus: Outcome) -> dict[str, Any]:
    """The result of a finished round, as records store it."""
    leader, dealer = state.leader, state.dealer
    assert leader is not None  # the round was played
    assert dealer is not None
    found: dict[str, Any] = {
        "dealer": SEATS[dealer],
        "forehand": SEATS[leader],
        "leader": SEATS[leader],
        "tricks": [
            {"winner": SEATS[trick.winner], "points": trick.points} for trick in state.tricks
        ],
        "points": dict(zip(SIDES, outcome.points, strict=True)),
        "bonus": dict(zip(SIDES, outcome.bonus, strict=True)),
        "totals": dict(zip(SIDES, outcome.scores, strict=True)),
        "totals_with_match_bonus_100": dict(zip(SIDES, with_match_bonus.scores, strict=True)),
        "match": SIDES[outcome.tricks.index(len(state.tricks))] if outcome.flags else None,
    }
    if state.declarer is not None:
        found["pushed"] = state.declarer != leader
    return found
