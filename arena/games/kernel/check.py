"""Checks of the kernel against the rule books, on recorded and on random rounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arena.core.cards import CARD_NAMES, mask_of
from arena.core.deals import Deal
from arena.core.rules import Action, Rules, Standing
from arena.core.seeds import Rng
from arena.games.kernel.bits import kth_bit, popcount
from arena.games.kernel.jit import uncounted
from arena.games.kernel.layout import (
    LEFT,
    TAKEN,
    TURN,
    ZERO,
    Word,
    Words,
    unpack,
)
from arena.games.kernel.rng import below, rng_array, take_back
from arena.games.kernel.spec import KernelGame, Table, has_kernel, kernel_game, translate_all
from arena.games.kernel.step import final_scores, legal, play


@dataclass(frozen=True)
class KernelTrick:
    """A finished trick as the kernel sees it. Its bonus goes to sides, not to the winner alone."""

    winner: int
    points: tuple[int, ...]
    """Card points of each side after the trick."""
    bonus: tuple[int, ...]
    """Bonus of each side after the trick."""


@dataclass(frozen=True)
class KernelRound:
    """A round as the kernel plays it."""

    turns: tuple[int, ...]
    """The seat that played each card."""
    legal: tuple[int, ...]
    """The legal cards at each play, as masks (see `arena.core.cards`)."""
    tricks: tuple[KernelTrick, ...]
    points: tuple[int, ...]
    bonus: tuple[int, ...]
    tricks_won: tuple[int, ...]
    scores: tuple[int, ...] | None
    """None if the round is not over."""


def replay(
    rules: Rules,
    deal: Deal,
    actions: Sequence[Action],
    standing: Standing = Standing(),
) -> KernelRound | None:
    """Play the cards among `actions` in the kernel; the rules do what comes before them.

    Stops at the first card that the kernel does not allow: then the last of `legal` lacks it.
    None if no card is played at all, or if the game has no kernel.
    """
    if not has_kernel(rules):
        return None
    table = rules.start(deal, standing)
    actions = list(actions)
    while table.phase in ("bid", "pass") and actions:
        rules.apply(table, actions.pop(0))
    if table.phase != "play":
        return None
    game = kernel_game(rules, table.trump)
    state = game.state(table, table.hands, table.turn)
    return _play(game, state, actions)


def _play(game: KernelGame, state: Words, cards: Sequence[int]) -> KernelRound:
    turns, allowed, tricks = [], [], []
    for card in cards:
        if not state[LEFT]:
            break
        turns.append(int(state[TURN]))
        allowed.append(game.card_mask(legal(state, game.words)))
        if not allowed[-1] >> card & 1:
            break
        left = state[LEFT]
        play(state, game.words, np.uint64(1 << game.bits[card]))
        if state[LEFT] != left:
            points, bonus, _ = _taken(game, state)
            tricks.append(KernelTrick(int(state[TURN]), points, bonus))
    scores = None
    if not state[LEFT]:
        out = np.zeros(4, dtype=np.int64)
        final_scores(state, game.words, out)
        scores = tuple(int(score) for score in out[: len(game.rules.sides)])
    points, bonus, won = _taken(game, state)
    return KernelRound(tuple(turns), tuple(allowed), tuple(tricks), points, bonus, won, scores)


def _taken(
    game: KernelGame, state: Words
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """Points, bonus and tricks of each side."""
    words = state[TAKEN : int(TAKEN) + len(game.rules.sides)]
    points, bonus, tricks = zip(*map(unpack, words), strict=True)
    return points, bonus, tricks


# --- at random ---------------------------------------------------------------------------


@uncounted
def _play_and_record(
    state: Words, game: Words, rng: Words, turns: Words, allowed: Words, cards: Words, taken: Words
) -> None:
    """Play a round to its end, any legal card; a row for each play, after it in `taken`."""
    number = 0
    while state[LEFT] != ZERO:
        turns[number] = state[TURN]
        allowed[number] = legal(state, game)
        cards[number] = kth_bit(allowed[number], below(rng, popcount(allowed[number])))
        play(state, game, cards[number])
        for side in range(4):
            taken[number, side] = state[TAKEN + Word(side)]
        number += 1


def disagreement(rules: Rules, deal: Deal, rng: Rng, standing: Standing = Standing()) -> str:
    """Play a round at random in the kernel and let the rule book judge every play.

    What comes before the cards is drawn at random too. The first thing that differs, in a
    line; empty if nothing does.
    """
    table = rules.start(deal, standing)
    while table.phase in ("bid", "pass"):
        rules.apply(table, rng.choice(table.legal))
    if table.phase != "play":
        return ""
    game = kernel_game(rules, table.trump)
    state = game.state(table, table.hands, table.turn)
    plays = sum(hand.bit_count() for hand in table.hands)
    turns, allowed, cards = np.zeros((3, plays), dtype=np.uint64)
    taken = np.zeros((plays, 4), dtype=np.uint64)
    words = rng_array(rng)
    _play_and_record(state, game.words, words, turns, allowed, cards, taken)
    take_back(rng, words)
    translate_all(allowed, game.to_cards, allowed)
    for number in range(plays):
        compared: list[tuple[str, object, object]] = [
            ("turn", table.turn, int(turns[number])),
            ("legal", mask_of(table.legal), int(allowed[number])),
        ]
        if all(by_rules == by_kernel for _, by_rules, by_kernel in compared):
            rules.apply(table, game.card(cards[number]))
            in_kernel = [unpack(word) for word in taken[number, : len(rules.sides)]]
            compared.append(("points, bonus, tricks", _taken_by_rules(rules, table), in_kernel))
        for what, by_rules, by_kernel in compared:
            if by_rules != by_kernel:
                card = CARD_NAMES[game.card(cards[number])]
                where = f"{rules}, {deal}, play {number + 1} ({card})"
                return f"{where}: {what}: by the rules {by_rules}, by the kernel {by_kernel}"
    scores = np.zeros(4, dtype=np.int64)
    final_scores(state, game.words, scores)
    ours, theirs = rules.outcome(table).scores, tuple(scores[: len(rules.sides)].tolist())
    if ours != theirs:
        return f"{rules}, {deal}: scores: by the rules {ours}, by the kernel {theirs}"
    return ""


def _taken_by_rules(rules: Rules, table: Table) -> list[tuple[int, int, int]]:
    won = [0] * len(rules.sides)
    for trick in table.tricks:
        won[rules.side_of(trick.winner)] += 1
    return list(zip(table.points, table.bonus, won, strict=True))
