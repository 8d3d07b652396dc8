"""Experiments in Python: families and live objects as agents, results as frames."""

from __future__ import annotations

import json
import shutil
import tempfile
import weakref
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from arena.api.progress import Progress
from arena.api.results import RunResults
from arena.api.rounds import rules_of
from arena.config.agents import RESERVED
from arena.config.experiment import ResolvedExperiment
from arena.config.imports import Imports
from arena.config.live_agents import LiveAgent, plain_fields
from arena.config.loader import build, find_experiment
from arena.config.parameters import plain
from arena.config.strict_yaml import ConfigError, Place, YamlDocument, read, with_override
from arena.core.agent import Player
from arena.core.deals import Deal, DealSet
from arena.core.errors import ArenaError
from arena.core.files import RUNS
from arena.core.generate import make_deals
from arena.core.registry import AGENTS, BIDDERS, Registry
from arena.core.rules import Rules
from arena.store.folder import DEALS_FILE, RunFolder
from arena.tournament.merging import merge as merge_parts
from arena.tournament.run import RunOptions, run_in
from arena.tournament.runner import Backend
from arena.tournament.schedule import WHOLE, Part

Game: TypeAlias = str | Mapping[str, Any] | Rules
Deals: TypeAlias = int | str | Path | DealSet | Sequence[Deal] | Mapping[str, Any]

_SMALLEST_SET = 1000


class Experiment:
    """An experiment: agents, game, deals and schedule.

        arena.Experiment(game="klaverjas", agents={"mine": MyBot(), "rule": "rule"}, deals=40)

    `game` is the name of a game, a mapping with its `name` and options, or rules. An agent is
    an object with a method `act(view, rng)`, the name of a family, or a mapping such as
    `{"family": "ismcts", "simulations": 400}`. `deals` is a number of deals, which are made
    from `seed`; the name of a set that is shipped with arena; the path of a CSV file; or deals.
    Other keys of experiment files can be given by name, such as `schedule`, `on_fault` or `stop`.

    An experiment with a `name` keeps its results in `reports/NAME` and goes on there; one without
    keeps them only as long as the results are in use. Raises `ArenaError` for every mistake.
    """

    def __init__(
        self,
        game: Game,
        agents: Mapping[str, Any],
        deals: Deals = 100,
        *,
        name: str | None = None,
        seed: int = 0,
        **settings: Any,
    ) -> None:
        rules = rules_of(game)
        data = {
            "name": name or rules.name,
            "game": {"name": rules.name, **plain(rules)},
            "agents": _written_agents(agents),
            "seed": seed,
            **settings,
        }
        self.name = name
        self.made_deals: DealSet | None = None
        with tempfile.TemporaryDirectory() as folder:
            written = _written_deals(deals)
            if written is None:
                made, count = _made_deals(deals, rules, seed)
                self.made_deals = made.save(Path(folder) / DEALS_FILE)
                written = {"file": str(self.made_deals.path), "limit": count}
            document = YamlDocument({**data, "deals": written}, {(): Place("Experiment")})
            self.resolved = _resolved(document, Path("experiment"))
        if self.made_deals is not None:
            source = {"file": DEALS_FILE, "offset": 0}
            self.resolved = replace(self.resolved, deals_from=source)

    @classmethod
    def load(
        cls,
        file: str | Path,
        *,
        agents: Mapping[str, Any] | None = None,
        overrides: Mapping[str, Any] | None = None,
        trust: bool | None = None,
    ) -> Experiment:
        """An experiment file, or one that is shipped with arena, by its name.

        `agents` are added to those of the file; `overrides` such as
        `{"agents.mc.playouts": 500}` change single keys. Code that the file names is imported
        if the file lies in or below the current folder, or if `trust` is True.
        """
        path = find_experiment(file)
        document = read(path)
        for key, value in (overrides or {}).items():
            document = with_override(document, f"{key}={json.dumps(value)}")
        if agents:
            more = {**document.data.get("agents", {}), **_written_agents(agents)}
            document = replace(document, data={**document.data, "agents": more})
        experiment = cls.__new__(cls)
        experiment.made_deals = None
        experiment.resolved = _resolved(document, path, trust)
        experiment.name = experiment.resolved.name
        return experiment

    def __repr__(self) -> str:
        resolved = self.resolved
        agents = ", ".join(entrant.name for entrant in resolved.entrants)
        pairs = f"{len(resolved.pairings)} pair" + "s" * (len(resolved.pairings) > 1)
        deals = f"{len(resolved.deals)} deals of {resolved.rules.name}"
        return f"<Experiment {resolved.name!r}: {agents}; {pairs} on {deals}>"

    def run(
        self,
        *,
        jobs: int | None = None,
        out: str | Path | None = None,
        fresh: bool = False,
        backend: Backend | None = None,
        mix_code: bool = False,
        part: str | None = None,
        quiet: bool = False,
    ) -> RunResults:
        """Play what is not stored yet, with a progress bar in terminals and notebooks.

        The arguments are those of `arena run`: the number of workers, the folder of the results,
        whether to start over, the backend of the workers, whether to go on with changed code, and
        which part to play (`"3/100"`; `arena.merge` puts parts together).
        An agent's fault stops the run with an `ArenaError`, unless `on_fault` is `forfeit`.
        """
        kept = out or (RUNS / self.name if self.name else None)
        path = Path(kept or tempfile.mkdtemp(prefix="arena-run-"))
        own = WHOLE if part is None else Part.parse(part)
        options = RunOptions(jobs, backend, fresh, mix_code=mix_code, part=own)
        unit = self.resolved.units
        with RunFolder(path) as folder:
            if self.made_deals is not None and (fresh or not (path / DEALS_FILE).exists()):
                self.made_deals.save(path / DEALS_FILE)
            with Progress(unit, quiet, lines=False) as progress:
                finished = run_in(folder, self.resolved, options, progress)
        if finished.stopped:
            raise ArenaError(finished.stopped)
        results = RunResults(path)
        if kept is None:
            weakref.finalize(results, shutil.rmtree, path, ignore_errors=True)
        return results


