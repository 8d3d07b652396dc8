"""Tables from rounds, by multinomial logistic regression.

For every decision between several cards the chance of the card that was played is made as
large as possible: the sum of the logarithms, less a penalty on the squares of the weights,
is maximised by L-BFGS. It has one maximum, so nothing depends on chance.
"""

from __future__ import annotations

from collections.abc import Callable
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
    watch,
)
from agents.training.rounds import Rounds
from arena.games.kernel.jit import compiled
from arena.games.kernel.layout import (
    DECLARER,
    HANDS,
    LEFT,
    ONE,
    STATE_WORDS,
    TURN,
    ZERO,
    Int,
    Words,
)
from arena.games.kernel.spec import kernel_game
from arena.games.kernel.step import legal, play

PENALTY = 2.0
"""Half of it times the square of each weight: as if a weight were 0, give or take 0.7."""


class Decisions(NamedTuple):
    """Choices between several cards, or whatever may be chosen, as entries in the tables."""

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
    def join(cls, parts: list[Decisions]) -> Decisions:
        """Decisions one after the other."""
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


def decisions_of(rounds: Rounds) -> Decisions:
    """All choices in some rounds that have the same tables."""
    parts = []
    for trump in sorted(set(rounds.trump.tolist())):
        game = kernel_game(rounds.rules, None if trump < 0 else trump)
        deck = deck_of(game)
        rows = np.flatnonzero(rounds.trump == trump)
        most = len(rows) * rounds.cards.shape[1] * rounds.rules.hand_size
        entries = np.empty((most, TABLES), np.int32)
        starts = np.empty(rounds.cards[rows].size + 1, np.int64)
        chosen = np.empty(rounds.cards[rows].size, np.int64)
        bits = game.to_bits[rounds.cards[rows]].astype(np.uint64)
        count, used = _collect(
            bits,
            rounds.leader[rows].astype(np.uint64),
            np.maximum(rounds.declarer[rows], 0).astype(np.uint64),
            game.words,
            deck,
            entries,
            starts,
            chosen,
        )
        size = table_size(deck)
        parts.append(Decisions(entries[:used].copy(), starts[: count + 1], chosen[:count], size))
    return Decisions.join(parts)


@compiled
def deal_round(cards: Words, leader: Int, declarer: Int, game: Words, state: Words) -> None:
    """The beginning of a round that was played as `cards` (numbers of bits) say."""
    for i in range(STATE_WORDS):
        state[i] = ZERO
    tricks = len(cards) // 4
    # Who played what is found by playing the round once: hands do not decide whose turn it is.
    state[TURN], state[DECLARER] = leader, declarer
    state[LEFT] = np.uint64(tricks)
    hands = np.zeros(4, np.uint64)
    for number in cards:
        card = ONE << number
        hands[state[TURN]] |= card
        state[HANDS + state[TURN]] |= card
        play(state, game, card)
    for i in range(STATE_WORDS):
        state[i] = ZERO
    for seat in range(4):
        state[HANDS + np.uint64(seat)] = hands[seat]
    state[TURN], state[DECLARER] = leader, declarer
    state[LEFT] = np.uint64(tricks)


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
    """Enter the decisions of rounds; how many, and how many rows."""
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
    """Minus the logarithm of the chance of all that was played; adds to the gradient."""
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


def fit(
    decisions: Decisions,
    penalty: float = PENALTY,
    steps: int = 200,
    tell: Callable[[int, float], None] = lambda step, loss: None,
) -> NDArray[np.float32]:
    """The weights of all tables; `tell` is given the step and the loss per decision."""
    # Entries that never occur stay 0. (Fewer also keep linear algebra from starting threads.)
    used, renumbered = np.unique(decisions.entries, return_inverse=True)
    entries = renumbered.reshape(decisions.entries.shape).astype(np.int32)
    count = len(decisions)
    seen = [0, 0.0]

    def value(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        gradient = penalty * weights
        loss = _loss(weights, entries, decisions.starts, decisions.chosen, gradient)
        seen[1] = loss / count
        return loss + 0.5 * penalty * float(weights @ weights), gradient

    def told(_: object) -> None:
        seen[0] += 1
        tell(int(seen[0]), float(seen[1]))

    found = minimize(  # type: ignore[call-overload]  # the stubs know no jac=True
        value,
        np.zeros(len(used)),
        jac=True,
        method="L-BFGS-B",
        callback=told,
        options={"maxiter": steps, "maxfun": 2 * steps, "ftol": 1e-7},
    )
    weights = np.zeros(decisions.size, np.float32)
    weights[used] = found.x
    return weights


def likelihood(weights: NDArray[np.float32], decisions: Decisions) -> float:
    """The mean logarithm of the chance of what was played: 0 is perfect."""
    ignored = np.zeros(decisions.size)
    loss = _loss(
        weights.astype(np.float64), decisions.entries, decisions.starts, decisions.chosen, ignored
    )
    return -loss / len(decisions)
