"""Beliefs from the others' plays: a world weighs as much as the likelihood of the plays in it.

A policy says how likely each card is for a seat that knows this much (`agents.policies`). A
world is as likely as all that the others played would have been from the hands that they have
in it. If the others may play in several ways, a model has a policy for each of these types,
and what a side plays tells its type as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.beliefs import Infers
from agents.policies.evidence import Types
from agents.policies.inference import Inference, infer, past_of, types_for
from agents.policies.kinds import Policy
from agents.policies.model import (
    SHIPPED,
    hash_of,
    policies_for,
    read_policy,
    shipped,
)
from arena.config.model_file import ModelFile
from arena.core.agent import parameter
from arena.core.cards import SEATS
from arena.core.errors import ArenaError, did_you_mean
from arena.core.rules import View
from arena.core.seeds import Rng
from arena.games.kernel.layout import Words
from arena.games.kernel.rng import rng_array, take_back
from arena.games.kernel.spec import kernel_game
from arena.games.likely_worlds import WorldDraw
from arena.games.observation import Observation, observe


@dataclass(frozen=True)
class Plays(Infers):
    """Weights each world by the likelihood of the others' plays in it, under a policy."""

    kind: ClassVar[str] = "plays"
    needs: ClassVar[tuple[str, ...]] = ("four-players",)

    policy: ModelFile | None = parameter(
        None, help="a file with policies; by default the game's own"
    )
    types: dict[str, float] | None = parameter(
        None, help="how likely a side is of each type of the policy; by default as that says"
    )
    partner_types: dict[str, float] | None = parameter(
        None, help="the same for the own side, where there are partners; by default as types"
    )
    worlds: int = parameter(
        1500, help="worlds to weigh per decision; all, if there are few", at_least=1
    )
    trust: float = parameter(
        1.0, help="the power to which the likelihood of past plays is raised", at_least=0
    )

    def __post_init__(self) -> None:
        known = {name for model in self._models() for name in model.types}
        for said, types in (("types", self.types), ("partner_types", self.partner_types)):
            shares = [1.0] if types is None else types.values()
            if min(shares, default=-1.0) < 0.0 or sum(shares) <= 0.0:
                raise ArenaError(
                    f"{said}: expected a share for each type, from 0 on, and one above 0"
                )
            for name in types or ():
                if name not in known:
                    raise ArenaError(
                        f"{said}: unknown {name!r}; {did_you_mean(name, sorted(known))}"
                    )

    @property
    def games(self) -> tuple[str, ...]:
        """The games with a policy that knows all of the types."""
        types = {*(self.types or ()), *(self.partner_types or ())}
        return tuple(
            game for model in self._models() if types <= set(model.types) for game in model.games
        )

    def _models(self) -> list[Policy]:
        """The policies: the one in the file, or all bundled ones."""
        if self.policy is not None:
            return [read_policy(self.policy)]
        return [read_policy(shipped(game)) for game in SHIPPED]

    @property
    def model_hash(self) -> str:
        """The hash of the policies, for the fingerprint."""
        return hash_of(self.policy)

    def infer(self, observed: Observation, rng: Words) -> Inference:
        """A pool of worlds, and how likely each is."""
        style = policies_for(observed.view.rules, self.policy).style(observed)
        types = self.types_of(observed)
        return infer(past_of(observed), types, self.worlds, rng, self.trust, style)

    def types_of(self, observed: Observation) -> Types:
        """The types of the others, and how likely each is before anything is played."""
        view = observed.view
        model = policies_for(view.rules, self.policy)
        return types_for(model, observed.game, self._priors(model, view))

    def draw(self, view: View, count: int, rng: Rng) -> WorldDraw:
        """Worlds as likely as the plays make them, for audits (`arena.games.likely_worlds`)."""
        game = kernel_game(view.rules, view.trump)
        words = rng_array(rng)
        inferred = self.infer(observe(game, view, with_ledger=True), words)
        take_back(rng, words)
        chances = inferred.weights() if inferred.pool.upto[-1] > 0 else None
        size = len(inferred.pool.upto)
        everything = inferred.exact and size <= count
        chosen = np.arange(size)
        if not everything:
            drawn = np.array([rng.random() for _ in range(count)])
            upto = np.arange(1, size + 1) / size if chances is None else np.cumsum(chances)
            chosen = np.minimum(np.searchsorted(upto, drawn, side="right"), size - 1)
        hands = inferred.pool.hands[chosen]
        hands[:, view.seat] = game.mask(view.hand)
        weights = np.full(len(chosen), 1.0 / len(chosen))
        if everything and chances is not None:
            weights = chances
        return WorldDraw(hands, weights, everything)

    def summary(self, view: View, inferred: Inference) -> tuple[str, ...]:
        """The effective sample size of the inference, and the posterior of the others' types."""
        count = len(inferred.pool.upto)
        worth = f"effective sample size {inferred.sample_size:,.0f}"
        drawn = f"all {count:,} possible worlds" if inferred.exact else f"{count:,} worlds"
        again = ", drawn again because it is small" if inferred.resampled else ""
        lines = [f"{drawn}, {worth}{again}"]
        model = policies_for(view.rules, self.policy)
        priors = self._priors(model, view)
        names = [
            name
            for name, shares in zip(model.types, zip(*priors, strict=True), strict=True)
            if any(shares)
        ]
        if len(names) > 1:
            rules = view.rules
            for side, row in zip(rules.sides, inferred.posterior, strict=True):
                if side != (view.seat,):
                    who = "".join(SEATS[seat] for seat in side if seat != view.seat)
                    said = ", ".join(f"{x:.0%} {n}" for n, x in zip(names, row, strict=True))
                    lines.append(f"{who} plays as {said}")
        return tuple(lines)

    def _priors(self, model: Policy, view: View) -> tuple[tuple[float, ...], ...]:
        """A row for each side: how likely it is of each type of the model."""
        others, partners = model.shares
        if self.types is not None:
            others = partners = self.types
        partners = self.partner_types or partners
        own = view.rules.side_of(view.seat)
        said = [partners if side == own else others for side in range(len(view.rules.sides))]
        return tuple(tuple(types.get(name, 0.0) for name in model.types) for types in said)
