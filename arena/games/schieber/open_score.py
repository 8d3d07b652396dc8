"""Schieber for the solver: points, match and factor as a `ScoreForm`."""

from __future__ import annotations

from arena.games.kernel.order import kernel_bits
from arena.games.schieber import tables
from arena.games.schieber.rules import Schieber
from arena.games.score_form import ScoreForm, SuitForm

TRUMPS = range(len(tables.POINTS))

_SIZE = 1 << len(tables.NATURAL_ORDER)


def score_form(rules: Schieber, trump: int) -> ScoreForm:
    """Weis and Stöck are the same whatever is played, and scored before the search."""
    bits = kernel_bits(tables.DECK, trump, tables.STRENGTH[trump])
    points = {bit: tables.POINTS[trump][card] for card, bit in bits.items()}

    def suit(number: int) -> SuitForm:
        of_cards = [points[16 * number + place] for place in range(len(tables.NATURAL_ORDER))]
        low = next(place for place, worth in enumerate(of_cards) if worth)
        return SuitForm(of_cards, low, [0] * _SIZE, [True] * _SIZE, [0] * _SIZE)

    return ScoreForm(
        hero_is_declarer=False,
        suits=(suit(0), suit(1), suit(2), suit(3)),
        factor=tables.MULTIPLIERS[rules.multipliers][trump],
        hero_sweep=rules.match_bonus,
        other_sweep=rules.match_bonus,
        trumps_first=True,
    )
