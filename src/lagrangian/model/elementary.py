"""The same mechanism with joints of one coordinate only: what a closed form is written for.

A universal joint becomes two revolute ones, a planar joint two slides and a turn, a ball three turns (yaw, pitch, roll about the
moving z, y, x axes, so that R = Rz Ry Rx), a free joint three slides and a ball, with massless bodies between. A ball's and a
free joint's speeds become rates of those angles; at pitch = 90 degrees they stop being coordinates, as any three angles do
somewhere.
"""

from __future__ import annotations

from dataclasses import replace

from lagrangian.errors import MechanismError
from lagrangian.model import vector as v
from lagrangian.model.body import Body
from lagrangian.model.constraint import Constraint, Holonomic, Pfaffian
from lagrangian.model.expression import Scalar, cos, free_symbols, sin, symbol
from lagrangian.model.joint import Joint
from lagrangian.model.mechanism import Initial, Mechanism
from lagrangian.model.placement import Placement, turn_z_to

SINGLE = ("revolute", "continuous", "prismatic", "helical", "fixed")
_TURNS = (("yaw", "revolute", v.Z), ("pitch", "revolute", v.Y), ("roll", "revolute", v.X))
_SLIDES = (("px", "prismatic", v.X), ("py", "prismatic", v.Y), ("pz", "prismatic", v.Z))

Combination = tuple[tuple[str, Scalar], ...]  # an old speed as a sum of new speeds


def elementary(mechanism: Mechanism) -> Mechanism:
    """The mechanism itself, if all its joints have at most one coordinate already."""
    if all(joint.type in SINGLE for joint in mechanism.joints):
        return mechanism
    bodies, joints = list(mechanism.bodies), []
    speeds: dict[str, Combination] = {}
    turned = []
    for joint in mechanism.joints:
        if joint.type in SINGLE:
            joints.append(joint)
            speeds[joint.name] = ((joint.name, 1),)
            continue
        steps = _steps(joint)
        between = [Body(f"{joint.name}.{label}.link") for label, _, _ in steps[:-1]]
        bodies += between
        chain = [joint.parent, *(b.name for b in between), joint.child]
        for k, (label, kind, axis) in enumerate(steps):
            joints.append(
                replace(
                    joint,
                    name=f"{joint.name}.{label}",
                    type=kind,
                    parent=chain[k],
                    child=chain[k + 1],
                    placement=joint.placement if k == 0 else Placement(),
                    child_placement=joint.child_placement if k == len(steps) - 1 else Placement(),
                    axis=axis,
                )
            )
        if joint.type in ("ball", "free"):
            _refuse_what_acts_at(joint)
            turned.append(joint)
            speeds.update(_body_speeds(joint))
        else:
            new = [f"{joint.name}.{label}" for label, _, _ in steps]
            speeds.update({old: ((name, 1),) for old, name in zip(joint.speed_names, new, strict=True)})
    constraints = tuple(_rewritten(c, speeds, turned) for c in mechanism.constraints)
    initial = Initial() if turned else _renamed(mechanism.initial, speeds)
    poses = {} if turned else mechanism.poses
    return mechanism.replace(bodies=tuple(bodies), joints=tuple(joints), constraints=constraints, initial=initial, poses=poses)


def _steps(joint: Joint) -> tuple[tuple[str, str, v.Vector], ...]:
    match joint.type:
        case "universal":
            return (("1", "revolute", joint.axis), ("2", "revolute", joint.axis2))
        case "planar":
            x, y, z = v.transpose(turn_z_to(joint.axis))
            return (("x", "prismatic", x), ("y", "prismatic", y), ("angle", "revolute", z))
        case "ball":
            return _TURNS
    return (*_SLIDES, *_TURNS)


def _refuse_what_acts_at(joint: Joint) -> None:
    friction = joint.friction
    if any(float(x) for x in (friction.viscous, friction.coulomb, friction.coulomb_negative, joint.rotor.inertia)):  # type: ignore[arg-type]
        raise MechanismError(
            f"joint {joint.name!r}: friction and rotors of a {joint.type} joint act along its body's axes, which the "
            f"angles of the closed form do not follow; take them off, or describe the joint by revolute and prismatic ones"
        )


def _body_speeds(joint: Joint) -> dict[str, Combination]:
    """Angular velocity, and for a free joint velocity, along the child's axes, in the rates of the new coordinates."""
    at = {label: f"{joint.name}.{label}" for label in ("yaw", "pitch", "roll", "px", "py", "pz")}
    angles = [symbol(at[label]) for label in ("yaw", "pitch", "roll")]
    (cy, sy), (cp, sp), (cr, sr) = ((cos(a), sin(a)) for a in angles)
    found = [
        ((at["roll"], 1), (at["yaw"], -sp)),
        ((at["pitch"], cr), (at["yaw"], sr * cp)),
        ((at["pitch"], -sr), (at["yaw"], cr * cp)),
    ]
    if joint.type == "free":
        R = (
            (cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
            (sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
            (-sp, cp * sr, cp * cr),
        )
        found += [tuple((at[p], R[k][column]) for k, p in enumerate(("px", "py", "pz"))) for column in range(3)]  # type: ignore[misc]
    return dict(zip(joint.speed_names, found, strict=True))


def _rewritten(constraint: Constraint, speeds: dict[str, Combination], turned: list[Joint]) -> Constraint:
    quaternions = {name: joint for joint in turned for name in joint.coordinate_names[:4]}
    scalars: list[Scalar] = []
    if isinstance(constraint, Pfaffian):
        scalars = [coefficient for _, coefficient in constraint.coefficients]
    elif isinstance(constraint, Holonomic):
        scalars = [constraint.equation]
    for name in {name for x in scalars for name in free_symbols(x)} & set(quaternions):
        raise MechanismError(
            f"constraint {constraint.name!r}: {name!r} is part of a quaternion, which the closed form does not have; "
            f"describe joint {quaternions[name].name!r} by revolute and prismatic joints"
        )
    if not isinstance(constraint, Pfaffian):
        return constraint
    new: dict[str, Scalar] = {}
    for speed, coefficient in constraint.coefficients:
        for name, factor in speeds[speed]:
            new[name] = new.get(name, 0) + coefficient * factor
    return replace(constraint, coefficients=tuple(new.items()))


def _renamed(initial: Initial, speeds: dict[str, Combination]) -> Initial:
    return replace(initial, torques=tuple((speeds[name][0][0], torque) for name, torque in initial.torques))
