"""`arena validate`, `arena schema`, `arena list agents`."""

from __future__ import annotations

import json
import re

from arena.cli import main
from arena.config.schema import json_schema
from arena.core.registry import AGENTS, BIDDERS


def test_validate_says_what_would_be_played(write, whole, capsys):
    assert main(["validate", str(write(whole))]) == 0
    assert capsys.readouterr().out == (
        "families: klaverjas (variant rotterdam, bidding given, four_jacks 200, tie_is_nat true)\n"
        "  agents    random (random), semi (semi-random), rule (rule)\n"
        "  pairings  3\n"
        "  deals     4 of klaverjas-given-1000\n"
        "  to play   12 deals × 2 seatings = 24 rounds\n"
    )


def test_validate_with_changes(write, whole, capsys):
    words = ["validate", str(write(whole)), "--set", "deals.limit=35", "--set", "match=true"]
    assert main([*words, "--set", "agents.rule.bidder=caller"]) == 0
    out = capsys.readouterr().out
    assert "rule (rule, bids caller)" in out
    assert "to play   6 matches × 2 seatings = 192 rounds (3 deals are left over)" in out


def test_hearts_is_played_in_all_placements(write, capsys):
    text = """\
        name: hearts
        game: hearts
        deals: {set: hearts-1000, limit: 5}
        agents: {a: {family: random}, b: {family: semi-random}}
        """
    path = str(write(text))
    assert main(["validate", path]) == 0
    assert "5 deals × 6 seatings = 30 rounds" in capsys.readouterr().out
    assert main(["validate", path, "--set", "placements=alternating"]) == 0
    assert "5 deals × 2 seatings = 10 rounds" in capsys.readouterr().out
    assert main(["validate", path, "--set", "match=true"]) == 0
    assert "5 matches × 6 seatings = 30 matches to 100 points" in capsys.readouterr().out


def test_validate_checks_all_files_and_tells_every_mistake(write, whole, capsys):
    good = str(write(whole, "good.yaml"))
    bad = str(write(whole.replace("seed: 1", "seed: x").replace("limit: 4", "limit: 0")))
    assert main(["validate", bad, good]) == 2
    captured = capsys.readouterr()
    assert captured.out.startswith("families:")
    assert captured.err.splitlines() == [
        f"{bad}:3: deals.limit: must be at least 1, found 0",
        f"{bad}:9: seed: expected a whole number, found 'x' (text)",
    ]


def test_a_match_that_is_longer_than_the_set(write, whole, capsys):
    assert main(["validate", str(write(whole)), "--set", "match=true"]) == 2
    assert "4 deals are too few for a match of 16 rounds" in capsys.readouterr().err


def test_schema_is_printed_as_json(capsys):
    assert main(["schema"]) == 0
    assert json.loads(capsys.readouterr().out) == json_schema()


def test_list_agents_for_people(capsys):
    assert main(["list", "agents"]) == 0
    out = capsys.readouterr().out
    assert re.search(r"^random +Any legal bid, pass or card, all equally likely.$", out, re.M)
    assert "playouts" not in out.partition("semi-random")[2], "parameters only when asked for"


def test_everything_about_one_agent(capsys):
    assert main(["list", "agents", "searcher"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("searcher: Has parameters of all kinds.\n  plays klaverjas\n")
    assert "  playouts: 1000   playouts per card\n      int\n" in out
    assert "  worlds: all   \n      int | all\n" in out
    assert "random:" not in out


def test_an_unknown_name_is_reported_with_the_near_miss(capsys):
    assert main(["list", "agents", "ismtcs"]) == 2
    assert "nothing is called 'ismtcs'; did you mean 'ismcts'" in capsys.readouterr().err


def test_bidders_are_listed_by_themselves(capsys):
    assert main(["list", "bidders", "--all"]) == 0
    out = capsys.readouterr().out
    assert "caller: A bidder for the tests.\n" in out
    assert "ismcts" not in out


def test_only_what_is_for_a_game(capsys):
    assert main(["list", "agents", "--game", "hearts", "--json"]) == 0
    names = [agent["name"] for agent in json.loads(capsys.readouterr().out)]
    assert "ismcts" in names
    assert "searcher" not in names


def test_experiments_are_listed_with_their_heading(capsys):
    assert main(["list", "experiments", "--json"]) == 0
    found = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert found["quickstart"]["games"] == ["klaverjas"]
    assert all(row["summary"] for row in found.values()), "every file says what it is for"


def test_list_agents_for_programs(capsys):
    assert main(["list", "agents", "--json"]) == 0
    agents = {agent["name"]: agent for agent in json.loads(capsys.readouterr().out)}
    assert "klaverjas" in agents["rule"]["games"]
    assert agents["rule"]["sees_hidden_cards"] is False
    (mode,) = (p for p in agents["rule"]["parameters"] if p["name"] == "mode")
    assert set(mode["type"].split(" | ")) >= {"as-published", "as-written"}
    assert mode["default"] == "as-published"
    assert mode["help"]
    assert agents["searcher"]["parameters"][5]["default"] is None


def test_our_parameters_all_have_help(capsys):
    for kind, registry in (("agents", AGENTS), ("bidders", BIDDERS)):
        main(["list", kind, "--json"])
        for listed in json.loads(capsys.readouterr().out):
            if registry.get(listed["name"]).__module__.startswith("agents."):
                assert all(item["help"] for item in listed["parameters"]), listed["name"]
