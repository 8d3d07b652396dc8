"""The moments of a round that are worth another look: find the better card.

Only points lost as far as could be known make a moment; what only hindsight sees never does.
"""

from __future__ import annotations

from typing import Any

import orjson

from arena.audit.rounds import AuditedDecision, AuditedRound, grade_of
from arena.core.cards import card_name
from arena.core.codec import encode_view
from arena.core.rules import View
from arena.table.session import TableSession


def lessons_message(table: TableSession, audited: AuditedRound, seat: int) -> bytes:
    """What a person's cards lost, and the moments that mattered, in the order of the round."""
    mine = [each for each in audited.decisions if each.seat == seat]
    solved = [each.hindsight for each in mine if each.hindsight is not None]
    moments = [each for each in mine if grade_of(table.rules, each.loss) is not None]
    views = _views(table, {each.at for each in moments}, seat)
    return orjson.dumps(
        {
            "type": "lessons",
            "decisions": len(mine),
            "known": round(sum(each.loss for each in mine), 2),
            "hindsight": sum(solved),
            "solved": len(solved),
            "moments": [_moment(table, each, views[each.at]) for each in moments],
        }
    )


def _moment(table: TableSession, decision: AuditedDecision, view: View) -> dict[str, Any]:
    grade, known = grade_of(table.rules, decision.loss), decision.known
    assert grade is not None and known is not None
    return {
        "trick": decision.trick + 1,
        "view": orjson.Fragment(encode_view(view)),
        "played": card_name(decision.card),
        "better": card_name(decision.better),
        "loss": round(decision.loss, 2),
        "se": round(known.se, 2),
        "worlds": known.worlds,
        "grade": grade.name,
        "mark": grade.mark,
        "values": {
            card_name(card): round(value, 2)
            for card, value in zip(decision.legal, known.values, strict=True)
        },
        "line": [card_name(card) for card in decision.line],
    }


def _views(table: TableSession, wanted: set[int], seat: int) -> dict[int, View]:
    """What the seat knew before the actions of these numbers."""
    rules, found = table.rules, {}
    state: Any = rules.start(table.deal, table.standing)
    for at, action in enumerate(table.actions):
        if at in wanted:
            found[at] = rules.view(state, seat)
        rules.apply(state, action)
    return found
