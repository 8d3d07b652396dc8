"""The nodes of a search tree: how they lie in one flat array.

Siblings lie side by side, in the order of their cards, so that the child of a card is found by
counting the lower cards tried: of a node's children, which may be all cards that are unseen, only
the few that are legal in a world are looked at, in few lines of cache. When the slots for the
children of a node are full, they move to twice as many.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.games.kernel.bits import ctz, popcount
from arena.games.kernel.jit import compiled, inlined, records, uncounted
from arena.games.kernel.layout import ONE, TWO, ZERO, Int, Word, Words

NODE = np.dtype(
    [
        ("value", np.float64),  # sum, for the side that played the card
        ("tried", np.uint64),  # the cards of its children
        ("visits", np.int32),
        ("available", np.int32),  # how often the card could have been chosen
        ("children", np.uint32),  # the slot of the first one
        ("number", np.int32),  # how many nodes there were before it
    ]
)
"""Two of them are a line of cache."""
_LINE = 64
_LARGE_PAGE, _LARGE_ARRAY = 1 << 21, 1 << 22

Slots: TypeAlias = Any
"""An array of `NODE`; the root is in slot 0."""

# The ledger: how many nodes there have been, how many there may be, the first slot that was never
# used, and for each size of blocks, 2, 4, 8 and so on, the first of those that are free again.
_BORN, _MOST, _TOP, _FREE = 0, 1, 2, 3
_SIZES = 6
_SLOTS_PER_NODE = 4
"""Slots at most: blocks of 2, 4, ... 2k for more than k children are less than four for each."""

UNBOUNDED = np.float32(np.inf)
_NO_BOUNDS = np.empty((0, 2), np.float32)


class Nodes(NamedTuple):
    """A tree."""

    slots: Slots
    ledger: NDArray[np.int64]
    bounds: NDArray[np.float32]
    """What is proven of the value of each node, by its number: lower and upper bound, for the
    side that played its card. Empty if nothing is to be proven."""


_spare: list[Nodes] = []
"""The memory of a tree that is no longer in use. Fresh memory costs more than a small search,
and a large one 3% of its time, because the system has to find and clear every page of it."""


def new_nodes(simulations: int, proves: bool = False) -> Nodes:
    """Room for a tree: every simulation adds at most one node to the root."""
    most = simulations + 1
    nodes = _spare.pop() if _spare and not proves else None
    if nodes is None or len(nodes.slots) < _SLOTS_PER_NODE * most:
        return _fresh(most, proves)
    nodes.ledger[_BORN] = 0
    nodes.ledger[_MOST] = most
    return nodes


def give_up(nodes: Nodes) -> None:
    """Release the memory of a tree to the next one; the tree must not be read afterwards."""
    if not _spare and not len(nodes.bounds):
        _spare.append(nodes)


def _fresh(most: int, proves: bool) -> Nodes:
    size = _SLOTS_PER_NODE * most * NODE.itemsize
    # Slots begin with a line of cache, so that no node is in two; many with a large page, for which
    # numpy asks if an array is large enough: looking up small pages takes time.
    start, least = (_LARGE_PAGE, _LARGE_ARRAY) if size >= _LARGE_PAGE // 2 else (_LINE, 0)
    room = np.empty(max(size, least) + start, np.uint8)
    skip = -room.__array_interface__["data"][0] % start
    ledger = np.zeros(_FREE + _SIZES, np.int64)
    ledger[_MOST] = most
    bounds = np.empty((most, 2), np.float32) if proves else _NO_BOUNDS
    return Nodes(records(room[skip : skip + size].view(NODE)), ledger, bounds)


def size_of(nodes: Nodes) -> int:
    """How many nodes a tree has; none before its first simulation."""
    return int(nodes.ledger[_BORN])


@inlined
def is_new(nodes: Nodes) -> bool:
    """Whether there is no node yet, not even the root."""
    return bool(nodes.ledger[_BORN] == 0)


@inlined
def has_room(nodes: Nodes) -> bool:
    """Whether there may be more nodes."""
    return bool(nodes.ledger[_BORN] < nodes.ledger[_MOST])


@uncounted
def reset(nodes: Nodes) -> None:
    """Leave only the root, without visits."""
    ledger = nodes.ledger
    ledger[_BORN], ledger[_TOP] = 0, 2
    for size in range(_SIZES):
        ledger[_FREE + size] = 0
    enter(nodes, ZERO, 0)


@inlined
def enter(nodes: Nodes, slot: Word, available: Int) -> None:
    """A node without visits."""
    number = nodes.ledger[_BORN]
    nodes.ledger[_BORN] = number + 1
    slots = nodes.slots
    slots[slot].value = 0.0
    slots[slot].tried = ZERO
    slots[slot].visits = 0
    slots[slot].available = available
    slots[slot].children = 0
    slots[slot].number = number
    if len(nodes.bounds) > 0:
        nodes.bounds[number, 0], nodes.bounds[number, 1] = -UNBOUNDED, UNBOUNDED


@inlined
def child_of(first: Word, tried: Word, cards: Word) -> Word:
    """The slot of the child for the lowest of some cards."""
    return Word(first + popcount(tried & (cards - ONE) & ~cards))


@inlined
def expand(nodes: Nodes, parent: Word, card: Word) -> Word:
    """A child for a card that has none; its slot. Siblings may move."""
    slots = nodes.slots
    tried = slots[parent].tried
    before, count = popcount(tried & (card - ONE)), popcount(tried)
    old = np.uint64(slots[parent].children)
    new = old
    if count == ZERO:
        new = _take(nodes, ZERO)
    elif count & (count - ONE) == ZERO and count >= TWO:
        new = _take(nodes, ctz(count))
        for i in range(before):
            slots[new + np.uint64(i)] = slots[old + np.uint64(i)]
    for i in range(count - before):
        last = count - np.uint64(i)
        slots[new + last] = slots[old + last - ONE]
    if new != old and count != ZERO:
        _give_back(nodes, old, ctz(count) - ONE)
    slots[parent].children = np.uint32(new)
    slots[parent].tried = tried | card
    enter(nodes, new + before, 1)
    return Word(new + before)


@inlined
def _take(nodes: Nodes, size: Word) -> Word:
    """A block of `2 << size` slots."""
    ledger = nodes.ledger
    free = np.int64(_FREE) + np.int64(size)
    block = ledger[free]
    if block != 0:
        ledger[free] = np.int64(nodes.slots[np.uint64(block)].children)
    else:
        block = ledger[_TOP]
        ledger[_TOP] = block + (np.int64(2) << np.int64(size))
    return np.uint64(block)


@inlined
def _give_back(nodes: Nodes, block: Word, size: Word) -> None:
    free = np.int64(_FREE) + np.int64(size)
    nodes.slots[block].children = np.uint32(nodes.ledger[free])
    nodes.ledger[free] = np.int64(block)


@compiled
def keep_subtree(nodes: Nodes, cards: Words, kept: Nodes) -> bool:
    """Copy what comes after `cards` have been played; whether they have been visited.

    `kept` has as much room as `nodes` at least.
    """
    slots, start = nodes.slots, ZERO
    for card in cards:
        tried = slots[start].tried
        if tried & card == ZERO:
            return False
        start = child_of(np.uint64(slots[start].children), tried, card)
    came_from = np.empty(nodes.ledger[_BORN], np.uint64)
    goes_to = np.empty(nodes.ledger[_BORN], np.uint64)
    reset(kept)
    kept.slots[0] = slots[start]
    came_from[0], goes_to[0] = start, ZERO
    used: Int = 1
    done: Int = 0
    while done < used:
        count = popcount(slots[came_from[done]].tried)
        if count != ZERO:
            old = np.uint64(slots[came_from[done]].children)
            size = ZERO
            while TWO << size < count:
                size += ONE
            new = _take(kept, size)
            kept.slots[goes_to[done]].children = np.uint32(new)
            for i in range(count):
                child = new + np.uint64(i)
                kept.slots[child] = slots[old + np.uint64(i)]
                kept.slots[child].number = used + _older_siblings(slots, old, count, i)
                came_from[used + i], goes_to[used + i] = old + np.uint64(i), child
            used += np.int64(count)
        done += 1
    kept.slots[0].number = 0
    kept.ledger[_BORN] = used
    return True


@inlined
def _older_siblings(slots: Slots, first: Word, count: Word, place: Int) -> Int:
    older, born = 0, slots[first + np.uint64(place)].number
    for i in range(count):
        older += slots[first + np.uint64(i)].number < born
    return older
