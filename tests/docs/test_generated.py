"""What the documentation says about the code is made from the code."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

from arena.rules import View

DOCS = Path(__file__).parents[2] / "docs"


def generated() -> Any:
    spec = importlib.util.spec_from_file_location("docs_generated", DOCS / "generated.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_tables_inside_pages_are_up_to_date() -> None:
    for path, text in generated().pages():
        assert path.read_text(encoding="utf-8") == text, "run: python docs/generated.py"


def test_every_field_of_a_view_is_explained() -> None:
    rows = [row.split(" | ") for row in generated().view_table().splitlines()[2:]]
    assert [row[0].strip("|` ") for row in rows] == list(View._fields)
    assert all(row[1].strip() for row in rows), "a field without a word under it"
