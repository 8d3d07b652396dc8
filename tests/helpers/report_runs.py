"""Small runs for the tests of analysis and reports."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from arena.config.entrants import AgentSpec, Entrant
from arena.config.models import Reference
from arena.core.rules import Action, MatchFormat, View
from arena.core.seeds import Rng
from arena.games.hearts import Hearts
from arena.games.klaverjas import Klaverjas
from arena.games.schieber import Schieber
from helpers.experiments import entrant, family, make_deals, make_experiment, play

HOSTILE = ("<script>alert(1)</script>", '"><img src=x onerror=alert(2)>', "a|b *c* $d$ & {{7*7}}")


@family("report-eager")
@dataclass(frozen=True)
class Eager:
    """Plays high with a probability, else anything: the higher, the more predictable."""

    percent: int = 50
    c: float = 0.5

    def act(self, view: View, rng: Rng) -> Action:
        return view.legal[-1] if rng.below(100) < self.percent else rng.choice(view.legal)


@family("report-open")
@dataclass(frozen=True)
class Open:
    """Sees all cards, and says so."""

    sees_all_cards: ClassVar[bool] = True

    def act(self, view: View, rng: Rng) -> Action:
        assert view.all_hands is not None
        return view.legal[-1]


def klaverjas(path: Path, **changes: Any) -> Path:
    """Three agents, one of which sees all cards, on 16 deals."""
    entrants = (entrant("any"), entrant("lowest", "lowest"), entrant("open", "report-open"))
    play(make_experiment(16, entrants, **changes), path)
    return path


def hostile(path: Path) -> Path:
    """Names, deals and a description that try to become part of the page."""
    entrants = tuple(
        Entrant(name, (AgentSpec("any", twin=number),)) for number, name in enumerate(HOSTILE, 1)
    )
    experiment = make_experiment(4, entrants)
    deals = tuple(replace(deal, id=f"<i>{deal.id}</i>") for deal in experiment.deals)
    description = "</script><script>alert(3)</script>"
    play(replace(experiment, deals=deals, description=description, name="x</title>"), path)
    return path


def hearts(path: Path) -> Path:
    """Everybody for themselves, with passing: six seatings."""
    rules = Hearts(passing="left")
    play(make_experiment(4, (entrant("any"), entrant("eager", "report-eager")), rules), path)
    return path


def schieber(path: Path) -> Path:
    """With an auction, Weis and Stöck."""
    rules = Schieber(weis=True, stoeck=True, match_bonus=100)
    play(make_experiment(6, (entrant("any"), entrant("eager", "report-eager")), rules), path)
    return path


def matches(path: Path) -> Path:
    """Matches of four rounds with bidding."""
    rules = Klaverjas(bidding="classical")
    experiment = make_experiment(12, None, rules, match=MatchFormat(rounds=4))
    play(experiment, path)
    return path


def forfeits(path: Path) -> Path:
    """An agent that crashes on some deals and forfeits them."""
    crashes = make_deals(Klaverjas(), 1)[0].hands[0][0]
    entrants = (entrant("any"), entrant("trouble", "trouble", first_card=crashes))
    play(make_experiment(12, entrants, on_fault="forfeit"), path)
    return path


def sweep(path: Path) -> Path:
    """Two lines of three points against one opponent, with published values."""
    eager = [
        entrant(f"eager-{percent}-{c}", "report-eager", percent=percent, c=c)
        for c in (0.5, 1.0)
        for percent in (5, 50, 95)
    ]
    references = (
        Reference(label="a thesis", pair=("eager-95-0.5", "any"), unit="win rate", value=0.5),
        Reference(label="a paper", agent="eager-95-0.5", value=70.0, se=3.0, n=100),
        Reference(label="a blog", agent="any", unit="stars", value=5.0),
    )
    experiment = make_experiment(8, (*eager, entrant("any")))
    pairings = tuple((each.name, "any") for each in eager)
    play(replace(experiment, pairings=pairings, references=references), path)
    return path


KINDS = {
    "klaverjas": klaverjas,
    "hostile": hostile,
    "hearts": hearts,
    "schieber": schieber,
    "matches": matches,
    "forfeits": forfeits,
    "sweep": sweep,
}


@dataclass(frozen=True)
class Written:
    """A run folder with its report."""

    folder: Path

    @property
    def page(self) -> Path:
        return self.folder / "report.html"

    @property
    def html(self) -> str:
        return self.page.read_text(encoding="utf-8")

    @property
    def markdown(self) -> str:
        return (self.folder / "report.md").read_text(encoding="utf-8")

    @property
    def document(self) -> dict[str, Any]:
        document: dict[str, Any] = json.loads((self.folder / "report.json").read_text())
        return document
