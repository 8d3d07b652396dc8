"""Pages and tables of the documentation that are made from the code, so that they are never stale.

`python docs/generated.py` writes the tables that stand in pages of the repository anew (a test
fails if they are not as they would be written). The pages of the reference are made when the
site is built.
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
import inspect
import json
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel

from arena.cli import COMMANDS, Parser, command
from arena.config.models import (
    DealsSection,
    ExperimentFile,
    Match,
    Reference,
    ScheduleSection,
    Team,
)
from arena.config.parameters import Parameter, parameters_of
from arena.config.schema import json_schema
from arena.core.cards import SEATS, cards_of, trump_name, write_cards
from arena.core.registry import AGENTS, BIDDERS, GAMES
from arena.core.rules import Rules, View, action_name, field_docs
from arena.core.seeds import Rng
from arena.games.needs import games_of
from arena.report.bibliography import Work, works
from arena.report.glossary import groups
from arena.report.words import count, interval, percent, plain, signed

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
    helps = field_docs(View)
    views = [_example(GAMES.get(name)(**options)) for name, options in SHOWN.items()]
    lines = [
        f"| field | what it is | {' | '.join(SHOWN)} |",
        f"|---|---|{'---|' * len(SHOWN)}",
    ]
    for field in View._fields:
        values = [_value(view, field) for view in views]
        lines.append(f"| `{field}` | {helps[field]} | {' | '.join(values)} |")
    return "\n".join(lines)


def json_view_table() -> str:
    """The fields of a view as JSON."""
    rows = {"format": "The version of this encoding: 1.", **field_docs(View)}
    return "\n".join(
        ["| field | what it is |", "|---|---|", *(f"| `{n}` | {d} |" for n, d in rows.items())]
    )


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


# --- pages of the reference --------------------------------------------------------------


def reference() -> dict[str, str]:
    """The pages of the site's reference, by path."""
    return {
        "reference/commands.md": commands_page(),
        "reference/experiments.md": experiments_page(),
        "reference/agents.md": agents_page(),
        "reference/games.md": games_page(),
        "reference/python.md": python_page(),
    }


def commands_page() -> str:
    """Every command with its help."""
    lines = ["# Commands", "", "What `arena COMMAND --help` says.", ""]
    for name, summary in COMMANDS.items():
        module = command(name)
        parser = Parser(f"arena {name}", description=module.__doc__)
        parser.formatter_class = functools.partial(argparse.RawDescriptionHelpFormatter, width=96)
        module.add_arguments(parser)
        lines += [f"## arena {name}", "", f"{summary[0].upper()}{summary[1:]}.", ""]
        lines += ["```text", parser.format_help().rstrip(), "```", ""]
    return "\n".join(lines)


def experiments_page() -> str:
    """The keys of an experiment file, from the models that check it."""
    lines = [
        "# Experiments",
        "",
        "An experiment is a YAML file. `arena validate FILE` lists all of its mistakes,",
        "`arena schema` prints the JSON Schema by which editors check and complete it, and",
        "`include: OTHER.yaml` merges other files under it. `--set key=value` changes a key.",
        "",
    ]
    for model in (ExperimentFile, DealsSection, ScheduleSection, Match, Team, Reference):
        lines += [
            f"## {model.__name__.removesuffix('Section')}",
            "",
            " ".join((model.__doc__ or "").split()),
            "",
        ]
        helps = field_docs(model)
        lines += ["| key | type | default | |", "|---|---|---|---|"]
        for name, field in model.model_fields.items():
            default = "must be given" if field.is_required() else f"`{_yaml(field.default)}`"
            about = _cell(helps.get(name, ""))
            lines.append(f"| `{name}` | {_type(field.annotation)} | {default} | {about} |")
        lines.append("")
    lines += ["## Agents", "", "Besides the parameters of its family, an agent may have:", ""]
    lines += [f"* `{key}`: {text}" for key, text in _AGENT_KEYS.items()]
    return "\n".join(lines) + "\n"


