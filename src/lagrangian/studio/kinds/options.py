"""Options of a job, as a page sends them: checked before anything is worked out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lagrangian.errors import ArgumentError, is_number, shown


def number(options: Mapping[str, Any], name: str, default: float, least: float, most: float) -> float:
    """A number in a range."""
    value = options.get(name)
    if value is None:
        return default
    if not is_number(value) or not least <= value <= most:
        raise ArgumentError(f"is {shown(value)}", argument=name, remedy=f"a number from {least:g} to {most:g} is needed")
    return float(value)


def words(options: Mapping[str, Any], name: str, default: str = "", most: int = 20_000) -> str:
    value = options.get(name)
    if value is None:
        return default
    if not isinstance(value, str) or len(value) > most:
        raise ArgumentError(f"is {shown(value)}", argument=name, remedy="a text is needed")
    return value
