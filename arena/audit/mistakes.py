"""The worst mistakes of an audit, with how to look at them."""

from __future__ import annotations

from dataclasses import dataclass

from arena.audit.campaign import Audit
from arena.audit.rounds import grade_of
from arena.core.cards import SEATS, card_name

WORST_SHOWN = 10


@dataclass(frozen=True)
class AuditedMistake:
    """A card that lost points as far as could be known, beyond the error of the estimate."""

    agent: str
    opponent: str
    unit: str
    deal: str
    seating: int
    round: int
    at: int
    """The number of the action in the round, from 0."""
    given: int
    """Cards that the deal prescribes before the first action."""
    trick: int
    """From 1."""
    seat: str
    grade: str
    played: str
    better: str
    loss: float
    """Points lost as far as could be known."""
    se: float
    worlds: int
    hindsight: int | None
    """Points lost with the true cards open; None if that was not solved."""
    line: tuple[str, ...]
    """The cards played from the mistake on: two tricks."""
    better_line: tuple[str, ...]
    """The better card, and how both sides then play with open cards."""

    def command(self, run: str) -> str:
        """The command that shows it."""
        pair = f"--pair {self.agent} {self.opponent}"
        number = f" --round {self.round}" if self.round else ""
        seating = f"--seating {self.seating}"
        return f"arena replay {run} {self.deal} {pair} {seating}{number} --at {self.at}"


def worst_mistakes(audit: Audit, most: int = WORST_SHOWN) -> tuple[AuditedMistake, ...]:
    """The mistakes that lost most as far as could be known, each deal and card once."""
    found = []
    for each in audit.rounds:
        record, seats = each.replay.record, each.replay.seats
        for decision in each.audit.decisions:
            grade = grade_of(audit.rules, decision.loss)
            if grade is None or decision.known is None:
                continue
            agent = seats[decision.seat]
            pairing = each.replay.pairing
            found.append(
                AuditedMistake(
                    agent=agent,
                    opponent=pairing.second if agent == pairing.first else pairing.first,
                    unit=record.unit,
                    deal=record.deal,
                    seating=record.seating,
                    round=record.number,
                    at=decision.at,
                    given=len(each.replay.deal.played),
                    trick=decision.trick + 1,
                    seat=SEATS[decision.seat],
                    grade=grade.name,
                    played=card_name(decision.card),
                    better=card_name(decision.better),
                    loss=decision.loss,
                    se=decision.known.se,
                    worlds=decision.known.worlds,
                    hindsight=decision.hindsight,
                    line=_cards(record.actions[decision.at : decision.at + 8]),
                    better_line=_cards(decision.line),
                )
            )
    found.sort(key=lambda mistake: (-mistake.loss, mistake.deal, mistake.at, mistake.agent))
    seen: dict[tuple[str, int, int, str], AuditedMistake] = {}
    for mistake in found:
        seen.setdefault((mistake.deal, mistake.seating, mistake.at, mistake.agent), mistake)
    return tuple(seen.values())[:most]


def _cards(cards: bytes | tuple[int, ...]) -> tuple[str, ...]:
    return tuple(map(card_name, cards))
