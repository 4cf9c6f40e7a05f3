"""Motors from a description: a joint that is said to turn with a constant speed, or on which a constant torque acts."""

from __future__ import annotations

from collections.abc import Mapping

from lagrangian.model.constraint import Holonomic
from lagrangian.model.expression import Scalar, free_symbols
from lagrangian.model.expression.derivative import derivative
from lagrangian.model.mechanism import Mechanism
from lagrangian.studio.drawing.drawing import Motor


def motors_of(mechanism: Mechanism, pins: Mapping[str, str]) -> tuple[tuple[Motor, ...], tuple[str, ...]]:
    """The motors, by the pins of the joints that they turn, and what drives it besides, in words."""
    found: list[Motor] = []
    left_out: list[str] = []
    turning = {x.name: x for x in mechanism.joints if x.kind.name != "prismatic"}
    for constraint in mechanism.constraints:
        speed = _speed(constraint, turning) if isinstance(constraint, Holonomic) else None
        if speed is None:
            left_out.append(f"the constraint {constraint.name}")
            continue
        joint = turning[speed[0]]
        found.append(Motor(pins[joint.name], joint.child, joint.parent, "speed", speed[1] * _sense(joint)))
    for name, torque in mechanism.initial.torque:
        driven = turning.get(name)
        if driven is None or free_symbols(torque) or any(x.pin == pins[name] and x.drives == driven.child for x in found):
            left_out.append(f"the torque of {name}, which is not constant")
            continue
        found.append(Motor(pins[name], driven.child, driven.parent, "torque", float(torque) * _sense(driven)))
    return tuple(found), tuple(left_out)


def _sense(joint: object) -> float:
    """-1 of a joint that turns about -z."""
    return 1.0 if float(joint.axis[2]) > 0 else -1.0  # type: ignore[attr-defined]


def _speed(constraint: Holonomic, joints: Mapping[str, object]) -> tuple[str, float] | None:
    """The joint of an equation a*joint + b*t + c = 0, and its speed."""
    names = free_symbols(constraint.equation) - {"t"}
    if constraint.unilateral or len(names) != 1 or not names <= set(joints):
        return None
    (name,) = names
    slope, rate = (derivative(constraint.equation, x) for x in (name, "t"))
    if not _is_number(slope) or not _is_number(rate) or not float(slope):
        return None
    return name, -float(rate) / float(slope)


def _is_number(x: Scalar) -> bool:
    return not free_symbols(x)
