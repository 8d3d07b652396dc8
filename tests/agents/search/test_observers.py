"""Trees in which every player decides by their own cards, and urgency of first plays."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.endings import after, endings, value_to, worlds_of

from agents.ismcts import Ismcts
from agents.search.observers import count_hand, new_hands, seen_from
from arena.core.errors import ArenaError
from arena.core.seeds import Rng
from arena.games.hearts import Hearts
from arena.games.infoset import round_of
from arena.games.klaverjas import Klaverjas
from arena.games.schieber import Schieber

GAMES = [Klaverjas(), Schieber(), Hearts()]


def played_out(rules, state):
    while state.turn is not None:
        rules.apply(state, state.legal[0])
    return state


def exact_values(rules, view):
    """What our cards are worth if the last player, who alone has a choice, knows their hand.

    Third in the trick before last: they play next, and with each of their hands the card that is
    best on average over the worlds in which they hold it.
    """
    side = rules.side_of(view.seat)
    worlds = list(worlds_of(view))
    exact = {}
    for card in view.legal:
        by_hand = {}
        for hands in worlds:
            state = after(rules, round_of(view, hands), card)
            theirs = rules.side_of(state.turn)
            row = by_hand.setdefault(state.hands[state.turn], {})
            for answer in state.legal:
                end = played_out(rules, after(rules, state, answer))
                row.setdefault(answer, []).append(
                    (value_to(rules, end, theirs), value_to(rules, end, side))
                )
        total = 0.0
        for row in by_hand.values():
            answer = max(row, key=lambda card: np.mean([pair[0] for pair in row[card]]))
            total += sum(pair[1] for pair in row[answer])
        exact[card] = total / len(worlds)
    return exact


@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: rules.name)
def test_the_last_player_knows_his_own_hand(rules):
    """Third to play in the trick before last, values go to those of exact play by hand.

    Where nobody may look at their own hand it goes elsewhere.
    """
    scale = {"klaverjas": 20.0, "schieber": 20.0, "hearts": 1.0}[rules.name]
    errors = {"one": [], "all": []}
    for number, state in enumerate(endings(rules, tricks=2, count=60, cards_played=2)):
        view = rules.view(state, state.turn)
        exact = exact_values(rules, view)
        for observers, found in errors.items():
            agent = Ismcts(simulations=20_000, observers=observers, c=scale, prior=1)
            statistics = agent.explain(view, Rng(number))
            best = max(statistics, key=lambda card: statistics[card].visits)
            found.append(abs(statistics[best].value - exact[best]))
    assert max(errors["all"]) < 0.08 * scale
    if len(rules.sides) == 2:  # in Hearts few endings give the last player a choice that matters
        assert max(errors["one"]) > 0.3 * scale


def test_a_hand_is_found_again_and_others_are_not():
    hands = new_hands(1000)
    rng = Rng(1)
    counted = {}
    for _ in range(4000):
        node, hand = rng.below(300), rng.below(4) + 1
        visits, total = counted.get((node, hand), (0, 0.0))
        value = float(rng.below(100))
        counted[node, hand] = visits + 1, total + value
        count_hand(hands, node, np.uint64(hand), value)
    for (node, hand), expected in counted.items():
        assert seen_from(hands, node, np.uint64(hand)) == expected
    assert seen_from(hands, 300, np.uint64(1)) == (0, 0.0)
    assert seen_from(hands, 0, np.uint64(9)) == (0, 0.0)


def test_a_crowded_table_forgets_and_does_not_mix_up():
    hands = new_hands(1)
    for node in range(100):
        count_hand(hands, node, np.uint64(1), 1.0)
    seen = [seen_from(hands, node, np.uint64(1)) for node in range(100)]
    assert set(seen) == {(0, 0.0), (1, 1.0)}
    assert sum(visits for visits, _ in seen) == len(hands)


@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: rules.name)
@pytest.mark.parametrize("options", [{"observers": "all"}, {"first_play": 20.0}], ids=str)
def test_it_is_deterministic_and_counts_every_simulation(rules, options):
    state = next(endings(rules, tricks=6, count=1))
    view = rules.view(state, state.turn)
    agent = Ismcts(simulations=500, **options)
    found = agent.explain(view, Rng(1))
    assert found == agent.explain(view, Rng(1)) != agent.explain(view, Rng(2))
    assert sum(statistics.visits for statistics in found.values()) == 500


def test_with_a_certain_hand_knowing_it_changes_nothing():
    """In the last trick but one of a round where only one world is left."""
    rules = Klaverjas()
    for number, state in enumerate(endings(rules, tricks=2, count=60)):
        view = rules.view(state, state.turn)
        if len(list(worlds_of(view))) == 1:
            shared, own = (
                Ismcts(simulations=3000, observers=observers, prior=0).act(view, Rng(number))
                for observers in ("one", "all")
            )
            assert shared == own


# --- first plays -------------------------------------------------------------------------


def test_endless_urgency_tries_every_card_first():
    rules = Klaverjas()
    state = next(endings(rules, tricks=8, count=1))
    view = rules.view(state, state.turn)
    usual = Ismcts(simulations=300).explain(view, Rng(1))
    assert Ismcts(simulations=300, first_play=1e9).explain(view, Rng(1)) == usual


def test_little_urgency_leaves_cards_untried():
    rules = Klaverjas()
    untried = 0
    for number, state in enumerate(endings(rules, tricks=8, count=10)):
        view = rules.view(state, state.turn)
        found = Ismcts(simulations=30, first_play=0.0).explain(view, Rng(number))
        assert sum(statistics.visits for statistics in found.values()) == 30
        untried += len(view.legal) - len(found)
    assert untried > 10


@pytest.mark.parametrize("other", [{"reuse_tree": True}, {"first_play": 10.0}], ids=str)
def test_what_does_not_go_together_is_refused(other):
    with pytest.raises(ArenaError, match="observers"):
        Ismcts(observers="all", **other)
