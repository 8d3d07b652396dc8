"""A whole run: everything of an experiment that is not stored yet is played and stored."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from arena.config.entrants import AgentSpec
from arena.config.experiment import ResolvedExperiment
from arena.config.live_agents import is_live
from arena.config.model_file import model_files
from arena.config.models import Stop
from arena.core.agent import Player, is_reproducible, sees_all_cards
from arena.core.deals import sidecar_of
from arena.core.errors import ArenaError
from arena.core.files import RUNS, shipped_folders
from arena.core.scoring import games_of, unit_margin
from arena.process import interrupts
from arena.process.client import Program
from arena.process.sandbox import why_none as no_sandbox
from arena.store.database import Database, FaultRecord
from arena.store.folder import RunFolder, now
from arena.store.manifest import MANIFEST, EntrantUsed, Manifest, Session, read_manifest
from arena.tournament.describe import describe, pairing_key, rules_used, versions
from arena.tournament.fault_lines import fault_line
from arena.tournament.fingerprint import STUCK, code_of, fingerprint, models_of, own_hashes
from arena.tournament.own_files import own_files
from arena.tournament.patience import ENDLESS_LOOP, SLOW_SERVER, Patience
from arena.tournament.practice import announced, unpractised
from arena.tournament.racing import RaceRule, write_race
from arena.tournament.runner import Backend, Runner
from arena.tournament.schedule import WHOLE, Part, Schedule
from arena.tournament.stopping import EachPairing, PairTrace, StopRule, trace_of, write_traces
from arena.tournament.stored_units import StoredUnits
from arena.tournament.tally import Tally
from arena.tournament.watcher import Watcher
from arena.tournament.worker import Job


@dataclass(frozen=True)
class RunOptions:
    """How to run, which has no influence on results."""

    jobs: int | None = None
    """Workers; one per core if None."""
    backend: Backend | None = None
    fresh: bool = False
    """Start over in a folder that has results."""
    chunk_units: int | None = None
    """Units per chunk; None to adapt to how long they take."""
    mix_code: bool = False
    """Go on although the code of agents has changed, if they play the same on the probe set."""
    part: Part = WHOLE
    """The part of the schedule to play; `arena merge` puts parts together."""


@dataclass(frozen=True)
class Finished:
    """How a run ended."""

    path: Path
    played: int
    """Units played now."""
    found: int
    """Units that were stored before."""
    faults: int
    stopped: str = ""
    """Why it stopped before the end: an agent's fault, in one line."""


def run(
    experiment: ResolvedExperiment,
    path: Path,
    options: RunOptions,
    watcher: Watcher,
    rule: StopRule | None = None,
) -> Finished:
    """Play what is missing of an experiment; results go to the folder `path`.

    With a rule (or one that the experiment has) only as much is played as that wants.
    """
    with RunFolder(path) as folder:
        return run_in(folder, experiment, options, watcher, rule)


def run_in(
    folder: RunFolder,
    experiment: ResolvedExperiment,
    options: RunOptions,
    watcher: Watcher,
    rule: StopRule | None = None,
) -> Finished:
    """The same in a folder that the caller keeps locked to write more there."""
    if options.part != WHOLE and (rule or experiment.stop or experiment.race):
        raise ArenaError(
            f"{experiment.name}: results decide how much is played (stop or race), so it cannot be "
            "played in parts; let one 'arena run' play it, with --backend dask on a cluster"
        )
    if rule is None and experiment.stop is not None:
        rule = EachPairing(experiment.stop, experiment.pairings)
    elif rule is None and experiment.race is not None:
        most = Schedule(experiment).units_per_pairing
        rule = RaceRule(experiment.race, experiment.pairings, most)
    if options.fresh:
        folder.clear()
    grown = folder.claim(experiment.resolved)
    if grown:
        watcher.say(f"{folder.path} grows: {'; '.join(grown)}")
        folder.log(f"grows: {'; '.join(grown)}")
    return _Run(experiment, Schedule(experiment), folder, options, watcher, rule).play()


def hidden_from_agents(experiment: ResolvedExperiment, path: Path) -> tuple[Path, ...]:
    """Paths that an agent in a sandbox does not see: deals, results, all models but its own."""
    models = (
        model.path
        for entrant in experiment.entrants
        for member in entrant.members
        if member.source is None
        for model in model_files(member.builder(experiment.folder).parameters)
    )
    file = experiment.deals_from.get("file")
    deals = () if file is None else ((experiment.folder / file).absolute(),)
    return (
        *shipped_folders("deals"),
        RUNS.absolute(),
        path.absolute(),
        *(other.parent for other in path.absolute().parent.glob(f"*/{MANIFEST}")),
        *deals,
        *map(sidecar_of, deals),  # the seed is there: the deals could be made again
        *models,
    )


