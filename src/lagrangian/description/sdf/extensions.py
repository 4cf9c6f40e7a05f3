"""Drake's extensions of SDF: planar joints, constraints and springs. Other extensions are noted and ignored."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from lagrangian.description.notes import ReaderNotes
from lagrangian.description.schema import IGNORED
from lagrangian.description.sdf.frames import SCOPE_SEPARATOR, FrameGraph, FrameNode, Scope, body_name
from lagrangian.description.sdf.joint import JointEdge
from lagrangian.description.sdf.values import child_number, child_text, child_vector
from lagrangian.description.xml import Element, text_attribute
from lagrangian.errors import error_location, unknown_name_message
from lagrangian.model import vector as v
from lagrangian.model.joint import Friction
from lagrangian.model.loop import LoopJoint
from lagrangian.model.placement import Transform
from lagrangian.model.spring import PointSpring, Spring

_DRAKE_JOINT_TYPES = ("planar", "curvilinear")


class ExtensionReader:
    """Reads Drake's elements of all models of a document into joints, loops and springs."""

    def __init__(self, frames: FrameGraph, notes: ReaderNotes) -> None:
        self.frames, self.notes = frames, notes
        self.edges: list[JointEdge] = []
        self.loops: list[LoopJoint] = []
        self.springs: list[Spring] = []

    def read(self, scope: Scope) -> None:
        """Read the elements of one model."""
        readers: dict[str, Callable[[Element, Scope], None]] = {
            "drake:joint": self._read_planar_joint,
            "drake:ball_constraint": self._read_ball,
            "drake:distance_constraint": self._read_distance,
            "drake:linear_spring_damper": self._read_spring,
            "drake:weld_constraint": self._read_weld,
        }
        for element in scope.node.element.children:
            if reader := readers.get(element.tag):
                with error_location(*element.where):
                    reader(element, scope)
            elif element.tag in ("drake:linear_bushing_rpy", "drake:tendon_constraint"):
                meaning = f"{IGNORED}: use a <joint> instead, which may also close a loop"
                self.notes.add(f"<{element.tag}>", meaning, element.attributes.get("name", ""), warn=True)
            elif element.tag.startswith("drake:"):
                self.notes.add(f"<{element.tag}>", IGNORED, element.attributes.get("name", ""))

    def _read_planar_joint(self, element: Element, scope: Scope) -> None:
        kind = text_attribute(element, "type")
        if kind != "planar":
            raise element.error(
                "a curvilinear joint is not supported"
                if kind in _DRAKE_JOINT_TYPES
                else f"type: {unknown_name_message('joint type', kind, _DRAKE_JOINT_TYPES)}"
            )
        parent, placement = self._body_and_placement(_resolve_frame(element, "drake:parent", scope))
        child, child_placement = self._body_and_placement(_resolve_frame(element, "drake:child", scope))
        damping = child_vector(element, "drake:damping", 3, (0.0, 0.0, 0.0))
        edge = JointEdge(
            scope.qualified_name(text_attribute(element, "name")),
            "planar",
            parent,
            child,
            placement,
            child_placement,
            element,
            {"axis": v.Z},
        )
        if len(set(damping)) == 1:
            self.edges.append(replace(edge, properties={"friction": Friction(damping[0])}))
        else:
            self.edges += _split_planar(edge, damping)

    def _read_ball(self, element: Element, scope: Scope) -> None:
        a, b, p, q = self._read_points(element, scope)
        name = _make_name(element, scope, len(self.loops))
        self.loops.append(LoopJoint(name, "ball", a, b, Transform(position=p), Transform(position=q)))

    def _read_weld(self, element: Element, scope: Scope) -> None:
        a, at_a = self._body_and_placement(_resolve_frame(element, "parent", scope))
        b, at_b = self._body_and_placement(_resolve_frame(element, "child", scope))
        self.loops.append(LoopJoint(_make_name(element, scope, len(self.loops)), "fixed", a, b, at_a, at_b))

    def _read_distance(self, element: Element, scope: Scope) -> None:
        """Read a constant distance; with a stiffness it is a spring."""
        a, b, p, q = self._read_points(element, scope)
        length = child_number(element, "drake:distance_constraint_distance", 0.0)
        stiffness = child_number(element, "drake:distance_constraint_stiffness", math.inf, infinite=True)
        damping = child_number(element, "drake:distance_constraint_damping", 0.0)
        if math.isfinite(stiffness):
            name = _make_name(element, scope, len(self.springs))
            self.springs.append(PointSpring(name, a, b, p, q, stiffness, length, damping))
            return
        name = _make_name(element, scope, len(self.loops))
        a_placement, b_placement = Transform(position=p), Transform(position=q)
        self.loops.append(LoopJoint(name, "distance", a, b, a_placement, b_placement, length=length))

    def _read_spring(self, element: Element, scope: Scope) -> None:
        a, b, p, q = self._read_points(element, scope)
        kind = element.tag
        stiffness, damping = child_number(element, f"{kind}_stiffness", 0.0), child_number(element, f"{kind}_damping", 0.0)
        rest_length = child_number(element, f"{kind}_free_length", 0.0)
        self.springs.append(
            PointSpring(_make_name(element, scope, len(self.springs)), a, b, p, q, stiffness, rest_length, damping)
        )

    def _read_points(self, element: Element, scope: Scope) -> tuple[str, str, v.Vector, v.Vector]:
        """The bodies and points at the two ends of an element."""
        kind = element.tag
        ends = []
        for body, point in (("body_A", "p_AP"), ("body_B", "p_BQ")):
            name, placement = self._body_and_placement(_resolve_frame(element, f"{kind}_{body}", scope))
            p = child_vector(element, f"{kind}_{point}", 3, (0.0, 0.0, 0.0))
            ends.append((name, (placement @ Transform(position=p)).position))  # type: ignore[arg-type]
        return ends[0][0], ends[1][0], ends[0][1], ends[1][1]

    def _body_and_placement(self, node: FrameNode) -> tuple[str, Transform]:
        """The body that a frame is on, and its placement there."""
        link = self.frames.link(node)
        link_pose = Transform() if link is None else self.frames.pose(link)
        return body_name(link), link_pose.inverse() @ self.frames.pose(node)


def _resolve_frame(element: Element, tag: str, scope: Scope) -> FrameNode:
    return scope.resolve(child_text(element, tag), element.find(tag) or element)


def _make_name(element: Element, scope: Scope, count: int) -> str:
    """A name for an element, most of which have none."""
    return scope.qualified_name(element.attributes.get("name") or f"{element.tag.removeprefix('drake:')}{count + 1}")


def _split_planar(planar: JointEdge, damping: tuple[float, ...]) -> list[JointEdge]:
    """A planar joint as three of one coordinate, with bodies between them, because each has its own damping."""
    steps = (("x", "prismatic", v.X), ("y", "prismatic", v.Y), ("angle", "revolute", v.Z))
    bodies = [planar.parent, *(f"{planar.name}{SCOPE_SEPARATOR}after_{label}" for label, _, _ in steps[:2]), planar.child]
    placements = [planar.placement, Transform(), Transform(), planar.child_placement]
    return [
        JointEdge(
            f"{planar.name}{SCOPE_SEPARATOR}{label}",
            kind,
            bodies[k],
            bodies[k + 1],
            placements[k] if k == 0 else Transform(),
            placements[k + 1],
            planar.element,
            {"axis": axis},
            {"friction": Friction(damping[k])},
        )
        for k, (label, kind, axis) in enumerate(steps)
    ]
