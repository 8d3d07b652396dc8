"""Whole runs with a language model, asked of a real server process on this machine."""

from __future__ import annotations

import importlib
import json
import signal
import sqlite3
import subprocess
import sys
import time
from typing import Any

import pytest
from helpers.commands import arena_main
from helpers.llm_runs import experiment, model, play
from helpers.llm_server import serving, stats
from helpers.paths import ROOT
from helpers.thirds.rules import Thirds

from arena.core.agent import Player
from arena.core.seeds import Rng
from arena.games.hearts import Hearts
from arena.games.klaverjas import Klaverjas
from arena.games.schieber import Schieber
from arena.llm.agent import LanguageModel
from arena.llm.conversations import REPLIES, Conversations, RequestLimits
from arena.llm.prompt import rules_words
from arena.store import Run
from arena.tournament.fingerprint import probe
from arena.tournament.referee import Clock, Lineup, Referee, first_decisions

KEY = "sk-grep-for-me-1234"


def asked(server: str, name: str) -> int:
    return int(stats(server)["asked"].get(name, 0))


def test_a_run_and_the_same_again(server, tmp_path):
    """A repeated run asks nothing, even one that starts over: replies are kept by content."""
    path = experiment(tmp_path, {"gpt": model(server, "plain:a"), "random": {"family": "random"}})
    first = play(path)
    assert first.code == 0, first.err
    assert first.err.count("gpt: not reproducible") == 1
    count = asked(server, "plain:a")
    assert count > 0
    with Run(tmp_path / "run") as run:
        rounds = run.rounds().drop(columns=["seconds_first", "cpu_seconds_first"])
        assert not run.manifest.entrants["gpt"].reproducible
        ((hashed, _),) = run.manifest.entrants["gpt"].models
        assert len(hashed or "") == 64, "the hash of the prompt is in the manifest"
    assert play(path, "--fresh").code == 0
    assert asked(server, "plain:a") == count
    with Run(tmp_path / "run") as run:
        again = run.rounds().drop(columns=["seconds_first", "cpu_seconds_first"])
    times = [column for column in rounds if "seconds" in column]
    assert again.drop(columns=times).equals(rounds.drop(columns=times))
    verified = arena_main(["verify", str(tmp_path / "run")])
    assert verified.code == 0
    assert "that gpt would play so again (not reproducible)" in verified.out + verified.err


def test_nothing_is_asked_twice_after_a_run_that_stopped(server, tmp_path):
    """Replies that were paid for are found, although their deals were not finished."""
    agents = {"gpt": model(server, "random:b"), "random": {"family": "random"}}
    budget = {"prices": {"prompt_per_million": 1.0, "completion_per_million": 1.0}}
    agents["gpt"] |= {"max_tokens": 100, **budget, "max_cost": 0.05}
    path = experiment(tmp_path, agents)
    stopped = play(path)
    assert stopped.code == 2
    assert "max_cost" in stopped.err and "the same command goes on" in stopped.err
    kept = Conversations(tmp_path / "run" / REPLIES)
    spent = kept.spent()
    assert 0 < spent <= 0.05
    before = asked(server, "random:b")
    agents["gpt"]["max_cost"] = 10.0
    done = play(experiment(tmp_path, agents))
    assert done.code == 0, done.err
    ((rows, decisions),) = kept._query("SELECT count(*), count(DISTINCT decision) FROM replies")
    assert rows == decisions == asked(server, "random:b"), "each reply was asked for once"
    assert before < rows
    kept.close()


