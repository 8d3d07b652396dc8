"""One simultaneous comparison of all agents of a field.

Everything that is said about strength comes from `joint_comparison(results)`:

    found = joint_comparison(results)            # a PairResults; alpha = 0.05
    found.order                                  # agents, the best first
    found.contrast("a", "b")                     # a minus b: difference, low, high, p_adjusted
    found.letters["a"], found.ranks["a"].best    # from the same contrasts
    found.top                                    # agents that no other is known to beat
    found.better("a"), found.worse("a")          # agents known to be stronger, weaker than a
    found.within("a")                            # a is at most so many points behind the best
    found.fit.words, found.note                  # sentences: do margins add up, what is missing

A contrast is the difference of two score ratings (`score_rating`), so agents that never met are
compared through their opponents. `low` and `high` are simultaneous limits and `p_adjusted` is
adjusted over the same family, so that an interval excludes 0 exactly when `p_adjusted` is below
alpha; `plain_low`, `plain_high` and `p` are those of one contrast on its own, to be labelled so.

Ratings add up by construction; agents need not. `fit` tests it, and names the pairs with direct
results that contradict the ratings. Where there are such pairs, `basis` is "direct":
contrasts, letters and ranks then come from the direct meetings, `fit.words` says so, and `cycles`
names agents that beat each other in a circle. `joint` and `direct` hold both sets of contrasts in
any case; only those of the basis are claims that hold together.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, special

from arena.stats.least_squares import Fit, additive_fit, pair_fit, pair_weights
from arena.stats.letters import compact_letters
from arena.stats.pair_results import (
    DealTable,
    PairResults,
    connected_components,
    parts_that_never_met,
)
from arena.stats.power import detectable
from arena.stats.sample import FloatArray, check_probability, join_notes
from arena.stats.simultaneous import family
from arena.stats.transitivity import RankRange, order_by_results

SIDE_ISSUE = 0.1
"""Share of the level at which a page says that margins do not add up."""
FEW = 20
"""Deals below which a comparison says that they are few."""


@dataclass(frozen=True)
class Contrast:
    """Points per deal by which `first` is ahead of `second`, with simultaneous and plain limits.

    `deals` is how many the two played against each other; 0 if they were compared through others.
    `detectable` is the difference that would have been found with 80% probability, by the same
    adjusted test. If all deals show the same difference there are no limits, and p is that of the
    sign test. None where the results say nothing; `note` says why.
    """

    first: str
    second: str
    difference: float | None
    low: float | None
    high: float | None
    p_adjusted: float | None
    different: bool
    plain_low: float | None
    plain_high: float | None
    p: float | None
    se: float | None
    df: float | None
    deals: int
    detectable: float | None = None
    note: str = ""

    @property
    def direction(self) -> int:
        """1 if the first is known to be ahead, -1 if behind, 0 if nothing is known."""
        if not self.different or self.difference is None:
            return 0
        return 1 if self.difference > 0 else -1

    def reversed(self) -> Contrast:
        """The same, seen from the second."""
        return replace(
            self,
            first=self.second,
            second=self.first,
            difference=_negative(self.difference),
            low=_negative(self.high),
            high=_negative(self.low),
            plain_low=_negative(self.plain_high),
            plain_high=_negative(self.plain_low),
        )


@dataclass(frozen=True)
class AdditiveFit:
    """Do margins add up? The joint (additive) model against a mean of its own for each pair.

    `p` is of the Wald test on `cycles` degrees of freedom, None if the schedule has no cycle to
    test or too few deals. `misfit` is the root mean square, over pairs, of the direct margin less
    the one that ratings predict. `contradictions` are pairs where the two differ by more than
    chance (simultaneously over pairs) and say different things about who is ahead. Both are
    judged at a tenth of the level, and comparisons have the rest: together they keep alpha.
    A pair is a contradiction in any case if each of the two puts another agent ahead, or if a
    direct result puts an agent ahead of the only one that no rating is ahead of.
    """

    p: float | None
    statistic: float | None
    cycles: int
    deals: int
    misfit: float | None
    contradictions: tuple[tuple[str, str], ...]
    words: str
    misfits: bool = False
    """Whether `words` claim that margins do not add up."""


@dataclass(frozen=True)
class JointComparison:
    """All statements about a field; they hold together with confidence 1 - alpha."""

    agents: tuple[str, ...]
    order: tuple[str, ...]
    """The best agent first."""
    basis: Literal["joint", "direct"]
    joint: tuple[Contrast, ...]
    """Every pair of agents, by the ratings; the first is the one ahead."""
    direct: tuple[Contrast, ...]
    """Every pair that met, by its own results; the first is the one ahead."""
    letters: dict[str, str]
    ranks: dict[str, RankRange]
    top: tuple[str, ...]
    """The agents that no other is known to beat, unless both are on one cycle."""
    cycles: tuple[tuple[str, ...], ...]
    """Agents of which each is known to beat the next, and the last the first."""
    fit: AdditiveFit
    alpha: float
    note: str = ""

    @property
    def contrasts(self) -> tuple[Contrast, ...]:
        """The contrasts behind letters and ranks."""
        return self.joint if self.basis == "joint" else self.direct

    @cached_property
    def _by_pair(self) -> dict[tuple[str, str], Contrast]:
        found = {(c.first, c.second): c for c in self.contrasts}
        return found | {(c.second, c.first): c.reversed() for c in self.contrasts}

    def contrast(self, a: str, b: str) -> Contrast:
        """Seen from `a`; KeyError if there is none (no direct results, and none are joint)."""
        return self._by_pair[a, b]

    def better(self, agent: str) -> tuple[str, ...]:
        """The agents that are known to be stronger, the best first."""
        return self._known(agent, -1)

    def worse(self, agent: str) -> tuple[str, ...]:
        """The agents that are known to be weaker, the best first."""
        return self._known(agent, 1)

    def within(self, agent: str) -> float | None:
        """Points per deal that an agent is behind the best one at most, whichever that is.

        The largest upper limit of another agent's lead, from the simultaneous intervals: so it
        holds together with all other statements. None if a limit is missing.
        Source: Hsu 1984, Ann. Stat. 12 (comparisons with the best).
        """
        leads = [self._by_pair.get((other, agent)) for other in self.agents if other != agent]
        highs = [lead.high for lead in leads if lead is not None and lead.high is not None]
        return max(0.0, *highs) if len(highs) == len(leads) else None

    def top_among(self, agents: Collection[str]) -> tuple[str, ...]:
        """Of some agents those that no other of them is known to beat, as `top` of all."""
        names = tuple(name for name in self.order if name in agents)
        inside = tuple(c for c in self.contrasts if c.first in names and c.second in names)
        return _names(names, order_by_results(_beats(names, inside), range(len(names))).top)

    def _known(self, agent: str, direction: int) -> tuple[str, ...]:
        return tuple(
            other
            for other in self.order
            if (agent, other) in self._by_pair
            and self._by_pair[agent, other].direction == direction
        )


def joint_comparison(
    results: PairResults, alpha: float = 0.05, forfeiters: Collection[str] = ()
) -> JointComparison:
    """Compare all agents at once: contrasts of the score rating, clustered by deal.

    `forfeiters` lost games without playing them. Those losses say nothing about the others, but
    they vary; so the others are compared by their games among themselves (`pair_weights`), and
    whether margins add up is tested on these.

    Formula: differences of least squares ratings with their CR2 covariance over deals; each is a
    t with its Satterthwaite degrees of freedom (n - 1 where all pairs play the same n deals), and
    all are adjusted together over their joint distribution (`simultaneous`). Order, ranks and
    top: `order_by_results`. The fit: Wald test of the pairs' means against the additive model,
    with the covariance over deals, as Hotelling's T² (F with q and n - q). Unit: the deal; points.
    Assumes independent deals and nearly normal means; with few deals the t is an approximation
    when margins are far from normal (measured: docs/statistics.md). Source: `simultaneous`,
    `sandwich`; Mogstad, Romano, Shaikh & Wilhelm 2024, Rev. Econ. Stud. 91, and Al Mohamad,
    Goeman & van Zwet 2022, Biometrics 78 (ranks); Piepho 2004 (letters); Hotelling 1931.
    """
    check_probability(alpha, "alpha")
    table = results.table()
    rated, paired = additive_fit(table, forfeiters), pair_fit(table)
    pairs, weights = comparable(table)
    rows, level = (weights @ rated.basis, weights @ rated.strengths), comparisons_share(table)
    joint = _contrasts(table, rated, pairs, *rows, alpha, True, level)
    met = [(int(i), int(j)) for i, j in table.pairs]
    rows = (paired.basis, paired.strengths)
    direct = _contrasts(table, paired, met, *rows, alpha, False, level)
    fit = _goodness(table, rated, paired, pair_weights(table, forfeiters), joint, direct, alpha)
    basis: Literal["joint", "direct"] = "direct" if fit.contradictions else "joint"
    contrasts = joint if basis == "joint" else direct
    by_strength = list(zip(-np.round(rated.strengths, 9), table.agents, strict=True))
    found = order_by_results(_beats(table.agents, contrasts), by_strength)
    order = _names(table.agents, found.order)
    note = "" if table.deals > 1 else "One deal only: margins have no intervals and no tests."
    if 1 < table.deals < FEW:
        note = f"Only {table.deals} deals: the limits are wide and rest on nearly normal margins."
    parts = connected_components(len(table.agents), table.pairs)
    if len(parts) > 1:
        note = join_notes(
            note,
            parts_that_never_met(table.agents, parts)
            + ": nothing is said about agents of different parts.",
        )
    if table.forfeits:
        note = join_notes(note, f"{table.forfeits} forfeited results were left out.")
    return JointComparison(
        agents=table.agents,
        order=order,
        basis=basis,
        joint=joint,
        direct=direct,
        letters=_letters(order, contrasts),
        ranks=dict(zip(table.agents, found.ranks, strict=True)),
        top=_names(table.agents, found.top),
        cycles=tuple(_names(table.agents, cycle) for cycle in found.cycles),
        fit=fit,
        alpha=alpha,
        note=note,
    )


def comparisons_share(table: DealTable) -> float:
    """The part of the level that comparisons have: all, unless it is also tested if margins add up.

    So everything that is said about a field is wrong with probability alpha at most.
    """
    parts = connected_components(len(table.agents), table.pairs)
    circles = len(table.pairs) - len(table.agents) + len(parts)
    return 1.0 - SIDE_ISSUE if circles else 1.0


def comparable(table: DealTable) -> tuple[list[tuple[int, int]], FloatArray]:
    """The pairs of agents that the schedule connects, and their contrasts (pair × agent)."""
    parts = connected_components(len(table.agents), table.pairs)
    pairs = [
        (i, j) for part in parts for n, i in enumerate(sorted(part)) for j in sorted(part)[n + 1 :]
    ]
    weights = np.zeros((len(pairs), len(table.agents)))
    for row, (i, j) in enumerate(pairs):
        weights[row, i], weights[row, j] = 1.0, -1.0
    return pairs, weights


def _contrasts(
    table: DealTable,
    fit: Fit,
    pairs: list[tuple[int, int]],
    weights: FloatArray,
    differences: FloatArray,
    alpha: float,
    correlated: bool,
    share: float,
) -> tuple[Contrast, ...]:
    met = {(int(i), int(j)): int(n) for (i, j), n in zip(table.pairs, _played(table), strict=True)}
    found = _inference(table, fit, weights, differences, alpha, correlated, share)
    out = []
    for row, (i, j) in enumerate(pairs):

        def value(column: FloatArray, row: int = row) -> float | None:
            return float(column[row]) if math.isfinite(column[row]) else None

        contrast = Contrast(
            first=table.agents[i],
            second=table.agents[j],
            difference=float(differences[row]),
            low=value(differences - found.half),
            high=value(differences + found.half),
            p_adjusted=value(found.p_adjusted),
            different=bool(found.p_adjusted[row] < alpha),
            plain_low=value(differences - found.plain_half),
            plain_high=value(differences + found.plain_half),
            p=value(found.p),
            se=value(found.se),
            df=value(found.df),
            deals=met.get((i, j), 0),
            detectable=value(found.detectable),
            note=found.note(row, float(differences[row])),
        )
        out.append(contrast if differences[row] >= 0 else contrast.reversed())
    return tuple(out)


@dataclass(frozen=True, eq=False)
class _Inference:
    """Columns with a value for each contrast, NaN where there is none."""

    deals: FloatArray
    se: FloatArray
    df: FloatArray
    p: FloatArray
    p_adjusted: FloatArray
    half: FloatArray
    plain_half: FloatArray
    detectable: FloatArray

    def note(self, row: int, difference: float) -> str:
        """Why a contrast has no limits."""
        if math.isfinite(self.se[row]):
            return ""
        if math.isnan(self.p[row]):
            return "The same result on every deal." if self.deals[row] > 1 else ""
        return (
            f"All {self.deals[row]:g} deals show the same difference, {abs(difference):g} points: "
            "no spread, so no limits; p is that of the sign test."
        )


def _inference(
    table: DealTable,
    fit: Fit,
    weights: FloatArray,
    differences: FloatArray,
    alpha: float,
    correlated: bool,
    share: float = 1.0,
) -> _Inference:
    """p and limits of all contrasts, adjusted together.

    `correlated`: over their joint distribution; else by Bonferroni, which direct meetings, with
    few correlations and more parameters than deals, do not lose much by. A contrast without spread
    has its p from the sign test (2/2ⁿ if all n deals show one difference, none if that is 0).
    `share` is the part of alpha that these contrasts have.
    """
    clustered = fit.covariance
    se = clustered.standard_errors(weights)
    df = clustered.degrees_of_freedom(weights)
    scale = float(np.abs(table.margin).max(initial=0.0))
    # Rounding errors leave a standard error of some 1e-7 of the margins where nothing varies.
    known = (se > 1e-6 * scale) & (df >= 0.5)
    deals = np.full(len(se), table.deals) if correlated else _played(table)
    constant = ~known & (np.abs(differences) > 1e-6 * scale) & (deals > 1)
    p, p_adjusted, half, plain_half, seen = (np.full(len(se), np.nan) for _ in range(5))
    p[known] = 2 * special.stdtr(df[known], -np.abs(differences[known] / se[known]))
    p[constant] = 2.0 ** (1 - deals[constant])
    tests = int((known | constant).sum())
    p_adjusted = np.minimum(tests * p / share, 1.0)
    level = share * alpha / max(tests, 1)
    if correlated and known.any():
        together = family(clustered.covariance, weights[known], df[known], table.deals)
        p_adjusted[known] = np.minimum(together.adjusted(p[known]) / share, 1.0)
        level = together.level(share * alpha)
    half[known] = -special.stdtrit(df[known], level / 2) * se[known]
    plain_half[known] = -special.stdtrit(df[known], alpha / 2) * se[known]
    rounded, kind = np.unique(np.round(df[known], 6), return_inverse=True)
    seen[known] = np.array([detectable(x, 1.0, level) for x in rounded])[kind] * se[known]
    se, df = np.where(known, se, np.nan), np.where(known, df, np.nan)
    return _Inference(deals, se, df, p, p_adjusted, half, plain_half, seen)


def _goodness(
    table: DealTable,
    rated: Fit,
    paired: Fit,
    weights: FloatArray,
    joint: tuple[Contrast, ...],
    direct: tuple[Contrast, ...],
    alpha: float,
) -> AdditiveFit:
    design, judged = table.incidence, np.flatnonzero(weights == weights.max())
    inner = linalg.null_space(design[judged].T).T  # cycles × pairs: what no rating explains
    cycles = len(inner)
    if not cycles:
        words = "No agents met in a circle, so whether margins add up cannot be tested."
        return AdditiveFit(None, None, 0, table.deals, None, (), words)
    residual_space = np.zeros((cycles, len(design)))
    residual_space[:, judged] = inner
    misses = paired.strengths - design @ rated.strengths
    misfit = float(np.sqrt(np.mean(misses[judged] ** 2)))
    statistic, p = _wald(table, paired, residual_space)
    level = SIDE_ISSUE * alpha
    off = np.zeros(len(misses), dtype=np.bool_)
    if p is None or p < level:
        off[judged] = _off_the_ratings(table, rated, paired, weights, misses, level)[judged]
    contradictions = _contradictions(table, off, joint, direct)
    words = _fit_words(p, misfit, contradictions, level)
    misfits = bool(contradictions) or (p is not None and p < level)
    return AdditiveFit(p, statistic, cycles, table.deals, misfit, contradictions, words, misfits)


def _wald(table: DealTable, paired: Fit, space: FloatArray) -> tuple[float | None, float | None]:
    """Hotelling's T² of what no rating explains, and its p."""
    covariance = space @ paired.covariance.covariance @ space.T
    values, vectors = np.linalg.eigh(covariance)
    kept = values > 1e-10 * max(float(values.max(initial=0.0)), 1e-300)
    rank, n = int(kept.sum()), table.deals
    if rank == 0 or n <= rank + 1:
        return None, None
    along = vectors[:, kept].T @ (space @ paired.strengths)
    statistic = float(np.sum(along**2 / values[kept]))
    f = statistic * (n - rank) / (rank * (n - 1))
    return statistic, float(special.fdtrc(rank, n - rank, f))


