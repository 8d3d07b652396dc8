"""The parameters of an agent, a bidder or a game: the fields of its dataclass.

They are written as plain values (in experiments and run folders), checked by a strict
model that comes from the dataclass, and built into what the dataclass is called with.
"""

from __future__ import annotations

import json
import types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from functools import cache, reduce
from operator import or_
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Union, get_args, get_origin, get_type_hints

from pydantic import BeforeValidator, ValidationError, create_model
from pydantic import Field as ModelField
from pydantic_core import PydanticKnownError

from arena.errors import ArenaError
from arena.strict import Strict, first_mistake

__all__ = ["Parameter", "model_of", "parameters_of", "plain", "read_values", "values_of"]


@dataclass(frozen=True)
class Parameter:
    """One parameter, as it is listed for people."""

    name: str
    type: str
    required: bool
    default: Any
    help: str


class _Parameters(Strict):
    """Parameters of one dataclass, nested ones included."""

    made_from: ClassVar[Callable[..., Any]]


@cache
def model_of(family: Callable[..., Any]) -> type[Strict]:
    """The strict model of a dataclass: unknown names and wrong types are refused."""
    hints = get_type_hints(family) if is_dataclass(family) else {}
    definitions: dict[str, Any] = {
        item.name: (_strict(hints[item.name]), _model_field(item, _help_of(family, item)))
        for item in _fields(family)
    }
    model = create_model(
        getattr(family, "__name__", "Parameters"),
        __base__=_Parameters,
        __doc__=_first_line(family),
        **definitions,
    )
    model.made_from = family
    return model


def values_of(parameters: Strict) -> dict[str, Any]:
    """What to call the dataclass with: nested parameters are built."""
    return {name: _build(getattr(parameters, name)) for name in type(parameters).model_fields}


def read_values(
    family: Callable[..., Any], parameters: Mapping[str, Any], what: str
) -> dict[str, Any]:
    """What to call the dataclass with, from plain values; `what` names it in errors."""
    try:
        # As JSON, so that lists may become tuples while all else stays strict.
        return values_of(model_of(family).model_validate_json(json.dumps(plain(parameters))))
    except ValidationError as error:
        raise ArenaError(f"{what}: {first_mistake(error)}") from None


def plain(value: Any) -> Any:
    """A value as YAML and JSON can hold it."""
    if is_dataclass(value) and not isinstance(value, type):
        return {item.name: plain(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    return str(value) if isinstance(value, Path) else value


def parameters_of(family: Callable[..., Any]) -> list[Parameter]:
    """The parameters of a family, for people to read."""
    hints = get_type_hints(family) if is_dataclass(family) else {}
    return [
        Parameter(
            name=item.name,
            type=_type_name(hints[item.name]),
            required=item.default is MISSING and item.default_factory is MISSING,
            default=plain(_default_of(item)),
            help=_help_of(family, item),
        )
        for item in _fields(family)
    ]


# --- one dataclass -----------------------------------------------------------------------


def _fields(family: Any) -> list[Field[Any]]:
    return [item for item in fields(family) if item.init] if is_dataclass(family) else []


def _default_of(item: Field[Any]) -> Any:
    if item.default_factory is not MISSING:
        return item.default_factory()
    return None if item.default is MISSING else item.default


def _help_of(family: Callable[..., Any], item: Field[Any]) -> str:
    options: Mapping[str, str] = getattr(family, "options_help", {})
    return str(item.metadata.get("help") or options.get(item.name, ""))


def _model_field(item: Field[Any], help: str) -> Any:
    given: dict[str, Any] = {"description": help} if help else {}
    if item.default_factory is not MISSING:
        given["default_factory"] = item.default_factory
    elif item.default is not MISSING:
        given["default"] = item.default
    bounds = {"ge": item.metadata.get("at_least"), "le": item.metadata.get("at_most")}
    given.update({name: bound for name, bound in bounds.items() if bound is not None})
    return ModelField(**given)


def _first_line(family: Callable[..., Any]) -> str:
    return (family.__doc__ or "").strip().partition("\n")[0]


def _build(value: Any) -> Any:
    if isinstance(value, _Parameters):
        return value.made_from(**values_of(value))
    if isinstance(value, list | tuple):
        return type(value)(_build(inner) for inner in value)
    return value


# --- types -------------------------------------------------------------------------------


def _strict(annotation: Any) -> Any:
    """A type with its dataclasses replaced by their models."""
    if isinstance(annotation, type) and is_dataclass(annotation):
        return model_of(annotation)
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        # True == 1, so a Literal of numbers would take it.
        has_flags = any(isinstance(choice, bool) for choice in arguments)
        return annotation if has_flags else Annotated[annotation, _no_flags(arguments)]
    if origin in (Union, types.UnionType):
        return reduce(or_, [_strict(part) for part in arguments])
    if origin in (list, tuple, dict):
        return origin[tuple(part if part is ... else _strict(part) for part in arguments)]
    return annotation


def _no_flags(choices: tuple[Any, ...]) -> BeforeValidator:
    def refuse(value: Any) -> Any:
        if isinstance(value, bool):
            expected = ", ".join(map(repr, choices))
            raise PydanticKnownError("literal_error", {"expected": expected})
        return value

    return BeforeValidator(refuse)


def _type_name(annotation: Any) -> str:
    """A type in few words.

    >>> _type_name(Literal["a", "b"]), _type_name(int | None)
    ('a | b', 'int | null')
    """
    if annotation is type(None):
        return "null"
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return " | ".join(str(choice) for choice in arguments)
    if origin in (Union, types.UnionType):
        return " | ".join(_type_name(part) for part in arguments)
    if origin in (list, tuple):
        return f"list of {_type_name(arguments[0])}" if arguments else "list"
    return str(getattr(annotation, "__name__", annotation))
