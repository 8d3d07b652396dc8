"""Plays the card that a random forest likes best."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, cast

from agents.forests.features import JUDGES_LEGALITY
from agents.forests.model import Forest, best_card, read_forest
from arena.config.model_file import ModelFile
from arena.core.agent import parameter
from arena.core.errors import ArenaError
from arena.core.rules import Action, View
from arena.core.seeds import Rng
from arena.games.klaverjas import Klaverjas

_SHIPPED = ("amsterdam", "rotterdam")


@dataclass(frozen=True)
class ForestPlayer:
    """Judges every legal card by a random forest and plays the best.

    Source: Hordijk 2022. Differs: trained on games of our own tree searches, because the
    games of people that the thesis used are not public; with the values of the search
    for every card and not only the card played; with more features (`agents.forests.features`).
    Bids are legal calls at random unless the experiment sets a bidder.
    """

    compiles: ClassVar[bool] = True

    games: ClassVar[tuple[str, ...]] = ("klaverjas",)

    model: ModelFile | None = parameter(
        None, help="the forest; by default the shipped one of the variant"
    )

    @property
    def model_hash(self) -> str | None:
        """The hash of the forest, or by default of the two bundled ones."""
        files = [self.model] if self.model else [_shipped(variant) for variant in _SHIPPED]
        for file in files:
            _forest_in(file)  # say now what is wrong with it
        return "+".join(file.sha256 for file in files)

    def act(self, view: View, rng: Rng) -> Action:
        """The card with the best answer; the lowest of those that are alike."""
        if len(view.legal) == 1:
            return view.legal[0]
        if view.phase != "play":
            return rng.choice(view.legal)
        return best_card(_forest_in(self.model or _shipped(_variant(view))), view)


@lru_cache(maxsize=8)
def _forest_in(model: ModelFile) -> Forest:
    forest, _ = read_forest(model)
    if forest.features in JUDGES_LEGALITY:
        raise ArenaError(f"{model.path}: says which cards are legal, not which one to play")
    return forest


@lru_cache(maxsize=4)
def _shipped(variant: str) -> ModelFile:
    return ModelFile.find(f"forest-{variant}")


def _variant(view: View) -> str:
    """The variant that the shipped forest for a game is of: all Amsterdams share one."""
    return cast(Klaverjas, view.rules).variant.partition("-")[0]
