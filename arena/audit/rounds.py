"""A round with the points that each decision lost.

Between two sides, exactly, in every round: margin of a side = value of the deal - what its cards
lost in hindsight + what the other side's lost. With more sides (Hearts) what one loses is not
what another wins; hindsight is then that of max-n for the last tricks, and before them there is
only an estimate with open cards, which is not called hindsight.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from itertools import chain
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal

from pydantic import TypeAdapter, ValidationError

from arena.audit.knowable import Knowable, knowable
from arena.config.strict import first_mistake
from arena.core.cards import CARD_NAMES, SEATS, suit_of
from arena.core.deals import Deal
from arena.core.errors import ArenaError
from arena.core.rules import Rules, Standing, View
from arena.core.seeds import rng_for
from arena.games.score_form import is_solvable

if TYPE_CHECKING:  # compiled code, which reports do without
    from arena.games.likely_worlds import DrawsWorlds
    from arena.solver.solution import Solution, Solver

FORMAT = 3
"""Raised when the same round would be audited to other numbers."""

Kind = Literal["lead", "follow", "ruff", "discard"]
Pattern = Literal["equals", "bonus", "partner"]
PATTERNS: dict[Pattern, str] = {
    "equals": "equals played badly",
    "bonus": "bonus given away",
    "partner": "partner's trick trumped",
}
"""Ways to lose points that have a name; counted among mistakes only."""


@dataclass(frozen=True)
class Grade:
    """How bad a card is, by the points it lost as far as could be known."""

    name: str
    mark: str
    share: float
    """From this share of the points that are usually at stake in a round."""


GRADES: tuple[Grade, ...] = (
    Grade("blunder", "??", 0.2),
    Grade("mistake", "?", 0.075),
    Grade("inaccuracy", "?!", 0.025),
)


BEYOND_CHANCE = 3.0
"""Standard errors from which on a loss counts as one: of six cards that are equally good, fewer
than one in a hundred seems that much worse (tests/audit/test_knowable.py)."""


def grade_of(rules: Rules, loss: float) -> Grade | None:
    """The grade of a loss as far as could be known; None if it is too small for any."""
    stake = rules.stake or max(map(abs, rules.margin_bounds))
    return next((grade for grade in GRADES if loss >= grade.share * stake), None)


@dataclass(frozen=True, slots=True)
class AuditedDecision:
    """A card played where there was a choice."""

    at: int
    """The number of the action in the round, from 0."""
    seat: int
    trick: int
    """From 0."""
    kind: Kind
    declaring: bool | None
    """Whether the side declares; None in games without a declarer."""
    card: int
    legal: tuple[int, ...]
    exact: tuple[float, ...]
    """The value of each legal card with the true cards open: the final margin of the side, or with
    more than two sides its score, higher for better. An estimate if `solved` is not set."""
    patterns: tuple[Pattern, ...]
    """Ways of losing points that the card fits, whether it lost any or not."""
    known: Knowable | None
    """None if there were too many cards left for this number of worlds."""
    line: tuple[int, ...] = ()
    """If the card is a mistake: a better one, and how both sides then play with open cards."""
    solved: bool = True
    """Whether `exact` was solved."""

    @property
    def better(self) -> int:
        """The best card as far as could be known; in hindsight, if that was not valued."""
        values = self.exact if self.known is None else self.known.values
        return self.legal[max(range(len(values)), key=values.__getitem__)]

    @property
    def loss(self) -> float:
        """Points lost as far as could be known, where chance does not explain them; else 0."""
        if self.known is None or self.known.loss < BEYOND_CHANCE * self.known.se:
            return 0.0
        return max(0.0, self.known.loss)

    @property
    def hindsight(self) -> int | None:
        """Points lost with the true cards open; None if that was not solved."""
        if not self.solved:
            return None
        return int(max(self.exact) - self.exact[self.legal.index(self.card)])

    @property
    def agrees(self) -> bool:
        """Whether the card is a best one with the true cards open."""
        return self.hindsight == 0


@dataclass(frozen=True)
class AuditedRound:
    """The decisions of a round in which there was a choice, in their order."""

    value: int | None
    """The margin of the first side if neither side loses a point from the first card on; None with
    more than two sides."""
    decisions: tuple[AuditedDecision, ...]

    def margin(self, rules: Rules) -> int | None:
        """The margin of the first side that the value and all losses add up to."""
        if self.value is None:
            return None
        return self.value - self.lost_by(rules, 0) + self.lost_by(rules, 1)

    def lost_by(self, rules: Rules, side: int) -> int:
        """Points that the cards of a side lost with the true cards open, where that is solved."""
        mine = (each for each in self.decisions if rules.side_of(each.seat) == side)
        return sum(each.hindsight or 0 for each in mine)

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Any) -> AuditedRound:
        """The round that `to_json` wrote; `ValueError` if it is none."""
        try:
            found = _round_type().validate_python(data)
        except ValidationError as error:
            raise ValueError(first_mistake(error)) from error
        for each in found.decisions:
            known = each.known
            rows = (each.exact, *(() if known is None else (known.values, known.best)))
            if each.card not in each.legal or {len(row) for row in rows} != {len(each.legal)}:
                raise ValueError(f"decision {each.at}: not a value for each legal card")
            if not all(map(isfinite, chain(*rows, (known.loss, known.se) if known else ()))):
                raise ValueError(f"decision {each.at}: a value that is no number")
            if not 0 <= each.seat < len(SEATS):
                raise ValueError(f"decision {each.at}: no seat")
            if any(not 0 <= card < len(CARD_NAMES) for card in (*each.legal, *each.line)):
                raise ValueError(f"decision {each.at}: no card")
        return found


@cache
def _round_type() -> TypeAdapter[AuditedRound]:
    return TypeAdapter(AuditedRound)


@dataclass(frozen=True)
class AuditSettings:
    """How decisions are valued."""

    worlds: int = 64
    """Worlds for each decision; fewer in the first tricks, see `worlds_at`."""

    def worlds_at(self, rules: Rules, tricks_left: int) -> int:
        """How many worlds: each trick more takes four to ten times as long to solve.

        With more than two sides the first tricks are not solved, so all worlds are valued.
        """
        if len(rules.sides) > 2:
            return self.worlds
        more = tricks_left - _ALL_WORLDS.get(rules.hand_size, min(_ALL_WORLDS.values()))
        count = self.worlds >> max(0, 2 * more - 1)
        return count if count >= _LEAST_WORLDS else 0


_ALL_WORLDS = {8: 7, 9: 6}
"""By tricks of a round: with so many left all worlds are valued; half of them with one trick more,
and a quarter of that for each further one."""
_LEAST_WORLDS = 4
"""With fewer a decision is not valued at all."""
_CARDS_OF_LINE = 8
"""How far a better line of play goes: two tricks."""


def check_auditable(rules: Rules) -> None:
    """Refuse games in which the solver cannot value the cards of a whole round."""
    if len(rules.sides) > 2:
        from arena.games.kernel import contract

        why = contract.complaint(rules)
    else:
        why = None if is_solvable(rules) else "no open-card score"
    if why is not None:
        raise ArenaError(f"{rules.name} cannot be audited with these rules: {why}")


def audit_round(
    rules: Rules,
    deal: Deal,
    standing: Standing,
    actions: Sequence[int],
    solver: Solver,
    worlds: DrawsWorlds,
    settings: AuditSettings,
) -> AuditedRound:
    """Value all decisions of a finished round in which there was a choice."""
    state = rules.start(deal, standing)
    choices: list[tuple[int, Any]] = []
    for at, action in enumerate(actions):
        if state.phase == "play" and len(state.legal) > 1:
            choices.append((at, replace(state, hands=list(state.hands))))
        rules.apply(state, action)
    # Backwards: what is found of the last tricks helps with the tricks before.
    solutions = [solver.solve(rules, before) for _, before in reversed(choices)][::-1]
    decisions = []
    for (at, before), solution in zip(choices, solutions, strict=True):
        view = rules.view(before, before.turn)
        known = None
        count = settings.worlds_at(rules, rules.hand_size - len(before.tricks))
        if count:
            rng = rng_for(0, "audit", deal.id, before.turn, *actions[:at])
            known = knowable(solver, view, actions[at], worlds, count, rng)
        decisions.append(_audited(view, state, at, actions[at], solution, known))
    for number, (_, before) in enumerate(choices):
        decision = decisions[number]
        if grade_of(rules, decision.loss) is not None:
            line = tuple(_line(rules, before, decision.better, solver))
            decisions[number] = replace(decision, line=line)
    if len(rules.sides) > 2:
        return AuditedRound(None, tuple(decisions))
    value = rules.outcome(state).scores
    margin = int(value[0] - value[1])
    if choices:
        first = solutions[0].value.low
        margin = first if rules.side_of(choices[0][1].turn) == 0 else -first
    return AuditedRound(margin, tuple(decisions))


def _audited(
    view: View, over: Any, at: int, card: int, solution: Solution, known: Knowable | None
) -> AuditedDecision:
    rules = view.rules
    declaring = None
    if view.declarer is not None:
        declaring = rules.side_of(view.declarer) == rules.side_of(view.seat)
    number = len(view.tricks)
    return AuditedDecision(
        at=at,
        seat=view.seat,
        trick=number,
        kind=_kind(view, card),
        declaring=declaring,
        card=card,
        legal=view.legal,
        exact=tuple(solution.worth(each) for each in view.legal),
        patterns=tuple(_patterns(view, card, over.tricks[number], known)),
        known=known,
        solved=solution.means is None,
    )


def _line(rules: Rules, state: Any, card: int, solver: Solver) -> Iterator[int]:
    """A card, and the best cards of both sides after it, with the true cards open."""
    state = replace(state, hands=list(state.hands))
    for _ in range(_CARDS_OF_LINE):
        yield card
        rules.apply(state, card)
        if state.turn is None:
            return
        card = state.legal[0] if len(state.legal) == 1 else solver.solve(rules, state).best[0]


def _kind(view: View, card: int) -> Kind:
    if not view.table:
        return "lead"
    if suit_of(card) == suit_of(view.table[0]):
        return "follow"
    return "ruff" if suit_of(card) == view.trump else "discard"


def _patterns(view: View, card: int, trick: Any, known: Knowable | None) -> list[Pattern]:
    rules, found = view.rules, list[Pattern]()
    if known is not None:
        mine = known.values[view.legal.index(card)]
        better = (each for each, x in zip(view.legal, known.values, strict=True) if x > mine)
        if any(_are_equals(view, card, each) for each in better):
            found.append("equals")
    place = len(view.table)
    _, before = rules.trick_value(trick.cards[:place], view.trump, False) if place else (0, 0)
    _, after = rules.trick_value(trick.cards[: place + 1], view.trump, False)
    if after > before and rules.side_of(trick.winner) != rules.side_of(view.seat):
        found.append("bonus")
    holder = view.holder
    if holder is not None and rules.side_of(holder) == rules.side_of(view.seat):
        others = any(suit_of(each) != view.trump for each in view.legal)
        if _kind(view, card) == "ruff" and others:
            found.append("partner")
    return found


def _are_equals(view: View, card: int, other: int) -> bool:
    """Whether two cards of a suit take the same tricks: no other player can hold one in between."""
    if suit_of(card) != suit_of(other):
        return False
    low, high = sorted((card, other), key=lambda each: _rank(view, each))
    between = (
        each
        for each in range(view.unseen.bit_length())
        if view.unseen >> each & 1 and suit_of(each) == suit_of(card)
    )
    on_table = (each for each in view.table if suit_of(each) == suit_of(card))
    ranks = {_rank(view, each) for each in (*between, *on_table)}
    return not any(_rank(view, low) < rank < _rank(view, high) for rank in ranks)


def _rank(view: View, card: int) -> int:
    """How many cards of its suit a card beats."""
    suit = [each for each in range(52) if view.rules.deck >> each & 1]
    return sum(
        suit_of(other) == suit_of(card)
        and other != card
        and view.rules.trick_winner((other, card), view.trump) == 1
        for other in suit
    )
