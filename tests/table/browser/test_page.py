"""The page in a browser: whole rounds by mouse, touch and keyboard, and readable for everybody."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from itertools import count
from typing import Any

import pytest
from helpers.browsers import NEEDS_CHROMIUM, launched_chromium
from helpers.tables import FAST, host_for, sitting_for

from arena.core.agent import Player
from arena.core.rules import View
from arena.core.seeds import Rng
from arena.games.hearts import Hearts
from arena.games.klaverjas import Klaverjas
from arena.games.schieber import Schieber
from arena.table.browser import host as host_module
from arena.table.browser.host import Manners, TableHost
from arena.table.browser.server import LONGEST_REQUEST, TableServer
from arena.table.session import Chair
from arena.table.sitting import SeatPlan
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
    west = page.locator('[data-seat="W"]').get_attribute("data-place")
    assert west == "right"  # of North, who is below: Schieber is played counter-clockwise
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


def test_settings_that_cannot_be_read_are_left_out(sit_down: Open) -> None:
    page = sit_down(Schieber(), locale="de-CH")
    page.wait_for_selector(READY)
    page.evaluate("localStorage.setItem('arena-table', '{')")
    page.reload()
    page.wait_for_selector(READY)
    assert page.evaluate("document.documentElement.lang") == "de"


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
    assert "turned up" in page.locator("#score").inner_text()
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
def test_find_try_see_next(sit_down: Open) -> None:
    """The moments that mattered, by clicks: a wrong card, the answer, the next one."""
    page = sit_down(Klaverjas(), family="rule", seed=10)
    for number in range(1, 20):
        page.wait_for_selector(f'body[data-round="{number}"]')
        play_round(page, lambda page: page.locator(CHOICES).nth(0).click())
        page.locator('[data-do="audit"]').click()
        page.wait_for_selector("#lessons h2", timeout=120_000)
        if page.locator("#lessons button").count():
            break
        assert "No card of yours lost points" in page.locator("#lessons").inner_text()
        page.locator('[data-do="next"]').click()
    page.locator("#lessons button").click()
    while page.locator("#lessons [data-try]").count():
        page.locator("#lessons [data-try]").first.click()
        assert page.locator("#lessons .answer").inner_text()
        see = page.get_by_role("button", name="See it")
        if see.count():
            see.click()
        assert page.locator("#lessons tr.best").count() >= 1
        assert "(played ?" in page.locator("#lessons table").inner_text()
        page.get_by_role("button", name="Next", exact=True).click()
    assert "Done" in page.locator("#lessons").inner_text()


@pytest.mark.long
def test_an_agent_that_crashes_and_one_that_is_slow(
    sit_down: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host_module, "_LONG_S", 0.2)
    monkeypatch.setattr(SeatPlan, "chair", failing_chair)
    page = sit_down(Klaverjas())
    for _ in range(40):
        page.wait_for_selector(f"{READY}, .seat button")
        replace = page.locator(".seat button")
        if page.locator('[data-do="next"]').count():
            break
        if replace.count():
            assert "is thinking" in page.locator("#status").inner_text()
            replace.click()
        else:
            click(page)
        page.wait_for_timeout(150)
    said = page.locator("#status").inner_text()
    assert said.count("crashed; the first legal cards from here on") == 2
    assert said.count("was too slow; the first legal cards from here on") == 1


def failing_chair(plan: SeatPlan) -> Chair:
    """The first agent is slow, the others crash."""
    if plan.spec is None:
        return Chair(plan.name)
    return Chair(plan.name, Player(Failing(next(_NUMBERS) % 3 == 0)))


_NUMBERS = count()


class Failing:
    """Never answers, or crashes."""

    def __init__(self, is_slow: bool) -> None:
        self.is_slow = is_slow

    def act(self, view: View, rng: Rng) -> int:
        if self.is_slow:
            threading.Event().wait()
        raise ValueError("no idea")


@pytest.mark.long
def test_two_people_at_one_table(sit_down: Open) -> None:
    """Partners on two machines; one leaves, an agent plays on, and they come back."""
    host = host_for(sitting_for(Klaverjas(), (0, 2)), replace(FAST, empty_s=0.3))
    north_link, south_link = sit_down.serve(host)  # type: ignore[attr-defined]
    north, south = (sit_down.visit(link) for link in (north_link, south_link))  # type: ignore[attr-defined]
    gone = False
    for _ in range(60):
        north.wait_for_selector(f"{READY}, .seat.turn")
        if north.locator('[data-do="next"]').count():
            break
        for page in (north, south):
            if not page.is_closed() and page.locator(CHOICES).count():
                click(page)
                page.wait_for_timeout(50)
        if not gone and north.locator("#hand .card").count() == 5:
            gone = True
            south.close()
            north.wait_for_selector('[data-seat="S"] .who:has-text("(agent)")')
    assert north.locator("#status").inner_text().startswith("The round is over")
    assert "has left" in north.locator("#status").inner_text()
    back = sit_down.visit(south_link)  # type: ignore[attr-defined]
    back.locator('[data-do="next"]').click()
    north.locator('[data-do="next"]').click()
    back.wait_for_selector('body[data-round="2"]')
    assert "(agent)" not in north.locator('[data-seat="S"]').inner_text()


def test_all_languages_have_all_words(sit_down: Open) -> None:
    page = sit_down(Klaverjas())
    page.wait_for_selector(READY)
    found = page.evaluate(
        """async () => {
        const { wordsOf, cardName } = await import("/page/words.js");
        const all = ["en", "nl", "de"].map(wordsOf);
        const same = Object.keys(all[0]).filter((key) => typeof all[0][key] === "string"
          && all[0][key].length > 12 && all.slice(1).some((words) => words[key] === all[0][key]));
        return [same, ["en", "nl", "de"].map((each) => cardName("HJ", each, "french")),
          cardName("HJ", "de", "swiss")];
        }"""
    )
    assert found == [[], ["jack of hearts", "harten boer", "Herz Bube"], "Rosen Under"]


@pytest.mark.long
@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_agents_can_be_watched(sit_down: Open, viewport: dict[str, int]) -> None:
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe is not installed"
    )
    host = host_for(sitting_for(Schieber(weis=True), ()), Manners(pace_s=0.3))
    (link,) = sit_down.serve(host)  # type: ignore[attr-defined]
    page = sit_down.visit(link, viewport)  # type: ignore[attr-defined]
    page.wait_for_selector('body[data-moves]:not([data-moves="0"])')
    page.locator('[data-do="pause"]').click()
    page.get_by_role("button", name="Go on").wait_for()
    page.wait_for_timeout(300)
    moves = int(page.locator("body").get_attribute("data-moves"))
    page.locator('[data-do="step"]').click()
    page.wait_for_selector(f'body[data-moves="{moves + 1}"]')
    assert page.locator(".fan.open .face").count() + moves + 1 >= 36
    found = axe.Axe().run(page).response["violations"]
    assert [(v["id"], [node["html"][:120] for node in v["nodes"]][:3]) for v in found] == []
    page.locator('[data-do="pause"]').click()
    page.wait_for_selector('body[data-round="2"]')


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
