"""Modules that are written by the program: real files, so that what is compiled from them is kept.

numba keeps machine code for functions of a module on disk, not for functions passed as
arguments or made by closures. So what is made to measure for the games that are installed
(see `dispatch` and `playout`) is written to a file in the cache folder, named by its content,
and imported from there. Every process that finds the same games writes the same text, and so
shares the file and all that is compiled from it.
"""

from __future__ import annotations

import atexit
import hashlib
import importlib.util
import os
import shutil
import sys
import tempfile
from pathlib import Path
from types import ModuleType

from arena.games.kernel import jit
from arena.games.kernel.contract import Kernel

_HEAD = """# Written by {owner}; changes will be lost.
import numpy as np
"""


def for_each_game(statement: str, games: tuple[Kernel, ...], rules: bool = False) -> str:
    """A choice by `kind` among the same statement for each game, indented by one level.

    In the statement KIND and RULE stand for the numbers of the game and of its rule for
    following suit. With `rules`, the rules that a game calls special have a branch of their
    own, in which RULE is a constant.
    """
    lines: list[str] = []
    for game in games:
        kind = f"np.uint64({game.number})"
        lines.append(f"    {'elif' if lines else 'if'} kind == {kind}:  # {game.game}")
        here = statement.replace("KIND", kind)
        word = "if"
        for number in game.special_rules if rules else ():
            rule = f"np.uint64({number})"
            lines.append(f"        {word} rule == {rule}:")
            lines.append(f"            {here.replace('RULE', rule)}")
            word = "elif"
        if word == "elif":
            lines.append("        else:")
        indent = "    " if word == "elif" else ""
        lines.append(f"        {indent}{here.replace('RULE', 'rule')}")
    lines.append("    else:")
    lines.append('        raise ValueError("game[KIND] is the number of no game")')
    return "\n".join(lines)


def import_generated(owner: str, source: str) -> ModuleType:
    """The module that `source` makes; `owner`, the name of the module it is for, depends on it."""
    name = f"{owner}_generated"
    path = _written(owner.rpartition(".")[2], _HEAD.format(owner=owner) + source)
    jit.made_from(owner, name, path)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None  # it is a Python file
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # numba looks it up there
    spec.loader.exec_module(module)
    return module


def _written(stem: str, source: str) -> Path:
    digest = hashlib.blake2b(source.encode(), digest_size=12).hexdigest()
    folder = jit.cache_folder() / f"{stem}-source-{digest}"
    path = folder / f"{stem}_generated.py"
    try:
        if not path.is_file() or path.read_text(encoding="utf-8") != source:
            folder.mkdir(parents=True, exist_ok=True)
            _write(path, source)
        os.utime(folder)
    except OSError:
        # No cache: then everything is compiled anew by every process, from a file of its own.
        private = Path(tempfile.mkdtemp(prefix="arena-"))
        atexit.register(shutil.rmtree, private, ignore_errors=True)
        path = private / path.name
        _write(path, source)
    return path


def _write(path: Path, source: str) -> None:
    # Others may write the same text at the same time: each replaces the whole file at once.
    handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".part")
    with open(handle, "w", encoding="utf-8") as file:
        file.write(source)
    os.replace(temporary, path)
