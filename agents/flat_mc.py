"""Flat Monte Carlo with the knowledge of Hoogenboom 2017: bonuses, and who may hold what."""

from __future__ import annotations

from dataclasses import dataclass

from agents.as_published import check_deviations
from agents.beliefs.hoogenboom import Certain, Probabilities, Probable
from agents.search.codes import CARELESS
from agents.search.flat_mc import Question
from agents.searchers.flat_search import FlatSearch
from arena.core.agent import parameter
from arena.core.errors import ArenaError
from arena.core.rules import View
from arena.core.seeds import Rng
from arena.games.kernel.contract import example_rules
from arena.games.kernel.jit import warms
from arena.games.kernel.layout import Words

DEVIATIONS: dict[str, str] = {
    "keeps-bad-cards": (
        "semi-random playouts often keep one of several bad cards and play it in 18.7% of such "
        "decisions"
    ),
    "doubled-cards": (
        "when this seat is last to play, 75% of the worlds hold a card twice and lack another "
        "(types 1 to 3)"
    ),
}
"""What `as_published` may switch on, and what each does in the program of the thesis."""


@dataclass(frozen=True)
class FlatMC(FlatSearch):
    """Deals the hidden cards again and again, plays each legal card out, keeps the best mean.

    Source: Hoogenboom 2017, sections 5 and 6 (types 1, 2, 3 and 5 of its program). Differs:
    all candidates meet the same worlds unless `shared_worlds` is off; worlds are drawn
    exactly, not by trial and error; ties go to the lowest card. `as_published` brings single
    deviations of the program back. Bids by Monte Carlo (section 4.2) unless a bidder is set
    beside it; passes cards as `rule` does.
    """

    roem_punishment: bool = parameter(
        True, help="subtract a bonus given away at once (section 6.3)"
    )
    as_published: tuple[str, ...] = parameter((), help="single deviations of the program of 2017")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_deviations(self.as_published, DEVIATIONS)
        by_steps = self.lookahead is not None or "keeps-bad-cards" in self.as_published
        if by_steps and "doubled-cards" in self.as_published:
            # A card that is held twice would keep a trick from being complete.
            raise ArenaError(
                "as_published: doubled-cards goes neither with lookahead nor with keeps-bad-cards"
            )

    def question(self, view: View, numbers: Words) -> Question:
        """The decision of a view, with what the program does otherwise."""
        question = super().question(view, numbers)
        if self.rollout == "semi-random" and "keeps-bad-cards" in self.as_published:
            question = question._replace(rollout=CARELESS)
        return question._replace(doubled_seat=self._doubled_seat(view))

    def punishment(self, view: View, card: int) -> float:
        """The bonus that a card adds to a trick which the opponents then hold."""
        if not self.roem_punishment or not view.table:
            return 0.0
        rules, after = view.rules, (*view.table, card)
        holder = view.seat_at(rules.trick_winner(after, view.trump))
        if rules.side_of(holder) == rules.side_of(view.seat):
            return 0.0
        before = rules.trick_value(view.table, view.trump, False)[1]
        return float(rules.trick_value(after, view.trump, False)[1] - before)

    def _doubled_seat(self, view: View) -> int:
        players = view.rules.players
        if "doubled-cards" not in self.as_published or len(view.table) < players - 1:
            return -1
        return players - 1 if view.seat != players - 1 else players - 2


@warms
def _exercise() -> None:
    rules = example_rules()
    state = rules.start(rules.random_deal(Rng(1), 1))
    while state.phase != "play":
        rules.apply(state, state.legal[0])
    assert state.turn is not None
    view = rules.view(state, state.turn)
    for beliefs in (Certain(), Probable(), Probabilities()):
        FlatMC(playouts=1, beliefs=beliefs).estimates(view, Rng(1))
    FlatMC(rollout="random").estimates(view, Rng(1))
