"""Constraints and springs written as MJCF: equalities for loops and couplings, tendons for springs and distances."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from lagrangian.description import notes
from lagrangian.description.notes import WriterNotes
from lagrangian.description.unique_names import UniqueNames
from lagrangian.description.writing.expressible import affine_coefficients, polynomial_coefficients
from lagrangian.description.writing.loops import AXIS_SPACING, SampledLoops
from lagrangian.description.xml import Tag
from lagrangian.model import vector as v
from lagrangian.model.constraint import HolonomicConstraint
from lagrangian.model.expression import Scalar, free_symbols, substitute
from lagrangian.model.expression.derivative import derivative
from lagrangian.model.loop import LoopJoint
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.placement import Transform
from lagrangian.model.spring import CoordinateSpring, GravityCompensation, PointSpring

_DEGREE = 4  # of the polynomials that couple joints
# the stiffest constraints of MuJoCo, because those of a mechanism are exact
_STIFF_SOLVER = {"solref": (0.004, 1.0), "solimp": (0.9999, 0.9999, 0.001, 0.5, 2.0)}

SiteAdder = Callable[[str, Transform, str], str]  # adds a site on a body at a placement; takes a proposed name, returns the name


class ConstraintWriter:
    """Collects equalities and tendons. `values` are the written coordinates, `joints` the names of joints in the file."""

    def __init__(
        self,
        mechanism: Mechanism,
        joints: Mapping[str, str],
        values: Mapping[str, float],
        add_site: SiteAdder,
        remarks: WriterNotes,
    ) -> None:
        self.mechanism, self.joints, self.values, self.add_site, self.remarks = mechanism, joints, values, add_site, remarks
        self.equality, self.tendon = Tag("equality"), Tag("tendon")
        self.gravcomp: dict[str, float] = {}
        self._names, self._tendons = UniqueNames(remarks), UniqueNames(remarks)

    # -- loops ---------------------------------------------------------------------------------------------------------

    def write_loops(self, written_poses: Mapping[str, np.ndarray], closed_poses: Mapping[str, np.ndarray]) -> None:
        """Write the loops. `written_poses` of the bodies are those of the file, `closed_poses` those that close the loops."""
        sampled_loops = SampledLoops(self.mechanism)
        for loop in self.mechanism.loops:
            match sampled_loops.effective_type(loop):
                case "ball":
                    self._add_loop_sites("connect", loop)
                case "fixed":
                    self._add_loop_sites("weld", loop)
                case "revolute":
                    self._add_loop_sites("connect", loop)
                    if not sampled_loops.has_parallel_axes(loop):  # else one point is enough, as in a plane
                        self._add_loop_sites(
                            "connect", loop, AXIS_SPACING, "_axis", AXIS_SPACING * _axes_sign(loop, closed_poses)
                        )
                case "distance":
                    self._write_distance(loop, written_poses)
                case loop_type:
                    notes.note_loop(loop.name, loop_type, self.remarks)
                    continue
            self.remarks.add("loop", "{is} soft in MuJoCo, as all constraints are there", loop.name)

    def _add_loop_sites(self, tag: str, loop: LoopJoint, a_offset: float = 0.0, suffix: str = "", b_offset: float = 0.0) -> None:
        """Add an equality between two sites at the frames of a loop, or at an offset along its axis."""
        ends = []
        for body, placement, distance, end in (
            (loop.a, loop.a_placement, a_offset, "a"),
            (loop.b, loop.b_placement, b_offset, "b"),
        ):
            offset = Transform(position=v.scale(distance, loop.axis)) if distance else Transform()
            ends.append(self.add_site(body, placement @ offset, f"{loop.name}{suffix}_{end}"))
        a, b = ends
        name = self._names.name_for("loop", loop.name) if not suffix else self._names.free_name(f"{loop.name}{suffix}")
        self.equality.add(Tag(tag, name=name, site1=a, site2=b, **_STIFF_SOLVER))

    def _write_distance(self, loop: LoopJoint, written_poses: Mapping[str, np.ndarray]) -> None:
        ends = ((loop.a, loop.a_placement), (loop.b, loop.b_placement))
        points = [(written_poses[body] @ placement.matrix())[:3, 3] for body, placement in ends]
        tendon = self._tendons.name_for("loop", loop.name)
        sites = [self.add_site(body, placement, f"{loop.name}_{end}") for (body, placement), end in zip(ends, "ab", strict=True)]
        self.tendon.add(Tag("spatial", [Tag("site", site=x) for x in sites], name=tendon))
        length_change = float(loop.length) - math.dist(*points)
        self.equality.add(
            Tag(
                "tendon",
                name=self._names.name_for("loop", loop.name),
                tendon1=tendon,
                polycoef=(length_change, 0, 0, 0, 0),
                **_STIFF_SOLVER,
            )
        )

    # -- couplings -----------------------------------------------------------------------------------------------------

    def write_coupling(self, name: str, follower: str, leader: str, coefficients: tuple[float, ...]) -> None:
        """Write follower = polynomial(leader), which MuJoCo has in differences from the written coordinates."""
        x0, y0 = self.values[leader], self.values[follower]
        shifted_polynomial = np.polynomial.Polynomial(coefficients)(np.polynomial.Polynomial([x0, 1.0])).coef
        polycoef = [0.0] * (_DEGREE + 1)
        polycoef[: len(shifted_polynomial)] = shifted_polynomial.tolist()
        polycoef[0] -= y0
        self.equality.add(
            Tag(
                "joint",
                name=self._names.free_name(name),
                joint1=self.joints[follower],
                joint2=self.joints[leader],
                polycoef=tuple(polycoef),
                **_STIFF_SOLVER,
            )
        )

    def write_constraint(self, constraint: HolonomicConstraint) -> None:
        """Write an equation of coordinates if MuJoCo has equations of its form."""
        names = sorted(free_symbols(constraint.equation))
        if constraint.unilateral or not all(name in self.joints for name in names) or not self._write_equation(constraint, names):
            notes.note_constraint(constraint, self.remarks)

    def _write_equation(self, constraint: HolonomicConstraint, names: list[str]) -> bool:
        linear_form = affine_coefficients(constraint.equation)
        if linear_form is not None and len(linear_form[0]) == 1:
            (name, c), constant = next(iter(linear_form[0].items())), linear_form[1]
            target = -constant / c - self.values[name]
            self.equality.add(
                Tag(
                    "joint",
                    name=self._names.name_for("constraint", constraint.name),
                    joint1=self.joints[name],
                    polycoef=(target, 0, 0, 0, 0),
                    **_STIFF_SOLVER,
                )
            )
            return True
        if len(names) == 2:
            for follower in names:
                (leader,) = (name for name in names if name != follower)
                polynomial = _solve_for_follower(constraint.equation, follower, leader)
                if polynomial is not None:
                    self.write_coupling(constraint.name, follower, leader, polynomial)
                    return True
        if linear_form is None or not linear_form[0]:
            return False
        tendon = self._add_fixed_tendon(constraint.name, linear_form[0])
        target = -linear_form[1] - sum(c * self.values[name] for name, c in linear_form[0].items())
        tag = Tag(
            "tendon",
            name=self._names.name_for("constraint", constraint.name),
            tendon1=tendon,
            polycoef=(target, 0, 0, 0, 0),
            **_STIFF_SOLVER,
        )
        self.equality.add(tag)
        return True

    def _add_fixed_tendon(self, name: str, coefficients: Mapping[str, float], **attributes: object) -> str:
        """Add a tendon whose length is a sum of coordinates."""
        tendon_name = self._tendons.name_for("tendon", name)
        terms = [Tag("joint", joint=self.joints[joint], coef=c) for joint, c in coefficients.items()]
        self.tendon.add(Tag("fixed", terms, name=tendon_name, **attributes))
        return tendon_name

    # -- springs -------------------------------------------------------------------------------------------------------

    def write_spring(self, spring: object) -> None:
        match spring:
            case GravityCompensation():
                self.gravcomp[spring.body] = self.gravcomp.get(spring.body, 0.0) + float(spring.factor)
            case PointSpring():
                self._write_point_spring(spring)
            case CoordinateSpring():
                self._write_coordinate_spring(spring)
            case _:
                notes.note_spring(spring, self.remarks)

    def _write_point_spring(self, spring: PointSpring) -> None:
        sites = [self.add_site(body, Transform(position=p), f"{spring.name}_{k}") for k, (body, p) in enumerate(spring.points, 1)]
        attributes = _spring_attributes(spring, float(spring.rest))
        self.tendon.add(
            Tag("spatial", [Tag("site", site=x) for x in sites], name=self._tendons.name_for("spring", spring.name), **attributes)
        )

    def _write_coordinate_spring(self, spring: CoordinateSpring) -> None:
        linear_form = affine_coefficients(spring.length)
        if linear_form is None or not all(name in self.joints for name in linear_form[0]):
            notes.note_spring(spring, self.remarks)
            return
        rest_length = float(spring.rest) - linear_form[1]
        if rest_length == -1 and not float(spring.slack):  # which in MuJoCo means that none is given
            self._add_fixed_tendon(
                spring.name, {name: -c for name, c in linear_form[0].items()}, **_spring_attributes(spring, 1.0)
            )
        else:
            self._add_fixed_tendon(spring.name, linear_form[0], **_spring_attributes(spring, rest_length))


def _axes_sign(loop: LoopJoint, poses: Mapping[str, np.ndarray]) -> int:
    """1 if the axes of a closed revolute loop point in the same direction, -1 if in opposite directions."""
    axis = np.array(loop.axis, dtype=float)
    ends = [(poses[b] @ p.matrix())[:3, :3] @ axis for b, p in ((loop.a, loop.a_placement), (loop.b, loop.b_placement))]
    return 1 if float(ends[0] @ ends[1]) >= 0 else -1


def _spring_attributes(spring: PointSpring | CoordinateSpring, rest_length: float) -> dict[str, object]:
    attributes: dict[str, object] = {"stiffness": spring.stiffness}
    attributes |= {"damping": spring.damping} if float(spring.damping) else {}
    slack = float(spring.slack)
    return attributes | {"springlength": (rest_length, rest_length + slack) if slack else rest_length}


def _solve_for_follower(equation: Scalar, follower: str, leader: str) -> tuple[float, ...] | None:
    """The follower as a polynomial of the leader; None if it is no polynomial."""
    slope = derivative(equation, follower)
    if free_symbols(slope) or not float(slope):
        return None
    coefficients = polynomial_coefficients(substitute(equation, {follower: 0}), leader, _DEGREE)
    return None if coefficients is None else tuple(-x / float(slope) for x in coefficients)
