"""Decisions of a run as training text: the prompt of a language model, and the move as its answer.

A row is a conversation of two messages, as trainers for supervised fine-tuning read it. Every
decision of every finished round in which there was a choice makes one, of every agent; the
margin of the round says how it ended for the player's side.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from typing import IO, Any

from arena.core.cards import SEATS
from arena.core.errors import ArenaError, did_you_mean
from arena.core.rules import action_name
from arena.core.scoring import side_margins
from arena.llm.answers import KEY
from arena.llm.prompt import Prompter
from arena.store.reader import Replay, Run


def export_training_text(
    run: Run, out: IO[bytes], prompter: Prompter, agents: Collection[str] = ()
) -> int:
    """Write the decisions of some agents (of all, if none is named), one row each.

    Returns how many rounds were left out because a fault cut them short.
    """
    for name in agents:
        if name not in run.entrants:
            raise ArenaError(f"{run.path}: no entrant {name!r}; {did_you_mean(name, run.entrants)}")
    left_out = 0
    for pairing in run.pairings:
        for replay in run.replays(pairing):
            if not replay.record.scores:
                left_out += 1
                continue
            for row in _rows(run, replay, prompter, agents or run.entrants):
                out.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")
    return left_out


def _rows(
    run: Run, replay: Replay, prompter: Prompter, agents: Collection[str]
) -> Iterator[dict[str, Any]]:
    rules, record = run.rules, replay.record
    margins = side_margins(rules, record.scores)
    state = rules.start(replay.deal, replay.standing)
    for number, action in enumerate(record.actions):
        seat = state.turn
        if replay.seats[seat] in agents and len(state.legal) > 1:
            move = json.dumps({KEY: action_name(action, rules.bids)})
            prompt = prompter.prompt(rules.view(state, seat))
            yield {
                "messages": [
                    {"role": "user", "content": prompt},
                    {"role": "assistant", "content": move},
                ],
                "agent": replay.seats[seat],
                "against": next(n for n in replay.pairing[:2] if n != replay.seats[seat]),
                "deal": record.deal,
                "seating": record.seating,
                "round": record.number,
                "decision": number,
                "seat": SEATS[seat],
                "margin": margins[rules.side_of(seat)],
            }
        rules.apply(state, action)
