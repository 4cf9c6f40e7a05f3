"""Equality constraints of MJCF: loops, and equations of coordinates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from lagrangian.description.mjcf.compiler import boolean_attribute, rotation_from_quaternion
from lagrangian.description.mjcf.document import MAIN_CLASS, DefaultClasses
from lagrangian.description.mjcf.tendons import Tendon, resolve_scalar_joint
from lagrangian.description.mjcf.tree import MjcfTree
from lagrangian.description.notes import ReaderNotes
from lagrangian.description.schema import check_mjcf_attributes
from lagrangian.description.xml import Element, number_attribute, number_attributes, text_attribute
from lagrangian.errors import error_location, unknown_name_message
from lagrangian.model import vector as v
from lagrangian.model.constraint import HolonomicConstraint
from lagrangian.model.expression import Scalar, symbol
from lagrangian.model.joint import Joint
from lagrangian.model.loop import LoopJoint
from lagrangian.model.placement import Transform

_LOOPS = ("connect", "weld")
_COUPLINGS = ("joint", "tendon")
_IGNORED = ("flex", "flexstrain", "flexvert", "distance")
_EXACT_NOTE = "held exactly; MuJoCo makes them soft (solref, solimp)"
_COMMON = ("name", "class", "active", "solref", "solimp", "polycoef")
_EXACT_TOLERANCE, _ROUNDING_TOLERANCE = 1e-12, 1e-6  # m: frames that are as near as this in the file are meant to coincide
_POLYNOMIAL = (0.0, 1.0, 0.0, 0.0, 0.0)


@dataclass
class Equalities:
    """The loops and constraints of the active equality constraints."""

    loops: list[LoopJoint] = field(default_factory=list)
    constraints: list[HolonomicConstraint] = field(default_factory=list)


def read_equalities(
    elements: Iterable[Element], tree: MjcfTree, tendons: Mapping[str, Tendon], defaults: DefaultClasses, notes: ReaderNotes
) -> Equalities:
    """Read <connect> and <weld> as loops, and couplings of joints and tendons as equations of coordinates or as distances."""
    equalities = Equalities()
    line_by_name: dict[str, int] = {}
    equality_elements = list(elements)
    joints = {j.name: (j, ref) for j, ref in zip(tree.joints, tree.refs, strict=True)}
    joint_by_child = {joint.child: joint for joint in tree.joints}
    used_names = {e.attributes["name"] for e in equality_elements if e.attributes.get("name")}
    for k, element in enumerate(equality_elements):
        name = element.attributes.get("name", "")
        if element.tag in _IGNORED:
            notes.add(f"<equality> of a {element.tag}", "ignored: it moves on its own", name, warn=True)
            continue
        if element.tag not in (*_LOOPS, *_COUPLINGS):
            raise element.error(unknown_name_message("equality", element.tag, (*_LOOPS, *_COUPLINGS, *_IGNORED)))
        element = defaults.apply_defaults(element, MAIN_CLASS, "equality")
        is_loop = element.tag in _LOOPS
        check_mjcf_attributes(element, None if is_loop else (*_COMMON, f"{element.tag}1", f"{element.tag}2"))
        if not boolean_attribute(element, "active", True):
            notes.add(f"<{element.tag}> that is not active", "ignored", name)
            continue
        if name and name in line_by_name:
            raise element.error(f"an equality of this name is already used in line {line_by_name[name]}; names must differ")
        line_by_name[name] = element.line
        if not name:
            name = f"{element.tag}{k + 1}"
            while name in used_names:
                name += "_"
            used_names.add(name)
        if not is_loop:
            coupling = _read_coupling(element, name, joints, tendons, notes)
            if isinstance(coupling, HolonomicConstraint):
                equalities.constraints.append(coupling)
            elif coupling is not None:
                equalities.loops.append(coupling)
        elif (loop_joint := _read_loop(element, name, tree, joint_by_child)) is not None:
            equalities.loops.append(loop_joint)
            notes.add("<connect> and <weld>", _EXACT_NOTE, name)
        else:
            notes.add(f"<{element.tag}> of bodies that are welded together", "ignored: it has no effect", name)
    return equalities


def _read_loop(element: Element, name: str, tree: MjcfTree, joint_by_child: Mapping[str, Joint]) -> LoopJoint | None:
    """The loop joint; None if the two bodies cannot move against each other."""
    is_weld = element.tag == "weld"
    # a weld that does not care about rotation is a connect
    kind = "fixed" if is_weld and number_attribute(element, "torquescale", 1.0) != 0 else "ball"
    if "site1" in element.attributes or "site2" in element.attributes:
        (a, at_a), (b, at_b) = _resolve_site(element, "site1", tree), _resolve_site(element, "site2", tree)
    else:
        a = _resolve_body(element, text_attribute(element, "body1"), tree)
        b = _resolve_body(element, text_attribute(element, "body2", "world"), tree)
        at_a, at_b = _weld_placements(element, a, b, tree) if is_weld else _connect_placements(element, a, b, tree)
    if _rigid_body_of(a, joint_by_child) == _rigid_body_of(b, joint_by_child):
        return None
    exact_placement = _relative_pose(tree, b, a) @ at_a
    if _EXACT_TOLERANCE < _frame_distance(exact_placement, at_b, kind == "fixed") < _ROUNDING_TOLERANCE:
        # a file has few decimals, which leave a loop slightly open, and several loops then contradict each other
        at_b = exact_placement if kind == "fixed" else Transform(at_b.rotation, exact_placement.position)
    with error_location(*element.where):
        return LoopJoint(name, kind, a, b, at_a, at_b)


def _frame_distance(a: Transform, b: Transform, with_rotation: bool) -> float:
    """The largest difference of two frames: in position, in metres, and in the entries of their rotations if they count."""
    differences = [abs(float(x) - float(y)) for x, y in zip(a.position, b.position, strict=True)]
    if with_rotation:
        differences += [
            abs(float(x) - float(y)) for r, s in zip(a.rotation, b.rotation, strict=True) for x, y in zip(r, s, strict=True)
        ]
    return max(differences)


def _rigid_body_of(body: str, joint_by_child: Mapping[str, Joint]) -> str:
    """The body with joints of its own that a body is rigidly part of."""
    while body in joint_by_child and joint_by_child[body].type == "fixed":
        body = joint_by_child[body].parent
    return body


def _resolve_body(element: Element, name: str, tree: MjcfTree) -> str:
    if name not in tree.names:
        raise element.error(unknown_name_message("body", name, tree.names))
    return tree.names[name]


def _resolve_site(element: Element, attribute: str, tree: MjcfTree) -> tuple[str, Transform]:
    name = text_attribute(element, attribute)
    if name not in tree.sites:
        raise element.error(f"{attribute}: {unknown_name_message('site', name, tree.sites)}")
    return tree.sites[name]


def _relative_pose(tree: MjcfTree, a: str, b: str) -> Transform:
    """The pose of body b in body a in which the model is written."""
    return tree.poses[a].inverse() @ tree.poses[b]


def _connect_placements(element: Element, a: str, b: str, tree: MjcfTree) -> tuple[Transform, Transform]:
    """The placements of the anchor, which the file gives on body 1, on both bodies."""
    anchor = Transform(position=number_attributes(element, "anchor", 3))  # type: ignore[arg-type]
    return anchor, Transform(position=(_relative_pose(tree, b, a) @ anchor).position)


def _weld_placements(element: Element, a: str, b: str, tree: MjcfTree) -> tuple[Transform, Transform]:
    """The placements of the weld on both bodies: `relpose` is the pose in body 1 of the anchor, which is a point of body 2."""
    anchor = Transform(position=number_attributes(element, "anchor", 3, v.ZERO))  # type: ignore[arg-type]
    pose = number_attributes(element, "relpose", 7, (0.0,) * 7)
    if not any(pose[3:]):
        return _relative_pose(tree, a, b) @ anchor, anchor
    return Transform(rotation_from_quaternion(element, "relpose", pose[3:]), pose[:3]), anchor  # type: ignore[arg-type]


# -- couplings ---------------------------------------------------------------------------------------------------------


def _read_coupling(
    element: Element,
    name: str,
    joints: Mapping[str, tuple[Joint, float]],
    tendons: Mapping[str, Tendon],
    notes: ReaderNotes,
) -> HolonomicConstraint | LoopJoint | None:
    """The equation y - y0 = a0 + a1 (x - x0) + ... + a4 (x - x0)^4 of two joints or tendons; without a second, y - y0 = a0.

    Of a spatial tendon it is a distance between two points, or None if it cannot be read.
    """
    first, second = f"{element.tag}1", f"{element.tag}2"
    a = number_attributes(element, "polycoef", 5, _POLYNOMIAL, min_count=1)
    a = (*a, *_POLYNOMIAL[len(a) :])
    if element.tag == "tendon":
        tendon = _resolve_tendon(element, first, tendons)
        other_tendons = [_resolve_tendon(element, second, tendons)] if second in element.attributes else []
        if not all(x.fixed for x in (tendon, *other_tendons)):
            return _read_distance(element, name, tendon, other_tendons, a[0], notes)
        length_pairs = [(x.length, x.written_length) for x in (tendon, *other_tendons)]
    else:
        keys = [first, *([second] if second in element.attributes else [])]
        length_pairs = [(symbol(joint.name), ref) for joint, ref in (resolve_scalar_joint(element, key, joints) for key in keys)]
    (y, y0), x = length_pairs[0], (length_pairs[1][0] - length_pairs[1][1] if len(length_pairs) > 1 else None)
    right: Scalar = y0 + a[0]
    if x is not None:
        right = right + sum((c * x**n for n, c in enumerate(a[1:], 1) if c), 0)
    with error_location(*element.where):
        constraint = HolonomicConstraint(name, y - right)
    notes.add(f"<equality> of a {element.tag}", _EXACT_NOTE, name)
    return constraint


def _resolve_tendon(element: Element, attribute: str, tendons: Mapping[str, Tendon]) -> Tendon:
    name = text_attribute(element, attribute)
    if name not in tendons:
        raise element.error(f"{attribute}: {unknown_name_message('tendon', name, tendons)}")
    return tendons[name]


def _read_distance(
    element: Element,
    name: str,
    tendon: Tendon,
    other_tendons: list[Tendon],
    a0: float,
    notes: ReaderNotes,
) -> LoopJoint | None:
    """The distance of two sites that a straight tendon of constant length keeps; None for any other spatial tendon."""
    length = tendon.written_length + a0
    if other_tendons or tendon.ends is None or tendon.ends[0][0] == tendon.ends[1][0] or not length > 0:
        meaning = "ignored: only a tendon that runs straight between two sites on two bodies is supported"
        notes.add("<equality> of a spatial tendon", meaning, name, warn=True)
        return None
    (body, point), (other_body, other_point) = tendon.ends
    with error_location(*element.where):
        loop_joint = LoopJoint(
            name, "distance", body, other_body, Transform(position=point), Transform(position=other_point), length=length
        )
    notes.add("<equality> of a tendon", _EXACT_NOTE, name)
    return loop_joint
