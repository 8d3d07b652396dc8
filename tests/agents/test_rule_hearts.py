"""The rule player of Hearts, rule by rule, and against those it must beat."""

from __future__ import annotations

import statistics

import pytest

from agents.bidding.passing import pass_card
from agents.random_ import Random
from agents.rule import Rule
from agents.semi_random import SemiRandom
from arena.core.agent import Agent
from arena.core.cards import CardSet, card_name, cards_of, mask_of, parse_cards
from arena.core.rules import Position, Standing, Trick, View
from arena.core.seeds import Rng
from arena.games.hearts import Hearts
from arena.games.klaverjas import Klaverjas
from arena.testing import check_agent


def seen(
    hand: str, table: str = "", *, gone: str = "", points: tuple[int, ...] = (0, 0, 0, 0)
) -> View:
    """What N sees: their hand, the trick so far, cards of finished tricks, points taken."""
    rules = Hearts(passing="left")
    held, lying, finished = parse_cards(hand), parse_cards(table), parse_cards(gone)
    tricks = tuple(Trick(0, finished[i : i + 4], 0, 0, 0) for i in range(0, len(finished), 4))
    position = Position(None, lying, len(tricks) or 1, True)
    return View(
        rules=rules,
        seat=0,
        phase="play",
        legal=tuple(cards_of(rules.playable(mask_of(held), position))),
        hand=mask_of(held),
        dealt_hand=held,
        dealer=None,
        leader=0,
        trump=None,
        declarer=None,
        forced=False,
        turn_ups=(),
        bids=(),
        tricks=tricks,
        table=lying,
        table_leader=-len(lying) % 4,
        opened=True,
        points=points,
        bonus=(0, 0, 0, 0),
        standing=Standing(0, (0, 0, 0, 0)),
        passed=(),
        received=(),
        shown=(),
    )


def plays(hand: str, table: str = "", **facts: object) -> str:
    return card_name(Rule().act(seen(hand, table, **facts), Rng(0)))  # type: ignore[arg-type]


def passes(hand: str) -> str:
    """The three cards passed on, in the order chosen."""
    view = seen(hand)._replace(phase="pass")
    chosen: list[int] = []
    for _ in range(3):
        left = tuple(card for card in cards_of(view.hand) if card not in chosen)
        chosen.append(Rule().act(view._replace(legal=left, passed=tuple(chosen)), Rng(0)))
    return " ".join(map(card_name, chosen))


# --- passing -----------------------------------------------------------------------------


def test_the_queen_and_high_spades_are_passed_unless_guarded() -> None:
    assert passes("SQ SK S3 C2 C5 C9 CJ D3 D5 D9 H2 H4 H6") == "SQ SK CJ"
    guarded = passes("SQ SK S3 S5 S8 S9 C2 C5 D3 D5 DK H2 H4").split()
    assert "SQ" not in guarded and "SK" not in guarded


def test_high_cards_of_short_suits_and_high_hearts_are_passed() -> None:
    assert passes("C2 C3 C4 C5 CA D2 D3 DA S2 S3 S4 HA HK") == "HK HA DA"


def test_searches_pass_as_the_rule_player_does() -> None:
    view = seen("SQ SK S3 C2 C5 C9 CJ D3 D5 D9 H2 H4 H6")._replace(phase="pass")
    view = view._replace(legal=tuple(cards_of(view.hand)))
    assert card_name(pass_card(view, Rng(0))) == "SQ"


# --- leading -----------------------------------------------------------------------------


def test_leads_low_and_spades_to_drive_the_queen_out() -> None:
    assert plays("C2 CA D9 DK") == "C2"
    assert plays("S9 SJ CK DQ") == "SJ", "the highest spade that cannot take the queen"
    assert plays("S9 SK C3 DQ") == "C3", "not with the king in hand"
    assert plays("SA C9 DQ HK") != "SA", "not under the queen's nose"


