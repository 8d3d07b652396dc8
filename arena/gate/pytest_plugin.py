"""Strength tests in pytest: gates as files, and a fixture. Does nothing unless it is used.

`pytest some.gate.yaml` (or a folder that is collected and has such files) judges each gate as one
test. In Python a strength test is written like any other:

    @pytest.mark.strength(game="klaverjas", deals={"set": "klaverjas-given-1000"})
    def test_my_agent_is_better_than_a_random_one(strength):
        found = strength({"family": "rule"}, than={"family": "random"}, better_by=10)
        assert found.passed, found.block

The marker has what several tests share: any keys of a gate file.

Files called `*.suite.jsonl` are collected too, if their first line names an `agent`: each position
is a test (docs/audit.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from arena.gate.verdict import GateVerdict

# Nothing of arena is imported before it is asked for: pytest loads this file in every project.
_SUFFIX = ".gate.yaml"
_SUITE_SUFFIX = ".suite.jsonl"


def pytest_addoption(parser: pytest.Parser) -> None:
    """How many workers gates have."""
    group = parser.getgroup("arena", "strength gates of arena")
    group.addoption("--gate-jobs", type=int, default=1, help="workers of each strength gate")


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    config.addinivalue_line(
        "markers", "strength(**gate): keys of a gate file for the fixture `strength` (arena)"
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """A gate file is a test, and each position of a suite."""
    if file_path.name.endswith(_SUITE_SUFFIX):
        return SuiteCollector.from_parent(parent, path=file_path)
    if not file_path.name.endswith(_SUFFIX):
        return None
    return GateCollector.from_parent(parent, path=file_path)


class GateCollector(pytest.File):
    """A gate file."""

    def collect(self) -> Iterator[pytest.Item]:
        """One test: the gate."""
        name = self.path.name.removesuffix(_SUFFIX)
        yield GateItem.from_parent(self, name=name)


class WordsItem(pytest.Item):
    """A test that fails in words: a traceback would only show how it was asked."""

    what: str

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The verdict, or the number of deals played."""
        return _words(excinfo) or super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """The file, and the name of the test."""
        return self.path, None, f"{self.what} {self.name}"


class GateItem(WordsItem):
    """A gate that is to be passed; one without an answer is skipped."""

    what = "gate"

    def runtest(self) -> None:
        """Judge, and leave everything in a folder of pytest's cache."""
        from arena.gate.config import load_gate

        cache: Any = self.config.cache
        verdict = _judged(load_gate(self.path), cache.mkdir("arena-gates"), self.config)
        if verdict.outcome == "inconclusive":
            pytest.skip(verdict.line)
        if not verdict.passed:
            raise GateFailed(f"{verdict.line}\n{verdict.block}")


class SuiteCollector(pytest.File):
    """A suite; without an agent in its first line it is data, not a test."""

    def collect(self) -> Iterator[pytest.Item]:
        """A test for each position."""
        from arena.api.rounds import agent
        from arena.audit.suites import read_suite
        from arena.core.agent import Player

        suite = read_suite(self.path)
        if suite.agent is None:
            return
        written = dict(suite.agent)
        found = agent(str(written.pop("family")), **written)
        player = found if isinstance(found, Player) else Player(found)
        for position in suite.positions:
            yield SuiteItem.from_parent(
                self, name=position.id, suite=suite, position=position, player=player
            )

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The error in the file, in one line."""
        return _words(excinfo) or super().repr_failure(excinfo)


class SuiteItem(WordsItem):
    """A position that the agent of the suite must not lose too much in."""

    what = "position"

    def __init__(self, *, suite: Any, position: Any, player: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.suite, self.position, self.player = suite, position, player

    def runtest(self) -> None:
        """Let the agent play the position."""
        from arena.audit.suite_runs import answer
        from arena.core.cards import card_name

        found = answer(self.suite.rules, self.position, self.suite.agent["family"], self.player)
        if found.card is None:
            raise GateFailed(f"{self.name}: {found.fault}")
        played = card_name(found.card)
        if found.as_said is False:
            said = " or ".join(map(card_name, self.position.should))
            raise GateFailed(f"{self.name}: played {played}, should play {said}")
        if found.as_said is None and found.lost > self.suite.at_most:
            raise GateFailed(
                f"{self.name}: played {played}, which loses {found.lost:g} points; "
                f"{self.suite.at_most:g} allowed"
            )


class GateFailed(Exception):
    """The candidate did not pass."""


def _words(excinfo: pytest.ExceptionInfo[BaseException]) -> str | None:
    """The message of a failed gate or of a user error; None for other errors."""
    from arena.core.errors import ArenaError

    return str(excinfo.value) if isinstance(excinfo.value, GateFailed | ArenaError) else None


class StrengthFixture:
    """Judges candidates; made by the fixture `strength`."""

    def __init__(self, request: pytest.FixtureRequest, folder: Path) -> None:
        self._request, self._folder = request, folder

    def __call__(
        self,
        candidate: Mapping[str, Any],
        *,
        than: Mapping[str, Any] | None = None,
        better_by: float | None = None,
        worse_by: float | None = None,
        **gate: Any,
    ) -> GateVerdict:
        """Play until it is known whether the candidate is better, or not worse, by so many points.

        `than` is the opponent, head to head. Everything else of a gate file goes by its key.
        """
        from arena.gate.config import gate_of

        marker = self._request.node.get_closest_marker("strength")
        data: dict[str, Any] = {"name": "strength", **(marker.kwargs if marker else {}), **gate}
        data["candidate"] = dict(candidate)
        if than is not None:
            data["baseline"] = {"agent": dict(than)}
        if better_by is not None:
            data["test"] = {"kind": "gain", "better_by": better_by}
        elif worse_by is not None:
            data["test"] = {"kind": "no-regression", "worse_by": worse_by}
        found = gate_of(data, self._request.node.name, self._request.path.parent)
        return _judged(found, self._folder, self._request.config)


@pytest.fixture
def strength(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> StrengthFixture:
    """Judges whether an agent is strong enough; see `arena.gate.pytest_plugin`."""
    return StrengthFixture(request, tmp_path_factory.mktemp("strength"))


def _judged(gate: Any, folder: Path, config: pytest.Config) -> GateVerdict:
    from arena.gate.judge import GateOptions, judge_gate
    from arena.tournament.run import RunOptions
    from arena.tournament.watcher import NullWatcher

    out = folder / gate.name
    options = GateOptions(out, RunOptions(jobs=config.getoption("--gate-jobs")))
    return judge_gate(gate, options, NullWatcher())
