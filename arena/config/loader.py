"""From a file to an experiment that can be run."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.config.agents import Declared, declare
from arena.config.experiment import ResolvedExperiment
from arena.config.grids import how_many
from arena.config.imports import Imports
from arena.config.models import MOST_AGENTS, DealsSection, ExperimentFile, Match, Reference
from arena.config.pairings import find_pairings, find_race
from arena.config.parameters import model_of, values_of
from arena.config.problems import Problems
from arena.config.strict_yaml import KeyPath, YamlDocument, read, with_override
from arena.core.deals import Deal, DealSet
from arena.core.errors import ArenaError, did_you_mean, located
from arena.core.files import check_name, find_shipped, own_file
from arena.core.registry import GAMES
from arena.core.rules import MatchFormat, Rules


def load(
    path: Path | str,
    overrides: Sequence[str] = (),
    *,
    trust: bool | None = None,
    report: Callable[[str], object] = lambda line: None,
) -> ResolvedExperiment:
    """Read an experiment file, or one that comes with arena by its name.

    `overrides` are `key=value` texts, as after `--set`. Code that the file names
    (`family: ./bot.py:Greedy`) is imported if the file lies in or below the current folder,
    or if `trust` says so; if that is False it is left alone, and cannot be played. `report`
    receives a line for each file that is imported. Raises `ConfigError` with one line for
    each mistake found.
    """
    file = find_experiment(path)
    document = read(file)
    for override in overrides:
        document = with_override(document, override)
    return build(document, file, Imports(file, trust is not False, trust is True, report))


def build(document: YamlDocument, file: Path, imports: Imports | None = None) -> ResolvedExperiment:
    """The experiment that a document stands for; raises `ConfigError` like `load`."""
    usual = Imports(file, wanted=True, trusted=False, report=lambda line: None)
    return _Loader(document, file, imports or usual).experiment()


@dataclass(frozen=True)
class GameParts:
    """What experiments and studies have in common."""

    rules: Rules
    agents: Declared
    deal_set: DealSet | None
    """None if there are no deals in the file."""
    deals: tuple[Deal, ...]


def read_parts(
    problems: Problems,
    file: Path,
    imports: Imports,
    game: dict[str, Any] | str,
    agents: dict[str, dict[str, Any]],
    deals: DealsSection | None,
) -> GameParts:
    """The game, the agents and the deals of a file that is no experiment; notes what is wrong."""
    loader = _Loader(problems.document, file, imports)
    loader.problems = problems
    rules = loader.rules({"name": game} if isinstance(game, str) else game)
    problems.stop_if_any()
    assert rules is not None  # there were no problems
    declared = declare(agents, rules, problems, imports=imports)
    if deals is None:
        return GameParts(rules, declared, None, ())
    return GameParts(rules, declared, *loader.deals(deals, rules))


def find_experiment(name: Path | str) -> Path:
    """The file of an experiment; without a suffix, also of one that is shipped with arena."""
    path = Path(name)
    check_name(str(path))
    if path.suffix in (".yaml", ".yml") or path.exists():
        return path
    return find_shipped("configs", str(path), ".yaml")


class _Loader:
    """Checks a document part by part and notes everything that is wrong."""

    def __init__(self, document: YamlDocument, file: Path, imports: Imports) -> None:
        self.document, self.file, self.imports = document, file, imports
        self.problems = Problems(document)

    def experiment(self) -> ResolvedExperiment:
        """The experiment; raises if anything is wrong."""
        written = self._written()
        if written is None:
            self._look_inside()
        self.problems.stop_if_any()
        assert written is not None  # a file without mistakes is accepted
        rules = self.rules(written.game)
        self.problems.stop_if_any()
        assert rules is not None  # likewise
        self._check_number_of_agents(written)
        agents = declare(written.agents, rules, self.problems, written.isolate, self.imports)
        if written.schedule.type == "cross-play" and max(map(len, rules.sides)) < 2:
            self.problems.add(("schedule", "type"), f"{rules.name} is played without partners")
            self.problems.stop_if_any()
        pairings = find_pairings(written.schedule, agents, self.problems)
        race = find_race(written.schedule, pairings, self.problems)
        if race is not None and written.stop is not None:
            self.problems.add(("stop",), "a race has looks of its own; leave stop out")
        deal_set, deals = self.deals(written.deals, rules)
        match = self._match(written.match, rules)
        if written.stop is not None and written.stop.h1 <= written.stop.h0:
            self.problems.add(("stop", "h1"), f"expected more than h0 ({written.stop.h0:g})")
        for i, reference in enumerate(written.reference):
            self._check_reference(i, reference, agents.names)
        self.problems.stop_if_any()
        return ResolvedExperiment(
            name=written.name,
            description=written.description,
            rules=rules,
            deals=deals,
            deal_set=deal_set.name,
            deals_sha256=deal_set.sha256,
            deals_from=self._deals_from(written.deals, deal_set),
            folder=self.file.parent,
            entrants=tuple(agents.entrants.values()),
            pairings=pairings,
            placements=written.placements,
            match=match,
            seed=written.seed,
            seeds_per_deal=written.seeds_per_deal,
            on_fault=written.on_fault,
            decision_limit_s=written.decision_limit_s,
            references=written.reference,
            stop=written.stop,
            race=race,
            indifferent=written.indifferent,
        )

    # --- parts ---------------------------------------------------------------------------

    def _written(self) -> ExperimentFile | None:
        data = self.document.data
        if "candidate" in data and "baseline" in data:
            command = f"arena gate {self.file}"
            raise ArenaError(f"{self.file}: is a gate, not an experiment; play it by '{command}'")
        if isinstance(data.get("game"), str):
            data = {**data, "game": {"name": data["game"]}}
        return self.problems.check(ExperimentFile, data, ())

    def _check_number_of_agents(self, written: ExperimentFile) -> None:
        count = how_many(written.agents)
        if count > written.most_agents:
            self.problems.add(
                ("agents",),
                f"these are {count:,} agents, and {count * (count - 1) // 2:,} pairs of them; "
                f"if that is meant, say most_agents: {count}",
            )
            self.problems.stop_if_any()

    def _look_inside(self) -> None:
        """Note what is wrong inside game and agents as well, if the file as a whole is wrong."""
        game, agents = (self.document.data.get(key) for key in ("game", "agents"))
        game = {"name": game} if isinstance(game, str) else game
        rules = self.rules(game) if isinstance(game, dict) else None
        if rules is not None and isinstance(agents, dict):
            sound = {name: agent for name, agent in agents.items() if isinstance(agent, dict)}
            if how_many(sound) <= MOST_AGENTS:
                declare(sound, rules, self.problems, imports=self.imports)

    def rules(self, game: dict[str, Any]) -> Rules | None:
        """The game; notes what is wrong."""
        name = game.get("name")
        options = {key: value for key, value in game.items() if key != "name"}
        here: KeyPath = ("game",)
        if not isinstance(name, str):
            self.problems.add((*here, "name"), f"missing; {did_you_mean('', GAMES)}")
        elif name not in GAMES:
            self.problems.add(
                (*here, "name"), f"unknown game {name!r}; {did_you_mean(name, GAMES)}"
            )
        else:
            checked = self.problems.check(model_of(GAMES.get(name)), options, here)
            try:
                if checked is not None:
                    rules: Rules = GAMES.get(name)(**values_of(checked))
                    return rules
            except (ArenaError, ValueError) as error:
                self.problems.add(here, str(error))
        return None

    def deals(self, written: DealsSection, rules: Rules) -> tuple[DealSet, tuple[Deal, ...]]:
        """The set and the deals of it that are to be played; notes what is wrong."""
        here: KeyPath = ("deals",)
        nothing = DealSet("", ()), ()
        if (written.set is None) == (written.file is None):
            self.problems.add(here, "give either set (by name) or file (by path)")
            return nothing
        key = "set" if written.file is None else "file"
        try:
            chosen = DealSet.load(self._deals_path(written))
        except ArenaError as error:
            self.problems.add((*here, key), str(error))
            return nothing
        if written.sha256 is not None and written.sha256 != chosen.sha256:
            self.problems.add((*here, "sha256"), f"{chosen.name} has {chosen.sha256}")
        if chosen.game != rules.name:
            self.problems.add((*here, key), f"{chosen.name} is for {chosen.game}, not {rules.name}")
            return nothing
        stop = len(chosen) if written.limit is None else written.offset + written.limit
        if written.offset >= len(chosen) or stop > len(chosen):
            wrong = "offset" if written.limit is None else "limit"
            self.problems.add(
                (*here, wrong), f"{chosen.name} has {len(chosen)} deals; {stop} were asked for"
            )
            return nothing
        self._check_deals(chosen, range(written.offset, stop), rules, (*here, key))
        return chosen, chosen.deals[written.offset : stop]

    def _check_deals(self, chosen: DealSet, numbers: range, rules: Rules, path: KeyPath) -> None:
        for number in numbers:
            try:
                rules.check_deal(chosen.deals[number])
            except ArenaError as error:
                line = chosen.line_of(number)
                self.problems.add(path, located(chosen.path or chosen.name, line, str(error)))
                return

    def _deals_path(self, written: DealsSection) -> Path:
        if written.file is None:
            name = written.set or ""
            check_name(name)
            if (self.document.place_of(("deals", "set")).folder / name).is_file():
                raise ArenaError(f"{name} is a file: write deals: {{file: {name}}}")
            return find_shipped("deals", name, ".csv")
        check_name(written.file)
        return own_file(self._deals_folder, written.file)

    @property
    def _deals_folder(self) -> Path:
        return self.document.place_of(("deals", "file")).folder

    def _deals_from(self, written: DealsSection, chosen: DealSet) -> dict[str, Any]:
        # A path relative to the experiment stays true when the whole folder is moved.
        source = (
            {"set": chosen.name}
            if written.file is None
            else {"file": os.path.relpath(self._deals_folder / written.file, self.file.parent)}
        )
        return {**source, "offset": written.offset}

    def _match(self, written: bool | Match | None, rules: Rules) -> MatchFormat | None:
        if written is None:
            return None
        if isinstance(written, bool):
            return rules.match
        if written.rounds is None and written.target is None:
            self.problems.add(("match",), "give rounds, target or both")
        return MatchFormat(written.rounds, written.target)

    def _check_reference(self, number: int, reference: Reference, names: list[str]) -> None:
        here: KeyPath = ("reference", number)
        if (reference.agent is None) == (reference.pair is None):
            self.problems.add(here, "give either agent or pair")
        for name in (reference.pair or ()) if reference.agent is None else (reference.agent,):
            if name not in names:
                near = did_you_mean(name, names)
                self.problems.add(here, f"unknown agent {name!r}; {near}")
