"""The same mechanism with joints of one coordinate only, for which closed forms are derived.

Each joint becomes the steps that its type gives (`JointType.single_steps`), with massless bodies between them. A universal joint
becomes two rotations; a ball joint becomes yaw, pitch and roll about the moving z, y and x axes; a free joint becomes three
translations and these rotations. The speeds of a ball joint and of a free joint become rates of these angles. At a pitch of 90
degrees they stop being coordinates, as any three angles do somewhere.

A body that rolls has the angles of the textbooks instead, in which the height of a wheel's centre is a plain cosine: its yaw
about the plane's normal, its lean, and its spin about the axle (Neimark, Fufaev 1972; for bicycles Meijaard et al. 2007). With
yaw, pitch and roll its lowest point would be a root of them.
"""

from __future__ import annotations

from dataclasses import replace

from lagrangian.errors import MechanismError, MechanismPart
from lagrangian.model import vector as v
from lagrangian.model.body import Body
from lagrangian.model.constraint import Constraint, HolonomicConstraint, PfaffianConstraint, RollingConstraint
from lagrangian.model.expression import Scalar, free_symbols
from lagrangian.model.initial_state import InitialState
from lagrangian.model.joint import Joint
from lagrangian.model.joints.joint_type import Combination, JointStep
from lagrangian.model.joints.revolute import Revolute
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.placement import Transform
from lagrangian.model.spring import CoordinateSpring


def with_single_coordinates(mechanism: Mechanism) -> Mechanism:
    """Return the mechanism with joints of one coordinate; it is returned itself if it has no others."""
    if all(joint.kind.nq <= 1 for joint in mechanism.joints):
        return mechanism
    bodies, joints = list(mechanism.bodies), []
    speeds: dict[str, Combination] = {}
    quaternion_joints = []
    for joint in mechanism.joints:
        speeds.update(joint.kind.speed_combinations(joint))
        if joint.kind.nq <= 1:
            joints.append(joint)
            continue
        steps = joint.kind.single_steps(joint)
        rolling_steps = wheel_steps(mechanism, joint)
        steps = (*steps[:-3], *rolling_steps) if rolling_steps else steps
        massless_links = [Body(f"{joint.name}.{step.label}.link") for step in steps[:-1]]
        bodies += massless_links
        chain = [joint.parent, *(b.name for b in massless_links), joint.child]
        for k, step in enumerate(steps):
            joints.append(
                replace(
                    joint,
                    name=f"{joint.name}.{step.label}",
                    type=step.kind.name,
                    parent=chain[k],
                    child=chain[k + 1],
                    placement=joint.placement if k == 0 else Transform(),
                    child_placement=joint.child_placement if k == len(steps) - 1 else Transform(),
                    type_entries=(("axis", step.axis),),
                )
            )
        if joint.kind.quaternion:
            _refuse_joint_forces(joint)
            quaternion_joints.append(joint)
    constraints = tuple(_rewrite_constraint(c, speeds, quaternion_joints) for c in mechanism.constraints)
    for spring in mechanism.springs:
        if isinstance(spring, CoordinateSpring):
            _refuse_quaternions([spring.length], quaternion_joints, MechanismPart("spring", spring.name))
    initial = InitialState() if quaternion_joints else _rename_torques(mechanism.initial, speeds)
    poses = {} if quaternion_joints else mechanism.poses
    return mechanism.replace(bodies=tuple(bodies), joints=tuple(joints), constraints=constraints, initial=initial, poses=poses)


def refuse_friction_planes(mechanism: Mechanism) -> None:
    """Refuse dry friction in a plane: it follows the direction of a velocity, for which a closed form has no symbol."""
    for joint in mechanism.joints:
        if joint.friction_plane:
            raise MechanismError(
                f"the dry friction of a {joint.type} joint acts against the direction of its velocity and has no closed form",
                where=MechanismPart("joint", joint.name),
                remedy="remove the friction, or describe the joint by prismatic and revolute joints",
            )


