"""Coordinates and speeds as text: a pose's name, numbers in order, or some by name, `theta1=30deg, theta2=0.1`."""

from __future__ import annotations

import re

from lagrangian.errors import Argument, ArgumentError, one_of
from lagrangian.model.expression.quantity import is_named, named, number, numbers, parts
from lagrangian.model.mechanism import Mechanism

LISTED = 12  # names in a message
_WORD = re.compile(r"[^\W\d][\w.-]*")


def coordinates(text: str, mechanism: Mechanism, argument: str) -> str | list[float] | dict[str, float]:
    """The name of a pose; all coordinates in order; or some by name. A number may have a unit and use parameters."""
    text, names = text.strip(), mechanism.coordinate_names
    if text in mechanism.poses:
        return text
    if _WORD.fullmatch(text) and text not in {*mechanism.parameters, "pi"}:
        told = one_of("pose", text, mechanism.poses)
        raise ArgumentError(f"{told}. Or give {_needed(names)}", where=Argument(argument))
    return _values(text, mechanism, argument, names, "coordinate")


def speeds(text: str, mechanism: Mechanism, argument: str) -> list[float] | dict[str, float]:
    """All speeds in order, or some by name."""
    return _values(text, mechanism, argument, mechanism.speed_names, "speed")


def _values(text: str, mechanism: Mechanism, argument: str, names: tuple[str, ...], what: str) -> list[float] | dict[str, float]:
    where, known, pieces = Argument(argument), mechanism.parameters, parts(text)
    if any(is_named(x) for x in pieces):
        found = dict(named(piece, where) for piece in pieces)
        for name in found:
            if name not in names:
                raise ArgumentError(one_of(what, name, names), where=where)
        return {name: number(value, (where, name), known) for name, value in found.items()}
    values = numbers(text, where, known)
    if len(values) != len(names):
        told = f"has {len(values)} number{'s' * (len(values) != 1)}; give {_needed(names)}"
        raise ArgumentError(told, argument=argument)
    return values


def _needed(names: tuple[str, ...]) -> str:
    example = f"; or some by name: {names[0]}=30deg" if names else ""
    return f"{len(names)} numbers, for {', '.join(names[:LISTED])}{' ...' * (len(names) > LISTED)}{example}"
