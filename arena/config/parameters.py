"""The parameters of an agent, a bidder or a game: the fields of its dataclass.

They are written as plain values (in experiments and run folders), checked by a strict
model that comes from the dataclass, and built into what the dataclass is called with.

A field may be a choice between kinds that have parameters of their own
(`arena.core.agent.parameter` with `kinds`): it becomes a union tagged by `kind`.
A field may be a `ModelFile`.
"""

from __future__ import annotations

import json
import types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from functools import cache, reduce
from operator import or_
from pathlib import Path
from typing import (
    Annotated,
    Any,
    ClassVar,
    Literal,
    Protocol,
    TypeAlias,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from pydantic import BeforeValidator, ValidationError, create_model
from pydantic import Field as ModelField
from pydantic_core import PydanticKnownError

from arena.config.model_file import ModelFile
from arena.config.strict import Strict, first_mistake
from arena.core.errors import ArenaError
from arena.core.registry import Registry

Place: TypeAlias = tuple[str | int, ...]
"""Where a parameter stands: its keys, from the outside in."""

KIND = "kind"
"""The key that says which of several kinds is meant."""


@dataclass(frozen=True)
class Parameter:
    """One parameter, as it is listed for people."""

    name: str
    type: str
    required: bool
    default: Any
    help: str
    kinds: dict[str, list[Parameter]] | None = None
    """Of a choice between kinds: the parameters of each."""


class Parameters(Strict):
    """Parameters of one dataclass, nested ones included."""

    made_from: ClassVar[Callable[..., Any]]
    kind_name: ClassVar[str | None] = None
    """Of one kind of several: its name."""


class _ModelFileParameters(Strict):
    """A model: where it is, and the hash that it must have."""

    file: str
    """Path relative to the experiment, or the name of a model that comes with arena."""
    sha256: str | None = None
    """The hash of the file; noted when an experiment is resolved."""


@cache
def model_of(family: Callable[..., Any]) -> type[Parameters]:
    """The strict model of a dataclass: unknown names and wrong types are refused."""
    return _model(family, {}, None)


def _model(family: Callable[..., Any], first: dict[str, Any], kind: str | None) -> type[Parameters]:
    hints = get_type_hints(family) if is_dataclass(family) else {}
    definitions: dict[str, Any] = {
        item.name: (_type_of(item, hints), _model_field(item, _help_of(family, item)))
        for item in _fields(family)
    }
    model = create_model(
        getattr(family, "__name__", "Parameters"),
        __base__=Parameters,
        __doc__=_first_line(family),
        **first,
        **definitions,
    )
    model.made_from, model.kind_name = family, kind
    return model


class FindModel(Protocol):
    """Finds the model that a parameter names."""

    def __call__(self, path: Place, file: str, sha256: str | None) -> ModelFile:
        """The model; `path` is the place of the parameter. Raises `ArenaError`."""


_HERE = Path()


def _from_here(path: Place, file: str, sha256: str | None) -> ModelFile:
    return ModelFile.find(file, _HERE, sha256)


def values_of(parameters: Strict, find_model: FindModel = _from_here) -> dict[str, Any]:
    """The arguments of the dataclass: nested parameters are built, models are found."""
    return _values(parameters, find_model, ())


def _values(parameters: Strict, find_model: FindModel, path: Place) -> dict[str, Any]:
    tag = {KIND} if isinstance(parameters, Parameters) and parameters.kind_name else set()
    return {
        name: _build(getattr(parameters, name), find_model, (*path, name))
        for name in type(parameters).model_fields
        if name not in tag
    }


def read_values(
    family: Callable[..., Any], parameters: Mapping[str, Any], what: str, folder: Path = _HERE
) -> dict[str, Any]:
    """The arguments of the dataclass, from plain values; `what` names it in errors.

    Models are looked for in `folder`, that of an experiment or of a run.
    """

    def find_model(path: Place, file: str, sha256: str | None) -> ModelFile:
        return ModelFile.find(file, folder, sha256)

    try:
        # As JSON, so that lists may become tuples while all else stays strict.
        checked = model_of(family).model_validate_json(json.dumps(plain(parameters)))
        return values_of(checked, find_model)
    except ValidationError as error:
        raise ArenaError(f"{what}: {first_mistake(error)}") from None


def plain(value: Any) -> Any:
    """A value as YAML and JSON can hold it."""
    if isinstance(value, ModelFile):
        return value.plain()
    if is_dataclass(value) and not isinstance(value, type):
        # One of several kinds also says which (see `arena.core.agent.parameter`).
        kind = getattr(value, "kind", None)
        tag = {KIND: kind} if isinstance(kind, str) else {}
        return tag | {item.name: plain(getattr(value, item.name)) for item in fields(value)}
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
            type=" | ".join(item.metadata.get("kinds", ())) or _type_name(hints[item.name]),
            required=item.default is MISSING and item.default_factory is MISSING,
            default=plain(_default_of(item)),
            help=_help_of(family, item),
            kinds=_kinds_of(item),
        )
        for item in _fields(family)
    ]


