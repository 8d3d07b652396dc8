"""Every sentence of the verdict: when it must appear, and when it must not."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from helpers.made_results import meeting, results

from arena.analysis.estimates import Estimate
from arena.analysis.standings import RatingOptions, Standings, make_standings, without_forfeits
from arena.analysis.sweeps import Sweep, SweepPoint
from arena.report import sentences
from arena.report.sentences import Facts
from arena.stats import Contrast, joint_comparison
from arena.stats.power import POWER


def facts(field: Standings, **changes: object) -> Facts:
    labels = {agent.name: agent.name for agent in field.agents}
    found = Facts("deal", "deals", higher_wins=True, stored=10, wanted=10, labels=labels)
    return replace(found, **changes)  # type: ignore[arg-type]


def field(strengths: dict[str, float], deals: int = 200, noise: float = 20.0) -> Standings:
    """Everybody against everybody, with margins that add up."""
    rng = np.random.default_rng(7)
    names = list(strengths)
    luck = {name: rng.normal(0, noise, (deals, 2)) for name in names}
    pairs = []
    for i, a in enumerate(names):
        for b in names[i + 1 :]:
            games = strengths[a] - strengths[b] + luck[a] - luck[b]
            pairs.append(meeting(a, b, games.tolist()))
    return make_standings(results(*pairs))


def said(found: Standings) -> str:
    return sentences.headline(found, facts(found))


# --- the headline ------------------------------------------------------------------------


def test_one_agent_ahead_of_all_others() -> None:
    found = field({"a": 30, "b": 10, "c": -40})
    assert said(found) == "a is the strongest: ahead of all others."


def test_a_top_group_and_those_behind_it() -> None:
    found = field({"a": 30, "b": 30, "c": -30, "d": -40})
    assert set(found.joint.top) == {"a", "b"}
    text = said(found)
    assert (
        text.startswith("Top group: ") and "(not distinguishable); both ahead of c and d." in text
    )


def test_nobody_is_known_to_be_stronger() -> None:
    found = field({"a": 0, "b": 0, "c": 0})
    assert "No agent is known to be stronger than another" in said(found)
    assert "strongest" not in said(found) and "Top group" not in said(found)


def test_two_agents_that_differ() -> None:
    text = said(field({"a": 20, "b": 0}))
    assert text.startswith("a is stronger than b: by ")
    assert "simultaneous 95% interval" in text and "p < 0.001" in text


def test_two_agents_that_do_not() -> None:
    found = field({"a": 0, "b": 0}, deals=30)
    text = said(found)
    assert text.startswith("No difference was found between ")
    assert "would have been detectable with 80% probability" in text
    assert "stronger" not in text


def test_one_deal_says_nothing() -> None:
    found = make_standings(results(meeting("a", "b", [[30, 10]])))
    assert said(found) == (
        "Nothing can be said about who is stronger: one deal shows no chance variation."
    )


def test_agents_that_play_alike() -> None:
    found = make_standings(results(meeting("a", "b", [[5, -5]] * 8)))
    assert "played alike" in said(found)


def test_the_same_difference_on_every_deal() -> None:
    found = make_standings(results(meeting("a", "b", [[162, 162]] * 12)))
    assert said(found) == (
        "a is stronger than b: by 162.0 points per deal (the same every time, so no interval, "
        "12 deals, p < 0.001)."
    )
    few = make_standings(results(meeting("b", "a", [[162, 162]] * 3)))
    assert said(few) == (
        "b was ahead of a by 162.0 points on each of 3 deals, too few to say who is stronger "
        "(p = 0.250, sign test)."
    )


def test_of_many_agents_the_headline_names_the_best() -> None:
    best = {f"a{i}": 60.0 for i in range(4)}
    found = field({**best, **{f"b{i}": -60.0 for i in range(9)}})
    top = f"Top group: {found.joint.top[0]} and 3 others (not distinguishable)"
    assert said(found) == f"{top}; all ahead of 9 others."
    found = field({"best": 200.0, **best, **{f"b{i}": -60.0 for i in range(9)}})
    assert said(found) == "best is the strongest: ahead of all others."


def test_a_sweep_names_all_its_parameters() -> None:
    found = field({"a": 1.0, "b": 0.0})
    value = Estimate(0.0, None, None, 9)
    points = tuple(SweepPoint("a", f"n=3, k={k}", x, value, True) for k in (1, 2) for x in (1, 2))
    said_of = sentences.sweep_sentences(Sweep("mc", "c", "", None, points), facts(found))
    assert said_of.startswith("mc by c, n and k: ")


def test_many_names_are_counted() -> None:
    found = field({"best": 90, **{f"agent{i}": 0.0 for i in range(9)}}, deals=60)
    labels = facts(found)
    assert labels.names([f"x{i}" for i in range(9)]) == "x0, x1, x2, x3, x4 and 4 others"
    assert labels.names(["x" * 40, "y" * 40, "z" * 40]) == f"{'x' * 40}, {'y' * 40} and 1 other"


# --- no contradictions -------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
def test_no_interval_contradicts_its_verdict(seed: int) -> None:
    rng = np.random.default_rng(seed)
    names = "abcd"
    pairs = [
        meeting(x, y, rng.normal(rng.normal(0, 8), 30, (40, 2)).tolist())
        for i, x in enumerate(names)
        for y in names[i + 1 :]
    ]
    found = make_standings(results(*pairs))
    for contrast in found.joint.contrasts:
        assert contrast.low is not None and contrast.high is not None
        assert contrast.different == (contrast.low > 0 or contrast.high < 0)
        letters = found.joint.letters
        shared = set(letters[contrast.first]) & set(letters[contrast.second])
        assert bool(shared) != contrast.different
    for agent in found.agents:
        assert agent.rank_best <= agent.rank <= agent.rank_worst
    assert {a.name for a in found.agents if "a" in a.letters} >= set(found.joint.top[:1])


@pytest.mark.long
def test_what_would_have_been_found_has_that_power() -> None:
    """Simulated: a difference of that size is found about as often as the sentence says."""
    rng = np.random.default_rng(3)

    def contrast(apart: float) -> Contrast:
        luck = {name: rng.normal(0, 20, (50, 2)) for name in "abc"}
        strengths = {"a": apart / 2, "b": -apart / 2, "c": 0.0}
        pairs = [
            meeting(x, y, (strengths[x] - strengths[y] + luck[x] - luck[y]).tolist())
            for x, y in ("ab", "ac", "bc")
        ]
        return joint_comparison(results(*pairs).for_statistics).contrast("a", "b")

    # One sample's spread is off by a tenth or so; the mean over some of them is not.
    sizes = [contrast(0.0).detectable for _ in range(40)]
    size = float(np.mean([each for each in sizes if each is not None]))
    found = np.mean([contrast(size).different for _ in range(150)])
    assert found == pytest.approx(POWER, abs=0.1)


# --- what stands below -------------------------------------------------------------------


def test_next_is_the_second_not_the_smallest_victory() -> None:
    found = field({"a": 40, "b": 20, "c": -60})
    (first, *_) = sentences.details(found, facts(found))
    assert first.startswith("Next is b, ")
    assert "closest" not in first


def test_a_top_group_tells_what_could_have_been_found() -> None:
    found = field({"a": 30, "b": 30, "c": -30})
    (first, *_) = sentences.details(found, facts(found))
    assert first.startswith("No difference was found between ") and "80% probability" in first


def test_fewer_points_are_better_only_where_they_are() -> None:
    found = field({"a": 1, "b": 0})
    assert sentences.scoring(facts(found)) == ""
    assert "Fewer points are better" in sentences.scoring(facts(found, higher_wins=False))


def test_an_incomplete_run_says_so_and_a_complete_one_does_not() -> None:
    found = field({"a": 1, "b": 0})
    assert list(sentences.cautions(found, facts(found))) == []
    (text,) = sentences.cautions(found, facts(found, stored=3))
    assert "not complete: 3 of 10 deals" in text


def test_a_field_that_does_not_add_up_is_reported() -> None:
    rng = np.random.default_rng(5)
    ring = [("a", "b"), ("b", "c"), ("c", "a")]
    found = make_standings(
        results(*(meeting(x, y, rng.normal(25, 10, (80, 2)).tolist()) for x, y in ring))
    )
    assert found.joint.basis == "direct"
    assert list(sentences.cautions(found, facts(found))) == [found.joint.fit.words]
    assert said(found) in {
        f"No agent is the strongest: {' beats '.join(circle)} in direct meetings."
        for circle in ("abca", "bcab", "cabc")
    }
    assert [(agent.rank_best, agent.rank_worst) for agent in found.agents] == [(1, 3)] * 3


def made_up(margins: dict[str, float]) -> Standings:
    """A field from the mean margins of its pairs, such as `ab`: 25."""
    rng = np.random.default_rng(6)
    pairs = [meeting(*pair, rng.normal(m, 10, (80, 2)).tolist()) for pair, m in margins.items()]
    return make_standings(results(*pairs))


def test_who_is_beaten_directly_is_not_the_strongest() -> None:
    """By ratings a is far ahead, because it beats c and d by much; but b beats a."""
    found = made_up({"ba": 12, "ac": 90, "ad": 90, "bc": 6, "bd": 6, "cd": 0})
    assert found.rating is not None and (found.rating["a"].value or 0) > (
        found.rating["b"].value or 0
    )
    assert found.joint.basis == "direct" and ("b", "a") in found.joint.fit.contradictions
    assert said(found) == "b is the strongest: ahead of all others."
    assert [agent.name for agent in found.agents[:2]] == ["b", "a"]
    assert [(a.rank, a.rank_best, a.rank_worst) for a in found.agents[:2]] == [(1, 1, 1), (2, 2, 2)]
    assert found.joint.cycles == () and found.joint.letters["b"] == "a"


def test_who_is_unbeaten_but_not_ahead_of_all_is_not_the_strongest() -> None:
    """a beats b and b beats c, but c may be ahead of a: their direct meeting says so."""
    found = made_up({"ab": 20, "bc": 20, "ca": 2})
    assert found.joint.basis == "direct" and found.joint.top == ("a",)
    assert said(found) == (
        "No agent is known to be stronger than a: it is ahead of b, not known to be ahead of c."
    )


def test_a_circle_at_the_top_and_one_further_down() -> None:
    ring = {"ab": 25, "bc": 25, "ca": 25}
    top = made_up({**ring, "ad": 40, "bd": 40, "cd": 40})
    assert said(top).startswith("No agent is the strongest: ")
    assert said(top).endswith(" in direct meetings; all ahead of d.")
    assert (top.agents[3].name, top.agents[3].rank_best) == ("d", 4)
    down = made_up({**ring, "da": 60, "db": 60, "dc": 60})
    assert said(down) == "d is the strongest: ahead of all others."
    assert set(down.joint.cycles[0]) == set("abc")
    assert [(a.rank_best, a.rank_worst) for a in down.agents] == [(1, 1), (2, 4), (2, 4), (2, 4)]


def test_settings_in_a_circle_are_all_at_the_top_of_their_sweep() -> None:
    found = made_up({"ab": 25, "bc": 25, "ca": 25, "ad": 40, "bd": 40, "cd": 40, "de": 9, "ae": 60})
    assert set(found.joint.top_among("abcd")) == set("abc")
    assert found.joint.top_among("bd") == ("b",) and set(found.joint.top_among("ce")) == set("ce")
    assert not any("within" in text for text in sentences.details(found, facts(found)))


def test_no_words_contradict_a_known_direct_result() -> None:
    """Made-up fields of any kind: the strongest is beaten by none, ranks hold their places."""
    rng = np.random.default_rng(12)
    kinds = set()
    for _ in range(25):
        pairs = [x + y for x in "abcde" for y in "abcde" if x < y]
        found = made_up({pair: float(rng.choice([-30, 0, 30])) for pair in pairs})
        joint = found.joint
        kinds.add((joint.basis, bool(joint.cycles), len(joint.top) == 1))
        text = said(found)
        assert ("No agent is the strongest" in text) == bool(
            {name for cycle in joint.cycles for name in cycle} & set(joint.top)
        )
        if "is the strongest: ahead" in text:
            (best,) = joint.top
            assert found.agents[0].name == best and not joint.better(best)
            assert not any(c.different and c.second == best for c in joint.direct)
        for agent in found.agents:
            assert agent.rank_best <= agent.rank <= agent.rank_worst
    assert len(kinds) > 2


# --- how near the best -------------------------------------------------------------------


def test_how_near_the_best_comes_from_the_same_intervals() -> None:
    found = field({"a": 0, "b": 0, "c": -40})
    bound = max(found.joint.within(name) or 0.0 for name in ("a", "b"))
    text = " ".join(sentences.details(found, facts(found)))
    assert f"Each of the top group is within {bound:.1f} points per deal of the best" in text
    lead = found.joint.contrast(*found.joint.order[:2])
    assert found.joint.within(found.joint.order[1]) == lead.high
    strong = field({"a": 40, "b": 0, "c": -40})
    assert "within" not in " ".join(sentences.details(strong, facts(strong)))
    assert strong.joint.within("a") == 0.0


def test_what_does_not_matter_is_said_by_the_experiment() -> None:
    found = field({"a": 1, "b": 0, "c": -40}, deals=400, noise=5.0)

    def near(points: float) -> str:
        return " ".join(sentences.details(found, facts(found, indifferent=points)))

    assert "a and b are within 5 points per deal of the best (95%)" in near(5)
    assert "No two agents differ by more than 60 points per deal" in near(60)
    assert "No agent is known to be within 0.01 points" in near(0.01)
    equal = field({"a": 0, "b": 0}, deals=60)
    (text,) = sentences.details(equal, facts(equal, indifferent=0.1))
    assert text.startswith("No agent is known to be within 0.1 points per deal")


# --- forfeits ----------------------------------------------------------------------------


def forfeited(units: Sequence[str], count: int) -> Standings:
    pair = meeting("a", "b", np.random.default_rng(1).normal(0, 9, (len(units), 2)).tolist())
    pair = replace(pair, forfeits=(count, 0), forfeited=frozenset(pair.units[:count]))
    return make_standings(results(pair))


def test_nobody_forfeited() -> None:
    found = forfeited("x" * 12, 0)
    assert list(sentences.forfeit_sentences(found, None, facts(found))) == []


def test_some_deals_were_forfeited() -> None:
    found = forfeited("x" * 12, 3)
    ((text, leads),) = sentences.forfeit_sentences(found, None, facts(found))
    assert text.startswith("a forfeited 3 of 12 deals") and not leads


def test_every_deal_was_forfeited() -> None:
    found = forfeited("x" * 12, 12)
    ((text, leads),) = sentences.forfeit_sentences(found, None, facts(found))
    assert text.startswith("a forfeited every deal it played (12)") and leads


def test_who_leads_without_forfeits_is_reported_only_if_it_is_another() -> None:
    games = [[-200, -200]] * 6 + [[9, 11], [20, 30], [15, 5], [12, 18], [25, 8], [10, 10]]
    pair = meeting("a", "b", games)
    pair = replace(pair, forfeits=(6, 0), forfeited=frozenset(pair.units[:6]))
    both = results(pair)
    found, played = make_standings(both), without_forfeits(both)
    texts = [text for text, _ in sentences.forfeit_sentences(found, played, facts(found))]
    assert "Without forfeited deals, a is ahead of b." in texts
    few = replace(pair, units=pair.units[:9], margins=pair.margins[:9], games=pair.games[:9])
    few = replace(few, scores=pair.scores[:9], wins=pair.wins[:9], draws=pair.draws[:9])
    played = without_forfeits(results(few))  # three deals: b may be as good
    found_few = make_standings(results(few))
    texts = [text for text, _ in sentences.forfeit_sentences(found_few, played, facts(found_few))]
    assert not any("Without forfeited" in text for text in texts)
    same = [text for text, _ in sentences.forfeit_sentences(found, found, facts(found))]
    assert not any("Without forfeited" in text for text in same)


def test_ratings_and_comparisons_are_one_where_agents_forfeit() -> None:
    """A forfeiter loses by 1,162 whoever plays it: that says nothing about rule and semi."""
    rng = np.random.default_rng(3)
    strengths = {"rule": 30.0, "semi": 0.0, "greedy": -10.0, "flaky": 0.0, "crashy": 0.0}
    pairs = []
    for a, b in itertools.combinations(strengths, 2):
        games = rng.normal(strengths[a] - strengths[b], 30, (60, 2))
        lost = rng.random(60) < {"crashy": 1.0, "flaky": 0.2}.get(b, 0.0)
        games[lost] = 1162.0
        pair = meeting(a, b, games.tolist())
        units = frozenset(np.array(pair.units)[lost].tolist())
        pairs.append(replace(pair, forfeits=(0, len(units)), forfeited=units))
    found = make_standings(results(*pairs))
    assert found.rating is not None and found.joint.basis == "joint"
    for contrast in found.joint.contrasts:
        one, other = found.rating[contrast.first], found.rating[contrast.second]
        assert one.value is not None and other.value is not None
        assert one.value - other.value == pytest.approx(contrast.difference)
    played = make_standings(results(*(p for p in pairs if p.second not in ("crashy", "flaky"))))
    assert played.rating is not None
    for name in ("rule", "semi", "greedy"):
        alone, with_others = played.rating[name], found.rating[name]
        assert with_others.value == pytest.approx(alone.value, abs=1e-3)
        assert with_others.se == pytest.approx(alone.se, abs=1e-3)
    assert "the others have mean 0" in " ".join(found.notes)
    anchored = make_standings(results(*pairs), RatingOptions(anchor="semi"))
    assert "mean 0" not in " ".join(anchored.notes)
    assert "as far as can be seen" in found.joint.fit.words


# --- sweeps ------------------------------------------------------------------------------


def swept(best: Sequence[bool]) -> str:
    points = tuple(
        SweepPoint(f"x{i}", "", float(i), Estimate(float(i), None, None, 9), is_best)
        for i, is_best in enumerate(best)
    )
    found = field({f"x{i}": 0.0 for i in range(3)}, deals=9)
    return sentences.sweep_sentences(Sweep("x", "n", "", None, points), facts(found))


def test_settings_that_cannot_be_told_apart() -> None:
    assert swept([True, True, True]) == "x by n: no setting is known to be better than another."


def test_one_best_setting() -> None:
    assert swept([False, True, False]) == "x by n: x1 is the best setting of 3."


def test_several_best_settings() -> None:
    text = swept([False, True, True])
    assert "the best settings are x2 and x1, none of them known to be the best" in text
    assert "1 of 3 is known to be worse" in text
