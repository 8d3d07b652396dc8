"""The true deal among others that might have been: what bids tell is fitted to that choice.

Of each player's own view, the hidden cards are dealt again some times. The chance of picking out
the true hands by the tables of `dealt` is then made as large as possible (`fit`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.policies.dealt import COUNTS, dealt_size, part_size, starts_of
from agents.policies.features import deck_of, kinds_of
from agents.training.rounds import Rounds
from agents.training.tables.fit import Decisions, fit
from arena.games.kernel.layout import TRUMPS
from arena.games.kernel.spec import KernelGame, kernel_game

_SEATS = 4
_BITS = 64
_OTHER_DEALS = 20
"""Deals that the true one is to be told from."""


_PENALTY = 20.0
"""Larger than for plays: there are few rounds with bids, and some bidders tell nothing."""


def fit_deals(deals: Decisions, game: KernelGame) -> NDArray[np.float32]:
    """The tables that make true deals as likely as possible; the mean over all deals is 1."""
    tables = fit(deals, _PENALTY)
    part = part_size(game)
    size = len(game.cards) // _SEATS + 1
    others = np.ones(len(deals.entries), bool)
    others[deals.chosen] = False
    hands = deals.entries[others].reshape(-1, size)
    chances = np.exp(tables[hands].sum(axis=1, dtype=np.float64))
    seats = hands[:, -1] // part  # every hand has its one number of trumps
    for seat in np.unique(seats):
        counts = slice((seat + 1) * part - COUNTS, (seat + 1) * part)
        tables[counts] -= np.log(chances[seats == seat].mean())
    return tables


def deals_of(rounds: Rounds, seed: int = 0) -> Decisions:
    """Choices between the true hands of the others and such as might have been, for each seat."""
    rng = np.random.default_rng(seed)
    size = rounds.rules.hand_size
    columns = (_SEATS - 1) * (size + 1)
    entries = np.empty((len(rounds) * _SEATS, 1 + _OTHER_DEALS, columns), np.int32)
    row = 0
    for number in range(len(rounds)):
        trump = int(rounds.trump[number])
        game = kernel_game(rounds.rules, None if trump < 0 else trump)
        hands = game.to_bits[_hands(rounds, number)].astype(np.int64)
        starts = starts_of(game, int(rounds.declarer[number]), int(rounds.leader[number]))
        kinds = kinds_of(deck_of(game))
        is_trump = (int(game.words[TRUMPS]) >> np.arange(_BITS, dtype=object) & 1).astype(np.int64)
        for thinker in range(_SEATS):
            others = [seat for seat in range(_SEATS) if seat != thinker]
            unseen = np.tile(hands[others].reshape(-1), (1 + _OTHER_DEALS, 1))
            unseen[1:] = rng.permuted(unseen[1:], axis=1)
            dealt = unseen.reshape(1 + _OTHER_DEALS, len(others), size)
            counts = kinds.max() + 1 + is_trump[dealt].sum(axis=2, keepdims=True)
            found = np.concatenate([kinds[dealt], counts], axis=2) + starts[others][None, :, None]
            entries[row] = found.reshape(1 + _OTHER_DEALS, columns)
            row += 1
    firsts = np.arange(row + 1, dtype=np.int64) * (1 + _OTHER_DEALS)
    return Decisions(entries.reshape(-1, columns), firsts, firsts[:-1], dealt_size(game))


def _hands(rounds: Rounds, number: int) -> NDArray[np.int64]:
    """The cards that each seat was dealt, a row for each."""
    rules, cards = rounds.rules, rounds.cards[number].tolist()
    trump = int(rounds.trump[number])
    leader = int(rounds.leader[number])
    hands: list[list[int]] = [[] for _ in range(_SEATS)]
    for first in range(0, len(cards), _SEATS):
        trick = tuple(cards[first : first + _SEATS])
        for place, card in enumerate(trick):
            hands[rules.seat_after(leader, place)].append(card)
        won = rules.trick_winner(trick, None if trump < 0 else trump)
        leader = rules.seat_after(leader, won)
    return np.array(hands, dtype=np.int64)
