"""Trick games of OpenSpiel, played by OpenSpiel itself: the arena only keeps the books.

Source: OpenSpiel 2.0 (Lanctot et al. 2019, arXiv:1908.09453); its documentation has the rules of
each game: bridge, euchre, hearts, oh_hell, skat, spades and tarok.

Option: `game`, the game with its parameters as OpenSpiel writes them, such as
`oh_hell(players=4)`.

* A deal is the sequence of chance outcomes before the first decision; no chance comes later.
* A seat knows what OpenSpiel lets a player know (`View.information`), and nothing else.
* An action that is a card is a card of the arena; all others are bids with OpenSpiel's names. The
  cards of tarok are bids, too: the arena has no such cards.
* A side's score is its return, for skat 240 times as much (twice the card points), so that it
  is a whole number. Higher scores win in all games, in hearts as well.

Deviations: bridge is played out, unless `use_double_dummy_result` says that the auction is scored
by its double-dummy solution.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Self

from arena.core.cards import CARD_NAMES, SEATS, SUIT_SYMBOLS, SUITS
from arena.core.deals import Deal, DealError
from arena.core.errors import did_you_mean
from arena.core.rules import (
    OWN_BIDS,
    Action,
    IllegalAction,
    Information,
    MatchFormat,
    Outcome,
    Rules,
    RulesError,
    Standing,
    View,
)
from arena.core.seeds import Rng, rng_for
from arena.games.base import TableRound
from arena.games.open_spiel import euchre, hearts, plain
from arena.games.open_spiel.tables import GAME_FACTS, GameFacts

_SAMPLERS: dict[str, Callable[[Any, int, Rng], tuple[int, ...]]] = {
    "euchre": euchre.possible_history,
    "hearts": hearts.possible_history,
    "oh_hell": plain.oh_hell_history,
    "spades": plain.spades_history,
}
"""Samplers of our own; in bridge OpenSpiel's is exact."""
_SEEDS = 1 << 30


@dataclass(slots=True)
class OpenSpielRound(TableRound):
    """A round in progress."""

    state: Any = None
    """OpenSpiel's state, with all hands."""


