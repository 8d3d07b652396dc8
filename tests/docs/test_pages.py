"""Every code block of the documentation runs, or says why not."""

from __future__ import annotations

import os

import pytest
from helpers.doc_blocks import Page, blocks_of, unfenced_commands
from helpers.paths import ROOT

from arena.core.registry import AGENTS, BIDDERS, GAMES
from arena.report.section import ADDED

PAGES = sorted(
    [
        *(ROOT / name for name in ("README.md", "CONTRIBUTING.md")),
        *ROOT.glob("docs/**/*.md"),
        *(ROOT / folder / "README.md" for folder in ("configs", "deals", "reports")),
        *ROOT.glob("examples/*/README.md"),
        *ROOT.glob("arena/**/README.md"),
    ]
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_page(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)  # as for somebody who works in that folder
    # Workers change no result and start slowly: there are some only where a page asks for them.
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    for registry in (AGENTS, BIDDERS, GAMES, ADDED):  # what a page registers goes with it
        monkeypatch.setattr(registry, "_added", dict(registry._added))
    assert unfenced_commands(page) == [], "put commands into a fenced block, so that they are run"
    assert Page(page, tmp_path).run() <= len(list(blocks_of(page)))


def test_a_block_that_fails_is_noticed(tmp_path):
    page = tmp_path / "page.md"
    for text in (
        "```sh\narena lst\n```\n",
        "```sh\nrm x\n```\n",
        "```python\n1 / 0\n```\n",
        "```yaml\nagents: {a: {family: randm}}\n```\n",
        "```json\n{\n```\n",
        "```cobol\n```\n",
    ):
        page.write_text(text)
        with pytest.raises(Exception, match=r".") as error:
            Page(page, tmp_path).run()
        assert error.type is not KeyboardInterrupt


def test_marks(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "<!-- not run: needs the network -->\n```sh\ncurl x\n```\n"
        "<!-- file: bot.py -->\n```python\nx = 1\n```\n"
        "```sh\narena list agnts  # exit 2\n```\n"
        "  ```python\n  assert True\n  ```\n"
    )
    assert Page(page, tmp_path).run() == 3
    assert (tmp_path / "bot.py").read_text() == "x = 1\n"
