"""Reports as a reader meets them: in a browser, on a phone, in the dark, on paper."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.browsers import NEEDS_CHROMIUM, Screens, launched_chromium
from helpers.report_runs import HOSTILE, KINDS, Written

pytestmark = NEEDS_CHROMIUM

Get = Callable[[str], Written]
PHONE = {"width": 375, "height": 812}
DESKTOP = {"width": 1280, "height": 900}


@pytest.fixture(scope="module")
def screens() -> Iterator[Screens]:
    with launched_chromium() as chromium:
        yield Screens(chromium)


@pytest.fixture
def visit(screens: Screens, written: Get) -> Iterator[Callable[..., Any]]:
    """Open a report offline; whatever the page complains about fails the test."""

    def go(kind: str, viewport: dict[str, int] = DESKTOP, **settings: Any) -> Any:
        page = screens.page(viewport=viewport, offline=True, **settings)
        page.goto(written(kind).page.as_uri())
        return page

    yield go
    assert screens.complaints() == []


def column(page: Any, table: str, number: int) -> list[str]:
    cells = page.locator(f"[aria-label='{table}'] tbody tr > :nth-child({number})")
    texts: list[str] = cells.all_inner_texts()
    return [text.split("\n")[0] for text in texts]


@pytest.mark.parametrize("kind", KINDS)
def test_it_opens_without_a_complaint(visit: Callable[..., Any], written: Get, kind: str) -> None:
    page = visit(kind)
    headline = page.locator("#verdict .headline").inner_text()
    assert headline == " ".join(written(kind).document["verdict"]["headline"].split())
    assert page.locator("figure svg").count() >= 3
    assert page.locator(".felt").count() >= 1


def test_sorting(visit: Callable[..., Any]) -> None:
    page = visit("klaverjas")
    head = page.locator("[aria-label='leaderboard'] thead th").nth(6)
    before = [float(text) for text in column(page, "leaderboard", 7)]
    head.locator(".sort").click()
    assert head.get_attribute("aria-sort") == "descending"
    assert [float(x) for x in column(page, "leaderboard", 7)] == sorted(before, reverse=True)
    head.locator(".sort").press("Enter")
    assert head.get_attribute("aria-sort") == "ascending"
    assert [float(x) for x in column(page, "leaderboard", 7)] == sorted(before)
    name = page.locator("[aria-label='leaderboard'] thead th").nth(0)
    name.locator(".sort").click()
    assert head.get_attribute("aria-sort") is None
    names = [text.split()[0] for text in column(page, "leaderboard", 1)]
    assert names == ["open", "lowest", "any"]


@pytest.mark.parametrize("kind", ["klaverjas", "hearts", "schieber", "matches"])
def test_the_replay_ends_with_the_stored_score(
    visit: Callable[..., Any], written: Get, kind: str
) -> None:
    page = visit(kind)
    document = written(kind).document
    for number in (0, len(document["deals"]["swings"]) - 1):
        swing = document["deals"]["swings"][number]
        page.locator("#replay select").first.select_option(str(number))
        page.get_by_role("button", name="to the end").click()
        shown = []
        for board in page.locator(".board").all():
            rows = board.locator(".tally tbody tr").all()
            shown.append([int(row.locator("td").last.inner_text()) for row in rows])
            assert board.locator(".hand .c").count() == 0
        stored = [game["scores"] for game in swing["games"]]
        if len(stored) == 2:
            assert shown == stored
        else:
            assert shown[0] in stored and shown[1] in stored
            best = max(swing["games"], key=lambda game: game["margin"])
            assert shown[0] == best["scores"]


def test_keys_and_buttons_go_back_and_forth(visit: Callable[..., Any], written: Get) -> None:
    page = visit("klaverjas")
    swing = written("klaverjas").document["deals"]["swings"][0]
    counter = page.locator(".steps .sub")
    page.locator("#replay").press("Home")
    assert counter.inner_text().startswith("step 0 of 32")
    hands = page.locator(".board").first.locator(".hand .c")
    assert hands.count() == 32
    page.locator("#replay").press("ArrowRight")
    page.locator("#replay").press("ArrowRight")
    assert counter.inner_text().startswith("step 2 of 32")
    assert hands.count() == 30
    on_table = page.locator(".board").first.locator(".trick .c").all_inner_texts()
    played = [step["action"] for step in swing["games"][0]["steps"][:2]]
    assert [text[-1] for text in on_table] == [card[-1].replace("T", "0") for card in played]
    page.get_by_role("button", name="one step back (left arrow)").click()
    assert counter.inner_text().startswith("step 1 of 32")
    page.locator("#replay").press("End")
    assert page.get_by_role("button", name="to the end").is_disabled()


def test_where_the_seatings_part(visit: Callable[..., Any], written: Get) -> None:
    page = visit("klaverjas")
    first, second = (
        [(step["seat"], step["action"]) for step in game["steps"]]
        for game in written("klaverjas").document["deals"]["swings"][0]["games"]
    )
    part = next(i for i, (a, b) in enumerate(zip(first, second, strict=True)) if a != b)
    page.get_by_role("button", name="to where the two seatings part").click()
    counter = page.locator(".steps .sub")
    assert counter.inner_text() == f"step {part} of 32, together"
    boards = [board.locator(".hand").all_inner_texts() for board in page.locator(".board").all()]
    assert boards[0] == boards[1]
    page.locator("#replay").press("ArrowRight")
    assert counter.inner_text() == f"step {part + 1} of 32, parted"
    boards = [board.locator(".hand").all_inner_texts() for board in page.locator(".board").all()]
    assert boards[0] != boards[1]


def test_a_seat_sees_its_own_cards_only(visit: Callable[..., Any]) -> None:
    page = visit("klaverjas")
    page.locator("#replay").press("Home")
    page.locator("#replay select").nth(1).select_option("2")
    board = page.locator(".board").first
    assert board.locator(".seat[data-at='2'] .c:not(.back)").count() == 8
    assert board.locator(".seat:not([data-at='2']) .c.back").count() == 24
    assert board.locator(".seat:not([data-at='2']) .hand").first.inner_text() == ""


def test_a_swing_of_the_table_opens_in_the_viewer(visit: Callable[..., Any], written: Get) -> None:
    page = visit("klaverjas")
    number = len(written("klaverjas").document["deals"]["swings"]) - 1
    page.get_by_text("All swings").click()
    page.locator("[data-replay]").nth(number).click()
    assert page.locator("#replay select").first.input_value() == str(number)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_sticks_out_on_a_phone(visit: Callable[..., Any], kind: str, scheme: str) -> None:
    page = visit(kind, PHONE, color_scheme=scheme)
    for details in page.locator("main details").all():
        details.evaluate("element => { element.open = true; }")
    page.get_by_role("button", name="to the end").click()
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= PHONE["width"]
    outside = page.evaluate(
        """() => [...document.querySelectorAll("body *")].filter((element) =>
            !element.closest(".scroll, .plot, pre, nav") && element.getClientRects().length &&
            element.getBoundingClientRect().right > innerWidth + 1)
            .map((element) => element.outerHTML.slice(0, 80))"""
    )
    assert outside == []


def luminance(colour: str) -> float:
    red, green, blue = (float(x) for x in colour.strip("rgba()").split(",")[:3])
    return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255


def test_it_is_dark_in_the_dark(visit: Callable[..., Any]) -> None:
    for scheme, is_dark in (("light", False), ("dark", True)):
        page = visit("klaverjas", color_scheme=scheme)
        style = "e => [getComputedStyle(e).backgroundColor, getComputedStyle(e).color]"
        paper, ink = page.locator("body").evaluate(style)
        assert (luminance(paper) < 0.2) is is_dark
        assert (luminance(ink) > 0.7) is is_dark
        label = page.locator("#figure-forest svg text").first
        assert (luminance(label.evaluate("e => getComputedStyle(e).fill")) > 0.7) is is_dark


def test_hostile_names_stay_text(visit: Callable[..., Any]) -> None:
    page = visit("hostile")
    assert set(column(page, "leaderboard", 1)) == set(HOSTILE)
    assert page.locator("img").count() == 0
    assert page.locator("script").count() == 2
    page.get_by_role("button", name="to the end").click()
    titles = page.locator(".board h3").all_inner_texts()
    assert any(name in titles[0] for name in HOSTILE)
    options = page.locator("#replay select option").all_inner_texts()
    assert any("<i>d000" in option for option in options)


def test_tables_are_tables_for_a_screen_reader(visit: Callable[..., Any]) -> None:
    page = visit("klaverjas")
    for table in page.locator("main table:not(.tally)").all():
        assert table.locator("thead th[scope=col]").count() > 1
        rows = table.locator("tbody tr").count()
        assert table.locator("tbody th[scope=row]").count() == rows
    unnamed = page.locator("[role=region]:not([aria-label]), [role=img]:not([aria-label])")
    assert unnamed.count() == 0
    buttons = page.get_by_role("button").all()
    assert all(b.get_attribute("aria-label") or b.inner_text().strip() for b in buttons)


def test_a_link_opens_a_deal_at_a_step(visit: Callable[..., Any], written: Get) -> None:
    page = visit("klaverjas")
    swing = written("klaverjas").document["deals"]["swings"][-1]
    pair = f"{swing['first']},{swing['second']}"
    page.evaluate("hash => { location.hash = hash; }", f"#deal={swing['deal']}&pair={pair}&step=7")
    page.wait_for_function(
        "document.querySelector('.steps .sub').textContent.startsWith('step 7 ')"
    )
    number = len(written("klaverjas").document["deals"]["swings"]) - 1
    assert page.locator("#replay select").first.input_value() == str(number)
    page.locator("#replay").press("ArrowRight")
    link = page.locator(".here").get_attribute("href")
    assert "step=8" in link
    page.goto(written("klaverjas").page.as_uri() + link)
    assert page.locator(".steps .sub").inner_text().startswith("step 8 ")


@pytest.mark.parametrize("kind", ["klaverjas", "hearts", "sweep", "forfeits"])
@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_axe_finds_nothing_serious(
    visit: Callable[..., Any], kind: str, viewport: dict[str, int]
) -> None:
    """axe-core's rules of accessibility, with everything that can be opened open."""
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe is not installed"
    )
    page = visit(kind, viewport)
    for details in page.locator("main details").all():
        details.evaluate("element => { element.open = true; }")
    found = axe.Axe().run(page).response["violations"]
    serious = [v for v in found if v["impact"] in ("serious", "critical")]
    message = [(v["id"], [node["html"][:120] for node in v["nodes"]][:3]) for v in serious]
    assert message == []
    assert "heading-order" not in [v["id"] for v in found]