@dataclass(frozen=True)
class OpenSpielGame(Rules):
    """A trick game of OpenSpiel."""

    game: str = "euchre"

    name: ClassVar[str] = "open-spiel"
    version: ClassVar[int] = 1
    packages: ClassVar[tuple[str, ...]] = ("open_spiel",)
    has_tricks: ClassVar[bool] = False
    higher_wins: ClassVar[bool] = True
    deck: ClassVar[int] = 0
    hand_size: ClassVar[int] = 0
    options_help: ClassVar[dict[str, str]] = {
        "game": f"{', '.join(GAME_FACTS)}, with parameters as OpenSpiel writes them",
    }

    def __post_init__(self) -> None:
        short = self.short_name
        if short not in GAME_FACTS:
            raise RulesError(
                f"{self.name}: game: unknown {short!r}; {did_you_mean(short, GAME_FACTS)}"
            )
        load(self.game)

    @property
    def short_name(self) -> str:
        """The game without its parameters."""
        return self.game.partition("(")[0].strip()

    @property
    def facts_of_game(self) -> GameFacts:
        """What the arena knows of the game."""
        return GAME_FACTS[self.short_name]

    @property
    def draws_possible_rounds(self) -> bool:
        """Whether views have a history that looks the same to their seat."""
        if self.short_name == "hearts":
            return hearts.is_known(load(self.game))
        return self.facts_of_game.samples

    @property
    def recalls_own_actions(self) -> bool:
        """Whether there are information states that always say what a seat has done itself.

        Spades has none. In hearts they do not while cards are passed, and OpenSpiel's searches
        over information sets then fail or end the process.
        """
        game = load(self.game)
        has_states = game.get_type().provides_information_state_string
        return has_states and not game.get_parameters().get("pass_cards", False)

    # --- the table -----------------------------------------------------------------------

    @property
    def players(self) -> int:
        return int(load(self.game).num_players())

    @property
    def sides(self) -> tuple[tuple[int, ...], ...]:
        if self.facts_of_game.partners:
            return ((0, 2), (1, 3))
        return tuple((seat,) for seat in range(self.players))

    def side_of(self, seat: int) -> int:
        return seat % len(self.sides)

    def seat_after(self, seat: int, steps: int = 1) -> int:
        return (seat + steps) % self.players

    @property
    def bids(self) -> tuple[str, ...]:  # type: ignore[override]  # they depend on the game
        return self.facts_of_game.calls

    @property
    def margin_bounds(self) -> tuple[float, float]:
        """The range of returns, for one side's and for the others'."""
        game = load(self.game)
        best = self.facts_of_game.points * (game.max_utility() - game.min_utility())
        return -best, best

    def worst_margin(self, sides: int) -> float:
        return self.margin_bounds[0]

    @property
    def match(self) -> MatchFormat:
        return MatchFormat(rounds=self.players)

    # --- deals ---------------------------------------------------------------------------

    def random_deal(self, rng: Rng, number: int) -> Deal:
        """Chance outcomes, drawn by their probabilities."""
        if self.facts_of_game.seed:
            return Deal("", (), chance=(rng.below(_SEEDS),))
        state = load(self.game).new_initial_state()
        while state.is_chance_node():
            state.apply_action(_draw(_outcomes(state), rng))
        return Deal("", (), chance=tuple(state.history()))

    def check_deal(self, deal: Deal) -> None:
        self.start(deal)

    def in_match(self, deal: Deal, number: int) -> Deal:
        """The deal as it is: who deals is one of its chance outcomes."""
        return deal

    def _dealt(self, deal: Deal) -> Any:
        if not deal.chance:
            raise DealError(f"{deal.named}: the chance outcomes are missing")
        outcomes = deal.chance
        if self.facts_of_game.seed:
            seed, *more = outcomes
            if more or seed >= _SEEDS:
                raise DealError(f"{deal.named}: chance: expected one number below {_SEEDS}")
            # Such a game has a generator that goes on from deal to deal: each gets a new game.
            state = _load(self.game, **{self.facts_of_game.seed: seed}).new_initial_state()
            outcomes = (0,)
        else:
            state = load(self.game).new_initial_state()
        for place, outcome in enumerate(outcomes):
            if not state.is_chance_node():
                raise DealError(f"{deal.named}: chance: {len(outcomes) - place} outcomes too many")
            if outcome not in dict(_outcomes(state)):
                raise DealError(
                    f"{deal.named}: chance: outcome {place + 1} cannot be {outcome} in {self.game}"
                )
            state.apply_action(outcome)
        if state.is_chance_node():
            raise DealError(f"{deal.named}: chance: {len(outcomes)} outcomes are too few")
        return state

    # --- a round -------------------------------------------------------------------------

    def start(self, deal: Deal, standing: Standing = Standing()) -> OpenSpielRound:
        zero = (0,) * len(self.sides)
        found = OpenSpielRound(
            deal=deal,
            standing=standing if standing.scores else Standing(standing.round_number, zero),
            hands=[0] * self.players,
            points=zero,
            bonus=zero,
            state=self._dealt(deal),
        )
        self._next_turn(found)
        return found

    def _next_turn(self, table: OpenSpielRound) -> None:
        state = table.state
        if state.is_terminal():
            table.turn, table.legal, table.phase = None, (), "over"
            return
        table.turn = state.current_player()
        legal = state.legal_actions()
        table.legal = tuple(sorted(self.arena_action(state, action) for action in legal))
        table.phase = "play" if table.legal[-1] < len(CARD_NAMES) else "bid"

    def apply(self, state: OpenSpielRound, action: Action) -> None:
        if state.turn is None:
            raise RulesError(f"{state.deal.named}: the round is over")
        if action not in state.legal:
            raise IllegalAction(state.turn, action, state.legal, state.deal.id, self.bids)
        state.state.apply_action(self.open_spiel_action(state.state, action))
        self._next_turn(state)

    def open_spiel_action(self, state: Any, action: Action) -> int:
        """OpenSpiel's number of a legal action."""
        legal: list[int] = state.legal_actions()
        return next(each for each in legal if self.arena_action(state, each) == action)

    def arena_action(self, state: Any, action: int) -> Action:
        """The arena's number of a legal action of OpenSpiel."""
        return _numbers(self.short_name)[state.action_to_string(action)]

    def view(self, state: OpenSpielRound, seat: int, *, all_hands: bool = False) -> View:
        return View(
            self,
            seat,
            state.phase,
            state.legal if seat == state.turn else (),
            hand=0,
            points=state.points,
            bonus=state.bonus,
            standing=state.standing,
            information=self._information(state.state, seat),
        )

    def _information(self, state: Any, seat: int) -> Information:
        kind = state.get_game().get_type()
        text = (
            state.information_state_string(seat)
            if kind.provides_information_state_string
            else state.observation_string(seat)
        )
        if self.draws_possible_rounds:
            if state.current_player() != seat:
                return Information(text)
            # The seed follows from what the seat knows, and the samplers look at nothing else:
            # so this says nothing of the true cards. A test exchanges them.
            rng = rng_for(0, "possible", seat, text, *map(str, state.legal_actions()))
            return Information(text, self.possible_history(state, seat, rng))
        if kind.provides_observation_tensor:
            return Information(text, tensor=tuple(state.observation_tensor(seat)))
        return Information(text)

    def state_after(self, history: Iterable[int]) -> Any:
        """OpenSpiel's state after these actions, chance included."""
        state = load(self.game).new_initial_state()
        for action in history:
            state.apply_action(action)
        return state

    def agrees(self, view: View) -> bool:
        """Whether the history that a view gives is one, and leads to the view's decision."""
        assert view.information is not None
        state = load(self.game).new_initial_state()
        for action in view.information.history:
            if state.is_terminal() or action not in state.legal_actions():
                return False
            state.apply_action(action)
        legal = {self.arena_action(state, action) for action in state.legal_actions()}
        return bool(state.current_player() == view.seat and legal == {*view.legal})

    def possible_history(self, state: Any, seat: int, rng: Rng) -> tuple[int, ...]:
        """All actions, chance included, of a round that looks the same to the seat in turn."""
        if self.short_name in _SAMPLERS:
            return _SAMPLERS[self.short_name](state, seat, rng)
        return tuple(state.resample_from_infostate(seat, rng.random).history())

    def outcome(self, state: OpenSpielRound) -> Outcome:
        returns = state.state.returns()
        scores = tuple(round(self.facts_of_game.points * returns[seats[0]]) for seats in self.sides)
        nothing = (0,) * len(scores)
        return Outcome(scores, nothing, nothing, nothing)

    def drawing(self, state: OpenSpielRound) -> str:
        return str(state.state)

    # --- records -------------------------------------------------------------------------

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> Self | None:
        """The rules a recorded round was played under; None if it is of another game."""
        return cls(**record.get("options", {})) if record.get("game") == cls.name else None

    def facts(self, state: OpenSpielRound) -> dict[str, Any]:
        scores = self.outcome(state).scores
        names = ["".join(SEATS[seat] for seat in side) for side in self.sides]
        return {"scores": dict(zip(names, scores, strict=True))}


