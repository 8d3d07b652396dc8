"""The table without a browser: whole rounds, what goes over the wire, and people who come late."""

from __future__ import annotations

import asyncio
import importlib
import json
import re
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers.paths import ROOT
from helpers.tables import FAST, Browser, at_table, host_for, sitting_for

from arena.config.entrants import AgentSpec
from arena.config.own_code import trust
from arena.core.agent import Player
from arena.core.cards import CARD_NAMES, SEATS, card_name, cards_of
from arena.core.deals import Deal
from arena.core.generate import make_deals
from arena.core.registry import BIDDERS
from arena.core.rules import View
from arena.core.seeds import Rng
from arena.games.hearts import Hearts
from arena.games.klaverjas import Klaverjas
from arena.games.schieber import Schieber
from arena.table.browser import host as host_module
from arena.table.browser.host import Manners, TableHost
from arena.table.browser.same_cards import SameCards
from arena.table.session import Chair, FirstLegal, TableSession
from arena.table.sitting import SeatPlan
from arena.tournament.referee import Lineup, Referee

GAMES: list[Any] = [
    Klaverjas(),
    Klaverjas(bidding="classical"),
    Schieber(weis=True),
    Hearts(passing="left"),
    Hearts(players=3),
    Hearts(players=2),
]


@pytest.mark.parametrize("rules", GAMES, ids=repr)
def test_a_round_is_the_referees(rules: Any) -> None:
    """Three agents and a person who plays the first legal action: the referee's round."""
    sitting = sitting_for(rules)
    host = host_for(sitting)

    async def play() -> dict[str, Any]:
        return await Browser(host, 0).play_round()

    over = at_table(host, play)
    random = AgentSpec("random")
    players = [Player(FirstLegal()), *[random.build() for _ in range(rules.players - 1)]]
    (deal,) = make_deals(rules, "table-0", 64, 3).deals[:1]
    played = Referee(rules, 3).play(rules.in_match(deal, 0), Lineup.of(players))
    assert played.outcome is not None
    assert over["outcome"]["scores"] == list(played.outcome.scores)
    assert over["moves"] == len(played.actions)


CARD = re.compile(rb'"([CDHS][2-9TJQKA])"')


@pytest.mark.parametrize("rules", GAMES, ids=repr)
def test_no_hidden_card_goes_over_the_wire(rules: Any) -> None:
    """Every byte to every seat: no card but those that the seat's own deal and the table show."""
    people = tuple(range(rules.players))
    host = host_for(sitting_for(rules, people))
    (deal,) = make_deals(rules, "table-0", 64, 3).deals[:1]
    seats: list[Browser] = []

    async def play() -> None:
        seats.extend(Browser(host, seat) for seat in people)
        await asyncio.gather(*(seat.play_round() for seat in seats))

    at_table(host, play)
    checked = 0
    for seat in seats:
        public: set[str] = set()
        own = {card_name(card) for card in deal.hands[seat.seat or 0]}
        for raw, message in zip(seat.wire, seat.received, strict=True):
            if message["type"] != "state":
                assert not CARD.search(raw)
                continue
            if message["turn"] is None:
                break
            view = message["view"]
            assert message["view"]["seat"] == SEATS[seat.seat or 0] and view["all_hands"] is None
            public = {c for trick in view["tricks"] for c in trick["cards"]} | set(view["table"])
            public |= {card for shown in view["shown"] for card in shown["cards"]}
            # Which card of a suit is strongest is public: it names the whole deck.
            del message["strength"]
            found = set(map(bytes.decode, CARD.findall(json.dumps(message).encode())))
            assert found <= own | public | set(view["received"]), found
            checked += 1
    assert checked > 10 * rules.players


