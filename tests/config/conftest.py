"""ResolvedExperiment files for the tests, and what is said about wrong ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from helpers.families import Caller, Searcher

from arena.config.loader import load
from arena.config.strict_yaml import ConfigError
from arena.core.registry import AGENTS, BIDDERS

WHOLE = """\
name: families
game: {name: klaverjas, variant: rotterdam, bidding: given}
deals: {set: klaverjas-given-1000, limit: 4}
agents:
  random: {family: random}
  semi: {family: semi-random, protect_tens: true}
  rule: {family: rule}
schedule: {type: round-robin}
seed: 1
"""


@pytest.fixture(autouse=True)
def _families(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(AGENTS._added, "searcher", Searcher)
    monkeypatch.setitem(BIDDERS._added, "caller", Caller)


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Writes a file, `x.yaml` unless another is named; its path."""

    def write_file(text: str, name: str = "x.yaml") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text))
        return path

    return write_file


@pytest.fixture
def complaints(write: Callable[..., Path], tmp_path: Path) -> Callable[..., list[str]]:
    """What is said about an experiment, line by line, without the folder."""

    def complain(text: str, *overrides: str) -> list[str]:
        with pytest.raises(ConfigError) as refused:
            load(write(text), overrides)
        return str(refused.value).replace(f"{tmp_path}/", "").splitlines()

    return complain


@pytest.fixture
def whole() -> str:
    """A small experiment without mistakes."""
    return WHOLE


@pytest.fixture
def with_agents() -> Callable[[str], str]:
    """The small experiment with other agents, each on a line of its own from line 5 on."""

    def replace(agents: str, **more: Any) -> str:
        head, _, _ = WHOLE.partition("  random:")
        body = "".join(f"  {line}\n" for line in dedent(agents).strip().splitlines())
        return head + body + "".join(f"{key}: {value}\n" for key, value in more.items())

    return replace
