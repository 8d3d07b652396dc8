"""Tables from rounds, by multinomial logistic regression.

Maximises the sum over all decisions of log P(card played), less a penalty on the squares of the
weights, by L-BFGS. The objective is concave and has one maximum, so nothing depends on chance.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from agents.policies.features import (
    TABLES,
    Deck,
    deck_of,
    entries_of,
    hold,
    look,
    table_size,
)
from agents.training.rounds import Rounds, deal_round
from arena.games.kernel.jit import compiled
from arena.games.kernel.layout import (
    ONE,
    STATE_WORDS,
    ZERO,
    Int,
    Words,
)
from arena.games.kernel.step import legal, play
from arena.games.observation import watch

PENALTY = 2.0
"""Half of it times the square of each weight: a normal prior with a standard deviation of 0.7."""


class TableChoices(NamedTuple):
    """Choices between several cards (or deals), as entries in the tables."""

    entries: NDArray[np.int32]
    """One row for each card that could be played, as many columns as it has entries."""
    starts: NDArray[np.int64]
    """The first row of each decision; the last number is the number of rows."""
    chosen: NDArray[np.int64]
    """The row of the card that was played."""
    size: int
    """Entries in all tables."""

    def __len__(self) -> int:
        return len(self.chosen)

    @classmethod
    def join(cls, parts: list[TableChoices]) -> TableChoices:
        """Choices one after the other."""
        offsets = np.cumsum([0, *(len(part.entries) for part in parts)])
        starts = [part.starts[:-1] + at for part, at in zip(parts, offsets[:-1], strict=True)]
        return cls(
            np.concatenate([part.entries for part in parts]),
            np.concatenate([*starts, offsets[-1:]]),
            np.concatenate(
                [part.chosen + at for part, at in zip(parts, offsets[:-1], strict=True)]
            ),
            parts[0].size,
        )


def choices_of(rounds: Rounds) -> TableChoices:
    """All choices in some rounds that have the same tables."""
    parts = []
    for same in rounds.by_trump():
        deck = deck_of(same.game)
        most = same.cards.size * rounds.rules.hand_size
        entries = np.empty((most, TABLES), np.int32)
        starts = np.empty(same.cards.size + 1, np.int64)
        chosen = np.empty(same.cards.size, np.int64)
        count, used = _collect(
            same.cards, same.leaders, same.declarers, same.game.words, deck,
            entries, starts, chosen,
        )  # fmt: skip
        size = table_size(deck)
        parts.append(TableChoices(entries[:used].copy(), starts[: count + 1], chosen[:count], size))
    return TableChoices.join(parts)


@compiled
def _collect(
    cards: Words,
    leaders: Words,
    declarers: Words,
    game: Words,
    deck: Deck,
    entries: NDArray[np.int32],
    starts: NDArray[np.int64],
    chosen: NDArray[np.int64],
) -> tuple[Int, Int]:
    """Enter the choices of rounds; how many, and how many rows."""
    state, voids = np.empty(STATE_WORDS, np.uint64), np.empty(4, np.uint64)
    count, used = 0, 0
    for i in range(len(cards)):
        deal_round(cards[i], leaders[i], declarers[i], game, state)
        voids[:] = ZERO
        for number in cards[i]:
            played = ONE << number
            allowed = legal(state, game)
            if allowed & (allowed - ONE) != ZERO:
                starts[count] = used
                scene = look(state, game, voids, deck)
                while allowed != ZERO:
                    card = allowed & (~allowed + ONE)
                    allowed ^= card
                    if card == played:
                        chosen[count] = used
                    found = entries_of(scene, hold(scene, deck, card), deck, card)
                    for k in range(TABLES):
                        entries[used, k] = found[k]
                    used += 1
                count += 1
            watch(state, voids, played)
            play(state, game, played)
    starts[count] = used
    return count, used


@compiled
def _loss(
    weights: NDArray[np.float64],
    entries: NDArray[np.int32],
    starts: NDArray[np.int64],
    chosen: NDArray[np.int64],
    gradient: NDArray[np.float64],
) -> float:
    """Minus the log-likelihood of all that was played; adds to the gradient."""
    loss = 0.0
    scores = np.empty(64, np.float64)
    for i in range(len(chosen)):
        first, end = starts[i], starts[i + 1]
        largest = -np.inf
        for row in range(first, end):
            score = 0.0
            for k in range(entries.shape[1]):
                score += weights[entries[row, k]]
            scores[row - first] = score
            largest = max(largest, score)
        total = 0.0
        for j in range(end - first):
            total += np.exp(scores[j] - largest)
        loss += largest + np.log(total) - scores[chosen[i] - first]
        for row in range(first, end):
            chance = np.exp(scores[row - first] - largest) / total
            if row == chosen[i]:
                chance -= 1.0
            for k in range(entries.shape[1]):
                gradient[entries[row, k]] += chance
    return loss


def fit_tables(
    choices: TableChoices,
    penalty: float = PENALTY,
    steps: int = 200,
    around: NDArray[np.float32] | None = None,
) -> NDArray[np.float32]:
    """The weights of all tables.

    The penalty is on the squares of their differences to `around`, tables of players that play
    much alike; by default 0. Entries that never occur stay as they are there.
    """
    # Without the entries that never occur, linear algebra starts no threads.
    used, renumbered = np.unique(choices.entries, return_inverse=True)
    entries = renumbered.reshape(choices.entries.shape).astype(np.int32)
    weights = np.zeros(choices.size, np.float32) if around is None else around.copy()
    start = weights[used].astype(np.float64)

    def value(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        change = weights - start
        gradient = penalty * change
        loss = _loss(weights, entries, choices.starts, choices.chosen, gradient)
        return loss + 0.5 * penalty * float(change @ change), gradient

    found = minimize(
        value,
        start,
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": steps, "maxfun": 2 * steps, "ftol": 1e-7},
    )
    weights[used] = found.x
    return weights


def likelihood(weights: NDArray[np.float32], choices: TableChoices) -> float:
    """The mean logarithm of the chance of the card that was played; 0 is perfect."""
    ignored = np.zeros(choices.size)
    loss = _loss(
        weights.astype(np.float64), choices.entries, choices.starts, choices.chosen, ignored
    )
    return -loss / len(choices)
