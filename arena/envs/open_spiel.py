"""Klaverjas and Schieber as Python games of OpenSpiel.

    game = pyspiel.load_game("arena_klaverjas(bidding=classical)")    # after this import
    state = game.new_initial_state()

Options are those of the arena's games. Chance deals: first the seat that is to lead or speak
first, then trump if no seat names it, the cards one by one (N's hand first), and the suits that
will be turned up. Actions are the arena's numbers, returns the margin of the player's side.

`resample_from_infostate` draws from the deals that agree with all that the player knows, each
equally likely; calls and plays say no more than what they make impossible. OpenSpiel's
`open_spiel.python.algorithms.ismcts.ISMCTSBot` plays by it. `pyspiel.ISMCTSBot`, in C++, cannot
ask a game in Python for it.

Source: OpenSpiel 2.0, `python/games/kuhn_poker.py`, for what a Python game must have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import fields, replace
from typing import Any, ClassVar

import numpy as np
import pyspiel

from arena.config.games import make_rules
from arena.core.cards import SEATS, SUITS, TRUMPS, card_name, cards_of, mask_of, write_cards
from arena.core.deals import Deal
from arena.core.rules import Rules, RulesError, View, action_name
from arena.core.scoring import side_margins
from arena.core.seeds import Rng
from arena.core.transcript import transcript
from arena.envs.encoding import encoding_of, observe
from arena.envs.policies import AgentPolicy
from arena.games.infoset import InfoSet, round_of
from arena.games.klaverjas import Klaverjas
from arena.games.klaverjas.bidding import next_turn_ups
from arena.games.schieber import Schieber
from arena.games.world_sampler import WorldSampler

__all__ = ["AgentBot", "ArenaGame", "ArenaState", "information_text"]

_CARDS = 52
_MOST_CALLS = 9
"""Of an auction: four seats twice, then the elder hand."""
_REFUSED = {"variant": "rotterdam-2017"}
"""An option under which not all deals are equally likely."""


class ArenaGame(pyspiel.Game):  # type: ignore[misc]  # pyspiel comes without types
    """A game of the arena; each that is registered is a class of its own."""

    family: ClassVar[type[Any]]
    kind: ClassVar[Any]

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        options = dict(params or {})
        for option, value in _REFUSED.items():
            if options.get(option) == value:
                raise RulesError(f"{option} {value!r} shuffles in a way that chance cannot say")
        self.rules = make_rules(self.family.name, options)
        low, high = self.rules.margin_bounds
        info = pyspiel.GameInfo(
            num_distinct_actions=encoding_of(self.rules).actions,
            max_chance_outcomes=_CARDS,
            num_players=self.rules.players,
            min_utility=low,
            max_utility=high,
            utility_sum=0.0,
            max_game_length=_MOST_CALLS + self.rules.deck.bit_count(),
        )
        super().__init__(self.kind, info, options)

    def new_initial_state(self) -> ArenaState:
        """The state before the first chance outcome."""
        return ArenaState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> _Observer:
        """The observation of `arena.envs.encoding`, whether it is to recall everything or not."""
        return _Observer(self.rules)


class _Dealing:
    """What chance does before the first decision, an outcome at a time."""

    def __init__(self, rules: Rules) -> None:
        example = rules.random_deal(Rng(0), 0)
        self.rules = rules
        self.trumps = _trumps_of(rules, example)
        self.turn_ups = len(example.turn_ups)
        self.outcomes: list[int] = []

    @property
    def steps(self) -> int:
        """How many outcomes a deal has."""
        return 1 + bool(self.trumps) + self.rules.deck.bit_count() + self.turn_ups

    def next_outcomes(self) -> Sequence[int]:
        """What can come next; all outcomes are equally likely."""
        done, cards = len(self.outcomes), self._cards
        if done == 0:
            return range(self.rules.players)
        if done == 1 and self.trumps:
            return self.trumps
        if len(cards) < self.rules.deck.bit_count():
            return cards_of(self.rules.deck & ~mask_of(cards))
        return next_turn_ups(self._turn_ups)

    def name(self, outcome: int) -> str:
        """An outcome in words."""
        done = len(self.outcomes)
        if done == 0:
            return f"{SEATS[self.rules.seat_after(0, outcome)]} begins"
        if done == 1 and self.trumps:
            return f"trump {TRUMPS[outcome]}"
        if len(self._cards) < self.rules.deck.bit_count():
            return f"{SEATS[len(self._cards) // self.rules.hand_size]} {card_name(outcome)}"
        return f"turn up {SUITS[outcome]}"

    @property
    def _first_card(self) -> int:
        return 1 + bool(self.trumps)

    @property
    def _cards(self) -> list[int]:
        return self.outcomes[self._first_card :][: self.rules.deck.bit_count()]

    @property
    def _turn_ups(self) -> list[int]:
        return self.outcomes[self._first_card + self.rules.deck.bit_count() :]

    def deal(self) -> Deal:
        """The deal, once all is dealt."""
        # Seats that take turns by the number of a deal are those that the game gives to it.
        like, cards = self.rules.random_deal(Rng(0), self.outcomes[0]), self._cards
        size = self.rules.hand_size
        hands = (tuple(cards[size * s : size * (s + 1)]) for s in range(self.rules.players))
        return replace(
            like,
            hands=tuple(hands),
            trump=self.outcomes[1] if self.trumps else None,
            turn_ups=tuple(self._turn_ups),
        )

    def again(self, deal: Deal) -> Iterator[int]:
        """The outcomes that deal this instead, beginning as before."""
        yield from self.outcomes[: self._first_card]
        for hand in deal.hands:
            yield from hand
        yield from deal.turn_ups


def _trumps_of(rules: Rules, example: Deal) -> list[int]:
    """The trumps that a deal may name; none if they are named in an auction."""
    if example.trump is None:
        return []

    def is_allowed(trump: int) -> bool:
        try:
            rules.check_deal(replace(example, trump=trump))
        except RulesError:
            return False
        return True

    return [trump for trump in range(len(TRUMPS)) if is_allowed(trump)]


class _Table:
    """A round, dealt or being dealt, that is copied fast: OpenSpiel's searches copy all states."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.dealing = _Dealing(rules)
        self.round: Any = None

    def __deepcopy__(self, memo: dict[int, Any]) -> _Table:
        other = copy(self)
        if self.round is None:
            other.dealing = copy(self.dealing)
            other.dealing.outcomes = list(self.dealing.outcomes)
        else:  # everything else in it is never changed
            lists = {name: list(getattr(self.round, name)) for name in _LISTS}
            other.round = replace(self.round, **lists)
        return other


