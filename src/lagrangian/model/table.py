"""The table a roboticist expects of a mechanism."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from lagrangian.model import vector as v
from lagrangian.model.constraint import Constraint, Holonomic, KnifeEdge, Pfaffian, Rolling
from lagrangian.model.event import event_words
from lagrangian.model.expression import Expression, free_symbols
from lagrangian.model.loop import Spring, Wall
from lagrangian.model.spring import CoordinateSpring, GravityCompensation

if TYPE_CHECKING:
    from lagrangian.model.mechanism import Mechanism

SHOWN = 20  # joints, bodies and names that are listed
_LONGEST = 24  # of an expression that is shown as it is written


def number(x: Any) -> str:
    """A number, or an expression as it is written, if it is short or has no value."""
    if isinstance(x, Expression):
        text = str(x)
        return text if len(text) <= _LONGEST or free_symbols(x) else f"{float(x):.4g}"
    return f"{float(x):.5g}"


def vector(x: v.Vector) -> str:
    return "(" + ", ".join(number(c) for c in x) + ")"


def axis_name(x: v.Vector) -> str:
    """One of the frame's axes by its letter, another as a vector."""
    for name, axis in (("x", v.X), ("y", v.Y), ("z", v.Z)):
        if tuple(x) == axis:
            return name
        if tuple(x) == v.neg(axis):
            return "-" + name
    return vector(x)


def _filled(rows: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Without the columns in which nothing stands."""
    kept = [k for k in range(len(rows[0])) if any(row[k] for row in rows[1:])]
    return [tuple(row[k] for k in kept) for row in rows]


def _grid(rows: list[tuple[str, ...]]) -> list[str]:
    """Rows under a header, in columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows]
    lines.insert(1, "  ".join("─" * w for w in widths))
    return lines


def number_or_nothing(x: Any) -> str:
    """Nothing for zero."""
    return "" if float(x) == 0 else number(x)


def roll_pitch_yaw(R: v.Matrix) -> str:
    """Roll, pitch and yaw of a rotation, '' if it is none."""
    if R == v.IDENTITY:
        return ""
    r = [[float(x) for x in row] for row in R]
    pitch = math.asin(max(-1.0, min(1.0, -r[2][0])))
    if abs(r[2][0]) < 1 - 1e-12:
        roll, yaw = math.atan2(r[2][1], r[2][2]), math.atan2(r[1][0], r[0][0])
    else:  # roll and yaw turn about the same axis: all of it is given to yaw
        roll, yaw = 0.0, math.atan2(-r[0][1], r[1][1])
    return vector((roll + 0.0, pitch + 0.0, yaw + 0.0))


def joint_rows(m: Mechanism) -> list[tuple[str, ...]]:
    """A header, then a row for each of the first joints."""
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
    for i, joint in enumerate(m.joints[:SHOWN]):
        low, high, friction = joint.limits.lower, joint.limits.upper, joint.friction
        two_sided = friction.coulomb_negative != friction.coulomb
        coulomb = (
            f"+{number(friction.coulomb)} -{number(friction.coulomb_negative)}"
            if two_sided
            else number_or_nothing(friction.coulomb)
        )
        if (static := friction.breakaway) != (friction.coulomb, friction.coulomb_negative):
            words = number(static[0]) if static[0] == static[1] else f"+{number(static[0])} -{number(static[1])}"
            coulomb = f"{coulomb or 0}, static {words}"
        axis = ", ".join([*map(axis_name, joint.axes), *joint.kind.words(joint)])
        limits = "" if math.isinf(low) and math.isinf(high) else f"{low:.4g} .. {high:.4g}"
        at = "" if joint.placement.position == v.ZERO else vector(joint.placement.position)
        rotation = roll_pitch_yaw(joint.placement.rotation)
        drive = (
            number_or_nothing(joint.rotor.reflected),
            number_or_nothing(friction.viscous),
            coulomb,
            number_or_nothing(joint.spring.stiffness),
        )
        rows.append((str(i + 1), joint.name, joint.type, axis, joint.parent, joint.child, at, rotation, limits, *drive))
    return _filled(rows)


