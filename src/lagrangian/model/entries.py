"""Entries that a type of joint or loop adds to what all of them have: an axis, a pitch, a length, a function.

A type lists its entries; Python's keywords, the TOML reader, the TOML writer and the tables follow from the list.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar, Protocol

from lagrangian.errors import MechanismError, nearest, placed
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

    def settled(self, given: Any) -> Any:
        """The value as the model holds it, or an error that says what would be right."""
        match self.kind:
            case Kind.AXIS:
                return direction(given, self.name)
            case Kind.NUMBER:
                return coerce.number(given, self.name)
            case Kind.FUNCTION:
                return self._function(given)
            case Kind.DIRECTIONS:
                return _directions(given, self.name)

    def _function(self, given: Any) -> Scalar:
        if isinstance(given, str):
            with placed(self.name):
                function = parse(given, {self.argument: symbol(self.argument)})
        else:
            function = coerce.scalar(given, self.name)
        others = sorted(free_symbols(function) - {self.argument})
        if others:
            raise MechanismError(
                f"it may depend on {self.argument!r} and on parameters, but not on {others[0]!r}", where=self.name
            )
        return function


class HasEntries(Protocol):
    """A type of joint or loop, as far as its entries go."""

    name: ClassVar[str]
    entries: ClassVar[tuple[Entry, ...]]


def settled(
    kind: HasEntries, given: Mapping[str, Any], what: str, types: Iterable[HasEntries], every: Iterable[str] = ()
) -> tuple[tuple[str, Any], ...]:
    """All entries of a type by name, checked; `what` names the type in errors, such as "a revolute joint".

    `types` are those that may have been meant instead, and `every` the entries that all types have.
    """
    known = {entry.name: entry for entry in kind.entries}
    for name in given:
        if name not in known:
            owners = [other.name for other in types if any(entry.name == name for entry in other.entries)]
            if owners:
                raise MechanismError(f"{what} has no {name}", where=name, remedy=f"only {', '.join(owners)} have one")
            close = nearest(name, [*known, *every])
            hint = f" Did you mean {close!r}?" if close else ""
            has = f"Its own entries are {', '.join(known)}." if known else "It has no entries of its own."
            raise MechanismError(f"{what} has no {name!r}.{hint} {has}")
    for name, entry in known.items():
        if name not in given and entry.default is None:
            raise MechanismError(f"{name!r} is missing", remedy=f"{what} needs {entry.meaning}")
    return tuple((name, entry.settled(given.get(name, entry.default))) for name, entry in known.items())


def refuse_common(entries: Iterable[Entry], common: Iterable[str]) -> None:
    """An entry of a type may not be called like what every joint or loop has."""
    placed = [f"{side}{key}" for side in ("", "child_", "a_", "b_") for key in ("xyz", "rpy", "quaternion", "rotation")]
    for entry in entries:
        if entry.name in (*common, *placed):
            raise MechanismError(f"its entry {entry.name!r} has the name of an entry that every type has; give it another name")
        if entry.default is None and not entry.meaning:
            raise MechanismError(f"its entry {entry.name!r} has no default, so that it needs a `meaning`")


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
        """Every number and expression among the entries of the type."""
        found: list[Scalar] = []
        for _, value in self.own:
            parts = value if isinstance(value, tuple) else (value,)
            found += [x for x in parts if isinstance(x, (int, float, Expression))]
        return found


def direction(given: Any, name: str) -> v.Vector:
    """A unit vector, of whatever a user may give as an axis."""
    return unit(coerce.axis(given, name), name)


def unit(axis: v.Vector, name: str) -> v.Vector:
    """The axis at length one; left alone, and so exact, where it already has it, but for the rounding of a division."""
    length2 = float(v.dot(axis, axis))
    if not 1e-20 < length2 < float("inf"):
        needed = "it needs a finite direction, such as (0, 0, 1)"
        raise MechanismError(f"is {tuple(float(x) for x in axis)}", argument=name, remedy=needed)
    if abs(length2 - 1.0) < 1e-15:
        return axis
    length = sqrt(v.dot(axis, axis))
    return (axis[0] / length, axis[1] / length, axis[2] / length)


def perpendicular(a: v.Vector, b: v.Vector, message: str) -> None:
    """Refuse two axes that are not perpendicular."""
    if abs(float(v.dot(a, b))) > 1e-9:
        raise MechanismError(message)


def _directions(given: Any, name: str) -> tuple[str, ...]:
    directions = tuple(given) if isinstance(given, (str, list, tuple)) else (given,)
    known = all(isinstance(d, str) and d in ("x", "y", "z") for d in directions)
    if not known or len(set(directions)) != len(directions) or not directions:
        raise MechanismError(f"are {directions}", argument=name, remedy="each must be one of x, y, z, without repetition")
    return directions
