"""A network that judges leaves.

It is a dense network (`agents.networks.dense_network`) with one output: by how many points a side
wins the round. So it serves games of two sides. Its inputs are in one of two encodings
(`agents.networks.encodings`), distinguished by their numbers of inputs:

* `world`: the world that was drawn, with all hands, from the seat to move; the side is theirs;
* `places`: what the searching seat knows and would know after the cards of the tree, whatever
  world was drawn; the side is that of the one who thinks.

In `places` a leaf differs from the root in few inputs, so the sums of the first layer are those of
the root with what changed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.networks.dense_network import (
    Layers,
    Network,
    Use,
    add_changes,
    first_sums,
    outputs_of,
    read_network,
)
from agents.networks.encodings import (
    MODES,
    SIZE,
    WORLD,
    enter_places,
    enter_world,
    look_from,
    mode_of,
    places_of,
    rows_of,
)
from arena.config.model_file import ModelFile
from arena.core.errors import ArenaError
from arena.games.kernel.jit import compiled, inlined
from arena.games.kernel.layout import HANDS, ONE, STATE_WORDS, TURN, Word, Words
from arena.games.kernel.spec import KernelGame
from arena.games.kernel.step import copy_state, play, side_of
from arena.games.observation import Observation, learn
from arena.games.view_bytes import leader_of

INPUTS = WORLD

_DECKS = (32, 36, 52)
"""Cards in games of two sides that a network may be for; others are asked of the game."""
_WORLDS = (WORLD, WORLD + MODES)
_JUDGE = Use("judges", (*_WORLDS, *(9 * cards + 11 for cards in _DECKS)), (1,))

NO_NETWORK = Network(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32))

# `Judge.known`: the root's state, then these.
_MAY = STATE_WORDS
_VIEWER, _LEADER, _MODE = STATE_WORDS + 4, STATE_WORDS + 5, STATE_WORDS + 6
_LENGTH = STATE_WORDS + 7
"""How many cards there are in the trail, which comes last."""
_TRAIL = STATE_WORDS + 8
_MOST_CARDS = 56


class Judge(NamedTuple):
    """A network at a decision, for compiled code."""

    sees_worlds: bool
    layers: Layers
    known: Words
    """What is known at the root, and the cards from there to the leaf that is judged."""
    rows: NDArray[np.int64]
    before: NDArray[np.float32]
    """The inputs at the root, and the sums of the first layer."""
    sums: NDArray[np.float32]


def load_network(model: ModelFile) -> Network:
    """Read a model; `ArenaError` says what is wrong with it."""
    return read_network(model, _JUDGE)


def judge_of(network: Network, observed: Observation) -> Judge:
    """The judge of a decision, for which nothing but its view is known."""
    game = observed.game
    if int(network.sizes[0]) in _WORLDS:
        return judge_of_worlds(network, game)
    if int(network.sizes[0]) != places_of(game):
        raise ArenaError(
            f"a network with {int(network.sizes[0])} inputs is not for {game.rules.name}, "
            f"which has {places_of(game)}, {_WORLDS[0]} or {_WORLDS[1]}"
        )
    known = np.zeros(_TRAIL + _MOST_CARDS, dtype=np.uint64)
    known[:STATE_WORDS] = observed.state
    known[_MAY : _MAY + 4] = observed.hidden()[1][:4]
    known[_VIEWER], known[_MODE] = observed.view.seat, mode_of(game)
    known[_LEADER] = leader_of(observed.encoded)
    layers = network.layers
    judge = Judge(False, layers, known, rows_of(game), _zeros(layers), first_sums(layers))
    before = np.empty(places_of(game), np.float32)
    see_places(judge, game.words, before)
    add_changes(layers, judge.before, before, judge.sums)
    return judge._replace(before=before)


def judge_of_worlds(network: Network, game: KernelGame) -> Judge:
    """The judge of states that are known in full."""
    known = np.zeros(_TRAIL + _MOST_CARDS, dtype=np.uint64)
    known[_MODE] = mode_of(game)
    layers = network.layers
    return Judge(True, layers, known, rows_of(game), _zeros(layers), first_sums(layers))


def _zeros(layers: Layers) -> NDArray[np.float32]:
    return np.zeros(int(layers.sizes[0]), dtype=np.float32)


@inlined
def set_out(judge: Judge) -> None:
    """Begin at the root."""
    judge.known[_LENGTH] = np.uint64(0)


@inlined
def follow(judge: Judge, card: Word) -> None:
    """Note a card on the way to a leaf."""
    length = judge.known[_LENGTH]
    judge.known[np.uint64(_TRAIL) + length] = card
    judge.known[_LENGTH] = length + ONE


@compiled
def expected_margin(state: Words, game: Words, judge: Judge) -> float:
    """By how many points the side to move is expected to win."""
    values = np.empty(len(judge.before), np.float32)
    if judge.sees_worlds:
        position = np.empty(SIZE, np.uint64)
        mode = judge.known[_MODE]
        look_from(state[TURN], state, game, state[HANDS : HANDS + 4], ONE, mode, position)
        enter_world(position, values)
    else:
        see_places(judge, game, values)
    sums = judge.sums.copy()
    add_changes(judge.layers, judge.before, values, sums)
    expected = np.float64(outputs_of(judge.layers, sums)[0])
    if judge.sees_worlds or side_of(game, state[TURN]) == side_of(game, judge.known[_VIEWER]):
        return expected
    return -expected


@compiled
def see_places(judge: Judge, game: Words, values: NDArray[np.float32]) -> None:
    """The inputs of `places` after the cards of the trail."""
    known = judge.known
    state, may = np.empty(STATE_WORDS, np.uint64), np.empty(4, np.uint64)
    copy_state(known, state)
    for seat in range(4):
        may[seat] = known[_MAY + seat]
    viewer = known[_VIEWER]
    for i in range(np.int64(known[_LENGTH])):
        card = known[_TRAIL + i]
        turn = state[TURN]
        if turn != viewer:
            learn(state, game, may, card)
            state[HANDS + turn] = card  # hands that are not known are empty
        play(state, game, card)
    position = np.empty(SIZE, np.uint64)
    look_from(viewer, state, game, may, known[_LEADER], known[_MODE], position)
    enter_places(position, judge.rows, values)
