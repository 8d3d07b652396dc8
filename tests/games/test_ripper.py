"""The light and heavy rules: positions that read like them, and a readable twin beside them."""

from __future__ import annotations

import pytest
from helpers.rulebook_choice import compiled_choice

from agents.dmcts import Dmcts
from arena.core.cards import CARD_NAMES, cards_of, suit_of
from arena.core.rules import OBE, View, choose_trump
from arena.core.seeds import Rng, rng_for
from arena.games.hearts import Hearts
from arena.games.needs import why_not
from arena.games.schieber import Schieber
from arena.games.schieber.tables import POINTS, STRENGTH

RULES = Schieber()


def advice(view: View, hands: list[int], book: str) -> set[int]:
    """The rules in plain Python, on sets of cards."""
    trump, legal, table = view.trump, set(view.legal), view.table
    strength = STRENGTH[trump].__getitem__
    trumps = {card for card in legal if suit_of(card) == trump}
    found: set[int] = set()
    if len(table) == 3:
        found = last(view, trumps)
        if not found and book == "heavy":
            found = {card for card in legal if POINTS[trump][card] == 0}
    elif not table and book == "light":
        found = trumps if len(view.tricks) < 2 and len(trumps) >= 2 else set()
    elif not table:
        others = [set(cards_of(hands[view.rules.seat_after(view.seat, n)])) for n in (1, 2, 3)]
        if all(any(suit_of(card) == trump for card in others[n]) for n in (0, 2)):
            found |= trumps
        for suit in range(4):
            own = {card for card in legal if suit_of(card) == suit}
            everybody = own.union(*others)
            left = sorted((c for c in everybody if suit_of(c) == suit), key=strength)
            if left[-1:] and left[-1] in own:
                found.add(left[-1])
            if left[-1:] and left[-1] in others[1]:
                found |= own
            if left[-2:-1] and left[-2] in own:
                found |= own - set(left[-2:])
    return found or legal


def last(view: View, trumps: set[int]) -> set[int]:
    rules, table, legal = view.rules, view.table, set(view.legal)
    if rules.side_of(view.holder) == rules.side_of(view.seat):
        fat = "T8" if view.trump == OBE else "T"
        return {card for card in legal if CARD_NAMES[card][1] in fat}
    taking = {card for card in legal if view.takes(card)}
    worth = rules.trick_value(table, view.trump, False)[0]
    return taking - trumps or (taking if worth > 10 else set())


@pytest.mark.parametrize("book", ["light", "heavy"])
def test_like_the_readable_rules(book: str) -> None:
    advised = 0
    for number in range(60):
        rng = rng_for(20, "ripper", number)
        state = RULES.start(RULES.random_deal(rng, number))
        while state.turn is not None:
            view = RULES.view(state, state.turn)
            action = rng.choice(view.legal)
            if view.phase == "play" and len(view.legal) > 1:
                found = set(compiled_choice(view, state, book))
                assert found == advice(view, state.hands, book), view
                advised += found != set(view.legal)
                action = rng.choice(tuple(found))
            RULES.apply(state, action)
    assert advised > 100


def test_they_are_for_schieber_only() -> None:
    message = "does not play hearts: it has no 'heavy' playouts"
    assert why_not(Dmcts(rollout="heavy"), Hearts()) == message
    assert why_not(Dmcts(rollout="heavy"), RULES) is None


@pytest.mark.parametrize("book", ["light", "heavy"])
def test_searches_play_out_by_them(book: str) -> None:
    state = RULES.start(RULES.random_deal(Rng(4), 0))
    RULES.apply(state, choose_trump(1))
    view = RULES.view(state, state.turn)
    found = Dmcts(rollout=book, worlds=3, iterations=12).explain(view, Rng(5))
    by_chance = Dmcts(rollout="random", worlds=3, iterations=12).explain(view, Rng(5))
    assert set(found) == set(view.legal) and found != by_chance
