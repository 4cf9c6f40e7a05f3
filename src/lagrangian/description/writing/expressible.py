"""A mechanism in the form that a file format can express.

Writers change a mechanism before they write it. They count coordinates from another configuration, put the frames of bodies
elsewhere, and replace joints by chains of simpler ones with massless bodies between them. The parts of a joint have the names of
its coordinates, such as `wrist.1` and `wrist.2`, so that coordinates keep their names. Equations of coordinates become sums of
multiples, or polynomials of one coordinate.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NoReturn

import numpy as np

from lagrangian.description.writing.loops import joint_displacement, q_slices
from lagrangian.errors import DescriptionError, LagrangianError, MechanismPart
from lagrangian.model import vector as v
from lagrangian.model.body import Body
from lagrangian.model.constraint import Constraint, KnifeEdgeConstraint, RollingConstraint
from lagrangian.model.expression import Scalar, free_symbols, substitute
from lagrangian.model.expression.derivative import derivative
from lagrangian.model.frame import Frame
from lagrangian.model.joint import Friction, Joint, JointLimits, JointSpring, Rotor
from lagrangian.model.joints.cam import ANGLE
from lagrangian.model.joints.free import SLIDES
from lagrangian.model.loop import LoopJoint
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.placement import Transform
from lagrangian.model.spring import PointSpring, Spring, Wall

InversePlacements = Mapping[str, Transform]  # of the old frames of bodies in their new ones


def with_zero_at(m: Mechanism, q: np.ndarray) -> Mechanism:
    """The mechanism with the zero of its coordinates at q, for joints of one coordinate and balls; limits and springs follow."""
    slices = q_slices(m)
    return m.replace(joints=tuple(_with_zero_at(joint, q[slices[joint.name]]) for joint in m.joints))


def _with_zero_at(joint: Joint, q: np.ndarray) -> Joint:
    if not joint.kind.nq or np.array_equal(q, joint.kind.neutral) or joint.type == "free":
        return joint
    placement = joint.placement @ Transform.from_matrix(joint_displacement(joint, q))
    if joint.kind.nq > 1:
        return replace(joint, placement=placement)
    value, limits, spring = float(q[0]), joint.limits, joint.spring
    return replace(
        joint,
        placement=placement,
        limits=replace(limits, lower=limits.lower - value, upper=limits.upper - value),
        spring=replace(spring, rest=float(spring.rest) - value) if float(spring.stiffness) else spring,
    )


# -- other frames of bodies ----------------------------------------------------------------------------------------------


def with_body_frames(m: Mechanism, frames: Mapping[str, Transform]) -> Mechanism:
    """The mechanism with new frames of bodies; `frames` are their placements in the old ones, and nothing else moves."""
    inverse_placements = {body: placement.inverse() for body, placement in frames.items() if not placement.is_identity}
    if not inverse_placements:
        return m
    joints = []
    for joint in m.joints:
        parent_change, child_change = inverse_placements.get(joint.parent), inverse_placements.get(joint.child)
        changes: dict[str, Any] = {} if parent_change is None else {"placement": parent_change @ joint.placement}
        if child_change is not None:
            changes["child_placement"] = child_change @ joint.child_placement
        joints.append(replace(joint, **changes) if changes else joint)
    return m.replace(
        bodies=tuple(
            _move_body(body, inverse_placements[body.name]) if body.name in inverse_placements else body for body in m.bodies
        ),
        joints=tuple(joints),
        loops=tuple(_move_loop(loop, inverse_placements) for loop in m.loops),
        frames=tuple(_move_frame(frame, inverse_placements) for frame in m.frames),
        springs=tuple(_move_spring(spring, inverse_placements) for spring in m.springs),
        constraints=tuple(_move_constraint(constraint, inverse_placements) for constraint in m.constraints),
    )


def transform_point(placement: Transform, p: v.Vector) -> v.Vector:
    """A point of a placed frame, in the outer frame."""
    return v.add(placement.position, v.mat_vec(placement.rotation, p))


def _move_body(body: Body, placement: Transform) -> Body:
    inertia = body.inertia if placement.rotation == v.IDENTITY else v.sym_rotate(placement.rotation, body.inertia)
    visuals = tuple(replace(x, placement=placement @ x.placement) for x in body.visuals)
    # rounding may make an inertia impossible that is only just possible
    return replace(body, center=transform_point(placement, body.center), inertia=inertia, visuals=visuals, effective=True)


def _move_loop(loop: LoopJoint, inverse_placements: InversePlacements) -> LoopJoint:
    a, b = inverse_placements.get(loop.a, Transform()), inverse_placements.get(loop.b, Transform())
    return replace(loop, a_placement=a @ loop.a_placement, b_placement=b @ loop.b_placement)


def _move_frame(frame: Frame, inverse_placements: InversePlacements) -> Frame:
    return (
        replace(frame, placement=inverse_placements[frame.body] @ frame.placement) if frame.body in inverse_placements else frame
    )


def _move_spring(spring: Spring, inverse_placements: InversePlacements) -> Spring:
    def transform(body: str, p: v.Vector) -> v.Vector:
        return transform_point(inverse_placements[body], p) if body in inverse_placements else p

    if isinstance(spring, PointSpring):
        via = tuple((body, transform(body, p)) for body, p in spring.via)
        return replace(spring, a_point=transform(spring.a, spring.a_point), b_point=transform(spring.b, spring.b_point), via=via)
    if isinstance(spring, Wall):
        normal = (
            v.mat_vec(inverse_placements[spring.on].rotation, spring.normal) if spring.on in inverse_placements else spring.normal
        )
        point, position = transform(spring.body, spring.point), transform(spring.on, spring.position)
        return replace(spring, point=point, position=position, normal=normal)
    return spring


def _move_constraint(constraint: Constraint, inverse_placements: InversePlacements) -> Constraint:
    """A constraint with its points and directions in the new frames. No format has these yet, but the mechanism stays whole."""
    if isinstance(constraint, KnifeEdgeConstraint) and constraint.body in inverse_placements:
        placement = inverse_placements[constraint.body]
        return replace(
            constraint,
            direction=v.mat_vec(placement.rotation, constraint.direction),
            point=transform_point(placement, constraint.point),
        )
    if isinstance(constraint, RollingConstraint):
        body_placement = inverse_placements.get(constraint.body, Transform())
        surface_placement = inverse_placements.get(constraint.on, Transform())
        axis = None if constraint.axis is None else v.mat_vec(body_placement.rotation, constraint.axis)
        normal = v.mat_vec(surface_placement.rotation, constraint.normal)
        return replace(
            constraint,
            center=transform_point(body_placement, constraint.center),
            axis=axis,
            normal=normal,
            point=transform_point(surface_placement, constraint.point),
        )
    return constraint


# -- joints as chains of simpler ones ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ChainJoint:
    """One joint of a chain that replaces a joint; `without_load` leaves friction, rotor, spring and limits out."""

    name: str
    type: str
    axis: v.Vector | None = None
    without_load: bool = False


def split_joints(m: Mechanism, chain_of: Callable[[Joint], Sequence[ChainJoint]]) -> Mechanism:
    """The mechanism with each joint replaced by the chain of `chain_of`, unless that is empty."""
    bodies = {body.name: body for body in m.bodies}
    joints: list[Joint] = []
    for joint in m.joints:
        chain = chain_of(joint)
        if not chain:
            joints.append(joint)
            continue
        intermediate_bodies = [_free_name(f"{chain_joint.name}.link", bodies) for chain_joint in chain[:-1]]
        bodies |= {name: Body(name) for name in intermediate_bodies}
        body_names = [joint.parent, *intermediate_bodies, joint.child]
        for k, chain_joint in enumerate(chain):
            without_load: dict[str, Any] = (
                {"friction": Friction(), "rotor": Rotor(), "spring": JointSpring(), "limits": JointLimits()}
                if chain_joint.without_load
                else {}
            )
            joints.append(
                replace(
                    joint,
                    name=chain_joint.name,
                    type=chain_joint.type,
                    parent=body_names[k],
                    child=body_names[k + 1],
                    placement=joint.placement if k == 0 else Transform(),
                    child_placement=joint.child_placement if k == len(chain) - 1 else Transform(),
                    type_entries=() if chain_joint.axis is None else (("axis", chain_joint.axis),),
                    **without_load,
                )
            )
    return m.replace(bodies=tuple(bodies.values()), joints=tuple(joints))


def single_coordinate_chain(joint: Joint) -> list[ChainJoint]:
    """The single-coordinate joints that a joint consists of; empty if it has only one."""
    type_steps = joint.kind.steps(joint)
    if len(type_steps) < 2:
        return []
    return [ChainJoint(f"{joint.name}.{step.label}", step.kind.name, step.axis) for step in type_steps]


def slides_and_ball_chain(joint: Joint) -> list[ChainJoint]:
    """A free joint as three slides, along the axes of its parent, and a ball joint."""
    return [
        *(ChainJoint(f"{joint.name}.{x.label}", "prismatic", x.axis, without_load=True) for x in SLIDES),
        ChainJoint(joint.name, "ball"),
    ]


def yaw_pitch_roll_chain(joint: Joint) -> list[ChainJoint]:
    """A ball joint as rotations about the moving z, y and x."""
    rotations = [step for step in joint.kind.single_steps(joint) if step.kind.turns]
    return [ChainJoint(f"{joint.name}.{step.label}", "revolute", step.axis, without_load=True) for step in rotations]


def screw_chain(joint: Joint) -> list[ChainJoint]:
    """A screw as a rotation, which is the joint's coordinate, and a slide that must follow it."""
    return [
        ChainJoint(joint.name, "revolute", joint.axis),
        ChainJoint(f"{joint.name}.advance", "prismatic", joint.axis, without_load=True),
    ]


