"""Other values of a description's parameters, as the caller of `load` gives them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Real
from typing import Any

from lagrangian.description.toml.table import shown
from lagrangian.errors import Argument, ArgumentError, one_of


def overridden(own: Mapping[str, Any], given: Mapping[str, float] | None, file: str) -> Mapping[str, Any]:
    """The parameters of a file with the caller's values in place of its own."""
    values = numbers(given, file)
    for name in values:
        if name not in own:
            raise ArgumentError(one_of("parameter", name, own), where=(file, Argument("parameters")))
    return {**own, **values}


def numbers(given: Mapping[str, float] | None, file: str) -> dict[str, float]:
    """The values that the caller gives."""
    at = (file, Argument("parameters"))
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise ArgumentError(f"a mapping of names to numbers is needed, not {type(given).__name__}", where=at)
    values: dict[str, float] = {}
    for name, value in given.items():
        if isinstance(value, bool) or not isinstance(value, Real) or not _is_finite(value):
            raise ArgumentError(f"{name} is {shown(value)}", where=at, remedy="a finite number is needed")
        values[name] = float(value)
    return values


def _is_finite(number: Real) -> bool:
    try:
        return math.isfinite(number)
    except OverflowError:  # an integer beyond all floats
        return False
