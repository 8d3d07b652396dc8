"""Passing by search: its playouts against the rules, its choices, and who uses it."""

from __future__ import annotations

import numpy as np
import pytest

from agents.bidding.pass_search import _play_choices, best_pass, pass_by_search
from agents.bidding.passing import pass_card
from agents.champion import Champion
from agents.policies.features import deck_of
from agents.policies.model import policies_for
from agents.training.policy_play import play_by_policy
from arena.core.cards import CardSet, cards_of, mask_of
from arena.core.deals import Deal
from arena.core.rules import View
from arena.core.seeds import Rng
from arena.games.hearts import Hearts
from arena.games.hearts.rule_player import choose_pass
from arena.games.hearts.rulebook import pass_on
from arena.games.kernel.spec import kernel_game
from arena.games.rulebook import blank_book
from arena.testing import check_agent

RULES = Hearts(passing="left")


def to_pass(rules: Hearts, number: int) -> View:
    """What the first seat sees that is to pass a card."""
    state = rules.start(rules.random_deal(Rng(number), number))
    return rules.view(state, state.turn)


def three_by(choose, view: View) -> int:
    """The cards that are passed on in three decisions."""
    chosen: list[int] = []
    for _ in range(3):
        left = tuple(card for card in cards_of(view.hand) if card not in chosen)
        chosen.append(choose(view._replace(legal=left, passed=tuple(chosen))))
    return mask_of(chosen)


def test_the_compiled_rules_pass_the_cards_of_the_readable_ones() -> None:
    game = kernel_game(RULES, None)
    views = [to_pass(RULES, number) for number in range(300)]
    hands = game.masks([view.hand for view in views])
    passed = np.zeros_like(hands)
    pass_on(blank_book(game, "rule"), hands, passed)
    assert passed.tolist() == game.masks([three_by(choose_pass, v) for v in views]).tolist()


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_a_choice_is_worth_what_the_round_after_it_comes_to(steps: int) -> None:
    """Values against rounds of the same policy, scored by the rules."""
    rules = Hearts(passing="none")
    game = kernel_game(rules, None)
    dealt = rules.random_deal(Rng(steps), 0).hands
    passed = [0, *(mask_of(hand[:3]) for hand in dealt[1:])]
    hands = [mask_of(hand) & ~gone for hand, gone in zip(dealt, passed, strict=True)]
    hands = [hand | passed[(seat - steps) % 4] for seat, hand in enumerate(hands)]
    choices = [mask_of(dealt[0][at : at + 3]) for at in (0, 5, 10)]
    factors, seed = policies_for(rules, None).factors(game, 2.0), np.array([7], np.uint64)
    found = _play_choices(
        game.masks(hands)[None, :], game.masks(choices), steps, game.words, deck_of(game),
        factors, seed,
    )  # fmt: skip
    for choice, value in zip(choices, found.tolist(), strict=True):
        after = [hands[0] ^ choice, *hands[1:]]
        after[steps] |= choice
        state = rules.start(Deal("0", tuple(tuple(cards_of(hand)) for hand in after)))
        cards = play_by_policy(
            game, factors, game.masks(after)[None, :], np.array([state.turn]), np.array([-1]), seed
        )
        for card in cards[0].tolist():
            rules.apply(state, card)
        own, *others = rules.outcome(state).scores
        assert value == pytest.approx(sum(others) / 3 - own)


@pytest.mark.parametrize(
    ("hand", "passed"),
    [
        ("SA SK SQ C2 C3 C4 D2 D3 D4 H2 H3 H4 H5", "SA SK SQ"),
        ("HA HK HQ C2 C3 C4 D2 D3 D4 S2 S3 S4 S5", "HA HK HQ"),
    ],
)
def test_what_everybody_would_pass(hand: str, passed: str) -> None:
    chosen = best_pass(RULES, CardSet.parse(hand).mask, 1)
    assert mask_of(chosen) == CardSet.parse(passed).mask


def test_the_three_decisions_agree_whatever_the_generator() -> None:
    view = to_pass(RULES, 5)
    rng = Rng(3)
    passed = three_by(lambda seen: pass_by_search(seen, rng), view)
    assert passed == mask_of(best_pass(RULES, view.hand, view.passing))
    best_pass.cache_clear()
    assert passed == three_by(lambda seen: pass_by_search(seen, Rng(4)), view)


def test_three_players_pass_as_the_rule_player_does() -> None:
    view = to_pass(Hearts(players=3, passing="left"), 1)
    assert pass_by_search(view, Rng(0)) == pass_card(view, Rng(0))


def test_who_passes_how() -> None:
    view = to_pass(RULES, 5)
    by_rule, by_search = (
        three_by(lambda seen, way=way: Champion(passing=way).act(seen, Rng(0)), view)
        for way in ("rule", "search")
    )
    assert by_rule == three_by(choose_pass, view)
    assert by_search == mask_of(best_pass(RULES, view.hand, 1))
    assert by_search != by_rule, "or this deal shows nothing"


def test_an_agent_that_passes_by_search_conforms() -> None:
    agent = Champion(simulations=20, worlds=20, passing="search")
    check_agent(lambda: agent, game=Hearts(passing="rotate"), deals=1, other_process=False)
