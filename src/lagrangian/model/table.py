"""The table a roboticist expects of a mechanism."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from lagrangian.model import vector as v
from lagrangian.model.expression import Expression

if TYPE_CHECKING:
    from lagrangian.model.mechanism import Mechanism

_SHOWN = 40


def _number(x: Any) -> str:
    return str(x) if isinstance(x, Expression) else f"{float(x):.5g}"


def _vector(x: v.Vector) -> str:
    return "(" + ", ".join(_number(c) for c in x) + ")"


def _axis(x: v.Vector) -> str:
    for name, axis in (("x", v.X), ("y", v.Y), ("z", v.Z)):
        if tuple(x) == axis:
            return name
        if tuple(x) == v.neg(axis):
            return "-" + name
    return _vector(x)


def table(m: Mechanism) -> str:
    """Joints and bodies in columns, then loops, frames, poses and what a reader left out."""
    rows = [("", "joint", "type", "axis", "parent", "child", "mass [kg]", "centre [m]", "Ixx, Iyy, Izz [kg m²]", "limits")]
    bodies = {b.name: b for b in m.bodies}
    for i, joint in enumerate(m.joints[:_SHOWN]):
        body = bodies[joint.child]
        low, high = joint.limits.lower, joint.limits.upper
        limits = "" if math.isinf(low) and math.isinf(high) else f"{low:.4g} .. {high:.4g}"
        axis = _axis(joint.axis) if joint.kind.needs_axis else ""
        inertia = _vector((body.inertia[0], body.inertia[3], body.inertia[5]))
        rows.append(
            (
                str(i + 1),
                joint.name,
                joint.type,
                axis,
                joint.parent,
                body.name,
                _number(body.mass),
                _vector(body.center),
                inertia,
                limits,
            )
        )
    widths = [max(len(r[k]) for r in rows) for k in range(len(rows[0]))]
    lines = ["  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows]
    lines.insert(1, "  ".join("─" * w for w in widths))
    head = [f"{m.name}: {len(m.bodies)} bodies, {m.nq} coordinates, {m.nv} speeds"]
    if m.equations:
        head[0] += f", {m.equations} constraint equations, mobility {m.mobility} (Gruebler)"
    if m.description:
        head.append(m.description)
    if m.source:
        head.append(f"source: {m.source}")
    if len(m.joints) > _SHOWN:
        lines.append(f"... and {len(m.joints) - _SHOWN} more joints")
    lines.append(f"gravity {_vector(m.gravity)} m/s²")
    lines += [f"loop {x.name}: {x.type}, {x.a} – {x.b}" for x in m.loops]
    lines += [f"spring {x.name}: {x.a} – {x.b}, {_number(x.stiffness)} N/m" for x in m.springs]
    lines += [
        f"constraint {x.name}: " + " + ".join(f"({_number(c)}) {n}'" for n, c in x.coefficients) + " + " + _number(x.phi) + " = 0"
        for x in m.constraints
    ]
    if m.frames:
        names = [f.name for f in m.frames]
        lines.append("frames: " + ", ".join(names[:_SHOWN]) + (" ..." if len(names) > _SHOWN else ""))
    if m.poses:
        lines.append("poses: " + ", ".join(m.poses))
    lines += [f"note: {n}" for n in m.notes]
    return "\n".join([*head, "", *lines])
