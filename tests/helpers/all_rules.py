"""Every game under every option that the kernel knows."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from arena.core.rules import Rules
from arena.core.seeds import Rng
from arena.games.hearts import Hearts
from arena.games.kernel.layout import Words
from arena.games.kernel.playout import with_loops
from arena.games.kernel.spec import KernelGame, kernel_game
from arena.games.klaverjas import Klaverjas
from arena.games.schieber import Schieber

BOTH = (False, True)

KLAVERJAS = [
    Klaverjas(variant=variant, four_jacks=four_jacks, tie_is_nat=tie)
    for variant, four_jacks, tie in product(
        ("rotterdam", "amsterdam", "amsterdam-official"), (100, 200), BOTH
    )
]
SCHIEBER = [
    Schieber("given", undertrump, match_bonus, weis, stoeck, multipliers)
    for undertrump, match_bonus, weis, stoeck, multipliers in product(
        ("highest", "jasskit", "pyschieber"), (0, 100), BOTH, BOTH, ("none", "pyschieber")
    )
]
HEARTS = [
    Hearts(players, "classic", "none", first_trick, breaks, ban)
    for players, first_trick, breaks, ban in product((4, 2), BOTH, BOTH, BOTH)
]
ALL: list[Any] = [
    *KLAVERJAS,
    *SCHIEBER,
    *HEARTS,
    Klaverjas(variant="amsterdam-2022"),
    Klaverjas(variant="rotterdam-2017"),
    Klaverjas(bidding="classical"),
    Klaverjas(bidding="free-choice"),
    Schieber(multipliers="swisslos", weis=True),
    Hearts(passing="left"),
    Hearts(players=2, passing="across"),
    Hearts(players=3),
    Hearts(players=3, variant="kiele_code", passing="left"),
]
SOME: list[Any] = [
    *KLAVERJAS[::4],
    *SCHIEBER[::5],
    *HEARTS[::3],
    Klaverjas(variant="rotterdam-2017"),
    Hearts(players=3),
    Schieber("given", weis=True, stoeck=True),
]


def situations(rules: Any, count: int, seed: int) -> Iterator[tuple[Any, Rng]]:
    """Rounds that were played at random up to somewhere, often in the middle of a trick."""
    rng = Rng(seed)
    for number in range(count):
        table = rules.start(rules.random_deal(rng, number))
        while table.phase in ("bid", "pass"):
            rules.apply(table, rng.choice(table.legal))
        for _ in range(rng.below(sum(hand.bit_count() for hand in table.hands))):
            rules.apply(table, rng.choice(table.legal))
        yield table, rng


def kernel_state(rules: Rules, table: Any) -> tuple[KernelGame, Words]:
    """A round in the kernel."""
    game = with_loops(kernel_game(rules, table.trump))
    return game, game.state(table, table.hands, table.turn)