# --- OpenSpiel ---------------------------------------------------------------------------


@lru_cache(maxsize=64)
def load(game: str) -> Any:
    """OpenSpiel's game."""
    return _load(game)


def _load(game: str, **more: Any) -> Any:
    try:
        import pyspiel
    except ImportError as error:
        raise RulesError(
            "the game 'open-spiel' needs OpenSpiel: pip install 'arena-tricks[envs]'"
        ) from error
    try:
        kind = GAME_FACTS[game.partition("(")[0].strip()]
        given = pyspiel.game_parameters_from_string(game)
        name = given.pop("name")
        found = pyspiel.load_game(name, {**kind.parameters, **given, **more})
    except pyspiel.SpielError as error:
        raise RulesError(f"open-spiel: game: {game!r}: {error}") from error
    return found


@lru_cache(maxsize=16)
def _numbers(short_name: str) -> dict[str, Action]:
    """The arena's numbers of a game's actions, by OpenSpiel's names."""
    calls = {name: OWN_BIDS + number for number, name in enumerate(GAME_FACTS[short_name].calls)}
    return _CARDS_AS_WRITTEN | calls


def _ways_to_write(card: str) -> tuple[str, ...]:
    suit, rank = card[0], card[1]
    return card, rank + suit, SUIT_SYMBOLS[SUITS.index(suit)] + rank.replace("T", "10")


_CARDS_AS_WRITTEN = {
    written: card for card, name in enumerate(CARD_NAMES) for written in _ways_to_write(name)
}


def _outcomes(state: Any) -> list[tuple[int, float]]:
    """What chance can do. (Hearts without passing lists directions that are not legal.)"""
    legal = set(state.legal_actions())
    return [(outcome, odds) for outcome, odds in state.chance_outcomes() if outcome in legal]


def _draw(outcomes: list[tuple[int, float]], rng: Rng) -> int:
    at = rng.random() * sum(odds for _, odds in outcomes)
    for outcome, probability in outcomes:
        at -= probability
        if at < 0:
            return outcome
    return outcomes[-1][0]
