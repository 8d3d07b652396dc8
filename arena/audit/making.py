"""Suites from audits: positions in which an agent lost much and the best card is clear."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256

from arena.audit.campaign import Audit, AuditOfRound
from arena.audit.rounds import AuditedDecision, grade_of
from arena.audit.suites import Suite, SuitePosition, label, phases, standing_before
from arena.core.errors import ArenaError
from arena.core.rules import Rules
from arena.solver.solution import Solver


def make_suite(
    audit: Audit,
    name: str,
    size: int,
    progress: Callable[[int, int], object] = lambda done, total: None,
) -> Suite:
    """A suite of the `size` clearest positions, the same number of every trick where there are.

    Labels are computed on worlds of their own, so that a position is not in the suite because
    of the luck of the draw; positions are left out if they do not confirm the best card.
    """
    by_trick: dict[int, list[tuple[AuditOfRound, AuditedDecision]]] = {}
    for each in audit.rounds:
        for decision in each.audit.decisions:
            if grade_of(audit.rules, decision.loss) is not None:
                by_trick.setdefault(decision.trick, []).append((each, decision))
    for found in by_trick.values():
        found.sort(key=lambda item: (-item[1].loss, _id(audit.rules, *item)))
    solver = Solver()
    chosen: dict[str, SuitePosition] = {}
    while len(chosen) < size and any(by_trick.values()):
        for trick in sorted(by_trick):
            if by_trick[trick] and len(chosen) < size:
                each, decision = by_trick[trick].pop(0)
                position = _labelled(audit, each, decision, solver)
                if position is not None and position.id not in chosen:
                    chosen[position.id] = position
                    progress(len(chosen), size)
    if not chosen:
        raise ArenaError("no mistake of the audit is clear enough for a suite")
    ordered = sorted(chosen.values(), key=lambda position: (len(position.did), position.id))
    return Suite(name, audit.rules, tuple(ordered), _DESCRIPTION)


_DESCRIPTION = "made by 'arena suite make' from the mistakes of a run"


def _labelled(
    audit: Audit, each: AuditOfRound, decision: AuditedDecision, solver: Solver
) -> SuitePosition | None:
    rules = audit.rules
    phase = next(name for name, tricks in phases(rules) if decision.trick in tricks)
    roles = {None: (), True: ("declaring",), False: ("defending",)}
    tags = (phase, decision.kind, *roles[decision.declaring], *decision.patterns)
    replay = each.replay
    position = SuitePosition(
        id=_id(rules, each, decision),
        deal=replay.deal,
        did=tuple(replay.record.actions[: decision.at]),
        tags=tags,
        source=f"{replay.seats[decision.seat]} played it in deal {replay.record.deal}",
        standing=standing_before(replay),
    )
    position = label(rules, position, solver)
    if position.lost is None:
        return None
    clear = position.lost[decision.better] == 0.0
    return position if clear and grade_of(rules, position.lost[decision.card]) else None


def _id(rules: Rules, each: AuditOfRound, decision: AuditedDecision) -> str:
    record = each.replay.record
    did = bytes(record.actions[: decision.at])
    return f"{record.deal}-{sha256(did).hexdigest()[:6]}-{decision.at}"