_AGENT_KEYS = {
    "family": "its name (see *Agents and bidders*), or code next to the experiment: "
    "`./bot.py:Greedy`",
    "bidder": "who bids for it: a name, or a mapping with `family` and parameters",
    "grid": "parameters with lists of values; every combination becomes an agent",
    "team": "two names of other agents that play as partners, instead of all else",
    "isolate": "whether it plays in a process of its own (`each-deal`: a new one every time)",
    "limits": "`seconds_per_decision`, `seconds_per_deal`, `memory_mb`",
    "source": "`{git: REV}`: as it was at another revision",
}


def agents_page() -> str:
    """Every registered family with its parameters."""
    lines = ["# Agents and bidders", ""]
    for title, registry in (("Agents", AGENTS), ("Bidders", BIDDERS)):
        lines += [f"## {title}", ""]
        for name, family in registry.loaded(print).items():
            lines += [f"### {name}", "", *_doc(family), ""]
            lines += [f"Plays {', '.join(games_of(family))}.", ""]
            lines += _parameter_table(parameters_of(family))
    return "\n".join(lines)


def _parameter_table(parameters: list[Parameter]) -> list[str]:
    if not parameters:
        return []
    lines = ["| parameter | type | default | |", "|---|---|---|---|"]
    for item in parameters:
        default = item.default["kind"] if item.kinds and item.default else item.default
        shown = "must be given" if item.required else f"`{_yaml(default)}`"
        lines.append(f"| `{item.name}` | {_named(item.type)} | {shown} | {_cell(item.help)} |")
        for kind, inner in (item.kinds or {}).items():
            lines += [
                f"| `{item.name}.{each.name}` | {_named(each.type)} | `{_yaml(each.default)}` | "
                f"{_cell(each.help)} ({kind}) |"
                for each in inner
            ]
    return [*lines, ""]


def games_page() -> str:
    """Every registered game with its options."""
    lines = ["# Games", ""]
    for name, game in GAMES.loaded(print).items():
        lines += [f"## {name}", "", *_doc(inspect.getmodule(game)), ""]
        lines += ["| option | default | |", "|---|---|---|"]
        for field in dataclasses.fields(game):
            help_ = _cell(game.options_help.get(field.name, ""))
            lines.append(f"| `{field.name}` | `{_yaml(field.default)}` | {help_} |")
        lines.append("")
    return "\n".join(lines)


def python_page() -> str:
    """What programs and notebooks import, from its docstrings."""
    about = "What agents, plug-ins and notebooks import; [Arena from Python](../python.md) uses it."
    lines = ["# Python", "", about, ""]
    for module in _PYTHON:
        lines += [f"::: {module}", ""]
    return "\n".join(lines)


_PYTHON = (
    "arena.api.experiments",
    "arena.api.results",
    "arena.api.comparing",
    "arena.api.rounds",
    "arena.core.agent",
    "arena.core.rules",
    "arena.core.cards",
    "arena.core.seeds",
    "arena.games.infoset",
    "arena.testing",
)


def _doc(thing: object) -> list[str]:
    return inspect.cleandoc(getattr(thing, "__doc__", None) or "").splitlines()


_WORDS = {
    "str": "text",
    "int": "whole number",
    "float": "number",
    "bool": "true or false",
    "dict": "mapping",
    "Budget": "mapping",
    "Endings": "mapping",
    "list of str": "list of text",
    "null": "null",
}


