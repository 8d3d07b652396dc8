"""Files are read whole or refused: what never ends, and what is too large to be meant."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from arena.cli import main
from arena.core.errors import ArenaError
from arena.core.files import read_bytes, read_text

needs_posix = pytest.mark.skipif(os.name != "posix", reason="pipes and devices are POSIX's")


def test_the_limit_is_what_may_be_read(tmp_path: Path) -> None:
    file = tmp_path / "x"
    file.write_bytes(b"12345678")
    assert read_bytes(file, 8) == b"12345678"
    with pytest.raises(ArenaError, match="x: larger than 7 bytes"):
        read_bytes(file, 7)
    with file.open("wb") as out:
        out.truncate(1 << 40)
    with pytest.raises(ArenaError, match="x: larger than 268,435,456 bytes"):
        read_bytes(file)
    file.write_bytes(b"\xff")
    with pytest.raises(ArenaError, match="not UTF-8 text"):
        read_text(file)


@needs_posix
def test_a_device_without_an_end_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").symlink_to("/dev/zero")
    with pytest.raises(ArenaError, match="x: larger than 100 bytes"):
        read_bytes(tmp_path / "x", 100)


@needs_posix
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("x.yaml", "validate x.yaml"),
        ("x.jsonl", "verify x.jsonl"),
        ("run/manifest.json", "status run"),
        ("run/config.resolved.yaml", "report run"),
        ("run/results.sqlite-journal", "verify run"),
        ("run/log.txt", "merge run --out run"),
    ],
)
def test_a_pipe_is_not_waited_for(
    name: str,
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "manifest.json").write_text("{}")
    (tmp_path / name).unlink(missing_ok=True)
    os.mkfifo(tmp_path / name)
    monkeypatch.chdir(tmp_path)
    assert main(words.split()) == 2
    assert f"{name}: is a pipe" in capsys.readouterr().err
