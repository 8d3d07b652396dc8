"""Rounds for the replay viewer: every step with what it changed."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import takewhile
from typing import Any

from arena.analysis.decisions import Explainers, decide_again
from arena.analysis.swings import Swing
from arena.audit.campaign import RoundKey, round_key
from arena.audit.rounds import AuditedRound, grade_of
from arena.core.cards import SEATS, SUIT_SYMBOLS, cards_of, trump_name, write_cards
from arena.core.errors import ArenaError
from arena.core.rules import action_name, pretty_action, side_name
from arena.report.words import label_of
from arena.store import Replay, Run
from arena.store.records import decode_times
from arena.tournament.conversations import AskedDecision, RunConversations

LONGEST_SEARCH_S = 2.0
"""Decisions that took longer are not made again for the page."""


@dataclass(frozen=True)
class TrickTaken:
    """The seat that took a trick, and its value."""

    winner: int
    points: int
    bonus: int


@dataclass(frozen=True)
class Step:
    """One action, and what it changed."""

    seat: int
    phase: str
    action: str
    legal: str | None
    """The cards that could be played."""
    given: bool
    """Whether the deal prescribes it."""
    hands: list[str] | None
    """All hands after it, if cards changed hands."""
    notes: list[str] | None
    """Public knowledge after it, if that changed."""
    trick: TrickTaken | None
    points: list[int]
    """By side, after it."""
    bonus: list[int]
    drawing: str | None
    """The table after it, in games without tricks."""
    known: str | None
    """The seat's information before it, in games without tricks."""


@dataclass(frozen=True)
class Searched:
    """A search's numbers for a card: the same as `arena explain` prints."""

    card: str
    played: bool
    """Whether it was played in the run."""
    values: dict[str, float]


@dataclass(frozen=True)
class Believed:
    """A player's belief about a hidden card: how likely each seat is to hold it."""

    card: str
    holders: list[float]


@dataclass(frozen=True)
class CardValue:
    """The value of a card, as the final margin of the side to move."""

    card: str
    played: bool
    exact: int | None
    """With the true cards open; None if that was not solved."""
    known: float | None
    """The mean over worlds that the player could expect; None if it was not computed."""


@dataclass(frozen=True)
class ValuedStep:
    """A step at which there was a choice, as `arena audit` values it."""

    step: int
    cards: list[CardValue]
    """The best as far as could be known first."""
    grade: str
    """Empty if the card is no mistake."""
    mark: str
    lost: float | None
    """Points lost as far as could be known."""


@dataclass(frozen=True)
class AttemptPart:
    """A question to a language model, and its reply."""

    asked: str
    """The prompt after `prompt_start`; of a second or third attempt, what was wrong before."""
    reply: str
    reasoning: str
    finish: str
    problem: str
    """Empty if the reply is a legal move."""
    prompt_tokens: int | None
    completion_tokens: int | None
    cost: float | None
    seconds: float


@dataclass(frozen=True)
class TalkPart:
    """The conversation with a language model before a step."""

    step: int
    seat: int
    attempts: list[AttemptPart]


@dataclass(frozen=True)
class GamePart:
    """The round in one seating."""

    seating: int
    seats: list[str]
    """The agents in seats N, E, S, W."""
    margin: float
    scores: list[int]
    flags: list[str]
    fault: str
    hands: list[str]
    """As dealt."""
    notes: list[str]
    """Public knowledge at the beginning."""
    drawing: str | None
    """The table at the beginning, in games without tricks."""
    steps: list[Step]
    searched: list[Searched]
    """At the step where the seatings part: what the player's search says, the best card first.
    Empty if the player does not search, or took long."""
    believed: list[Believed]
    """There as well: who holds the hidden cards, as the player sees it. Empty if it does not
    say."""
    valued: list[ValuedStep] = field(default_factory=list)
    """The steps as `arena audit` values them; empty if the round was not audited."""
    talks: list[TalkPart] = field(default_factory=list)
    """Where language models play: what they were asked and answered."""


@dataclass(frozen=True)
class ReplayPart:
    """A deal (or a round of a match) in all its seatings."""

    first: str
    second: str
    """`first` did better than `second` on the unit: `margin` is the mean over its seatings."""
    unit: str
    deal: str
    round: int
    margin: float
    sides: list[str]
    """The sides, by the names of their seats."""
    parts_at: int
    """The step at which the two seatings that are shown first part."""
    games: list[GamePart]
    prompt_start: str = ""
    """The common start of all prompts of language models in `games`: the rules."""


