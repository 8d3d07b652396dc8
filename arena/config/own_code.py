"""Agents in a file next to the experiment: `family: ./bot.py:Greedy`.

The only way in which an experiment names code, so it is guarded. The file lies next to or
below the experiment; nothing is imported from a folder that was not trusted in this
process (`trust`); and naming a class only reads its file, `load` runs it.

A class is sent to workers as the text of its file. So all of them play the same code
even if the file changes during a run, and an edit takes effect with the next run. What it
imports from its folder is known by hash and imported where it is needed.

`./bots/greedy.py:Greedy` is a file, as one would start it; `bots.greedy:Greedy` the same
file as a module, in which relative imports work.
"""

from __future__ import annotations

import inspect
import os
import sys
import traceback
from dataclasses import dataclass, replace
from functools import cache
from importlib import invalidate_caches
from pathlib import Path
from types import ModuleType
from typing import Any

from arena.core.errors import ArenaError, did_you_mean, error_words, located
from arena.core.files import FILES, own_file, read_text
from arena.core.source_code import ImportGraph, code_digest

_TRUSTED: set[Path] = set()
_ROOTS: set[str] = set()
"""Folders that were added to `sys.path` for code in them."""
_PREFIX = "own_"
_IMPORTED: dict[str, str] = {}
"""Files next to own code that it has imported, and their hashes at that time."""


def is_code(family: str) -> bool:
    """Whether a family is named by its code, not by a name that is registered.

    >>> is_code("./bot.py:Greedy"), is_code("bots.greedy:Greedy"), is_code("rule")
    (True, True, False)
    """
    return ":" in family


def code_from(home: Path, written: str, folder: Path) -> str:
    """Code that a file in `folder` names, as an experiment in `home` names it.

    >>> code_from(Path("e"), "./bot.py:Greedy", Path("e/parts"))
    './parts/bot.py:Greedy'
    """
    where, _, name = written.rpartition(":")
    if not _is_file(where):
        return written
    return f"./{Path(os.path.relpath(folder / where, home)).as_posix()}:{name}"


def _is_file(where: str) -> bool:
    return where.endswith(".py") or "/" in where or os.sep in where


def _file_of(where: str) -> str:
    return where if _is_file(where) else f"{where.replace('.', '/')}.py"


def trust(folder: Path) -> None:
    """Let code that lies in or below a folder be imported by this process."""
    _TRUSTED.add(folder.resolve())


def is_trusted(folder: Path) -> bool:
    """Whether code in this folder may be imported."""
    here = folder.resolve()
    return any(here.is_relative_to(each) for each in _TRUSTED)


@dataclass(frozen=True)
class OwnCode:
    """A class by the text of its file; called like the class, it makes an agent."""

    written: str
    """As an experiment in `folder` names it."""
    path: str
    package: str | None
    """Of a module: the package it is in; None if a file is named."""
    name: str
    source: str
    helpers: tuple[tuple[str, str], ...] = ()
    """The files next to it that it imports, with their hashes."""
    home: str = ""
    """The folder that `written` is relative to."""

    @classmethod
    def find(cls, written: str, folder: Path, home: Path | None = None) -> OwnCode:
        """The class that a file in `folder` names; the file is read and not run.

        It must lie in or below `home`, the folder of the experiment.
        """
        where, _, name = written.rpartition(":")
        is_file = _is_file(where)
        if home is None or home == folder:  # a run keeps the code that it played with
            file = _file_of(where)
            kept = own_file(folder, file) != folder / file
            home = folder = folder / FILES if kept else folder
        path = (folder if is_file else home) / _file_of(where)
        package = None if is_file else where.rpartition(".")[0]
        if not name.isidentifier() or not where:
            raise ArenaError(f"{written!r}: expected FILE.py:CLASS or MODULE:CLASS")
        if not path.resolve().is_relative_to(home.resolve()):
            raise ArenaError(f"{path} does not lie next to or below the experiment ({home})")
        try:
            source = read_text(path)
        except ArenaError as error:
            why = str(error).removeprefix(f"{path}: ")
            raise ArenaError(_not_there(path, why, is_file)) from error
        found = cls(
            code_from(home, written, folder),
            str(path.resolve()),
            package,
            name,
            source,
            home=str(home.resolve()),
        )
        helpers = {str(file): code_digest([file]) for file in found.imported_files()}
        _forget_changed(helpers)
        return replace(found, helpers=tuple(sorted(helpers.items())))

    @property
    def root(self) -> Path:
        """The folder in which it finds what it imports from its folder."""
        folder = Path(self.path).parent
        for _ in self.package.split(".") if self.package else ():
            folder = folder.parent
        return folder

    @property
    def files(self) -> dict[str, Path]:
        """The file and those that it imports from its folder, by their names in the experiment."""
        home = Path(self.home)
        helpers = (Path(file) for file, _ in self.helpers)
        return {
            _file_of(self.written.rpartition(":")[0]): Path(self.path),
            **{file.relative_to(home).as_posix(): file for file in helpers},
        }

    @property
    def sha256(self) -> str:
        """The hash of its code: of the file and of what it imports from its folder."""
        return code_digest([], self.source, *(digest for _, digest in self.helpers))

    def imported_files(self) -> set[Path]:
        """The files below its root that it imports, and those that these import."""
        path = Path(self.path)
        module = f"{self.package}.{path.stem}" if self.package else path.stem
        return ImportGraph().files(module, path, [self.root]) - {path}

    def load(self) -> type:
        """The class; its file is run once in a process, and again if it has changed."""
        module = _run(self)
        found = getattr(module, self.name, None)
        if not isinstance(found, type):
            classes = [name for name, value in vars(module).items() if _is_own(value, module)]
            near = did_you_mean(self.name, classes) if classes else "it has no classes"
            raise ArenaError(f"{self.path}: there is no class {self.name!r}; {near}")
        if not any(callable(getattr(found, method, None)) for method in ("act", "bid")):
            raise ArenaError(
                f"{self.path}: the class {self.name} has no method act(self, view, rng)"
            )
        _check_signature(found, "act", self.path)
        _check_signature(found, "bid", self.path)
        return found

    def __call__(self, **parameters: Any) -> Any:
        """An agent."""
        return self.load()(**parameters)


