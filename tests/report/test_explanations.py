"""Every explanation of the page: when it must, and when it must not, be there."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from arena.report.explanations import Explanations
from arena.report.render import folded
from arena.report.sections import SECTIONS
from arena.report.sections.pages import page_text, template_of
from arena.report.tables import Column, TextTable

KLAVERJAS = Explanations("deal", "deals", "rounds", True, 0.95, 0.05, 0.8, "joint")
HEARTS = replace(KLAVERJAS, higher_wins=False)


@pytest.mark.parametrize("said", ["ladder_caption", "ladder_note", "points_caption"])
def test_only_where_low_scores_win_fewer_points_are_better(said: str) -> None:
    assert "ewer points are better" in getattr(HEARTS, said)()
    assert "ewer points are better" not in getattr(KLAVERJAS, said)()


def test_a_rating_is_above_the_field_or_better_than_it() -> None:
    assert "points per deal above the field" in KLAVERJAS.rating_picture()
    assert "points per deal better than the field" in HEARTS.rating_picture()
    assert "above" not in HEARTS.rating_picture()


def test_matches_are_called_matches() -> None:
    match = replace(KLAVERJAS, unit="match", units="matches")
    assert "points per match" in match.ladder_note()
    assert "over matches." in match.ladder_caption()
    assert match.saved().startswith("“Matches saved”")
    assert "forfeited matches" in match.forfeits_caption()


def test_comparisons_say_what_they_rest_on() -> None:
    direct = replace(KLAVERJAS, basis="direct")
    assert "compared through their opponents" in KLAVERJAS.comparisons()
    assert "direct meetings" not in KLAVERJAS.comparisons()
    assert "do not fit this field" in direct.comparisons()
    assert "compared through" not in direct.comparisons()
    assert "from all results together" in KLAVERJAS.pairs_note()
    assert "from the same results" in direct.pairs_note()


def test_meetings_claim_nothing_and_comparisons_say_how_they_are_adjusted() -> None:
    said = (KLAVERJAS.pairs_note(), KLAVERJAS.pairs_caption(), KLAVERJAS.forest_figure())
    assert "a description, not a test" in said[0] and "of this pair by itself" in said[1]
    assert not any("beyond chance" in text or " p " in text for text in said)
    assert "p is below 0.05" in KLAVERJAS.comparisons_caption()
    assert "with 80% probability" in KLAVERJAS.comparisons_note()


def test_processes_and_faults_are_reported_only_if_there_are_any() -> None:
    assert KLAVERJAS.processes([]) == ""
    assert "process of its own" in KLAVERJAS.processes(["bot"])
    assert KLAVERJAS.faults_caption(1, 1) == "1 fault"
    assert KLAVERJAS.faults_caption(3, 3) == "3 faults"
    assert KLAVERJAS.faults_caption(30, 20) == "30 faults, the first 20 of them"


def prose(template: str) -> list[str]:
    """Sentences that stand in a template itself: five words and a full stop."""
    text = re.sub(r"{%.*?%}|{#.*?#}", " ", template, flags=re.S)
    text = re.sub(r"{{.*?}}", "x", text, flags=re.S)
    text = re.sub(r"<(script|style)>.*?</\1>", " ", text, flags=re.S)
    pieces = re.split(r"<[^>]*>", text)
    return [piece.strip() for piece in pieces if re.search(r"(\w+\W+){4}\w+[.:]", piece)]


def test_prose_is_recognised() -> None:
    assert prose("<p>What each pair did here.</p><td>won and lost</td>")


@pytest.mark.parametrize("section", [s for s in SECTIONS if template_of(s)], ids=lambda s: s.name)
def test_no_sentence_stands_in_a_template(section) -> None:
    # What concerns files and commands, not numbers, may stand where it is shown.
    allowed = (
        "The replay needs JavaScript",
        "The methods, as BibTeX",
        "writes them to",
        "shows the",
    )
    found = [p for p in prose(template_of(section)) if not p.startswith(allowed)]
    assert found == []


def test_nor_in_the_page_around_them() -> None:
    allowed = ("Made by arena", "x. Every number here is in")
    found = [p for p in prose(page_text("report.html.j2")) if not p.startswith(allowed)]
    assert found == []


def test_a_long_table_is_folded_in_the_text_and_never_dropped() -> None:
    columns = (Column("pair", words=True), Column("deals"))
    for rows in (15, 16):
        table = TextTable("pairs", "", columns, tuple((f"a{i} – b", str(i)) for i in range(rows)))
        text = folded(table)
        assert all(f"| a{i} – b | {i} |" in text for i in range(rows))
        assert ("<summary>pairs: 16 rows</summary>" in text) == (rows == 16)