def _kinds_of(item: Field[Any]) -> dict[str, list[Parameter]] | None:
    kinds: Registry[Any] | None = item.metadata.get("kinds")
    return None if kinds is None else {name: parameters_of(kinds.get(name)) for name in kinds}


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


def _build(value: Any, find_model: FindModel, path: Place) -> Any:
    if isinstance(value, Parameters):
        return value.made_from(**_values(value, find_model, path))
    if isinstance(value, _ModelFileParameters):
        return find_model(path, value.file, value.sha256)
    if isinstance(value, list | tuple):
        return type(value)(_build(x, find_model, (*path, i)) for i, x in enumerate(value))
    return value


# --- types -------------------------------------------------------------------------------


def _type_of(item: Field[Any], hints: Mapping[str, Any]) -> Any:
    kinds: Registry[Any] | None = item.metadata.get("kinds")
    return _strict(hints[item.name]) if kinds is None else _one_of(kinds)


def _one_of(kinds: Registry[Any]) -> Any:
    """A union tagged by `kind`; a name alone stands for the kind with its usual parameters."""
    names = tuple(kinds)
    models = [
        _model(kinds.get(name), {KIND: (Literal[name], ModelField(description="Which."))}, name)
        for name in names
    ]
    tagged: Any = reduce(or_, models)
    if len(models) > 1:
        tagged = Annotated[tagged, ModelField(discriminator=KIND)]

    def spelt_out(value: Any) -> Any:
        return {KIND: value} if isinstance(value, str) else value

    return Annotated[
        tagged, BeforeValidator(spelt_out, json_schema_input_type=Literal[names] | tagged)
    ]


def _model_file() -> Any:
    def spelt_out(value: Any) -> Any:
        return {"file": value} if isinstance(value, str) else value

    return Annotated[
        _ModelFileParameters,
        BeforeValidator(spelt_out, json_schema_input_type=str | _ModelFileParameters),
    ]


def _strict(annotation: Any) -> Any:
    """A type with its dataclasses replaced by their models."""
    if annotation is ModelFile:
        return _model_file()
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
        holder = origin[tuple(part if part is ... else _strict(part) for part in arguments)]
        # YAML and JSON have lists where a dataclass has tuples; what is in them stays strict.
        return Annotated[holder, ModelField(strict=False)] if origin is tuple else holder
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
    if annotation is ModelFile:
        return "a model"
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return " | ".join(str(choice) for choice in arguments)
    if origin in (Union, types.UnionType):
        return " | ".join(_type_name(part) for part in arguments)
    if origin in (list, tuple):
        return f"list of {_type_name(arguments[0])}" if arguments else "list"
    return str(getattr(annotation, "__name__", annotation))
