"""Checked access to a parsed TOML table.

A `Table` knows its file and its place in it, so that every error says where (`arm.toml: [[body]] 2 'link2': mass`), what is
wrong and what would be right. Nothing here knows what a mechanism is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from lagrangian.errors import DescriptionError, Part, Place, one_of, placed
from lagrangian.model import vector as v
from lagrangian.model.expression import Scalar, parse
from lagrangian.visible import acts

_REQUIRED: Any = object()
Names = Mapping[str, Scalar]
Where = tuple[Place, ...]  # the file, an element of it, an entry


def entry_of(at: Where, i: int) -> Where:
    """The place of an entry of an array."""
    return (*at[:-1], f"{at[-1]}[{i}]")


def shown(value: Any) -> str:
    """A value as an error shows it: short, and never recursing into what a file may nest."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return "a table"
    if isinstance(value, list):
        return f"an array of {len(value)}"
    if isinstance(value, str):
        return repr(value if len(value) <= 60 else value[:57] + "...")
    if isinstance(value, int) and abs(value) > 10**30:
        return "a very large integer"
    return f"{type(value).__name__} {value}" if not isinstance(value, (int, float)) else str(value)


def scalar(value: Any, at: Where, names: Names, *, finite: bool = True) -> Scalar:
    """A number, or an expression of `names`."""
    if isinstance(value, str):
        with placed(*at):
            value = parse(value, names)
    elif isinstance(value, bool) or not isinstance(value, (int, float)):
        wanted = "write a number, or an expression in quotes such as 'm1*l1^2/12'"
        raise DescriptionError(f"{shown(value)} is not a number", where=at, remedy=wanted)
    try:
        size = float(value)
    except OverflowError:
        size = math.inf
    if math.isnan(size) or (finite and math.isinf(size)):
        raise DescriptionError(f"it is {size}", where=at, remedy="a finite number is needed")
    return value


def vector(value: Any, at: Where, size: int, names: Names, example: Sequence[float] = ()) -> tuple[Scalar, ...]:
    """An array of a known length, of numbers or expressions; an error shows `example`, if zeros would not be right there."""
    if not isinstance(value, list) or len(value) != size:
        such = list(example) or [0] * size
        needed = f"an array of {size} numbers is needed, such as {such}"
        raise DescriptionError(f"{shown(value)} is given", where=at, remedy=needed)
    return tuple(scalar(x, entry_of(at, i), names) for i, x in enumerate(value))


_AXES = {"x": v.X, "y": v.Y, "z": v.Z}


