"""Sets of deals: made the same from the same seed, refused when changed or wrong."""

from __future__ import annotations

import csv
import hashlib
import json
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest

from arena.core.cards import SEATS, parse_cards
from arena.core.deals import (
    Deal,
    DealError,
    DealSet,
    check_cards,
    deal_from_record,
    deal_record,
    read_deal,
    sidecar_of,
    write_deal,
)
from arena.core.errors import ArenaError
from arena.core.files import find_shipped, shipped_names
from arena.core.generate import Filter, make_deals
from arena.core.registry import GAMES
from arena.games.klaverjas import Klaverjas
from arena.games.klaverjas.tables import POINTS
from arena.games.needs import trick_games
from arena.games.trump import trump_points

SHIPPED = shipped_names("deals", ".csv")


@pytest.fixture
def small(tmp_path):
    """A saved set of twelve deals."""
    return make_deals(Klaverjas(), "small", 12, seed=3).save(tmp_path / "small.csv")


# --- files -------------------------------------------------------------------------------


def test_what_is_saved_is_loaded(small):
    loaded = DealSet.load(small.path)
    assert loaded.deals == small.deals
    assert loaded.meta == small.meta
    assert loaded.sha256 == hashlib.sha256(small.path.read_bytes()).hexdigest()


def test_pandas_reads_a_set(small):
    frame = pd.read_csv(small.path)
    assert list(frame.columns) == ["id", "N", "E", "S", "W", "trump", "declarer", "leader"]
    assert parse_cards(frame["N"][3]) == small.deals[3].hands[0]


def test_every_field_survives(tmp_path):
    hands = make_deals(Klaverjas(), "x", 1, seed=1).deals[0].hands
    deal = Deal("a,b", hands, 2, 1, 3, 0, (0, 3, 3), hands[3][:1])
    saved = DealSet("all", (deal,), {"game": "klaverjas"}).save(tmp_path / "all.csv")
    assert DealSet.load(saved.path).deals == (deal,)


def test_a_changed_file_is_refused_with_both_hashes(small):
    text = small.path.read_text()
    small.path.write_text(text.replace("small-0003", "small-0303"))
    now = hashlib.sha256(small.path.read_bytes()).hexdigest()
    with pytest.raises(DealError, match=f"(?s){now}.*{small.sha256}"):
        DealSet.load(small.path)


def resign(path: Path) -> None:
    """Make the sidecar agree with a file that a test has changed."""
    sidecar = sidecar_of(path)
    meta = json.loads(sidecar.read_text())
    meta["sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
    sidecar.write_text(json.dumps(meta))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("id,N", "id,X", r"small\.csv:1: unknown column 'X'"),
        ("id,N,E,S,W", "id,a,b,c,d", r"small\.csv:1: expected a header"),
        ("small-0001", "small-0000", r"small\.csv:3: the id 'small-0000' is used twice"),
        (",N,N\n", ",N,X\n", r"small\.csv:2: unknown seat 'X'"),
        (",N,N\n", ",N\n", r"small\.csv:2: 7 fields, expected 8"),
    ],
)
def test_mistakes_in_a_file_are_placed(small, old, new, message):
    small.path.write_text(small.path.read_text().replace(old, new, 1))
    resign(small.path)
    with pytest.raises(DealError, match=message):
        DealSet.load(small.path)


def test_a_missing_or_damaged_sidecar_is_reported(small):
    sidecar = sidecar_of(small.path)
    sidecar.write_text("{")
    with pytest.raises(ArenaError, match="not JSON"):
        DealSet.load(small.path)
    sidecar.write_text('{"game": "klaverjas"}')
    with pytest.raises(DealError, match="'sha256' is missing"):
        DealSet.load(small.path)
    sidecar.unlink()
    with pytest.raises(DealError, match=r"small\.json is missing from its folder"):
        DealSet.load(small.path)


# --- cards -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda hands: (hands[0][:7], *hands[1:]), "seat N has 7 cards, expected 8"),
        (lambda hands: (hands[0][:7] + hands[1][:1], *hands[1:]), "is dealt twice"),
        (lambda hands: (hands[0][:7] + parse_cards("H2"), *hands[1:]), "H2 .* is not in this game"),
        (lambda hands: hands[:3], "3 hands, expected 4"),
    ],
)
def test_hands_that_are_no_deal(change, message):
    rules = Klaverjas()
    deal = make_deals(rules, "x", 1, seed=1).deals[0]
    with pytest.raises(DealError, match=message):
        check_cards(Deal("bad", change(deal.hands)), rules.deck, rules.players, rules.hand_size)


