"""Views, actions and rules as JSON: nothing is lost, and what cannot be read is message."""

from __future__ import annotations

import json

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.cli import main
from arena.core.codec import (
    CodecError,
    codec_for,
    decode_rules,
    decode_view,
    encode_rules,
    encode_view,
    view_schema,
)
from arena.core.errors import ArenaError
from arena.core.rules import Standing, View, field_docs
from arena.core.seeds import Rng
from arena.games.hearts import Hearts
from arena.games.klaverjas import Klaverjas
from arena.games.needs import trick_games
from arena.testing import rule_sets

RULE_SETS = [rules for game in trick_games() for rules in rule_sets(game)]
CHECK = jsonschema.Draft202012Validator(view_schema())


def views(rules, seed, standing=Standing()):
    """What everybody sees at every decision of a random round."""
    rng = Rng(seed)
    state = rules.start(rules.random_deal(rng, seed), standing)
    while state.turn is not None:
        for seat in range(rules.players):
            yield rules.view(state, seat, all_hands=seat == 0)
        rules.apply(state, rng.choice(state.legal))


def data_of(view):
    return json.loads(encode_view(view))


@pytest.fixture
def written():
    """A view in the middle of a round, as plain data."""
    return data_of(list(views(Klaverjas(bidding="classical"), 3))[-5])


# --- nothing is lost ---------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(
    rules=st.sampled_from(RULE_SETS),
    seed=st.integers(0, 2**32),
    rounds=st.integers(0, 20),
    scores=st.tuples(*[st.integers(-1000, 1000)] * 4),
)
def test_a_view_is_the_same_after_writing_and_reading(rules, seed, rounds, scores):
    standing = Standing(rounds, scores[: len(rules.sides)])
    for view in views(rules, seed, standing):
        text = encode_view(view)
        again = decode_view(text)
        assert again == view
        assert type(again) is View and [type(x) for x in again] == [type(x) for x in view]
        assert "\n" not in text and encode_view(again) == text


@pytest.mark.parametrize("rules", RULE_SETS, ids=repr)
def test_what_is_written_is_as_the_schema_says(rules):
    phases = set()
    for view in list(views(rules, 11))[::7]:
        CHECK.validate(data_of(view))
        phases.add(view.phase)
    assert "play" in phases


@pytest.mark.parametrize("rules", RULE_SETS, ids=repr)
def test_rules_are_the_same_after_writing_and_reading(rules):
    assert decode_rules(json.loads(json.dumps(encode_rules(rules)))) == rules


def test_every_field_of_a_view_is_listed_in_its_order():
    for rules in RULE_SETS[:1]:
        view = next(iter(views(rules, 5)))
        assert ("format", *View._fields[:-1]) == tuple(data_of(view))
    assert all(field_docs(View).values()), "a field without a description"


def test_actions_go_by_the_names_that_are_legal():
    for rules in RULE_SETS:
        codec = codec_for(rules)
        for view in list(views(rules, 5))[::9]:
            names = data_of(view)["legal"]
            assert [codec.read_action(name) for name in names] == list(view.legal)
            assert [codec.write_action(action) for action in view.legal] == names


def test_a_view_reads_like_the_table(written):
    assert written["rules"]["game"] == "klaverjas"
    assert written["seat"] in "NESW" and written["phase"] == "play"
    assert set(written["hand"]) <= set(written["dealt_hand"])
    trick = written["tricks"][0]
    assert len(trick["cards"]) == 4 and trick["winner"] in "NESW"
    assert all(bid["action"] in ("pass", "play") for bid in written["bids"])


def test_hidden_cards_are_written_only_for_those_who_see_them():
    for view in views(Hearts(), 2):
        data = data_of(view)
        assert (data["all_hands"] is None) == (view.seat != 0)
        if view.seat:
            cards = {card for key in ("hand", "dealt_hand") for card in data[key]}
            cards |= {card for key in ("passed", "received", "table") for card in data[key]}
            cards |= {card for trick in data["tricks"] for card in trick["cards"]}
            text = json.dumps(data)
            assert all(name in cards for name in _cards_in(text))


def _cards_in(text):
    return [word for word in text.split('"') if len(word) == 2 and word[0] in "CDHS"]


# --- what cannot be read -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"format": 2}, "format is 2, this version reads 1"),
        ({"hand": ["H77"]}, "hand: cannot be read"),
        ({"hand": "H7"}, "hand: cannot be read"),
        ({"legal": ["play-on"]}, "legal: cannot be read"),
        ({"points": ["3", 0]}, "points: cannot be read"),
        ({"forced": 1}, "forced: cannot be read"),
        ({"phase": "tea"}, "phase: cannot be read"),
        ({"tricks": [{"leader": "N"}]}, "tricks: cannot be read"),
        ({"trumps": "H"}, "unknown field 'trumps'; did you mean 'trump'"),
        ({"rules": {"game": "klaverjass", "options": {}}}, "unknown game 'klaverjass'"),
        ({"rules": {"game": "klaverjas", "options": {"x": 1}}}, "rules: expected a game"),
        ({"rules": 3}, "rules: expected a game"),
        ({"rules": None}, "expected an object with 'rules'"),
    ],
)
def test_a_view_that_is_none_is_reported_in_one_line(written, change, said):
    with pytest.raises(ArenaError, match=said) as refused:
        decode_view({**written, **change})
    assert "\n" not in str(refused.value)


def test_a_missing_field_is_named(written):
    del written["table"]
    with pytest.raises(CodecError, match="'table' is missing"):
        decode_view(written)


@pytest.mark.parametrize("text", ["", "{", "[]", "3", '{"format": 1}'])
def test_other_text_is_no_view(text):
    with pytest.raises(CodecError, match="a view: "):
        decode_view(text)


@pytest.mark.parametrize("name", ["H77", "", None, [], 3])
def test_a_name_of_no_action_is_reported(name):
    with pytest.raises(CodecError, match="no action of klaverjas is called"):
        codec_for(Klaverjas()).read_action(name)


def test_a_view_of_another_game_is_refused(written):
    with pytest.raises(CodecError, match=r"expected .*hearts"):
        codec_for(Hearts()).decode(written)


def test_the_schema_is_printed(capsys):
    assert main(["schema", "view"]) == 0
    assert json.loads(capsys.readouterr().out) == view_schema()
