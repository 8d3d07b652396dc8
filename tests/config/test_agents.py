"""Agents: parameters of all kinds, grids, bidders and teams."""

from __future__ import annotations

import pytest
from helpers.families import Caller, Limit, Searcher

from arena.config.loader import load
from arena.core.agent import Player
from arena.core.errors import ArenaError

SEARCHER = "a: {{family: searcher, {}}}\nb: {{family: random}}"


def built(experiment, name):
    return [member.build() for member in experiment.entrant(name).members]


# --- parameters --------------------------------------------------------------------------


def test_parameters_of_all_kinds(write, with_agents):
    parameters = (
        "playouts: 50, c: 2, rollout: semi-random, worlds: 7, depth: 2, "
        "limit: {milliseconds: 1, nodes: 9}, weights: [1, 0.5]"
    )
    experiment = load(write(with_agents(SEARCHER.format(parameters))))
    expected = Searcher(50, 2.0, "semi-random", 7, 2, Limit(1.0, 9), (1.0, 0.5))
    assert built(experiment, "a") == [Player(expected)]
    assert experiment.resolved["agents"]["a"] == {
        "family": "searcher",
        "playouts": 50,
        "c": 2.0,
        "rollout": "semi-random",
        "worlds": 7,
        "depth": 2,
        "limit": {"milliseconds": 1.0, "nodes": 9},
        "weights": [1.0, 0.5],
    }


def test_defaults_are_filled_in(write, with_agents):
    experiment = load(write(with_agents("a: {family: searcher}\nb: {family: random}")))
    assert built(experiment, "a") == [Player(Searcher())]
    assert experiment.resolved["agents"]["a"]["playouts"] == 1000
    assert experiment.resolved["agents"]["a"]["limit"] is None


@pytest.mark.parametrize(
    ("parameters", "complaint"),
    [
        ("playuots: 5", "a.playuots: unknown key; did you mean 'playouts'? (allowed: c, depth, "),
        ("playouts: 0", "a.playouts: must be at least 1, found 0"),
        ("playouts: 100001", "a.playouts: must be at most 100000, found 100001"),
        ('playouts: "7"', "a.playouts: expected a whole number, found '7' (text); without"),
        ("playouts: true", "a.playouts: expected a whole number, found true"),
        ("playouts: 1e3", "a.playouts: expected a whole number, found '1e3' (text); YAML reads"),
        ("c: 1e-3", "a.c: expected a number, found '1e-3' (text); YAML reads 1e-3 as text: write"),
        ("c: true", "a.c: expected a number, found true"),
        (
            "rollout: semirandom",
            "a.rollout: unknown value \"semirandom\"; did you mean 'semi-random'?",
        ),
        ("worlds: 1.5", "a.worlds: expected all or a whole number, found 1.5"),
        ("depth: true", "a.depth: unknown value true; allowed: 1, 2"),
        ("depth: 3", "a.depth: unknown value 3; allowed: 1, 2"),
        ("limit: 5", "a.limit: expected a mapping, found 5"),
        ("limit: {node: 5}", "a.limit.node: unknown key; did you mean 'nodes'? (allowed: mill"),
        ("limit: {milliseconds: -1}", "a.limit.milliseconds: must be at least 0, found -1"),
        ("weights: [1, x]", "a.weights[1]: expected a number, found 'x' (text)"),
        ("weights: 1", "a.weights: expected a list, found 1"),
        ("playouts: 6000, limit: {}", "a: playouts and limit exclude each other above 5000"),
    ],
)
def test_wrong_parameters(complaints, with_agents, parameters, complaint):
    (line,) = complaints(with_agents(SEARCHER.format(parameters)))
    assert line.startswith(f"x.yaml:5: agents.{complaint}")


def test_a_family_that_does_not_play_the_game(complaints, with_agents):
    text = with_agents("a: {family: searcher}\nb: {family: random}")
    text = text.replace("{name: klaverjas, variant: rotterdam, bidding: given}", "hearts")
    text = text.replace("klaverjas-given-1000", "hearts-1000")
    assert complaints(text) == [
        "x.yaml:5: agents.a.family: 'searcher' does not play hearts (plays: klaverjas)"
    ]


# --- grids -------------------------------------------------------------------------------


