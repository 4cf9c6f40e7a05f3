"""Texts of the command line as states, times, points and parameters."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lagrangian.errors import ArgumentError, one_of
from lagrangian.model.expression.quantity import is_named, named, number, numbers, parts

if TYPE_CHECKING:
    from lagrangian.model.mechanism import Mechanism


def parameters(given: list[str] | None) -> dict[str, float] | None:
    """--set l1=0.5 --set m1=2, or both with a comma between."""
    if not given:
        return None
    pairs = [named(x, "--set") for text in given for x in parts(text)]
    return {name: number(value, f"--set {name}") for name, value in pairs}


def state(text: str | None, mechanism: Mechanism, what: str, names: tuple[str, ...], *, poses: bool = True) -> Any:
    """A pose's name, numbers in order, or name=value for some: what `simulate` takes for q0 and qd0."""
    if text is None:
        return None
    known: Mapping[str, Any] = mechanism.parameters
    if poses and text.strip() in mechanism.poses:
        return text.strip()
    pieces = parts(text)
    if any(is_named(x) for x in pieces):
        found = {}
        for piece in pieces:
            name, value = named(piece, what)
            if name not in names:
                raise ArgumentError(f"{what}: {one_of('coordinate' if poses else 'speed', name, names)}")
            found[name] = number(value, f"{what}: {name}", known)
        return found
    if poses and re.fullmatch(r"[^\W\d][\w.-]*", text.strip()) and text.strip() not in {*known, "pi"}:
        raise ArgumentError(f"{what}: {one_of('pose', text.strip(), mechanism.poses)}. Or give {_needed(names)}")
    values = numbers(text, what, known)
    if len(values) != len(names):
        raise ArgumentError(f"{what} has {len(values)} number{'s' * (len(values) != 1)}; give {_needed(names)}")
    return values


def _needed(names: tuple[str, ...]) -> str:
    example = f"; or some by name: {names[0]}=30deg" if names else ""
    return f"{len(names)} numbers, for {', '.join(names[:12])}{' ...' * (len(names) > 12)}{example}"


def span(text: str | None) -> Any:
    """`10`, or `0:10`."""
    if text is None:
        return None
    found = [number(x, "--time") for x in parts(text, ":")]
    if len(found) > 2:
        raise ArgumentError(f"--time is {text!r}; the end, such as 10, or both, such as 0:10, is needed")
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
            f"{what}: {text!r} has {len(found)} points; {least} are needed, with colons between: 1.2,1.2 : 0.8,1.0"
        )
    return found
