"""The command line itself: light to start, helpful when wrong."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest

from arena.cli import COMMANDS, main


def test_help_needs_nothing_heavy():
    code = (
        "import sys; from arena.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'numba', 'pandas', 'scipy', 'numpy', 'pydantic', 'rich'} & set(sys.modules)\n"
        "raise SystemExit(f'imported {heavy}' if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for command, text in COMMANDS.items():
        assert command in done.stdout
        assert text in done.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command, capsys):
    with pytest.raises(SystemExit) as stop:
        main([command, "--help"])
    assert stop.value.code == 0
    assert f"usage: arena {command}" in capsys.readouterr().out


def test_a_misspelt_command(capsys):
    assert main(["verfy"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("arena: unknown command 'verfy'; did you mean 'verify'?")
    assert error.count("\n") == 1


def test_a_wrong_option_is_one_line(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["demo", "--sed", "1"])
    assert stop.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_list_games(capsys):
    assert main(["list", "games", "klaverjas"]) == 0
    text = capsys.readouterr().out
    assert "klaverjas: 4 players, 32 cards" in text
    assert "rotterdam | amsterdam | amsterdam-official" in text
    assert main(["list", "games", "--json"]) == 0
    games = {game["name"]: game for game in json.loads(capsys.readouterr().out)}
    assert games["klaverjas"]["options"][0]["name"] == "variant"


def test_list_deals(capsys):
    assert main(["list", "deals"]) == 0
    out = capsys.readouterr().out
    assert re.search("^klaverjas-given-1000 +1000 deals of klaverjas", out, re.M)


def test_output_may_be_cut_off():
    command = f"{sys.executable} -m arena list deals | head -c 1"
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], capture_output=True)
    assert done.stderr == b""


def test_an_argument_after_two_dashes_is_missing(capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["compare-runs", "run", "--", "--"])
    assert "NEW is missing after '--'" in capsys.readouterr().err
