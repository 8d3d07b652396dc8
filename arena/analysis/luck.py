"""The luck of known draws: what agents' own random choices were worth, from stored rounds.

An agent that reports its action probabilities draws its card from them. The value of the card
drawn, less the mean value over these probabilities, has mean 0 whatever the values are, because
the draw does not depend on them. Summed over a deal it is a control variate (AIVAT of Burch et
al. 2018, for the players' own draws; the luck of the cards is left to the exchange of seats).
Values come from playouts with all cards open. They are the same in both seatings for as long as
the play is, so that nothing is added where common random numbers cancel.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Protocol, runtime_checkable

import numpy as np

from arena.analysis.decisions import Explains
from arena.analysis.results import check_not_stopped, read
from arena.config.entrants import AgentSpec
from arena.core.agent import Agent, Player
from arena.core.errors import ArenaError
from arena.core.registry import AGENTS
from arena.core.rules import Action, View
from arena.core.seeds import rng_for
from arena.games.needs import why_not
from arena.stats.luck import LuckCorrection, luck_correction
from arena.store import Replay, Run
from arena.tournament.schedule import seed_number

PLAYOUTS = 20
"""Playouts for the value of each legal card."""
_JUDGE = "flat-mc"


@runtime_checkable
class ReportsProbabilities(Protocol):
    """An agent that knows how likely each of its actions is."""

    def probabilities(self, view: View) -> Mapping[Action, float]:
        """How likely it takes each action; empty where it does not know, or does not draw."""
        ...


@dataclass(frozen=True)
class KnownLuck:
    """Two agents with and without the luck of their draws."""

    first: str
    second: str
    unit: str
    known: int
    """Decisions that were drawn from reported probabilities, ..."""
    decisions: int
    """... of all decisions with a choice."""
    statistics: LuckCorrection


def known_luck(run: Run, first: str, second: str) -> KnownLuck:
    """Correct the margin of two agents for the luck of their own draws."""
    check_not_stopped([run], "this correction")
    results = read([run], [first, second])
    pair = results.pair(first, second).without_forfeits()
    if len(pair.units) < 4:
        raise ArenaError(f"{run.path}: {first} and {second} have played too little: 4 deals needed")
    spec = AgentSpec(_JUDGE, {"playouts": PLAYOUTS, "sees": "all", "value": "difference"})
    if (reason := why_not(AGENTS.get(_JUDGE), run.rules)) is not None:
        raise ArenaError(f"{run.path}: cards have no values here: {_JUDGE} {reason}")
    found = _Luck(run, spec.build(run.path).cards)
    (pairing,) = (each for each in run.pairings if {each.first, each.second} == {first, second})
    total: dict[str, float] = dict.fromkeys(pair.units, 0.0)
    for replay in run.replays(pairing):
        if replay.record.unit in total:
            total[replay.record.unit] += found.of(replay)
    if not found.known:
        raise ArenaError(
            f"{run.path}: neither {first} nor {second} reports how likely its actions are "
            "(`probabilities`), or they never drew"
        )
    sign = 1.0 if pairing.first == first else -1.0
    luck = sign * np.array([total[unit] for unit in pair.units]) / len(run.seatings)
    statistics = luck_correction(pair.margins, luck)
    return KnownLuck(first, second, results.unit, found.known, found.decisions, statistics)


class _Luck:
    """Adds up the luck of rounds, in favour of a pairing's first agent."""

    def __init__(self, run: Run, judge: Agent) -> None:
        assert isinstance(judge, Explains)  # flat-mc is
        self._run, self._judge = run, judge
        self._built = cache(self._build)
        self.known = self.decisions = 0

    def _build(self, name: str, member: int) -> Player:
        return self._run.manifest.entrants[name].members[member].build(self._run.path)

    def of(self, replay: Replay) -> float:
        """The first agent's luck from the draws of one round."""
        run, record = self._run, replay.record
        rules, state = run.rules, run.rules.start(replay.deal, replay.standing)
        seed = seed_number(run.seatings, record.seating)
        made, luck = [0] * rules.players, 0.0
        for action in record.actions:
            seat = state.turn
            if len(state.legal) > 1:
                self.decisions += 1
                chances = self._probabilities(replay, rules.view(state, seat))
                if len(chances) > 1:
                    self.known += 1
                    rng = rng_for(run.manifest.seed, "luck", replay.deal.id, seed, seat, made[seat])
                    values = self._judge.explain(rules.view(state, seat, all_hands=True), rng)
                    mean = sum(p * values[each].value for each, p in chances.items())
                    mine = 1 if replay.seats[seat] == replay.pairing.first else -1
                    luck += mine * (values[action].value - mean)
            made[seat] += 1
            rules.apply(state, action)
        return luck

    def _probabilities(self, replay: Replay, view: View) -> Mapping[Action, float]:
        """Those of the player in the seat; only cards, and only of agents that report them."""
        name = replay.seats[view.seat]
        members = len(self._run.manifest.entrants[name].members)
        player = self._built(name, replay.seats[: view.seat].count(name) % members)
        if view.phase != "play" or not isinstance(player.cards, ReportsProbabilities):
            return {}
        return player.cards.probabilities(view)
