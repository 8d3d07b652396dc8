"""`arena.solve`: what every legal card of a position is worth with all cards open."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from arena.api.rounds import rules_of
from arena.core.cards import SEATS, card_name, parse_cards, parse_seat, parse_trump
from arena.core.deals import Deal, deal_from_record
from arena.core.errors import ArenaError
from arena.core.rules import Action, Rules, action_name, parse_action
from arena.solver.solution import Solution, Solver
from arena.verify.records import rules_of_record


def solve(
    position: Deal | Mapping[str, Any] | str,
    *,
    game: str | Mapping[str, Any] | Rules | None = None,
    after: str = "",
    trump: str | None = None,
    declarer: str | None = None,
    nodes: int | None = None,
    seconds: float | None = None,
) -> Solution:
    """The value of every legal card; prints as a table.

        arena.solve(deal, game="klaverjas", after="SA S7 S8 ST")

    `position` is a deal, or a record with `hands` (a mapping, or JSON text): a deal as sets and
    runs have it, or a recorded round, of which the `plays` are made first unless it is over. A
    record may name its game. `after` are more cards in the order in which they fall; `trump` and
    `declarer` replace those of the deal. With `nodes` the search stops after so many positions,
    with `seconds` after about so long; cards that are not solved by then have bounds.
    """
    rules = None if game is None else rules_of(game)
    deal, actions = position, tuple[Action, ...]()
    if not isinstance(deal, Deal):
        rules, deal, actions = read_position(deal, rules)
    if rules is None:
        raise ArenaError("which game? say game=NAME")
    if trump is not None or declarer is not None:
        rules, deal = with_trump(rules, deal, trump, declarer)
    state = play_cards(rules, deal, actions, after)
    return Solver().solve(rules, state, nodes=nodes, seconds=seconds)


def read_position(
    position: Mapping[str, Any] | str, rules: Rules | None = None
) -> tuple[Rules, Deal, tuple[Action, ...]]:
    """The rules, the deal and what was done so far in a record; none of it if the round is over."""
    if isinstance(position, str):
        try:
            position = json.loads(position)
        except (ValueError, RecursionError) as error:
            raise ArenaError(f"the position is not JSON: {error}") from error
    if not isinstance(position, Mapping):
        raise ArenaError("the position: expected an object with 'hands'")
    record = dict(position)
    rules = rules_of_record(record) if rules is None else rules
    deal = deal_from_record(record)
    rules.check_deal(deal)
    try:
        actions = [parse_action(call["action"], rules.bids) for call in record.get("bids") or ()]
        words = [each["card"] for each in record.get("plays") or ()]
    except (TypeError, KeyError) as error:
        raise ArenaError("'bids' and 'plays': expected objects with 'action', 'card'") from error
    actions += parse_cards(" ".join(words))
    over = len(words) == rules.players * rules.hand_size
    return rules, deal, () if over else tuple(actions)


def play_cards(rules: Rules, deal: Deal, actions: Sequence[Action], cards: str) -> Any:
    """The round after some actions and cards; what is not legal is an error that says what is."""
    rules.check_deal(deal)
    state = rules.start(deal)
    for action in (*actions, *parse_cards(cards)):
        if state.turn is None:
            raise ArenaError(f"the round is over before {card_name(action)}")
        if action not in state.legal:
            legal = " ".join(action_name(each, rules.bids) for each in state.legal)
            said = action_name(action, rules.bids)
            raise ArenaError(f"{SEATS[state.turn]} cannot play {said}; legal: {legal}")
        rules.apply(state, action)
    if state.turn is None:
        raise ArenaError("the round is over, nothing is left to solve")
    if state.phase != "play":
        missing = "name the trump" if state.phase == "bid" else "the position must have its plays"
        raise ArenaError(f"deal {deal.id}: no card is to be played ({state.phase!r}); {missing}")
    return state


def with_trump(
    rules: Any, deal: Deal, trump: str | None = None, declarer: str | None = None
) -> tuple[Rules, Deal]:
    """A deal with a trump and a declarer, those of the deal if None, and rules without bidding."""
    leader = rules.start(deal).leader
    chosen = deal.trump if trump is None else parse_trump(trump)
    if chosen is None or not hasattr(rules, "bidding"):
        raise ArenaError(f"deal {deal.id}: the trump is not fixed; name the trump")
    who = deal.declarer if declarer is None else parse_seat(declarer)
    fixed = replace(deal, trump=chosen, leader=leader, declarer=leader if who is None else who)
    return replace(rules, bidding="given"), fixed
