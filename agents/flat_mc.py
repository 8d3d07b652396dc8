"""Flat Monte Carlo: deal the hidden cards, play every legal card out, keep the best mean."""

from __future__ import annotations

import math
from dataclasses import dataclass
from time import perf_counter_ns
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from agents import beliefs as believing
from agents.belief_network import HELP, believer, check_beliefs, model_of
from agents.beliefs import Beliefs, Believer, check_deviations
from agents.bidding.monte_carlo import MonteCarlo
from agents.passing import pass_card
from agents.search.flat_mc import (
    CARELESS,
    DIFFERENCE,
    OWN_POINTS,
    RANDOM,
    SEMI_RANDOM,
    SHARE,
    Question,
    Sums,
    judge,
)
from agents.search.worlds import known_worlds, plan_worlds
from arena.agent import parameter
from arena.cards import SUITS, rank_of, suit_of
from arena.errors import ArenaError
from arena.games.kernel.jit import warms
from arena.games.kernel.rng import rng_array
from arena.games.kernel.spec import kernel_game
from arena.games.klaverjas import Klaverjas
from arena.rules import Action, View
from arena.seeds import Rng

__all__ = ["DEVIATIONS", "Budget", "Estimate", "FlatMC"]

Rollout: TypeAlias = Literal["random", "semi-random"]
Value: TypeAlias = Literal["own-points", "difference", "share"]

_ROLLOUTS = {"random": RANDOM, "semi-random": SEMI_RANDOM}
_VALUES = {"own-points": OWN_POINTS, "difference": DIFFERENCE, "share": SHARE}

DEVIATIONS: dict[str, str] = {
    **believing.DEVIATIONS,
    "keeps-bad-cards": (
        "semi-random playouts often keep one of several bad cards and play it in 18.7% of such "
        "decisions (Hoogenboom 2017, program)"
    ),
    "doubled-cards": (
        "when this seat is last to play, 75% of the worlds hold a card twice and lack another "
        "(Hoogenboom 2017, program, types 1 to 3)"
    ),
    "own-moon-costs": (
        "Hearts: shooting the moon counts as taking 26 points (Kiele 2024, program)"
    ),
    "integer-means": (
        "means are cut to whole numbers, and on ties the last card in the order C D S H, low to "
        "high, is played: high hearts and spades are favoured (Kiele 2024, program)"
    ),
}
"""What `as_published` may switch on, and what each does."""

_WORLDS_BETWEEN_LOOKS_AT_THE_CLOCK = 32
_SHOOT_FROM_POINTS, _SHOOT_BELOW_SCORE = 15, 75
"""When Kiele's player goes for all points: from so many on, and below this score."""
_KIELE_SUITS = "CDSH"


@dataclass(frozen=True)
class Budget:
    """How long to think about a card."""

    milliseconds: float = parameter(help="time per decision", at_least=0.01)


class Estimate(NamedTuple):
    """What playing a card is thought to be worth."""

    card: int
    mean: float
    """In points for the own side, whether these are good (Klaverjas) or bad (Hearts)."""
    se: float
    """Standard error of the mean as if playouts were independent; nan after one playout."""
    playouts: int


