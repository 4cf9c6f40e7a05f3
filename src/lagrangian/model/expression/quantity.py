"""Numbers as people write them: `0.5`, `pi/4`, `30deg`, `250mm`, alone, in lists or by name. Text is parsed, never executed."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from lagrangian.errors import ArgumentError, DescriptionError, Place
from lagrangian.model.expression.scalar import parse

UNITS = {"deg": math.pi / 180, "°": math.pi / 180, "rad": 1.0, "mm": 1e-3, "cm": 1e-2, "m": 1.0, "ms": 1e-3, "s": 1.0}
_WITH_UNIT = re.compile(r"^(.*[\d.)\s])\s*(" + "|".join(UNITS) + r")$", re.DOTALL)
_NAMED = re.compile(r"^\s*([^\W\d][\w.]*)\s*=(?!=)(.*)$", re.DOTALL)
_FORMULA = re.compile(r"[\^*/()+]")
_FORMS = f"numbers such as 0.5, pi/4, 30deg or 250mm are; units are {', '.join(x for x in UNITS if x != '°')}"


def number(text: str, where: Place | tuple[Place, ...], names: Mapping[str, Any] | None = None) -> float:
    """A number or an expression of `names`, with a unit if one is written, in SI units: "30deg" is pi/6."""
    bare, unit = split(text)
    try:
        value = float(parse(bare, names or {})) * UNITS.get(unit, 1.0)
    except DescriptionError as error:
        if _FORMULA.search(bare):  # where a formula breaks is worth saying; of a word, what is understood instead
            raise ArgumentError(error.what, where=where, remedy=_FORMS) from None
        known = f", and parameters: {', '.join(list(names)[:8])}{' ...' * (len(names) > 8)}" if names else ""
        raise ArgumentError(f"{text.strip()!r} is not understood", where=where, remedy=_FORMS + known) from None
    except (TypeError, ValueError, OverflowError, ZeroDivisionError):
        raise ArgumentError(f"{text.strip()!r} is no number", where=where) from None
    if not math.isfinite(value):
        raise ArgumentError(f"{text.strip()!r} is no finite number", where=where)
    return value


def split(text: str) -> tuple[str, str]:
    """What stands before the unit, and the unit, or "" if there is none."""
    found = _WITH_UNIT.match(text.strip())
    return (found[1], found[2]) if found else (text, "")


def parts(text: str, separators: str = ",;") -> list[str]:
    """What stands between separators, those in parentheses not counted."""
    found, depth = [""], 0
    for c in text.strip():
        depth += (c in "([{") - (c in ")]}")
        if c in separators and depth == 0:
            found.append("")
        else:
            found[-1] += c
    return [x.strip() for x in found]


def numbers(text: str, where: Place, names: Mapping[str, Any] | None = None) -> list[float]:
    """Several numbers with commas between them; brackets around them are allowed."""
    inside = text.strip()
    if inside[:1] in "([" and inside[-1:] in ")]" and len(parts(inside)) == 1:
        inside = inside[1:-1]
    return [number(x, where, names) for x in parts(inside)]


def is_named(text: str) -> bool:
    """Whether a text reads `name=value`."""
    return _NAMED.match(text) is not None


def named(text: str, where: Place) -> tuple[str, str]:
    """The two sides of `name=value`, at the first sign of equality."""
    found = _NAMED.match(text)
    if not found or not found[2].strip():
        raise ArgumentError(f"{text!r} is not understood", where=where, remedy="name=value is needed")
    return found[1], found[2].strip()
