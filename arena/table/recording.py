"""Rounds with people, stored as a run: `arena export`, `replay`, `verify` and `report` read them.

The people's side is one entrant, in Hearts the people alone; the rest of the table is the other.
Of a person nothing is stored but the name they have chosen and what they played, not even how long
they thought. Rounds in which a chair changed hands are not stored.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import ExitStack
from math import nan
from pathlib import Path

from arena.config.entrants import PERSON, AgentSpec, Entrant
from arena.config.experiment import ResolvedExperiment
from arena.core.deals import DealSet
from arena.core.errors import ArenaError
from arena.core.generate import make_deals
from arena.core.rules import Rules
from arena.core.source_code import code_digest
from arena.store.folder import DEALS_FILE, RunFolder, now
from arena.store.manifest import MANIFEST, EntrantUsed, Session, read_manifest
from arena.table.session import TableSession
from arena.table.sitting import SeatPlan
from arena.tournament.describe import describe, pairing_key
from arena.tournament.fingerprint import models_of
from arena.tournament.referee import Lineup, Played, Referee
from arena.tournament.schedule import Unit
from arena.tournament.units import UnitPlayer

_LONGEST_NAME = 24
OWN_DEALS = 100
"""Deals of a recording that brings its own."""


def _own_deals(path: Path, rules: Rules, count: int, seed: int) -> DealSet:
    if (path / DEALS_FILE).exists():
        return DealSet.load(path / DEALS_FILE)
    return make_deals(rules, "table", count, seed).save(path / DEALS_FILE)


def seed_of(path: Path) -> int | None:
    """The seed of a recording; None if it is a new one."""
    return read_manifest(path).seed if (path / MANIFEST).exists() else None


class Recording:
    """A run folder that the rounds of one table go to."""

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
            if not 0 < len(name) <= _LONGEST_NAME or not name.isprintable() or "+" in name:
                allowed = f"expected 1 to {_LONGEST_NAME} printable characters, no +"
                raise ArenaError(f"--names {name[:40]!r}: {allowed}")
        called = dict(zip(people, names, strict=True))
        theirs = {rules.side_of(seat) for seat in people[: 1 if len(rules.sides) == 2 else None]}
        self._rules, self._seed = rules, seed
        self._seating = tuple(
            0 if rules.side_of(seat) in theirs else 1 for seat in range(rules.players)
        )
        if 1 not in self._seating:
            raise ArenaError("--record: a table with people only is not compared with anything")
        if isinstance(deals, int):
            deals = _own_deals(path, rules, deals, seed)
        self.deals = deals
        entrants = tuple(self._entrant(which, seated, called) for which in (0, 1))
        experiment = ResolvedExperiment(
            name=path.name,
            rules=rules,
            deals=deals.deals,
            deal_set=deals.name,
            deals_sha256=deals.sha256,
            entrants=entrants,
            pairings=((entrants[0].name, entrants[1].name),),
            placements="mixed",
            seed=seed,
            description="rounds with people",
        )
        with ExitStack() as stack:
            self._folder = stack.enter_context(RunFolder(path))
            self._folder.claim(experiment.resolved)
            self._results = stack.enter_context(self._folder.open_results())
            self._begin(experiment)
            self._opened = stack.pop_all()

    def _begin(self, experiment: ResolvedExperiment) -> None:
        """Say in the folder what is played there."""
        rules, path = experiment.rules, self._folder.path
        used = {entrant.name: _used(entrant) for entrant in experiment.entrants}
        session = Session(started=now(), jobs=1, backend="table")
        manifest = describe(experiment, used, session)
        known = (path / MANIFEST).exists()
        earlier = read_manifest(path).sessions if known else ()
        letters = "".join("AB"[entrant] for entrant in self._seating)
        manifest = manifest.model_copy(
            update={"seatings": (letters,), "sessions": (*earlier, session)}
        )
        pairing = pairing_key(manifest, manifest.pairings[0])
        self._id = self._results.pairing_id(pairing, len(rules.sides))
        self._manifest = manifest.numbered([self._id])
        self._folder.write_manifest(self._manifest)
        self._results.add_deals(experiment.deals)

    def __enter__(self) -> Recording:
        return self

    def __exit__(self, *_: object) -> None:
        *earlier, session = self._manifest.sessions
        ended = session.model_copy(update={"ended": now(), "ending": "finished"})
        self._folder.write_manifest(
            self._manifest.model_copy(update={"sessions": (*earlier, ended)})
        )
        self._results.finish()
        self._opened.close()

    @property
    def stored(self) -> set[str]:
        """The deals that have been played."""
        return set(self._results.unit_names(self._id))

    def store(self, table: TableSession) -> None:
        """Keep a finished round."""
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
        writer = UnitPlayer(
            Referee(self._rules, self._seed), None, (self._seating,), lambda *_: Lineup.of(())
        )
        result, _ = writer.play(Unit(0, (table.deal,)), {0: (0, played)})
        self._results.append([result], [self._id])

    def _entrant(self, which: int, seated: Sequence[SeatPlan], called: dict[int, str]) -> Entrant:
        seats = [seat for seat, entrant in enumerate(self._seating) if entrant == which]
        members = [
            AgentSpec(PERSON, {"name": called[seat]}) if seat in called else _spec(seated[seat])
            for seat in seats
        ]
        names = [called.get(seat, seated[seat].name) for seat in seats]
        return Entrant("+".join(dict.fromkeys(names)), tuple(members))


def _spec(who: SeatPlan) -> AgentSpec:
    assert who.spec is not None  # people have a name
    return who.spec


def _used(entrant: Entrant) -> EntrantUsed:
    agents = [None if spec.is_person else spec.build() for spec in entrant.members]
    models = tuple((None, None) if agent is None else models_of(agent) for agent in agents)
    described = [(spec.written, found) for spec, found in zip(entrant.members, models, strict=True)]
    return EntrantUsed(
        fingerprint=code_digest([], json.dumps(described, sort_keys=True)),
        models=models,
        sees_all_cards=False,
        reproducible=False,
        members=entrant.members,
    )