def test_a_hint_undo_and_a_claim() -> None:
    rules = Klaverjas()
    host = host_for(sitting_for(rules))

    async def play() -> dict[str, Any]:
        person = Browser(host, 0)
        first = await person.turn()
        await person.ask("hint")
        hint = await person.message("hint")
        assert hint["chosen"] == first["view"]["legal"][0] and hint["moves"] == first["moves"]
        await person.ask("act", action=first["view"]["legal"][0], moves=first["moves"])
        second = await person.turn()
        assert second["moves"] > first["moves"]
        await person.ask("undo")
        again = await person.until(lambda m: m["type"] == "state" and m["moves"] == first["moves"])
        assert again["view"] == first["view"]
        await person.ask("claim")
        error = await person.message("error")
        assert "last 5 tricks" in error["text"]
        # A second click comes too late: nothing happens, the state is sent again.
        await person.ask("act", action=again["view"]["legal"][0], moves=again["moves"] - 1)
        assert (await person.next())["moves"] == again["moves"]
        await person.ask("act", action="pass", moves=again["moves"])
        assert "is not allowed now" in (await person.message("error"))["text"]
        await person.ask("act", action=again["view"]["legal"][0], moves=again["moves"])
        return await person.play_round()

    assert at_table(host, play)["turn"] is None


def test_no_agent_acts_while_a_card_is_taken_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """The agent has decided already, and waits as long as people do; it was a crash."""
    host = host_for(sitting_for(Klaverjas()), Manners(pace_s=0.05))
    undo = TableSession.undo
    moves: list[int] = []

    def slowly(table: TableSession, seat: int) -> None:
        moves.append(table.moves)
        threading.Event().wait(0.3)
        moves.append(table.moves)
        undo(table, seat)

    monkeypatch.setattr(TableSession, "undo", slowly)

    async def play() -> dict[str, Any]:
        person = Browser(host, 0)
        state = await person.turn()
        await person.ask("act", action=state["view"]["legal"][0], moves=state["moves"])
        await asyncio.sleep(0.02)
        await person.ask("undo")
        return await person.play_round()

    at_table(host, play)
    assert moves[0] == moves[1]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "a request is JSON"),
        ("[]", "an object with 'do'"),
        ('{"do": "dance"}', "unknown request 'dance'"),
        ('{"do": "act", "moves": "x"}', "'moves' should be a whole number"),
        ('{"do": "act", "moves": 0, "action": 7}', "'action' should be a text"),
        ('{"do": "act", "moves": 0, "action": "Z9"}', "no action of klaverjas is called 'Z9'"),
        ('{"do": "name", "name": ""}', "'name' should be a text"),
        ('{"do": "audit"}', "the audit comes after the round"),
    ],
)
def test_bad_requests_are_answered_with_a_line(text: str, said: str) -> None:
    host = host_for(sitting_for(Klaverjas()))

    async def play() -> str:
        person = Browser(host, 0)
        state = await person.turn()
        text_now = text.replace('"moves": 0', f'"moves": {state["moves"]}')
        await host.handle(person.connection, text_now)
        return str((await person.message("error"))["text"])

    assert said in at_table(host, play)


def test_two_people_hints_are_off_and_both_ask_for_the_next_round() -> None:
    rules = Klaverjas()
    host = host_for(sitting_for(rules, (0, 2)))

    async def play() -> None:
        north, south = Browser(host, 0), Browser(host, 2)
        await north.ask("name", name="  Ann \x1b[2J ")
        await asyncio.gather(north.play_round(), south.play_round())
        assert "Ann" in north.received[-1]["chairs"]["N"]["name"]
        assert "\x1b" not in north.received[-1]["chairs"]["N"]["name"]
        await north.ask("next")
        waiting = await south.until(lambda m: m["type"] == "state" and m["ready"] == ["N"])
        assert waiting["round"] == 1
        await south.ask("next")
        await south.until(lambda m: m["type"] == "state" and m["round"] == 2)
        for do in ("hint", "undo"):
            await south.ask(do)
            assert "alone with agents" in (await south.message("error"))["text"]

    at_table(host, play)


