"""Races as runs: the same whatever the workers and after a kill; the report shows limits only."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.experiments import entrant, exported, make_experiment, play

from arena.cli import main
from arena.config.experiment import ResolvedExperiment
from arena.config.loader import load
from arena.config.models import Race
from arena.core.errors import ArenaError
from arena.store import Run
from arena.tournament.racing import read_race

CONFIG = """\
name: race
game: {name: klaverjas, variant: rotterdam}
deals: {set: klaverjas-given-1000, limit: 120}
agents:
  random: {family: random}
  lowest: {family: random, twin: 2}
  rule: {family: rule, grid: {mode: [as-published, as-written]}}
schedule: {type: race, keep: 2}
"""


def small_race(**race: object) -> ResolvedExperiment:
    agents = (entrant("any"), entrant("lowest", "lowest"), entrant("c", version=2))
    return make_experiment(60, agents, race=Race(**race))  # type: ignore[arg-type]


def test_a_race_is_the_same_whatever_the_workers_and_the_chunks(tmp_path: Path) -> None:
    found = []
    for number, options in enumerate(({"jobs": 1}, {"jobs": 2, "chunk_units": 7})):
        folder = tmp_path / str(number)
        play(small_race(), folder, **options)
        found.append((exported(folder, tmp_path), read_race(folder)))
    assert found[0] == found[1]
    assert found[0][1] is not None and found[0][1].most_pair_deals == 180


def test_a_race_goes_on_and_grows_with_more_deals(tmp_path: Path) -> None:
    race = small_race()
    few = replace(race, deals=race.deals[:20])
    play(few, tmp_path / "a")
    play(race, tmp_path / "a")
    play(race, tmp_path / "b")
    assert read_race(tmp_path / "a") == read_race(tmp_path / "b")
    more = (entrant("d"), *race.entrants)
    pairs = (("d", "any"), *race.pairings)
    with pytest.raises(ArenaError, match=r"schedule\.only"):
        play(replace(race, entrants=more, pairings=pairs), tmp_path / "a")


def test_a_race_from_the_file_to_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("race.yaml").write_text(CONFIG)
    assert main(["run", "race.yaml", "--jobs", "1", "--quiet"]) == 0
    outcome = read_race(Path("reports/race"))
    assert outcome is not None
    assert outcome.racing == ("rule-mode=as-published", "rule-mode=as-written")
    assert {each.agent for each in outcome.left} == {"random", "lowest"}
    assert all(each.high < 0 for each in outcome.left)
    assert outcome.pair_deals < outcome.most_pair_deals == 720
    assert main(["report", "reports/race"]) == 0
    page = Path("reports/race/report.html").read_text(encoding="utf-8")
    assert "are the best 2 of 4" in page and "<svg" in page
    report = json.loads(Path("reports/race/report.json").read_text(encoding="utf-8"))
    assert report["outcome"]["left"][0]["deals"] == outcome.left[0].deals
    with Run(Path("reports/race")) as run:
        naive = [run.margins(pairing)[1].mean() for pairing in run.pairings]
    shown = page.replace("−", "-")
    assert not [mean for mean in naive if f"{mean:+.1f}" in shown]
    capsys.readouterr()
    for words in (
        ["ratings", "reports/race"],
        ["compare", "reports/race", "random", "lowest"],
    ):
        assert main(words) == 2
        assert "beaten agents left this race" in capsys.readouterr().err
    assert main(["status", "reports/race"]) == 0
    assert "race: complete" in capsys.readouterr().out
    again = load(Path("reports/race/config.resolved.yaml"))
    assert again.race == Race(keep=2)


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("{type: race, keep: 4}", "schedule.keep: expected fewer than the 4 agents"),
        ("{type: race, keep: 0}", "schedule.keep: "),
        ("{type: round-robin, keep: 1}", "schedule.keep: belongs to race, not round-robin"),
        ("{type: race, reference: nobody}", "schedule.reference: unknown agent 'nobody'"),
        ("{type: race, reference: rule}", "schedule.reference: expected one agent, these are 2"),
        ("{type: race, reference: random, keep: 2}", "belongs to a race without a reference"),
        ("{type: race}\nstop: {h1: 5}", "a race has looks of its own"),
    ],
)
def test_a_race_that_cannot_be_is_reported(tmp_path: Path, written: str, message: str) -> None:
    path = tmp_path / "race.yaml"
    path.write_text(CONFIG.replace("{type: race, keep: 2}", written))
    with pytest.raises(ArenaError) as error:
        load(path)
    assert message in str(error.value)
    assert len(str(error.value).splitlines()) == 1


def test_a_race_against_a_reference(tmp_path: Path) -> None:
    path = tmp_path / "race.yaml"
    path.write_text(CONFIG.replace("keep: 2", "reference: random"))
    experiment = load(path)
    assert [second for _, second in experiment.pairings] == ["random"] * 3
    play(experiment, tmp_path / "run")
    outcome = read_race(tmp_path / "run")
    assert outcome is not None
    assert {each.agent for each in outcome.left if each.low > 0} >= {"rule-mode=as-written"}
    assert "lowest" in outcome.racing
