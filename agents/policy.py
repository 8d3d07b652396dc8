"""A policy as a player: no search, a few look-ups for each card."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from agents.beliefs.network import card_chances, is_network, read_seat_network
from agents.bidding.monte_carlo import MonteCarlo
from agents.bidding.passing import pass_card
from agents.policies.advice import adviser_for
from agents.policies.kinds import Policy
from agents.policies.model import SHIPPED, hash_of, read_policy, shipped
from arena.config.model_file import ModelFile
from arena.core.agent import parameter
from arena.core.rules import Action, View
from arena.core.seeds import Rng
from arena.games.kernel.spec import kernel_game

_MOST_CARDS = 64


@dataclass(frozen=True, kw_only=True)
class PolicyPlayer:
    """Plays a card as a policy would, without a search: by tables, a network or rules.

    Tables, and the network of `arena train seat`, are fitted to how a search plays (source of the
    latter: the "DNN" bot of Niklaus 2019, which plays the likeliest card); that of `arena train
    policy`, such as `model: policy-klaverjas`, says what each card will come to. The chances of the
    cards are raised to the power 1 / temperature; at 0 the likeliest card is played. Bids by
    Monte Carlo unless the configuration names a bidder; passes cards as `rule` does.
    """

    compiles: ClassVar[bool] = True

    needs: ClassVar[tuple[str, ...]] = ("four-players",)

    temperature: float = parameter(0.0, help="0 plays the likeliest card", at_least=0)
    type: str = parameter("", help="which of the model's types; by default the first")
    model: ModelFile | None = parameter(
        None,
        help="a file with a policy (arena train policy, arena train seat); else the game's own",
    )

    def __post_init__(self) -> None:
        if not self.games:
            self._policies()[0].number(self.type)  # raises now if the type is unknown

    @property
    def games(self) -> tuple[str, ...]:
        """The games that it plays: those with a policy that knows the type."""
        if self.is_seat_network:
            return SHIPPED
        knowing = [each for each in self._policies() if not self.type or self.type in each.types]
        return tuple(game for policy in knowing for game in policy.games)

    def _policies(self) -> list[Policy]:
        """The policies: the one in the file, or all bundled ones."""
        files = [shipped(game) for game in SHIPPED] if self.model is None else [self.model]
        return [read_policy(file) for file in files]

    @property
    def model_hash(self) -> str:
        """What the policies are known by, for the fingerprint."""
        if self.is_seat_network:
            assert self.model is not None  # it is one
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
        if self.temperature == 0.0 and not self.is_seat_network:
            return self._ask(view, np.empty(_MOST_CARDS))
        if self.temperature == 0.0:
            chances = self.chances(view)
            return max(chances, key=lambda card: chances[card])
        return rng.weighted(self._weights(view))

    def probabilities(self, view: View) -> dict[Action, float]:
        """How likely it plays each legal card; empty where it does not draw."""
        if self.temperature == 0.0 or view.phase != "play" or len(view.legal) == 1:
            return {}
        weights = self._weights(view)
        total = sum(weights.values())
        return {card: weight / total for card, weight in weights.items()}

    def _weights(self, view: View) -> dict[Action, float]:
        """The chances of the cards, raised to the power 1 / temperature."""
        return {c: chance ** (1.0 / self.temperature) for c, chance in self.chances(view).items()}

    def chances(self, view: View) -> dict[Action, float]:
        """How likely each legal card is."""
        if self.is_seat_network:
            assert self.model is not None  # it is one
            return card_chances(read_seat_network(self.model), view)
        found = np.empty(_MOST_CARDS)
        self._ask(view, found)
        bits = kernel_game(view.rules, view.trump).bits
        cards = sorted(view.legal, key=lambda card: bits[card])
        return dict(zip(cards, found.tolist(), strict=False))

    @property
    def is_seat_network(self) -> bool:
        """Whether it plays by a network of `arena train seat`, which is no compiled policy."""
        return self.model is not None and is_network(self.model)

    def _ask(self, view: View, found: NDArray[np.float64]) -> Action:
        """The likeliest card, and how likely all are."""
        return adviser_for(view.rules, view.trump, self.model, self.type).ask(view, found)
