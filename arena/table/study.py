"""A study as a run: who has played what, the rounds that are left, and the agents alongside."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from arena.config.entrants import PERSON, AgentSpec, Entrant
from arena.config.experiment import ResolvedExperiment
from arena.core.deals import Deal, DealSet
from arena.core.errors import ArenaError, did_you_mean
from arena.core.rules import Rules
from arena.store import Run
from arena.store.manifest import MANIFEST
from arena.table.recording import RoundStore, check_person, own_deals
from arena.table.session import Chair, TableSession
from arena.table.sitting import SeatPlan, Sitting
from arena.table.study_file import Study
from arena.tournament.referee import Lineup
from arena.tournament.schedule import Seating, seat_members


@dataclass(frozen=True)
class PlannedRound:
    """A round that a participant is to play."""

    deal: Deal
    opponent: Entrant


@dataclass(frozen=True)
class Participant:
    """A person and their rounds."""

    name: str
    seat: int
    seating: int
    pair_name: str
    """The entrant: the person, with the partner if there is one."""
    rounds: tuple[PlannedRound, ...]
    left: tuple[PlannedRound, ...]


def participants_of(study: Study, path: Path) -> list[str]:
    """Who has sat down so far, in the order of the design."""
    if not (path / MANIFEST).exists():
        return []
    with Run(path) as run:
        people = [
            str(member.parameters["name"])
            for name in run.people
            for member in run.manifest.entrants[name].members
            if member.is_person
        ]
    return [name for name in study.names if name in people] if study.names else people


class StudyProgress:
    """Who has played what."""

    def __init__(
        self,
        study: Study,
        names: Sequence[str],
        deals: Sequence[Deal],
        units: Callable[[tuple[str, str]], set[str]],
    ) -> None:
        """`names` are those who have sat down; `units` are the deals that a pair has played."""
        self.study, self.names = study, tuple(names)
        self._deals, self._units = deals, units

    def participant(self, name: str) -> Participant:
        """A participant who has sat down, with the rounds that are left."""
        study, names = self.study, self.study.names or self.names
        number = names.index(name)
        seating = study.design.seat(number)
        pair_name = person_entrant(study, name).name
        rounds = tuple(
            PlannedRound(self._deals[each.deal], study.opponents[each.opponent])
            for each in study.design.rounds_of(number)
        )
        played = {each.name: self._units((pair_name, each.name)) for each in study.opponents}
        left = tuple(each for each in rounds if each.deal.id not in played[each.opponent.name])
        seat = min(study.rules.sides[seating])
        return Participant(name, seat, seating, pair_name, rounds, left)

    @property
    def participants(self) -> list[Participant]:
        """All who have sat down."""
        return [self.participant(name) for name in self.names]

    @property
    def alongside_left(self) -> list[tuple[Entrant, PlannedRound]]:
        """What the agents alongside have not played yet of the participants' rounds."""
        wanted = {
            (each.deal.id, each.opponent.name): each
            for participant in self.participants
            for each in participant.rounds
        }
        played = {
            (agent.name, opponent.name): self._units((agent.name, opponent.name))
            for agent in self.study.alongside
            for opponent in self.study.opponents
        }
        return [
            (agent, each)
            for agent in self.study.alongside
            for each in wanted.values()
            if each.deal.id not in played[agent.name, each.opponent.name]
        ]


def person_entrant(study: Study, name: str) -> Entrant:
    """A person as an entrant: with the partner, if there is one."""
    person, partner = AgentSpec(PERSON, {"name": name}), study.partner
    if partner is None:
        return Entrant(name, (person,))
    return Entrant(f"{name}+{partner.name}", (person, *partner.members))


def stored_progress(study: Study, run: Run, names: Sequence[str]) -> StudyProgress:
    """The progress of a study that may be going on in another process."""
    ids = {pairing[:2]: pairing.id for pairing in run.pairings}

    def units(pair: tuple[str, str]) -> set[str]:
        return set(run.database.unit_names(ids[pair])) if pair in ids else set()

    deals = study.deals or _made_deals(study, run.path).deals
    return StudyProgress(study, names, deals, units)


def _made_deals(study: Study, path: Path) -> DealSet:
    """The deals of a study without deals in its file: made once, and kept in its folder."""
    deals = own_deals(path, study.rules, study.design.rounds, study.seed)
    if len(deals) < study.design.rounds:
        raise ArenaError(
            f"{path}: has {len(deals)} deals, made for fewer rounds or opponents; the file now "
            f"needs {study.design.rounds}: give another --out"
        )
    return deals


