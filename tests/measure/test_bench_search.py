"""`arena bench search`: the comparison with OpenSpiel is there if it can be, and is fair."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

from arena.cli import main
from arena.core.cards import card_name, cards_of
from arena.core.seeds import Rng
from arena.games.hearts.tables import ALL_POINTS
from arena.measure.bench import search

COMPARISON = {"hearts_openspiel_800_sims_per_s", "hearts_times_openspiel"}
OURS = "hearts_ismcts_800_sims_per_s"


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hearts for real, at few repeats; the rest is not what is asked here."""
    measure = search.measure
    monkeypatch.setattr(search, "measure", lambda: measure(repeats=3))
    in_hearts = search._ismcts_speed
    monkeypatch.setattr(
        search,
        "_ismcts_speed",
        lambda view, *rest: in_hearts(view, *rest) if view.rules.name == "hearts" else (1.0, 1.0),
    )
    monkeypatch.setattr(search, "_champion_speed", lambda *_: {})
    for other in ("_dmcts_speed", "_pimc_speed", "_megabytes", "_overrun"):
        monkeypatch.setattr(search, other, lambda *_: 1.0)


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)


@pytest.mark.usefixtures("quick")
def test_openspiel_is_compared_with(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pyspiel")
    assert main(["bench", "search", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures.keys() >= COMPARISON
    ratio = figures[OURS] / figures["hearts_openspiel_800_sims_per_s"]
    assert figures["hearts_times_openspiel"] == pytest.approx(ratio, rel=1e-3)


@pytest.mark.usefixtures("quick", "alone")
def test_without_openspiel_the_figures_are_absent(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "search", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert OURS in figures
    assert not figures.keys() & COMPARISON


@pytest.mark.usefixtures("quick", "alone")
def test_without_openspiel_a_line_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "search"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if "openspiel" in line.lower()] == [
        "not compared with OpenSpiel, which is not installed: pip install open_spiel"
    ]


@pytest.mark.usefixtures("quick")
def test_with_openspiel_nothing_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pyspiel")
    assert main(["bench", "search"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert {line.split()[0] for line in lines if "openspiel" in line} == COMPARISON
    assert "not installed" not in "".join(lines)


# --- the position ------------------------------------------------------------------------


def legal_names(state: Any) -> set[str]:
    names = [state.action_to_string(state.current_player(), a) for a in state.legal_actions()]
    return {suit + rank for rank, suit in names}


def hand_names(state: Any) -> set[str]:
    """The cards of the player to act, from what OpenSpiel tells them in writing."""
    rows = state.information_state_string().split("Hand:")[1].split("\n\n")[0].split("\n")
    return {row[0] + rank for row in rows if row.strip() for rank in row[2:]}


def test_both_search_the_same_position() -> None:
    pytest.importorskip("pyspiel")
    deal, view = search._position(search._HEARTS, cards=1)
    assert (len(view.table), len(view.tricks)) == (1, 0)
    assert len(view.legal) > 1
    theirs = search._in_openspiel(deal, view)
    assert theirs.current_player() == view.seat
    assert legal_names(theirs) == set(map(card_name, view.legal))
    assert hand_names(theirs) == set(map(card_name, cards_of(view.hand)))


def test_both_play_by_the_same_rules() -> None:
    pytest.importorskip("pyspiel")
    rules = search._HEARTS
    for seed in range(100):
        rng = Rng(seed)
        deal = rules.random_deal(rng, 0)
        ours = rules.start(deal)
        theirs = search._in_openspiel(deal, rules.view(ours, 0))
        while ours.turn is not None:
            assert theirs.current_player() == ours.turn
            assert legal_names(theirs) == set(map(card_name, ours.legal))
            card = rng.choice(ours.legal)
            rules.apply(ours, card)
            theirs.apply_action(search._openspiel_card(card))
        assert theirs.is_terminal()
        points = tuple(ALL_POINTS - value for value in theirs.returns())
        assert points == rules.outcome(ours).scores
