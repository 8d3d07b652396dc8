"""The methods that a report uses, read from `methods.bib`, and how to cite them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import resources

_ENTRY = re.compile(r"^@article\{(\w+),\n(.*?)^\}$", re.MULTILINE | re.DOTALL)
_FIELD = re.compile(r"^  (\w+) = \{(.*)\},?$", re.MULTILINE)


@dataclass(frozen=True)
class Work:
    """A publication, and the method that is taken from it."""

    key: str
    what: str
    short: str
    """The citation in a sentence, such as `Bradley & Terry 1952`."""
    bibtex: str


@cache
def works() -> dict[str, Work]:
    """All works of `methods.bib`, by key."""
    text = resources.files("arena.report").joinpath("methods.bib").read_text(encoding="utf-8")
    return {key: _work(key, dict(_FIELD.findall(body))) for key, body in _ENTRY.findall(text)}


def bibtex(keys: Iterable[str]) -> str:
    """The works as BibTeX."""
    return "\n\n".join(works()[key].bibtex for key in keys) + "\n"


def _work(key: str, fields: dict[str, str]) -> Work:
    what, year = fields.pop("annote"), fields["year"]
    names = [author.partition(",")[0].strip() for author in fields["author"].split(" and ")]
    who = f"{names[0]} et al." if len(names) > 2 else " & ".join(names)
    lines = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items())
    return Work(key, what, f"{who} {year}", f"@article{{{key},\n{lines}\n}}")
