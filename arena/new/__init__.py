"""A working start: an agent, an experiment or a game, each with a test, or recipes for training.

The files are templates in the folder of this module, with `$name`, `$module` and `$Class`
for the name as it was given, as a module and as a class.
"""

from __future__ import annotations

import importlib.util
import keyword
import re
from collections.abc import Callable
from pathlib import Path
from string import Template

from arena.core.errors import ArenaError
from arena.core.files import write_atomically

__all__ = ["KINDS", "make"]

_TEMPLATES = Path(__file__).parent / "templates"
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")

KINDS: dict[str, dict[str, str]] = {
    "agent": {
        "agent.py": "$module.py",
        "experiment.yaml": "$module.yaml",
        "test.py": "test_$module.py",
    },
    "experiment": {
        "experiment.yaml": "$module.yaml",
        "test.py": "test_$module.py",
    },
    "training": {
        "tables.yaml": "$module.yaml",
        "network.yaml": "${module}_network.yaml",
        "experiment.yaml": "${module}_play.yaml",
    },
    "game": {
        "pyproject.toml": "$module/pyproject.toml",
        "package/init.py": "$module/arena_$module/__init__.py",
        "package/rules.py": "$module/arena_$module/rules.py",
        "highest.py": "$module/highest.py",
        "experiment.yaml": "$module/experiment.yaml",
        "tests/test.py": "$module/tests/test_$module.py",
    },
}
"""For each kind, its templates and the files that they become."""


def make(kind: str, name: str, folder: Path, schema: Callable[[], str] | None = None) -> list[Path]:
    """Write the files of a new thing into a folder; nothing is overwritten.

    `schema` makes the text of `arena.schema.json`, which experiments are checked by in editors.
    """
    words = _words(name)
    files = {
        folder / _filled(target, words): _filled(_text(kind, template), words)
        for template, target in KINDS[kind].items()
    }
    for file in files:
        if file.exists():
            raise ArenaError(f"{file}: is there already; take another name, or remove it")
    if kind == "experiment" and schema is not None:
        files[folder / "arena.schema.json"] = schema()
    written: list[Path] = []
    try:
        for file, text in files.items():
            is_new = not file.exists()
            write_atomically(file, text)
            written += [file] if is_new else []
    except (
        ArenaError
    ):  # a full disk: nothing half-made, so that the same command can be given again
        for file in written:
            file.unlink(missing_ok=True)
        raise
    return list(files)


def _words(name: str) -> dict[str, str]:
    module = name.lower().replace("-", "_")
    if keyword.iskeyword(module):
        raise ArenaError(f"{name!r} is a word of the language Python; take another name")
    if not _NAME.fullmatch(name):
        raise ArenaError(
            f"{name!r} is not a name: letters from a to z, digits, - and _, a letter first"
        )
    if importlib.util.find_spec(module) is not None and not Path(f"{module}.py").exists():
        raise ArenaError(f"there is a Python module {module!r} already; take another name")
    return {
        "name": module.replace("_", "-"),
        "module": module,
        "Class": "".join(word.capitalize() for word in re.split("[-_]", name)),
    }


def _text(kind: str, template: str) -> str:
    return (_TEMPLATES / kind / f"{template}.txt").read_text(encoding="utf-8")


def _filled(text: str, words: dict[str, str]) -> str:
    return Template(text).substitute(words)
