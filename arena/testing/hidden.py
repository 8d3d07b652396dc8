"""Hidden cards: exchanging them behind a player's back, and finding them where they must not be."""

from __future__ import annotations

import gc
import types
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from arena.core.cards import SEATS, cards_of, mask_of
from arena.core.deals import Deal
from arena.core.errors import ArenaError
from arena.core.rules import Action, Rules, Standing, View
from arena.core.seeds import Rng


@dataclass(frozen=True)
class Decision:
    """A view of a seat, and its action."""

    seat: int
    seed: int
    view: View
    action: Action

    def __str__(self) -> str:
        return f"seat {SEATS[self.seat]}, phase {self.view.phase}"


def permuted_deal(view: View, deal: Deal, rng: Rng) -> tuple[dict[int, int], Deal] | None:
    """The deal with the cards that the viewer cannot place exchanged among themselves.

    None if there are fewer than two of them.
    """
    known = mask_of([*view.dealt_hand, *view.received])
    for _, mask in view.shown:
        known |= mask
    hidden = cards_of(view.unseen & ~known)
    if len(hidden) < 2:
        return None
    shuffled = list(hidden)
    if rng.below(2):
        rng.shuffle(shuffled)
    else:  # late in a round a single exchange is more likely to agree with the past
        i = rng.below(len(hidden))
        j = (i + 1 + rng.below(len(hidden) - 1)) % len(hidden)
        shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
    swap = dict(zip(hidden, shuffled, strict=True))
    hands = tuple(tuple(swap.get(card, card) for card in hand) for hand in deal.hands)
    return swap, replace(deal, hands=hands)


def same_view_actions(
    rules: Rules,
    deal: Deal,
    standing: Standing,
    decisions: Sequence[Decision],
    swap: dict[int, int],
) -> list[Action] | None:
    """What all seats do in the permuted deal so that the last viewer sees the same as before.

    None if the rules do not allow it there, or if they see something else.
    """
    last = decisions[-1]
    try:
        rules.check_deal(deal)
        state = rules.start(deal, standing)
        actions = []
        for decision in decisions:
            if state.turn != decision.seat:
                return None
            if decision.seat == last.seat and rules.view(state, last.seat) != decision.view:
                return None
            own = decision.seat == last.seat
            action = decision.action if own else swap.get(decision.action, decision.action)
            actions.append(action)
            if decision is not last:
                rules.apply(state, action)
    except ArenaError:
        return None
    return actions


def hidden_thing(root: Any, rules: Rules, deal: Deal, state: Any, seat: int) -> str | None:
    """What of the others' cards can be reached from `root`, going from object to object."""
    forbidden: dict[int, str] = {id(state): "the state of the round", id(deal): "the deal"}
    forbidden[id(deal.hands or deal.chance)] = forbidden[id(state.hands)] = "all cards"
    for other in range(rules.players):
        if other != seat and deal.hands:
            what = f"the hand of seat {SEATS[other]}"
            forbidden[id(deal.hands[other])] = what
            if state.hands[other] > 256:  # smaller numbers are shared by everything
                forbidden[id(state.hands[other])] = what
    # The agent's own view is no leak: what the others hold is not in it.
    for thing in _reachable(root):
        if id(thing) in forbidden:
            return forbidden[id(thing)]
    return None


def _reachable(root: Any) -> Iterator[Any]:
    """All objects that can be reached from `root`, code and modules left out."""
    seen = {id(root)}
    waiting = [root]
    while waiting:
        thing = waiting.pop()
        yield thing
        for inner in _referents(thing):
            if id(inner) not in seen and not isinstance(inner, type | types.ModuleType):
                seen.add(id(inner))
                waiting.append(inner)


def _referents(thing: Any) -> Iterable[Any]:
    if isinstance(thing, types.FunctionType):
        return [*(thing.__closure__ or ()), *(thing.__defaults__ or ()), thing.__kwdefaults__]
    if isinstance(thing, types.CodeType | types.BuiltinFunctionType):
        return ()
    return gc.get_referents(thing)
