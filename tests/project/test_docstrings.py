"""Examples in docstrings do what they show."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pytest
from helpers.paths import ROOT

WITH_EXAMPLES = [
    path.relative_to(ROOT)
    for package in ("arena", "agents")
    for path in sorted((ROOT / package).rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("path", WITH_EXAMPLES, ids=str)
def test_examples(path: Path) -> None:
    done = doctest.testmod(import_module(".".join(path.with_suffix("").parts)))
    assert done.attempted
    assert not done.failed, "the difference is in the captured output"
