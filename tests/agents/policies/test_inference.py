"""Worlds weighted by plays, and the best response to them, against plain enumeration."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from helpers.policy_worlds import all_worlds, endings, likelihoods, random_model

from agents.beliefs.plays import Plays
from agents.best_response import BestResponse
from agents.champion import Champion
from agents.dmcts import Dmcts
from agents.flat_mc import FlatMC
from agents.ismcts import Ismcts
from agents.policies.features import deck_of
from agents.policies.inference import Past, infer, past_of, types_for
from agents.policies.model import SHIPPED, PolicyModel, save_policy
from agents.policies.tables import weigh
from agents.policy import PolicyPlayer
from agents.search.worlds import deal_world, worlds_for
from agents.training.rounds import play_rounds
from arena.config.model_file import ModelFile
from arena.core.cards import cards_of
from arena.core.errors import ArenaError
from arena.core.rules import Rules
from arena.core.seeds import Rng
from arena.games.hearts import Hearts
from arena.games.kernel.layout import HANDS, LEFT, Words
from arena.games.kernel.spec import KernelGame, kernel_game
from arena.games.kernel.step import final_scores, legal, play
from arena.games.klaverjas import Klaverjas
from arena.games.needs import why_not
from arena.games.observation import observe, watch
from arena.games.schieber import Schieber

GAMES: list[Rules] = [Klaverjas(), Schieber(), Hearts()]


@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: rules.name)
@pytest.mark.parametrize("priors", [(1.0,), (0.7, 0.3)])
def test_weights_are_those_of_bayes(rules: Rules, priors: tuple[float, ...]) -> None:
    for view, _ in endings(rules, 2):
        game = kernel_game(rules, view.trump)
        model = random_model(game, len(priors))
        sides = [rules.side_of(seat) for seat in range(4)]
        expected = {}
        for hands in all_worlds(view):
            found = likelihoods(view, game, model, hands)
            weight = 1.0
            for side in set(sides):
                seats = [seat for seat in range(4) if sides[seat] == side]
                weight *= float(np.dot(priors, found[seats].prod(axis=0)))
            if weight > 0.0:
                expected[hands] = weight
        total = sum(expected.values())
        past = past_of(observe(game, view, with_ledger=True))
        inferred = infer(
            past,
            types_for(model, game, (priors,) * len(rules.sides)),
            1000,
            np.zeros(1, np.uint64),
        )
        assert inferred.exact
        weights = inferred.weights()
        got = {}
        for row, weight in zip(inferred.pool.hands, weights, strict=True):
            hands = [game.card_mask(mask) for mask in row]
            hands[view.seat] = view.hand
            if weight > 0.0:
                got[tuple(hands)] = weight
        assert got.keys() == expected.keys()
        for hands, weight in expected.items():
            assert got[hands] == pytest.approx(weight / total, rel=1e-4)
        size = total**2 / sum(weight**2 for weight in expected.values())
        assert inferred.sample_size == pytest.approx(size, rel=1e-3)


def many(past: Past) -> Past:
    """As if there were too many worlds to have them all."""
    return replace(past, worlds=10**9)


def test_a_sample_converges_to_all_worlds() -> None:
    rules = Klaverjas()
    for view, _ in endings(rules, 3):
        game = kernel_game(rules, view.trump)
        model = random_model(game, 1)
        past = past_of(observe(game, view, with_ledger=True))
        types = types_for(model, game, ((1.0,),) * len(rules.sides))
        exact = infer(past, types, 10_000, np.zeros(1, np.uint64))
        assert len(exact.pool.upto) == past.worlds
        drawn = infer(many(past), types, 30_000, np.ones(1, np.uint64))
        assert len(drawn.pool.upto) >= 30_000
        assert not drawn.exact
        assert not drawn.resampled
        found = drawn.holders(game)
        for card, chances in exact.holders(game).items():
            assert found[card] == pytest.approx(chances, abs=0.03)


@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: rules.name)
def test_worlds_that_stand_for_many_move_on(rules: Rules, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sample that is called small is drawn again and moved; it still says the same."""
    monkeypatch.setattr("agents.policies.inference._WORTH", 10.0)
    for view, _ in endings(rules, 3, count=2):
        game = kernel_game(rules, view.trump)
        past = past_of(observe(game, view, with_ledger=True))
        priors = (0.7, 0.3)
        types = types_for(random_model(game, 2), game, (priors,) * len(rules.sides))
        exact = infer(past, types, 10_000, np.zeros(1, np.uint64))
        moved = infer(many(past), types, 5_000, np.ones(1, np.uint64))
        assert moved.resampled
        assert moved.weights() == pytest.approx(np.full(5_000, 1 / 5_000))
        found = moved.holders(game)
        for card, chances in exact.holders(game).items():
            assert found[card] == pytest.approx(chances, abs=0.05)
        assert moved.posterior == pytest.approx(exact.posterior, abs=0.05)
        before = {tuple(row) for row in exact.pool.hands.tolist()}
        assert {tuple(row) for row in moved.pool.hands.tolist()} <= before


