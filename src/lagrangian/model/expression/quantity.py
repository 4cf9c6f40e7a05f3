"""Numbers as people write them: `0.5`, `pi/4`, `30deg`, `250mm`, alone, in lists or by name. Text is parsed, never executed."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

from lagrangian.errors import ArgumentError, DescriptionError, Place
from lagrangian.model.expression.scalar import parse

_ANGLES = {"deg": math.pi / 180, "°": math.pi / 180, "rad": 1.0, "rev": 2 * math.pi}
_LENGTHS = {"mm": 1e-3, "cm": 1e-2, "m": 1.0}
_RATES = {f"{name}/{per}": x for name, x in (_ANGLES | _LENGTHS).items() for per in ("s", "s^2", "s²")}
UNITS = {**_ANGLES, **_LENGTHS, "ms": 1e-3, "s": 1.0, "min": 60.0, "rpm": 2 * math.pi / 60, **_RATES}
_WITH_UNIT = re.compile(r"^(.*[\d.)\s])\s*(" + "|".join(map(re.escape, UNITS)) + r")$", re.DOTALL)
# the name as it is printed, or between backquotes; a sign of equality that belongs to no comparison
_EQUALS = r"(?<![<>=!])=(?!=)"
_ASSIGNMENT = re.compile(rf"^\s*(?:`([^`]+)`|([^=<>]*?[^=<>\s]))\s*{_EQUALS}(.*)$", re.DOTALL)
_QUOTING_REMEDY = "write a name with a comma, a semicolon or an equals sign between backquotes: `a,b`=1"
_FORMULA = re.compile(r"[\^*/()+]")
_NUMBER_REMEDY = (
    "write a number such as 0.5, pi/4, 30deg or 250mm; the units are deg, rad, rev, mm, cm, m, ms, s, min, rpm, "
    "and speeds such as deg/s, rev/s or m/s"
)


def parse_quantity(text: str, where: Place | tuple[Place, ...], names: Mapping[str, Any] | None = None) -> float:
    """A number or an expression of `names`, with a unit if one is written, in SI units: "30deg" is pi/6."""
    bare, unit = split_unit(text)
    try:
        value = float(parse(bare, names or {})) * UNITS.get(unit, 1.0)
    except DescriptionError as error:
        if _FORMULA.search(bare):  # where a formula breaks is worth saying; of a word, what is understood instead
            raise ArgumentError(error.what, where=where, remedy=_NUMBER_REMEDY) from None
        parameters_text = f", and the parameters are {', '.join(list(names)[:8])}{' ...' * (len(names) > 8)}" if names else ""
        raise ArgumentError(f"{text.strip()!r} is not understood", where=where, remedy=_NUMBER_REMEDY + parameters_text) from None
    except (TypeError, ValueError, OverflowError, ZeroDivisionError):
        raise ArgumentError(f"{text.strip()!r} is not a number", where=where) from None
    if not math.isfinite(value):
        raise ArgumentError(f"{text.strip()!r} is not a finite number", where=where)
    return value


def split_unit(text: str) -> tuple[str, str]:
    """The text before the unit, and the unit, or "" if there is none."""
    match = _WITH_UNIT.match(text.strip())
    return (match[1], match[2]) if match else (text, "")


def split_list(text: str, separators: str = ",;") -> list[str]:
    """The parts of a text between separators; those in parentheses and between backquotes do not separate."""
    items, depth, quoted = [""], 0, False
    for c in text.strip():
        quoted ^= c == "`"
        depth += 0 if quoted else (c in "([{") - (c in ")]}")
        if c in separators and depth == 0 and not quoted:
            items.append("")
        else:
            items[-1] += c
    return [x.strip() for x in items]


def parse_quantities(text: str, where: Place, names: Mapping[str, Any] | None = None) -> list[float]:
    """Several numbers with commas between them; brackets around them are allowed."""
    inside = text.strip()
    if inside[:1] in "([" and inside[-1:] in ")]" and len(split_list(inside)) == 1:
        inside = inside[1:-1]
    return [parse_quantity(x, where, names) for x in split_list(inside)]


def split_assignment(text: str, where: Place) -> tuple[str, str]:
    """The two sides of `name=value`; the name is as it is printed, or between backquotes."""
    match = _ASSIGNMENT.match(text)
    if not match or not match[3].strip():
        raise ArgumentError(f"{text.strip()!r} is not understood", where=where, remedy=f"write name=value{_quoting_advice(text)}")
    if re.search(_EQUALS, re.sub("`[^`]*`", "", match[3])):
        raise ArgumentError(f"{text.strip()!r} has more than one equals sign", where=where, remedy=_QUOTING_REMEDY)
    return match[1] or match[2], match[3].strip()


def collect_assignments(texts: Iterable[str], where: Place) -> dict[str, str]:
    """The values by name in several texts `name=value`, of which no name is given twice."""
    assignments: dict[str, str] = {}
    for text in texts:
        name, value = split_assignment(text, where)
        if name in assignments:
            raise ArgumentError(f"{name!r} is given twice", where=where, remedy="give each name once")
        assignments[name] = value
    return assignments


def parse_assignments(text: str, where: Place) -> dict[str, str] | None:
    """The values by name in a text such as `a=1, b=2`; None if no part of it reads `name=value`."""
    pieces = split_list(text)
    return collect_assignments(pieces, where) if any(_ASSIGNMENT.match(piece) for piece in pieces) else None


def unquote(name: str) -> str:
    """A name without the backquotes around it."""
    name = name.strip()
    return name[1:-1] if len(name) > 2 and name[0] == name[-1] == "`" else name


def _quoting_advice(text: str) -> str:
    """Advice to quote a name, for a part without a sign of equality, which a comma may have cut out of a name; "" for others."""
    return "" if "=" in text else f"; {_QUOTING_REMEDY}"
