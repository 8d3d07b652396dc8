"""Agents on a suite: what each loses per position, by tag, and compared in pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from arena.analysis.estimates import Estimate, mean_by_unit
from arena.audit.suites import Suite, SuitePosition
from arena.core.agent import Player, Setup, sees_all_cards
from arena.core.cards import SEATS
from arena.core.errors import ArenaError
from arena.core.rules import Rules, action_name
from arena.core.seeds import rng_for
from arena.games.needs import why_not
from arena.process.faults import one_line_of


@dataclass(frozen=True)
class SuiteAnswer:
    """What an agent played in a position."""

    position: str
    card: int
    lost: float
    """Points lost as far as could be known; in hindsight, where that is not known."""
    as_said: bool | None
    """Whether it is what should be played; None if the position does not say."""


@dataclass(frozen=True)
class SuiteScore:
    """What one agent lost on a suite."""

    agent: str
    answers: tuple[SuiteAnswer, ...]
    lost: Estimate
    """Points per position, with the interval over deals."""
    best: float
    """Share of the positions in which it played a card that loses nothing."""
    by_tag: Mapping[str, Estimate]
    against_first: Estimate | None
    """What it lost more than the first agent, position by position; None for the first agent."""


def answer(rules: Rules, position: SuitePosition, player: Player, seed: int = 0) -> SuiteAnswer:
    """Let an agent play a card: the same for the same seed, whatever was asked before."""
    state = position.state(rules)
    seat = state.turn
    view = rules.view(state, seat, all_hands=sees_all_cards(player))
    seated = player.take_seat(Setup(rules, seat))
    card = seated.cards.act(view, rng_for(seed, "suite", position.id, seat))
    if card not in view.legal:
        legal = " ".join(map(action_name, view.legal))
        raise ArenaError(f"position {position.id}: {SEATS[seat]} played {card!r}, legal: {legal}")
    said = card in position.should if position.should else None
    return SuiteAnswer(position.id, card, float(position.labels[card]), said)


def run_suite(suite: Suite, players: Mapping[str, Player], seed: int = 0) -> list[SuiteScore]:
    """What each agent loses. The unit of all intervals is the deal that positions come from."""
    places: dict[object, int] = {}
    units = [places.setdefault(each.deal.hands, len(places)) for each in suite.positions]
    scores: list[SuiteScore] = []
    for name, player in players.items():
        if (why := why_not(player.cards, suite.rules)) is not None:
            raise ArenaError(f"{name} {why}")
        with one_line_of(name):
            found = tuple(answer(suite.rules, each, player, seed) for each in suite.positions)
        lost = [each.lost for each in found]
        first = [each.lost for each in scores[0].answers] if scores else None
        scores.append(
            SuiteScore(
                name,
                found,
                mean_by_unit(units, lost),
                sum(each == 0 for each in lost) / len(lost),
                _by_tag(suite, units, lost),
                None
                if first is None
                else mean_by_unit(units, [x - y for x, y in zip(lost, first, strict=True)]),
            )
        )
    return scores


def _by_tag(suite: Suite, units: Sequence[int], lost: Sequence[float]) -> dict[str, Estimate]:
    found = {}
    for tag in dict.fromkeys(tag for each in suite.positions for tag in each.tags):
        chosen = [
            (unit, x)
            for each, unit, x in zip(suite.positions, units, lost, strict=True)
            if tag in each.tags
        ]
        found[tag] = mean_by_unit(*zip(*chosen, strict=True))
    return found
