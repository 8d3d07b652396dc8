"""Rounds typed in as they fall: the seat's view is that of the real round, whatever is hidden."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import pytest

from arena.cli import main
from arena.core.cards import SEATS, TRUMPS, cards_of, parse_cards, write_cards
from arena.core.deals import Deal
from arena.core.errors import ArenaError
from arena.core.rules import Standing, action_name
from arena.core.seeds import rng_for
from arena.games.base import TrickGame
from arena.games.hearts import Hearts
from arena.games.klaverjas import Klaverjas
from arena.games.schieber import Schieber
from arena.table.advising import AdvisedRound, facts_needed

GAMES: list[TrickGame] = [
    Klaverjas(),
    Klaverjas(bidding="classical", variant="amsterdam"),
    Klaverjas(bidding="classical-redeal"),
    Klaverjas(bidding="free-choice"),
    Schieber(bidding="given"),
    Schieber(weis=True, stoeck=True),
    Hearts(),
    Hearts(passing="left", variant="classic"),
    Hearts(players=3, passing="right"),
    Hearts(players=2),
]


def advised(rules: TrickGame, deal: Deal, seat: int, **more: Any) -> AdvisedRound:
    facts = {name: getattr(deal, name) for name in facts_needed(rules)}
    return AdvisedRound(rules, seat, deal.hands[seat], facts, **more)


def typed(table: AdvisedRound, state: Any, action: int) -> Iterator[str]:
    """What a person at the real table types when `state` goes on with `action`."""
    rules, seat = table.rules, table.seat
    before, turn, phase = state.turn_ups, state.turn, state.phase
    if phase == "pass" and turn != seat:
        yield from ()
    else:
        yield action_name(action, rules.bids)
    rules.apply(state, action)
    if state.turn_ups != before:
        yield TRUMPS[state.turn_ups[-1]]
    if phase == "pass" and state.phase == "play":
        yield write_cards(state.received[seat])


def answers(table: AdvisedRound, state: Any) -> Iterator[str]:
    """Answers to what is asked for before the next action."""
    if table.question == "turned up":
        yield TRUMPS[state.turn_ups[-1]]
    if table.question == "leads":
        yield SEATS[state.leader]
    if table.question == "shown":
        others = ((s, cards) for s, cards in state.shown if s != table.seat)
        yield " ".join(f"{SEATS[s]} {write_cards(cards_of(mask))}" for s, mask in others)


@pytest.mark.parametrize("rules", GAMES, ids=repr)
def test_the_view_is_that_of_the_real_round(rules: TrickGame) -> None:
    """With random actions, whatever the others hold; lines are taken back now and then."""
    for number in range(3):
        rng = rng_for(5, "advise", number)
        seat, standing = number % rules.players, Standing(number, (0,) * len(rules.sides))
        deal = rules.random_deal(rng, number)
        state = rules.start(deal, standing)
        table = advised(rules, deal, seat, standing=standing)
        while state.turn is not None:
            for line in answers(table, state):
                table.enter(line)
            if state.turn == seat:
                assert table.is_own_turn and table.view == rules.view(state, seat)
            action = state.legal[rng.below(len(state.legal))]
            for line in typed(table, state, action):
                table.enter(line)
                if rng.below(8) == 0:
                    table.undo()
                    table.enter(line)
        for line in answers(table, state):
            table.enter(line)
        assert table.turn is None
        assert table.finished[1] == rules.outcome(state)


def klaverjas(hand: str = "D7 D8 DK DQ H7 H8 HA ST") -> AdvisedRound:
    facts = {"trump": 2, "declarer": 2, "leader": 1}
    return AdvisedRound(Klaverjas(), 2, parse_cards(hand), facts)


@pytest.mark.parametrize(
    ("lines", "wrong", "said"),
    [
        ("", "D2", "♦2 is no card of klaverjas"),
        ("", "H7", "♥7 is in your own hand"),
        ("", "x9", "unknown card 'X9'"),
        ("DT", "H9", "♥9 is not in your hand"),
        ("DT", "H7", "'H7' is not possible now; allowed: D7, D8, DK, DQ"),
        ("DT D7", "dt", "E played ♦10 in trick 1"),
        ("DT D7 S7 DJ DA D8", "9d", "W cannot have ♦9: with it, ♠7 in trick 1 was not allowed"),
    ],
)
def test_what_cannot_have_fallen_is_refused_with_the_reason(
    lines: str, wrong: str, said: str
) -> None:
    table = klaverjas()
    for line in lines.split():
        table.enter(line)
    before = table.view
    with pytest.raises(ArenaError) as error:
        table.enter(wrong)
    assert said in str(error.value) and "\n" not in str(error.value)
    assert table.view == before


def test_bad_hands_are_refused() -> None:
    with pytest.raises(ArenaError, match="8 different cards"):
        klaverjas("D7 D8")
    with pytest.raises(ArenaError, match="♦2 is no card of klaverjas"):
        klaverjas("D2 D8 DK DQ H7 H8 HA ST")


def test_a_round_from_standard_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = "\nD7 D8 DK DQ H7 H8 HA ST\nH\ns\nE\nDT\nh9\na\nu\nDT\ndk\nu\n7d\n?\nq\n"
    monkeypatch.setattr("sys.stdin", io.StringIO(lines))
    assert main(["advise", "klaverjas", "--agent", "rule"]) == 0
    out, err = capsys.readouterr()
    assert err == "" and max(map(len, out.splitlines())) <= 80
    assert out.count("the adviser would choose ♦") == 4
    assert "♥9 is not in your hand" in out and "a call or a card" in out


def test_cards_received_are_shown_only_once_they_are_known(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = "C2 C3 H4 H5 S6 S7 D8 D9 CT HT ST DJ CJ\n1\n1\n1\nS2 S3 SK\nW\nq\n"
    monkeypatch.setattr("sys.stdin", io.StringIO(lines))
    assert main(["advise", "hearts", "--option", "passing=left", "--agent", "rule"]) == 0
    out = capsys.readouterr().out
    assert [line for line in out.splitlines() if "received ♠" in line or "received ♣" in line] == [
        "you passed on ♣2 ♣3 ♣10 and received ♠2 ♠3 ♠K"
    ]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("klaverjass",), "did you mean 'klaverjas'"),
        (("klaverjas", "--seat", "X"), "unknown seat 'X'"),
        (("klaverjas", "--hand", "H7"), "8 different cards"),
        (("hearts", "--hand", "H7", "--trump", "H"), "--trump: this game does not begin with it"),
        (("--agent", "rul"), "did you mean 'rule'"),
    ],
)
def test_bad_arguments_are_one_line(
    words: tuple[str, ...],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("H\nS\nE\n"))
    assert main(["advise", *words]) == 2
    err = capsys.readouterr().err
    assert said in err and err.count("\n") == 1


def test_a_mistyped_hand_or_seat_is_asked_for_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = "h7 zz\nC7\ncj c9 ca h7 8h d7 s7 10s\nX\nn\nH\n"
    monkeypatch.setattr("sys.stdin", io.StringIO(lines))
    words = ["klaverjas", "--option", "bidding=classical", "--agent", "rule"]
    assert main(["advise", *words]) == 0
    out = capsys.readouterr().out
    assert out.count("your hand> ") == 3 and out.count("dealer> ") == 2
    assert "unknown card 'ZZ'" in out and "8 different cards" in out and "E to bid> " in out