class Table:
    """A table of the file, with its place and the names its expressions may use."""

    def __init__(
        self, data: Mapping[str, Any], where: Where, names: Names, prefix: str = "", elsewhere: Mapping[str, str] | None = None
    ) -> None:
        self.data = data
        self.where = where  # the file and the element
        self.names = names
        self.prefix = prefix  # the keys that lead from the element to this table
        self.elsewhere = elsewhere or {}  # entries that belong to another table, and what to say of them in this one

    def at(self, key: str) -> Where:
        return (*self.where, f"{self.prefix}{key}")

    @property
    def here(self) -> Where:
        return (*self.where, self.prefix.rstrip(".")) if self.prefix else self.where

    def error(self, message: str, key: str = "", concerns: str = "") -> DescriptionError:
        return DescriptionError(message, where=self.at(key) if key else self.here, concerns=concerns)

    def __contains__(self, key: str) -> bool:
        return key in self.data

    def only(self, *keys: str) -> None:
        """Refuse entries that have no meaning here: a misspelt key must not be passed over."""
        for key in self.data:
            if key not in keys:
                hint = self.elsewhere.get(key)
                raise self.error(
                    f"there is no entry {key!r} here; it {hint}"
                    if hint
                    else one_of("entry", key if len(key) <= 60 else key[:57] + "...", keys),
                    concerns=key,
                )

    def not_both(self, *keys: str) -> None:
        given = [k for k in keys if k in self.data]
        if len(given) > 1:
            raise self.error(f"{' and '.join(repr(k) for k in given)} are both given; give one of them")

    def get(self, key: str, default: Any = _REQUIRED) -> Any:
        if key in self.data:
            return self.data[key]
        if default is _REQUIRED:
            raise self.error(f"{key!r} is missing; it must be given")
        return default

    def number(self, key: str, default: Any = _REQUIRED, *, finite: bool = True) -> Any:
        value = self.get(key, default)
        return value if key not in self.data else scalar(value, self.at(key), self.names, finite=finite)

    def vector(self, key: str, size: int = 3, default: Any = _REQUIRED, example: Sequence[float] = ()) -> Any:
        value = self.get(key, default)
        return value if key not in self.data else vector(value, self.at(key), size, self.names, example)

    def axis(self, key: str, default: Any = _REQUIRED) -> Any:
        """A coordinate axis by its letter, with a sign if need be, or three numbers."""
        value = self.get(key, default)
        if key not in self:
            return default
        if not isinstance(value, str):
            return vector(value, self.at(key), 3, self.names, (0, 0, 1))
        letter = value.strip()[-1:]
        sign = value.strip()[:-1]
        if letter not in _AXES or sign not in ("", "+", "-"):
            raise self.error(f"{shown(value)} is not an axis; write 'x', 'y', 'z', '-x', '-y', '-z' or three numbers", key)
        return v.neg(_AXES[letter]) if sign == "-" else _AXES[letter]

    def text(self, key: str, default: Any = _REQUIRED) -> Any:
        value = self.get(key, default)
        if key in self.data and not isinstance(value, str):
            raise self.error(f"{shown(value)} is given; text in quotes is needed", key)
        return value

    def name(self, key: str = "name", default: Any = _REQUIRED) -> Any:
        """Text that can be called by: not empty, and on one line."""
        value = self.text(key, default)
        if key in self.data and (not value.strip() or acts(value)):
            raise self.error(f"{shown(value)} cannot be a name; a name cannot be empty or contain line breaks", key)
        return value

    def flag(self, key: str, default: bool) -> bool:
        value = self.get(key, default)
        if not isinstance(value, bool):
            raise self.error(f"{shown(value)} is given; true or false is needed", key)
        return value

    def choice(self, key: str, known: Sequence[str], default: Any = _REQUIRED) -> Any:
        value = self.text(key, default)
        if key in self.data and value not in known:
            raise self.error(one_of(key, value, known), key)
        return value

    def table(self, key: str, example: str = "") -> Table:
        """A sub-table; an empty one where it is not given. An error shows `example`."""
        value = self.get(key, {})
        if not isinstance(value, Mapping):
            such = f", such as {key} = {example}" if example else ""
            raise self.error(f"{shown(value)} is given; a table is needed{such}", key)
        return Table(value, self.where, self.names, f"{self.prefix}{key}.")

    def section(self, key: str) -> Table:
        """A `[key]` of the file: a sub-table that is a place of its own."""
        return Table(self.table(key).data, (*self.where, f"[{key}]"), self.names, elsewhere=self.elsewhere)

    def inline_tables(self, key: str) -> list[Table]:
        """Tables written as an array inside this element."""
        rows = self._array(key, "each is { ... }")
        return [Table(x, self.where, self.names, f"{self.prefix}{key}[{i}].") for i, x in enumerate(rows)]

    def elements(self, key: str, title: str | None = None) -> list[Table]:
        """The `[[key]]` elements, each located by its number and its name."""
        title = title or f"[[{key}]]"
        found = []
        for i, data in enumerate(self._array(key, f"each begins with {title}"), 1):
            name = data.get("name")
            called = f" {shown(name)}" if isinstance(name, str) and name else ""
            place = Part(key, str(name or ""), f"{title} {i}{called}", i)
            found.append(Table(data, (*self.where, place), self.names, elsewhere=self.elsewhere))
        return found

    def _array(self, key: str, how: str) -> list[Mapping[str, Any]]:
        value = self.get(key, [])
        if not isinstance(value, list) or not all(isinstance(x, Mapping) for x in value):
            raise self.error(f"{shown(value)} is given; an array of tables is needed ({how})", key)
        return value

    def flat(self, limit: int = 4) -> dict[str, Any]:
        """The entries by their dotted names: `base.vx = 1` and `"base.vx" = 1` are the same."""
        found: dict[str, Any] = {}
        stack = [("", self.data, 0)]
        while stack:
            before, data, depth = stack.pop()
            if depth > limit:
                raise self.error("tables are nested too deeply; write joint or joint.part")
            for key, value in data.items():
                name = before + key
                if isinstance(value, Mapping):
                    stack.append((name + ".", value, depth + 1))
                elif name in found:
                    raise self.error(f"{name!r} is given twice")
                else:
                    found[name] = value
        return found
