"""Choices between kinds that have parameters of their own, and models."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator, ValidationError

from agents.beliefs.hoogenboom import Certain, Probabilities, Probable
from agents.networks.dense_network import Network, save_network
from agents.search.network import INPUTS
from agents.searchers.evaluators import NetworkJudge, Playouts
from arena.config.loader import load
from arena.config.model_file import ModelFile, model_files
from arena.config.schema import json_schema

ONE = "a: {{family: {}}}\nb: {{family: random}}"


def cards(experiment, name="a"):
    (member,) = experiment.entrant(name).members
    return member.build(experiment.folder).cards


def judge(path: Path, value: float = 1.0) -> ModelFile:
    weights = np.full(INPUTS + 1, value, dtype=np.float32)
    save_network(path, Network(np.array([INPUTS, 1]), weights), "by hand")
    return ModelFile.find(str(path))


@pytest.mark.parametrize(
    ("written", "beliefs"),
    [
        ("flat-mc", Certain()),
        ("flat-mc, beliefs: certain", Certain()),
        ("flat-mc, beliefs: uniform", Certain()),
        ("flat-mc, beliefs: probabilities", Probabilities()),
        ("flat-mc, beliefs: {kind: probabilities, m1: 1.5}", Probabilities(m1=1.5)),
        ("flat-mc, beliefs: {kind: probable, share: 0.5}", Probable(0.5)),
        ("ismcts, beliefs: {kind: probabilities, m2: 2}", Probabilities(m2=2.0)),
    ],
)
def test_beliefs(write, with_agents, written, beliefs):
    assert cards(load(write(with_agents(ONE.format(written))))).beliefs == beliefs


def test_what_is_resolved_says_the_kind_and_can_be_loaded_again(write, with_agents):
    text = with_agents(ONE.format("flat-mc, beliefs: {kind: probabilities, m1: 1.5}"))
    experiment = load(write(text))
    resolved = experiment.resolved["agents"]["a"]
    assert resolved["beliefs"] == {
        "kind": "probabilities", "m1": 1.5, "m2": 1.2, "roem_factor": 0.5, "most": 0.98,
    }  # fmt: skip
    assert "m1" not in resolved
    again = load(write(json.dumps(experiment.resolved)))
    assert again.resolved == experiment.resolved
    assert again.entrants == experiment.entrants


@pytest.mark.parametrize(
    ("written", "complaint"),
    [
        ("beliefs: probabel", ".beliefs: unknown kind 'probabel'; did you mean 'probable'?"),
        ("beliefs: {kind: probabel}", ".beliefs.kind: unknown kind 'probabel'; did you mean 'prob"),
        (
            "beliefs: {m1: 1.2}",
            ".beliefs.kind: missing; allowed: certain, network, plays, probabilities,",
        ),
        ("beliefs: 3", ".beliefs: expected the name of a kind, or a mapping with it, found 3"),
        (
            "beliefs: {kind: certain, m1: 1.2}",
            ".beliefs.m1: unknown key; it belongs to the kind 'probabilities'",
        ),
        (
            "beliefs: {kind: probabilities, m3: 1.2}",
            ".beliefs.m3: unknown key; allowed: kind, m1, m2, most, roem_factor",
        ),
        ("beliefs: {kind: probabilities, m1: x}", ".beliefs.m1: expected a number, found 'x' (te"),
        ("beliefs: {kind: probabilities, m1: -1}", ".beliefs.m1: must be at least 0, found -1"),
        ("beliefs: network", ".beliefs.model: missing"),
        ("beliefs: probabilities, m1: 2", ".m1: unknown key; "),
        ("beliefs: {kind: certain}, m1: 2", ".m1: unknown key; "),
        (
            "beliefs: {kind: network, model: nobody.npz}",
            ".beliefs.model: nobody.npz: not a model that can be read: No such file",
        ),
        (
            "beliefs: {kind: network, model: nobody}",
            ".beliefs.model: no model named 'nobody' is shipped; ",
        ),
        ("grid: {beliefs.m1: [1, x], beliefs.kind: [probabilities]}", ".grid.beliefs.m1: expected"),
        ("beliefs: {kind: certain}, grid: {beliefs.kind: [probable]}", ".grid.beliefs.kind: given"),
        (
            "beliefs: {kind: probabilities-2017, as_published: [coarse-ods]}",
            ": as_published: unknown 'coarse-ods'; did you mean 'coarse-odds'?",
        ),
    ],
)
def test_wrong_kinds_and_parameters(complaints, with_agents, written, complaint):
    (line,) = complaints(with_agents(ONE.format(f"flat-mc, {written}")))
    assert line.startswith(f"x.yaml:5: agents.a{complaint}")


def test_grids_over_parameters_of_a_kind(write, with_agents):
    grid = "grid: {beliefs.m1: [1, 1.2], beliefs.m2: [2]}"
    experiment = load(write(with_agents(ONE.format(f"flat-mc, beliefs: probabilities, {grid}"))))
    assert [entrant.name for entrant in experiment.entrants] == [
        "a-m1=1,m2=2", "a-m1=1.2,m2=2", "b",
    ]  # fmt: skip
    assert cards(experiment, "a-m1=1.2,m2=2").beliefs == Probabilities(1.2, 2.0)
    kinds = "grid: {beliefs: [certain, probable]}"
    experiment = load(write(with_agents(ONE.format(f"flat-mc, {kinds}"))))
    assert cards(experiment, "a-beliefs=probable").beliefs == Probable()


# --- models ------------------------------------------------------------------------------


def test_a_model_is_found_beside_the_experiment(write, with_agents, tmp_path, monkeypatch):
    (tmp_path / "models").mkdir()
    model = judge(tmp_path / "models" / "judge.npz")
    monkeypatch.chdir("/")
    written = "evaluator: {kind: network, model: models/judge.npz, mix: 0.5}"
    experiment = load(write(with_agents(ONE.format(f"ismcts, {written}"))))
    assert cards(experiment).evaluator == NetworkJudge(model, 0.5)
    resolved = experiment.resolved["agents"]["a"]["evaluator"]
    assert resolved["model"] == {"file": "models/judge.npz", "sha256": model.sha256}
    assert list(model_files(cards(experiment))) == [model]
    plain = load(write(with_agents(ONE.format("ismcts, evaluator: rollout"))))
    assert cards(plain).evaluator == Playouts()


def test_a_model_named_in_an_included_file(write, with_agents, tmp_path):
    write("agents: {a: {evaluator: {kind: network, model: judge.npz}}}", "parts/judged.yaml")
    model = judge(tmp_path / "parts" / "judge.npz")
    text = with_agents(ONE.format("ismcts"))
    experiment = load(write("include: parts/judged.yaml\n" + text))
    assert cards(experiment).evaluator.model == model
    resolved = experiment.resolved["agents"]["a"]["evaluator"]["model"]
    assert resolved["file"] == "parts/judge.npz"


def test_another_model_under_the_name_is_refused(write, with_agents, complaints, tmp_path):
    model = judge(tmp_path / "judge.npz")
    written = (
        f"ismcts, evaluator: {{kind: network, model: {{file: judge.npz, sha256: {model.sha256}}}}}"
    )
    assert cards(load(write(with_agents(ONE.format(written))))).evaluator.model == model
    judge(tmp_path / "judge.npz", 2.0)
    (line,) = complaints(with_agents(ONE.format(written)))
    assert line.startswith("x.yaml:5: agents.a.evaluator.model: judge.npz: is another model: its")


def test_the_schema_has_the_kinds():
    validate = Draft202012Validator(json_schema()).validate
    agent = {"family": "flat-mc"}
    experiment = {
        "name": "x", "game": "klaverjas", "deals": {"set": "klaverjas-given-1000"},
        "agents": {"a": agent},
    }  # fmt: skip
    for beliefs in ("certain", {"kind": "probabilities", "m1": 1.5}):
        agent["beliefs"] = beliefs
        validate(experiment)
    agent["grid"] = {"beliefs.m1": [1, 2]}
    validate(experiment)
    for beliefs in ("probabel", {"kind": "certain", "m1": 1.5}, {"m1": 2}):
        agent["beliefs"] = beliefs
        with pytest.raises(ValidationError):
            validate(experiment)
