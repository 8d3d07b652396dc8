"""The loop of a best response against the same round played card by card."""

from __future__ import annotations

import numpy as np
import pytest

from agents import best_response
from agents.beliefs.plays import Plays
from agents.best_response import BestResponse
from agents.policies.features import deck_of, table_size
from agents.policies.tables import draw
from agents.search.best_response import Others, Plan, respond
from agents.search.codes import DIFFERENCE, RANDOM, SHOOT
from agents.search.decision import roots_upto
from agents.search.leaves import Leaves, values_of
from agents.search.worlds import POOLED, known_worlds
from arena.core.rules import Rules, View
from arena.core.seeds import Rng
from arena.games.hearts import Hearts
from arena.games.kernel.jit import compiled
from arena.games.kernel.layout import HANDS, LEFT, TURN, Words
from arena.games.kernel.rng import advance, mix
from arena.games.kernel.spec import KernelGame, kernel_game
from arena.games.kernel.step import legal, play
from arena.games.klaverjas import Klaverjas
from arena.games.observation import observe, watch
from arena.games.schieber import Schieber

GAMES: list[Rules] = [
    Klaverjas(),
    Klaverjas(variant="amsterdam", bidding="classical"),
    Schieber(),
    Hearts(passing="left"),
    Hearts(variant="classic"),
]
_LEAVES = Leaves(1, RANDOM, DIFFERENCE, SHOOT, 0, 0.0)


@compiled
def draw_card(state, game, voids, deck, factors, row, cards, weights, rng):
    return draw(state, game, voids, deck, factors, row, cards, weights, rng)


def by_steps(
    game: KernelGame, state: Words, voids: Words, factors: np.ndarray, rng: Words, side: int
) -> tuple[int, float]:
    """The first card that is drawn in a round that the policy plays, and what comes of it."""
    first, weights = 0, np.zeros(64)
    while state[LEFT]:
        cards = np.uint64(legal(state, game.words))
        card = cards
        if int(cards).bit_count() > 1:
            drawn = draw_card(
                state, game.words, voids, deck_of(game), factors, 0, cards, weights, rng
            )
            card = np.uint64(drawn)
            first = first or int(card)
        else:
            rng[0] = advance(rng[0])  # a number for every card, whether it is needed or not
        watch(state, voids, card)
        play(state, game.words, card)
    values = np.zeros(4)
    values_of(state, game.words, _LEAVES, np.zeros(4, np.int64), values)
    return first, float(values[side])


def luck_of(seed: int, turn: int) -> Words:
    """The random numbers of a turn."""
    by_seed, by_turn = (np.uint64(mix(np.uint64(number))) for number in (seed, turn))
    return np.array([mix(by_seed ^ by_turn)], dtype=np.uint64)


def moments(rules: Rules, number: int) -> list[View]:
    """What those see who have a choice in a round that is played at random, all hands shown."""
    rng = Rng(number)
    state = rules.start(rules.random_deal(rng, number))
    found = []
    while state.turn is not None:
        if state.phase == "play" and len(state.legal) > 1:
            found.append(rules.view(state, state.turn, all_hands=True))
        rules.apply(state, rng.choice(state.legal))
    return found


@pytest.mark.parametrize("rules", GAMES, ids=str)
def test_a_simulation_plays_as_the_policy_does_card_by_card(rules: Rules) -> None:
    compared = 0
    for number in range(12):
        for view in moments(rules, number):
            game = kernel_game(rules, view.trump)
            root = game.view_state(view)
            hand = root[int(HANDS) + view.seat]
            weights = np.random.default_rng(number).normal(0, 0.7, (1, table_size(deck_of(game))))
            factors = np.exp(weights).astype(np.float32)
            factors.flags.writeable = False  # as those of models: nothing is compiled twice
            voids, side = observe(game, view).voids, rules.side_of(view.seat)
            searching = np.array([1 << view.seat], dtype=np.uint64)
            plan = Plan.empty(0, int(hand).bit_count())
            respond(
                plan, 1, 1, root, voids, game.words, known_worlds(),
                Others(deck_of(game), factors, False, searching), 0.0, _LEAVES, side,
                roots_upto(2), np.array([number], dtype=np.uint64),
            )  # fmt: skip
            rng = luck_of(number, turn=0)
            card, value = by_steps(game, root.copy(), voids.copy(), factors, rng, side)
            at = (int(hand) & (card - 1)).bit_count()
            assert plan.visits[1].nonzero()[0].tolist() == [at, int(hand).bit_count()]
            assert plan.scores[1, at, 0] == pytest.approx(value)
            assert int(root[TURN]) == view.seat
            compared += 1
    assert compared > 100


