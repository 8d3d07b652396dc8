"""The generator is SplitMix64, and keys never collide by concatenation."""

from __future__ import annotations

from collections import Counter

from scipy.stats import chisquare

from arena.core.seeds import Rng, rng_for, seed_for


def test_known_answers_of_splitmix64():
    # The reference sequence of SplitMix64 for the seed 1234567.
    rng = Rng(1234567)
    assert [rng.next64() for _ in range(5)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


def test_keys_that_look_alike_give_other_seeds():
    keys = [(1, 23), (12, 3), (123,), ("1", 23), ("12", "3"), (1, "23"), (1, 2, 3)]
    assert len({seed_for(7, *key) for key in keys}) == len(keys)
    assert seed_for(7, 1) != seed_for(8, 1)


def test_draws_are_uniform():
    rng = rng_for(1, "test")
    counts = Counter(rng.below(7) for _ in range(70_000))
    assert chisquare([counts[i] for i in range(7)]).pvalue > 1e-4
    orders = Counter()
    for _ in range(24_000):
        items = [0, 1, 2, 3]
        rng.shuffle(items)
        orders[tuple(items)] += 1
    assert len(orders) == 24
    assert chisquare(list(orders.values())).pvalue > 1e-4
    assert 0.49 < sum(rng.random() for _ in range(10_000)) / 10_000 < 0.51
    assert rng.numpy().integers(10) == Rng(rng.state - 0x9E3779B97F4A7C15).numpy().integers(10)
