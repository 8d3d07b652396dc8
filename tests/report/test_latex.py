"""Tables for papers: they compile, fit a column, and have labels of their run."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from helpers.paths import ROOT
from helpers.report_runs import Written

from arena import __version__
from arena.cli import main
from arena.report.bibliography import named_in, works
from arena.report.latex import MOST_ROWS, make_paper
from arena.report.tables import Column, TextTable

Get = Callable[[str], Written]
COLUMNS = (
    Column("rank", words=True),
    Column("agent", words=True, key=True),
    *(Column(f"a rather long title {i}") for i in range(8)),
)
LONG = TextTable(
    "ladder",
    "Who is ahead: 95% of “it”.",
    COLUMNS,
    tuple(
        (f"{i}", f"ismcts-simulations=12800,c=0.{i}", *["−12.3 to 14.5"] * 8)
        for i in range(MOST_ROWS + 1)
    ),
)


def test_long_tables_are_split_and_whole_in_the_supplement() -> None:
    paper = make_paper("my run", [LONG], "A run.", ["arena"])
    labels = re.findall(r"\\label\{(.*?)\}", paper.tables)
    assert labels[0] == "tab:my-run:ladder" and labels[1] == "tab:my-run:ladder-2"
    tables = paper.tables.split(r"\begin{table}")[1:]
    assert len(tables) == len(labels) == len(set(labels)) > 2
    assert all("agent" in table for table in tables)
    assert [sum(f"title {i}}}" in table for table in tables) for i in range(8)] == [1] * 8
    assert paper.tables.count("c=\\allowbreak{}") == MOST_ROWS * len(tables)
    assert f"The first {MOST_ROWS} of {MOST_ROWS + 1} rows" in paper.tables
    assert paper.supplement.count(r"\begin{longtable}") == len(tables)
    assert r"\label{tab:my-run:ladder-all}" in paper.supplement
    assert make_paper("my run", [], "", []).supplement == ""


def test_names_of_many_lines_leave_room_for_fewer_rows() -> None:
    name = "mc (playouts = 30, value = difference) – mc (playouts = 20, value = share)"  # 6 lines
    table = TextTable("pairs", "", (Column("pair", words=True),), ((name,),) * MOST_ROWS)
    paper = make_paper("run", [table], "A run.", [])
    assert "The first 8 of 12 rows" in paper.tables
    assert r"\label{tab:run:pairs-all}" in paper.supplement


def test_published_values_are_a_table_and_counted(written: Get, tmp_path: Path) -> None:
    report = _paper(written("sweep"), tmp_path)
    text = (report / "report.tex").read_text(encoding="utf-8")
    document = json.loads((report / "report.json").read_text(encoding="utf-8"))
    values = document["references"]["values"]
    near = sum(value["z"] is not None and abs(value["z"]) <= 2 for value in values)
    said = f"{near} of 2 published values {'is' if near == 1 else 'are'} within two standard errors"
    assert said in text and said in document["references"]["summary"]
    assert document["references"]["summary"] in document["verdict"]["details"]
    assert ":published}" in text


def test_references_name_arena_and_the_thesis(written: Get, tmp_path: Path) -> None:
    report = _paper(written("sweep"), tmp_path)
    bib = (report / "references.bib").read_text(encoding="utf-8")
    assert bib.startswith("@misc{arena,") and f"Version {__version__}" in bib
    cited = json.loads((report / "report.json").read_text(encoding="utf-8"))["method"]["works"]
    assert [f"{{{work['key']}," in bib for work in cited] == [True] * len(cited)


def test_every_repeated_work_has_an_entry() -> None:
    """Experiments under configs/papers say in their description which work they repeat."""
    for path in (ROOT / "configs" / "papers").glob("*.yaml"):
        author, year, _ = path.stem.split("-", 2)
        text = path.read_text(encoding="utf-8")
        if "include:" not in text:
            assert f"{author}{year}" in named_in(" ".join(text.split())), path.name


def test_the_citation_file_says_what_references_say() -> None:
    cff = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    arena = works()["arena"].fields
    assert cff["title"] == arena["title"].replace("{", "").replace("}", "")
    assert cff["version"] == __version__
    assert cff["date-released"].year == int(arena["year"])


@pytest.mark.skipif(
    not (shutil.which("pdflatex") and shutil.which("bibtex")), reason="LaTeX is not installed"
)
def test_the_tables_compile_and_fit_a_column(written: Get, tmp_path: Path) -> None:
    folders = [_paper(written(kind), tmp_path / kind) for kind in ("sweep", "hostile")]
    paper = make_paper("long", [LONG], "", ["arena"])
    inputs = [*(folder / "report.tex" for folder in folders), tmp_path / "long.tex"]
    inputs[-1].write_text(paper.tables, encoding="utf-8")
    shutil.copy(folders[0] / "references.bib", tmp_path)
    whole = _compiled(tmp_path, "twocolumn", "paper", inputs)
    assert not re.findall(r"Overfull \\hbox.*in (?:alignment|paragraph).*", whole)
    assert "undefined" not in whole and "multiply defined" not in whole
    hostile = inputs[1].read_text(encoding="utf-8").replace(r"\allowbreak{}", "")
    assert r"a$|$b *c* \$d\$ \& \{\{7*7\}\}" in hostile
    (tmp_path / "all.tex").write_text(paper.supplement, encoding="utf-8")
    assert "Overfull" not in _compiled(tmp_path, "onecolumn", "supplement", [tmp_path / "all.tex"])


def _paper(report: Written, folder: Path) -> Path:
    assert main(["report", str(report.folder), "--out", str(folder), "--latex"]) == 0
    return folder


def _compiled(folder: Path, columns: str, name: str, inputs: list[Path]) -> str:
    """The log of the last of the passes that cross-references and citations need."""
    included = "\n".join(rf"\input{{{path.as_posix()}}}\clearpage" for path in inputs)
    (folder / f"{name}.tex").write_text(
        rf"""\documentclass[{columns}]{{article}}
\usepackage[T1]{{fontenc}}\usepackage[utf8]{{inputenc}}\usepackage{{array,booktabs,longtable}}
\begin{{document}}Played with arena~\cite{{arena}}.\nocite{{*}}
{included}
\bibliographystyle{{plain}}\bibliography{{references}}\end{{document}}
""",
        encoding="utf-8",
    )
    latex = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", name]
    for command in (latex, ["bibtex", name], latex, latex):
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace")
        assert done.returncode == 0, done.stdout[-2000:]
    assert (folder / f"{name}.pdf").stat().st_size > 1000
    return (folder / f"{name}.log").read_text(encoding="utf-8", errors="replace")