def wheel_steps(mechanism: Mechanism, joint: Joint) -> tuple[JointStep, ...]:
    """Return the three rotations of a joint that carries a wheel; none where those of its type serve."""
    constrained_speeds = {
        speed for c in mechanism.constraints if isinstance(c, PfaffianConstraint) for speed, _ in c.coefficients
    }
    if not joint.kind.quaternion or constrained_speeds & set(joint.speed_names) or not _has_aligned_axes(joint):
        return ()
    for rolling in mechanism.constraints:
        if isinstance(rolling, RollingConstraint) and rolling.axis is not None and rolling.on == joint.parent:
            normal, axle = _coordinate_axis(rolling.normal), _coordinate_axis(rolling.axis)
            is_wheel = rolling.body == joint.child
            if normal is None or axle is None or not (is_wheel or _carries_wheel(mechanism, joint.child, rolling)):
                continue
            lies_flat = normal == axle  # it lies flat where no angle is turned
            across = (normal + 1) % 3 if lies_flat else 3 - normal - axle
            angles = ("yaw", normal), ("tilt" if lies_flat else "lean", across), ("spin" if is_wheel else "pitch", axle)
            return tuple(JointStep(label, Revolute(), v.IDENTITY[k]) for label, k in angles)
    return ()


def _refuse_joint_forces(joint: Joint) -> None:
    friction = joint.friction
    if float(joint.spring.stiffness):
        raise MechanismError(
            f"the spring of a {joint.type} joint acts on the angle of its whole rotation and has no closed form",
            where=MechanismPart("joint", joint.name),
            remedy="remove the spring, or use compile() and simulate(), which support it",
        )
    if any(float(x) for x in (friction.viscous, friction.coulomb, friction.coulomb_negative, joint.rotor.inertia)):  # type: ignore[arg-type]
        raise MechanismError(
            f"friction and rotors of a {joint.type} joint act along the axes of its body, not along the angles of the closed "
            f"form",
            where=MechanismPart("joint", joint.name),
            remedy="remove them, or describe the joint by revolute and prismatic joints",
        )


def _rewrite_constraint(constraint: Constraint, speeds: dict[str, Combination], quaternion_joints: list[Joint]) -> Constraint:
    scalars: list[Scalar] = []
    if isinstance(constraint, PfaffianConstraint):
        scalars = [coefficient for _, coefficient in constraint.coefficients]
    elif isinstance(constraint, HolonomicConstraint):
        scalars = [constraint.equation]
    _refuse_quaternions(scalars, quaternion_joints, MechanismPart("constraint", constraint.name))
    if not isinstance(constraint, PfaffianConstraint):
        return constraint
    coefficients: dict[str, Scalar] = {}
    for speed, coefficient in constraint.coefficients:
        for name, factor in speeds[speed]:
            coefficients[name] = coefficients.get(name, 0) + coefficient * factor
    return replace(constraint, coefficients=tuple(coefficients.items()))


def _refuse_quaternions(scalars: list[Scalar], quaternion_joints: list[Joint], where: MechanismPart) -> None:
    quaternions = {name: joint for joint in quaternion_joints for name in joint.coordinate_names[:4]}
    for name in {name for x in scalars for name in free_symbols(x)} & set(quaternions):
        raise MechanismError(
            f"{name!r} is part of a quaternion, and the closed form has no quaternions",
            where=where,
            remedy=f"describe joint {quaternions[name].name!r} by revolute and prismatic joints",
        )


def _rename_torques(initial: InitialState, speeds: dict[str, Combination]) -> InitialState:
    return replace(initial, torque=tuple((speeds[name][0][0], torque) for name, torque in initial.torque))


def _carries_wheel(mechanism: Mechanism, body: str, rolling: RollingConstraint) -> bool:
    """Whether a wheel turns about its own axle on a body."""
    hinges = [j for j in mechanism.joints if j.parent == body and j.child == rolling.body and isinstance(j.kind, Revolute)]
    return any(_has_aligned_axes(j) and _coordinate_axis(j.axis) == _coordinate_axis(rolling.axis) for j in hinges)  # type: ignore[arg-type]


def _has_aligned_axes(joint: Joint) -> bool:
    """Whether the frames of a joint are parallel to those of its bodies."""
    return joint.placement.rotation == joint.child_placement.rotation == v.IDENTITY


def _coordinate_axis(axis: v.Vector) -> int | None:
    """Return which coordinate axis an axis lies along; None if it lies along none."""
    components = [k for k in range(3) if float(axis[k])]
    return components[0] if len(components) == 1 else None
