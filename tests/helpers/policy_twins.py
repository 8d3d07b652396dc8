"""Networks and rules as policies, in plain Python: what compiled code is compared with."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np

from agents.networks.dense_network import Network
from agents.networks.encodings import mode_of
from agents.policies.by_rule import RulePolicy, save_rule_policy
from agents.policies.card_inputs import input_count, output_count
from agents.policies.kinds import Policy
from agents.policies.network import CardNetwork, save_card_network
from arena.config.model_file import ModelFile
from arena.core.cards import cards_of
from arena.core.rules import Trick, View
from arena.games.infoset import InfoSet
from arena.games.kernel.spec import KernelGame
from arena.games.observation import observe
from arena.games.rulebook import advised, book_of


def random_network(game: KernelGame, seed: int = 3) -> CardNetwork:
    """Values of cards that are far from each other."""
    sizes = np.array([input_count(game), 16, 8, output_count(game)], dtype=np.int64)
    rng = np.random.default_rng(seed)
    weights = [
        rng.normal(0.0, (2.0 / into) ** 0.5, (into + 1) * out) for into, out in pairwise(sizes)
    ]
    network = Network(sizes, np.concatenate(weights).astype(np.float32))
    return CardNetwork(game.rules.name, network, temperature=0.7)


def written(policy: Policy, path: Path) -> ModelFile:
    """A policy in a file."""
    if isinstance(policy, CardNetwork):
        save_card_network(path, policy)
    else:
        assert isinstance(policy, RulePolicy)
        save_rule_policy(path, policy)
    return ModelFile.find(str(path))


def seat_views(view: View, hands: tuple[int, ...]) -> list[tuple[View, int]]:
    """What each player saw before each card of a round, in a world; and the card."""
    rules = view.rules
    held = list(hands)
    played = [(trick.leader, trick.cards) for trick in view.tricks]
    if view.table:
        assert view.table_leader is not None
        played.append((view.table_leader, view.table))
    for leader, cards in played:
        for place, card in enumerate(cards):
            held[rules.seat_after(leader, place)] |= 1 << card
    dealt = [tuple(cards_of(hand)) for hand in held]
    found = []
    tricks: list[Trick] = []
    points, bonus = [0] * len(rules.sides), [0] * len(rules.sides)
    for number, (leader, cards) in enumerate(played):
        for place, card in enumerate(cards):
            seat = rules.seat_after(leader, place)
            now = view._replace(
                seat=seat,
                hand=held[seat],
                legal=(),
                dealt_hand=dealt[seat],
                tricks=tuple(tricks),
                table=tuple(cards[:place]),
                table_leader=leader if place else None,
                opened=any(rules.opens(trick.cards) for trick in tricks),
                points=tuple(points),
                bonus=tuple(bonus),
            )
            found.append((now, card))
            held[seat] ^= 1 << card
        if number < len(view.tricks):
            tricks.append(view.tricks[number])
            side = rules.side_of(tricks[-1].winner)
            value, extra = rules.trick_value(cards, view.trump, False)
            points[side] += value
            bonus[side] += extra
    return found


def plain_inputs(game: KernelGame, view: View, state: np.ndarray) -> tuple[set[int], list[int]]:
    """The inputs that are there for a seat, and the lanes in the order in which they are shown."""
    rules, known = view.rules, InfoSet.of(view)
    width = output_count(game) // 4
    places = [rules.seat_after(view.seat, turn) for turn in range(4)]
    played: list[list[int]] = [[] for _ in range(4)]
    leads = []
    trick_list = [(trick.leader, trick.cards) for trick in view.tricks]
    if view.table:
        assert view.table_leader is not None
        trick_list.append((view.table_leader, view.table))
    for leader, cards in trick_list:
        leads.append(cards[0])
        for turn, card in enumerate(cards):
            played[places.index(rules.seat_after(leader, turn))].append(card)
    unseen = cards_of(known.unseen)
    cannot = [[c for c in unseen if not known.may[seat] >> c & 1] for seat in places[1:]]
    holder = int(state[11])
    best = [game.card(state[10])] if view.table else []
    planes = [
        list(cards_of(view.hand)), *played, list(view.table), best, *cannot, leads,
    ]  # fmt: skip
    bits = [[game.bits[card] for card in cards] for cards in planes]

    def lane(cards: list[int], which: int) -> int:
        return sum(1 << bit % 16 for bit in cards if bit // 16 == which)

    def order(which: int) -> tuple[object, ...]:
        is_trump = bool(int(game.words[5]) >> 16 * which & 1)
        values = [
            rules.trick_value((game.cards[bit],), game.trump, False)[0]
            for bit in sorted(game.cards)
            if bit // 16 == which
        ]
        hand = lane(bits[0], which)
        out = lane([game.bits[card] for card in unseen], which)
        led = bool(view.table) and game.bits[view.table[0]] // 16 == which
        gaps = [bool(lane(bits[6 + place], which)) for place in (3, 2, 1)]
        what = (is_trump, sum(values), tuple(values))
        return (
            what, hand.bit_count(), hand, out, lane(bits[2], which), lane(bits[3], which), led,
            *gaps, -which,
        )  # fmt: skip

    lanes = sorted(range(4), key=order, reverse=True)
    inputs = {
        plane * 4 * width + lanes.index(bit // 16) * width + bit % 16
        for plane, cards in enumerate(bits)
        for bit in cards
    }
    tail = len(planes) * 4 * width
    inputs.add(tail + places.index(view.declarer or 0))
    if view.table:
        inputs.add(tail + 4 + places.index(holder))
    inputs.add(tail + 8 + len(view.table))
    inputs.add(tail + 12 + rules.hand_size - len(view.tricks))
    if view.opened:
        inputs.add(tail + 26)
    inputs.add(tail + 27 + mode_of(game))
    unit = 10 if len(rules.sides) < 4 else 1
    for turn in range(len(rules.sides)):
        side = rules.side_of(places[turn])
        points = (view.points[side] + view.bonus[side]) // unit
        inputs.add(tail + 30 + 26 * turn + min(points, 25))
    return inputs, lanes


def plain_values(model: CardNetwork, inputs: set[int]) -> np.ndarray:
    """What a network says to some inputs, by numpy."""
    values = np.zeros(int(model.network.sizes[0]))
    values[sorted(inputs)] = 1.0
    layers = list(model.network.matrices())
    for number, (matrix, biases) in enumerate(layers):
        values = matrix.astype(np.float64) @ values + biases
        if number < len(layers) - 1:
            values = np.maximum(values, 0.0)
    return values


def plain_chances(policy: Policy, game: KernelGame, view: View) -> dict[int, float]:
    """How likely each legal card is, in plain Python."""
    legal = rules_legal(view)
    state = game.view_state(view)
    if isinstance(policy, CardNetwork):
        inputs, lanes = plain_inputs(game, view, state)
        values = plain_values(policy, inputs)
        width = output_count(game) // 4
        of_card = {
            card: values[lanes.index(game.bits[card] // 16) * width + game.bits[card] % 16]
            for card in legal
        }
        most = max(of_card.values())
        weights = {card: np.exp((v - most) / policy.temperature) for card, v in of_card.items()}
        total = sum(weights.values())
        return {card: float(weight / total) for card, weight in weights.items()}
    assert isinstance(policy, RulePolicy)
    cards = game.mask(sum(1 << card for card in legal))
    found = cards_of(
        game.card_mask(
            advised(state, game.words, book_of(observe(game, view), policy.rules), cards)
        )
    )
    by_rule = list(found)
    slips = policy.slips if len(by_rule) < len(legal) else 0.0
    return {
        card: (1 - slips) / len(by_rule) if card in by_rule else slips / (len(legal) - len(by_rule))
        for card in legal
    }


def rules_legal(view: View) -> list[int]:
    """What the seat of a view may play, by the kernel."""
    from arena.games.kernel.spec import kernel_game
    from arena.games.kernel.step import legal

    game = kernel_game(view.rules, view.trump)
    state = game.view_state(view)
    return list(cards_of(game.card_mask(np.uint64(legal(state, game.words)))))