_LISTS = ("hands", "passed", "received")


class ArenaState(pyspiel.State):  # type: ignore[misc]
    """A round of the arena, as OpenSpiel sees it."""

    def __init__(self, game: ArenaGame) -> None:
        super().__init__(game)
        self._table = _Table(game.rules)

    @property
    def rules(self) -> Rules:
        """The arena's rules."""
        return self._table.rules

    @property
    def round(self) -> Any:
        """The round in progress, with all hands; None while it is dealt."""
        return self._table.round

    def current_player(self) -> int:
        """The seat in turn, or chance; `TERMINAL` after the end."""
        if self.round is None:
            return int(pyspiel.PlayerId.CHANCE)
        turn: int | None = self.round.turn
        return int(pyspiel.PlayerId.TERMINAL) if turn is None else turn

    def _legal_actions(self, player: int) -> list[int]:
        return list(self.round.legal) if player == self.round.turn else []

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """What can be dealt next, and how likely."""
        outcomes = self._table.dealing.next_outcomes()
        return [(outcome, 1 / len(outcomes)) for outcome in outcomes]

    def _apply_action(self, action: int) -> None:
        table = self._table
        if table.round is not None:
            table.rules.apply(table.round, action)
            return
        table.dealing.outcomes.append(action)
        if len(table.dealing.outcomes) == table.dealing.steps:
            table.round = table.rules.start(table.dealing.deal())

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return self._table.dealing.name(action)
        return action_name(action, self.rules.bids)

    def is_terminal(self) -> bool:
        """Whether the round is over."""
        return self.round is not None and self.round.turn is None

    def returns(self) -> list[float]:
        """By how much each player's side did better than the other; 0 before the end."""
        if not self.is_terminal():
            return [0.0] * self.rules.players
        margins = side_margins(self.rules, self.rules.outcome(self.round).scores)
        return [margins[self.rules.side_of(seat)] for seat in range(self.rules.players)]

    def __str__(self) -> str:
        dealing = self._table.dealing
        if self.round is None:
            return f"dealing {' '.join(map(str, dealing.outcomes))}"
        return transcript(self.rules, self.round.deal, self.history()[dealing.steps :])

    def resample_from_infostate(
        self, player_id: int, probability_sampler: Callable[[], float]
    ) -> ArenaState:
        """A state that looks the same to a player; all deals that do are equally likely."""
        if self.round is None:
            raise RulesError("nothing can be sampled before all cards are dealt")
        rules, dealing = self.rules, self._table.dealing
        view = rules.view(self.round, player_id)
        worlds, rng = WorldSampler(InfoSet.of(view)), Rng(int(2**53 * probability_sampler()))
        while True:
            turn_ups = list(view.turn_ups)
            while len(turn_ups) < dealing.turn_ups:
                turn_ups.append(rng.choice(next_turn_ups(turn_ups)))
            dealt = view._replace(turn_ups=tuple(turn_ups))
            found = round_of(dealt, worlds.sample(rng))
            # Weis that no seat showed say something that masks of cards cannot say.
            if rules.view(found, player_id) == view:
                break
        state = self.get_game().new_initial_state()
        for outcome in dealing.again(found.deal):
            state.apply_action(outcome)
        for action in self.history()[dealing.steps :]:
            state.apply_action(action)
        sampled: ArenaState = state
        return sampled


