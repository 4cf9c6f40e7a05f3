"""The SI units of what a study varies and keeps, as far as they follow from the mechanism; "" where they do not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any

from lagrangian.errors import LagrangianError
from lagrangian.model.expression import Expression, Scalar
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.placement import Placement
from lagrangian.studies.keep import Kept, kept
from lagrangian.studies.names import SPEED

_KEEP_UNIT = ("+", "-", "neg", "abs", "max", "min")
_PATHS = {"mass": "kg"}  # by the last word of a path


def units_of(mechanism: Mechanism | None, inputs: tuple[str, ...], keep: Mapping[str, str] | None) -> dict[str, str]:
    """By the names of inputs and outputs; `keep` has the texts of these, and is None for those of a function."""
    if mechanism is None:
        return {}
    known = quantities(mechanism)
    found = {name: known.get(name, "") or _of_parameter(mechanism, name) for name in inputs}
    for name, text in (keep or {}).items():
        try:
            (column,) = kept({name: text}, mechanism, None)
        except LagrangianError:  # of constraints, and of events that the run alone has
            continue
        found[name] = _of_column(column, known)
    return found


def quantities(mechanism: Mechanism) -> dict[str, str]:
    """Of what a motion has over time, as `quantities.known` names it."""
    speeds = [slides for joint in mechanism.joints for slides in joint.kind.slides]
    found = {"t": "s", "kinetic_energy": "J", "potential_energy": "J", "energy": "J", "balance": "J"}
    found |= {f"work_{x}": "J" for x in ("torque", "friction", "constraints", "wrenches", "impacts", "payloads", "parameters")}
    for place in (*(f.name for f in mechanism.frames), *(b.name for b in mechanism.bodies)):
        found |= {f"{place}.{axis}": "m" for axis in "xyz"}
    for joint in mechanism.joints:
        found |= {f"force_{joint.name}": "N", f"moment_{joint.name}": "N m"}
    for name, slides in zip(mechanism.speed_names, speeds, strict=True):
        found |= {f"tau_{name}": "N" if slides else "N m", f"friction_{name}": "N" if slides else "N m"}
        found |= {f"qdd_{name}": "m/s²" if slides else "rad/s²", f"{SPEED}{name}": "m/s" if slides else "rad/s"}
    coordinates = [unit for joint in mechanism.joints for unit in joint.kind.units]
    return found | dict(zip(mechanism.coordinate_names, coordinates, strict=True))


def _of_column(column: Kept, known: Mapping[str, str]) -> str:
    parts = dict(known)
    for part in column.parts:
        inner = _of_expression(part.inner, known)
        after = {"time": "s", "count": ""}
        parts[part.name] = after.get(part.function, _times_seconds(inner) if part.function == "integral" else inner)
    return _of_expression(column.outer, parts)


def _times_seconds(unit: str) -> str:
    return unit.removesuffix("/s") if unit.endswith("/s") else f"{unit} s" if unit and "/" not in unit else ""


def _of_expression(x: Scalar, known: Mapping[str, str]) -> str:
    """Of sums and multiples of what has one unit: that unit."""
    if not isinstance(x, Expression):
        return ""
    if x.operation == "symbol":
        return known.get(x.name, "")
    if x.operation in ("*", "/"):
        first, second = x.arguments
        if not isinstance(second, Expression):
            return _of_expression(first, known)
        return _of_expression(second, known) if x.operation == "*" and not isinstance(first, Expression) else ""
    found = {_of_expression(y, known) for y in x.arguments}
    return found.pop() if x.operation in _KEEP_UNIT and len(found) == 1 else ""


# -- parameters ---------------------------------------------------------------------------------------------------------


def _of_parameter(mechanism: Mechanism, name: str) -> str:
    """By where the parameter stands for itself: as a mass, a length, a moment of inertia, or gravity."""
    found = {unit for x, unit in _numbers(mechanism) if _is(x, name)}
    if found:
        return found.pop() if len(found) == 1 else ""
    first, _, _ = name.partition(".")
    return "m/s²" if first == "gravity" and first != name else _PATHS.get(name.rpartition(".")[2], "") if "." in name else ""


def _is(x: Any, name: str) -> bool:
    if isinstance(x, Expression) and x.operation == "neg":
        x = x.arguments[0]
    return isinstance(x, Expression) and x.operation == "symbol" and x.name == name


def _numbers(mechanism: Mechanism) -> Iterator[tuple[Any, str]]:
    for body in mechanism.bodies:
        yield body.mass, "kg"
        yield from ((x, "m") for x in body.center)
        yield from ((x, "kg m²") for x in body.inertia)
    for joint in mechanism.joints:
        yield from ((x, "m") for x in joint.placement.position)
    parts: tuple[Any, ...] = (*mechanism.frames, *mechanism.loops)
    for part in parts:
        for value in (getattr(part, field.name) for field in fields(part)):
            yield from ((x, "m") for x in (value.position if isinstance(value, Placement) else ()))
    for part in (*mechanism.loops, *mechanism.constraints, *mechanism.springs):
        yield from ((getattr(part, name, None), "m") for name in ("length", "radius"))
    yield from ((x, "m/s²") for x in mechanism.gravity)