def test_every_combination_becomes_an_agent(write, with_agents):
    agents = (
        "a: {family: searcher, c: 3, grid: {playouts: [1, 20], rollout: [random, semi-random]}}"
    )
    experiment = load(write(with_agents(f"{agents}\nb: {{family: random}}")))
    assert [entrant.name for entrant in experiment.entrants] == [
        "a-playouts=1,rollout=random",
        "a-playouts=1,rollout=semi-random",
        "a-playouts=20,rollout=random",
        "a-playouts=20,rollout=semi-random",
        "b",
    ]
    assert built(experiment, "a-playouts=20,rollout=random") == [Player(Searcher(20, 3.0))]
    assert len(experiment.pairings) == 10


def test_the_name_of_a_grid_stands_for_all_of_it(write, with_agents):
    agents = "a: {family: searcher, grid: {c: [0.5, 2.0]}}\nb: {family: random}"
    gauntlet = with_agents(agents, schedule="{type: gauntlet, against: [a]}")
    assert load(write(gauntlet)).pairings == (("b", "a-c=0.5"), ("b", "a-c=2.0"))
    pairs = with_agents(agents, schedule="{type: pairs, pairs: [[a, b]]}")
    assert load(write(pairs)).pairings == (("a-c=0.5", "b"), ("a-c=2.0", "b"))
    one = with_agents(agents, schedule='{type: pairs, pairs: [["a-c=2.0", b]]}')
    assert load(write(one)).pairings == (("a-c=2.0", "b"),)


def test_truth_values_and_nothing_in_names(write, with_agents):
    agents = "s: {family: semi-random, grid: {better: [true, false]}}\nb: {family: random}"
    names = [entrant.name for entrant in load(write(with_agents(agents))).entrants]
    assert names == ["s-better=true", "s-better=false", "b"]


@pytest.mark.parametrize(
    ("grid", "complaint"),
    [
        ("grid: {playouts: [1, x]}", ".grid.playouts: expected a whole number, found 'x' (text)"),
        ("grid: {playuots: [1]}", ".grid.playuots: unknown key; did you mean 'playouts'?"),
        ("grid: {playouts: []}", ".grid: expected a mapping from parameters to lists"),
        ("grid: {playouts: [1, 1]}", ".grid: expected a mapping from parameters to lists of diff"),
        ("grid: {playouts: 1}", ".grid: expected a mapping from parameters to lists"),
        ("grid: {}", ".grid: expected a mapping from parameters to lists"),
        ("grid: {limit: [{nodes: 1}]}", ".grid: expected a mapping from parameters to lists"),
        ("playouts: 1, grid: {playouts: [1, 2]}", ".grid.playouts: given outside the grid too"),
        ("grid: {team: [a]}", ".grid.team: cannot be varied"),
    ],
)
def test_wrong_grids(complaints, with_agents, grid, complaint):
    (line,) = complaints(with_agents(SEARCHER.format(grid)))
    assert line.startswith(f"x.yaml:5: agents.a{complaint}")


def test_a_grid_must_not_make_a_name_that_is_taken(complaints, with_agents):
    agents = 'a: {family: searcher, grid: {playouts: [1, 2]}}\n"a-playouts=2": {family: random}'
    (line,) = complaints(with_agents(agents))
    assert line == "x.yaml:6: agents.a-playouts=2: there already is an agent 'a-playouts=2'"


# --- bidders -----------------------------------------------------------------------------


def test_a_bidder_beside_the_card_player(write, with_agents):
    agents = (
        "a: {family: rule, bidder: caller}\n"
        "b: {family: rule, bidder: {family: caller, threshold: 12}}\n"
        "c: {family: rule}"
    )
    experiment = load(write(with_agents(agents)))
    assert [player.bidder for player in built(experiment, "a")] == [Caller(10)]
    assert [player.bidder for player in built(experiment, "b")] == [Caller(12)]
    assert [player.bidder for player in built(experiment, "c")] == [None]
    assert experiment.resolved["agents"]["a"]["bidder"] == {"family": "caller", "threshold": 10}


def test_bidders_can_be_varied(write, with_agents):
    agents = "a: {family: rule, grid: {bidder: [caller, null]}}\nb: {family: random}"
    experiment = load(write(with_agents(agents)))
    assert [entrant.name for entrant in experiment.entrants][:2] == [
        "a-bidder=caller",
        "a-bidder=null",
    ]


