"""Runs that stop when a sequential test knows: the same deals and the same answer, however run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.experiments import Watch, entrant, make_experiment

from arena.cli import main
from arena.config.loader import load
from arena.config.models import Stop
from arena.core.errors import ArenaError
from arena.core.scoring import Game
from arena.stats import mean_difference
from arena.store import Run
from arena.tournament.run import RunOptions, run
from arena.tournament.stopping import EachPairing, read_traces, trace_of
from arena.tournament.tally import Tally

STOP = Stop(h0=0.0, h1=25.0)


def experiment(**changes: Any) -> Any:
    players = (entrant("any", "any"), entrant("lowest", "lowest"), entrant("rule", "rule"))
    return make_experiment(300, players, stop=STOP, **changes)


def stored(path: Path) -> dict[str, set[str]]:
    with Run(path) as found:
        return {
            f"{p.first} {p.second}": {unit for unit, _ in found.database.units(p.id)}
            for p in found.pairings
        }


class Impatient(Watch):
    """Gives up after so many units."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most = most

    def update(self, tally: Tally) -> None:
        if tally.done >= self.most:
            raise KeyboardInterrupt


def test_decision_and_deals_do_not_depend_on_how_it_is_run(tmp_path: Path) -> None:
    expected = None
    for number, options in enumerate(
        [
            RunOptions(jobs=1),
            RunOptions(jobs=1, chunk_units=1),
            RunOptions(jobs=3, backend="threading", chunk_units=7),
            RunOptions(jobs=2),
        ]
    ):
        path = tmp_path / str(number)
        run(experiment(), path, options, Watch())
        found = (stored(path), (path / "stopping.json").read_text())
        expected = expected or found
        assert found == expected
    walks = read_traces(tmp_path / "0")
    assert {walk.trace.decision for walk in walks} <= {"H0", "H1"}
    played = stored(tmp_path / "0")
    assert all(30 <= each.trace.n <= len(played[f"{each.first} {each.second}"]) for each in walks)
    assert sum(map(len, played.values())) < 3 * 300


@pytest.mark.parametrize("after", [1, 70, 130])
def test_it_goes_on_where_it_was_interrupted(tmp_path: Path, after: int) -> None:
    run(experiment(), tmp_path / "whole", RunOptions(jobs=1), Watch())
    with pytest.raises(KeyboardInterrupt):
        run(experiment(), tmp_path / "parts", RunOptions(jobs=1, chunk_units=5), Impatient(after))
    again = run(experiment(), tmp_path / "parts", RunOptions(jobs=1), Watch())
    assert again.found >= after
    assert stored(tmp_path / "parts") == stored(tmp_path / "whole")
    assert read_traces(tmp_path / "parts") == read_traces(tmp_path / "whole")
    assert run(experiment(), tmp_path / "parts", RunOptions(jobs=1), Watch()).played == 0


def test_tables_report_and_status_have_the_estimate_after_stopping(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    config = tmp_path / "s.yaml"
    config.write_text(
        "name: s\ngame: klaverjas\ndeals: {set: klaverjas-given-1000, limit: 300}\n"
        "agents: {rule: {family: rule}, random: {family: random}}\nstop: {h1: 25}\n"
    )
    assert main(["run", str(config), "--jobs", "1", "--quiet"]) == 0
    capsys.readouterr()
    assert main(["run", str(config), "--jobs", "1"]) == 0
    said = capsys.readouterr().out
    (pair,) = read_traces(tmp_path / "reports" / "s")
    walk = pair.trace
    with Run(tmp_path / "reports" / "s") as results:
        _, margins = results.margins(results.pairings[0])
    naive = mean_difference(margins).mean
    assert walk.estimate is not None and walk.low < walk.estimate < walk.high  # type: ignore[operator]
    assert f"{walk.estimate:+.1f}" in said.replace("−", "-")
    page = (tmp_path / "reports" / "s" / "report.html").read_text(encoding="utf-8")
    assert f"{walk.estimate:+.1f}" in page and "<svg" in page and f"{naive:+.1f}" not in page
    found = json.loads((tmp_path / "reports" / "s" / "report.json").read_text())
    assert found["tests"][0]["trace"]["path"]
    assert (tmp_path / "reports" / "s" / "figures" / "walks.svg").stat().st_size > 5_000
    assert main(["status", "reports/s"]) == 0
    said = capsys.readouterr().out
    assert "s: complete" in said and f"{naive:+.1f}" not in said
    assert main(["compare", "reports/s", "random", "rule", "--json"]) == 0
    after = json.loads(capsys.readouterr().out)["after_stopping"]
    assert (after["estimate"], after["low"]) == (-walk.estimate, -walk.high)  # type: ignore[operator]
    assert main(["compare", "reports/s", "rule", "random"]) == 0
    assert f"after stopping  {walk.estimate:+.1f}" in capsys.readouterr().out.replace("−", "-")
    for words in (
        ["ratings", "reports/s"],
        ["compare", "reports/s", "reports/s", "rule", "random"],
    ):
        assert main(words) == 2
        assert "stopped when a sequential test decided" in capsys.readouterr().err
    assert main(["board"]) == 0
    assert "left out: reports/s: its pairings stopped" in capsys.readouterr().err


def test_a_stop_that_cannot_be_is_reported(tmp_path: Path) -> None:
    config = tmp_path / "s.yaml"
    text = (
        "name: s\ngame: klaverjas\ndeals: {set: klaverjas-given-1000, limit: 3}\n"
        "agents: {a: {family: rule}, b: {family: random}}\nstop: {h0: 5, h1: 5}\n"
    )
    config.write_text(text)
    with pytest.raises(ArenaError, match=r"s.yaml:5: stop.h1: expected more than h0 \(5\)"):
        load(config)
    config.write_text(text.replace("h1: 5", "h2: 5"))
    with pytest.raises(ArenaError, match="unknown key; allowed: alpha, beta, h0, h1"):
        load(config)


def test_somebody_who_watches_sees_the_ratio_between_its_bounds() -> None:
    rule = EachPairing(STOP, [("a", "b"), ("a", "c")])
    assert rule.wanted([[], []]) == [64, 64]
    assert rule.words() == []
    rng = np.random.default_rng(3)

    def games(mean: float) -> list[tuple[Game, ...]]:
        return [(Game(0, margin, 0, 0, 1, 0),) for margin in rng.normal(mean, 60, 64)]

    assert rule.wanted([games(12.5), games(60.0)]) == [80, 64]
    going, decided = rule.words()
    assert going.startswith("a - b: 64 deals, likelihood ratio") and "left" in going
    assert decided.endswith("decided: H1")


def test_a_walk_is_judged_in_order_and_not_beyond_its_stop() -> None:
    rng = np.random.default_rng(5)
    values = rng.normal(40, 50, 500)
    whole = trace_of(values, STOP)
    assert whole.decision == "H1" and whole.n < 100
    # What was played beyond the decision changes nothing; the pilot is what the test knows.
    assert trace_of(values[:100], STOP) == whole
    assert whole.path[-1] == (whole.n, round(whole.ratio, 4))