def test_the_key_is_nowhere(server, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MY_API_KEY", KEY)
    agents = {"gpt": model(server, "echoes", api_key_env="MY_API_KEY"), "rule": {"family": "rule"}}
    path = experiment(tmp_path, agents)
    done = arena_main(["run", str(path), "--out", str(tmp_path / "run")])
    assert done.code == 0, done.err
    agents["gpt"]["model"] = "refuses"
    refused = play(experiment(tmp_path, agents))
    assert refused.code == 2
    assert KEY not in done.out + done.err + refused.out + refused.err
    files = [each for each in tmp_path.rglob("*") if each.is_file()]
    assert len(files) > 5
    for file in files:
        assert KEY.encode() not in file.read_bytes(), file
    kept = Conversations(tmp_path / "run" / REPLIES, writable=False)
    texts = [kept.of_decision(d) for (d,) in kept._query("SELECT decision FROM replies")]
    kept.close()
    assert "Bearer [key]" in repr(texts) and KEY not in repr(texts)


def test_a_key_is_sent_by_experiments_of_the_current_folder_or_with_trust(
    server, tmp_path, monkeypatch
):
    monkeypatch.setenv("MY_API_KEY", KEY)
    agents = {"gpt": model(server, "plain:t", api_key_env="MY_API_KEY"), "rule": {"family": "rule"}}
    path = experiment(tmp_path, agents, deals=1)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    refused = play(path)
    assert refused.code == 2
    assert "talk.yaml:" in refused.err and f"MY_API_KEY would be sent to {server}" in refused.err
    assert arena_main(["validate", str(path)]).code == 0, "nothing is sent"
    trusted = play(path, "--trust")
    assert trusted.code == 0
    assert trusted.err.count(f"sends the key in MY_API_KEY to {server}") == 1
    monkeypatch.chdir(tmp_path)
    assert play(path, "--out", str(tmp_path / "second")).code == 0


def test_a_missing_key_is_found_before_anything_is_played(server, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MY_API_KEY", raising=False)
    agents = {"gpt": model(server, api_key_env="MY_API_KEY"), "rule": {"family": "rule"}}
    done = play(experiment(tmp_path, agents))
    assert done.code == 2
    assert "MY_API_KEY is not set" in done.err and "Traceback" not in done.err
    assert not (tmp_path / "run" / "manifest.json").exists()


@pytest.mark.parametrize(
    ("name", "kind", "said"),
    [
        ("illegal:always", "illegal", "(illegal, illegal, illegal): "),
        ("prose:always", "protocol", "(unparsable, unparsable, unparsable): the answer has no"),
        ("cut:always", "protocol", "(cut off, cut off, cut off): the answer was cut off"),
    ],
)
def test_three_answers_without_a_move_are_a_fault(server, tmp_path, name, kind, said):
    agents = {"gpt": model(server, name), "random": {"family": "random"}}
    done = play(experiment(tmp_path, agents, deals=1))
    assert done.code == 1
    assert said in done.err
    with Run(tmp_path / "run") as run:
        ((_, fault),) = run.faults()
    assert fault.kind == kind


@pytest.mark.parametrize("name", ["illegal:first", "prose:first", "cut:first"])
def test_a_second_answer_counts(server, tmp_path, name):
    agents = {"gpt": model(server, name), "random": {"family": "random"}}
    done = play(experiment(tmp_path, agents, deals=1, on_fault="forfeit"))
    assert done.code == 0, done.err
    kept = Conversations(tmp_path / "run" / REPLIES, writable=False)
    (some,) = kept._query("SELECT decision FROM replies WHERE attempt = 1 LIMIT 1")
    first, second = kept.of_decision(some[0])
    kept.close()
    assert first.problem and not second.problem
    *_, reply, told = second.messages
    assert reply["content"] == first.reply
    assert told["content"].startswith(f"That is no move: {first.problem}.")
    with Run(tmp_path / "run") as run:
        assert run.faults() == []


def test_time_per_decision_is_a_fault_and_waiting_for_a_turn_is_not(server, tmp_path):
    slow = model(server, "slow:0.2", seconds_per_decision=0.1)
    done = play(experiment(tmp_path, {"gpt": slow, "random": {"family": "random"}}, deals=1))
    assert done.code == 1
    assert "overtime" in done.err or "thought longer than 0.1 s" in done.err


def test_requests_in_flight_are_as_many_as_allowed(tmp_path):
    with serving() as url:
        agents = {"gpt": model(url, "slow:0.02", in_flight=3), "random": {"family": "random"}}
        done = play(experiment(tmp_path, agents, deals=4), "--jobs", "6")
        assert done.code == 0, done.err
        assert 2 <= stats(url)["most_in_flight"] <= 3


@pytest.mark.long
def test_worker_processes_share_replies_and_costs(server, tmp_path):
    """As with threads; a limit of time asks for processes."""
    budget = {"prices": {"prompt_per_million": 1.0, "completion_per_million": 1.0}}
    agents = {"gpt": model(server, "random:p", **budget, max_cost=9.0), "low": {"family": "random"}}
    path = experiment(tmp_path, agents, deals=3)
    done = play(path, "--backend", "loky", "--jobs", "2")
    assert done.code == 0, done.err
    with sqlite3.connect(tmp_path / "run" / REPLIES) as db:
        (rows,) = db.execute("SELECT count(*) FROM replies").fetchone()
        (left,) = db.execute("SELECT count(*) FROM in_flight").fetchone()
    db.close()
    assert rows == asked(server, "random:p") and left == 0


def test_requests_of_a_killed_process_do_not_block_the_next(tmp_path):
    kept = Conversations(tmp_path / REPLIES)
    kept._db.execute("INSERT INTO in_flight VALUES ('x', 999999999, 1.0, 'gpt', 0.0)")
    with kept.turn("a", RequestLimits("gpt", 1, 0.0, None)):
        assert kept._query("SELECT count(*) FROM in_flight") == [(1,)]
    assert kept._query("SELECT count(*) FROM in_flight") == [(0,)]
    kept.close()


def test_a_server_that_goes_away_ends_the_run_and_the_same_command_goes_on(server, tmp_path):
    agents = {"gpt": model(server, "down:0.01", patience_s=0.05), "random": {"family": "random"}}
    done = play(experiment(tmp_path, agents))
    assert done.code == 2
    assert "No agent is at fault" in done.err and "Traceback" not in done.err
    with Run(tmp_path / "run") as run:
        assert run.faults() == []
        assert run.manifest.sessions[-1].ending == "failed"


def test_a_template_of_ones_own_is_kept_with_the_run(server, tmp_path):
    (tmp_path / "mine.txt").write_text("$rules\nMINE $position $history\n$legal\n$answer\n")
    gpt = model(server, "plain:c", template="./mine.txt")
    path = experiment(tmp_path, {"gpt": gpt, "random": {"family": "random"}}, deals=1)
    assert play(path).code == 0
    assert (tmp_path / "run" / "files" / "mine.txt").exists()
    with Run(tmp_path / "run") as run:
        ((before, _),) = run.manifest.entrants["gpt"].models
    (tmp_path / "mine.txt").write_text("$rules\nOTHER $position $history\n$legal\n$answer\n")
    changed = play(path)
    assert changed.code == 0
    with Run(tmp_path / "run") as run:
        assert [*run.manifest.former] == ["gpt@1"], "another prompt is another agent"
        ((after, _),) = run.manifest.entrants["gpt"].models
    assert after != before


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"api_key": "sk-secret"}, "unknown key; did you mean 'api_key_env'?"),
        ({"api_key_env": "sk-secret"}, "name of an environment variable"),
        ({"api_key_env": "AWS_SECRET_ACCESS_KEY"}, "that ends in _API_KEY"),
        ({"template": "./none.txt"}, "none.txt: No such file"),
        ({"max_cost": 1}, "max_cost needs prices"),
        ({"request": {"model": "x"}}, "'model' is set by"),
        ({"isolate": True}, "a server decides"),
        ({"limits": {"memory_mb": 100}}, "a server decides"),
        ({"legal_moves": "some"}, "listed"),
    ],
)
def test_a_mistake_is_one_line_before_the_run(server, tmp_path, more, said):
    done = play(experiment(tmp_path, {"gpt": model(server, **more), "rule": {"family": "rule"}}))
    assert done.code == 2
    assert said in done.err and "secret" not in done.err
    assert "Traceback" not in done.err
    assert not (tmp_path / "run" / "manifest.json").exists()


