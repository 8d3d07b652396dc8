"""Simple rules of thumb: one family, the rule player of each game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from arena.core.agent import parameter
from arena.core.rules import Action, View
from arena.core.seeds import Rng
from arena.games.klaverjas.rule_player import Mode
from arena.games.parts import part_of


@dataclass(frozen=True)
class Rule:
    """Follows the rules of thumb of its game.

    Klaverjas: plays winners, else the card with the fewest points. Source: Hordijk 2022, figure
    2, and its program as corrected by Aaldering 2023. Differs: bids are legal calls at random
    unless the configuration names a bidder.

    Schieber: the rule-based player of the Jass challenge, its trump selection included. Source:
    pyschieber, as in Niklaus 2019. Differs: nothing; where its rules have no answer, it plays
    any legal card.

    Hearts: gives points away, passes its worst cards and watches for the moon. Source: none.

    Each game's `rule_player` module says which cards are meant; plug-in games may bring one.
    """

    needs: ClassVar[tuple[str, ...]] = ("rule-player",)

    mode: Mode = parameter(
        "as-published",
        help="Klaverjas: the agent of the published comparisons with its quirks (also as it was "
        "in 2022, with a team test that is wrong in two seats), or what the text means",
    )

    def act(self, view: View, rng: Rng) -> Action:
        """What the rules of this game say."""
        action: Action = part_of(type(view.rules), "rule_player").act(view, rng, self.mode)
        return action
