"""From stored rounds to statistics: known answers on hand-made results, and pooling."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from helpers.experiments import Anything, entrant, make_deals, make_experiment, play
from helpers.made_results import meeting, results
from helpers.report_runs import KINDS, klaverjas
from scipy import stats

from arena.analysis.changes import find_changes
from arena.analysis.comparison import compare_agents, detectable, unit_margins
from arena.analysis.distributions import margin_distributions
from arena.analysis.points_breakdown import break_down_points
from arena.analysis.references import check_references
from arena.analysis.results import Results, read
from arena.analysis.standings import make_standings
from arena.analysis.sweeps import Sweep, find_sweeps
from arena.analysis.swings import largest_swings
from arena.config.models import Reference
from arena.core.errors import ArenaError
from arena.core.registry import AGENTS
from arena.core.rules import MatchFormat
from arena.games.hearts import Hearts
from arena.games.klaverjas import Klaverjas
from arena.stats import deal_outcomes, mean_difference
from arena.stats.power import t_test_power
from arena.store import Run
from arena.store.manifest import EntrantUsed


def field(seed: int = 0, deals: int = 60) -> Results:
    """c is far ahead of a and b, which are alike; margins in two seatings."""
    rng = np.random.default_rng(seed)
    strength = {"a": 0.0, "b": 0.5, "c": 40.0}
    pairs = []
    for first, second in (("a", "b"), ("a", "c"), ("b", "c")):
        games = strength[first] - strength[second] + rng.normal(0, 30, (deals, 2))
        pairs.append(meeting(first, second, games.tolist()))
    return results(*pairs)


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return klaverjas(tmp_path_factory.mktemp("analysis") / "run")


# --- comparing ---------------------------------------------------------------------------


def test_the_deal_is_the_unit_not_the_game() -> None:
    found = compare_agents(results(meeting("a", "b", [[30, -10], [50, 10], [-20, 0]])), "a", "b")
    values = np.array([10.0, 30.0, -10.0])
    assert found.statistics.n == 3
    assert found.statistics.mean == 10.0
    assert found.statistics.p == pytest.approx(stats.ttest_1samp(values, 0).pvalue)
    assert found.win_rate.value == pytest.approx((0.5 + 1.0 + 0.25) / 3)


def test_both_ways_round_it_is_the_same() -> None:
    one = compare_agents(field(), "a", "c").statistics
    other = compare_agents(field(), "c", "a").statistics
    assert one.mean == pytest.approx(-other.mean)  # type: ignore[operator]
    assert one.low == pytest.approx(-other.high)  # type: ignore[operator]
    assert one.p == pytest.approx(other.p)


def test_pairs_of_games_are_counted_for_elo() -> None:
    games = [[1, 1], [1, 0], [0, 0], [1, -1], [-1, 0], [-1, -1], [-1, -1]]
    elo = compare_agents(results(meeting("a", "b", games)), "a", "b").elo
    assert elo is not None
    assert elo.units == 7
    assert elo.score == pytest.approx((1 + 0.75 + 0.5 + 0.5 + 0.25 + 0 + 0) / 7)


def test_what_would_have_been_found_is_found_with_that_power() -> None:
    difference = mean_difference(np.random.default_rng(3).normal(0, 60, 200))
    assert difference.sd is not None
    for tests, alpha in ((1, 0.05), (10, 0.005)):
        margin = detectable(difference, tests)
        assert margin is not None
        assert t_test_power(200, margin, difference.sd, alpha) == pytest.approx(0.8, abs=1e-6)
    assert detectable(mean_difference([3.0, 3.0, 3.0])) is None


def test_agents_that_play_alike_get_a_sentence() -> None:
    found = compare_agents(results(meeting("a", "b", [[5, -5]] * 8)), "a", "b")
    assert found.statistics.p is None
    assert "played alike" in found.statistics.note
    assert found.to_json()["p"] is None


# --- many agents -------------------------------------------------------------------------


def test_standings_of_a_clear_field() -> None:
    found = make_standings(field())
    assert found.agents[0].name == "c"
    assert (found.agents[0].rank_best, found.agents[0].rank_worst) == (1, 1)
    assert [agent.letters for agent in found.agents] == ["a", "b", "b"]
    assert [(agent.rank_best, agent.rank_worst) for agent in found.agents[1:]] == [(2, 3), (2, 3)]
    assert [pair.first for pair in found.pairs[:2]] == ["c", "c"]
    assert all((pair.mean or 0) >= 0 for pair in found.pairs)
    contrast = found.contrast("c", "a")
    assert contrast is not None and contrast.different and contrast.low is not None
    assert contrast.low > 0


def test_in_a_full_round_robin_ratings_are_mean_margins() -> None:
    """With three agents, the mean over two opponents and oneself at 0."""
    data = field()
    found = make_standings(data)
    for agent in found.agents:
        assert agent.rating is not None and agent.margin.value is not None
        assert agent.rating.value == pytest.approx(agent.margin.value * 2 / 3)


def test_a_schedule_in_two_parts_has_no_ratings_but_pairs() -> None:
    rng = np.random.default_rng(1)
    parts = [meeting(a, b, rng.normal(5, 10, (20, 2)).tolist()) for a, b in ("ab", "cd")]
    found = make_standings(results(*parts))
    assert found.rating is None
    assert len(found.pairs) == 2
    assert any("never met" in note for note in found.notes)


# --- where the points came from ----------------------------------------------------------


def test_the_largest_swings_come_first_and_every_pair_has_one() -> None:
    weak = meeting("a", "b", [[100, 90], [-80, -70], [1, 2]])
    close = meeting("a", "c", [[3, 4], [-1, 0], [0, 0]])
    found = largest_swings(results(weak, close), ["a", "b", "c"], most=4)
    assert [(s.first, s.second, s.unit, s.margin) for s in found] == [
        ("a", "b", "d0", 95.0),
        ("a", "c", "d0", 3.5),
    ]
    between_the_best = largest_swings(results(weak, close), ["a", "c", "b"], most=4)
    assert [s.second for s in between_the_best] == ["c", "b"]
    assert largest_swings(results(weak), most=4)[1].first == "b"


def test_bins_keep_spikes_apart() -> None:
    games = [[162.0, -162.0], [0.0, 0.0], [162.0, 162.0], [-161.0, 3.0]] + [[1.0, -1.0]] * 96
    (part,) = margin_distributions(results(meeting("a", "b", games)))
    counts = dict(zip(part.centres, part.games, strict=True))
    assert counts[162.0] == 3
    assert counts[0.0] >= 2
    assert sum(part.games) == 200
    assert sum(part.deals) == 100
    assert dict(zip(part.centres, part.deals, strict=True))[0.0] == 98


def test_rates_are_those_of_the_stored_rounds(run_folder: Path) -> None:
    """Counted again from the tidy rows, in another way."""
    with Run(run_folder) as run:
        made = {agent.name: agent for agent in break_down_points(run).agents}
        rows = list(run.rows())
    for name, agent in made.items():
        declared = [
            row
            for row in rows
            if row[{"A": "first", "B": "second"}[row["seats"]["NESW".index(row["declarer"])]]]
            == name
        ]
        nats = sum("nat" in row["flags"] for row in declared)
        assert agent.rates["nat"].value == pytest.approx(nats / len(declared))
        mine = [row[f"bonus_{place}"] for row in rows for place in _places(row, name)]
        assert agent.rounds == len(mine)
        assert agent.measures["bonus"].value == pytest.approx(sum(mine) / len(mine))


def _places(row: dict[str, object], name: str) -> list[str]:
    return [place for place in ("first", "second") if row[place] == name]


def test_bins_are_as_wide_as_the_deals_are_few() -> None:
    rng = np.random.default_rng(1)
    widths = []
    for deals in (30, 3_000):
        games = rng.normal(0, 50, (deals, 1)).tolist()
        (part,) = margin_distributions(results(meeting("a", "b", games)))
        low, high = np.percentile(games, [25, 75])
        rule = 2 * (high - low) / deals ** (1 / 3)
        assert rule <= part.width <= 2.5 * rule
        assert sum(part.deals) == deals
        widths.append(part.width)
    assert widths[0] > 2 * widths[1]


# --- pooling -----------------------------------------------------------------------------


def pooled(*folders: Path, agents: tuple[str, ...] | None = None) -> Results:
    runs = [Run(folder) for folder in folders]
    try:
        return read(runs, agents)
    finally:
        for run in runs:
            run.close()


def test_a_deal_of_two_runs_is_one_deal(tmp_path: Path) -> None:
    experiment = make_experiment(6)
    for seed in (1, 2):
        play(replace(experiment, seed=seed), tmp_path / f"seed{seed}")
    one, two = (pooled(tmp_path / f"seed{seed}").pairs[0] for seed in (1, 2))
    both = pooled(tmp_path / "seed1", tmp_path / "seed2").pairs[0]
    assert both.units == one.units == two.units
    assert both.margins == pytest.approx((one.margins + two.margins) / 2)
    assert both.won == pytest.approx((one.won + two.won) / 2)
    # What was won and lost is counted per deal and run, not on the mean of two runs.
    each = [deal_outcomes(unit_margins(pair)) for pair in (one, two)]
    found = deal_outcomes(unit_margins(both))
    assert found.n == 12
    assert (found.wins, found.draws, found.losses) == (
        sum(x.wins for x in each),
        sum(x.draws for x in each),
        sum(x.losses for x in each),
    )
    assert deal_outcomes(unit_margins(both.reversed())).wins == found.losses


def test_three_runs_weigh_the_same(tmp_path: Path) -> None:
    experiment = make_experiment(4)
    folders = [tmp_path / str(seed) for seed in range(3)]
    for seed, folder in enumerate(folders):
        play(replace(experiment, seed=seed), folder)
    margins = [pooled(folder).pairs[0].margins for folder in folders]
    assert pooled(*folders).pairs[0].margins == pytest.approx(np.mean(margins, axis=0))


def test_other_deals_of_the_same_set_are_added(tmp_path: Path) -> None:
    whole = make_experiment(6)
    play(replace(whole, deals=whole.deals[:4]), tmp_path / "a")
    play(replace(whole, deals=whole.deals[2:]), tmp_path / "b")
    assert pooled(tmp_path / "a", tmp_path / "b").pairs[0].units == tuple(
        deal.id for deal in whole.deals
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rules": Klaverjas(variant="amsterdam")}, "rules.options.variant: 'rotterdam'"),
        ({"deals_sha256": "other"}, "deals: made (made-6) and made (other)"),
        ({"entrants": (entrant("any", version=2), entrant("lowest", "lowest"))}, "agent any."),
    ],
)
def test_runs_that_differ_are_refused(
    tmp_path: Path, change: dict[str, object], message: str
) -> None:
    experiment = make_experiment(6)
    play(experiment, tmp_path / "a")
    play(replace(experiment, **change), tmp_path / "b")  # type: ignore[arg-type]
    with pytest.raises(ArenaError, match="cannot be pooled") as refused:
        pooled(tmp_path / "a", tmp_path / "b")
    assert message in str(refused.value)


def test_an_agent_that_plays_otherwise_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    experiment = make_experiment(4)
    play(experiment, tmp_path / "a")

    class Otherwise(Anything):
        def act(self, view: object, rng: object) -> int:
            return view.legal[-1]  # type: ignore[attr-defined,no-any-return]

    monkeypatch.setitem(AGENTS._added, "any", Otherwise)
    play(experiment, tmp_path / "b")
    with pytest.raises(ArenaError, match="any: it plays differently"):
        pooled(tmp_path / "a", tmp_path / "b")
    with Run(tmp_path / "a") as old, Run(tmp_path / "b") as new:
        changes = find_changes(old, new)
    assert {agent.name: agent.differs for agent in changes.agents} == {"any": True}
    assert changes.unmeasured == ("lowest",)  # its only opponent is another one now


def test_only_the_agents_asked_for_must_match(tmp_path: Path) -> None:
    three = (entrant("any"), entrant("lowest", "lowest"), entrant("other"))
    play(make_experiment(4, three), tmp_path / "a")
    play(make_experiment(4, three[:2]), tmp_path / "b")
    with pytest.raises(ArenaError, match="other took part in one of them only"):
        pooled(tmp_path / "a", tmp_path / "b")
    assert len(pooled(tmp_path / "a", tmp_path / "b", agents=("any", "lowest")).pairs) == 1


# --- two runs of one experiment ----------------------------------------------------------


def test_changes_are_paired_by_deal(tmp_path: Path) -> None:
    experiment = make_experiment(8)
    for seed in (1, 2):
        play(replace(experiment, seed=seed), tmp_path / str(seed))
    with Run(tmp_path / "1") as old, Run(tmp_path / "2") as new:
        found = find_changes(old, new)
        before, after = (read([run]).pairs[0].margins for run in (old, new))
    change = {agent.name: agent for agent in found.agents}["any"].change
    assert change.n == 8
    assert change.mean == pytest.approx((after - before).mean())
    assert change.se == pytest.approx(stats.sem(after - before))
    assert "seed: 1 and 2" in found.differences


def test_runs_under_other_rules_have_no_changes(tmp_path: Path) -> None:
    play(make_experiment(4), tmp_path / "a")
    play(make_experiment(4, None, Klaverjas(variant="amsterdam")), tmp_path / "b")
    with (
        Run(tmp_path / "a") as old,
        Run(tmp_path / "b") as new,
        pytest.raises(ArenaError, match=r"not two runs of one experiment: rules\.options\.variant"),
    ):
        find_changes(old, new)


def test_an_empty_run_says_so(tmp_path: Path) -> None:
    nothing = results(replace(meeting("a", "b", [[0, 0]]), units=(), margins=np.array([])))
    with pytest.raises(ArenaError, match="nothing has been played yet"):
        make_standings(nothing)


@pytest.mark.parametrize("kind", ["klaverjas", "hearts", "matches", "forfeits"])
def test_margins_are_those_of_the_store(kind: str, tmp_path: Path) -> None:
    """The same numbers as tidy frames have them."""
    with Run(KINDS[kind](tmp_path / "run")) as run:
        for pair, pairing in zip(read([run]).pairs, run.pairings, strict=True):
            units, margins = run.margins(pairing)
            assert pair.units == tuple(units)
            assert pair.margins == pytest.approx(margins)
            frame = run.deals()
            mine = frame[(frame["first"] == pair.first) & (frame["second"] == pair.second)]
            assert pair.forfeits[1] == int((mine["forfeits_second"] > 0).sum())
            played = ~np.isnan(pair.scores[:, 0])
            assert pair.scores[played, 0] == pytest.approx(mine["score_first"].to_numpy()[played])


def test_an_unchanged_agent_is_not_blamed_for_a_changed_opponent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    three = (entrant("any"), entrant("lowest", "lowest"), entrant("other", "lowest"))
    experiment = make_experiment(6, three)
    play(experiment, tmp_path / "a")

    class Otherwise(Anything):
        def act(self, view: object, rng: object) -> int:
            return view.legal[-1]  # type: ignore[attr-defined,no-any-return]

    monkeypatch.setitem(AGENTS._added, "any", Otherwise)
    play(experiment, tmp_path / "b")
    with Run(tmp_path / "a") as old, Run(tmp_path / "b") as new:
        found = {agent.name: agent for agent in find_changes(old, new).agents}
    assert found["any"].differs and set(found["any"].opponents) == {"lowest", "other"}
    for name, opponent in (("lowest", "other"), ("other", "lowest")):
        assert found[name].opponents == (opponent,)
        assert found[name].left_out == ("any",)
        assert found[name].change.mean == 0.0
        assert (found[name].p_adjusted, found[name].significant) == (None, False)
    # One agent changed, so its p is that of a single test.
    with Run(tmp_path / "a") as old, Run(tmp_path / "b") as new:
        before, after = (
            np.mean([read([run]).pair("any", name).margins for name in ("lowest", "other")], axis=0)
            for run in (old, new)
        )
    assert found["any"].p_adjusted == pytest.approx(stats.ttest_1samp(after - before, 0).pvalue)


# --- who won, as published ---------------------------------------------------------------


def best_scores(run: Run, seats_of_first: tuple[tuple[int, ...], ...]) -> dict[str, float]:
    """Match by match the share in which the lowest score sits with the first, from plain rows."""
    totals: dict[tuple[str, int], list[int]] = {}
    for row in run.rows():
        scores = list(map(int, str(row["scores"]).split()))
        so_far = totals.setdefault((row["unit"], row["seating"]), [0, 0, 0, 0])
        totals[row["unit"], row["seating"]] = [a + b for a, b in zip(so_far, scores, strict=True)]
    won: dict[str, list[bool]] = {}
    for (unit, seating), points in totals.items():
        lowest = min(range(4), key=lambda seat: (points[seat], seat))
        won.setdefault(unit, []).append(lowest in seats_of_first[seating])
    return {unit: sum(wins) / len(wins) for unit, wins in won.items()}


@pytest.fixture(scope="module")
def duos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Matches at Hearts between two and two, in alternating seats."""
    folder = tmp_path_factory.mktemp("analysis") / "duos"
    rules = Hearts()
    match = MatchFormat(rounds=3)
    play(make_experiment(24, None, rules, match=match, placements="alternating"), folder)
    return folder


