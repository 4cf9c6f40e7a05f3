"""Loops in a URDF, by the elements of URDF+ (Chignoli, Slotine, Wensing and Kim 2024): <loop> and <coupling>.

A <loop> joins a frame on its predecessor to one on its successor. A <coupling> has a ratio. From the nearest common ancestor of
its two links, the sum of the coordinates to the successor is the ratio times the sum of those to the predecessor.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lagrangian.description.urdf.joint import read_link_name
from lagrangian.description.urdf.origin import read_origin
from lagrangian.description.xml import Element, number_attribute, number_attributes, text_attribute
from lagrangian.errors import error_location, unknown_name_message
from lagrangian.model import loops as loop_types
from lagrangian.model.constraint import HolonomicConstraint
from lagrangian.model.expression import Scalar, symbol
from lagrangian.model.joint import Joint
from lagrangian.model.loop import LoopJoint

_TYPES = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "cylindrical": "cylindrical",
    "planar": "planar",
    "spherical": "ball",
    "ball": "ball",
    "fixed": "fixed",
}


def read_loop_joints(root: Element, bodies: Mapping[str, str]) -> tuple[LoopJoint, ...]:
    """The loop joints between the bodies of links."""
    return tuple(_read_loop(element, bodies) for element in root.find_all("loop"))


def read_couplings(root: Element, bodies: Mapping[str, str], tree: list[Joint]) -> tuple[HolonomicConstraint, ...]:
    """The equations of coordinates of all <coupling> elements."""
    joint_by_child = {joint.child: joint for joint in tree}
    return tuple(_read_coupling(element, bodies, joint_by_child) for element in root.find_all("coupling"))


def _read_loop(element: Element, bodies: Mapping[str, str]) -> LoopJoint:
    kind = text_attribute(element, "type")
    if kind not in _TYPES:
        raise element.error(f"type: {unknown_name_message('loop type', kind, _TYPES)}")
    a, b = _link_names(element, bodies)
    placements = [
        read_origin(end_element) for role in ("predecessor", "successor") if (end_element := element.find(role)) is not None
    ]
    type_entries: dict[str, Any] = {}
    if any(entry.name == "axis" for entry in loop_types.TYPES[_TYPES[kind]].entries):
        axis_element = element.find("axis")
        type_entries["axis"] = (1.0, 0.0, 0.0) if axis_element is None else number_attributes(axis_element, "xyz", 3)
    with error_location(*element.where):
        return LoopJoint(text_attribute(element, "name"), _TYPES[kind], bodies[a], bodies[b], *placements, **type_entries)


def _link_names(element: Element, bodies: Mapping[str, str]) -> tuple[str, str]:
    return read_link_name(element, "predecessor", bodies), read_link_name(element, "successor", bodies)


def _read_coupling(element: Element, bodies: Mapping[str, str], joint_by_child: Mapping[str, Joint]) -> HolonomicConstraint:
    ratio_element = element.find("ratio")
    if ratio_element is None:
        raise element.error('has no ratio; it needs <ratio value="..."/>')
    ratio = number_attribute(ratio_element, "value")
    predecessor_path, successor_path = (_path_to_ground(bodies[link], joint_by_child) for link in _link_names(element, bodies))
    common_joints = {joint.name for joint in predecessor_path} & {joint.name for joint in successor_path}
    sides = [
        [joint for joint in path if joint.name not in common_joints and joint.kind.nv]
        for path in (predecessor_path, successor_path)
    ]
    if not all(sides):
        raise element.error(
            "needs a joint on each side, but no joint moves one of its links relative to their nearest common ancestor"
        )
    for joint in (*sides[0], *sides[1]):
        if joint.kind.nq != 1:
            raise element.error(f"joint {joint.name!r} between its links does not have exactly one coordinate")
    with error_location(*element.where):
        return HolonomicConstraint(
            text_attribute(element, "name"), ratio * _sum_of_coordinates(sides[0]) - _sum_of_coordinates(sides[1])
        )


def _path_to_ground(body: str, joint_by_child: Mapping[str, Joint]) -> list[Joint]:
    """The joints from a body to the ground."""
    path = []
    while body in joint_by_child:
        path.append(joint_by_child[body])
        body = joint_by_child[body].parent
    return path


def _sum_of_coordinates(joints: list[Joint]) -> Scalar:
    total: Scalar = symbol(joints[0].name)
    for joint in joints[1:]:
        total = total + symbol(joint.name)
    return total
