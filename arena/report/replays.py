"""Rounds for the replay viewer: every step with what it changed, as plain data."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import Any

from arena.analysis import Swing
from arena.cards import SEATS, SUIT_SYMBOLS, cards_of, write_cards
from arena.rules import action_name
from arena.store import Replay, Run
from arena.transcript import call_name, side_name, trump_name

__all__ = ["replay_of"]


def replay_of(run: Run, swing: Swing) -> dict[str, Any]:
    """A deal in all its seatings; of a match, the round in which they differ most."""
    pairing = run.pairing(swing.first, swing.second)
    by_number: dict[int, list[Replay]] = defaultdict(list)
    for each in run.replays(pairing, swing.unit):
        by_number[each.record.number].append(each)
    number = max(by_number, key=lambda n: (_swing(by_number[n], len(run.seatings)), -n))
    games = by_number[number]
    return {
        "first": swing.first,
        "second": swing.second,
        "unit": swing.unit,
        "deal": games[0].record.deal,
        "round": number,
        "margin": swing.margin,
        "sides": [side_name(run.rules, side) for side in range(len(run.rules.sides))],
        "games": [_game(run, game, swing.first) for game in games],
    }


def _swing(games: list[Replay], seatings: int) -> float:
    return abs(sum(game.record.margin for game in games)) if len(games) == seatings else -1.0


def _game(run: Run, game: Replay, first: str) -> dict[str, Any]:
    rules, record = run.rules, game.record
    given = game.deal.played
    state = rules.start(replace(game.deal, played=()), game.standing)
    start = {
        "hands": [write_cards(cards_of(hand)) for hand in state.hands],
        "notes": _notes(state),
    }
    steps = []
    for place, action in enumerate([*given, *record.actions]):
        step = _step(rules, state, action)
        if place < len(given):
            step["given"] = True
        steps.append(step)
    return {
        "seating": record.seating,
        "seats": list(game.seats),
        "margin": record.margin if game.pairing.first == first else -record.margin,
        "scores": [int(word) for word in record.scores.split()],
        "flags": [run_label(rules, flag) for flag in record.flags.split()],
        "fault": record.fault,
        "start": start,
        "steps": steps,
    }


def run_label(rules: Any, word: str) -> str:
    """What players of the game call it."""
    return str(getattr(rules, "labels", {}).get(word, word))


def _step(rules: Any, state: Any, action: int) -> dict[str, Any]:
    seat, phase, tricks = state.turn, state.phase, len(state.tricks)
    expected = list(state.hands)
    if phase == "play":
        expected[seat] &= ~(1 << action)
    step: dict[str, Any] = {
        "seat": seat,
        "phase": phase,
        "action": action_name(action) if action < 52 else call_name(action, rules.bids),
    }
    if phase == "play":
        step["legal"] = write_cards(state.legal)
    notes = _notes(state)
    rules.apply(state, action)
    if state.hands != expected:
        step["hands"] = [write_cards(cards_of(hand)) for hand in state.hands]
    if _notes(state) != notes:
        step["notes"] = _notes(state)
    if len(state.tricks) > tricks:
        trick = state.tricks[-1]
        step["trick"] = {"winner": trick.winner, "points": trick.points, "bonus": trick.bonus}
    step["points"], step["bonus"] = list(state.points), list(state.bonus)
    return step


def _notes(state: Any) -> list[str]:
    """What everybody at the table knows besides the cards played."""
    notes = []
    if state.trump is not None:
        notes.append(f"trump {trump_name(state.trump)}")
    if state.declarer is not None:
        forced = " (forced)" if state.forced else ""
        notes.append(f"{SEATS[state.declarer]} declares{forced}")
    if state.turn_ups:
        notes.append("turned up " + " ".join(SUIT_SYMBOLS[suit] for suit in state.turn_ups))
    notes += [f"{SEATS[seat]} showed {write_cards(cards_of(mask))}" for seat, mask in state.shown]
    return notes
