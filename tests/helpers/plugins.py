"""The worked plug-ins under examples/, installed as strangers install theirs."""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from arena.core import registry
from helpers.paths import ROOT

EXAMPLES = ROOT / "examples"


@dataclass(frozen=True)
class Plugin:
    """A plug-in that is installed, and only for those who are run here."""

    source: Path
    """A copy of its files, so that building leaves nothing behind in the repository."""
    site: Path

    def run(self, *words: str, code: int = 0) -> str:
        """Run a module of Python where the plug-in is installed; its output, or its complaint."""
        done = subprocess.run(
            [sys.executable, "-m", *words],
            cwd=self.source,
            env={**os.environ, "PYTHONPATH": str(self.site)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stderr if code else done.stdout


def install(example: str, folder: Path) -> Plugin:
    """Install one of the examples below a folder."""
    plugin = Plugin(folder / "source", folder / "site")
    shutil.copytree(
        EXAMPLES / example, plugin.source, ignore=shutil.ignore_patterns("__pycache__", ".*")
    )
    words = ["pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    target = ["--target", str(plugin.site), str(plugin.source)]
    subprocess.run([sys.executable, "-m", *words, *target], check=True)
    return plugin


@contextmanager
def installed(site: Path) -> Iterator[None]:
    """In this process, what is installed in a folder is found; what tests have added is not."""
    before = set(sys.modules)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(site)
        for each in (registry.AGENTS, registry.BIDDERS, registry.GAMES):
            patch.setattr(each, "_added", {})
        registry._entries.cache_clear()
        yield
    registry._entries.cache_clear()
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", None)).startswith(str(site)):
            del sys.modules[name]
    importlib.invalidate_caches()
