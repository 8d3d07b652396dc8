"""An agent as it was at another revision: `source: {git: REV}`.

The revision is one of the repository in which the experiment lies. It is checked out into a
temporary worktree, and the agent plays there in a process of its own:

* code in a file (`./bot.py:Greedy`) and its local imports are those of the worktree;
* a program (`family: command`) is started with the files of the worktree, in the folder that
  corresponds to the current one;
* a registered family is that of its package, which must be a project of the repository. The
  project is installed in an environment of its own; its dependencies are those of this process.

An agent that cannot be rebuilt in this way is refused: today's code would be another agent.
Worktrees and environments are removed when the process that made them ends.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import venv
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import Distribution
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

from arena.core.agent import parameter
from arena.core.errors import ArenaError
from arena.core.registry import AGENTS
from arena.core.temporary import PREFIX, temporary_folder
from arena.process.client import Program


@dataclass(frozen=True)
class GitSource:
    """Where the code of an agent comes from."""

    git: str = parameter(help="a revision of the repository in which the experiment lies")
    repository: str | None = parameter(
        None, help="a folder of another repository, relative to the experiment"
    )


@dataclass(frozen=True)
class Revision:
    """A commit of the repository around a folder."""

    written: str
    """As the experiment names it."""
    commit: str
    repository: Path
    folder: Path
    """The folder of the experiment."""

    @classmethod
    def find(cls, source: GitSource, folder: Path) -> Revision:
        """The revision that an experiment in `folder` names."""
        folder = folder.resolve()
        inside = folder if source.repository is None else folder / source.repository
        top = _git(inside, "rev-parse", "--show-toplevel") if inside.is_dir() else None
        if top is None or top.returncode:
            raise ArenaError(
                f"source: {inside} is in no git repository; 'repository: FOLDER' names one"
            )
        repository = Path(top.stdout.strip()).resolve()
        found = _git(repository, "rev-parse", "--verify", "--quiet", f"{source.git}^{{commit}}")
        if found.returncode:
            raise ArenaError(f"source: {repository} has no revision {source.git!r}")
        return cls(source.git, found.stdout.strip(), repository, folder)

    @property
    def tree(self) -> Path:
        """The worktree with the files of this revision."""
        return _worktree(self.repository, self.commit)

    def there(self, path: Path) -> Path:
        """Where the revision has a folder or file of the repository."""
        return self.tree / path.resolve().relative_to(self.repository)

    def has(self, path: Path) -> bool:
        """Whether a path lies in the repository, in whatever revision."""
        return path.resolve().is_relative_to(self.repository)

    @property
    def home(self) -> Path:
        """The folder of the experiment in this revision: relative paths start there."""
        if not self.has(self.folder):
            return self.tree
        home = self.there(self.folder)
        home.mkdir(parents=True, exist_ok=True)  # git keeps no empty folders
        return home

    def refuse(self, why: str) -> ArenaError:
        """The error for an agent that cannot be rebuilt."""
        return ArenaError(f"source: revision {self.written} ({self.commit[:12]}): {why}")


def program_at(
    revision: Revision, agent: Mapping[str, Any], *, is_code: bool
) -> tuple[Program, dict[str, bool]]:
    """The program that plays `agent`, a family with its parameters, as of a revision.

    The code of that revision says whether there is such an agent, and the facts about it.
    """
    family = str(agent["family"])
    if family == "command":
        return _command_at(revision, agent)
    python = sys.executable if is_code else _environment(revision, _project_of(family, revision))
    # -P: the current folder, which may have another arena in it, is no place to import from.
    words = [python, "-P", "-m", "arena", "serve-agent", json.dumps(agent)]
    home = str(revision.home)
    found = subprocess.run([*words, "--facts"], capture_output=True, text=True, cwd=home)
    facts = json.loads(found.stdout) if found.returncode == 0 else {}
    if found.returncode:  # unknown to it: the agent, or only the question
        tried = subprocess.run(
            words, stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=home
        )
        if tried.returncode:
            said = tried.stderr.strip().rpartition("\n")[2].removeprefix("arena: ")
            raise revision.refuse(said.replace(f"{revision.tree}{os.sep}", ""))
    return Program(words, home, [revision.tree]), facts


# --- programs ------------------------------------------------------------------------------


def _command_at(revision: Revision, agent: Mapping[str, Any]) -> tuple[Program, dict[str, bool]]:
    argv = agent.get("argv")
    if not isinstance(argv, Sequence) or isinstance(argv, str) or not argv:
        raise revision.refuse("argv: expected the program and its arguments")
    words = [_word_at(revision, str(word)) for word in argv]
    if not any(Path(word).is_relative_to(revision.tree) for word in words):
        raise revision.refuse("argv names no file of the repository: it has no revisions")
    here = Path.cwd()
    working = revision.there(here) if revision.has(here) else revision.home
    facts = {
        "sees_all_cards": bool(agent.get("sees_all_cards", False)),
        "reproducible": bool(agent.get("reproducible", True)),
    }
    working = working if working.is_dir() else revision.home
    return Program(words, str(working), [revision.tree]), facts


def _word_at(revision: Revision, word: str) -> str:
    """A word of a command line; a file of the repository becomes that of the revision."""
    is_path = word.startswith(("./", "../"))
    today = (revision.folder if is_path else Path.cwd()) / word
    if not (is_path or today.is_file()):
        return word
    if not revision.has(today):  # an interpreter, for example
        return str(today)
    then = revision.there(today)
    if not then.exists():
        raise revision.refuse(f"{word} is not committed there, so it cannot be rebuilt")
    return str(then)


# --- packages ------------------------------------------------------------------------------


def _project_of(family: str, revision: Revision) -> Path:
    """The folder of the project that a registered family is installed from."""
    package = AGENTS.distribution(family)
    if package is None:  # it may have existed then
        return revision.repository
    project = _installed_from(package)
    if project is None or not revision.has(project):
        raise revision.refuse(
            f"family {family!r} is part of {package.name}, which is not installed from "
            f"{revision.repository}: it has no revisions there"
        )
    return project


def _installed_from(package: Distribution) -> Path | None:
    """The folder that a package was installed from, editable or not (PEP 610)."""
    address = urlparse(json.loads(package.read_text("direct_url.json") or "{}").get("url", ""))
    return Path(unquote(address.path)) if address.scheme == "file" else None


def _environment(revision: Revision, project: Path) -> str:
    """The Python of an environment in which a project is installed as of a revision."""
    there = revision.there(project)
    if not (there / "pyproject.toml").is_file():
        raise revision.refuse(f"{project} has no pyproject.toml there to install it from")
    if (there / "arena").is_dir() and not any((there / "arena").rglob("serve_agent*.py")):
        raise revision.refuse("it has no 'arena serve-agent': it is too old")
    return _installed(there, revision.repository)


@lru_cache
def _installed(there: Path, repository: Path) -> str:
    environment = _OPEN.enter_context(temporary_folder()) / "environment"
    venv.create(environment, with_pip=False, symlinks=True)
    python = environment / "bin" / "python"
    packages = next(environment.glob("lib/python*/site-packages"))
    # Found after its own packages: what it depends on, and nothing of the working copy.
    (packages / "dependencies.pth").write_text("\n".join(_dependencies(repository)) + "\n")
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet"]
    options = ["--no-deps", "--no-build-isolation", "--disable-pip-version-check"]
    done = subprocess.run([*install, *options, str(there)], capture_output=True, text=True)
    if done.returncode:
        last = done.stderr.strip().rpartition("\n")[2]
        raise ArenaError(f"source: {there.name} cannot be installed as it was: {last}")
    return str(python)


def _dependencies(repository: Path) -> list[str]:
    """Where this process imports from, less the source folders of the repository itself."""
    found = [Path(path).resolve() for path in sys.path if path]
    installed = ("site-packages", "dist-packages")
    return [
        str(path)
        for path in found
        if not path.is_relative_to(repository) or any(name in path.parts for name in installed)
    ]


# --- worktrees -----------------------------------------------------------------------------

_OPEN = ExitStack()
"""Folders that are needed until this process ends."""
atexit.register(_OPEN.close)


@lru_cache
def _worktree(repository: Path, commit: str) -> Path:
    folder = _OPEN.enter_context(temporary_folder())
    _forget_removed(repository)
    tree = folder / "tree"
    made = _git(repository, "worktree", "add", "--detach", "--force", str(tree), commit)
    if made.returncode:
        raise ArenaError(f"source: no worktree of {commit[:12]}: {made.stderr.strip()}")
    _OPEN.callback(_remove, repository, tree)
    return tree.resolve()


def _forget_removed(repository: Path) -> None:
    """Take worktrees of killed processes, the folders of which are gone, from git's list."""
    for line in _git(repository, "worktree", "list", "--porcelain").stdout.splitlines():
        tree = Path(line.removeprefix("worktree "))
        if tree.name == "tree" and tree.parent.name.startswith(PREFIX) and not tree.exists():
            _remove(repository, tree)


def _remove(repository: Path, tree: Path) -> None:
    _git(repository, "worktree", "remove", "--force", str(tree))


def _git(inside: Path, *words: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(["git", "-C", str(inside), *words], capture_output=True, text=True)
    except OSError as error:
        raise ArenaError(f"source: git cannot be run: {error.strerror or error}") from error
