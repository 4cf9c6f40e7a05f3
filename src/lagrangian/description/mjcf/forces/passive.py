"""Passive forces of MJCF that are no joint's own: those of tendons, and gravity compensation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from lagrangian.description.mjcf.compiler import Compiler
from lagrangian.description.mjcf.forces.tendon import Tendon
from lagrangian.description.mjcf.joint import limited_range, not_negative
from lagrangian.description.mjcf.tree import Tree
from lagrangian.description.notes import Notes
from lagrangian.description.xml import Element, number, numbers
from lagrangian.errors import placed
from lagrangian.model.spring import CoordinateSpring, GravityCompensation, PointSpring

_LEFT_OUT = {
    "frictionloss": "ignored: it has no dry friction",
    "armature": "ignored: it adds no inertia",
}


@dataclass
class AtJoints:
    """What tendons of one joint are at that joint, by its name."""

    armature: dict[str, float] = field(default_factory=dict)
    frictionloss: dict[str, float] = field(default_factory=dict)
    range: dict[str, tuple[float, float]] = field(default_factory=dict)


def at_joints(tendons: Mapping[str, Tendon], compiler: Compiler) -> AtJoints:
    found = AtJoints()
    for tendon in tendons.values():
        if tendon.lever is None:
            continue
        (joint, c), element = tendon.lever, tendon.element
        for key, into, lever in (("armature", found.armature, c * c), ("frictionloss", found.frictionloss, abs(c))):
            if value := not_negative(element, key):
                into[joint.name] = into.get(joint.name, 0.0) + lever * value
        span = limited_range(element, "range", "limited", compiler)
        if span is not None:
            low, high = sorted((span[0] / c, span[1] / c))
            own = found.range.get(joint.name, (float(joint.limits.lower), float(joint.limits.upper)))
            found.range[joint.name] = max(low, own[0]), min(high, own[1])
            if not low <= own[1] or not own[0] <= high:
                shown = f"{low:g} to {high:g}"
                raise element.error(f"range leaves joint {joint.name!r} {shown}, none of which is within its own limits")
    return found


def springs(
    tendons: Mapping[str, Tendon], taken: Iterable[str], compiler: Compiler, notes: Notes
) -> list[PointSpring | CoordinateSpring]:
    """Springs and dampers of tendons; what else of them is left out is said. `taken` are names that no spring may have."""
    found: list[PointSpring | CoordinateSpring] = []
    used = set(taken)
    for name, tendon in tendons.items():
        _note(tendon, compiler, notes)
        stiffness, damping = (_linear(tendon.element, key, name, notes) for key in ("stiffness", "damping"))
        if not stiffness and not damping:
            continue
        low, high = _rest(tendon)
        of = {"stiffness": stiffness, "rest": low, "damping": damping, "slack": high - low}
        label = name
        while label in used:
            label += "_tendon"
        with placed(*tendon.element.where):
            if tendon.fixed:
                found.append(CoordinateSpring(label, tendon.length, **of))
            elif tendon.wraps or len(tendon.branches) != 1 or tendon.branches[0].divisor != 1:
                how = "around geoms" if tendon.wraps else "over a pulley"
                notes.add(f"<spatial> tendon {how}", "ignored, with its spring and damping", name, warn=True)
                continue
            elif len(tendon.branches[0].points) > 1:
                (a, first), *via, (b, last) = tendon.branches[0].points
                found.append(PointSpring(label, a, b, first, last, **of, via=tuple(via)))
        used.add(label)
    return found


def _note(tendon: Tendon, compiler: Compiler, notes: Notes) -> None:
    element = tendon.element
    if tendon.lever is None:
        for key, meaning in _LEFT_OUT.items():
            if not_negative(element, key):
                notes.add(f"{key} of a tendon", meaning, tendon.name, warn=True)
        if limited_range(element, "range", "limited", compiler) is not None:
            notes.add("range of a tendon", "ignored: the tendon has no limits", tendon.name, warn=True)
    if number(element, "springyield", 0.0) > 0:
        notes.add("springyield", "ignored: the spring is linear", tendon.name, warn=True)


def _linear(element: Element, attribute: str, name: str, notes: Notes) -> float:
    value, *rest = numbers(element, attribute, 3, (0.0,), least=1)
    if any(rest):
        notes.add(f"nonlinear {attribute}", "only its linear part is read", name, warn=True)
    if value < 0:
        raise element.error(f"{attribute} is {value:g}; it cannot be negative")
    return value


def _rest(tendon: Tendon) -> tuple[float, float]:
    """Between which lengths the spring is slack: by default nowhere, and it rests where the joints' springs do."""
    given = numbers(tendon.element, "springlength", 2, (-1.0,), least=1)
    low, high = given[0], given[-1]
    if low == high == -1:
        return tendon.rest, tendon.rest
    if low > high:
        raise tendon.element.error(f"springlength is {low:g} {high:g}; the first must not be greater than the second")
    return low, high


def compensations(tree: Tree, taken: Iterable[str]) -> list[GravityCompensation]:
    """Of the bodies with `gravcomp` that have mass."""
    found, used = [], set(taken)
    masses = {body.name: body.mass for body in tree.bodies}
    for body, factor in tree.gravcomp.items():
        if not masses[body]:
            continue
        label = f"{body}_gravcomp"
        while label in used:
            label += "_"
        used.add(label)
        found.append(GravityCompensation(label, body, factor))
    return found