def test_who_leaves_is_replaced_and_comes_back() -> None:
    rules = Klaverjas()
    host = host_for(sitting_for(rules, (0, 2)), replace(FAST, empty_s=0.0))

    async def play() -> None:
        north, south = Browser(host, 0), Browser(host, 2)
        await south.message("state")
        host.leave(south.connection)
        gone = await north.until(lambda m: m["type"] == "state" and not m["chairs"]["S"]["person"])
        assert gone["chairs"]["S"]["name"] == "player S (agent)"
        await north.play_round()
        back = Browser(host, 2)
        await north.ask("next")
        await back.ask("next")
        state = await back.until(lambda m: m["type"] == "state" and m["round"] == 2)
        assert state["chairs"]["S"] == {"name": "player S", "person": True, "here": True}
        if state["turn"] != "S":
            assert (await back.turn(2))["turn"] == "S"

    at_table(host, play)


def test_a_second_tab_and_a_lost_connection() -> None:
    host = host_for(sitting_for(Klaverjas()))

    async def play() -> None:
        first, second = Browser(host, 0), Browser(host, 0)
        here = await first.turn()
        there = await second.turn()
        assert here["view"] == there["view"]
        await first.ask("act", action=here["view"]["legal"][0], moves=here["moves"])
        await second.ask("act", action=here["view"]["legal"][0], moves=here["moves"])
        assert (await second.until(lambda m: m.get("moves", 0) > here["moves"]))["type"] == "state"
        host.leave(first.connection)
        host.leave(second.connection)
        third = Browser(host, 0)
        assert (await third.turn())["moves"] > here["moves"]
        await third.play_round()

    at_table(host, play)


class Misbehaving:
    """Crashes, answers with nonsense or never answers."""

    def __init__(self, how: str) -> None:
        self.how = how

    def act(self, view: View, rng: Rng) -> int:
        if self.how == "exit":
            raise SystemExit(3)
        if self.how == "crash":
            raise ValueError(f"my hand is {[card_name(c) for c in cards_of(view.hand)]}")
        if self.how == "slow":
            threading.Event().wait()
        return 99


