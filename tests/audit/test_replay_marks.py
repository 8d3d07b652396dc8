"""Mistakes in the replay of a report, as a reader meets them on a phone."""

from __future__ import annotations

import json
import re
from pathlib import Path

from helpers.browsers import NEEDS_CHROMIUM, launched_chromium

pytestmark = NEEDS_CHROMIUM
PHONE = {"width": 390, "height": 844}


def test_a_mistake_is_marked_and_both_values_of_its_cards_are_shown(
    audited_page: Path,
) -> None:
    document = json.loads((audited_page.parent / "report.json").read_text(encoding="utf-8"))
    with launched_chromium() as chromium:
        page = chromium.new_page(viewport=PHONE)
        complaints: list[str] = []
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(audited_page.as_uri())
        for number, mistake in enumerate(document["audit"]["worst"]):
            swing = next(x for x in document["deals"]["swings"] if x["deal"] == mistake["deal"])
            graded = [x for game in swing["games"] for x in game["valued"] if x["grade"]]
            page.get_by_role("link", name="show", exact=True).nth(number).click()
            assert page.locator(".steps .sub").inner_text().startswith(f"step {mistake['at']} ")
            assert page.locator("#replay .steps").is_visible()
            assert page.locator("button.mark").count() == len(graded) > 0
            page.get_by_role("button", name="to the end").click()
            here = next(x for x in graded if x["step"] == mistake["at"])
            page.locator(f"button.mark.{here['grade']}").first.click()
            table = page.locator(f".worth[open]:has(summary.{here['grade']}) table").first
            heads = table.locator("thead th").all_inner_texts()
            assert heads == ["card", "could be known", "all cards open"]
            for column, value in ((2, "known"), (3, "exact")):
                cells = table.locator(f"tbody tr > :nth-child({column})").all_inner_texts()
                shown = [float(cell.replace("−", "-")) for cell in cells]
                assert shown == [card[value] for card in here["cards"]]
            assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        assert complaints == []


def test_a_value_that_is_not_known_is_a_dash(audited_page: Path, tmp_path: Path) -> None:
    text = audited_page.read_text(encoding="utf-8")
    without, changed = re.subn(r',"known":-?[\d.e+-]+', "", text)
    assert changed
    (tmp_path / "report.html").write_text(without, encoding="utf-8")
    with launched_chromium() as chromium:
        page = chromium.new_page(viewport=PHONE)
        page.goto((tmp_path / "report.html").as_uri())
        page.get_by_role("link", name="show", exact=True).first.click()
        page.locator(".worth summary").click()
        assert "–" in page.locator(".worth td").all_inner_texts()
