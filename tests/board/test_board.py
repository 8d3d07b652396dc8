"""The leaderboard: runs in one rating, agents by what they play, and nothing computed twice."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from helpers.experiments import AGENTS, Anything, entrant, make_experiment, play

from arena.board import boards, build, find_runs, ratings
from arena.board.site import INDEX, KEPT
from arena.cli import main
from arena.config.entrants import Entrant
from arena.config.experiment import ResolvedExperiment
from arena.games.hearts import Hearts
from arena.store import Run

ANY, LOW, OTHER = entrant("any"), entrant("low", "lowest"), entrant("other", version=2)


def experiment(count: int, *entrants: Entrant, **changes: object) -> ResolvedExperiment:
    return make_experiment(count, entrants, deals_sha256="the-set", **changes)


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    folder = tmp_path / "reports"
    play(experiment(8, ANY, LOW), folder / "first")
    play(experiment(12, LOW, OTHER, name="later"), folder / "deep" / "second")
    play(experiment(4, ANY, LOW, rules=Hearts()), folder / "hearts")
    (folder / "broken").mkdir()
    (folder / "broken" / "manifest.json").write_text("{}")
    return folder


def test_runs_are_joined_by_rules_and_deals(runs: Path) -> None:
    found = {board.title: board for board in boards(find_runs(runs))}
    assert set(found) == {"klaverjas", "hearts"}
    board = found["klaverjas"]
    assert len(board.runs) == 2
    (field,) = board.now.fields
    names = [board.names.shown[entry.name] for entry in field]
    assert sorted(names) == ["any", "low", "other"]
    deals = {name: entry.margin.n for name, entry in zip(names, field, strict=True)}
    assert deals == {"any": 8, "low": 12, "other": 12}, "as reports count: a deal once"
    assert len(board.history) == 2


def test_an_agent_that_did_not_play_does_not_move(tmp_path: Path) -> None:
    third = entrant("third", version=3)
    for name, pair in (("1", (ANY, LOW)), ("2", (LOW, OTHER)), ("3", (OTHER, third))):
        play(experiment(8, *pair, name=name), tmp_path / name)
    (board,) = boards(find_runs(tmp_path))
    marks = {name: mark for mark, name in board.names.shown.items()}
    history = {name: [run for _, run, _ in board.history_of(mark)] for name, mark in marks.items()}
    assert history == {
        "any": ["1"],
        "low": ["1", "2"],
        "other": ["2", "3"],
        "third": ["3"],
    }
    assert {board.names.shown[board.anchor(mark)] for mark in marks.values()} == {"any"}
    for moment in board.history:
        (anchor,) = moment.anchors
        assert board.names.shown[anchor] == "any"
        standing = moment.standing(anchor)
        assert standing is not None and standing.rating is not None
        assert standing.rating.value == pytest.approx(0.0, abs=1e-9)
    # Who joins changes nothing between those who were there.
    before, after = (moment.standing(marks["low"]) for moment in board.history[-2:])
    assert before and after and before.rating and after.rating
    assert after.rating.value == pytest.approx(before.rating.value)


def test_one_run_is_rated_as_its_own_report_rates_it(runs: Path) -> None:
    from arena.analysis.results import read
    from arena.analysis.standings import make_standings

    (board,) = boards([run for run in find_runs(runs) if run.path.name == "first"])
    with Run(runs / "first") as run:
        alone = make_standings(read([run]))
    rated = {board.names.shown[e.name]: e.rating.value for e in board.now.fields[0]}
    reported = {a.name: a.rating.value or 0.0 for a in alone.agents if a.rating}
    assert rated == pytest.approx({name: r - reported["any"] for name, r in reported.items()})


def test_who_changed_is_another_and_the_newest_has_the_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Changed(Anything):
        def act(self, view, rng):  # type: ignore[no-untyped-def]
            return view.legal[-1]

    play(experiment(6, ANY, LOW), tmp_path / "a")
    monkeypatch.setitem(AGENTS._added, "any", Changed)
    play(experiment(6, ANY, LOW), tmp_path / "b")
    (board,) = boards(find_runs(tmp_path))
    names = sorted(board.names.shown.values())
    assert names[0] == "any" and re.fullmatch(r"any@[0-9a-f]{7}", names[1]) and names[2] == "low"


def test_those_who_met_nobody_of_the_others_are_set_apart(tmp_path: Path) -> None:
    play(experiment(6, ANY, OTHER), tmp_path / "a")
    play(experiment(6, LOW, entrant("third", version=3)), tmp_path / "b")
    (board,) = boards(find_runs(tmp_path))
    assert [len(field) for field in board.now.fields] == [2, 2]


def test_only_what_is_new_is_computed(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    computed: list[int] = []
    moment = ratings._moment

    def counted(some, names):  # type: ignore[no-untyped-def]
        computed.append(len(some))
        return moment(some, names)

    monkeypatch.setattr(ratings, "_moment", counted)
    site = tmp_path / "site"
    build(find_runs(runs), site)
    assert sorted(computed) == [1, 1, 2]
    drawn = {file: file.stat().st_mtime_ns for file in site.glob("figures/*.svg")}
    assert len(drawn) == 1, "only 'low' played in several runs"
    computed.clear()
    build(find_runs(runs), site)
    assert computed == []
    assert drawn == {file: file.stat().st_mtime_ns for file in site.glob("figures/*.svg")}
    play(experiment(5, ANY, OTHER, name="new"), runs / "third")
    build(find_runs(runs), site)
    assert computed == [3]
    (site / KEPT).write_text("no longer JSON")
    computed.clear()
    build(find_runs(runs), site)
    assert sorted(computed) == [1, 1, 2, 3], "what cannot be used is computed again"


def test_the_pages_are_complete(runs: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    (runs / "first" / "report.html").touch()
    build(find_runs(runs), site)
    index = (site / INDEX).read_text(encoding="utf-8")
    pages = re.findall(r'href="(klaverjas-\w+\.html|hearts-\w+\.html)"', index)
    assert len(pages) == 2
    for name in pages:
        page = (site / name).read_text(encoding="utf-8")
        figures = re.findall(r'<img src="([^"]+)" alt="[^"]+"', page)
        assert len(figures) == name.startswith("klaverjas")
        assert all((site / file).is_file() for file in figures)
        assert "http" not in re.sub(r"xmlns[^>]*", "", page), "it opens offline"
        assert "any" in page and "win rate" not in page
        linked = re.findall(r'<li class="mono"><a href="([^"]+)"', page)
        assert [(site / link).resolve() for link in linked] == (
            [runs / "first" / "report.html"] if name.startswith("klaverjas") else []
        )
    assert "(version 2)" in (site / pages[0]).read_text() + (site / pages[1]).read_text()


def test_the_command(runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["board", "--runs", str(runs), "--game", "klaverjas"]) == 0
    shown = capsys.readouterr().out
    assert "klaverjas:" in shown and "hearts" not in shown and "95% interval" in shown
    assert main(["board", "build", str(tmp_path / "site"), "--runs", str(runs)]) == 0
    assert "2 boards of 3 runs" in capsys.readouterr().out
    assert main(["board", "--runs", str(tmp_path / "nothing")]) == 2
    assert main(["board", "build"]) == 2
    assert main(["board", "--game", "heart", "--runs", str(runs)]) == 2
    assert "did you mean 'hearts'" in capsys.readouterr().err