def _free_name(name: str, used_names: dict[str, Body]) -> str:
    while name in used_names:
        name += "_"
    return name


# -- equations and screws ------------------------------------------------------------------------------------------------


def affine_coefficients(x: Scalar) -> tuple[dict[str, float], float] | None:
    """The linear form of an expression: the coefficient of each name, and the constant; None if it is not linear."""
    names = sorted(free_symbols(x))
    try:
        slopes = {name: derivative(x, name) for name in names}
        if any(free_symbols(slope) for slope in slopes.values()):
            return None
        constant = float(substitute(x, dict.fromkeys(names, 0)))
    except (LagrangianError, TypeError, ValueError, ZeroDivisionError, RecursionError):
        return None
    return {name: c for name, slope in slopes.items() if (c := float(slope))}, constant


def polynomial_coefficients(x: Scalar, name: str, degree: int) -> tuple[float, ...] | None:
    """The coefficients of a polynomial in one name, from the constant on; None if it is no polynomial of this degree or less."""
    coefficients: list[float] = []
    factor = 1
    try:
        for k in range(degree + 1):
            factor *= max(k, 1)
            coefficients.append(float(substitute(x, {name: 0})) / factor)
            x = derivative(x, name)
            if not free_symbols(x):
                if k < degree:
                    coefficients.append(float(x) / (factor * (k + 1)))
                    return tuple(coefficients)
                return tuple(coefficients) if float(x) == 0 else None
    except (LagrangianError, TypeError, ValueError, ZeroDivisionError, RecursionError):
        return None
    return None


def advance_coefficients(joint: Joint, degree: int, format: str) -> tuple[float, ...]:  # noqa: A002
    """The advance of a screw or cam as a polynomial of the angle, from the constant on; an error if a format cannot hold it."""
    if joint.type == "helical":
        return (0.0, float(joint.pitch))
    coefficients = polynomial_coefficients(joint.advance, ANGLE, degree) if joint.type == "cam" else None
    return raise_unsupported_joint(joint, format) if coefficients is None else coefficients


def raise_unsupported_joint(joint: Joint, format: str) -> NoReturn:  # noqa: A002
    """Raise the error of a joint that a format does not have."""
    raise DescriptionError(
        f"a {joint.type} joint of this form cannot be written as {format}",
        where=MechanismPart("joint", joint.name),
        remedy="write the mechanism as TOML, or describe the joint by revolute and prismatic joints",
    )