@pytest.mark.parametrize("how", ["crash", "exit", "illegal", "slow"])
def test_agents_that_fail_are_replaced(
    how: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(host_module, "_LONG_S", 0.02)
    monkeypatch.setattr(
        SeatPlan,
        "chair",
        lambda self: Chair(self.name, Player(Misbehaving(how)) if self.spec else None),
    )
    host = host_for(sitting_for(Klaverjas()))

    async def play() -> list[dict[str, Any]]:
        person = Browser(host, 0)
        while True:
            state = await person.message("state")
            if state["turn"] is None:
                return person.received
            if state["thinking"]:
                await person.ask("replace", seat=state["turn"])
            elif state["turn"] == "N":
                action = state["view"]["legal"][0]
                await person.ask("act", action=action, moves=state["moves"])

    received = at_table(host, play)
    kind = {"exit": "crash", "slow": "too slow"}.get(how, how)
    assert sorted(received[-1]["notices"]) == [f"{kind}: random, {seat}" for seat in "ESW"]
    said = capsys.readouterr().err
    assert ("my hand is" in said) == (how == "crash")
    assert "my hand is" not in json.dumps(received)


BOT = """
class Bot:
    def act(self, view, rng):
        return view.legal[{}]
"""


def test_a_bot_in_a_file_is_read_again_for_each_round(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    trust(tmp_path)
    bot = tmp_path / "bot.py"
    bot.write_text(BOT.format(0))
    rules = Klaverjas()
    host = host_for(sitting_for(rules, spec=AgentSpec("./bot.py:Bot")))
    (first_deal, second_deal) = make_deals(rules, "table-0", 64, 3).deals[:2]

    async def play() -> None:
        person = Browser(host, 0)
        first = await person.play_round()
        bot.write_text("class Bot:\n    def act(self, view")
        await person.ask("next")
        assert "bot.py" in (await person.message("error"))["text"]
        bot.write_text(BOT.format(-1))
        await person.ask("next")
        second = await person.play_round(2)
        for state, deal, number, others in (
            (first, first_deal, 0, 0),
            (second, second_deal, 1, -1),
        ):
            players = [Player(Picks(0)), *[Player(Picks(others))] * 3]
            played = Referee(rules, 3).play(rules.in_match(deal, number), Lineup.of(players))
            assert played.outcome is not None
            assert state["outcome"]["scores"] == list(played.outcome.scores)

    at_table(host, play)
    assert "bot.py" in capsys.readouterr().err


class Picks:
    """Plays the legal action of this number."""

    def __init__(self, which: int) -> None:
        self.which = which

    def act(self, view: View, rng: Rng) -> int:
        return view.legal[self.which]


def test_an_adviser_that_fails_is_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    host = host_for(sitting_for(Klaverjas()), adviser=lambda: Misbehaving("crash"))

    async def play() -> None:
        person = Browser(host, 0)
        state = await person.turn()
        await person.ask("hint")
        assert "the adviser failed: ValueError" in (await person.message("error"))["text"]
        await person.ask("act", action=state["view"]["legal"][0], moves=state["moves"])
        await person.play_round()

    at_table(host, play)


def test_who_waits_for_a_hint_may_play_on() -> None:
    asked, go = threading.Event(), threading.Event()

    class Slow:
        def act(self, view: View, rng: Rng) -> int:
            asked.set()
            go.wait(20)
            return view.legal[0]

    host = host_for(sitting_for(Klaverjas()), adviser=Slow)

    async def play() -> None:
        person = Browser(host, 0)
        first = await person.turn()
        hint = asyncio.create_task(person.ask("hint"))
        await asyncio.to_thread(asked.wait, 20)
        await person.ask("hint")
        assert "the adviser is thinking" in (await person.message("error"))["text"]
        await person.ask("act", action=first["view"]["legal"][0], moves=first["moves"])
        assert (await person.message("state"))["moves"] == first["moves"] + 1
        go.set()
        await hint
        assert (await person.message("hint"))["moves"] == first["moves"]

    at_table(host, play)


def test_the_same_cards_are_compared() -> None:
    rules = Klaverjas()
    deals: tuple[Deal, ...] = make_deals(rules, "mine", 2, 5).deals
    host = host_for(sitting_for(rules, family="rule", deals=deals))

    async def play() -> dict[str, Any]:
        person = Browser(host, 0)
        await person.play_round()
        first = await person.message("compared")
        assert set(first["others"]) == {"rule"} and first["evening"]["rule"]["n"] == 1
        await person.ask("next")
        await person.play_round(2)
        return await person.message("compared")

    second = at_table(host, play)
    found = second["evening"]["rule"]
    assert found["n"] == 2 and found["low"] <= found["mean"] <= found["high"]


def test_a_round_with_a_hint_is_shown_and_not_counted() -> None:
    deals = make_deals(Klaverjas(), "mine", 1, 5).deals
    host = host_for(sitting_for(Klaverjas(), family="rule", deals=deals))

    async def play() -> dict[str, Any]:
        person = Browser(host, 0)
        await person.turn()
        await person.ask("hint")
        await person.play_round()
        return await person.message("compared")

    compared = at_table(host, play)
    assert set(compared["others"]) == {"rule"}
    assert not compared["counts"] and compared["evening"] == {}


def test_two_tables_with_the_same_cards_are_compared() -> None:
    hosts = [host_for(sitting_for(Klaverjas())) for _ in range(2)]
    same_cards = SameCards(hosts)
    for host in hosts:
        host.same_cards = same_cards

    async def play() -> None:
        running = asyncio.create_task(hosts[1].run())
        first, second = (Browser(host, 0) for host in hosts)
        over = await first.play_round()
        await first.ask("next")
        await first.until(lambda m: m["type"] == "state" and m["round"] == 2)
        other = await second.play_round()
        said = await second.message("compared")
        assert said["others"] == {"table 1": over["outcome"]["scores"][0]}
        assert said["mine"] == other["outcome"]["scores"][0]
        # The first table is a round ahead: it is compared, but not in the middle of a round.
        await second.ask("next")
        await second.play_round(2)
        await first.play_round(2)
        said = await first.message("compared")
        assert said["others"].keys() == {"table 2"} and said["evening"]["table 2"]["n"] == 2
        running.cancel()

    at_table(hosts[0], play)


def test_a_game_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "examples" / "arena-plugin-spades"))
    rules = importlib.import_module("arena_spades.rules").Spades()
    bidder = importlib.import_module("arena_spades.bidding").Count
    monkeypatch.setitem(BIDDERS._added, rules.usual_bidder, bidder)
    host = host_for(sitting_for(rules))

    async def play() -> dict[str, Any]:
        return await Browser(host, 0).play_round()

    over = at_table(host, play)
    bids = [bid["action"] for bid in over["view"]["bids"]]
    assert len(bids) == 4 and set(bids) <= {"nil", *map(str, range(1, 14))}
    assert sum(over["outcome"]["tricks"]) == 13


