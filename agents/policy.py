"""A policy as a player: no search, a few look-ups for each card."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.beliefs.network import card_chances, is_network, read_seat_network
from agents.bidding.monte_carlo import MonteCarlo
from agents.passing import pass_card
from agents.policies.features import deck_of
from agents.policies.inference import voids_of
from agents.policies.model import SHIPPED, hash_of, policies_for
from agents.policies.tables import weigh
from arena.agent import parameter
from arena.cards import cards_of
from arena.games.kernel.jit import warms
from arena.games.kernel.spec import kernel_game
from arena.games.klaverjas import Klaverjas
from arena.model_file import ModelFile
from arena.rules import Action, View
from arena.seeds import Rng

__all__ = ["PolicyPlayer"]


@dataclass(frozen=True, kw_only=True)
class PolicyPlayer:
    """Plays a card as a policy would, fitted to how a search plays: tables, or a network.

    Source of the network: the "DNN" bot of Niklaus 2019, which plays the likeliest card.
    The chances of the cards are raised to the power 1 / temperature; at 0 the likeliest card is
    played. Bids by Monte Carlo unless a bidder is set beside it; passes cards as `rule` does.
    """

    games: ClassVar[tuple[str, ...]] = SHIPPED
    needs: ClassVar[tuple[str, ...]] = ("four-players",)

    temperature: float = parameter(0.0, help="0 plays the likeliest card", at_least=0)
    type: str = parameter("", help="which of the model's types; by default the first")
    model: ModelFile | None = parameter(
        None, help="a file with policies, or a network's (arena train seat); else the game's own"
    )

    @property
    def model_hash(self) -> str:
        """What the policies are known by, for the fingerprint."""
        if self.model is not None and is_network(self.model):
            return read_seat_network(self.model).sha256
        return hash_of(self.model)

    def act(self, view: View, rng: Rng) -> Action:
        """A card by its chance."""
        if len(view.legal) == 1:
            return view.legal[0]
        if view.phase == "bid":
            return MonteCarlo().bid(view, rng)
        if view.phase == "pass":
            return pass_card(view, rng)
        chances = self.chances(view)
        if self.temperature == 0.0:
            return max(chances, key=lambda card: chances[card])
        weights = [chance ** (1.0 / self.temperature) for chance in chances.values()]
        goal = rng.random() * sum(weights)
        for card, weight in zip(chances, weights, strict=True):
            goal -= weight
            if goal < 0.0:
                return card
        return card

    def chances(self, view: View) -> dict[Action, float]:
        """How likely each legal card is."""
        if self.model is not None and is_network(self.model):
            return card_chances(read_seat_network(self.model), view)
        game, model = kernel_game(view.rules, view.trump), policies_for(view.rules, self.model)
        root = game.view_state(view)
        cards = game.mask(sum(1 << card for card in view.legal))
        weights = np.empty(64)
        total = weigh(
            root, game.words, voids_of(game, view), deck_of(game), model.factors(game),
            model.number(self.type), cards, weights,
        )  # fmt: skip
        bits = cards_of(int(cards))
        return {game.cards[bit]: float(weights[i] / total) for i, bit in enumerate(bits)}


@warms
def _exercise() -> None:
    rules = Klaverjas()
    state = rules.start(rules.random_deal(Rng(0), 0))
    assert state.turn is not None  # somebody leads
    PolicyPlayer().chances(rules.view(state, state.turn))
