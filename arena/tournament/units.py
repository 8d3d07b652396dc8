"""Playing a unit: a deal or a whole match, in every seating."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cached_property

from arena.core.deals import Deal
from arena.core.errors import ArenaError
from arena.core.rules import MOST_ROUNDS, MatchFormat, Outcome, Standing
from arena.core.scoring import by_entrant, forfeit_margin, margin_of, side_owners
from arena.store.database import FaultRecord, UnitResult
from arena.store.records import RoundRecord, encode_times
from arena.tournament.referee import Lineup, Played, Referee
from arena.tournament.schedule import Seating, Unit, match_deal, rounds_left, seed_number

MOST_THROWN_IN = 100
"""After so many thrown-in rounds in a row a match ends as it stands: no agent ever bids."""


@dataclass(frozen=True)
class UnitPlayer:
    """Plays units by one referee."""

    referee: Referee
    match: MatchFormat | None
    seatings: tuple[Seating, ...]
    lineup: Callable[[int, int], Lineup]
    """The lineups by pairing and seating."""
    stop_at_fault: bool = False
    """Whether the seatings after a fault need not be played: the run stops anyway."""
    enter: Callable[[tuple[int, str, int, int, str]], None] = lambda place: None
    """Called before each round with pairing, unit, seating, number and deal."""

    @cached_property
    def _owners(self) -> list[list[int]]:
        """For each seating and side, the entrant that plays it."""
        return side_owners(self.referee.rules, self.seatings)

    def play(
        self,
        unit: Unit,
        known: Mapping[int, tuple[int, Played]],
        only: Collection[int] | None = None,
    ) -> tuple[UnitResult, list[FaultRecord]]:
        """Play a unit in all seatings, or in `only` some: a person cannot play the cards again.

        `known` has rounds, by seating and with their number, that are not to be tried
        again: the worker that played them had to be ended.
        """
        records: list[RoundRecord] = []
        faults: list[FaultRecord] = []
        extra: dict[str, Deal] = {}
        for seating in range(len(self.seatings)):
            if only is not None and seating not in only:
                continue
            if faults and self.stop_at_fault:
                break
            number, thrown_in, margin = 0, 0, 0.0
            standing = Standing(0, (0,) * len(self.referee.rules.sides))
            while True:
                played = self._round(unit, seating, number, standing, known.get(seating))
                if number >= len(unit.deals):
                    extra[played.deal.id] = match_deal(
                        self.referee.rules, unit, self.referee.seed, number
                    )
                record = self._record(unit, seating, number, standing, played, margin)
                records.append(record)
                margin += record.margin
                number += 1
                if played.fault is not None or played.outcome is None:
                    faults.append(self._fault(unit, seating, number - 1, standing, played))
                    break
                if "redeal" in played.outcome.flags:
                    thrown_in += 1
                else:
                    thrown_in = 0
                    standing = standing.after(played.outcome.scores)
                if self.match is None or self.match.is_over(standing):
                    break
                if thrown_in == MOST_THROWN_IN:
                    break
                if number == MOST_ROUNDS + MOST_THROWN_IN:
                    raise ArenaError(
                        f"match {unit.id}: not over after {number:,} deals; no side comes near the "
                        f"target of {self.match.target:,} points (it has {standing.scores})"
                    )
        return UnitResult(unit.pairing, unit.id, tuple(records), tuple(extra.values())), faults

    def _round(
        self,
        unit: Unit,
        seating: int,
        number: int,
        standing: Standing,
        known: tuple[int, Played] | None,
    ) -> Played:
        if known is not None and known[0] == number:
            return known[1]
        rules = self.referee.rules
        deal = unit.deals[0]
        if self.match is not None:
            deal = match_deal(rules, unit, self.referee.seed, number)
            deal = rules.in_match(deal, standing.round_number)
        self.enter((unit.pairing, unit.id, seating, number, deal.id))
        return self.referee.play(
            deal, self.lineup(unit.pairing, seating), seed_number(self.seatings, seating), standing
        )

    def _record(
        self,
        unit: Unit,
        seating: int,
        number: int,
        standing: Standing,
        played: Played,
        margin_before: float,
    ) -> RoundRecord:
        rules, outcome, fault = self.referee.rules, played.outcome, played.fault
        score_first: float | None = None
        score_second: float | None = None
        if outcome is not None:
            score_first, score_second = by_entrant(self._owners[seating], outcome.scores)
            margin = margin_of(rules, score_first, score_second)
            forfeit, said = 0, ""
        else:
            assert fault is not None  # a round without an outcome ended in a fault
            outcome = Outcome((), (), (), ())
            left = rounds_left(self.match, standing.round_number) if self.match else 1
            offender, owners = self.seatings[seating][fault.seat], self._owners[seating]
            margin = forfeit_margin(rules, owners, offender, left, margin_before)
            forfeit, said = offender + 1, f"{fault.kind}: {fault}"
        return RoundRecord(
            unit=unit.id,
            seating=seating,
            number=number,
            deal=played.deal.id,
            score_first=score_first,
            score_second=score_second,
            margin=margin,
            scores=tuple(outcome.scores),
            points=tuple(outcome.points),
            bonus=tuple(outcome.bonus),
            tricks=tuple(outcome.tricks),
            flags=tuple(outcome.flags),
            trump=played.trump,
            declarer=played.declarer,
            leader=played.leader,
            counts=0 if "redeal" in outcome.flags else 1,
            forfeit=forfeit,
            fault=said,
            actions=played.actions,
            seats=played.seats,
            times=encode_times(played.nanoseconds),
            cpu_times=encode_times(played.cpu_nanoseconds),
        )

    def _fault(
        self, unit: Unit, seating: int, number: int, standing: Standing, played: Played
    ) -> FaultRecord:
        fault = played.fault
        assert fault is not None  # asked for only when there is one
        return FaultRecord(
            pairing=unit.pairing,
            unit=unit.id,
            seating=seating,
            number=number,
            deal=played.deal.id,
            round_number=standing.round_number,
            standing=tuple(standing.scores),
            entrant=self.seatings[seating][fault.seat],
            seat=fault.seat,
            decision=fault.decision,
            kind=fault.kind,
            message=f"{fault}\n{fault.detail}" if fault.detail else str(fault),
            actions=played.actions,
        )
