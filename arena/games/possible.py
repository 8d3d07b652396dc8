"""Whether a view that comes from elsewhere can be one: the cards, the turns and what is legal.

Compiled code trusts a view. One that a client has made up is looked at first: every card is in one
place only, tricks follow from one another, the turn is right and the legal actions are those of the
rules. Whether the other seats could play what they did is not looked at, nor who took a trick.
"""

from __future__ import annotations

from arena.core.cards import SEATS, cards_of, mask_of
from arena.core.errors import ArenaError
from arena.core.rules import View

_MOST_POINTS = 10_000
"""Of a side in a round, without bonus or as bonus."""
_MOST = 1_000_000
"""Points of a match, and its rounds."""


class ImpossibleView(ArenaError):
    """A view that no round can have led to."""


def check_next_view(last: View | None, view: View) -> None:
    """Raise `ImpossibleView` if no round can have led to this view, `last` having come before."""
    if last is not None:
        same_deal = (last.seat, last.dealt_hand) == (view.seat, view.dealt_hand)
        goes_on = view.tricks[: len(last.tricks)] == last.tricks
        if not (same_deal and goes_on and view.bids[: len(last.bids)] == last.bids):
            raise ImpossibleView("a view of another deal, which has not been started")
    check_view(view)


def check_view(view: View) -> None:
    """Raise `ImpossibleView` if no round can have led to this view."""
    try:
        wrong = _wrong(view)
    except (ArenaError, AssertionError, LookupError, TypeError, ValueError) as error:
        # Rules are asked about positions that they never make.
        wrong = f"the rules do not know such a position ({error})"
    if wrong:
        raise ImpossibleView(f"a view that cannot be: {wrong}")


def _wrong(view: View) -> str:
    rules = view.rules
    if view.seat >= rules.players:
        return f"seat {SEATS[view.seat]} is not at the table"
    made = (*view.points, *view.bonus)
    match = (*view.standing.scores, view.standing.round_number)
    fits = all(0 <= each <= _MOST_POINTS for each in made) and max(map(abs, match)) <= _MOST
    if not fits or not 0 <= view.passing < rules.players:
        return "numbers that are too small or too large"
    sides = len(rules.sides)
    if not len(view.points) == len(view.bonus) == len(view.standing.scores) == sides:
        return f"expected points, bonus and scores of {sides} sides"
    if not view.legal or len(set(view.legal)) < len(view.legal):
        return "expected legal actions, each once"
    if not rules.has_tricks:
        fits = view.information is not None and (not view.information.history or rules.agrees(view))
        return "" if fits else "what the seat knows is of another position"
    dealt = mask_of(view.dealt_hand)
    is_whole = len(view.dealt_hand) == rules.hand_size == dealt.bit_count()
    if not is_whole or dealt & ~rules.deck:
        return f"expected {rules.hand_size} cards of the deck in the hand that was dealt"
    if view.phase == "play":
        return _wrong_play(view, dealt)
    if view.all_hands is not None and not _are_hands(view, view.all_hands, 0):
        return "hands of all that do not fit"
    if view.tricks or view.table:
        return f"cards were played before the phase {view.phase!r} was over"
    if view.hand not in (dealt, dealt & ~mask_of(view.passed)):
        return "other cards in the hand than were dealt"
    if view.phase == "pass" and mask_of(view.legal) & ~view.hand:
        return "cards are legal that are not in the hand"
    return ""


def _wrong_play(view: View, dealt: int) -> str:
    rules, seat = view.rules, view.seat
    held = dealt & ~mask_of(view.passed) | mask_of(view.received)
    if held.bit_count() != rules.hand_size:
        return "cards were passed on that were not held"
    played, own = 0, 0
    turn = view.leader
    tricks = [(trick.leader, trick.cards, trick.winner) for trick in view.tricks]
    for leader, cards, winner in (*tricks, (view.table_leader, view.table, None)):
        if leader is None or leader != turn or max(leader, winner or 0) >= rules.players:
            return "a trick that another seat leads"
        if winner is not None and len(cards) != rules.players:
            return f"a trick of {len(cards)} cards"
        for place, card in enumerate(cards):
            if played >> card & 1 or not rules.deck >> card & 1:
                return "a card that is played twice, or not in the deck"
            played |= 1 << card
            if rules.seat_after(leader, place) == seat:
                own |= 1 << card
        turn = winner
    assert view.table_leader is not None
    if len(view.table) >= rules.players or view.seat_at(len(view.table)) != seat:
        return "it is another seat's turn"
    if own & ~held or view.hand != held & ~own or played & view.hand:
        return "other cards in the hand than are left of it"
    if view.hand.bit_count() != rules.hand_size - len(view.tricks):
        return "too many or too few cards in the hand"
    if view.all_hands is not None and not _are_hands(view, view.all_hands, played):
        return "hands of all that do not fit"
    if view.legal != tuple(cards_of(rules.playable(view.hand, view.position))):
        return "other actions are legal than by the rules"
    return ""


def _are_hands(view: View, hands: tuple[int, ...], played: int) -> bool:
    left = view.rules.deck & ~played
    together = 0
    for hand in hands:
        if hand & ~left or hand & together:
            return False
        together |= hand
    return len(hands) == view.rules.players and hands[view.seat] == view.hand
