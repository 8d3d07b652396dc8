"""Source code: the files that a module imports, and one hash for all that depends on code.

Fingerprints of agents, the cache of compiled code, the baselines of gates and agents in files next
to an experiment know code by `code_digest`; they differ in the files that they give to it.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from pathlib import Path


def code_digest(
    files: Iterable[Path], *words: str, content: Callable[[Path], bytes] = Path.read_bytes
) -> str:
    """A hash of `words`, and of the names and contents of files, in the order of their paths."""
    digest = hashlib.sha256("\0".join(words).encode())
    for file in sorted(files):
        digest.update(f"\n{file.name}\0".encode())
        digest.update(content(file))
    return digest.hexdigest()[:32]


def syntax_of(file: Path) -> bytes:
    """What a compiler sees of a module: its syntax tree without comments and docstrings."""
    tree = ast.parse(file.read_bytes())
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [  # type: ignore[attr-defined]  # of those nodes that have one
                line
                for line in body
                if not (isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant))
            ]
    return ast.dump(tree).encode()


_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]+(\([^)]*\)|.*)|import[ \t]+(.*))$", re.M
)
"""Finds every import statement; also text in docstrings that looks like one, which is harmless."""


class ImportGraph:
    """The files that modules import. Every file is read once: an edit needs a new graph."""

    def __init__(self) -> None:
        self.content = cache(Path.read_bytes)
        self._imports_of = cache(self._read_imports)
        self._files_of = cache(self._find_files)

    def files(
        self,
        module: str,
        file: Path,
        roots: Collection[Path],
        packages: Collection[str] | None = None,
        generated: Mapping[str, Path] = {},
    ) -> set[Path]:
        """The file of a module and of all that it imports, directly or not, from below `roots`.

        `packages` are the top-level packages to follow; None: all. `generated` has files that a
        module depends on and no import statement names.
        """
        is_package = file.name == "__init__.py"
        found, seen = {file}, set()
        todo = [module, *self._imports_of(file, module if is_package else _package_of(module))]
        while todo:
            name = todo.pop()
            if name in seen or (packages is not None and name.partition(".")[0] not in packages):
                continue
            seen.add(name)
            files = [pair for root in roots for pair in self._files_of(name, root)]
            if name in generated:
                files.append((_package_of(name), generated[name]))
            for package, path in files:
                if path not in found:
                    found.add(path)
                    todo += self._imports_of(path, package)
        return found

    def _find_files(self, name: str, root: Path) -> tuple[tuple[str, Path], ...]:
        """The files below `root` that importing `name` runs, each with its package."""
        # Importing a.b.c runs a/__init__ and a/b/__init__ too.
        package = _package_of(name)
        above = self._files_of(package, root) if package else ()
        place = root.joinpath(*name.split("."))
        if (path := place / "__init__.py").is_file():
            return *above, (name, path)
        if (path := place.with_name(f"{place.name}.py")).is_file():
            return *above, (package, path)
        return above

    def _read_imports(self, path: Path, package: str) -> tuple[str, ...]:
        names: list[str] = []
        for dots, base, things, modules in _IMPORT.findall(
            self.content(path).decode("utf-8", errors="replace")
        ):
            if modules:
                names += re.findall(r"[\w.]+", modules)
                continue
            if dots:
                parts = package.split(".")
                above = parts[: len(parts) + 1 - len(dots)]
                base = ".".join([*above, *([base] if base else [])])
            # `from package import thing`: the thing may be a module.
            names += [base, *(f"{base}.{thing}" for thing in re.findall(r"\w+", things))]
        return tuple(name for name in names if name.strip("."))


def _package_of(module: str) -> str:
    return module.rpartition(".")[0]
