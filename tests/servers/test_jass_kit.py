"""jass-kit both ways: its own package plays with our servers, and its services with our referee."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.changes import changed
from helpers.commands import arena_main
from helpers.experiments import Lowest
from helpers.servers import USUAL, asked, response, scripted
from jass.agents.agent import Agent
from jass.agents.agent_by_network import AgentByNetwork
from jass.agents.agent_random_schieber import AgentRandomSchieber
from jass.arena.arena import Arena
from jass.game.const import card_strings
from jass.game.game_observation import GameObservation
from jass.game.game_sim import GameSim
from jass.game.rule_schieber import RuleSchieber
from jass.service.player_service_app import PlayerServiceApp
from werkzeug.serving import make_server

from arena.config.entrants import AgentSpec
from arena.core.agent import Player
from arena.core.cards import cards_of
from arena.core.errors import ArenaError
from arena.core.rules import OBE, PUSH, View, choose_trump
from arena.core.seeds import Rng, rng_for
from arena.games.possible import check_view
from arena.games.schieber.jass_kit import (
    RULES,
    JassKitError,
    is_log,
    read_answer,
    read_card,
    read_log,
    read_observation,
    write_answer,
    write_card,
    write_observation,
)
from arena.process.client import ProcessAgent
from arena.process.connection import Url
from arena.process.jass_kit import PlayerService
from arena.process.limits import Limits
from arena.servers.jass_kit import PlayerApp
from arena.servers.sessions import Agents
from arena.tournament.referee import Fault, Lineup, Referee
from arena.verify.records import check_record
from arena.web.guard import Guard
from arena.web.serving import listen


def views(number: int) -> Iterator[View]:
    state, rng = RULES.start(RULES.random_deal(rng_for(5, number), number)), Rng(number)
    while state.turn is not None:
        yield RULES.view(state, state.turn)
        action = rng.choice(state.legal)
        if state.phase == "bid" and not state.bids and number % 2:
            action = PUSH
        RULES.apply(state, action)


def sorted_deal(view: View) -> View:
    return view._replace(dealt_hand=tuple(sorted(view.dealt_hand)))


def test_observations_are_those_of_the_package() -> None:
    for number in range(12):
        game = GameSim(RuleSchieber())
        for view in views(number):
            if not view.bids and not view.tricks and not view.table:
                deal = RULES.random_deal(rng_for(5, number), number)
                hands = np.zeros((4, 36), np.int32)
                for seat, hand in enumerate(deal.hands):
                    for card in hand:
                        hands[seat, list(card_strings).index(write_card(card))] = 1
                game.init_from_cards(hands, deal.dealer)
            else:
                said = write_answer(last_action(view))
                if "trump" in said:
                    game.action_trump(said["trump"])
                else:
                    game.action_play_card(list(card_strings).index(said["card"]))
            written = write_observation(view)
            seen = game.get_observation()
            assert written == seen.to_json()
            assert GameObservation.from_json(json.loads(json.dumps(written))) == seen
            assert read_observation(written) == sorted_deal(view)
            legal = RuleSchieber().get_valid_cards_from_obs(seen) if view.phase == "play" else None
            if legal is not None:
                named = {card_strings[card] for card in np.flatnonzero(legal)}
                assert named == set(map(write_card, view.legal))


def last_action(view: View) -> int:
    """What was done just before this view."""
    if view.table:
        return view.table[-1]
    return view.tricks[-1].cards[-1] if view.tricks else view.bids[-1].action


def test_answers_both_ways() -> None:
    view = next(views(0))
    play = list(views(0))[-1]
    for action in (PUSH, choose_trump(0), choose_trump(OBE)):
        assert read_answer(view, write_answer(action)) in ("push", "trump-C", "trump-O")
    assert write_answer(PUSH) == {"trump": 10}
    assert read_answer(view, {"trump": "10"}) == "push"
    for card in cards_of(RULES.deck):
        assert read_card(write_card(card)) == card
        assert read_answer(play, write_answer(card)) == write_card(card).replace("10", "T")
    assert read_answer(play, {"card": "H99"}) == "H99", "that is no legal card, and a fault"
    assert read_answer(view, {"trump": 7}) == "7"
    for answer in ({}, [], {"card": "H9"}, None):
        with pytest.raises(JassKitError, match="expected an object with 'trump'"):
            read_answer(view, answer)


def test_what_was_changed_at_random_is_read_or_refused() -> None:
    rng = random.Random(11)
    observed = [write_observation(view) for number in range(4) for view in views(number)]
    whole = {"game": finished(3), "date": "01.01.26 00:00:00", "player_ids": [0, 0, 0, 0]}
    assert check_record(read_log(whole, "x")) == (36, [])
    read, refused = 0, list[str]()
    for _ in range(500):
        data, entry = changed(rng.choice(observed), rng), changed(whole, rng)
        for work in (
            lambda data=data: check_view(read_observation(data)),
            lambda entry=entry: check_log(entry),
        ):
            try:
                work()
                read += 1
            except ArenaError as error:
                refused.append(str(error))
    assert read > 30
    assert len(refused) > 300
    assert max(map(len, refused)) < 400


def check_log(entry: Any) -> None:
    if isinstance(entry, dict) and is_log(entry):
        check_record(read_log(entry, "x"))


def finished(number: int) -> dict[str, Any]:
    """A game that is over, as jass-kit logs it."""
    state = RULES.start(RULES.random_deal(rng_for(5, number), number))
    rng = Rng(number)
    while state.turn is not None:
        RULES.apply(state, rng.choice(state.legal))
    tricks = [
        {
            "cards": [write_card(card) for card in trick.cards],
            "points": trick.points,
            "win": trick.winner,
            "first": trick.leader,
        }
        for trick in state.tricks
    ]
    assert state.trump is not None
    trump = write_answer(choose_trump(state.trump))["trump"]
    forehand = int(len(state.bids) == 1)
    return {"dealer": state.dealer, "trump": trump, "forehand": forehand, "tricks": tricks}


# --- a service of the package and our referee --------------------------------------------


class Slow(Agent):
    """Thinks too long about cards."""

    def action_trump(self, obs: GameObservation) -> int:
        return 0

    def action_play_card(self, obs: GameObservation) -> int:
        threading.Event().wait(1.0)
        return 0


class Broken(Agent):
    """Raises."""

    def action_trump(self, obs: GameObservation) -> int:
        raise ValueError("no trump")


class Wrong(AgentRandomSchieber):
    """Plays a card that it does not hold."""

    def action_play_card(self, obs: GameObservation) -> int:
        return int(np.flatnonzero(obs.hand == 0)[0])


@contextmanager
def service(**players: Agent) -> Iterator[str]:
    app = PlayerServiceApp("players")
    for name, player in players.items():
        app.add_player(name, player)
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def played(url: str, timeout: float = 10.0, deals: int = 1) -> Fault | None:
    agent = ProcessAgent(PlayerService(Url(url), timeout), Limits(timeout))
    other = Player(AgentSpec("random").build().cards)
    try:
        for number in range(deals):
            deal = RULES.random_deal(rng_for(7, number), number)
            lineup = Lineup.of([Player(agent), other, Player(agent), other])
            if fault := Referee(RULES).play(deal, lineup).fault:
                return fault
    finally:
        agent.close()
    return None


def test_a_service_of_the_package_plays_whole_deals(caplog: pytest.LogCaptureFixture) -> None:
    with service(any=AgentRandomSchieber()) as url:
        assert played(f"{url}/any", deals=4) is None


@pytest.mark.parametrize(
    ("name", "kind", "said"),
    [
        ("slow", "stuck", "did not come back within 0.2 s"),
        ("broken", "crash", "answered 500: no trump"),
        ("wrong", "illegal", "played "),
        ("nobody", "crash", "is not there: it answered 404"),
    ],
)
def test_a_service_at_fault(name: str, kind: str, said: str) -> None:
    with service(slow=Slow(), broken=Broken(), wrong=Wrong()) as url:
        fault = played(f"{url}/{name}", 0.2)
    assert fault is not None
    assert fault.kind == kind
    assert fault.message.startswith(said)


def test_a_service_that_answers_nonsense() -> None:
    def reply(n: int, request: bytes) -> bytes:
        return response(200, b"[]")

    with scripted(reply) as url:
        fault = played(url, 5.0)
    assert fault is not None
    assert (fault.kind, fault.message) == (
        "protocol",
        "answered '[]': expected an object with 'trump'",
    )


# --- the arena of the package and our server ---------------------------------------------


@contextmanager
def player(family: str, **settings: Any) -> Iterator[str]:
    listener = listen()
    app = PlayerApp(family, Agents(AgentSpec(family)), USUAL, **{"token": None, **settings})
    with listener.serving(Guard(app, listener.address)) as url:
        yield url


@pytest.fixture(scope="module")
def rule() -> Iterator[str]:
    with player("rule") as url:
        yield url


class Strict(AgentByNetwork):
    """The package's client, which does not hide that a service has failed."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self._standin_player = None