@dataclass(frozen=True)
class FlatMC:
    """Deals the hidden cards again and again, plays each legal card out, keeps the best mean.

    Source: Hoogenboom 2017, sections 5 and 6 (types 1, 2, 3 and 5 of its program); with
    `worlds`, `lookahead` and `sees` also both players of Kiele 2024 (sections 2.2 and 3),
    which are flat searches too. Differs: all candidates meet the same worlds unless
    `shared_worlds` is off; worlds are drawn exactly, not by trial and error; ties go to
    the lowest card. `as_published` brings single deviations of the programs back. Bids by
    Monte Carlo (section 4.2) unless a bidder is set beside it; passes cards as `rule` does.
    """

    playouts: int = parameter(
        1000, help="playouts per legal card (with `worlds`: and per world)", at_least=1
    )
    rollout: Rollout = parameter("semi-random", help="how playouts choose cards")
    value: Value = parameter("own-points", help="what a playout is worth")
    roem_punishment: bool = parameter(
        True, help="subtract a bonus given away at once (section 6.3)"
    )
    shared_worlds: bool = parameter(True, help="whether all candidates meet the same worlds")
    beliefs: str = parameter("certain", help=HELP)
    share: float = parameter(
        0.9, help="beliefs probable: share of worlds with probable voids", at_least=0, at_most=1
    )
    m1: float = parameter(
        1.2, help="beliefs probabilities: the declarer and trumps", at_least=0, at_most=1000
    )
    m2: float = parameter(
        1.2, help="beliefs probabilities: the two highest trumps", at_least=0, at_most=1000
    )
    roem_factor: float = parameter(
        0.5, help="beliefs probabilities: what a probable void leaves", at_least=0, at_most=1
    )
    most: float = parameter(
        0.98, help="beliefs probabilities: highest chance by declaring", at_least=0, at_most=1
    )
    worlds: int | None = parameter(
        None, help="worlds per decision; else a new one per playout", at_least=1
    )
    lookahead: int | None = parameter(
        None, help="playouts stop so many tricks after this one; else at the end", at_least=0
    )
    sees: Literal["own", "all"] = parameter("own", help="all: an upper bound that sees all cards")
    shoot_the_moon: bool = parameter(
        False, help="Hearts: go for all points of a round when it looks possible"
    )
    budget: Budget | None = parameter(None, help="time per decision instead of a count")
    as_published: tuple[str, ...] = parameter((), help="single deviations of published programs")

    def __post_init__(self) -> None:
        check_beliefs(self.beliefs)
        check_deviations(self.as_published, DEVIATIONS)
        if self.budget is not None and self.worlds is not None:
            raise ArenaError("flat-mc: give either worlds or budget, not both")
        by_steps = self.lookahead is not None or "keeps-bad-cards" in self.as_published
        if by_steps and "doubled-cards" in self.as_published:
            # A card that is held twice would keep a trick from being complete.
            raise ArenaError(
                "flat-mc: as_published: doubled-cards goes neither with lookahead "
                "nor with keeps-bad-cards"
            )

    @property
    def sees_all_cards(self) -> bool:
        """Whether it is given everybody's cards."""
        return self.sees == "all"

    @property
    def model_hash(self) -> str | None:
        """What the network of beliefs is known by, for the fingerprint."""
        model = model_of(self.beliefs)
        return None if model is None else model.sha256

    @property
    def reproducible(self) -> bool:
        """Whether the same seed gives the same cards: not if the clock decides."""
        return self.budget is None

    def act(self, view: View, rng: Rng) -> Action:
        """The card with the best mean."""
        if len(view.legal) == 1:
            return view.legal[0]
        if view.phase == "bid":
            return MonteCarlo(self.playouts).bid(view, rng)
        if view.phase != "play":
            return pass_card(view, rng)
        return self._best(view, self.estimates(view, rng))

    def estimates(self, view: View, rng: Rng) -> list[Estimate]:
        """What each legal card is worth, in the order of `view.legal`."""
        question = self._question(view)
        sums = Sums.zeros(len(view.legal))
        numbers = rng_array(Rng(rng.next64()))
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

    def _sizes(self) -> tuple[int, int]:
        """Worlds, and playouts in each of them."""
        return (self.playouts, 1) if self.worlds is None else (self.worlds, self.playouts)

    def _question(self, view: View) -> Question:
        rules = view.rules
        game = kernel_game(rules, view.trump)
        tricks_left = rules.hand_size - len(view.tricks)
        ahead = tricks_left if self.lookahead is None else 1 + self.lookahead
        return Question(
            root=game.view_state(view),
            game=game.words,
            worlds=known_worlds() if self.sees == "all" else plan_worlds(game, view, self._beliefs),
            candidates=game.masks([1 << card for card in view.legal]),
            punishments=np.array([self._punishment(view, card) for card in view.legal], float),
            side=rules.side_of(view.seat),
            value=_VALUES[self.value],
            rollout=self._rollout,
            stop=max(0, tricks_left - ahead),
            own_moon_costs="own-moon-costs" in self.as_published,
            doubled_seat=self._doubled_seat(view),
        )

    @property
    def _beliefs(self) -> Believer:
        strength = Beliefs(
            "certain",
            self.share,
            self.m1,
            self.m2,
            self.roem_factor,
            self.most,
            frozenset(self.as_published) & believing.DEVIATIONS.keys(),
        )
        return believer(self.beliefs, strength)

    @property
    def _rollout(self) -> int:
        if self.rollout == "semi-random" and "keeps-bad-cards" in self.as_published:
            return CARELESS
        return _ROLLOUTS[self.rollout]

    def _doubled_seat(self, view: View) -> int:
        players = view.rules.players
        if "doubled-cards" not in self.as_published or len(view.table) < players - 1:
            return -1
        return players - 1 if view.seat != players - 1 else players - 2

    def _punishment(self, view: View, card: int) -> float:
        """The bonus that a card adds to a trick which the opponents then hold."""
        if not self.roem_punishment or not view.table:
            return 0.0
        rules, after = view.rules, (*view.table, card)
        holder = view.seat_at(rules.trick_winner(after, view.trump))
        if rules.side_of(holder) == rules.side_of(view.seat):
            return 0.0
        before = rules.trick_value(view.table, view.trump, False)[1]
        return float(rules.trick_value(after, view.trump, False)[1] - before)

    def _best(self, view: View, estimates: list[Estimate]) -> int:
        more_is_better = view.rules.higher_wins
        if self.shoot_the_moon and _may_shoot(view):
            more_is_better = not more_is_better
        sign = 1 if more_is_better else -1
        if "integer-means" in self.as_published:
            return max(estimates, key=lambda e: (sign * int(e.mean), _place_in_hand(e.card))).card
        return max(estimates, key=lambda e: sign * e.mean).card


def _estimate(card: int, total: float, squares: float, count: int) -> Estimate:
    mean = total / count
    variance = max(0.0, squares / count - mean * mean)
    se = math.sqrt(variance / (count - 1)) if count > 1 else math.nan
    return Estimate(card, mean, se, count)


def _may_shoot(view: View) -> bool:
    """Whether all points so far are one's own, they are many, and the match stands well."""
    side = view.rules.side_of(view.seat)
    own = view.points[side]
    return (
        own >= _SHOOT_FROM_POINTS
        and own == sum(view.points)
        and view.standing.scores[side] < _SHOOT_BELOW_SCORE
    )


def _place_in_hand(card: int) -> tuple[int, int]:
    """Where a card is in a hand sorted as Kiele's program does: C D S H, low to high."""
    return _KIELE_SUITS.index(SUITS[suit_of(card)]), rank_of(card)


@warms
def _exercise() -> None:
    rules = Klaverjas()
    state = rules.start(rules.random_deal(Rng(1), 1))
    assert state.turn is not None
    view = rules.view(state, state.turn)
    for beliefs in get_args(believing.Kind):
        FlatMC(playouts=1, beliefs=beliefs).estimates(view, Rng(1))
    FlatMC(rollout="random").estimates(view, Rng(1))
