"""The templates that come with arena."""

from __future__ import annotations

from importlib import resources
from typing import Any

from arena.report.section import Section


def page_text(*path: str) -> str:
    """A file of `arena/report/page`."""
    return resources.files("arena.report").joinpath("page", *path).read_text(encoding="utf-8")


def template_of(section: Section[Any] | type[Section[Any]]) -> str:
    """The template of a section: its own, or the file of its name; empty if there is none."""
    file = resources.files("arena.report").joinpath("page", "sections", f"{section.name}.html.j2")
    return section.template or (file.read_text(encoding="utf-8") if file.is_file() else "")
