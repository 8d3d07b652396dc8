"""Changes between two runs of one experiment, per agent, paired by deal.

An agent is measured against unchanged opponents: those with the same members and fingerprint
in both runs. Otherwise a stronger opponent would make an unchanged agent look worse. Only agents
that changed are tested: what an unchanged one did differently is chance, and tests of it would
take power from the others.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena.analysis.results import Results, agent_differences, read, setup_differences
from arena.core.errors import ArenaError
from arena.stats import MeanDifference, adjust_p, mean_difference, paired_t
from arena.store import Run

ALPHA = 0.05


@dataclass(frozen=True)
class AgentChange:
    """How an agent's margin against the same opponents on the same deals has changed."""

    name: str
    differs: bool
    """Whether the code or the parameters of the agent changed."""
    opponents: tuple[str, ...]
    """The opponents that it was measured against: the same in both runs."""
    left_out: tuple[str, ...]
    """Opponents that changed."""
    old: float | None
    new: float | None
    change: MeanDifference
    """New less old margin, one value per deal: the mean over the common opponents."""
    p_adjusted: float | None
    """Paired t-test, adjusted over the agents that changed (Holm); None for one that did not."""
    significant: bool
    seconds_old: float
    """Mean time per decision."""
    seconds_new: float


@dataclass(frozen=True)
class Changes:
    """All agents that both runs have, in the order of the new one."""

    unit: str
    agents: tuple[AgentChange, ...]
    unmeasured: tuple[str, ...]
    """Agents that met no unchanged opponent in both runs."""
    differences: tuple[str, ...]
    """Known differences: agents, versions, seeds."""


def find_changes(old: Run, new: Run) -> Changes:
    """Compare two runs; refused with the difference if they are not on the same deals and rules."""
    refused = list(setup_differences(old, new))
    if refused:
        where = f"{old.path} and {new.path}"
        raise ArenaError(f"{where} are not two runs of one experiment: {'; '.join(refused)}")
    before, after = read([old]), read([new])
    common = [name for name in after.agents if name in before.agents]
    changed = {name for name in common if _differs(old, new, name)}
    parts = {name: _values(before, after, name, changed) for name in common}
    unmeasured = tuple(name for name, part in parts.items() if not len(part[1]))
    parts = {name: part for name, part in parts.items() if len(part[1])}
    if not parts:
        why = "no pair of agents has a deal in both"
        if changed:
            why = f"no agent met an unchanged opponent in both (changed: {', '.join(changed)})"
        raise ArenaError(f"{old.path} and {new.path}: {why}")
    p = {name: paired_t(parts[name][1] @ (-1, 1)).p for name in parts if name in changed}
    tested = {name: value for name, value in p.items() if value is not None}
    adjusted = dict(zip(tested, adjust_p(list(tested.values())).tolist(), strict=True))
    times_old, times_new = old.thinking(), new.thinking()
    agents = []
    for name, (opponents, values) in parts.items():
        agents.append(
            AgentChange(
                name=name,
                differs=name in changed,
                opponents=opponents,
                left_out=tuple(
                    sorted(pair.second for pair in after.of(name) if pair.second in changed)
                ),
                old=float(values[:, 0].mean()),
                new=float(values[:, 1].mean()),
                change=mean_difference(values @ (-1, 1)),
                p_adjusted=adjusted.get(name),
                significant=adjusted.get(name, 1.0) < ALPHA,
                seconds_old=times_old[name].mean,
                seconds_new=times_new[name].mean,
            )
        )
    return Changes(after.unit, tuple(agents), unmeasured, tuple(_differences(old, new)))


def _differs(old: Run, new: Run, name: str) -> bool:
    was, now = (run.manifest.entrants[name] for run in (old, new))
    return (was.members, was.fingerprint) != (now.members, now.fingerprint)


def _values(
    before: Results, after: Results, agent: str, changed: Collection[str]
) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    """Unchanged common opponents, and per deal the agent's old and new margin against them."""
    old = {
        pair.second: dict(zip(pair.units, pair.margins, strict=True)) for pair in before.of(agent)
    }
    sums: dict[str, list[tuple[float, float]]] = defaultdict(list)
    opponents: list[str] = []
    for pair in after.of(agent):
        if pair.second in changed:
            continue
        earlier = old.get(pair.second, {})
        shared = [
            (unit, margin)
            for unit, margin in zip(pair.units, pair.margins, strict=True)
            if unit in earlier
        ]
        opponents += [pair.second] if shared else []
        for unit, margin in shared:
            sums[unit].append((float(earlier[unit]), float(margin)))
    values = [np.mean(rows, axis=0) for _, rows in sorted(sums.items())]
    return tuple(opponents), np.array(values, dtype=np.float64).reshape(len(values), 2)


def _differences(old: Run, new: Run) -> list[str]:
    found = list(agent_differences(old, new))
    was, now = old.manifest, new.manifest
    for what, a, b in (("seed", was.seed, now.seed), ("commit", was.git_commit, now.git_commit)):
        if a != b:
            found.append(f"{what}: {a} and {b}")
    found += [
        f"{name}: {was.versions.get(name)} and {version}"
        for name, version in now.versions.items()
        if was.versions.get(name) != version
    ]
    return found