@pytest.mark.parametrize("pooled", [True, False])
@pytest.mark.parametrize("rules", [GAMES[0], GAMES[2]], ids=str)
def test_cards_are_compared_in_the_same_worlds_with_the_same_luck(
    rules: Rules, pooled: bool
) -> None:
    """The n-th turn of each card against the same turn played card by card."""
    view = next(view for view in moments(rules, 3)[6:] if len(view.legal) > 2)
    game, turns = kernel_game(rules, view.trump), 60
    worlds = known_worlds()
    if pooled:
        view = view._replace(all_hands=None)
    root, deck = game.view_state(view), deck_of(game)
    if pooled:
        pool = (
            Plays(worlds=100)
            .infer(observe(game, view, with_ledger=True), np.ones(1, np.uint64))
            .pool
        )
        worlds = worlds._replace(kind=POOLED, pool=pool)
    hand = int(root[int(HANDS) + view.seat])
    weights = np.random.default_rng(3).normal(0, 0.7, (1, table_size(deck)))
    factors = np.exp(weights).astype(np.float32)
    factors.flags.writeable = False  # as those of models: nothing is compiled twice
    voids, side = observe(game, view).voids, rules.side_of(view.seat)
    others = Others(deck, factors, False, np.array([1 << view.seat], dtype=np.uint64))
    plan = Plan.empty(0, hand.bit_count())  # the root alone: nothing below it is learnt
    respond(
        plan, 1, turns * len(view.legal), root, voids, game.words, worlds, others, 1e6, _LEAVES,
        side, roots_upto(999), np.array([5], dtype=np.uint64),
    )  # fmt: skip
    for card in view.legal:
        values = []
        for turn in range(turns):
            state, seen = root.copy(), voids.copy()
            if pooled:
                share = (0.5 + turn * (5**0.5 - 1) / 2) % 1.0
                number = np.searchsorted(pool.upto, share * pool.upto[-1], side="right")
                state[int(HANDS) : int(HANDS) + 4] |= pool.hands[number]
            rng = luck_of(5, turn)
            rng[0] = advance(rng[0])
            played = game.mask(1 << card)
            watch(state, seen, played)
            play(state, game.words, played)
            values.append(by_steps(game, state, seen, factors, rng, side)[1])
        at = (hand & (int(game.mask(1 << card)) - 1)).bit_count()
        assert plan.visits[1, at] == turns
        assert plan.scores[1, at, 0] == pytest.approx(np.mean(values), abs=1e-3)


@pytest.mark.parametrize("rules", [GAMES[0], GAMES[2], GAMES[3]], ids=str)
def test_a_search_stops_when_its_card_is_certain_and_plays_the_same(
    rules: Rules, monkeypatch: pytest.MonkeyPatch
) -> None:
    spent: list[int] = []

    def counting(plan, used, simulations, *rest):
        spent.append(simulations)
        return respond(plan, used, simulations, *rest)

    monkeypatch.setattr(best_response, "respond", counting)
    player = BestResponse(simulations=400, beliefs=Plays(worlds=30))
    views = [view._replace(all_hands=None) for view in moments(rules, 3)]
    for number, view in enumerate(views):
        card = player.act(view, Rng(number))
        all_of_them, found = player.decide(view, Rng(number))
        assert card == all_of_them
        assert sum(cards.visits for cards in found.values()) == player.simulations
    used = sum(spent) - len(views) * player.simulations
    assert 0.5 * player.simulations < used / len(views) < player.simulations


def test_parts_of_a_search_are_as_good_as_the_whole() -> None:
    view = moments(GAMES[0], 3)[6]._replace(all_hands=None)
    whole = BestResponse(simulations=400, beliefs=Plays(worlds=30))
    in_parts = []

    class InParts(BestResponse):
        def spend(self, question, simulations, simulate):
            for part in (1, 150, 49, 200):
                in_parts.append(part)
                simulate(part)

    assert InParts(simulations=400, beliefs=Plays(worlds=30)).decide(view, Rng(1)) == whole.decide(
        view, Rng(1)
    )
    assert sum(in_parts) == whole.simulations
