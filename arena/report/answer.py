"""The answer in a sentence or two, written from the numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from arena.report.words import count, interval, method, plain, pvalue

__all__ = ["answer", "summarise"]

MOST_UNDECIDED = 3


def summarise(document: dict[str, Any]) -> dict[str, Any]:
    """How many pairs are decided, and how the leader did in its own."""
    pairs, leader = document["pairs"], document["agents"][0]["name"]
    open_pairs = [pair for pair in pairs if not pair["significant"] and pair["p"] is not None]
    return {
        "leader": leader,
        "leader_opponents": sum(leader in (pair["first"], pair["second"]) for pair in pairs),
        "leader_beats": sum(pair["significant"] and pair["first"] == leader for pair in pairs),
        "pairs": len(pairs),
        "decided": sum(pair["significant"] for pair in pairs),
        "undecided": len(open_pairs),
        "undecided_not_listed": max(0, len(open_pairs) - MOST_UNDECIDED),
    }


def answer(document: dict[str, Any]) -> list[str]:
    """What was found, and what was not."""
    untested = [pair for pair in document["pairs"] if pair["p"] is None]
    return [
        *_found(document),
        *_undecided(document),
        *(f"{p['first']} and {p['second']}: {p['note']}" for p in untested[:MOST_UNDECIDED]),
    ]


def _found(document: dict[str, Any]) -> Iterator[str]:
    summary, pairs = document["summary"], document["pairs"]
    leader = summary["leader"]
    if not summary["decided"]:
        return
    if summary["pairs"] == 1:
        yield f"{_beats(document, pairs[0])}."
        return
    beaten = [pair for pair in pairs if pair["significant"] and pair["first"] == leader]
    if not beaten:
        yield f"{leader} leads, but no victory of its own is beyond chance."
    else:
        # The closest of its victories says the most about the leader.
        closest = _beats(document, min(beaten, key=lambda pair: float(pair["mean"])))
        if len(beaten) == 1:
            yield f"{closest}."
        elif len(beaten) == summary["leader_opponents"]:
            yield f"{leader} is ahead of all others; the closest: {closest}."
        else:
            opponents = f"{summary['leader_beats']} of {summary['leader_opponents']} opponents"
            yield f"{leader} leads and beats {opponents}; the closest: {closest}."
    yield f"{summary['decided']} of {summary['pairs']} pairs differ beyond chance."


def _undecided(document: dict[str, Any]) -> Iterator[str]:
    unit, summary = document["run"]["unit"], document["summary"]
    pairs = [p for p in document["pairs"] if not p["significant"] and p["p"] is not None]
    for pair in pairs[:MOST_UNDECIDED]:
        would = (
            f", and one of {plain(pair['detectable'])} points would have been"
            if pair["detectable"] is not None
            else ""
        )
        yield (
            f"No difference was found between {pair['first']} and {pair['second']} "
            f"({_level(document)} interval {interval(pair['low'], pair['high'])} points "
            f"per {unit}, "
            f"p {pvalue(pair['p_adjusted'])}){would}."
        )
    if summary["undecided_not_listed"]:
        yield f"{count(summary['undecided_not_listed'])} more pairs are undecided."


def _level(document: dict[str, Any]) -> str:
    return f"{100 * document['conventions']['confidence']:.0f}%"


def _beats(document: dict[str, Any], pair: dict[str, Any]) -> str:
    unit, units = document["run"]["unit"], document["run"]["units"]
    return (
        f"{pair['first']} beats {pair['second']} by {plain(pair['mean'])} points per {unit} "
        f"({_level(document)} interval {interval(pair['low'], pair['high'])}, "
        f"{count(pair['n'])} {units}, p {pvalue(pair['p_adjusted'])}, "
        f"{method(document['conventions']['adjustment'])})"
    )
