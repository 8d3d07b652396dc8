"""A plug-in that is broken is named, and nobody else suffers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from helpers.commands import Done, arena_main
from helpers.plugins import installed

MODULES = {
    "divides": "1 / 0",
    "leaves": "raise SystemExit(3)",
    "misspelt": "def :",
    "lacks": "Something = 1",
    "cruel": """
class Cruel(Exception):
    def __str__(self):
        raise RuntimeError("not even this")

raise Cruel
""",
    "fine": """
from dataclasses import dataclass

@dataclass(frozen=True)
class Fine:
    "Plays the first legal action."
    def act(self, view, rng):
        return view.legal[0]
""",
}
ENTRIES = {
    "divides": "broken_divides:Agent",
    "leaves": "broken_leaves:Agent",
    "misspelt": "broken_misspelt:Agent",
    "lacks": "broken_lacks:Agent",
    "nowhere": "broken_nowhere:Agent",
    "number": "broken_lacks:Something",
    "cruel": "broken_cruel:Agent",
    "fine": "broken_fine:Fine",
    "random": "broken_fine:Fine",
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a package of broken plug-ins."""
    site = tmp_path_factory.mktemp("site")
    for name, text in MODULES.items():
        (site / f"broken_{name}.py").write_text(text)
    info = site / "arena_broken-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: arena-broken\nVersion: 1.0\n")
    lines = [f"{name} = {value}" for name, value in ENTRIES.items()]
    games = ["[arena.games]", "divides = broken_divides:Game"]
    (info / "entry_points.txt").write_text("\n".join(["[arena.agents]", *lines, *games]))
    return site


@pytest.fixture
def arena(site: Path) -> Iterator[Callable[..., Done]]:
    """Runs a command where the package is installed."""
    with installed(site):
        yield lambda *words: arena_main(words)


def test_listings_leave_them_out_and_name_them(arena):
    done = arena("list", "agents", "--json")
    assert done.code == 0, done.err
    names = [agent["name"] for agent in json.loads(done.out)]
    assert "fine" in names
    assert "ismcts" in names
    assert not {"divides", "leaves", "misspelt", "lacks", "nowhere", "number", "random"} & {*names}
    message = done.err.splitlines()
    assert len(message) == 8
    assert all("arena-broken" in line for line in message)
    assert "Traceback" not in done.err
    (divides,) = (line for line in message if "'divides'" in line)
    assert "(broken_divides:Agent) cannot be loaded: ZeroDivisionError: division by zero" in divides
    (number,) = (line for line in message if "'number'" in line)
    assert "expected a class, found int" in number


def test_the_schema_is_made_without_them(arena):
    done = arena("schema")
    assert done.code == 0
    assert '"const": "fine"' in done.out
    assert '"const": "divides"' not in done.out


def test_an_experiment_that_does_not_use_them_is_not_disturbed(arena):
    change = "agents.random.family=fine"
    done = arena("validate", "papers/hordijk-2022-random-rule", "--set", change)
    assert done.code == 0, done.err
    assert done.err == ""


@pytest.mark.parametrize(
    ("family", "said"),
    [
        ("divides", "ZeroDivisionError: division by zero"),
        ("leaves", "SystemExit: 3"),
        ("misspelt", "SyntaxError"),
        ("nowhere", "No module named 'broken_nowhere'"),
        ("cruel", "cannot be loaded: Cruel"),
        ("random", "is registered by arena-broken and arena-tricks: remove one"),
    ],
)
def test_one_that_is_asked_for_is_reported_in_one_line(arena, family, said):
    done = arena("validate", "quickstart", "--set", f"agents.random.family={family}")
    assert done.code == 2
    assert said in done.err
    assert done.err.count("\n") == 1
