"""Suites as single-turn tasks for evaluations and trainers of language models.

A row is a position: the prompt that `family: llm` would be given, the legal moves, and the points
that each of them loses, so that a reward is `-lost[move]` and an answer of no points lost is right.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from arena.audit.suites import Suite, SuitePosition
from arena.core.cards import card_name
from arena.llm.prompt import Prompter


def task_lines(suite: Suite, prompter: Prompter) -> Iterator[str]:
    """The positions of a suite, a line of JSON each."""
    for position in suite.positions:
        yield json.dumps(_task(suite, position, prompter), ensure_ascii=False) + "\n"


def _task(suite: Suite, position: SuitePosition, prompter: Prompter) -> dict[str, Any]:
    state = position.state(suite.rules)
    view = suite.rules.view(state, state.turn)
    lost = {card_name(card): float(position.labels[card]) for card in view.legal}
    return {
        "id": f"{suite.name}/{position.id}",
        "game": suite.rules.name,
        "prompt": prompter.prompt(view),
        "legal": list(lost),
        "lost": lost,
        "best": [card for card, points in lost.items() if points == 0],
        "known": position.lost is not None,
        "tags": list(position.tags),
        "prompt_sha256": prompter.digest,
    }
