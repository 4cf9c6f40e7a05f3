"""New values of a description's parameters, which the caller of `load` gives."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Real
from typing import Any

from lagrangian.description.toml.table import format_value
from lagrangian.errors import ArgumentError, ArgumentName, unknown_name_message


def apply_parameter_values(defaults: Mapping[str, Any], values: Mapping[str, float] | None, file: str) -> Mapping[str, Any]:
    """The parameters of a file, with the caller's values in place of those in the file."""
    numeric_values = as_parameter_values(values, file)
    for name in numeric_values:
        if name not in defaults:
            raise ArgumentError(unknown_name_message("parameter", name, defaults), where=(file, ArgumentName("parameters")))
    return {**defaults, **numeric_values}


def as_parameter_values(values: Mapping[str, float] | None, file: str) -> dict[str, float]:
    """The caller's values as floats, checked."""
    where = (file, ArgumentName("parameters"))
    if values is None:
        return {}
    if not isinstance(values, Mapping):
        raise ArgumentError(f"a mapping of names to numbers is needed, not {type(values).__name__}", where=where)
    numeric_values: dict[str, float] = {}
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, Real) or not _is_finite(value):
            raise ArgumentError(f"{name} is {format_value(value)}", where=where, remedy="a finite number is needed")
        numeric_values[name] = float(value)
    return numeric_values


def _is_finite(number: Real) -> bool:
    try:
        return math.isfinite(number)
    except OverflowError:  # an integer beyond all floats
        return False
