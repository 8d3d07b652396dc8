"""Draws which packages of arena and agents import which: python docs/import_graph.py

The picture shows packages and single modules at the top of both trees, each above all that it
imports. An arrow that follows from others (A imports C, but also B, which imports C) is left out;
one that closes a cycle is dashed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "import-graph.svg"
PLAYERS = "agents"
"""The players, one module each at the top of `agents`, drawn as one box."""

_WIDTH, _HEIGHT, _GAP, _ROW, _MARGIN = 132, 30, 22, 74, 20
_COLOURS = {"arena": "#d7ecec", "agents": "#f6e3c5"}


def graph() -> dict[str, set[str]]:
    """The imports between boxes, from the import statements of all modules."""
    found: dict[str, set[str]] = {}
    for top in ("arena", "agents"):
        for file in sorted((ROOT / top).rglob("*.py")):
            here = _box(".".join(file.relative_to(ROOT).with_suffix("").parts))
            if here is not None:
                named = {_box(name) for name in _imports(file)}
                found.setdefault(here, set()).update(
                    box for box in named if box not in (None, here)
                )
    return {box: {name for name in named if name in found} for box, named in found.items()}


def _box(module: str) -> str | None:
    """The box of a module; None for `arena` itself and its entry point."""
    parts = module.removesuffix(".__init__").split(".")
    if parts[0] not in _COLOURS:
        return None
    if parts[0] == "agents":
        is_player = len(parts) == 1 or (ROOT / "agents" / f"{parts[1]}.py").is_file()
        return PLAYERS if is_player else f"agents.{parts[1]}"
    return None if len(parts) == 1 or parts[1].startswith("__") else f"arena.{parts[1]}"


def _imports(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def without_cycles(edges: dict[str, set[str]]) -> tuple[dict[str, set[str]], list[tuple[str, str]]]:
    """The imports without those that close a cycle, and these."""
    kept: dict[str, set[str]] = {}
    back: list[tuple[str, str]] = []

    def visit(box: str, above: tuple[str, ...]) -> None:
        if box not in kept:
            kept[box] = set()
            for name in sorted(edges[box]):
                if name in (*above, box):
                    back.append((box, name))
                else:
                    kept[box].add(name)
                    visit(name, (*above, box))

    for box in sorted(edges):
        visit(box, ())
    return kept, back


def reduced(edges: dict[str, set[str]]) -> dict[str, set[str]]:
    """Without the arrows that follow from others."""

    @cache
    def below(box: str) -> frozenset[str]:
        return frozenset(edges[box]).union(*map(below, edges[box]))

    return {
        box: {name for name in named if not any(name in below(other) for other in named)}
        for box, named in edges.items()
    }


def rows(edges: dict[str, set[str]]) -> list[list[str]]:
    """The boxes from the top row to the bottom one: each above all that it imports."""

    @cache
    def height(box: str) -> int:
        return 1 + max(map(height, edges[box]), default=-1)

    found: list[list[str]] = [[] for _ in range(1 + max(map(height, edges)))]
    for box in sorted(edges):
        found[height(box)].append(box)
    for lower, row in pairwise(found):
        place = {box: i / max(1, len(lower) - 1) for i, box in enumerate(lower)}
        row.sort(key=lambda box: _mean([place[name] for name in edges[box] if name in place]))
    return found[::-1]


def _mean(places: list[float]) -> float:
    return sum(places) / len(places) if places else 0.5


def svg() -> str:
    """The picture."""
    kept, back = without_cycles(graph())
    arrows = reduced(kept)
    layout = rows(arrows)
    width = max(map(len, layout)) * (_WIDTH + _GAP) - _GAP + 2 * _MARGIN
    height = len(layout) * _ROW - (_ROW - _HEIGHT) + 2 * _MARGIN
    at: dict[str, tuple[float, float]] = {}
    for line, row in enumerate(layout):
        left = (width - len(row) * (_WIDTH + _GAP) + _GAP) / 2
        for i, box in enumerate(row):
            at[box] = left + i * (_WIDTH + _GAP) + _WIDTH / 2, _MARGIN + line * _ROW + _HEIGHT / 2
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="12">',
        "<title>Which package imports which; arrows go down</title>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
    ]
    for box in sorted(arrows):
        for name in sorted(arrows[box]):
            (x, y), (to_x, to_y) = at[box], at[name]
            y, to_y = y + _HEIGHT / 2, to_y - _HEIGHT / 2
            bend = (to_y - y) / 2
            curve = f"C{x:g} {y + bend:g} {to_x:g} {to_y - bend:g} {to_x:g} {to_y:g}"
            lines.append(
                f'<path d="M{x:g} {y:g}{curve}" fill="none" stroke="#888888">'
                f"<title>{box} imports {name}</title></path>"
            )
    for box, name in back:
        (x, y), (to_x, to_y) = at[box], at[name]
        lines.append(
            f'<path d="M{x:g} {y - _HEIGHT / 2:g}L{to_x:g} {to_y + _HEIGHT / 2:g}" fill="none" '
            f'stroke="#c05020" stroke-dasharray="4"><title>{box} imports {name}</title></path>'
        )
    for box, (x, y) in sorted(at.items()):
        colour = _COLOURS[box.partition(".")[0]]
        lines.append(
            f'<rect x="{x - _WIDTH / 2:g}" y="{y - _HEIGHT / 2:g}" width="{_WIDTH}" '
            f'height="{_HEIGHT}" rx="4" fill="{colour}" stroke="#555555"/>'
        )
        name = "agents (players)" if box == PLAYERS else box
        lines.append(f'<text x="{x:g}" y="{y + 4:g}" text-anchor="middle">{name}</text>')
    return "\n".join([*lines, "</svg>"]) + "\n"


if __name__ == "__main__":
    PICTURE.write_text(svg(), encoding="utf-8")
    print(f"wrote {PICTURE}")
