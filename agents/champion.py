"""The champion: plays what does best against hands and habits that the past makes likely.

Three parts that gain little alone and much together (docs/research/champion.md):

* a policy that says how likely each card is for a seat that knows this much;
* worlds as likely as they make what the others played (`beliefs: plays`);
* a tree in which only the champion chooses, the others playing by the policy
  (`best-response`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from agents.beliefs.hoogenboom import Certain
from agents.beliefs.plays import Plays
from agents.best_response import BestResponse
from agents.bidding.pass_search import PASSING_HELP, Passing
from agents.search.decision import CardStatistics, Final
from agents.searchers.budget import Budget
from agents.searchers.endings import Endings
from agents.searchers.strength import Strength
from arena.config.model_file import ModelFile
from arena.core.agent import Belief, parameter
from arena.core.rules import Action, View
from arena.core.seeds import Rng


@dataclass(frozen=True, kw_only=True)
class Champion(Strength):
    """Searches for the best response to how others play, in worlds that explain their plays.

    Plays Klaverjas, Schieber and Hearts, each with its bundled policy. Bids by Monte Carlo unless
    the configuration names a bidder.
    """

    compiles: ClassVar[bool] = True

    simulations: int = parameter(6000, help="simulations per decision", at_least=1)
    budget: Budget | None = parameter(None, help="time per decision instead of a count")
    worlds: int = parameter(
        1500, help="worlds to weigh per decision; all, if there are few", at_least=1
    )
    inference: bool = parameter(True, help="weigh worlds by what was played; else all are alike")
    trust: float = parameter(
        1.0, help="the power to which the likelihood of past plays is raised", at_least=0
    )
    types: dict[str, float] | None = parameter(
        None, help="how likely a side is of each type of the model; by default as that says"
    )
    partner_types: dict[str, float] | None = parameter(
        None, help="the same for the partner; by default as types"
    )
    sharpness: float = parameter(
        2.0, help="the power to which chances are raised where others play", at_least=0
    )
    types_in_tree: bool = parameter(
        True, help="others play by the types that were inferred, else all by the first"
    )
    c: float | None = parameter(
        None, help="exploration in points; by default a constant of the game", at_least=0
    )
    final: Final = parameter("visits", help="play the card with most visits or the best mean")
    passing: Passing = parameter("rule", help=PASSING_HELP)
    model: ModelFile | None = parameter(
        None, help="a file with policies; by default the game's own"
    )
    endings: Endings | None = parameter(
        None, help="the last tricks, solved in sampled worlds instead of searched"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = self.search  # raises now if the parameters do not fit

    @cached_property
    def search(self) -> BestResponse:
        """The search that the parameters describe."""
        plays = Plays(self.model, self.types, self.partner_types, self.worlds, self.trust)
        return BestResponse(
            simulations=self.simulations,
            budget=self.budget,
            beliefs=plays if self.inference else Certain(),
            policy=self.model,
            sharpness=self.sharpness,
            types_in_tree=self.types_in_tree,
            c=self.c,
            final=self.final,
            passing=self.passing,
            endings=self.endings,
            strength=self.strength,
            temperature=self.temperature,
        )

    @property
    def needs(self) -> tuple[str, ...]:
        """What its search needs."""
        return self.search.needs

    @property
    def games(self) -> tuple[str, ...] | None:
        """The games that it plays: those of its policies."""
        return self.search.games

    @property
    def model_hash(self) -> str | None:
        """The hash of the policies, for the fingerprint."""
        return self.search.model_hash

    @property
    def reproducible(self) -> bool:
        """Whether the same seed gives the same cards: not if the clock decides."""
        return self.search.reproducible

    def act(self, view: View, rng: Rng) -> Action:
        """The best card after a search, where there is a choice."""
        return self.search.act(view, rng)

    def decide(self, view: View, rng: Rng) -> tuple[Action, dict[Action, CardStatistics]]:
        """The card, and the search's statistics of all cards."""
        return self.search.decide(view, rng)

    def explain(self, view: View, rng: Rng) -> Mapping[Action, CardStatistics]:
        """Visits and mean value of each card."""
        return self.search.explain(view, rng)

    def believes(self, view: View, rng: Rng) -> Belief:
        """The probability of each seat to hold each hidden card, given the plays."""
        return self.search.believes(view, rng)
