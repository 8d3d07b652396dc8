"""The documentation as a site: built strictly, complete, and without anything from elsewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.paths import ROOT

from arena.cli import COMMANDS
from arena.core.registry import AGENTS, BIDDERS, GAMES


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole site; that takes some ten seconds, once."""
    out = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "-q", "-d", str(out)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return out


def test_every_page_is_there(site: Path) -> None:
    for page in ROOT.glob("docs/**/*.md"):
        assert (site / page.relative_to(ROOT / "docs").with_suffix(".html")).is_file()
    assert "duplicate deals" in (site / "search" / "search_index.js").read_text("utf-8").lower()


def test_the_reference_has_everything(site: Path) -> None:
    def page(name: str) -> str:
        return (site / "reference" / f"{name}.html").read_text(encoding="utf-8")

    assert all(f"arena {name}" in page("commands") for name in COMMANDS)
    assert all(f">{name}<" in page("agents") for name in (*AGENTS, *BIDDERS))
    assert all(f'id="{name}"' in page("games") for name in GAMES)
    assert "decision_limit_s" in page("experiments")
    assert "arena.core.rules.View" in page("python")


def test_the_navigation_is_visible_at_1200_px(site: Path) -> None:
    for path in (site / "assets" / "stylesheets").glob("*.css"):
        assert "76.2" not in path.read_text(encoding="utf-8"), "the theme hides it below 1220 px"


def test_the_yaml_reference_names_types_in_words(site: Path) -> None:
    page = (site / "reference" / "experiments.html").read_text(encoding="utf-8")
    assert "<td>whole number or null</td>" in page and "<td>list of text or null</td>" in page
    assert not re.search(r"<td>[^<]*(?:Literal|Union|arena\.config)", page)


def test_nothing_is_fetched_from_elsewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        fetched = re.findall(r'<(?:script|img|iframe)[^>]*\bsrc="(https?:[^"]+)"', text)
        fetched += re.findall(
            r'<link[^>]*rel="(?:stylesheet|preload)"[^>]*href="(https?:[^"]+)"', text
        )
        assert not fetched, page.name
