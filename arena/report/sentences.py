"""Every sentence that a report can say about strength, each made by one function from numbers.

A function returns the sentence, or nothing when its case has not occurred; the tests name for
each the cases in which it must and in which it must not appear. Whatever is said here about who
is stronger comes from the joint comparison of the standings, so no two sentences can disagree:
a simultaneous interval excludes 0 exactly when the adjusted p-value is below the level.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from arena.analysis.references import ReferenceCheck
from arena.analysis.standings import Standings
from arena.analysis.sweeps import Sweep
from arena.report.labels import MANY
from arena.report.words import count, counted, interval, percent, plain, pvalue
from arena.stats import Contrast
from arena.stats.joint import SIDE_ISSUE
from arena.stats.power import POWER

MOST_NAMES = 6
MOST_LETTERS = 100
"""Names that a sentence lists, and how long they are together; the others are counted."""


@dataclass(frozen=True)
class Facts:
    """Facts that the sentences use besides the standings."""

    unit: str
    units: str
    higher_wins: bool
    stored: int
    wanted: int
    labels: dict[str, str]
    indifferent: float | None = None
    """Points per unit that do not matter, if the experiment says so."""

    def names(self, agents: Sequence[str], most: int = MOST_NAMES) -> str:
        """`a`, `a and b`, `a, b and c`; the last of many are counted."""
        shown = [self.labels.get(agent, agent) for agent in agents]
        lengths = accumulate(map(len, shown))
        most = most - 1 if len(shown) > most else len(shown)
        most = min(most, sum(length <= MOST_LETTERS for length in lengths) or 1)
        if left := len(shown) - most:
            shown = [*shown[:most], f"{count(left)} other{'s' if left > 1 else ''}"]
        if len(shown) < 2:
            return "".join(shown)
        return f"{', '.join(shown[:-1])} and {shown[-1]}"


# --- the verdict -------------------------------------------------------------------------


def headline(field: Standings, facts: Facts) -> str:
    """One-line summary of the run."""
    joint = field.joint
    all_agents = [agent.name for agent in field.agents]
    if not any(contrast.p_adjusted is not None for contrast in joint.contrasts):
        return f"Nothing can be said about who is stronger: {_why_not(joint.contrasts, facts)}."
    top = joint.top
    if len(all_agents) == 2:
        return _of_two(field, facts)
    circles = _circles(field, facts)
    if len(top) == len(all_agents) and not circles:
        many = len(all_agents) > MOST_NAMES
        who = f"all {count(len(all_agents))}" if many else facts.names(all_agents)
        return f"No agent is known to be stronger than another: {who} are not distinguishable."

    def names(agents: Sequence[str]) -> str:
        return facts.names(agents, MOST_NAMES if len(all_agents) < MANY else 2)

    def others(agents: Sequence[str]) -> str:
        few = len(all_agents) < MANY or len(agents) < 3
        return names(agents) if few else f"{count(len(agents))} others"

    behind = [name for name in joint.order if all(name in joint.worse(best) for best in top)]
    between = [name for name in all_agents if name not in top and name not in behind]
    if len(top) == 1 and not between:
        return f"{facts.names(top)} is the strongest: ahead of all others."
    if len(top) == 1:
        text = f"No agent is known to be stronger than {facts.names(top)}: "
        return f"{text}it is ahead of {others(behind)}, not known to be ahead of {others(between)}."
    text = circles or f"Top group: {names(top)} (not distinguishable)"
    if behind:
        text += f"; {'both' if len(top) == 2 else 'all'} ahead of {others(behind)}"
    if between:
        text += f"; {others(between)} {'is' if len(between) == 1 else 'are'} behind some of it"
    return f"{text}."


def _circles(field: Standings, facts: Facts) -> str:
    """Agents at the top that beat each other; empty if there are none."""
    joint = field.joint
    circles = [cycle for cycle in joint.cycles if set(cycle) & set(joint.top)]
    if not circles:
        return ""
    shown = "; ".join(
        " beats ".join(facts.labels[name] for name in (*cycle, cycle[0])) for cycle in circles
    )
    others = [name for name in joint.top if not any(name in cycle for cycle in circles)]
    also = f"; {facts.names(others)} {'is' if len(others) == 1 else 'are'} at the top too"
    return f"No agent is the strongest: {shown} in direct meetings{also if others else ''}"


def _why_not(contrasts: Sequence[Contrast], facts: Facts) -> str:
    if all(contrast.deals < 2 for contrast in contrasts):
        return f"one {facts.unit} shows no chance variation"
    return "the agents played alike or their results do not vary"


def _of_two(field: Standings, facts: Facts) -> str:
    contrast = _seen_from_the_better(field, field.agents[0].name, field.agents[1].name)
    assert contrast is not None and contrast.difference is not None  # there is a p-value
    first, second = facts.labels[contrast.first], facts.labels[contrast.second]
    if contrast.different:
        return (
            f"{first} is stronger than {second}: by {plain(contrast.difference)} points per "
            f"{facts.unit} ({_limits(contrast)}, {counted(contrast.deals, facts.unit)}, "
            f"p {pvalue(contrast.p_adjusted)})."
        )
    return f"{_no_difference(contrast, facts)}."


def _seen_from_the_better(field: Standings, one: str, other: str) -> Contrast | None:
    contrast = field.contrast(one, other)
    behind = contrast is not None and (contrast.difference or 0.0) < 0
    return contrast.reversed() if contrast is not None and behind else contrast


def _limits(contrast: Contrast) -> str:
    if contrast.low is None:
        return "the same every time, so no interval"
    return f"simultaneous 95% interval {interval(contrast.low, contrast.high)}"


def _no_difference(contrast: Contrast, facts: Facts) -> str:
    first, second = facts.labels[contrast.first], facts.labels[contrast.second]
    if contrast.low is None:
        return (
            f"{first} was ahead of {second} by {plain(contrast.difference)} points on each of "
            f"{counted(contrast.deals, facts.unit)}, too few to say who is stronger "
            f"(p {pvalue(contrast.p_adjusted)}, sign test)"
        )
    text = (
        f"No difference was found between {first} and {second} ({_limits(contrast)} points per "
        f"{facts.unit}, p {pvalue(contrast.p_adjusted)})"
    )
    if contrast.detectable is not None:
        text += (
            f"; a difference of {plain(contrast.detectable)} points would have been detectable "
            f"with {percent(POWER, 0)} probability"
        )
    return text


# --- what stands below it ----------------------------------------------------------------


def details(field: Standings, facts: Facts) -> Iterator[str]:
    """How far apart the best are, with intervals."""
    joint = field.joint
    all_agents = [agent.name for agent in field.agents]
    if len(all_agents) < 3:
        yield from _within(field, facts)
        return
    top = joint.top
    if len(top) == 1:
        second = next(name for name in all_agents if name != top[0])
        contrast = field.contrast(top[0], second)
        if contrast is not None and contrast.low is not None:
            known = "" if contrast.different else ", not a known difference"
            behind = (contrast.difference or 0.0) >= 0
            yield (
                f"Next is {facts.labels[second]}, {plain(abs(contrast.difference or 0.0))} points "
                f"per {facts.unit} {'behind' if behind else 'ahead'} "
                f"({_limits(contrast)}, p {pvalue(contrast.p_adjusted)}{known})."
            )
    elif len(top) > 1:
        contrast = _seen_from_the_better(field, top[0], top[-1])
        if contrast is not None and contrast.low is not None and not contrast.different:
            yield f"{_no_difference(contrast, facts)}."
    yield from _within(field, facts)
    different = sum(contrast.different for contrast in joint.contrasts)
    yield (
        f"{count(different)} of {count(len(joint.contrasts))} comparisons differ beyond chance, "
        f"all adjusted together ({counted(joint.fit.deals, facts.unit)})."
    )


def _within(field: Standings, facts: Facts) -> Iterator[str]:
    """How far an agent can be from the best one, by the same simultaneous intervals."""
    joint, limit = field.joint, facts.indifferent
    within = {name: joint.within(name) for name in joint.order}
    if joint.cycles or any(points is None for points in within.values()):
        return  # agents in a circle have no best
    if limit is not None:
        near = [name for name, points in within.items() if points is not None and points <= limit]
        of_the_best = f"within {limit:g} points per {facts.unit} of the best"
        if len(near) == len(within):
            yield (
                f"No two agents differ by more than {limit:g} points per {facts.unit} (95%): no "
                "difference that matters here."
            )
        elif near:
            be = "is" if len(near) == 1 else "are"
            yield f"{facts.names(near)} {be} {of_the_best} (95%): less does not matter here."
        else:
            yield f"No agent is known to be {of_the_best}; less would not matter here."
    elif len(joint.top) > 1 and len(within) > 2:
        most = max(points or 0.0 for name, points in within.items() if name in joint.top)
        who = "Every agent" if len(joint.top) == len(within) else "Each of the top group"
        yield (
            f"{who} is within {plain(most)} points per {facts.unit} of the best (95%, together "
            "with all comparisons)."
        )


def published(checks: Sequence[ReferenceCheck]) -> str:
    """How many published values the run agrees with."""
    compared = [check.z for check in checks if check.z is not None]
    if not compared:
        return "No published value could be compared with this run's."
    near = sum(abs(z) <= 2 for z in compared)
    one = len(compared) == 1
    text = (
        f"{count(near)} of {count(len(compared))} published value{'' if one else 's'} "
        f"{'is' if near == 1 else 'are'} within two standard errors of this run's"
    )
    left = len(checks) - len(compared)
    return f"{text}; {count(left)} could not be compared." if left else f"{text}."


def scoring(facts: Facts) -> str:
    """Games in which fewer points are better say so."""
    if facts.higher_wins:
        return ""
    return (
        "Fewer points are better in this game. Margins and ratings are points saved: "
        "more of them is better."
    )


def cautions(field: Standings, facts: Facts) -> Iterator[str]:
    """Cautions about the reliability of the results."""
    if facts.stored < facts.wanted:
        yield (
            f"The run is not complete: {count(facts.stored)} of {count(facts.wanted)} "
            f"{facts.units} are stored."
        )
    if field.joint.basis == "direct":
        yield field.joint.fit.words


def forfeit_sentences(
    field: Standings, played: Standings | None, facts: Facts
) -> Iterator[tuple[str, bool]]:
    """Sentences about forfeits, and whether the report must begin with them."""
    for agent in field.agents:
        if not agent.forfeits:
            continue
        name = facts.labels[agent.name]
        if agent.forfeits_all:
            yield (
                f"{name} forfeited every {facts.unit} it played ({count(agent.units)}): its place "
                "says that it does not finish, not how well it plays.",
                True,
            )
        else:
            yield (
                f"{name} forfeited {count(agent.forfeits)} of {counted(agent.units, facts.unit)}, "
                "each counted as lost; strength is shown with and without them.",
                False,
            )
    if played is not None:
        best, leader = played.joint.order[0], field.joint.order[0]
        lead = played.contrast(best, leader) if best != leader else None
        # A second family of comparisons on one page: a side issue, with its share of the level.
        p = 1.0 if lead is None or lead.p_adjusted is None else lead.p_adjusted
        if p < SIDE_ISSUE * played.alpha:
            ahead = f"{facts.labels[best]} is ahead of {facts.labels[leader]}"
            yield f"Without forfeited {facts.units}, {ahead}.", False


# --- sweeps ------------------------------------------------------------------------------


_SETTINGS = re.compile(r"(?:^|, )([\w.]+)=")


def sweep_sentences(sweep: Sweep, facts: Facts) -> str:
    """The best settings, by the joint comparison."""
    lines = _SETTINGS.findall(sweep.points[0].line)
    listed, what = facts.names(sweep.best), f"{sweep.family} by "
    what += facts.names((sweep.parameter, *lines))
    if len(sweep.best) == len(sweep.points):
        return f"{what}: no setting is known to be better than another."
    rest = [point.agent for point in sweep.points if point.agent not in sweep.best]
    if len(sweep.best) == 1:
        return f"{what}: {listed} is the best setting of {count(len(sweep.points))}."
    return (
        f"{what}: the best settings are {listed}, none of them known to be the best; "
        f"{count(len(rest))} of {count(len(sweep.points))} {'is' if len(rest) == 1 else 'are'} "
        "known to be worse."
    )
