"""Simple rules of thumb: one family, one book of rules per game."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from arena.core.agent import parameter
from arena.core.rules import Action, View
from arena.core.seeds import Rng
from arena.games.hearts import rule_player as rule_hearts
from arena.games.klaverjas import rule_player as rule_klaverjas
from arena.games.klaverjas.rule_player import Mode
from arena.games.schieber import rule_player as rule_schieber


def _klaverjas(view: View, mode: Mode, rng: Rng) -> Action:
    if view.phase == "bid":
        return rng.choice(view.legal)
    return rule_klaverjas.choose_card(view, mode)


def _schieber(view: View, mode: Mode, rng: Rng) -> Action:
    if view.phase == "bid":
        return rule_schieber.choose_trump_or_push(view)
    return rule_schieber.choose_card(view, rng)


def _hearts(view: View, mode: Mode, rng: Rng) -> Action:
    if view.phase == "pass":
        return rule_hearts.choose_pass(view)
    return rule_hearts.choose_card(view)


_BOOKS: dict[str, Callable[[View, Mode, Rng], Action]] = {
    "klaverjas": _klaverjas,
    "schieber": _schieber,
    "hearts": _hearts,
}


@dataclass(frozen=True)
class Rule:
    """Follows the rules of thumb of its game.

    Klaverjas: plays winners, else the card with the fewest points. Source: Hordijk 2022, figure
    2, and its program as corrected by Aaldering 2023. Differs: bids are legal calls at random
    unless a bidder is set beside it.

    Schieber: the rule-based player of the Jass challenge, its trump selection included. Source:
    pyschieber, as in Niklaus 2019. Differs: nothing; where its rules have no answer, it plays
    any legal card.

    Hearts: gives points away, passes its worst cards and watches for the moon. Source: none.

    Each game's `rule_*` module says which cards are meant.
    """

    games: ClassVar[tuple[str, ...]] = tuple(_BOOKS)

    mode: Mode = parameter(
        "as-published",
        help="Klaverjas: the agent of the published comparisons with its quirks (also as it was "
        "in 2022, with a team test that is wrong in two seats), or what the text means",
    )

    def act(self, view: View, rng: Rng) -> Action:
        """What the book of this game says."""
        return _BOOKS[view.rules.name](view, self.mode, rng)
