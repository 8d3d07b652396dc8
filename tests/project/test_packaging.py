"""What `pip install` brings: the wheel carries deals and configs, found by name."""

from __future__ import annotations

import subprocess
import sys
import zipfile

import pytest
from helpers.paths import ROOT


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, built with the build backend that is installed."""
    out = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (path,) = out.glob("*.whl")
    return path


def test_the_wheel_has_what_people_need(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    for name in (
        "arena/shipped/deals/klaverjas-given-1000.csv",
        "arena/shipped/deals/klaverjas-given-1000.json",
        "arena/shipped/deals/suites/klaverjas.suite.jsonl",
        "arena/shipped/configs/experiment.schema.json",
        "agents/models/policy-klaverjas.npz",
        "arena/new/templates/agent/agent.py.txt",
        "arena/py.typed",
        "agents/py.typed",
    ):
        assert name in names
    assert not [name for name in names if name.startswith("tests/")]


def test_deals_are_found_by_name_where_the_wheel_is_installed(wheel, tmp_path):
    site = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(site)
    code = (
        "import arena.cli, arena.core.files;"
        "print(arena.core.files.find_shipped('deals', 'klaverjas-given-1000', '.csv'));"
        "raise SystemExit(arena.cli.main(['deals', 'check', 'klaverjas-given-1000']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={"PYTHONPATH": str(site), "PATH": ""},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(str(site / "arena" / "shipped"))
    assert "1000 deals of klaverjas, all in order" in done.stdout