def test_does_not_lead_a_suit_that_nobody_else_has() -> None:
    clubs = "C3 C4 C5 C6 C7 C8 C9 CT CJ CQ CK CA"
    assert plays("C2 D7 DQ", gone=clubs) == "D7"


# --- following ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hand", "table", "card", "why"),
    [
        ("SQ S3", "SK S2", "SQ", "the queen under the king"),
        ("SQ S3", "SJ S2", "S3", "the queen would take it"),
        ("C3 C9 CA", "CT", "C9", "as high as possible without taking it"),
        ("C3 C9 CA", "C5 C8 C7", "CA", "last, without points: the highest"),
        ("C3 C9 CA", "C5 C8 H2", "C3", "last, with points: stay below"),
        ("CJ CQ CK", "C5 H2", "CJ", "must go higher, others follow: the lowest"),
        ("CJ CQ CK", "C5 H2 C6", "CK", "must take it as last: the highest"),
        ("SQ SA", "S5 S6 S7", "SA", "takes a safe trick, but not with the queen"),
    ],
)
def test_following(hand: str, table: str, card: str, why: str) -> None:
    assert plays(hand, table) == card, why


# --- discarding --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hand", "card", "why"),
    [
        ("SQ HA DK", "SQ", "the queen first"),
        ("SA HA DK", "SA", "while the queen is out"),
        ("H3 HK DA", "HK", "the highest heart"),
        ("D3 DA S2", "DA", "the greatest burden"),
    ],
)
def test_discarding(hand: str, card: str, why: str) -> None:
    assert plays(hand, "C5 C8") == card, why


def test_a_high_spade_is_no_burden_once_the_queen_is_gone() -> None:
    assert plays("SA HA DK", "C5 C8", gone="SQ S2 S3 S4") == "HA"


# --- the moon ----------------------------------------------------------------------------


def test_a_player_who_has_all_points_is_watched() -> None:
    threat = (0, 0, 14, 0)  # with three cards on the table S played the second
    assert plays("H3 HA D2", "H4 HK H5", points=threat) == "HA", "S holds it: take it"
    assert plays("H3 HA D2", "H4 HK H5", points=(0, 13, 1, 0)) == "H3", "two share the points"
    assert plays("H3 HA D2", "C4 CK C5", points=threat) == "D2", "no heart for them"
    assert plays("H3 HA D2", "C4 CK C5", points=(0, 0, 0, 14)) == "H3", "a heart for somebody else"


# --- strength ----------------------------------------------------------------------------


@pytest.mark.parametrize("passing", ["none", "left"])
@pytest.mark.parametrize("opponent", [Random(), SemiRandom()], ids=repr)
def test_it_beats_those_below_it(opponent: Agent, passing: str) -> None:
    """Every deal with the rule player in seats 0 and 2, and in 1 and 3; one-sided t > 3."""
    rules, rng = Hearts(passing=passing), Rng(6)  # type: ignore[arg-type]
    margins = []
    for number in range(60):
        the_deal = rules.random_deal(rng, number)
        total = 0
        for first in (0, 1):
            state = rules.start(the_deal)
            while state.turn is not None:
                agent: Agent = Rule() if state.turn % 2 == first else opponent
                rules.apply(state, agent.act(rules.view(state, state.turn), rng))
            scores = rules.outcome(state).scores
            total += sum(scores[1 - first :: 2]) - sum(scores[first::2])
        margins.append(total)
    se = statistics.stdev(margins) / len(margins) ** 0.5
    assert statistics.mean(margins) > 3 * se


def test_the_family_conforms() -> None:
    check_agent("rule", game=Hearts(passing="rotate"), deals=6)


def test_a_game_without_a_book_passes_any_card() -> None:
    class Other(Klaverjas):
        name = "other"

    view = seen("SQ C2 D3")._replace(rules=Other(), phase="pass")
    assert {pass_card(view, Rng(seed)) for seed in range(30)} == set(
        cards_of(CardSet.parse("SQ C2 D3").mask)
    )
