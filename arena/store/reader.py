"""Reading a run back: streams of rows, tidy frames, the times that agents took.

    run = Run(Path("reports/quickstart"))
    run.deals()    # a row per pairing and deal: the margin is the mean over its seatings
    run.rounds()   # a row per pairing, deal and seating

Rows are read one at a time; only what is asked for as a frame is held in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.config.entrants import AgentSpec
from arena.config.games import make_rules
from arena.core.cards import SEATS, TRUMPS
from arena.core.deals import Deal
from arena.core.errors import ArenaError, did_you_mean
from arena.core.rules import Rules, Standing, action_name, plural, unit_of
from arena.core.scoring import by_entrant, side_owners
from arena.llm.conversations import REPLIES, Conversations
from arena.store.database import Database, FaultRecord, StoreError
from arena.store.folder import RESULTS, is_busy
from arena.store.manifest import Manifest, Pairing, read_config, read_manifest
from arena.store.records import RoundRecord, decode_times
from arena.store.thinking import Thinking, TimeHistogram

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from arena.store.columns import RoundColumns

_FRAME_ROWS = 50_000
"""Rows that are turned into a frame at a time: plain Python rows take far more memory."""
_TIMED_UNITS = 4096
"""Units in a batch of decoded times."""
_KEPT_DEALS = 1024


@dataclass(frozen=True)
class Replay:
    """A stored round, and everything needed to play it again."""

    pairing: Pairing
    record: RoundRecord
    deal: Deal
    standing: Standing
    seats: tuple[str, ...]
    """The entrant in each seat."""


class Run:
    """A run folder, open for reading; works while the run goes on."""

    def __init__(self, path: Path | str, *, versions: bool = False) -> None:
        """With `versions`, former versions of agents count as entrants of their own."""
        self.path = Path(path)
        manifest = read_manifest(self.path)
        self.manifest: Manifest = manifest.with_former if versions else manifest

    @cached_property
    def database(self) -> Database:
        """The stored results."""
        return Database(self.path / RESULTS)

    @cached_property
    def replies(self) -> Conversations | None:
        """The conversations with language models; None if none plays in the run."""
        path = self.path / REPLIES
        return Conversations(path, writable=False) if path.is_file() else None

    def close(self) -> None:
        """Let go of the results file."""
        if (replies := self.__dict__.pop("replies", None)) is not None:
            replies.close()
        if "database" in self.__dict__:
            self.database.close()
            del self.__dict__["database"]

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- what was run --------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The name of the experiment."""
        return self.manifest.name

    @cached_property
    def config(self) -> dict[str, Any]:
        """The configuration file with everything filled in; to be shown, not to be read from."""
        return read_config(self.path)

    @cached_property
    def rules(self) -> Rules:
        """The game as it was played."""
        used = self.manifest.rules
        return make_rules(used.game, used.options, f"{self.path}: {used.game}")

    @property
    def entrants(self) -> list[str]:
        """Names of the entrants, in the order of the configuration."""
        return list(self.manifest.entrants)

    @property
    def people(self) -> list[str]:
        """The entrants that are people, with their partners."""
        used = self.manifest.entrants.items()
        return [name for name, each in used if any(member.is_person for member in each.members)]

    @property
    def pairings(self) -> tuple[Pairing, ...]:
        """The pairings, in the order of the configuration."""
        return self.manifest.pairings

    @property
    def is_match(self) -> bool:
        """Whether whole matches were played, not single rounds."""
        return self.manifest.match is not None

    @property
    def unit(self) -> str:
        """The unit of replication: `deal` or `match`."""
        return unit_of(self.manifest.match)

    @property
    def units(self) -> str:
        """More than one `unit`."""
        return plural(self.unit)

    @cached_property
    def seatings(self) -> list[tuple[int, ...]]:
        """For each seating and seat, whether the first (0) or the second entrant (1) sits there."""
        return [tuple("AB".index(letter) for letter in text) for text in self.manifest.seatings]

    @cached_property
    def _owners(self) -> list[list[int]]:
        """For each seating and side, the entrant that plays it."""
        return side_owners(self.rules, self.seatings)

    @cached_property
    def _entrants(self) -> list[bytes]:
        """For each seating, a table that turns seats into entrants, one byte each."""
        return [bytes(seats).ljust(256) for seats in self.seatings]

    @property
    def units_per_pairing(self) -> int:
        """How many deals or matches each pairing is to play."""
        return self.manifest.units_per_pairing

    def units_wanted(self, pairing: Pairing) -> int:
        """How many deals or matches a pairing is to play: people play each deal only once."""
        person = next((name for name in pairing[:2] if name in self.people), None)
        opponents = sum(person in each[:2] for each in self.pairings) if person else 1
        return self.units_per_pairing // opponents

    @property
    def is_busy(self) -> bool:
        """Whether a process is at work on it."""
        return is_busy(self.path)

    @property
    def digest(self) -> str:
        """A hash of all that there is to read: two runs with the same one say the same."""
        found = sha256(self.manifest.model_dump_json().encode())
        for pairing in self.pairings:
            found.update(self.database.digest(pairing.id).encode())
        return found.hexdigest()

    @contextmanager
    def sensible(self) -> Iterator[None]:
        """Refuse numbers that no round can have: a file may come from anywhere."""
        try:
            yield
        except (IndexError, KeyError, OverflowError, TypeError, ValueError) as error:
            raise StoreError(
                f"{self.path}: damaged: it holds what no round can have ({error}); "
                "'--fresh' starts over"
            ) from error

    # --- streams -------------------------------------------------------------------------

    def units_stored(self, pairing: Pairing) -> int:
        """How many deals or matches of a pairing are stored."""
        return self.database.count_units(pairing.id)

    def rows(self, times: bool = True) -> Iterator[dict[str, Any]]:
        """Every round as plain values, in the order of its key."""
        for pairing in self.pairings:
            with self.sensible():
                for record in self.database.rounds(pairing.id):
                    yield self._tidy(pairing, record, times)

    def faults(self) -> list[tuple[Pairing, FaultRecord]]:
        """All faults, each with its pairing."""
        return [(p, fault) for p in self.pairings for fault in self.database.faults(p.id)]

    def columns(self, pairing: Pairing) -> RoundColumns:
        """The numbers of all rounds of a pairing, as arrays."""
        return self.database.columns(pairing.id)

    def margins(self, pairing: Pairing) -> tuple[list[str], NDArray[np.float64]]:
        """A pairing's units and their margins in favour of its first entrant."""
        columns = self.columns(pairing)
        return columns.units, columns.games.scored.margin

    def thinking(self) -> dict[str, Thinking]:
        """How long each entrant's decisions took; quantiles are right to 1%."""
        import numpy as np  # here, so that light commands start fast

        from arena.store.columns import decision_seatings

        entrants = np.array(self.seatings, dtype=np.bool_)
        clocks = {name: (TimeHistogram(), TimeHistogram()) for name in self.entrants}
        for pairing in self.pairings:
            sides = len(self.rules.sides)
            with self.sensible():
                for batch in _batches(self.database.times(pairing.id), _TIMED_UNITS):
                    numbers, seats, times, cpu_times = map(b"".join, zip(*batch, strict=True))
                    seatings = decision_seatings(numbers, sides)
                    second = entrants[seatings, np.frombuffer(seats, dtype=np.uint8)]
                    both = (decode_times(times), decode_times(cpu_times))
                    for name, theirs in ((pairing.first, ~second), (pairing.second, second)):
                        for clock, taken in zip(clocks[name], both, strict=True):
                            clock.add(taken[theirs])
        return {name: Thinking.of(*both) for name, both in clocks.items()}

    # --- frames --------------------------------------------------------------------------

    def rounds(self) -> pd.DataFrame:
        """A row per pairing, deal (or match), seating and round."""
        import pandas as pd  # here, so that light commands start fast

        parts = [pd.DataFrame(batch) for batch in _batches(self.rows(), _FRAME_ROWS)]
        return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()

    def deals(self) -> pd.DataFrame:
        """A row per pairing and deal (or match): the means over its seatings."""
        import pandas as pd  # here, so that light commands start fast

        parts = []
        for pairing in self.pairings:
            columns = self.columns(pairing)
            games = columns.games
            parts.append(
                pd.DataFrame(
                    {
                        "first": pairing.first,
                        "second": pairing.second,
                        "unit": columns.units,
                        "margin": games.scored.margin,
                        "score_first": games.mean_known(games.score_first),
                        "score_second": games.mean_known(games.score_second),
                        "seatings": games.count(),
                        "rounds": games.total(games.rounds),
                        "forfeits_first": games.count(games.forfeit == 1),
                        "forfeits_second": games.count(games.forfeit == 2),
                    }
                )
            )
        return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()

    # --- single rounds -------------------------------------------------------------------

    def pairing(self, first: str, second: str) -> Pairing:
        """The pairing of two entrants, in whichever order they are named."""
        for name in (first, second):
            if name not in self.entrants:
                near = did_you_mean(name, self.entrants)
                raise ArenaError(f"{self.path}: no entrant {name!r}; {near}")
        for pairing in self.pairings:
            if {pairing.first, pairing.second} == {first, second}:
                return pairing
        raise ArenaError(f"{self.path}: {first} and {second} did not play each other")

    def replays(self, pairing: Pairing, units: Sequence[str] | None = None) -> Iterator[Replay]:
        """The rounds of a pairing (of some units), ready to be played again."""
        start = Standing(0, (0,) * len(self.rules.sides))
        standing = start
        with self.sensible():
            for record in self.database.rounds(pairing.id, units):
                if record.number == 0:
                    standing = start
                yield self._replay(pairing, record, standing)
                if record.counts and record.scores:
                    standing = standing.after(record.scores)

    def replays_with(self, pairing: Pairing, deal: str) -> Iterator[Replay]:
        """The rounds of the unit that a deal belongs to, those that ended the run included."""
        for unit in self.database.units_with(pairing.id, deal):
            stored = list(self.replays(pairing, [unit]))
            yield from stored
            if not stored:
                yield from self._cut_short(pairing, unit)

    def _cut_short(self, pairing: Pairing, unit: str) -> Iterator[Replay]:
        """Rounds of a unit that was not stored, because a fault in it stopped the run."""
        for fault in self.database.faults(pairing.id):
            if fault.unit == unit:
                standing = Standing(fault.round_number, fault.standing)
                said = f"{fault.kind}: {fault.message}"
                known = (fault.unit, fault.seating, fault.number, fault.deal)
                record = RoundRecord(*known, fault=said, actions=fault.actions)
                yield self._replay(pairing, record, standing)

    @cached_property
    def _deal(self) -> Callable[[str], Deal]:
        """A stored deal by its id; those read last are kept, as every deal has several rounds."""

        def read(deal_id: str) -> Deal:
            deal = self.database.deal(deal_id)
            if deal is None:
                raise ArenaError(f"{self.path}: deal {deal_id} is not stored")
            return deal

        return lru_cache(maxsize=_KEPT_DEALS)(read)

    def _replay(self, pairing: Pairing, record: RoundRecord, standing: Standing) -> Replay:
        deal = self._deal(record.deal)
        if self.is_match:
            deal = self.rules.in_match(deal, standing.round_number)
        names = (pairing.first, pairing.second)
        seats = tuple(names[entrant] for entrant in self.seatings[record.seating])
        return Replay(pairing, record, deal, standing, seats)

    def agent_at(self, replay: Replay, seat: int) -> AgentSpec:
        """The agent that sat in a seat: of a team, the member that has this seat."""
        name = replay.seats[seat]
        members = self.manifest.entrants[name].members
        return members[replay.seats[:seat].count(name) % len(members)]

    def seconds(self, record: RoundRecord) -> dict[str, float | None]:
        """How long both entrants thought in a round, by the clock and in CPU time."""
        import numpy as np  # here, so that light commands start fast

        entrants = record.seats.translate(self._entrants[record.seating])
        row: dict[str, float | None] = {}
        for what, stored in (("seconds", record.times), ("cpu_seconds", record.cpu_times)):
            times = decode_times(stored)
            second = np.frombuffer(entrants, dtype=np.bool_)
            for which, taken in (("first", times[~second]), ("second", times[second])):
                known = taken[~np.isnan(taken)]
                row[f"{what}_{which}"] = (
                    round(float(known.sum(dtype=np.float64)) / 1e9, 9) if known.size else None
                )
        return row

    def _tidy(self, pairing: Pairing, record: RoundRecord, times: bool) -> dict[str, Any]:
        owners = self._owners[record.seating]
        means = {
            what: _means(owners, getattr(record, what)) for what in ("points", "bonus", "tricks")
        }
        row: dict[str, Any] = {
            "first": pairing.first,
            "second": pairing.second,
            "unit": record.unit,
            "deal": record.deal,
            "seating": record.seating,
            "round": record.number,
            "seats": self.manifest.seatings[record.seating],
            "trump": None if record.trump is None else TRUMPS[record.trump],
            "declarer": None if record.declarer is None else SEATS[record.declarer],
            "leader": None if record.leader is None else SEATS[record.leader],
            "score_first": record.score_first,
            "score_second": record.score_second,
            "margin": record.margin,
        }
        for what, (first, second) in means.items():
            row[f"{what}_first"], row[f"{what}_second"] = first, second
        entrants = record.seats.translate(self._entrants[record.seating])
        row |= {
            "scores": " ".join(map(str, record.scores)),
            "flags": " ".join(record.flags),
            "forfeit": ("", pairing.first, pairing.second)[record.forfeit],
            "fault": record.fault,
            "decisions_first": entrants.count(0),
            "decisions_second": entrants.count(1),
            "actions": " ".join(action_name(each, self.rules.bids) for each in record.actions),
        }
        if times:
            row |= self.seconds(record)
        return row


def _means(owners: list[int], values: Sequence[int]) -> tuple[float | None, float | None]:
    return by_entrant(owners, values) if values else (None, None)


def _batches(rows: Iterator[Any], size: int) -> Iterator[list[Any]]:
    batch = []
    for row in rows:
        batch.append(row)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch
