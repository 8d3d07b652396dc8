"""Views of rounds are possible, whatever the game; views that are made up are not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from arena.core.registry import GAMES
from arena.core.rules import Rules, View
from arena.core.seeds import Rng, rng_for
from arena.games.klaverjas import Klaverjas
from arena.games.possible import ImpossibleView, check_view
from arena.testing.rounds import rule_sets


def views(rules: Rules, number: int, *, all_hands: bool = False) -> Iterator[View]:
    state, rng = rules.start(rules.random_deal(rng_for(3, number), number)), Rng(number)
    while state.turn is not None:
        yield rules.view(state, state.turn, all_hands=all_hands)
        rules.apply(state, rng.choice(state.legal))


@pytest.mark.parametrize("game", list(GAMES))
def test_the_views_of_every_round_are_possible(game: str) -> None:
    for number, rules in enumerate(rule_sets(game)):
        for view in views(rules, number, all_hands=number % 2 == 0):
            check_view(view)


LAST = list(views(Klaverjas(), 5))[-9]
"""With a hand of three cards and one card on the table."""


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"legal": ()}, "expected legal actions"),
        ({"legal": (0,)}, "other actions are legal"),
        ({"hand": LAST.hand | 1}, "other cards in the hand"),
        ({"hand": 0}, "other cards in the hand"),
        ({"dealt_hand": LAST.dealt_hand[:-1]}, "expected 8 cards"),
        ({"dealt_hand": (LAST.dealt_hand[0],) * 8}, "expected 8 cards"),
        ({"tricks": LAST.tricks[1:]}, "another seat leads|other cards in the hand"),
        ({"tricks": (LAST.tricks[0], *LAST.tricks[:-1])}, "another seat leads|played twice"),
        ({"table": (*LAST.table, *LAST.table)}, "played twice"),
        ({"table": ()}, "another seat's turn"),
        ({"table_leader": None}, "another seat leads"),
        ({"trump": None}, "do not know such a position"),
        ({"points": (10**9, 0)}, "too large"),
        ({"points": (1, 2, 3)}, "of 2 sides"),
        ({"passing": 7}, "too large"),
        ({"phase": "bid"}, "before the phase 'bid' was over"),
        ({"received": (0, 1, 2)}, "passed on that were not held"),
        ({"all_hands": (0, 0, 0, 0)}, "hands of all"),
    ],
)
def test_what_no_round_leads_to_is_refused(changes: dict[str, Any], said: str) -> None:
    check_view(LAST)
    with pytest.raises(ImpossibleView, match=said):
        check_view(LAST._replace(**changes))
