"""The game keeps to arena's protocols, and its rules are these."""

from __future__ import annotations

import shlex
from copy import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from arena_spades import kernel, rule_player
from arena_spades.bidding import Count
from arena_spades.rules import Spades

from agents.semi_random import SemiRandom
from arena.cli import main
from arena.core.cards import mask_of, parse_cards
from arena.core.deals import Deal
from arena.core.rules import OWN_BIDS, IllegalAction, Position, Standing
from arena.core.seeds import Rng
from arena.games.infoset import InfoSet, agrees
from arena.games.kernel.by_steps import playout_random_by_steps, playout_semi_by_steps
from arena.games.kernel.check import disagreement
from arena.games.kernel.contract import complaint, uncompilable
from arena.games.kernel.layout import LEFT, OPENED, TAKEN, TURN
from arena.games.kernel.playout import playout_random, playout_semi, playouts, with_loops
from arena.games.kernel.rng import rng_array
from arena.games.kernel.spec import kernel_game
from arena.games.kernel.step import final_scores
from arena.games.observation import observe
from arena.games.rulebook import advised, book_of
from arena.games.world_sampler import WorldSampler
from arena.solver.solution import Solver
from arena.testing import check_game

RULES = [Spades(), Spades(nil=50, bags=False), Spades(nil=200)]
RESULT = [*range(int(TAKEN), int(TAKEN) + 2), OPENED, TURN, LEFT]


def rounds(rules: Any, count: int, seed: int) -> Any:
    """Rounds that were played at random up to somewhere."""
    rng = Rng(seed)
    for number in range(count):
        standing = Standing(number, (rng.below(600) - 100, rng.below(600) - 100))
        table = rules.start(rules.random_deal(rng, number), standing)
        for _ in range(4 + rng.below(52)):
            # Low bids, or no player would ever make one.
            legal = table.legal[:4] if table.phase == "bid" else table.legal
            rules.apply(table, rng.choice(legal))
        yield table, rng


def test_it_is_a_game() -> None:
    check_game("spades", deals=2)


# --- the rules ---------------------------------------------------------------------------


def legal(hand: str, table: str = "", opened: bool = False) -> set[int]:
    position = Position(3, tuple(parse_cards(table)), 1, opened)
    cards = Spades().playable(mask_of(parse_cards(hand)), position)
    return {card for card in range(52) if cards >> card & 1}


def test_suit_is_followed_and_spades_wait_until_they_are_broken() -> None:
    assert legal("H2 HK S3", "H7") == set(parse_cards("H2 HK"))
    assert legal("D2 S3", "H7") == set(parse_cards("D2 S3"))
    assert legal("D2 S3") == set(parse_cards("D2"))
    assert legal("D2 S3", opened=True) == set(parse_cards("D2 S3"))
    assert legal("S2 S3") == set(parse_cards("S2 S3"))


HANDS = ("C", "D", "H", "S")
"""Each seat has a suit: W has all spades and takes every trick in which it does not lead last."""


def one_suit_each() -> Deal:
    suits = [tuple(range(13 * suit, 13 * suit + 13)) for suit in range(4)]
    return Deal("suits", tuple(suits), dealer=2)


def scores(bids: str, standing: Standing = Standing(), **options: Any) -> tuple[int, ...]:
    """W, the elder hand, takes all tricks; `bids` are those of W N E S."""
    rules = Spades(**options)
    state = rules.start(one_suit_each(), standing)
    for bid in bids.split():
        rules.apply(state, OWN_BIDS + int(bid))
    while state.turn is not None:
        rules.apply(state, state.legal[0])
    assert rules.outcome(state).tricks == (0, 13)
    return rules.outcome(state).scores


def test_a_contract_is_made_or_set() -> None:
    assert scores("13 1 0 1") == (-20, 130 + 100)
    assert scores("7 1 5 1") == (-20, 120 + 1)
    assert scores("13 2 1 3") == (-50, -140)


def test_a_nil_is_made_or_fails() -> None:
    assert scores("0 0 3 4") == (100 - 40, -100 + 30 + 10 - 100)
    assert scores("0 0 3 4", bags=False) == (100 - 40, -100 + 30)
    assert scores("0 0 3 4", bags=False, nil=50) == (50 - 40, -50 + 30)


def test_ten_bags_of_a_match_cost_100() -> None:
    assert scores("9 1 1 1", Standing(3, (0, 126))) == (-20, 100 + 3)
    assert scores("9 1 1 1", Standing(3, (0, 127))) == (-20, 100 + 3 - 100)
    assert scores("9 1 1 1", Standing(3, (0, -3))) == (-20, 100 + 3 - 100)


