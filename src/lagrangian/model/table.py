"""The table a roboticist expects of a mechanism."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from lagrangian.model import vector as v
from lagrangian.model.constraint import Constraint, Holonomic, KnifeEdge, Pfaffian, Rolling
from lagrangian.model.expression import Expression
from lagrangian.model.loop import Spring, Wall

if TYPE_CHECKING:
    from lagrangian.model.mechanism import Mechanism

_SHOWN = 20


_LONGEST = 24  # of an expression that is shown as it is written


def _number(x: Any) -> str:
    if isinstance(x, Expression):
        text = str(x)
        return text if len(text) <= _LONGEST else f"{float(x):.4g}"
    return f"{float(x):.5g}"


def _vector(x: v.Vector) -> str:
    return "(" + ", ".join(_number(c) for c in x) + ")"


def _axis(x: v.Vector) -> str:
    for name, axis in (("x", v.X), ("y", v.Y), ("z", v.Z)):
        if tuple(x) == axis:
            return name
        if tuple(x) == v.neg(axis):
            return "-" + name
    return _vector(x)


def _grid(rows: list[tuple[str, ...]]) -> list[str]:
    """Rows under a header, in columns; columns in which nothing stands are left out."""
    kept = [k for k in range(len(rows[0])) if any(row[k] for row in rows[1:])]
    widths = {k: max(len(row[k]) for row in rows) for k in kept}
    lines = ["  ".join(row[k].ljust(widths[k]) for k in kept).rstrip() for row in rows]
    lines.insert(1, "  ".join("─" * widths[k] for k in kept))
    return lines


def _optional(x: Any) -> str:
    return "" if float(x) == 0 else _number(x)


def _angles(R: v.Matrix) -> str:
    """Roll, pitch and yaw of a rotation, '' if it is none."""
    if R == v.IDENTITY:
        return ""
    r = [[float(x) for x in row] for row in R]
    pitch = math.asin(max(-1.0, min(1.0, -r[2][0])))
    if abs(r[2][0]) < 1 - 1e-12:
        roll, yaw = math.atan2(r[2][1], r[2][2]), math.atan2(r[1][0], r[0][0])
    else:  # roll and yaw turn about the same axis: all of it is given to yaw
        roll, yaw = 0.0, math.atan2(-r[0][1], r[1][1])
    return _vector((roll + 0.0, pitch + 0.0, yaw + 0.0))


def joint_rows(m: Mechanism) -> list[tuple[str, ...]]:
    """A row for each joint, under a header."""
    head = (
        "",
        "joint",
        "type",
        "axis",
        "parent",
        "child",
        "at [m]",
        "rpy [rad]",
        "limits",
        "rotor [kg m²]",
        "viscous",
        "Coulomb",
        "spring",
    )
    rows: list[tuple[str, ...]] = [head]
    for i, joint in enumerate(m.joints[:_SHOWN]):
        low, high, friction = joint.limits.lower, joint.limits.upper, joint.friction
        two_sided = friction.coulomb_negative != friction.coulomb
        coulomb = (
            f"+{_number(friction.coulomb)} -{_number(friction.coulomb_negative)}" if two_sided else _optional(friction.coulomb)
        )
        axis = _axis(joint.axis) if joint.kind.needs_axis else ""
        if joint.type == "universal":
            axis += f", {_axis(joint.axis2)}"
        if joint.type == "helical":
            axis += f", {_number(joint.pitch)} m/rad"
        limits = "" if math.isinf(low) and math.isinf(high) else f"{low:.4g} .. {high:.4g}"
        at = "" if joint.placement.position == v.ZERO else _vector(joint.placement.position)
        rotation = _angles(joint.placement.rotation)
        drive = (_optional(joint.rotor.reflected), _optional(friction.viscous), coulomb, _optional(joint.spring.stiffness))
        rows.append((str(i + 1), joint.name, joint.type, axis, joint.parent, joint.child, at, rotation, limits, *drive))
    return rows


def body_rows(m: Mechanism) -> list[tuple[str, ...]]:
    """A row for each body, under a header."""
    rows: list[tuple[str, ...]] = [("body", "mass [kg]", "centre [m]", "Ixx, Iyy, Izz [kg m²]", "Ixy, Ixz, Iyz [kg m²]")]
    for body in m.bodies[:_SHOWN]:
        xx, xy, xz, yy, yz, zz = body.inertia
        products = "" if all(float(x) == 0 for x in (xy, xz, yz)) else _vector((xy, xz, yz))
        rows.append((body.name, _number(body.mass), _vector(body.center), _vector((xx, yy, zz)), products))
    return rows


def _count(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {'bodies' if what == 'body' else what + 's'}"


def _constraint(constraint: Constraint) -> str:
    match constraint:
        case Pfaffian():
            terms = " + ".join(f"({_number(c)}) {name}'" for name, c in constraint.coefficients)
            return f"{terms} + {_number(constraint.phi)} = 0"
        case Holonomic():
            return f"{constraint.equation} = 0"
        case KnifeEdge():
            return f"knife edge of {constraint.body}, no motion along {_vector(constraint.direction)}"
        case Rolling():
            what = "sphere" if constraint.axis is None else "disc"
            return f"{what} of {constraint.body}, radius {_number(constraint.radius)} m, rolls on {constraint.on}"
    return f"{_count(constraint.equations, 'equation')} of a Python function"


def _spring(spring: Spring) -> str:
    if isinstance(spring, Wall):
        at = f"through {_vector(spring.position)}, normal {_axis(spring.normal)}"
        return f"wall {spring.name}: stops {spring.body} on {spring.on}, {at}, {_number(spring.stiffness)} N/m"
    return f"spring {spring.name}: {spring.a} – {spring.b}, {_number(spring.stiffness)} N/m"


def table(m: Mechanism) -> str:
    """Joints and bodies in columns, then loops, frames, poses and what a reader left out."""
    head = [f"{m.name}: {_count(len(m.bodies), 'body')}, {_count(m.nq, 'coordinate')}, {_count(m.nv, 'speed')}"]
    if m.equations:
        head[0] += f", {_count(m.equations, 'constraint equation')}, mobility {m.mobility} (Gruebler)"
    if m.description:
        head.append(m.description)
    if m.source:
        head.append(f"source: {m.source}")
    lines = [*head, ""]
    if m.joints:
        lines += [*_grid(joint_rows(m)), "", *_grid(body_rows(m))]
    if len(m.joints) > _SHOWN:
        lines.append(f"... and {len(m.joints) - _SHOWN} more joints")
    return "\n".join([*lines, "", *remarks(m)])


def remarks(m: Mechanism) -> list[str]:
    """What stands below the table: gravity, parameters, loops, springs, constraints, frames, poses, notes."""
    lines = [f"gravity {_vector(m.gravity)} m/s²"]
    if m.parameters:
        lines.append("parameters: " + ", ".join(f"{name} = {float(x):.6g}" for name, x in m.parameters.items()))
    lines += [f"loop {x.name}: {x.type}, {x.a} – {x.b}" for x in m.loops]
    lines += [_spring(x) for x in m.springs]
    for constraint in m.constraints:
        lines.append(f"constraint {constraint.name}: {_constraint(constraint)}")
    if m.frames:
        names = [f.name for f in m.frames]
        lines.append("frames: " + ", ".join(names[:_SHOWN]) + (" ..." if len(names) > _SHOWN else ""))
    if m.poses:
        lines.append("poses: " + ", ".join(m.poses))
    return lines + [f"note: {n}" for n in m.notes]