def test_the_arena_of_the_package_plays_with_our_server_and_its_logs_are_ours(
    rule: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arena = Arena(nr_games_to_play=4, save_filename=str(tmp_path / "log"), print_every_x_games=99)
    ours, other = Strict(f"{rule}/rule"), AgentRandomSchieber()
    arena.set_players(ours, other, ours, other)
    arena.play_all_games()
    log = tmp_path / "log0001.txt"
    done = arena_main(["verify", str(log)])
    assert (done.code, done.out.splitlines()[0]) == (0, "4 rounds, 144 plays checked, 0 mismatches")
    out = tmp_path / "deals.csv"
    done = arena_main(["deals", "import", str(log), "--out", str(out)])
    assert done.code == 0, done.err
    assert "4 deals of schieber" in done.out
    forged = json.loads(log.read_text().splitlines()[0])
    forged["game"]["tricks"][3]["points"] += 1
    (tmp_path / "forged.txt").write_text(json.dumps(forged))
    done = arena_main(["verify", str(tmp_path / "forged.txt")])
    assert done.code == 1
    assert "tricks: recorded" in done.out
    capsys.readouterr()


def test_an_agent_without_chance_plays_the_same_behind_jass_kits_protocol() -> None:
    here = Player(Lowest())
    with player("lowest") as url, closing(agent_at(f"{url}/lowest")) as there:
        for number in range(6):
            deal = RULES.random_deal(rng_for(7, number), number)
            rounds = [
                Referee(RULES).play(deal, Lineup.of([player, here, player, here]))
                for player in (here, Player(there))
            ]
            assert [each.fault for each in rounds] == [None, None]
            assert rounds[0].actions == rounds[1].actions


def agent_at(url: str) -> ProcessAgent:
    return ProcessAgent(PlayerService(Url(url), 10.0), Limits(10.0))


def test_the_same_question_has_the_same_answer(rule: str) -> None:
    view = list(views(3))[-12]
    body = json.dumps(write_observation(view)).encode()
    with player("random") as url:
        answers = {asked(url, "POST", "/random/action_play_card", body)[1] for _ in range(5)}
    assert len(answers) == 1
    status, answer, _ = asked(rule, "POST", "/rule/action_play_card", body)
    assert status == 200
    assert read_card(json.loads(answer)["card"]) in view.legal


OBSERVED = write_observation(list(views(3))[-12])


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/rule/action_trump", OBSERVED, 400),
        ("/nobody/action_play_card", OBSERVED, 400),
        ("/rule/game_info", OBSERVED, 200),
        ("/rule/action_play_card", {}, 400),
        ("/rule/action_play_card", [], 400),
        ("/rule/action_play_card", {**OBSERVED, "version": "V0.1"}, 400),
        ("/rule/action_play_card", {**OBSERVED, "trump": 6}, 400),
        ("/rule/action_play_card", {**OBSERVED, "forehand": -1}, 400),
        ("/rule/action_play_card", {**OBSERVED, "currentPlayer": 9}, 400),
        ("/rule/action_play_card", {**OBSERVED, "player": []}, 400),
        ("/rule/action_play_card", {**OBSERVED, "player": [{"hand": ["H10"] * 9}] * 4}, 400),
        ("/rule/action_play_card", {**OBSERVED, "tricks": OBSERVED["tricks"][1:]}, 400),
        ("/rule/action_play_card", {**OBSERVED, "tricks": [{"cards": "DA"}]}, 400),
        ("/rule/action_play_card", {**OBSERVED, "tricks": 7}, 400),
        ("/rule/other", OBSERVED, 404),
    ],
)
def test_wrong_requests(rule: str, path: str, body: Any, status: int) -> None:
    found, answer, _ = asked(rule, "POST", path, json.dumps(body).encode())
    assert found == status
    assert status == 200 or json.loads(answer)["error"]


def test_other_requests(rule: str) -> None:
    assert asked(rule, "GET", "/rule")[:2] == (200, b'"Player rule here"')
    assert asked(rule, "GET", "/nobody")[0] == 404
    text = asked(rule, "POST", "/rule/action_play_card", b"{}", Content_Type="text/plain")
    assert text[0] == 415
    with player("rule", token="a-token-for-the-tests") as url:
        assert asked(url, "GET", "/rule")[0] == 404
        assert asked(url, "GET", "/a-token-for-the-tests/rule")[0] == 200
