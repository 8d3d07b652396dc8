"""The templates that come with arena."""

from __future__ import annotations

from importlib import resources


def page_text(*path: str) -> str:
    """A file of `arena/report/page`."""
    return resources.files("arena.report").joinpath("page", *path).read_text(encoding="utf-8")
