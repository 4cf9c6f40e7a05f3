"""A joint as URDF has it, where joints are at the frames of the links they move."""

from __future__ import annotations

import math

from lagrangian.description.urdf.write_link import origin
from lagrangian.description.writing import at_joint
from lagrangian.description.writing.tags import Tag
from lagrangian.description.writing.written import Remarks
from lagrangian.model.joint import Joint, JointSpring, Rotor

_TYPES = {"revolute": "revolute", "continuous": "continuous", "prismatic": "prismatic", "free": "floating", "planar": "planar"}


def joint(given: Joint, name: str, parent: str, child: str, remarks: Remarks) -> Tag:
    """A joint whose child frame is its own."""
    kind = _TYPES.get(given.type, "fixed")
    if kind in ("revolute", "continuous"):
        kind = "revolute" if at_joint.limited(given) else "continuous"
    made = Tag("joint", name=name, type=kind)
    made.add(*origin(given.placement @ given.child_placement.inverse()))
    made.add(Tag("parent", link=parent), Tag("child", link=child))
    if kind == "fixed":
        return made
    if given.axes:
        made.add(Tag("axis", xyz=tuple(given.axis)))
    viscous, dry = at_joint.friction(given, remarks)
    if viscous or dry:
        made.add(Tag("dynamics", damping=viscous, friction=dry))
    _left_out(given, kind, remarks)
    return made.add(*_limit(given, kind))


def _left_out(given: Joint, kind: str, remarks: Remarks) -> None:
    if given.rotor != Rotor() and float(given.rotor.inertia):
        remarks.add("joint", "{has} a rotor, whose inertia is left out because URDF has no rotors", given.name, warn=True)
    if given.spring != JointSpring() and float(given.spring.stiffness):
        remarks.add("joint", "{has} a spring, which is left out because URDF has no springs", given.name, warn=True)
    if kind == "planar" and at_joint.limited(given):
        remarks.add(
            "planar joint", "{has} limits of position, which are left out because planar joints of URDF have none", given.name
        )
    if not given.actuated and kind != "floating":
        remarks.add("joint", "{has} no motor, which URDF cannot express", given.name)


def _limit(given: Joint, kind: str) -> list[Tag]:
    limits = given.limits
    bounds = {"effort": at_joint.bound(limits.effort), "velocity": at_joint.bound(limits.speed)}
    if kind in ("revolute", "prismatic"):
        return [Tag("limit", lower=at_joint.bound(limits.lower), upper=at_joint.bound(limits.upper), **bounds)]
    return [Tag("limit", **bounds)] if math.isfinite(min(limits.effort, limits.speed)) else []
