"""`arena explain`: a stored decision made again, with the numbers of its search."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from arena.cli import main
from arena.store import Run

EXPERIMENT = """
name: explained
game: {name: klaverjas, variant: rotterdam, bidding: given}
deals: {set: klaverjas-given-1000, limit: 1}
agents:
  tree: {family: ismcts, simulations: 120}
  trees: {family: dmcts, worlds: 4, iterations: 30}
  flat: {family: flat-mc, playouts: 8}
  champion:
    {family: champion, simulations: 50, worlds: 50, types: {search: 0.5, rule: 0.5}}
  rule: {family: rule}
  both: {team: [tree, trees]}
schedule: {type: gauntlet, against: [rule]}
seed: 5
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("explain")
    (folder / "experiment.yaml").write_text(EXPERIMENT)
    command = ["run", str(folder / "experiment.yaml"), "--out", str(folder / "run"), "--quiet"]
    assert main([*command, "--backend", "sequential"]) == 0
    return folder / "run"


def choices(run, first, whose=None):
    """Where an entrant (the first by default) had a choice: numbers of actions, and seats."""
    with Run(run) as results:
        pairing = results.pairing(first, "rule")
        replay = next(iter(results.replays(pairing)))
        rules = results.rules
        state = rules.start(replay.deal, replay.standing)
        found = []
        for number, action in enumerate(replay.record.actions):
            if replay.seats[state.turn] == (whose or first) and len(state.legal) > 1:
                found.append((number, state.turn))
            rules.apply(state, action)
        return replay.record.deal, found


def explained(run, first, at, capsys, *more):
    deal, _ = choices(run, first)
    capsys.readouterr()
    code = main(["explain", str(run), deal, "--at", str(at), "--pair", first, "rule", *more])
    return code, capsys.readouterr()


@pytest.mark.parametrize(("first", "visits"), [("tree", 120), ("trees", 4 * 30)])
def test_every_decision_is_made_again_as_it_was(run, first, visits, capsys):
    _, found = choices(run, first)
    assert len(found) > 4
    for at, _ in found:
        code, out = explained(run, first, at, capsys)
        assert code == 0
        assert "decides again and plays the same card" in out.out
        rows = re.findall(r"^  [♣♦♥♠]\w+ ?\*? +([\d,]+) +(-?[\d,.]+) +([\d,]+)$", out.out, re.M)
        assert sum(int(row[0]) for row in rows) == visits
        assert out.out.count(" *  ") == 1


@pytest.mark.parametrize("first", ["tree", "flat", "champion"])
def test_who_holds_the_hidden_cards_is_reported(run, first, capsys):
    _, found = choices(run, first)
    at, _ = found[2]
    _, out = explained(run, first, at, capsys)
    message = out.out.partition("who holds the hidden cards, as this player sees it:")[2]
    rows = re.findall(r"^  [♣♦♥♠]\w+ +(\d+)% +(\d+)% +(\d+)%$", message, re.M)
    assert len(rows) > 8
    assert all(98 <= sum(map(int, row)) <= 102 for row in rows)
    assert ("effective sample size" in message) == (first == "champion")
    assert bool(re.search(r"plays as \d+% search, \d+% rule", message)) == (first == "champion")


def test_members_of_a_team_explain_themselves_each_by_its_own_search(run, capsys):
    _, found = choices(run, "both")
    seats = sorted({seat for _, seat in found})
    for seat in seats:
        at = next(number for number, whose in found if whose == seat)
        _, out = explained(run, "both", at, capsys)
        assert "plays the same card" in out.out


def test_an_agent_with_lists_among_its_parameters_is_built_again(run, capsys):
    """Flat Monte Carlo has a tuple, which a run folder holds as a list."""
    _, found = choices(run, "flat")
    code, out = explained(run, "flat", found[0][0], capsys)
    assert code == 0, out.err
    assert re.search(r"flat (has no method explain|decides again)", out.out)


def test_who_does_not_search_says_so(run, capsys):
    _, found = choices(run, "tree", whose="rule")
    code, out = explained(run, "tree", found[0][0], capsys)
    assert code == 0
    assert "rule has no method explain(view, rng)" in out.out


def test_a_decision_that_there_is_not(run, capsys):
    code, out = explained(run, "tree", 99, capsys)
    assert code == 2
    assert "--at 99: the round has actions 0 to 31" in out.err


OWN = """
from typing import NamedTuple


class Number(NamedTuple):
    points: float


class Mine:
    def act(self, view, rng):
        return view.legal[-1]

    def explain(self, view, rng):
        return {action: Number(float(action)) for action in view.legal}
"""


def test_code_in_a_file_explains_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Built from the copy that the run keeps; another agent may be asked in its place."""
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(OWN)
    Path("e.yaml").write_text(
        "name: e\ngame: klaverjas\ndeals: {set: klaverjas-given-1000, limit: 1}\n"
        "agents:\n  mine: {family: './mine.py:Mine'}\n  other: {family: random}\n"
    )
    assert main(["run", "e.yaml", "--no-report", "--quiet", "--jobs", "1"]) == 0
    Path("mine.py").unlink()
    with Run("reports/e") as run:
        (replay, *_) = run.replays(run.pairings[0])
    first = replay.record.seats.index(replay.seats.index("mine"))
    deal = ["explain", "e", replay.deal.id, "--at", str(first)]
    assert main(deal) == 0
    assert "mine decides again and plays the same card:" in capsys.readouterr().out
    assert main([*deal, "--by", "rule"]) == 0
    assert "rule in its place plays" in capsys.readouterr().out
    assert main([*deal, "--by", "rul"]) == 2
    assert "did you mean 'rule'" in capsys.readouterr().err
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    monkeypatch.setattr("arena.config.own_code._TRUSTED", set())
    deal[1] = str(tmp_path / "reports" / "e")
    assert main(deal) == 2
    assert "--trust" in capsys.readouterr().err
    assert main([*deal, "--trust"]) == 0
