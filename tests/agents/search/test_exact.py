"""The solver against plain minimax by the rule book."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.endings import endings, worth_of_cards

from agents.search.exact import POINTS, SCORE, SolverWorkspace, _key, clear, solve, solve_cards
from arena.games.kernel.layout import HANDS, STATE_WORDS, TURN
from arena.games.kernel.spec import kernel_game
from arena.games.klaverjas import Klaverjas
from arena.games.schieber import Schieber
from arena.games.schieber.kernel import FACTOR

GAMES = [
    Klaverjas(),
    Klaverjas(variant="amsterdam", tie_is_nat=False),
    Klaverjas(variant="rotterdam-2017"),
    Schieber(),
    Schieber(match_bonus=100, weis=True, stoeck=True),
]


def solved(rules, state, objective, room):
    game = kernel_game(rules, state.trump)
    words = game.state(state, state.hands, state.turn)
    values = np.zeros(64)
    clear(room)
    solve_cards(words, game.words, objective, room, values)
    sign = 1 if rules.side_of(state.turn) == 0 else -1
    return {card: sign * int(values[game.bits[card]]) for card in state.legal}


@pytest.mark.parametrize("rules", GAMES, ids=str)
@pytest.mark.parametrize("cards_played", [0, 2])
def test_it_finds_what_the_rule_book_says(rules, cards_played):
    room = SolverWorkspace.of(10)
    for state in endings(rules, tricks=3, count=12, cards_played=cards_played):
        assert solved(rules, state, SCORE, room) == worth_of_cards(rules, state)


def test_the_winner_by_points_of_2017_makes_other_cards_best():
    """Of 200 endings; in these the cards are worth what `test_it_finds` compares."""
    rules, room = Klaverjas(variant="rotterdam-2017"), SolverWorkspace.of(12)
    others = 0
    for state in endings(rules, tricks=4, count=200):
        values = solved(rules, state, SCORE, room)
        right = solved(Klaverjas(), state, SCORE, room)
        others += values[max(right, key=right.__getitem__)] < max(values.values())
    assert 1 <= others <= 40


def test_the_leader_and_the_cards_of_a_key_do_not_cancel_out():
    states = np.zeros((2, STATE_WORDS), dtype=np.uint64)
    states[:, int(HANDS) + 1 : int(HANDS) + 4] = 1 << 16, 1 << 32, 1 << 48
    for turn in range(2):
        states[turn, TURN] = turn
        states[turn, int(HANDS)] = 1 << turn  # the seven, or the eight
    assert _key(states[0], POINTS) != _key(states[1], POINTS)


def test_a_full_table_changes_nothing():
    rules, small, large = Klaverjas(), SolverWorkspace.of(2), SolverWorkspace.of(16)
    for state in endings(rules, tricks=5, count=10):
        assert solved(rules, state, SCORE, small) == solved(rules, state, SCORE, large)


def test_points_are_the_score_where_the_end_adds_nothing():
    """Schieber without match bonus is nothing but points."""
    rules, room = Schieber(match_bonus=0), SolverWorkspace.of(14)
    for state in endings(rules, tricks=4, count=20):
        factor = kernel_game(rules, state.trump).words[FACTOR]
        points = solved(rules, state, POINTS, room)
        score = solved(rules, state, SCORE, room)
        assert {card: int(factor) * value for card, value in points.items()} == score


def test_the_first_guess_does_not_matter():
    rules, room = Klaverjas(), SolverWorkspace.of(12)
    for state in endings(rules, tricks=4, count=5):
        game = kernel_game(rules, state.trump)
        words = game.state(state, state.hands, state.turn)
        values = set()
        for guess in (-500, 0, 17, 500):
            clear(room)
            values.add(solve(words, game.words, SCORE, guess, room))
        assert len(values) == 1
