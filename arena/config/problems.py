"""The errors in an experiment file, one line each."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from math import isinf
from types import MappingProxyType
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from arena.config.parameters import KIND, Parameters
from arena.config.strict_yaml import ConfigError, KeyPath, YamlDocument, dotted
from arena.core.errors import did_you_mean

M = TypeVar("M", bound=BaseModel)

NOTHING_MOVED: Mapping[KeyPath, KeyPath] = MappingProxyType({})

_EXPECTED = {
    "int_type": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "string_type": "text",
    "none_required": "nothing",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "the name of a kind, or a mapping with it",
    "list_type": "a list",
    "tuple_type": "a list",
}
_TAG_ERRORS = ("union_tag_invalid", "union_tag_not_found")
_NUMBER = re.compile(r"[-+]?(\d[\d_]*\.?\d*|\.\d+)([eE][-+]?\d+)?")


MOST_SHOWN = 10
"""Mistakes of a file that are reported; how many more there are is said."""
_LONGEST_LINE = 1000


def _shortened(line: str) -> str:
    if len(line) <= _LONGEST_LINE:
        return line
    return f"{line[: _LONGEST_LINE // 2]} ... {line[-_LONGEST_LINE // 2 :]}"


class Problems:
    """Collects mistakes with their places, so that all can be reported at once."""

    def __init__(self, document: YamlDocument) -> None:
        self.document = document
        self._lines: list[str] = []

    def add(self, path: KeyPath, message: str) -> None:
        """Note that something is wrong at `path`."""
        where = self.document.place_of(path)
        self._lines.append(f"{where}: {dotted(path)}: {message}" if path else f"{where}: {message}")

    def __bool__(self) -> bool:
        return bool(self._lines)

    def stop_if_any(self) -> None:
        """Raise `ConfigError` with all that was found."""
        lines = list(dict.fromkeys(self._lines))
        if lines:
            more = len(lines) - MOST_SHOWN
            lines = [_shortened(line) for line in lines[:MOST_SHOWN]]
            raise ConfigError("\n".join(lines + [f"and {more:,} more mistakes"] * (more > 0)))

    def unknown_key(self, path: KeyPath, allowed: Iterable[str]) -> None:
        """Note a key that means nothing here."""
        self.add(path, f"unknown key; {did_you_mean(str(path[-1]), allowed)}")

    def check(
        self,
        model: type[M],
        data: Any,
        path: KeyPath,
        moved: Mapping[KeyPath, KeyPath] = NOTHING_MOVED,
    ) -> M | None:
        """`data` as `model`; None if it is wrong, and the mistakes are noted.

        `data` stands at `path`, except for what is in `moved`, which stands where it says.
        """
        try:
            # As JSON, so that lists may become tuples while all else stays strict.
            return model.model_validate_json(json.dumps(data))
        except ValidationError as error:
            for found, details in _by_place(error.errors(include_url=False), data):
                self._note(model, written_at(found, path, moved), details)
        return None

    def _note(self, model: type[BaseModel], path: KeyPath, details: list[ErrorDetails]) -> None:
        first = details[0]
        if first["type"] == "extra_forbidden":
            around, kinds = _models_around(model, first["loc"])
            key = str(first["loc"][-1])
            having = [repr(kind.kind_name) for kind in kinds if key in kind.model_fields]
            if having:
                self.add(path, f"unknown key; it belongs to the kind {' or '.join(having)}")
            else:
                self.unknown_key(path, [*around.model_fields, *getattr(around, "read_before", ())])
        elif first["type"] in _TAG_ERRORS:
            self._note_kind(model, path, first)
        elif _names_a_missing_key(first):
            self.add(path, "missing")
        else:
            self.add(path, _message(details))

    def _note_kind(self, model: type[BaseModel], path: KeyPath, error: ErrorDetails) -> None:
        """Note a kind that there is not, or that none is named."""
        _, kinds = _models_around(model, (*error["loc"], KIND))
        tag = error.get("ctx", {}).get("tag")
        near = did_you_mean(str(tag or ""), [kind.kind_name or "" for kind in kinds])
        self.add(path, f"unknown kind {tag!r}; {near}" if tag else f"missing; {near}")


def written_at(found: KeyPath, path: KeyPath, moved: Mapping[KeyPath, KeyPath]) -> KeyPath:
    """Where something stands in a document, if all of it is at `path` except for what is moved."""
    for end in range(len(found), 0, -1):
        if found[:end] in moved:
            return moved[found[:end]] + found[end:]
    return path + found


def _by_place(
    errors: Sequence[ErrorDetails], data: Any
) -> list[tuple[KeyPath, list[ErrorDetails]]]:
    """Errors by the value they are about.

    Where a value may be one of several things there is an error for each of them; if
    one of these looked inside the value, the value is of that kind and the others
    say nothing.
    """
    places: dict[KeyPath, list[ErrorDetails]] = {}
    for error in errors:
        places.setdefault(_path_of(error, data), []).append(error)
    return [
        (path, details)
        for path, details in places.items()
        if not any(len(other) > len(path) and other[: len(path)] == path for other in places)
    ]


def _path_of(error: ErrorDetails, data: Any) -> KeyPath:
    """Where an error is, without the names of alternatives that pydantic puts in between."""
    path: list[str | int] = []
    for step in error["loc"]:
        holder: Any = dict(enumerate(data)) if isinstance(data, list) else data
        if isinstance(holder, dict) and step in holder:
            data = holder[step]
            path.append(step)
    if _names_a_missing_key(error):
        path.append(error["loc"][-1])
    elif error["type"] in _TAG_ERRORS and isinstance(data, dict):
        path.append(KIND)
    return tuple(path)


def _names_a_missing_key(error: ErrorDetails) -> bool:
    return error["type"] == "missing" and isinstance(error["loc"][-1], str)


def _models_around(
    model: type[BaseModel], loc: tuple[int | str, ...]
) -> tuple[type[BaseModel], list[type[Parameters]]]:
    """The model that an error was found in, and all kinds that it could have been."""
    alternatives: list[Any] = [model]
    for step in loc[:-1]:
        if step in model.model_fields:
            alternatives = _models_in(model.model_fields[str(step)].annotation)
        named = [other for other in alternatives if getattr(other, "kind_name", None) == step]
        model = (named or alternatives or [model])[0]
    return model, [other for other in alternatives if getattr(other, "kind_name", None)]


def _models_in(annotation: Any) -> list[Any]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for part in get_args(annotation) for model in _models_in(part)]


def _message(details: list[ErrorDetails]) -> str:
    value = details[0]["input"]
    choices = [
        word for detail in details if detail["type"] == "literal_error" for word in _choices(detail)
    ]
    kinds = [_EXPECTED[detail["type"]] for detail in details if detail["type"] in _EXPECTED]
    if choices and not kinds:
        word = value if isinstance(value, str) else ""
        return f"unknown value {json.dumps(value)}; {did_you_mean(word, choices)}"
    if kinds:
        expected = " or ".join(dict.fromkeys([*choices, *kinds]))
        return f"expected {expected}, found {_shown(value)}{_hint(value, kinds)}"
    return _other(details[0])


def _other(detail: ErrorDetails) -> str:
    context = detail.get("ctx", {})
    found = _shown(detail["input"])
    match detail["type"]:
        case "greater_than_equal":
            return f"must be at least {context['ge']:g}, found {found}"
        case "greater_than":
            return f"must be more than {context['gt']:g}, found {found}"
        case "less_than_equal":
            return f"must be at most {context['le']:g}, found {found}"
        case "too_long":
            return f"has {context['actual_length']} entries, at most {context['max_length']} can be"
        case "too_short":
            return (
                f"has {context['actual_length']} entries, at least {context['min_length']} needed"
            )
        case "string_pattern_mismatch":
            letters = "letters from a to z" if "a-z" in context["pattern"] else "letters"
            return f"{found} is not a name: {letters}, digits, - _ and +, a letter or digit first"
        case "missing":
            return "an entry is missing"
        case _:
            return f"{detail['msg']}, found {found}"


def _choices(detail: ErrorDetails) -> list[str]:
    quoted = re.findall(r"'([^']*)'|([^\s,']+)", detail["ctx"]["expected"])
    words = [text or bare for text, bare in quoted if text or bare != "or"]
    return [{"True": "true", "False": "false"}.get(word, word) for word in words]


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return f"{value!r} (text)"
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    return json.dumps(value)


def _hint(value: Any, kinds: list[str]) -> str:
    wants_number = {"a whole number", "a number"} & set(kinds)
    if not wants_number or not isinstance(value, str) or not _NUMBER.fullmatch(value):
        return ""
    written = _as_yaml(float(value))
    if "e" in value.lower():
        return f"; YAML reads {value} as text: write {written}"
    return f"; without quotes it is a number: {written}"


def _as_yaml(number: float) -> str:
    """A number in a way that YAML reads as one: without a point, 1e-300 is text to it."""
    if isinf(number):
        return ".inf" if number > 0 else "-.inf"
    if number.is_integer() and abs(number) < 1e15:
        return str(int(number))
    mantissa, e, exponent = repr(number).partition("e")
    return f"{mantissa}.0e{exponent}" if e and "." not in mantissa else repr(number)
