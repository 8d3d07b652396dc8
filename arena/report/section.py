"""The interface of a section of the report: one module from the numbers to the page.

A section makes its part of the document (`make`: numbers → a dataclass), and says how that part
looks: on the page (`template`), in figures, in CSV files and in tables for terminals and papers.
Ours are listed in `arena.report.sections`. A section from outside is a class like them, registered
in its package under the group `arena.report_sections`:

    [project.entry-points."arena.report_sections"]
    luck = "my_package.luck:Luck"

Its part appears in `report.json` under its `name`, and on the page behind the section that it
says it comes `after`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, get_args, get_origin

from arena.core.registry import Registry

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from arena.report.context import Context
    from arena.report.document import ReportDocument
    from arena.report.tables import Rows, TextTable

Part = TypeVar("Part")


@dataclass(frozen=True)
class Drawing:
    """A figure that can be drawn, with its name and caption."""

    name: str
    caption: str
    draw: Callable[[], Figure | None]
    """Called while the style of the report's figures is set; None if there is nothing to show."""
    on_page: bool = True
    """Whether the page shows it; if not, only `arena report --png` and notebooks draw it."""


class Section(Generic[Part]):
    """The interface of sections; only `name` and `make` are required."""

    name: ClassVar[str]
    """Its key in `report.json`, and its place on the page."""
    part: ClassVar[type[Any]]
    """The dataclass that `make` returns, as the type argument says: `report.json`'s schema is made
    from it."""
    optional: ClassVar[bool] = False
    """Whether some runs have no such part."""
    needs_run: ClassVar[bool] = True
    """Whether `make` looks at the run; if not, results from elsewhere have this section too."""
    title: ClassVar[str] = ""
    """The heading on the page."""
    short: ClassVar[str] = ""
    """The heading in the row of links at the top; empty: the heading itself."""
    after: ClassVar[str] = ""
    """For sections from outside: the one that it follows (none: at the end)."""
    template: ClassVar[str] = ""
    """Jinja: `part` is this section's part, `d` all parts by name. Empty: for a section of arena
    the file `page/sections/NAME.html.j2`, if there is one; else it is not on the page."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        for base in vars(cls).get("__orig_bases__", ()):
            if get_origin(base) is Section:
                (cls.part,) = get_args(base)

    def make(self, context: Context) -> Part | None:
        """Its part of the document; None if this run has nothing for it."""
        raise NotImplementedError

    def figures(self, part: Part, document: ReportDocument) -> Iterable[Drawing]:
        """Its figures."""
        return ()

    def csv(self, part: Part) -> Mapping[str, Rows]:
        """Its tables with all digits, by file name."""
        return {}

    def tables(self, part: Part, document: ReportDocument) -> Iterable[TextTable]:
        """Its tables for people: in a terminal, in Markdown and LaTeX."""
        return ()


ADDED: Registry[Any] = Registry("report section", "arena.report_sections")
"""Sections of plug-ins."""
