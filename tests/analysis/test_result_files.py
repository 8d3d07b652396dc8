"""Results from elsewhere: the same numbers whatever the form of the file, mistakes in one line."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from arena.analysis.comparison import compare_agents
from arena.analysis.result_files import ResultColumns, read_result_file
from arena.analysis.standings import make_standings
from arena.cli import main
from arena.core.errors import ArenaError


def scores(units: int = 60) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    hard = rng.normal(0, 5, units)
    agents = {"base": 0.0, "better": 1.0, "same": 0.0}
    columns = {name: hard + gain + rng.normal(0, 1, units) for name, gain in agents.items()}
    return pd.DataFrame({"unit": [f"t{i:02}" for i in range(units)], **columns})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("results")
    wide = scores()
    wide.to_csv(path / "wide.csv", index=False)
    long = wide.melt("unit", var_name="model", value_name="points")
    long.to_parquet(path / "long.parquet")
    twice = pd.concat([long.assign(epoch=1, points=long.points - 1), long.assign(epoch=2)])
    twice.assign(points=np.where(twice.epoch == 2, twice.points + 1, twice.points)).to_csv(
        path / "epochs.csv", index=False
    )
    pairs = [
        {"unit": row["unit"], "agent": a, "opponent": b, "score": row[a] - row[b]}
        for _, row in wide.iterrows()
        for a, b in (("base", "better"), ("same", "better"), ("same", "base"))
    ]
    pd.DataFrame(pairs).to_csv(path / "pairs.csv", index=False)
    return path


LONG = ResultColumns(agent="model", score="points")
FORMS = {
    "wide.csv": ResultColumns(),
    "long.parquet": LONG,
    "epochs.csv": ResultColumns(agent="model", score="points", repeat="epoch"),
    "pairs.csv": ResultColumns(opponent="opponent"),
}


@pytest.mark.parametrize("name", FORMS)
def test_every_form_gives_the_paired_t_test_and_the_same_standings(folder: Path, name: str) -> None:
    wide = scores()
    found = read_result_file(folder / name, FORMS[name])
    compared = compare_agents(found.results, "better", "base").statistics
    known = stats.ttest_rel(wide.better, wide.base)
    assert compared.mean == pytest.approx((wide.better - wide.base).mean())
    assert compared.p == pytest.approx(known.pvalue)
    standings = make_standings(found.results)
    letters = {agent.name: agent.letters for agent in standings.agents}
    assert letters == {"better": "a", "same": "b", "base": "b"}
    field = (wide.base + wide.better + wide.same).mean() / 3
    rating = next(agent.rating for agent in standings.agents if agent.name == "better")
    assert rating is not None and rating.value == pytest.approx(wide.better.mean() - field)


def test_fewer_points_can_be_better_and_shares_are_percentage_points(folder: Path) -> None:
    columns = ResultColumns(agent="model", score="points", lower_is_better=True, percent=True)
    found = read_result_file(folder / "long.parquet", columns)
    difference = 100 * (scores().base - scores().better).mean()
    assert found.results.pair("better", "base").margins.mean() == pytest.approx(difference)


def test_a_missing_score_is_counted_and_never_filled_in(tmp_path: Path) -> None:
    file = tmp_path / "r.csv"
    file.write_text("unit,a,b\n1,3,2\n2,5,\n3,4,1\n4,2,2\n")
    found = read_result_file(file)
    assert found.results.pair("a", "b").units == ("1", "3", "4")
    assert found.missing == {"b": 1} and "b has no score for 1 of 3" in found.notes[0]


MISTAKES = {
    "unit,agent,score\n1,a,x\n": ":2: score 'x' is not a finite number",
    "unit,agent,score\n1,2,a,1\n": ":2: more cells than the header has columns",
    "unit,agent,score\n1,a,1e308\n1,b,-1e308\n": ":2: score '1e308': at most ±1e+50",
    "unit,agent,score\n1,a,inf\n1,b,2\n": ":2: score 'inf' is not a finite number",
    "unit,agent,score\n1,a,1\n1,b,2\n1,a,3\n": ":4: 1 a comes twice; --repeat COLUMN distinguishes",
    "unit,agent,score\n1,a,1\n,b,2\n": ":3: no unit",
    "unit,agent,score\n1,a,1\n2,b,2\n": "no two agents have a unit in common",
    "unit,agent,score\n1,a,1\n": "only one agent, a",
    "unit,agent\n1,a\n": "which column is the score? say --score (columns: unit, agent)",
    "task,a,b\n1,2,3\n": "which column is the unit? say --unit (columns: task, a, b)",
    "unit,a,b\n": "no rows",
    "": "not a table",
    "unit,a\n1,2,3,4\n1,2,3,4,5\n": "not a table",
}


@pytest.mark.parametrize("text", MISTAKES)
def test_a_mistake_is_one_line(tmp_path: Path, text: str) -> None:
    file = tmp_path / "r.csv"
    file.write_text(text)
    with pytest.raises(ArenaError) as caught:
        read_result_file(file)
    assert MISTAKES[text] in str(caught.value) and "\n" not in str(caught.value)


def test_an_unknown_column_has_its_near_miss(folder: Path) -> None:
    with pytest.raises(ArenaError, match=r"no column 'modl' .--agent.; did you mean 'model'"):
        read_result_file(folder / "epochs.csv", ResultColumns(agent="modl"))


def test_the_commands(folder: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = str(folder / "wide.csv")
    assert main(["compare", file]) == 0
    assert "score rating" in capsys.readouterr().out
    assert main(["compare", file, "better", "base", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["unit"] == "unit"
    assert main(["compare", file, "better", "nobody"]) == 2
    assert "no agent 'nobody'" in capsys.readouterr().err
    assert main(["report", file, "--out", str(tmp_path)]) == 0
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["source"]["rows"] == 60 and "provenance" not in report
    page = (tmp_path / "report.html").read_text()
    assert "the strongest" in page and "time per decision</th>" not in page
    assert "seating" not in (tmp_path / "report.md").read_text().split("|")[0]


def test_columns_are_for_files_only(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "run", "a", "b", "--score", "x"]) == 2
    assert "--score is for CSV and Parquet files" in capsys.readouterr().err


def test_what_pandas_notes_in_a_parquet_file_is_not_needed(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pyarrow
    from pyarrow import parquet

    long = pd.read_parquet(folder / "long.parquet")
    columns = ResultColumns(agent="model", score="points")
    expected = read_result_file(folder / "long.parquet", columns).results.pairs[0].margins
    damaged = pyarrow.Table.from_pandas(long).replace_schema_metadata({"pandas": "{}"})
    parquet.write_table(damaged, tmp_path / "damaged.parquet")
    long.set_index("unit").to_parquet(tmp_path / "index.parquet")
    long.set_axis(np.arange(len(long)) ** 2).to_parquet(tmp_path / "unnamed.parquet")
    for name in ("damaged", "index", "unnamed"):
        found = read_result_file(tmp_path / f"{name}.parquet", columns)
        np.testing.assert_array_equal(found.results.pairs[0].margins, expected)
    monkeypatch.setattr("arena.analysis.result_files._MOST_CELLS", 100)
    with pytest.raises(ArenaError, match="540 cells; at most 100 are read"):
        read_result_file(folder / "long.parquet", columns)
