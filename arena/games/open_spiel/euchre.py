"""Rounds of euchre that look the same to a seat, all equally likely.

OpenSpiel's own sampler keeps the card that the dealer has really discarded, which no other
seat may know; so this one takes its place.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arena.core.cards import CARD_NAMES, LANE, RANKS, SUITS, cards_of, mask_of
from arena.core.seeds import Rng
from arena.games.open_spiel.hands import draw_hands

_PLAYERS, _HAND_SIZE = 4, 5
_DEALT = _PLAYERS * _HAND_SIZE
_JACK = RANKS.index("J")
_TRUMPS = {"Clubs": 0, "Diamonds": 1, "Hearts": 2, "Spades": 3}
_SAME_COLOUR = (SUITS.index("S"), SUITS.index("H"), SUITS.index("D"), SUITS.index("C"))
_DECK = mask_of(LANE * suit + rank for suit in range(4) for rank in range(RANKS.index("9"), LANE))


def possible_history(state: Any, seat: int, rng: Rng) -> tuple[int, ...]:
    """All actions of such a round, chance included."""
    steps = [(step.player, step.action) for step in state.full_history()]
    dealer, first = steps[0][1], 1 + _DEALT + 1
    dealt = [card_of(card) for _, card in steps[1:first]]
    upcard = dealt.pop()
    receivers = [(dealer + place) % _PLAYERS for place in range(_DEALT)]
    known = _KnownActions(dealer, upcard, seat)
    replayed = state.get_game().new_initial_state()
    for place, (player, action) in enumerate(steps):
        if place >= first:
            known.see(player, replayed.action_to_string(action))
        replayed.apply_action(action)

    own = mask_of(card for card, holder in zip(dealt, receivers, strict=True) if holder == seat)
    hands, discard = known.draw(own, rng)
    found = [iter(cards_of(hand)) for hand in hands]
    outcomes = [next(found[holder]) for holder in receivers]
    actions = [action for _, action in steps[first:]]
    if known.discarded is not None:
        actions[known.discarded] = open_spiel_card(discard)
    return (dealer, *map(open_spiel_card, (*outcomes, upcard)), *actions)


def card_of(card: int) -> int:
    """The arena's card; OpenSpiel counts by ranks from the nines on, clubs first."""
    return LANE * (card % len(SUITS)) + RANKS.index("9") + card // len(SUITS)


def open_spiel_card(card: int) -> int:
    """The inverse of `card_of`."""
    return len(SUITS) * (card % LANE - RANKS.index("9")) + card // LANE


class _KnownActions:
    """What a seat knows from the actions after the deal."""

    def __init__(self, dealer: int, upcard: int, seat: int) -> None:
        self.dealer, self.upcard, self.seat = dealer, upcard, seat
        self.trump: int | None = None
        self.picked_up = False
        self.discarded: int | None = None
        """The number of the action by which another seat discards."""
        self.own_discard = 0
        self.played = [0] * _PLAYERS
        self.void = [0] * _PLAYERS
        """Cards that they cannot hold."""
        self._passes = self._actions = 0
        self._table: list[tuple[int, int]] = []
        self._trick_size = _PLAYERS

    def see(self, player: int, name: str) -> None:
        """An action after the deal."""
        card = CARD_NAMES.index(name) if name in CARD_NAMES else None
        if name == "Pass" and self.trump is None:
            self._passes += 1
        elif name in _TRUMPS:
            self.trump = _TRUMPS[name]
            self.picked_up = self._passes < _PLAYERS
        elif name == "Alone":
            self._trick_size -= 1
        elif card is not None and self._awaits_discard:
            if player == self.seat:
                self.own_discard = 1 << card
            else:
                self.discarded = self._actions
        elif card is not None:
            self._play(player, card)
        self._actions += 1

    @property
    def _awaits_discard(self) -> bool:
        return self.picked_up and self.discarded is None and not self.own_discard

    def _play(self, player: int, card: int) -> None:
        self.played[player] |= 1 << card
        if self._table:
            led = self._suit(self._table[0][1])
            if self._suit(card) != led:
                self.void[player] |= mask_of(c for c in cards_of(_DECK) if self._suit(c) == led)
        self._table.append((player, card))
        if len(self._table) == self._trick_size:
            self._table = []

    def _suit(self, card: int) -> int:
        """The suit that a card belongs to: the other jack of the colour is a trump."""
        suit, rank = divmod(card, LANE)
        is_left = rank == _JACK and self.trump is not None and _SAME_COLOUR[suit] == self.trump
        return _SAME_COLOUR[suit] if is_left else suit

    def draw(self, own: int, rng: Rng) -> tuple[Sequence[int], int]:
        """The cards that all seats were dealt, and what the dealer discarded (or nothing)."""
        up = 1 << self.upcard
        played = self.played[0] | self.played[1] | self.played[2] | self.played[3]
        unseen = _DECK & ~own & ~played & ~up
        sizes = [_HAND_SIZE - cards.bit_count() for cards in self.played]
        sizes[self.seat] = 0
        if self.discarded is not None and not played & up:
            sizes[self.dealer] -= 1  # the upcard itself may not be discarded
        sizes.append(unseen.bit_count() - sum(sizes))
        hands = draw_hands(unseen, [unseen & ~void for void in self.void], sizes, rng)
        for player, cards in enumerate(self.played):
            hands[player] |= cards
        hands[self.seat] = own
        discard = 0
        if self.discarded is not None:
            discard = rng.choice(cards_of(hands[-1]))
            hands[self.dealer] = (hands[self.dealer] | 1 << discard) & ~up
        return hands[:-1], discard
