"""The challenge bot: the same cards as in recorded rounds, wherever its rules have an answer."""

from __future__ import annotations

import gzip
import json
from typing import Any

from helpers.paths import DATA

from agents.rule import Rule
from arena.core.cards import card_name, parse_card, parse_cards, parse_seat, parse_trump
from arena.core.deals import Deal
from arena.core.rules import PUSH, action_name
from arena.core.seeds import Rng
from arena.games.schieber import Schieber
from arena.games.schieber.rule_player import choose_trump_or_push, rule_card
from arena.testing import check_agent

ROUNDS = DATA / "schieber_challenge_rounds.jsonl.gz"


def recorded() -> list[dict[str, Any]]:
    with gzip.open(ROUNDS, "rt") as file:
        return [json.loads(line) for line in file]


def deal_of(record: dict[str, Any]) -> Deal:
    forehand = parse_seat(record["forehand"])
    return Deal(
        record["id"],
        tuple(parse_cards(record["hands"][seat]) for seat in "NESW"),
        trump=parse_trump(record["trump"]),
        leader=forehand,
        declarer=(forehand + 2) % 4 if record["pushed"] else forehand,
    )


def test_every_card_that_was_not_a_random_fall_back() -> None:
    rules = Schieber(bidding="given", undertrump="pyschieber")
    agreed = open_ = 0
    for record in recorded():
        state = rules.start(deal_of(record))
        for number, word in enumerate(record["plays"].split()):
            assert state.turn is not None
            view = rules.view(state, state.turn)
            if len(view.legal) > 1:
                card = rule_card(view)
                found = "*" if card is None else card_name(card)
                assert found == ("*" if "*" in word else word), f"{record['id']} card {number}"
                agreed, open_ = agreed + (card is not None), open_ + (card is None)
            rules.apply(state, parse_card(word.rstrip("*")))
    assert (agreed, open_) == (3615, 332)


def test_every_trump_and_every_push() -> None:
    rules = Schieber(undertrump="pyschieber")
    pushes = 0
    for record in recorded():
        state = rules.start(deal_of(record))
        call = choose_trump_or_push(rules.view(state, state.turn or 0))
        assert (call == PUSH) == record["pushed"]
        if record["pushed"]:
            rules.apply(state, PUSH)
            call = choose_trump_or_push(rules.view(state, state.turn or 0))
            pushes += 1
        assert action_name(call) == f"trump-{record['trump']}"
    assert pushes == 83


def test_what_the_rules_leave_open_is_any_legal_card() -> None:
    rules = Schieber(bidding="given", undertrump="pyschieber")
    for record in recorded():
        state = rules.start(deal_of(record))
        for word in record["plays"].split():
            if "*" in word and len(state.legal) > 2:
                view = rules.view(state, state.turn or 0)
                played = {Rule().act(view, Rng(seed)) for seed in range(60)}
                assert played == set(view.legal)
                return
            rules.apply(state, parse_card(word.rstrip("*")))


def test_the_family_conforms() -> None:
    check_agent("rule", game=Schieber(), deals=6)
