"""Commands are called alike: runs and deals by name, one flag for one thing, good examples."""

from __future__ import annotations

import argparse
import re
import shlex
from pathlib import Path

import pytest

from arena.cli import COMMANDS, Parser, command, main

RUN = ["run", "quickstart", "--set", "schedule.only=[random, rule]", "--jobs", "1"]


def parser_of(name: str) -> argparse.ArgumentParser:
    parser = Parser(prog=f"arena {name}")
    command(name).add_arguments(parser)
    return parser


def examples_of(name: str) -> list[list[str]]:
    _, _, rest = (command(name).__doc__ or "").partition("\nExamples:\n")
    lines = rest.partition("\n\n")[0].splitlines()
    return [shlex.split(re.split(r"  +(?=\S)", line.strip())[0]) for line in lines if line.strip()]


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_help_has_examples_that_parse(name: str) -> None:
    found = examples_of(name)
    assert any(words[1] == name for words in found), f"arena {name} --help shows no example"
    for words in found:
        if words[0] == "arena" and words[1] in COMMANDS:
            redirected = [words.index(sign) for sign in "<>" if sign in words]
            parser_of(words[1]).parse_args(words[2 : min(redirected, default=None)])


def test_one_flag_for_one_thing() -> None:
    other_names = {"--output": "--out", "--workers": "--jobs", "--processes": "--jobs"}
    for name in COMMANDS:
        shown = parser_of(name).format_help()
        for other, usual in other_names.items():
            assert not re.search(rf"{other}\b", shown), f"arena {name}: {other}, elsewhere {usual}"


def test_a_run_is_known_by_its_name_and_a_deal_by_its_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([*RUN, "--set", "deals.limit=18", "--no-report", "--quiet"]) == 0
    assert main(["status", "quickstart"]) == 0
    assert main(["replay", "quickstart", "17"]) == 0
    assert "0017" in capsys.readouterr().out
    assert main(["deals", "show", "klaverjas-given-1000", "17"]) == 0
    by_number = capsys.readouterr().out
    assert main(["deals", "show", "klaverjas-given-1000", "klaverjas-given-0017"]) == 0
    assert capsys.readouterr().out == by_number
    assert main(["replay", "quickstart", "18"]) == 2
    assert "no deal '18'" in capsys.readouterr().err
    assert main(["status", "quickstrat"]) == 2
