"""What `import arena` offers."""

from __future__ import annotations

import ast
from pathlib import Path

import arena

ROOT = Path(arena.__file__).parent


def test_every_public_name_is_there_and_nothing_else_is_shown() -> None:
    assert sorted(dir(arena)) == sorted({"__version__", *arena._HOMES})
    for name in dir(arena):
        assert getattr(arena, name) is not None, name
    for name in ("View", "Action", "Rng", "Agent", "ArenaError", "run", "play", "compare"):
        assert name in dir(arena)


def test_no_public_name_is_a_package() -> None:
    modules = {path.stem for path in ROOT.iterdir()}
    assert not modules & set(arena._HOMES)


def test_type_checkers_see_the_same_names() -> None:
    stub = ast.parse((ROOT / "__init__.pyi").read_text())
    seen = {
        alias.asname: node.module
        for node in stub.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert seen == arena._HOMES


def test_the_package_itself_imports_nothing_of_arena() -> None:
    """Each import would become part of the key of all compiled code."""
    tree = ast.parse((ROOT / "__init__.py").read_text())
    imports = [node for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))]
    assert [ast.unparse(node) for node in imports] == ["import importlib as _importlib"]
