"""Runs that grow: what is stored is found, and only the rest is played."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from helpers.experiments import Watch, entrant, exported, make_experiment, play

from arena.cli import main
from arena.config.experiment import ResolvedExperiment
from arena.core.errors import ArenaError
from arena.core.rules import MatchFormat
from arena.store import Run
from arena.tournament.run import RunOptions, run

ANY, LOW, MORE = entrant("any"), entrant("low", "lowest"), entrant("more", "any", version=2)


def experiment(count: int, *entrants: object, **changes: object) -> ResolvedExperiment:
    made = make_experiment(count, entrants or (ANY, LOW), **changes)
    # As deals of one set: it does not change when more of it is played.
    return replace(made, deals_sha256="the-set")


@pytest.mark.parametrize(
    ("larger", "found", "message"),
    [
        (experiment(9), 6, "9 deals instead of 6"),
        (experiment(6, ANY, LOW, MORE), 6, "new: more; 3 pairings instead of 1"),
        (experiment(6, MORE, ANY, LOW), 6, "new: more; 3 pairings instead of 1"),
        (experiment(8, ANY, LOW, MORE), 6, "8 deals instead of 6; new: more; 3 pairings"),
    ],
    ids=["deals", "agent", "agent-first", "both"],
)
def test_only_what_is_missing_is_played(
    larger: ResolvedExperiment, found: int, message: str, tmp_path: Path
) -> None:
    play(experiment(6), tmp_path / "run")
    watch = Watch()
    finished = run(larger, tmp_path / "run", RunOptions(jobs=1), watch)
    total = len(larger.deals) * len(larger.pairings)
    assert (finished.found, finished.played) == (found, total - found)
    assert watch.lines[0].startswith(f"{tmp_path / 'run'} grows: {message}")
    assert f"{found} of {total} deals found, {total - found} to play" in watch.lines

    play(larger, tmp_path / "at-once")
    assert exported(tmp_path / "run", tmp_path) == exported(tmp_path / "at-once", tmp_path)
    assert play(larger, tmp_path / "run").played == 0


def test_a_pairing_is_added(tmp_path: Path) -> None:
    all_three = experiment(4, ANY, LOW, MORE)
    play(replace(all_three, pairings=all_three.pairings[:1]), tmp_path / "run")
    assert play(all_three, tmp_path / "run").played == 8


def test_matches_grow_too_and_can_be_replayed(tmp_path: Path) -> None:
    """Even where the matches so far have needed more deals than there now are in the set."""
    changes = {"match": MatchFormat(None, 400)}
    small, large = (experiment(n, **changes) for n in (2, 3))
    play(small, tmp_path / "run")
    assert play(large, tmp_path / "run").played == 1
    with Run(tmp_path / "run") as results:
        (pairing,) = results.pairings
        shown = {replay.record.unit for replay in results.replays(pairing)}
    assert shown == {deal.id for deal in large.deals}


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (experiment(4), "deals.limit: 6 there, 4 here"),
        (experiment(9, seed=2), "seed: 0 there, 2 here"),
        (experiment(6, LOW, ANY), r'schedule.pairs.any - low: \["any", "low"\] there, absent'),
        (experiment(6, ANY, MORE), "agents.low: .* there, absent here"),
    ],
    ids=["fewer", "seed", "exchanged", "agent-gone"],
)
def test_what_is_no_growth_is_refused(
    other: ResolvedExperiment, message: str, tmp_path: Path
) -> None:
    play(experiment(6), tmp_path / "run")
    before = exported(tmp_path / "run", tmp_path)
    with pytest.raises(ArenaError, match=message):
        play(other, tmp_path / "run")
    assert exported(tmp_path / "run", tmp_path) == before


def test_other_words_are_no_other_results(tmp_path: Path) -> None:
    play(experiment(6), tmp_path / "run")
    message = replace(experiment(6), description="what it is for")
    assert play(message, tmp_path / "run").found == 6
    with Run(tmp_path / "run") as results:
        assert results.manifest.description == "what it is for"


def test_the_report_follows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    command = ["run", "quickstart", "--jobs", "1", "--set", "schedule.only=[random, rule]"]
    assert main([*command, "--set", "deals.limit=4"]) == 0
    assert main([*command, "--set", "deals.limit=6"]) == 0
    assert "4 of 6 deals found, 2 to play" in capsys.readouterr().err
    assert "6 deals" in Path("reports/quickstart/report.html").read_text(encoding="utf-8")