def _off_the_ratings(
    table: DealTable,
    rated: Fit,
    paired: Fit,
    weights: FloatArray,
    misses: FloatArray,
    alpha: float,
) -> NDArray[np.bool_]:
    """The pairs with a direct result that differs from the ratings by more than chance."""
    design, played = table.incidence, _played(table)
    weighted = design.T * (weights * played)
    predict = design @ rated.basis @ rated.bread @ rated.basis.T @ weighted
    found = _inference(table, paired, np.eye(len(played)) - predict, misses, alpha, False)
    return np.asarray(found.p_adjusted < alpha)


def _contradictions(
    table: DealTable,
    off: NDArray[np.bool_],
    joint: tuple[Contrast, ...],
    direct: tuple[Contrast, ...],
) -> tuple[tuple[str, str], ...]:
    """The pairs that ratings and meetings disagree about; the one ahead directly first."""
    rated, met = _beats(table.agents, joint), _beats(table.agents, direct)
    unbeaten = np.flatnonzero(~rated.any(axis=0))
    out = []
    for (i, j), differs in zip(table.pairs.tolist(), off, strict=True):
        if met[j, i]:
            i, j = j, i
        says_other = rated[i, j] != met[i, j] or rated[j, i]
        if (differs and says_other) or (met[i, j] and (rated[j, i] or unbeaten.tolist() == [j])):
            out.append((table.agents[i], table.agents[j]))
    return tuple(out)


