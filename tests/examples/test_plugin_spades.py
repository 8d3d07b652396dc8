"""The game under examples/, installed as strangers install theirs: everything plays it."""

from __future__ import annotations

import json

import pytest
from helpers.paths import ROOT
from helpers.plugins import install


@pytest.fixture(scope="module")
def plugin(tmp_path_factory):
    return install("arena-plugin-spades", tmp_path_factory.mktemp("plugin"))


@pytest.fixture(scope="module")
def source(plugin):
    return plugin.source


@pytest.fixture(scope="module")
def arena(plugin):
    return plugin.run


@pytest.fixture(scope="module")
def played(arena, source, tmp_path_factory):
    """The folder of a small run of its experiment."""
    out = tmp_path_factory.mktemp("runs") / "spades"
    made = ["--count", "4", "--seed", "1", "--out", "deals.csv"]
    arena("arena", "deals", "make", "--game", "spades", *made)
    text = (source / "experiment.yaml").read_text().replace("limit: 4", "limit: 2")
    (source / "small.yaml").write_text(text)
    assert "dmcts" in arena("arena", "validate", "small.yaml")
    arena("arena", "run", "small.yaml", "--jobs", "1", "--out", str(out))
    return out


def test_all_families_play_it_and_it_is_recorded_in_its_own_words(arena, played):
    rows = arena("arena", "export", str(played), "--format", "csv").splitlines()
    assert len(rows) == 1 + 4 * 2 * 2, "a header; opponents of semi, deals, seatings"
    actions = [row.split(",") for row in rows[1:]]
    bids = {word for row in actions for word in row[25].split()[:4]}
    assert bids <= {"nil", *map(str, range(1, 14))}


def test_its_rounds_replay_and_verify(arena, played, source):
    records = source / "rounds.jsonl"
    arena("arena", "export", str(played), "--format", "jsonl", "--output", str(records))
    first = json.loads(records.read_text().splitlines()[0])
    assert first["game"] == "spades"
    assert len(first["bids"]) == 4
    assert "16 rounds, 832 plays checked, 0 mismatches" in arena("arena", "verify", str(records))


def test_a_round_can_be_replayed_and_a_search_explained(arena, played):
    assert "takes it: 1 points" in arena("arena", "replay", str(played), "deals-0000")
    pair = ["--pair", "ismcts", "semi"]
    said = arena("arena", "explain", str(played), "deals-0000", *pair, "--at", "4")
    assert "decides again and plays the same card" in said


def test_the_report_is_made(played):
    report = json.loads((played / "report.json").read_text())
    assert {"random", "semi", "flat", "ismcts", "dmcts"} <= set(json.dumps(report).split('"'))


MATCHES = """
name: matches
game: {name: spades}
deals: {file: deals.csv}
agents:
  random: {family: random, bidder: spades-count}
  semi: {family: semi-random, bidder: spades-count}
match: {target: 500}
"""


def test_matches_to_500_are_the_same_with_one_worker_and_with_two(arena, played, source, tmp_path):
    (source / "matches.yaml").write_text(MATCHES)
    tables = []
    for jobs in ("1", "2"):
        out = str(tmp_path / jobs)
        arena("arena", "run", "matches.yaml", "--jobs", jobs, "--out", out, "--no-report")
        tables.append(arena("arena", "export", out, "--format", "csv", "--no-times"))
    assert tables[0] == tables[1]
    assert len(tables[0].splitlines()) > 1 + 4 * 2 * 5, "nobody scores 500 in five rounds"
    assert "0 mismatches" in arena("arena", "verify", out)


def test_what_could_not_bid_is_refused_before_a_card_is_played(arena, source):
    text = (source / "experiment.yaml").read_text()
    (source / "wrong.yaml").write_text(text.replace("spades-count}", "monte-carlo}", 1))
    said = arena("arena", "validate", "wrong.yaml", code=2)
    assert "'monte-carlo' does not play spades: it has bids of its own (nil, 1, 2," in said


def test_its_own_tests_pass(arena):
    assert "20 passed" in arena("pytest", "tests", "-p", "no:cacheprovider")


def test_no_file_of_ours_knows_the_plug_in():
    ours = [*(ROOT / "arena").rglob("*.py"), *(ROOT / "agents").rglob("*.py")]
    # OpenSpiel has a game of the same name.
    ours = [path for path in ours if "open_spiel" not in path.parts]
    knowing = [
        path
        for path in ours
        if any(word in path.read_text() for word in ("arena_spades", '== "spades"', "Spades("))
    ]
    assert not knowing
