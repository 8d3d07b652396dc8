"""A round at a table: the referee's round for agents, and only its view for a person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from arena.core.agent import Player
from arena.core.cards import cards_of, parse_cards
from arena.core.codec import encode_view
from arena.core.deals import Deal
from arena.core.generate import make_deals
from arena.core.rules import Outcome, View
from arena.core.seeds import Rng
from arena.games.hearts import Hearts
from arena.games.klaverjas import Klaverjas
from arena.games.schieber import Schieber
from arena.table.claim import ClaimRefused
from arena.table.score_sheet import ScoreSheet
from arena.table.session import Chair, ChairFault, TableError, TableSession
from arena.tournament.referee import Lineup, Referee

GAMES: list[Any] = [
    Klaverjas(),
    Klaverjas(bidding="classical"),
    Schieber(weis=True),
    Hearts(passing="left"),
    Hearts(players=3),
]


@dataclass(frozen=True)
class Anything:
    """Plays any legal action."""

    def act(self, view: View, rng: Rng) -> int:
        return rng.choice(view.legal)


class Counting:
    """Plays by how often it was asked, in a seat of its own."""

    def take_seat(self, setup: Any) -> Any:
        return Counting()

    def __init__(self) -> None:
        self.asked = 0

    def act(self, view: View, rng: Rng) -> int:
        self.asked += 1
        return view.legal[self.asked % len(view.legal)]


class Broken:
    """Raises, or plays a card that it must not."""

    def __init__(self, answer: Any = None) -> None:
        self.answer = answer

    def act(self, view: View, rng: Rng) -> int:
        if self.answer is None:
            raise ValueError("no idea")
        return self.answer


def deal_for(rules: Any, seed: int = 3) -> Deal:
    return make_deals(rules, "t", 1, seed).deals[0]


def chairs(rules: Any, person: int | None = 0, agent: Any = Anything) -> list[Chair]:
    return [
        Chair("you") if seat == person else Chair(f"bot {seat}", Player(agent()))
        for seat in range(rules.players)
    ]


def play_on(table: TableSession, person: int = 0, until: int = 1000) -> None:
    """A person who plays the first legal action."""
    while not table.is_over and table.moves < until:
        if table.waits_for_person:
            table.act(person, table.view(person).legal[0])
        else:
            table.let_agent_act()


@pytest.mark.parametrize("rules", GAMES, ids=repr)
@pytest.mark.parametrize("agent", [Anything, Counting])
def test_agents_play_the_referees_round(rules: Any, agent: Any) -> None:
    deal = deal_for(rules)
    table = TableSession(rules, deal, chairs(rules, None, agent), seed=7)
    play_on(table)
    players = [Player(agent()) for _ in range(rules.players)]
    played = Referee(rules, 7).play(deal, Lineup.of(players))
    assert bytes(table.actions) == played.actions
    assert table.outcome == played.outcome


@pytest.mark.parametrize("rules", GAMES, ids=repr)
def test_a_seat_gets_its_view_and_nothing_else(rules: Any) -> None:
    deal = deal_for(rules)
    table = TableSession(rules, deal, chairs(rules))
    while not table.is_over:
        view = table.view(0)
        assert view.all_hands is None
        known = {*deal.hands[0], *view.received, *cards_of(view.played)}
        known |= {card for _, mask in view.shown for card in cards_of(mask)}
        assert set(cards_of(view.hand)) | set(view.dealt_hand) | set(view.passed) <= known
        with pytest.raises(TableError, match="not over"):
            _ = table.actions
        with pytest.raises(TableError, match="not over"):
            _ = table.state
        play_on(table, until=table.moves + 1)
    assert len(table.actions) == table.moves


@pytest.mark.parametrize("agent", [Anything, Counting])
@pytest.mark.parametrize("rules", GAMES[1:4], ids=repr)
def test_undo_leads_back_to_the_same_round(rules: Any, agent: Any) -> None:
    deal = deal_for(rules)
    straight = TableSession(rules, deal, chairs(rules, 0, agent))
    play_on(straight)
    table = TableSession(rules, deal, chairs(rules, 0, agent))
    with pytest.raises(TableError, match="nothing to take back"):
        table.undo(0)
    while not table.is_over:
        if table.waits_for_person:
            before = encode_view(table.view(0)), table.moves
            table.act(0, table.view(0).legal[-1])
            while not table.is_over and not table.waits_for_person:
                table.let_agent_act()
            if not table.is_over:
                table.undo(0)
                assert (encode_view(table.view(0)), table.moves) == before
                table.act(0, table.view(0).legal[0])
        else:
            table.let_agent_act()
    assert table.outcome.points == straight.outcome.points


def test_what_cannot_be_done_is_said() -> None:
    rules = Klaverjas()
    table = TableSession(rules, deal_for(rules), chairs(rules, 0), training=False)
    play_on(table, until=0)
    while not table.waits_for_person:
        with pytest.raises(TableError, match="it is the turn of"):
            table.act(0, 1)
        table.let_agent_act()
    hidden = next(c for c in cards_of(rules.deck) if c not in table.view(0).legal)
    with pytest.raises(TableError, match="is not allowed now; legal: "):
        table.act(0, hidden)
    with pytest.raises(TableError, match="no agent is to act"):
        table.let_agent_act()
    with pytest.raises(TableError, match="nothing can be taken back"):
        table.undo(0)
    with pytest.raises(TableError, match="has 4 seats"):
        TableSession(rules, deal_for(rules), chairs(rules)[:3])


@pytest.mark.parametrize(("answer", "said"), [(None, "no idea"), (99, "played 99, legal: ")])
def test_another_agent_takes_over_for_one_that_fails(answer: Any, said: str) -> None:
    rules = Klaverjas()
    seats = [Chair("you"), *[Chair("broken", Player(Broken(answer)))] * 3]
    table = TableSession(rules, deal_for(rules), seats)
    while not table.is_over:
        if table.waits_for_person:
            table.act(0, table.view(0).legal[0])
            continue
        seat, moves = table.turn or 0, table.moves
        if table.chairs[seat].name == "broken":
            with pytest.raises(ChairFault, match=said):
                table.let_agent_act()
            assert table.moves == moves
            table.seat_chair(seat, Chair("other", Player(Anything())))
        table.let_agent_act()
    assert [chair.name for chair in table.chairs] == ["you", *["other"] * 3]


def test_a_hint_is_what_the_agent_would_do_there() -> None:
    rules = Schieber()
    table = TableSession(rules, deal_for(rules), chairs(rules))
    while not table.is_over:
        if table.waits_for_person:
            hint = table.hint(0, Player(Anything()))
            assert hint.chosen in table.view(0).legal and hint.values is None
            assert hint == table.hint(0, Player(Anything()))
            table.act(0, hint.chosen)
        else:
            table.let_agent_act()
    with pytest.raises(TableError, match="over"):
        table.hint(0, Player(Anything()))


# --- claims ------------------------------------------------------------------------------


def ending(played: int, hands: str) -> TableSession:
    """Klaverjas with hearts as trump; N leads and holds `hands`' first part at the end."""
    rules = Klaverjas()
    deal = Deal("end", tuple(parse_cards(hand) for hand in hands.split("|")), trump=2, leader=0,
                declarer=0)  # fmt: skip
    table = TableSession(rules, deal, [Chair(seat) for seat in "NESW"])
    for _ in range(played):
        turn = table.turn or 0
        table.act(turn, next(c for c in deal.hands[turn] if c in table.view(turn).legal))
    return table


