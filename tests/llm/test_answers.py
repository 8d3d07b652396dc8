"""The answer is the last JSON object with the key "move", and nothing else is."""

from __future__ import annotations

import json

import pytest
from helpers.rounds import random_round_views
from hypothesis import given
from hypothesis import strategies as st

from arena.core.rules import View, action_name
from arena.games.klaverjas import Klaverjas
from arena.games.schieber import Schieber
from arena.llm.answers import json_objects, judge


def view_of(rules: object, phase: str = "play") -> View:
    """A view with a choice."""
    return next(v for v in random_round_views(rules, 1) if v.phase == phase and len(v.legal) > 2)


VIEW = view_of(Klaverjas())
LEGAL = [action_name(action) for action in VIEW.legal]
OTHER = next(name for name in ("C7", "D7", "H7", "S7", "CA", "DA") if name not in LEGAL)


def move(name: object) -> str:
    return json.dumps({"move": name})


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (move(LEGAL[0]), LEGAL[0]),
        (f"{move(LEGAL[0])} or rather {move(LEGAL[1])}", LEGAL[1]),
        (f'{move(LEGAL[1])} {{"sure": true}}', LEGAL[1]),
        (f"{{not json}} {{ {move(LEGAL[1])}", LEGAL[1]),
        (f"```json\n{move(LEGAL[2])}\n```", LEGAL[2]),
        (f'{{"move": "{LEGAL[1]}", "instead of": {move(LEGAL[0])}}}', LEGAL[1]),
        (move(LEGAL[0].lower()), LEGAL[0]),
        (move(f" {LEGAL[0]} "), LEGAL[0]),
    ],
)
def test_the_last_object_with_a_move_is_the_answer(reply, expected):
    judged = judge(reply, "stop", VIEW)
    assert judged.problem == ""
    assert action_name(judged.action) == expected


@pytest.mark.parametrize(
    ("reply", "finish", "problem"),
    [
        (f"I play {LEGAL[0]}.", "stop", "unparsable"),
        ("", "stop", "unparsable"),
        (f'{{"card": "{LEGAL[0]}"}}', "stop", "unparsable"),
        (f'{{"answer": {{"move": "{LEGAL[0]}"}}}}', "stop", "unparsable"),
        (move(None), "stop", "unparsable"),
        (move(True), "stop", "unparsable"),
        (move([LEGAL[0]]), "stop", "unparsable"),
        (move(f"{LEGAL[0]} {LEGAL[1]}"), "stop", "unparsable"),
        (f"{move(LEGAL[0])} no, {move('?')}", "stop", "unparsable"),
        (f"{move(LEGAL[0])} no, {move(OTHER)}", "stop", "illegal"),
        (move("pass"), "stop", "illegal"),
        (move(LEGAL[0]), "length", "cut off"),
    ],
)
def test_what_is_wrong_is_named_and_never_repaired(reply, finish, problem):
    judged = judge(reply, finish, VIEW)
    assert judged.problem == problem
    assert judged.words


@pytest.mark.parametrize("said", ["trump-H", "TRUMP-h", "trump-♥"])
def test_calls_of_an_auction(said):
    view = view_of(Schieber(), "bid")
    assert action_name(judge(move(said), "stop", view).action) == "trump-H"


@pytest.mark.parametrize("said", ["S10", "♠10", "sT", "♠t"])
def test_a_card_may_be_written_as_people_write_it(said):
    judged = judge(move(said), "stop", VIEW)
    assert action_name(judged.action) == "ST"


@given(st.text(alphabet='{}[]":,ab\\ move1', max_size=300))
def test_any_text_is_read_without_an_error(text):
    for each in json_objects(text):
        assert isinstance(each, dict)


def test_deep_nesting_ends():
    assert json_objects('{"a":' * 20_000) == []
    assert json_objects("{" * 100_000) == []
    assert list(json_objects(('{"a":' * 900 + "!") * 20 + move(LEGAL[0]))) == [], (
        "not an earlier one"
    )
    latex = "$\\frac{1}{2}$ " * 5_000
    assert json_objects(latex + move(LEGAL[0])) == [{"move": LEGAL[0]}]
