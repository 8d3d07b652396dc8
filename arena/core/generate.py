"""Making sets of deals: seeded, filtered, with leaders and dealers taking turns."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from arena.core.deals import Deal, DealError, DealSet
from arena.core.errors import did_you_mean
from arena.core.seeds import rng_for

GENERATOR = "arena-1"
"""Version of the generator; raised when the same seed would make other deals."""

_OPERATORS: dict[str, Callable[[int, int], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    ">": operator.gt,
    "<": operator.lt,
}
_TRIES = 1_000_000


@dataclass(frozen=True)
class Filter:
    """A condition that a deal must meet, such as `leader-trump-points>=25`."""

    text: str
    measure: Callable[[Deal], int]
    compare: Callable[[int, int], bool]
    bound: int

    def accepts(self, deal: Deal) -> bool:
        """Whether the deal meets the condition."""
        return self.compare(self.measure(deal), self.bound)

    @classmethod
    def parse(cls, text: str, measures: dict[str, Callable[[Deal], int]]) -> Filter:
        """The filter written as `MEASURE>=NUMBER`, with the measures of a game."""
        found = re.fullmatch(r"\s*([a-z-]+)\s*(>=|<=|==|>|<)\s*(-?\d+)\s*", text)
        if not found:
            raise DealError(
                f"filter {text!r}: expected MEASURE>=NUMBER (or <=, ==, >, <), "
                f"with a measure of the game (allowed: {', '.join(sorted(measures))})"
            )
        name, sign, bound = found.groups()
        if name not in measures:
            raise DealError(
                f"filter {text!r}: unknown measure {name!r}; {did_you_mean(name, measures)}"
            )
        return cls(f"{name}{sign}{bound}", measures[name], _OPERATORS[sign], int(bound))


def make_deals(
    rules: Any, name: str, count: int, seed: int, filters: Sequence[Filter] = ()
) -> DealSet:
    """`count` deals for `rules` that pass all `filters`.

    Deal number i is drawn from a generator of its own, so a longer set begins
    with the shorter one; leaders and dealers take turns by i.
    """
    if count < 1:
        raise DealError(f"count is {count}; expected at least 1")
    width = max(4, len(str(count - 1)))
    deals = []
    for number in range(count):
        rng = rng_for(seed, GENERATOR, rules.name, number)
        for _ in range(_TRIES):
            deal = rules.random_deal(rng, number)
            if all(condition.accepts(deal) for condition in filters):
                break
        else:
            texts = " and ".join(condition.text for condition in filters)
            raise DealError(f"no deal in {_TRIES:,} passes the filter {texts}")
        deals.append(replace(deal, id=f"{_short(name)}-{number:0{width}}"))
    meta = {
        "game": rules.name,
        "options": asdict(rules),
        "generator": GENERATOR,
        "seed": seed,
        "filter": [condition.text for condition in filters],
    }
    return DealSet(name, tuple(deals), meta)


def _short(name: str) -> str:
    """A set's name without its size: the ids of a longer set continue those of a shorter one."""
    return re.sub(r"-\d+$", "", name)
