"""Bodies, joints, loops, constraints, springs, walls and frames as the entries of their TOML tables.

An entry that has its default is left out, and so is one that the type of a joint gives no meaning to.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lagrangian.description.toml import text
from lagrangian.description.toml.write_scalars import Scalars
from lagrangian.errors import ArgumentError
from lagrangian.model import vector as v
from lagrangian.model.body import Body
from lagrangian.model.constraint import Constraint, Holonomic, KnifeEdge, Pfaffian, Rolling
from lagrangian.model.entries import Kind
from lagrangian.model.joint import Friction, Joint, JointSpring, Limits, Rotor
from lagrangian.model.loop import Frame, LoopJoint, Wall
from lagrangian.model.shapes import Visual
from lagrangian.model.spring import CoordinateSpring, GravityCompensation, PointSpring

Entries = dict[str, str]


def body(s: Scalars, given: Body) -> Entries:
    found = {"name": text.string(given.name), "mass": s.number(given.mass)}
    if given.center != v.ZERO:
        found["center"] = s.numbers(given.center)
    xx, xy, xz, yy, yz, zz = given.inertia
    if any(x != 0 for x in (xy, xz, yz)):
        six = {"xx": xx, "yy": yy, "zz": zz, "xy": xy, "xz": xz, "yz": yz}
        found["inertia"] = text.inline({k: s.number(x) for k, x in six.items()})
    elif any(x != 0 for x in (xx, yy, zz)):
        found["inertia"] = s.numbers((xx, yy, zz))
    if given.effective:
        found["effective"] = "true"
    if given.visuals:
        found["visuals"] = "[\n" + "".join(f"    {text.inline(_visual(s, x))},\n" for x in given.visuals) + "]"
    return found


def _visual(s: Scalars, given: Visual) -> Entries:
    found = {"shape": text.string(given.kind)}
    if given.size:
        found["size"] = s.numbers(given.size)
    if given.color:
        found["color"] = s.numbers(given.color)
    if given.file:
        found["file"] = text.string(given.file)
    return found | s.placement(given.placement)


def joint(s: Scalars, given: Joint) -> Entries:
    found = {k: text.string(x) for k, x in zip(("name", "type", "parent", "child"), _called(given), strict=True)}
    found |= s.placement(given.placement) | s.placement(given.child_placement, "child_")
    found |= _own(s, given)
    if not given.actuated and "actuated" not in given.kind.refuses:
        found["actuated"] = "false"
    if given.friction != Friction():
        found["friction"] = text.inline(_friction(s, given.friction))
    if given.rotor != Rotor():
        found["rotor"] = _table(s, given.rotor, Rotor(), "inertia", "ratio")
    if given.spring != JointSpring():
        found["spring"] = text.inline({"stiffness": s.number(given.spring.stiffness), "rest": s.number(given.spring.rest)})
    if given.limits != Limits():
        found["limits"] = _table(s, given.limits, Limits(), "lower", "upper", "speed", "effort")
    return found


def _called(given: Joint) -> tuple[str, ...]:
    return (given.name, given.type, given.parent, given.child)


def _friction(s: Scalars, given: Friction) -> Entries:
    found = {"viscous": s.number(given.viscous)} if given.viscous != 0 else {}
    if given.coulomb != 0:
        found["coulomb"] = s.number(given.coulomb)
    if given.coulomb_negative is not None and given.coulomb_negative != given.coulomb:
        found["coulomb_negative"] = s.number(given.coulomb_negative)
    for name in ("static", "static_negative"):
        if getattr(given, name) is not None:
            found[name] = s.number(getattr(given, name))
    return found


def _table(s: Scalars, given: Any, default: Any, *names: str) -> str:
    """Those of the entries that are not the default."""
    return text.inline({k: s.number(getattr(given, k)) for k in names if getattr(given, k) != getattr(default, k)})


def loop(s: Scalars, given: LoopJoint) -> Entries:
    found = {k: text.string(getattr(given, k)) for k in ("name", "type", "a", "b")}
    found |= s.placement(given.a_placement, "a_") | s.placement(given.b_placement, "b_")
    return found | _own(s, given)


def _own(s: Scalars, given: Joint | LoopJoint) -> Entries:
    """The entries of its type."""
    written: dict[Kind, Callable[[Any], str]] = {
        Kind.AXIS: s.axis,
        Kind.NUMBER: s.number,
        Kind.FUNCTION: s.number,
        Kind.DIRECTIONS: lambda names: text.array(text.string(x) for x in names),
    }
    return {entry.name: written[entry.kind](getattr(given, entry.name)) for entry in given.kind.entries}


def constraint(s: Scalars, given: Constraint) -> Entries:
    found = {"name": text.string(given.name)}
    match given:
        case Holonomic():
            found |= {"type": '"equation"', "equation": s.number(given.equation)}
            return found | ({"unilateral": "true"} if given.unilateral else {})
        case Pfaffian():
            coefficients = text.inline({speed: s.number(x) for speed, x in given.coefficients})
            return found | {"type": '"pfaffian"', "coefficients": coefficients, "phi": s.number(given.phi)}
        case KnifeEdge():
            found |= {"type": '"knife_edge"', "body": text.string(given.body), "direction": s.axis(given.direction)}
            return found | _points(s, given, "point")
        case Rolling():
            found |= {"type": '"rolling"', "body": text.string(given.body), "radius": s.number(given.radius)}
            if given.axis is not None:
                found["axis"] = s.axis(given.axis)
            found |= {"on": text.string(given.on), "normal": s.axis(given.normal)}
            found |= {} if given.unilateral else {"unilateral": "false"}
            return found | _points(s, given, "center", "point")
    raise ArgumentError(
        f"constraint {given.name!r}: a file cannot hold a Python function; use a Pfaffian or a Holonomic constraint"
    )


def spring(s: Scalars, given: PointSpring | CoordinateSpring) -> Entries:
    found = {"name": text.string(given.name)}
    if isinstance(given, CoordinateSpring):
        found["length"] = s.number(given.length)
    else:
        found |= {"a": text.string(given.a), "b": text.string(given.b)}
        found |= {"a_point": s.numbers(given.a_point), "b_point": s.numbers(given.b_point)}
        if given.via:
            via = ({"body": text.string(body), "point": s.numbers(point)} for body, point in given.via)
            found["via"] = text.array(text.inline(x) for x in via)
    found |= {k: s.number(getattr(given, k)) for k in ("stiffness", "rest", "damping")}
    return found | ({"slack": s.number(given.slack)} if given.slack != 0 else {})


def compensation(s: Scalars, given: GravityCompensation) -> Entries:
    return {"name": text.string(given.name), "body": text.string(given.body), "factor": s.number(given.factor)}


def wall(s: Scalars, given: Wall) -> Entries:
    found = {"name": text.string(given.name), "body": text.string(given.body)} | _points(s, given, "point")
    found |= {"on": text.string(given.on), "position": s.numbers(given.position), "normal": s.axis(given.normal)}
    return found | {k: s.number(getattr(given, k)) for k in ("stiffness", "damping")}


def frame(s: Scalars, given: Frame) -> Entries:
    return {"name": text.string(given.name), "body": text.string(given.body)} | s.placement(given.placement)


def _points(s: Scalars, given: Any, *names: str) -> Entries:
    return {k: s.numbers(getattr(given, k)) for k in names if getattr(given, k) != v.ZERO}
