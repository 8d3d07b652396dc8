"""A report of a grid of many settings, from the command line on."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from helpers.browsers import NEEDS_CHROMIUM, launched_chromium
from helpers.commands import arena_main

EXPERIMENT = """
name: many
game: klaverjas
deals: {set: klaverjas-given-1000, limit: 2}
agents:
  mc:
    family: flat-mc
    grid: {playouts: [1, 2, 3, 4, 5, 6, 7], value: [own-points, difference, share]}
"""


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("many")
    file, out = folder / "many.yaml", folder / "run"
    file.write_text(EXPERIMENT, encoding="utf-8")
    done = arena_main(["run", str(file), "--out", str(out), "--jobs", "1", "--quiet"])
    assert done.code == 0, done.err
    return out


def test_settings_are_named(many: Path) -> None:
    document = json.loads((many / "report.json").read_text(encoding="utf-8"))
    labels = {agent["label"] for agent in document["ladder"]["agents"]}
    assert len(labels) == 21
    assert "mc (playouts = 3, value = share)" in labels


def test_maps_and_pictures_show_the_best_and_say_so(many: Path) -> None:
    html = (many / "report.html").read_text(encoding="utf-8")
    maps = re.findall(r'<table class="heat many">(.*?)</table>', html, re.DOTALL)
    assert len(maps) == 2
    for table in maps:
        assert table.count('<th scope="row">') == 20
        assert "The best 20 of 21 agents." in table
    assert html.count('<div class="who">') == 20
    assert html.count("<thead class=numbered>") == 2
    assert html.count("Columns have the numbers of the rows.") == 2


def test_long_names_break_between_settings_and_replays_use_them(many: Path) -> None:
    html = (many / "report.html").read_text(encoding="utf-8")
    assert (
        '<span class="name">playouts = 3,</span> <span class="name">value = share)</span>' in html
    )
    data = re.search(r'id="replay-data">(.*?)</script>', html, re.DOTALL)
    assert data is not None
    labels = json.loads(data[1])["labels"]
    assert labels["mc-playouts=3,value=share"] == "mc (playouts = 3, value = share)"


def test_no_two_names_of_a_figure_are_the_same(many: Path) -> None:
    figure = (many / "figures" / "strength-and-time.svg").read_text(encoding="utf-8")
    names = re.findall(r">(mc [^<]*)</text>", figure)
    assert len(names) == len(set(names)) == 8


@NEEDS_CHROMIUM
def test_it_fits_a_phone_and_a_sheet_of_paper(many: Path, tmp_path: Path) -> None:
    with launched_chromium() as chromium:
        page = chromium.new_page(viewport={"width": 390, "height": 800})
        page.goto((many / "report.html").as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        names = page.locator("#verdict .who").all()
        assert all(n.evaluate("e => e.scrollWidth <= e.clientWidth + 1") for n in names)
        page.emulate_media(media="print")
        page.set_viewport_size({"width": 720, "height": 1000})  # A4 within its margins
        maps = page.locator("table.heat.many").all()
        assert maps and all(m.evaluate("e => e.getBoundingClientRect().right <= 720") for m in maps)
        # Chromium leaves buttons out where the head of a table is repeated on the next page.
        assert page.locator("thead button").count() == 0