@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: rules.name)
def test_searches_deal_worlds_as_likely_as_all_of_them_say(rules: Rules, tmp_path: Path) -> None:
    """`beliefs: plays` as the searches use it, against what Bayes says of all worlds."""
    view, _ = next(endings(rules, 3))
    game = kernel_game(rules, view.trump)
    model = random_model(game, 2)
    save_policy(tmp_path / "m.npz", model)
    usual, own = {"type0": 0.6, "type1": 0.4}, {"type0": 0.1, "type1": 0.9}
    beliefs = Plays(ModelFile.find(str(tmp_path / "m.npz")), usual, own)
    expected = dict.fromkeys(cards_of(view.unseen), np.zeros(4))
    total = 0.0
    for hands in all_worlds(view):
        found = likelihoods(view, game, model, hands)
        sides = [found[list(side)].prod(axis=0) for side in rules.sides]
        shares = [own if view.seat in side else usual for side in rules.sides]
        weight = float(
            np.prod([np.dot(list(a.values()), b) for a, b in zip(shares, sides, strict=True)])
        )
        total += weight
        for seat in range(4):
            for card in cards_of(hands[seat] & view.unseen):
                expected[card] = expected[card] + weight * (np.arange(4) == seat)
    root, rng, count = game.view_state(view), np.ones(1, np.uint64), 8000
    worlds = worlds_for(observe(game, view, with_ledger=True), beliefs, rng)
    state = root.copy()
    dealt = {card: np.zeros(4) for card in expected}
    for _ in range(count):
        deal_world(worlds, rng, state)
        assert state[int(HANDS) + view.seat] == root[int(HANDS) + view.seat]
        for seat in range(4):
            for card in cards_of(game.card_mask(state[int(HANDS) + seat]) & view.unseen):
                dealt[card][seat] += 1
    message = Ismcts(beliefs=beliefs).believes(view, Rng(1))
    for card, weights in expected.items():
        assert dealt[card] / count == pytest.approx(weights / total, abs=0.03)
        assert message.holders[card] == pytest.approx(weights / total, abs=1e-3)
    assert message.notes[0].startswith("all ")
    for player in (
        Ismcts(simulations=20, beliefs=beliefs),
        Dmcts(worlds=3, iterations=5, beliefs=beliefs),
        FlatMC(playouts=5, beliefs=beliefs),
    ):
        assert player.act(view, Rng(2)) in view.legal
        assert model.sha256 in str(player.model_hash)


@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: rules.name)
def test_worlds_agree_with_what_was_played(rules: Rules) -> None:
    for view, hands in endings(rules, 3):
        game = kernel_game(rules, view.trump)
        past = past_of(observe(game, view, with_ledger=True))
        types = types_for(random_model(game, 1), game, ((1.0,),) * len(rules.sides))
        inferred = infer(past, types, 200, np.zeros(1, np.uint64))
        for number in np.flatnonzero(inferred.weights() > 0.0)[:5]:
            guess = [game.card_mask(mask) for mask in inferred.pool.hands[number]]
            guess[view.seat] = view.hand
            assert sum(guess) == sum(hands)
        holders = inferred.holders(game)
        assert set(holders) == set(cards_of(view.unseen))
        assert all(sum(chances) == pytest.approx(1.0) for chances in holders.values())


