"""The SI units of a mechanism's numbers and of what its motions have, as far as they follow from it; "" where they do not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from lagrangian.model.expression import Expression
from lagrangian.model.joint import Joint
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.placement import Transform

_UNIT_BY_ENTRY = {"mass": "kg"}  # by the last word of a path
_UNIT_BY_VECTOR = {"center": "m", "inertia": "kg m²"}  # by the word before it


def quantity_units(mechanism: Mechanism) -> dict[str, str]:
    """The units of all quantities that a motion has over time, by the names that expressions use."""
    speeds = [slides for joint in mechanism.joints for slides in joint.kind.slides]
    units = {"t": "s", "kinetic_energy": "J", "potential_energy": "J", "energy": "J", "balance": "J"}
    units |= {f"work_{x}": "J" for x in ("torque", "friction", "constraints", "wrenches", "impacts", "payloads", "parameters")}
    for frame_name in (*(f.name for f in mechanism.frames), *(b.name for b in mechanism.bodies)):
        units |= {f"{frame_name}.{axis}": "m" for axis in "xyz"}
    for joint in mechanism.joints:
        units |= {f"force_{joint.name}": "N", f"moment_{joint.name}": "N m"}
    for name, slides in zip(mechanism.speed_names, speeds, strict=True):
        units |= {f"tau_{name}": "N" if slides else "N m", f"friction_{name}": "N" if slides else "N m"}
        units |= {f"qdd_{name}": "m/s²" if slides else "rad/s²", f"qd_{name}": "m/s" if slides else "rad/s"}
    coordinates = [unit for joint in mechanism.joints for unit in joint.kind.units]
    return units | dict(zip(mechanism.coordinate_names, coordinates, strict=True))


def parameter_unit(mechanism: Mechanism, name: str) -> str:
    """The unit of a parameter, or of a number by its path; "" if it is unknown.

    A parameter has the unit of the numbers that it stands for: a mass, a length, a moment of inertia, or gravity. The unit of any
    other number follows from the words of its path.
    """
    units = {unit for x, unit in _numbers_with_units(mechanism) if _stands_for(x, name)}
    if units:
        return units.pop() if len(units) == 1 else ""
    owner, _, last = name.rpartition(".")
    if name in mechanism.parameters or not owner:
        return ""
    if owner == "gravity":
        return "m/s²"
    part, _, entry = owner.rpartition(".")
    if entry == "friction":
        return next((_friction_unit(joint, last) for joint in mechanism.joints if joint.name == part), "")
    return (_UNIT_BY_VECTOR.get(entry, "") if part else "") or _UNIT_BY_ENTRY.get(last, "")


def _friction_unit(joint: Joint, entry: str) -> str:
    """The unit of an entry of a joint's friction.

    It is "" for a joint that both turns and slides, where the number acts on each of its speeds.
    """
    slides = set(joint.kind.slides)
    if len(slides) != 1:
        return ""
    force, displacement = ("N", "m") if slides.pop() else ("N m", "rad")
    return f"{force} s/{displacement}" if entry == "viscous" else force


def _stands_for(x: Any, name: str) -> bool:
    if isinstance(x, Expression) and x.operation == "neg":
        x = x.arguments[0]
    return isinstance(x, Expression) and x.operation == "symbol" and x.name == name


def _numbers_with_units(mechanism: Mechanism) -> Iterator[tuple[Any, str]]:
    for body in mechanism.bodies:
        yield body.mass, "kg"
        yield from ((x, "m") for x in body.center)
        yield from ((x, "kg m²") for x in body.inertia)
    for joint in mechanism.joints:
        yield from ((x, "m") for x in joint.placement.position)
    parts: tuple[Any, ...] = (*mechanism.frames, *mechanism.loops)
    for part in parts:
        for value in (getattr(part, field.name) for field in fields(part)):
            yield from ((x, "m") for x in (value.position if isinstance(value, Transform) else ()))
    for part in (*mechanism.loops, *mechanism.constraints, *mechanism.springs):
        yield from ((getattr(part, name, None), "m") for name in ("length", "radius"))
    yield from ((x, "m/s²") for x in mechanism.gravity)
