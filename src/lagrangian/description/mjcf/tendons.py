"""Tendons of MJCF: their lengths, the springs and dampers that they are, and what they add to joints.

A fixed tendon is a linear combination of coordinates of joints; a spatial one runs straight from site to site.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from lagrangian.description.mjcf.compiler import CompilerSettings, rotation_about
from lagrangian.description.mjcf.document import MAIN_CLASS, DefaultClasses
from lagrangian.description.mjcf.joint import non_negative_number, read_range
from lagrangian.description.mjcf.tree import MjcfTree
from lagrangian.description.notes import ReaderNotes
from lagrangian.description.schema import MJCF_DEFAULTS, check_mjcf_attributes
from lagrangian.description.xml import Element, number_attribute, number_attributes, text_attribute
from lagrangian.errors import error_location, unknown_name_message
from lagrangian.model import vector as v
from lagrangian.model.expression import Scalar, symbol
from lagrangian.model.joint import Joint
from lagrangian.model.mechanism import GROUND
from lagrangian.model.placement import Transform
from lagrangian.model.spring import CoordinateSpring, PointSpring

_TENDON_ATTRIBUTES = {*MJCF_DEFAULTS["tendon"], "name", "class"}
_CHILD_TAGS = {"fixed": ("joint",), "spatial": ("site", "geom", "pulley")}
_IGNORED_NOTES = {
    "frictionloss": "ignored: it has no dry friction",
    "armature": "ignored: it adds no inertia",
}
_CHILD_ATTRIBUTES = {"joint": ("joint", "coef"), "site": ("site",), "geom": ("geom", "sidesite"), "pulley": ("divisor",)}

Point = tuple[str, v.Vector]  # a body, and a point in its frame


@dataclass(frozen=True)
class TendonBranch:
    """A part of a spatial tendon between pulleys: its points, and the divisor of its length."""

    divisor: float
    points: tuple[Point, ...]


@dataclass(frozen=True)
class Tendon:
    """A tendon with its defaults applied: joints with coefficients if it is fixed, else the branches of its path."""

    element: Element
    name: str
    coefficients: tuple[tuple[Joint, float], ...]
    branches: tuple[TendonBranch, ...]
    wraps_geoms: bool  # whether it runs around geoms
    written_length: float  # in the pose in which the model is written
    rest_length: float  # where all joints are at their springref; the default rest length of a spring

    @property
    def fixed(self) -> bool:
        return self.element.tag == "fixed"

    @property
    def length(self) -> Scalar:
        """The length of a fixed tendon, as an expression of coordinates."""
        return pairwise_sum(c * symbol(joint.name) for joint, c in self.coefficients)

    @property
    def single_joint(self) -> tuple[Joint, float] | None:
        """The joint of a fixed tendon that has one joint, and its coefficient; None for any other tendon."""
        return self.coefficients[0] if len(self.coefficients) == 1 and self.coefficients[0][1] else None

    @property
    def ends(self) -> tuple[Point, Point] | None:
        """The two points of a spatial tendon that runs straight from one to the other; None for any other tendon."""
        if self.wraps_geoms or len(self.branches) != 1 or len(self.branches[0].points) != 2 or self.branches[0].divisor != 1:
            return None
        a, b = self.branches[0].points
        return a, b


def read_tendons(elements: Iterable[Element], tree: MjcfTree, defaults: DefaultClasses) -> dict[str, Tendon]:
    """The tendons by name; a tendon without a name gets a new one."""
    tendons: dict[str, Tendon] = {}
    rest_poses = _rest_poses(tree)
    joints = {j.name: (j, ref) for j, ref in zip(tree.joints, tree.refs, strict=True)}
    elements = list(elements)
    file_names = {element.attributes.get("name") for element in elements}
    for k, element in enumerate(elements):
        if element.tag not in _CHILD_TAGS:
            raise element.error(unknown_name_message("tendon", element.tag, tuple(_CHILD_TAGS)))
        element = defaults.apply_defaults(element, MAIN_CLASS, "tendon")
        check_mjcf_attributes(element, _TENDON_ATTRIBUTES)
        for child in element.children:
            if child.tag not in _CHILD_TAGS[element.tag]:
                raise child.error(unknown_name_message(f"element in <{element.tag}>", child.tag, _CHILD_TAGS[element.tag]))
            check_mjcf_attributes(child, _CHILD_ATTRIBUTES[child.tag])
        name = element.attributes.get("name") or f"tendon{k + 1}"
        while not element.attributes.get("name") and (name in tendons or name in file_names):
            name += "_"
        if name in tendons:
            raise element.error("there are two tendons of this name; names must differ")
        tendons[name] = (
            _read_fixed(element, name, joints) if element.tag == "fixed" else _read_spatial(element, name, tree, rest_poses)
        )
    return tendons


def resolve_scalar_joint(element: Element, attribute: str, joints: Mapping[str, tuple[Joint, float]]) -> tuple[Joint, float]:
    """The hinge or slide that an attribute names, and its coordinate in the pose in which the model is written."""
    name = text_attribute(element, attribute)
    if name not in joints:
        raise element.error(f"{attribute}: {unknown_name_message('joint', name, joints)}")
    joint, ref = joints[name]
    if joint.kind.nq != 1:
        raise element.error(f"{attribute}: joint {name!r} is a {joint.type} joint; it must be a hinge or a slide")
    return joint, ref


def _read_fixed(element: Element, name: str, joints: Mapping[str, tuple[Joint, float]]) -> Tendon:
    coefficients: list[tuple[Joint, float]] = []
    written_length, rest_length = 0.0, 0.0
    joint_names: set[str] = set()
    for child in element.children:
        joint, ref = resolve_scalar_joint(child, "joint", joints)
        if joint.name in joint_names:
            raise child.error(f"joint {joint.name!r} is twice in this tendon; list it once, with the sum of its coefficients")
        joint_names.add(joint.name)
        coefficients.append((joint, number_attribute(child, "coef")))
        written_length += coefficients[-1][1] * ref
        rest_length += coefficients[-1][1] * float(joint.spring.rest)
    if not coefficients:
        raise element.error('has no joint; a fixed tendon needs at least one, such as <joint joint="elbow" coef="1"/>')
    return Tendon(element, name, tuple(coefficients), (), False, written_length, rest_length)


def _read_spatial(element: Element, name: str, tree: MjcfTree, rest_poses: Mapping[str, Transform]) -> Tendon:
    branches: list[tuple[float, list[Point]]] = [(1.0, [])]
    for child in element.children:
        if child.tag == "pulley":
            divisor = number_attribute(child, "divisor")
            if not divisor > 0:
                raise child.error(f"divisor is {divisor:g}; it must be positive")
            branches.append((divisor, []))
        elif child.tag == "site":
            site = text_attribute(child, "site")
            if site not in tree.sites:
                raise child.error(f"site: {unknown_name_message('site', site, tree.sites)}")
            body, placement = tree.sites[site]
            branches[-1][1].append((body, placement.position))
    tendon_branches = tuple(TendonBranch(divisor, tuple(points)) for divisor, points in branches if points)
    wraps = any(child.tag == "geom" for child in element.children)
    lengths = (
        (0.0, 0.0)
        if wraps
        else (sum(_branch_length(branch, poses) for branch in tendon_branches) for poses in (tree.poses, rest_poses))
    )
    return Tendon(element, name, (), tendon_branches, wraps, *lengths)


def _rest_poses(tree: MjcfTree) -> dict[str, Transform]:
    """Poses of the bodies where all hinges and slides are at their springref, and other joints as the model is written."""
    poses = {GROUND: Transform()}
    for joint, ref in zip(tree.joints, tree.refs, strict=True):  # parents come before children
        step = tree.poses[joint.parent].inverse() @ tree.poses[joint.child]
        displacement = float(joint.spring.rest) - ref
        if joint.kind.nq == 1 and displacement:
            axis: v.Vector = joint.axis
            joint_motion = (
                Transform(position=v.scale(displacement, axis))
                if joint.type == "prismatic"
                else Transform(rotation_about(axis, displacement))
            )
            step = step @ joint.child_placement @ joint_motion @ joint.child_placement.inverse()
        poses[joint.child] = poses[joint.parent] @ step
    return poses


def _branch_length(branch: TendonBranch, poses: Mapping[str, Transform]) -> float:
    points = [(poses[body] @ Transform(position=point)).position for body, point in branch.points]
    return sum(math.dist(a, b) for a, b in pairwise(points)) / branch.divisor


# -- forces of tendons -------------------------------------------------------------------------------------------------


@dataclass
class TendonJointEffects:
    """Armature, dry friction and range that tendons of a single joint add to this joint, by its name."""

    armature: dict[str, float] = field(default_factory=dict)
    frictionloss: dict[str, float] = field(default_factory=dict)
    range: dict[str, tuple[float, float]] = field(default_factory=dict)


def joint_effects(tendons: Mapping[str, Tendon], compiler: CompilerSettings) -> TendonJointEffects:
    """The effects of all tendons of a single joint."""
    effects = TendonJointEffects()
    for tendon in tendons.values():
        if tendon.single_joint is None:
            continue
        (joint, c), element = tendon.single_joint, tendon.element
        for key, value_by_joint, lever in (("armature", effects.armature, c * c), ("frictionloss", effects.frictionloss, abs(c))):
            if value := non_negative_number(element, key):
                value_by_joint[joint.name] = value_by_joint.get(joint.name, 0.0) + lever * value
        span = read_range(element, "range", "limited", compiler)
        if span is not None:
            low, high = sorted((span[0] / c, span[1] / c))
            joint_range = effects.range.get(joint.name, (float(joint.limits.lower), float(joint.limits.upper)))
            effects.range[joint.name] = max(low, joint_range[0]), min(high, joint_range[1])
            if not low <= joint_range[1] or not joint_range[0] <= high:
                range_text = f"{low:g} to {high:g}"
                raise element.error(f"range leaves joint {joint.name!r} {range_text}, none of which is within its own limits")
    return effects


def read_springs(
    tendons: Mapping[str, Tendon], used_names: Iterable[str], compiler: CompilerSettings, notes: ReaderNotes
) -> list[PointSpring | CoordinateSpring]:
    """Springs and dampers of tendons; what else tendons have is noted. `used_names` are names that no spring may have."""
    springs: list[PointSpring | CoordinateSpring] = []
    names = set(used_names)
    for name, tendon in tendons.items():
        _note_ignored(tendon, compiler, notes)
        stiffness, damping = (_read_linear(tendon.element, key, name, notes) for key in ("stiffness", "damping"))
        if not stiffness and not damping:
            continue
        low, high = _rest_lengths(tendon)
        parameters = {"stiffness": stiffness, "rest": low, "damping": damping, "slack": high - low}
        label = name
        while label in names:
            label += "_tendon"
        with error_location(*tendon.element.where):
            if tendon.fixed:
                springs.append(CoordinateSpring(label, tendon.length, **parameters))
            elif tendon.wraps_geoms or len(tendon.branches) != 1 or tendon.branches[0].divisor != 1:
                path_text = "around geoms" if tendon.wraps_geoms else "over a pulley"
                notes.add(f"<spatial> tendon {path_text}", "ignored, with its spring and damping", name, warn=True)
                continue
            elif len(tendon.branches[0].points) > 1:
                (a, first), *via, (b, last) = tendon.branches[0].points
                springs.append(PointSpring(label, a, b, first, last, **parameters, via=tuple(via)))
        names.add(label)
    return springs


def pairwise_sum(terms: Iterable[Scalar]) -> Scalar:
    """The sum of expressions, in pairs: hundreds of terms in sequence would be nested too deeply for Python."""
    partial_sums = list(terms)
    while len(partial_sums) > 1:
        partial_sums = [sum(partial_sums[k : k + 2]) for k in range(0, len(partial_sums), 2)]
    return partial_sums[0] if partial_sums else 0


def _note_ignored(tendon: Tendon, compiler: CompilerSettings, notes: ReaderNotes) -> None:
    element = tendon.element
    if tendon.single_joint is None:
        for key, meaning in _IGNORED_NOTES.items():
            if non_negative_number(element, key):
                notes.add(f"{key} of a tendon", meaning, tendon.name, warn=True)
        if read_range(element, "range", "limited", compiler) is not None:
            notes.add("range of a tendon", "ignored: the tendon has no limits", tendon.name, warn=True)
    if number_attribute(element, "springyield", 0.0) > 0:
        notes.add("springyield", "ignored: the spring is linear", tendon.name, warn=True)


def _read_linear(element: Element, attribute: str, name: str, notes: ReaderNotes) -> float:
    value, *nonlinear = number_attributes(element, attribute, 3, (0.0,), min_count=1)
    if any(nonlinear):
        notes.add(f"nonlinear {attribute}", "only its linear part is read", name, warn=True)
    if value < 0:
        raise element.error(f"{attribute} is {value:g}; it cannot be negative")
    return value


def _rest_lengths(tendon: Tendon) -> tuple[float, float]:
    """The two lengths between which the spring is slack; by default both are the length at which the joints' springs rest."""
    lengths = number_attributes(tendon.element, "springlength", 2, (-1.0,), min_count=1)
    low, high = lengths[0], lengths[-1]
    if low == high == -1:
        return tendon.rest_length, tendon.rest_length
    if low > high:
        raise tendon.element.error(f"springlength is {low:g} {high:g}; the first must not be greater than the second")
    return low, high
