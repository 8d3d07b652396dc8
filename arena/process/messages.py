"""The messages between arena and an agent's process: one JSON object a line.

    arena                                         agent
    hello    protocol, rules                  →
                                              ←   ready    protocol
    start    deal, seat                       →
    act      deal, decision, seed, view       →
                                              ←   action   deal, decision, action [, seconds]
    end      deal, result                     →
    quit                                      →   (ends)

Deals are numbered by their order in this process: their names would reveal which deal of
a published set is played. `end` has no result if a fault cut the deal short.
"""

from __future__ import annotations

import json
from typing import Any

from arena.core.codec import DIALECT, definitions, encode_rules
from arena.core.rules import Outcome, Rules

PROTOCOL = 1
"""Raised when programs that speak the former one would no longer be understood."""
SESSIONS = "/sessions"
"""Where a server opens a session: `hello` is posted there."""
TOKEN_VARIABLES = "ARENA_TOKEN"
"""With this begin the names of environment variables that hold tokens; no agent's process sees
them."""


def hello(rules: Rules) -> str:
    """The first message, which names the rules."""
    return json.dumps({"type": "hello", "protocol": PROTOCOL, "rules": encode_rules(rules)})


def result_of(outcome: Outcome | None) -> dict[str, Any] | None:
    """How a deal ended, as the protocol says it; None if a fault cut it short."""
    return None if outcome is None else outcome._asdict()


_NUMBER = {"type": "integer", "minimum": 0}
_WHOLE = {"type": "array", "items": {"type": "integer"}}


def _message(kind: str, help: str, needed: dict[str, Any], /, **optional: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "description": help,
        "properties": {"type": {"const": kind}, **needed, **optional},
        "required": ["type", *needed],
        "additionalProperties": False,
    }


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/$defs/{name}"}


_RESULT = {
    "type": "object",
    "description": "Numbers for each side of the game.",
    "properties": {
        "scores": {**_WHOLE, "description": "what is written down"},
        "points": {**_WHOLE, "description": "points of the cards taken"},
        "bonus": {**_WHOLE, "description": "roem, or Weis and Stöck"},
        "tricks": {**_WHOLE, "description": "tricks taken"},
        "flags": {"type": "array", "items": {"type": "string"}, "description": "what happened"},
    },
    "required": ["scores", "points", "bonus", "tricks", "flags"],
    "additionalProperties": False,
}

TO_AGENT: dict[str, dict[str, Any]] = {
    "hello": _message(
        "hello",
        "Once, first: what will be played.",
        {"protocol": {"const": PROTOCOL}, "rules": _ref("rules")},
    ),
    "start": _message(
        "start",
        "A deal begins in this seat; what was known of the one before is over.",
        {"deal": _NUMBER, "seat": _ref("seat")},
    ),
    "act": _message(
        "act",
        "It is this seat's turn. The view is complete: nothing need be remembered.",
        {
            "deal": _NUMBER,
            "decision": {**_NUMBER, "description": "decisions of this seat in the deal before"},
            "seed": {
                "type": "string",
                "pattern": "^[0-9]{1,20}$",
                "description": "64 bits for all chance in this decision, in decimal",
            },
            "view": _ref("view"),
        },
    ),
    "end": _message(
        "end",
        "The deal is over; null if a fault cut it short.",
        {"deal": _NUMBER, "result": {"anyOf": [_ref("result"), {"type": "null"}]}},
    ),
    "quit": _message("quit", "The last line: end now.", {}),
}
FROM_AGENT: dict[str, dict[str, Any]] = {
    "ready": _message(
        "ready",
        "The answer to hello.",
        {"protocol": {"const": PROTOCOL}},
        name={"type": "string", "description": "what the agent calls itself"},
        confirms={"type": "boolean", "description": "whether it answers start with started"},
    ),
    "started": _message(
        "started", "The answer to start, of an agent that confirms.", {"deal": _NUMBER}
    ),
    "action": _message(
        "action",
        "The answer to act: deal and decision as asked, and one of the view's legal actions.",
        {"deal": _NUMBER, "decision": _NUMBER, "action": _ref("action")},
        seconds={"type": "number", "minimum": 0, "description": "how long it thought"},
    ),
    "error": _message(
        "error",
        "Instead of an answer: what went wrong. Counts as a crash; the process may go on.",
        {"message": {"type": "string"}},
        detail={"type": "string", "description": "such as a traceback"},
    ),
}


def message_schema() -> dict[str, Any]:
    """The JSON Schema of every line of the protocol."""
    # Under names of their own: an action is also what the message of that name carries.
    every = {f"message-{name}": message for name, message in {**TO_AGENT, **FROM_AGENT}.items()}
    return {
        "$schema": DIALECT,
        "anyOf": [_ref(name) for name in every],
        "$defs": {**definitions(), "result": _RESULT, **every},
    }
