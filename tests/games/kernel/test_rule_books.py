"""The kernel and the rule books play the same games."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest
from helpers.all_rules import ALL, KLAVERJAS, kernel_state, situations

from arena.core.cards import mask_of, parse_card
from arena.core.deals import Deal, deal_from_record, read_jsonl
from arena.core.rules import RulesError
from arena.core.seeds import Rng, seed_for
from arena.games.kernel import check
from arena.games.kernel.check import disagreement, replay
from arena.games.kernel.layout import LEFT, STATE_WORDS
from arena.games.kernel.spec import has_kernel, kernel_game
from arena.games.kernel.step import legal, play
from arena.games.klaverjas import Klaverjas
from arena.games.schieber import Schieber

ROUNDS = int(os.environ.get("ARENA_KERNEL_ROUNDS", "10240"))
"""How many random rounds are compared, over all options; set it for more."""


@pytest.mark.parametrize("rules", ALL, ids=str)
def test_random_rounds_agree_play_by_play(rules: Any) -> None:
    rng = Rng(seed_for(4, "rule books", str(rules)))
    for number in range(-(-ROUNDS // len(ALL))):
        assert disagreement(rules, rules.random_deal(rng, number), rng) == ""


def test_a_difference_is_found_and_described(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stricter(Klaverjas):
        def playable(self, hand: int, position: Any) -> int:
            cards = super().playable(hand, position)
            return cards & -cards if position.trick_number == 3 else cards

    rules = Stricter()
    game = kernel_game(Klaverjas(), 0)
    monkeypatch.setattr(check, "kernel_game", lambda *_: game)
    hands = rules.random_deal(Rng(1), 0).hands
    message = disagreement(rules, Deal("x", hands, trump=0, declarer=0, leader=0), Rng(2))
    assert "play 13" in message
    assert "legal: by the rules" in message


@pytest.mark.parametrize("game", ["klaverjas", "schieber", "hearts"])
def test_recorded_rounds_agree(game: str, request: pytest.FixtureRequest) -> None:
    from arena.core.registry import GAMES

    path = request.config.rootpath / "tests" / "data" / f"{game}_rounds.jsonl.gz"
    for _, record in list(read_jsonl(path))[:100]:
        rules = GAMES.get(game).from_record(record)
        cards = [parse_card(play["card"]) for play in record["plays"]]
        result = replay(rules, deal_from_record(record), cards)
        assert result is not None
        assert [mask_of(map(parse_card, play["legal"])) for play in record["plays"]] == list(
            result.legal
        )
        assert result.scores is not None


def test_replay_stops_at_a_card_that_is_not_legal() -> None:
    rules = Klaverjas()
    deal = rules.random_deal(Rng(3), 0)
    not_his = deal.hands[1][0]
    result = replay(rules, deal, [not_his])
    assert result is not None
    assert result.scores is None
    assert not result.legal[-1] >> not_his & 1
    assert result.legal[-1] == mask_of(deal.hands[0])


def test_replay_of_a_round_without_cards_is_nothing() -> None:
    rules = Klaverjas(bidding="classical-redeal")
    deal = rules.random_deal(Rng(3), 0)
    assert replay(rules, deal, [52] * 8) is None


@pytest.mark.parametrize("rules", ALL[::7], ids=str)
def test_a_state_made_in_the_middle_equals_one_played_up_to_there(rules: Any) -> None:
    for table, _ in situations(rules, 20, seed=5):
        game, state = kernel_state(rules, table)
        played = rules.start(table.deal, table.standing)
        for bid in table.bids:
            rules.apply(played, bid.action)
        for passed in table.passed:
            for card in passed:
                rules.apply(played, card)
        other = game.state(played, played.hands, played.turn)
        cards = [card for trick in table.tricks for card in trick.cards] + list(table.table)
        for card in cards:
            play(other, game.words, game.mask(1 << card))
        np.testing.assert_array_equal(state, other)


@pytest.mark.parametrize("rules", ALL[::7], ids=str)
def test_a_view_gives_the_state_with_the_other_hands_empty(rules: Any) -> None:
    for table, _ in situations(rules, 10, seed=6):
        game, state = kernel_state(rules, table)
        from_view = game.view_state(rules.view(table, table.turn))
        others = [seat for seat in range(rules.players) if seat != table.turn]
        state[others] = 0
        np.testing.assert_array_equal(from_view, state)
        assert game.card_mask(legal(from_view, game.words)) == mask_of(table.legal)
        seeing = game.view_state(rules.view(table, table.turn, all_hands=True))
        assert [game.card_mask(hand) for hand in seeing[: rules.players]] == list(table.hands)


def test_games_of_strangers_have_no_kernel_and_are_reported_so() -> None:
    class Theirs(Klaverjas):
        pass

    Theirs.__module__ = "their_game.rules"
    Theirs.name = "theirs"
    assert not has_kernel(Theirs())
    assert replay(Theirs(), Theirs().random_deal(Rng(1), 0), []) is None
    with pytest.raises(RulesError, match="the game 'theirs' has no compiled kernel"):
        kernel_game(Theirs(), 0)


def test_coordinates_of_every_trump_go_there_and_back() -> None:
    for rules, trumps in ((KLAVERJAS[0], range(4)), (Schieber(), range(6)), (ALL[-2], [None])):
        for trump in trumps:
            game = kernel_game(rules, trump)
            assert game.card_mask(game.mask(rules.deck)) == rules.deck
            for card, bit in game.bits.items():
                assert game.mask(1 << card) == 1 << bit
                assert game.card(np.uint64(1 << bit)) == card
            assert game.masks([1 << c for c in game.bits]).tolist() == [
                1 << bit for bit in game.bits.values()
            ]


def test_the_highest_trump_is_the_highest_bit_and_the_suits_keep_their_order() -> None:
    game = kernel_game(Klaverjas(), 2)
    assert [game.bits[parse_card(name)] for name in ("HJ", "H9", "H7")] == [55, 54, 48]
    assert [game.bits[parse_card(name)] for name in ("CA", "DA", "SA")] == [7, 23, 39]
    une = kernel_game(Schieber(), 5)
    assert [une.bits[parse_card(name)] for name in ("CA", "C6", "S6")] == [0, 8, 56]


def test_a_state_is_over_when_no_trick_is_left() -> None:
    rules = Klaverjas()
    table = rules.start(rules.random_deal(Rng(8), 0))
    _, state = kernel_state(rules, table)
    assert len(state) == STATE_WORDS
    assert state[LEFT] == 8
