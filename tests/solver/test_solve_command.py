"""`arena solve`: a deal, a position, all trumps; and mistakes in one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import arena
from arena.cli import main
from arena.core.cards import card_name
from arena.core.deals import DealSet, deal_record
from arena.core.files import find_shipped
from arena.core.rules import action_name
from arena.games.klaverjas import Klaverjas
from arena.solver.values import Bounds

DEAL = ["klaverjas-given-1000", "17"]


def said(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    assert main(["solve", *words]) == code
    printed = capsys.readouterr()
    return printed.out if code == 0 else printed.err


@pytest.fixture
def after(capsys: pytest.CaptureFixture[str]) -> str:
    """Four tricks of legal cards, the lowest each time."""
    rules = Klaverjas()
    deal = DealSet.load(find_shipped("deals", DEAL[0], ".csv")).find("klaverjas-given-0017")
    state = rules.start(deal)
    cards = []
    while len(state.tricks) < 4:
        cards.append(action_name(state.legal[0]))
        rules.apply(state, state.legal[0])
    return " ".join(cards)


def test_a_position_card_by_card(capsys: pytest.CaptureFixture[str], after: str) -> None:
    shown = said(capsys, *DEAL, "--after", after)
    assert "to move" in shown
    assert "positions searched" in shown
    found = json.loads(said(capsys, *DEAL, "--after", after, "--json"))
    assert len(found["cards"]) == 4
    assert all(low == high for low, high in found["cards"].values())
    best = max(low for low, _ in found["cards"].values())
    assert f"{best:+d}" in shown


def test_few_nodes_give_bounds(capsys: pytest.CaptureFixture[str]) -> None:
    assert " to +" in said(capsys, *DEAL, "--nodes", "500")


def test_little_time_gives_bounds(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["schieber-1000", "3", "--trump", "H", "--seconds", "0"]
    assert " to +" in said(capsys, *words)


def test_another_trump(capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(said(capsys, *DEAL, "--trump", "c", "--nodes", "500", "--json"))
    assert found["trump"] == "♣"


def test_all_trumps_and_declarers(capsys: pytest.CaptureFixture[str]) -> None:
    lines = said(capsys, *DEAL, "--trump", "all", "--nodes", "2000").splitlines()
    assert lines[-5].split() == ["trump", "N", "E", "S", "W"]
    assert [line.split()[0] for line in lines[-4:]] == ["♣", "♦", "♥", "♠"]
    found = json.loads(said(capsys, *DEAL, "--trump", "all", "--nodes", "2000", "--json"))
    assert len(found["values"]) == 16
    first = found["values"][0]
    assert (first["trump"], first["declarer"]) == ("C", "N")
    words = Bounds(first["low"], first["high"])
    assert str(words) in lines[-4]
    deal = DealSet.load(find_shipped("deals", DEAL[0], ".csv")).find("klaverjas-given-0017")
    table = arena.solve_trumps(deal, game="klaverjas", declarer="N", nodes=2000)
    assert str(table).splitlines()[0].split() == ["trump", "N"]


def test_only_declarers_that_the_rules_allow(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["schieber-1000", "3", "--trump", "H", "--declarer", "all", "--nodes", "500", "--json"]
    found = json.loads(said(capsys, *words))["values"]
    assert len(found) == 2


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ([*DEAL, "--after", "SA"], "E cannot play SA; legal: CT D9 DQ H8 HT HJ SJ SK"),
        ([*DEAL, "--trump", "X"], "unknown trump 'X'"),
        ([*DEAL, "--trump", "all", "--after", "HJ"], "is one of a whole deal"),
        (["schieber-1000", "3"], "no card is to be played ('bid'); name the trump"),
        (["hearts-1000", "--trump", "all"], "hearts cannot be solved with every trump"),
        (["{"], "the record is not JSON"),
        (['{"hands": {}}', "--game", "klaverjas"], "'hands' is missing"),
        (['{"hands": {"N": "C1"}}', "--game", "klaverjas"], "C1"),
        ([*DEAL, "--declarer", "X"], "seat"),
    ],
)
def test_mistakes_are_one_line(
    capsys: pytest.CaptureFixture[str], words: list[str], why: str
) -> None:
    line = said(capsys, *words, code=2)
    assert why in line and line.count("\n") == 1


@pytest.mark.parametrize(("words", "least"), [(["--nodes", "0"], 1), (["--seconds", "nan"], 0)])
def test_a_limit_out_of_range_is_one_line(
    capsys: pytest.CaptureFixture[str], words: list[str], least: int
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["solve", *DEAL, *words])
    line = capsys.readouterr().err
    assert stopped.value.code == 2 and line.count("\n") == 1
    assert f"argument {words[0]}: must be at least {least}" in line


def test_a_card_dealt_twice_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    deal = DealSet.load(find_shipped("deals", DEAL[0], ".csv")).find("klaverjas-given-0017")
    record = {"game": "klaverjas", **deal_record(deal)}
    record["hands"]["N"][0] = record["hands"]["E"][0]
    line = said(capsys, json.dumps(record), code=2)
    assert line == f"arena: the deal: {record['hands']['E'][0]} is dealt twice\n"


def test_a_pasted_record_is_solved_like_its_deal(
    capsys: pytest.CaptureFixture[str], after: str, tmp_path: Path
) -> None:
    deal = DealSet.load(find_shipped("deals", DEAL[0], ".csv")).find("klaverjas-given-0017")
    record = {"game": "klaverjas", **deal_record(deal)}
    asked = json.loads(said(capsys, *DEAL, "--after", after, "--json"))
    assert (
        json.loads(said(capsys, json.dumps(record), "--after", after, "--json"))["cards"]
        == (asked["cards"])
    )
    record["plays"] = [{"card": card} for card in after.split()]
    (tmp_path / "record.json").write_text(json.dumps(record))
    by_file = json.loads(said(capsys, str(tmp_path / "record.json"), "--json"))
    assert by_file["cards"] == asked["cards"]
    solution = arena.solve(record)
    assert {card_name(card): list(each) for card, each in solution.cards.items()} == asked["cards"]
    assert "loses" in repr(solution)
    assert arena.solve(deal, game="klaverjas", after=after).cards == solution.cards
