"""A reply to a move, or to what is wrong with the reply.

The move is what the last JSON object of the reply says under the key `move`. Prose is never
searched: a card that the model mentions is no answer.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any, Literal, NamedTuple, TypeAlias

from arena.core.cards import SEATS, SUIT_SYMBOLS, SUITS
from arena.core.rules import ACTION_NAMES, OWN_BIDS, Action, View, action_name

KEY = "move"
Problem: TypeAlias = Literal["", "unparsable", "illegal", "cut off"]
"""The problem of a reply; empty if there is none."""
_SYMBOLS = str.maketrans(SUIT_SYMBOLS, SUITS)
_SHOWN = 60
_PATIENCE, _FAILURE = 300_000, 20
"""Characters that are read in vain before a text is given up, and what each failure counts."""


class Judged(NamedTuple):
    """The result of reading a reply."""

    action: Action | None
    problem: Problem = ""
    words: str = ""
    """The problem, for the model and for people."""


def judge(reply: str, finish: str, view: View) -> Judged:
    """The move in a reply; what was cut off has no last object, whatever came before."""
    if finish == "length":
        return Judged(None, "cut off", "the answer was cut off before its end: it was too long")
    found = [each for each in json_objects(reply) if KEY in each]
    if not found:
        return Judged(None, "unparsable", f'the answer has no JSON object with the key "{KEY}"')
    said = found[-1][KEY]
    action = _action(said, view)
    if action is None:
        shown = json.dumps(said, ensure_ascii=False)
        shown = shown if len(shown) <= _SHOWN else shown[: _SHOWN - 3] + "..."
        return Judged(None, "unparsable", f"{shown} is no card or call of this game")
    if action not in view.legal:
        name = action_name(action, view.rules.bids)
        return Judged(action, "illegal", f"{name} is not legal for {SEATS[view.seat]} now")
    return Judged(action)


def _action(said: Any, view: View) -> Action | None:
    """The action that a value names: as it is written, in any case, with 10 or a suit's symbol."""
    if isinstance(said, int) and not isinstance(said, bool):
        said = str(said)  # a bid that is a number
    if not isinstance(said, str):
        return None
    names, word = _names(view.rules.bids), said.strip().translate(_SYMBOLS).casefold()
    return names.get(word, names.get(word.replace("10", "t")))


@cache
def _names(bids: tuple[str, ...]) -> dict[str, Action]:
    known = {name.casefold(): action for action, name in enumerate(ACTION_NAMES)}
    return known | {name.casefold(): OWN_BIDS + place for place, name in enumerate(bids)}


def json_objects(text: str) -> list[dict[str, Any]]:
    """The JSON objects in a text, in order; those inside of another one are part of that.

    None of a text that takes unreasonably long to read: what is nested without an end.
    """
    decoder, at, patience = json.JSONDecoder(), text.find("{"), _PATIENCE
    found: list[dict[str, Any]] = []
    while at >= 0:
        try:
            each, end = decoder.raw_decode(text, at)
            found.append(each)
        except json.JSONDecodeError as error:
            patience -= error.pos - at + _FAILURE
            end = at + 1
        except RecursionError:
            patience, end = 0, at + 1
        if patience <= 0:
            return []
        at = text.find("{", end)
    return found
