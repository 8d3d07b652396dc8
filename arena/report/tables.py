"""The tables as CSV, with all digits."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

__all__ = ["tables"]


def tables(document: dict[str, Any]) -> dict[str, str]:
    """Name and content of every table."""
    found = {
        "agents": _csv(_agent(agent) for agent in document["agents"]),
        "pairs": _csv(_pair(pair) for pair in document["pairs"]),
        "los": _los(document["los"]),
        "points": _csv(_points(agent) for agent in document["makeup"]["agents"]),
        "tricks": _csv(
            {"agent": agent["name"], "trick": number, **trick}
            for agent in document["makeup"]["agents"]
            for number, trick in enumerate(agent["tricks"], start=1)
        ),
        "swings": _csv(
            {
                **{key: swing[key] for key in ("first", "second", "unit", "deal", "margin")},
                **{f"seating_{g['seating'] + 1}": g["margin"] for g in swing["games"]},
            }
            for swing in document["swings"]
        ),
        "references": _csv(_flat(reference) for reference in document["references"]),
        "sweeps": _csv(
            {"family": sweep["family"], "parameter": sweep["parameter"], **_flat(point)}
            for sweep in document["sweeps"]
            for point in sweep["points"]
        ),
        "margins": _csv(
            {
                "first": part["first"],
                "second": part["second"] or "",
                "margin": centre,
                "deals": deals,
                "games": games,
            }
            for part in document["distributions"]
            for centre, deals, games in zip(
                part["centres"], part["deals"], part["games"], strict=True
            )
        ),
    }
    return {name: text for name, text in found.items() if text}


def _csv(rows: Iterable[Mapping[str, Any]]) -> str:
    listed = list(rows)
    columns = list(dict.fromkeys(column for row in listed for column in row))
    if not columns:
        return ""
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(listed)
    return out.getvalue()


def _flat(values: Mapping[str, Any], skip: Sequence[str] = ()) -> dict[str, Any]:
    """Nested values as columns `outer_inner`."""
    flat: dict[str, Any] = {}
    for key, value in values.items():
        if key in skip:
            continue
        if isinstance(value, Mapping):
            flat |= {f"{key}_{inner}": x for inner, x in _flat(value).items()}
        elif isinstance(value, list):
            flat[key] = " ".join(map(str, value))
        else:
            flat[key] = value
    return flat


def _agent(agent: Mapping[str, Any]) -> dict[str, Any]:
    return _flat(agent, skip=("members",))


def _pair(pair: Mapping[str, Any]) -> dict[str, Any]:
    return _flat(pair)


def _points(agent: Mapping[str, Any]) -> dict[str, Any]:
    measures = _flat(agent["measures"])
    rates = _flat(agent["rates"])
    return {"agent": agent["name"], "rounds": agent["rounds"], **measures, **rates}


def _los(los: Mapping[str, Any]) -> str:
    names = los["agents"]
    return _csv(
        {"agent": name, **dict(zip(names, row, strict=True))}
        for name, row in zip(names, los["matrix"], strict=False)
    )
