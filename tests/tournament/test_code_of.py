"""The hash of an agent's code says what it is made of, not how it was imported."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from arena.process.builder import Builder
from arena.tournament.fingerprint import code_of

BOT = '''
class Bot:
    """Plays {card}."""
'''


@pytest.fixture(autouse=True)
def what_is_imported_goes_with_the_test(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "modules", dict(sys.modules))


def builder(name: str, file: Path) -> Builder:
    """Of the class in `file`, imported under `name`, whose top is no package."""
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module: ModuleType = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return Builder("bot", module.Bot, {}, None, {})


def test_one_file_under_two_names_is_the_same_code(tmp_path: Path) -> None:
    file = tmp_path / "bots.py"
    file.write_text(BOT.format(card="low"))
    first = code_of([builder("here.bots", file)])
    assert code_of([builder("there.play.bots", file)]) == first
    file.write_text(BOT.format(card="high"))
    assert code_of([builder("elsewhere.bots", file)]) != first