def _type(annotation: Any) -> str:
    """A Python type in YAML terms."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _type(inner[0])
    if origin is Literal:
        return _either([f"`{_yaml(value)}`" for value in inner])
    if origin in (Union, UnionType):
        return _either([_type(each) for each in inner])
    if origin is list or inner[1:] == (...,):
        return f"list of {_type(inner[0])}"
    if origin is tuple:
        return f"list of {len(inner)}: {', '.join(map(_type, inner))}"
    if annotation is NoneType:
        return "null"
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return f"mapping ({annotation.__name__.removesuffix('Section')})"
    name = (origin or annotation).__name__
    return _WORDS.get(name, name)


def _named(text: str) -> str:
    """The type of a parameter likewise: values that can be chosen are code."""
    plain = {*_WORDS, "a model"}
    parts = text.split(" | ")
    return _either([_WORDS.get(part, part) if part in plain else f"`{part}`" for part in parts])


def _either(parts: list[str]) -> str:
    parts = list(dict.fromkeys(parts))
    return " or ".join([", ".join(parts[:-1]), parts[-1]] if parts[1:] else parts)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _yaml(value: Any) -> str:
    if isinstance(value, BaseModel):
        value = value.model_dump(exclude_defaults=True)
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    return str(value)


# --- pages and tables in the repository --------------------------------------------------

_EFFORT = ("simulations", "playouts", "worlds", "worlds_per_trick", "iterations")


def effort_table() -> str:
    """The parameters of each family that say how much it searches."""
    lines = ["| family | parameters, with their defaults |", "|---|---|"]
    for name, family in AGENTS.loaded(print).items():
        found = [item for item in parameters_of(family) if item.name in _EFFORT]
        if found:
            shown = [f"`{item.name}: {_yaml(item.default)}` ({item.help})" for item in found]
            lines.append(f"| `{name}` | {_cell('; '.join(shown))} |")
    return "\n".join(lines)


def glossary_page() -> str:
    """The words that reports explain."""
    lines = ["# Glossary", "", "Reports show these sentences where a word is hovered or tapped."]
    for group, words in groups().items():
        lines += ["", f"## Words of {group}"]
        for word, sentence in words.items():
            lines += ["", f"### {word}", "", sentence]
    return "\n".join(lines) + "\n"


def bibliography_page() -> str:
    """The works that arena builds on, from the file that reports cite by."""
    lines = [
        "# Bibliography",
        "",
        "Works that arena builds on, and what is taken from each. A report names those that its",
        "run uses; `arena report RUN --latex` writes them as `references.bib`.",
    ]
    for work in works().values():
        lines += ["", f"## {work.short}", "", _citation(work), ""]
        lines += [f"Used for: {work.what}.", "", "```text", work.bibtex, "```"]
    return "\n".join(lines) + "\n"


def _citation(work: Work) -> str:
    fields = {name: text.replace("{", "").replace("}", "") for name, text in work.fields.items()}
    where = [fields.get(name) for name in ("journal", "booktitle", "school", "publisher", "note")]
    people = "; ".join(author.strip("{}") for author in work.authors)
    rest = ", ".join(part for part in where if part)
    return f"{people} ({fields['year']}). *{fields['title']}*." + (f" {rest}." if rest else "")


# --- tables of results -------------------------------------------------------------------


def stored_results() -> dict[str, Any]:
    """Results of published experiments by name, as `python docs/results.py` stored them."""
    found: dict[str, Any] = json.loads((DOCS / "research/results.json").read_text(encoding="utf-8"))
    return found


def pair_table(name: str) -> str:
    """Every pair of a run: margin, and matches won or points taken as publications count them."""
    run = stored_results()[name]
    unit, pairs = run["unit"], run["pairs"]
    extra = "best_side" if pairs[0]["best_side"] else "share"
    header = "matches won by the best seat" if extra == "best_side" else "share of points"
    common = {pair["second"] for pair in pairs}
    against = f" against `{common.pop()}`" if len(common) == 1 else ""
    played = f"{count(pairs[0]['n'])} {unit}{'es' if unit == 'match' else 's'}"
    lines = [
        f"{played} in {run['seatings']} seatings each{against}:",
        "",
        f"| | points per {unit} | {header} |",
        "|---|---|---|",
    ]
    for pair in pairs:
        who = pair["first"] if against else f"{pair['first']} – {pair['second']}"
        margin, also = _estimate(pair["margin"], signed), _estimate(pair[extra], percent)
        lines.append(f"| {who} | {margin} | {also} |")
    return "\n".join(lines)


def published_table(name: str) -> str:
    """Published values next to this run's, and how many of them agree."""
    run = stored_results()[name]
    units = {check["unit"] for check in run["published"]}
    labels = {check["label"] for check in run["published"]}
    lines = [f"| | published{_in(units)} | here | z |", "|---|---|---|---|"]
    for check in run["published"]:
        show = percent if check["is_share"] else plain
        about = check["about"] if len(units) == 1 else f"{check['about']}, {check['unit']}"
        about += f" ({check['label']})" if len(labels) > 1 else ""
        ours = _estimate(check["ours"], show)
        lines.append(f"| {about} | {show(check['value'], 1)} | {ours} | {plain(check['z'], 1)} |")
    return "\n".join([*lines, "", run["agreement"]])


def _in(units: set[str]) -> str:
    return f", {next(iter(units))}" if len(units) == 1 else ""


