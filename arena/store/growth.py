"""Whether one configuration is another one grown: more deals, agents or pairings, all else equal.

What a run has stored is known by deal and by who played it, so a grown configuration finds
it and only the rest is played. An agent with other parameters is a new version of it, and the
results of the former version stay. Anything that would change a stored result, or leave a part
of what is stored out, is no growth.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

_WORDS_ONLY = ("description", "indifferent", "reference")
"""Keys that have no influence on results."""
_ABSENT = object()


@dataclass(frozen=True)
class Growth:
    """The differences of a configuration from the stored one."""

    more: tuple[str, ...]
    """The additions, in words."""
    conflicts: tuple[str, ...]
    """Differences that are no growth, each with its key and both values."""


def growth(stored: Mapping[str, Any], wanted: Mapping[str, Any]) -> Growth:
    """How the configuration `wanted` differs from `stored`, both with everything filled in.

    >>> old = {"seed": 1, "deals": {"limit": 50}}
    >>> growth(old, {"seed": 1, "deals": {"limit": 80}})
    Growth(more=('80 deals instead of 50',), conflicts=())
    >>> growth(old, {"seed": 2, "deals": {"limit": 50}}).conflicts
    ('seed: 1 there, 2 here',)
    """
    old, new = dict(stored), dict(wanted)
    for key in _WORDS_ONLY:
        old.pop(key, None), new.pop(key, None)
    more = [*_more_deals(old, new), *_more_agents(old, new), *_more_pairs(old, new)]
    return Growth(tuple(more), tuple(_differences(old, new)))


# Each of these takes what grew out of both configurations, so that what is left differs only
# where nothing may.


def _more_deals(old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    before, now = _inside(old, "deals", "limit"), _inside(new, "deals", "limit")
    if isinstance(before, int) and isinstance(now, int) and now > before:
        old["deals"], new["deals"] = (
            _without(old["deals"], "limit"),
            _without(new["deals"], "limit"),
        )
        yield f"{now:,} deals instead of {before:,}"


def _more_agents(old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    before, now = old.get("agents"), new.get("agents")
    if isinstance(before, dict) and isinstance(now, dict):
        added = [name for name in now if name not in before]
        changed = [name for name in before if name in now and now[name] != before[name]]
        # The results of the former version stay: a changed agent is a new version of it.
        new["agents"] = {name: before[name] for name in before if name in now}
        if added:
            yield f"new: {', '.join(added)}"
        if changed:
            yield f"changed: {', '.join(changed)}"


def _more_pairs(old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    before, now = _inside(old, "schedule", "pairs"), _inside(new, "schedule", "pairs")
    if isinstance(before, list) and isinstance(now, list):
        # As keys, so that a pairing that is gone is named by itself.
        named_before, named_now = _by_names(before), _by_names(now)
        old["schedule"] = {**old["schedule"], "pairs": named_before}
        kept = {name: pair for name, pair in named_now.items() if name in named_before}
        new["schedule"] = {**new["schedule"], "pairs": kept}
        if len(named_now) > len(kept):
            yield f"{len(named_now):,} pairings instead of {len(named_before):,}"


def _by_names(pairs: list[Any]) -> dict[str, Any]:
    return {" - ".join(map(str, pair)): pair for pair in pairs if isinstance(pair, list)}


def _inside(config: Mapping[str, Any], *keys: str) -> Any:
    value: Any = config
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _without(mapping: Mapping[str, Any], key: str) -> dict[str, Any]:
    return {each: value for each, value in mapping.items() if each != key}


def _differences(old: Any, new: Any, place: str = "") -> Iterator[str]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in [*old, *(key for key in new if key not in old)]:
            inner = f"{place}.{key}" if place else str(key)
            yield from _differences(old.get(key, _ABSENT), new.get(key, _ABSENT), inner)
    elif old != new:
        yield f"{place}: {_shown(old)} there, {_shown(new)} here"


def _shown(value: object) -> str:
    if value is _ABSENT:
        return "absent"
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:57] + "..."
