"""Networks and rules as policies: values, chances, inference and best responses."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helpers.policy_twins import (
    plain_chances,
    plain_inputs,
    plain_values,
    random_network,
    rules_legal,
    seat_views,
    written,
)
from helpers.policy_worlds import all_worlds, endings

from agents.beliefs.plays import Plays
from agents.best_response import BestResponse
from agents.networks.encodings import mode_of
from agents.policies.by_rule import RulePolicy
from agents.policies.card_inputs import (
    MOST_SEEN,
    look_at,
    output_count,
    scheme_of,
)
from agents.policies.inference import infer, past_of, types_for
from agents.policies.kinds import Policy
from agents.policies.model import policies_for, read_policy
from agents.policies.network import CardNetwork
from agents.policy import PolicyPlayer
from agents.random_ import Random
from agents.training.rounds import play_rounds
from arena.config.model_file import ModelFile
from arena.core.cards import cards_of
from arena.core.errors import ArenaError
from arena.core.rules import Rules, View
from arena.core.seeds import Rng
from arena.games.hearts import Hearts
from arena.games.kernel.jit import compiled
from arena.games.kernel.spec import KernelGame, kernel_game
from arena.games.klaverjas import Klaverjas
from arena.games.observation import SEEN_WORDS, new_seen, observe
from arena.games.schieber import Schieber

GAMES: list[Rules] = [Klaverjas(), Schieber(), Hearts()]
KINDS = ["network", "rule"]


def policy_of(kind: str, game: KernelGame) -> Policy:
    return random_network(game) if kind == "network" else RulePolicy(slips=0.2)


@compiled
def inputs_in(state, game, seen, scheme, inputs):
    return look_at(state, game, seen, scheme, inputs)


def views(rules: Rules, rounds: int) -> list[View]:
    """What players see at all decisions of some random rounds."""
    played = play_rounds(rules, [Random()], 21, range(rounds))
    found = []
    for number in range(rounds):
        view, hands = list(played.leads(number))[-1]
        for seen, _ in seat_views(view, hands):
            legal = rules_legal(seen)
            found.append(seen._replace(legal=tuple(legal)))
    return found


@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: rules.name)
def test_what_a_network_is_shown(rules: Rules) -> None:
    for view in views(rules, 4):
        game = kernel_game(rules, view.trump)
        state, inputs = game.view_state(view), np.zeros(MOST_SEEN, np.int32)
        count, _ = inputs_in(
            state, game.words, observe(game, view).known[:SEEN_WORDS], scheme_of(game), inputs
        )
        expected, _ = plain_inputs(game, view, state)
        assert sorted(inputs[:count].tolist()) == sorted(expected)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: rules.name)
def test_chances_are_those_of_plain_python(rules: Rules, kind: str, tmp_path: Path) -> None:
    for number, view in enumerate(views(rules, 2)):
        game = kernel_game(rules, view.trump)
        policy = policy_of(kind, game)
        if len(view.legal) > 1:
            player = PolicyPlayer(model=written(policy, tmp_path / f"{number}.npz"))
            expected = plain_chances(policy, game, view)
            assert player.chances(view) == pytest.approx(expected, rel=1e-3, abs=1e-6)
            best = max(expected.values())
            assert expected[player.act(view, Rng(1))] == pytest.approx(best, rel=1e-3)


def test_values_go_with_the_suits_where_plain_suits_change_places() -> None:
    """The lanes of plain suits are exchanged in the state; so are the values."""
    rules, compared = Klaverjas(), 0
    game = kernel_game(rules, 0)
    model = random_network(game)
    others = [view for view in views(rules, 30) if view.trump == 0]
    for view in others:
        state, seen = game.view_state(view), observe(game, view).known[:SEEN_WORDS]
        for order in ([1, 0, 2, 3], [2, 0, 1, 3]):
            moved = state.copy()
            for word in [*range(4), 8, 9, 10, *range(16, 20)]:
                moved[word] = exchanged(int(state[word]), order)
            moved_seen = np.array([exchanged(int(word), order) for word in seen], dtype=np.uint64)
            before, lanes = values_in(game, model, state, seen)
            after, moved_lanes = values_in(game, model, moved, moved_seen)
            if len({lanes[lane] for lane in range(4)}) == 4 and lanes == [
                moved_lanes[order[lane]] for lane in range(4)
            ]:
                compared += 1
                assert after == pytest.approx(before)
    assert compared > len(others)  # but for suits of which the same is known


def exchanged(word: int, order: list[int]) -> int:
    """A set of cards with lane i where `order` says."""
    return sum((word >> 16 * lane & 0xFFFF) << 16 * order[lane] for lane in range(4))


def values_in(
    game: KernelGame, model: CardNetwork, state: np.ndarray, seen: np.ndarray
) -> tuple[np.ndarray, list[int]]:
    """What comes out for a state, and where the cards of each lane begin."""
    inputs = np.zeros(MOST_SEEN, np.int32)
    count, places = inputs_in(state, game.words, seen, scheme_of(game), inputs)
    lanes = [int(places) >> 16 * lane & 0xFFFF for lane in range(4)]
    return plain_values(model, set(inputs[:count].tolist())), lanes


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: rules.name)
def test_weights_are_those_of_bayes(rules: Rules, kind: str) -> None:
    for view, _ in endings(rules, 2):
        game = kernel_game(rules, view.trump)
        policy = policy_of(kind, game)
        expected = {}
        for hands in all_worlds(view):
            weight = 1.0
            for seen, card in seat_views(view, hands):
                if seen.seat != view.seat:
                    weight *= plain_chances(policy, game, seen).get(card, 0.0)
            if weight > 0.0:
                expected[hands] = weight
        total = sum(expected.values())
        past = past_of(observe(game, view, with_ledger=True))
        types = types_for(policy, game, ((1.0,),) * len(rules.sides))
        style = policy.style(observe(game, view))
        inferred = infer(past, types, 1000, np.zeros(1, np.uint64), style=style)
        assert inferred.exact
        got = {}
        for row, weight in zip(inferred.pool.hands, inferred.weights(), strict=True):
            hands = [game.card_mask(mask) for mask in row]
            hands[view.seat] = view.hand
            if weight > 0.0:
                got[tuple(hands)] = weight
        assert got.keys() == expected.keys()
        for hands, weight in expected.items():
            assert got[hands] == pytest.approx(weight / total, rel=1e-3)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: rules.name)
def test_a_best_response_to_them_plays_whole_rounds_and_is_reproducible(
    rules: Rules, kind: str, tmp_path: Path
) -> None:
    state = rules.start(rules.random_deal(Rng(1), 0))
    while state.phase == "bid":
        rules.apply(state, state.legal[0])
    policy = written(policy_of(kind, kernel_game(rules, state.trump)), tmp_path / "m.npz")
    beliefs = Plays(policy, worlds=20)
    player = BestResponse(simulations=20, policy=policy, beliefs=beliefs)
    once = play_rounds(rules, [player], 2, range(1))
    again = play_rounds(rules, [player], 2, range(1))
    assert (once.cards == again.cards).all()
    assert read_policy(policy).sha256 in str(player.model_hash)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: rules.name)
def test_the_best_response_knows_the_values_of_endings(
    rules: Rules, kind: str, tmp_path: Path
) -> None:
    """With two tricks left everybody decides once, so that values can be added up."""
    for view, _ in endings(rules, 2, count=2):
        game = kernel_game(rules, view.trump)
        policy = policy_of(kind, game)
        file = written(policy, tmp_path / "m.npz")
        player = BestResponse(
            simulations=20_000, c=2000.0, policy=file, sharpness=1.0, beliefs=Plays(file),
        )  # fmt: skip
        found = player.explain(view, Rng(3))
        inferred = player.beliefs.infer(
            observe(game, view, with_ledger=True), np.ones(1, np.uint64)
        )
        assert inferred.exact
        for card in view.legal:
            value = 0.0
            for row, weight in zip(inferred.pool.hands, inferred.weights(), strict=True):
                hands = [game.card_mask(mask) for mask in row]
                hands[view.seat] = view.hand
                if weight > 0.0:
                    value += weight * expected_value(policy, game, view, hands, [card])
            visits = found[card].visits
            assert found[card].value == pytest.approx(value, abs=1.0 + 40 / visits**0.5)


def expected_value(
    policy: Policy, game: KernelGame, view: View, hands: list[int], cards: list[int]
) -> float:
    """The mean margin for the thinker's side after some cards, if all others play the policy."""
    from arena.core.rules import Trick
    from arena.games.kernel.layout import LEFT
    from arena.games.kernel.step import final_scores, play

    rules = view.rules
    state = game.state(view, hands, view.seat)
    held, tricks, table, leader = list(hands), list(view.tricks), list[int](), view.seat
    for card in cards:
        seat = rules.seat_after(leader, len(table))
        play(state, game.words, game.mask(1 << card))
        held[seat] ^= 1 << card
        table.append(card)
        if len(table) == 4:
            won = rules.seat_after(leader, rules.trick_winner(tuple(table), view.trump))
            tricks.append(Trick(leader, tuple(table), won, 0, 0))
            table, leader = [], won
    side = rules.side_of(view.seat)
    if state[LEFT] == 0:
        scores = np.zeros(4, np.int64)
        final_scores(state, game.words, scores)
        count = len(rules.sides)
        sign = 1 if rules.higher_wins else -1
        rest = (scores[:count].sum() - scores[side]) / (count - 1)
        return float(sign * (scores[side] - rest))
    seat = rules.seat_after(leader, len(table))
    taken = [int(state[4 + each]) for each in range(len(rules.sides))]
    now = view._replace(
        seat=seat,
        hand=held[seat],
        dealt_hand=(),
        tricks=tuple(tricks),
        table=tuple(table),
        table_leader=leader if table else None,
        opened=any(rules.opens(trick.cards) for trick in tricks),
        points=tuple(each & 0xFFFF for each in taken),
        bonus=tuple(each >> 16 & 0xFFFF for each in taken),
    )
    value = 0.0
    for card, chance in plain_chances(policy, game, now).items():
        if chance > 0.0:
            value += chance * expected_value(policy, game, view, hands, [*cards, card])
    return value


