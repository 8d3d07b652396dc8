"""From a file to an experiment: parts, overrides, includes, matches and what is written down."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
import yaml

from arena.config.loader import load
from arena.config.strict_yaml import ConfigError
from arena.core.deals import DealSet
from arena.core.files import find_shipped, shipped_names
from arena.core.rules import MatchFormat
from arena.games.klaverjas import Klaverjas


def test_the_whole_of_it(write, whole):
    experiment = load(write(whole))
    shipped = DealSet.load(find_shipped("deals", "klaverjas-given-1000", ".csv"))
    assert experiment.name == "families"
    assert experiment.rules == Klaverjas(variant="rotterdam", bidding="given")
    assert experiment.deals == shipped.deals[:4]
    assert experiment.deal_set == "klaverjas-given-1000"
    assert experiment.deals_sha256 == shipped.sha256
    assert [entrant.name for entrant in experiment.entrants] == ["random", "semi", "rule"]
    (semi,) = experiment.entrant("semi").members
    assert (semi.family, semi.parameters) == ("semi-random", {"protect_tens": True, "better": True})
    assert experiment.pairings == (("random", "semi"), ("random", "rule"), ("semi", "rule"))
    assert (experiment.seed, experiment.match, experiment.on_fault) == (1, None, "stop")


def test_a_slice_of_the_deals(write, whole):
    experiment = load(write(whole), ["deals.offset=10", "deals.limit=3"])
    assert [deal.id for deal in experiment.deals] == [
        f"klaverjas-given-00{number}" for number in (10, 11, 12)
    ]
    assert len(load(write(whole), ["deals.limit=null"]).deals) == 1000


def test_own_deals_are_found_relative_to_the_file_that_names_them(write, whole, tmp_path):
    shipped = DealSet.load(find_shipped("deals", "klaverjas-given-1000", ".csv"))
    DealSet("own", shipped.deals[:5], {"game": "klaverjas"}).save(tmp_path / "common/own.csv")
    write("deals: {file: own.csv}", "common/deals.yaml")
    text = whole.replace(
        "deals: {set: klaverjas-given-1000, limit: 4}", "include: ../common/deals.yaml"
    )
    experiment = load(write(text, "sub/x.yaml"))
    assert len(experiment.deals) == 5
    assert experiment.resolved["deals"]["file"] == os.path.join("..", "common", "own.csv")


# --- --set -------------------------------------------------------------------------------


def test_any_key_can_be_set(write, whole):
    experiment = load(
        write(whole),
        [
            "agents.semi.protect_tens=false",
            "agents.new={family: rule, mode: as-written}",
            "game.variant=amsterdam",
            "match.rounds=2",
            "schedule={type: gauntlet, against: [new]}",
            "seed=7",
        ],
    )
    (semi,) = experiment.entrant("semi").members
    assert semi.parameters["protect_tens"] is False
    assert experiment.rules == Klaverjas(variant="amsterdam")
    assert experiment.match == MatchFormat(rounds=2)
    assert experiment.pairings == (("random", "new"), ("semi", "new"), ("rule", "new"))
    assert experiment.seed == 7


@pytest.mark.parametrize(
    ("override", "complaint"),
    [
        ("seed", "--set seed: expected KEY=VALUE, such as agents.mc.playouts=500"),
        ("=5", "--set =5: expected KEY=VALUE"),
        ("seed=x", "--set seed=x: seed: expected a whole number, found 'x' (text)"),
        ("seed=1e3", "--set seed=1e3: seed: expected a whole number, found '1e3' (text); YAML"),
        ("seed=on", "--set seed=on: YAML reads on as true"),
        ("seed=[1", "--set seed=[1: not YAML"),
        ("sed=1", "--set sed=1: sed: unknown key; did you mean 'seed'?"),
        ("agents.rul.mode=x", "--set agents.rul.mode=x: there is no agents.rul; did you mean "
         "'rule'? (allowed: random, rule, semi)"),
        ("agents.rule.mode=x", "--set agents.rule.mode=x: agents.rule.mode: unknown value \"x\""),
        ("agents.rule.modus=x", "--set agents.rule.modus=x: agents.rule.modus: unknown key; did "
         "you mean 'mode'? (allowed: mode)"),
        ("name.x=1", "--set name.x=1: name is no mapping; set it as a whole"),
        ("include=y.yaml", "--set include=y.yaml: include belongs into a file"),
        ("deals={set: nope}", "--set deals={set: nope}: deals.set: no set of deals named 'nope'"),
    ],
)  # fmt: skip
def test_wrong_overrides(write, whole, override, complaint):
    with pytest.raises(ConfigError) as refused:
        load(write(whole), [override])
    assert str(refused.value).startswith(complaint)


def test_a_mistake_in_the_file_is_still_reported_with_its_line(whole, complaints):
    text = whole.replace("protect_tens: true", "protect_tens: 1")
    (line,) = complaints(text, "agents.semi.better=false", "seed=3")
    assert line.startswith("x.yaml:6: agents.semi.protect_tens")


# --- include -----------------------------------------------------------------------------


def test_what_the_including_file_says_wins(write, whole):
    write(whole, "base.yaml")
    path = write(
        """\
        include: base.yaml
        name: other
        game: {variant: amsterdam}
        agents:
          semi: {better: false}
          more: {family: random}
        schedule: {type: pairs, pairs: [[more, semi]]}
        """
    )
    experiment = load(path)
    assert experiment.name == "other"
    assert experiment.rules == Klaverjas(variant="amsterdam")
    assert [entrant.name for entrant in experiment.entrants] == ["random", "semi", "rule", "more"]
    (semi,) = experiment.entrant("semi").members
    assert semi.parameters == {"protect_tens": True, "better": False}
    assert experiment.pairings == (("more", "semi"),)
    assert experiment.seed == 1


def test_several_files_and_files_that_include_files(write):
    write("game: klaverjas\nseed: 1", "parts/game.yaml")
    write("include: game.yaml\ndeals: {set: klaverjas-given-1000, limit: 2}", "parts/deals.yaml")
    write("agents: {a: {family: random}, b: {family: rule}}\nseed: 2", "agents.yaml")
    experiment = load(write("name: x\ninclude: [parts/deals.yaml, agents.yaml]\n"))
    assert (experiment.seed, len(experiment.deals), len(experiment.entrants)) == (2, 2, 2)


def test_mistakes_point_to_the_file_they_are_in(write, whole, complaints):
    write(whole.replace("protect_tens: true", "protect_tens: 1"), "base.yaml")
    assert complaints("include: base.yaml\nseed: x\n") == [
        "x.yaml:2: seed: expected a whole number, found 'x' (text)",
        "base.yaml:6: agents.semi.protect_tens: expected true or false, found 1",
    ]
    assert complaints("include: base.yaml\nseed: 5\n") == [
        "base.yaml:6: agents.semi.protect_tens: expected true or false, found 1",
    ]


def test_files_that_include_each_other(write, complaints):
    write("include: sub/c.yaml\n", "b.yaml")
    write("include: ../x.yaml\n", "sub/c.yaml")
    assert complaints("name: x\ninclude: b.yaml\n") == [
        "sub/c.yaml:1: include: the files include each other: x.yaml → b.yaml → c.yaml → x.yaml"
    ]
    assert complaints("include: x.yaml\n") == [
        "x.yaml:1: include: the files include each other: x.yaml → x.yaml"
    ]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("include: bse.yaml", "x.yaml:1: include: no file bse.yaml; did you mean 'base.yaml'?"),
        ("include: 5", "x.yaml:1: include: expected a file name or a list of file names"),
        ("include: {a: b}", "x.yaml:1: include: expected a file name or a list of file names"),
    ],
)
def test_wrong_includes(write, complaints, text, complaint):
    write("name: x", "base.yaml")
    (line,) = complaints(text)
    assert line.startswith(complaint)


# --- matches and references --------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("true", Klaverjas.match),
        ("{rounds: 4}", MatchFormat(rounds=4)),
        ("{target: 1000}", MatchFormat(target=1000)),
        ("{rounds: 4, target: 500}", MatchFormat(rounds=4, target=500)),
        ("null", None),
    ],
)
def test_match(write, whole, written, expected):
    assert load(write(whole), [f"match={written}"]).match == expected


def test_references_are_kept_as_written(write, whole):
    reference = "{label: thesis, pair: [rule, random], value: 0.58, se: 0.005, n: 10000, unit: win}"
    experiment = load(write(whole + f"reference: [{reference}]\n"))
    assert experiment.resolved["reference"] == [
        {"label": "thesis", "pair": ["rule", "random"], "value": 0.58, "se": 0.005, "n": 10000,
         "unit": "win"}
    ]  # fmt: skip


# --- what is written down ----------------------------------------------------------------


def test_the_resolved_experiment_says_everything_and_is_the_same_experiment(write, whole):
    first = load(write(whole), ["agents.rule.grid={mode: [as-published, as-written]}", "match=true",
                                "deals.limit=32"])  # fmt: skip
    written = yaml.safe_dump(dict(first.resolved), sort_keys=False)
    again = load(write(written, "resolved.yaml"))
    assert again == first
    assert again.config_sha256 == first.config_sha256
    assert first.resolved["game"]["tie_is_nat"] is True, "defaults are there"
    assert first.resolved["agents"]["semi"]["better"] is True
    json.dumps(first.resolved)


def test_the_hash_is_of_what_is_meant_not_of_how_it_is_written(write, whole):
    first = load(write(whole))
    other = whole.replace("{family: rule}", "\n    family: rule\n    mode: as-published  # same")
    assert load(write(other, "y.yaml")).config_sha256 == first.config_sha256
    changed = load(write(whole), ["agents.rule.mode=as-written"])
    assert changed.config_sha256 != first.config_sha256


def test_hearts_options_that_follow_from_the_variant_survive(write):
    text = """\
        name: hearts
        game: {name: hearts, variant: kiele_code}
        deals: {set: hearts-1000, limit: 2}
        agents: {a: {family: random}, b: {family: semi-random}}
        """
    first = load(write(text))
    again = load(write(yaml.safe_dump(dict(first.resolved)), "again.yaml"))
    assert again.rules == first.rules


@pytest.mark.parametrize("name", shipped_names("configs", ".yaml"))
def test_shipped_experiments_are_right(name):
    assert load(name).pairings


def test_an_unknown_shipped_experiment():
    with pytest.raises(
        Exception, match="no experiment named 'quickstrat' is shipped; did you mean"
    ):
        load("quickstrat")


def test_a_path_may_be_text_or_a_path(write, whole):
    path = write(whole)
    assert load(str(path)) == load(Path(path))
