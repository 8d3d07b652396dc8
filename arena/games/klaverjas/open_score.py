"""Klaverjas for the solver: nat, pit and roem as a `ScoreForm`."""

from __future__ import annotations

from itertools import combinations

from arena.core.cards import LANE as SUIT_BITS
from arena.core.cards import RANKS
from arena.games.klaverjas import tables
from arena.games.klaverjas.rules import Klaverjas, roem
from arena.games.score_form import ScoreForm, SuitForm

TRUMPS = range(len(tables.SUIT_MASK))

_NATURAL_ORDER = "".join(rank for rank in RANKS if rank in tables.PLAIN_ORDER)
_SIZE = 1 << len(_NATURAL_ORDER)


def score_form(rules: Klaverjas, trump: int) -> ScoreForm | None:
    """Nat and pit; None where tricks do not go to the strongest card."""
    if rules.variant == "rotterdam-2017":
        return None
    plain = _suit_form(rules, tables.PLAIN_ORDER, tables.PLAIN_POINTS, trump, is_trump=False)
    trumps = _suit_form(rules, tables.TRUMP_ORDER, tables.TRUMP_POINTS, trump, is_trump=True)
    return ScoreForm(
        hero_is_declarer=True,
        suits=(plain, plain, plain, trumps),
        hero_sweep=tables.PIT,
        contract=True,
        made_from=int(rules.tie_is_nat),
        failed=tables.ROUND_POINTS,
        alike_bonus=[
            sum(
                rules.four_jacks if _NATURAL_ORDER[rank] == "J" else tables.FOUR_ALIKE
                for rank in range(len(_NATURAL_ORDER))
                if ranks >> rank & 1
            )
            for ranks in range(_SIZE)
        ],
        low_ranks=sum(1 << _NATURAL_ORDER.index(rank) for rank in "789"),
    )


def _suit_form(
    rules: Klaverjas, order: str, points: dict[str, int], trump: int, *, is_trump: bool
) -> SuitForm:
    suit = trump if is_trump else (trump + 1) % 4
    low = next(place for place, rank in enumerate(order) if rank in points)

    def roem_of(ranks: tuple[str, ...]) -> int:
        cards = tuple(SUIT_BITS * suit + RANKS.index(rank) for rank in ranks)
        return roem(cards, trump, rules.four_jacks)

    sets = [
        tuple(rank for place, rank in enumerate(order) if mask >> place & 1)
        for mask in range(_SIZE)
    ]
    bonus: list[int] = []
    for mask, ranks in enumerate(sets):
        # The best way to take up to four cards for one trick, and the rest for others.
        most = 0
        for size in (2, 3, 4):
            for chosen in combinations(ranks, size):
                if worth := roem_of(chosen):
                    rest = mask ^ sum(1 << order.index(rank) for rank in chosen)
                    most = max(most, worth + bonus[rest])
        bonus.append(most)
    return SuitForm(
        points=[points.get(rank, 0) for rank in order],
        low_cards=low,
        bonus_left=bonus,
        interchangeable=[not _low_run(ranks, order[:low]) for ranks in sets],
        natural=[sum(1 << _NATURAL_ORDER.index(rank) for rank in ranks) for ranks in sets],
    )


def _low_run(ranks: tuple[str, ...], low: str) -> bool:
    """Whether three cards left are a run with a low card in it."""
    places = {_NATURAL_ORDER.index(rank) for rank in ranks}
    return any(
        {start, start + 1, start + 2} <= places
        and any(_NATURAL_ORDER[start + i] in low for i in range(3))
        for start in range(len(_NATURAL_ORDER) - 2)
    )
