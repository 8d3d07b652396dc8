"""The description of a run, written into its folder and read everywhere.

`manifest.json` says what was played (game, deals, entrants, seed), what it was played
with (versions, machine) and when. Commands that resume, show, replay,
explain, report or compare a run read it. A folder may come from anywhere, so the models are
pydantic's, as those of experiment files are: what is missing or of a wrong type is
reported in one line.

**Versions.** `FORMAT` goes up when a field is added or changes its meaning; a manifest of
another format is refused.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field, NonNegativeInt, ValidationError, model_validator

from arena.config.entrants import AgentSpec
from arena.config.models import Race, Reference, Stop
from arena.config.strict import Strict, first_mistake
from arena.config.strict_yaml import parse
from arena.core.errors import ArenaError, did_you_mean
from arena.core.files import (
    RUNS,
    read_json,
    read_text,
    refuse_special_files,
    run_names,
    write_atomically,
)
from arena.core.rules import MatchFormat, deals_per_unit

FORMAT = 4
MANIFEST = "manifest.json"
CONFIG = "config.resolved.yaml"


class Pairing(NamedTuple):
    """Two entrants that played each other."""

    first: str
    second: str
    id: Annotated[int, Field(ge=0, lt=2**63)]
    """The key of their results, a row number of SQLite."""


class Machine(Strict):
    """Where it was run: times depend on it."""

    platform: str
    processor: str
    cores: int | None


class RulesUsed(Strict):
    """The game as it was played."""

    game: str
    options: dict[str, Any]
    version: int


class EntrantUsed(Strict):
    """An entrant, and what its results are known by."""

    fingerprint: str
    code: str = ""
    """The hash of the sources of its families; empty where it was not written down."""
    models: tuple[tuple[str | None, str | None], ...] = ()
    """For each member, the hashes of the models of the card player and the bidder."""
    sees_all_cards: bool
    reproducible: bool = True
    """False if it says so itself, or if it played a few deals in two ways with the same seeds."""
    members: tuple[AgentSpec, ...] = Field(min_length=1)


class FormerEntrant(Strict):
    """An entrant as it was before its code, model or parameters changed."""

    used: EntrantUsed
    until: str
    """When another version took its place."""


class Session(Strict):
    """One time that the run was started."""

    started: str
    ended: str | None = None
    ending: str | None = None
    """How it ended: finished, stopped by a fault, interrupted or failed; None if it was killed."""
    jobs: int
    backend: str
    cpu_s: float | None = None


class Manifest(Strict):
    """Enough to repeat a run, and to know whether it can be compared."""

    format: Literal[4] = 4
    name: str
    description: str | None
    versions: dict[str, str]
    git_commit: str | None
    machine: Machine
    config_sha256: str
    rules: RulesUsed
    deal_set: str
    deals_sha256: str
    deals: NonNegativeInt
    match: MatchFormat | None
    placements: Literal["all", "alternating", "mixed"]
    seatings: tuple[Annotated[str, Field(pattern="^[AB]+$")], ...]
    """The seatings, a letter per seat: A the first entrant of a pairing, B the second. A seating
    that comes again is played with another seed."""
    seed: NonNegativeInt
    on_fault: Literal["stop", "forfeit"]
    decision_limit_s: float | None
    references: tuple[Reference, ...]
    stop: Stop | None = None
    """When pairings stop before all deals are played; None: never."""
    race: Race | None = None
    """The race, if beaten agents left before all deals were played."""
    indifferent: float | None = None
    """Points per deal (or match) that do not matter."""
    entrants: dict[str, EntrantUsed]
    pairings: tuple[Pairing, ...]
    sessions: tuple[Session, ...] = Field(min_length=1)
    former: dict[str, FormerEntrant] = Field(default_factory=dict)
    """Earlier versions of entrants, called NAME@1, NAME@2 and so on; their results are kept."""
    former_pairings: tuple[Pairing, ...] = ()
    """Pairings with an earlier version in them."""

    @model_validator(mode="after")
    def _check_all_entrants_described(self) -> Manifest:
        for pairing in (*self.pairings, *self.former_pairings):
            for name in pairing[:2]:
                if name not in self.entrants and name not in self.former:
                    raise ValueError(f"pairings: {name!r} is none of the entrants")
        return self

    def after(self, before: Manifest, has_results: Callable[[Pairing], bool]) -> Manifest:
        """This manifest in the place of `before`: changed entrants of that become former versions.

        Pairings without results are dropped.
        """
        if before.rules != self.rules:  # results by other rules are not compared
            return self
        numbers = Counter(name.rpartition("@")[0] for name in before.former)
        renamed = {
            name: f"{name}@{numbers[name] + 1}"
            for name, used in self.entrants.items()
            if name in before.entrants and before.entrants[name].fingerprint != used.fingerprint
        }
        replaced = [p for p in before.pairings if p.first in renamed or p.second in renamed]
        pairings = tuple(
            Pairing(renamed.get(first, first), renamed.get(second, second), number)
            for first, second, number in (*before.former_pairings, *filter(has_results, replaced))
        )
        started = self.sessions[-1].started
        former = {
            **before.former,
            **{
                renamed[name]: FormerEntrant(used=before.entrants[name], until=started)
                for name in renamed
            },
        }
        # A version that has come back is no former one.
        back = {
            name: plain
            for name, each in former.items()
            if (plain := name.rpartition("@")[0]) in self.entrants
            and self.entrants[plain].fingerprint == each.used.fingerprint
        }
        current = {pairing.id for pairing in self.pairings}
        kept = tuple(
            Pairing(back.get(first, first), back.get(second, second), number)
            for first, second, number in pairings
            if number not in current
        )
        playing = {name for pairing in kept for name in pairing[:2]}
        return self.model_copy(
            update={
                "former": {name: each for name, each in former.items() if name in playing},
                "former_pairings": kept,
            }
        )

    @property
    def with_former(self) -> Manifest:
        """All versions of all entrants, as if they took part."""
        return self.model_copy(
            update={
                "entrants": {
                    **self.entrants,
                    **{name: former.used for name, former in self.former.items()},
                },
                "pairings": (*self.pairings, *self.former_pairings),
            }
        )

    def numbered(self, ids: Iterable[int]) -> Manifest:
        """The same with the numbers that its pairings' results are kept under."""
        pairings = (
            pairing._replace(id=number) for pairing, number in zip(self.pairings, ids, strict=True)
        )
        return self.model_copy(update={"pairings": tuple(pairings)})

    @property
    def seeds_per_deal(self) -> int:
        """How many times each seating of a deal is played."""
        return self.seatings.count(self.seatings[0]) if self.seatings else 1

    @property
    def stops_early(self) -> bool:
        """Whether results decided how much was played: plain means and intervals are wrong then."""
        return self.stop is not None or self.race is not None

    @property
    def started(self) -> str:
        """When it was first started."""
        return self.sessions[0].started

    @property
    def ended(self) -> str | None:
        """When it last ended; None if it goes on or was killed."""
        return self.sessions[-1].ended

    @property
    def cpu_s(self) -> float:
        """CPU seconds of all sessions."""
        return sum(session.cpu_s or 0.0 for session in self.sessions)

    @property
    def deals_per_unit(self) -> int:
        """How many deals of the set a match owns; 1 where single deals are played."""
        return deals_per_unit(self.match)

    @property
    def units_per_pairing(self) -> int:
        """How many deals or matches each pairing is to play."""
        return self.deals // self.deals_per_unit


