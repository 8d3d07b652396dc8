"""`report.json` and the text: known answers, and every number accounted for."""

from __future__ import annotations

import csv
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from helpers.paths import ROOT
from helpers.report_runs import HOSTILE, KINDS, Written, klaverjas
from helpers.report_text import strangers, visible

from arena.cli import main
from arena.report import write
from arena.report.document import json_schema
from arena.report.render import _coded

GOLDEN = Path(__file__).parent / "golden"
DOC = ROOT / "docs" / "report-json.md"
SCHEMA = DOC.with_name("report.schema.json")
Get = Callable[[str], Written]


# --- golden ------------------------------------------------------------------------------


def settled(document: dict[str, Any]) -> dict[str, Any]:
    """A document without what time and machine decide, to eight figures, with one replay."""
    kept: dict[str, Any] = json.loads(
        json.dumps(document), parse_float=lambda text: float(f"{float(text):.8g}")
    )
    for agent in kept["ladder"]["agents"]:
        del agent["seconds"], agent["on_front"]
    del kept["method"]["citation"]
    for key in ("versions", "git_commit", "machine", "started", "ended", "cpu_seconds"):
        del kept["provenance"][key]
    del kept["provenance"]["fingerprints"]
    kept["deals"]["swings"] = kept["deals"]["swings"][:1]
    return kept


def compared_with(name: str, text: str) -> None:
    """Equal to the golden file; a missing one is written, and the test fails once."""
    file = GOLDEN / name
    if not file.exists():
        file.write_text(text, encoding="utf-8")
        pytest.fail(f"{file} was missing and has been written: look at it")
    assert text == file.read_text(encoding="utf-8")


def test_the_document_of_a_fixed_run(written: Get) -> None:
    text = json.dumps(settled(written("klaverjas").document), indent=1, ensure_ascii=False)
    compared_with("report.json", f"{text}\n")


def test_the_text_of_a_fixed_run(written: Get) -> None:
    text = re.sub(r"\d+(\.\d+)?(e\+\d+)? (ns|µs|ms|s) \|", "TIME |", written("klaverjas").markdown)
    compared_with("report.md", text)


def test_the_same_run_gives_the_same_report(written: Get, tmp_path: Path) -> None:
    once = written("klaverjas")
    shutil.copytree(once.folder, tmp_path / "copy")
    write(tmp_path / "copy")
    for name in ("report.html", "report.json", "report.md", "figures/forest.svg"):
        assert (tmp_path / "copy" / name).read_bytes() == (once.folder / name).read_bytes()


def test_played_again_the_numbers_are_the_same(written: Get, tmp_path: Path) -> None:
    write(klaverjas(tmp_path / "again", seed=0), tmp_path / "elsewhere")
    again = Written(tmp_path / "elsewhere").document
    assert settled(again) == settled(written("klaverjas").document)


# --- every number ------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_every_number_is_in_the_document(written: Get, kind: str) -> None:
    report = written(kind)
    assert strangers(visible(report.html), report.document) == []
    assert strangers(report.markdown, report.document) == []


def test_a_wrong_number_would_be_noticed(written: Get) -> None:
    report = written("klaverjas")
    mean = f"{report.document['pairs']['pairs'][0]['mean']:.1f}"
    assert mean in report.html
    whole = rf"(?<![\d.,]){re.escape(mean)}(?![\d%])"
    wrong = visible(re.sub(whole, "987.6", report.html))
    assert set(strangers(wrong, report.document)) == {"987.6"}


@pytest.mark.parametrize("kind", KINDS)
def test_the_document_follows_its_schema(written: Get, kind: str) -> None:
    jsonschema.validate(written(kind).document, json.loads(SCHEMA.read_text(encoding="utf-8")))


def test_the_published_schema_is_that_of_the_parts() -> None:
    text = json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"
    assert SCHEMA.read_text(encoding="utf-8") == text, (
        "arena schema report > docs/report.schema.json"
    )


def test_every_key_is_documented() -> None:
    described = DOC.read_text(encoding="utf-8")
    schema = json_schema()
    for key in schema["properties"]:
        assert f"`{key}`" in described, key
    for name, part in schema["$defs"].items():
        for key in part.get("properties", {}):
            assert f"`{key}`" in described, f"{name}.{key}"


# --- what it says ------------------------------------------------------------------------