def body_rows(m: Mechanism) -> list[tuple[str, ...]]:
    """A header, then a row for each of the first bodies."""
    rows: list[tuple[str, ...]] = [("body", "mass [kg]", "centre [m]", "Ixx, Iyy, Izz [kg m²]", "Ixy, Ixz, Iyz [kg m²]")]
    for body in m.bodies[:SHOWN]:
        xx, xy, xz, yy, yz, zz = body.inertia
        products = "" if all(float(x) == 0 for x in (xy, xz, yz)) else vector((xy, xz, yz))
        rows.append((body.name, number(body.mass), vector(body.center), vector((xx, yy, zz)), products))
    return _filled(rows)


def counted(n: int, what: str) -> str:
    """A number with its noun, in the plural unless there is one."""
    return f"{n} {what}" if n == 1 else f"{n} {'bodies' if what == 'body' else what + 's'}"


def constraint_words(constraint: Constraint) -> str:
    """What it demands."""
    match constraint:
        case Pfaffian():
            terms = " + ".join(f"({number(c)}) {name}'" for name, c in constraint.coefficients)
            return f"{terms} + {number(constraint.phi)} = 0"
        case Holonomic():
            return f"{constraint.equation} = 0"
        case KnifeEdge():
            return f"knife edge of {constraint.body}, no motion along {vector(constraint.direction)}"
        case Rolling():
            what = "sphere" if constraint.axis is None else "disc"
            return f"{what} of {constraint.body}, radius {number(constraint.radius)} m, rolls on {constraint.on}"
    return f"{counted(constraint.equations, 'equation')} of a Python function"


def spring_words(spring: Spring) -> str:
    """A spring, a wall or a gravity compensation: where it is, and how stiff."""
    if isinstance(spring, Wall):
        at = f"through {vector(spring.position)}, normal {axis_name(spring.normal)}"
        return f"wall {spring.name}: stops {spring.body} on {spring.on}, {at}, {number(spring.stiffness)} N/m"
    if isinstance(spring, GravityCompensation):
        return f"gravity compensation {spring.name}: carries {number(spring.factor)} of the weight of {spring.body}"
    damped = f", damping {number(spring.damping)}" if float(spring.damping) else ""
    slack = f", slack over {number(spring.slack)}" if float(spring.slack) else ""
    if isinstance(spring, CoordinateSpring):
        return f"spring {spring.name}: of {spring.length}, stiffness {number(spring.stiffness)}{damped}{slack}"
    through = "".join(f" – {body}" for body, _ in spring.via)
    return f"spring {spring.name}: {spring.a}{through} – {spring.b}, {number(spring.stiffness)} N/m{slack}"


def counts(m: Mechanism) -> str:
    """How many of everything there are."""
    told = f"{counted(len(m.bodies), 'body')}, {counted(m.nq, 'coordinate')}, {counted(m.nv, 'speed')}"
    if m.equations:
        told += f", {counted(m.equations, 'constraint equation')}"
    return told


def remarks(m: Mechanism) -> list[str]:
    """What stands below the tables, a line each."""
    lines = [f"... and {len(m.joints) - SHOWN} more joints", ""] if len(m.joints) > SHOWN else [""]
    lines.append(f"gravity {vector(m.gravity)} m/s²")
    if m.parameters:
        lines.append("parameters: " + ", ".join(f"{name} = {float(x):.6g}" for name, x in m.parameters.items()))
    lines += [f"loop {x.name}: {x.type}, {x.a} – {x.b}" for x in m.loops]
    lines += [spring_words(x) for x in m.springs]
    for constraint in m.constraints:
        lines.append(f"constraint {constraint.name}: {constraint_words(constraint)}")
    lines += [f"event {x.name} {event_words(x)}" for x in m.events]
    if m.frames:
        names = [f.name for f in m.frames]
        lines.append("frames: " + ", ".join(names[:SHOWN]) + (" ..." if len(names) > SHOWN else ""))
    if m.poses:
        lines.append("poses: " + ", ".join(m.poses))
    return lines + [f"note: {n}" for n in m.notes]


def table(m: Mechanism) -> str:
    """Joints and bodies in columns, then loops, frames, poses and what a reader left out."""
    lines = [f"{m.name}: {counts(m)}"]
    if m.equations:  # to find which of them are independent takes the mechanism compiled, and its loops closed
        lines.append(
            f"Grübler's formula: {m.gruebler} degrees of freedom, if all equations are independent (see lagrangian.mobility)"
        )
    if m.description:
        lines.append(m.description)
    if m.source:
        lines.append(f"source: {m.source}")
    lines.append("")
    if m.joints:
        lines += [*_grid(joint_rows(m)), "", *_grid(body_rows(m))]
    return "\n".join([*lines, *remarks(m)])
