"""The same mechanism with some of its joints as chains of simpler ones, and bodies without mass between them.

The parts of a joint are called as its coordinates are, `wrist.1` and `wrist.2`, so that coordinates keep their names.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lagrangian.model import vector as v
from lagrangian.model.body import Body
from lagrangian.model.joint import Friction, Joint, JointSpring, Limits, Rotor
from lagrangian.model.joints.free import SLIDES
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.placement import Placement


@dataclass(frozen=True)
class Link:
    """One of the joints that stand for another: its name, its type, its axis, and whether friction and so on sit at it."""

    name: str
    type: str
    axis: v.Vector | None = None
    bare: bool = False


def split(m: Mechanism, parts: Callable[[Joint], Sequence[Link]]) -> Mechanism:
    """Every joint for which `parts` gives any is replaced by them."""
    bodies = {body.name: body for body in m.bodies}
    joints: list[Joint] = []
    for joint in m.joints:
        chain = parts(joint)
        if not chain:
            joints.append(joint)
            continue
        between = [_free(f"{link.name}.link", bodies) for link in chain[:-1]]
        bodies |= {name: Body(name) for name in between}
        ends = [joint.parent, *between, joint.child]
        for k, link in enumerate(chain):
            bare: dict[str, Any] = (
                {"friction": Friction(), "rotor": Rotor(), "spring": JointSpring(), "limits": Limits()} if link.bare else {}
            )
            joints.append(
                replace(
                    joint,
                    name=link.name,
                    type=link.type,
                    parent=ends[k],
                    child=ends[k + 1],
                    placement=joint.placement if k == 0 else Placement(),
                    child_placement=joint.child_placement if k == len(chain) - 1 else Placement(),
                    own=() if link.axis is None else (("axis", link.axis),),
                    **bare,
                )
            )
    return m.replace(bodies=tuple(bodies.values()), joints=tuple(joints))


def steps(joint: Joint) -> list[Link]:
    """The steps of a joint that consists of several of one coordinate; none of any other."""
    found = joint.kind.steps(joint)
    if len(found) < 2:
        return []
    return [Link(f"{joint.name}.{step.label}", step.kind.name, step.axis) for step in found]


def slides_and_ball(joint: Joint) -> list[Link]:
    """A free joint as three slides, along the axes of its parent, and a ball joint."""
    return [*(Link(f"{joint.name}.{x.label}", "prismatic", x.axis, bare=True) for x in SLIDES), Link(joint.name, "ball")]


def angles(joint: Joint) -> list[Link]:
    """A ball joint as turns about the moving z, y and x."""
    turns = [step for step in joint.kind.single_steps(joint) if step.kind.turns]
    return [Link(f"{joint.name}.{step.label}", "revolute", step.axis, bare=True) for step in turns]


def advancing(joint: Joint) -> list[Link]:
    """A screw as a turn, which is the joint's coordinate, and a slide that has to follow it."""
    return [Link(joint.name, "revolute", joint.axis), Link(f"{joint.name}.advance", "prismatic", joint.axis, bare=True)]


def _free(name: str, taken: dict[str, Body]) -> str:
    while name in taken:
        name += "_"
    return name
