"""What networks are shown: the published example, and the rule book against compiled code."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from agents.beliefs.network import inputs_of
from agents.networks.dense_network import Network, forward
from agents.networks.encodings import SEAT, WORLD, places_of
from agents.random_ import Random
from agents.search.network import expected_margin, follow, judge_of, see_places, set_out
from agents.training.networks.positions import inputs_for, positions_of
from agents.training.rounds import play_rounds
from arena.core.cards import RANKS, parse_cards
from arena.core.deals import Deal
from arena.core.seeds import Rng, rng_for
from arena.games.infoset import InfoSet
from arena.games.kernel.spec import kernel_game
from arena.games.klaverjas import Klaverjas
from arena.games.observation import observe
from arena.games.schieber import Schieber

GAMES = [Klaverjas(), Klaverjas(variant="amsterdam"), Schieber()]
by_game = pytest.mark.parametrize("rules", GAMES, ids=lambda rules: f"{rules.name}-{rules}"[:24])

# Table 2 of Aaldering 2023, trumps first and 7 to ace in each suit: T is in a finished trick,
# O in the own hand, M in the partner's, ? with any of the others; K and Q lie in the middle,
# led by the partner and followed by the opponent to the right.
TABLE_2 = "TTTTTTTM T???OQKT ??TO?O?O ??TTTTTT"
COLUMNS = {
    "T": {8: Fraction(1)},
    "O": {0: Fraction(1)},
    "M": {2: Fraction(1)},
    "?": {1: Fraction(1, 3), 2: Fraction(1, 3), 3: Fraction(1, 3)},
    "K": {6: Fraction(1)},
    "Q": {7: Fraction(1)},
}
# A round that gets there. Seat 0 looks, hearts are trump; clubs, diamonds and spades are the
# plain suits 1, 2 and 3. Seat 1 has no trumps after the second trick, seat 3 neither.
TRICKS = ["HT H7 H9 H8", "HJ C7 HQ CA", "HK D9 S9 ST", "SA SJ SQ SK", "CK CQ"]
HANDS = [
    "HT HQ S9 SQ CJ DT DQ DA",
    "H7 CA ST SK C8 D7 DJ S7",
    "H9 HJ HK SA CK HA C9 D8",
    "H8 C7 D9 SJ CQ CT DK S8",
]


def the_example():
    rules = Klaverjas()
    hands = tuple(parse_cards(hand) for hand in HANDS)
    state = rules.start(Deal("", hands, trump=2, declarer=0, leader=0))
    for trick in TRICKS:
        for card in parse_cards(trick):
            rules.apply(state, card)
    return rules, state


def places(rules, view):
    """The inputs of a view, as a search has them at its root."""
    game = kernel_game(rules, view.trump)
    inputs = places_of(game)
    network = Network(np.array([inputs, 1]), np.zeros(inputs + 1, dtype=np.float32))
    return judge_of(network, observe(game, view)).before


def test_the_example_of_the_thesis():
    rules, state = the_example()
    assert state.turn == 0
    values = places(rules, rules.view(state, 0))
    assert len(values) == 299
    rows = dict(zip(["H", "C", "D", "S"], TABLE_2.split(), strict=True))
    game = kernel_game(rules, 2)
    lanes = sorted("CDHS", key=lambda suit: -game.bits[parse_cards(f"{suit}A")[0]])
    assert lanes[0] == "H"
    for number, suit in enumerate(lanes):
        for rank, where in enumerate(rows[suit]):
            row = values[9 * (8 * number + rank) :][:9]
            wanted = [float(COLUMNS[where].get(column, 0)) for column in range(9)]
            assert row == pytest.approx(wanted), (suit, RANKS[rank + 5])
    tail = values[288:].tolist()
    assert tail[:4] == [1, 0, 0, 0] and tail[4:8] == [1, 0, 0, 0] and tail[8] == 1
    assert tail[9:] == [state.points[0] + state.bonus[0], state.points[1] + state.bonus[1]]


def shown_places(rules, view, viewer_hand):
    """The encoding from the rule book: slow and plain."""
    game = kernel_game(rules, view.trump)
    cards = sorted(game.cards.values(), key=lambda c: (-(game.bits[c] // 16), c))
    known = InfoSet.of(view)
    values = np.zeros(9 * len(cards) + 11)
    seats = [rules.seat_after(view.seat, place) for place in range(4)]
    lying = {
        card: seats.index(rules.seat_after(view.table_leader, i))
        for i, card in enumerate(view.table)
    }
    gone = {card for trick in view.tricks for card in trick.cards}
    for row, card in enumerate(cards):
        holders = [place for place in (1, 2, 3) if known.may[seats[place]] >> card & 1]
        if viewer_hand >> card & 1:
            values[9 * row] = 1
        elif card in lying:
            values[9 * row + 4 + lying[card]] = 1
        elif card in gone:
            values[9 * row + 8] = 1
        for place in holders:
            values[9 * row + place] = 1 / len(holders)
    tail = 9 * len(cards)
    first = view.tricks[0].leader if view.tricks else view.table_leader
    values[tail + seats.index(view.seat if first is None else first)] = 1
    values[tail + 4] = 1
    side = rules.side_of(view.seat)
    values[tail + 8] = rules.side_of(view.declarer) == side
    values[tail + 9] = view.points[side] + view.bonus[side]
    values[tail + 10] = view.points[1 - side] + view.bonus[1 - side]
    return values


@by_game
def test_examples_are_what_the_seat_to_move_sees(rules):
    """Played again by compiled code from nothing but the cards, against the referee's views."""
    count = 6
    rounds = play_rounds(rules, [Random()], 5, range(count))
    as_places = positions_of(rounds, "places", everyone=False)
    as_seat = positions_of(rounds, "seat", everyone=False)
    as_world = positions_of(rounds, "world", everyone=False)
    order = np.argsort(rounds.trump, kind="stable")
    row = 0
    for number in order.tolist():
        state = rules.start(rules.random_deal(rng_for(5, "deal", number), number))
        rngs = [rng_for(5, "play", number, seat) for seat in range(4)]
        first = row
        while state.turn is not None:
            view = rules.view(state, state.turn)
            if view.phase == "play":
                game = kernel_game(rules, view.trump)
                assert as_places.inputs[row].tolist() == pytest.approx(
                    shown_places(rules, view, view.hand).tolist()
                )
                assert places(rules, view).tolist() == as_places.inputs[row].tolist()
                by_view = inputs_of(game, view, InfoSet.of(view))
                assert as_seat.inputs[row, : SEAT - 1].tolist() == by_view[:-1].tolist()
                hands = [game.card_mask(word) for word in as_world.words[row, :4]]
                seats = [rules.seat_after(state.turn, place) for place in range(4)]
                assert hands == [state.hands[seat] for seat in seats]
                row += 1
            rules.apply(state, Random().act(view, rngs[view.seat]))
        scores = rules.outcome(state).scores
        sides = [rules.side_of(int(rounds.leader[number])), 0]
        won = scores[sides[0]] - scores[1 - sides[0]]
        assert as_places.margins[first] == won
    assert row == len(as_places.inputs)
    assert as_world.inputs.shape[1] == inputs_for(rules, "world") == WORLD + 2


