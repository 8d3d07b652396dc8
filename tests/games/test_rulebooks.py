"""Compiled rule players play card for card as the readable ones."""

from __future__ import annotations

from typing import Any

import pytest
from helpers.rulebook_choice import compiled_choice

from agents.dmcts import Dmcts
from agents.flat_mc import FlatMC
from agents.ismcts import Ismcts
from arena.core.errors import ArenaError
from arena.core.rules import View
from arena.core.seeds import Rng, rng_for
from arena.games.hearts import Hearts
from arena.games.hearts import rule_player as rule_hearts
from arena.games.infoset import round_of
from arena.games.kernel.spec import KernelGame, kernel_game
from arena.games.klaverjas import Klaverjas
from arena.games.klaverjas import rule_player as rule_klaverjas
from arena.games.needs import games_of, why_not
from arena.games.observation import observe
from arena.games.rulebook import book_of
from arena.games.schieber import Schieber
from arena.games.schieber import rule_player as rule_schieber

BOOKS = {
    "klaverjas": lambda view: rule_klaverjas.choose_card(view, "as-published"),
    "schieber": rule_schieber.rule_card,
    "hearts": rule_hearts.choose_card,
}


@pytest.mark.parametrize(
    ("rules", "rounds"),
    [
        (Klaverjas(), 60),
        (Klaverjas(variant="amsterdam"), 40),
        (Klaverjas(variant="rotterdam-2017"), 40),
        (Schieber(), 120),
        (Hearts(), 60),
        (Hearts(variant="classic"), 30),
        (Hearts(players=2), 30),
        (Hearts(players=3), 30),
    ],
    ids=repr,
)
def test_card_by_card(rules, rounds):
    decisions = 0
    for number in range(rounds):
        rng = rng_for(3, "rules", number)
        state = rules.start(rules.random_deal(rng, number))
        while state.turn is not None:
            view = rules.view(state, state.turn)
            action = rng.choice(view.legal)
            if view.phase == "play" and len(view.legal) > 1:
                expected = BOOKS[rules.name](view)
                found = compiled_choice(view, state)
                assert found == (view.legal if expected is None else (expected,)), view
                decisions += 1
                # By the rules mostly, so that what they lead to is met as well.
                action = expected if expected is not None and rng.random() < 0.7 else action
            rules.apply(state, action)
    assert decisions > 500


def test_as_written():
    rules = Klaverjas()
    for number in range(20):
        rng = rng_for(4, "rules", number)
        state = rules.start(rules.random_deal(rng, number))
        while state.turn is not None:
            view = rules.view(state, state.turn)
            expected = rule_klaverjas.choose_card(view, "as-written")
            assert compiled_choice(view, state, "as-written") == (expected,)
            rules.apply(state, rng.choice(view.legal))


# --- in searches -------------------------------------------------------------------------


@pytest.mark.parametrize("rules", [Klaverjas(), Schieber(), Hearts()], ids=lambda r: r.name)
@pytest.mark.parametrize("family", [FlatMC, Ismcts, Dmcts], ids=lambda f: f.__name__)
def test_searches_play_out_by_the_rules(rules, family):
    state = at_the_last_but_one(rules)
    view = rules.view(state, state.turn, all_hands=True)
    small = {"playouts": 8} if family is FlatMC else {"simulations": 40}
    small = {"worlds": 3, "iterations": 20} if family is Dmcts else small
    agent = family(rollout="rule", **small)
    first, again = agent.explain(view, Rng(5)), agent.explain(view, Rng(5))
    assert first == again and set(first) == set(view.legal)


@pytest.mark.parametrize("rules", [Klaverjas(), Schieber(), Hearts()], ids=lambda r: r.name)
def test_a_playout_is_the_round_that_four_rule_players_play(rules):
    """With all cards seen, the value of a card is what the readable players come to after it."""
    checked = 0
    for number in range(90 if rules.name == "schieber" else 20):
        rng = rng_for(6, "playouts", number)
        state = rules.start(rules.random_deal(rng, number))
        while len(state.tricks) < 3:
            rules.apply(state, rng.choice(rules.view(state, state.turn).legal))
        view = rules.view(state, state.turn, all_hands=True)
        agent = FlatMC(rollout="rule", playouts=1, sees="all", value="difference")
        for card in view.legal if len(view.legal) > 1 else ():
            margin = margin_by_rules(view, card)
            if margin is None:
                continue  # the rules had no answer somewhere, so a playout is random
            found = {one.card: one.mean for one in agent.estimates(view, Rng(1))}
            assert found[card] == margin
            checked += 1
    assert checked > 30


def margin_by_rules(view: View, card: int) -> float | None:
    """What a side comes to if all play on by the readable rules; hands in the order of cards."""
    rules = view.rules
    plain = view._replace(dealt_hand=tuple(sorted(view.dealt_hand)))
    state = round_of(plain._replace(all_hands=None), view.all_hands)
    rules.apply(state, card)
    while state.turn is not None:
        seen = rules.view(state, state.turn)
        if len(seen.legal) == 1:
            action = seen.legal[0]
        else:
            # The order that a seat was dealt its cards in is known of the searcher only.
            order = view.dealt_hand if seen.seat == view.seat else tuple(sorted(seen.dealt_hand))
            action = BOOKS[rules.name](seen._replace(dealt_hand=order))
        if action is None:
            return None
        rules.apply(state, action)
    scores = rules.outcome(state).scores
    side = rules.side_of(view.seat)
    others = [score for other, score in enumerate(scores) if other != side]
    return scores[side] - sum(others) / len(others)


def at_the_last_but_one(rules):
    rng = rng_for(5, "endings", 0)
    state = rules.start(rules.random_deal(rng, 0))
    while len(state.tricks) < rules.hand_size - 2 or len(rules.view(state, state.turn).legal) == 1:
        rules.apply(state, rng.choice(rules.view(state, state.turn).legal))
        assert state.turn is not None
    return state


def test_a_game_without_rules_is_refused():
    class Other(Klaverjas):
        name = "other"

    rules = Klaverjas()
    state = rules.start(rules.random_deal(Rng(1), 1))
    plain = kernel_game(rules, state.trump)
    game = KernelGame(Other(), plain.trump, plain.words, plain.bits)
    with pytest.raises(ArenaError, match="rollout: rule is for hearts, klaverjas, schieber, not"):
        book_of(observe(game, rules.view(state, state.turn)))


@pytest.mark.parametrize("family", [FlatMC, Ismcts, Dmcts])
def test_games_without_a_rule_player_are_refused_beforehand(family: Any) -> None:
    class Other(Klaverjas):
        name = "other"

    assert why_not(family(rollout="rule"), Klaverjas()) is None
    message = "does not play other: it has no 'rule' playouts"
    assert why_not(family(rollout="rule"), Other()) == message
    assert "klaverjas" in games_of(family)
