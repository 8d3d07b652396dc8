"""The works that arena builds on, read from `works.bib`, and how to cite them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import resources

from arena import __version__

_ENTRY = re.compile(r"^@(\w+)\{(\w+),\n(.*?)^\}$", re.MULTILINE | re.DOTALL)
_FIELD = re.compile(r"^  (\w+) = \{(.*)\},?$", re.MULTILINE)
ARENA = "arena"
"""The key of arena itself."""


@dataclass(frozen=True)
class Work:
    """A publication, and what is taken from it."""

    key: str
    kind: str
    """Of entry: `article`, `mastersthesis`, ..."""
    what: str
    fields: dict[str, str]

    @property
    def short(self) -> str:
        """The citation in a sentence, such as `Bradley & Terry 1952`."""
        names = [author.partition(",")[0].strip("{} ") for author in self.authors]
        who = f"{names[0]} et al." if len(names) > 2 else " & ".join(names)
        return f"{who} {self.fields['year']}"

    @property
    def authors(self) -> list[str]:
        """As BibTeX has them: `Surname, Given`."""
        return self.fields["author"].split(" and ")

    @property
    def bibtex(self) -> str:
        """The entry; arena's names the version that is in use."""
        fields = self.fields
        if self.key == ARENA:
            fields = {**fields, "note": f"Version {__version__}"}
        lines = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items())
        return f"@{self.kind}{{{self.key},\n{lines}\n}}"


@cache
def works() -> dict[str, Work]:
    """All works of `works.bib`, by key."""
    text = resources.files("arena.report").joinpath("works.bib").read_text(encoding="utf-8")
    found = {}
    for kind, key, body in _ENTRY.findall(text):
        fields = dict(_FIELD.findall(body))
        found[key] = Work(key, kind, fields.pop("annote"), fields)
    return found


def bibtex(keys: Iterable[str]) -> str:
    """The works as BibTeX."""
    return "\n\n".join(works()[key].bibtex for key in keys) + "\n"


def named_in(text: str) -> list[str]:
    """The keys of the works that a text names by author and year.

    >>> named_in("Kiele 2024, figure 5, with the rules of Hordijk 2022")
    ['hordijk2022', 'kiele2024']
    """
    return [key for key, work in works().items() if work.short in text]
