"""The JSON Schema: what editors accept is what arena accepts, as far as a schema can tell."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from helpers.paths import ROOT
from jsonschema import Draft202012Validator, ValidationError

from arena.config.loader import load
from arena.config.schema import json_schema
from arena.core.files import find_shipped, shipped_names


@pytest.fixture
def validator():
    return Draft202012Validator(json_schema())


def test_it_is_a_schema(validator):
    Draft202012Validator.check_schema(validator.schema)


def test_every_shipped_experiment_fits(validator):
    names = shipped_names("configs", ".yaml")
    assert "quickstart" in names
    for name in names:
        validator.validate(yaml.safe_load(find_shipped("configs", name, ".yaml").read_text()))


def test_the_resolved_form_fits_too(validator):
    validator.validate(dict(load("quickstart").resolved))


def test_the_example_of_the_plug_in_fits_but_for_its_family(validator):
    example = yaml.safe_load((ROOT / "examples/arena-plugin-lowest/experiment.yaml").read_text())
    with pytest.raises(ValidationError):
        validator.validate(example)
    example["agents"]["lowest"] = {"family": "semi-random", "grid": {"better": [True, False]}}
    validator.validate(example)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("protect_tens: true", "protect_tens: 1"),
        ("protect_tens", "protect_tnes"),
        ("family: rule", "family: ruel"),
        ("family: rule", "mode: as-written"),
        ("family: rule", "family: rule, bidder: nobody"),
        ("family: rule", "family: rule, bidder: {threshold: 5}"),
        ("family: rule", "family: searcher, limit: {node: 5}"),
        ("family: rule", "family: searcher, playouts: 0"),
        ("family: rule", "family: rule, grid: {mode: []}"),
        ("family: rule", "family: rule, grid: {mood: [as-written]}"),
        ("family: rule", "team: [random]"),
        ("rotterdam", "rotterdm"),
        ("name: klaverjas", "name: klaverjass"),
        ("name: klaverjas, ", ""),
        ("seed: 1", "seed: '7'"),
        ("seed: 1", "sed: 1"),
        ("type: round-robin", "type: robin"),
        ("name: families", "nmae: families"),
        ("limit: 4", "limit: 0"),
    ],
)
def test_what_arena_refuses_the_schema_refuses(validator, whole, complaints, old, new):
    text = whole.replace(old, new, 1)
    assert complaints(text)
    with pytest.raises(ValidationError):
        validator.validate(yaml.safe_load(text))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("family: rule", "family: searcher, limit: {nodes: 5}, worlds: all, weights: [1, 2]"),
        ("family: rule", "family: searcher, grid: {playouts: [1, 2], bidder: [caller]}"),
        ("family: rule", "family: rule, bidder: caller"),
        ("family: rule", "family: rule, bidder: {family: caller, threshold: 4}"),
        ("family: rule", "team: [random, semi]"),
        ("{name: klaverjas, variant: rotterdam, bidding: given}", "klaverjas"),
        ("seed: 1", "match: true"),
        ("seed: 1", "match: {rounds: 2}"),
        ("seed: 1", "reference: [{label: x, agent: rule, value: 1.5}]"),
    ],
)
def test_what_arena_accepts_the_schema_accepts(validator, whole, write, old, new):
    text = whole.replace(old, new, 1)
    load(write(text))
    validator.validate(yaml.safe_load(text))


def test_a_file_that_includes_another_need_not_say_everything(validator):
    validator.validate({"include": "base.yaml", "agents": {"mc": {"playouts": 5}}})
    with pytest.raises(ValidationError):
        validator.validate({"agents": {"mc": {"playouts": 5}}})
    with pytest.raises(ValidationError):
        validator.validate({"include": "base.yaml", "agents": {"mc": {"playuots": 5}}})


def test_it_explains_itself(validator):
    properties = validator.schema["properties"]
    assert properties["seed"]["description"] == "Where all randomness comes from."
    (agent,) = properties["agents"]["patternProperties"].values()
    agents = agent["anyOf"]
    (searcher,) = [agent for agent in agents if agent.get("title") == "searcher"]
    assert searcher["properties"]["playouts"]["description"] == "playouts per card"
    assert searcher["properties"]["playouts"]["default"] == 1000


CONFIGS = ROOT / "configs"


@pytest.mark.parametrize(
    "file",
    sorted(f for f in CONFIGS.rglob("*.yaml") if not {"training", "gates", "studies"} & {*f.parts}),
    ids=lambda file: str(file.relative_to(CONFIGS)),
)
def test_editors_find_the_schema_of_every_shipped_experiment(file: Path) -> None:
    first = file.read_text(encoding="utf-8").partition("\n")[0]
    path = file.parent / first.removeprefix("# yaml-language-server: $schema=")
    assert path.resolve() == CONFIGS / "experiment.schema.json"