@pytest.mark.parametrize(
    ("bidder", "complaint"),
    [
        ("callr", ".bidder: unknown bidder 'callr'; did you mean 'caller'?"),
        ("5", ".bidder: expected the name of a bidder, or a mapping with its family"),
        ("{threshold: 5}", ".bidder.family: missing; allowed: "),
        ("{family: caller, treshold: 5}", ".bidder.treshold: unknown key; did you mean 'thres"),
        ("{family: caller, threshold: x}", ".bidder.threshold: expected a whole number"),
    ],
)
def test_wrong_bidders(complaints, with_agents, bidder, complaint):
    agents = f"a: {{family: rule, bidder: {bidder}}}\nb: {{family: random}}"
    (line,) = complaints(with_agents(agents))
    assert line.startswith(f"x.yaml:5: agents.a{complaint}")


# --- teams -------------------------------------------------------------------------------


def test_a_team_is_two_different_agents(write, with_agents):
    agents = "mixed: {team: [a, b]}\na: {family: rule}\nb: {family: random}"
    experiment = load(write(with_agents(agents)))
    assert [entrant.name for entrant in experiment.entrants] == ["mixed", "a", "b"]
    members = experiment.entrant("mixed").members
    assert [member.family for member in members] == ["rule", "random"]
    assert experiment.resolved["agents"]["mixed"] == {"team": ["a", "b"]}


def test_members_need_not_play_themselves(write, with_agents):
    agents = "mixed: {team: [a, b]}\na: {family: rule}\nb: {family: random}"
    text = with_agents(agents, schedule="{only: [mixed, a]}")
    assert load(write(text)).pairings == (("mixed", "a"),)


@pytest.mark.parametrize(
    ("team", "complaint"),
    [
        ("team: [a, bb]", ".team[1]: unknown agent 'bb'; did you mean 'b'? (allowed: "),
        ("team: [a, a]", ".team: a team is two different agents"),
        ("team: [a]", ".team: an entry is missing"),
        ("team: [a, b], family: rule", ".family: unknown key; allowed: team"),
        ("team: [a, g]", ".team[1]: 'g' is a grid; name one of: g-better=true, g-better=false"),
        ("team: [a, other]", ".team: the members of a team are no teams themselves"),
    ],
)
def test_wrong_teams(complaints, with_agents, team, complaint):
    agents = (
        "other: {team: [a, b]}\n"
        f"mixed: {{{team}}}\n"
        "a: {family: rule}\n"
        "b: {family: random}\n"
        "g: {family: semi-random, grid: {better: [true, false]}}"
    )
    (line,) = complaints(with_agents(agents))
    assert line.startswith(f"x.yaml:6: agents.mixed{complaint}")


def test_no_teams_where_everybody_has_one_seat(complaints, with_agents):
    agents = "mixed: {team: [a, b]}\na: {family: semi-random}\nb: {family: random}"
    text = with_agents(agents).replace("{name: klaverjas, variant: rotterdam, bidding: given}",
                                       "{name: hearts, players: 2}")  # fmt: skip
    assert "x.yaml:5: agents.mixed.team: a team needs four players, not 2" in complaints(text)


# --- twins -------------------------------------------------------------------------------


def test_twins_take_part_under_numbers_and_a_resolved_file_means_the_same(write, with_agents):
    experiment = load(write(with_agents("a: {family: random, replicate: 2}\nb: {family: rule}")))
    found = {entrant.name: entrant.members[0].twin for entrant in experiment.entrants}
    assert found == {"a-1": 1, "a-2": 2, "b": 1}
    assert experiment.resolved["agents"]["a-1"] == {"family": "random"}
    assert experiment.resolved["agents"]["a-2"] == {"family": "random", "twin": 2}
    again = load(write(with_agents("a-1: {family: random}\na-2: {family: random, twin: 2}")))
    assert again.entrant("a-2").members[0].twin == 2


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ("replicate: 0", "a.replicate: expected how many twins play: a whole number from 1 to 100"),
        ("replicate: two", "a.replicate: expected how many twins play"),
        ("twin: true", "a.twin: expected which of the twins this one is"),
        ("twin: 2, replicate: 2", "a.twin: a twin has no twins of its own"),
        ("grid: {replicate: [1, 2]}", "a.grid.replicate: cannot be varied"),
    ],
)
def test_what_twins_cannot_be(write, with_agents, given, complaint):
    with pytest.raises(ArenaError, match=complaint.replace(".", r"\.")):
        load(write(with_agents(f"a: {{family: random, {given}}}\nb: {{family: rule}}")))
