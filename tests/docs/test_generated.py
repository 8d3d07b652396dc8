"""What the documentation says about the code is made from the code."""

from __future__ import annotations

import html
import importlib.util
import re
import shlex
from typing import Any

from helpers.paths import ROOT

from arena.cli import Parser, command
from arena.config.loader import load
from arena.core.rules import View

DOCS = ROOT / "docs"


def generated() -> Any:
    return loaded("generated")


def loaded(name: str) -> Any:
    """A module of the documentation, which is no package."""
    spec = importlib.util.spec_from_file_location(f"docs_{name}", DOCS / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_tables_inside_pages_are_up_to_date() -> None:
    for path, text in generated().pages():
        assert path.read_text(encoding="utf-8") == text, "run: python docs/generated.py"


def test_stored_results_are_those_of_the_experiments() -> None:
    """The pairs and the number of deals that the files in configs/papers ask for."""
    for name, run in generated().stored_results().items():
        experiment = load(f"papers/{name}")
        pairs = {(pair["first"], pair["second"]) for pair in run["pairs"]}
        assert pairs == set(experiment.pairings), name
        assert {pair["n"] for pair in run["pairs"]} == {len(experiment.deals)}, name


def test_every_field_of_a_view_is_explained() -> None:
    rows = [row.split(" | ") for row in generated().view_table().splitlines()[2:]]
    assert [row[0].strip("|` ") for row in rows] == list(View._fields)
    assert all(row[1].strip() for row in rows), "a field without a word under it"


def test_the_recording_shows_commands_of_today() -> None:
    """What it shows is real; whether it is up to date is known only by making it again."""
    svg = (DOCS / "terminal.svg").read_text(encoding="utf-8")
    shown = html.unescape(re.sub("<[^>]+>", "", svg)).replace("\xa0", " ")
    for command_line in loaded("recording").COMMANDS:
        assert command_line in shown, "run: python docs/recording.py"
        name, *words = shlex.split(command_line)[1:]
        parser = Parser("arena")
        command(name).add_arguments(parser)
        parser.parse_args(words)
    assert not re.search(r"(?:src|href|url)[=(]\W*https?:", svg), "nothing is fetched"
