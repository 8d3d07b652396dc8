"""`arena verify`: silent on right records, loud on wrong ones."""

from __future__ import annotations

import copy
import gzip
import json

import pytest
from helpers.paths import DATA

from arena.cli import main
from arena.core.cards import card_name, cards_of
from arena.core.deals import deal_from_record
from arena.core.rules import Position
from arena.games.klaverjas import Klaverjas
from arena.verify import check_record

ROUNDS = DATA / "klaverjas_rounds.jsonl.gz"


@pytest.fixture(scope="module")
def records():
    with gzip.open(ROUNDS, "rt") as file:
        return [json.loads(line) for line in file]


def test_recorded_rounds_agree(capsys):
    assert main(["verify", str(ROUNDS)]) == 0
    message, unchecked = capsys.readouterr().out.splitlines()
    assert message == "1000 rounds, 32000 plays checked, 0 mismatches"
    assert unchecked.startswith("not checked: 'source'; 'tags'; 'alt' (")


def test_printed_amsterdam_rules_agree_where_they_differ(records):
    rules = Klaverjas(variant="amsterdam-official")
    differ = 0
    for record in records:
        if record["variant"] != "amsterdam":
            continue
        state = Klaverjas(variant="amsterdam").start(deal_from_record(record))
        for play in record["plays"]:
            position = Position(state.trump, state.table, len(state.tricks), False)
            legal = cards_of(rules.playable(state.hands[state.turn], position))
            expected = play.get("legal_official", play["legal"])
            assert sorted(map(card_name, legal)) == expected
            differ += "legal_official" in play
            by_name = {card_name(card): card for card in state.legal}
            Klaverjas(variant="amsterdam").apply(state, by_name[play["card"]])
    assert differ > 100


def test_other_readings_of_the_rules_agree(records):
    checked = {"final_tie_is_made": 0, "final_four_jacks_100": 0}
    options = {
        "final_tie_is_made": {"tie_is_nat": False},
        "final_four_jacks_100": {"four_jacks": 100},
    }
    for record in records:
        for key in checked:
            if key in record.get("alt", {}):
                other = copy.deepcopy(record)
                other |= {"game": "klaverjas", "final": record["alt"][key]}
                other["options"] = {"variant": record["variant"], **options[key]}
                for derived in ("tricks", "totals", "nat", "pit"):
                    other.pop(derived)
                assert check_record(other) == (32, [])
                checked[key] += 1
    assert min(checked.values()) > 0


def change(record, *path_and_value):
    *path, last, value = path_and_value
    place = record
    for key in path:
        place = place[key]
    place[last] = value


@pytest.mark.parametrize(
    ("path_and_value", "message"),
    [
        (("plays", 5, "legal", ["C7"]), "play 6 (N C7): legal"),
        (("plays", 0, "seat", "N"), "play 1 (N HQ): seat"),
        (("tricks", 2, "winner", "W"), "tricks: recorded"),
        (("tricks", 2, "points", 15), "tricks: recorded"),
        (("tricks", 2, "roem", 20), "tricks: recorded"),
        (("totals", "NS", "points", 59), "totals: recorded"),
        (("tricks_won", {"NS": 8, "EW": 0}), "tricks_won: recorded"),
        (("nat", False), "nat: recorded False, by the rules True"),
        (("pit", True), "pit: recorded True"),
        (("final", "NS", 1), "final: recorded"),
    ],
)
def test_every_change_is_found(records, tmp_path, capsys, path_and_value, message):
    record = copy.deepcopy(records[0])
    change(record, *path_and_value)
    path = tmp_path / "changed.jsonl"
    path.write_text(json.dumps(records[1]) + "\n" + json.dumps(record) + "\n")
    assert main(["verify", str(path)]) == 1
    out = capsys.readouterr().out.splitlines()
    assert out[0].startswith(f"{path}:2: {record['id']}: {message}")
    assert out[1].startswith("2 rounds, 64 plays checked, 1 mismatches")


def test_an_illegal_play_ends_the_record(records, tmp_path, capsys):
    record = copy.deepcopy(records[0])
    record["plays"][1]["card"] = "CK"
    path = tmp_path / "illegal.jsonl"
    path.write_text(json.dumps(record))
    assert main(["verify", str(path)]) == 1
    assert "the card is not legal" in capsys.readouterr().out


