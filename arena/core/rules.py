"""Games, the views of seats, and actions.

A game's rule book implements `Rules`; the referee plays by it. A player gets
a `View`: all that its seat may know, and nothing else. Both carry all games:
with partners or without, clockwise or not, with bidding, passing or neither,
and with scores of which more or less is better.
"""

from __future__ import annotations

import abc
import ast
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, Literal, NamedTuple, Protocol, Self, TypeAlias

from arena.core.cards import CARD_NAMES, SEATS, TRUMPS, cards_of, pretty, suit_lines, trump_name
from arena.core.deals import Deal, DealError
from arena.core.errors import ArenaError, did_you_mean
from arena.core.seeds import Rng

# --- actions -----------------------------------------------------------------------------

Action: TypeAlias = int
"""A card (0 to 51) to play or to pass on, one of the bids below, or a bid of the game's own.

Always less than 256: one byte is kept for each.
"""

OBE, UNE = TRUMPS.index("O"), TRUMPS.index("U")
PASS, PLAY, PUSH = 52, 53, 54
_FIRST_TRUMP = 55
OWN_BIDS = 64
"""From here on, the bids that a game names for itself (`Rules.bids`)."""

ACTION_NAMES: tuple[str, ...] = (
    *CARD_NAMES,
    "pass",
    "play",
    "push",
    *(f"trump-{trump}" for trump in TRUMPS),
)
"""Cards and the bids that games share."""
_ACTION_BY_NAME = {name: action for action, name in enumerate(ACTION_NAMES)}


def choose_trump(trump: int) -> Action:
    """The bid that names `trump` (an index into `TRUMPS`)."""
    return _FIRST_TRUMP + trump


def chosen_trump(action: Action) -> int | None:
    """The trump that a bid names, or None if it names none."""
    return action - _FIRST_TRUMP if _FIRST_TRUMP <= action < len(ACTION_NAMES) else None


def action_name(action: Action, bids: Sequence[str] = ()) -> str:
    """An action in notation; `bids` are those of the game's own.

    >>> action_name(31), action_name(PASS), action_name(choose_trump(OBE))
    ('H7', 'pass', 'trump-O')
    >>> action_name(OWN_BIDS + 1, ("nil", "1", "2"))
    '1'

    Any other value is shown by its repr.
    """
    if isinstance(action, int):
        if 0 <= action < len(ACTION_NAMES):
            return ACTION_NAMES[action]
        if 0 <= action - OWN_BIDS < len(bids):
            return bids[action - OWN_BIDS]
    return repr(action)


def pretty_action(action: Action, bids: Sequence[str] = ()) -> str:
    """An action for people; `bids` are those of the game's own.

    >>> pretty_action(31), pretty_action(PASS), pretty_action(choose_trump(OBE))
    ('♥7', 'pass', 'obe-abe')
    """
    if 0 <= action < len(CARD_NAMES):
        return pretty(action)
    trump = chosen_trump(action)
    return action_name(action, bids) if trump is None else trump_name(trump)


def parse_action(text: str, bids: Sequence[str] = ()) -> Action:
    """The action that `text` names; the inverse of `action_name`."""
    if text in bids:
        return OWN_BIDS + bids.index(text)
    action = _ACTION_BY_NAME.get(text)
    if action is None:
        raise RulesError(f"unknown action {text!r}: {did_you_mean(text, bid_names(bids))}")
    return action


def bid_names(bids: Sequence[str] = ()) -> tuple[str, ...]:
    """What can be bid in a game: its own bids if it has any, else those that games share."""
    return tuple(bids) or ACTION_NAMES[len(CARD_NAMES) :]


# --- what happens at the table -----------------------------------------------------------

Phase: TypeAlias = Literal["bid", "pass", "play", "over"]
FlagOwner: TypeAlias = Literal["declarer", "points", "tricks"]


class Bid(NamedTuple):
    """One call in the auction."""

    seat: int
    action: Action


class Trick(NamedTuple):
    """A finished trick; `cards` are in the order in which they were played."""

    leader: int
    cards: tuple[int, ...]
    winner: int
    points: int
    bonus: int


