"""Programs that play: the examples, the conformance suite, and the words of the protocol."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

import jsonschema
import pytest
from helpers.commands import arena_main
from helpers.paths import ROOT
from helpers.processes import BOT

from arena.cli import main
from arena.core.registry import GAMES
from arena.process.check import check_bot
from arena.process.client import Program
from arena.process.messages import FROM_AGENT, TO_AGENT, message_schema

BOTS = ROOT / "examples" / "bots"
PROTOCOL = ROOT / "docs" / "protocol.md"
CHECK = jsonschema.Draft202012Validator(message_schema())
needs_node = pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")


def wrongs(argv: list[str], game: str = "klaverjas", **options: str) -> list[str]:
    rules = GAMES.get(game)(**options)
    return [checked.wrong for checked in check_bot(Program(argv), rules, deals=2)]


@pytest.mark.parametrize(
    "argv",
    [
        pytest.param([sys.executable, "-I", "-S", str(BOTS / "careful.py")], id="python"),
        pytest.param(["node", str(BOTS / "lowest.js")], id="node", marks=needs_node),
    ],
)
@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("klaverjas", {"bidding": "free-choice"}),
        ("klaverjas", {"bidding": "classical"}),
        ("schieber", {}),
        ("hearts", {}),
    ],
)
def test_the_examples_play_every_game(argv, game, options):
    assert wrongs(argv, game, **options) == [""] * 6


@needs_node
def test_the_example_experiment_runs(tmp_path, capsys):
    words = ["run", str(BOTS / "experiment.yaml"), "--out", str(tmp_path / "bots")]
    assert main([*words, "--set", "deals.limit=2", "--jobs", "1"]) == 0
    assert "careful" in capsys.readouterr().out


# --- check-bot ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("", "all well"),
        ("at-start", "it ended by itself, exit code 1 (at the start); it wrote: no licence found"),
        ("not-ready", "it did not answer hello with ready"),
        ("garbage", "Every line on standard output is one JSON message"),
        ("illegal", "it played C2, legal: "),
        ("wrong-deal", "it answered for deal 3, decision 0 when asked for deal 2, decision 0"),
        ("half", "Is the answer followed by the end of a line, and is the output flushed?"),
        ("forgets-nothing", "for the same view and seed when the same process was asked again"),
        ("chance", "for the same view and seed"),
        ("at-quit", "it ended with exit code -11 after 'quit', expected 0"),
        ("ignores-quit", "it did not end within 2 s of 'quit', and was killed"),
    ],
)
def test_a_bot_is_reported_what_it_does_wrong(what, said, capsys):
    words = ["check-bot", "--game", "klaverjas", "--deals", "2", "--seconds", "1", "--"]
    code = main([*words, sys.executable, "-I", "-S", str(BOT), *([what] if what else [])])
    assert code == (1 if what else 0)
    assert said in " ".join(capsys.readouterr().out.split())


# --- serve-agent -------------------------------------------------------------------------


def conversation(words: list[str], lines: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "arena", *words],
        input="\n".join(lines) + "\n",
        capture_output=True,
        text=True,
    )


def documented() -> list[tuple[str, str]]:
    """The transcript in the documentation: who says what."""
    block = PROTOCOL.read_text().partition("<!-- transcript -->")[2].partition("```text\n")[2]
    lines = block.partition("```")[0].splitlines()
    return [(line[0], line[2:]) for line in lines if line]


def test_the_transcript_in_the_documentation_is_what_is_said():
    said = documented()
    done = conversation(
        ["serve-agent", "{family: rule}"], [line for who, line in said if who == ">"]
    )
    assert done.returncode == 0, done.stderr
    expected = [json.loads(line) for who, line in said if who == "<"]
    found = [json.loads(line) for line in done.stdout.splitlines()]
    for message in (*expected, *found):
        CHECK.validate(message)
        message.pop("seconds", None)
    assert found == expected
    assert {json.loads(line)["type"] for who, line in said if who == ">"} == set(TO_AGENT)
    for who, line in said:
        CHECK.validate(json.loads(line))
        assert json.loads(line)["type"] in (TO_AGENT if who == ">" else FROM_AGENT)


@pytest.mark.parametrize(
    ("agent", "said"),
    [
        ("{family: ruel}", "unknown agent family 'ruel'; did you mean 'rule'"),
        ("{familie: rule}", "agent: expected {family: NAME, ...}"),
        ("{family: rule", "agent: not YAML"),
        ("{family: flat-mc, playuots: 3}", "playuots"),
    ],
)
def test_an_agent_that_cannot_be_served_is_reported(agent, said):
    done = arena_main(["serve-agent", agent])
    assert (done.code, done.out) == (2, "")
    assert said in done.err and "Traceback" not in done.err


def test_the_schema_is_printed(capsys):
    assert main(["schema", "protocol"]) == 0
    assert json.loads(capsys.readouterr().out) == message_schema()
