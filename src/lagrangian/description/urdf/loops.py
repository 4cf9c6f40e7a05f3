"""Loops in a URDF, by the elements of URDF+ (Chignoli, Slotine, Wensing and Kim 2024): <loop> and <coupling>.

A <loop> joins a frame on its predecessor to one on its successor. A <coupling> holds joints to a ratio: that times the sum of
the coordinates from the nearest common ancestor of the two links to the predecessor is the sum of those to the successor.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lagrangian.description.urdf.joint import end
from lagrangian.description.urdf.origin import origin
from lagrangian.description.xml import Element, number, numbers, text
from lagrangian.errors import one_of, placed
from lagrangian.model import loops as loop_types
from lagrangian.model.constraint import Holonomic
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


def loop_joints(root: Element, bodies: Mapping[str, str]) -> tuple[LoopJoint, ...]:
    """The loop joints between the bodies of links."""
    return tuple(_loop(element, bodies) for element in root.all("loop"))


def _loop(element: Element, bodies: Mapping[str, str]) -> LoopJoint:
    kind = text(element, "type")
    if kind not in _TYPES:
        raise element.error(f"type: {one_of('loop type', kind, _TYPES)}")
    a, b = _ends(element, bodies)
    places = [origin(found) for role in ("predecessor", "successor") if (found := element.find(role)) is not None]
    own: dict[str, Any] = {}
    if any(entry.name == "axis" for entry in loop_types.TYPES[_TYPES[kind]].entries):
        given = element.find("axis")
        own["axis"] = (1.0, 0.0, 0.0) if given is None else numbers(given, "xyz", 3)
    with placed(*element.where):
        return LoopJoint(text(element, "name"), _TYPES[kind], bodies[a], bodies[b], *places, **own)


def _ends(element: Element, bodies: Mapping[str, str]) -> tuple[str, str]:
    return end(element, "predecessor", bodies), end(element, "successor", bodies)


def couplings(root: Element, bodies: Mapping[str, str], tree: list[Joint]) -> tuple[Holonomic, ...]:
    """The equations of coordinates that couplings are."""
    towards = {joint.child: joint for joint in tree}
    return tuple(_coupling(element, bodies, towards) for element in root.all("coupling"))


def _coupling(element: Element, bodies: Mapping[str, str], towards: Mapping[str, Joint]) -> Holonomic:
    given = element.find("ratio")
    if given is None:
        raise element.error('has no ratio; it needs <ratio value="..."/>')
    ratio = number(given, "value")
    one, other = (_path(bodies[link], towards) for link in _ends(element, bodies))
    shared = {joint.name for joint in one} & {joint.name for joint in other}
    sides = [[joint for joint in path if joint.name not in shared and joint.kind.nv] for path in (one, other)]
    if not all(sides):
        raise element.error(
            "needs a joint on each side, but no joint moves one of its links relative to their nearest common ancestor"
        )
    for joint in (*sides[0], *sides[1]):
        if joint.kind.nq != 1:
            raise element.error(f"joint {joint.name!r} between its links does not have exactly one coordinate")
    with placed(*element.where):
        return Holonomic(text(element, "name"), ratio * _sum(sides[0]) - _sum(sides[1]))


def _path(body: str, towards: Mapping[str, Joint]) -> list[Joint]:
    """The joints from a body to the ground."""
    found = []
    while body in towards:
        found.append(towards[body])
        body = towards[body].parent
    return found


def _sum(joints: list[Joint]) -> Scalar:
    total: Scalar = symbol(joints[0].name)
    for joint in joints[1:]:
        total = total + symbol(joint.name)
    return total
