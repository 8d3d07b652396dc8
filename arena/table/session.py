"""A round at a table with people and agents: which seat has the turn, and what may be done.

There is no input or output here. A person's seat is asked for by `turn`, shown by `view` and
played by `act`; an agent's by `let_agent_act`. Agents draw the random numbers that the referee
would give them: at a table of agents only, the round is the referee's, action by action.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from arena.analysis.decisions import Considered, consider
from arena.core.agent import Player, Remote, Setup, sees_all_cards
from arena.core.cards import SEATS
from arena.core.deals import Deal
from arena.core.errors import ArenaError
from arena.core.rules import Action, Outcome, Rules, Standing, View, action_name
from arena.core.seeds import Rng
from arena.process.faults import one_line_of, whole_number
from arena.table.claim import Claims
from arena.tournament.referee import Clock, Fault, crash_fault, decision_rng, illegal_fault


class TableError(ArenaError):
    """A request that the table cannot carry out now."""


class ChairFault(ArenaError):
    """An agent that crashed or answered with something illegal; its turn is still to be taken."""

    def __init__(self, name: str, fault: Fault) -> None:
        super().__init__(f"{name} ({fault})")
        self.fault = fault


@dataclass(frozen=True)
class Chair:
    """The occupant of a seat."""

    name: str
    player: Player | None = None
    """None if it is a person."""
    twin: int = 1
    """Which of several twins an agent is: they draw different random numbers."""


class FirstLegal:
    """Plays the first legal action: for an agent that has failed."""

    def act(self, view: View, rng: Rng) -> Action:
        """The first legal action."""
        return view.legal[0]


class TableSession:
    """One round."""

    def __init__(
        self,
        rules: Rules,
        deal: Deal,
        chairs: Sequence[Chair],
        *,
        standing: Standing = Standing(),
        seed: int = 0,
        seed_number: int = 0,
        training: bool = True,
    ) -> None:
        """Seat all players; with `training` people may take cards back and ask for hints."""
        if len(chairs) != rules.players:
            raise TableError(f"{rules.name} has {rules.players} seats; found {len(chairs)} chairs")
        self.rules, self.deal, self.standing = rules, deal, standing
        self.training = training
        self.is_intact = True
        """Whether those who sat down have played it all, without hints and taking back."""
        self.claimed_by: int | None = None
        """The seat that claimed the rest, if one did."""
        self._seed, self._seed_number = seed, seed_number
        self._chairs = list(chairs)
        self._seated: list[Player | None] = [None] * rules.players
        self._actions: list[Action] = []
        self._turns: list[int] = []
        self._state: Any = rules.start(deal, standing)
        self._claims: Claims | None = None
        for seat in range(rules.players):
            self._sit_down(seat)

    # --- what all may know ---------------------------------------------------------

    @property
    def chairs(self) -> tuple[Chair, ...]:
        """The names in the seats N, E, S, W."""
        return tuple(self._chairs)

    @property
    def turn(self) -> int | None:
        """The seat that is to act; None if the round is over."""
        turn: int | None = self._state.turn
        return turn

    @property
    def is_over(self) -> bool:
        """Whether the round has ended."""
        return self.turn is None

    @property
    def waits_for_person(self) -> bool:
        """Whether a person is to act."""
        return self.turn is not None and self._chairs[self.turn].player is None

    @property
    def moves(self) -> int:
        """How many actions have been taken."""
        return len(self._actions)

    def view(self, seat: int) -> View:
        """All that a seat may know now; `legal` is empty unless it is its turn."""
        return self.rules.view(self._state, seat)

    # --- what is known after the round ---------------------------------------------------

    @property
    def outcome(self) -> Outcome:
        """The result of the round."""
        self._check_over()
        return self.rules.outcome(self._state)

    @property
    def actions(self) -> tuple[Action, ...]:
        """Everything that was done, once the round is over."""
        self._check_over()
        return tuple(self._actions)

    @property
    def turns(self) -> tuple[int, ...]:
        """The seat that took each action, once the round is over."""
        self._check_over()
        return tuple(self._turns)

    @property
    def state(self) -> Any:
        """The round with all cards, once it is over."""
        self._check_over()
        return self._state

    def _check_over(self) -> None:
        if not self.is_over:
            raise TableError("the round is not over yet")

    # --- people --------------------------------------------------------------------------

    def act(self, seat: int, action: Action) -> None:
        """Do what a person has chosen."""
        self._check_turn(seat)
        legal = self._state.legal
        if action not in legal:
            bids = self.rules.bids
            allowed = " ".join(action_name(each, bids) for each in legal)
            raise TableError(f"{action_name(action, bids)} is not allowed now; legal: {allowed}")
        self._apply(action)

    def undo(self, seat: int) -> None:
        """Take back the last action of a person, and all that came after it."""
        if not self.training:
            raise TableError("nothing can be taken back at this table")
        if self.is_over:
            raise TableError("the round is over, nothing can be taken back")
        if seat not in self._turns:
            raise TableError("there is nothing to take back yet")
        self.is_intact = False
        last = len(self._turns) - 1 - self._turns[::-1].index(seat)
        kept = self._actions[:last]
        self._actions, self._turns = [], []
        self._state = self.rules.start(self.deal, self.standing)
        for action in kept:
            self._apply(action)
        for other in range(self.rules.players):
            self._sit_down(other)

    def hint(self, seat: int, adviser: Player) -> Considered:
        """What an agent would do in this seat, which is to act, and why."""
        with one_line_of("that gives hints"):
            return self.later_hint(seat, lambda: adviser)()

    def later_hint(self, seat: int, adviser: Callable[[], Player]) -> Callable[[], Considered]:
        """The same as a call that may be made in a thread, while the round goes on."""
        if not self.training:
            raise TableError("there are no hints at this table")
        self._check_turn(seat)
        self.is_intact = False
        view, made = self.view(seat), self._turns.count(seat)

        def hint() -> Considered:
            player = adviser()
            if sees_all_cards(player):
                raise TableError("an agent that sees all cards cannot give hints")
            seated = player.take_seat(Setup(self.rules, seat))
            return consider(seated, view, lambda: self._rng_at(seat, made))

        return hint

    def claim(self, seat: int) -> None:
        """Let the rest play itself, if the solver proves that it does; else `ClaimRefused`."""
        self._check_turn(seat)
        claims = self._claims = self._claims or Claims(self.rules)
        rest = claims.rest(self._state, seat, self._rng(seat))
        self.claimed_by = seat
        for card in rest:
            self._apply(card)

    def _check_turn(self, seat: int) -> None:
        if self.turn is None:
            raise TableError("the round is over")
        if self.turn != seat:
            raise TableError(f"it is the turn of {SEATS[self.turn]}, not of {SEATS[seat]}")

    # --- agents --------------------------------------------------------------------------

    def decide(self) -> Action:
        """What the agent that is to act does; nothing is done yet. Raises `ChairFault`."""
        seat = self.turn
        player = None if seat is None else self._seated[seat]
        if seat is None or player is None:
            raise TableError("no agent is to act")
        view = self.rules.view(self._state, seat, all_hands=sees_all_cards(player))
        fault: Fault
        try:
            answer = player.act(view, self._rng(seat))
        except (Exception, SystemExit) as error:
            fault = crash_fault(seat, self.moves, error, Clock())
            raise ChairFault(self._chairs[seat].name, fault) from error
        action = whole_number(answer)
        if action not in view.legal:
            fault = illegal_fault(seat, self.moves, answer, view.legal, self.rules.bids)
            raise ChairFault(self._chairs[seat].name, fault)
        return action

    def let_agent_act(self, decided: Action | None = None) -> Action:
        """Let the agent that is to act do what it has `decided`, or decide now."""
        action = self.decide() if decided is None else decided
        self._apply(action)
        return action

    def seat_chair(self, seat: int, chair: Chair) -> None:
        """Let another player take over a seat: an agent for a person, or for one that failed."""
        self.is_intact = self.is_intact and chair.player is None
        self._stand_up(seat)
        self._chairs[seat] = chair
        self._sit_down(seat)

    def rename(self, seat: int, name: str) -> None:
        """Call a chair something else."""
        self._chairs[seat] = replace(self._chairs[seat], name=name)

    def close(self) -> None:
        """Tell agents in other processes that the round is over."""
        for seat in range(self.rules.players):
            self._stand_up(seat)

    # --- inside --------------------------------------------------------------------------

    def _apply(self, action: Action) -> None:
        turn = self.turn
        assert turn is not None
        self.rules.apply(self._state, action)
        self._actions.append(action)
        self._turns.append(turn)

    def _rng(self, seat: int) -> Rng:
        return self._rng_at(seat, self._turns.count(seat))

    def _rng_at(self, seat: int, decision: int) -> Rng:
        twin = self._chairs[seat].twin
        return decision_rng(self._seed, self.deal.id, self._seed_number, seat, decision, twin)

    def _stand_up(self, seat: int) -> None:
        seated = self._seated[seat]
        if seated is not None and isinstance(seated.cards, Remote):
            seated.cards.end_deal(self.rules.outcome(self._state) if self.is_over else None)
        self._seated[seat] = None

    def _sit_down(self, seat: int) -> None:
        """Seat the player; an agent that remembers makes its earlier decisions again."""
        self._stand_up(seat)
        player = self._chairs[seat].player
        if player is None:
            return
        with one_line_of(self._chairs[seat].name):
            seated = self._seated[seat] = player.take_seat(Setup(self.rules, seat))
            if seated is not player:
                self._decide_again(seat, seated)

    def _decide_again(self, seat: int, seated: Player) -> None:
        state = self.rules.start(self.deal, self.standing)
        made = 0
        for turn, action in zip(self._turns, self._actions, strict=True):
            if turn == seat:
                view = self.rules.view(state, seat, all_hands=sees_all_cards(seated))
                seated.act(view, self._rng_at(seat, made))
                made += 1
            self.rules.apply(state, action)
