"""`arena.play` and `arena.agent`: single rounds."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

import arena
from arena.core.cards import parse_cards
from arena.games.klaverjas import Klaverjas


@dataclass
class Lowest:
    """Plays the first legal card, and counts its decisions."""

    decisions: int = 0

    def act(self, view, rng):
        self.decisions += 1
        return view.legal[0]


class Crashing:
    """Divides by zero."""

    def act(self, view, rng):
        return 1 // 0


def test_a_round_prints_as_a_table() -> None:
    played = arena.play("klaverjas", [Lowest(), arena.agent("rule")] * 2, seed=1)
    lines = repr(played).splitlines()
    assert lines[0] == "N Lowest, E rule, S Lowest, W rule"
    assert lines[2].startswith("klaverjas-0000 ")
    assert any("♥" in line for line in lines)
    assert sum(line.lstrip()[:1].isdigit() and "takes" in line for line in lines) == 8
    assert played.outcome is not None and len(played.actions) == 32
    assert "<pre>" in played._repr_html_() and 'style="color' in played._repr_html_()


def test_the_same_arguments_give_the_same_round() -> None:
    rounds = [arena.play("hearts", ["random"] * 4, seed=seed) for seed in (1, 1, 2)]
    assert rounds[0].actions == rounds[1].actions != rounds[2].actions


def test_each_seat_gets_its_own_instance() -> None:
    one, other = Lowest(), Lowest()
    arena.play("klaverjas", [one, other] * 2)
    assert (one.decisions, other.decisions) == (8, 8)


def test_a_given_deal_is_played() -> None:
    rules = Klaverjas(variant="rotterdam")
    deal = arena.play(rules, ["random"] * 4, seed=3).deal
    again = arena.play(rules, [Lowest] * 4, seed=9, deal=deal)
    assert again.deal == deal and again.names == ("Lowest",) * 4


def test_a_fault_is_shown() -> None:
    played = arena.play("klaverjas", ["random", Crashing(), "random", "random"])
    assert played.outcome is None and played.fault is not None
    assert repr(played).splitlines()[-1].startswith("fault: seat E ")
    assert "ZeroDivisionError" in repr(played) and "1 // 0" in played.fault.detail


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: arena.agent("rul"), "did you mean 'rule'"),
        (
            lambda: arena.agent("flat-mc", playuots=3),
            "playuots: unknown key; did you mean",
        ),
        (lambda: arena.agent("rule", bidder="pints"), "did you mean 'points'"),
        (lambda: arena.agent("rule", bidder={"famly": 1}), "a mapping with its family"),
        (lambda: arena.play("klaverjass", ["rule"] * 4), "did you mean 'klaverjas'"),
        (lambda: arena.play({"name": "klaverjas", "varant": 1}, []), "did you mean 'variant'"),
        (lambda: arena.play({"nam": "klaverjas"}, []), "the name is missing"),
        (lambda: arena.play(3, []), "game: expected a name"),
        (lambda: arena.play(Klaverjas, []), "game: expected a name"),
        (lambda: arena.play("hearts", ["rule"] * 3), "hearts has 4 seats; found 3 agents"),
        (lambda: arena.play("hearts", [3] * 4), r"found int, which has no act\(view, rng\)"),
        (lambda: arena.play("hearts", [arena.agent("forest")] * 4), "forest"),
    ],
)
def test_mistakes(call, message) -> None:
    with pytest.raises(arena.ArenaError, match=message):
        call()


class Onlooker:
    """Keeps the first view with cards on the table."""

    def __init__(self) -> None:
        self.view = None

    def act(self, view, rng):
        if self.view is None and view.table:
            self.view = view
        return view.legal[0]


def test_a_view_prints_as_people_write_cards() -> None:
    onlooker = Onlooker()
    arena.play("klaverjas", [*["random"] * 3, onlooker], seed=1)
    view = onlooker.view
    shown = [*repr(view).split(), *str(view).split()]
    symbols = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}
    for card in parse_cards(str(arena.CardSet(view.hand))):
        name = str(arena.CardSet(1 << card))
        rank = name[1].replace("T", "10")
        assert f"{symbols[name[0]]}{rank}" in " ".join(shown).replace(",", " ").split()
    assert str(view.hand) not in repr(view) + str(view)
    assert str(view).splitlines()[0].startswith("hand    ♠ ")
    assert repr(view).startswith("<View of W in klaverjas, trump ") and "\n" not in repr(view)
