"""Joints of an SDF that follow others: by <mimic>, or by a gearbox."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from lagrangian.description.notes import ReaderNotes
from lagrangian.description.schema import IGNORED
from lagrangian.description.sdf.frames import FrameGraph, FrameNode, body_name
from lagrangian.description.sdf.joint import JointEdge, axis_in_world, joined_links, mimic_elements
from lagrangian.description.sdf.values import child_number, child_text
from lagrangian.description.xml import Element, number_attribute, text_attribute
from lagrangian.errors import error_location, unknown_name_message
from lagrangian.model import vector as v
from lagrangian.model.constraint import HolonomicConstraint
from lagrangian.model.expression import Scalar, free_symbols, symbol
from lagrangian.model.joint import Joint


def coupled_joints(nodes: Iterable[FrameNode], equations: Iterable[HolonomicConstraint]) -> set[str]:
    """The joints whose coordinates equations need: followers, their leaders, and joints that gearboxes couple."""
    names = {name for equation in equations for name in free_symbols(equation.equation)}
    for node in nodes:
        for element, _ in mimic_elements(node.element):
            leader = node.scope.find(element.attributes.get("joint", ""), "joint") if node.scope is not None else None
            paths = (node.path, *(() if leader is None else (leader.path,)))
            names |= {f"{path}{part}" for path in paths for part in ("", "::1", "::2")}
    return names


def mimic_constraints(
    nodes: Iterable[FrameNode], joints: Mapping[str, Joint], reversed_joints: Collection[str], notes: ReaderNotes
) -> list[tuple[str, HolonomicConstraint]]:
    """The coordinate of every axis that mimics another, with follower = multiplier * (leader - reference) + offset.

    `reversed_joints` are the joints that the tree has from their child to their parent.
    """
    couplings = []
    for node in nodes:
        for element, tag in mimic_elements(node.element):
            follower = _axis_coordinate(node.path, tag, joints, reversed_joints)
            scope = node.scope
            assert scope is not None
            name = text_attribute(element, "joint")
            leader = scope.find(name, "joint")
            leader_axis = text_attribute(element, "axis", "axis")
            if leader is None or leader.kind != "joint":
                joint_names = [x.name for x in scope.nodes("joint") if x is not node]
                raise element.error(f"joint: {unknown_name_message('joint', name, joint_names)}")
            leader_coordinate = _axis_coordinate(leader.path, leader_axis, joints, reversed_joints)
            if follower is None or leader_coordinate is None or follower == leader_coordinate:
                meaning = f"{IGNORED}: both joints must have one coordinate and be in the tree"
                notes.add("<mimic> joint", meaning, node.path, warn=True)
                continue
            multiplier, offset, reference = _read_mimic(element)
            with error_location(*element.where):
                name = f"{follower}_mimic"
                equation = symbol(follower) - multiplier * (symbol(leader_coordinate) - reference) - offset
                couplings.append((follower, HolonomicConstraint(name, equation)))
    return couplings


def _read_mimic(element: Element) -> tuple[float, float, float]:
    if element.tag == "drake:mimic":
        return number_attribute(element, "multiplier", 1.0), number_attribute(element, "offset", 0.0), 0.0
    return child_number(element, "multiplier", 1.0), child_number(element, "offset", 0.0), child_number(element, "reference", 0.0)


def _axis_coordinate(path: str, tag: str, joints: Mapping[str, Joint], reversed_joints: Collection[str]) -> str | None:
    """The coordinate of a joint about its first or second axis; None if it has no such coordinate."""
    axis_number = "2" if tag == "axis2" else "1"
    if (split_joint := joints.get(f"{path}::{axis_number}")) is not None:
        return split_joint.name
    joint = joints.get(path)
    if joint is None:
        return None
    if joint.kind.nq == 1 and axis_number == "1":
        return joint.name
    if joint.type != "universal":
        return None
    first, second = joint.coordinate_names
    return first if (axis_number == "1") != (path in reversed_joints) else second  # a reversed joint has its second axis first


# -- gearboxes ---------------------------------------------------------------------------------------------------------


def gearbox_constraint(
    node: FrameNode, frames: FrameGraph, edges: Iterable[JointEdge], notes: ReaderNotes
) -> HolonomicConstraint | None:
    """The equation theta2 = -ratio theta1 of a gearbox: angles of its child and its parent against a reference body.

    Both must turn about a joint on that body: a gearbox couples their angles, and does not support them.
    """
    element, scope = node.element, node.scope
    assert scope is not None
    parent, child = joined_links(node, frames, notes)
    reference = body_name(frames.link(scope.resolve(child_text(element, "gearbox_reference_body"), element)))
    edges = list(edges)
    first = _relative_angle(reference, body_name(parent), axis_in_world(node, "axis", frames), edges)
    second = _relative_angle(reference, body_name(child), axis_in_world(node, "axis2", frames), edges)
    if first is None or second is None:
        meaning = f"{IGNORED}: the joints of parent and child must be on the reference body, about the axes of the gearbox"
        notes.add("gearbox", meaning, node.path, warn=True)
        return None
    with error_location(*element.where):
        return HolonomicConstraint(node.path, second + child_number(element, "gearbox_ratio", 1.0) * first)


def _relative_angle(reference: str, body: str, axis: v.Vector, edges: list[JointEdge]) -> Scalar | None:
    """The angle of a body against the reference body about an axis, by the joint between them."""
    for edge in edges:
        if edge.type not in ("revolute", "continuous") or {edge.parent, edge.child} != {reference, body}:
            continue
        world_axis = v.mat_vec(edge.world_placement.rotation, edge.type_entries["axis"])
        cosine = float(v.dot(world_axis, axis)) / (_length(world_axis) * _length(axis))
        if abs(abs(cosine) - 1) < 1e-9:
            sign = round(cosine) * (1 if edge.parent == reference else -1)
            return sign * symbol(edge.name)
    return None


def _length(x: v.Vector) -> float:
    return float(v.dot(x, x)) ** 0.5
