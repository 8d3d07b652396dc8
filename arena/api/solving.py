"""`arena.solve` and `arena.solve_trumps`: what cards and deals are worth with all cards open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from arena.api.rounds import rules_of
from arena.core.cards import (
    SEATS,
    TRUMPS,
    card_name,
    parse_cards,
    parse_seat,
    parse_trump,
    trump_name,
)
from arena.core.deals import Deal
from arena.core.errors import ArenaError
from arena.core.rules import Action, Rules, RulesError, Standing, action_name
from arena.core.tables import text_table
from arena.games.score_form import is_solvable, trumps_of
from arena.solver.solution import Bounds, Solution, Solver
from arena.verify.records import RecordedPosition, read_record


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
    rules, deal, actions, standing = _given(position, game)
    if trump is not None or declarer is not None:
        rules, deal = with_trump(rules, deal, trump, declarer)
    state = play_cards(rules, deal, actions, after, standing)
    return Solver().solve(rules, state, nodes=nodes, seconds=seconds)


@dataclass(frozen=True, repr=False)
class TrumpTable:
    """The value of a deal by trump and declarer, as bridge has it; prints as a table."""

    deal: Deal
    values: Mapping[tuple[int, int], Bounds]
    """By trump and declarer: the margin of the declarer's side. A declarer that the rules of the
    game do not allow with this leader is left out."""

    def __repr__(self) -> str:
        trumps, declarers = (sorted({key[place] for key in self.values}) for place in (0, 1))
        rows = [
            (trump_name(trump), *(str(self.values[trump, seat]) for seat in declarers))
            for trump in trumps
        ]
        return text_table(("trump", *(SEATS[seat] for seat in declarers)), rows)

    def to_json(self) -> dict[str, Any]:
        """As plain data: a row for each trump and declarer."""
        rows = [
            {"trump": TRUMPS[trump], "declarer": SEATS[seat], "low": value.low, "high": value.high}
            for (trump, seat), value in self.values.items()
        ]
        return {"deal": self.deal.id, "values": rows}


def solve_trumps(
    position: Deal | Mapping[str, Any] | str,
    *,
    game: str | Mapping[str, Any] | Rules | None = None,
    trump: str = "all",
    declarer: str = "all",
    nodes: int | None = None,
    seconds: float | None = None,
) -> TrumpTable:
    """The value of a deal with every trump and declarer, or with those that are named.

    `position` is a deal or a record as for `solve`, before its first card; `nodes` and `seconds`
    are limits for each of the values.
    """
    rules, deal, actions, _ = _given(position, game)
    if actions:
        raise ArenaError("a table by trump is one of a whole deal; the record has plays")
    solver, values = Solver(), {}
    for fixed_rules, fixed in contracts(rules, deal, trump, declarer):
        state = fixed_rules.start(fixed)
        found = solver.solve(fixed_rules, state, nodes=nodes, seconds=seconds).value
        ours = rules.side_of(state.turn) == rules.side_of(fixed.declarer)
        values[fixed.trump, fixed.declarer] = found if ours else -found
    return TrumpTable(deal, values)


def contracts(
    rules: Rules, deal: Deal, trump: str | None, declarer: str | None
) -> Iterator[tuple[Rules, Any]]:
    """The deal as it is, or with a trump and a declarer in its place; `all` stands for each."""
    if trump is None and declarer is None:
        yield rules, deal
        return
    if "all" in (trump, declarer) and not is_solvable(rules):
        raise ArenaError(f"{rules.name} cannot be solved with every trump: no open-card score")
    trumps = [TRUMPS[each] for each in trumps_of(rules)] if trump == "all" else [trump]
    for one in trumps:
        for seat in SEATS if declarer == "all" else [declarer]:
            fixed = with_trump(rules, deal, one, seat)
            try:
                fixed[0].check_deal(fixed[1])
            except RulesError:
                if declarer != "all":
                    raise
                continue  # in Schieber the forehand or their partner declares
            yield fixed


def _given(
    position: Deal | Mapping[str, Any] | str, game: str | Mapping[str, Any] | Rules | None
) -> RecordedPosition:
    rules = None if game is None else rules_of(game)
    if not isinstance(position, Deal):
        return read_position(position, rules)
    if rules is None:
        raise ArenaError("which game? say game=NAME")
    return RecordedPosition(rules, position)


def read_position(
    position: Mapping[str, Any] | str, rules: Rules | None = None
) -> RecordedPosition:
    """The actions of a record so far; none if the round is over."""
    found = read_record(position, rules)
    state = found.rules.start(found.deal, found.standing)
    for action in found.actions:
        if action not in state.legal:
            break  # the position is impossible: whoever plays the actions says where
        found.rules.apply(state, action)
    return found._replace(actions=()) if state.turn is None else found


def play_cards(
    rules: Rules,
    deal: Deal,
    actions: Sequence[Action],
    cards: str,
    standing: Standing = Standing(),
) -> Any:
    """The round after some actions and cards; what is not legal is an error that says what is."""
    if not rules.has_tricks:
        raise ArenaError(f"{rules.name} is not described by cards and tricks, so it is not solved")
    rules.check_deal(deal)
    state = rules.start(deal, standing)
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
        raise ArenaError(f"{deal.named}: no card is to be played ({state.phase!r}); {missing}")
    return state


def with_trump(
    rules: Any, deal: Deal, trump: str | None = None, declarer: str | None = None
) -> tuple[Rules, Deal]:
    """A deal with a trump and a declarer, those of the deal if None, and rules without bidding."""
    leader = rules.start(deal).leader
    chosen = deal.trump if trump is None else parse_trump(trump)
    if chosen is None or not hasattr(rules, "bidding"):
        raise ArenaError(f"{deal.named}: the trump is not fixed; name the trump")
    who = deal.declarer if declarer is None else parse_seat(declarer)
    fixed = replace(deal, trump=chosen, leader=leader, declarer=leader if who is None else who)
    return replace(rules, bidding="given"), fixed
