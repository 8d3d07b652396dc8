"""OpenSpiel's bots for Hearts as agents: every decision is made in a position of OpenSpiel's own.

It needs `pip install open_spiel` and `game: {name: hearts, variant: openspiel_default}`, the rules
that both sides have in common; cards are not passed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import pyspiel

from arena.core.agent import parameter
from arena.core.cards import LANE, cards_of, mask_of, rank_of, suit_of
from arena.core.rules import Action, View
from arena.core.seeds import Rng
from arena.games.infoset import InfoSet
from arena.games.world_sampler import WorldSampler

_SUITS = 4
_NO_PASSING = 0
_AS_MANY_WORLDS_AS_SIMULATIONS = -1


@dataclass(frozen=True)
class Ismcts:
    """OpenSpiel's `ISMCTSBot`: information set MCTS in C++, one random playout a simulation.

    It deals the unseen cards anew for every simulation, also to players who have shown out of
    the suit, and by random numbers that cannot be seeded.
    """

    games: ClassVar[tuple[str, ...]] = ("hearts",)
    reproducible: ClassVar[bool] = False

    simulations: int = parameter(800, help="simulations per decision", at_least=1)
    c: float = parameter(20.0, help="exploration in points", at_least=0)

    def act(self, view: View, rng: Rng) -> Action:
        """The card with most visits."""
        if len(view.legal) == 1:
            return view.legal[0]
        hands = WorldSampler(InfoSet.of(view)).sample(rng)  # any will do: the bot deals anew
        bot = pyspiel.ISMCTSBot(
            rng.below(1 << 31), pyspiel.RandomRolloutEvaluator(1, rng.below(1 << 31)), self.c,
            self.simulations, _AS_MANY_WORLDS_AS_SIMULATIONS,
            pyspiel.ISMCTSFinalPolicyType.MAX_VISIT_COUNT, False, False,
        )  # fmt: skip
        return _card(bot.step(_position(view, hands)))


@dataclass(frozen=True)
class Mcts:
    """OpenSpiel's `MCTSBot` on the true cards: it cheats, as an upper bound."""

    games: ClassVar[tuple[str, ...]] = ("hearts",)
    sees_all_cards: ClassVar[bool] = True

    simulations: int = parameter(800, help="simulations per decision", at_least=1)
    c: float = parameter(20.0, help="exploration in points", at_least=0)

    def act(self, view: View, rng: Rng) -> Action:
        """The best card of the tree."""
        if len(view.legal) == 1:
            return view.legal[0]
        assert view.all_hands is not None  # it is seated as one that sees them
        state = _position(view, view.all_hands)
        bot = pyspiel.MCTSBot(
            state.get_game(), pyspiel.RandomRolloutEvaluator(1, rng.below(1 << 31)), self.c,
            self.simulations, 1000, False, rng.below(1 << 31), False,
        )  # fmt: skip
        return _card(bot.step(state))


def _position(view: View, hands: tuple[int, ...]) -> Any:
    """What has been played, in OpenSpiel; `hands` are the cards that all seats hold now."""
    dealt = list(hands)
    plays = [(trick.leader, trick.cards) for trick in view.tricks]
    if view.table_leader is not None:
        plays.append((view.table_leader, view.table))
    for leader, cards in plays:
        for place, card in enumerate(cards):
            dealt[view.rules.seat_after(leader, place)] |= 1 << card
    state = pyspiel.load_game("hearts(pass_cards=false)").new_initial_state()
    state.apply_action(_NO_PASSING)
    one_by_one = zip(*map(cards_of, dealt), strict=True)
    for card in [card for row in one_by_one for card in row]:
        state.apply_action(_action(card))
    for _, cards in plays:
        for card in cards:
            state.apply_action(_action(card))
    if state.current_player() != view.seat or sum(map(_bit, state.legal_actions())) != mask_of(
        view.legal
    ):
        raise ValueError("OpenSpiel plays by other rules: say variant: openspiel_default")
    return state


def _action(card: int) -> int:
    """OpenSpiel counts rank by rank, C D H S in each."""
    return _SUITS * rank_of(card) + suit_of(card)


def _card(action: int) -> int:
    rank, suit = divmod(action, _SUITS)
    return LANE * suit + rank


def _bit(action: int) -> int:
    return 1 << _card(action)