ACES = (
    "S7 S8 SA CA CT CK CQ CJ|HJ H9 HA HT HK HQ H8 H7|"
    "S9 SJ SQ DA DT DK DQ DJ|SK ST C9 C8 C7 D9 D8 D7"
)
"""E has all trumps."""


def test_a_claim_of_the_last_trumps_is_proved() -> None:
    table = ending(1, ACES)
    with pytest.raises(ClaimRefused, match="last 5 tricks"):
        table.claim(1)
    table = ending(28, ACES)
    assert table.turn == 1
    table.claim(1)
    assert table.is_over and table.claimed_by == 1
    assert table.outcome == ending(32, ACES).outcome


def test_a_claim_that_depends_on_hidden_cards_is_refused() -> None:
    rules = Klaverjas()
    table = TableSession(rules, deal_for(rules, 1), chairs(rules, None))
    play_on(table, until=20)
    seat = table.turn or 0
    assert len(table.view(seat).legal) == 3
    with pytest.raises(ClaimRefused, match="depends on cards that you cannot see"):
        table.claim(seat)
    assert not table.is_over and table.claimed_by is None and table.moves == 20


def test_where_the_score_has_no_form_all_ways_to_play_on_must_agree() -> None:
    rules = Hearts(passing="none")
    decided = refused = 0
    for seed in range(12):
        table = TableSession(rules, deal_for(rules, seed), chairs(rules, None))
        while not table.is_over:
            seat, left = table.turn or 0, 13 - len(table.view(0).tricks)
            if left <= 2 and not table.view(seat).table:
                points = table.view(seat).points
                try:
                    table.claim(seat)
                except ClaimRefused:
                    refused += 1
                else:
                    decided += 1
                    # All points were taken already, or the last tricks go one way only.
                    assert sum(table.outcome.points) == 26 >= sum(points)
                    break
            table.let_agent_act()
    assert decided and refused


