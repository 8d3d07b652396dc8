"""Rounds that look the same to a seat, in games where all actions but the deal are public.

For oh_hell, where OpenSpiel's own sampler deals cards to players that are out of the suit, and
for spades, which has none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from arena.core.cards import cards_of, mask_of
from arena.core.seeds import Rng
from arena.games.open_spiel.hands import draw_hands


def oh_hell_history(state: Any, seat: int, rng: Rng) -> tuple[int, ...]:
    """All actions of such a round of oh_hell: first the number of tricks and the dealer."""
    given = state.get_game().get_parameters()
    suits = given["num_suits"]
    deck = (1 << suits * given["num_cards_per_suit"]) - 1
    return _possible_history(state, seat, rng, deck, 2, 1, lambda card: card % suits, None)


def spades_history(state: Any, seat: int, rng: Rng) -> tuple[int, ...]:
    """All actions of such a round of spades."""
    return _possible_history(state, seat, rng, (1 << 52) - 1, 0, 0, lambda card: card // 13, 3)


def _possible_history(
    state: Any,
    seat: int,
    rng: Rng,
    deck: int,
    before: int,
    after: int,
    suit_of: Callable[[int], int],
    closed: int | None,
) -> tuple[int, ...]:
    """All actions of such a round.

    Cards are dealt in turn, after `before` other outcomes of chance and before `after` cards
    that all see. The suit `closed` is led only by who has nothing else: in OpenSpiel's game (2.0)
    spades are never broken.
    """
    players = state.num_players()
    steps = [(step.player, step.action) for step in state.full_history()]
    chance = [action for player, action in steps if player < 0]
    actions = [(player, action) for player, action in steps if player >= 0]
    dealt = chance[before : len(chance) - after]
    seen = mask_of(chance[len(chance) - after :])
    own = mask_of(dealt[seat::players])

    played, void = [0] * players, [0] * players
    table: list[int] = []
    for player, card in actions:
        if not deck >> card & 1:  # a bid
            continue
        led = suit_of(table[0] if table else card)
        if table and suit_of(card) != led:
            void[player] |= 1 << led
        elif not table and led == closed:
            void[player] |= ~(1 << led)
        played[player] |= 1 << card
        table = [] if len(table) + 1 == players else [*table, card]

    size = len(dealt) // players
    unseen = deck & ~own & ~seen & ~sum(played)
    sizes = [size - cards.bit_count() for cards in played]
    sizes[seat] = 0
    sizes.append(unseen.bit_count() - sum(sizes))
    may = [mask_of(c for c in cards_of(unseen) if not out >> suit_of(c) & 1) for out in void]
    hands = draw_hands(unseen, may, sizes, rng)[:-1]
    hands = [own if q == seat else hand | played[q] for q, hand in enumerate(hands)]
    found = [iter(cards_of(hand)) for hand in hands]
    again = [next(found[place % players]) for place in range(len(dealt))]
    return (*chance[:before], *again, *chance[len(chance) - after :], *(a for _, a in actions))
