"""An evening at a table: rounds with the same players, and their score sheet."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Protocol

from arena.analysis.card_luck import DealValues, adjusted
from arena.analysis.estimates import Estimate
from arena.audit.rounds import AuditedRound, AuditSettings, audit_round
from arena.config.entrants import AgentSpec
from arena.core.deals import Deal
from arena.core.generate import make_deals
from arena.core.rules import Rules, Standing
from arena.core.scoring import by_entrant, margin_of
from arena.games.likely_worlds import worlds_for
from arena.solver.solution import Solver
from arena.stats.luck import LuckCorrection
from arena.stats.paired import mean_difference
from arena.store import Run
from arena.table.score_sheet import ScoreSheet
from arena.table.session import Chair, TableSession
from arena.tournament.referee import Lineup, Referee

_DEALS_AT_ONCE = 64


@dataclass(frozen=True)
class SeatPlan:
    """The occupant of a seat, for all rounds."""

    name: str
    spec: AgentSpec | None = None
    """None if it is a person."""

    def chair(self) -> Chair:
        """The chair for a round; an agent in a file is built from the file as it is now."""
        return Chair(self.name, None if self.spec is None else self.spec.build())


class TableRounds(Protocol):
    """What is played at a table, one round after the other."""

    rules: Rules
    people: tuple[int, ...]
    """The seats of people."""
    sheet: ScoreSheet
    training: bool
    """Whether people may take cards back and ask for hints."""

    @property
    def has_results(self) -> bool:
        """Whether it reads results of a run, which only the thread that opened them may do."""
        ...

    def next_round(self) -> TableSession | None:
        """The next round; None after the last one."""
        ...

    def finish(self, table: TableSession) -> None:
        """A round is over."""
        ...


class Sitting:
    """TableRounds one after the other, with the same people at the table."""

    def __init__(
        self,
        rules: Rules,
        seated: Sequence[SeatPlan],
        *,
        seed: int,
        deals: Sequence[Deal] | None = None,
        run: Run | None = None,
        training: bool = True,
        keep: Callable[[TableSession], None] | None = None,
    ) -> None:
        """Without `deals` new cards are dealt and a match is played.

        With them each deal stands for itself and is compared with what agents made of it: those
        of `run`, or else those at the table. `keep` stores finished rounds that were played
        without help.
        """
        self.rules, self.seed, self.training = rules, seed, training
        self.keep = keep
        self.sheet = ScoreSheet(rules, is_match=deals is None)
        self.people = tuple(seat for seat, who in enumerate(seated) if who.spec is None)
        self._differences: dict[int, dict[str, list[float]]] = {seat: {} for seat in self.people}
        """For each person and agent, by how much the person did better on each deal."""
        self._margins: dict[int, list[float]] = {seat: [] for seat in self.people}
        """For each person, the margins of the rounds that were played without help, ..."""
        self._deal_values: dict[int, list[float]] = {seat: [] for seat in self.people}
        """... and what the cards of these rounds were worth to the person's side."""
        self._values = DealValues(rules)
        self.seated, self._run = tuple(seated), run
        self._is_duplicate = deals is not None
        self._deals = iter(deals) if deals is not None else self._new_deals()
        self._solver: Solver | None = None

    @property
    def has_results(self) -> bool:
        """Whether the other agents' scores on the same cards come from a run."""
        return self._run is not None

    def _new_deals(self) -> Iterator[Deal]:
        for batch in count():
            for number, deal in enumerate(
                make_deals(self.rules, f"table-{batch}", _DEALS_AT_ONCE, self.seed + batch)
            ):
                yield self.rules.in_match(deal, batch * _DEALS_AT_ONCE + number)

    def next_round(self) -> TableSession | None:
        """The next table; None after the last deal, or when the match is over."""
        if self.sheet.is_full:
            return None
        chairs = [who.chair() for who in self.seated]
        deal = next(self._deals, None)
        if deal is None:
            return None
        standing = Standing() if self._is_duplicate else self.sheet.standing
        return TableSession(
            self.rules, deal, chairs, standing=standing, seed=self.seed, training=self.training
        )

    def finish(self, table: TableSession) -> None:
        """Write a finished round down."""
        self.sheet.add(table.outcome, table.state.declarer)
        table.close()
        if not table.is_intact:
            return
        for seat in self.people:
            mine = self.rules.side_of(seat)
            owners = [int(side != mine) for side in range(len(self.rules.sides))]
            margin = margin_of(self.rules, *by_entrant(owners, table.outcome.scores))
            self._margins[seat].append(margin)
            value = self._values.of(table.deal, table.standing, owners)
            self._deal_values[seat].append(value)
        if self.keep is not None:
            self.keep(table)

    def adjusted(self, seat: int) -> LuckCorrection | None:
        """A person's margins so far less the luck of the cards; None after too few rounds."""
        return adjusted(self._margins[seat], self._deal_values[seat])

    def on_same_cards(self, table: TableSession, seat: int) -> dict[str, float]:
        """What agents made of the cards of a finished round in a person's seat, if it is known."""
        if not self._is_duplicate:
            return {}
        stored = self._run is not None
        others = self._stored(table.deal, seat) if stored else self._played_again(table, seat)
        for name, score in others.items():
            self.compare(table, seat, name, score)
        return others

    def compare(self, table: TableSession, seat: int, name: str, score: float) -> None:
        """Count a score that was made of the same cards in a person's seat.

        A round that the person played with help is not counted.
        """
        if table.is_intact:
            mine = table.outcome.scores[self.rules.side_of(seat)]
            better = margin_of(self.rules, mine, score)
            self._differences[seat].setdefault(name, []).append(better)

    def _played_again(self, table: TableSession, seat: int) -> dict[str, float]:
        """The scores of the agents at the table in the people's seats, against the same others."""
        found: dict[str, float] = {}
        for who in self.seated:
            if who.spec is None or who.name in found:
                continue
            players = [(each.spec or who.spec).build() for each in self.seated]
            played = Referee(self.rules, self.seed).play(table.deal, Lineup.of(players))
            if played.outcome is not None:
                found[who.name] = played.outcome.scores[self.rules.side_of(seat)]
        return found

    def _stored(self, deal: Deal, seat: int) -> dict[str, float]:
        """The mean scores of the run's agents in a seat on this deal."""
        assert self._run is not None
        scores: dict[str, list[float]] = {}
        for pairing in self._run.pairings:
            for replay in self._run.replays_with(pairing, deal.id):
                if replay.record.scores and replay.record.deal == deal.id:
                    name = replay.seats[seat]
                    score = replay.record.scores[self.rules.side_of(seat)]
                    scores.setdefault(name, []).append(score)
        return {name: sum(found) / len(found) for name, found in scores.items()}

    def compared(self, seat: int) -> dict[str, Estimate]:
        """By how much a person did better than each agent per deal, with the interval."""
        return {
            name: Estimate.of(mean_difference(better))
            for name, better in self._differences[seat].items()
        }

    def audit(self, table: TableSession) -> AuditedRound:
        """The decisions of a finished round, valued by the solver."""
        self._solver = self._solver or Solver()
        worlds = worlds_for(self.rules)[1]
        given = (table.rules, table.deal, table.standing, table.actions)
        return audit_round(*given, self._solver, worlds, AuditSettings())
