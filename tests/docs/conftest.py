"""Documentation tells of what is installed, not of what other tests have registered."""

from __future__ import annotations

import pytest

from arena.core.registry import AGENTS, BIDDERS, GAMES


@pytest.fixture(autouse=True)
def only_what_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    for registry in (AGENTS, BIDDERS, GAMES):
        monkeypatch.setattr(registry, "_added", {})
