"""20 hostile inputs of each kind; `make fuzz` tries 10,000."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from arena.cli import main
from arena.core.errors import ArenaError
from arena.gate.ledger import attempts

KINDS = (
    *("configs", "deals", "models", "runs", "gates", "words", "protocol"),
    *("suites", "solve", "play", "results", "merges"),
    *("options", "advise", "recipes", "boards", "talks", "tables"),
)
HEAD = "name: x\ngame: klaverjas\ndeals: {set: klaverjas-given-1000, limit: 2}\n"
CORPUS = Path(__file__).parent / "corpus"


def test_nothing_gets_through() -> None:
    """In a process of its own, for its limits of memory and its watch over files."""
    command = [sys.executable, str(Path(__file__).with_name("run.py")), "20", "--seed", "18"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, env=os.environ)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert done.stdout == "seed 18\n" + "".join(f"{kind}: 20 inputs, 0 failed\n" for kind in KINDS)


MESSAGES = {
    "aliases": "more than 100000 values",
    "controls": "is not a name",
    "digits": "a number of 5000 digits; at most 40",
    "exponent": "YAML reads 1e-300 as text: write 1.0e-300",
    "large-grid": "these are 159,201 agents, and 12,672,399,600 pairs of them",
    "long-include": "(5000 characters): no file can be called that",
    "long-names": "(5000 characters): no file can be called that",
    "nested": "too deep to be read",
    "no-character": "not YAML",
    "nul": "no file can be called that",
    "tag": "is not allowed: plain values only, no objects",
}


@pytest.mark.parametrize("name", MESSAGES)
def test_every_hostile_experiment_is_reported_why(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["validate", str(CORPUS / "configs" / f"{name}.yaml")]) == 2
    message = "".join(capsys.readouterr())
    assert MESSAGES[name] in message
    assert len(message) < 4000


def test_what_is_reported_about_a_number_is_true(tmp_path: Path) -> None:
    agents = "agents: {a: {family: random}, b: {family: random}}\n"
    (tmp_path / "x.yaml").write_text(HEAD + agents + "decision_limit_s: 1.0e-300\n")
    assert main(["validate", str(tmp_path / "x.yaml")]) == 0


def test_includes_without_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A chain of 1,200, and 24 small files of which each includes the next one twice."""
    for number in range(1200):
        (tmp_path / f"{number}.yaml").write_text(f"include: {number + 1}.yaml\n")
    assert main(["validate", str(tmp_path / "0.yaml")]) == 2
    assert "include: more than 200 files" in "".join(capsys.readouterr())
    for number in range(24):
        twice = f"[{number + 1}.yaml, {number + 1}.yaml]"
        (tmp_path / f"{number}.yaml").write_text(f"include: {twice}\n")
    (tmp_path / "24.yaml").write_text(HEAD)
    assert main(["validate", str(tmp_path / "0.yaml")]) == 2
    assert "include: more than 200 files" in "".join(capsys.readouterr())


@pytest.mark.parametrize("name", ["tables", "figures", "log.txt", "results.sqlite-wal"])
def test_no_link_leads_out_of_a_run_folder(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    agents = "agents: {a: {family: random}, b: {family: random}}\n"
    (tmp_path / "x.yaml").write_text(HEAD + agents)
    words = [str(tmp_path / "x.yaml"), "--out", str(tmp_path / "run"), "--no-report"]
    assert main(["run", *words, "--jobs", "1"]) == 0
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "agents.csv").write_text("mine\n")
    target = outside if "." not in name else outside / "agents.csv"
    (tmp_path / "run" / name).unlink(missing_ok=True)
    (tmp_path / "run" / name).symlink_to(target)
    for command in (["report", str(tmp_path / "run")], ["run", *words]):
        assert main(command) == 2
        assert f"{name}: is a link" in "".join(capsys.readouterr())
    assert [file.read_text() for file in outside.iterdir()] == ["mine\n"]