def _check_signature(family: type, method: str, path: str) -> None:
    """Refuse a method that cannot be called with a view and a generator, in this order."""
    function = getattr(family, method, None)
    if not callable(function):
        return
    try:
        signature = inspect.signature(function)
        signature.bind(None, None, None)  # self, view, rng
        if list(signature.parameters)[1:3] == ["rng", "view"]:
            raise TypeError
    except TypeError:
        line = getattr(getattr(function, "__code__", None), "co_firstlineno", None)
        written = f"{method}{inspect.signature(function)}"
        raise ArenaError(
            located(path, line, f"{written}: expected {method}(self, view, rng)")
        ) from None
    except ValueError:  # a method of compiled code has no signature
        return


@cache
def _run(code: OwnCode) -> ModuleType:
    """Run a file as a module of its own."""
    _import_from(code.root)
    digest = code_digest([], code.path, code.sha256)[:12]
    name = f"{_PREFIX}{Path(code.path).stem}_{digest}"
    module = ModuleType(name)
    module.__file__ = code.path
    module.__package__ = code.package or ""
    sys.modules[name] = module  # dataclasses look their annotations up there
    writes, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        # No bytecode of its imports: Python would use it after an edit in the same second.
        exec(compile(code.source, code.path, "exec"), vars(module))
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        said = error_words(error)
        if isinstance(error, SyntaxError):  # without the place, which comes first
            said = f"{type(error).__name__}: {error.msg}"
        raise ArenaError(f"{_place(error, code.path)}: {said}") from error
    finally:
        sys.dont_write_bytecode = writes
    _IMPORTED.update(code.helpers)
    return module


def _import_from(root: Path) -> None:
    """Let code import from its folder, and not from that of other code: names may be the same."""
    others = [other for other in _ROOTS if other != str(root)]
    sys.path[:] = [path for path in sys.path if path not in others]
    if str(root) not in sys.path:
        # At the end: a file that is called like a module of Python's does not replace it.
        sys.path.append(str(root))
        _ROOTS.add(str(root))
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if file is None or name.startswith(_PREFIX) or Path(file).is_relative_to(root):
            continue
        if any(Path(file).is_relative_to(other) for other in others):
            del sys.modules[name]


def _forget_changed(helpers: dict[str, str]) -> None:
    """Forget imported modules next to own code that have been edited since."""
    changed = {file for file, digest in helpers.items() if _IMPORTED.get(file, digest) != digest}
    if changed:
        for name, module in list(sys.modules.items()):
            if getattr(module, "__file__", None) in _IMPORTED:
                del sys.modules[name]
        _IMPORTED.clear()
        invalidate_caches()


def _is_own(value: object, module: ModuleType) -> bool:
    return isinstance(value, type) and value.__module__ == module.__name__


def _place(error: BaseException, path: str) -> str:
    """The line of the file in which importing it failed."""
    if isinstance(error, SyntaxError) and error.filename is not None:
        return f"{error.filename}:{error.lineno}"
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == path]
    return f"{path}:{lines[-1]}" if lines else path


def _not_there(path: Path, why: str, is_file: bool) -> str:
    near = sorted(each.name for each in path.parent.glob("*.py")) if path.parent.is_dir() else []
    hint = f"; {did_you_mean(path.name, near)}" if near else ""
    note = "" if is_file else " (installed packages register their agents by entry points)"
    return f"{path}: {why}{note}{hint}"
