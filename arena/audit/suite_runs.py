"""Agents on a suite: what each loses per position, by tag, and compared in pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from arena.analysis.estimates import Estimate, mean_by_unit
from arena.audit.suites import Suite, SuitePosition
from arena.core.agent import Player, Setup, sees_all_cards
from arena.core.cards import SEATS
from arena.core.errors import ArenaError
from arena.core.rules import Action, Rules, action_name
from arena.core.seeds import rng_for
from arena.games.needs import why_not
from arena.process.faults import AtFault, one_line_of, shown, whole_number


@dataclass(frozen=True)
class SuiteAnswer:
    """An agent's play in a position."""

    position: str
    card: int | None
    """None if it failed."""
    lost: float
    """Points lost as far as could be known; in hindsight, where that is not known. A fault loses as
    much as the worst card."""
    as_said: bool | None
    """Whether it is what should be played; None if the position does not say."""
    fault: str | None = None
    """Its fault: an exception, a crash, a late answer or an illegal play."""


@dataclass(frozen=True)
class SuiteScore:
    """The points that an agent lost on a suite."""

    agent: str
    answers: tuple[SuiteAnswer, ...]
    lost: Estimate
    """Points per position, with the interval over deals."""
    best: float
    """Share of the positions in which it played a card that loses nothing."""
    faults: int
    by_tag: Mapping[str, Estimate]
    against_first: Estimate | None
    """Its loss less the first agent's, position by position; None for the first agent."""


def answer(
    rules: Rules, position: SuitePosition, name: str, player: Player, seed: int = 0
) -> SuiteAnswer:
    """Let an agent play a card: the same for the same seed, whatever was asked before."""
    try:
        card = _card(rules, position, name, player, seed)
    except AtFault as error:
        worst = float(max(position.labels.values()))
        said = False if position.should else None
        return SuiteAnswer(position.id, None, worst, said, str(error))
    said = card in position.should if position.should else None
    return SuiteAnswer(position.id, card, float(position.labels[card]), said)


def _card(rules: Rules, position: SuitePosition, name: str, player: Player, seed: int) -> Action:
    state = position.state(rules)
    seat = state.turn
    view = rules.view(state, seat, all_hands=sees_all_cards(player))
    with one_line_of(name):
        seated = player.take_seat(Setup(rules, seat))
        played = seated.cards.act(view, rng_for(seed, "suite", position.id, seat))
    card = whole_number(played)
    if card not in view.legal:
        did = action_name(card) if card >= 0 else shown(played)
        legal = " ".join(map(action_name, view.legal))
        raise AtFault(f"the agent {name} played {did} as {SEATS[seat]}, legal: {legal}")
    return card


def run_suite(suite: Suite, players: Mapping[str, Player], seed: int = 0) -> list[SuiteScore]:
    """The loss of each agent. The unit of all intervals is the deal that positions come from."""
    places: dict[object, int] = {}
    units = [places.setdefault(each.deal.hands, len(places)) for each in suite.positions]
    scores: list[SuiteScore] = []
    for name, player in players.items():
        if (why := why_not(player.cards, suite.rules)) is not None:
            raise ArenaError(f"{name} {why}")
        found = tuple(answer(suite.rules, each, name, player, seed) for each in suite.positions)
        lost = [each.lost for each in found]
        first = [each.lost for each in scores[0].answers] if scores else None
        scores.append(
            SuiteScore(
                name,
                found,
                mean_by_unit(units, lost),
                sum(each.lost == 0 and not each.fault for each in found) / len(found),
                sum(each.fault is not None for each in found),
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
