"""A fingerprint is what an agent does: it changes with behaviour and with nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import pytest
from helpers.experiments import Anything, Lowest, Memory, Trouble

from arena.config.entrants import AgentSpec, BidderSpec, Entrant
from arena.core.agent import Player
from arena.core.rules import Action, Rules, View
from arena.core.seeds import Rng
from arena.games.hearts import Hearts
from arena.games.klaverjas import Klaverjas
from arena.games.schieber import Schieber
from arena.tournament.fingerprint import fingerprint, models_of, probe

RULES = Klaverjas()


def of(agent: Any, rules: Rules = RULES, bidder: Any = None, **parameters: Any) -> str:
    player = Player(agent, bidder)
    spec = AgentSpec("family", parameters, BidderSpec("b", {}) if bidder else None)
    return fingerprint(Entrant("name", (spec,)), [probe(rules, player)], [models_of(player)])


@dataclass(frozen=True)
class Rewritten:
    """`Lowest`, in another version and other words."""

    version: ClassVar[str] = "2.0"

    def act(self, view: View, rng: Rng) -> Action:
        return min(view.legal)


@dataclass(frozen=True)
class LastTrickOnly(Rewritten):
    """Plays otherwise in one late trick of eight."""

    def act(self, view: View, rng: Rng) -> Action:
        return max(view.legal) if len(view.tricks) == 5 else min(view.legal)


@dataclass(frozen=True)
class Modelled(Rewritten):
    model_hash: str = "1234"


@dataclass(frozen=True)
class OnTheClock(Rewritten):
    reproducible: ClassVar[bool] = False

    def act(self, view: View, rng: Rng) -> Action:
        raise RuntimeError("must not be probed")


@pytest.mark.parametrize("rules", [RULES, Klaverjas(bidding="classical"), Schieber(), Hearts()])
def test_the_same_behaviour_has_the_same_fingerprint(rules: Rules) -> None:
    assert of(Lowest(), rules) == of(Rewritten(), rules) == of(Memory(), rules)
    assert of(Anything(), rules) == of(Anything(), rules)


def test_another_behaviour_has_another_fingerprint() -> None:
    agents = [Lowest(), LastTrickOnly(), Anything(), Modelled(), Modelled("5678")]
    assert len({of(agent) for agent in agents}) == len(agents)


def test_parameters_and_bidders_count() -> None:
    class Bold:
        def bid(self, view: View, rng: Rng) -> Action:
            return view.legal[-1]

    rules = Klaverjas(bidding="classical")
    found = {of(Lowest(), rules), of(Lowest(), rules, c=1), of(Lowest(), rules, c=2)}
    assert len(found) == 3
    assert of(Lowest(), rules, Bold()) not in found


def test_a_fault_is_behaviour() -> None:
    assert len({of(Trouble("crash")), of(Trouble("card")), of(Trouble("crash", trick=4))}) == 3


def test_an_agent_on_the_clock_is_not_probed() -> None:
    assert of(OnTheClock()) == of(OnTheClock())