def _fit_words(
    p: float | None,
    misfit: float,
    contradictions: tuple[tuple[str, str], ...],
    level: float,
) -> str:
    if contradictions:
        pairs = "; ".join(f"{a} against {b}" for a, b in contradictions)
        return (
            "Margins do not add up in this field: some direct results differ from what the ratings "
            f"say, by more than chance ({pairs}). Letters and ranks are therefore from direct "
            "meetings."
        )
    if p is None:
        return "The deals are too few, or do not vary, to test whether margins add up."
    if p < level:
        return (
            f"Margins do not quite add up (p = {p:.2g}; direct results are {misfit:.1f} points off "
            "the ratings' predictions, root mean square), but no pair contradicts the order."
        )
    return f"Margins add up, as far as can be seen (p = {p:.2g}; below {level:g} they would not)."


def _letters(order: tuple[str, ...], contrasts: tuple[Contrast, ...]) -> dict[str, str]:
    place = {name: i for i, name in enumerate(order)}
    different = [(place[c.first], place[c.second]) for c in contrasts if c.different]
    return dict(zip(order, compact_letters(len(order), different), strict=True))


def _beats(agents: tuple[str, ...], contrasts: tuple[Contrast, ...]) -> NDArray[np.bool_]:
    """Agent × agent: whether the one in the row is known to be ahead."""
    place = {name: i for i, name in enumerate(agents)}
    beats = np.zeros((len(agents), len(agents)), dtype=np.bool_)
    for c in contrasts:
        if c.direction:
            ahead, behind = (c.first, c.second) if c.direction > 0 else (c.second, c.first)
            beats[place[ahead], place[behind]] = True
    return beats


def _names(agents: tuple[str, ...], numbers: Iterable[int]) -> tuple[str, ...]:
    return tuple(agents[number] for number in numbers)


def _played(table: DealTable) -> FloatArray:
    return np.asarray(table.played.sum(axis=0))


def _negative(value: float | None) -> float | None:
    return None if value is None else -value
