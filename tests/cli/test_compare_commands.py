"""`arena compare`, `ratings`, `compare-runs`, `plan` and `calibrate` as people type them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers.experiments import make_experiment, play
from helpers.report_runs import klaverjas
from scipy import stats

from arena.api.progress import Progress
from arena.cli import main
from arena.cli.options import find_set, make_rules
from arena.core.deals import DealSet
from arena.measure.calibrate.real_play import SelfPlay
from arena.store import Run

CONFIG = """\
name: planned
game: {name: klaverjas}
deals: {set: klaverjas-given-1000, limit: 40}
agents: {random: {family: random}, semi: {family: semi-random}}
seed: 3
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(klaverjas(tmp_path_factory.mktemp("compare") / "run"))


def output(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(list(words)) == 0
    return capsys.readouterr().out


def test_compare_as_json(folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(output(capsys, "compare", folder, "open", "any", "--json"))
    with Run(folder) as run:
        frame = run.deals()
    pair = frame[(frame["first"] == "any") & (frame["second"] == "open")]
    margins = -pair["margin"].to_numpy()
    interval = stats.ttest_1samp(margins, 0).confidence_interval(0.95)
    assert found["n"] == len(margins) == 16
    assert found["mean"] == pytest.approx(margins.mean())
    assert (found["low"], found["high"]) == pytest.approx((interval.low, interval.high))
    assert found["p"] == pytest.approx(stats.ttest_1samp(margins, 0).pvalue)
    assert found["wilcoxon"]["n"] == 16


def test_compare_for_people(folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = output(capsys, "compare", folder, "open", "any", "--equal-within", "200")
    assert text.startswith("open against any, 16 deals\n")
    assert "equal within 200.0 points" in text
    assert "(Mann-Whitney)" in text


def test_one_margin_on_all_deals_has_a_sign_test(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = "".join(f"d{deal},a,b,162\n" for deal in range(12))
    (tmp_path / "same.csv").write_text(f"unit,agent,opponent,score\n{rows}")
    out = output(capsys, "compare", str(tmp_path / "same.csv"), "a", "b", "--opponent", "opponent")
    assert "p < 0.001 (sign test, these two alone)" in out
    assert "All 12 deals have the same margin 162: no variance, so no interval." in out


def test_compare_names_the_near_miss(folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", folder, "open", "lowst"]) == 2
    error = capsys.readouterr().err
    assert "no agent 'lowst'; did you mean 'lowest'?" in error
    assert error.count("\n") == 1


def test_compare_refuses_an_impossible_bound(
    folder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", folder, "open", "any", "--equal-within", "-3"]) == 2
    assert "--equal-within -3.0" in capsys.readouterr().err


def test_several_runs_are_pooled_or_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for seed in (1, 2):
        play(make_experiment(6, seed=seed), tmp_path / str(seed))
    play(make_experiment(5), tmp_path / "other")
    runs = [str(tmp_path / name) for name in ("1", "2")]
    found = json.loads(output(capsys, "compare", *runs, "any", "lowest", "--json"))
    assert found["n"] == 6
    assert found["runs"] == runs
    assert main(["ratings", runs[0], str(tmp_path / "other")]) == 2
    assert "cannot be pooled: deals: made (made-6) and made (made-5)" in capsys.readouterr().err


def test_ratings(folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = output(capsys, "ratings", folder)
    assert text.splitlines()[1].split()[2] == "open"
    found = json.loads(output(capsys, "ratings", folder, "--json"))
    values = [agent["rating"]["value"] for agent in found["agents"]]
    assert values == sorted(values, reverse=True)
    assert sum(values) == pytest.approx(0, abs=1e-9)
    for each in found["comparisons"]:
        if each["low"] is not None:
            assert each["different"] == (each["low"] > 0 or each["high"] < 0)


def test_ratings_with_an_anchor_and_a_bootstrap(
    folder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("ratings", folder, "--anchor", "any", "--bootstrap", "200", "--json")
    once, again = (json.loads(output(capsys, *words)) for _ in range(2))
    assert once == again
    (anchor,) = [agent for agent in once["agents"] if agent["name"] == "any"]
    assert (anchor["rating"]["value"], anchor["elo"]["value"]) == (0.0, 0.0)
    assert main(["ratings", folder, "--anchor", "anny"]) == 2
    assert "did you mean 'any'?" in capsys.readouterr().err


def test_compare_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for seed in (1, 2):
        play(make_experiment(6, seed=seed), tmp_path / str(seed))
    runs = [str(tmp_path / str(seed)) for seed in (1, 2)]
    text = output(capsys, "compare-runs", *runs)
    assert "no agent changed: nothing to test" in text and "not tested" in text
    assert "seed: 1 and 2" in text
    found = json.loads(output(capsys, "compare-runs", *runs, "--json"))
    changes = {agent["name"]: agent["change"]["mean"] for agent in found["agents"]}
    assert changes["any"] == pytest.approx(-changes["lowest"])
    same = output(capsys, "compare-runs", runs[0], runs[0])
    assert "All 6 deals have margin 0" in same


@pytest.fixture
def planned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("x.yaml").write_text(CONFIG)
    return "x.yaml"


def test_plan_from_a_pilot(planned: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(output(capsys, "plan", planned, "--detect", "20", "--pilot", "12", "--json"))
    (pair,) = found["pairs"]
    assert found["source"] == "a pilot of 12 deals"
    assert pair["sd"]["n"] == 12
    # The normal approximation of the sample size, within its error.
    z = stats.norm.ppf(0.975) + stats.norm.ppf(0.8)
    assert pair["least"]["deals"] == pytest.approx(
        (z * pair["sd"]["sd"] / 20) ** 2, rel=0.05, abs=4
    )
    assert pair["needed"]["deals"] > pair["least"]["deals"]
    power = found["curve"]["power"]
    assert power[0][0] < power[0][1] < power[0][2]
    assert power[0][0] < power[2][0] < power[4][0]
    assert not Path("reports").exists()


def test_plan_at_a_strict_level_has_numbers(
    planned: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("plan", planned, "--detect", "20", "--pilot", "12", "--alpha", "0.0001")
    found = json.loads(output(capsys, *words, "--power", "0.99", "--json"))
    (pair,) = found["pairs"]
    z = stats.norm.ppf(1 - 0.00005) + stats.norm.ppf(0.99)
    assert pair["least"]["deals"] == pytest.approx((z * pair["sd"]["sd"] / 20) ** 2, rel=0.1, abs=8)


def test_plan_from_stored_results(planned: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", planned, "--jobs", "1", "--quiet", "--no-report"]) == 0
    text = output(capsys, "plan", planned, "--detect", "5")
    assert "from stored results in reports/planned" in text
    assert "too few" in text


def test_plan_refuses_nonsense(planned: str, capsys: pytest.CaptureFixture[str]) -> None:
    for wrong in (["--detect", "0"], ["--detect", "5", "--pilot", "2"]):
        with pytest.raises(SystemExit) as stop:
            main(["plan", planned, *wrong])
        assert stop.value.code == 2
    assert "--pilot: must be at least 4, found 2" in capsys.readouterr().err


def test_the_command_in_a_report_repeats_the_run(
    planned: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", planned, "--jobs", "1", "--quiet"]) == 0
    report: dict[str, Any] = json.loads(Path("reports/planned/report.json").read_text())
    words = report["provenance"]["command"].split()
    assert words[:2] == ["arena", "run"]
    config = f"reports/planned/{words[2]}"
    assert main(["run", config, *words[3:], "--jobs", "1", "--quiet", "--no-report"]) == 0
    with Run("reports/planned") as first, Run("again") as second:
        assert first.deals().equals(second.deals())
        assert first.manifest.config_sha256 == second.manifest.config_sha256
    assert not Path("again/report.html").exists()


def test_an_agent_against_itself_is_even() -> None:
    deals = DealSet.load(find_set("klaverjas-given-1000"))
    twins = SelfPlay("random", deals, make_rules(deals.game, {}), Progress("deals", quiet=True))
    margins = twins.once(40, seed=5)
    assert margins.shape == (40,)
    assert (margins == twins.once(40, seed=5)).all()
    # The whole set once, then again with another seed: other games.
    assert (margins != twins.once(40, seed=6)).any()
    assert stats.ttest_1samp(margins, 0).pvalue > 0.001


@pytest.mark.long
def test_calibrate_on_real_deals(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["calibrate", "real", "--quick", "--deals", "klaverjas-given-1000", "--json"]
    assert main(words) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["kept"] is True
    names = [promise["what"] for promise in found["promises"]]
    assert "false positives, paired t, random against itself" in names
    assert all(promise["measured"]["zero_share"] is not None for promise in found["promises"])


# --- through a third ---------------------------------------------------------------------


def test_agents_that_never_met_are_compared_through_a_third(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "sweep.yaml"
    config.write_text(
        CONFIG.replace("planned", "sweep").replace(
            "agents: {random: {family: random}, semi: {family: semi-random}}",
            "agents:\n  random: {family: random}\n"
            "  semi: {family: semi-random, grid: {better: [true, false]}}\n"
            "schedule: {type: gauntlet, against: [random]}",
        )
    )
    folder = str(tmp_path / "run")
    assert main(["run", str(config), "--jobs", "1", "--out", folder, "--no-report", "--quiet"]) == 0
    capsys.readouterr()
    first, second = "semi-better=true", "semi-better=false"

    assert main(["compare", folder, first, second]) == 2
    error = capsys.readouterr().err
    assert "did not play each other" in error
    assert "--through random" in error
    assert error.count("\n") == 1

    found = json.loads(
        output(capsys, "compare", folder, first, second, "--through", "random", "--json")
    )
    with Run(folder) as run:
        frame = run.deals()
    sign = frame["second"].eq("random") * 2 - 1
    agent = frame["first"].where(frame["second"] == "random", frame["second"])
    frame = frame.assign(agent=agent, margin=sign * frame["margin"])
    wide = frame.pivot(index="unit", columns="agent", values="margin")
    test = stats.ttest_rel(wide[first], wide[second])
    assert found["n"] == 40
    assert found["mean"] == pytest.approx((wide[first] - wide[second]).mean())
    assert found["p"] == pytest.approx(test.pvalue)
    assert (found["low"], found["high"]) == pytest.approx(tuple(test.confidence_interval(0.95)))

    text = output(capsys, "compare", folder, first, second, "--through", "random")
    assert text.startswith(f"{first} against {second}, through random, 40 deals\n")
    assert "difference of margins, points per deal" in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("open", "open"), "cannot be compared with itself"),
        (("open", "any", "--through", "open"), "cannot be compared with itself"),
        (("open", "any", "--through", "lowst"), "did you mean 'lowest'?"),
    ],
)
def test_a_comparison_that_makes_no_sense_is_refused(
    folder: str, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], message: str
) -> None:
    assert main(["compare", folder, *words]) == 2
    assert message in capsys.readouterr().err