def test_other_machines_are_refused(server, tmp_path):
    agents = {"gpt": model(server), "rule": {"family": "rule"}}
    done = play(experiment(tmp_path, agents), "--backend", "dask")
    assert done.code == 2 and "leave --backend out" in done.err


def test_a_model_is_rated_on_a_suite(server):
    text = json.dumps(model(server, "plain:s"))
    done = arena_main(["suite", "run", "klaverjas", text, "--tag", "ending"])
    assert done.code == 0, done.err


def test_ctrl_c_does_not_wait_for_a_reply(server, tmp_path):
    agents = {"gpt": model(server, "slow:30"), "random": {"family": "random"}}
    path = experiment(tmp_path, agents)
    words = [sys.executable, "-m", "arena", "run", str(path), "--out", str(tmp_path / "run")]
    process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
    while asked(server, "slow:30") == 0:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=25)
    assert process.returncode == 130, err
    assert "interrupted" in err


def test_verify_compares_what_was_played_with_the_replies(server, tmp_path):
    agents = {"gpt": model(server, "plain:v"), "random": {"family": "random"}}
    assert play(experiment(tmp_path, agents, deals=1)).code == 0
    assert arena_main(["verify", str(tmp_path / "run")]).code == 0
    with sqlite3.connect(tmp_path / "run" / REPLIES) as db:
        (key,) = db.execute("SELECT key FROM replies LIMIT 1").fetchone()
        db.execute("UPDATE replies SET reply = 'I pass.' WHERE key = ?", (key,))
    db.close()
    done = arena_main(["verify", str(tmp_path / "run")])
    assert done.code == 1
    assert "was played, the stored reply is unparsable" in done.out + done.err


