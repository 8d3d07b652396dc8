"""What bids tell of the hidden cards: weights against enumeration, tables against known bidders."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from helpers.policy_worlds import all_worlds, endings, likelihoods, random_model

from agents.policies.bid_evidence import dealt_size, has_bids, part_size
from agents.policies.features import deck_of, kinds_of
from agents.policies.inference import infer, past_of, types_for
from agents.policies.model import PolicyModel, mode_of, read_policy, save_policy
from agents.random_ import Random
from agents.rule import Rule
from agents.training.rounds import play_rounds
from agents.training.tables.fit_bids import fit_bid_tables, redeals_of
from agents.training.tables.regression import likelihood
from arena.config.model_file import ModelFile
from arena.core.agent import Agent
from arena.core.cards import RANKS, cards_of
from arena.core.rules import Rules, View
from arena.games.hearts import Hearts
from arena.games.kernel.layout import TRUMPS
from arena.games.kernel.spec import KernelGame, kernel_game
from arena.games.klaverjas import Klaverjas
from arena.games.observation import observe
from arena.games.schieber import Schieber

GAMES: list[Rules] = [Klaverjas(bidding="classical"), Schieber()]


def with_bids(game: KernelGame, types: int) -> PolicyModel:
    """Policies that also know of bids."""
    model = random_model(game, types)
    tables = np.random.default_rng(5).normal(0.0, 0.5, (types, dealt_size(game)))
    return replace(model, dealt={mode_of(game.trump): tables.astype(np.float32)})


def chance_of_hands(
    view: View, game: KernelGame, tables: np.ndarray, hands: tuple[int, ...], seat: int
) -> float:
    """How likely bids make the hand that a seat was dealt, by one table."""
    rules = view.rules
    held = list(hands)
    for trick in view.tricks:
        for place, card in enumerate(trick.cards):
            held[rules.seat_after(trick.leader, place)] |= 1 << card
    turn = [rules.seat_after(view.declarer, k) for k in range(4)].index
    kinds = kinds_of(deck_of(game))
    part = part_size(game)
    start = (turn(view.tricks[0].leader) * 4 + turn(seat)) * part
    bits = [game.bits[card] for card in cards_of(held[seat])]
    trumps = sum(int(game.words[TRUMPS]) >> bit & 1 for bit in bits)
    logs = [tables[start + kinds[bit]] for bit in bits]
    return float(np.exp(sum(logs) + tables[start + kinds.max() + 1 + trumps]))


@pytest.mark.long
@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: rules.name)
def test_worlds_are_as_likely_as_bids_and_plays_make_them(rules: Rules) -> None:
    priors = (0.7, 0.3)
    for view, _ in endings(rules, 2):
        game = kernel_game(rules, view.trump)
        model = with_bids(game, 2)
        tables = model.dealt[mode_of(view.trump)]
        expected = {}
        for hands in all_worlds(view):
            found = likelihoods(view, game, model, hands)
            for seat in set(range(4)) - {view.seat}:
                for t in range(2):
                    found[seat, t] *= chance_of_hands(view, game, tables[t], hands, seat)
            weight = 1.0
            for seats in rules.sides:
                weight *= float(np.dot(priors, found[list(seats)].prod(axis=0)))
            if weight > 0.0:
                expected[hands] = weight
        inferred = infer(
            past_of(observe(game, view, with_ledger=True)),
            types_for(model, game, (priors,) * len(rules.sides)),
            1000,
            np.zeros(1, np.uint64),
        )
        got = {}
        for row, chance in zip(inferred.pool.hands, inferred.weights(), strict=True):
            hands = [game.card_mask(mask) for mask in row]
            hands[view.seat] = view.hand
            got[tuple(hands)] = chance
        total = sum(expected.values())
        for hands, weight in expected.items():
            assert got[hands] == pytest.approx(weight / total, rel=1e-4)


def message(rules: Rules, agent: Agent) -> tuple[np.ndarray, float]:
    """The tables fitted to how an agent bids, and the likelihood of true deals held out."""
    rounds = play_rounds(rules, [agent], 3, range(500))
    suits = rounds[rounds.trump < 4]
    part = 3 * len(suits) // 4
    tables = fit_bid_tables(redeals_of(suits[:part]), kernel_game(rules, 0))
    return tables, likelihood(tables, redeals_of(suits[part:]))


def test_bids_tell_what_declarers_hold() -> None:
    tables, likely = message(Schieber(), Rule())
    assert likely > -np.log(21) + 0.3
    game = kernel_game(Schieber(), 0)
    jack = kinds_of(deck_of(game))[game.bits[RANKS.index("J")]]
    by_seat = tables.reshape(4, 4, part_size(game))[0, :, jack]  # the declarer leads
    assert by_seat[0] == by_seat.max() > 0.2


def test_bids_at_random_tell_nothing() -> None:
    assert message(Klaverjas(bidding="classical"), Random())[1] < -np.log(21) + 0.05


def test_games_without_bids_have_no_use_for_it() -> None:
    assert has_bids(Klaverjas(bidding="classical")) and has_bids(Schieber())
    assert not has_bids(Klaverjas()) and not has_bids(Hearts())
    game = kernel_game(Klaverjas(), 0)
    model = with_bids(kernel_game(Klaverjas(bidding="classical"), 0), 1)
    assert model.dealt_factors(game) is None


def test_a_model_that_knows_of_bids_comes_back_as_it_was(tmp_path) -> None:
    model = with_bids(kernel_game(Klaverjas(bidding="classical"), 0), 2)
    save_policy(tmp_path / "m.npz", model)
    read = read_policy(ModelFile.find(str(tmp_path / "m.npz")))
    assert read.sha256 == model.sha256 != replace(model, dealt={}).sha256
    assert (read.dealt["suit"] == model.dealt["suit"]).all()
