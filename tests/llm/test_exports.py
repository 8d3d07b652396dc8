"""Positions as tasks and decisions as training text, for people who evaluate and train models."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.commands import arena_main
from helpers.llm_runs import experiment

from arena.audit.suites import find_suite, read_suite
from arena.core.cards import card_name
from arena.core.rules import action_name
from arena.llm.answers import judge
from arena.llm.prompt import Prompter
from arena.store import Run


@pytest.mark.parametrize("name", ["klaverjas", "hearts"])
def test_each_position_of_a_suite_is_a_task(name, tmp_path):
    out = tmp_path / "tasks.jsonl"
    done = arena_main(["suite", "export", name, "--tasks", "--out", str(out)])
    assert done.code == 0, done.err
    suite = read_suite(find_suite(name))
    tasks = [json.loads(line) for line in out.read_text().splitlines()]
    assert len(tasks) == len(suite.positions)
    for task, position in zip(tasks, suite.positions, strict=True):
        assert task["lost"] == {card_name(card): lost for card, lost in position.labels.items()}
        assert set(task["legal"]) == set(task["lost"]) and len(task["legal"]) >= 2
        assert task["best"] and all(task["lost"][card] == 0 for card in task["best"])
        assert f"Legal moves: {', '.join(task['legal'])}." in task["prompt"]


def test_tasks_may_hide_the_legal_moves_and_have_another_template(tmp_path):
    template = tmp_path / "t.txt"
    template.write_text("SHORT $rules $position $history")
    words = ["--tasks", "--legal-moves", "hidden", "--template", str(template), "--tag", "ending"]
    done = arena_main(["suite", "export", "klaverjas", *words])
    assert done.code == 0, done.err
    tasks = [json.loads(line) for line in done.out.splitlines()]
    assert 0 < len(tasks) < 200
    assert all(task["prompt"].startswith("SHORT") for task in tasks)
    assert not any("Legal moves" in task["prompt"] for task in tasks)
    missing = arena_main(["suite", "export", "klaverjas", "--tasks", "--template", "none.txt"])
    assert missing.code == 2 and "none.txt" in missing.err


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sft")
    path = experiment(folder, {"rule": {"family": "rule"}, "random": {"family": "random"}}, 2)
    assert arena_main(["run", str(path), "--out", str(folder / "run"), "--no-report"]).code == 0
    return folder / "run"


def test_each_decision_is_a_conversation(run):
    done = arena_main(["export", str(run), "--sft"])
    assert done.code == 0, done.err
    rows = [json.loads(line) for line in done.out.splitlines()]
    expected = []
    with Run(run) as results:
        for replay in results.replays(results.pairings[0]):
            state = results.rules.start(replay.deal, replay.standing)
            record = replay.record
            for action in record.actions:
                view = results.rules.view(state, state.turn)
                if len(view.legal) > 1:
                    expected.append((view, action, replay.seats[state.turn], record.margin))
                results.rules.apply(state, action)
    assert len(rows) == len(expected) > 80
    for row, (view, action, name, margin) in zip(rows, expected, strict=True):
        question, answer = row["messages"]
        assert question == {"role": "user", "content": Prompter.usual().prompt(view)}
        assert answer["role"] == "assistant"
        assert judge(answer["content"], "stop", view).action == action
        assert action_name(action) in answer["content"]
        assert (row["agent"], row["seat"]) == (name, "NESW"[view.seat])
        assert row["margin"] == (margin if name == "rule" else -margin)


def test_one_agent_only(run, tmp_path):
    out = tmp_path / "moves.jsonl"
    words = ["--sft", "--agent", "rule", "--legal-moves", "hidden", "--out", str(out)]
    assert arena_main(["export", str(run), *words]).code == 0
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert {row["agent"] for row in rows} == {"rule"}
    assert {row["against"] for row in rows} == {"random"}
    assert not any("Legal moves" in row["messages"][0]["content"] for row in rows)
    unknown = arena_main(["export", str(run), "--sft", "--agent", "rul"])
    assert unknown.code == 2 and "did you mean 'rule'?" in unknown.err
    assert arena_main(["export", str(run), "--agent", "rule"]).code == 2
