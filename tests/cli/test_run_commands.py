"""`arena run`, `status`, `export` and `replay` as people type them."""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from helpers.experiments import AGENTS, Trouble

from arena.api.progress import Progress
from arena.cli import main
from arena.config.loader import load
from arena.report import write_report
from arena.report.context import Context
from arena.report.words import interval, signed
from arena.store import Run
from arena.tournament.run import RunOptions
from arena.tournament.run import run as play

CONFIG = """\
name: small
game: {game}
deals: {{set: {deals}, limit: {limit}}}
agents: {agents}
schedule: {{type: round-robin}}
seed: 3
{more}
"""
THREE = "{random: {family: random}, semi: {family: semi-random}, rule: {family: rule}}"
TWO = "{random: {family: random}, other: {family: random, twin: 2}}"


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    monkeypatch.chdir(tmp_path)

    def write(
        game: str = "{name: klaverjas}",
        deals: str = "klaverjas-given-1000",
        limit: int = 6,
        agents: str = THREE,
        more: str = "",
    ) -> str:
        text = CONFIG.format(game=game, deals=deals, limit=limit, agents=agents, more=more)
        (tmp_path / "x.yaml").write_text(text)
        return "x.yaml"

    return write


@pytest.fixture
def trouble(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(AGENTS._added, "trouble", Trouble)


def test_run_shows_standings_comparisons_and_times(
    config: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", config(), "--jobs", "1", "--no-report"]) == 0
    shown = capsys.readouterr().out
    for title in ("points per deal", "simultaneous 95% interval", "rounds won", "median"):
        assert title in shown
    for name in ("random", "semi", "rule", "rule +random", "time per decision"):
        assert re.search(rf"^([\d–() ]+)?{name}\b", shown, re.MULTILINE)
    assert "CPU seconds; results in reports/small" in shown
    assert main(["run", "x.yaml", "--no-report"]) == 0
    again = capsys.readouterr().out
    assert again.startswith("all 18 deals were stored before in reports/small")
    assert again.endswith(shown)


def test_the_tables_say_what_is_stored(
    config: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", config(limit=40, agents=TWO), "--jobs", "1", "--no-report"]) == 0
    shown = capsys.readouterr().out
    assert main(["ratings", "reports/small", "--meetings"]) == 0
    meetings = capsys.readouterr().out
    with Run("reports/small") as results:
        deals, rounds = results.deals(), results.rounds()
    mean, half = deals["margin"].mean(), 2.0227 * deals["margin"].std() / 40**0.5
    margins = deals["margin"]
    tally = f"{(margins > 0).sum()}–{(margins == 0).sum()}–{(margins < 0).sum()}"
    pair = ("random", "other")
    if mean < 0:  # the one that is ahead is named first
        pair, mean, tally = pair[::-1], -mean, "–".join(reversed(tally.split("–")))
    limits = f"{re.escape(signed(mean))} +{interval(mean - half, mean + half)}"
    assert re.search(rf"^{pair[0]} +{pair[1]} +{limits} ", shown, re.MULTILINE)
    row = rf"^{pair[0]} – {pair[1]} +40 +{limits} +{tally} "
    assert re.search(row, meetings, re.MULTILINE) and not re.search(row, shown, re.MULTILINE)
    won = ((rounds["margin"] > 0) + 0.5 * (rounds["margin"] == 0)).mean()
    assert re.search(rf"^\d.* random .* {100 * won:.1f}% ", shown, re.MULTILINE)
    assert f"{rounds['score_first'].mean():.1f}" in shown


def test_quiet_says_nothing(config: Callable[..., str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", config(), "--jobs", "1", "--quiet", "--no-report"]) == 0
    assert capsys.readouterr() == ("", "")


def test_status_tells_how_far_it_is(
    config: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    main(["run", config(), "--jobs", "1", "--quiet", "--no-report"])
    assert main(["status", "reports/small"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("small: complete\n")
    assert re.search(r"^random - semi +6 +6 ", shown, re.MULTILINE)


def test_exports_agree(
    config: Callable[..., str], capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    main(["run", config(), "--jobs", "1", "--quiet", "--no-report"])
    assert main(["export", "reports/small"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsysbinary.readouterr().out.decode())))
    assert len(rows) == 3 * 6 * 2
    keys = [(row["first"], row["second"], row["deal"], row["seating"]) for row in rows]
    assert len(set(keys)) == len(keys)
    assert main(["export", "reports/small", "--format", "parquet", "--output", "x.parquet"]) == 0
    frame = pd.read_parquet("x.parquet")
    assert list(frame.columns) == list(rows[0])
    assert list(frame["margin"]) == [float(row["margin"]) for row in rows]
    assert main(["export", "reports/small", "--format", "jsonl", "--output", "x.jsonl"]) == 0
    records = [json.loads(line) for line in Path("x.jsonl").read_text().splitlines()]
    for row, record in zip(rows, records, strict=True):
        assert record["deal"] == row["deal"]
        assert [play["card"] for play in record["plays"]] == row["actions"].split()
        assert " ".join(str(record["final"][side]) for side in ("NS", "EW")) == row["scores"]
    main(["export", "reports/small", "--no-times"])
    header = capsysbinary.readouterr().out.decode().splitlines()[0]
    assert "seconds" not in header


@pytest.mark.parametrize(
    ("game", "deals", "more"),
    [
        ("{name: klaverjas, bidding: classical}", "klaverjas-bidding-1000", ""),
        ("{name: klaverjas, bidding: classical-redeal}", "klaverjas-bidding-1000", ""),
        ("{name: klaverjas, bidding: utrecht}", "klaverjas-bidding-1000", "match: {rounds: 3}"),
        ("{name: schieber, weis: true, stoeck: true}", "schieber-1000", ""),
        ("{name: hearts}", "hearts-1000", ""),
        ("{name: hearts, passing: left}", "hearts-1000", "placements: alternating"),
        ("{name: hearts, passing: rotate}", "hearts-1000", "match: {rounds: 5}"),
    ],
)
def test_what_is_exported_can_be_verified(
    config: Callable[..., str],
    capsys: pytest.CaptureFixture[str],
    game: str,
    deals: str,
    more: str,
) -> None:
    path = config(game, deals, 10, TWO, more)
    assert main(["run", path, "--jobs", "1", "--quiet", "--no-report"]) == 0
    assert main(["export", "reports/small", "--format", "jsonl", "--output", "x.jsonl"]) == 0
    assert main(["verify", "x.jsonl"]) == 0
    assert any(line.endswith(" 0 mismatches") for line in capsys.readouterr().out.splitlines())


def test_replay_shows_the_round_as_it_was_played(
    config: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    main(["run", config(), "--jobs", "1", "--quiet", "--no-report"])
    with Run("reports/small") as results:
        row = (
            results.rounds().query("first == 'semi' and second == 'rule' and seating == 1").iloc[0]
        )
    command = ["replay", "reports/small", row["deal"], "--pair", "rule", "semi", "--seating", "1"]
    assert main(command) == 0
    shown = capsys.readouterr().out
    assert f"seating 1: N {'rule' if row['seats'][0] == 'B' else 'semi'}" in shown
    done = re.findall(r"→ (\S+)", shown)
    symbols = dict(zip("CDHS", "♣♦♥♠", strict=True))
    expected = [symbols[c[0]] + c[1].replace("T", "10") for c in row["actions"].split()]
    assert done == expected
    assert [int(n) for n in re.findall(r"^(?:NS|EW) .* (\d+)$", shown, re.MULTILINE)] == [
        int(n) for n in row["scores"].split()
    ]
    assert "\x1b" not in shown
    assert main([*command, "--colour", "always"]) == 0
    assert "\x1b[31m♥" in capsys.readouterr().out


def test_replay_at_a_decision_shows_what_the_player_knew(
    config: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    main(["run", config(), "--jobs", "1", "--quiet", "--no-report"])
    with Run("reports/small") as results:
        replay = next(results.replays(results.pairings[0]))
        rules = results.rules
    state = rules.start(replay.deal)
    for action in replay.record.actions[:18]:
        rules.apply(state, action)
    assert main(["replay", "reports/small", replay.record.deal, "--at", "18"]) == 0
    shown = capsys.readouterr().out
    assert len(re.findall("→", shown)) == 18
    assert f"{'NESW'[state.turn]} {replay.seats[state.turn]} to play, and knows:" in shown
    assert "may do" in shown
    assert "unseen" in shown


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere", "x"], "nowhere: there is no such run here or in reports/"),
        (["reports/small", "klaverjas-given-000"], "no deal 'klaverjas-given-000'; did you mean"),
        (["reports/small", "klaverjas-given-0001", "--seating", "2"], "allowed: 0 to 1"),
        (["reports/small", "klaverjas-given-0001", "--pair", "rul", "semi"], "did you mean 'rule'"),
        (["reports/small", "klaverjas-given-0001", "--at", "99"], "has actions 0 to 31"),
    ],
)
def test_replay_says_what_is_wrong(
    config: Callable[..., str],
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    message: str,
) -> None:
    main(["run", config(), "--jobs", "1", "--quiet", "--no-report"])
    assert main(["replay", *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_a_model_that_is_not_there_is_reported_before_anything_is_written(
    config: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    agents = "{a: {family: random}, b: {family: ismcts, beliefs: {kind: network, model: none.npz}}}"
    for command in (["validate"], ["run", "--jobs", "1"]):
        assert main([*command, config(agents=agents)]) == 2
        error = capsys.readouterr().err
        assert "x.yaml:4: agents.b.beliefs.model: none.npz: not a model" in error
        assert error.count("\n") == 1
    assert not Path("reports").exists()


def test_a_folder_without_results_belongs_to_nobody(
    config: Callable[..., str], tmp_path: Path
) -> None:
    """As a run leaves it that ends before its first deal."""
    folder = tmp_path / "reports" / "small"
    folder.mkdir(parents=True)
    (folder / "config.resolved.yaml").write_text("name: other\n")
    assert main(["run", config(limit=2), "--jobs", "1", "--no-report", "--quiet"]) == 0
    with Run(folder) as run:
        assert run.config["name"] == "small"


def test_a_changed_config_is_refused_and_fresh_starts_over(
    config: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    main(["run", config(), "--jobs", "1", "--quiet", "--no-report"])
    changed = ["run", "x.yaml", "--jobs", "1", "--quiet", "--no-report"]
    changed += ["--set", "deals.limit=4"]
    assert main(changed) == 2
    assert "deals.limit: 6 there, 4 here" in capsys.readouterr().err
    assert main([*changed, "--fresh"]) == 0
    with Run("reports/small") as results:
        assert len(results.deals()) == 3 * 4
    assert main([*changed, "--out", "elsewhere"]) == 0


@pytest.mark.usefixtures("trouble")
@pytest.mark.parametrize("what", ["crash", "card"])
def test_a_fault_stops_the_run_and_can_be_seen_again(
    config: Callable[..., str], capsys: pytest.CaptureFixture[str], what: str
) -> None:
    agents = f"{{bad: {{family: trouble, what: {what}, trick: 2}}, rule: {{family: rule}}}}"
    assert main(["run", config(agents=agents), "--jobs", "1", "--no-report"]) == 1
    error = capsys.readouterr().err.strip().splitlines()[-1]
    assert error.startswith("arena: stopped: bad (seat ")
    assert "seed 3" in error
    command = shlex.split(error.partition("see it: arena ")[2])
    assert main(command) == 0
    shown = capsys.readouterr().out
    assert "and knows:" in shown
    assert ("raised ValueError: out of cards" if what == "crash" else "played") in shown
    log = Path("reports/small/log.txt").read_text()
    assert "fault: bad" in log
    assert ("Traceback" in log) == (what == "crash")
    assert main(["status", "reports/small"]) == 0
    assert "stopped, not complete" in capsys.readouterr().out


@pytest.mark.usefixtures("trouble")
def test_a_forfeit_costs_the_deal_and_is_reported(
    config: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    agents = "{bad: {family: trouble, trick: 2}, rule: {family: rule}}"
    path = config(agents=agents, more="on_fault: forfeit")
    assert main(["run", path, "--jobs", "1", "--no-report"]) == 0
    assert (
        "bad was at fault in every deal it played (6). The first time: bad (seat"
        in capsys.readouterr().out
    )
    with Run("reports/small") as results:
        deals, rounds = results.deals(), results.rounds()
        worst, _ = results.rules.margin_bounds
    assert (deals["margin"] == worst).all()
    assert (rounds["forfeit"] == "bad").all()
    assert main(["export", "reports/small", "--format", "jsonl", "--output", "x.jsonl"]) == 0
    assert "12 rounds that a fault cut short were left out" in capsys.readouterr().err
    assert main(["replay", "reports/small", rounds["deal"][0]]) == 0
    assert "fault: crash: seat" in capsys.readouterr().out


@pytest.mark.usefixtures("trouble")
def test_forfeiting_one_seating_loses_the_whole_deal(config: Callable[..., str]) -> None:
    agents = "{rule: {family: rule}, bad: {family: trouble, trick: 2, first_card: 12}}"
    path = config(agents=agents, limit=40, more="on_fault: forfeit")
    assert main(["run", path, "--jobs", "1", "--quiet", "--no-report"]) == 0
    with Run("reports/small") as results:
        deals, rounds = results.deals().set_index("unit"), results.rounds()
        best = -results.rules.margin_bounds[0]
    forfeits = rounds[rounds["forfeit"] != ""]
    assert 0 < len(forfeits) < len(rounds)
    assert set(forfeits["forfeit"]) == {"bad"}
    assert (forfeits["margin"] == best).all()
    one_of_two = deals[deals["forfeits_second"] == 1]
    assert len(one_of_two)
    assert (one_of_two["margin"] == best).all()
    assert (deals[deals["forfeits_second"] == 0]["margin"] < best).all()


def test_a_report_of_fewer_deals_is_not_presented_as_that_of_all(
    config: Callable[..., str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    experiment = load(config(agents=TWO))
    shorter = replace(experiment, deals=experiment.deals[:3])
    play(shorter, Path("reports/small"), RunOptions(jobs=1), Progress("deals", True))
    assert main(["report", "reports/small"]) == 0
    page = tmp_path / "reports/small/report.html"
    assert "3 deals per pair" in page.read_text()
    assert main(["run", "x.yaml", "--jobs", "1", "--quiet", "--no-report"]) == 0
    assert main(["verify", "reports/small"]) == 0
    assert "report.html: is of other results" in capsys.readouterr().out
    assert main(["run", "x.yaml", "--jobs", "1"]) == 0
    assert "report in reports/small/report.html" in capsys.readouterr().out
    assert "6 deals per pair" in page.read_text()
    written = page.stat().st_mtime_ns
    assert main(["run", "x.yaml", "--jobs", "1"]) == 0
    assert page.stat().st_mtime_ns == written, "nothing has changed"
    assert main(["verify", "reports/small"]) == 0
    assert "is of other results" not in capsys.readouterr().out


def test_nobody_starts_over_while_the_report_is_made(
    config: Callable[..., str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    codes = []

    def write_while_another_tries(context: Context, path: Path) -> None:
        codes.append(main(["run", "x.yaml", "--fresh", "--no-report"]))
        write_report(context, path)

    monkeypatch.setattr("arena.cli.end_of_run.write_report", write_while_another_tries)
    assert main(["run", config(agents=TWO), "--jobs", "1", "--quiet"]) == 0
    assert codes == [2]
    assert "another run is writing here" in capsys.readouterr().err
    assert Path("reports/small/report.html").is_file()