def test_the_tables_hold_the_same_numbers(written: Get) -> None:
    report = written("klaverjas")
    with (report.folder / "tables" / "pairs.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    pairs = report.document["pairs"]["pairs"]
    assert [row["first"] for row in rows] == [pair["first"] for pair in pairs]
    assert [float(row["mean"]) for row in rows] == [pair["mean"] for pair in pairs]


@pytest.mark.parametrize("kind", KINDS)
def test_the_files_are_there(written: Get, kind: str) -> None:
    folder = written(kind).folder
    for name in ("agents", "pairs", "strength", "points", "tricks", "swings", "margins"):
        assert (folder / "tables" / f"{name}.csv").stat().st_size > 0
    for name in ("forest", "margins", "tricks", "strength-and-time"):
        assert "</svg>" in (folder / "figures" / f"{name}.svg").read_text(encoding="utf-8")


def test_figures_for_papers_on_request(written: Get, tmp_path: Path) -> None:
    folder = tmp_path / "paper"
    assert main(["report", str(written("klaverjas").folder), "--out", str(folder), "--png"]) == 0
    for name in ("cross-table", "forest", "margins", "roles", "tricks", "strength-and-time"):
        assert (folder / "figures" / f"{name}.png").read_bytes()[:4] == b"\x89PNG"
        assert "</svg>" in (folder / "figures" / f"{name}.svg").read_text(encoding="utf-8")
    assert not list((written("klaverjas").folder / "figures").glob("*.png"))


def test_agents_that_see_all_cards_are_marked(written: Get) -> None:
    report = written("klaverjas")
    assert [
        a["sees_all_cards"] for a in report.document["ladder"]["agents"] if a["name"] == "open"
    ] == [True]
    assert "sees all cards" in visible(report.html)
    assert "open (sees all cards)" in report.markdown
    assert "lowest (sees all cards)" not in report.markdown


def test_forfeits_are_reported(written: Get) -> None:
    report = written("forfeits")
    (trouble,) = [a for a in report.document["ladder"]["agents"] if a["name"] == "trouble"]
    assert trouble["faults"] > 0
    assert report.document["faults"]["count"] == trouble["faults"]
    assert "out of" in visible(report.html)


def test_what_a_description_says_in_backticks_is_code() -> None:
    assert _coded("`a < b` or <c>") == "<code>a &lt; b</code> or &lt;c&gt;"


def test_a_sweep_has_a_line_for_each_setting(written: Get) -> None:
    (sweep,) = written("sweep").document["sweeps"]["sweeps"]
    assert (sweep["parameter"], sweep["against"]) == ("percent", "any")
    assert {point["line"] for point in sweep["points"]} == {"c=0.5", "c=1.0"}
    assert [point["x"] for point in sweep["points"]] == [5.0, 50.0, 95.0] * 2
    assert (written("sweep").folder / "figures" / "sweeps.svg").exists()


def test_published_values_stand_beside_ours(written: Get) -> None:
    thesis, paper, blog = written("sweep").document["references"]["values"]
    assert thesis["z"] == pytest.approx((thesis["ours"]["value"] - 0.5) / thesis["ours"]["se"])
    spread = (paper["ours"]["se"] ** 2 + 3.0**2) ** 0.5
    assert paper["z"] == pytest.approx((paper["ours"]["value"] - 70.0) / spread)
    assert blog["ours"] is None
    assert "'stars'" in blog["note"]


def test_games_without_a_declarer_have_no_such_role(written: Get) -> None:
    made = written("hearts").document["points"]
    assert made["roles"] == ["score_as_leader", "score_not_leading"]
    assert list(made["labels"]) == ["moon"]
    assert "nat" not in visible(written("hearts").html).split()


def test_points_by_trick_add_up(written: Get) -> None:
    """What is taken in the single tricks is what was taken in all."""
    for kind in ("klaverjas", "hearts"):
        for agent in written(kind).document["points"]["agents"]:
            tricks = sum(trick["value"] for trick in agent["tricks"])
            measures = agent["measures"]
            whole = measures["card_points"]["value"] + measures["bonus"]["value"]
            assert tricks == pytest.approx(whole)


def test_the_two_sides_of_klaverjas_share_all_points(written: Get) -> None:
    made = written("klaverjas").document["points"]["agents"]
    rounds = sum(agent["rounds"] for agent in made)
    taken = sum(agent["rounds"] * agent["measures"]["card_points"]["value"] for agent in made)
    assert taken / rounds == pytest.approx(162 / 2)


# --- hostile names -----------------------------------------------------------------------


def test_hostile_names_are_text(written: Get) -> None:
    report = written("hostile")
    shown = visible(report.html)
    for name in HOSTILE:
        assert name in shown
        assert f">{name}" not in report.html
    assert "<script>alert" not in report.html
    assert "<img" not in report.html
    assert report.html.count("<script") == 2
    assert "49" not in {word for word in shown.split() if word.startswith("{")}


def test_hostile_names_do_not_break_the_text(written: Get) -> None:
    lines = written("hostile").markdown.splitlines()
    assert not any("<" in line for line in lines)
    table = [line for line in lines if line.startswith("|")]
    columns = {len(re.findall(r"(?<!\\)\|", line)) for line in table}
    assert columns == {11, 8, 7, 6}


def test_a_page_asks_the_network_for_nothing(written: Get) -> None:
    for kind in KINDS:
        html = written(kind).html
        links = re.findall(r"""(?:src|href)=["']([^"']*)""", html)
        assert all(link.startswith(("#", "data:")) for link in links), links
        assert "@import" not in html and "url(http" not in html


# --- the command -------------------------------------------------------------------------


def test_the_command(written: Get, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(written("hearts").folder), "--out", str(tmp_path / "x")]) == 0
    assert capsys.readouterr().out.strip() == str(tmp_path / "x" / "report.html")
    assert (tmp_path / "x" / "report.html").exists()


def test_no_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(tmp_path)]) == 2
    assert "no run here" in capsys.readouterr().err