def exploration_table() -> str:
    """Figure 5 of Aaldering 2023: margins by simulations and C; bold if |z| is above 3."""
    names = ("aaldering-2023-figure5", "aaldering-2023-figure5-deep")
    runs = [stored_results()[name] for name in names]
    cells: dict[tuple[int, int], str] = {}
    for check in (check for run in runs for check in run["published"]):
        simulations, c = re.findall(r"\d+", check["about"])
        ours = plain(check["ours"][0], 1)
        shown = f"**{ours}**" if abs(check["z"]) > 3 else ours
        cells[int(simulations), int(c)] = f"{plain(check['value'], 1)} ‖ {shown}"
    rows, columns = ({key[axis] for key in cells} for axis in (0, 1))
    lines = [f"| simulations | {' | '.join(f'C = {c}' for c in sorted(columns))} |"]
    lines.append("|---" * (len(columns) + 1) + "|")
    for row in sorted(rows):
        found = [cells.get((row, c), "") for c in sorted(columns)]
        lines.append(f"| {count(row)} | {' | '.join(found)} |")
    said = [f"`{name}`: {run['agreement']}" for name, run in zip(names, runs, strict=True)]
    return "\n".join([*lines, "", *said])


def _estimate(values: list[float] | None, show: Callable[[float | None, int], str]) -> str:
    if values is None:
        return ""
    value, low, high = values
    within = percent if show is percent else plain
    return f"{show(value, 1)} ({interval(low, high, 1, within)})"


_SCHIEBER_HEARTS = "research/schieber-and-hearts.md"
TABLES: dict[tuple[str, str], Callable[[], str]] = {
    ("agent-api.md", "view"): view_table,
    ("protocol.md", "view"): json_view_table,
    ("search-effort.md", "effort"): effort_table,
    ("research/tree-search.md", "exploration"): exploration_table,
    **{
        (page, name): partial(pair_table, name)
        for page, name in (
            ("research/tree-search.md", "aaldering-2023-figure7-rollouts"),
            ("research/forest.md", "hordijk-2022-table8"),
            ("research/forest.md", "hordijk-2022-table8-amsterdam"),
            (_SCHIEBER_HEARTS, "niklaus-2019-table13_2"),
            (_SCHIEBER_HEARTS, "kiele-2024-table1"),
            (_SCHIEBER_HEARTS, "kiele-2024-figure5"),
            (_SCHIEBER_HEARTS, "kiele-2024-figure6"),
            (_SCHIEBER_HEARTS, "kiele-2024-figure7"),
            (_SCHIEBER_HEARTS, "kiele-2024-moon-four"),
        )
    },
    **{
        (page, f"published {name}"): partial(published_table, name)
        for page, name in (
            ("research/flat-monte-carlo.md", "hoogenboom-2017-table11"),
            ("research/forest.md", "hordijk-2022-table8"),
            ("research/forest.md", "hordijk-2022-table8-amsterdam"),
            (_SCHIEBER_HEARTS, "kiele-2024-table1"),
            (_SCHIEBER_HEARTS, "kiele-2024-table2"),
        )
    },
}
"""What stands between `<!-- made: view -->` and `<!-- end -->` in which page."""


def pages() -> Iterator[tuple[Path, str]]:
    """Every file that is made, or has tables that are made, as it should be."""
    schema = json.dumps(json_schema(), indent=1, ensure_ascii=False, sort_keys=True)
    yield DOCS.parent / "configs" / "experiment.schema.json", schema + "\n"
    yield DOCS / "glossary.md", glossary_page()
    yield DOCS / "bibliography.md", bibliography_page()
    for name in dict.fromkeys(page for page, _ in TABLES):
        text = (DOCS / name).read_text(encoding="utf-8")
        for (page, mark), make in TABLES.items():
            if page == name:
                before, found, rest = text.partition(f"<!-- made: {mark} -->\n")
                if not found:
                    raise ValueError(f"{name}: no table <!-- made: {mark} -->")
                after = rest.partition("<!-- end -->")[2]
                text = f"{before}<!-- made: {mark} -->\n{make()}\n<!-- end -->{after}"
        yield DOCS / name, text


if __name__ == "__main__":
    for path, text in pages():
        path.write_text(text, encoding="utf-8")