class Position(NamedTuple):
    """All but the hand that decides which cards are legal; every seat knows it."""

    trump: int | None
    table: tuple[int, ...]
    """Cards of the trick in progress, in the order of play."""
    trick_number: int
    opened: bool
    """Whether a suit that may not be led at first has been broken (Hearts); else False."""


class Information(NamedTuple):
    """What a seat knows in a game that is not described by cards and tricks."""

    text: str
    """In the words of the game."""
    history: tuple[int, ...] = ()
    """All actions, chance included, of a round that looks the same to this seat: one that is
    drawn at random from what the seat knows. Empty if the game cannot draw one, or if it is not
    this seat's turn."""
    tensor: tuple[float, ...] = ()
    """In numbers, where `history` cannot say it."""


class Outcome(NamedTuple):
    """How a round ended. Tuples have one entry per side of the game."""

    scores: tuple[int, ...]
    """Final scores, with nat, pit, match, moon and the like included."""
    points: tuple[int, ...]
    """Points of the cards taken, the last trick's included."""
    bonus: tuple[int, ...]
    """Roem, or Weis and Stöck."""
    tricks: tuple[int, ...]
    flags: tuple[str, ...] = ()
    """Special results, such as `nat`, `pit`, `match`, `moon` or `redeal`."""


class Standing(NamedTuple):
    """Score of a match at the start of a round."""

    round_number: int = 0
    scores: tuple[int, ...] = ()

    def after(self, scores: Iterable[int]) -> Standing:
        """The standing after one more counted round."""
        totals = tuple(a + b for a, b in zip(self.scores, scores, strict=True))
        return Standing(self.round_number + 1, totals)

    @classmethod
    def of_record(cls, record: Mapping[str, Any]) -> Standing:
        """That of a recorded round: as `standing` says, or at the start for a round by itself."""
        found = record.get("standing")
        if found is None:
            return cls()
        try:
            return cls(int(found["round_number"]), tuple(map(int, found["scores"])))
        except (KeyError, TypeError, ValueError) as error:
            raise DealError(
                "'standing': expected an object with round_number and scores"
            ) from error


MOST_ROUNDS = 1000
"""Rounds that a match may have: a target that cannot be reached would make it endless."""


@dataclass(frozen=True)
class MatchFormat:
    """When a match is over: after `rounds`, or after the round in which a side has `target`."""

    rounds: int | None = None
    target: int | None = None

    def is_over(self, standing: Standing) -> bool:
        """Whether no further round is played."""
        if self.rounds is not None and standing.round_number >= self.rounds:
            return True
        return self.target is not None and max(standing.scores, default=0) >= self.target


def unit_of(match: object | None) -> str:
    """The unit of replication: a `match` if matches are played, else a `deal`."""
    return "deal" if match is None else "match"


def plural(unit: str) -> str:
    """More than one of a unit."""
    return "matches" if unit == "match" else f"{unit}s"


def deals_per_unit(match: MatchFormat | None) -> int:
    """How many deals of a set a match owns; 1 if only a target ends it, or for single deals."""
    return (match.rounds if match else None) or 1


# --- what a seat may know ----------------------------------------------------------------


