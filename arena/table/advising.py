"""A round at a real table, typed in as it goes: what one seat sees, and an agent's advice for it.

The rule book plays along in a round in which the other hands are made up. They are drawn from all
that agree with what was seen, and drawn again when a card falls that a hand lacks; what the seat
sees does not depend on them. What no card says (a suit turned up, cards received, who leads, Weis
shown) is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import Any, Literal

from arena.analysis.decisions import Considered, consider
from arena.core.agent import Player, Setup
from arena.core.cards import (
    CARD_NAMES,
    SEATS,
    cards_of,
    mask_of,
    parse_card,
    parse_cards,
    parse_seat,
    parse_trump,
    pretty,
)
from arena.core.deals import OPTIONAL_FIELDS, Deal
from arena.core.errors import ArenaError
from arena.core.rules import Action, Outcome, Rules, RulesError, Standing, View
from arena.core.seeds import rng_for
from arena.games.base import TrickGame
from arena.games.infoset import InfoSet, impossible_after, located, plays_of, round_of
from arena.games.world_sampler import WorldSampler
from arena.table.terminal import card_word, read_action

Question = Literal["turned up", "received", "leads", "shown"]
_TRIES = 2000
"""Hands that are drawn until some agree with all that was typed."""
_LOOKED_AT = 64
"""Worlds in which it is looked up whether cards may be shown."""


def facts_needed(rules: Rules) -> tuple[str, ...]:
    """The fields of a deal, besides cards and turned suits, that a round of this game needs."""
    deal = rules.random_deal(rng_for(0, "advise"), 0)
    found = (field for field in OPTIONAL_FIELDS if field.values(deal) and not field.several)
    return tuple(field.name for field in found)


def check_hand(rules: Rules, hand: tuple[int, ...]) -> None:
    """Raise an ArenaError if these cards are no whole hand."""
    mask = mask_of(hand)
    if len(hand) != rules.hand_size or mask.bit_count() != len(hand):
        raise ArenaError(f"a hand of {rules.name} has {rules.hand_size} different cards")
    if foreign := mask & ~rules.deck:
        raise ArenaError(f"{pretty(cards_of(foreign)[0])} is no card of {rules.name}")


class AdvisedRound:
    """One round, as far as it has been typed."""

    def __init__(
        self,
        rules: TrickGame,
        seat: int,
        hand: tuple[int, ...],
        facts: Mapping[str, int],
        *,
        standing: Standing = Standing(),
        seed: int = 0,
    ) -> None:
        """`facts` has the fields of `facts_needed`."""
        check_hand(rules, hand)
        self.rules, self.seat, self.standing = rules, seat, standing
        self._hand, self._seed = hand, seed
        self._facts: dict[str, Any] = dict(facts)  # fields of a deal
        self._begin([])

    def _begin(self, lines: list[str]) -> None:
        """Start, and enter these lines."""
        self._lines: list[str] = []
        self._rng = rng_for(self._seed, "advise")
        self._turn_ups: tuple[int, ...] = ()
        self._has_received = self._has_shown = False
        self._is_leader_known = bool({"leader", "dealer"} & set(self._facts))
        self._state = self._start([])
        self._go_on()
        for line in lines:
            self.enter(line)

    # --- what is known -------------------------------------------------------------------

    @property
    def view(self) -> View:
        """What the seat knows now."""
        return self.rules.view(self._state, self.seat)

    @property
    def turn(self) -> int | None:
        """The seat that is to act; None if the round is over."""
        turn: int | None = self._state.turn
        return turn

    @property
    def phase(self) -> str:
        """What the seat to act does."""
        return str(self._state.phase)

    @property
    def is_own_turn(self) -> bool:
        """Whether the seat itself is to act."""
        return self.question is None and self.turn == self.seat

    @property
    def finished(self) -> tuple[Any, Outcome]:
        """The round, once it is over, and its result."""
        return self._state, self.rules.outcome(self._state)

    def advice(self, player: Player) -> Considered:
        """What an agent would do in the seat, and why."""
        seated = player.take_seat(Setup(self.rules, self.seat))
        key = (self._seed, "advice", len(self._lines))
        return consider(seated, self.view, lambda: rng_for(*key))

    # --- what is typed -------------------------------------------------------------------

    def enter(self, line: str) -> None:
        """Take in the next line: a bid, a card, or the answer to `question`."""
        answers = {
            "turned up": self._turned_up,
            "received": self._receive,
            "leads": self._lead,
            "shown": self._show,
        }
        if self.turn is None:
            raise ArenaError("the round is over")
        (self._act if self.question is None else answers[self.question])(line.strip())
        self._lines.append(line)
        self._go_on()

    def undo(self) -> None:
        """Take the last line back."""
        if not self._lines:
            raise ArenaError("there is nothing to take back yet")
        self._begin(self._lines[:-1])

    def _act(self, text: str) -> None:
        turn = self._state.turn
        if turn != self.seat and self.phase == "play":
            self._see(turn, parse_card(card_word(text)))
            return
        view = self.rules.view(self._state, turn)
        card = CARD_NAMES.index(card_word(text)) if card_word(text) in CARD_NAMES else None
        if card is not None and not view.hand >> card & 1:
            raise ArenaError(f"{pretty(card)} is not in your hand")
        self.rules.apply(self._state, read_action(text, view))

    def _see(self, turn: int, card: int) -> None:
        """Another seat plays a card."""
        if (reason := self._why_not(turn, card)) is not None:
            raise ArenaError(reason)
        trial = replace(self._state, hands=_with_card(self._state.hands, turn, card))
        self.rules.play_card(trial, turn, card)
        view = self.rules.view(trial, self.seat)._replace(shown=self._state.shown)
        self._state = self._world(
            view, lambda world: world.shown == view.shown or not self._has_shown
        )

    def _why_not(self, turn: int, card: int) -> str | None:
        """Why a seat cannot play a card now, as far as the own seat can know."""
        view, name = self.view, pretty(card)
        if not self.rules.deck >> card & 1:
            return f"{name} is no card of {self.rules.name}"
        if view.hand >> card & 1:
            return f"{name} is in your own hand"
        for number, play in enumerate(plays_of(view)):
            trick = f"in trick {number // self.rules.players + 1}"
            if play.card == card:
                return f"{SEATS[play.seat]} played {name} {trick}"
            if play.seat == turn and impossible_after(
                self.rules, play.position, play.card, 1 << card
            ):
                return (
                    f"{SEATS[turn]} cannot have {name}: with it, {pretty(play.card)} "
                    f"{trick} was not allowed"
                )
        for holder, cards in located(view):
            if cards >> card & 1 and holder != turn:
                return f"{SEATS[holder]} has {name}"
        if not self.rules.playable(1 << card, view.position):
            return f"{name} cannot be played now"
        return None

    # --- answers -------------------------------------------------------------------------

    def _turned_up(self, text: str) -> None:
        before, self._turn_ups = self._turn_ups, (*self._turn_ups, parse_trump(text))
        try:
            self._state = self._start([bid.action for bid in self._state.bids])
        except ArenaError:
            self._turn_ups = before
            raise

    def _receive(self, text: str) -> None:
        view, cards = self.view, parse_cards(text)
        mask, made_up = mask_of(cards), mask_of(view.received)
        expected = len(view.received)
        if mask.bit_count() != expected or len(cards) != expected:
            raise ArenaError(f"expected {expected} different cards, such as H7 ST")
        if foreign := mask & ~self.rules.deck | mask & mask_of(self._hand):
            raise ArenaError(f"{pretty(cards_of(foreign)[0])} cannot be passed to you")
        hand = view.hand & ~made_up | mask
        self._state = self._world(view._replace(hand=hand, received=cards, legal=()))
        self._has_received = True

    def _lead(self, text: str) -> None:
        seat = parse_seat(text)
        view = self.view._replace(leader=seat, table_leader=seat, legal=())
        self._state = self._world(view, lambda world: world.leader == seat)
        self._is_leader_known = True

    def _show(self, text: str) -> None:
        """Cards that the others have shown, such as `N H6 H7 H8`; nothing if there were none."""
        shown: dict[int, int] = {}
        seat: int | None = None
        for word in text.split():
            if len(word) == 1:
                seat = parse_seat(word)
            elif seat is None or seat == self.seat:
                raise ArenaError(f"{word!r}: expected another seat first, such as N H6 H7 H8")
            else:
                shown[seat] = shown.get(seat, 0) | 1 << parse_card(card_word(word))
        view = self._unshown()._replace(shown=tuple(shown.items()))

        def agrees(world: Any) -> bool:
            return {s: cards for s, cards in world.shown if s != self.seat} == shown

        self._state = self._world(view, agrees)
        self._has_shown = True

    # --- the made-up hands ---------------------------------------------------------------

    def _start(self, bids: list[Action]) -> Any:
        """A round with the own hand, the facts and the bids, and any other hands."""
        rules, others = self.rules, cards_of(self.rules.deck & ~mask_of(self._hand))
        problem: ArenaError = RulesError("that suit cannot be turned up now")
        for _ in range(_TRIES):
            turn_ups = rules.random_deal(self._rng, 0).turn_ups
            if turn_ups[: len(self._turn_ups)] != self._turn_ups:
                continue
            self._rng.shuffle(others)
            cards = iter(others)
            hands = tuple(
                self._hand if seat == self.seat else tuple(islice(cards, rules.hand_size))
                for seat in range(rules.players)
            )
            deal = replace(Deal("", hands, turn_ups=turn_ups), **self._facts)
            try:
                rules.check_deal(deal)
            except ArenaError as error:
                problem = error
                continue
            state = rules.start(deal, self.standing)
            for bid in bids:
                rules.apply(state, bid)
            return state
        raise problem

    def _worlds(self, view: View, count: int) -> Iterator[Any]:
        """Rounds in which the seat sees this; what was played does not allow all of them."""
        for hands in WorldSampler(InfoSet.of(view)).sample_many(count, self._rng):
            with suppress(ArenaError):
                yield round_of(view, [int(hand) for hand in hands])

    def _world(self, view: View, agrees: Callable[[Any], bool] = lambda world: True) -> Any:
        for world in self._worlds(view, _TRIES):
            if agrees(world):
                return world
        raise ArenaError("no deal agrees with that and with all that was typed before")

    def _unshown(self) -> View:
        return self.view._replace(shown=())

    def _go_on(self) -> None:
        """Let the others pass cards, which the seat does not see, and find out what to ask for."""
        state = self._state
        while state.phase == "pass" and state.turn != self.seat:
            self.rules.apply(state, state.legal[0])
        self.question = self._question()

    def _question(self) -> Question | None:
        state = self._state
        if len(state.turn_ups) > len(self._turn_ups):
            return "turned up"
        if state.received[self.seat] and not self._has_received:
            return "received"
        if state.phase == "play" and state.leader != self.seat and not self._is_leader_known:
            return "leads"
        if len(state.tricks) == 1 and not self._has_shown:
            worlds = list(self._worlds(self._unshown(), _LOOKED_AT))
            if any(world.shown for world in worlds):
                return "shown"
            self._has_shown = True
        return None


def _with_card(hands: list[int], seat: int, card: int) -> list[int]:
    """The same hands, but this seat holds the card: it gives another one for it."""
    if hands[seat] >> card & 1:
        return list(hands)
    given, wanted = hands[seat] & -hands[seat], 1 << card
    changed = [hand & ~wanted | given if hand & wanted else hand for hand in hands]
    changed[seat] = changed[seat] & ~given | wanted
    return changed
