"""Rule players as policies: the card of the rules, and with a small chance another.

A model is a small file: which `rules` (`rule`, or `as-written` in Klaverjas), and how often their
player is taken to slip. Then all other legal cards are alike, so that no play is impossible.
The bundled one is called `rule`.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from pathlib import Path

import numpy as np

from agents.policies.kinds import OfOneType, Style
from arena.config.model_file import ModelFile
from arena.core.errors import ArenaError
from arena.core.files import write_atomically
from arena.games.observation import Observation
from arena.games.rulebook import book_of, games_with

ENCODING = "rule"
SLIPS = 0.05
"""How often another card than the one by the rules is reckoned with. The compiled players do not
know the order in which others hold their cards, which decides where rules leave a choice."""


@dataclass(frozen=True, eq=False)
class RulePolicy(OfOneType):
    """The rule player of a game, with slips."""

    rules: str = "rule"
    slips: float = SLIPS
    recipe: str = ""
    types: tuple[str, ...] = ("rule",)

    @property
    def games(self) -> tuple[str, ...]:
        """The games that have such a player."""
        return games_with(self.rules)

    @cached_property
    def sha256(self) -> str:
        """The hash of the model, for the fingerprint."""
        return hashlib.sha256(f"{self.rules} {self.slips!r}".encode()).hexdigest()

    def style(self, observed: Observation, sharpness: float = 1.0) -> Style:
        """The rules, with all that was played until now in their book."""
        self.check(observed.view.rules)
        book = book_of(observed, self.rules)
        return Style(None, book, self.slips, sharpness, np.zeros(64))


def save_rule_policy(path: Path, policy: RulePolicy) -> None:
    """Write a model."""
    content = BytesIO()
    np.savez(
        content,
        encoding=np.array(ENCODING),
        rules=np.array(policy.rules),
        slips=np.array(policy.slips),
        recipe=np.array(policy.recipe),
    )
    write_atomically(path, content.getvalue())


def read_rule_policy(model: ModelFile) -> RulePolicy:
    """Read a model; `ArenaError` says what is wrong with it."""
    arrays = model.arrays()
    try:
        rules, slips = str(arrays["rules"]), float(arrays["slips"])
        recipe = str(arrays.get("recipe", ""))
    except (KeyError, TypeError, ValueError) as error:
        raise ArenaError(f"{model.path}: not a policy: {error or type(error).__name__}") from error
    if rules not in ("rule", "as-written") or not 0.0 < slips < 1.0:
        raise ArenaError(f"{model.path}: not a policy: rules {rules!r} with slips of {slips}")
    return RulePolicy(rules, slips, recipe)
