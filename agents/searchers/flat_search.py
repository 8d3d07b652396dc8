"""Base of flat searches: sample the hidden cards, play every legal card out, compare."""

from __future__ import annotations

import math
from dataclasses import dataclass
from time import perf_counter_ns
from typing import ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np

from agents.beliefs import BELIEFS, HELP, Beliefs, games_of, needs_of
from agents.beliefs.hoogenboom import Certain
from agents.bidding.passing import pass_card
from agents.bidding.usual import usual_bid
from agents.search.codes import ROLLOUTS, RULE, VALUES, Rollout, needs_of_rollout
from agents.search.decision import CardStatistics
from agents.search.flat_mc import Question, Sums, judge, loops_for
from agents.search.worlds import belief_of, known_worlds, observe_for, worlds_for
from agents.searchers.budget import Budget
from agents.searchers.strength import Strength
from arena.core.agent import Belief, parameter
from arena.core.errors import ArenaError
from arena.core.rules import Action, View
from arena.core.seeds import Rng
from arena.games.kernel.layout import Words
from arena.games.kernel.playout import with_loops
from arena.games.kernel.rng import rng_array
from arena.games.kernel.spec import kernel_game
from arena.games.rulebook import book_of

Value: TypeAlias = Literal["own-points", "difference", "share"]

_WORLDS_BETWEEN_LOOKS_AT_THE_CLOCK = 32


class CardEstimate(NamedTuple):
    """The estimated value of a card."""

    card: int
    mean: float
    """In points for the own side, whether these are good (Klaverjas) or bad (Hearts)."""
    se: float
    """Standard error of the mean as if playouts were independent; nan after one playout."""
    playouts: int


