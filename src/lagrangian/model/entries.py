"""Entries that a type of joint or loop adds to what all of them have: an axis, a pitch, a length, a function.

A type lists its entries; Python's keywords, the TOML reader, the TOML writer and the tables follow from the list.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from lagrangian.errors import DescriptionError, MechanismError, nearest
from lagrangian.model import coerce
from lagrangian.model import vector as v
from lagrangian.model.expression import Expression, Scalar, free_symbols, parse, sqrt, symbol


class Kind(Enum):
    """What an entry holds."""

    AXIS = "a direction"
    NUMBER = "a number"
    FUNCTION = "an expression"
    DIRECTIONS = "names of directions"


@dataclass(frozen=True)
class Entry:
    """One entry: its name, what it holds, its default (None where it must be given), and its meaning, told where it is missing.

    `argument` is the name of the variable that a function is written in.
    """

    name: str
    kind: Kind
    default: Any = None
    meaning: str = ""
    argument: str = ""

    def settled(self, given: Any, where: str) -> Any:
        """The value as the model holds it, or an error that says what would be right."""
        at = f"{where}: {self.name}"
        match self.kind:
            case Kind.AXIS:
                return unit(coerce.axis(given, at), at)
            case Kind.NUMBER:
                number = coerce.scalar(given, at)
                coerce.finite((number,), where, self.name)
                return number
            case Kind.FUNCTION:
                return self._function(given, at)
            case Kind.DIRECTIONS:
                return _directions(given, where)

    def _function(self, given: Any, at: str) -> Scalar:
        try:
            function = (
                parse(given, {self.argument: symbol(self.argument)}) if isinstance(given, str) else coerce.scalar(given, at)
            )
        except DescriptionError as error:  # of the expression, which does not know where it stands
            raise error.at(at) from None
        others = sorted(free_symbols(function) - {self.argument})
        if others:
            raise MechanismError(f"{at}: it may depend on {self.argument!r} and on parameters, not on {others[0]!r}")
        return function


def settled(
    entries: Iterable[Entry], given: Mapping[str, Any], where: str, what: str, every: Iterable[str] = ()
) -> tuple[tuple[str, Any], ...]:
    """All entries of a type by name, checked; `what` names the type in errors, such as "a revolute joint", and `every` the
    entries that all types have, one of which may have been meant.
    """
    known = {entry.name: entry for entry in entries}
    for name in given:
        if name not in known:
            close = nearest(name, [*known, *every])
            hint = f" Did you mean {close!r}?" if close else ""
            has = f"Its own entries are {', '.join(known)}." if known else "It has no entries of its own."
            raise MechanismError(f"{where}: {what} has no {name!r}.{hint} {has}")
    for name, entry in known.items():
        if name not in given and entry.default is None:
            raise MechanismError(f"{where}: {name!r} is missing; {what} needs {entry.meaning}")
    return tuple((name, entry.settled(given.get(name, entry.default), where)) for name, entry in known.items())


def refuse_common(entries: Iterable[Entry], common: Iterable[str], where: str) -> None:
    """An entry of a type may not be called like what every joint or loop has."""
    placed = [f"{side}{key}" for side in ("", "child_", "a_", "b_") for key in ("xyz", "rpy", "quaternion", "rotation")]
    for entry in entries:
        if entry.name in (*common, *placed):
            raise MechanismError(f"{where}: its entry {entry.name!r} is called like one that all have; call it otherwise")
        if entry.default is None and not entry.meaning:
            raise MechanismError(f"{where}: its entry {entry.name!r} must be given, so it needs a `meaning`")


class Typed:
    """A joint or loop with the entries of its type in `own`, which are attributes of it too."""

    __slots__ = ()
    name: str
    type: str
    own: tuple[tuple[str, Any], ...]

    def __getattr__(self, name: str) -> Any:
        if name == "own" or name.startswith("__"):  # not there yet, as in a copy that is being made
            raise AttributeError(name)
        for key, value in self.own:
            if key == name:
                return value
        raise AttributeError(f"{self.name!r} is of type {self.type!r}, which has no {name!r}")

    @property
    def scalars(self) -> list[Scalar]:
        """Every number and expression among the entries of its type."""
        found: list[Scalar] = []
        for _, value in self.own:
            parts = value if isinstance(value, tuple) else (value,)
            found += [x for x in parts if isinstance(x, (int, float, Expression))]
        return found


def unit(axis: v.Vector, where: str) -> v.Vector:
    """The axis at length one; left alone, and so exact, where it already has it, but for the rounding of a division."""
    length2 = float(v.dot(axis, axis))
    if not 1e-20 < length2 < float("inf"):
        raise MechanismError(f"{where} is {tuple(float(x) for x in axis)}; it needs a finite direction, such as (0, 0, 1)")
    if abs(length2 - 1.0) < 1e-15:
        return axis
    length = sqrt(v.dot(axis, axis))
    return (axis[0] / length, axis[1] / length, axis[2] / length)


def perpendicular(a: v.Vector, b: v.Vector, message: str) -> None:
    """Refuse two axes that are not perpendicular."""
    if abs(float(v.dot(a, b))) > 1e-9:
        raise MechanismError(message)


def _directions(given: Any, where: str) -> tuple[str, ...]:
    directions = tuple(given)
    known = all(d in ("x", "y", "z") for d in directions)
    if not known or len(set(directions)) != len(directions) or not directions:
        raise MechanismError(f"{where}: directions are {directions}; they must be different ones of x, y, z")
    return directions