def run(
    experiment: str | Path | Experiment,
    *,
    deals: int | None = None,
    agents: Mapping[str, Any] | None = None,
    overrides: Mapping[str, Any] | None = None,
    trust: bool | None = None,
    **options: Any,
) -> RunResults:
    """Play an experiment: a file, the name of one that is shipped with arena, or an `Experiment`.

        arena.run("quickstart", deals=40)
        arena.run("quickstart", deals=40, agents={"mine": MyBot()})

    `deals` limits the deals of a file, `agents` adds agents to it, `overrides` changes single
    keys (see `Experiment.load`). The other options are those of `Experiment.run`.
    """
    if isinstance(experiment, Experiment):
        if (deals, agents, overrides, trust) != (None, None, None, None):
            raise ArenaError("deals, agents, overrides and trust belong to the Experiment itself")
        return experiment.run(**options)
    if not isinstance(experiment, (str, Path)):
        found = type(experiment).__name__
        raise ArenaError(f"expected a file, a name or an arena.Experiment, found {found}")
    limit = {} if deals is None else {"deals.limit": deals}
    loaded = Experiment.load(
        experiment, agents=agents, overrides={**limit, **(overrides or {})}, trust=trust
    )
    return loaded.run(**options)


def merge(parts: Iterable[str | Path], out: str | Path) -> RunResults:
    """Put the parts of one run together that several jobs have played.

    arena.merge(["parts/1", "parts/2"], out="reports/mine")
    """
    with RunFolder(Path(out)) as folder:
        merge_parts([Path(part) for part in parts], folder)
    return RunResults(Path(out))


# --- from Python values to what an experiment file says ----------------------------------


def _resolved(document: YamlDocument, path: Path, trust: bool | None = None) -> ResolvedExperiment:
    imports = Imports(path, trust is not False, trust is True, lambda line: None)
    try:
        return build(document, path, imports)
    except TypeError as error:  # a value that JSON cannot hold
        raise ConfigError(f"{document.place_of(())}: {error}") from error


def _written_agents(agents: Mapping[str, Any]) -> dict[str, Any]:
    if not isinstance(agents, Mapping):
        raise ArenaError(
            f"agents: expected a mapping from names to agents, found {type(agents).__name__}"
        )
    return {str(name): written_agent(agent, str(name)) for name, agent in agents.items()}


def written_agent(agent: Any, name: str) -> dict[str, Any]:
    """An agent as an experiment file says it; an object under the name of a live agent."""
    if isinstance(agent, str):
        return {"family": agent}
    if isinstance(agent, Player):
        bidder = {} if agent.bidder is None else {"bidder": agent.bidder}
        return written_agent({"family": agent.cards, **bidder}, name)
    if not isinstance(agent, Mapping):
        return _object(AGENTS, agent, name)
    written = dict(agent)
    if not isinstance(written.get("family", ""), str):
        written = {**written, **_object(AGENTS, written["family"], name)}
    if not isinstance(written.get("bidder", ""), (str, Mapping, type(None))):
        written["bidder"] = _object(BIDDERS, written["bidder"], name)
    return written


def _object(registry: Registry[Any], agent: object, name: str) -> dict[str, Any]:
    """An object of a registered family by its name and parameters; others as live agents."""
    family = registry.name_of(type(agent))
    if family is not None and is_dataclass(agent):
        values = {field.name: plain(getattr(agent, field.name)) for field in fields(agent)}
        return {**values, "family": family}
    try:
        live = LiveAgent.of(agent)
    except ArenaError as error:
        raise ArenaError(f"agents.{name}: {error}") from error
    shown = {key: value for key, value in plain_fields(agent).items() if key not in RESERVED}
    return {**shown, "family": live.family}


def _written_deals(deals: Deals) -> dict[str, Any] | None:
    """The metadata of a file of deals; None if they have no file of their own."""
    if isinstance(deals, Mapping):
        return dict(deals)
    if isinstance(deals, Path) or (isinstance(deals, str) and deals.endswith(".csv")):
        return {"file": str(deals)}
    if isinstance(deals, str):
        return {"set": deals}
    if isinstance(deals, DealSet) and deals.path is not None:
        return {"file": str(deals.path.resolve())}
    return None


def _made_deals(deals: Any, rules: Rules, seed: int) -> tuple[DealSet, int]:
    """A set for deals that have no file, and how many of it are played."""
    if isinstance(deals, bool) or not isinstance(deals, (int, DealSet, Sequence)):
        found = type(deals).__name__
        raise ArenaError(f"deals: expected a number, a name, a path or deals, found {found}")
    count = deals if isinstance(deals, int) else len(deals)
    if count < 1:
        raise ArenaError(f"deals: expected at least 1, found {count}")
    if isinstance(deals, int):
        # The first of a larger set, so that a run can grow.
        size = max(_SMALLEST_SET, 10 ** len(str(deals - 1)))
        return make_deals(rules, f"{rules.name}-{size}", size, seed), count
    if isinstance(deals, DealSet):
        return deals, count
    return DealSet("given", tuple(deals), {"game": rules.name, "options": plain(rules)}), count
