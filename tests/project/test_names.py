"""One name, one thing: class names are unique, nothing shadows a module, tests mirror packages."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from helpers.paths import ROOT, TESTS

PACKAGES = ("arena", "agents")
OTHER_FOLDERS = {"chaos", "data", "docs", "examples", "fuzz", "golden", "helpers", "project"}
"""Folders of tests that stand for no package."""


@cache
def modules() -> dict[Path, ast.Module]:
    """The syntax of every module, by its path in the repository."""
    return {
        path.relative_to(ROOT): ast.parse(path.read_text(encoding="utf-8"))
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
    }


def names_bound(tree: ast.Module) -> Iterator[str]:
    """What the top level of a module defines or imports from elsewhere."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.ImportFrom):
            yield from (alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.Assign):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))


def test_no_class_name_is_used_twice() -> None:
    places = defaultdict(list)
    for path, tree in modules().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(str(path))
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_no_package_gives_another_meaning_to_the_name_of_a_module_in_it() -> None:
    shadowing = []
    for path, tree in modules().items():
        if path.name != "__init__.py":
            continue
        package = ".".join(path.parent.parts)
        inside = {each.stem for each in (ROOT / path.parent).glob("*.py")}
        inside |= {each.parent.name for each in (ROOT / path.parent).glob("*/__init__.py")}
        own = {  # `from package import module` is the module itself
            alias.asname or alias.name
            for node in tree.body
            if isinstance(node, ast.ImportFrom) and node.module == package
            for alias in node.names
        }
        shadowing += [f"{package}.{name}" for name in {*names_bound(tree)} & inside - own]
    assert shadowing == []


def test_every_folder_of_tests_is_that_of_a_package() -> None:
    ours = {each.parent.name for each in (ROOT / "arena").glob("*/__init__.py")}
    folders = {each.name for each in TESTS.iterdir() if any(each.glob("**/*.*"))}
    folders -= {"__pycache__", "conftest.py"}
    assert folders - OTHER_FOLDERS - {"agents"} <= ours
    ours_too = {each.parent.name for each in (ROOT / "agents").glob("*/__init__.py")}
    assert {each.parent.name for each in TESTS.glob("agents/*/test_*.py")} <= ours_too
    assert ours - folders == set(), "packages without tests"
