"""Recorded Hearts rounds: everything agrees, under every variant, and errors are found."""

from __future__ import annotations

import copy
import re

import pytest
from helpers.paths import DATA
from helpers.rounds import play_at_random

from arena.core.cards import SEATS, card_name, cards_of, parse_card
from arena.core.deals import deal_from_record, read_jsonl
from arena.core.rules import RulesError
from arena.core.seeds import Rng
from arena.games.hearts import Hearts
from arena.games.hearts.rules import PRESETS
from arena.verify import check_record

FILE = DATA / "hearts_rounds.jsonl.gz"
VARIANTS = {name: Hearts(variant=name) for name in PRESETS}


@pytest.fixture(scope="module")
def records():
    return [record for _, record in read_jsonl(FILE)]


def test_every_record_agrees(records):
    assert len(records) == 500
    for record in records:
        plays, mismatches = check_record(record)
        assert plays == 52
        assert mismatches == [], record["id"]


def test_every_fact_of_a_record_is_compared(records):
    given_by_the_deal = {"hands", "id", "plays", "rules", "order"}
    for record in records[:20]:
        rules = Hearts.from_record(record)
        state = rules.start(deal_from_record(record))
        for entry in record["plays"]:
            rules.apply(state, parse_card(entry["card"]))
        assert set(record) - set(rules.facts(state)) <= given_by_the_deal | {"gen", "tags"}


def test_the_variants_are_those_of_the_records(records):
    for record in records:
        rules = Hearts.from_record(record)
        assert rules == VARIANTS[record["rules"]["name"]]


def test_legal_cards_under_the_other_variants(records):
    # `alt` has the legal cards wherever another variant differs from the record's own.
    differences = 0
    for record in records:
        rules = Hearts.from_record(record)
        state = rules.start(deal_from_record(record))
        for entry in record["plays"]:
            position = rules.view(state, state.turn).position
            for name, variant in VARIANTS.items():
                opened = any(variant.opens(trick.cards) for trick in state.tricks)
                expected = entry.get("alt", {}).get(name, entry["legal"])
                cards = cards_of(
                    variant.playable(state.hands[state.turn], position._replace(opened=opened))
                )
                assert sorted(map(card_name, cards)) == sorted(expected)
                differences += expected != entry["legal"]
            rules.apply(state, parse_card(entry["card"]))
    assert differences > 500


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda r: r["tricks"][3].update(points=r["tricks"][3]["points"] + 1), "tricks"),
        (lambda r: r["scores"].update(N=r["scores"]["N"] + 1), "scores:"),
        (lambda r: r["scores_raw"].update(N=r["scores_raw"]["N"] + 1), "scores_raw"),
        (lambda r: r.update(shot_moon_by="N"), "shot_moon_by"),
        (lambda r: r["plays"][0]["legal"].append("C3"), "play 1 .*: legal"),
        (lambda r: r["plays"][5].update(seat="X"), "play 6 .*: seat"),
    ],
)
def test_a_changed_record_is_noticed(records, change, message):
    record = copy.deepcopy(records[0])
    change(record)
    mismatches = check_record(record)[1]
    assert any(re.match(message, mismatch) for mismatch in mismatches)


def test_our_own_records_name_game_and_options():
    options = {"players": 2, "variant": "classic", "passing": "rotate"}
    assert Hearts.from_record({"game": "hearts", "options": options}) == Hearts(**options)
    assert Hearts.from_record({"game": "schieber", "options": {}}) is None
    assert Hearts.from_record({"variant": "rotterdam"}) is None
    assert Hearts.from_record({"rules": {"undertrump": "highest"}}) is None


@pytest.mark.parametrize("players", [2, 4])
def test_a_round_with_passing_can_be_recorded_and_checked(players):
    options = {"players": players, "passing": "left"}
    rules = Hearts(**options)
    the_deal = rules.random_deal(Rng(8), 0)
    state, actions = play_at_random(rules, the_deal, Rng(9))
    passed = 3 * players
    record = {
        "game": "hearts",
        "options": options,
        "hands": {
            SEATS[seat]: [card_name(card) for card in hand]
            for seat, hand in enumerate(the_deal.hands)
        },
        "bids": [
            {"seat": SEATS[number // 3], "action": card_name(card)}
            for number, card in enumerate(actions[:passed])
        ],
        "plays": [
            {"seat": SEATS[rules.seat_after(trick.leader, place)], "card": card_name(card)}
            for trick in state.tricks
            for place, card in enumerate(trick.cards)
        ],
        **rules.facts(state),
    }
    assert check_record(record) == (52, [])


def test_a_recorded_round_of_two_has_two_hands():
    record = {"rules": {"name": "kiele_code"}, "hands": {"N": [], "E": []}}
    assert Hearts.from_record(record) == Hearts(players=2, variant="kiele_code")


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"name": "clasic"}, "unknown name 'clasic'; did you mean 'classic'"),
        ({"name": "classic", "moon": "minus26"}, "moon is 'minus26'; only 'others.26' is known"),
        ({"name": "classic", "passing": True}, "passing is True"),
        ({"name": "classic", "qs_break": True}, "unknown 'qs_break'; did you mean 'qs_breaks'"),
        ({"name": "classic", "qs_breaks": "x"}, "queen_breaks_hearts: unknown 'x'"),
    ],
)
def test_rules_of_a_record_that_cannot_be(rules, message):
    with pytest.raises(RulesError, match=message):
        Hearts.from_record({"rules": rules})