class View(NamedTuple):
    """All that a seat may know when it is its turn, and nothing more.

    A value: it holds no reference to the round, the other hands or the referee. Seats N, E, S, W
    are 0 to 3. Sets of cards (`hand`, those in `shown` and `all_hands`) are masks with bit `card`
    set for each card (see `arena.core.cards`). What does not exist (yet) is None.

    The JSON form, its schema and the documentation take these descriptions (`field_docs`).
    """

    rules: Rules
    """The game with its options."""
    seat: int
    """The seat that is to act."""
    phase: Phase
    """The kind of decision: `bid`, `pass` (cards on), or `play` a card."""
    legal: tuple[Action, ...]
    """The legal actions, suit by suit, not by strength."""
    hand: int
    """The cards held now."""
    dealt_hand: tuple[int, ...] = ()
    """The hand as it was dealt, in the order dealt."""
    dealer: int | None = None
    """The seat that dealt, in games with a dealer."""
    leader: int | None = None
    """The seat that leads the first trick, once that is known."""
    trump: int | None = None
    """The trump suit, obe-abe or une-ufe, once there is one."""
    declarer: int | None = None
    """The seat that chose trump, or that declares, once there is one."""
    forced: bool = False
    """Whether the declarer had no choice, so that declaring says nothing about their hand."""
    turn_ups: tuple[int, ...] = ()
    """Suits turned up for the auction so far."""
    bids: tuple[Bid, ...] = ()
    """The calls of the auction so far."""
    tricks: tuple[Trick, ...] = ()
    """The finished tricks; their cards are in the order of play."""
    table: tuple[int, ...] = ()
    """Cards of the trick in progress, in the order of play."""
    table_leader: int | None = None
    """The seat that led the trick in progress."""
    opened: bool = False
    """Whether a suit that may not be led at first has been broken (Hearts)."""
    points: tuple[int, ...] = ()
    """Card points taken so far in this round, per side."""
    bonus: tuple[int, ...] = ()
    """Roem, or Weis and Stöck, so far in this round, per side."""
    standing: Standing = Standing()
    """Round number and scores of the match so far."""
    passed: tuple[int, ...] = ()
    """The cards this seat passed on, in the order chosen."""
    received: tuple[int, ...] = ()
    """The cards this seat received."""
    shown: tuple[tuple[int, int], ...] = ()
    """Cards that seats have shown to all."""
    all_hands: tuple[int, ...] | None = None
    """All hands by seat, for agents that declare that they see them."""
    passing: int = 0
    """How many turns on cards are passed in this round; 0 if none are."""
    information: Information | None = None
    """What the seat knows in games without tricks (`Rules.has_tricks`), which leave all that is
    about cards empty."""

    def __repr__(self) -> str:
        """One line: the seat to act, its hand, the table and the legal actions.

        Cards are in notation, not masks.
        """
        legal = " ".join(pretty_action(action, self.rules.bids) for action in self.legal)
        if self.information is not None:
            return f"<View of {SEATS[self.seat]} in {self.rules.name}, to {self.phase}: {legal}>"
        hand = " ".join(map(pretty, cards_of(self.hand)))
        table = " ".join(map(pretty, self.table))
        trump = "" if self.trump is None else f", trump {trump_name(self.trump)}"
        return (
            f"<View of {SEATS[self.seat]} in {self.rules.name}{trump}: hand {hand or '-'}, "
            f"table {table or '-'}, to {self.phase}: {legal}>"
        )

    def __str__(self) -> str:
        """All that the seat knows, in words: a line for each thing."""
        if self.information is not None:
            legal = "  ".join(pretty_action(action, self.rules.bids) for action in self.legal)
            return f"{self.information.text.strip()}\nmay do  {legal}"
        return "\n".join(f"{what:<7} {known}" for what, known in self._known())

    def _known(self) -> Iterator[tuple[str, str]]:
        rules, bids = self.rules, self.rules.bids
        yield "hand", "   ".join(suit_lines(self.hand))
        yield "may do", " ".join(pretty_action(action, bids) for action in self.legal)
        if self.trump is not None:
            declarer = "" if self.declarer is None else f", declarer {SEATS[self.declarer]}"
            yield "trump", f"{trump_name(self.trump)}{declarer}"
        if self.bids:
            calls = (f"{SEATS[bid.seat]} {pretty_action(bid.action, bids)}" for bid in self.bids)
            yield "calls", "  ".join(calls)
        for what, cards in (("passed", self.passed), ("received", self.received)):
            if cards:
                yield what, " ".join(map(pretty, cards))
        if self.table:
            seats = (SEATS[self.seat_at(place)] for place in range(len(self.table)))
            table = zip(seats, map(pretty, self.table), strict=True)
            yield "table", "  ".join(f"{seat} {card}" for seat, card in table)
        yield "unseen", "   ".join(suit_lines(self.unseen))
        sides = (f"{side_name(rules, side)} {taken}" for side, taken in enumerate(self.points))
        yield "points", ", ".join(sides)

    @property
    def played(self) -> int:
        """Mask of the cards that have been played."""
        mask = 0
        for trick in self.tricks:
            for card in trick.cards:
                mask |= 1 << card
        for card in self.table:
            mask |= 1 << card
        return mask

    @property
    def unseen(self) -> int:
        """Mask of the cards that are neither in this hand nor played."""
        return self.rules.deck & ~self.hand & ~self.played

    @property
    def position(self) -> Position:
        """What decides which cards may be played now."""
        return Position(self.trump, self.table, len(self.tricks), self.opened)

    @property
    def holder(self) -> int | None:
        """The seat that holds the trick in progress; None if no card is on the table."""
        if not self.table:
            return None
        return self.seat_at(self.rules.trick_winner(self.table, self.trump))

    def takes(self, card: int) -> bool:
        """Whether a card, played now, would hold the trick."""
        table = (*self.table, card)
        return self.rules.trick_winner(table, self.trump) == len(self.table)

    def seat_at(self, place: int) -> int:
        """The seat that plays card number `place` (from 0) of the trick in progress."""
        if self.table_leader is None:
            raise RulesError("no trick is in progress")
        return self.rules.seat_after(self.table_leader, place)


