"""A mechanism as a table, as it prints: its joints and bodies in rows, and a line for each other part."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from lagrangian.model import vector as v
from lagrangian.model.constraint import (
    Constraint,
    HolonomicConstraint,
    KnifeEdgeConstraint,
    PfaffianConstraint,
    RollingConstraint,
)
from lagrangian.model.event import describe_event
from lagrangian.model.expression import Expression, free_symbols
from lagrangian.model.spring import CoordinateSpring, GravityCompensation, Spring, Wall

if TYPE_CHECKING:
    from lagrangian.model.mechanism import Mechanism

MAX_ROWS = 20  # joints, bodies and names that are listed
_MAX_EXPRESSION_LENGTH = 24  # of an expression that is shown as it is written


def mechanism_table(m: Mechanism) -> str:
    """Joints and bodies in columns, then loops, frames, poses and what a reader left out."""
    lines = [f"{m.name}: {size_summary(m)}"]
    if m.equation_count:  # to find which of them are independent takes the mechanism compiled, and its loops closed
        lines.append(
            f"Grübler's formula: {m.gruebler} degrees of freedom, if all equations are independent (see lagrangian.mobility)"
        )
    if m.description:
        lines.append(m.description)
    if m.source:
        lines.append(f"source: {m.source}")
    lines.append("")
    if m.joints:
        lines += [*_format_columns(joint_rows(m)), "", *_format_columns(body_rows(m))]
    return "\n".join([*lines, *remark_lines(m)])


def size_summary(m: Mechanism) -> str:
    """The numbers of bodies, coordinates, speeds and constraint equations, as text."""
    summary = f"{pluralise(len(m.bodies), 'body')}, {pluralise(m.nq, 'coordinate')}, {pluralise(m.nv, 'speed')}"
    if m.equation_count:
        summary += f", {pluralise(m.equation_count, 'constraint equation')}"
    return summary


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
    for i, joint in enumerate(m.joints[:MAX_ROWS]):
        low, high, friction = joint.limits.lower, joint.limits.upper, joint.friction
        two_sided = friction.coulomb_negative != friction.coulomb
        coulomb = (
            f"+{format_number(friction.coulomb)} -{format_number(friction.coulomb_negative)}"
            if two_sided
            else format_nonzero(friction.coulomb)
        )
        if (static := friction.breakaway) != (friction.coulomb, friction.coulomb_negative):
            static_text = (
                format_number(static[0]) if static[0] == static[1] else f"+{format_number(static[0])} -{format_number(static[1])}"
            )
            coulomb = f"{coulomb or 0}, static {static_text}"
        axis = ", ".join([*map(axis_name, joint.axes), *joint.kind.table_notes(joint)])
        limits = "" if math.isinf(low) and math.isinf(high) else f"{low:.4g} .. {high:.4g}"
        position = "" if joint.placement.position == v.ZERO else format_vector(joint.placement.position)
        rotation = format_roll_pitch_yaw(joint.placement.rotation)
        drive = (
            format_nonzero(joint.rotor.reflected_inertia),
            format_nonzero(friction.viscous),
            coulomb,
            format_nonzero(joint.spring.stiffness),
        )
        rows.append((str(i + 1), joint.name, joint.type, axis, joint.parent, joint.child, position, rotation, limits, *drive))
    return _drop_empty_columns(rows)


def body_rows(m: Mechanism) -> list[tuple[str, ...]]:
    """A header, then a row for each of the first bodies."""
    rows: list[tuple[str, ...]] = [("body", "mass [kg]", "centre [m]", "Ixx, Iyy, Izz [kg m²]", "Ixy, Ixz, Iyz [kg m²]")]
    for body in m.bodies[:MAX_ROWS]:
        xx, xy, xz, yy, yz, zz = body.inertia
        products = "" if all(float(x) == 0 for x in (xy, xz, yz)) else format_vector((xy, xz, yz))
        rows.append((body.name, format_number(body.mass), format_vector(body.center), format_vector((xx, yy, zz)), products))
    return _drop_empty_columns(rows)


def remark_lines(m: Mechanism) -> list[str]:
    """What stands below the tables, a line each."""
    lines = [f"... and {len(m.joints) - MAX_ROWS} more joints", ""] if len(m.joints) > MAX_ROWS else [""]
    lines.append(f"gravity {format_vector(m.gravity)} m/s²")
    if m.parameters:
        lines.append("parameters: " + ", ".join(f"{name} = {float(x):.6g}" for name, x in m.parameters.items()))
    lines += [f"loop {x.name}: {x.type}, {x.a} – {x.b}" for x in m.loops]
    lines += [describe_spring(x) for x in m.springs]
    for constraint in m.constraints:
        lines.append(f"constraint {constraint.name}: {describe_constraint(constraint)}")
    lines += [f"event {x.name} {describe_event(x)}" for x in m.events]
    if m.frames:
        names = [f.name for f in m.frames]
        lines.append("frames: " + ", ".join(names[:MAX_ROWS]) + (" ..." if len(names) > MAX_ROWS else ""))
    if m.poses:
        lines.append("poses: " + ", ".join(m.poses))
    return lines + [f"note: {n}" for n in m.notes]


def describe_constraint(constraint: Constraint) -> str:
    """The equation of a constraint, or what it requires, in one line."""
    match constraint:
        case PfaffianConstraint():
            terms = " + ".join(f"({format_number(c)}) {name}'" for name, c in constraint.coefficients)
            return f"{terms} + {format_number(constraint.phi)} = 0"
        case HolonomicConstraint():
            return f"{constraint.equation} = 0"
        case KnifeEdgeConstraint():
            return f"knife edge of {constraint.body}, no motion along {format_vector(constraint.direction)}"
        case RollingConstraint():
            shape = "sphere" if constraint.axis is None else "disc"
            return f"{shape} of {constraint.body}, radius {format_number(constraint.radius)} m, rolls on {constraint.on}"
    return f"{pluralise(constraint.equation_count, 'equation')} of a Python function"


def describe_spring(spring: Spring) -> str:
    """A spring, a wall or a gravity compensation: where it is, and how stiff."""
    if isinstance(spring, Wall):
        plane = f"through {format_vector(spring.position)}, normal {axis_name(spring.normal)}"
        return f"wall {spring.name}: stops {spring.body} on {spring.on}, {plane}, {format_number(spring.stiffness)} N/m"
    if isinstance(spring, GravityCompensation):
        return f"gravity compensation {spring.name}: carries {format_number(spring.factor)} of the weight of {spring.body}"
    damped = f", damping {format_number(spring.damping)}" if float(spring.damping) else ""
    slack = f", slack over {format_number(spring.slack)}" if float(spring.slack) else ""
    if isinstance(spring, CoordinateSpring):
        return f"spring {spring.name}: of {spring.length}, stiffness {format_number(spring.stiffness)}{damped}{slack}"
    through = "".join(f" – {body}" for body, _ in spring.via)
    return f"spring {spring.name}: {spring.a}{through} – {spring.b}, {format_number(spring.stiffness)} N/m{slack}"


def pluralise(n: int, noun: str) -> str:
    """A number with its noun, in the plural unless there is one."""
    return f"{n} {noun}" if n == 1 else f"{n} {'bodies' if noun == 'body' else noun + 's'}"


def format_number(x: Any) -> str:
    """A number, or an expression as it is written, if it is short or has no value."""
    if isinstance(x, Expression):
        text = str(x)
        return text if len(text) <= _MAX_EXPRESSION_LENGTH or free_symbols(x) else f"{float(x):.4g}"
    return f"{float(x):.5g}"


def format_nonzero(x: Any) -> str:
    """The number as text; "" for zero."""
    return "" if float(x) == 0 else format_number(x)


def format_vector(x: v.Vector) -> str:
    return "(" + ", ".join(format_number(c) for c in x) + ")"


def format_roll_pitch_yaw(R: v.Matrix) -> str:
    """Roll, pitch and yaw of a rotation, '' if it is none."""
    if R == v.IDENTITY:
        return ""
    r = [[float(x) for x in row] for row in R]
    pitch = math.asin(max(-1.0, min(1.0, -r[2][0])))
    if abs(r[2][0]) < 1 - 1e-12:
        roll, yaw = math.atan2(r[2][1], r[2][2]), math.atan2(r[1][0], r[0][0])
    else:  # roll and yaw turn about the same axis: all of it is given to yaw
        roll, yaw = 0.0, math.atan2(-r[0][1], r[1][1])
    return format_vector((roll + 0.0, pitch + 0.0, yaw + 0.0))


def axis_name(x: v.Vector) -> str:
    """One of the frame's axes by its letter, another as a vector."""
    for name, axis in (("x", v.X), ("y", v.Y), ("z", v.Z)):
        if tuple(x) == axis:
            return name
        if tuple(x) == v.neg(axis):
            return "-" + name
    return format_vector(x)


def _drop_empty_columns(rows: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """The rows without the columns that are empty below the header."""
    columns = [k for k in range(len(rows[0])) if any(row[k] for row in rows[1:])]
    return [tuple(row[k] for k in columns) for row in rows]


def _format_columns(rows: list[tuple[str, ...]]) -> list[str]:
    """Rows under a header, in columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows]
    lines.insert(1, "  ".join("─" * w for w in widths))
    return lines