def test_the_best_score_of_a_single_seat_wins_as_published(duos: Path) -> None:
    with Run(duos) as run:
        found = read([run])
        by_hand = best_scores(run, ((0, 2), (1, 3)))
    (pair,) = found.pairs
    assert pair.best_side is not None
    assert dict(zip(pair.units, pair.best_side, strict=True)) == by_hand
    # Who has the best score of all need not have the better mean.
    assert (pair.best_side != pair.won).any()
    rate = compare_agents(found, pair.first, pair.second).best_side
    assert rate is not None and rate.value == pytest.approx(np.mean(list(by_hand.values())))
    other = compare_agents(found, pair.second, pair.first).best_side
    assert other is not None and other.value == pytest.approx(1 - np.mean([*by_hand.values()]))
    twice = pooled(duos, duos).pairs[0].best_side
    assert twice is not None and twice.tolist() == pair.best_side.tolist()
    reference = Reference(
        label="a thesis", pair=(pair.first, pair.second), unit="wins by the best side", value=0.4
    )
    (check,) = check_references(found, [reference])
    assert check.ours == rate


def test_with_a_side_each_the_best_score_says_nothing_new(run_folder: Path) -> None:
    with Run(run_folder) as run:
        found = read([run])
    assert all(pair.best_side is None for pair in found.pairs)
    assert compare_agents(found, "any", "lowest").best_side is None


