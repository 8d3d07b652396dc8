"""`arena deals` as a person uses it, mistakes included."""

from __future__ import annotations

import gzip
import json

import pytest

from arena.cli import main
from arena.core.cards import parse_cards
from arena.core.deals import DealSet
from arena.core.generate import make_deals
from arena.games.klaverjas import Klaverjas

# The example of Hoogenboom 2017, section 3.4: one trick has been played.
KVJ = """5 0 1 1
23 12 34 37 0 6 33 36
25 35 14 2 7 16 3 4
11 30 17 20 32 10 27 31
22 1 24 21 15 5 13 26
3 0 0
1
37 35 32 21
"""


@pytest.fixture
def arena(capsys):
    """Run a command; its exit code, output and error output."""

    def run(*words):
        code = main([str(word) for word in words])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def test_make_check_show(arena, tmp_path):
    out = tmp_path / "mine.csv"
    make = ["deals", "make", "--game", "klaverjas", "--count", 8, "--seed", 2, "--out", out]
    code, text, _ = arena(*make)
    assert code == 0
    assert "8 deals of klaverjas" in text
    assert arena("deals", "check", out)[0] == 0
    code, text, _ = arena("deals", "show", out, "mine-0003")
    assert code == 0
    for card in ("♠", "♥", "♣", "♦", "mine-0003", "trump", "leader W"):
        assert card in text
    code, _, error = arena(*make)
    assert code == 2
    assert "exists already" in error


def test_shipped_sets_are_found_by_name(arena):
    assert arena("deals", "show", "klaverjas-given-1000")[0] == 0
    code, _, error = arena("deals", "show", "klaverjas-given-100")
    assert code == 2
    assert "did you mean 'klaverjas-given-1000'" in error
    code, _, error = arena("deals", "show", "klaverjas-given-1000", "nope")
    assert code == 2
    assert "no deal 'nope'" in error


def test_kvj_in_mid_round(arena, tmp_path):
    (tmp_path / "example.kvj").write_text(KVJ)
    code, _, _ = arena("deals", "import", tmp_path / "example.kvj", "--out", tmp_path / "k.csv")
    assert code == 0
    (deal,) = DealSet.load(tmp_path / "k.csv")
    assert deal.hands[0] == parse_cards("CK HQ DT DJ S7 S9 DK D9")
    assert (deal.trump, deal.declarer, deal.leader) == (1, 0, 0)
    assert deal.played == parse_cards("DJ DA DQ C8")
    state = Klaverjas().start(deal)
    assert (state.turn, len(state.tricks), state.points) == (0, 1, (34, 0))


def test_kvj_tricks_are_in_seat_order_and_led_by_the_winner(arena, tmp_path):
    # N won trick 1 and leads S9; S has no spades and trumps, so S leads to trick 3.
    lines = KVJ.replace("\n1\n", "\n3\n") + "6 7 30 5\n23 25 20 22\n"
    (tmp_path / "three.kvj").write_text(lines)
    assert arena("deals", "import", tmp_path / "three.kvj", "--out", tmp_path / "k.csv")[0] == 0
    (deal,) = DealSet.load(tmp_path / "k.csv")
    assert deal.played[4:] == parse_cards("S9 SJ D7 SA C7 CQ CK CA")
    assert Klaverjas().start(deal).turn == 1


def test_kvj_with_bidding(arena, tmp_path):
    text = "\n".join([*KVJ.splitlines()[:5], "-1"])
    (tmp_path / "bid.kvj").write_text(text)
    assert arena("deals", "import", tmp_path / "bid.kvj", "--out", tmp_path / "k.csv")[0] == 0
    (deal,) = DealSet.load(tmp_path / "k.csv")
    assert (deal.trump, deal.dealer, len(deal.turn_ups)) == (None, 3, 3)
    Klaverjas(bidding="classical").check_deal(deal)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("5 0 1 1", "5 0 1", ":1: expected four player types, found '5 0 1'"),
        ("23 12", "23 99", ":2: expected eight cards of player 0 (0 to 37 each)"),
        ("23 12", "23 18", ":2: expected eight cards of player 0 (a card is 10 x suit + rank"),
        ("23 12", "23 23", "CK is dealt twice"),
        ("23 12", "12", ":2: expected eight cards of player 0, found"),
        ("3 0 0", "3 0", ":6: expected trump, declarer and leader"),
        ("3 0 0", "4 0 0", ":6: expected trump, declarer and leader"),
        ("3 0 0", "x 0 0", ":6: expected trump, declarer and leader, or -1 as numbers"),
        ("37 35 32 21", "37 35 32", ":8: expected the four cards of trick 1"),
        ("37 35 32 21", "37 35 32 26", ""),
        ("37 35 32 21", "12 35 32 21", ":8: expected a trick that can be played"),
        ("37 35 32 21\n", "", "the file ends where the four cards of trick 1 should be"),
        ("37 35 32 21\n", "37 35 32 21\n1 2 3 4\n", ":9: expected the end of the file"),
    ],
)
def test_kvj_with_a_wrong_line(arena, tmp_path, old, new, message):
    (tmp_path / "bad.kvj").write_text(KVJ.replace(old, new, 1))
    code, _, error = arena("deals", "import", tmp_path / "bad.kvj", "--out", tmp_path / "k.csv")
    if not message:  # the same trick with another discard is fine
        assert code == 0
        return
    assert code == 2
    assert message in error
    assert error.count("\n") == 1
    assert not (tmp_path / "k.csv").exists()


