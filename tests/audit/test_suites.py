"""Positions as tests."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers.experiments import entrant, make_experiment, play

import arena
from arena.audit.suite_runs import run_suite
from arena.audit.suites import (
    Suite,
    SuitePosition,
    find_suite,
    read_suite,
    standing_before,
    write_suite,
)
from arena.cli import main
from arena.core.agent import Player
from arena.core.cards import card_name
from arena.core.deals import deal_record
from arena.core.errors import ArenaError
from arena.core.rules import MatchFormat, Standing, View
from arena.core.seeds import Rng
from arena.games.hearts import Hearts
from arena.store import Run


@pytest.fixture
def file(suite: Suite, tmp_path: Path) -> Path:
    path = tmp_path / "mistakes.suite.jsonl"
    write_suite(suite, path)
    return path


def test_a_suite_has_clear_positions_and_comes_back_from_its_file(suite: Suite, file: Path) -> None:
    assert read_suite(file) == suite
    assert 1 < len(suite.positions) <= 5
    for position in suite.positions:
        assert position.lost is not None
        assert min(position.lost.values()) == 0 < max(position.lost.values())
        assert {"middle", "ending"} & set(position.tags)


def test_agents_are_scored_by_the_labels(suite: Suite) -> None:
    players = {name: Player(arena.agent(name)) for name in ("random", "rule")}
    first, second = run_suite(suite, players)
    assert run_suite(suite, players)[1] == second
    for position, answer in zip(suite.positions, first.answers, strict=True):
        assert answer.card is not None
        assert answer.lost == position.labels[answer.card]
    assert first.lost.value == pytest.approx(_by_deal(suite, [x.lost for x in first.answers]))
    more = [y.lost - x.lost for x, y in zip(first.answers, second.answers, strict=True)]
    assert second.against_first is not None
    assert second.against_first.value == pytest.approx(_by_deal(suite, more))


class Fails:
    """Raises in the first position of a suite, and answers with no card in the second."""

    asked = 0

    def act(self, view: View, rng: Rng) -> object:
        """What it does in this position."""
        self.asked += 1
        if self.asked == 1:
            raise ValueError("no idea")
        return "the best" if self.asked == 2 else view.legal[0]


def test_a_fault_loses_as_much_as_the_worst_card_and_the_rest_is_played(suite: Suite) -> None:
    (score,) = run_suite(suite, {"mine": Player(Fails())})
    first, second, *others = score.answers
    worst = [max(position.labels.values()) for position in suite.positions]
    assert [first.lost, second.lost] == worst[:2]
    assert first.fault is not None
    assert first.fault.startswith("the agent mine raised ValueError: no idea (test_suites.py")
    assert second.fault is not None
    assert "the agent mine played 'the best' as " in second.fault
    assert [each.card for each in (first, second)] == [None, None]
    assert score.faults == 2
    assert all(each.fault is None and each.card is not None for each in others)


def _by_deal(suite: Suite, values: list[float]) -> float:
    deals: dict[Any, list[float]] = {}
    for position, value in zip(suite.positions, values, strict=True):
        deals.setdefault(position.deal.hands, []).append(value)
    means = [sum(found) / len(found) for found in deals.values()]
    return sum(means) / len(means)


def test_the_commands_run_and_show(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["suite", "run", str(file), "rule", "{family: random}"]) == 0
    text = capsys.readouterr().out
    assert "more than rule" in text
    assert "tag" in text
    assert main(["suite", "show", str(file), "--tag", "ending"]) in (0, 2)
    assert main(["suite", "show", str(file)]) == 0
    assert "to play" in capsys.readouterr().out


def test_a_deal_a_link_and_a_record_are_added(
    klaverjas_run: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with Run(klaverjas_run) as run:
        pairing = run.pairings[0]
        replay = next(iter(run.replays(pairing)))
    actions = replay.record.actions
    at = 20
    new = str(tmp_path / "new.suite.jsonl")
    link = f"{klaverjas_run}/report.html#deal={replay.record.deal}&step={at}"
    pair = f"&pair={pairing.first},{pairing.second}"
    assert (
        main(["suite", "add", new, "--replay", link + pair, "--tag", "roem", "--id", "link"]) == 0
    )
    assert "[roem]" in capsys.readouterr().out
    deal = replay.deal
    record = {
        "game": "klaverjas",
        "options": {},
        "id": "pasted",
        "hands": {seat: [card_name(c) for c in deal.hands[i]] for i, seat in enumerate("NESW")},
        "trump": "CDHS"[deal.trump or 0],
        "declarer": "NESW"[deal.declarer or 0],
        "leader": "NESW"[deal.leader or 0],
        "plays": [{"card": card_name(card)} for card in actions],
    }
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(record)))
    assert main(["suite", "add", new, "--record", "-", "--at", str(at)]) == 0
    first, second = read_suite(Path(new)).positions
    assert (first.did, first.lost is None) == (second.did, False)
    assert first.hindsight == second.hindsight
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(record)))
    assert main(["suite", "add", new, "--record", "-", "--at", str(at)]) == 2
    assert "has a position" in capsys.readouterr().err


def test_a_position_of_a_later_round_of_a_match_knows_how_cards_were_passed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the second round of Hearts cards go to the right, not to the left."""
    rules = Hearts(passing="rotate")
    experiment = make_experiment(2, (entrant("a", "random"), entrant("b", "random")), rules)
    play(replace(experiment, match=MatchFormat(rounds=2)), tmp_path / "run")
    with Run(tmp_path / "run") as run:
        replay = next(x for x in run.replays(run.pairings[0]) if x.record.number == 1)
    state = rules.start(replay.deal, replay.standing)
    actions = iter(replay.record.actions)
    while len(state.tricks) < 3 or len(state.legal) < 2:
        rules.apply(state, next(actions))
    did = replay.record.actions[: -len(bytes(actions))]
    position = SuitePosition("p", replay.deal, did, standing=standing_before(replay))
    assert position.state(rules).standing == replay.standing
    with pytest.raises(ArenaError):
        replace(position, standing=Standing()).state(rules)
    record = {"game": "hearts", "options": {"passing": "rotate"}, **deal_record(replay.deal)}
    record |= {"standing": replay.standing._asdict(), "bids": [], "plays": []}
    for place, action in enumerate(did):
        record["bids" if place < 12 else "plays"].append(
            {"action" if place < 12 else "card": card_name(action)}
        )
    assert set(arena.solve(record, nodes=100).cards) == set(position.state(rules).legal)
    link = f"{tmp_path / 'run'}/report.html#deal={replay.record.deal}&step={len(did)}"
    out = str(tmp_path / "match.suite.jsonl")
    assert main(["suite", "add", out, "--replay", link]) == 0
    (found,) = read_suite(Path(out)).positions
    assert found.standing == replay.standing


