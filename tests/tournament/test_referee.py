"""The referee: legality, secrecy, randomness and faults."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pytest
from helpers.experiments import Anything, Lowest, Memory, Trouble, make_deals

from arena.core.agent import Player
from arena.core.rules import Action, View
from arena.core.seeds import Rng
from arena.games.klaverjas import Klaverjas
from arena.tournament.referee import Lineup, Played, Referee, decision_rng

RULES = Klaverjas()
DEAL = make_deals(RULES, 1)[0]


def lineup(*agents: Any) -> Lineup:
    return Lineup.of([Player(agent) for agent in agents])


@dataclass(frozen=True)
class Spy:
    """Plays low and keeps everything that it is handed."""

    handed: list[tuple[Any, ...]] = field(default_factory=list)
    draws: list[int] = field(default_factory=list)
    greedy: bool = False

    def act(self, *given: Any) -> Action:
        view, rng = given
        self.handed.append(given)
        self.draws.append(rng.next64())
        if self.greedy:
            rng.next64()
        return int(view.legal[0])


@dataclass(frozen=True)
class Cheat(Spy):
    sees_all_cards: ClassVar[bool] = True


def play(*agents: Any, seed: int = 0, seed_number: int = 0, **options: Any) -> Played:
    return Referee(RULES, seed, **options).play(DEAL, lineup(*agents), seed_number)


def test_a_round_is_recorded_so_that_the_rules_come_to_the_same_end() -> None:
    played = play(*[Anything()] * 4)
    state = RULES.start(DEAL)
    seats = []
    for action in played.actions:
        seats.append(state.turn)
        assert action in state.legal
        RULES.apply(state, action)
    assert state.turn is None
    assert RULES.outcome(state) == played.outcome
    assert bytes(seats) == played.seats
    assert len(played.nanoseconds) == len(played.actions) == 32


@dataclass(frozen=True)
class Worker:
    """Works for a while, or only waits."""

    works: bool

    def act(self, view: View, rng: Rng) -> Action:
        if self.works:
            until = time.thread_time() + 0.002
            while time.thread_time() < until:
                pass
        else:
            time.sleep(0.002)
        return view.legal[0]


def test_cpu_time_is_that_of_the_thread_that_decides() -> None:
    played = play(*[Worker(works=True), Worker(works=False)] * 2)
    for seat, wall, cpu in zip(
        played.seats, played.nanoseconds, played.cpu_nanoseconds, strict=True
    ):
        assert wall >= 2e6
        assert (cpu >= 2e6) == (seat % 2 == 0)


def test_twins_differ_in_their_random_numbers_only() -> None:
    alone, first, second = ([Spy() for _ in range(4)] for _ in range(3))
    for spies, twins in ((alone, ()), (first, (1, 1, 1, 1)), (second, (1, 2, 1, 2))):
        players = [Player(spy) for spy in spies]
        Referee(RULES, 9).play(DEAL, Lineup.of(players, twins), 1)
    for seat in range(4):
        assert first[seat].draws == alone[seat].draws
        assert (second[seat].draws == alone[seat].draws) == (seat % 2 == 0)
    again = [decision_rng(9, DEAL.id, 1, 1, number, 2).next64() for number in range(8)]
    assert again == second[1].draws


def test_an_agent_is_handed_a_view_and_a_generator_and_nothing_else() -> None:
    spies = [Spy() for _ in range(4)]
    play(*spies)
    for seat, spy in enumerate(spies):
        assert len(spy.handed) == 8
        for view, rng in spy.handed:
            assert type(view) is View
            assert type(rng) is Rng
            assert view.seat == seat
            assert view.all_hands is None
            assert view.dealt_hand == DEAL.hands[seat]


def test_only_who_declares_it_is_shown_all_hands() -> None:
    cheat, honest = Cheat(), Spy()
    play(cheat, honest, Lowest(), Lowest())
    assert all(view.all_hands is not None for view, _ in cheat.handed)
    assert all(view.all_hands is None for view, _ in honest.handed)
    first = cheat.handed[0][0]
    assert first.all_hands[first.seat] == first.hand


def test_every_seat_has_a_generator_of_its_own() -> None:
    spies = [Spy() for _ in range(4)]
    play(*spies)
    draws = [draw for spy in spies for draw in spy.draws]
    assert len(set(draws)) == 32


@pytest.mark.parametrize("change", [{"seed": 1}, {"seed_number": 1}])
def test_seed_and_its_number_change_the_draws(change: dict[str, int]) -> None:
    here, there = Spy(), Spy()
    play(here, Lowest(), Lowest(), Lowest())
    play(there, Lowest(), Lowest(), Lowest(), **change)
    assert not set(here.draws) & set(there.draws)


def test_how_much_an_agent_draws_does_not_change_its_next_decision() -> None:
    modest, greedy = Spy(), Spy(greedy=True)
    play(modest, Lowest(), Lowest(), Lowest())
    play(greedy, Lowest(), Lowest(), Lowest())
    assert modest.draws == greedy.draws


def test_a_decision_can_be_repeated_alone() -> None:
    spy = Spy()
    play(Lowest(), spy, Lowest(), Lowest(), seed=9, seed_number=1)
    alone = [decision_rng(9, DEAL.id, 1, 1, number).next64() for number in range(8)]
    assert alone == spy.draws


def test_a_memory_lasts_one_round() -> None:
    remembers = Memory()
    for _ in range(3):
        assert play(remembers, *[Lowest()] * 3).fault is None
    assert remembers.asked == []


@pytest.mark.parametrize(
    ("what", "kind", "message"),
    [
        ("crash", "crash", "seat W raised ValueError: out of cards"),
        ("exit", "crash", "seat W raised SystemExit: 3"),
        ("card", "illegal", "seat W played C2, legal: "),
        ("none", "illegal", "seat W played None, legal: "),
        ("text", "illegal", "seat W played 'H7', legal: "),
        ("bool", "illegal", "seat W played True, legal: "),
        ("float", "illegal", "seat W played 33.0, legal: "),
    ],
)
def test_a_fault_is_data(what: str, kind: str, message: str) -> None:
    played = play(Lowest(), Lowest(), Lowest(), Trouble(what, trick=3))
    assert played.outcome is None
    fault = played.fault
    assert fault is not None
    assert fault.kind == kind
    assert str(fault).startswith(message)
    assert "\n" not in str(fault)
    assert fault.seat == 3
    # Everything up to the fault is there, and nothing of it.
    assert fault.decision == len(played.actions)
    assert 12 <= len(played.actions) < 16
    assert ("Traceback" in fault.detail) == (kind == "crash")


def test_thinking_too_long_is_a_fault() -> None:
    slow = Trouble("sleep", trick=3)
    assert play(slow, Lowest(), Lowest(), Lowest()).fault is None
    played = play(slow, Lowest(), Lowest(), Lowest(), decision_limit_s=0.05)
    assert played.fault is not None
    assert played.fault.kind == "overtime"
    assert str(played.fault) == "seat N thought longer than 0.05 s"


def test_whole_numbers_of_other_types_are_cards_too() -> None:
    @dataclass(frozen=True)
    class Numpy:
        def act(self, view: View, rng: Rng) -> Any:
            return np.int64(view.legal[0])

    played = play(Numpy(), Numpy(), Numpy(), Numpy())
    assert played.fault is None
    assert played.actions == play(*[Lowest()] * 4).actions


def test_a_crash_when_sitting_down_is_a_fault() -> None:
    class Shy:
        def take_seat(self, setup: Any) -> Any:
            raise RuntimeError("no")

        def act(self, view: View, rng: Rng) -> Action:
            return view.legal[0]

    played = play(Lowest(), Shy(), Lowest(), Lowest())
    assert played.fault is not None
    assert (played.fault.seat, played.fault.decision) == (1, 0)