def test_games_as_published_are_of_a_hundred_rounds_not_of_matches(duos: Path) -> None:
    rng = np.random.default_rng(1)
    games = rng.normal(0, 20, (100, 2))
    found = compare_agents(results(meeting("a", "b", games.tolist())), "a", "b").games_of_rounds
    shares = (50 + games.mean(axis=1)) / 100
    assert found is not None and found.games == 2  # of 50 deals in two seatings
    by_game = [shares[:50].mean(), shares[50:].mean()]
    assert found.sd == pytest.approx(np.std(by_game, ddof=1))
    with Run(duos) as run:
        assert compare_agents(read([run]), "any", "lowest").games_of_rounds is None


def test_who_forfeits_has_not_the_best_score(tmp_path: Path) -> None:
    rules = Hearts()
    crashes = make_deals(rules, 1)[0].hands[0][0]
    entrants = (entrant("any"), entrant("trouble", "trouble", first_card=crashes))
    play(make_experiment(6, entrants, rules, on_fault="forfeit"), tmp_path / "run")
    with Run(tmp_path / "run") as run:
        (pair,) = read([run]).pairs
    assert pair.best_side is not None and len(pair.forfeited) > 0
    for unit, share in zip(pair.units, pair.best_side, strict=True):
        assert unit not in pair.forfeited or share == 1.0
    kept = pair.without_forfeits().best_side
    assert kept is not None and len(kept) == len(pair.units) - len(pair.forfeited)


