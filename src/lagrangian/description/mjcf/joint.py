"""MuJoCo's joints as ours.

MuJoCo's coordinate of a hinge or slide is `ref` in the pose in which the model is written; ours is 0 where the two joint frames
coincide. The joint's frame in the parent is therefore turned, or shifted, back by `ref`, and the two coordinates are equal.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from lagrangian.description.mjcf.compiler import Compiler, about, as_quaternion
from lagrangian.description.mjcf.schema import check_attributes
from lagrangian.description.notes import Notes
from lagrangian.description.writing.at_joint import read_bound
from lagrangian.description.xml import Element, choice, number, numbers
from lagrangian.errors import placed
from lagrangian.model import vector as v
from lagrangian.model.entries import unit
from lagrangian.model.joint import Friction, Joint, JointSpring, Limits, Rotor
from lagrangian.model.placement import Placement

TYPES = ("hinge", "slide", "ball", "free")
_LIMITED = ("true", "false", "auto")


@dataclass(frozen=True)
class Given:
    """A joint element, its defaults applied, and the frame around it in its body."""

    element: Element
    type: str
    frame: Placement
    compiler: Compiler


def given(element: Element, frame: Placement, compiler: Compiler) -> Given:
    check_attributes(element)
    kind = "free" if element.tag == "freejoint" else choice(element, "type", TYPES, "hinge")
    return Given(element, kind, frame, compiler)


def joint(
    given: Given, name: str, parent: str, child: str, pose: Placement, compiler: Compiler, notes: Notes
) -> tuple[Joint, float]:
    """The joint, and its coordinate in the pose in which the model is written. `pose` is the body's in its parent."""
    element = given.element
    if given.type == "free":
        return _free(given, name, parent, child, compiler, notes), 0.0
    anchor = Placement(position=_point(given.frame, numbers(element, "pos", 3, v.ZERO)))  # type: ignore[arg-type]
    _note_nonlinear(element, name, notes)
    friction, rotor = _friction(element), Rotor(inertia=not_negative(element, "armature"))
    spring = JointSpring(numbers(element, "stiffness", 3, (0.0,), least=1)[0])
    if given.type == "ball":
        _note_ball(element, name, notes)
        with placed(*element.where):
            made = Joint(name, "ball", parent, child, pose @ anchor, anchor, friction=friction, rotor=rotor, spring=spring)
            return made, 0.0
    with placed(*element.where):
        axis = unit(v.mat_vec(given.frame.rotation, numbers(element, "axis", 3, v.Z)), "axis")  # type: ignore[arg-type]
    hinge = given.type == "hinge"
    ref, rest = number(element, "ref", 0.0), number(element, "springref", 0.0)
    if hinge:
        ref, rest = compiler.angle(ref), compiler.angle(rest)
    back = Placement()
    if ref:
        back = Placement(about(axis, -ref)) if hinge else Placement(position=v.scale(-ref, axis))
    limits = _limits(element, hinge, name, compiler, notes)
    unlimited = math.isinf(limits.lower) and math.isinf(limits.upper)
    with placed(*element.where):
        made = Joint(
            name,
            ("continuous" if unlimited else "revolute") if hinge else "prismatic",
            parent,
            child,
            pose @ anchor @ back,
            anchor,
            axis=axis,
            friction=friction,
            rotor=rotor,
            spring=replace(spring, rest=rest),
            limits=limits,
        )
    return made, ref


def _point(frame: Placement, p: v.Vector) -> v.Vector:
    return p if frame.is_identity else v.add(frame.position, v.mat_vec(frame.rotation, p))


def _free(given: Given, name: str, parent: str, child: str, compiler: Compiler, notes: Notes) -> Joint:
    """A free joint's coordinates are the body's pose in the world, whatever pose the body is written with."""
    element = given.element
    align = choice(element, "align", _LIMITED, "auto") if element.tag == "freejoint" else "auto"
    if align == "true" or (align == "auto" and compiler.alignfree):
        notes.add(
            "free joint aligned with the inertia",
            "the coordinates are those of the frame of the body as written in the file",
            name,
        )
    if any(numbers(element, "stiffness", 3, (0.0,), least=1)):
        notes.add("stiffness of a free joint", "ignored", name, warn=True)
    friction = _friction(element)
    if friction.coulomb:
        meaning = "acts on the linear speeds along the axes of the body; in MuJoCo, along those of the world"
        notes.add("frictionloss of a free joint", meaning, name, warn=True)
    _note_nonlinear(element, name, notes)
    with placed(*element.where):
        return Joint(name, "free", parent, child, friction=friction, actuated=False)


