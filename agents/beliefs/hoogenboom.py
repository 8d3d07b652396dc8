"""The three ways to believe of Hoogenboom 2017 (sections 5.2, 6.2, 6.4 and 6.5).

* `Certain`: all worlds in which every past play was legal, equally likely.
* `Probable`: a share of the worlds also assumes that who was last to play, followed suit
  and gave the opponents a bonus has no more of that suit. If no world agrees with that,
  all are `Certain`.
* `Probabilities`: weights. Each card is equally likely to be with each of the l players
  who may have it, except that a declarer who chose to declare has any trump with m1 / l
  and the two highest with m1 * m2 / l (at most `most`), the others sharing the rest
  equally; and that a probably void player's chance is multiplied by `roem_factor`, the
  others who may have the card sharing the difference equally.

"Trump", "the two highest", "declarer" and "bonus" are asked of the rules, so the same code
serves every game; where there is no declarer or no bonus, there is nothing to infer.

Differs from the program of the thesis: l counts who may have the very card, so that no
chance is lost on impossible holders. `agents.papers.hoogenboom_2017` has the program's deviations.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from agents.beliefs import Guess, Weights
from arena.core.agent import parameter
from arena.core.cards import LANE, SUITS, cards_of, suit_of
from arena.core.rules import Rules, View
from arena.games.infoset import InfoSet, probably_void


@dataclass(frozen=True, slots=True)
class Certain:
    """All worlds in which every past play was legal, equally likely."""

    kind: ClassVar[str] = "certain"

    def of(self, view: View, known: InfoSet | None = None) -> tuple[Guess, ...]:
        """One guess: what is known."""
        known = InfoSet.of(view) if known is None else known
        return (Guess(1.0, known.may),)


@dataclass(frozen=True, slots=True)
class Probable:
    """A share of the worlds assumes that who gave a bonus away had to."""

    kind: ClassVar[str] = "probable"

    share: float = parameter(0.9, help="share of worlds with probable voids", at_least=0, at_most=1)

    def of(self, view: View, known: InfoSet | None = None) -> tuple[Guess, ...]:
        """What is probable, then what is certain."""
        known = InfoSet.of(view) if known is None else known
        may = tuple(
            cards & ~cards_of_suits(void)
            for cards, void in zip(known.may, probably_void(view), strict=True)
        )
        if may == known.may:
            return (Guess(1.0, known.may),)
        return Guess(self.share, may), Guess(1.0 - self.share, known.may)


@dataclass(frozen=True)
class Probabilities:
    """A chance for every card and player, by who declared and who gave a bonus away."""

    kind: ClassVar[str] = "probabilities"

    m1: float = parameter(
        1.2, help="how much likelier the declarer is to hold a trump", at_least=0, at_most=1000
    )
    m2: float = parameter(
        1.2,
        help="how much likelier still to hold one of the two highest",
        at_least=0,
        at_most=1000,
    )
    roem_factor: float = parameter(
        0.5, help="what a probable void leaves of a chance", at_least=0, at_most=1
    )
    most: float = parameter(
        0.98, help="the highest chance that declaring can give", at_least=0, at_most=1
    )

    def of(self, view: View, known: InfoSet | None = None) -> tuple[Guess, ...]:
        """The weighted guess, and for parameters that make all worlds impossible what is known."""
        known = InfoSet.of(view) if known is None else known
        table = self.table(view, known, probably_void(view))
        may = tuple(sum(1 << card for card in row) for row in table)
        return Guess(1.0, may, table), Guess(0.0, known.may)

    def table(self, view: View, known: InfoSet, voids: tuple[int, ...]) -> Weights:
        """The chance of every (seat, unseen card); the chances of a card add up to 1."""
        rules, trump = view.rules, view.trump
        others = [seat for seat in range(rules.players) if seat != view.seat]
        table: Weights = tuple({} for _ in range(rules.players))
        declarer = self.telling_declarer(view)
        top = 0 if declarer is None or trump is None else strongest_trumps(rules, trump)
        for card in cards_of(known.unseen):
            suit = suit_of(card)
            sharers = self.sharers(view, known, card, others)
            if not sharers:
                continue  # it was not dealt
            chances = dict.fromkeys(sharers, 1.0 / len(sharers))
            if suit == trump and declarer in chances and len(sharers) > 1:
                factor = self.m1 * (self.m2 if top >> card & 1 else 1.0)
                _give(chances, declarer, min(factor / len(sharers), self.most))
            if self.regards_roem(suit == trump):
                for seat in sharers:
                    if voids[seat] >> suit & 1:
                        _give(chances, seat, chances[seat] * self.roem_factor)
            for seat, chance in self.settled(chances, view, known, card, others).items():
                if chance > 0.0:
                    table[seat][card] = chance
        return table

    # --- where the published program differs ----------------------------------------------

    def telling_declarer(self, view: View) -> int | None:
        """The declarer, if declaring says something about the trumps of another player."""
        has_trumps = view.trump is not None and view.trump < len(SUITS)
        other = has_trumps and view.declarer != view.seat
        return view.declarer if other and self.regards_declarer(view.forced) else None

    def regards_declarer(self, forced: bool) -> bool:
        """Whether declaring tells of strong trumps."""
        return not forced

    def sharers(self, view: View, known: InfoSet, card: int, others: list[int]) -> list[int]:
        """The seats that share the chance of a card; none if it was not dealt."""
        return [seat for seat in others if known.may[seat] >> card & 1]

    def regards_roem(self, is_trump: bool) -> bool:
        """Whether a bonus given away changes the chances of a card."""
        return True

    def settled(
        self, chances: dict[int, float], view: View, known: InfoSet, card: int, others: list[int]
    ) -> dict[int, float]:
        """The final chances of a card."""
        return chances


def _give(chances: dict[int, float], seat: int, chance: float) -> None:
    """Set a seat's chance; the others who have any share the difference equally."""
    others = [other for other in chances if other != seat and chances[other] > 0.0]
    if not others:
        return
    freed = (chances[seat] - chance) / len(others)
    chances[seat] = chance
    for other in others:
        chances[other] += freed


def cards_of_suits(suits: int) -> int:
    """Mask of all cards of some suits, one bit for each suit."""
    lane = (1 << LANE) - 1
    return sum(lane << LANE * suit for suit in range(len(SUITS)) if suits >> suit & 1)


@lru_cache(maxsize=64)
def strongest_trumps(rules: Rules, trump: int, count: int = 2) -> int:
    """Mask of the highest trumps: jack and nine in Klaverjas and in Schieber."""
    trumps = [card for card in cards_of(rules.deck) if suit_of(card) == trump]
    beats = {
        card: sum(rules.trick_winner((other, card), trump) for other in trumps if other != card)
        for card in trumps
    }
    best = sorted(trumps, key=beats.__getitem__)[-count:]
    return sum(1 << card for card in best)