def _is_own(member: AgentSpec) -> bool:
    """Whether an agent is the user's own code or program, not a registered family."""
    return member.names_code or is_live(member.family) or member.family == "command"


class _Run:
    def __init__(
        self,
        experiment: ResolvedExperiment,
        schedule: Schedule,
        folder: RunFolder,
        options: RunOptions,
        watcher: Watcher,
        rule: StopRule | None,
    ) -> None:
        self.experiment, self.schedule, self.folder = experiment, schedule, folder
        self.options, self.watcher, self.rule = options, watcher, rule
        self.stored = StoredUnits(schedule, rule, options.part)
        hidden = hidden_from_agents(experiment, folder.path)
        self.job = Job.of(experiment, uuid.uuid4().hex, hidden, folder.path)
        if options.backend == "dask" and self.job.requests_in_flight:
            raise ArenaError(
                "agents that ask a server keep replies in the folder of the run, which other "
                "machines do not see: leave --backend out, '--jobs N' is how many wait at once"
            )
        self.families = {
            entrant.name: [
                member.builder(experiment.folder)
                for member in entrant.members
                if member.source is None  # its fingerprint has its commit
            ]
            for entrant in experiment.entrants
        }
        members = [member for team in self.families.values() for member in team]
        for model in model_files([member.parameters for member in members]):
            folder.keep_model(model)
        folder.keep_files(own_files(experiment, members))
        self.runner = Runner(
            self.job,
            options.jobs,
            options.backend,
            options.chunk_units,
            try_here=not folder.was_killed,
        )
        advice = SLOW_SERVER if self.job.requests_in_flight else ENDLESS_LOOP
        self.patience = Patience(watcher.say, self.runner.slow_decision, advice)

    def play(self) -> Finished:
        if self.folder.was_killed:
            self.watcher.say(
                f"{self.folder.path}: the last session was killed or crashed; agents play in "
                "worker processes now, so that one that ends its process is found"
            )
        for line in self._unprotected():
            self.watcher.say(line)
            self.folder.log(line)
        with interrupts.track_sigint(), self.runner, self.patience:
            return self._play()

    def _play(self) -> Finished:
        entrants = self._entrants()
        cpu_started = time.process_time()
        with self.folder.open_results() as results:
            manifest = self._manifest(entrants)
            sides = len(self.experiment.rules.sides)
            ids = [results.pairing_id(pairing_key(manifest, p), sides) for p in manifest.pairings]
            manifest = manifest.numbered(ids)
            if self._before is not None:
                manifest = manifest.after(self._before, lambda p: results.count_units(p.id) > 0)
            tally = self.stored.read(results, ids)
            found = tally.done
            self.watcher.update(tally)
            if found == tally.total and self._is_closed(manifest):
                return Finished(self.folder.path, 0, found, 0)
            if 0 < found < tally.total:
                self._refuse_changed_code(entrants)
                self.watcher.say(self._found(found, tally.total))
            self._warn_of(entrants)
            self.folder.discard_tables()
            self.folder.write_manifest(manifest)
            self.folder.log(f"start: {found} of {tally.total} units are stored")
            results.add_deals(self.experiment.deals)

            def close_session(ending: str, why: str = "") -> None:
                cpu = time.process_time() - cpu_started + self.runner.worker_cpu_seconds
                end = {
                    "ended": now(),
                    "ending": ending,
                    "jobs": self.runner.jobs,
                    "cpu_s": round(cpu, 3),
                }
                *earlier, session = manifest.sessions
                sessions = (*earlier, session.model_copy(update=end))
                self.folder.write_manifest(manifest.model_copy(update={"sessions": sessions}))
                self.folder.log(f"{ending}: {tally.done} of {tally.total} units are stored{why}")

            try:
                stopped = self._play_wanted(results, ids, tally)
            except BaseException as error:
                interrupted = isinstance(error, KeyboardInterrupt)
                with suppress(ArenaError):  # on a full disk nothing more can be written
                    close_session("interrupted" if interrupted else "failed", f"; {error!r}")
                raise
            close_session("stopped" if stopped else "finished", f"; {stopped}" if stopped else "")
            if not stopped:
                results.finish()
                if self.experiment.stop is not None:
                    self._keep_traces(self.experiment.stop)
                elif isinstance(self.rule, RaceRule) and self.rule.outcome is not None:
                    write_race(self.folder.path, self.rule.outcome)
        return Finished(self.folder.path, tally.done - found, found, tally.faults, stopped)

    def _unprotected(self) -> Iterator[str]:
        """Programs of others that play without a sandbox, and what that means."""
        for entrant, team in zip(self.experiment.entrants, self.job.teams, strict=True):
            for builder in team:
                launch = getattr(builder, "launch", None)
                if isinstance(launch, Program) and launch.sandbox is None:
                    why = no_sandbox() or "as isolate or source says"
                    yield (
                        f"{entrant.name} plays without a sandbox ({why}): it could read deals and "
                        "results, signal our processes and use the network; see docs/security.md"
                    )

    # --- before the first card -----------------------------------------------------------

    @cached_property
    def _before(self) -> Manifest | None:
        """The manifest of this folder; None if it is new, or has one that cannot be read."""
        with suppress(ArenaError):
            return read_manifest(self.folder.path)
        return None

    def _entrants(self) -> dict[str, EntrantUsed]:
        """Every entrant with its fingerprint; who is known from before is not probed again."""
        built = [[builder.build() for builder in team] for team in self.job.teams]
        try:
            for players in built:
                for player in players:
                    player.keep_in(self.folder.path.absolute())
            return self._fingerprinted(built)
        finally:
            for players in built:
                for player in players:
                    player.close()

    def _fingerprinted(self, built: Sequence[Sequence[Player]]) -> dict[str, EntrantUsed]:
        used: dict[str, EntrantUsed] = {}
        shown = []
        for entrant, players in zip(self.experiment.entrants, built, strict=True):
            shown.append(tuple(map(sees_all_cards, players)))
            used[entrant.name] = EntrantUsed(
                fingerprint="",
                code=code_of(self.families[entrant.name]),
                models=tuple(map(models_of, players)),
                sees_all_cards=any(shown[-1]),
                reproducible=all(map(is_reproducible, players)),
                members=entrant.members,
            )
        self.runner.show(tuple(shown))
        self._compile()
        known = self._known_entrants(used)
        unknown = [
            (entrant, [(entrant.name, *agent) for agent in zip(team, players, strict=True)])
            for entrant, team, players in zip(
                self.experiment.entrants, self.job.teams, built, strict=True
            )
            if entrant.name not in known
        ]
        self._wait_for(f"first decisions of {', '.join(entrant.name for entrant, _ in unknown)}")
        probes = iter(self.runner.probes([agent for _, team in unknown for agent in team]))
        for entrant, team in unknown:
            found = [next(probes) for _ in team]
            own_code = [own_hashes(builder) for builder in self.families[entrant.name]]
            about = used[entrant.name]
            is_own = any(map(_is_own, entrant.members))
            if is_own and STUCK not in found and found != self.runner.probes(team):
                found = [""] * len(team)
                about = about.model_copy(update={"reproducible": False})
                self.watcher.say(
                    f"{entrant.name} played the same deals in two ways with the same seeds: it "
                    "draws from something other than rng (such as random or the clock) or "
                    "remembers earlier deals, so its results cannot be repeated"
                )
            made = fingerprint(entrant, found, about.models, own_code, self.experiment.folder)
            known[entrant.name] = about.model_copy(update={"fingerprint": made})
        self._wait_for("")
        return {name: known[name] for name in used}

    def _wait_for(self, what: str) -> None:
        """Report progress and name the next step; with a limit, slow steps are not reported."""
        self.patience.wait_for("" if self.experiment.decision_limit_s else what)

    def _compile(self) -> None:
        """Let the workers compile what the agents need, before any clock runs."""
        # Those in a sandbox too: they can only read what is compiled.
        families = [builder for team in self.families.values() for builder in team]
        builders = unpractised(self.experiment.rules, families)
        if builders:
            with announced(self.watcher.say, getattr(self.watcher, "status", None)):
                self.runner.practise(builders)

    def _known_entrants(self, used: Mapping[str, EntrantUsed]) -> dict[str, EntrantUsed]:
        """Those that the folder knows with the same code, models, rules and versions."""
        stored = self._before
        if stored is None or stored.rules != rules_used(self.experiment.rules):
            return {}
        if stored.versions != versions(self.experiment.rules):
            return {}
        return {
            name: before
            for name, now_used in used.items()
            if (before := stored.entrants.get(name)) is not None
            and (before.code, before.models, before.members)
            == (now_used.code, now_used.models, now_used.members)
        }

    def _warn_of(self, entrants: Mapping[str, EntrantUsed]) -> None:
        """Agents that say themselves that their results cannot be repeated."""
        names = [
            name
            for name, used in entrants.items()
            if not used.reproducible and not any(map(_is_own, used.members))
        ]
        if names:
            line = (
                f"{', '.join(names)}: not reproducible (a server or the clock decides): a run "
                "played anew gives other results, and the report says so"
            )
            self.watcher.say(line)
            self.folder.log(line)

    def _refuse_changed_code(self, entrants: Mapping[str, EntrantUsed]) -> None:
        """Results of an agent and of its changed code are not mixed, unless that is wanted."""
        if (stored := self._before) is None:
            return
        changed = [
            name
            for name, used in entrants.items()
            if (before := stored.entrants.get(name)) is not None
            and before.code not in ("", used.code)
            and before.fingerprint == used.fingerprint
        ]
        if not changed:
            return
        probed = all(entrants[name].reproducible for name in changed)
        change = f"{', '.join(changed)}: code changed, "
        change += "same play on the probe set" if probed else "and it cannot be probed"
        if not self.options.mix_code:
            raise ArenaError(
                f"{self.folder.path}: {change}; the rest is not mixed with what is stored: give "
                "--mix-code to go on, or --fresh to start over"
            )
        self.folder.log(f"code: {change}; mixed")

    def _manifest(self, entrants: Mapping[str, EntrantUsed]) -> Manifest:
        session = Session(started=now(), jobs=self.runner.jobs, backend=self.runner.backend)
        manifest = describe(self.experiment, entrants, session)
        earlier = self._before.sessions if self._before else ()
        return manifest.model_copy(update={"sessions": (*earlier, session)})

    def _is_closed(self, manifest: Manifest) -> bool:
        """Whether the stored manifest is about these results and says that they are complete."""
        if (stored := self._before) is None:
            return False
        played = ("entrants", "pairings", "former_pairings", "rules")
        about = (*played, "description", "references", "indifferent")
        same = all(getattr(stored, each) == getattr(manifest, each) for each in about)
        return same and stored.ended is not None

    # --- the work ------------------------------------------------------------------------

    def _keep_traces(self, stop: Stop) -> None:
        """Write down how each test went: only the schedule knows the order of its deals."""
        traces = [
            PairTrace(first, second, trace_of(self.stored.margins(pairing), stop))
            for pairing, (first, second) in enumerate(self.experiment.pairings)
        ]
        write_traces(self.folder.path, traces)

    def _play_wanted(self, results: Database, ids: Sequence[int], tally: Tally) -> str:
        """Play what is missing, then what the rule wants beyond that; the fault that stopped it."""
        while True:
            stopped = self._play_missing(results, ids, tally)
            if stopped or self.rule is None:
                return stopped
            wants_more = self.stored.look()
            tally.tests = self.rule.words()
            if not wants_more:
                return ""
            tally.total = self.stored.total
            self.watcher.update(tally)

    def _play_missing(self, results: Database, ids: Sequence[int], tally: Tally) -> str:
        """Play and store; the fault that stopped it, if one did."""
        self._wait_for(f"{tally.done:,} of {tally.total:,} {self.experiment.units} are stored")
        missing = self.stored.missing()
        with closing(self.runner.play(missing, tally.total - tally.done)) as chunks:
            for chunk in chunks:
                interrupts.raise_if_pressed()
                results.append(chunk.results, ids)
                for fault in chunk.faults:
                    results.add_fault(fault, ids)
                    self.folder.log(f"fault: {self._fault_line(fault)}\n{fault.message}")
                    tally.faults += 1
                for result in chunk.results:
                    games = games_of(record.game for record in result.rounds)
                    self.stored.add(result.pairing, result.unit, games)
                    tally.add_margin(result.pairing, unit_margin(games))
                self._wait_for(
                    f"{tally.done:,} of {tally.total:,} {self.experiment.units} are stored"
                )
                self.watcher.update(tally)
                if chunk.stopped:
                    return self._fault_line(chunk.faults[0])
        return ""

    def _found(self, found: int, total: int) -> str:
        return f"{found:,} of {total:,} {self.experiment.units} found, {total - found:,} to play"

    def _fault_line(self, fault: FaultRecord) -> str:
        pair, is_match = self.experiment.pairings[fault.pairing], self.experiment.match is not None
        return fault_line(fault, pair, self.folder.path, self.experiment.seed, is_match)