def record(**changes):
    (deal,) = make_deals(Klaverjas(), "x", 1, seed=1).deals
    from arena.core.cards import write_cards

    hands = {seat: write_cards(hand).split() for seat, hand in zip("NESW", deal.hands, strict=True)}
    return {"id": 0, "trump": "D", "leader": "N", "declarer": "N", "hands": hands} | changes


@pytest.mark.parametrize("compress", [False, True])
def test_jsonl(arena, tmp_path, compress):
    text = "".join(json.dumps(record(id=n)) + "\n" for n in range(3))
    path = tmp_path / ("deals.jsonl.gz" if compress else "deals.jsonl")
    path.write_bytes(gzip.compress(text.encode()) if compress else text.encode())
    assert arena("deals", "import", path, "--out", tmp_path / "j.csv")[0] == 0
    deals = DealSet.load(tmp_path / "j.csv")
    assert [deal.id for deal in deals] == ["0", "1", "2"]
    assert deals.game == "klaverjas"


def test_a_plain_csv_becomes_a_set(arena, tmp_path):
    made = make_deals(Klaverjas(), "mine", 4, seed=1).save(tmp_path / "mine.csv")
    (tmp_path / "mine.json").unlink()
    target = tmp_path / "set.csv"
    words = ["deals", "import", tmp_path / "mine.csv", "--out", target]
    code, _, error = arena(*words)
    assert (code, "say --game" in error) == (2, True)
    assert arena(*words, "--game", "klaverjas")[0] == 0
    assert DealSet.load(target).deals == made.deals


def hands_with(seat, change):
    hands = record()["hands"]
    hands[seat] = change(hands[seat])
    return hands


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"trump": "X"}, "unknown trump 'X'"),
        ({"trump": "O"}, "klaverjas has no such trump"),
        ({"hands": hands_with("N", lambda h: h[:7])}, "seat N has 7 cards, expected 8"),
        ({"hands": hands_with("N", lambda h: h[:7] + h[:1])}, "is dealt twice"),
        ({"hands": hands_with("N", lambda h: [*h[:7], "X9"])}, "'X' is no suit"),
        ({"hands": hands_with("N", lambda h: [*h[:7], 3])}, "expected a list of cards"),
        ({"hands": {}}, "'hands' is missing"),
        ({"leader": "Q"}, "unknown seat 'Q'"),
        ({"hands": {"NE": ["H7"]}}, "unknown seat 'NE' in 'hands'"),
        ({"leader": 3}, "expected text"),
    ],
)
def test_bad_records(arena, tmp_path, changes, message):
    path = tmp_path / "bad.jsonl"
    path.write_text(json.dumps(record()) + "\n" + json.dumps(record(id=1, **changes)) + "\n")
    words = ["deals", "import", path, "--out", tmp_path / "j.csv", "--game", "klaverjas"]
    code, _, error = arena(*words)
    assert code == 2
    assert f"{path}:2: " in error
    assert message in error
    assert error.count("\n") == 1


def test_a_cut_off_gzip(arena, tmp_path):
    path = tmp_path / "cut.jsonl.gz"
    path.write_bytes(gzip.compress(json.dumps(record()).encode())[:-20])
    code, _, error = arena("deals", "import", path, "--out", tmp_path / "j.csv")
    assert code == 2
    assert "cut short or damaged" in error


def test_a_wrong_game_is_refused(arena, tmp_path):
    code, _, error = arena("deals", "make", "--game", "klaverjs", "--seed", 1, "--out", "x.csv")
    assert code == 2
    assert "did you mean 'klaverjas'" in error
    code, _, error = arena("deals", "check", "klaverjas-given-1000", "--game", "hearts")
    assert code == 2
    assert "deals for klaverjas, not hearts" in error


def test_an_unwritable_folder_is_one_line(arena, tmp_path):
    (tmp_path / "file").write_text("")
    out = tmp_path / "file" / "x.csv"
    make = ["deals", "make", "--game", "klaverjas", "--count", 1, "--seed", 2, "--out", out]
    code, _, error = arena(*make)
    assert code == 2
    assert "cannot be written" in error


def test_files_without_deals(tmp_path, capsys):
    (tmp_path / "none.jsonl").touch()
    words = ["deals", "import", str(tmp_path / "none.jsonl"), "--out", str(tmp_path / "x.csv")]
    assert main(words) == 2
    assert "no deals" in capsys.readouterr().err


@pytest.mark.parametrize(("deals", "hands"), [("hearts-two-500", 2), ("hearts-three-500", 3)])
def test_deals_of_fewer_players_are_drawn(arena, deals: str, hands: int) -> None:
    code, text, _ = arena("deals", "show", deals)
    assert code == 0
    assert sum(text.count(suit) for suit in "♠♥♣♦") == 4 * hands
