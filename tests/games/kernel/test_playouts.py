"""Unrolled loops and lanes do what playing card by card does."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from helpers.all_rules import ALL, SOME, kernel_state, situations

from agents.semi_random import SemiRandom
from arena.core.cards import mask_of, parse_cards
from arena.core.seeds import Rng
from arena.games.hearts import Hearts
from arena.games.kernel import layout
from arena.games.kernel.by_steps import playout_random_by_steps, playout_semi_by_steps
from arena.games.kernel.deal import _half, random_deal
from arena.games.kernel.jit import compiled
from arena.games.kernel.lanes import LANES
from arena.games.kernel.layout import (
    BETTER,
    DECK,
    LEFT,
    ONE,
    PROTECT_TENS,
    S32,
    STATE_WORDS,
    TAKEN,
    TURN,
    USUAL_FLAGS,
    ZERO,
    Words,
)
from arena.games.kernel.playout import playout_random, playout_semi, playouts, with_loops
from arena.games.kernel.rng import next64, rng_array
from arena.games.kernel.spec import kernel_game
from arena.games.kernel.step import final_scores, legal, play, semi_candidates
from arena.games.kernel.tricks import pick
from arena.games.klaverjas import Klaverjas
from arena.games.schieber import Schieber

RESULT = [*range(int(TAKEN), int(TAKEN) + 4), TURN, LEFT]
"""What is good in a state after a playout."""


@pytest.mark.parametrize("rules", ALL, ids=str)
def test_unrolled_playouts_equal_playing_by_steps(rules: Any) -> None:
    for table, rng in situations(rules, 30, seed=11):
        game, state = kernel_state(rules, table)
        by_steps, words, words_by_steps = state.copy(), rng_array(rng), rng_array(rng)
        playout_random(state, game.words, words)
        playout_random_by_steps(by_steps, game.words, words_by_steps)
        assert state[RESULT].tolist() == by_steps[RESULT].tolist()
        assert words == words_by_steps


@pytest.mark.parametrize("rules", ALL, ids=str)
def test_unrolled_semi_random_playouts_equal_playing_by_steps(rules: Any) -> None:
    for table, rng in situations(rules, 30, seed=12):
        game, state = kernel_state(rules, table)
        semi_random_flags = np.uint64(rng.below(4))
        by_steps, words, words_by_steps = state.copy(), rng_array(rng), rng_array(rng)
        playout_semi(state, game.words, words, semi_random_flags)
        playout_semi_by_steps(by_steps, game.words, words_by_steps, semi_random_flags)
        assert state[RESULT].tolist() == by_steps[RESULT].tolist()
        assert words == words_by_steps


@pytest.mark.parametrize("rules", SOME, ids=str)
@pytest.mark.parametrize("protect_tens", [True, False])
@pytest.mark.parametrize("better", [True, False])
def test_semi_random_playouts_are_the_semi_random_agent_card_for_card(
    rules: Any, protect_tens: bool, better: bool
) -> None:
    agent = SemiRandom(protect_tens=protect_tens, better=better)
    semi_random_flags = np.uint64((PROTECT_TENS if protect_tens else 0) | (BETTER if better else 0))
    for table, rng in situations(rules, 12, seed=13):
        game, state = kernel_state(rules, table)
        words = rng_array(rng)
        playout_semi(state, game.words, words, semi_random_flags)
        while table.turn is not None:
            rules.apply(table, agent.act(rules.view(table, table.turn), rng))
        scores = np.zeros(4, dtype=np.int64)
        final_scores(state, game.words, scores)
        assert rules.outcome(table).scores == tuple(scores[: len(rules.sides)])
        assert rng.state == words[0]


@pytest.mark.parametrize("rules", ALL, ids=str)
def test_lanes_equal_single_playouts(rules: Any) -> None:
    for table, rng in situations(rules, 4, seed=14):
        game, state = kernel_state(rules, table)
        for count in (1, LANES, LANES + 3):
            worlds = _shuffled_worlds(rules, table, game, rng, count)
            seeds = np.array([rng.next64() for _ in range(count)], dtype=np.uint64)
            scores = np.zeros((count, 4), dtype=np.int64)
            playouts(state, game.words, worlds, seeds.copy(), scores)
            for world, seed, row in zip(worlds, seeds, scores, strict=True):
                single = state.copy()
                single[: rules.players] = world[: rules.players]
                expected = np.zeros(4, dtype=np.int64)
                playout_random(single, game.words, np.array([seed], dtype=np.uint64))
                final_scores(single, game.words, expected)
                assert row.tolist() == expected.tolist()


def _shuffled_worlds(rules: Any, table: Any, game: Any, rng: Rng, count: int) -> Words:
    """Worlds with the same hand sizes; the playouts do not mind impossible ones."""
    worlds = np.zeros((count, 4), dtype=np.uint64)
    cards = [card for card in range(52) if any(hand >> card & 1 for hand in table.hands)]
    if len(table.tricks) == 0:
        return worlds + game.masks([*table.hands, 0, 0][:4])  # the first lead may be given
    for row in worlds:
        rng.shuffle(cards)
        start = 0
        for seat, hand in enumerate(table.hands):
            row[seat] = game.mask(mask_of(cards[start : start + hand.bit_count()]))
            start += hand.bit_count()
    return worlds


def test_lanes_advance_the_seeds_they_are_given() -> None:
    rules = Klaverjas()
    game, state = kernel_state(rules, rules.start(rules.random_deal(Rng(1), 0)))
    seeds, alone = np.array([5], dtype=np.uint64), np.array([5], dtype=np.uint64)
    playouts(state, game.words, state[None, :4].copy(), seeds, np.zeros((1, 4), dtype=np.int64))
    playout_random(state, game.words, alone)
    assert seeds == alone


# --- chance ------------------------------------------------------------------------------


def _chi_square(counts: Counter[Any], cells: int) -> float:
    expected = sum(counts.values()) / cells
    found = sum((count - expected) ** 2 / expected for count in counts.values())
    return found + expected * (cells - len(counts))


def test_a_pick_is_uniform() -> None:
    mask, rng = np.uint64(0b1011_0000_0100_0000_0001), Rng(21)
    counts = Counter(int(pick(mask, np.uint64(rng.next64() >> 32))) for _ in range(10_000))
    assert set(counts) == {1 << 19, 1 << 17, 1 << 16, 1 << 10, 1}
    assert _chi_square(counts, 5) < 18.5  # 4 degrees of freedom, p = 0.001


@pytest.mark.parametrize(
    ("rules", "trump"),
    [(Klaverjas(), 1), (Schieber(), 4), (Hearts(), None), (Hearts(players=2), None)],
    ids=str,
)
def test_random_deals_are_deals_and_every_card_goes_everywhere(rules: Any, trump: Any) -> None:
    game = kernel_game(rules, trump)
    state, rng = np.zeros(STATE_WORDS, dtype=np.uint64), np.array([1], dtype=np.uint64)
    holders: Counter[tuple[int, int]] = Counter()
    deals = 1000
    for _ in range(deals):
        random_deal(state, game.words, rng, np.uint64(1), np.uint64(0))
        hands = [int(hand) for hand in state[: rules.players]]
        assert [hand.bit_count() for hand in hands] == [rules.hand_size] * rules.players
        assert sum(hands) == game.words[DECK]
        for seat, hand in enumerate(hands):
            holders.update((seat, bit) for bit in range(64) if hand >> bit & 1)
    cells = rules.players * rules.deck.bit_count()
    # Cards of a deal are not independent, so the bound is generous: it finds a biased seat.
    assert _chi_square(holders, cells) < 1.25 * cells


def test_random_halves_are_uniform_over_all_subsets() -> None:
    rng, counts = Rng(22), Counter[int]()
    for _ in range(7000):
        word, seed = np.uint64(rng.next64()), np.uint64(rng.next64())
        chosen, _seed = _half(word, np.uint64(4), seed)
        counts[int(chosen)] += 1
    assert all(subset.bit_count() == 4 for subset in counts)
    assert _chi_square(counts, 70) < 111.1  # 69 degrees of freedom, p = 0.001


def _hearts_for_three(**changed: Any) -> Words:
    """Hearts without the two of diamonds; words may be changed, by their names in `layout`."""
    four = with_loops(kernel_game(Hearts(), None))
    words = four.words.copy()
    deck = int(four.mask(Hearts.deck ^ mask_of(parse_cards("D2"))))
    for name, value in {"PLAYERS": 3, "SIDES": 3, "TRICKS": 17, "DECK": deck, **changed}.items():
        words[getattr(layout, name)] = value
    words.flags.writeable = False
    return words


def test_all_deals_for_three_are_equally_likely() -> None:
    game = _hearts_for_three(DECK=0b11_0000_0000_0000_0101_1000_0000_0000_0001, TRICKS=2)
    state, rng = np.zeros(STATE_WORDS, dtype=np.uint64), np.array([24], dtype=np.uint64)
    counts = Counter[tuple[int, ...]]()
    for _ in range(9000):
        random_deal(state, game, rng, ZERO, ZERO)
        hands = tuple(map(int, state[:4]))
        assert [hand.bit_count() for hand in hands] == [2, 2, 2, 0]
        assert sum(hands) == game[DECK]
        counts[hands] += 1
    assert _chi_square(counts, 90) < 136.0  # 89 degrees of freedom, p = 0.001


def test_three_play_to_the_end_alone_and_in_bulk() -> None:
    game = _hearts_for_three()
    state, rng = np.zeros(STATE_WORDS, dtype=np.uint64), np.array([25], dtype=np.uint64)
    for seed in range(50):
        random_deal(state, game, rng, ZERO, ZERO)
        assert [int(hand).bit_count() for hand in state[:4]] == [17, 17, 17, 0]
        seeds, scores = np.array([seed], dtype=np.uint64), np.zeros((1, 4), dtype=np.int64)
        playouts(state, game, state[None, :4].copy(), seeds.copy(), scores)
        playout_random(state, game, seeds)
        assert state[LEFT] == ZERO
        taken = [int(word) & 0xFFFF for word in state[TAKEN : int(TAKEN) + 4]]
        assert sum(taken) == 26
        moon = 26 in taken
        assert scores[0].tolist() == ([*(26 - p for p in taken[:3]), 0] if moon else taken)


def test_the_two_of_clubs_leads_in_hearts() -> None:
    game = kernel_game(Hearts(), None)
    state, rng = np.zeros(STATE_WORDS, dtype=np.uint64), np.array([1], dtype=np.uint64)
    for _ in range(50):
        random_deal(state, game.words, rng, np.uint64(1), np.uint64(0))
        assert state[int(state[TURN])] & np.uint64(1)


@compiled
def _even_seats_semi_randomly(game: Words, rng: Words, margins: Any) -> None:
    state = np.empty(STATE_WORDS, dtype=np.uint64)
    scores = np.zeros(4, dtype=np.int64)
    for number in range(len(margins)):
        leader = np.uint64(number % 4)
        random_deal(state, game, rng, leader, leader)
        while state[LEFT] != ZERO:
            cards = legal(state, game)
            if state[TURN] & ONE == ZERO:
                cards = semi_candidates(state, game, cards, USUAL_FLAGS)
            play(state, game, pick(cards, next64(rng) >> S32))
        final_scores(state, game, scores)
        margins[number] = scores[0] + scores[2] - scores[1] - scores[3]


@pytest.mark.parametrize(
    ("rules", "trump"),
    [(Klaverjas(), 1), (Schieber(), 1), (Schieber(), 4), (Schieber(), 5), (Hearts(), None)],
    ids=str,
)
def test_semi_random_play_beats_random_play(rules: Any, trump: int | None) -> None:
    margins = np.zeros(20_000, dtype=np.int64)
    rng = np.array([23], dtype=np.uint64)
    _even_seats_semi_randomly(with_loops(kernel_game(rules, trump)).words, rng, margins)
    favour = margins if rules.higher_wins else -margins
    assert favour.mean() > 5 * favour.std() / len(favour) ** 0.5


def test_usual_flags_are_both() -> None:
    assert USUAL_FLAGS == PROTECT_TENS | BETTER
