"""The page in a browser: whole rounds by mouse, touch and keyboard, and readable for everybody."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from helpers.browsers import NEEDS_CHROMIUM, launched_chromium
from helpers.tables import FAST, host_for, sitting_for

from arena.games.hearts import Hearts
from arena.games.klaverjas import Klaverjas
from arena.games.schieber import Schieber
from arena.table.browser.host import Manners, TableHost
from arena.table.browser.server import LONGEST_REQUEST, TableServer
from arena.web.serving import listen

pytestmark = NEEDS_CHROMIUM

DESKTOP = {"width": 1200, "height": 800}
PHONE = {"width": 390, "height": 844}
CHOICES = '#hand [aria-disabled="false"], #bids:not([hidden]) button'
READY = f'{CHOICES}, [data-do="next"]'
Open = Callable[..., Any]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with launched_chromium() as chromium:
        yield chromium


@pytest.fixture
def sit_down(browser: Any) -> Iterator[Open]:
    """Open a page at a table; whatever the page complains about fails the test."""
    complaints: list[str] = []
    with ExitStack() as stack:

        def serve(host: TableHost) -> list[str]:
            server, listener = TableServer([host]), listen()
            url = stack.enter_context(
                listener.serving(server.guarded(listener.address), longest_message=LONGEST_REQUEST)
            )
            return [link for _, link in server.links(url)]

        def visit(link: str, viewport: dict[str, int] = DESKTOP, **settings: Any) -> Any:
            context = browser.new_context(viewport=viewport, **settings)
            stack.callback(context.close)
            page = context.new_page()
            page.on("console", lambda message: complaints.append(message.text))
            page.on("pageerror", lambda error: complaints.append(str(error)))
            page.goto(link)
            return page

        def sit(rules: Any, viewport: dict[str, int] = DESKTOP, **settings: Any) -> Any:
            manners: Manners = settings.pop("manners", FAST)
            family = settings.pop("family", "random")
            sitting = sitting_for(rules, family=family, seed=settings.pop("seed", 3))
            return visit(serve(host_for(sitting, manners))[0], viewport, **settings)

        sit.serve, sit.visit = serve, visit  # type: ignore[attr-defined]
        yield sit
    assert complaints == []


def play_round(page: Any, choose: Callable[[Any], None]) -> int:
    """Choose until the round is over; how often that was."""
    for chosen in range(60):
        page.wait_for_selector(READY)
        if page.locator('[data-do="next"]').count():
            return chosen
        moves = page.locator("body").get_attribute("data-moves")
        choose(page)
        page.wait_for_selector(f'body:not([data-moves="{moves}"])')
    raise AssertionError("the round does not end")


def wait_for_cards(page: Any, count: int) -> None:
    page.wait_for_selector(f"#hand .card:nth-child({count})")
    page.wait_for_selector(f"#hand .card:nth-child({count + 1})", state="detached")


def click(page: Any) -> None:
    page.locator(CHOICES).first.click()


def tap(page: Any) -> None:
    page.locator(CHOICES).last.tap()


def press(page: Any) -> None:
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")


@pytest.mark.parametrize(
    ("rules", "choose", "choices", "settings"),
    [
        (Klaverjas(), click, 8, {}),
        (Schieber(weis=True), tap, 9, {"viewport": PHONE, "has_touch": True}),
        (Hearts(passing="left"), press, 16, {"reduced_motion": "reduce"}),
        pytest.param(Hearts(players=3), click, 17, {"viewport": PHONE}, marks=pytest.mark.long),
        pytest.param(Klaverjas(bidding="classical"), press, 8, {}, marks=pytest.mark.long),
    ],
    ids=["klaverjas-mouse", "schieber-touch", "hearts-keyboard", "three-players", "bidding"],
)
def test_a_round(
    sit_down: Open, rules: Any, choose: Callable[[Any], None], choices: int, settings: Any
) -> None:
    page = sit_down(rules, **settings)
    assert play_round(page, choose) >= choices
    assert page.locator("#status").inner_text() == "The round is over"
    assert page.locator("#panel tbody tr").count() == len(rules.sides)
    assert page.locator("#sheet tfoot").count() == 1
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.locator('[data-do="next"]').click()
    page.wait_for_selector('body[data-round="2"]')


def test_hint_take_back_and_claim(sit_down: Open) -> None:
    page = sit_down(Klaverjas())
    page.wait_for_selector(CHOICES)
    hand = page.locator("#hand .card").count()
    page.keyboard.press("h")
    page.wait_for_selector("#hand .advised")
    assert "The adviser would choose" in page.locator("#panel").inner_text()
    page.locator("#hand .advised").click()
    wait_for_cards(page, hand - 1)
    page.locator('[data-do="undo"]').click()
    wait_for_cards(page, hand)
    page.wait_for_selector(CHOICES)
    page.locator('[data-do="claim"]').click()
    page.wait_for_selector("#problem:has-text('last 5 tricks')")


def test_settings_are_kept(sit_down: Open) -> None:
    page = sit_down(Schieber(), color_scheme="dark")
    page.wait_for_selector(READY)
    page.locator("#settings summary").click()
    page.locator("[name=language]").select_option("nl")
    page.locator("[name=deck]").select_option("swiss")
    page.locator("[name=four]").check()
    page.reload()
    page.wait_for_selector(READY)
    assert page.evaluate("document.documentElement.lang") == "nl"
    uses = page.locator("#hand use").evaluate_all("all => all.map((x) => x.getAttribute('href'))")
    assert any(each.startswith("#swiss-pip-") for each in uses)
    missing = page.evaluate(
        "[...document.querySelectorAll('use')].map((x) => x.getAttribute('href'))"
        ".filter((x) => !document.querySelector(x))"
    )
    assert missing == []
    assert page.locator("#hand .card").first.get_attribute("aria-label").split()[0] in {
        "klaveren", "ruiten", "harten", "schoppen",
    }  # fmt: skip


def test_a_lost_connection_comes_back(sit_down: Open) -> None:
    page = sit_down(Klaverjas())
    page.wait_for_selector(CHOICES)
    other = page.context.new_page()
    other.goto(page.url)
    other.wait_for_selector(CHOICES)
    page.context.set_offline(True)
    cards = other.locator("#hand .card").count()
    page.context.set_offline(False)
    click(other)
    wait_for_cards(page, cards - 1)


@pytest.mark.parametrize(
    ("scheme", "viewport"),
    [
        ("light", DESKTOP),
        ("dark", PHONE),
        pytest.param("dark", DESKTOP, marks=pytest.mark.long),
        pytest.param("light", PHONE, marks=pytest.mark.long),
    ],
)
def test_axe_finds_nothing(sit_down: Open, viewport: dict[str, int], scheme: str) -> None:
    """axe-core's rules of accessibility: at the start, in the round and after it."""
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe is not installed"
    )
    page = sit_down(Klaverjas(bidding="classical"), viewport, color_scheme=scheme)
    page.wait_for_selector(CHOICES)
    page.locator("#settings summary").click()
    violations = axe.Axe().run(page).response["violations"]
    page.locator("#settings summary").click()
    play_round(page, click)
    violations += axe.Axe().run(page).response["violations"]
    assert [(v["id"], [node["html"][:120] for node in v["nodes"]][:3]) for v in violations] == []


_CLICK_AND_TIME = """() => new Promise((done) => {
  const card = document.querySelector('#hand [aria-disabled="false"]');
  const began = performance.now();
  new MutationObserver((changes, watcher) => {
    if (!document.querySelector(`#trick [data-card="${card.dataset.card}"]`)) return;
    watcher.disconnect();
    done(performance.now() - began);
  }).observe(document.querySelector("#trick"), { childList: true });
  card.click();
})"""


@pytest.mark.long
def test_how_soon_a_card_appears_after_the_click(sit_down: Open) -> None:
    """The figure is printed (`pytest -s`); that each card appears is what is tested."""
    found: list[float] = []
    page = sit_down(Hearts(passing="none"), manners=Manners(pace_s=0.05))
    for number in range(3):
        page.wait_for_selector(f'body[data-round="{number + 1}"]')
        while True:
            page.wait_for_selector(READY)
            if page.locator('[data-do="next"]').count():
                break
            found.append(page.evaluate(_CLICK_AND_TIME))
        page.locator('[data-do="next"]').click()
    assert len(found) == 39
    found.sort()
    print(f"\na card appears after {found[19]:.1f} ms (median), at most {found[-1]:.1f} ms, n=39")