class StudyRun(RoundStore):
    """The folder of a study, open for more rounds."""

    def __init__(self, study: Study, path: Path, names: Sequence[str] = ()) -> None:
        """Seat these participants, as far as they have not sat down before."""
        known = participants_of(study, path)
        for name in names:
            _check_may_play(study, known, name)
            if name not in known:
                known.append(name)
        self.study = study
        deals = study.deal_set or _made_deals(study, path)
        self.progress = StudyProgress(study, known, study.deals or deals.deals, self.units)
        super().__init__(path, self._experiment(deals), _seatings(study.rules))

    def _experiment(self, deals: DealSet) -> ResolvedExperiment:
        study = self.study
        people = [person_entrant(study, name) for name in self.progress.names]
        playing = [*people, *study.alongside]
        return ResolvedExperiment(
            name=study.name,
            description=study.description or "a study with people",
            rules=study.rules,
            deals=tuple(study.deals or deals.deals),
            deal_set=deals.name,
            deals_sha256=deals.sha256,
            entrants=(*playing, *study.opponents),
            pairings=tuple((a.name, b.name) for a in playing for b in study.opponents),
            placements="mixed",
            seed=study.seed,
            folder=study.folder,
        )

    def play_alongside(self, agent: Entrant, planned: PlannedRound) -> None:
        """Let an agent play a deal in all seats in which participants may sit."""
        lineups = []
        for seating in self._seatings:
            sizes = (len(agent.members), len(planned.opponent.members))
            members = seat_members(seating, sizes)
            teams = (agent.members, planned.opponent.members)
            specs = [teams[side][m] for side, m in zip(seating, members, strict=True)]
            players = [spec.build(self.study.folder) for spec in specs]
            lineups.append(Lineup.of(players, [spec.twin for spec in specs]))
        self._play((agent.name, planned.opponent.name), planned.deal, lineups, {})

    def scores_alongside(self, participant: Participant) -> dict[str, dict[str, float]]:
        """For each deal, what agents have made of it in the participant's seat and rounds."""
        found: dict[str, dict[str, float]] = {}
        opponents = {each.deal.id: each.opponent.name for each in participant.rounds}
        side = self.study.rules.side_of(participant.seat)
        for agent in self.study.alongside:
            for opponent in self.study.opponents:
                for record in self.rounds((agent.name, opponent.name)):
                    is_same = opponents.get(record.deal) == opponent.name
                    if is_same and record.seating == participant.seating and record.scores:
                        found.setdefault(record.deal, {})[agent.name] = record.scores[side]
        return found


class StudySitting(Sitting):
    """The rounds of one participant, one after the other."""

    def __init__(self, study_run: StudyRun, participant: Participant) -> None:
        self._study, self._participant = study_run.study, participant
        self._left: Iterator[PlannedRound] = iter(participant.left)
        self._scores = study_run.scores_alongside(participant)
        seated = self._plans(participant.rounds[0])
        super().__init__(
            study_run.study.rules, seated, seed=study_run.study.seed, deals=(), training=False
        )

        def keep(table: TableSession) -> None:
            study_run.add((participant.pair_name, self._opponent), table, participant.seating)

        self.keep = keep

    def _plans(self, planned: PlannedRound) -> list[SeatPlan]:
        """Who sits where in a round; agents are named by the study."""
        study, partner = self._study, self._study.partner
        seating = _seatings(study.rules)[self._participant.seating]
        plans = []
        for seat, entrant in enumerate(seating):
            team = planned.opponent if entrant == 1 else partner
            if seat == self._participant.seat:
                plans.append(SeatPlan("you"))
            else:
                assert team is not None  # games with partners have one
                plans.append(SeatPlan(team.name, team.members[0]))
        return plans

    def next_round(self) -> TableSession | None:
        """The next round of the design; None after the last one."""
        planned = next(self._left, None)
        if planned is None:
            return None
        self._opponent = planned.opponent.name
        folder = self._study.folder
        chairs = [
            Chair(who.name, None if who.spec is None else who.spec.build(folder))
            for who in self._plans(planned)
        ]
        return TableSession(self.rules, planned.deal, chairs, seed=self.seed, training=False)

    def on_same_cards(self, table: TableSession, seat: int) -> dict[str, float]:
        """What the agents alongside made of the cards, as far as they have played them."""
        others = self._scores.get(table.deal.id, {})
        for name, score in others.items():
            self.compare(table, seat, name, score)
        return others


def _seatings(rules: Rules) -> tuple[Seating, ...]:
    """For each side, the participant and partner there and the opponent on all others."""
    return tuple(
        tuple(int(rules.side_of(seat) != side) for seat in range(rules.players))
        for side in range(len(rules.sides))
    )


def _check_may_play(study: Study, known: Sequence[str], name: str) -> None:
    if study.names is not None:
        if name not in study.names:
            raise ArenaError(f"--names {name!r}: {did_you_mean(name, study.names)}")
        return
    check_person(name, "--names")
    agents = {agent.name for agent in (*study.opponents, *study.alongside)}
    if name in agents:
        raise ArenaError(f"--names {name!r}: an agent is called that")
    if name not in known and len(known) >= study.participants:
        raise ArenaError(
            f"--names {name!r}: all {study.participants} participants have sat down "
            f"({', '.join(known)}); did you mean one of them?"
        )
