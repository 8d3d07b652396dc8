"""What `arena completion` prints, tried in a real shell."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from arena.cli import COMMANDS, main

COMPLETE = """
source "$1"
COMP_WORDS=("${@:2}"); COMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 ))
COMPREPLY=(); _shtab_arena
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture
def complete(capsys, tmp_path):
    """What bash offers after some words."""
    if shutil.which("bash") is None:
        pytest.skip("bash is not installed")
    assert main(["completion", "bash"]) == 0
    script = tmp_path / "arena.bash"
    script.write_text(capsys.readouterr().out)

    def offered(*words: str) -> list[str]:
        command = ["bash", "-c", COMPLETE, "bash", str(script), *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
        assert done.stderr == ""
        return done.stdout.split()

    return offered


def test_commands(complete):
    assert complete("arena", "li") == ["list"]
    assert set(complete("arena", "")) >= COMMANDS.keys()


def test_options_of_a_command(complete):
    assert complete("arena", "run", "--fre") == ["--fresh"]


def test_choices(complete):
    assert complete("arena", "list", "bid") == ["bidders"]


def test_files_for_an_experiment(complete, tmp_path):
    (tmp_path / "mine.yaml").touch()
    assert complete("arena", "run", "mi") == ["mine.yaml"]


def test_help_of_a_command(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["help", "list"])
    assert stop.value.code == 0
    assert capsys.readouterr().out.startswith("usage: arena list")
