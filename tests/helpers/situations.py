"""Rules under all options, and decisions in random rounds of them, for property tests."""

from __future__ import annotations

from itertools import product
from typing import Any, NamedTuple

from hypothesis import strategies as st

from arena.core.rules import Standing, View
from arena.core.seeds import Rng
from arena.games.hearts import Hearts
from arena.games.klaverjas import Klaverjas
from arena.games.schieber import Schieber

KLAVERJAS = [
    Klaverjas(variant=variant, bidding=bidding)
    for variant, bidding in product(
        ("rotterdam", "amsterdam", "amsterdam-official"), ("given", "classical", "free-choice")
    )
]
SCHIEBER = [
    Schieber(undertrump=undertrump, bidding=bidding, stoeck=stoeck)
    for undertrump, bidding, stoeck in product(
        ("highest", "jasskit", "pyschieber"), ("given", "schieben"), (False, True)
    )
]
HEARTS = [
    Hearts(players=players, variant=variant, passing=passing)
    for players, variant, passing in product(
        (4, 2),
        ("kiele_thesis", "kiele_code", "openspiel_default", "classic"),
        ("none", "left", "right", "across", "rotate"),
    )
]
HEARTS += [Hearts(players=3, passing=way) for way in ("none", "left", "right", "rotate")]
KLAVERJAS.append(Klaverjas(variant="amsterdam-2022"))
RULES = [*KLAVERJAS, *SCHIEBER, *HEARTS]
WITH_WEIS = [
    Schieber(weis=True),
    Schieber(weis=True, stoeck=True, undertrump="jasskit", multipliers="swisslos"),
]


class Situation(NamedTuple):
    """What the seat to decide sees, and what everybody holds."""

    view: View
    hands: tuple[int, ...]


def decisions(rules: Any, seed: int) -> list[Situation]:
    """Every decision of a random round."""
    rng = Rng(seed)
    state = rules.start(rules.random_deal(rng, seed), Standing(seed % 4))
    found = []
    while state.turn is not None:
        found.append(Situation(rules.view(state, state.turn), tuple(state.hands)))
        rules.apply(state, rng.choice(state.legal))
    return found


def situations(rule_sets: list[Any]) -> st.SearchStrategy[Situation]:
    """Any decision of a random round of any of these rules."""

    @st.composite
    def situation(draw: Any) -> Situation:
        rules = draw(st.sampled_from(rule_sets))
        return draw(st.sampled_from(decisions(rules, draw(st.integers(0, 10**9)))))

    return situation()


def endings(rule_sets: list[Any], most_unseen: int) -> st.SearchStrategy[Situation]:
    """Late decisions, with so few unseen cards that all worlds can be gone through."""

    @st.composite
    def ending(draw: Any) -> Situation:
        rules = draw(st.sampled_from(rule_sets))
        late = [
            situation
            for situation in decisions(rules, draw(st.integers(0, 10**9)))
            if 0 < situation.view.unseen.bit_count() <= most_unseen
        ]
        return draw(st.sampled_from(late))

    return ending()