def test_lessons_never_show_what_only_hindsight_sees() -> None:
    rules = Klaverjas()
    host = host_for(sitting_for(rules, family="rule", seed=10))

    async def play() -> dict[str, Any]:
        person = Browser(host, 0)
        await person.play_round()
        await person.ask("audit")
        return await person.message("lessons")

    lessons = at_table(host, play)
    assert lessons["decisions"] > len(lessons["moments"]) > 0
    for moment in lessons["moments"]:
        assert moment["loss"] > 3 * moment["se"]
        assert moment["values"][moment["better"]] == max(moment["values"].values())
        assert moment["values"][moment["played"]] < moment["values"][moment["better"]]
        assert moment["played"] in moment["view"]["legal"] and moment["view"]["all_hands"] is None
        assert set(moment["view"]["hand"]) < set(CARD_NAMES)


def test_those_who_watch_see_all_cards_and_may_pause() -> None:
    rules = Schieber()
    host: TableHost = host_for(sitting_for(rules, ()), Manners(pace_s=0.0))

    async def play() -> None:
        watcher = Browser(host, None)
        first = await watcher.message("state")
        assert sum(map(len, first["hands"].values())) == 36
        await watcher.ask("pause")
        paused = await watcher.until(lambda m: m["type"] == "state" and m["paused"])
        await watcher.ask("step")
        after = await watcher.until(lambda m: m["type"] == "state" and m["moves"] > paused["moves"])
        assert after["paused"]
        await watcher.ask("act", action="C6", moves=after["moves"])
        assert "unknown request" in (await watcher.message("error"))["text"]
        await watcher.ask("pause")
        await watcher.until(lambda m: m["type"] == "state" and m["turn"] is None)
        await watcher.until(lambda m: m["type"] == "state" and m["round"] == 2)

    at_table(host, play)


def test_each_person_is_sent_their_own_score_less_the_luck() -> None:
    rules = Klaverjas()
    deals = make_deals(rules, "mine", 8, 5).deals
    host = host_for(sitting_for(rules, (0, 1), deals=deals, training=False))

    async def play() -> list[dict[str, Any]]:
        seats = [Browser(host, seat) for seat in (0, 1)]
        for number in range(1, 9):
            await asyncio.gather(*(seat.play_round(number) for seat in seats))
            for seat in seats:
                await seat.ask("next")
        return [(await Browser(host, seat).message("sheet"))["luck"] for seat in (0, 1)]

    first, second = at_table(host, play)
    assert first["played"]["n"] == 8
    assert second["played"]["mean"] == pytest.approx(-first["played"]["mean"])
    assert second["adjusted"]["mean"] == pytest.approx(-first["adjusted"]["mean"])
    assert first["ratio"] == pytest.approx(second["ratio"])