def replay_of(
    run: Run,
    swing: Swing,
    explainers: Explainers,
    audits: Mapping[RoundKey, AuditedRound],
    conversations: RunConversations,
) -> ReplayPart:
    """A deal in all its seatings; of a match, the round in which they differ most.

    `audits` has what is audited of the run.
    """
    pairing = run.pairing(swing.first, swing.second)
    by_number: dict[int, list[Replay]] = defaultdict(list)
    for each in run.replays(pairing, [swing.unit]):
        by_number[each.record.number].append(each)
    number = max(by_number, key=lambda n: (_swing(by_number[n], len(run.seatings)), -n))
    replays = by_number[number]
    games = [_game(run, game, swing.first) for game in replays]
    shown = _shown(games)
    part = _where_they_part([games[i] for i in shown])
    for i in shown:
        searched, believed = _searched(run, replays[i], part, explainers)
        games[i] = replace(games[i], searched=searched, believed=believed)
    for i, replay in enumerate(replays):
        audited = audits.get(round_key(replay))
        if audited is not None:
            valued = _valued(run, replay, audited)
            games[i] = replace(games[i], valued=valued)
    asked = [list(conversations.of_round(replay)) for replay in replays]
    prompts = [each.attempts[0].messages[0]["content"] for game in asked for each in game]
    start = _common_start(prompts) if len(prompts) > 1 else ""
    games = [
        replace(game, talks=[_talk(replay, each, start) for each in talks]) if talks else game
        for game, replay, talks in zip(games, replays, asked, strict=True)
    ]
    return ReplayPart(
        prompt_start=start,
        first=swing.first,
        second=swing.second,
        unit=swing.unit,
        deal=replays[0].record.deal,
        round=number,
        margin=swing.margin,
        sides=[side_name(run.rules, side) for side in range(len(run.rules.sides))],
        parts_at=part,
        games=games,
    )


def _common_start(texts: list[str]) -> str:
    """The lines with which all texts begin."""
    lines = zip(*(text.splitlines(keepends=True) for text in texts), strict=False)
    return "".join(line for line, *_ in takewhile(lambda same: len(set(same)) == 1, lines))


def _talk(replay: Replay, decision: AskedDecision, start: str) -> TalkPart:
    attempts = [
        AttemptPart(
            asked=attempt.messages[-1]["content"].removeprefix("" if number else start),
            reply=attempt.reply,
            reasoning=attempt.reasoning,
            finish=attempt.finish,
            problem=attempt.problem,
            prompt_tokens=attempt.prompt_tokens,
            completion_tokens=attempt.completion_tokens,
            cost=attempt.cost,
            seconds=round(attempt.seconds, 3),
        )
        for number, attempt in enumerate(decision.attempts)
    ]
    return TalkPart(len(replay.deal.played) + decision.at, decision.view.seat, attempts)


def _valued(run: Run, replay: Replay, audited: AuditedRound) -> list[ValuedStep]:
    found = []
    for decision in audited.decisions:
        known = decision.known
        values = [None] * len(decision.legal) if known is None else list(known.values)
        cards = [
            CardValue(
                action_name(card),
                card == decision.card,
                int(exact) if decision.solved else None,
                None if value is None else round(value, 1),
            )
            for card, exact, value in zip(decision.legal, decision.exact, values, strict=True)
        ]
        cards.sort(key=lambda each: -(each.known if each.known is not None else each.exact or 0))
        grade = grade_of(run.rules, decision.loss)
        found.append(
            ValuedStep(
                step=len(replay.deal.played) + decision.at,
                cards=cards,
                grade="" if grade is None else grade.name,
                mark="" if grade is None else grade.mark,
                lost=None if known is None else round(known.loss, 1),
            )
        )
    return found


def _swing(games: list[Replay], seatings: int) -> float:
    return abs(sum(game.record.margin for game in games)) if len(games) == seatings else -1.0


def _shown(games: list[GamePart]) -> list[int]:
    """The two seatings that are compared first: both, or of many the best and the worst."""
    if len(games) <= 2:
        return list(range(len(games)))
    order = sorted(range(len(games)), key=lambda i: -games[i].margin)
    return [order[0], order[-1]]


