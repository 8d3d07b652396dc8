"""`arena solve --set`: the same file whatever the workers, and after a kill."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.api.solved_sets import solve_set
from arena.cli import main
from arena.core.deals import DealSet
from arena.core.errors import ArenaError
from arena.games.klaverjas import Klaverjas

RULES = Klaverjas()


@pytest.fixture
def deals(tmp_path: Path) -> DealSet:
    made = tmp_path / "few.csv"
    words = ["--game", "klaverjas", "--count", "4", "--seed", "5", "--out", str(made)]
    assert main(["deals", "make", *words]) == 0
    return DealSet.load(made)


def test_workers_change_nothing(deals: DealSet, tmp_path: Path) -> None:
    one, two = tmp_path / "one.csv", tmp_path / "two.csv"
    solve_set(deals, RULES, one, nodes=2000, jobs=1)
    solve_set(deals, RULES, two, nodes=2000, jobs=2)
    assert one.read_bytes() == two.read_bytes()
    lines = one.read_text().splitlines()
    assert lines[0] == "deal,trump,declarer,seat,card,low,high"
    assert len(lines) == 1 + 4 * 8
    assert not list(tmp_path.glob("*.part"))


def test_a_killed_call_goes_on(
    deals: DealSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, out = tmp_path / "whole.csv", tmp_path / "cut.csv"
    solve_set(deals, RULES, whole, nodes=2000, jobs=1)
    solved = []

    def stop(done: int, total: int) -> None:
        solved.append(done)
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solve_set(deals, RULES, out, nodes=2000, jobs=1, progress=stop)
    part = tmp_path / "cut.csv.part"
    part.write_text(part.read_text() + '["half a li')
    assert not out.exists()
    with pytest.raises(ArenaError, match="other deals or options; remove it"):
        solve_set(deals, RULES, out, nodes=3000, jobs=1)
    assert solve_set(deals, RULES, out, nodes=2000, jobs=1) == 2
    assert out.read_bytes() == whole.read_bytes()


@pytest.mark.parametrize(
    "line", [b"{", b"[]", b"\xff", b'["x", [[1]]]', b'[["x"], []]', b"[" * 999]
)
def test_a_damaged_line_is_named(line: bytes, deals: DealSet, tmp_path: Path) -> None:
    out = tmp_path / "new" / "x.csv"
    with pytest.raises(KeyboardInterrupt):
        solve_set(deals, RULES, out, nodes=100, jobs=1, progress=_interrupt)
    part = tmp_path / "new" / "x.csv.part"
    part.write_bytes(part.read_bytes() + line + b"\n")
    with pytest.raises(ArenaError, match=r"x.csv.part:2: damaged"):
        solve_set(deals, RULES, out, nodes=100, jobs=1)


def _interrupt(done: int, total: int) -> None:
    raise KeyboardInterrupt


def test_another_declarer(deals: DealSet, tmp_path: Path) -> None:
    out = tmp_path / "south.csv"
    solve_set(deals, RULES, out, declarer="S", nodes=500, jobs=1)
    rows = [line.split(",") for line in out.read_text().splitlines()[1:]]
    assert {row[2] for row in rows} == {"S"}
    assert {row[1] for row in rows} == {"CDHS"[deal.trump] for deal in deals.deals}


def test_all_declarers(deals: DealSet, tmp_path: Path) -> None:
    out = tmp_path / "all.csv"
    solve_set(deals, RULES, out, declarer="all", nodes=100, jobs=1)
    rows = [line.split(",") for line in out.read_text().splitlines()[1:]]
    assert len(rows) == 4 * 4 * 8
    assert {row[2] for row in rows} == set("NESW")


def test_parquet_has_the_same_rows(deals: DealSet, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="an extra")
    for name in ("values.csv", "values.parquet"):
        solve_set(deals, RULES, tmp_path / name, nodes=500, jobs=1)
    rows = parquet.read_table(tmp_path / "values.parquet").to_pylist()
    text = (tmp_path / "values.csv").read_text().splitlines()[1:]
    assert [",".join(map(str, row.values())) for row in rows] == text


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--set", "klaverjas-given-1000"], "say --out"),
        (["--set", "klaverjas-given-1000", "--out", "x.txt"], "ends in .csv or .parquet"),
        (["--set", "schieber-1000", "--out", "x.csv"], "name the trump"),
        ([], "what is to be solved?"),
        (
            ["--set", "klaverjas-given-1000", "--out", "x.csv", "--seconds", "1"],
            "--seconds does not go with --set",
        ),
    ],
)
def test_mistakes_are_one_line(
    capsys: pytest.CaptureFixture[str], words: list[str], why: str
) -> None:
    assert main(["solve", *words]) == 2
    said = capsys.readouterr().err
    assert why in said and said.count("\n") == 1
