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
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import arena
from arena.agent import parameter
from arena.errors import ArenaError
from arena.process.client import Program

__all__ = ["Source", "commit_of", "program_at"]


@dataclass(frozen=True)
class Source:
    """Where the code of an agent comes from."""

    git: str = parameter(help="a revision of the repository that arena is run from")


def commit_of(source: Source) -> str:
    """The commit that a revision stands for."""
    found = _git("rev-parse", "--verify", "--quiet", f"{source.git}^{{commit}}")
    if found.returncode:
        raise ArenaError(f"source: {_repository()} has no revision {source.git!r}")
    return found.stdout.strip()


def program_at(source: Source, agent: Mapping[str, Any]) -> Program:
    """The program that plays `agent`, a family with its parameters, as of a revision."""
    python = _environment(commit_of(source))
    return Program([python, "-m", "arena", "serve-agent", json.dumps(agent)])


@lru_cache
def _environment(commit: str) -> str:
    """The Python of an environment in which that commit is installed."""
    folder = Path(tempfile.mkdtemp(prefix="arena-revision-"))
    tree, environment = folder / "tree", folder / "environment"
    atexit.register(_remove, folder, tree)
    made = _git("worktree", "add", "--detach", "--force", str(tree), commit)
    if made.returncode:
        raise ArenaError(f"source: no worktree of {commit[:12]}: {made.stderr.strip()}")
    if not (tree / "arena" / "cli" / "serve_agent_.py").exists():
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


def _remove(folder: Path, tree: Path) -> None:
    _git("worktree", "remove", "--force", str(tree))
    shutil.rmtree(folder, ignore_errors=True)


def _repository() -> Path:
    return Path(arena.__file__).parent.parent


def _git(*words: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            ["git", "-C", str(_repository()), *words], capture_output=True, text=True
        )
    except OSError as error:
        raise ArenaError(f"source: git cannot be run: {error.strerror or error}") from error
