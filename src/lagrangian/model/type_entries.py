"""Entries that a type of joint or loop adds to what all of them have: an axis, a pitch, a length, a function.

A type lists its entries. Python's keywords, the TOML reader, the TOML writer and the tables follow from the list.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar, Protocol

from lagrangian.errors import MechanismError, closest_name, error_location
from lagrangian.model.checks import direction, number, scalar
from lagrangian.model.expression import Expression, Scalar, free_symbols, parse, symbol


@dataclass(frozen=True)
class TypeEntry:
    """One entry: its name, its kind, its default (None where it must be given), and its meaning, for the error if it is missing.

    `argument` is the name of the variable that a function is written in.
    """

    name: str
    kind: EntryKind
    default: Any = None
    meaning: str = ""
    argument: str = ""

    def validate(self, value: Any) -> Any:
        """Return the value as the model holds it, or raise an error that says what would be right."""
        match self.kind:
            case EntryKind.AXIS:
                return direction(value, self.name)
            case EntryKind.NUMBER:
                return number(value, self.name)
            case EntryKind.FUNCTION:
                return self._parse_function(value)
            case EntryKind.DIRECTIONS:
                return _direction_names(value, self.name)

    def _parse_function(self, value: Any) -> Scalar:
        if isinstance(value, str):
            with error_location(self.name):
                function = parse(value, {self.argument: symbol(self.argument)})
        else:
            function = scalar(value, self.name)
        foreign_names = sorted(free_symbols(function) - {self.argument})
        if foreign_names:
            raise MechanismError(
                f"it may depend on {self.argument!r} and on parameters, but not on {foreign_names[0]!r}", where=self.name
            )
        return function


class EntryKind(Enum):
    """The kind of value of an entry."""

    AXIS = "a direction"
    NUMBER = "a number"
    FUNCTION = "an expression"
    DIRECTIONS = "names of directions"


class TypedElement:
    """A joint or loop, with the entries of its type in `type_entries` and as attributes."""

    __slots__ = ()
    name: str
    type: str
    type_entries: tuple[tuple[str, Any], ...]

    def __getattr__(self, name: str) -> Any:
        if name == "type_entries" or name.startswith("__"):  # not there yet, as in a copy that is being made
            raise AttributeError(name)
        for key, value in self.type_entries:
            if key == name:
                return value
        raise AttributeError(f"{self.name!r} is of type {self.type!r}, which has no {name!r}")

    @property
    def scalars(self) -> list[Scalar]:
        """Every number and expression among the entries of the type."""
        scalars: list[Scalar] = []
        for _, value in self.type_entries:
            parts = value if isinstance(value, tuple) else (value,)
            scalars += [x for x in parts if isinstance(x, (int, float, Expression))]
        return scalars


def validate_entries(
    kind: HasEntries, values: Mapping[str, Any], noun: str, types: Iterable[HasEntries], common_names: Iterable[str] = ()
) -> tuple[tuple[str, Any], ...]:
    """Return all entries of a type by name, checked; `noun` names the type in errors, such as "a revolute joint".

    `types` are those that may have been meant instead, and `common_names` the entries that all types have.
    """
    entries = {entry.name: entry for entry in kind.entries}
    for name in values:
        if name not in entries:
            owners = [other.name for other in types if any(entry.name == name for entry in other.entries)]
            if owners:
                raise MechanismError(f"{noun} has no {name}", where=name, remedy=f"only {', '.join(owners)} have one")
            similar_name = closest_name(name, [*entries, *common_names])
            hint = f" Did you mean {similar_name!r}?" if similar_name else ""
            available = f"Its own entries are {', '.join(entries)}." if entries else "It has no entries of its own."
            raise MechanismError(f"{noun} has no {name!r}.{hint} {available}")
    for name, entry in entries.items():
        if name not in values and entry.default is None:
            raise MechanismError(f"{name!r} is missing", remedy=f"{noun} needs {entry.meaning}")
    return tuple((name, entry.validate(values.get(name, entry.default))) for name, entry in entries.items())


def check_entry_names(entries: Iterable[TypeEntry], common_names: Iterable[str]) -> None:
    """Refuse entries of a type with the name of an entry that every joint or loop has."""
    placement_keys = [f"{side}{key}" for side in ("", "child_", "a_", "b_") for key in ("xyz", "rpy", "quaternion", "rotation")]
    for entry in entries:
        if entry.name in (*common_names, *placement_keys):
            raise MechanismError(f"its entry {entry.name!r} has the name of an entry that every type has; give it another name")
        if entry.default is None and not entry.meaning:
            raise MechanismError(f"its entry {entry.name!r} has no default, so that it needs a `meaning`")


class HasEntries(Protocol):
    """A type of joint or loop with its name and its entries."""

    name: ClassVar[str]
    entries: ClassVar[tuple[TypeEntry, ...]]


def _direction_names(value: Any, name: str) -> tuple[str, ...]:
    directions = tuple(value) if isinstance(value, (str, list, tuple)) else (value,)
    are_valid = all(isinstance(d, str) and d in ("x", "y", "z") for d in directions)
    if not are_valid or len(set(directions)) != len(directions) or not directions:
        raise MechanismError(f"are {directions}", argument=name, remedy="each must be one of x, y, z, without repetition")
    return directions
