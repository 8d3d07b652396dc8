"""Recorded Schieber rounds: everything agrees, under every reading, and errors are found."""

from __future__ import annotations

import copy
import re

import pytest
from helpers.paths import DATA
from helpers.rounds import play_at_random

from arena.core.cards import SEATS, card_name, cards_of, parse_card
from arena.core.deals import deal_from_record, read_jsonl
from arena.core.rules import RulesError, action_name
from arena.core.seeds import Rng
from arena.games.schieber import Schieber
from arena.verify import check_record

FILE = DATA / "schieber_rounds.jsonl.gz"
READINGS = {
    name: Schieber(bidding="given", undertrump=name)
    for name in ("highest", "jasskit", "pyschieber")
}


@pytest.fixture(scope="module")
def records():
    return [record for _, record in read_jsonl(FILE)]


def test_every_record_agrees(records):
    assert len(records) == 750
    for record in records:
        plays, mismatches = check_record(record)
        assert plays == 36
        assert mismatches == [], record["id"]


def test_every_fact_of_a_record_is_compared(records):
    # What is neither the deal nor a remark must be among the facts.
    given_by_the_deal = {"hands", "id", "plays", "rules", "trump", "declarer", "order"}
    for record in records[:20]:
        rules = Schieber.from_record(record)
        state = rules.start(deal_from_record(record))
        for entry in record["plays"]:
            rules.apply(state, parse_card(entry["card"]))
        assert set(record) - set(rules.facts(state)) <= given_by_the_deal | {"gen", "tags"}


def test_legal_cards_under_the_other_readings(records):
    # `alt` has the legal cards wherever another reading differs from the record's own.
    differences = 0
    for record in records:
        rules = Schieber.from_record(record)
        state = rules.start(deal_from_record(record))
        for entry in record["plays"]:
            position = rules.view(state, state.turn).position
            for name, reading in READINGS.items():
                expected = entry.get("alt", {}).get(name, entry["legal"])
                cards = cards_of(reading.playable(state.hands[state.turn], position))
                assert sorted(map(card_name, cards)) == sorted(expected)
                differences += expected != entry["legal"]
            rules.apply(state, parse_card(entry["card"]))
    assert differences > 50


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda r: r["tricks"][3].update(points=r["tricks"][3]["points"] + 1), "tricks"),
        (lambda r: r["totals"].update(NS=156), "totals"),
        (lambda r: r.update(match="NS"), "match"),
        (lambda r: r["totals_with_match_bonus_100"].update(EW=0), "totals_with_match"),
        (lambda r: r.update(pushed=not r["pushed"]), "pushed"),
        (lambda r: r["plays"][5]["legal"].pop(), "play 6 .*: legal"),
        (lambda r: r["plays"][5].update(seat="S"), "play 6 .*: seat"),
        (lambda r: r["rules"].update(match_bonus=100, factor=2), "totals"),
    ],
)
def test_a_changed_record_is_noticed(records, change, message):
    record = copy.deepcopy(next(r for r in records if r["trump"] == "D"))
    change(record)
    mismatches = check_record(record)[1]
    assert any(re.match(message, mismatch) for mismatch in mismatches)


def test_a_record_that_says_only_how_to_under_trump(records):
    record = copy.deepcopy(records[0])
    record["rules"] = {"undertrump": "pyschieber"}
    for key in ("declarer", "dealer", "tags", "gen"):
        del record[key]
    assert Schieber.from_record(record) == Schieber(bidding="given", undertrump="pyschieber")
    assert check_record(record) == (36, [])


def test_our_own_records_name_game_and_options():
    options = {"weis": True, "stoeck": True, "multipliers": "swisslos"}
    rules = Schieber(**options)
    assert Schieber.from_record({"game": "schieber", "options": options}) == rules
    assert Schieber.from_record({"game": "hearts", "options": {}}) is None
    assert Schieber.from_record({"variant": "rotterdam"}) is None
    assert Schieber.from_record({"rules": {"name": "classic"}}) is None


def test_a_round_with_an_auction_can_be_recorded_and_checked():
    rules = Schieber(weis=True, stoeck=True, match_bonus=100, multipliers="pyschieber")
    the_deal = rules.random_deal(Rng(8), 3)
    state, _ = play_at_random(rules, the_deal, Rng(9))
    cards = [
        {"seat": SEATS[rules.seat_after(trick.leader, place)], "card": card_name(card)}
        for trick in state.tricks
        for place, card in enumerate(trick.cards)
    ]
    record = {
        "game": "schieber",
        "options": {
            "weis": True, "stoeck": True, "match_bonus": 100, "multipliers": "pyschieber",
        },
        "dealer": SEATS[the_deal.dealer],
        "hands": {
            SEATS[seat]: [card_name(card) for card in hand]
            for seat, hand in enumerate(the_deal.hands)
        },
        "bids": [
            {"seat": SEATS[bid.seat], "action": action_name(bid.action)} for bid in state.bids
        ],
        "plays": cards,
        **rules.facts(state),
    }  # fmt: skip
    assert check_record(record) == (36, [])


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"undertrump": "higest"}, "did you mean 'highest'"),
        ({"undertrump": "highest", "lasttrick": 5}, "unknown 'lasttrick'; did you mean"),
        ({"undertrump": "highest", "last_trick": 10}, "last_trick is 10"),
        ({"undertrump": "highest", "factor": 7}, "factor 7 for trump H"),
        ({"undertrump": "highest", "weis": "yes"}, "weis: unknown 'yes'"),
    ],
)
def test_rules_of_a_record_that_cannot_be(rules, message):
    with pytest.raises(RulesError, match=message):
        Schieber.from_record({"rules": rules, "trump": "H"})