def _friction(element: Element) -> Friction:
    damping = numbers(element, "damping", 3, (0.0,), least=1)[0]
    if damping < 0:
        raise element.error(f"damping is {damping:g}; it cannot be negative, or it would drive the joint")
    dry = not_negative(element, "frictionloss")
    return Friction(damping, dry, dry)


def not_negative(element: Element, attribute: str) -> float:
    value = number(element, attribute, 0.0)
    if value < 0:
        raise element.error(f"{attribute} is {value:g}; it cannot be negative")
    return value


def _note_nonlinear(element: Element, name: str, notes: Notes) -> None:
    for attribute in ("damping", "stiffness"):
        if any(numbers(element, attribute, 3, (0.0,), least=1)[1:]):
            notes.add(f"nonlinear {attribute}", "only its linear part is read", name, warn=True)
    if number(element, "springyield", 0.0) > 0:
        notes.add("springyield", "ignored: the spring is linear", name, warn=True)


def _note_ball(element: Element, name: str, notes: Notes) -> None:
    limited = choice(element, "limited", _LIMITED, "auto")
    if limited == "true" or (limited == "auto" and any(numbers(element, "range", 2, (0.0, 0.0), infinite=True))):
        notes.add("range of a ball joint", "ignored", name)


def limited_range(element: Element, attribute: str, limited: str, compiler: Compiler) -> tuple[float, float] | None:
    """A range that holds; None where there is none."""
    low, high = numbers(element, attribute, 2, (0.0, 0.0), infinite=True)
    how = choice(element, limited, _LIMITED, "auto")
    if how == "auto" and not compiler.autolimits and attribute in element.attributes:
        raise element.error(f'has {attribute} but not {limited}; with autolimits="false" it needs {limited}="true"')
    if how == "true" and not low < high:
        raise element.error(f"{attribute} needs two numbers, the first less than the second, got {low:g} {high:g}")
    return (low, high) if how == "true" or (how == "auto" and low < high) else None


def _limits(element: Element, hinge: bool, name: str, compiler: Compiler, notes: Notes) -> Limits:
    span = limited_range(element, "range", "limited", compiler)
    force = limited_range(element, "actuatorfrcrange", "actuatorfrclimited", compiler)
    effort = math.inf
    if force is not None:
        effort = max(abs(force[0]), abs(force[1]))
        if force[0] != -force[1]:
            notes.add("actuatorfrcrange with unequal ends", "the larger one is the limit of effort in both directions", name)
    if span is None:
        return Limits(effort=effort)
    if element.attributes.get("actuatorgravcomp") == "true":
        notes.add("actuatorgravcomp of a joint", "read as a separate force, which actuatorfrcrange does not limit", name)
    if number(element, "margin", 0.0):
        notes.add("margin of a joint", "ignored: limits act exactly where they are reached", name)
    low, high = (compiler.angle(x) for x in span) if hinge else span
    low, high = (read_bound(x) for x in (low, high))
    return Limits(low, high, effort=effort)


def check_group(name: str, joints: list[Given], body: Element, top: bool) -> None:
    """What MuJoCo refuses of the joints of one body."""
    if any(g.type == "free" for g in joints):
        if len(joints) > 1:
            raise body.error(f"has a free joint and {len(joints) - 1} more; a free joint must be the body's only joint")
        if not top:
            raise body.error("has a free joint but is not a child of the worldbody; move it there, or give it other joints")


def pose_numbers(joint: Joint, ref: float, pose: Mapping[str, Placement]) -> tuple[float, ...]:
    """A joint's coordinates in the pose in which the model is written."""
    if joint.kind.quaternion and joint.kind.nq > 4:
        at = pose[joint.child]
        return (*as_quaternion(at.rotation), *(float(x) for x in at.position))
    return (ref,) if joint.kind.nq == 1 else joint.kind.neutral
