"""`report.json`: every number of the report under a stable name (see docs/report-json.md).

Page, text, tables and figures are all drawn from this document and from nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import yaml

from arena.analysis import (
    Estimate,
    Results,
    Standings,
    check_references,
    distributions,
    find_sweeps,
    largest_swings,
    make_up,
    read,
    standings,
)
from arena.analysis.compare import POWER
from arena.analysis.makeup import AgentMakeup
from arena.parameters import plain
from arena.report.answer import answer, summarise
from arena.report.replays import replay_of, run_label
from arena.report.words import P_FLOOR, ROLES
from arena.stats import Rating
from arena.store import Run, Thinking
from arena.store.manifest import CONFIG, Machine

__all__ = ["FORMAT", "make_document"]

FORMAT = 1
MOST_FAULTS = 20


def make_document(run: Run) -> dict[str, Any]:
    """Everything that the report of a run says."""
    results = read([run])
    field = standings(results)
    thinking = run.thinking()
    agents = _agents(run, field, thinking)
    pairs = [_pair(pair) for pair in field.pairs]
    document: dict[str, Any] = {
        "format": FORMAT,
        "run": _run(run, results),
        "conventions": {
            "confidence": 1 - field.alpha,
            "alpha": field.alpha,
            "adjustment": field.adjustment,
            "power": POWER,
            "p_floor": P_FLOOR,
            "los_ceiling": 1 - P_FLOOR,
            "slow_percentile": 95,
        },
        "summary": {},
        "answer": [],
        "agents": agents,
        "pairs": pairs,
        "los": {"agents": [a["name"] for a in agents], "matrix": [list(row) for row in field.los]},
        "cycles": {
            "cycles": [list(cycle) for cycle in field.cycles.cycles],
            "note": field.cycles.note,
        },
        "notes": list(field.notes),
        "references": [asdict(check) for check in _references(run, results)],
        "sweeps": [asdict(sweep) for sweep in _sweeps(run, field)],
        "distributions": [asdict(part) for part in distributions(results)],
        "makeup": _makeup(run),
        "swings": [replay_of(run, swing) for swing in largest_swings(results)],
        "faults": _faults(run),
        "provenance": _provenance(run),
    }
    document["summary"] = summarise(document)
    document["answer"] = answer(document)
    return document


# --- the run -----------------------------------------------------------------------------


def _run(run: Run, results: Results) -> dict[str, Any]:
    manifest = run.manifest
    stored = {f"{p.first} - {p.second}": run.units_stored(p) for p in run.pairings}
    return {
        "name": run.name,
        "description": manifest.description,
        "game": manifest.rules.game,
        "options": manifest.rules.options,
        "unit": results.unit,
        "units": {"deal": "deals", "match": "matches"}[results.unit],
        "higher_wins": run.rules.higher_wins,
        "bonus": run_label(run.rules, "bonus"),
        "units_per_pair": run.units_per_pairing,
        "seatings": len(run.seatings),
        "agents": len(results.agents),
        "pairs": len(run.pairings),
        "complete": all(n == run.units_per_pairing for n in stored.values()),
        "units_stored": sum(stored.values()),
        "units_wanted": run.units_per_pairing * len(run.pairings),
    }


def _provenance(run: Run) -> dict[str, Any]:
    manifest = run.manifest
    return {
        "config": yaml.safe_dump(run.config, sort_keys=False, allow_unicode=True, width=100),
        "config_sha256": manifest.config_sha256,
        "deal_set": manifest.deal_set,
        "deals": manifest.deals,
        "deals_sha256": manifest.deals_sha256,
        "rules_version": manifest.rules.version,
        "seed": manifest.seed,
        "seatings": list(manifest.seatings),
        "versions": manifest.versions,
        "git_commit": manifest.git_commit,
        "machine": _machine(manifest.machine),
        "started": manifest.started,
        "ended": manifest.ended,
        "sessions": len(manifest.sessions),
        "jobs": manifest.sessions[-1].jobs,
        "cpu_seconds": round(manifest.cpu_s, 3),
        "fingerprints": {name: e.fingerprint for name, e in manifest.entrants.items()},
        "command": f"arena run {CONFIG} --out again",
    }


def _machine(machine: Machine) -> dict[str, Any]:
    """What matters for times; the manifest has the rest."""
    system = machine.platform.partition("-")[0]
    return {"processor": machine.processor, "cores": machine.cores, "system": system}


# --- agents and pairs --------------------------------------------------------------------


def _agents(run: Run, field: Standings, thinking: dict[str, Thinking]) -> list[dict[str, Any]]:
    faults: dict[str, int] = {}
    for pairing, fault in run.faults():
        name = pairing[fault.entrant]
        faults[str(name)] = faults.get(str(name), 0) + 1
    found: list[dict[str, Any]] = []
    for agent in field.agents:
        entrant = run.manifest.entrants[agent.agent]
        found.append(
            {
                "name": agent.agent,
                "rank": agent.rank,
                "rank_best": agent.rank_best,
                "rank_worst": agent.rank_worst,
                "letters": agent.letters,
                "rating": _rating(agent.rating),
                "elo": _rating(agent.elo),
                "margin": asdict(agent.margin),
                "points": asdict(agent.points),
                "win_rate": asdict(agent.win_rate),
                "seconds": asdict(thinking[agent.agent]),
                "forfeits": agent.forfeits,
                "faults": faults.get(agent.agent, 0),
                "sees_all_cards": entrant.sees_all_cards,
                "members": plain(entrant.members),
                "on_front": False,
            }
        )
    for one in found:
        one["on_front"] = not any(_dominates(other, one) for other in found)
    return found


def _rating(rating: Rating | None) -> dict[str, Any] | None:
    if rating is None:
        return None
    return {key: value for key, value in asdict(rating).items() if key != "agent"}


def _strength(agent: dict[str, Any]) -> float:
    return float((agent["rating"] or agent["margin"])["value"] or 0.0)


def _dominates(other: dict[str, Any], one: dict[str, Any]) -> bool:
    """Whether another agent is stronger without taking longer, or faster without being weaker."""
    gain = _strength(other) - _strength(one)
    slower = other["seconds"]["mean"] - one["seconds"]["mean"]
    return gain >= 0 and slower <= 0 and (gain > 0 or slower < 0)


def _pair(pair: Any) -> dict[str, Any]:
    difference = asdict(pair.difference)
    return {
        "first": pair.first,
        "second": pair.second,
        **{key: difference[key] for key in ("n", "mean", "low", "high", "sd", "se", "zeros")},
        "p": pair.p,
        "p_adjusted": pair.p_adjusted,
        "significant": pair.significant,
        "won": pair.outcomes.wins,
        "drawn": pair.outcomes.draws,
        "lost": pair.outcomes.losses,
        "win_rate": asdict(pair.win_rate),
        "los": pair.los,
        "detectable": pair.detectable,
        "saving": None if pair.saving is None else asdict(pair.saving),
        "forfeits": list(pair.forfeits),
        "note": pair.note or pair.difference.note,
    }


# --- the rest ----------------------------------------------------------------------------


def _references(run: Run, results: Results) -> list[Any]:
    return check_references(results, run.manifest.references)


def _sweeps(run: Run, field: Standings) -> list[Any]:
    opponents: dict[str, set[str]] = {}
    margins: dict[tuple[str, str], Estimate] = {}
    for pair in field.pairs:
        d = pair.difference
        opponents.setdefault(pair.first, set()).add(pair.second)
        opponents.setdefault(pair.second, set()).add(pair.first)
        margins[pair.first, pair.second] = Estimate.of(d)
        low = None if d.high is None else -d.high
        high = None if d.low is None else -d.low
        mean = None if d.mean is None else -d.mean
        margins[pair.second, pair.first] = Estimate(mean, low, high, d.n, d.se, d.note)
    strength = {
        agent.agent: Estimate(
            agent.rating.value, agent.rating.low, agent.rating.high, agent.margin.n, agent.rating.se
        )
        if agent.rating
        else agent.margin
        for agent in field.agents
    }
    return find_sweeps(run.manifest.entrants, opponents, strength, margins)


def _makeup(run: Run) -> dict[str, Any]:
    made = make_up(run)
    flags = list(getattr(run.rules, "flag_owners", {}))
    return {
        "labels": {flag: run_label(run.rules, flag) for flag in flags},
        "owners": dict(getattr(run.rules, "flag_owners", {})),
        "roles": _roles(made.agents),
        "rounds_replayed": made.replayed,
        "agents": [
            {
                "name": agent.agent,
                "rounds": agent.rounds,
                "measures": {k: asdict(v) for k, v in agent.measures.items() if v.n},
                "rates": {k: asdict(v) for k, v in agent.rates.items() if v.n},
                "tricks": [asdict(trick) for trick in agent.tricks],
            }
            for agent in made.agents
        ],
    }


def _roles(agents: Sequence[AgentMakeup]) -> list[str]:
    """The roles that the game has; leading is none of its own where the declarer always leads."""
    same = all(
        agent.measures.get("score_as_leader") == agent.measures.get("score_as_declarer")
        for agent in agents
    )
    skipped = ("score_as_leader", "score_not_leading") if same else ()
    return [
        role
        for role in ROLES
        if role not in skipped and any(agent.measures[role].n for agent in agents)
    ]


def _faults(run: Run) -> dict[str, Any]:
    faults = run.faults()
    return {
        "count": len(faults),
        "shown": min(len(faults), MOST_FAULTS),
        "listed": [
            {
                "agent": pairing[fault.entrant],
                "opponent": pairing[1 - fault.entrant],
                "deal": fault.deal,
                "seating": fault.seating,
                "kind": fault.kind,
                "message": fault.message.partition("\n")[0],
            }
            for pairing, fault in faults[:MOST_FAULTS]
        ],
    }