def information_text(view: View) -> str:
    """All that a seat knows, in one line: equal for equal information, and only then."""
    names = view.rules.bids
    said = [f"{SEATS[view.seat]} holds {write_cards(cards_of(view.hand)) or 'nothing'}"]
    for what, seat in (("leader", view.leader), ("declarer", view.declarer)):
        if seat is not None:
            said.append(f"{what} {SEATS[seat]}")
    if view.trump is not None:
        said.append(f"trump {TRUMPS[view.trump]}{' (forced)' if view.forced else ''}")
    if view.turn_ups:
        said.append(f"turned up {' '.join(SUITS[suit] for suit in view.turn_ups)}")
    calls = (f"{SEATS[bid.seat]} {action_name(bid.action, names)}" for bid in view.bids)
    if view.bids:
        said.append(f"calls {' '.join(calls)}")
    for seat, cards in view.shown:
        said.append(f"{SEATS[seat]} showed {write_cards(cards_of(cards))}")
    said += [f"{SEATS[trick.leader]} led {write_cards(trick.cards)}" for trick in view.tricks]
    if view.table:
        said.append(f"{SEATS[view.table_leader or 0]} led {write_cards(view.table)}")
    if any(view.bonus):
        said.append(f"bonus {' '.join(map(str, view.bonus))}")
    return "; ".join(said)


class _Observer:
    """Writes observations into an array of its own (the interface `PyObserver`)."""

    def __init__(self, rules: Rules) -> None:
        encoding = encoding_of(rules)
        self.tensor = np.zeros(encoding.size, np.float32)
        self.dict = {name: self.tensor[part] for name, part in encoding.parts.items()}

    def set_from(self, state: ArenaState, player: int) -> None:
        """What a player observes; zeros while cards are dealt."""
        if state.round is None:
            self.tensor.fill(0)
        else:
            self.tensor[:] = observe(state.rules.view(state.round, player))

    def string_from(self, state: ArenaState, player: int) -> str:
        """The same in words."""
        if state.round is None:
            return f"{SEATS[player]} waits for cards"
        return information_text(state.rules.view(state.round, player))


class AgentBot(pyspiel.Bot):  # type: ignore[misc]
    """An agent of the arena, or the name of a family, as a bot of OpenSpiel for these games."""

    def __init__(self, agent: Any, *, seed: int = 0) -> None:
        pyspiel.Bot.__init__(self)
        self._policy = AgentPolicy(agent, seed=seed)

    def restart(self) -> None:
        """Forget the round: another one begins."""
        self._policy.restart()

    def restart_at(self, state: ArenaState) -> None:
        """Begin in the middle of a round."""
        self._policy.restart()

    def step(self, state: ArenaState) -> int:
        """The action of the seat in turn."""
        return self._policy.act(state.rules, state.round)


def _register(family: type[Any]) -> None:
    kind = pyspiel.GameType(
        short_name=f"arena_{family.name}",
        long_name=f"{family.name.capitalize()} of the arena",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=family().players,
        min_num_players=family().players,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={option.name: option.default for option in fields(family)},
    )
    game = type(f"{family.__name__}Game", (ArenaGame,), {"family": family, "kind": kind})
    pyspiel.register_game(kind, game)


for _family in (Klaverjas, Schieber):
    _register(_family)
