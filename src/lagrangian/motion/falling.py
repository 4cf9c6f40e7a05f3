"""Robots that nothing holds: their files leave it to contacts with the ground, which are not carried over."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath

from lagrangian.model.constraint import HolonomicConstraint, KnifeEdgeConstraint, PfaffianConstraint, RollingConstraint
from lagrangian.model.expression import free_symbols
from lagrangian.model.joint import Joint
from lagrangian.model.mechanism import GROUND, Mechanism
from lagrangian.model.spring import CoordinateSpring, GravityCompensation, PointSpring, Wall

# of files that describe robots with the ground they stand on; a description of our own says itself what holds it
_FOREIGN = (".urdf", ".xml", ".mjcf", ".sdf", ".world", ".xacro")


def falling(mechanism: Mechanism) -> list[str]:
    """The bodies on free joints to the ground, of a file of another tool, that nothing else holds, though gravity pulls."""
    if PurePath(mechanism.file).suffix.lower() not in _FOREIGN or not any(float(x) for x in mechanism.gravity):
        return []
    free = [joint for joint in mechanism.joints if joint.parent == GROUND and joint.kind.nv == 6]
    reached, pulled = _reached(mechanism, free), _pulled(mechanism)
    return [joint.child for joint in free if joint.child not in reached and joint.child in pulled]


def _pulled(mechanism: Mechanism) -> set[str]:
    """Bodies that have a weight which nothing carries in whole, and all that they hang from."""
    carried = {x.body for x in mechanism.springs if isinstance(x, GravityCompensation) and float(x.factor) >= 1}
    found = {body.name for body in mechanism.bodies if float(body.mass) > 0 and body.name not in carried}
    for joint in reversed(mechanism.outward_joints()):
        if joint.child in found:
            found.add(joint.parent)
    return found


def _reached(mechanism: Mechanism, but: list[Joint]) -> set[str]:
    """The bodies that something connects to the ground, beside these joints."""
    neighbours: dict[str, set[str]] = {}
    for a, b in _connections(mechanism, but):
        neighbours.setdefault(a, set()).add(b)
        neighbours.setdefault(b, set()).add(a)
    found, left = {GROUND}, [GROUND]
    while left:
        for other in neighbours.get(left.pop(), set()) - found:
            found.add(other)
            left.append(other)
    return found


def _connections(mechanism: Mechanism, but: list[Joint]) -> Iterator[tuple[str, str]]:
    names = {joint.name for joint in but}
    for joint in mechanism.joints:
        if joint.name not in names:
            yield joint.parent, joint.child
    for loop in mechanism.loops:
        yield loop.a, loop.b
    of = {name: joint.child for joint in but for name in (*joint.coordinate_names, *joint.speed_names)}
    named: list[set[str]] = []
    for constraint in mechanism.constraints:
        match constraint:
            case RollingConstraint():
                yield constraint.body, constraint.on
            case KnifeEdgeConstraint():
                yield constraint.body, GROUND
            case PfaffianConstraint():
                named.append({speed for speed, _ in constraint.coefficients})
            case HolonomicConstraint():
                named.append(free_symbols(constraint.equation))
            case _:  # a function may hold anything
                yield from ((body.name, GROUND) for body in mechanism.bodies)
    for spring in mechanism.springs:
        match spring:
            case PointSpring():
                yield from ((spring.a, body) for body, _ in spring.points)
            case Wall():
                yield spring.body, spring.on
            case CoordinateSpring():
                named.append(free_symbols(spring.length))
    # what is said of a free joint's own coordinates holds its body in the world; what is said of others couples them
    yield from ((of[name], GROUND) for names in named for name in names if name in of)
