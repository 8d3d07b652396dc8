"""The command line itself: light to start, helpful when wrong."""

from __future__ import annotations

import json
import os
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


def _closing(*descriptors):
    def close():
        for descriptor in descriptors:
            os.close(descriptor)

    return close


@pytest.mark.parametrize("closed", [(0,), (1,), (2,), (0, 1, 2)])
def test_closed_streams_are_as_good_as_empty_ones(closed, tmp_path):
    """No file is opened under the number of one, and processes that are started have them all."""
    report = tmp_path / "report"
    code = (
        "import os, subprocess, sys; from arena.cli import _prepare_streams\n"
        "_prepare_streams(); print('out'); print('err', file=sys.stderr); sys.stdin.readline()\n"
        f"file = open({str(report)!r}, 'w')\n"
        "child = 'import sys; sys.exit(None in (sys.stdin, sys.stdout, sys.stderr))'\n"
        "print(file.fileno(), subprocess.call([sys.executable, '-c', child]), file=file)"
    )
    subprocess.run([sys.executable, "-c", code], preexec_fn=_closing(*closed))
    number, child = map(int, report.read_text().split())
    assert number > 2
    assert child == 0


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
def test_output_for_which_there_is_no_room_is_one_line(tmp_path):
    command = [sys.executable, "-m", "arena", "list", "games"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
        assert (done.returncode, done.stderr) == (2, "arena: No space left on device\n")
        assert subprocess.run(command, stdout=full, stderr=full).returncode == 2


def test_what_an_encoding_does_not_have_is_escaped():
    code = "from arena.cli import _prepare_streams; _prepare_streams(); print('1\u20132 \u2665')"
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment
    )
    assert done.stdout == "1\\u20132 \\u2665\n", done.stderr


def test_too_little_memory_is_one_line(capsys, monkeypatch):
    def no_memory(args):
        raise MemoryError

    monkeypatch.setattr("arena.cli.commands.list.run", no_memory)
    assert main(["list", "games"]) == 2
    assert capsys.readouterr().err == "arena: out of memory\n"