def _where_they_part(games: list[GamePart]) -> int:
    steps = zip(*([(s.seat, s.action) for s in game.steps] for game in games), strict=False)
    return sum(1 for _ in takewhile(lambda same: len(set(same)) == 1, steps))


def _searched(
    run: Run, game: Replay, step: int, explainers: Explainers
) -> tuple[list[Searched], list[Believed]]:
    at = step - len(game.deal.played)
    if not 0 <= at < len(game.record.actions):
        return [], []
    if decode_times(game.record.times)[at] > 1e9 * LONGEST_SEARCH_S:
        return [], []
    try:
        decision = decide_again(run, game, at, explainers)
    except ArenaError:  # an agent that is not installed here, or lacks its model
        return [], []
    if decision.values is None:
        return [], []
    ordered = sorted(decision.values.items(), key=lambda found: tuple(found[1]), reverse=True)
    searched = [
        Searched(
            action_name(action),
            action == decision.did,
            {key: float(value) for key, value in numbers._asdict().items()},
        )
        for action, numbers in ordered
    ]
    holders = {} if decision.belief is None else decision.belief.holders
    believed = [
        Believed(action_name(card), [round(chance, 3) for chance in chances])
        for card, chances in holders.items()
    ]
    return searched, believed


def _game(run: Run, game: Replay, first: str) -> GamePart:
    rules, record = run.rules, game.record
    given = game.deal.played
    state = rules.start(replace(game.deal, played=()), game.standing)
    hands, notes = [write_cards(cards_of(hand)) for hand in state.hands], _notes(state)
    drawing = rules.drawing(state)
    steps = [
        _step(rules, state, action, place < len(given))
        for place, action in enumerate([*given, *record.actions])
    ]
    return GamePart(
        seating=record.seating,
        seats=list(game.seats),
        margin=record.margin if game.pairing.first == first else -record.margin,
        scores=list(record.scores),
        flags=[label_of(rules, flag) for flag in record.flags],
        fault=record.fault,
        hands=hands,
        notes=notes,
        drawing=drawing,
        steps=steps,
        searched=[],
        believed=[],
    )


def _step(rules: Any, state: Any, action: int, given: bool) -> Step:
    seat, phase, tricks = state.turn, state.phase, len(state.tricks)
    known = rules.view(state, seat).information
    expected = list(state.hands)
    if phase == "play":
        expected[seat] &= ~(1 << action)
    legal = write_cards(state.legal) if phase == "play" else None
    notes = _notes(state)
    rules.apply(state, action)
    moved = state.hands != expected
    trick = state.tricks[-1] if len(state.tricks) > tricks else None
    return Step(
        seat=seat,
        phase=phase,
        action=action_name(action) if action < 52 else pretty_action(action, rules.bids),
        legal=legal,
        given=given,
        hands=[write_cards(cards_of(hand)) for hand in state.hands] if moved else None,
        notes=_notes(state) if _notes(state) != notes else None,
        trick=None if trick is None else TrickTaken(trick.winner, trick.points, trick.bonus),
        points=list(state.points),
        bonus=list(state.bonus),
        drawing=rules.drawing(state),
        known=None if known is None else known.text,
    )


def _notes(state: Any) -> list[str]:
    """Public knowledge besides the cards played."""
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


def embedded_replays(
    replays: Sequence[ReplayPart], bonus: str, labels: Mapping[str, str] | None = None
) -> str:
    """The data of the page's viewer.

    `bonus` is the game's word for its bonus; `labels` are the names of agents as the page shows
    them, where they are not the agents' own.
    """
    shown = {name: label for name, label in (labels or {}).items() if label != name}
    rounds = [_without_nulls(asdict(each)) for each in replays]
    return _embedded({"bonus": bonus, "labels": shown, "replays": rounds})


def _without_nulls(value: Any) -> Any:
    """Leave out null and false fields, to keep the page small."""
    if isinstance(value, dict):
        return {
            key: _without_nulls(inner)
            for key, inner in value.items()
            if inner is not None and inner is not False
        }
    return [_without_nulls(inner) for inner in value] if isinstance(value, list) else value


def _embedded(data: Any) -> str:
    """JSON that may stand inside a script element, whatever the names in it are."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text
