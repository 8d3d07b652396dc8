"""What agents need is compiled before they play, once, and the user sees how far it has got."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from arena.games.kernel import jit
from arena.games.klaverjas import Klaverjas
from arena.process.builder import Builder
from arena.tournament import practice
from arena.tournament.practice import announced, practise, unpractised

AGENT = """
from dataclasses import dataclass
from typing import ClassVar
from arena.games.kernel.jit import compiled

@compiled
def first(cards):
    return cards[0]

@dataclass(frozen=True)
class Compiles:
    compiles: ClassVar[bool] = True
    fails: bool = False

    def act(self, view, rng):
        if self.fails:
            raise RuntimeError
        return first(view.legal)
"""


@pytest.fixture
def family(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> type:
    """An agent with compiled code, in a module and with a cache of its own."""
    (tmp_path / "their_agent.py").write_text(AGENT)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("ARENA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delitem(sys.modules, "their_agent", raising=False)
    import their_agent  # type: ignore[import-not-found]

    found: type = their_agent.Compiles
    return found


def builder(family: type, **parameters: bool) -> Builder:
    return Builder("theirs", family, parameters, None, {})


def test_an_agent_practises_once(family: type) -> None:
    start = time.time() - 1.0
    ((stamp, found),) = unpractised(Klaverjas(), [builder(family)]).items()
    practise(Klaverjas(), found, stamp)
    assert jit.compiled_since(start).done >= 1
    assert not unpractised(Klaverjas(), [builder(family)])
    assert unpractised(Klaverjas(variant="amsterdam"), [builder(family)]), "other rules"


def test_an_agent_that_fails_gets_no_stamp(family: type) -> None:
    ((stamp, found),) = unpractised(Klaverjas(), [builder(family, fails=True)]).items()
    practise(Klaverjas(), found, stamp)
    assert not stamp.exists()


def test_agents_without_compiled_code_do_not_practise() -> None:
    from agents.random_ import Random

    assert not unpractised(Klaverjas(), [builder(Random)])


def test_a_cache_that_cannot_be_written_is_done_without(family: type, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    stamp = tmp_path / "file" / "practised" / "stamp"
    practise(Klaverjas(), builder(family), stamp)
    assert not stamp.exists()


def test_compiling_is_announced(family: type, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(practice, "_LOOK_EVERY_S", 0.01)
    said: list[str] = []
    shown: list[str] = []
    with announced(said.append, shown.append):
        family().act(_View(), None)  # type: ignore[attr-defined]
        deadline = time.monotonic() + 30.0
        while not shown and time.monotonic() < deadline:
            time.sleep(0.01)
    assert said == ["compiling kernels (once per machine) ..."]
    assert shown[0].startswith("compiling 1 of at most ")


class _View:
    legal = (1, 2)


def test_an_agent_that_does_not_say_that_it_compiles_makes_no_trial_decisions() -> None:
    """It could hang there, where no limit counts."""

    class Stuck:
        def act(self, view: object, rng: object) -> int:
            raise AssertionError("asked without a limit")

    assert unpractised(Klaverjas(), [builder(Stuck)]) == {}