# --- sweeps ------------------------------------------------------------------------------


def sweeps_of(settings: dict[str, dict[str, float]]) -> list[Sweep]:
    """The sweeps among agents of one family that all met the same opponent."""
    entrants = {
        name: EntrantUsed(
            fingerprint=name,
            sees_all_cards=False,
            members=entrant(name, "random", **setting).members,
        )
        for name, setting in settings.items()
    }
    met = results(*(meeting(name, "any", [[1.0, 0.0], [2.0, -1.0]]) for name in settings))
    return find_sweeps(entrants, make_standings(met))


def test_parameters_that_change_together_are_one_line() -> None:
    (sweep,) = sweeps_of({f"a{n}": {"n": n, "half": n / 2} for n in (2, 4, 8)})
    assert sweep.parameter == "n (with half)"
    assert [(point.line, point.x) for point in sweep.points] == [("", 2.0), ("", 4.0), ("", 8.0)]


def test_agents_that_differ_in_several_ways_at_once_are_no_sweep() -> None:
    several = {"a": {"n": 2, "c": 1}, "b": {"n": 4, "c": 2}, "d": {"n": 8, "c": 1}}
    assert sweeps_of({**several, "e": {"n": 4, "c": 3}}) == []
    # One more of `c: 1`, and there is a line; what is not on it is a point of its own.
    (sweep,) = sweeps_of({**several, "e": {"n": 4, "c": 1}})
    assert [(p.line, p.x) for p in sweep.points] == [
        ("c=1", 2.0), ("c=1", 4.0), ("c=1", 8.0), ("c=2", 4.0)
    ]  # fmt: skip


def test_lines_of_a_sweep_are_in_numeric_order() -> None:
    grid = {f"a{n}-{c}": {"n": n, "c": c} for n in (1, 2, 3) for c in (10, 5, 0.7)}
    (sweep,) = sweeps_of(grid)
    assert list(dict.fromkeys(p.line for p in sweep.points)) in (
        ["c=0.7", "c=5", "c=10"],
        ["n=1", "n=2", "n=3"],
    )


def test_the_order_of_agents_in_a_file_changes_no_number() -> None:
    margins = np.random.default_rng(3).normal(size=(3, 12, 2)) * 40
    names = ("ab", "ac", "bc")
    pairs = [meeting(a, b, x.tolist()) for (a, b), x in zip(names, margins, strict=True)]
    one = make_standings(results(*pairs))
    other = make_standings(results(*(pair.reversed() for pair in reversed(pairs))))
    assert one.joint == other.joint
    assert [(each.rating, each.elo) for each in one.agents] == [
        (each.rating, each.elo) for each in other.agents
    ]