def field_docs(described: type) -> dict[str, str]:
    """The description under each field of a class, from its source."""
    (found,) = ast.parse(inspect.getsource(described)).body
    assert isinstance(found, ast.ClassDef)
    docs: dict[str, str] = {}
    for field, after in pairwise(found.body):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
            is_text = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
            text = ast.literal_eval(ast.unparse(after)) if is_text else ""
            docs[field.target.id] = " ".join(text.split())
    return docs


# --- what a game is ----------------------------------------------------------------------


class Rules(Protocol):
    """A game under one choice of options: a frozen dataclass of them, compared by its options.

    Trick-taking games derive from `arena.games.base.TrickGame`, which has the part of this that is
    the same for all; another kind of game derives from this class, or only has all of it.
    """

    name: ClassVar[str]
    version: ClassVar[int] = 1
    """Version of the rules; raised when the same actions would give other results."""
    options_help: ClassVar[dict[str, str]] = {}
    bids: ClassVar[tuple[str, ...]] = ()
    """Names of the bids that are the game's own, action `OWN_BIDS` first; empty if it is bid
    by the calls that games share, or not at all."""
    usual_bidder: ClassVar[str | None] = None
    """The registered bidder for agents that do not bid themselves."""
    stake: ClassVar[float | None] = None
    """The points that are usually at stake in a round, by which searches scale exploration;
    None if it has not been measured."""
    labels: ClassVar[dict[str, str]] = {}
    """What players of this game call things: the bonus, and the flags of an outcome."""
    flag_owners: ClassVar[dict[str, FlagOwner]] = {}
    """The side that a flag counts for: the declarer's, or the one with most points or tricks."""
    strokes: ClassVar[tuple[int, ...]] = ()
    """What a stroke on the score sheet stands for, the most first; empty where people write
    totals as numbers."""
    measures: ClassVar[dict[str, Callable[[Deal], int]]] = {}
    """Numbers that a deal can be filtered by when a set is made."""
    packages: ClassVar[tuple[str, ...]] = ()
    """Packages that play the game: a run keeps their versions."""
    has_tricks: ClassVar[bool] = True
    """Whether a round is described by hands and tricks. If not, a view says what its seat knows
    in `information`, and the methods about tricks raise `RulesError`."""

    def agrees(self, view: View) -> bool:
        """Whether a possible history in `view.information` leads to the view's decision."""
        raise RulesError(f"{self.name}: views have no history")

    @classmethod
    @abc.abstractmethod
    def from_record(cls, record: dict[str, Any]) -> Self | None:
        """The rules a recorded round was played under; None if it is of another game."""

    @property
    @abc.abstractmethod
    def players(self) -> int:
        """How many seats there are."""

    @property
    @abc.abstractmethod
    def deck(self) -> int:
        """Mask of all cards of the game."""

    @property
    @abc.abstractmethod
    def hand_size(self) -> int:
        """Cards dealt to each seat, and so tricks in a round."""

    @property
    @abc.abstractmethod
    def sides(self) -> tuple[tuple[int, ...], ...]:
        """The seats of each side, which score together."""

    @property
    @abc.abstractmethod
    def higher_wins(self) -> bool:
        """Whether a higher score is better."""

    @property
    @abc.abstractmethod
    def margin_bounds(self) -> tuple[float, float]:
        """The worst and the best margin of a side: own score less the others', in its favour."""

    @abc.abstractmethod
    def worst_margin(self, sides: int) -> float:
        """The worst possible margin of an entrant that plays this number of sides."""

    @property
    @abc.abstractmethod
    def match(self) -> MatchFormat:
        """How long a full match is."""

    def __hash__(self) -> int:
        """Equal rules have equal hashes, so that derived values can be cached."""
        return hash(repr(self))

    @abc.abstractmethod
    def side_of(self, seat: int) -> int:
        """The side that a seat scores for."""

    @abc.abstractmethod
    def seat_after(self, seat: int, steps: int = 1) -> int:
        """The seat that plays `steps` turns after `seat`."""

    @abc.abstractmethod
    def check_deal(self, deal: Deal) -> None:
        """Raise `RulesError` if these rules cannot be played on this deal."""

    @abc.abstractmethod
    def start(self, deal: Deal, standing: Standing = ...) -> Any:
        """The round at its first decision, after the cards that the deal prescribes."""

    @abc.abstractmethod
    def in_match(self, deal: Deal, number: int) -> Deal:
        """The deal as round `number` of a match: the dealer rotates."""

    def playable(self, hand: int, position: Position) -> int:
        """The cards of `hand` (a mask) that may be played in this position."""
        raise self._no_tricks()

    def trick_winner(self, cards: tuple[int, ...], trump: int | None) -> int:
        """The place (0 leads) of the card that takes a trick."""
        raise self._no_tricks()

    def trick_value(self, cards: tuple[int, ...], trump: int | None, last: bool) -> tuple[int, int]:
        """Card points and bonus of a trick; `last` if it is the last of the round."""
        raise self._no_tricks()

    def opens(self, cards: tuple[int, ...]) -> bool:
        """Whether a trick with these cards breaks the suit that may not be led at first."""
        raise self._no_tricks()

    def _no_tricks(self) -> RulesError:
        return RulesError(f"{self.name} is not described by cards and tricks")

    def drawing(self, state: Any) -> str | None:
        """The round with all hands as text, in games without tricks."""
        return None

    @abc.abstractmethod
    def apply(self, state: Any, action: Action) -> None:
        """Perform `action` for the seat to act."""

    @abc.abstractmethod
    def view(self, state: Any, seat: int, *, all_hands: bool = False) -> View:
        """What `seat` may know now."""

    @abc.abstractmethod
    def outcome(self, state: Any) -> Outcome:
        """The result of a round that is over."""

    @abc.abstractmethod
    def facts(self, state: Any) -> dict[str, Any]:
        """The result of a finished round, as records store it."""

    @abc.abstractmethod
    def random_deal(self, rng: Rng, number: int) -> Deal:
        """A deal for these rules; `number` selects what rotates, such as the dealer."""


def side_name(rules: Rules, side: int) -> str:
    """A side by its seats, such as `NS`."""
    return "".join(SEATS[seat] for seat in rules.sides[side])


class RulesError(ArenaError):
    """Options or a deal that a game cannot be played with."""


class IllegalAction(ArenaError):
    """An action that the rules forbid, with everything needed to see it."""

    def __init__(
        self,
        seat: int,
        action: Action,
        legal: tuple[Action, ...],
        deal: str,
        bids: Sequence[str] = (),
    ) -> None:
        self.seat, self.action, self.legal, self.deal = seat, action, legal, deal
        name = action_name(action, bids)
        allowed = " ".join(action_name(each, bids) for each in legal)
        super().__init__(f"seat {SEATS[seat]} played {name}, legal: {allowed}; deal {deal}")
