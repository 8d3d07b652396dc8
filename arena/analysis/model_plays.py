"""How language models answered: legality (separate from strength), tokens, time and cost."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from arena.analysis.estimates import Estimate, mean_by_unit, rate_by_unit
from arena.store import Pairing, Replay, Run
from arena.tournament.conversations import AskedDecision, RunConversations


@dataclass(frozen=True)
class ModelPlay:
    """How a language model answered: legality, separate from strength."""

    name: str
    model: str
    served: tuple[str, ...]
    """The models that the server says have answered: more than one, if it was changed meanwhile."""
    legal_moves: str
    """Whether prompts listed them."""
    decisions: int
    """Decisions for which it was asked; forced moves are none, where legal moves are listed."""
    legal_at_once: Estimate
    """Share of these decisions in which the first answer was a legal move."""
    second: int
    """Decisions in which the second answer was the first legal one, ..."""
    third: int
    """... and the third."""
    none: int
    """Decisions without a legal answer: faults."""
    unparsable: int
    """Answers, of all attempts, without a move; ..."""
    illegal: int
    cut_off: int
    prompt_tokens: float | None
    """Per decision, as the server counts them."""
    completion_tokens: float | None
    seconds: Estimate
    """Per decision, all attempts together."""
    cost: float | None
    """Of all its decisions; null without prices."""


def model_plays(run: Run, conversations: RunConversations) -> list[ModelPlay]:
    """Every language model of a run, in the order of its entrants."""
    if run.replies is None:  # no model plays: its rounds need not be read
        return []
    asked: dict[str, list[tuple[str, AskedDecision]]] = defaultdict(list)
    for pairing in run.pairings:
        for replay in _rounds(run, pairing):
            for decision in conversations.of_round(replay):
                asked[replay.seats[decision.view.seat]].append((replay.record.unit, decision))
    return [_play(run, name, asked[name]) for name in run.entrants if asked[name]]


def _rounds(run: Run, pairing: Pairing) -> Iterator[Replay]:
    """All rounds of a pairing, and those of a fault that ended the run."""
    yield from run.replays(pairing)
    stored = set(run.database.unit_names(pairing.id))
    for deal in {fault.deal for fault in run.database.faults(pairing.id)}:
        for replay in run.replays_with(pairing, deal):
            if replay.record.unit not in stored:
                yield replay


def _play(run: Run, name: str, asked: Sequence[tuple[str, AskedDecision]]) -> ModelPlay:
    numbers: dict[str, int] = {}
    units = [numbers.setdefault(unit, len(numbers)) for unit, _ in asked]
    talks = [decision.attempts for _, decision in asked]
    attempts = [attempt for talk in talks for attempt in talk]
    problems = Counter(attempt.problem for attempt in attempts)
    legal_at = Counter(len(talk) if not talk[-1].problem else 0 for talk in talks)
    spec = run.manifest.entrants[name].members[0]
    costs = [attempt.cost for attempt in attempts if attempt.cost is not None]
    return ModelPlay(
        name=name,
        model=str(spec.parameters.get("model", "")),
        served=tuple(sorted({attempt.served for attempt in attempts if attempt.served})),
        legal_moves=str(spec.parameters.get("legal_moves", "")),
        decisions=len(talks),
        legal_at_once=rate_by_unit(units, [not talk[0].problem for talk in talks]),
        second=legal_at[2],
        third=legal_at[3],
        none=legal_at[0],
        unparsable=problems["unparsable"],
        illegal=problems["illegal"],
        cut_off=problems["cut off"],
        prompt_tokens=_per(len(talks), [attempt.prompt_tokens for attempt in attempts]),
        completion_tokens=_per(len(talks), [attempt.completion_tokens for attempt in attempts]),
        seconds=mean_by_unit(units, [sum(attempt.seconds for attempt in talk) for talk in talks]),
        cost=sum(costs) if costs else None,
    )


def _per(decisions: int, counts: Sequence[int | None]) -> float | None:
    known = [count for count in counts if count is not None]
    return sum(known) / decisions if len(known) == len(counts) else None
