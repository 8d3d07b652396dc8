"""Short names for the entries of grids, which carry their parameters in their names."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

_SETTING = re.compile(r"-([A-Za-z_][\w.]*)=([^=]*?)(?=-[A-Za-z_][\w.]*=|$)")


def short_labels(names: Sequence[str]) -> dict[str, str]:
    """A short name for each; those of other agents stay as they are, and none is given twice.

    >>> short_labels(["ismcts-simulations=100", "ismcts-simulations=800", "rule"])
    {'ismcts-simulations=100': 'ismcts 100', 'ismcts-simulations=800': 'ismcts 800', 'rule': 'rule'}
    >>> short_labels(["x-c=1-d=2", "x-c=3-d=2"])
    {'x-c=1-d=2': 'x c 1', 'x-c=3-d=2': 'x c 3'}
    """
    settings = {name: dict(_SETTING.findall(name)) for name in names}
    bases = {name: name[: _start(name)] for name in names}
    seen: dict[tuple[str, str], set[str]] = defaultdict(set)
    for name, setting in settings.items():
        for key, value in setting.items():
            seen[bases[name], key].add(value)
    found = {}
    for name, setting in settings.items():
        varying = [key for key in setting if len(seen[bases[name], key]) > 1]
        if len(setting) == 1:
            (value,) = setting.values()
            found[name] = f"{bases[name]} {value}"
        elif varying:
            shown = ", ".join(f"{key} {setting[key]}" for key in varying)
            found[name] = f"{bases[name]} {shown}"
        else:
            found[name] = name
    if len(set(found.values())) < len(found):
        return {name: name for name in names}
    return found


def _start(name: str) -> int:
    """Where the settings begin; the end if there are none."""
    match = _SETTING.search(name)
    return match.start() if match else len(name)
