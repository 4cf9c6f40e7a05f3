"""Texts of the command line as numbers, points, states and times. Expressions are parsed, never executed."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lagrangian.errors import ArgumentError, DescriptionError, one_of

if TYPE_CHECKING:
    from lagrangian.model.mechanism import Mechanism

_UNITS = {"deg": math.pi / 180, "°": math.pi / 180, "rad": 1.0, "mm": 1e-3, "cm": 1e-2, "m": 1.0, "ms": 1e-3, "s": 1.0}
_WITH_UNIT = re.compile(r"^(.*[\d.)\s])\s*(" + "|".join(_UNITS) + r")$", re.DOTALL)
_NAMED = re.compile(r"^\s*([^\W\d][\w.]*)\s*=(?!=)(.*)$", re.DOTALL)


def number(text: str, what: str, names: Mapping[str, Any] | None = None) -> float:
    """A number or an expression, with a unit if one is written: 0.5, pi/4, 30deg, 250mm."""
    from lagrangian.model.expression import parse

    found = _WITH_UNIT.match(text.strip())
    bare, factor = (found[1], _UNITS[found[2]]) if found else (text, 1.0)
    try:
        value = float(parse(bare, names or {})) * factor
    except DescriptionError as error:
        raise ArgumentError(f"{what}: {_no_number(text.strip(), bare, names or {}, str(error))}") from None
    except (TypeError, ValueError, OverflowError, ZeroDivisionError):
        raise ArgumentError(f"{what}: {text.strip()!r} is no number") from None
    if not math.isfinite(value):
        raise ArgumentError(f"{what}: {text.strip()!r} is no finite number")
    return value


_FORMS = f"numbers such as 0.5, pi/4, 30deg or 250mm are; units are {', '.join(x for x in _UNITS if x != '°')}"


def _no_number(text: str, bare: str, names: Mapping[str, Any], error: str) -> str:
    """A word is met more often than a formula that is wrong: what is understood, in place of all functions there are."""
    if re.search(r"[\^*/()+]", bare):  # a formula: where it breaks is worth saying
        return f"{re.split(r'[.;] (?:Known|An expression is)', error)[0]}; {_FORMS}"
    known = f", and parameters: {', '.join(list(names)[:8])}{' ...' * (len(names) > 8)}" if names else ""
    return f"{text!r} is not understood; {_FORMS}{known}"


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


def numbers(text: str, what: str, names: Mapping[str, Any] | None = None) -> list[float]:
    """Several, with commas between them; brackets around them are allowed."""
    inside = text.strip()
    if inside[:1] in "([" and inside[-1:] in ")]" and len(parts(inside)) == 1:
        inside = inside[1:-1]
    return [number(x, what, names) for x in parts(inside)]


def named(text: str, what: str) -> tuple[str, str]:
    """`name=value`, at the first sign of equality."""
    found = _NAMED.match(text)
    if not found or not found[2].strip():
        raise ArgumentError(f"{what}: {text!r} is not understood; name=value is needed")
    return found[1], found[2].strip()


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
    if any(_NAMED.match(x) for x in pieces):
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
