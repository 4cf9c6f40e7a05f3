"""Joints that follow others: <mimic>, and gearboxes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from lagrangian.description.notes import Notes
from lagrangian.description.sdf.frames import Frames, Node, body_name
from lagrangian.description.sdf.joint import NOT_CARRIED, Hinge, axis_in_world, ends, followers
from lagrangian.description.sdf.values import number, word
from lagrangian.description.xml import Element, text
from lagrangian.description.xml import number as attribute
from lagrangian.errors import one_of, placed
from lagrangian.model import vector as v
from lagrangian.model.constraint import Holonomic
from lagrangian.model.expression import Scalar, free_symbols, symbol
from lagrangian.model.joint import Joint


def coupled(nodes: Iterable[Node], equations: Iterable[Holonomic]) -> set[str]:
    """The joints whose coordinates equations need: followers and leaders, and those of gearboxes."""
    names = {name for equation in equations for name in free_symbols(equation.equation)}
    for node in nodes:
        for element, _ in followers(node.element):
            leader = node.scope.find(element.attributes.get("joint", ""), "joint") if node.scope is not None else None
            paths = (node.path, *(() if leader is None else (leader.path,)))
            names |= {f"{path}{part}" for path in paths for part in ("", "::1", "::2")}
    return names


def mimics(
    nodes: Iterable[Node], joints: Mapping[str, Joint], turned: Collection[str], notes: Notes
) -> list[tuple[str, Holonomic]]:
    """follower = multiplier * (leader - reference) + offset, with the follower, of every axis that mimics another.

    `turned` are the joints that the tree has from their child to their parent.
    """
    found = []
    for node in nodes:
        for element, tag in followers(node.element):
            follower = _coordinate(node.path, tag, joints, turned)
            scope = node.scope
            assert scope is not None
            name = text(element, "joint")
            leader = scope.find(name, "joint")
            leading = text(element, "axis", "axis")
            if leader is None or leader.kind != "joint":
                known = [x.name for x in scope.nodes("joint") if x is not node]
                raise element.error(f"joint: {one_of('joint', name, known)}")
            led = _coordinate(leader.path, leading, joints, turned)
            if follower is None or led is None or follower == led:
                meaning = f"{NOT_CARRIED}: both joints must have one coordinate and be in the tree"
                notes.add("<mimic> joint", meaning, node.path, warn=True)
                continue
            multiplier, offset, reference = _numbers(element)
            with placed(*element.where):
                name = f"{follower}_mimic"
                equation = symbol(follower) - multiplier * (symbol(led) - reference) - offset
                found.append((follower, Holonomic(name, equation)))
    return found


def _numbers(element: Element) -> tuple[float, float, float]:
    if element.tag == "drake:mimic":
        return attribute(element, "multiplier", 1.0), attribute(element, "offset", 0.0), 0.0
    return number(element, "multiplier", 1.0), number(element, "offset", 0.0), number(element, "reference", 0.0)


def _coordinate(path: str, tag: str, joints: Mapping[str, Joint], turned: Collection[str]) -> str | None:
    """The coordinate of a joint's axis."""
    which = "2" if tag == "axis2" else "1"
    if (part := joints.get(f"{path}::{which}")) is not None:
        return part.name
    joint = joints.get(path)
    if joint is None:
        return None
    if joint.kind.nq == 1 and which == "1":
        return joint.name
    if joint.type != "universal":
        return None
    first, second = joint.coordinate_names
    return first if (which == "1") != (path in turned) else second  # turned, its second axis comes first


# -- gearboxes ---------------------------------------------------------------------------------------------------------


def gearbox(node: Node, frames: Frames, hinges: Iterable[Hinge], notes: Notes) -> Holonomic | None:
    """theta2 = -ratio theta1, the angles of child and parent against a reference body.

    Both must turn about a joint on that body: a gearbox says how they turn, and does not hold them.
    """
    element, scope = node.element, node.scope
    assert scope is not None
    parent, child = ends(node, frames, notes)
    reference = body_name(frames.link(scope.resolve(word(element, "gearbox_reference_body"), element)))
    hinges = list(hinges)
    first = _turning(reference, body_name(parent), axis_in_world(node, "axis", frames), hinges)
    second = _turning(reference, body_name(child), axis_in_world(node, "axis2", frames), hinges)
    if first is None or second is None:
        meaning = f"{NOT_CARRIED}: the joints of parent and child must be on the reference body, about the axes of the gearbox"
        notes.add("gearbox", meaning, node.path, warn=True)
        return None
    with placed(*element.where):
        return Holonomic(node.path, second + number(element, "gearbox_ratio", 1.0) * first)


def _turning(reference: str, body: str, axis: v.Vector, hinges: list[Hinge]) -> Scalar | None:
    """The angle of a body against the reference body about an axis, by the joint between them."""
    for hinge in hinges:
        if hinge.type not in ("revolute", "continuous") or {hinge.parent, hinge.child} != {reference, body}:
            continue
        own = v.mat_vec(hinge.in_world.rotation, hinge.own["axis"])
        along = float(v.dot(own, axis)) / (_length(own) * _length(axis))
        if abs(abs(along) - 1) < 1e-9:
            sign = round(along) * (1 if hinge.parent == reference else -1)
            return sign * symbol(hinge.name)
    return None


def _length(x: v.Vector) -> float:
    return float(v.dot(x, x)) ** 0.5