def test_nothing_was_noticed_before_the_first_card() -> None:
    rules = Klaverjas()
    state = rules.start(rules.random_deal(Rng(1), 0))
    assert state.turn is not None
    game, fresh = kernel_game(rules, state.trump), np.zeros(SEEN_WORDS, np.uint64)
    begin(game.words, fresh)
    assert (observe(game, rules.view(state, state.turn)).known[:SEEN_WORDS] == fresh).all()


@compiled
def begin(game, seen):
    new_seen(game, seen)


def test_the_rule_player_comes_along_by_its_name() -> None:
    rule = ModelFile.find("rule")
    assert read_policy(rule).games == ("hearts", "klaverjas", "schieber")
    assert Plays(rule).games == read_policy(rule).games
    assert PolicyPlayer(model=rule).model_hash == read_policy(rule).sha256


def test_a_policy_for_another_game_is_refused(tmp_path: Path) -> None:
    model = written(random_network(kernel_game(Klaverjas(), 0)), tmp_path / "m.npz")
    with pytest.raises(ArenaError, match="the policy is for klaverjas, not for hearts"):
        policies_for(Hearts(), model)
    with pytest.raises(ArenaError, match="types: unknown 'search'; "):
        Plays(model, types={"search": 1.0})
    assert PolicyPlayer(model=model).games == ("klaverjas",)
    with pytest.raises(ArenaError, match="type: unknown 'search'; allowed: network"):
        PolicyPlayer(model=model, type="search")
    as_written = written(RulePolicy("as-written"), tmp_path / "r.npz")
    with pytest.raises(ArenaError, match="the policy is for klaverjas, not for schieber"):
        policies_for(Schieber(), as_written)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"temperature": np.array(0.0)}, "a temperature of 0.0"),
        ({"sizes": np.array([3, 4, 5])}, "expected 41 finite weights"),
        ({"game": None}, "'game'"),
        ({"encoding": np.array("cards 99")}, "made for the encoding 'cards 99'"),
    ],
)
def test_files_that_are_no_network(wrong: dict, message: str, tmp_path: Path) -> None:
    path = tmp_path / "m.npz"
    arrays = written(random_network(kernel_game(Klaverjas(), 0)), path).arrays() | wrong
    np.savez(path, **{name: array for name, array in arrays.items() if array is not None})
    with pytest.raises(ArenaError, match=message):
        read_policy(ModelFile.find(str(path)))


def test_a_network_of_other_sizes_is_refused(tmp_path: Path) -> None:
    model = random_network(kernel_game(Hearts(), None))
    wrong = CardNetwork("klaverjas", model.network)
    view = views(Klaverjas(), 1)[0]
    player = PolicyPlayer(model=written(wrong, tmp_path / "m.npz"))
    with pytest.raises(ArenaError, match=r"inputs and 52 outputs, but klaverjas has 434 and 32"):
        player.act(view._replace(legal=(*cards_of(view.hand),)), Rng(1))


def test_modes_are_reported_apart() -> None:
    rules = Schieber()
    assert {mode_of(kernel_game(rules, trump)) for trump in range(6)} == {0, 1, 2}
    assert output_count(kernel_game(rules, 0)) == 36
