"""Prompts say all that a seat may know in words, and nothing that it may not."""

from __future__ import annotations

import re

import pytest
from helpers.rounds import random_round_views

from arena.core.cards import card_name, cards_of
from arena.core.errors import ArenaError
from arena.core.rules import action_name
from arena.core.seeds import Rng
from arena.games.hearts import Hearts
from arena.games.klaverjas import Klaverjas
from arena.games.schieber import Schieber
from arena.llm.prompt import PLACES, Prompter, rules_words, usual_template

GAMES = [
    Klaverjas(),
    Klaverjas(bidding="classical"),
    Schieber(weis=True),
    Hearts(passing="left"),
    Hearts(players=3),
]
BARE = "$rules~$position~$history~$legal"


@pytest.mark.parametrize("rules", GAMES, ids=repr)
def test_a_prompt_has_the_hand_the_table_and_the_legal_moves(rules):
    for view in random_round_views(rules, 3):
        _, position, history, legal = Prompter(BARE).prompt(view).split("~")
        hand = re.search(r"Your hand: ([^.]*)\.", position)[1].split()
        assert hand == [card_name(card) for card in cards_of(view.hand)]
        unseen = re.search(r"not seen: ([^.]*)\.", position)[1].split()
        assert set(unseen) - {"none"} == {card_name(card) for card in cards_of(view.unseen)}
        assert history.count(" took it") == len(view.tricks)
        shown = re.findall(r"\b[NESW] ([CDHS][2-9TJQKA])\b", history)
        played = [card for trick in view.tricks for card in trick.cards]
        assert shown == [card_name(card) for card in (*played, *view.table)]
        for action in view.legal:
            assert action_name(action, rules.bids) in legal


@pytest.mark.parametrize("rules", GAMES, ids=repr)
def test_hidden_legal_moves_are_in_no_prompt(rules):
    for view in random_round_views(rules, 3):
        prompt = Prompter(BARE, "hidden").prompt(view)
        assert "Legal moves" not in prompt


def test_two_hands_that_look_alike_to_a_seat_give_the_same_prompt():
    """What the others hold is in no prompt: cards of two opponents are exchanged."""
    rules = Klaverjas()
    state = rules.start(rules.random_deal(Rng(5), 0))
    before = Prompter.usual().prompt(rules.view(state, state.turn))
    others = [seat for seat in range(4) if seat != state.turn]
    state.hands[others[0]], state.hands[others[1]] = state.hands[others[1]], state.hands[others[0]]
    assert Prompter.usual().prompt(rules.view(state, state.turn)) == before


def test_rules_are_those_of_the_documentation_and_of_the_rule_book():
    words = rules_words(Klaverjas(variant="amsterdam"))
    assert "Klaverjas in five minutes" in words
    assert "Who cannot follow plays by `variant`" in words
    assert "- variant: amsterdam (" in words
    assert "](" not in words and "glossary" not in words and "margins are large" not in words


def test_rules_of_a_game_from_outside_are_its_rule_book():
    from helpers.thirds.rules import Thirds

    assert rules_words(Thirds()).startswith("Thirds")


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("$rules $position $history", "'$legal' is missing"),
        ("$rules $positon $history $legal", "did you mean 'position'?"),
        ("$rules $position $history $legal costs $ 5", "write '$$'"),
    ],
)
def test_a_template_that_cannot_work_is_refused(template, said):
    with pytest.raises(ArenaError, match=re.escape(said)):
        Prompter(template)


def test_the_usual_template_has_every_placeholder():
    assert all(f"${name}" in usual_template() for name in PLACES)
    Prompter("$rules $position $history", "hidden")


def test_another_text_is_another_hash():
    digests = {
        Prompter(BARE).digest,
        Prompter.usual().digest,
        Prompter(BARE, rules_text="x").digest,
    }
    assert len(digests) == 3
