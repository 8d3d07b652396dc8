"""Going through all ways to give out cards: what the samplers are measured by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def splits(unseen: int, may: Sequence[int], sizes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """All ways to give every unseen card to a holder who may have it, each their number."""
    if not unseen:
        if not any(sizes):
            yield (0,) * len(sizes)
        return
    card = unseen & -unseen
    for holder, size in enumerate(sizes):
        if size and may[holder] & card:
            fewer = [s - (h == holder) for h, s in enumerate(sizes)]
            for rest in splits(unseen ^ card, may, fewer):
                yield tuple(hand | card * (h == holder) for h, hand in enumerate(rest))
