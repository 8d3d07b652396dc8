"""Rounds with people, stored as a run: `arena export`, `replay`, `verify` and `report` read them.

The people's side is one entrant, in Hearts the people alone; the rest of the table is the other.
Of a person nothing is stored but the name they have chosen and what they played, not even how long
they thought. Rounds in which a chair changed hands are not stored.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from math import nan
from pathlib import Path
from typing import Self

from arena.config.entrants import PERSON, AgentSpec, Entrant
from arena.config.experiment import ResolvedExperiment
from arena.core.deals import Deal, DealSet
from arena.core.errors import ArenaError
from arena.core.generate import make_deals
from arena.core.rules import Rules
from arena.core.source_code import code_digest
from arena.store.folder import DEALS_FILE, RunFolder, now
from arena.store.manifest import MANIFEST, EntrantUsed, Manifest, Session, read_manifest
from arena.store.records import RoundRecord
from arena.table.session import TableSession
from arena.table.sitting import SeatPlan
from arena.tournament.describe import describe, pairing_key
from arena.tournament.fingerprint import models_of
from arena.tournament.referee import Lineup, Played, Referee
from arena.tournament.schedule import Seating, Unit
from arena.tournament.units import UnitPlayer

_LONGEST_NAME = 24
OWN_DEALS = 100
"""Deals of a recording that brings its own."""


def own_deals(path: Path, rules: Rules, count: int, seed: int) -> DealSet:
    """The deals of a folder that brings its own: made once."""
    if (path / DEALS_FILE).exists():
        return DealSet.load(path / DEALS_FILE)
    return make_deals(rules, "table", count, seed).save(path / DEALS_FILE)


def seed_of(path: Path) -> int | None:
    """The seed of a recording; None if it is a new one."""
    return read_manifest(path).seed if (path / MANIFEST).exists() else None


class RoundStore:
    """A run folder that finished rounds with people go to."""

    def __init__(
        self, path: Path, experiment: ResolvedExperiment, seatings: Sequence[Seating]
    ) -> None:
        """Make the folder, or go on with one of the same experiment, which may have grown."""
        self._rules, self._seed, self._seatings = experiment.rules, experiment.seed, tuple(seatings)
        self._pairs = experiment.pairings
        with ExitStack() as stack:
            self._folder = stack.enter_context(RunFolder(path))
            self._folder.claim(experiment.resolved)
            self._results = stack.enter_context(self._folder.open_results())
            self._manifest = self._begin(experiment)
            self._opened = stack.pop_all()

    def _begin(self, experiment: ResolvedExperiment) -> Manifest:
        """Say in the folder what is played there."""
        path = self._folder.path
        used = {each.name: _used(each, experiment.folder) for each in experiment.entrants}
        session = Session(started=now(), jobs=1, backend="table")
        earlier = read_manifest(path).sessions if (path / MANIFEST).exists() else ()
        letters = ("".join("AB"[entrant] for entrant in seating) for seating in self._seatings)
        manifest = describe(experiment, used, session).model_copy(
            update={"seatings": tuple(letters), "sessions": (*earlier, session)}
        )
        keys = (pairing_key(manifest, pairing) for pairing in manifest.pairings)
        self._ids = [self._results.pairing_id(key, len(self._rules.sides)) for key in keys]
        manifest = manifest.numbered(self._ids)
        self._folder.write_manifest(manifest)
        self._results.add_deals(experiment.deals)
        return manifest

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        *earlier, session = self._manifest.sessions
        ended = session.model_copy(update={"ended": now(), "ending": "finished"})
        self._folder.write_manifest(
            self._manifest.model_copy(update={"sessions": (*earlier, ended)})
        )
        self._results.finish()
        self._opened.close()

    def units(self, pair: tuple[str, str]) -> set[str]:
        """The deals that a pair has played."""
        return set(self._results.unit_names(self._ids[self._pairs.index(pair)]))

    def rounds(self, pair: tuple[str, str]) -> Iterator[RoundRecord]:
        """What a pair has played."""
        return self._results.rounds(self._ids[self._pairs.index(pair)])

    def add(self, pair: tuple[str, str], table: TableSession, seating: int = 0) -> None:
        """Keep a finished round that the pair has played in one of the seatings."""
        actions, state = table.actions, table.state
        unknown = [nan] * len(actions)
        played = Played(
            deal=table.deal,
            actions=bytes(actions),
            seats=bytes(table.turns),
            nanoseconds=unknown,
            cpu_nanoseconds=unknown,
            outcome=table.outcome,
            trump=state.trump,
            declarer=state.declarer,
            leader=state.leader,
        )
        # The round has been played: the referee only writes it down.
        self._play(pair, table.deal, (), {seating: (0, played)})

    def _play(
        self,
        pair: tuple[str, str],
        deal: Deal,
        lineups: Sequence[Lineup],
        known: Mapping[int, tuple[int, Played]],
    ) -> None:
        """Store a deal in the seatings that are `known`, or let line-ups play it in all of them."""
        number = self._pairs.index(pair)
        player = UnitPlayer(
            Referee(self._rules, self._seed), None, self._seatings, lambda _, n: lineups[n]
        )
        result, faults = player.play(Unit(number, (deal,)), known, known or None)
        if faults:
            raise ArenaError(f"{' - '.join(pair)}, deal {deal.id}: {faults[0].message}")
        self._results.append([result], self._ids)


class Recording(RoundStore):
    """The rounds of one table."""

    def __init__(
        self,
        path: Path,
        rules: Rules,
        seated: Sequence[SeatPlan],
        names: Sequence[str],
        deals: DealSet | int,
        seed: int,
    ) -> None:
        """Make the folder, or go on with one of the same people, agents, deals and seed.

        A number of `deals` is made for a new folder, and found in an old one.
        """
        people = [seat for seat, who in enumerate(seated) if who.spec is None]
        if len(set(names)) != len(people) or len(names) != len(people):
            raise ArenaError(f"--names: expected {len(people)}, a different one for each person")
        for name in names:
            check_person(name, "--names")
        called = dict(zip(people, names, strict=True))
        theirs = {rules.side_of(seat) for seat in people[: 1 if len(rules.sides) == 2 else None]}
        seating = tuple(0 if rules.side_of(seat) in theirs else 1 for seat in range(rules.players))
        if 1 not in seating:
            raise ArenaError("--record: a table with people only is not compared with anything")
        if isinstance(deals, int):
            deals = own_deals(path, rules, deals, seed)
        self.deals = deals
        first, second = (_entrant(which, seated, called, seating) for which in (0, 1))
        self._pair = (first.name, second.name)
        experiment = ResolvedExperiment(
            name=path.name,
            rules=rules,
            deals=deals.deals,
            deal_set=deals.name,
            deals_sha256=deals.sha256,
            entrants=(first, second),
            pairings=(self._pair,),
            placements="mixed",
            seed=seed,
            description="rounds with people",
        )
        super().__init__(path, experiment, (seating,))

    @property
    def stored(self) -> set[str]:
        """The deals that have been played."""
        return self.units(self._pair)

    def store(self, table: TableSession) -> None:
        """Keep a finished round."""
        self.add(self._pair, table)


def check_person(name: str, place: str) -> None:
    """Refuse names that cannot be stored and shown."""
    if not 0 < len(name) <= _LONGEST_NAME or not name.isprintable() or "+" in name:
        allowed = f"expected 1 to {_LONGEST_NAME} printable characters, no +"
        raise ArenaError(f"{place} {name[:40]!r}: {allowed}")


def _entrant(
    which: int, seated: Sequence[SeatPlan], called: Mapping[int, str], seating: Seating
) -> Entrant:
    seats = [seat for seat, entrant in enumerate(seating) if entrant == which]
    members = [
        AgentSpec(PERSON, {"name": called[seat]}) if seat in called else _spec(seated[seat])
        for seat in seats
    ]
    names = [called.get(seat, seated[seat].name) for seat in seats]
    return Entrant("+".join(dict.fromkeys(names)), tuple(members))


def _spec(who: SeatPlan) -> AgentSpec:
    assert who.spec is not None  # people have a name
    return who.spec


def _used(entrant: Entrant, folder: Path) -> EntrantUsed:
    agents = [None if spec.is_person else spec.build(folder) for spec in entrant.members]
    models = tuple((None, None) if agent is None else models_of(agent) for agent in agents)
    described = [(spec.written, found) for spec, found in zip(entrant.members, models, strict=True)]
    return EntrantUsed(
        fingerprint=code_digest([], json.dumps(described, sort_keys=True)),
        models=models,
        sees_all_cards=False,
        reproducible=False,
        members=entrant.members,
    )
