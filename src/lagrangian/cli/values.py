"""Texts of the command line as times, points and parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import typer

from lagrangian.errors import ArgumentError
from lagrangian.model.expression.quantity import number, numbers, pairs, parts


def quantity(text: str | float) -> float:
    """The number of an option, with a unit if one is written: `60rpm`, `30deg`, `250mm`."""
    try:
        return number(str(text), ())
    except ArgumentError as error:
        raise typer.BadParameter(str(error)) from None


def parameters(given: list[str] | None) -> dict[str, float] | None:
    """--set l1=0.5 --set m1=2, or both with a comma between."""
    if not given:
        return None
    found = pairs([x for text in given for x in parts(text)], "--set")
    return {name: number(value, f"--set {name}") for name, value in found.items()}


def span(text: str | None) -> Any:
    """`10`, or `0:10`."""
    if text is None:
        return None
    try:
        found = [number(x, "--time") for x in parts(text, ":")]
    except ArgumentError:
        found = []
    if len(found) not in (1, 2):
        raise ArgumentError(
            f"--time is {text!r}; a duration in seconds is needed, such as 10, or a start and an end, such as 2:10"
        )
    return found[0] if len(found) == 1 else tuple(found)


def point(text: str, what: str, names: Mapping[str, Any] | None = None) -> list[float]:
    found = numbers(text, what, names)
    if len(found) not in (2, 3):
        raise ArgumentError(f"{what}: {text!r} has {len(found)} numbers; a point is x,y or x,y,z")
    return found


def points(text: str, what: str, least: int, names: Mapping[str, Any] | None = None) -> list[list[float]]:
    """Points with colons between them: `1.2,1.2 : 0.8,1.0`."""
    found = [point(x, what, names) for x in parts(text, ":")]
    if len(found) < least:
        raise ArgumentError(
            f"{what}: {text!r} has {len(found)} points; {least} are needed, separated by colons, such as 1.2,1.2 : 0.8,1.0"
        )
    return found