@by_game
def test_what_a_search_would_know_later(rules):
    """`places` after cards of the tree, and its first layer, against a fresh look at the root."""
    rng = np.random.default_rng(3)
    for number in range(6):
        state = rules.start(rules.random_deal(rng_for(8, "deal", number), number))
        draw = Rng(number)
        while state.phase != "play" or len(state.tricks) < 2:
            rules.apply(state, draw.choice(state.legal))
        seat = state.turn
        game = kernel_game(rules, state.trump)
        size = places_of(game)
        weights = rng.normal(size=(size + 1) * 4 + 5).astype(np.float32)
        network = Network(np.array([size, 4, 1]), weights)
        view = rules.view(state, seat)
        judge = judge_of(network, observe(game, view))
        set_out(judge)
        for _ in range(9):
            card = draw.choice(state.legal)
            follow(judge, np.uint64(1 << game.bits[card]))
            rules.apply(state, card)
        values = np.empty(size, np.float32)
        see_places(judge, game.words, values)
        later = rules.view(state, seat)
        wanted = shown_places(rules, later, later.hand)
        tail = len(wanted) - 11
        wanted[tail + 4 : tail + 8] = 0
        wanted[tail + 4 + [rules.seat_after(seat, p) for p in range(4)].index(state.turn)] = 1
        assert values.tolist() == pytest.approx(wanted.tolist())
        words = game.state(state, state.hands, state.turn)
        by_changes = expected_margin(words, game.words, judge)
        anew = float(forward(network.layers, values)[0])
        same_side = rules.side_of(state.turn) == rules.side_of(seat)
        assert by_changes == pytest.approx(anew if same_side else -anew, rel=1e-4, abs=1e-3)


def test_plain_suits_change_places():
    rules = Klaverjas()
    rounds = play_rounds(rules, [Random()], 5, range(40))
    plain, mixed, again = (
        positions_of(rounds, "places", everyone=True, seed=seed) for seed in (None, 1, 1)
    )
    assert np.array_equal(mixed.inputs, again.inputs)
    assert not np.array_equal(mixed.inputs, plain.inputs)
    assert np.array_equal(mixed.inputs[:, :72], plain.inputs[:, :72])  # trumps stay
    assert np.array_equal(mixed.inputs[:, 288:], plain.inputs[:, 288:])
    assert np.array_equal(mixed.margins, plain.margins)
    by_suit = [each.inputs[:, 72:288].reshape(-1, 3, 72) for each in (plain, mixed)]
    for one, other in zip(*by_suit, strict=True):
        assert sorted(map(tuple, one)) == sorted(map(tuple, other))
