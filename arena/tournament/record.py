"""Games as training data: one row per card played, in Parquet.

A row has what the seat knew (`view`, as `arena.core.codec` writes it), what it could do and did
(`legal`, `card`), what its search found out about every legal card (`visits`, `values`; empty
if there was no choice, and for agents that do not explain themselves), and how the round ended
for its side (`margin`).

The parts of a recording are files of so many deals each, `part-00000.parquet` and so on. Each
is written whole; a recording that was stopped goes on with the parts that are missing. The
random numbers are those of `arena run`, so a part is the same on any machine.
`recording.json` next to them is the experiment with everything filled in.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from io import BytesIO
from math import nan
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from arena.config.entrants import builder_of
from arena.config.experiment import ResolvedExperiment
from arena.core.agent import Player, Remote, Setup, sees_all_cards
from arena.core.codec import encode_view
from arena.core.deals import Deal
from arena.core.errors import ArenaError
from arena.core.files import read_json, write_atomically
from arena.core.rules import Action, View
from arena.core.scoring import side_margins
from arena.core.seeds import Rng, rng_for
from arena.process.faults import one_line_of
from arena.tournament.run import hidden_from_agents
from arena.tournament.schedule import seat_members, seatings

COLUMNS = (
    "deal", "seating", "number", "seat", "agent", "view", "legal", "card", "visits", "values",
    "margin",
)  # fmt: skip
_EXPERIMENT = "recording.json"


@runtime_checkable
class Decides(Protocol):
    """An agent that can report the actions it considered, with the one it chooses."""

    def decide(self, view: View, rng: Rng) -> tuple[Action, Mapping[Action, Any]]:
        """The action, and for each one visits and value."""


def record(
    experiment: ResolvedExperiment, folder: Path, jobs: int = 1, deals_per_part: int = 50
) -> Iterator[Path]:
    """Play what is missing of a recording; the path of each part once it is written."""
    if importlib.util.find_spec("pyarrow") is None:
        raise ArenaError("recordings are Parquet files: pip install 'arena-tricks[parquet]'")
    from joblib import Parallel, delayed  # here: it takes long to import

    from arena.tournament.pool import options_of_workers, workers_that_end

    missing = [
        (number, experiment.deals[first : first + deals_per_part])
        for number, first in enumerate(range(0, len(experiment.deals), deals_per_part))
        if not _part(folder, number).exists()
    ]
    _begin(experiment, folder, deals_per_part)
    work = Parallel(n_jobs=jobs, return_as="generator_unordered", **options_of_workers())
    tasks = (delayed(_write)(experiment, deals, _part(folder, n)) for n, deals in missing)
    with workers_that_end():
        yield from work(tasks)


def parts(folder: Path) -> list[Path]:
    """The parts of a recording, in order."""
    found = sorted(folder.glob("part-*.parquet"))
    if not found:
        raise ArenaError(f"{folder}: no recording here (part-*.parquet); see 'arena record --help'")
    return found


def experiment_of(folder: Path) -> dict[str, Any]:
    """The experiment that a recording is of, as a configuration file with all filled in."""
    return read_json(folder / _EXPERIMENT)


def _begin(experiment: ResolvedExperiment, folder: Path, deals_per_part: int) -> None:
    """Say which experiment the parts are of; parts of another one are not added to."""
    ours = {**experiment.resolved, "deals_per_part": deals_per_part}
    ours = json.loads(json.dumps(ours))
    if not (folder / _EXPERIMENT).exists():
        if folder.is_dir() and any(folder.glob("part-*.parquet")):
            raise ArenaError(f"{folder}: has parts, but no {_EXPERIMENT}: use another folder")
        write_atomically(folder / _EXPERIMENT, json.dumps(ours, indent=1) + "\n")
        return
    theirs = experiment_of(folder)
    differing = [key for key in ours if theirs.get(key) != ours[key]]
    if differing:
        raise ArenaError(
            f"{folder}: a recording of another experiment ({', '.join(differing)} differ): "
            "use another folder"
        )


def _part(folder: Path, number: int) -> Path:
    return folder / f"part-{number:05}.parquet"


def _write(experiment: ResolvedExperiment, deals: tuple[Deal, ...], path: Path) -> Path:
    import pyarrow
    from pyarrow import parquet

    with _in_processes(experiment, path.parent) as isolated:
        rows = [row for deal in deals for row in _rows(experiment, deal, isolated)]
    columns = {name: [row[i] for row in rows] for i, name in enumerate(COLUMNS)}
    content = BytesIO()
    parquet.write_table(pyarrow.table(columns), content, compression="zstd")
    write_atomically(path, content.getvalue())
    return path


@contextmanager
def _in_processes(
    experiment: ResolvedExperiment, folder: Path
) -> Iterator[Mapping[tuple[str, int], Player]]:
    """Members that play in processes of their own, by entrant and number: as in a run."""
    hidden = hidden_from_agents(experiment, folder)
    limit = experiment.decision_limit_s
    with ExitStack() as stack:
        found = {}
        for entrant in experiment.entrants:
            for number, member in enumerate(entrant.members):
                if member.is_isolated:
                    player = builder_of(member, experiment.folder, limit, hidden).build()
                    stack.callback(player.close)
                    found[entrant.name, number] = player
        yield found


def _rows(
    experiment: ResolvedExperiment, deal: Deal, isolated: Mapping[tuple[str, int], Player]
) -> Iterator[tuple[Any, ...]]:
    rules = experiment.rules
    for names in experiment.pairings:
        teams = [experiment.entrant(name).members for name in names]
        built = [
            [
                isolated.get((name, number)) or member.build(experiment.folder)
                for number, member in enumerate(team)
            ]
            for name, team in zip(names, teams, strict=True)
        ]
        sizes = (len(teams[0]), len(teams[1]))
        for number, seating in enumerate(seatings(rules, experiment.placements)):
            members = seat_members(seating, sizes)
            lineup = [built[e][m] for e, m in zip(seating, members, strict=True)]
            owners = [names[entrant] for entrant in seating]
            yield from _round(experiment, deal, number, lineup, owners)


def _round(
    experiment: ResolvedExperiment,
    deal: Deal,
    seating: int,
    lineup: list[Player],
    owners: list[str],
) -> Iterator[tuple[Any, ...]]:
    rules = experiment.rules
    players: list[Player] = []
    for seat, player in enumerate(lineup):
        with one_line_of(owners[seat]):
            players.append(player.take_seat(Setup(rules, seat)))
    deciders = [each.cards if isinstance(each.cards, Decides) else None for each in players]
    # Unlike the referee's, with the seating: an agent that plays itself is to show other plays.
    seeds = [rng_for(experiment.seed, deal.id, seating, seat) for seat in range(rules.players)]
    state = rules.start(deal)
    rows: list[tuple[Any, ...]] = []
    while state.turn is not None:
        seat, player, decider = state.turn, players[state.turn], deciders[state.turn]
        view = rules.view(state, seat, all_hands=sees_all_cards(player))
        rng = Rng(seeds[seat].next64())
        found: Mapping[Action, Any] = {}
        with one_line_of(owners[seat]):
            if decider is not None and view.phase == "play" and len(view.legal) > 1:
                action, found = decider.decide(view, rng)
            else:
                action = player.act(view, rng)
        if view.phase == "play":
            # What is stored is what a seat may know, whatever the teacher saw.
            known = encode_view(view._replace(all_hands=None) if view.all_hands else view)
            visits, values = _findings(found, view.legal)
            decided = (known, list(view.legal), action, visits, values)
            rows.append((deal.id, seating, len(rows), seat, owners[seat], *decided))
        rules.apply(state, action)
    outcome = rules.outcome(state)
    for seat, player in enumerate(players):
        if isinstance(player.cards, Remote):
            with one_line_of(owners[seat]):
                player.cards.end_deal(outcome)
    margins = side_margins(rules, outcome.scores)
    for row in rows:
        yield (*row, float(margins[rules.side_of(row[3])]))


def _findings(
    found: Mapping[Action, Any], legal: tuple[Action, ...]
) -> tuple[list[int], list[float]]:
    """Visits and value of each legal card; a card that was not tried has no value."""
    if not found:
        return [], []
    visits = [int(found[card].visits) if card in found else 0 for card in legal]
    values = [
        float(found[card].value) if seen else nan for card, seen in zip(legal, visits, strict=True)
    ]
    return visits, values
