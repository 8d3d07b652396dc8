"""Every attempt at a gate, written down: trying until it passes is how gates are fooled."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from arena.core.errors import ArenaError, located
from arena.core.files import read_bytes

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")


def attempts(path: Path, gate: str, deals_sha256: str) -> int:
    """How often this gate was tried on these deals before."""
    if not path.is_file():
        return 0
    found = 0
    for number, line in enumerate(read_bytes(path).splitlines(), start=1):
        try:
            row = json.loads(line) if line else {}
            found += (row.get("gate"), row.get("deals_sha256")) == (gate, deals_sha256)
        except (AttributeError, RecursionError, ValueError):
            raise ArenaError(
                located(
                    path,
                    number,
                    "no attempt of a gate; expected one JSON object a line: "
                    "mend or remove the line",
                )
            ) from None
    return found


def note(path: Path, entry: dict[str, Any]) -> None:
    """Append an attempt; one line, so that two gates at once do not mix theirs."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(entry, sort_keys=True) + "\n")


def ordinal(number: int) -> str:
    """
    >>> ordinal(3), ordinal(12)
    ('third', '12th')
    """
    return _ORDINALS[number - 1] if number <= len(_ORDINALS) else f"{number}th"
