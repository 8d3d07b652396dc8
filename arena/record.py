"""Games as training data: one row per decision, in Parquet.

A row has what the seat knew (`view`, as `arena.codec` writes it), what it could do and did
(`legal`, `card`), what its search found out about every legal card (`visits`, `values`; empty
for agents that do not explain themselves), and how the round ended for its side (`margin`).
Decisions without a choice are left out.

The parts of a recording are files of so many deals each, `part-00000.parquet` and so on. Each
is written whole; a recording that was stopped goes on with the parts that are missing. The
random numbers are those of `arena run`, so a part is the same whoever plays it, and when.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from joblib import Parallel, delayed  # type: ignore[import-untyped]

from arena.agent import Player, Setup, sees_all_cards
from arena.codec import encode_view
from arena.deals import Deal
from arena.errors import ArenaError
from arena.files import write_atomically
from arena.play.experiment import Experiment
from arena.play.schedule import seat_members, seatings
from arena.rules import Action, View
from arena.seeds import Rng, rng_for

__all__ = ["COLUMNS", "Decides", "parts", "record"]

COLUMNS = (
    "deal", "seating", "number", "seat", "agent", "view", "legal", "card", "visits", "values",
    "margin",
)  # fmt: skip


@runtime_checkable
class Decides(Protocol):
    """An agent that can tell what it considered, together with what it does."""

    def decide(self, view: View, rng: Rng) -> tuple[Action, Mapping[Action, Any]]:
        """The action, and for each one visits and value."""
        ...


def record(
    experiment: Experiment, folder: Path, jobs: int = 1, deals_per_part: int = 50
) -> Iterator[Path]:
    """Play what is missing of a recording; the path of each part once it is written."""
    if importlib.util.find_spec("pyarrow") is None:
        raise ArenaError("recordings are Parquet files: pip install 'arena-tricks[parquet]'")
    missing = [
        (number, experiment.deals[first : first + deals_per_part])
        for number, first in enumerate(range(0, len(experiment.deals), deals_per_part))
        if not _part(folder, number).exists()
    ]
    folder.mkdir(parents=True, exist_ok=True)
    work = Parallel(n_jobs=jobs, return_as="generator_unordered")
    yield from work(delayed(_write)(experiment, deals, _part(folder, n)) for n, deals in missing)


def parts(folder: Path) -> list[Path]:
    """The parts of a recording, in order."""
    found = sorted(folder.glob("part-*.parquet"))
    if not found:
        raise ArenaError(f"{folder}: no recording here (part-*.parquet); see 'arena record --help'")
    return found


def _part(folder: Path, number: int) -> Path:
    return folder / f"part-{number:05}.parquet"


def _write(experiment: Experiment, deals: tuple[Deal, ...], path: Path) -> Path:
    import pyarrow
    from pyarrow import parquet

    rows = [row for deal in deals for row in _rows(experiment, deal)]
    columns = {name: [row[i] for row in rows] for i, name in enumerate(COLUMNS)}
    content = BytesIO()
    parquet.write_table(pyarrow.table(columns), content, compression="zstd")
    write_atomically(path, content.getvalue())
    return path


def _rows(experiment: Experiment, deal: Deal) -> Iterator[tuple[Any, ...]]:
    rules = experiment.rules
    for names in experiment.pairings:
        teams = [experiment.entrant(name).members for name in names]
        built = [[member.build(experiment.folder) for member in team] for team in teams]
        sizes = (len(teams[0]), len(teams[1]))
        for number, seating in enumerate(seatings(rules, experiment.placements)):
            members = seat_members(seating, sizes)
            lineup = [built[e][m] for e, m in zip(seating, members, strict=True)]
            owners = [names[entrant] for entrant in seating]
            yield from _round(experiment, deal, number, lineup, owners)


def _round(
    experiment: Experiment, deal: Deal, seating: int, lineup: list[Player], owners: list[str]
) -> Iterator[tuple[Any, ...]]:
    rules = experiment.rules
    players = [player.take_seat(Setup(rules, seat)) for seat, player in enumerate(lineup)]
    seeds = [rng_for(experiment.seed, deal.id, seating, seat) for seat in range(rules.players)]
    state = rules.start(deal)
    rows: list[tuple[Any, ...]] = []
    while state.turn is not None:
        seat, player = state.turn, players[state.turn]
        view = rules.view(state, seat, all_hands=sees_all_cards(player))
        rng = Rng(seeds[seat].next64())
        found: Mapping[Action, Any] = {}
        if view.phase == "play" and len(view.legal) > 1 and isinstance(player.cards, Decides):
            action, found = player.cards.decide(view, rng)
        else:
            action = player.act(view, rng)
        if view.phase == "play" and len(view.legal) > 1:
            # What is stored is what a seat may know, whatever the teacher saw.
            known = encode_view(view._replace(all_hands=None))
            visits = [int(found[card].visits) if card in found else 0 for card in view.legal]
            values = [float(found[card].value) if card in found else 0.0 for card in view.legal]
            rows.append(
                (deal.id, seating, len(rows), seat, owners[seat], known, list(view.legal), action)
                + ((visits, values) if found else ([], []))
            )
        rules.apply(state, action)
    scores = rules.outcome(state).scores
    for row in rows:
        side = rules.side_of(row[3])
        others = [score for other, score in enumerate(scores) if other != side]
        margin = scores[side] - sum(others) / len(others)
        yield (*row, float(margin if rules.higher_wins else -margin))