def without(key):
    return lambda record: record.pop(key)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (without("hands"), "'hands' is missing"),
        (without("plays"), "'plays': expected a list"),
        (without("trump"), "trump is missing"),
        (without("variant"), "does not say its rules"),
        (lambda r: r.update(variant="leiden"), "unknown 'leiden'"),
        (lambda r: r.update(variant=7), "expected a name"),
        (lambda r: r.update(game="klaverjas", options={"x": 1}), "options of klaverjas"),
        (lambda r: r["plays"].pop(), "the round is not over after its 31 plays"),
        (lambda r: r["hands"]["N"].pop(), "seat N has 7 cards"),
    ],
)
def test_records_that_cannot_be_read(records, tmp_path, capsys, spoil, message):
    record = copy.deepcopy(records[0])
    spoil(record)
    path = tmp_path / "bad.jsonl"
    path.write_text(json.dumps(record))
    assert main(["verify", str(path)]) == 2
    error = capsys.readouterr().err
    assert f"{path}:1: record rot-0000: " in error
    assert message in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "no records"),
        (b"[1]\n", ":1: expected one JSON object a line"),
        (b"{\n", ":1: not JSON"),
        (b"\xff\xfe", "not UTF-8"),
        (gzip.compress(b"{}" * 1000, mtime=0)[:-12], "cut short or damaged"),
        (b"\x1f\x8b\x08broken", "cut short or damaged"),
    ],
)
def test_files_that_cannot_be_read(tmp_path, capsys, data, message):
    path = tmp_path / "bad.jsonl"
    path.write_bytes(data)
    assert main(["verify", str(path)]) == 2
    assert message in capsys.readouterr().err


def test_a_missing_file(capsys):
    assert main(["verify", "nowhere.jsonl"]) == 2
    assert capsys.readouterr().err == "arena: nowhere.jsonl: No such file or directory\n"


def test_rounds_with_an_auction(records, tmp_path):
    rules = Klaverjas(bidding="free-choice")
    record = copy.deepcopy(records[0])
    trump, declarer = record["trump"], record["declarer"]
    order = ["S", "W", "N", "E"]
    calls = [{"seat": s, "action": "pass"} for s in order[: order.index(declarer)]]
    calls.append({"seat": declarer, "action": f"trump-{trump}"})
    record |= {"game": "klaverjas", "options": {"bidding": rules.bidding}, "bids": calls}
    assert check_record(record) == (32, [])
    record["bids"][0]["action"] = "push"
    assert check_record(record)[1][0].startswith("seat S played push, legal: pass trump-C")


@pytest.fixture(scope="module")
def schieber():
    with gzip.open(DATA / "schieber_rounds.jsonl.gz", "rt") as file:
        return json.loads(next(file))


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("dealer", "S", "dealer: recorded S, by the rules N"),
        ("forehand", "S", "forehand: recorded S, by the rules W"),
        ("pushed", True, "pushed: recorded True, by the rules False"),
        ("match", "NS", "match: recorded NS, by the rules None"),
        ("hand_order_as_dealt", None, "hands: other cards than in hand_order_as_dealt"),
    ],
)
def test_every_claim_of_a_schieber_record_is_checked(schieber, key, value, message):
    record = copy.deepcopy(schieber)
    if key == "hand_order_as_dealt":
        # The cards were dealt and played so; the sorted hands are somebody else's.
        record[key] = copy.deepcopy(record["hands"])
        hands = record["hands"]
        hands["N"], hands["E"] = hands["E"], hands["N"]
    else:
        record[key] = value
    assert message in check_record(record)[1]


def test_what_is_not_checked_is_named(schieber, tmp_path, capsys):
    record = copy.deepcopy(schieber)
    record["total"] = record.pop("totals")  # misnamed
    del record["match"]
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps(record))
    assert main(["verify", str(path)]) == 0
    message = capsys.readouterr().out
    for what in ("'order'", "'total'", "'totals', which is absent", "'match', which is absent"):
        assert what in message


@pytest.mark.parametrize(
    "changes",
    [
        {"turn_ups": None},
        {"game": "schieber", "options": [1]},
        {"game": "schieber", "options": "x"},
        {"game": "schieber", "options": {"weis": []}},
        {"game": ["schieber"]},
        {"rules": {"undertrump": {}}},
        {"standing": {"round_number": 10**400, "scores": []}},
        {"hands": {"N": 5}},
        {"hands": {"N": ["H7"] * 10**5}},
        {"bids": [{"action": "pass", "seat": 5}]},
        {"plays": [{"seat": "N", "card": "H7", "legal": 5}]},
        {"plays": [{"seat": "N", "card": "H7", "legal": [[]]}]},
        {"trump": "\u0000"},
        {"id": "=cmd()"},
    ],
)
def test_claims_of_odd_types_are_reported_in_one_line(schieber, tmp_path, capsys, changes):
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps({**schieber, **changes}))
    code = main(["verify", str(path)])
    message = capsys.readouterr()
    assert code == (0 if set(changes) & {"turn_ups", "standing"} else 2 if message.err else 1)
    assert message.err.count("\n") <= 1
