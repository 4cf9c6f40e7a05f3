"""Equality constraints of MJCF: loops, and equations of coordinates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from lagrangian.description.mjcf.compiler import quaternion, yes
from lagrangian.description.mjcf.document import MAIN, Defaults
from lagrangian.description.mjcf.forces.tendon import Tendon, scalar_joint
from lagrangian.description.mjcf.schema import check_attributes
from lagrangian.description.mjcf.tree import Tree
from lagrangian.description.notes import Notes
from lagrangian.description.xml import Element, number, numbers, text
from lagrangian.errors import one_of, placed
from lagrangian.model import vector as v
from lagrangian.model.constraint import Holonomic
from lagrangian.model.expression import Scalar, symbol
from lagrangian.model.joint import Joint
from lagrangian.model.loop import LoopJoint
from lagrangian.model.placement import Placement

_LOOPS = ("connect", "weld")
_COUPLINGS = ("joint", "tendon")
_OTHER = ("flex", "flexstrain", "flexvert", "distance")
_EXACT = "held exactly; MuJoCo makes them soft (solref, solimp)"
_COMMON = ("name", "class", "active", "solref", "solimp", "polycoef")
_EXACTLY, _ROUNDED = 1e-12, 1e-6  # m: frames so near to each other as the model is written are meant to meet
_POLYNOMIAL = (0.0, 1.0, 0.0, 0.0, 0.0)


@dataclass
class Equalities:
    """What the active equality constraints become."""

    loops: list[LoopJoint] = field(default_factory=list)
    constraints: list[Holonomic] = field(default_factory=list)


def equalities(
    elements: Iterable[Element], tree: Tree, tendons: Mapping[str, Tendon], defaults: Defaults, notes: Notes
) -> Equalities:
    """Connect and weld as loops; couplings of joints and of tendons as equations of coordinates, or distances."""
    found = Equalities()
    taken: dict[str, int] = {}
    given = list(elements)
    joints = {j.name: (j, ref) for j, ref in zip(tree.joints, tree.refs, strict=True)}
    above = {joint.child: joint for joint in tree.joints}
    named = {e.attributes["name"] for e in given if e.attributes.get("name")}
    for k, element in enumerate(given):
        name = element.attributes.get("name", "")
        if element.tag in _OTHER:
            notes.add(f"<equality> of a {element.tag}", "ignored: it moves on its own", name, warn=True)
            continue
        if element.tag not in (*_LOOPS, *_COUPLINGS):
            raise element.error(one_of("equality", element.tag, (*_LOOPS, *_COUPLINGS, *_OTHER)))
        element = defaults.applied(element, MAIN, "equality")
        loop = element.tag in _LOOPS
        check_attributes(element, None if loop else (*_COMMON, f"{element.tag}1", f"{element.tag}2"))
        if not yes(element, "active", True):
            notes.add(f"<{element.tag}> that is not active", "ignored", name)
            continue
        if name and name in taken:
            raise element.error(f"an equality of this name is already used in line {taken[name]}; names must differ")
        taken[name] = element.line
        if not name:
            name = f"{element.tag}{k + 1}"
            while name in named:
                name += "_"
            named.add(name)
        if not loop:
            _couple(element, name, joints, tendons, found, notes)
        elif (made := _loop(element, name, tree, above)) is not None:
            found.loops.append(made)
            notes.add("<connect> and <weld>", _EXACT, name)
        else:
            notes.add(f"<{element.tag}> of bodies that are welded together", "ignored: it has no effect", name)
    return found


def _loop(element: Element, name: str, tree: Tree, above: Mapping[str, Joint]) -> LoopJoint | None:
    """The loop; None between bodies that cannot move against each other."""
    weld = element.tag == "weld"
    # a weld that does not care about rotation is a connect
    kind = "fixed" if weld and number(element, "torquescale", 1.0) != 0 else "ball"
    if "site1" in element.attributes or "site2" in element.attributes:
        (a, at_a), (b, at_b) = _site(element, "site1", tree), _site(element, "site2", tree)
    else:
        a = _body(element, text(element, "body1"), tree)
        b = _body(element, text(element, "body2", "world"), tree)
        at_a, at_b = _weld(element, a, b, tree) if weld else _connect(element, a, b, tree)
    if _carrier(a, above) == _carrier(b, above):
        return None
    exact = _relative(tree, b, a) @ at_a
    if _EXACTLY < _off(exact, at_b, kind == "fixed") < _ROUNDED:
        # decimals of a file leave a loop open by a little, and several loops then contradict one another by as much
        at_b = exact if kind == "fixed" else Placement(at_b.rotation, exact.position)
    with placed(*element.where):
        return LoopJoint(name, kind, a, b, at_a, at_b)


def _off(a: Placement, b: Placement, turned: bool) -> float:
    """How far two frames are from each other, in metres, or by the entries of their rotations if these count."""
    apart = [abs(float(x) - float(y)) for x, y in zip(a.position, b.position, strict=True)]
    if turned:
        apart += [
            abs(float(x) - float(y)) for r, s in zip(a.rotation, b.rotation, strict=True) for x, y in zip(r, s, strict=True)
        ]
    return max(apart)


def _carrier(body: str, above: Mapping[str, Joint]) -> str:
    """The body with joints of its own that a body is rigidly part of; `above` has the joint of each body."""
    while body in above and above[body].type == "fixed":
        body = above[body].parent
    return body


def _body(element: Element, name: str, tree: Tree) -> str:
    if name not in tree.names:
        raise element.error(one_of("body", name, tree.names))
    return tree.names[name]


def _site(element: Element, attribute: str, tree: Tree) -> tuple[str, Placement]:
    name = text(element, attribute)
    if name not in tree.sites:
        raise element.error(f"{attribute}: {one_of('site', name, tree.sites)}")
    return tree.sites[name]


def _relative(tree: Tree, a: str, b: str) -> Placement:
    """Body b in body a, as the model is written."""
    return tree.poses[a].inverse() @ tree.poses[b]


def _connect(element: Element, a: str, b: str, tree: Tree) -> tuple[Placement, Placement]:
    """The anchor is given on body 1; on body 2 it is where that point is as the model is written."""
    anchor = Placement(position=numbers(element, "anchor", 3))  # type: ignore[arg-type]
    return anchor, Placement(position=(_relative(tree, b, a) @ anchor).position)


def _weld(element: Element, a: str, b: str, tree: Tree) -> tuple[Placement, Placement]:
    """`relpose` is the anchor, a point of body 2, in body 1, with the orientation of body 2 in body 1."""
    anchor = Placement(position=numbers(element, "anchor", 3, v.ZERO))  # type: ignore[arg-type]
    pose = numbers(element, "relpose", 7, (0.0,) * 7)
    if not any(pose[3:]):
        return _relative(tree, a, b) @ anchor, anchor
    return Placement(quaternion(element, "relpose", pose[3:]), pose[:3]), anchor  # type: ignore[arg-type]


# -- couplings ---------------------------------------------------------------------------------------------------------


def _couple(
    element: Element,
    name: str,
    joints: Mapping[str, tuple[Joint, float]],
    tendons: Mapping[str, Tendon],
    found: Equalities,
    notes: Notes,
) -> None:
    """y - y0 = a0 + a1 (x - x0) + ... + a4 (x - x0)^4, of two joints or two tendons; without a second, y - y0 = a0."""
    first, second = f"{element.tag}1", f"{element.tag}2"
    a = numbers(element, "polycoef", 5, _POLYNOMIAL, least=1)
    a = (*a, *_POLYNOMIAL[len(a) :])
    if element.tag == "tendon":
        tendon = _tendon(element, first, tendons)
        others = [_tendon(element, second, tendons)] if second in element.attributes else []
        if not all(x.fixed for x in (tendon, *others)):
            _hold(element, name, tendon, others, a[0], found, notes)
            return
        ends = [(x.length, x.length0) for x in (tendon, *others)]
    else:
        keys = [first, *([second] if second in element.attributes else [])]
        ends = [(symbol(joint.name), ref) for joint, ref in (scalar_joint(element, key, joints) for key in keys)]
    (y, y0), x = ends[0], (ends[1][0] - ends[1][1] if len(ends) > 1 else None)
    right: Scalar = y0 + a[0]
    if x is not None:
        right = right + sum((c * x**n for n, c in enumerate(a[1:], 1) if c), 0)
    with placed(*element.where):
        found.constraints.append(Holonomic(name, y - right))
    notes.add(f"<equality> of a {element.tag}", _EXACT, name)


def _tendon(element: Element, attribute: str, tendons: Mapping[str, Tendon]) -> Tendon:
    name = text(element, attribute)
    if name not in tendons:
        raise element.error(f"{attribute}: {one_of('tendon', name, tendons)}")
    return tendons[name]


def _hold(element: Element, name: str, tendon: Tendon, others: list[Tendon], a0: float, found: Equalities, notes: Notes) -> None:
    """A spatial tendon between two sites that keeps its length keeps their distance. Any other is ignored."""
    length = tendon.length0 + a0
    if others or tendon.ends is None or tendon.ends[0][0] == tendon.ends[1][0] or not length > 0:
        meaning = "ignored: only a tendon that runs straight between two sites on two bodies is supported"
        notes.add("<equality> of a spatial tendon", meaning, name, warn=True)
        return
    (body, point), (other, end) = tendon.ends
    with placed(*element.where):
        made = LoopJoint(name, "distance", body, other, Placement(position=point), Placement(position=end), length=length)
    found.loops.append(made)
    notes.add("<equality> of a tendon", _EXACT, name)
