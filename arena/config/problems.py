"""All that is wrong with an experiment file, one line for each mistake."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from arena.config.document import ConfigError, Document, KeyPath, dotted
from arena.errors import did_you_mean

__all__ = ["Problems"]

M = TypeVar("M", bound=BaseModel)

NOTHING_MOVED: Mapping[str | int, KeyPath] = MappingProxyType({})

_EXPECTED = {
    "int_type": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "string_type": "text",
    "none_required": "nothing",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "list_type": "a list",
    "tuple_type": "a list",
}
_NUMBER = re.compile(r"[-+]?(\d[\d_]*\.?\d*|\.\d+)([eE][-+]?\d+)?")


class Problems:
    """Collects mistakes with their places, so that all can be told at once."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._lines: list[str] = []

    def add(self, path: KeyPath, message: str) -> None:
        """Note that something is wrong at `path`."""
        where = self._document.place_of(path)
        self._lines.append(f"{where}: {dotted(path)}: {message}" if path else f"{where}: {message}")

    def folder_of(self, path: KeyPath) -> Path:
        """What a file that is named at `path` is relative to."""
        return self._document.place_of(path).folder

    def __bool__(self) -> bool:
        return bool(self._lines)

    def stop_if_any(self) -> None:
        """Raise `ConfigError` with all that was found."""
        if self._lines:
            raise ConfigError("\n".join(dict.fromkeys(self._lines)))

    def unknown_key(self, path: KeyPath, allowed: Iterable[str]) -> None:
        """Note a key that means nothing here."""
        self.add(path, f"unknown key; {did_you_mean(str(path[-1]), allowed)}")

    def check(
        self,
        model: type[M],
        data: Any,
        path: KeyPath,
        moved: Mapping[str | int, KeyPath] = NOTHING_MOVED,
    ) -> M | None:
        """`data` as `model`; None if it is wrong, and the mistakes are noted.

        `data` stands at `path`, except for the keys in `moved`, which stand where it says.
        """
        try:
            # As JSON, so that lists may become tuples while all else stays strict.
            return model.model_validate_json(json.dumps(data))
        except ValidationError as error:
            for found, details in _by_place(error.errors(include_url=False), data):
                place = moved[found[0]] + found[1:] if found and found[0] in moved else path + found
                self._tell(model, place, details)
        return None

    def _tell(self, model: type[BaseModel], path: KeyPath, details: list[ErrorDetails]) -> None:
        first = details[0]
        if first["type"] == "extra_forbidden":
            self.unknown_key(path, _fields_around(model, first["loc"]))
        elif _names_a_missing_key(first):
            self.add(path, "missing")
        else:
            self.add(path, _message(details))


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
    return tuple(path)


def _names_a_missing_key(error: ErrorDetails) -> bool:
    return error["type"] == "missing" and isinstance(error["loc"][-1], str)


def _fields_around(model: type[BaseModel], loc: tuple[int | str, ...]) -> list[str]:
    """The keys that are allowed where pydantic found an unknown one."""
    for step in loc[:-1]:
        inner = model.model_fields[step].annotation if step in model.model_fields else None
        candidates = [inner, *getattr(inner, "__args__", ())]
        models = [m for m in candidates if isinstance(m, type) and issubclass(m, BaseModel)]
        model = models[0] if models else model
    return list(model.model_fields)


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
            return f"{found} is no name: letters, digits, - _ and +, a letter or digit first"
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
    number = float(value)
    written = str(int(number)) if number.is_integer() else repr(number)
    if "e" in value.lower():
        return f"; YAML reads {value} as text: write {written}"
    return f"; without quotes it is a number: {written}"
