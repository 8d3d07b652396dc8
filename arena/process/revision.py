"""An agent as it was at another revision: `source: {git: REV}`.

The revision is checked out into a temporary worktree with an environment of its own, in
which `arena serve-agent` plays. What it needs besides arena is taken from the environment
of this process. Worktree and environment are gone when the process that made them ends.
"""

from __future__ import annotations

import atexit
import json
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

import arena
from arena.core.agent import parameter
from arena.core.errors import ArenaError
from arena.process.client import Program


@dataclass(frozen=True)
class GitSource:
    """Where the code of an agent comes from."""

    git: str = parameter(help="a revision of the repository that arena is run from")


def commit_of(source: GitSource) -> str:
    """The commit that a revision stands for."""
    found = _git("rev-parse", "--verify", "--quiet", f"{source.git}^{{commit}}")
    if found.returncode:
        raise ArenaError(f"source: {_repository()} has no revision {source.git!r}")
    return found.stdout.strip()


def program_at(source: GitSource, agent: Mapping[str, Any]) -> tuple[Program, dict[str, bool]]:
    """The program that plays `agent`, a family with its parameters, as of a revision.

    The revision itself says whether it knows such an agent, and the facts about it.
    """
    python = _environment(commit_of(source))
    words = [python, "-m", "arena", "serve-agent", json.dumps(agent)]
    found = subprocess.run([*words, "--facts"], capture_output=True, text=True)
    facts = json.loads(found.stdout) if found.returncode == 0 else {}
    if found.returncode:  # unknown to it: the agent, or only the question
        tried = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if tried.returncode:
            said = tried.stderr.strip().rpartition("\n")[2].removeprefix("arena: ")
            raise ArenaError(f"source: revision {source.git}: {said}")
    return Program(words), facts


@lru_cache
def _environment(commit: str) -> str:
    """The Python of an environment in which that commit is installed."""
    _sweep()
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
    tree, environment = folder / "tree", folder / "environment"
    in_use = FileLock(folder / _IN_USE, thread_local=False)
    in_use.acquire()
    atexit.register(_remove, folder, in_use)
    made = _git("worktree", "add", "--detach", "--force", str(tree), commit)
    if made.returncode:
        raise ArenaError(f"source: no worktree of {commit[:12]}: {made.stderr.strip()}")
    if not any((tree / "arena" / "cli").rglob("serve_agent*.py")):
        raise ArenaError(
            f"source: revision {commit[:12]} has no 'arena serve-agent': it is too old"
        )
    venv.create(environment, with_pip=False, symlinks=True)
    python = environment / "bin" / "python"
    packages = next(environment.glob("lib/python*/site-packages"))
    # Found after its own packages: what arena depends on, and nothing of this arena.
    (packages / "dependencies.pth").write_text("\n".join(_dependencies()) + "\n")
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet"]
    options = ["--no-deps", "--no-build-isolation", "--disable-pip-version-check"]
    done = subprocess.run([*install, *options, str(tree)], capture_output=True, text=True)
    if done.returncode:
        last = done.stderr.strip().rpartition("\n")[2]
        raise ArenaError(f"source: revision {commit[:12]} cannot be installed: {last}")
    return str(python)


def _dependencies() -> list[str]:
    own = _repository().resolve()
    return [path for path in sys.path if path and Path(path).resolve() != own]


_PREFIX, _IN_USE = "arena-revision-", "in-use"


def _remove(folder: Path, in_use: FileLock) -> None:
    _git("worktree", "remove", "--force", str(folder / "tree"))
    in_use.release()
    shutil.rmtree(folder, ignore_errors=True)


def _sweep() -> None:
    """Remove what processes have left that were killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        lock = FileLock(folder / _IN_USE)
        # Without a lock it is being made just now, or belongs to another user.
        with suppress(Timeout, OSError):
            if (folder / _IN_USE).exists():
                lock.acquire(timeout=0)
                _remove(folder, lock)
    _git("worktree", "prune")


def _repository() -> Path:
    return Path(arena.__file__).parent.parent


def _git(*words: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            ["git", "-C", str(_repository()), *words], capture_output=True, text=True
        )
    except OSError as error:
        raise ArenaError(f"source: git cannot be run: {error.strerror or error}") from error