def test_cards_cannot_have_been_played_against_the_rules():
    rules = Klaverjas()
    (deal,) = make_deals(rules, "x", 1, seed=1).deals
    somebody_else = deal.hands[(deal.leader + 1) % 4][0]
    with pytest.raises(DealError, match="cannot have been played by seat"):
        rules.check_deal(Deal("x", deal.hands, 0, 0, 0, played=(somebody_else,)))


# --- making ------------------------------------------------------------------------------


def test_a_longer_set_begins_with_the_shorter_one():
    rules = Klaverjas()
    assert make_deals(rules, "a", 30, 5).deals[:10] == make_deals(rules, "a", 10, 5).deals
    assert make_deals(rules, "a", 10, 5).deals != make_deals(rules, "a", 10, 6).deals


def test_filters():
    rules = Klaverjas()
    strong = Filter.parse("leader-trump-points >= 40", rules.measures)
    for deal in make_deals(rules, "a", 20, 5, [strong]):
        assert trump_points(deal, deal.leader, POINTS) >= 40
    with pytest.raises(DealError, match="did you mean 'leader-trump-points'"):
        Filter.parse("leader-trumps-points>=3", rules.measures)
    with pytest.raises(DealError, match="expected MEASURE>=NUMBER"):
        Filter.parse("lots of trumps", rules.measures)


# --- what we ship ------------------------------------------------------------------------


def test_the_promised_sets_are_there():
    promised = {"klaverjas-given-1000", "klaverjas-given-10000", "klaverjas-bidding-1000"}
    assert promised <= set(SHIPPED)


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_sets_are_in_order_and_can_be_made_again(name):
    deals = DealSet.load(find_shipped("deals", name, ".csv"))
    assert len(deals) == deals.meta["count"] == int(name.rsplit("-", 1)[1])
    rules = GAMES.get(deals.game)(**deals.meta["options"])
    for deal in deals.deals[::7]:
        rules.check_deal(deal)
    filters = [Filter.parse(text, rules.measures) for text in deals.meta["filter"]]
    again = make_deals(rules, name, 50, deals.meta["seed"], filters)
    assert again.deals == deals.deals[:50]


@pytest.mark.parametrize("name", ["klaverjas-given-1000", "klaverjas-given-10000"])
def test_given_sets_have_strong_declaring_leaders_in_every_seat(name):
    deals = DealSet.load(find_shipped("deals", name, ".csv"))
    leaders = Counter(SEATS[deal.leader] for deal in deals)
    assert set(leaders.values()) == {len(deals) // 4}
    for deal in deals:
        assert deal.leader == deal.declarer
        assert trump_points(deal, deal.leader, POINTS) >= 25


def test_the_csv_of_a_set_is_plain(small):
    with small.path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 12
    assert all(len(row[seat].split()) == 8 for row in rows for seat in SEATS)


def test_every_field_survives_as_a_record_and_in_a_run():
    for name in trick_games():
        dealt = make_deals(GAMES.get(name)(), "x", 1, seed=1).deals[0]
        hands = dealt.hands
        for deal in (dealt, Deal("x-0000", hands, 5, 1, 3, 0, (0, 3, 3), hands[3][:2])):
            record = json.loads(json.dumps(deal_record(deal)))
            assert deal_from_record({"id": deal.id, **record}) == deal
            assert read_deal(deal.id, write_deal(deal)) == deal


def test_what_runs_kept_before_is_read_the_same():
    text = (
        '{"hands": {"N": "H7 HT", "E": "C7 C8", "S": "S7 S8", "W": "D7 D8"}, "dealer": "W", '
        '"turn_ups": ["H", "C"], "played": ["H7"]}'
    )
    deal = read_deal("old", text)
    assert deal == Deal(
        "old", tuple(map(parse_cards, ("H7 HT", "C7 C8", "S7 S8", "D7 D8"))),
        dealer=3, turn_ups=(2, 0), played=parse_cards("H7"),
    )  # fmt: skip
    assert write_deal(deal) == text


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_set_is_written_as_it_was(name, tmp_path):
    path = find_shipped("deals", name, ".csv")
    assert DealSet.load(path).save(tmp_path / path.name).sha256 == DealSet.load(path).sha256
