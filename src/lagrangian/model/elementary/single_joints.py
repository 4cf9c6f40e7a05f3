"""The same mechanism with joints of one coordinate only: what a closed form is written for.

Each joint becomes the steps that its type says (`JointType.single_steps`), with massless bodies between: a universal joint two
turns, a ball yaw, pitch and roll about the moving z, y, x axes, a free joint three slides and these turns. A ball's and a free
joint's speeds become rates of those angles; at pitch = 90 degrees they stop being coordinates, as any three angles do somewhere.
A body that rolls turns by other angles, yaw, lean and spin (`leaning`).
"""

from __future__ import annotations

from dataclasses import replace

from lagrangian.errors import MechanismError, Part
from lagrangian.model.body import Body
from lagrangian.model.configuration import Initial
from lagrangian.model.constraint import Constraint, Holonomic, Pfaffian
from lagrangian.model.elementary import leaning
from lagrangian.model.expression import Scalar, free_symbols
from lagrangian.model.joint import Joint
from lagrangian.model.joints.joint_type import Combination
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.placement import Placement
from lagrangian.model.spring import CoordinateSpring


def elementary(mechanism: Mechanism) -> Mechanism:
    """The mechanism itself, if all its joints have at most one coordinate already."""
    if all(joint.kind.nq <= 1 for joint in mechanism.joints):
        return mechanism
    bodies, joints = list(mechanism.bodies), []
    speeds: dict[str, Combination] = {}
    turned = []
    for joint in mechanism.joints:
        speeds.update(joint.kind.speeds_by_steps(joint))
        if joint.kind.nq <= 1:
            joints.append(joint)
            continue
        steps = joint.kind.single_steps(joint)
        rolled = leaning.turns(mechanism, joint)
        steps = (*steps[:-3], *rolled) if rolled else steps
        between = [Body(f"{joint.name}.{step.label}.link") for step in steps[:-1]]
        bodies += between
        chain = [joint.parent, *(b.name for b in between), joint.child]
        for k, step in enumerate(steps):
            joints.append(
                replace(
                    joint,
                    name=f"{joint.name}.{step.label}",
                    type=step.kind.name,
                    parent=chain[k],
                    child=chain[k + 1],
                    placement=joint.placement if k == 0 else Placement(),
                    child_placement=joint.child_placement if k == len(steps) - 1 else Placement(),
                    own=(("axis", step.axis),),
                )
            )
        if joint.kind.quaternion:
            _refuse_what_acts_at(joint)
            turned.append(joint)
    constraints = tuple(_rewritten(c, speeds, turned) for c in mechanism.constraints)
    for spring in mechanism.springs:
        if isinstance(spring, CoordinateSpring):
            _refuse_quaternions([spring.length], turned, Part("spring", spring.name))
    initial = Initial() if turned else _renamed(mechanism.initial, speeds)
    poses = {} if turned else mechanism.poses
    return mechanism.replace(bodies=tuple(bodies), joints=tuple(joints), constraints=constraints, initial=initial, poses=poses)


def refuse_friction_in_planes(mechanism: Mechanism) -> None:
    """It follows the direction of a velocity, of which a closed form has no symbol."""
    for joint in mechanism.joints:
        if joint.rubbing_plane:
            raise MechanismError(
                f"the dry friction of a {joint.type} joint acts against the direction of its velocity and has no closed form",
                where=Part("joint", joint.name),
                remedy="remove the friction, or describe the joint by prismatic and revolute joints",
            )


def _refuse_what_acts_at(joint: Joint) -> None:
    friction = joint.friction
    if float(joint.spring.stiffness):
        raise MechanismError(
            f"the spring of a {joint.type} joint acts on the angle of its whole rotation and has no closed form",
            where=Part("joint", joint.name),
            remedy="remove the spring, or use compile() and simulate(), which support it",
        )
    if any(float(x) for x in (friction.viscous, friction.coulomb, friction.coulomb_negative, joint.rotor.inertia)):  # type: ignore[arg-type]
        raise MechanismError(
            f"friction and rotors of a {joint.type} joint act along the axes of its body, not along the angles of the closed "
            f"form",
            where=Part("joint", joint.name),
            remedy="remove them, or describe the joint by revolute and prismatic joints",
        )


def _refuse_quaternions(scalars: list[Scalar], turned: list[Joint], where: Part) -> None:
    quaternions = {name: joint for joint in turned for name in joint.coordinate_names[:4]}
    for name in {name for x in scalars for name in free_symbols(x)} & set(quaternions):
        raise MechanismError(
            f"{name!r} is part of a quaternion, and the closed form has no quaternions",
            where=where,
            remedy=f"describe joint {quaternions[name].name!r} by revolute and prismatic joints",
        )


def _rewritten(constraint: Constraint, speeds: dict[str, Combination], turned: list[Joint]) -> Constraint:
    scalars: list[Scalar] = []
    if isinstance(constraint, Pfaffian):
        scalars = [coefficient for _, coefficient in constraint.coefficients]
    elif isinstance(constraint, Holonomic):
        scalars = [constraint.equation]
    _refuse_quaternions(scalars, turned, Part("constraint", constraint.name))
    if not isinstance(constraint, Pfaffian):
        return constraint
    new: dict[str, Scalar] = {}
    for speed, coefficient in constraint.coefficients:
        for name, factor in speeds[speed]:
            new[name] = new.get(name, 0) + coefficient * factor
    return replace(constraint, coefficients=tuple(new.items()))


def _renamed(initial: Initial, speeds: dict[str, Combination]) -> Initial:
    return replace(initial, torque=tuple((speeds[name][0][0], torque) for name, torque in initial.torque))