def test_controls_of_the_replay_stay_in_reach_on_a_phone(visit: Callable[..., Any]) -> None:
    page = visit("klaverjas", PHONE)
    page.locator(".felt").first.scroll_into_view_if_needed()
    box = page.locator(".steps").bounding_box()
    assert box is not None and box["y"] + box["height"] <= PHONE["height"] + 1


def test_words_explain_themselves_on_hover_and_on_tap(visit: Callable[..., Any]) -> None:
    page = visit("klaverjas", PHONE, has_touch=True, reduced_motion="reduce")
    simultaneous = page.get_by_role("button", name="what simultaneous means")
    simultaneous.focus()
    for show in (simultaneous.hover, simultaneous.tap, simultaneous.focus):
        simultaneous.blur()
        page.mouse.move(0, 0)
        assert page.locator(".tip").count() == 0
        show()
        text, left, right = page.locator(".tip").evaluate(
            "e => [e.innerText, e.getBoundingClientRect().left, e.getBoundingClientRect().right]"
        )
        assert "All intervals of the table hold together" in text
        assert left >= 0 and right <= PHONE["width"]


def test_the_replay_does_not_jump(visit: Callable[..., Any]) -> None:
    page = visit("klaverjas", PHONE)
    page.locator("#replay").press("Home")
    heights = set()
    for _ in range(32):
        page.locator("#replay").press("ArrowRight")
        heights.add(page.locator(".felt").first.bounding_box()["height"])
    assert max(heights) - min(heights) < 40


def test_it_prints(visit: Callable[..., Any], tmp_path: Path) -> None:
    page = visit("klaverjas")
    page.emulate_media(media="print")
    assert not page.locator("nav.jump").is_visible()
    assert not page.locator("#replay").is_visible()
    assert page.locator("figure svg").first.is_visible()
    for mark in (".ratings .dot", ".ratings .reach"):  # browsers leave backgrounds out on paper
        adjust = page.locator(mark).first.evaluate("e => getComputedStyle(e).printColorAdjust")
        assert adjust == "exact"
    page.pdf(path=tmp_path / "report.pdf", format="A4")
    assert (tmp_path / "report.pdf").read_bytes()[:4] == b"%PDF"


def test_without_scripts_the_numbers_are_there(visit: Callable[..., Any]) -> None:
    page = visit("klaverjas", java_script_enabled=False)
    assert page.locator("[aria-label='leaderboard'] tbody tr").count() == 3
    assert "arena replay" in page.locator("#replay").inner_text()
