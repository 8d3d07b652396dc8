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
chance is lost on impossible holders. What the program does otherwise can be switched on
one by one, see `DEVIATIONS`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from agents.as_published import check_deviations
from agents.beliefs import Guess, Weights
from arena.core.agent import parameter
from arena.core.cards import LANE, SUITS, cards_of, suit_of
from arena.core.rules import Rules, View
from arena.games.infoset import InfoSet, Signs

DEVIATIONS: dict[str, str] = {
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
"""Single deviations of the program of 2017 from its text, and what each does."""


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
        signs = Signs.of(view)
        may = tuple(
            cards & ~_cards_of_suits(signs.probably_void[seat])
            for seat, cards in enumerate(known.may)
        )
        if may == known.may:
            return (Guess(1.0, known.may),)
        return Guess(self.share, may), Guess(1.0 - self.share, known.may)


@dataclass(frozen=True, slots=True)
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
    as_published: tuple[str, ...] = parameter((), help="single deviations of the program of 2017")

    def __post_init__(self) -> None:
        check_deviations(self.as_published, DEVIATIONS)

    def of(self, view: View, known: InfoSet | None = None) -> tuple[Guess, ...]:
        """The weighted guess, and for parameters that make all worlds impossible what is known."""
        known = InfoSet.of(view) if known is None else known
        table = self.table(view, known, Signs.of(view))
        may = tuple(sum(1 << card for card in row) for row in table)
        return Guess(1.0, may, table), Guess(0.0, known.may)

    def table(self, view: View, known: InfoSet, signs: Signs) -> Weights:
        """The chance of every (seat, unseen card); the chances of a card add up to 1."""
        rules, trump = view.rules, view.trump
        others = [seat for seat in range(rules.players) if seat != view.seat]
        table: Weights = tuple({} for _ in range(rules.players))
        declarer = self._telling_declarer(view)
        top = 0 if declarer is None or trump is None else strongest_trumps(rules, trump)
        for card in cards_of(known.unseen):
            suit = suit_of(card)
            holders = [seat for seat in others if known.may[seat] >> card & 1]
            lost_mass = suit == trump and "third-takes-rest" in self.as_published
            sharers = [s for s in others if not known.is_void(s, suit)] if lost_mass else holders
            if not sharers:
                continue  # it was not dealt
            chances = dict.fromkeys(sharers, 1.0 / len(sharers))
            if suit == trump and declarer in chances and len(sharers) > 1:
                factor = self.m1 * (self.m2 if top >> card & 1 else 1.0)
                _give(chances, declarer, min(factor / len(sharers), self.most))
            if suit != trump or "roem-ignored-for-trumps" not in self.as_published:
                for seat in sharers:
                    if signs.probably_void[seat] >> suit & 1:
                        _give(chances, seat, chances[seat] * self.roem_factor)
            if lost_mass:
                chances = {seat: chances[seat] for seat in holders}
                _leave_the_rest(chances, others[-1])
            if "coarse-odds" in self.as_published:
                steps = 100 if suit == trump else 10 * _count(known.unseen, suit)
                _in_steps(chances, others, steps)
            for seat, chance in chances.items():
                if chance > 0.0:
                    table[seat][card] = chance
        return table

    def _telling_declarer(self, view: View) -> int | None:
        """The declarer, if declaring says something about the trumps of another player."""
        has_trumps = view.trump is not None and view.trump < len(SUITS)
        chose = not view.forced or "forced-is-strong" in self.as_published
        return view.declarer if has_trumps and chose and view.declarer != view.seat else None


def _give(chances: dict[int, float], seat: int, chance: float) -> None:
    """Set a seat's chance; the others who have any share the difference equally."""
    others = [other for other in chances if other != seat and chances[other] > 0.0]
    if not others:
        return
    freed = (chances[seat] - chance) / len(others)
    chances[seat] = chance
    for other in others:
        chances[other] += freed


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


def _count(cards: int, suit: int) -> int:
    return (cards & _cards_of_suits(1 << suit)).bit_count()


def _cards_of_suits(suits: int) -> int:
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