@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: rules.name)
@pytest.mark.parametrize("partner", ["policy", "searches"])
def test_the_best_response_knows_the_values_of_endings(
    rules: Rules, partner: str, tmp_path: Path
) -> None:
    """With two tricks left everybody decides once, so that values can be added up."""
    for view, _ in endings(rules, 2):
        game = kernel_game(rules, view.trump)
        model = random_model(game, 1)
        save_policy(tmp_path / "m.npz", model)
        policy = ModelFile.find(str(tmp_path / "m.npz"))
        player = BestResponse(
            simulations=20_000,
            c=2000.0,
            policy=policy,
            partner=partner,
            beliefs=Plays(policy),
        )
        found = player.explain(view, Rng(3))
        root = game.view_state(view)
        voids = observe(game, view).voids
        inferred = player.beliefs.infer(
            observe(game, view, with_ledger=True), np.ones(1, np.uint64)
        )
        assert inferred.exact
        seats = rules.sides[rules.side_of(view.seat)] if partner == "searches" else (view.seat,)
        for card in view.legal:
            if len(view.legal) == 1:
                continue
            single = game.mask(1 << card)
            value = 0.0
            for row, weight in zip(inferred.pool.hands, inferred.weights(), strict=True):
                state = root.copy()
                for seat in range(4):
                    if seat != view.seat:
                        state[int(HANDS) + seat] = row[seat]
                now = voids.copy()
                watch(state, now, single)
                play(state, game.words, single)
                value += weight * expected_value(state, now, game, model, rules.side_of(view.seat))
            assert found[card].visits > 50
            close = pytest.approx(value, abs=1.0 + 40 / found[card].visits ** 0.5)
            if len(seats) == 1:
                assert found[card].value == close
            else:  # a partner who searches finds something as good, or better
                assert found[card].value == close or found[card].value > value - 1.0


def expected_value(
    state: Words, voids: Words, game: KernelGame, model: PolicyModel, side: int
) -> float:
    """The mean final margin for a side if everybody plays the policy, sharpened."""
    if state[LEFT] == 0:
        scores = np.zeros(4, np.int64)
        final_scores(state, game.words, scores)
        sides = len(game.rules.sides)
        sign = 1 if game.rules.higher_wins else -1
        rest = (scores[:sides].sum() - scores[side]) / (sides - 1)
        return float(sign * (scores[side] - rest))
    allowed = np.uint64(legal(state, game.words))
    weights = np.zeros(64)
    total = weigh(
        state, game.words, voids, deck_of(game), model.factors(game, 2.0), 0, allowed, weights
    )
    value = 0.0
    for at, bit in enumerate(bit for bit in range(64) if int(allowed) >> bit & 1):
        after, seen = state.copy(), voids.copy()
        watch(after, seen, np.uint64(1 << bit))
        play(after, game.words, np.uint64(1 << bit))
        value += weights[at] / total * expected_value(after, seen, game, model, side)
    return value


@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: rules.name)
def test_the_champion_plays_whole_rounds_and_is_reproducible(rules: Rules) -> None:
    player = Champion(simulations=20, worlds=30)
    once = play_rounds(rules, [player], 2, range(1))
    again = play_rounds(rules, [player], 2, range(1))
    assert (once.cards == again.cards).all()


def test_the_champion_takes_what_cannot_be_lost() -> None:
    rules = Klaverjas()
    for view, _ in endings(rules, 2):
        found = Champion(simulations=500, worlds=100).explain(view, Rng(1))
        assert sum(card.visits for card in found.values()) == 500
        assert set(found) == set(view.legal)


def test_a_share_of_types_must_be_one(tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match="expected a share for each type"):
        Plays(types={"search": -1.0})
    with pytest.raises(ArenaError, match="unknown 'serch'; did you mean 'search'"):
        Plays(types={"serch": 1.0})
    with pytest.raises(ArenaError, match="partner_types: unknown 'serch'"):
        Plays(partner_types={"serch": 1.0})
    assert Plays(types={"search": 0.8, "rule": 0.2}).games == SHIPPED
    save_policy(tmp_path / "m.npz", random_model(kernel_game(Klaverjas(), 0), 2))
    own = ModelFile.find(str(tmp_path / "m.npz"))
    assert Plays(own, types={"type0": 0.8, "type1": 0.2}).games == ("klaverjas",)
    assert Champion(model=own, types={"type1": 1.0}).games == ("klaverjas",)
    assert Champion().games == BestResponse().games


@pytest.mark.parametrize(
    "agent",
    [PolicyPlayer(), Champion(), Ismcts(beliefs=Plays()), FlatMC(beliefs=Plays())],
    ids=lambda agent: type(agent).__name__,
)
def test_policies_are_for_four_players(agent):
    three = Hearts(players=3)
    assert why_not(agent, three) == "does not play hearts: it is played by 3, not by four"
    assert why_not(agent, Hearts()) is None


def test_a_best_response_is_not_for_rules_that_give_tricks_otherwise() -> None:
    strange = Klaverjas(variant="rotterdam-2017")
    message = "does not play klaverjas: not every trick goes to the highest card"
    assert why_not(Champion(), strange) == message
    assert why_not(Ismcts(), strange) is None