@pytest.mark.parametrize("text", ["a: &a [*a]", "[" * 3000, "a: &a [1, 1]\nb: [*a, *a]\n? []\n: 1"])
def test_a_configuration_of_a_run_that_is_odd_is_one_line(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    agents = "agents: {a: {family: random}, b: {family: random}}\n"
    (tmp_path / "x.yaml").write_text(HEAD + agents)
    run = str(tmp_path / "run")
    words = ["run", str(tmp_path / "x.yaml"), "--no-report", "--jobs", "1", "--out"]
    assert main([*words, run]) == 0
    capsys.readouterr()
    (tmp_path / "run" / "config.resolved.yaml").write_text(text)
    for command in (["merge", run, "--out", str(tmp_path / "whole")], [*words, run]):
        assert main(command) == 2
        message = capsys.readouterr().err
        assert "config.resolved.yaml:" in message and message.count("\n") == 1


def test_a_match_without_end_is_stopped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.tournament.units.MOST_ROUNDS", 3)
    monkeypatch.setattr("arena.tournament.units.MOST_THROWN_IN", 2)
    agents = "agents: {a: {family: random}, b: {family: random}}\n"
    (tmp_path / "x.yaml").write_text(HEAD + agents + "match: {target: 1000000000000}\n")
    words = ["run", str(tmp_path / "x.yaml"), "--out", str(tmp_path / "run"), "--jobs", "1"]
    assert main(words) == 2
    assert "not over after 5 deals; no side comes near" in "".join(capsys.readouterr())


def test_many_mistakes_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    agents = "".join(f"  a{number}: {{family: random, odd: 1}}\n" for number in range(300))
    (tmp_path / "x.yaml").write_text(HEAD + "agents:\n" + agents)
    assert main(["validate", str(tmp_path / "x.yaml")]) == 2
    message = "".join(capsys.readouterr())
    assert message.count("unknown key") == 10 and "and 290 more mistakes" in message


@pytest.mark.parametrize(
    "line", [b"{", b"[]", b"3", b"\xff\xfe", b'{"gate": "g"', b"[" * 100_000, b'"x"']
)
def test_a_ledger_that_is_damaged_is_reported(line: bytes, tmp_path: Path) -> None:
    good = b'{"deals_sha256": "0", "gate": "g"}\n'
    (tmp_path / "ledger.jsonl").write_bytes(good + line + b"\n" + good)
    with pytest.raises(ArenaError, match=r"ledger.jsonl:2: no attempt of a gate"):
        attempts(tmp_path / "ledger.jsonl", "g", "0")
    (tmp_path / "ledger.jsonl").write_bytes(good + good)
    assert attempts(tmp_path / "ledger.jsonl", "g", "0") == 2


def test_many_agents_are_meant_or_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    agents = "".join(f"  a{number}: {{family: random}}\n" for number in range(12))
    few = HEAD + "most_agents: 10\nagents:\n" + agents
    (tmp_path / "x.yaml").write_text(few)
    assert main(["validate", str(tmp_path / "x.yaml")]) == 2
    assert "these are 12 agents, and 66 pairs of them" in "".join(capsys.readouterr())
    (tmp_path / "x.yaml").write_text(few.replace("most_agents: 10", "most_agents: 12"))
    assert main(["validate", str(tmp_path / "x.yaml")]) == 0


MODEL = HEAD + "agents: {a: {family: policy, model: m.npz}, b: {family: random}}\n"


def archive(path: Path, packing: int = zipfile.ZIP_DEFLATED, **members: bytes) -> None:
    with zipfile.ZipFile(path, "w") as file:
        for name, data in members.items():
            file.writestr(zipfile.ZipInfo(name.replace("_npy", ".npy")), data, packing)


def bomb(path: Path) -> None:
    """300 megabytes of zeros in little more than one."""
    packed = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1)
    with packed as file, file.open("w.npy", "w") as out:
        for _ in range(300):
            out.write(bytes(1 << 20))


def encrypted(path: Path) -> None:
    archive(path, zipfile.ZIP_STORED, w_npy=b"x")
    data = bytearray(path.read_bytes())
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + at] |= 1
    path.write_bytes(data)


def huge_header(path: Path) -> None:
    archive(path, w_npy=b"\x93NUMPY\x02\x00" + (50_000).to_bytes(4, "little") + b" " * 50_000)


def huge_shape(path: Path) -> None:
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,), }\n"
    archive(path, w_npy=b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header)


def objects(path: Path) -> None:
    np.savez(path, w=np.array([{}], dtype=object))


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (bomb, "unpacked it has 314,572,800 bytes; at most 268,435,456 are read"),
        (encrypted, "is encrypted"),
        (huge_header, "not a model that can be read"),
        (huge_shape, "an array of shape (1000000000000,) in 0 bytes"),
        (objects, "an array of objects"),
        (lambda path: archive(path, zipfile.ZIP_LZMA, w_npy=b"x"), "packed in a way"),
        (lambda path: archive(path, weights=b"raw"), "'weights' is no array"),
        (lambda path: archive(path, w_npy=b"raw"), "not a model that can be read"),
    ],
)
def test_every_hostile_model_is_reported_why(
    made: object, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert callable(made)
    made(tmp_path / "m.npz")
    (tmp_path / "x.yaml").write_text(MODEL)
    assert main(["validate", str(tmp_path / "x.yaml")]) == 2
    assert message in "".join(capsys.readouterr())
