"""What compiled code reads of a view is what Python says of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from helpers.all_rules import ALL, situations

from arena.core.rules import View
from arena.core.seeds import Rng
from arena.games.infoset import InfoSet
from arena.games.kernel.layout import (
    LED,
    LEFT,
    OPENED,
    OWN_STATE,
    PLAYED,
    STATE_WORDS,
    SUIT_WIDTH,
    TURN,
    Words,
)
from arena.games.kernel.spec import KernelGame, kernel_game
from arena.games.klaverjas import Klaverjas
from arena.games.observation import HOLDERS, SEEN_WORDS, observe, read_state
from arena.games.view_bytes import encode_view
from arena.games.world_sampler import holders_of


def views(rules: Any, count: int, seed: int) -> list[View]:
    """What the one whose turn it is sees; every other time with all hands."""
    tables = [table for table, _ in situations(rules, count, seed) if table.phase == "play"]
    return [
        rules.view(table, table.turn, all_hands=number % 2 == 1)
        for number, table in enumerate(tables)
    ]


def read(game: KernelGame, view: View) -> tuple[Words, Words]:
    state, voids = np.empty(STATE_WORDS, np.uint64), np.empty(4, np.uint64)
    read_state(encode_view(game, view), game.words, game.to_bits, state, voids)
    return state, voids


def not_followed(game: KernelGame, view: View) -> list[int]:
    """The lanes that each seat did not follow, trick by trick."""
    voids = [0] * 4
    tricks = [(trick.leader, trick.cards) for trick in view.tricks]
    if view.table:
        tricks.append((view.table_leader or 0, view.table))
    for leader, cards in tricks:
        lane = game.bits[cards[0]] // SUIT_WIDTH
        for place, card in enumerate(cards):
            if game.bits[card] // SUIT_WIDTH != lane:
                voids[view.rules.seat_after(leader, place)] |= 0xFFFF << SUIT_WIDTH * lane
    return voids


@pytest.mark.parametrize("rules", ALL, ids=str)
def test_the_state_of_a_view_and_who_did_not_follow(rules: Any) -> None:
    for view in views(rules, 24, seed=3):
        game = kernel_game(rules, view.trump)
        state, voids = read(game, view)
        observed = observe(game, view)
        assert state.tolist() == observed.state.tolist() == game.view_state(view).tolist()
        assert voids.tolist() == observed.voids.tolist() == not_followed(game, view)


@pytest.mark.parametrize("rules", ALL, ids=str)
def test_the_ledger_has_what_was_public_before_each_play_of_another(rules: Any) -> None:
    table = rules.start(rules.random_deal(Rng(6), 0))
    before = []
    while table.turn is not None and len(table.tricks) < 3:
        if table.phase == "play":
            view = rules.view(table, table.turn)
            game = kernel_game(rules, view.trump)
            observed = observe(game, view, with_ledger=True)
            others = [each for each in before if each.view.seat != view.seat]
            ledger, plays = observed.ledger, observed.plays
            assert ledger is not None and plays == len(others)
            assert ledger.seats[:plays].tolist() == [each.view.seat for each in others]
            assert ledger.voids[:plays].tolist() == [each.voids.tolist() for each in others]
            seen = [each.known[:SEEN_WORDS].tolist() for each in others]
            assert ledger.seen[:plays].tolist() == seen
            for row, each in zip(ledger.states, others, strict=False):
                for at in (LED, TURN, LEFT, *range(int(PLAYED), int(PLAYED) + 4)):
                    assert row[at] == each.state[at]
            before.append(observed)
        rules.apply(table, table.legal[0])
    assert before


@pytest.mark.parametrize("rules", ALL, ids=str)
def test_who_may_hold_what(rules: Any) -> None:
    for view in views(rules, 24, seed=4):
        game, known = kernel_game(rules, view.trump), InfoSet.of(view)
        unseen, may, sizes = observe(game, view).hidden()
        assert game.card_mask(unseen) == known.unseen
        expected, numbers = holders_of(known)
        assert sizes.tolist() == [*numbers.tolist(), *[0] * (HOLDERS - len(numbers))]
        # Of a stock without cards it does not matter which it might have.
        holders = rules.players + (known.undealt > 0)
        found = [game.card_mask(mask) for mask in may]
        assert found[:holders] == expected.tolist()[:holders]


def test_words_of_the_game_s_own_are_filled_in() -> None:
    def fill_in(table: Any, state: list[int]) -> None:
        state[OWN_STATE + 1] = 1000 + len(table.tricks)
        state[OPENED] |= 6

    for view in views(Klaverjas(), 10, seed=5):
        plain = kernel_game(view.rules, view.trump)
        game = KernelGame(view.rules, view.trump, plain.words, plain.bits, fill_in)
        state, _ = read(game, view)
        assert state.tolist() == game.view_state(view).tolist()
        assert (state[OWN_STATE + 1], state[OPENED]) == (1000 + len(view.tricks), 6)