def write_manifest(path: Path, manifest: Manifest) -> None:
    """Replace the manifest of a run folder."""
    # Through Python's own writer: it keeps the numbers of options and parameters as they are.
    text = json.dumps(manifest.model_dump(mode="json"), indent=2, ensure_ascii=False)
    write_atomically(path / MANIFEST, text + "\n")


def read_manifest(path: Path) -> Manifest:
    """The manifest of a run folder."""
    file = path / MANIFEST
    if not file.exists():
        if path.is_dir():
            raise ArenaError(f"{path}: no run here ({MANIFEST} is missing)")
        near = f"; {did_you_mean(path.name, run_names())}" if run_names() else ""
        raise ArenaError(f"{path}: there is no such run here or in {RUNS}/{near}")
    refuse_special_files(path)
    data = read_json(file)
    found = data.get("format")
    if isinstance(found, int) and found != FORMAT:
        raise ArenaError(
            f"{file}: written in format {found}, this version reads format {FORMAT}; "
            "use the version of arena that wrote it"
        )
    try:
        # As JSON, so that lists may become tuples while all else stays strict.
        return Manifest.model_validate_json(json.dumps(data))
    except ValidationError as error:
        raise ArenaError(
            f"{file}: {first_mistake(error)}; 'arena run' with the same configuration "
            "and --out writes it again"
        ) from None


def read_config(path: Path) -> dict[str, Any]:
    """The configuration of a run folder, everything filled in: what `arena run` takes again."""
    file = path / CONFIG
    config = parse(read_text(file), str(file)).data
    return config if isinstance(config, dict) else {}
