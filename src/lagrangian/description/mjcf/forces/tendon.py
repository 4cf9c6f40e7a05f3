"""MuJoCo's tendons: fixed ones, linear combinations of joints, and spatial ones, which run straight from site to site."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from lagrangian.description.mjcf.compiler import about
from lagrangian.description.mjcf.document import MAIN, Defaults
from lagrangian.description.mjcf.forces.total import total
from lagrangian.description.mjcf.schema import DEFAULTS, check_attributes
from lagrangian.description.mjcf.tree import Tree
from lagrangian.description.xml import Element, number, text
from lagrangian.errors import one_of
from lagrangian.model import vector as v
from lagrangian.model.expression import Scalar, symbol
from lagrangian.model.joint import Joint
from lagrangian.model.mechanism import GROUND
from lagrangian.model.placement import Placement

_KNOWN = {*DEFAULTS["tendon"], "name", "class"}
_INSIDE = {"fixed": ("joint",), "spatial": ("site", "geom", "pulley")}
_ATTRIBUTES = {"joint": ("joint", "coef"), "site": ("site",), "geom": ("geom", "sidesite"), "pulley": ("divisor",)}

Point = tuple[str, v.Vector]  # a body, and a point in its frame


@dataclass(frozen=True)
class Branch:
    """A part of a spatial tendon that is not interrupted by a pulley: its points, and by what its length is divided."""

    divisor: float
    points: tuple[Point, ...]


@dataclass(frozen=True)
class Tendon:
    """A tendon, its defaults applied: joints with coefficients if it is fixed, else the branches of its path."""

    element: Element
    name: str
    coefficients: tuple[tuple[Joint, float], ...]
    branches: tuple[Branch, ...]
    wraps: bool  # whether it runs around geoms
    length0: float  # in the pose in which the model is written
    rest: float  # where all joints are at their springref, which is where a spring rests unless it is said

    @property
    def fixed(self) -> bool:
        return self.element.tag == "fixed"

    @property
    def length(self) -> Scalar:
        """Of a fixed tendon, as an expression of coordinates."""
        return total(c * symbol(joint.name) for joint, c in self.coefficients)

    @property
    def lever(self) -> tuple[Joint, float] | None:
        """The one joint of a fixed tendon, and its coefficient: what acts on the tendon acts on the joint; None of any other."""
        return self.coefficients[0] if len(self.coefficients) == 1 and self.coefficients[0][1] else None

    @property
    def ends(self) -> tuple[Point, Point] | None:
        """The two points of a spatial tendon that runs straight from one to the other; None of any other."""
        if self.wraps or len(self.branches) != 1 or len(self.branches[0].points) != 2 or self.branches[0].divisor != 1:
            return None
        a, b = self.branches[0].points
        return a, b


def tendons(elements: Iterable[Element], tree: Tree, defaults: Defaults) -> dict[str, Tendon]:
    """By name, those without one by a name that no other has."""
    found: dict[str, Tendon] = {}
    rest = _rest_poses(tree)
    joints = {j.name: (j, ref) for j, ref in zip(tree.joints, tree.refs, strict=True)}
    elements = list(elements)
    given = {element.attributes.get("name") for element in elements}
    for k, element in enumerate(elements):
        if element.tag not in _INSIDE:
            raise element.error(one_of("tendon", element.tag, tuple(_INSIDE)))
        element = defaults.applied(element, MAIN, "tendon")
        check_attributes(element, _KNOWN)
        for child in element.children:
            if child.tag not in _INSIDE[element.tag]:
                raise child.error(one_of(f"element in <{element.tag}>", child.tag, _INSIDE[element.tag]))
            check_attributes(child, _ATTRIBUTES[child.tag])
        name = element.attributes.get("name") or f"tendon{k + 1}"
        while not element.attributes.get("name") and (name in found or name in given):
            name += "_"
        if name in found:
            raise element.error("there are two tendons of this name; names must differ")
        found[name] = _fixed(element, name, joints) if element.tag == "fixed" else _spatial(element, name, tree, rest)
    return found


def _fixed(element: Element, name: str, joints: Mapping[str, tuple[Joint, float]]) -> Tendon:
    coefficients: list[tuple[Joint, float]] = []
    length, rest = 0.0, 0.0
    named: set[str] = set()
    for child in element.children:
        joint, ref = scalar_joint(child, "joint", joints)
        if joint.name in named:
            raise child.error(f"joint {joint.name!r} is twice in this tendon; list it once, with the sum of its coefficients")
        named.add(joint.name)
        coefficients.append((joint, number(child, "coef")))
        length += coefficients[-1][1] * ref
        rest += coefficients[-1][1] * float(joint.spring.rest)
    if not coefficients:
        raise element.error('has no joint; a fixed tendon needs at least one, such as <joint joint="elbow" coef="1"/>')
    return Tendon(element, name, tuple(coefficients), (), False, length, rest)


def scalar_joint(element: Element, attribute: str, joints: Mapping[str, tuple[Joint, float]]) -> tuple[Joint, float]:
    """The hinge or slide that an attribute names, and its coordinate in the pose in which the model is written."""
    name = text(element, attribute)
    if name not in joints:
        raise element.error(f"{attribute}: {one_of('joint', name, joints)}")
    joint, ref = joints[name]
    if joint.kind.nq != 1:
        raise element.error(f"{attribute}: joint {name!r} is a {joint.type} joint; it must be a hinge or a slide")
    return joint, ref


def _spatial(element: Element, name: str, tree: Tree, rest: Mapping[str, Placement]) -> Tendon:
    branches: list[tuple[float, list[Point]]] = [(1.0, [])]
    for child in element.children:
        if child.tag == "pulley":
            divisor = number(child, "divisor")
            if not divisor > 0:
                raise child.error(f"divisor is {divisor:g}; it must be positive")
            branches.append((divisor, []))
        elif child.tag == "site":
            site = text(child, "site")
            if site not in tree.sites:
                raise child.error(f"site: {one_of('site', site, tree.sites)}")
            body, placement = tree.sites[site]
            branches[-1][1].append((body, placement.position))
    made = tuple(Branch(divisor, tuple(points)) for divisor, points in branches if points)
    wraps = any(child.tag == "geom" for child in element.children)
    lengths = (0.0, 0.0) if wraps else (sum(_length(branch, poses) for branch in made) for poses in (tree.poses, rest))
    return Tendon(element, name, (), made, wraps, *lengths)


def _rest_poses(tree: Tree) -> dict[str, Placement]:
    """The bodies in the world where all hinges and slides are at their springref, and all else as it is written."""
    found = {GROUND: Placement()}
    for joint, ref in zip(tree.joints, tree.refs, strict=True):  # parents come before children
        written = tree.poses[joint.parent].inverse() @ tree.poses[joint.child]
        turn = float(joint.spring.rest) - ref
        if joint.kind.nq == 1 and turn:
            axis: v.Vector = joint.axis
            moved = Placement(position=v.scale(turn, axis)) if joint.type == "prismatic" else Placement(about(axis, turn))
            written = written @ joint.child_placement @ moved @ joint.child_placement.inverse()
        found[joint.child] = found[joint.parent] @ written
    return found


def _length(branch: Branch, poses: Mapping[str, Placement]) -> float:
    at = [(poses[body] @ Placement(position=point)).position for body, point in branch.points]
    return sum(math.dist(a, b) for a, b in pairwise(at)) / branch.divisor