# --- the score sheet ---------------------------------------------------------------------


def test_the_sheet_shows_roem_and_nat_and_adds_up() -> None:
    rules = Klaverjas()
    sheet = ScoreSheet(rules)
    totals = [0, 0]
    for seed in range(20):
        table = TableSession(rules, deal_for(rules, seed), chairs(rules, None))
        play_on(table)
        row = sheet.add(table.outcome, table.state.declarer)
        totals = [a + b for a, b in zip(totals, table.outcome.scores, strict=True)]
        assert row.totals == tuple(totals)
        for side in range(2):
            text, bonus = row.written[side], table.outcome.bonus[side]
            assert ("+" in text) == (0 < bonus <= table.outcome.scores[side])
        if "nat" in table.outcome.flags:
            assert "nat" in row.written[rules.side_of(table.state.declarer)]
    assert "nat" in str(sheet) and str(sheet).splitlines()[-2].split() == [
        "total",
        *map(str, totals),
    ]
    assert sheet.is_full


def test_schieber_is_chalked_in_strokes_of_a_hundred_fifty_and_twenty() -> None:
    rules = Schieber()
    sheet = ScoreSheet(rules)
    for scores in ((157, 0), (99, 58), (20, 137)):
        sheet.add(Outcome(scores, scores, (0, 0), (9, 0)), None)
    assert sheet.slate(0) == (2, 1, 1, 6) and sheet.slate(1) == (1, 1, 2, 5)
    assert "NS: 100 ||  50 |  20 |  +6" in str(sheet).splitlines()
    assert ScoreSheet(Klaverjas()).slate(0) == ()


def test_hearts_goes_to_a_hundred() -> None:
    rules = Hearts()
    sheet = ScoreSheet(rules)
    assert sheet.sides == ("N", "E", "S", "W") and sheet.goal == "to 100 points"
    seed = 0
    while not sheet.is_full:
        table = TableSession(
            rules, deal_for(rules, seed), chairs(rules, None), standing=sheet.standing
        )
        assert table.view(0).standing == sheet.standing
        play_on(table)
        sheet.add(table.outcome, None)
        seed += 1
    assert max(sheet.standing.scores) >= 100
