"""The JSON Schema of experiment files, so that editors complete and check them.

It has the options of all games and the parameters of all families that are
installed, plug-ins included. A schema cannot say everything: whether names are
declared, files exist and deals fit is checked by `arena validate`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from arena.config.entrants import Isolate
from arena.config.grids import MOST_TWINS
from arena.config.models import ExperimentFile, Team
from arena.config.parameters import model_of
from arena.core.codec import DIALECT
from arena.core.registry import AGENTS, BIDDERS, GAMES, Registry
from arena.process.limits import Limits
from arena.process.revision import GitSource

REFERENCE = "#/$defs/{model}"
_OWN_CODE = {
    "title": "code next to the experiment",
    "description": "A class in a file, FILE.py:CLASS, with the fields of its dataclass.",
    "type": "object",
    "properties": {"family": {"type": "string", "pattern": ":[A-Za-z_][A-Za-z0-9_]*$"}},
    "required": ["family"],
}
_TWINS = {"type": "integer", "minimum": 1, "maximum": MOST_TWINS}


def json_schema(report: Callable[[str], object] = lambda line: None) -> dict[str, Any]:
    """The schema as plain data; `report` receives a line for each plug-in that is left out."""
    games, agents, bidders = (_models(registry, report) for registry in (GAMES, AGENTS, BIDDERS))
    models: list[type[BaseModel]] = [ExperimentFile, Team]
    for named in (games, agents, bidders):
        models += named.values()
    made, top = models_json_schema(
        [(model, "validation") for model in dict.fromkeys(models)], ref_template=REFERENCE
    )
    definitions: dict[str, dict[str, Any]] = top["$defs"]

    def definition(model: type[BaseModel]) -> dict[str, Any]:
        reference: str = made[model, "validation"]["$ref"]
        return definitions[reference.rpartition("/")[2]]

    bidder = [
        {**model, "required": ["family", *model["required"]]}
        for model in _by_name("family", {name: definition(bidders[name]) for name in bidders})
    ]
    file = definition(ExperimentFile)
    file["properties"]["game"] = {
        "anyOf": [
            *_by_name("name", {name: definition(games[name]) for name in games}),
            {"enum": list(games), "description": "A game with its usual options."},
        ]
    }
    families = [
        _with_bidder_and_grid(agent, bidder, list(bidders))
        for agent in _by_name("family", {name: definition(agents[name]) for name in agents})
    ]
    agent = {"anyOf": [*families, _OWN_CODE, definition(Team)]}
    by_name = file["properties"]["agents"]
    by_name["patternProperties"] = dict.fromkeys(by_name["patternProperties"], agent)
    by_name["additionalProperties"] = False
    file["properties"]["include"] = {
        "description": "Files that are merged under this one.",
        "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}],
    }
    return {
        "$schema": DIALECT,
        **_complete_unless_included(file),
        "$defs": _used(definitions, file),
    }


def _models(registry: Registry[Any], report: Callable[[str], object]) -> dict[str, type[BaseModel]]:
    return {name: model_of(family) for name, family in registry.loaded(report).items()}


def _by_name(key: str, models: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """For each name, an object that has this name under `key` and what the model says."""
    return [
        {
            **model,
            "title": name,
            "properties": {key: {"const": name}, **model.get("properties", {})},
            "required": model.get("required", []),
        }
        for name, model in models.items()
    ]


def _with_bidder_and_grid(
    agent: dict[str, Any], bidder: list[dict[str, Any]], bidders: list[str]
) -> dict[str, Any]:
    parameters = {k: v for k, v in agent["properties"].items() if k != "family"}
    varied = {**parameters, "bidder": {"enum": bidders}}
    grid = {
        "type": "object",
        "description": "Every combination of these values becomes an agent.",
        "additionalProperties": False,
        "minProperties": 1,
        "properties": {
            name: {"type": "array", "minItems": 1, "items": value} for name, value in varied.items()
        },
        # Parameters of parameters, such as `beliefs.m1`.
        "patternProperties": {r"\.": {"type": "array", "minItems": 1}},
    }
    named = {"anyOf": [{"enum": bidders}, *bidder, {"type": "null"}]}
    properties = {
        **agent["properties"],
        "bidder": {"description": "Who bids for this card player.", **named},
        "grid": grid,
        "limits": model_of(Limits).model_json_schema(),
        "source": model_of(GitSource).model_json_schema(),
        "isolate": {
            "description": "Whether it plays in a process of its own: a new one for each-deal, "
            "in a sandbox, or (process) without one even if it is a program.",
            "enum": list(get_args(Isolate)),
        },
        "replicate": {
            "description": "How many twins play, which differ in their random numbers only.",
            **_TWINS,
        },
        "twin": {"description": "Which of several twins this one is.", **_TWINS},
    }
    # A parameter that must be given may be given by the grid.
    return {**agent, "properties": properties, "required": []}


def _complete_unless_included(file: dict[str, Any]) -> dict[str, Any]:
    """Required keys may come from an included file."""
    agent = {"anyOf": [{"required": ["family"]}, {"required": ["team"]}]}
    complete = {
        "required": file.pop("required"),
        "properties": {
            "game": {"anyOf": [{"type": "string"}, {"required": ["name"]}]},
            "agents": {"additionalProperties": agent},
        },
    }
    return {**file, "anyOf": [{"required": ["include"]}, complete]}


def _used(definitions: dict[str, Any], root: dict[str, Any]) -> dict[str, Any]:
    """The definitions that something refers to; the others have been put in their places."""
    used: dict[str, Any] = {}
    waiting: list[Any] = [root]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting += value
        elif isinstance(value, dict):
            waiting += value.values()
            name = str(value.get("$ref", "")).rpartition("/")[2]
            if name and name not in used:
                used[name] = definitions[name]
                waiting.append(definitions[name])
    return dict(sorted(used.items()))
