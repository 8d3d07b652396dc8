"""The conformance suite: good agents and games pass, and every kind of bad one is found out."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest
from helpers import strange_agents as strange

from arena.core.deals import Deal
from arena.core.registry import AGENTS
from arena.core.rules import Action, IllegalAction, Outcome, Position, View
from arena.games.base import TableRound
from arena.games.klaverjas import Klaverjas
from arena.games.klaverjas.bidding import SYSTEMS
from arena.games.needs import trick_games
from arena.testing import NotConformant, check_agent, check_game, rule_sets

GIVEN = Klaverjas()
AUCTION = Klaverjas(bidding="free-choice")


@pytest.mark.parametrize("game", trick_games())
def test_our_games_conform(game):
    check_game(game, deals=3)


@pytest.mark.parametrize("agent", [strange.OpenHanded, strange.CountsInItsSeat])
def test_agents_that_are_only_odd_conform(agent):
    check_agent(agent, game=GIVEN)
    check_agent(agent, game=AUCTION, other_process=False)


@pytest.mark.parametrize(
    ("agent", "game", "complaint"),
    [
        (strange.Illegal, GIVEN, r"Illegal: played [CDHS].*, legal: .*random-0, seat"),
        (strange.NeverBid, AUCTION, r"played pass, legal: trump-C trump-D .*phase bid"),
        (strange.NoPhases, AUCTION, r"raised KeyError: 'bid' .*phase bid"),
        (strange.OwnChance, GIVEN, r"is not deterministic: asked again it played"),
        (strange.TextOrder, GIVEN, r"is not deterministic: another process played"),
        (strange.Counts, GIVEN, r"remembers something from other deals or other seats"),
        (strange.Peeps, GIVEN, r"knows hidden cards: with the same view and seed"),
        (strange.Peeps, AUCTION, r"knows hidden cards: with the same view and seed"),
        (strange.Hoards, GIVEN, r"the state of the round can be reached from the agent"),
        (strange.HoardsInAClosure, GIVEN, r"the hand of seat [NESW] can be reached"),
        (strange.Unpicklable, GIVEN, r"Unpicklable: cannot be pickled, so no worker can play it"),
        (strange.SaysTrue, GIVEN, r"answered True, which is no action"),
        (strange.Nobody, GIVEN, r"Nobody: has no method act\(view, rng\)"),
    ],
)
def test_bad_agents_are_found_out(agent, game, complaint):
    with pytest.raises(NotConformant, match=complaint):
        check_agent(agent, game=game)


def test_every_phase_of_every_game_is_tried_under_all_options():
    strange.WATCHED.clear()
    check_agent(strange.Watcher, deals=1, other_process=False)
    phases = {(rules.name, phase) for rules, phase in strange.WATCHED}
    assert phases == {
        ("hearts", "pass"),
        ("hearts", "play"),
        ("klaverjas", "bid"),
        ("klaverjas", "play"),
    }
    klaverjas = {rules for rules, _ in strange.WATCHED if rules.name == "klaverjas"}
    assert klaverjas == set(rule_sets("klaverjas"))
    assert {rules.bidding for rules in klaverjas} == set(SYSTEMS)
    assert {rules.variant for rules in klaverjas} > {"amsterdam", "rotterdam"}


@pytest.mark.parametrize("family", AGENTS.names())
def test_families_say_what_they_are(family):
    assert (AGENTS.get(family).__doc__ or "").strip(), "the docstring is shown to people"


# --- games -------------------------------------------------------------------------------


class LeakyView(Klaverjas):
    """Hands out a view with the whole state in it."""

    def view(self, state: TableRound, seat: int, *, all_hands: bool = False) -> View:
        return super().view(state, seat)._replace(shown=((0, state),))  # type: ignore[arg-type]


class AllHands(Klaverjas):
    """Shows everybody's cards to those who did not ask."""

    def view(self, state: TableRound, seat: int, *, all_hands: bool = False) -> View:
        return super().view(state, seat, all_hands=True)


class AnythingGoes(Klaverjas):
    """Says what is legal but does not insist."""

    def apply(self, state: TableRound, action: Action) -> None:
        super().apply(state, action if action in state.legal else state.legal[0])


class OtherPlayable(Klaverjas):
    """What may be played depends on who asks."""

    def playable(self, hand: int, position: Position) -> int:
        return super().playable(hand, position._replace(table=()))

    def _next_turn(self, state: TableRound, seat: int) -> None:
        super()._next_turn(state, seat)
        state.legal = state.legal[:1]


class TooHigh(Klaverjas):
    """Scores more than it says is possible."""

    def outcome(self, state: TableRound) -> Outcome:
        return super().outcome(state)._replace(scores=(5000, 0))


class OneScore(Klaverjas):
    """Has one score for two sides."""

    def outcome(self, state: TableRound) -> Outcome:
        return super().outcome(state)._replace(scores=(162,))


class SharedTable(Klaverjas):
    """Keeps the cards on the table in the rules, so rounds disturb each other."""

    rounds: ClassVar[dict[str, TableRound]] = {}

    def start(self, deal: Deal, *standing: Any) -> TableRound:
        return self.rounds.setdefault(deal.id, super().start(deal, *standing))


class NoHelp(Klaverjas):
    """Does not say what its options are for."""

    options_help: ClassVar[dict[str, str]] = {}


class ChangesFirst(Klaverjas):
    """Notices an illegal action when it is too late."""

    def apply(self, state: TableRound, action: Action) -> None:
        if action not in state.legal and state.turn is not None:
            seat, legal = state.turn, state.legal
            state.points = (state.points[0] + 1, state.points[1])
            raise IllegalAction(seat, action, legal, state.deal.id)
        super().apply(state, action)


@pytest.mark.parametrize(
    ("game", "complaint"),
    [
        (LeakyView, "the state of the round can be reached from the view of N"),
        (AllHands, "view of N shows all hands"),
        (AnythingGoes, "C2 is illegal but was accepted"),
        (OtherPlayable, "playable is not what is legal"),
        (TooHigh, "margin 5000.0 is outside of margin_bounds"),
        (OneScore, "outcome: 1 scores, not one per side"),
        (SharedTable, "share their state"),
        (NoHelp, "options_help lacks 'variant'"),
        (ChangesFirst, "a refused action changed the round"),
    ],
)
def test_bad_games_are_found_out(game, complaint):
    with pytest.raises(NotConformant, match=complaint):
        check_game(game())
