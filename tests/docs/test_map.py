"""CONTRIBUTING's map of the packages, and the picture of their imports."""

from __future__ import annotations

import importlib.util
import re

from helpers.paths import ROOT


def test_the_map_lists_every_package_once() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `((?:arena|agents)/[a-z_/]*)` \| \S", text, flags=re.MULTILINE)
    packages = {
        f"{file.parent.relative_to(ROOT).as_posix()}/"
        for top in ("arena", "agents")
        for file in (ROOT / top).rglob("__init__.py")
    } - {"arena/"}
    assert sorted(listed) == sorted(packages)


def test_the_picture_shows_the_imports_of_today() -> None:
    place = ROOT / "docs" / "import_graph.py"
    spec = importlib.util.spec_from_file_location("import_graph", place)
    drawing = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(drawing)
    drawn = drawing.PICTURE.read_text(encoding="utf-8")
    assert drawn == drawing.svg(), "run: python docs/import_graph.py"
    assert "arena.tournament imports arena.store" in drawn
