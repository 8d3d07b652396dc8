"""A deal and a round as people read them: hand diagrams and trick by trick.

Everything here is plain text; `colour=True` marks the red suits for terminals.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from arena.core.cards import SEATS, cards_of, mask_of, pretty, suit_lines, trump_name
from arena.core.deals import OPTIONAL_FIELDS, Deal
from arena.core.rules import Outcome, Rules, pretty_action, side_name

_RED = ("\x1b[31m", "\x1b[0m")


# --- hand diagrams -----------------------------------------------------------------------


def diagram(hands: Sequence[int], notes: Iterable[str] = (), colour: bool = False) -> str:
    """All hands as in a newspaper's bridge column, with `notes` in the top left corner."""
    blocks = [[SEATS[seat], *suit_lines(hand)] for seat, hand in enumerate(hands)]
    if len(blocks) == 2:
        lines = [*notes, *_side_by_side(blocks[0], blocks[1], 24)]
    else:
        north, east, south, west = (*blocks, [""] * len(blocks[0]))[:4]  # three have no west
        head = [*notes]
        indent = max([18, *map(len, head)]) + 2
        head += [""] * (len(north) - len(head))
        lines = [f"{left:{indent}}{right}" for left, right in zip(head, north, strict=False)]
        lines += _side_by_side(west, east, 2 * indent)
        lines += [" " * indent + line for line in south]
    return _paint("\n".join(line.rstrip() for line in lines), colour)


def position_diagram(state: Any, colour: bool = False) -> str:
    """The hands of a round as they are now, with the notes of its deal and the trick so far."""
    notes = deal_notes(state.deal)
    if state.table:
        notes.append("on the table: " + " ".join(map(pretty, state.table)))
    return diagram(state.hands, notes, colour)


def deal_text(rules: Rules, deal: Deal, notes: Sequence[str], colour: bool = False) -> str:
    """A deal with `notes`, as the game draws it."""
    if rules.has_tricks:
        return diagram([mask_of(hand) for hand in deal.hands], notes, colour)
    return "\n".join([*notes, *drawing_lines(rules, rules.start(deal))])


def _side_by_side(left: list[str], right: list[str], width: int) -> list[str]:
    return [f"{a:{width}}{b}" for a, b in zip(left, right, strict=True)]


def deal_notes(deal: Deal) -> list[str]:
    """The id of a deal and its optional fields (trump, leader, ...), a line each."""
    notes = [deal.id]
    for each in OPTIONAL_FIELDS:
        values = each.values(deal)
        if values and each.name not in ("played", "chance"):
            shown = " ".join(each.notation.show(value) for value in values)
            notes.append(f"{each.name.replace('_', '-')} {shown}")
    return notes


# --- rounds ------------------------------------------------------------------------------


def transcript(rules: Rules, deal: Deal, actions: Sequence[int], colour: bool = False) -> str:
    """A whole round: the deal, the calls, every trick, and how it ended."""
    state = rules.start(deal)
    lines = [deal_text(rules, deal, deal_notes(deal)), ""]
    for number, action in enumerate(actions, start=1):
        if not rules.has_tricks:
            did = pretty_action(action, rules.bids)
            lines.append(f"{number:3}  {SEATS[state.turn]} {did}")
        rules.apply(state, action)
    lines += _before_play(rules, state)
    lines += _trick_lines(rules, state)
    lines += drawing_lines(rules, state)
    if state.turn is None:
        lines += ["", *outcome_lines(rules, state, rules.outcome(state))]
    return _paint("\n".join(lines), colour)


def drawing_lines(rules: Rules, state: Any) -> list[str]:
    """A round as its game draws it, in games without tricks."""
    drawn = rules.drawing(state)
    return [] if drawn is None else ["", *(line.rstrip() for line in drawn.splitlines())]


def _before_play(rules: Rules, state: Any) -> Iterator[str]:
    if state.bids:
        calls = "  ".join(
            f"{SEATS[bid.seat]} {pretty_action(bid.action, rules.bids)}" for bid in state.bids
        )
        yield f"calls: {calls}"
    for seat, cards in enumerate(state.passed):
        if cards:
            yield f"{SEATS[seat]} passed {' '.join(pretty(card) for card in cards)}"
    for seat, mask in state.shown:
        yield f"{SEATS[seat]} showed {' '.join(pretty(card) for card in cards_of(mask))}"
    if state.trump is not None and state.declarer is not None:
        forced = " (forced)" if state.forced else ""
        yield f"{SEATS[state.declarer]} plays {trump_name(state.trump)}{forced}"


def _trick_lines(rules: Rules, state: Any) -> Iterator[str]:
    for number, trick in enumerate(state.tricks, start=1):
        cards = _in_order(rules, trick.leader, trick.cards)
        bonus = f" +{trick.bonus}" if trick.bonus else ""
        worth = f"{trick.points}{bonus}"
        yield f"{number:2}  {cards}   {SEATS[trick.winner]} takes {worth}"
    if state.table:
        cards = _in_order(rules, state.table_leader, state.table)
        yield f"{len(state.tricks) + 1:2}  {cards}"


def _in_order(rules: Rules, leader: int, cards: Sequence[int]) -> str:
    shown = (
        f"{SEATS[rules.seat_after(leader, place)]} {pretty(card):<3}"
        for place, card in enumerate(cards)
    )
    return "  ".join(shown)


def outcome_lines(rules: Rules, state: Any, outcome: Outcome) -> list[str]:
    """The result of a round: a table with a row a side, and what happened."""
    names = [side_name(rules, side) for side in range(len(rules.sides))]
    if not rules.has_tricks:
        scores = zip(names, outcome.scores, strict=True)
        return ["side  score", *(f"{name:<4}  {score:5}" for name, score in scores)]
    lines = ["side  tricks  points  bonus  score"]
    rows = zip(names, outcome.tricks, outcome.points, outcome.bonus, outcome.scores, strict=True)
    lines += [f"{n:<4}  {t:6}  {p:6}  {b:5}  {s:5}" for n, t, p, b, s in rows]
    lines += [", ".join(outcome.flags)] if outcome.flags else []
    return lines


def _paint(text: str, colour: bool) -> str:
    if not colour:
        return text
    start, end = _RED
    for symbol in "♥♦":
        text = text.replace(symbol, f"{start}{symbol}{end}")
    return text
