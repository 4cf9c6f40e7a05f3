"""A joint of SDF: where it is in its parent, its axes, and what sits at them."""

from __future__ import annotations

import math

import numpy as np

from lagrangian.description.sdf.write_link import pose, value
from lagrangian.description.writing import at_joint
from lagrangian.description.writing.tags import Tag
from lagrangian.description.writing.written import Remarks
from lagrangian.model import vector as v
from lagrangian.model.joint import Joint
from lagrangian.model.loop import LoopJoint

TYPES = {
    "revolute": "revolute",
    "continuous": "continuous",
    "prismatic": "prismatic",
    "fixed": "fixed",
    "ball": "ball",
    "helical": "screw",
    "universal": "universal",
}
LOOPS = ("revolute", "prismatic", "ball", "fixed", "universal")
MODEL = "__model__"


def joint(given: Joint, name: str, parent: str, child: str, remarks: Remarks) -> Tag:
    """`parent` is a link, or "world"."""
    kind = TYPES[given.type]
    made = Tag("joint", pose(given.placement, _in(parent)), name=name, type=kind)
    made.add(value("parent", parent), value("child", child))
    if kind == "fixed":
        return made
    if kind == "screw":
        made.add(value("screw_thread_pitch", 2 * math.pi * float(given.pitch)))
    axes = given.axes or ((0.0, 0.0, 1.0),)
    sitting = _sitting(given, remarks)
    for tag, axis in zip(("axis", "axis2"), axes, strict=False):
        made.add(Tag(tag, [value("xyz", tuple(axis)), *sitting]))
    if float(given.rotor.inertia):
        if kind == "ball":
            remarks.add(
                "ball joint", "{has} a rotor, which is left out because ball joints of SDF have none", given.name, warn=True
            )
            return made
        made.add(value("drake:rotor_inertia", given.rotor.inertia), value("drake:gear_ratio", given.rotor.ratio))
        remarks.add("joint", "{has} a rotor, which is written by an extension of SDF that only Drake reads", given.name)
    return made


def _sitting(given: Joint, remarks: Remarks) -> list[Tag]:
    """Limits and dynamics of each axis."""
    limits, found = given.limits, []
    bounds = {"lower": limits.lower, "upper": limits.upper, "effort": limits.effort, "velocity": limits.speed}
    if not given.actuated and not float(given.rotor.inertia):
        bounds["effort"] = 0.0  # by which SDF means that there is no motor
    elif not given.actuated:
        remarks.add("joint", "{has} a rotor but no motor, which SDF cannot express", given.name)
    limit = [value(key, x) for key, x in bounds.items() if math.isfinite(x)]
    found += [Tag("limit", limit)] if limit else []
    viscous, dry = at_joint.friction(given, remarks)
    dynamics = [value("damping", viscous)] if viscous else []
    dynamics += [value("friction", dry)] if dry else []
    if float(given.spring.stiffness):
        if given.kind.quaternion:
            remarks.add(
                "ball joint", "{has} a spring, which is left out because ball joints of SDF have none", given.name, warn=True
            )
        else:
            dynamics += [value("spring_reference", given.spring.rest), value("spring_stiffness", given.spring.stiffness)]
    return [*found, Tag("dynamics", dynamics)] if dynamics else found


def loop(given: LoopJoint, kind: str, name: str, a: str, b: str, relative: np.ndarray) -> Tag:
    """A joint that closes a loop; `relative` turns the frame on b to that on a, as the file is written."""
    made = Tag("joint", pose(given.a_placement, _in(a)), name=name, type=kind)
    made.add(value("parent", a), value("child", b))
    axes: list[v.Vector] = [given.axis] if kind in ("revolute", "prismatic", "universal") else []
    if kind == "universal":
        axes.append(tuple((relative @ np.array(given.axis2, dtype=float)).tolist()))
    # that there is nothing to drive it is said by its effort
    return made.add(*(Tag(tag, [value("xyz", tuple(x))]) for tag, x in zip(("axis", "axis2"), axes, strict=False)))


def _in(link: str) -> str:
    return MODEL if link == "world" else link
