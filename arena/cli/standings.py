"""The tables at the end of a run: the standings of `arena.analysis`, as text.

Order, numbers and names are those of the report, because both show one `Standings`.
"""

from __future__ import annotations

from arena.analysis import Standings, read, standings
from arena.cli.table import text_table
from arena.report.words import count, duration, interval, percent, plain, pvalue, signed
from arena.store import Run, Thinking

__all__ = ["standings_text"]


def standings_text(run: Run) -> str:
    """Standings, pairs and times of a run."""
    found = standings(read([run]))
    thinking = run.thinking()
    tables = (_agents(run, found, thinking), _pairs(found), _times(found, thinking))
    return "\n\n".join(tables) + "\n"


def _units(found: Standings) -> str:
    return {"deal": "deals", "match": "matches"}[found.unit]


def _agents(run: Run, found: Standings, thinking: dict[str, Thinking]) -> str:
    rows = []
    for agent in found.agents:
        sees_all = run.manifest.entrants[agent.agent].sees_all_cards
        strength = agent.rating or agent.margin
        rows.append(
            (
                f"{agent.agent} (sees all cards)" if sees_all else agent.agent,
                str(agent.rank),
                agent.letters,
                signed(strength.value),
                interval(strength.low, strength.high),
                plain(agent.points.value),
                percent(agent.win_rate.value),
                count(agent.margin.n),
                duration(thinking[agent.agent].mean),
            )
        )
    head = ("agent", "rank", "group", "score rating", "95% interval")
    more = (f"points per {found.unit}", "win rate", _units(found), "per decision")
    return text_table((*head, *more), rows)


def _pairs(found: Standings) -> str:
    rows = []
    for pair in found.pairs:
        outcomes, difference = pair.outcomes, pair.difference
        rows.append(
            (
                f"{pair.first} - {pair.second}",
                count(difference.n),
                signed(difference.mean),
                interval(difference.low, difference.high),
                pvalue(pair.p_adjusted).removeprefix("= "),
                f"{outcomes.wins}-{outcomes.draws}-{outcomes.losses}",
                percent(pair.win_rate.value),
            )
        )
    head = ("pair", _units(found), f"margin per {found.unit}", "95% interval", "p (Holm)")
    return text_table((*head, "won-drawn-lost", "win rate"), rows)


def _times(found: Standings, thinking: dict[str, Thinking]) -> str:
    rows = []
    for agent in found.agents:
        spent = thinking[agent.agent]
        times = (spent.mean, spent.median, spent.p95, spent.max, spent.total)
        rows.append((agent.agent, count(spent.decisions), *map(duration, times)))
    return text_table(
        ("time per decision", "decisions", "mean", "median", "95th", "max", "total"), rows
    )