def _changed(change: Callable[[list[dict[str, Any]]], None]) -> Callable[[Path], None]:
    def apply(path: Path) -> None:
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        change(lines)
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")

    return apply


def _deal_twice(lines: list[dict[str, Any]]) -> None:
    hands = lines[1]["deal"]["hands"]
    hands["N"] = " ".join([hands["E"].split()[0], *hands["N"].split()[1:]])


def _lost(lines: list[dict[str, Any]], points: object) -> None:
    lines[1]["lost"] = dict.fromkeys(lines[1]["lost"], points)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda lines: lines[0].update(game="klaverjass"), "did you mean 'klaverjas'"),
        (lambda lines: lines[0].update(rules_version=99), "made for version 99 of the rules"),
        (lambda lines: lines[0].update(frmat=1), "did you mean 'format'"),
        (_deal_twice, "is dealt twice"),
        (lambda lines: lines[1].update(did="H7 H7"), "cannot play"),
        (lambda lines: lines[1].update(lost={}, hindsight={}), "a number for each legal card"),
        (lambda lines: lines[1].update(should=["X9"]), "X9"),
        (lambda lines: lines[1].update(standing=3), "expected an object with round_number"),
        (
            lambda lines: lines[1].update(standing={"round_number": 1, "scores": [1]}),
            "expected the scores of 2 sides",
        ),
        (lambda lines: lines[0].update(at_most="x"), "at_most: expected a number, found 'x'"),
        (lambda lines: _lost(lines, {}), "lost {}: expected a number"),
        (lambda lines: _lost(lines, float("nan")), "lost nan: expected a number"),
        (lambda lines: _lost(lines, 10**400), "expected a number"),
        (lambda lines: lines.append(lines[1]), "another position of this id"),
    ],
)
def test_a_broken_suite_is_one_line_with_its_place(
    file: Path,
    change: Callable[[list[dict[str, Any]]], None],
    said: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    _changed(change)(file)
    assert main(["suite", "run", str(file), "rule"]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.startswith(f"arena: {file}:")
    assert error.count("\n") == 1


def test_a_position_of_another_game_is_refused(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = file.read_bytes()
    command = ["suite", "add", str(file), "--deal", "klaverjas-bidding-1000", "1"]
    assert main([*command, "--option", "bidding=given"]) == 2
    assert (
        main(["suite", "add", str(file), "--deal", "klaverjas-given-1000", "1", "--after", "XX"])
        == 2
    )
    assert file.read_bytes() == before
    assert capsys.readouterr().err.count("\n") == 2


@pytest.mark.parametrize("game", ["klaverjas", "schieber", "hearts"])
def test_a_suite_of_every_game_is_bundled(game: str) -> None:
    found = read_suite(find_suite(game))
    assert (found.rules.name, len(found.positions)) == (game, 200)
    tags = {tag for position in found.positions for tag in position.tags}
    assert {"opening", "middle", "ending"} <= tags
    assert {len(position.state(found.rules).tricks) for position in found.positions} >= {0, 1, 2, 3}
