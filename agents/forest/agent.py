"""Plays the card that a random forest likes best."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from agents.forest.features import features_of
from agents.forest.model import Forest, predict, read_forest
from arena.agent import parameter
from arena.model_file import ModelFile
from arena.rules import Action, View
from arena.seeds import Rng

__all__ = ["ForestPlayer"]


@dataclass(frozen=True)
class ForestPlayer:
    """Judges every legal card by a random forest and plays the best.

    Source: Hordijk 2022. Differs: trained on games of our own tree searches, because the
    games of people that the thesis used are not public; with the values of the search
    for every card and not only the card played; with more features (`agents.forest.features`).
    Bids are legal calls at random unless a bidder is set beside it.
    """

    games: ClassVar[tuple[str, ...]] = ("klaverjas",)

    model: ModelFile | None = parameter(
        None, help="the forest; by default the shipped one of the variant"
    )

    @property
    def model_hash(self) -> str | None:
        """What the forest is known by; None if it goes by the variant."""
        if self.model is None:
            return "+".join(_shipped(variant)[1] for variant in ("amsterdam", "rotterdam"))
        read_forest(self.model)
        return self.model.sha256

    def act(self, view: View, rng: Rng) -> Action:
        """The card with the best answer; the lowest of those that are alike."""
        if len(view.legal) == 1:
            return view.legal[0]
        if view.phase != "play":
            return rng.choice(view.legal)
        if self.model is None:
            forest, _, features = _shipped(view.rules.variant)  # type: ignore[attr-defined]
        else:
            forest, header = read_forest(self.model)
            features = header["features"]
        answers = predict(forest, features_of(view, features))
        return view.legal[int(answers.argmax())]


@lru_cache(maxsize=4)
def _shipped(variant: str) -> tuple[Forest, str, str]:
    model = ModelFile.find(f"forest-{variant}")
    forest, header = read_forest(model)
    return forest, model.sha256, header["features"]
