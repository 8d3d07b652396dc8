"""Flat Monte Carlo and beliefs of Hoogenboom 2017 with the deviations of its program."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from agents.beliefs.hoogenboom import Probabilities, cards_of_suits
from agents.flat_mc import FlatMC
from agents.papers.as_published import check_deviations
from agents.papers.playouts import doubled_worlds, with_careless_playouts
from agents.search.flat_mc import Question
from arena.core.agent import parameter
from arena.core.cards import suit_of
from arena.core.errors import ArenaError
from arena.core.rules import View
from arena.games.infoset import InfoSet
from arena.games.kernel.layout import Words

PLAY_DEVIATIONS: dict[str, str] = {
    "keeps-bad-cards": (
        "semi-random playouts often keep one of several bad cards and play it in 18.7% of such "
        "decisions"
    ),
    "doubled-cards": (
        "when this seat is last to play, 75% of the worlds hold a card twice and lack another "
        "(types 1 to 3)"
    ),
}
"""What `as_published` of the player may switch on, and what each does in the program."""

BELIEF_DEVIATIONS: dict[str, str] = {
    "third-takes-rest": (
        "the chance of impossible holders of a trump is not shared out but goes to the last of "
        "the others, even if they cannot have the card: 1 to 2% of the worlds contradict the facts"
    ),
    "forced-is-strong": "a declarer who had no choice still is thought to hold strong trumps",
    "roem-ignored-for-trumps": "probable voids do not change the chances of trumps",
    "coarse-odds": (
        "chances in steps: of 0.1 cards of a plain suit, of 0.01 for trumps; the last of the "
        "others gets what is left"
    ),
}
"""What `as_published` of the beliefs may switch on, and what each does in the program."""


@dataclass(frozen=True)
class Hoogenboom2017(FlatMC):
    """The `flat-mc` of Hoogenboom 2017, with single deviations of its program.

    Source: Hoogenboom 2017, sections 5 and 6, and its program. Without `as_published` it is
    `flat-mc`.
    """

    as_published: tuple[str, ...] = parameter((), help="single deviations of the program of 2017")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_deviations(self.as_published, PLAY_DEVIATIONS)
        by_steps = self.lookahead is not None or "keeps-bad-cards" in self.as_published
        if by_steps and "doubled-cards" in self.as_published:
            # A card that is held twice would keep a trick from being complete.
            raise ArenaError(
                "as_published: doubled-cards goes neither with lookahead nor with keeps-bad-cards"
            )

    def question(self, view: View, numbers: Words) -> Question:
        """The decision of a view, with the deviations of the program."""
        question = super().question(view, numbers)
        if self.rollout == "semi-random" and "keeps-bad-cards" in self.as_published:
            question = with_careless_playouts(question)
        last = view.rules.players - 1
        if "doubled-cards" in self.as_published and len(view.table) == last:
            seat = last - 1 if view.seat == last else last
            question = question._replace(worlds=doubled_worlds(question.worlds, seat, view.seat))
        return question


@dataclass(frozen=True)
class Probabilities2017(Probabilities):
    """The `probabilities` of Hoogenboom 2017, with single deviations of its program."""

    kind: ClassVar[str] = "probabilities-2017"

    as_published: tuple[str, ...] = parameter((), help="single deviations of the program of 2017")

    def __post_init__(self) -> None:
        check_deviations(self.as_published, BELIEF_DEVIATIONS)

    def regards_declarer(self, forced: bool) -> bool:
        """Whether declaring tells of strong trumps."""
        return super().regards_declarer(forced) or "forced-is-strong" in self.as_published

    def sharers(self, view: View, known: InfoSet, card: int, others: list[int]) -> list[int]:
        """The seats that share the chance of a card."""
        if self._loses_mass(view, card):
            return [seat for seat in others if not known.is_void(seat, suit_of(card))]
        return super().sharers(view, known, card, others)

    def regards_roem(self, is_trump: bool) -> bool:
        """Whether a bonus given away changes the chances of a card."""
        return not (is_trump and "roem-ignored-for-trumps" in self.as_published)

    def settled(
        self, chances: dict[int, float], view: View, known: InfoSet, card: int, others: list[int]
    ) -> dict[int, float]:
        """The final chances of a card: what is lost on some seats, and in steps."""
        if self._loses_mass(view, card):
            chances = {seat: chances[seat] for seat in super().sharers(view, known, card, others)}
            _leave_the_rest(chances, others[-1])
        if "coarse-odds" in self.as_published:
            suit = suit_of(card)
            plain = 10 * (known.unseen & cards_of_suits(1 << suit)).bit_count()
            _in_steps(chances, others, 100 if suit == view.trump else plain)
        return chances

    def _loses_mass(self, view: View, card: int) -> bool:
        return suit_of(card) == view.trump and "third-takes-rest" in self.as_published


def _leave_the_rest(chances: dict[int, float], last: int) -> None:
    """Give the last of the others what is left of 1."""
    chances[last] = max(0.0, 1.0 - sum(c for seat, c in chances.items() if seat != last))


def _in_steps(chances: dict[int, float], others: list[int], steps: int) -> None:
    """Round the chances of all but the last up to whole steps, one after the other."""
    upto, given = 0.0, 0
    for seat in others[:-1]:
        upto += chances.get(seat, 0.0)
        now = min(steps, math.ceil(round(upto * steps, 6)))
        if seat in chances:
            chances[seat] = (now - given) / steps
        given = now
    chances[others[-1]] = (steps - given) / steps
