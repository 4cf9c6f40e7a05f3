"""Checked access to a parsed TOML table.

A `TomlTable` knows its file and its place in it, so that every error says where (`arm.toml: [[body]] 2 'link2': mass`), what is
wrong and what would be right. Nothing here knows what a mechanism is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from lagrangian.errors import DescriptionError, MechanismPart, Place, error_location, has_invisible, unknown_name_message
from lagrangian.model import vector as v
from lagrangian.model.expression import Scalar, parse

_REQUIRED: Any = object()
SymbolTable = Mapping[str, Scalar]
Where = tuple[Place, ...]  # the file, an element of it, an entry


def item_places(where: Where, i: int) -> Where:
    """The place of an entry of an array."""
    return (*where[:-1], f"{where[-1]}[{i}]")


def format_value(value: Any) -> str:
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


def parse_scalar(value: Any, where: Where, symbols: SymbolTable, *, finite: bool = True) -> Scalar:
    """A number, or an expression of `symbols`."""
    if isinstance(value, str):
        with error_location(*where):
            value = parse(value, symbols)
    elif isinstance(value, bool) or not isinstance(value, (int, float)):
        remedy = "write a number, or an expression in quotes such as 'm1*l1^2/12'"
        raise DescriptionError(f"{format_value(value)} is not a number", where=where, remedy=remedy)
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if math.isnan(number) or (finite and math.isinf(number)):
        raise DescriptionError(f"it is {number}", where=where, remedy="a finite number is needed")
    return value


def parse_vector(value: Any, where: Where, size: int, symbols: SymbolTable, example: Sequence[float] = ()) -> tuple[Scalar, ...]:
    """An array of a known length, of numbers or expressions; an error shows `example`, where zeros would be wrong."""
    if not isinstance(value, list) or len(value) != size:
        sample = list(example) or [0] * size
        remedy = f"an array of {size} numbers is needed, such as {sample}"
        raise DescriptionError(f"{format_value(value)} is given", where=where, remedy=remedy)
    return tuple(parse_scalar(x, item_places(where, i), symbols) for i, x in enumerate(value))


_AXES = {"x": v.X, "y": v.Y, "z": v.Z}


class TomlTable:
    """A table of the file, with its place and the names its expressions may use."""

    def __init__(
        self,
        data: Mapping[str, Any],
        where: Where,
        symbols: SymbolTable,
        prefix: str = "",
        elsewhere: Mapping[str, str] | None = None,
    ) -> None:
        self.data = data
        self.where = where  # the file and the element
        self.symbols = symbols
        self.prefix = prefix  # the keys that lead from the element to this table
        self.elsewhere = elsewhere or {}  # entries that belong to another table, and what to say of them in this one

    def places_of(self, key: str) -> Where:
        return (*self.where, f"{self.prefix}{key}")

    @property
    def places(self) -> Where:
        return (*self.where, self.prefix.rstrip(".")) if self.prefix else self.where

    def error(self, message: str, key: str = "", concerns: str = "") -> DescriptionError:
        return DescriptionError(message, where=self.places_of(key) if key else self.places, concerns=concerns)

    def __contains__(self, key: str) -> bool:
        return key in self.data

    def check_keys(self, *keys: str) -> None:
        """Refuse entries that have no meaning here: a misspelt key must not be passed over."""
        for key in self.data:
            if key not in keys:
                advice = self.elsewhere.get(key)
                raise self.error(
                    f"there is no entry {key!r} here; it {advice}"
                    if advice
                    else unknown_name_message("entry", key if len(key) <= 60 else key[:57] + "...", keys),
                    concerns=key,
                )

    def check_exclusive(self, *keys: str) -> None:
        present_keys = [k for k in keys if k in self.data]
        if len(present_keys) > 1:
            raise self.error(f"{' and '.join(repr(k) for k in present_keys)} are both given; give one of them")

    def get(self, key: str, default: Any = _REQUIRED) -> Any:
        if key in self.data:
            return self.data[key]
        if default is _REQUIRED:
            raise self.error(f"{key!r} is missing; it must be given")
        return default

    def number(self, key: str, default: Any = _REQUIRED, *, finite: bool = True) -> Any:
        value = self.get(key, default)
        return value if key not in self.data else parse_scalar(value, self.places_of(key), self.symbols, finite=finite)

    def vector(self, key: str, size: int = 3, default: Any = _REQUIRED, example: Sequence[float] = ()) -> Any:
        value = self.get(key, default)
        return value if key not in self.data else parse_vector(value, self.places_of(key), size, self.symbols, example)

    def axis(self, key: str, default: Any = _REQUIRED) -> Any:
        """A coordinate axis by its letter, with a sign if need be, or three numbers."""
        value = self.get(key, default)
        if key not in self:
            return default
        if not isinstance(value, str):
            return parse_vector(value, self.places_of(key), 3, self.symbols, (0, 0, 1))
        letter = value.strip()[-1:]
        sign = value.strip()[:-1]
        if letter not in _AXES or sign not in ("", "+", "-"):
            raise self.error(f"{format_value(value)} is not an axis; write 'x', 'y', 'z', '-x', '-y', '-z' or three numbers", key)
        return v.neg(_AXES[letter]) if sign == "-" else _AXES[letter]

    def text(self, key: str, default: Any = _REQUIRED) -> Any:
        value = self.get(key, default)
        if key in self.data and not isinstance(value, str):
            raise self.error(f"{format_value(value)} is given; text in quotes is needed", key)
        return value

    def name(self, key: str = "name", default: Any = _REQUIRED) -> Any:
        """Text that can be called by: not empty, and on one line."""
        value = self.text(key, default)
        if key in self.data and (not value.strip() or has_invisible(value)):
            raise self.error(f"{format_value(value)} cannot be a name; a name cannot be empty or contain line breaks", key)
        return value

    def boolean(self, key: str, default: bool) -> bool:
        value = self.get(key, default)
        if not isinstance(value, bool):
            raise self.error(f"{format_value(value)} is given; true or false is needed", key)
        return value

    def choice(self, key: str, choices: Sequence[str], default: Any = _REQUIRED) -> Any:
        value = self.text(key, default)
        if key in self.data and value not in choices:
            raise self.error(unknown_name_message(key, value, choices), key)
        return value

    def subtable(self, key: str, example: str = "") -> TomlTable:
        """A sub-table; an empty one where it is not given. An error shows `example`."""
        value = self.get(key, {})
        if not isinstance(value, Mapping):
            sample = f", such as {key} = {example}" if example else ""
            raise self.error(f"{format_value(value)} is given; a table is needed{sample}", key)
        return TomlTable(value, self.where, self.symbols, f"{self.prefix}{key}.")

    def section(self, key: str) -> TomlTable:
        """A `[key]` of the file: a sub-table that is a place of its own."""
        return TomlTable(self.subtable(key).data, (*self.where, f"[{key}]"), self.symbols, elsewhere=self.elsewhere)

    def inline_tables(self, key: str) -> list[TomlTable]:
        """Tables written as an array inside this element."""
        rows = self._array(key, "each is { ... }")
        return [TomlTable(x, self.where, self.symbols, f"{self.prefix}{key}[{i}].") for i, x in enumerate(rows)]

    def elements(self, key: str, title: str | None = None) -> list[TomlTable]:
        """The `[[key]]` elements, each located by its number and its name."""
        title = title or f"[[{key}]]"
        tables = []
        for i, data in enumerate(self._array(key, f"each begins with {title}"), 1):
            name = data.get("name")
            quoted_name = f" {format_value(name)}" if isinstance(name, str) and name else ""
            place = MechanismPart(key, str(name or ""), f"{title} {i}{quoted_name}", i)
            tables.append(TomlTable(data, (*self.where, place), self.symbols, elsewhere=self.elsewhere))
        return tables

    def _array(self, key: str, example: str) -> list[Mapping[str, Any]]:
        value = self.get(key, [])
        if not isinstance(value, list) or not all(isinstance(x, Mapping) for x in value):
            raise self.error(f"{format_value(value)} is given; an array of tables is needed ({example})", key)
        return value

    def flatten(self, limit: int = 4) -> dict[str, Any]:
        """The entries by their dotted names: `base.vx = 1` and `"base.vx" = 1` are the same."""
        entries: dict[str, Any] = {}
        stack = [("", self.data, 0)]
        while stack:
            prefix, data, depth = stack.pop()
            if depth > limit:
                raise self.error("tables are nested too deeply; write joint or joint.part")
            for key, value in data.items():
                name = prefix + key
                if isinstance(value, Mapping):
                    stack.append((name + ".", value, depth + 1))
                elif name in entries:
                    raise self.error(f"{name!r} is given twice")
                else:
                    entries[name] = value
        return entries
