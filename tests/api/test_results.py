"""`arena.load_run`: frames, figures, comparisons."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest
from helpers.report_runs import Written

import arena


def test_the_frames_are_tidy(written: Callable[[str], Written]) -> None:
    report = written("klaverjas")
    run = arena.load_run(report.folder)
    assert len(run.deals) == 3 * 16
    assert len(run.rounds) == 3 * 16 * 2
    means = run.rounds.groupby(["first", "second", "deal"])["margin"].mean()
    deals = run.deals.set_index(["first", "second", "deal"])["margin"]
    assert (means.sort_index() == deals.sort_index()).all()
    ladder, pairs = report.document["ladder"]["agents"], report.document["pairs"]["pairs"]
    assert list(run.agents["agent"]) == [agent["name"] for agent in ladder]
    for column in ("low", "high"):
        assert list(run.agents[column]) == [agent["rating"][column] for agent in ladder]
        assert list(run.pairs[column]) == [pair[column] for pair in pairs]
    assert list(run.agents["elo"]) == [agent["elo"]["value"] for agent in ladder]
    assert list(run.pairs["margin"]) == [pair["mean"] for pair in pairs]
    known = {(c["first"], c["second"]): c for c in report.document["strength"]["comparisons"]}
    for row in run.comparisons.itertuples():
        assert row.p == known[row.first, row.second]["p_adjusted"]


def test_a_run_shows_its_standings(written: Callable[[str], Written]) -> None:
    run = arena.load_run(written("klaverjas").folder)
    best = run.agents.iloc[0]
    first = repr(run).splitlines()[3]
    assert repr(run).startswith("small: 3 pairs, 16 deals each, in ")
    assert first.startswith("1 ") and best["agent"] in first and f"{best['rating']:+.1f}" in first
    assert run._repr_html_().count("<tr>") == 1 + len(run.agents)


def test_figures_are_those_of_the_report(written: Callable[[str], Written], tmp_path) -> None:
    report = written("klaverjas")
    run = arena.load_run(report.folder)
    drawn = run.plot()
    for name, path in zip(drawn, drawn.save(tmp_path), strict=True):
        assert path.read_text() == (report.folder / "figures" / f"{name}.svg").read_text()
    assert drawn._repr_html_().count("<svg") == len(drawn) > 0
    name = next(iter(drawn))
    assert list(run.plot(name)) == [name]
    with pytest.raises(arena.ArenaError, match=f"did you mean '{name}'"):
        run.plot(f"{name}s")


def test_a_comparison_prints_as_the_command_does(written, capsys) -> None:
    from arena.cli import main

    folder = written("klaverjas").folder
    first, second = arena.load_run(folder).pairs.iloc[0][["first", "second"]]
    found = arena.compare(arena.load_run(folder), first, second)
    assert main(["compare", str(folder), first, second]) == 0
    assert capsys.readouterr().out == f"{found}\n"
    assert found.low < found.mean < found.high and 0 <= found.p <= 1
    assert found._repr_html_() == f"<pre>{found}</pre>"
    assert found.to_json()["mean"] == found.mean == arena.compare(folder, first, second).mean
    with pytest.raises(arena.ArenaError, match=f"did you mean '{second}'"):
        arena.compare(folder, first, f"{second}x")


def test_arena_is_light_until_it_is_used() -> None:
    code = (
        "import sys, arena; names = dir(arena); "
        "raise SystemExit([n for n in sys.modules if n.startswith(('arena.', 'numpy', 'pandas'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stderr.strip() in ("", "[]")
    with pytest.raises(AttributeError, match="no attribute 'lod_run'"):
        _ = arena.lod_run
