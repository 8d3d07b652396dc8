"""What a process leaves that is killed, and who removes it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from filelock import FileLock

from arena.core.files import write_atomically
from arena.core.temporary import is_in_use, temporary_folder


def test_a_temporary_folder_of_a_killed_process_is_removed_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    for name in ("left", "used", "unknown"):
        (tmp_path / f"arena-{name}" / "inside").mkdir(parents=True)
    (tmp_path / "arena-left" / "in-use").touch()
    with FileLock(tmp_path / "arena-used" / "in-use"), temporary_folder() as folder:
        names = {"arena-unknown", "arena-used", folder.name}
        assert {path.name for path in tmp_path.iterdir()} == names
        script = (
            "import sys; from pathlib import Path; from arena.core.temporary import is_in_use; "
            "print(is_in_use(Path(sys.argv[1])))"
        )
        asked = [sys.executable, "-c", script, str(folder)]
        assert subprocess.run(asked, capture_output=True, text=True).stdout == "True\n"
    assert not folder.exists() and not is_in_use(folder)


def test_links_and_folders_of_other_users_are_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everybody may write into the folder for temporary files."""
    kept = tmp_path / "kept"
    (kept / "inside").mkdir(parents=True)
    (kept / "in-use").write_text("text")
    temporary = tmp_path / "temporary"
    (temporary / "arena-other").mkdir(parents=True)
    (temporary / "arena-other" / "in-use").touch()
    (temporary / "arena-link").symlink_to(kept)
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    us = os.getuid()
    with monkeypatch.context() as patch:
        patch.setattr("os.getuid", lambda: us + 1)
        with temporary_folder():
            pass
    assert {path.name for path in temporary.iterdir()} == {"arena-other", "arena-link"}
    with temporary_folder():
        assert not (temporary / "arena-other").exists(), "it was this user's"
    assert (kept / "in-use").read_text() == "text" and (kept / "inside").exists()


def test_a_file_that_a_killed_process_has_begun_is_removed_by_the_next(tmp_path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    names = [f".x.txt.{ended.pid}.abc", f".x.txt.{os.getpid()}.abc", ".x.txt.bak", ".y.txt.1.abc"]
    for name in names:
        (tmp_path / name).touch()
    write_atomically(tmp_path / "x.txt", "whole")
    assert {path.name for path in tmp_path.iterdir()} == {"x.txt", *names[1:]}


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGQUIT"])
def test_a_command_that_is_asked_to_end_leaves_no_folder_and_no_process(
    name: str, tmp_path: Path
) -> None:
    script = (
        "import subprocess, sys, time\n"
        "from arena.core.temporary import temporary_folder\n"
        "from arena.process.ending import leave_nothing_when_asked_to_end\n"
        "leave_nothing_when_asked_to_end()\n"
        "with temporary_folder():\n"
        "    child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "    print(child.pid, flush=True)\n"
        "    time.sleep(600)\n"
    )
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    words = [sys.executable, "-c", script]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        child = int(process.stdout.readline())
        process.send_signal(signal.Signals[name])
        assert process.wait(60) == -signal.Signals[name]
    assert not list(tmp_path.iterdir())
    with suppress(psutil.NoSuchProcess):
        assert psutil.Process(child).status() == psutil.STATUS_ZOMBIE
