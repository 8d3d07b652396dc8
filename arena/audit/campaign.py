"""The audit of a run: which rounds, on all cores, and what is stored of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias

from arena.audit.ledger import AuditLedger, key_of
from arena.audit.rounds import AuditedRound, AuditSettings, audit_round, check_auditable
from arena.core.deals import Deal
from arena.core.errors import ArenaError, did_you_mean
from arena.core.rules import Rules, Standing
from arena.store import Pairing, Replay, Run

if TYPE_CHECKING:
    from arena.games.likely_worlds import DrawsWorlds
    from arena.solver.solution import Solver

CPU_SECONDS = 200.0
"""The default duration of an audit, spread over the cores."""
_SECONDS_A_ROUND = {8: 2.0, 9: 12.0, 13: 8.0}
"""By tricks: measured with the usual number of worlds."""


@dataclass(frozen=True)
class AuditOptions:
    """The rounds to audit, and the settings."""

    agents: tuple[str, ...] = ()
    """Pairings of these agents among each other; of one agent: all its pairings. None: all."""
    deals: int | None = None
    """Deals (or matches) of each pairing, the first ones; None: as many as take a few minutes."""
    settings: AuditSettings = AuditSettings()
    jobs: int | None = None


RoundKey: TypeAlias = tuple[str, str, str, int, int]
"""The names of a pairing, the unit, the seating and the round."""


def round_key(replay: Replay) -> RoundKey:
    """Names a round of a run."""
    pairing, record = replay.pairing, replay.record
    return pairing.first, pairing.second, record.unit, record.seating, record.number


@dataclass(frozen=True)
class AuditOfRound:
    """A round of the run, and its audit."""

    replay: Replay
    audit: AuditedRound


@dataclass(frozen=True)
class Audit:
    """All audited rounds that were asked for."""

    rules: Rules
    unit: str
    """`deal` or `match`."""
    rounds: tuple[AuditOfRound, ...]
    missing: int
    """Rounds that were asked for and are not audited yet."""
    valued: str
    """How decisions are valued."""

    def by_round(self) -> dict[RoundKey, AuditedRound]:
        """The audits, each under the name of its round."""
        return {round_key(each.replay): each.audit for each in self.rounds}

    @property
    def agents(self) -> tuple[str, ...]:
        """The agents, in the order of the run."""
        seen = dict.fromkeys(name for each in self.rounds for name in each.replay.seats)
        return tuple(seen)


def pairings_of(run: Run, agents: Sequence[str]) -> list[Pairing]:
    """The pairings that `agents` ask for."""
    for name in agents:
        if name not in run.entrants:
            near = did_you_mean(name, run.entrants)
            raise ArenaError(f"{run.path}: no entrant {name!r}; {near}")
    wanted = set(agents)
    found = [
        pairing
        for pairing in run.pairings
        if not wanted
        or {pairing.first, pairing.second} <= wanted
        or (len(wanted) == 1 and wanted & {pairing.first, pairing.second})
    ]
    if not found:
        raise ArenaError(f"{run.path}: {' and '.join(agents)} did not play each other")
    return found


def usual_deals(run: Run, pairings: int) -> int:
    """Deals of each pairing for an audit of a minute or two."""
    seconds = _SECONDS_A_ROUND.get(run.rules.hand_size, max(_SECONDS_A_ROUND.values()))
    rounds = pairings * len(run.seatings)
    return max(2, round(CPU_SECONDS / seconds / rounds))


def chosen_rounds(run: Run, options: AuditOptions) -> list[Replay]:
    """The finished rounds that are audited, deal by deal."""
    check_auditable(run.rules)
    pairings = pairings_of(run, options.agents)
    deals = usual_deals(run, len(pairings)) if options.deals is None else options.deals
    found = []
    for pairing in pairings:
        units = list(islice(run.database.unit_names(pairing.id), deals))
        found += _finished(run, pairing, units)
    return found


def _finished(run: Run, pairing: Pairing, units: Sequence[str]) -> list[Replay]:
    """The rounds of some units that were played to the end."""
    rounds = run.replays(pairing, units)
    return [each for each in rounds if each.record.counts and not each.record.fault]


def stored_audit(run: Run) -> Audit | None:
    """The stored audit of a run; None if there is none. Computes nothing."""
    ledger = AuditLedger(run.path)
    valued, units = ledger.asked()
    by_pair: dict[tuple[str, str], list[str]] = {}
    for first, second, unit in units:
        by_pair.setdefault((first, second), []).append(unit)
    replays = [
        replay
        for pairing in run.pairings
        if (names := by_pair.get((pairing.first, pairing.second)))
        for replay in _finished(run, pairing, names)
    ]
    return _audit(run, ledger, replays, valued) if replays else None


def audit_run(
    run: Run,
    options: AuditOptions | None = None,
    progress: Callable[[int, int], object] = lambda done, total: None,
) -> Audit:
    """Audit what is not audited yet, and return everything that was asked for.

    Every round is stored as soon as it is done, so an audit that was stopped goes on where it
    was. `progress` is called with the number of rounds done and of all.
    """
    options = options or AuditOptions()
    ledger = AuditLedger(run.path)
    valued = _valued(run.rules, options.settings)
    chosen = chosen_rounds(run, options)
    stored = ledger.read()
    waiting = {
        key: replay for replay in chosen if (key := key_of(run, replay, valued)) not in stored
    }
    units = {(x.pairing.first, x.pairing.second, x.record.unit) for x in chosen}
    ledger.ask(sorted(units), valued)
    progress(0, len(waiting))
    for done, (key, audit) in enumerate(_audits(run.rules, waiting, options), start=1):
        ledger.add([(key, audit)])
        progress(done, len(waiting))
    return _audit(run, ledger, chosen, valued)


def _audit(run: Run, ledger: AuditLedger, replays: list[Replay], valued: str) -> Audit:
    stored = ledger.read()
    rounds = []
    for replay in sorted(replays, key=lambda replay: replay.record.unit):
        text = stored.get(key_of(run, replay, valued))
        if text is not None:
            rounds.append(AuditOfRound(replay, ledger.decode(text)))
    return Audit(run.rules, run.unit, tuple(rounds), len(replays) - len(rounds), valued)


def _valued(rules: Rules, settings: AuditSettings) -> str:
    source, _ = _worlds_for(rules)
    return f"{settings.worlds} worlds, {source}"


def _worlds_for(rules: Rules) -> tuple[str, DrawsWorlds]:
    from arena.games.likely_worlds import worlds_for  # here, as the solver: reports need no numba

    return worlds_for(rules)


def _audits(
    rules: Rules, waiting: dict[str, Replay], options: AuditOptions
) -> Iterator[tuple[str, AuditedRound]]:
    tasks = [
        (key, rules, each.deal, each.standing, each.record.actions, options.settings)
        for key, each in waiting.items()
    ]
    jobs = min(options.jobs or os.cpu_count() or 1, len(tasks))
    if jobs <= 1:
        yield from (_audit_one(*task) for task in tasks)
        return
    from joblib import delayed  # here: it takes long to import

    from arena.tournament.pool import parallel, workers_that_end

    with workers_that_end():
        yield from parallel("loky", jobs)(delayed(_audit_one)(*task) for task in tasks)


@cache
def _solver() -> Solver:
    """One for each process: its table is large."""
    from arena.solver.solution import Solver

    return Solver()


def _audit_one(
    key: str,
    rules: Rules,
    deal: Deal,
    standing: Standing,
    actions: bytes,
    settings: AuditSettings,
) -> tuple[str, Any]:
    _, worlds = _worlds_for(rules)
    return key, audit_round(rules, deal, standing, actions, _solver(), worlds, settings)