@dataclass(frozen=True)
class FlatSearch(Strength):
    """A family that plays every legal card out in sampled worlds and keeps the best mean.

    Bids by Monte Carlo (Hoogenboom 2017, section 4.2) unless the configuration names a
    bidder; passes cards as `rule` does. Ties go to the lowest card.
    """

    compiles: ClassVar[bool] = True

    playouts: int = parameter(
        1000, help="playouts per legal card (with `worlds`: and per world)", at_least=1
    )
    rollout: Rollout = parameter("semi-random", help="how playouts choose cards")
    value: Value = parameter("own-points", help="what a playout is worth")
    shared_worlds: bool = parameter(True, help="whether all candidates meet the same worlds")
    beliefs: Beliefs = parameter(Certain(), help=HELP, kinds=BELIEFS)
    worlds: int | None = parameter(
        None, help="worlds per decision; else a new one per playout", at_least=1
    )
    lookahead: int | None = parameter(
        None, help="playouts stop so many tricks after this one; else at the end", at_least=0
    )
    sees: Literal["own", "all"] = parameter("own", help="all: an upper bound that sees all cards")
    budget: Budget | None = parameter(None, help="time per decision instead of a count")

    @property
    def needs(self) -> tuple[str, ...]:
        """What a game must have: a kernel, and what playouts and beliefs need."""
        return (*needs_of_rollout(self.rollout), "kernel", *needs_of(self.beliefs))

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.budget is not None and self.worlds is not None:
            raise ArenaError("give either worlds or budget, not both")

    @property
    def games(self) -> tuple[str, ...] | None:
        """The games that it plays: where beliefs need a policy, those that have one."""
        return self.measured(games_of(self.beliefs))

    @property
    def sees_all_cards(self) -> bool:
        """Whether it is given the cards of all seats."""
        return self.sees == "all"

    @property
    def model_hash(self) -> str | None:
        """The hash of the beliefs' model, for the fingerprint; None without one."""
        return getattr(self.beliefs, "model_hash", None)

    @property
    def reproducible(self) -> bool:
        """Whether the same seed gives the same cards: not if the clock decides."""
        return self.budget is None

    def act(self, view: View, rng: Rng) -> Action:
        """The card with the best mean, or a worse one if it is to be weak."""
        if len(view.legal) == 1:
            return view.legal[0]
        if view.phase == "bid":
            return usual_bid(view, rng, self.playouts)
        if view.phase != "play":
            return pass_card(view, rng)
        if self.is_weak:
            return self.decide(view, rng)[0]
        return self.best(view, self.estimates(view, rng))

    def estimates(self, view: View, rng: Rng) -> list[CardEstimate]:
        """What each legal card is worth, in the order of `view.legal`."""
        numbers = rng_array(Rng(rng.next64()))
        question = self.question(view, numbers)
        sums = Sums.zeros(len(view.legal))
        if self.budget is None:
            worlds, playouts = self._sizes()
            judge(question, worlds, playouts, self.shared_worlds, numbers, sums)
            count = worlds * playouts
        else:
            count = 0
            until = perf_counter_ns() + int(self.budget.milliseconds * 1e6)
            while count == 0 or perf_counter_ns() < until:
                step = _WORLDS_BETWEEN_LOOKS_AT_THE_CLOCK
                judge(question, step, 1, self.shared_worlds, numbers, sums)
                count += step
        return [
            _estimate(card, float(value), float(square), count)
            for card, value, square in zip(view.legal, sums.values, sums.squares, strict=True)
        ]

    def decide(self, view: View, rng: Rng) -> tuple[Action, dict[Action, CardStatistics]]:
        """The card, and the statistics of all cards; more is better in every game."""
        estimates = self.estimates(view, rng)
        sign = 1 if view.rules.higher_wins else -1
        found = {
            each.card: CardStatistics(each.playouts, sign * each.mean, each.playouts)
            for each in estimates
        }
        return self.drawn(view, found, rng) if self.is_weak else self.best(view, estimates), found

    def explain(self, view: View, rng: Rng) -> dict[Action, CardStatistics]:
        """Playouts and mean value of each card; more is better, also where few points are."""
        return self.decide(view, rng)[1]

    def _sizes(self) -> tuple[int, int]:
        """Worlds, and playouts in each of them."""
        return (self.playouts, 1) if self.worlds is None else (self.worlds, self.playouts)

    def believes(self, view: View, rng: Rng) -> Belief:
        """The probability of each seat to hold each hidden card, as the search would assume."""
        return belief_of(view, self.beliefs, rng_array(Rng(rng.next64())))

    def question(self, view: View, numbers: Words) -> Question:
        """The decision of a view, in kernel coordinates; `numbers` is a generator."""
        rules = view.rules
        game = kernel_game(rules, view.trump)
        observed = observe_for(self.beliefs, game, view)
        worlds = known_worlds()
        if self.sees != "all":
            worlds = worlds_for(observed, self.beliefs, numbers)
        tricks_left = rules.hand_size - len(view.tricks)
        ahead = tricks_left if self.lookahead is None else 1 + self.lookahead
        stop = max(0, tricks_left - ahead)
        if loops := loops_for(ROLLOUTS[self.rollout], stop):
            with_loops(game, *loops)
        return Question(
            root=observed.state,
            game=game.words,
            worlds=worlds,
            candidates=game.masks([1 << card for card in view.legal]),
            punishments=np.array([self.punishment(view, card) for card in view.legal], float),
            side=rules.side_of(view.seat),
            value=VALUES[self.value],
            rollout=ROLLOUTS[self.rollout],
            stop=stop,
            book=book_of(observed, self.rollout) if ROLLOUTS[self.rollout] == RULE else None,
        )

    # --- where the papers differ -----------------------------------------------------------

    def punishment(self, view: View, card: int) -> float:
        """What is subtracted from the own points of a card's playouts."""
        return 0.0

    def best(self, view: View, estimates: list[CardEstimate]) -> int:
        """The card to play."""
        sign = 1 if view.rules.higher_wins else -1
        return max(estimates, key=lambda e: sign * e.mean).card


def _estimate(card: int, total: float, squares: float, count: int) -> CardEstimate:
    mean = total / count
    variance = max(0.0, squares / count - mean * mean)
    se = math.sqrt(variance / (count - 1)) if count > 1 else math.nan
    return CardEstimate(card, mean, se, count)
