"""Evidence of bids about hands: tables that pick the true deal out of others that were possible.

From each seat's view, the hidden cards are dealt again some times. The fit maximises the chance of
the true hands among these deals, by the tables of `agents.policies.bid_evidence`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.policies.bid_evidence import COUNTS, dealt_size, part_size, starts_of
from agents.policies.features import deck_of, kinds_of
from agents.training.rounds import Rounds
from agents.training.tables.regression import TableChoices, fit_tables
from arena.games.kernel.layout import TRUMPS
from arena.games.kernel.spec import KernelGame

_SEATS = 4
_BITS = 64
_OTHER_DEALS = 20
"""Deals that the true one is compared with."""
_PENALTY = 20.0
"""Larger than for plays: there are few rounds with bids, and some bids say nothing."""


def fit_bid_tables(deals: TableChoices, game: KernelGame) -> NDArray[np.float32]:
    """The tables under which true deals are likeliest, scaled to a mean of 1 over all deals."""
    tables = fit_tables(deals, _PENALTY)
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


def redeals_of(rounds: Rounds, seed: int = 0) -> TableChoices:
    """For each seat, the choice between the true hands of the others and possible ones."""
    rng = np.random.default_rng(seed)
    size = rounds.rules.hand_size
    columns = (_SEATS - 1) * (size + 1)
    entries = np.empty((len(rounds) * _SEATS, 1 + _OTHER_DEALS, columns), np.int32)
    row = 0
    for number in range(len(rounds)):
        game = rounds.game(number)
        hands = game.to_bits[_hands(rounds, number)].astype(np.int64)
        starts = starts_of(game, int(rounds.declarer[number]), int(rounds.leader[number]))
        kinds = kinds_of(deck_of(game))
        is_trump = (int(game.words[TRUMPS]) >> np.arange(_BITS, dtype=object) & 1).astype(np.int64)
        for observer in range(_SEATS):
            others = [seat for seat in range(_SEATS) if seat != observer]
            unseen = np.tile(hands[others].reshape(-1), (1 + _OTHER_DEALS, 1))
            unseen[1:] = rng.permuted(unseen[1:], axis=1)
            dealt = unseen.reshape(1 + _OTHER_DEALS, len(others), size)
            counts = kinds.max() + 1 + is_trump[dealt].sum(axis=2, keepdims=True)
            found = np.concatenate([kinds[dealt], counts], axis=2) + starts[others][None, :, None]
            entries[row] = found.reshape(1 + _OTHER_DEALS, columns)
            row += 1
    firsts = np.arange(row + 1, dtype=np.int64) * (1 + _OTHER_DEALS)
    return TableChoices(entries.reshape(-1, columns), firsts, firsts[:-1], dealt_size(game))


def _hands(rounds: Rounds, number: int) -> NDArray[np.int64]:
    """The cards that each seat was dealt, a row for each."""
    hands: list[list[int]] = [[] for _ in range(_SEATS)]
    for trick in rounds.tricks(number):
        for place, card in enumerate(trick.cards):
            hands[rounds.rules.seat_after(trick.leader, place)].append(card)
    return np.array(hands, dtype=np.int64)
