"""What a player believes about the hidden cards: from a view to worlds to draw from.

A belief is a mixture of guesses. A guess says who may hold which of the unseen cards and,
if some holders are likelier than others, gives every (player, card) a weight: a world is
as likely as the product of its weights. The samplers of `arena.games.kernel.worlds` draw
from exactly that.

Three ways to believe (Hoogenboom 2017, sections 5.2, 6.2, 6.4 and 6.5):

* `certain`, or `uniform`: all worlds in which every past play was legal, equally likely.
* `probable`: a share of the worlds also assumes that who was last to play, followed suit
  and gave the opponents a bonus has no more of that suit. If no world agrees with that,
  all are `certain`.
* `probabilities`: weights. Each card is equally likely to be with each of the l players
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
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, Protocol, TypeAlias

from arena.cards import LANE, SUITS, cards_of, suit_of
from arena.errors import ArenaError, did_you_mean
from arena.games.infoset import InfoSet, Signs
from arena.rules import Rules, View

__all__ = ["DEVIATIONS", "KINDS", "Beliefs", "Believer", "Guess", "Weights", "strongest_trumps"]

Kind: TypeAlias = Literal["certain", "probable", "probabilities"]
KINDS: dict[str, Kind] = {
    "certain": "certain",
    "uniform": "certain",
    "probable": "probable",
    "probabilities": "probabilities",
}
"""The kinds, by all names that experiments may use."""
Weights: TypeAlias = tuple[dict[int, float], ...]
"""Per seat, the weight of each unseen card that it may hold: above 0."""

DEVIATIONS: dict[str, str] = {
    "third-takes-rest": (
        "the chance of impossible holders of a trump is not shared out but goes to the last of "
        "the others, even if he cannot have the card: 1 to 2% of the worlds contradict the facts"
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
class Guess:
    """Some of the worlds: who may hold what, and how likely."""

    share: float
    """The share of worlds that are drawn from this guess."""
    may: tuple[int, ...]
    """Per seat, mask of the unseen cards that it may hold; 0 for the one who thinks."""
    weights: Weights | None = None
    """None if all worlds are equally likely."""


class Believer(Protocol):
    """Whatever turns a view into guesses."""

    def of(self, view: View, known: InfoSet | None = None) -> tuple[Guess, ...]:
        """The guesses, likeliest first to be tried; the last one always has a world."""


@dataclass(frozen=True, slots=True)
class Beliefs:
    """How to believe, and how strongly."""

    kind: Kind = "certain"
    share: float = 0.9
    """Of `probable` worlds."""
    m1: float = 1.2
    """How much likelier the declarer is to hold a trump."""
    m2: float = 1.2
    """How much likelier still to hold one of the two highest."""
    roem_factor: float = 0.5
    """What a probable void leaves of a chance."""
    most: float = 0.98
    """The highest chance that declaring can give."""
    deviations: frozenset[str] = frozenset()
    """Which of `DEVIATIONS` to repeat."""

    def __post_init__(self) -> None:
        check_deviations(self.deviations, DEVIATIONS)

    def of(self, view: View, known: InfoSet | None = None) -> tuple[Guess, ...]:
        """The guesses, likeliest first to be tried; the last one always has a world.

        A guess that turns out to have no world leaves its share to the next.
        """
        known = InfoSet.of(view) if known is None else known
        certain = Guess(1.0, known.may)
        if self.kind == "certain":
            return (certain,)
        signs = Signs.of(view)
        if self.kind == "probabilities":
            return self._weighted(view, known, signs)
        may = tuple(
            cards & ~_cards_of_suits(signs.probably_void[seat])
            for seat, cards in enumerate(known.may)
        )
        if may == known.may:
            return (certain,)
        return Guess(self.share, may), Guess(1.0 - self.share, known.may)

    # --- probabilities -------------------------------------------------------------------

    def _weighted(self, view: View, known: InfoSet, signs: Signs) -> tuple[Guess, ...]:
        table = self.table(view, known, signs)
        may = tuple(sum(1 << card for card in row) for row in table)
        guess = Guess(1.0, may, table)
        # Extreme parameters can make all worlds impossible.
        return guess, Guess(0.0, known.may)

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
            lost_mass = suit == trump and "third-takes-rest" in self.deviations
            sharers = [s for s in others if not known.is_void(s, suit)] if lost_mass else holders
            chances = dict.fromkeys(sharers, 1.0 / len(sharers))
            if suit == trump and declarer in chances and len(sharers) > 1:
                factor = self.m1 * (self.m2 if top >> card & 1 else 1.0)
                _give(chances, declarer, min(factor / len(sharers), self.most))
            if suit != trump or "roem-ignored-for-trumps" not in self.deviations:
                for seat in sharers:
                    if signs.probably_void[seat] >> suit & 1:
                        _give(chances, seat, chances[seat] * self.roem_factor)
            if lost_mass:
                chances = {seat: chances[seat] for seat in holders}
                _leave_the_rest(chances, others[-1])
            if "coarse-odds" in self.deviations:
                steps = 100 if suit == trump else 10 * _count(known.unseen, suit)
                _in_steps(chances, others, steps)
            for seat, chance in chances.items():
                if chance > 0.0:
                    table[seat][card] = chance
        return table

    def _telling_declarer(self, view: View) -> int | None:
        """The declarer, if declaring says something about the trumps of another player."""
        has_trumps = view.trump is not None and view.trump < len(SUITS)
        chose = not view.forced or "forced-is-strong" in self.deviations
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


def check_deviations(chosen: Iterable[str], known: Iterable[str]) -> None:
    """Raise `ArenaError` unless all of `chosen` are known."""
    for name in sorted(chosen):
        if name not in known:
            raise ArenaError(f"as_published: unknown {name!r}; {did_you_mean(name, known)}")
