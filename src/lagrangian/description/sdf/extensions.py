"""Drake's extensions of a model: planar joints, constraints, springs. What has no place in a mechanism is said."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from lagrangian.description.notes import Notes
from lagrangian.description.sdf.frames import NESTED, Frames, Node, Scope, body_name
from lagrangian.description.sdf.joint import NOT_CARRIED, Hinge
from lagrangian.description.sdf.values import number, vector, word
from lagrangian.description.xml import Element, text
from lagrangian.errors import one_of, placed
from lagrangian.model import vector as v
from lagrangian.model.joint import Friction
from lagrangian.model.loop import LoopJoint, Spring
from lagrangian.model.placement import Placement
from lagrangian.model.spring import PointSpring

_JOINTS = ("planar", "curvilinear")


@dataclass
class Extensions:
    """What Drake's elements of a model are in a mechanism."""

    hinges: list[Hinge] = field(default_factory=list)
    loops: list[LoopJoint] = field(default_factory=list)
    springs: list[Spring] = field(default_factory=list)


def extensions(scope: Scope, frames: Frames, found: Extensions, notes: Notes) -> None:
    """Add what the elements of one model are."""
    readers: dict[str, Callable[[Element, Scope, Frames, Extensions, Notes], None]] = {
        "drake:joint": _joint,
        "drake:ball_constraint": _ball,
        "drake:distance_constraint": _distance,
        "drake:linear_spring_damper": _spring,
        "drake:weld_constraint": _weld,
    }
    for element in scope.node.element.children:
        if reader := readers.get(element.tag):
            with placed(*element.where):
                reader(element, scope, frames, found, notes)
        elif element.tag in ("drake:linear_bushing_rpy", "drake:tendon_constraint"):
            meaning = f"{NOT_CARRIED}: use a <joint> instead, which may also close a loop"
            notes.add(f"<{element.tag}>", meaning, element.attributes.get("name", ""), warn=True)
        elif element.tag.startswith("drake:"):
            notes.add(f"<{element.tag}>", NOT_CARRIED, element.attributes.get("name", ""))


def _frame(element: Element, tag: str, scope: Scope) -> Node:
    return scope.resolve(word(element, tag), element.find(tag) or element)


def _on(node: Node, frames: Frames) -> tuple[str, Placement]:
    """The body a frame is on, and where."""
    link = frames.link(node)
    body = Placement() if link is None else frames.pose(link)
    return body_name(link), body.inverse() @ frames.pose(node)


def _joint(element: Element, scope: Scope, frames: Frames, found: Extensions, notes: Notes) -> None:
    kind = text(element, "type")
    if kind != "planar":
        raise element.error(
            "a curvilinear joint is not supported" if kind in _JOINTS else f"type: {one_of('joint type', kind, _JOINTS)}"
        )
    parent, at_parent = _on(_frame(element, "drake:parent", scope), frames)
    child, at_child = _on(_frame(element, "drake:child", scope), frames)
    damping = vector(element, "drake:damping", 3, (0.0, 0.0, 0.0))
    hinge = Hinge(scope.named(text(element, "name")), "planar", parent, child, at_parent, at_child, element, {"axis": v.Z})
    if len(set(damping)) == 1:
        found.hinges.append(replace(hinge, at={"friction": Friction(damping[0])}))
    else:
        found.hinges += _one_by_one(hinge, damping)


def _one_by_one(planar: Hinge, damping: tuple[float, ...]) -> list[Hinge]:
    """A planar joint as three of one coordinate, with bodies between them, because each has its own damping."""
    steps = (("x", "prismatic", v.X), ("y", "prismatic", v.Y), ("angle", "revolute", v.Z))
    bodies = [planar.parent, *(f"{planar.name}{NESTED}after_{label}" for label, _, _ in steps[:2]), planar.child]
    places = [planar.at_parent, Placement(), Placement(), planar.at_child]
    return [
        Hinge(
            f"{planar.name}{NESTED}{label}",
            kind,
            bodies[k],
            bodies[k + 1],
            places[k] if k == 0 else Placement(),
            places[k + 1],
            planar.element,
            {"axis": axis},
            {"friction": Friction(damping[k])},
        )
        for k, (label, kind, axis) in enumerate(steps)
    ]


def _points(element: Element, scope: Scope, frames: Frames) -> tuple[str, str, v.Vector, v.Vector]:
    """The bodies and the points on them that two ends of an element are."""
    kind = element.tag
    ends = []
    for body, point in (("body_A", "p_AP"), ("body_B", "p_BQ")):
        name, at = _on(_frame(element, f"{kind}_{body}", scope), frames)
        p = vector(element, f"{kind}_{point}", 3, (0.0, 0.0, 0.0))
        ends.append((name, (at @ Placement(position=p)).position))  # type: ignore[arg-type]
    return ends[0][0], ends[1][0], ends[0][1], ends[1][1]


def _name(element: Element, scope: Scope, taken: int) -> str:
    """These elements have no names."""
    return scope.named(element.attributes.get("name") or f"{element.tag.removeprefix('drake:')}{taken + 1}")


def _ball(element: Element, scope: Scope, frames: Frames, found: Extensions, notes: Notes) -> None:
    a, b, p, q = _points(element, scope, frames)
    name = _name(element, scope, len(found.loops))
    found.loops.append(LoopJoint(name, "ball", a, b, Placement(position=p), Placement(position=q)))


def _weld(element: Element, scope: Scope, frames: Frames, found: Extensions, notes: Notes) -> None:
    a, at_a = _on(_frame(element, "parent", scope), frames)
    b, at_b = _on(_frame(element, "child", scope), frames)
    found.loops.append(LoopJoint(_name(element, scope, len(found.loops)), "fixed", a, b, at_a, at_b))


def _distance(element: Element, scope: Scope, frames: Frames, found: Extensions, notes: Notes) -> None:
    """A rod; one with a stiffness is a spring."""
    a, b, p, q = _points(element, scope, frames)
    length = number(element, "drake:distance_constraint_distance", 0.0)
    stiffness = number(element, "drake:distance_constraint_stiffness", math.inf, infinite=True)
    damping = number(element, "drake:distance_constraint_damping", 0.0)
    if math.isfinite(stiffness):
        name = _name(element, scope, len(found.springs))
        found.springs.append(PointSpring(name, a, b, p, q, stiffness, length, damping))
        return
    name = _name(element, scope, len(found.loops))
    at, to = Placement(position=p), Placement(position=q)
    found.loops.append(LoopJoint(name, "distance", a, b, at, to, length=length))


def _spring(element: Element, scope: Scope, frames: Frames, found: Extensions, notes: Notes) -> None:
    a, b, p, q = _points(element, scope, frames)
    kind = element.tag
    stiffness, damping = number(element, f"{kind}_stiffness", 0.0), number(element, f"{kind}_damping", 0.0)
    rest = number(element, f"{kind}_free_length", 0.0)
    found.springs.append(PointSpring(_name(element, scope, len(found.springs)), a, b, p, q, stiffness, rest, damping))
