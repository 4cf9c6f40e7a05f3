"""Places of a description whose numbers are part of the code, so that no parameter in them can stay adjustable.

They are the directions of axes, the profiles of cams and whole-number exponents: see `algorithms.structure`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from lagrangian.algorithms.structure import AXES, exponent
from lagrangian.model.entries import Typed
from lagrangian.model.expression import Expression
from lagrangian.model.expression.scalar import walk
from lagrangian.model.joints.cam import Cam
from lagrangian.model.mechanism import Mechanism


def fixed_places(mechanism: Mechanism) -> dict[str, str]:
    """The parameters, and paths, on which such a place depends, each with what it is."""
    found: dict[str, str] = {}
    own = {id(x): name for name, x in mechanism.parameters.items()}  # parameters that follow from others are named, too

    def note(x: Any, where: str) -> None:
        for node in walk(x) if isinstance(x, Expression) else ():
            if id(node) in own or (node.operation == "symbol" and node.value is not None):
                found.setdefault(own.get(id(node), node.name), where)

    parts = (*mechanism.joints, *mechanism.loops, *mechanism.constraints, *mechanism.springs)
    for part in parts:
        for x in _directions(part):
            note(x, f"a direction of {part.name!r} depends on it")
    for joint in mechanism.joints:
        for step in joint.kind.steps(joint):
            if isinstance(step.kind, Cam):
                note(step.kind.profile, f"the profile of joint {joint.name!r} depends on it")
        for x in (joint.friction.coulomb, joint.friction.coulomb_negative) if joint.kind.plane else ():
            if not float(x or 0):  # whether there is any decides whether it acts along two speeds together
                note(x, f"the dry friction of joint {joint.name!r} depends on it, and is zero")
    for x in _scalars((parts, mechanism.initial.torque)):
        for node in walk(x):
            if node.operation == "^" and exponent(node.arguments[1]) is not None:
                note(node.arguments[1], "it is an exponent, and a power is written as products")
    return found


def _directions(part: Any) -> Iterator[Any]:
    entries = [(field.name, getattr(part, field.name)) for field in fields(part)]
    entries += list(part.own) if isinstance(part, Typed) else []
    for name, value in entries:
        if name in AXES and isinstance(value, tuple):
            yield from value


def _scalars(x: Any) -> Iterator[Expression]:
    """All expressions in a part of a description."""
    if isinstance(x, Expression):
        yield x
    elif isinstance(x, tuple):
        for y in x:
            yield from _scalars(y)
    elif is_dataclass(x) and not isinstance(x, type):
        for field in fields(x):
            yield from _scalars(getattr(x, field.name))
