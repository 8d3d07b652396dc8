"""Fingerprints: an agent is known by its behaviour, not by a version.

A fingerprint is a hash of the family, the parameters, the hash of the model
(`model_hash`, for agents that have one), that of its file (for code next to an
experiment) and the cards that the agent plays on a small fixed set of deals. So it
changes when the behaviour changes, and a new version that plays the same cards
keeps its results.

The probe: as many deals as there are seats, made from a fixed seed for the rules of
the experiment. In each the agent has another seat and the others play at random:
32 decisions in Klaverjas, and the bids. That finds most changes, not the rarest.

Agents that play by the clock declare `reproducible = False` (a class
variable or a property); they are not probed.

A change that touches few hands keeps the fingerprint. So a run also keeps `code_of` its
agents, a hash of the sources, and does not mix the results of two versions unasked.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields, is_dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import arena
from arena.config.entrants import AgentSpec, Entrant
from arena.config.live_agents import LiveAgent
from arena.config.model_file import model_hash
from arena.config.own_code import OwnCode
from arena.core.agent import Player, is_reproducible
from arena.core.deals import Deal
from arena.core.registry import AGENTS
from arena.core.rules import Action, Rules, View
from arena.core.seeds import Rng, rng_for
from arena.core.source_code import code_digest
from arena.process.builder import Builder
from arena.process.revision import Revision
from arena.tournament.referee import Clock, Lineup, Referee

_PROBE_SEED = 20_170
"""Changing it changes every fingerprint."""


@dataclass(frozen=True)
class RandomSeat:
    """Plays any legal action: fills the seats opposite the agent that is probed."""

    def act(self, view: View, rng: Rng) -> Action:
        return rng.choice(view.legal)


class Probed(NamedTuple):
    """The actions of an agent in a probe."""

    digest: str
    """A hash of all actions and faults."""
    nanoseconds: list[float]
    """How long each of its own decisions took."""


STUCK = "stuck"
"""The digest of an agent that does not come back."""


def play_probe(referee: Referee, player: Player, places: Iterable[tuple[Deal, int]]) -> Probed:
    """Let an agent play deals in the given seats; the other seats play at random."""
    digest = hashlib.sha256()
    times: list[float] = []
    others = [Player(RandomSeat())] * referee.rules.players
    for deal, seat in places:
        played = referee.play(deal, Lineup.of([*others[:seat], player, *others[seat + 1 :]]))
        digest.update(played.actions)
        if played.fault is not None:
            if played.fault.kind == "stuck":  # it would be waited for as long in every deal
                return Probed(STUCK, times)
            digest.update(f"{played.fault.kind} {played.fault.decision}".encode())
        decided = zip(played.nanoseconds, played.seats, strict=False)
        times += [spent for spent, who in decided if who == seat]
    return Probed(digest.hexdigest(), times)


def probe(
    rules: Rules, player: Player, limit_s: float | None = None, clock: Clock | None = None
) -> str:
    """A digest of what the agent does on the probe set; empty if it is not reproducible."""
    if not is_reproducible(player):
        return ""
    dealt = (rules.random_deal(rng_for(_PROBE_SEED, "probe", s), s) for s in range(rules.players))
    places = ((replace(deal, id=f"probe-{seat}"), seat) for seat, deal in enumerate(dealt))
    return play_probe(Referee(rules, _PROBE_SEED, limit_s, clock), player, places).digest


def code_of(builders: Sequence[Builder]) -> str:
    """The hash of an entrant's code: of the packages of its families, and of rules and games."""
    digests = [_digest_of_games()]
    for builder in builders:
        families = (builder.family, builder.bidder_family)
        for family, own in zip(families, own_hashes(builder), strict=True):
            if family is not None:
                digests.append(own or _module_digest(getattr(family, "__module__", "")))
    return code_digest([], *digests)


def own_hashes(builder: Builder) -> Models:
    """The hashes of the card player and the bidder, if they are code in files or live objects."""
    cards, bidder = (
        part.sha256 if isinstance(part, (OwnCode, LiveAgent)) else None
        for part in (builder.family, builder.bidder_family)
    )
    return cards, bidder


@cache
def _module_digest(module: str) -> str:
    """Of the whole package; of the one file where the top is a folder without `__init__.py`."""
    for name in (module.partition(".")[0], module):
        file = getattr(sys.modules.get(name), "__file__", None)
        if file is not None:
            path = Path(file)
            return code_digest(path.parent.rglob("*.py") if path.stem == "__init__" else [path])
    return module


@cache
def _digest_of_games() -> str:
    root = Path(arena.__file__).parent
    return code_digest([*(root / "core").rglob("*.py"), *(root / "games").rglob("*.py")])


Models: TypeAlias = tuple[str | None, str | None]


def models_of(player: Player) -> Models:
    """The hashes of the models of a card player and its bidder."""
    return model_hash(player.cards), model_hash(player.bidder)


def fingerprint(
    entrant: Entrant,
    probes: Sequence[str],
    models: Sequence[Models],
    own_code: Sequence[Models] = (),
    folder: Path = Path(),
) -> str:
    """The fingerprint of an entrant, given the probes and the models of its members.

    Of members that are code in files, the hashes of these files count too. `folder` is that of
    the experiment.
    """
    members = [
        _described(spec, of_member, found, folder)
        for spec, of_member, found in zip(entrant.members, models, probes, strict=True)
    ]
    for member, hashes in zip(members, own_code, strict=False):
        if any(hashes):
            member["code"] = list(hashes)
    return code_digest([], json.dumps(members, sort_keys=True, ensure_ascii=False, default=str))


def _that_affect_play(spec: AgentSpec) -> dict[str, Any]:
    family = AGENTS.find(spec.family)
    without = {
        item.name
        for item in (fields(family) if is_dataclass(family) else ())
        if not item.metadata.get("affects_play", True)
    }
    return {name: value for name, value in spec.parameters.items() if name not in without}


def _described(spec: AgentSpec, models: Models, found: str, folder: Path) -> dict[str, Any]:
    return {
        "family": spec.family,
        "parameters": _that_affect_play(spec),
        "bidder": asdict(spec.bidder) if spec.bidder else None,
        "models": list(models),
        "probe": found,
        # Where it plays changes nothing; what it may use can.
        **({"limits": asdict(spec.limits)} if spec.limits else {}),
        **({"git": Revision.find(spec.source, folder).commit} if spec.source else {}),
        **({"twin": spec.twin} if spec.twin > 1 else {}),
    }
