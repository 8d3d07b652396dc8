"""YAML read strictly, with the place of every value.

Plain data only: mappings with text keys, lists, text, numbers, true, false, null.
Refused are duplicate keys, tags that would build objects, and words that YAML 1.1
reads as something else than they look like (`yes`, `010`, `1:30`, dates).

`include:` at the top of a file merges other files under it, mapping by mapping;
what the including file says wins. `--set key=value` wins over all files.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import yaml

from arena.core.errors import ArenaError, did_you_mean, located
from arena.core.files import check_name, read_text

KeyPath: TypeAlias = tuple[str | int, ...]
"""Where a value stands: `("agents", "mc", "playouts")`."""

MOST_VALUES = 100_000
"""More than any experiment has; a few lines of nested aliases can stand for billions."""

MOST_FILES = 200
"""Includes of one experiment, each as often as it is named: they too can stand for billions."""
MOST_DIGITS = 40

_FLAG = "--set "
_TAGS = "tag:yaml.org,2002:"
_DECIMAL = re.compile(r"[-+]?(0|[1-9][0-9_]*)")


class ConfigError(ArenaError):
    """An experiment that cannot be run as it is written: one line for each mistake."""


class Place(NamedTuple):
    """The file and line of a value."""

    source: str
    """A file, or `--set key=value`."""
    line: int | None = None

    def __str__(self) -> str:
        return self.source if self.line is None else f"{self.source}:{self.line}"

    @property
    def folder(self) -> Path:
        """The folder that a path written here is relative to."""
        return Path() if self.source.startswith(_FLAG) else Path(self.source).parent


@dataclass(frozen=True)
class YamlDocument:
    """Plain data with the place of every value."""

    data: Any
    places: dict[KeyPath, Place]

    def place_of(self, path: KeyPath) -> Place:
        """The place of a value, or of the nearest thing around it that was written."""
        while path and path not in self.places:
            path = path[:-1]
        return self.places[path]


def dotted(path: KeyPath) -> str:
    """A path as people write it.

    >>> dotted(("schedule", "pairs", 0))
    'schedule.pairs[0]'
    """
    text = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path)
    return text.removeprefix(".")


# --- files -------------------------------------------------------------------------------


def read(path: Path) -> YamlDocument:
    """A file with all that it includes."""
    return _read(path, (), [])


def _read(path: Path, including: tuple[Path, ...], seen: list[Path]) -> YamlDocument:
    seen.append(path)
    document = parse(_text_of(path), str(path))
    if not isinstance(document.data, dict):
        raise ConfigError(located(path, 1, "expected a mapping with name, game, agents, ..."))
    if "include" not in document.data:
        return document
    place = document.place_of(("include",))
    named = document.data.pop("include")
    names = [named] if isinstance(named, str) else named
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ConfigError(f"{place}: include: expected a file name or a list of file names")
    merged: YamlDocument | None = None
    for name in names:
        if len(seen) == MOST_FILES:
            raise ConfigError(f"{place}: include: more than {MOST_FILES} files")
        part = _included(path, name, place, (*including, path), seen)
        merged = part if merged is None else _merge(merged, part)
    return document if merged is None else _merge(merged, document)


def _included(
    path: Path, name: str, place: Place, including: tuple[Path, ...], seen: list[Path]
) -> YamlDocument:
    check_name(name)
    target = path.parent / name
    chain = [os.path.realpath(file) for file in including]
    if os.path.realpath(target) in chain:
        circle = including[chain.index(os.path.realpath(target)) :]
        names = " → ".join([*(file.name for file in circle), target.name])
        raise ConfigError(f"{place}: include: the files include each other: {names}")
    if not target.is_file():
        near = did_you_mean(name, (file.name for file in path.parent.glob("*.yaml")))
        raise ConfigError(f"{place}: include: no file {target}; {near}")
    return _read(target, including, seen)


def _text_of(path: Path) -> str:
    try:
        return read_text(path)
    except ArenaError as error:
        raise ConfigError(str(error)) from error


def _merge(base: YamlDocument, over: YamlDocument) -> YamlDocument:
    places = dict(base.places)
    data = _merge_values(base.data, over.data, (), places)
    return YamlDocument(data, {**places, **over.places})


def _merge_values(base: Any, over: Any, path: KeyPath, places: dict[KeyPath, Place]) -> Any:
    if isinstance(base, dict) and isinstance(over, dict):
        merged = dict(base)
        for key, value in over.items():
            here = (*path, key)
            merged[key] = _merge_values(base[key], value, here, places) if key in base else value
        return merged
    for place in [place for place in places if place[: len(path)] == path]:
        del places[place]
    return over


# --- --set -------------------------------------------------------------------------------


def with_override(document: YamlDocument, override: str) -> YamlDocument:
    """The document after one `--set key=value`; the value is read as YAML."""
    flag = _FLAG + override
    key, equals, text = override.partition("=")
    words = key.strip().split(".")
    if not equals or not all(words):
        raise ConfigError(f"{flag}: expected KEY=VALUE, such as agents.mc.playouts=500")
    if words[0] == "include":
        raise ConfigError(f"{flag}: include belongs into a file")
    path = tuple(words)
    data = dict(document.data)
    parent = data
    for depth, word in enumerate(words[:-1], start=1):
        here = dotted(path[:depth])
        if word not in parent and depth > 1:
            raise ConfigError(f"{flag}: there is no {here}; {did_you_mean(word, parent)}")
        inner = parent.get(word, {})
        if not isinstance(inner, dict):
            raise ConfigError(f"{flag}: {here} is no mapping; set it as a whole")
        parent[word] = dict(inner)
        parent = parent[word]
    parent[words[-1]] = parse(text, flag).data
    places = {
        place: where for place, where in document.places.items() if place[: len(path)] != path
    }
    for depth in range(1, len(path) + 1):
        places.setdefault(path[:depth], Place(flag))
    return YamlDocument(data, places)


# --- YAML --------------------------------------------------------------------------------


def parse(text: str, source: str) -> YamlDocument:
    """The document in a text; `source` names it in errors."""
    reader = _Reader(source)
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line if mark else 0
        raise reader.error(line, f"not YAML: {error.problem or error.context}") from error
    except yaml.YAMLError as error:
        raise ConfigError(f"{source}: not YAML: {' '.join(str(error).split())}") from error
    except (ValueError, OverflowError) as error:  # "\\UFFFFFFFF": no such character
        raise ConfigError(f"{source}: not YAML: {error}") from error
    except RecursionError as error:
        raise ConfigError(f"{source}: brackets inside brackets, too deep to be read") from error
    data = None if root is None else reader.value(root, ())
    reader.places[()] = Place(source)
    return YamlDocument(data, reader.places)


class _Reader:
    """Turns YAML nodes into plain data and writes down where everything stands."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.places: dict[KeyPath, Place] = {}
        self._open: list[yaml.Node] = []

    def error(self, line: int, message: str) -> ConfigError:
        return ConfigError(f"{self._place(line)}: {message}")

    def _place(self, line: int) -> Place:
        return Place(self.source, None if self.source.startswith(_FLAG) else line + 1)

    def value(self, node: yaml.Node, path: KeyPath) -> Any:
        line = node.start_mark.line
        self.places.setdefault(path, self._place(line))
        if len(self.places) > MOST_VALUES:
            raise self.error(line, f"more than {MOST_VALUES} values")
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node)
        if node in self._open:
            raise self.error(line, f"{dotted(path)}: an alias to what it is part of")
        self._open.append(node)
        try:
            if isinstance(node, yaml.MappingNode) and node.tag == _TAGS + "map":
                return self._mapping(node, path)
            if isinstance(node, yaml.SequenceNode) and node.tag == _TAGS + "seq":
                return [self.value(item, (*path, i)) for i, item in enumerate(node.value)]
        finally:
            self._open.pop()
        raise self.error(line, f"{dotted(path)}: {_refused_tag(node)}")

    def _mapping(self, node: yaml.MappingNode, path: KeyPath) -> dict[str, Any]:
        result: dict[str, Any] = {}
        written: dict[str, int] = {}
        for name, value in node.value:
            line = name.start_mark.line
            key = name.value
            if name.tag == _TAGS + "merge":
                raise self.error(line, "'<<' is not supported; use include: or repeat the keys")
            if not isinstance(name, yaml.ScalarNode):
                raise self.error(line, "keys must be text")
            if name.tag == _TAGS + "int" and value.value == "":
                raise self.error(line, f"{dotted(path)}: write numbers without commas, as in 1000")
            if name.tag != _TAGS + "str":
                raise self.error(
                    line,
                    f"{dotted((*path, key))}: keys must be text, as which YAML does not "
                    "read this one; quote it",
                )
            if key in written:
                first = written[key] + 1
                raise self.error(line, f"{dotted((*path, key))}: already given on line {first}")
            written[key] = line
            self.places[(*path, key)] = self._place(line)
            result[key] = self.value(value, (*path, key))
        return result

    def _scalar(self, node: yaml.ScalarNode) -> Any:
        text, line = node.value, node.start_mark.line
        kind = node.tag.removeprefix(_TAGS)
        if kind == "str":
            return text
        if kind == "null":
            return None
        if kind == "bool":
            if text.lower() not in ("true", "false"):
                meant = "true" if text.lower() in ("yes", "on") else "false"
                raise self.error(
                    line, f"YAML reads {text} as {meant}: write {meant}, or quote it if it is text"
                )
            return text.lower() == "true"
        if kind == "int":
            if not _DECIMAL.fullmatch(text):
                raise self.error(
                    line, f"YAML reads {text} as another number: write a plain decimal number"
                )
            if len(text) > MOST_DIGITS:
                raise self.error(line, f"a number of {len(text)} digits; at most {MOST_DIGITS}")
            return int(text.replace("_", ""))
        if kind == "float":
            try:
                return float(text.replace("_", "").replace(".inf", "inf").replace(".nan", "nan"))
            except ValueError:
                raise self.error(line, f"{text}: write a plain decimal number") from None
        if kind == "timestamp":
            raise self.error(line, f"YAML reads {text} as a date: quote it if it is text")
        raise self.error(line, _refused_tag(node))


def _refused_tag(node: yaml.Node) -> str:
    tag = node.tag.replace(_TAGS, "!!")
    return f"the tag {tag} is not allowed: plain values only, no objects"
