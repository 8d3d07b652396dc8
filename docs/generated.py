"""Pages and tables of the documentation that are made from the code, so that they are never stale.

`python docs/generated.py` writes the tables that stand in pages of the repository anew (a test
fails if they are not as they would be written). The pages of the reference are made when the
site is built.
"""

from __future__ import annotations

import ast
import inspect
import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import arena.rules
from arena.cards import SEATS, cards_of, trump_name, write_cards
from arena.config.schema import json_schema
from arena.registry import GAMES
from arena.rules import Rules, View, action_name
from arena.seeds import Rng

DOCS = Path(__file__).parent
SHOWN: dict[str, dict[str, Any]] = {
    "klaverjas": {},
    "schieber": {},
    "hearts": {"passing": "left"},
}
"""Games that examples are shown of, and options that show more."""
_MASKS = ("hand",)
_CARDS = ("dealt_hand", "table", "passed", "received")
_SEATS = ("seat", "dealer", "leader", "declarer", "table_leader")


def view_table() -> str:
    """The fields of a view, each with an example from every game."""
    helps = _helps(arena.rules, "View")
    views = [_example(GAMES.get(name)(**options)) for name, options in SHOWN.items()]
    lines = [
        f"| field | what it is | {' | '.join(SHOWN)} |",
        f"|---|---|{'---|' * len(SHOWN)}",
    ]
    for field in View._fields:
        values = [_value(view, field) for view in views]
        lines.append(f"| `{field}` | {helps[field]} | {' | '.join(values)} |")
    return "\n".join(lines)


def _example(rules: Rules, seed: int = 3) -> View:
    """The first view of a random round with two finished tricks and two cards on the table."""
    rng = Rng(seed)
    state = rules.start(rules.random_deal(rng, seed))
    while len(state.tricks) < 2 or len(state.table) != 2:
        rules.apply(state, rng.choice(state.legal))
    view: View = rules.view(state, state.turn)
    return view


def _value(view: View, field: str) -> str:
    value = getattr(view, field)
    if field == "rules":
        return f"`{type(value).__name__}(...)`"
    if field in _MASKS:
        return f"`{value:#x}`: {write_cards(cards_of(value))}"
    if field in _CARDS:
        return f"`{value}`" + (f": {write_cards(value)}" if value else "")
    if field in _SEATS:
        return "`None`" if value is None else f"`{value}`: {SEATS[value]}"
    if field == "legal":
        names = " ".join(action_name(action, view.rules.bids) for action in value)
        return f"`{value}`: {names}"
    if field == "trump" and value is not None:
        return f"`{value}`: {trump_name(value)}"
    if field == "tricks":
        first = value[0]
        return f"`({first!r}, ...)`: {write_cards(first.cards)} to {SEATS[first.winner]}, ..."
    return f"`{value!r}`"


def _helps(module: object, name: str) -> dict[str, str]:
    """What is written under each field of a class."""
    tree = ast.parse(inspect.getsource(module))  # type: ignore[arg-type]
    body = next(n.body for n in tree.body if isinstance(n, ast.ClassDef) and n.name == name)
    found: dict[str, str] = {}
    for field, after in pairwise(body):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
            text = after.value.value if _is_text(after) else ""  # type: ignore[attr-defined]
            found[field.target.id] = " ".join(text.split())
    return found


def _is_text(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


# --- tables inside pages -----------------------------------------------------------------

TABLES = {("agent-api.md", "view"): view_table}
"""What stands between `<!-- made: view -->` and `<!-- end -->` in which page."""


def pages() -> Iterator[tuple[Path, str]]:
    """Every file that is made, or has tables that are made, as it should be."""
    schema = json.dumps(json_schema(), indent=1, ensure_ascii=False, sort_keys=True)
    yield DOCS.parent / "configs" / "experiment.schema.json", schema + "\n"
    for name in dict.fromkeys(page for page, _ in TABLES):
        text = (DOCS / name).read_text(encoding="utf-8")
        for (page, mark), make in TABLES.items():
            if page == name:
                before, _, rest = text.partition(f"<!-- made: {mark} -->\n")
                after = rest.partition("<!-- end -->")[2]
                text = f"{before}<!-- made: {mark} -->\n{make()}\n<!-- end -->{after}"
        yield DOCS / name, text


if __name__ == "__main__":
    for path, text in pages():
        path.write_text(text, encoding="utf-8")