def test_what_is_illegal_is_told_in_the_words_of_the_game() -> None:
    state = Spades().start(one_suit_each())
    with pytest.raises(IllegalAction, match=r"seat W played pass, legal: nil 1 2 .* 13; deal"):
        Spades().apply(state, 52)


def test_the_bidder_counts() -> None:
    rules = Spades()
    state = rules.start(one_suit_each())
    assert Count().bid(rules.view(state, 3), Rng(0)) == OWN_BIDS + 13
    assert Count().bid(rules.view(state, 0), Rng(0)) == OWN_BIDS + 2


# --- the kernel --------------------------------------------------------------------------


def test_the_kernel_keeps_the_contract() -> None:
    assert complaint(Spades()) is None
    assert not list(uncompilable(kernel))


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_kernel_and_rule_book_agree_play_by_play(rules: Any) -> None:
    rng = Rng(1)
    for number in range(60):
        standing = Standing(1, (rng.below(500) - 100, rng.below(500)))
        assert disagreement(rules, rules.random_deal(rng, number), rng, standing) == ""


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_playouts_steps_lanes_and_the_semi_random_agent_agree(rules: Any) -> None:
    for table, rng in rounds(rules, 25, seed=2):
        game = with_loops(kernel_game(rules, table.trump))
        state = game.state(table, table.hands, table.turn or 0)
        if table.turn is None:
            continue
        first, second, seed = state.copy(), state.copy(), rng_array(rng)
        seeds, row = seed.copy(), np.zeros((1, 4), dtype=np.int64)
        playouts(state, game.words, state[None, :4].copy(), seeds, row)
        playout_random_by_steps(second, game.words, seed.copy())
        playout_random(first, game.words, seed)
        assert first[RESULT].tolist() == second[RESULT].tolist()
        expected = np.zeros(4, dtype=np.int64)
        final_scores(first, game.words, expected)
        assert row[0].tolist() == expected.tolist()

        first, second, seed = state.copy(), state.copy(), rng_array(rng)
        playout_semi_by_steps(second, game.words, seed.copy(), np.uint64(3))
        playout_semi(first, game.words, seed, np.uint64(3))
        assert first[RESULT].tolist() == second[RESULT].tolist()
        while table.turn is not None:
            rules.apply(table, SemiRandom().act(rules.view(table, table.turn), rng))
        final_scores(first, game.words, expected)
        assert rules.outcome(table).scores == tuple(expected[:2])
        assert rng.state == seed[0]


def test_sampled_worlds_agree_with_what_was_played() -> None:
    for table, rng in rounds(Spades(), 15, seed=3):
        if table.turn is not None:
            view = Spades().view(table, table.turn)
            for _ in range(3):
                assert agrees(view, WorldSampler(InfoSet.of(view)).sample(rng))


# --- a transcript ------------------------------------------------------------------------


def test_the_transcript_is_still_played(capsys: pytest.CaptureFixture[str]) -> None:
    text = (Path(__file__).parent / "spades.txt").read_text(encoding="utf-8")
    command, _, expected = text.partition("\n")
    assert main(shlex.split(command.removeprefix("$ arena "))) == 0
    assert capsys.readouterr().out == expected


def test_the_compiled_rule_player_plays_the_same_cards() -> None:
    rules, decisions = Spades(), 0
    for table, _ in rounds(rules, 60, 3):
        if table.turn is None or table.phase != "play":
            continue
        view = rules.view(table, table.turn)
        game = kernel_game(rules, view.trump)
        state = game.state(table, table.hands, view.seat)
        legal = np.uint64(game.mask(mask_of(view.legal)))
        chosen = advised(state, game.words, book_of(observe(game, view)), legal)
        assert int(game.card_mask(np.uint64(chosen))) == 1 << rule_player.choose_card(view)
        decisions += len(view.legal) > 1
    assert decisions > 20


# --- the solver --------------------------------------------------------------------------


def best_margin(rules: Spades, table: Any) -> int:
    """What side 0 wins by with all cards open, by trying everything."""
    if table.turn is None:
        scores = rules.outcome(table).scores
        return int(scores[0] - scores[1])
    found = []
    for card in table.legal:
        after = copy(table)
        after.hands = list(table.hands)
        rules.apply(after, card)
        found.append(best_margin(rules, after))
    return max(found) if rules.side_of(table.turn) == 0 else min(found)


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_endings_are_solved_by_the_rules_alone(rules: Spades) -> None:
    solver = Solver(12)
    for table, rng in rounds(rules, 12, 7):
        while table.turn is not None and len(table.tricks) < 10:
            rules.apply(table, rng.choice(table.legal))
        if table.turn is not None:
            value = solver.value(rules, table)
            margin = best_margin(rules, table)
            assert value.solved and value.low == (margin, -margin)[rules.side_of(table.turn)]