def test_a_full_disk_is_no_fault_of_the_model(server, tmp_path, monkeypatch):
    def full(*_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    def add(self: Conversations, *_: object) -> None:
        with self._explained():
            full()

    monkeypatch.setattr(Conversations, "add", add)
    agents = {"gpt": model(server, "plain:f"), "random": {"family": "random"}}
    done = play(experiment(tmp_path, agents, deals=1, on_fault="forfeit"))
    assert done.code == 2
    assert "disk is full" in done.err and "Traceback" not in done.err
    with Run(tmp_path / "run") as run:
        assert run.faults() == []


def test_programs_at_the_same_table_do_not_see_the_key(server, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MY_API_KEY", KEY)
    bot, seen = ROOT / "examples" / "bots" / "careful.py", tmp_path / "environment.txt"
    argv = ["sh", "-c", f"env > {seen}; exec {sys.executable} {bot}"]
    agents = {
        "bot": {"family": "command", "argv": argv, "isolate": "process"},
        "gpt": model(server, "plain:k", api_key_env="MY_API_KEY"),
    }
    done = play(experiment(tmp_path, agents, deals=1))
    assert done.code == 0, done.err
    assert "PATH=" in seen.read_text() and KEY not in seen.read_text()


@pytest.mark.parametrize(
    "rules",
    [
        Klaverjas(bidding="classical"),
        Schieber(weis=True),
        Hearts(passing="left"),
        Hearts(players=3),
        Thirds(),
    ],
    ids=repr,
)
def test_every_game_is_played_to_its_end(server, rules):
    """Ours and games from outside, with their auctions and passing: from the prompt alone."""
    played_by_models(server, rules)


def test_a_game_from_outside_with_bids_of_its_own(server, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "examples" / "arena-plugin-spades")
    rules = importlib.import_module("arena_spades.rules").Spades()
    try:
        assert "Each player bids once: nil, or 1 to 13 tricks." in rules_words(rules)
        played_by_models(server, rules)
    finally:
        for name in [name for name in sys.modules if name.startswith("arena_spades")]:
            del sys.modules[name]


def played_by_models(server: str, rules: Any) -> None:
    """A whole round of models, which know of the game what the prompt says."""
    players = [Player(LanguageModel(server, "plain:g", stream=True)) for _ in range(rules.players)]
    played = Referee(rules).play(rules.random_deal(Rng(7), 0), Lineup.of(players))
    for player in players:
        player.close()
    assert played.fault is None
    assert played.outcome is not None
    assert len(played.actions) >= rules.players * rules.hand_size


def test_no_decision_is_spent_on_a_fingerprint_or_a_warm_up(server):
    name = "plain:w"
    player = Player(LanguageModel(server, name))
    assert probe(Klaverjas(), player) == ""
    first_decisions(Klaverjas(), player, Clock())
    assert asked(server, name) == 0
