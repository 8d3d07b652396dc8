"""Data from outside (experiments, parameters, run folders), validated strictly."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, ValidationError


class Strict(BaseModel):
    """Refuses unknown keys and converts nothing: `"7"`, `7.0` and `true` are no whole numbers."""

    model_config = ConfigDict(
        extra="forbid", strict=True, frozen=True, allow_inf_nan=False, use_attribute_docstrings=True
    )


def first_mistake(error: ValidationError) -> str:
    """The first error with its place, in one line, and the number of others."""
    first, *others = error.errors(include_url=False)
    place = ".".join(map(str, first["loc"]))
    what = first["msg"][0].lower() + first["msg"][1:]
    more = f" (and {len(others)} more)" if others else ""
    return f"{place}: {what}{more}" if place else f"{what}{more}"
