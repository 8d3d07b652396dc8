"""How the score of a round follows from its tricks, in the form that the solver searches for.

Seen from one side, the *hero*, every trick adds its points and bonus to the balance X if the hero
takes it and subtracts them if not; a side that takes all tricks of the round gets a bonus more.
Then the margin of the hero is

    factor * X                                 in games without a contract (Schieber),
    X          if X >= made_from, else
    -(failed + R)                              in games with one (Klaverjas: nat),

where R is the bonus of all tricks together. A game says so in a module `open_score` in its
package, with a function `score_form(rules, trump) -> ScoreForm` and the range `TRUMPS`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from arena.core.rules import Rules
from arena.games.kernel.layout import Numbers
from arena.games.parts import has_part, part_of

SUIT_SIZE = 512
"""Sets of at most nine cards of a suit, by strength."""

# Words of a packed form.
FACTOR, CONTRACT, MADE_FROM, FAILED, HERO_SWEEP, OTHER_SWEEP = range(6)
LOW_CARDS = 6
"""From here on, for each suit, how many of its weakest cards are worth nothing."""
BONUS_LEFT = 10
"""From here on, by suit and cards left, the most bonus that these cards can still make."""
INTERCHANGEABLE = BONUS_LEFT + 4 * SUIT_SIZE
"""From here on, by suit and cards left, 1 if worthless neighbours are as good as each other."""
NATURAL = INTERCHANGEABLE + 4 * SUIT_SIZE
"""From here on, by suit and cards left, their ranks as a set that is the same in all suits."""
ALIKE = NATURAL + 4 * SUIT_SIZE
"""From here on, by set of ranks, the most bonus for cards of one rank in all suits."""
LOW_RANKS = ALIKE + SUIT_SIZE
"""The ranks (as in NATURAL) for which interchangeable cards could make four of a kind."""
POINTS = LOW_RANKS + 1
"""From here on, the points of each card, by its bit in kernel coordinates."""
CANONICAL = POINTS + 64
"""From here on, by suit and cards left, the cards that stand for them: interchangeable cards are
replaced by the weakest of their kind."""
NEARLY = CANONICAL + 4 * SUIT_SIZE
"""The same, with neighbours of nearly the same points replaced too."""
NEAR_POINTS = NEARLY + 4 * SUIT_SIZE
"""From here on, by suit and cards left, the points that this replaces: two bits for each group of
such neighbours, four for a suit."""
TRUMPS_FIRST = NEAR_POINTS + 4 * SUIT_SIZE
FORM_WORDS = TRUMPS_FIRST + 1

_NEAR = 2
"""Points by which neighbours in a group differ at the most."""
_GROUP = 3
"""Of more cards in a group, sets of one size need not be in order."""


@dataclass(frozen=True)
class SuitForm:
    """What the solver must know of one suit, by its place in kernel coordinates."""

    points: Sequence[int]
    """Of each card, the weakest first."""
    low_cards: int
    """How many of the weakest cards, one next to the other in strength, are worth nothing."""
    bonus_left: Sequence[int]
    """By the set of cards left (bit 0 the weakest): the most bonus that they can still make."""
    interchangeable: Sequence[bool]
    """By the set of cards left: whether no bonus depends on which of the low cards are left."""
    natural: Sequence[int]
    """By the set of cards left: their ranks, as a set that has the same meaning in all suits."""

    @property
    def near_groups(self) -> list[range]:
        """Up to two groups of neighbours in strength that are worth nearly the same."""
        groups, first = [], self.low_cards
        while first < len(self.points):
            last = first + 1
            while last < len(self.points) and last - first < _GROUP:
                worth = self.points[first : last + 1]
                if max(worth) - min(worth) > _NEAR:
                    break
                last += 1
            if last - first > 1:
                groups.append(range(first, last))
            first = last
        return groups[:2]


def _pushed_down(cards: int, group: range) -> int:
    """A set of cards with those of a group replaced by the weakest of the group."""
    inside = sum(1 << card for card in group)
    count = (cards & inside).bit_count()
    return cards & ~inside | ((1 << count) - 1) << group.start


@dataclass(frozen=True)
class ScoreForm:
    """How the margin of the hero follows from the tricks."""

    hero_is_declarer: bool
    """Whether the hero is the side of the declarer; else it is side 0."""
    suits: tuple[SuitForm, SuitForm, SuitForm, SuitForm]
    """In kernel coordinates, the trump suit last."""
    factor: int = 1
    hero_sweep: int = 0
    """The bonus of the hero for all tricks of the round."""
    other_sweep: int = 0
    trumps_first: bool = False
    """Whether a search tries to lead trumps first: where a trump may always be played."""
    contract: bool = False
    made_from: int = 0
    """The least X with which the contract is made."""
    failed: int = 0
    """What a failed contract costs, bonuses not counted."""
    alike_bonus: Sequence[int] = ()
    """By set of ranks that are left in all four suits: the most bonus that they can make."""
    low_ranks: int = 0
    """The ranks of low cards of which four alike make a bonus."""

    def packed(self) -> Numbers:
        """The form as compiled code takes it."""
        words = np.zeros(FORM_WORDS, dtype=np.int64)
        words[FACTOR], words[CONTRACT] = self.factor, self.contract
        words[MADE_FROM], words[FAILED] = self.made_from, self.failed
        words[HERO_SWEEP], words[OTHER_SWEEP] = self.hero_sweep, self.other_sweep
        for number, suit in enumerate(self.suits):
            words[LOW_CARDS + number] = suit.low_cards
            words[POINTS + 16 * number :][: len(suit.points)] = suit.points
            for start, values in (
                (BONUS_LEFT, suit.bonus_left),
                (INTERCHANGEABLE, suit.interchangeable),
                (NATURAL, suit.natural),
            ):
                words[start + number * SUIT_SIZE :][: len(values)] = values
            for left in range(1 << len(suit.points)):
                at = number * SUIT_SIZE + left
                alike = _pushed_down(left, range(suit.low_cards))
                words[CANONICAL + at] = alike if suit.interchangeable[left] else left
                near, replaced = alike, 0
                for place, group in enumerate(suit.near_groups):
                    near = _pushed_down(near, group)
                    least, points = (
                        sum(suit.points[card] for card in group if cards >> card & 1)
                        for cards in (near, left)
                    )
                    replaced |= abs(points - least) << 2 * place
                words[NEARLY + at], words[NEAR_POINTS + at] = near, replaced << 4 * number
        words[ALIKE : ALIKE + len(self.alike_bonus)] = self.alike_bonus
        words[LOW_RANKS], words[TRUMPS_FIRST] = self.low_ranks, self.trumps_first
        words.setflags(write=False)
        return words


@cache
def form_of(rules: Rules, trump: int | None) -> ScoreForm | None:
    """The score form of a game with a trump; None if the game has none."""
    if not has_part(type(rules), "open_score"):
        return None
    found: ScoreForm | None = part_of(type(rules), "open_score").score_form(rules, trump)
    return found


@cache
def packed_form(rules: Rules, trump: int | None, points_only: bool = False) -> Numbers:
    """The score form of a game that has one, as compiled code takes it.

    With `points_only` the margin is X alone: points and bonuses, whatever the rules make of them.
    """
    form = form_of(rules, trump)
    assert form is not None  # the caller has checked
    if points_only:
        form = replace(form, factor=1, hero_sweep=0, other_sweep=0, contract=False)
    return form.packed()


def is_solvable(rules: Rules) -> bool:
    """Whether the solver knows how a game scores."""
    return has_part(type(rules), "open_score") and form_of(rules, 0) is not None


def trumps_of(rules: Rules) -> range:
    """The trumps with which a game that has a score form is played."""
    found: range = part_of(type(rules), "open_score").TRUMPS
    return found
