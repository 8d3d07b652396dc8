"""Who plays whom in which seats, and what a match is."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.experiments import entrant, make_deals, make_experiment, play

from arena.config.entrants import AgentSpec, Entrant
from arena.core.errors import ArenaError
from arena.core.rules import MatchFormat, Rules
from arena.games.hearts import Hearts
from arena.games.klaverjas import Klaverjas
from arena.games.schieber import Schieber
from arena.store import Run
from arena.tournament.schedule import Schedule, match_deal, seat_members, seatings
from arena.tournament.worker import Job, Post, _Agents


@pytest.mark.parametrize("rules", [Klaverjas(), Schieber()])
def test_partners_exchange_seats_with_their_opponents(rules: Rules) -> None:
    assert seatings(rules) == ((0, 1, 0, 1), (1, 0, 1, 0))


def test_hearts_has_all_six_placements_or_two() -> None:
    found = seatings(Hearts())
    assert len(set(found)) == 6
    assert all(sum(seating) == 2 for seating in found)
    # Every seat is taken equally often by both.
    assert [sum(seating[seat] for seating in found) for seat in range(4)] == [3, 3, 3, 3]
    assert seatings(Hearts(), "alternating") == ((0, 1, 0, 1), (1, 0, 1, 0))


def test_mixed_placements_are_all_in_which_both_sit_somewhere() -> None:
    found = seatings(Hearts(), "mixed")
    assert len(set(found)) == len(found) == 14
    assert all(0 < sum(seating) < 4 for seating in found)
    assert [sum(seating[seat] for seating in found) for seat in range(4)] == [7, 7, 7, 7]
    assert set(seatings(Hearts())) < set(found)
    assert seatings(Klaverjas(), "mixed") == seatings(Klaverjas())


def test_two_players_exchange_seats() -> None:
    assert seatings(Hearts(players=2)) == ((0, 1), (1, 0))


def test_the_first_member_of_a_team_has_its_first_seat() -> None:
    assert seat_members((1, 0, 1, 0), (2, 2)) == (0, 0, 1, 1)
    assert seat_members((0, 0, 1, 1), (1, 2)) == (0, 0, 0, 1)


def test_a_mixed_team_sits_down_as_written() -> None:
    team = Entrant("team", (AgentSpec("any"), AgentSpec("lowest")))
    experiment = make_experiment(1, (team, entrant("trouble", "trouble")))
    job = Job.of(experiment, "mixed")
    lineup = _Agents(job, Post(job)).lineup
    families = [[type(p.cards).__name__ for p in lineup(0, s).players] for s in (0, 1)]
    assert families[0] == ["Anything", "Trouble", "Lowest", "Trouble"]
    assert families[1] == ["Trouble", "Anything", "Trouble", "Lowest"]


def test_every_pairing_plays_every_deal_once() -> None:
    experiment = make_experiment(5, tuple(entrant(name) for name in "abcd"))
    units = list(Schedule(experiment))
    assert len(units) == len(Schedule(experiment)) == 30
    assert Counter((unit.pairing, unit.id) for unit in units).most_common(1)[0][1] == 1
    # Deal by deal: a run cut short has the same deals for all.
    assert [unit.id for unit in units[:6]] == ["d0000"] * 6


def test_a_match_owns_its_deals() -> None:
    experiment = make_experiment(11, match=MatchFormat(rounds=4))
    schedule = Schedule(experiment)
    assert schedule.units_per_pairing == 2
    assert schedule.unit_ids() == ["d0000", "d0004"]
    assert [deal.id for deal in schedule.unit(0, 1).deals] == ["d0004", "d0005", "d0006", "d0007"]
    with pytest.raises(ArenaError, match="11 deals are too few for a match of 12 rounds"):
        Schedule(replace(experiment, match=MatchFormat(rounds=12)))


def test_deals_beyond_those_owned_are_made_from_seed_and_match() -> None:
    rules = Klaverjas(bidding="classical")
    schedule = Schedule(make_experiment(8, rules=rules, match=MatchFormat(rounds=4)))
    first, second = schedule.unit(0, 0), schedule.unit(0, 1)
    extra = match_deal(rules, first, 1, 4)
    assert extra == match_deal(rules, first, 1, 4)
    assert extra.id == "d0000+4"
    others = [
        match_deal(rules, first, 1, 5),
        match_deal(rules, first, 2, 4),
        match_deal(rules, second, 1, 4),
    ]
    assert all(extra.hands != other.hands for other in others)
    rules.check_deal(extra)


def test_a_match_goes_its_length_with_the_dealer_moving_on(tmp_path: Path) -> None:
    rules = Klaverjas(bidding="utrecht")
    experiment = make_experiment(8, rules=rules, match=MatchFormat(rounds=4))
    play(experiment, tmp_path)
    with Run(tmp_path) as results:
        pairing = results.pairings[0]
        replays = list(results.replays(pairing))
        frame = results.deals()
    assert len(replays) == 2 * 2 * 4
    by_game = [replays[i : i + 4] for i in range(0, 16, 4)]
    for game in by_game:
        dealers = [replay.deal.dealer for replay in game]
        assert dealers == [3, 0, 1, 2]
        assert [replay.standing.round_number for replay in game] == [0, 1, 2, 3]
        scores = [0, 0]
        for replay in game:
            assert replay.standing.scores == tuple(scores)
            for side, score in enumerate(replay.record.scores):
                scores[side] += score
    # Both seatings meet the same deals.
    assert [r.record.deal for r in by_game[0]] == [r.record.deal for r in by_game[1]]
    # The match counts as a whole: the sum over its rounds, the mean over its seatings.
    expected = sum(replay.record.margin for replay in replays[:8]) / 2
    assert frame["margin"][0] == pytest.approx(expected)
    assert list(frame["rounds"]) == [8, 8]


def test_thrown_in_rounds_do_not_count_and_take_the_next_deal(tmp_path: Path) -> None:
    rules = Klaverjas(bidding="classical-redeal")
    # Somebody who always says the first thing allowed passes; the other one does so at times.
    experiment = make_experiment(30, rules=rules, match=MatchFormat(rounds=10))
    experiment = replace(experiment, entrants=(entrant("any"), entrant("lowest", "lowest")))
    play(experiment, tmp_path)
    with Run(tmp_path) as results:
        replays = list(results.replays(results.pairings[0]))
        stored = {row[0] for row in results.database.query("SELECT id FROM deals")}
    thrown_in = [replay for replay in replays if "redeal" in replay.record.flags]
    assert thrown_in, "the test needs thrown-in rounds"
    games = Counter((replay.record.unit, replay.record.seating) for replay in replays)
    for (unit, seating), rounds in games.items():
        game = [r for r in replays if (r.record.unit, r.record.seating) == (unit, seating)]
        assert sum(r.record.counts for r in game) == 10
        assert [r.record.number for r in game] == list(range(rounds))
        assert len({r.record.deal for r in game}) == rounds
    assert {replay.record.deal for replay in replays} <= stored
    assert any("+" in replay.record.deal for replay in replays)


def test_a_match_in_which_nobody_ever_bids_ends(tmp_path: Path) -> None:
    rules = Klaverjas(bidding="classical-redeal")
    both = (entrant("a", "lowest"), entrant("b", "lowest"))
    play(make_experiment(4, both, rules=rules, match=MatchFormat(rounds=4)), tmp_path)
    with Run(tmp_path) as results:
        frame = results.deals()
    assert list(frame["margin"]) == [0.0]
    assert list(frame["rounds"]) == [0]


def test_a_match_to_a_target_ends_with_the_round_that_reaches_it(tmp_path: Path) -> None:
    experiment = make_experiment(3, rules=Hearts(), match=MatchFormat(target=50))
    play(experiment, tmp_path)
    with Run(tmp_path) as results:
        replays = list(results.replays(results.pairings[0]))
        assert results.units_per_pairing == 3
    lasts = [
        replay
        for replay, following in zip(replays, [*replays[1:], None], strict=True)
        if following is None or following.record.number == 0
    ]
    assert len(lasts) == 3 * 6
    for replay in replays:
        assert max(replay.standing.scores) < 50
    for replay in lasts:
        total = [a + b for a, b in zip(replay.standing.scores, replay.record.scores, strict=True)]
        assert max(total) >= 50


def test_lower_is_better_in_hearts(tmp_path: Path) -> None:
    play(make_experiment(4, rules=Hearts()), tmp_path)
    with Run(tmp_path) as results:
        frame = results.rounds()
    assert len(frame) == 4 * 6
    assert (frame["margin"] == frame["score_second"] - frame["score_first"]).all()
    # Means of two sides each: all 26 points (or 78 after a moon) are there.
    assert set(2 * (frame["score_first"] + frame["score_second"])) <= {26.0, 78.0}


def test_the_deal_stays_while_the_agents_move(tmp_path: Path) -> None:
    both = (entrant("a", "lowest"), entrant("b", "lowest"))
    play(make_experiment(10, both), tmp_path)
    with Run(tmp_path) as results:
        frame = results.rounds()
        deals = results.deals()
    for _, pair in frame.groupby("deal"):
        first, second = pair["actions"]
        assert first == second  # equal players: the same cards in the same seats
        assert pair["trump"].nunique() == pair["leader"].nunique() == 1
    assert (deals["margin"] == 0.0).all()
    assert len(make_deals(Klaverjas(), 10)) == len(deals)
