"""The forces of a motion as arrows: torques of joints, reactions, constraint forces and external wrenches."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lagrangian.configuration.poses import body_poses
from lagrangian.errors import LagrangianError
from lagrangian.kernels.dynamics import compile as compile_mechanism
from lagrangian.model.constraint import KnifeEdgeConstraint, RollingConstraint
from lagrangian.model.joint import Joint
from lagrangian.model.joints.displacement import step_frames
from lagrangian.model.joints.joint_type import JointLook
from lagrangian.model.loop import LoopJoint
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion.motion import Motion
from lagrangian.viewer.scene.scene import Arrows, Scene

MAX_LENGTH = {"N": 0.4, "N m": 0.25}  # of the scene's size
MAX_JOINTS = 200  # with reactions: more arrows show nothing, and cost much
ArrowData = tuple[str, str, str, np.ndarray, np.ndarray]  # name, group, unit, points, vectors


def force_arrows(motion: Motion, t: np.ndarray, q: np.ndarray, scene: Scene) -> tuple[Arrows, ...]:
    """All forces of a motion at the times `t` of a track, where the mechanism is at `q`; those that are zero are left out."""
    mechanism = motion.mechanism
    if mechanism is None or not len(motion.t):
        return ()
    poses = body_poses(mechanism, q)
    arrows = [*_torques(motion, mechanism, t, q, poses), *_wrenches(motion, mechanism, t, poses)]
    arrows += [*_reactions(motion, mechanism, t, poses), *_constraints(motion, mechanism, t, poses)]
    arrows = _larger_than_rounding(arrows, scene.size)
    scales: dict[tuple[str, str], float] = {}
    for group, unit in {(x[1], x[2]) for x in arrows}:
        sizes = np.max([np.linalg.norm(x[4], axis=1) for x in arrows if x[1:3] == (group, unit)], axis=0)
        # a short peak, as where a linkage locks, neither makes all other arrows vanish nor leaves the picture
        typical = max(float(np.quantile(sizes, 0.98)), float(sizes.max()) / 4)
        scales[group, unit] = MAX_LENGTH[unit] * scene.size / typical if typical > 0 else 1.0
    return tuple(Arrows(name, group, unit, points, vectors, scales[group, unit]) for name, group, unit, points, vectors in arrows)


def _larger_than_rounding(arrows: list[ArrowData], size: float) -> list[ArrowData]:
    """The arrows without those that are rounding errors; a moment counts as its force at the distance of the mechanism's size."""
    largest = [float(np.abs(x[4]).max()) / (size if x[2] == "N m" else 1.0) for x in arrows]
    return [x for x, force in zip(arrows, largest, strict=True) if force > 1e-9 * max(largest)]


def _interpolate_rows(motion: Motion, t: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Rows (rows, k) of the motion at other times, interpolated linearly between finite rows."""
    rows = np.asarray(rows, dtype=float)
    finite = np.isfinite(rows).all(axis=1) & np.isfinite(motion.t)
    if not finite.any():
        return np.zeros((len(t), rows.shape[1]))
    return np.stack([np.interp(t, motion.t[finite], column) for column in rows[finite].T], axis=1)


def _torques(
    motion: Motion, mechanism: Mechanism, t: np.ndarray, q: np.ndarray, poses: dict[str, np.ndarray]
) -> Iterator[ArrowData]:
    tau = _interpolate_rows(motion, t, motion.tau) if motion.tau.size else np.zeros((len(t), mechanism.nv))
    first = start = 0
    for joint in mechanism.joints:
        joint_torques, coordinates = tau[:, first : first + joint.kind.nv], q[:, start : start + joint.kind.nq]
        first, start = first + joint.kind.nv, start + joint.kind.nq
        if not np.any(joint_torques):
            continue
        A = poses[joint.parent] @ joint.placement.matrix()
        B = poses[joint.child] @ joint.child_placement.matrix()
        moments, forces = _torque_and_force(joint, coordinates, joint_torques, A[:, :3, :3], B[:, :3, :3])
        for vectors, kind, unit in ((moments, "torque", "N m"), (forces, "force", "N")):
            if np.any(vectors):
                yield f"{kind} of {joint.name}", "torques", unit, B[:, :3, 3], vectors


def _torque_and_force(
    joint: Joint, q: np.ndarray, tau: np.ndarray, A: np.ndarray, B: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """A joint's torque and force along the world's axes; A and B are the rotations of its frames on the parent and the child."""
    moments, forces = np.zeros((len(tau), 3)), np.zeros((len(tau), 3))
    at = 0
    for step, before, _ in step_frames(joint, q):
        nv = step.kind.nv
        directions = (
            [A @ before[:, :3, :3] @ np.array(step.axis, dtype=float)] if nv == 1 else [B[:, :, k % 3] for k in range(nv)]
        )
        for k, (direction, slides) in enumerate(zip(directions, step.kind.slides, strict=True)):
            along = tau[:, at + k, None] * direction
            moments, forces = (moments, forces + along) if slides else (moments + along, forces)
        at += nv
    return moments, forces


def _reactions(motion: Motion, mechanism: Mechanism, t: np.ndarray, poses: dict[str, np.ndarray]) -> Iterator[ArrowData]:
    """The force and moment that each joint exerts on its child."""
    if len(mechanism.joints) > MAX_JOINTS:
        return
    try:
        reactions = motion.reactions
    except LagrangianError:  # a motion whose accelerations or multipliers are not there
        return
    for k, joint in enumerate(mechanism.joints):
        if joint.kind.look is JointLook.NOTHING:
            continue
        B = poses[joint.child] @ joint.child_placement.matrix()
        local = _interpolate_rows(motion, t, reactions[:, k])
        yield f"reaction of {joint.name}", "reactions", "N", B[:, :3, 3], np.einsum("sab,sb->sa", B[:, :3, :3], local[:, 3:])
        moment = np.einsum("sab,sb->sa", B[:, :3, :3], local[:, :3])
        yield f"reaction moment of {joint.name}", "reactions", "N m", B[:, :3, 3], moment


def _constraints(motion: Motion, mechanism: Mechanism, t: np.ndarray, poses: dict[str, np.ndarray]) -> Iterator[ArrowData]:
    """The forces of loop joints on their body `a`, of the floor on rolling bodies, and on knife edges."""
    if not len(motion.constraint_names) or motion.multipliers.shape[1:] != (len(motion.constraint_names),):
        return
    dyn = compile_mechanism(mechanism)
    rows = body_poses(mechanism, motion.q)
    first = 0
    for item in (*mechanism.loops, *mechanism.constraints):
        multipliers_of_item = np.zeros_like(motion.multipliers)
        multipliers_of_item[:, first : first + item.equation_count] = motion.multipliers[:, first : first + item.equation_count]
        first += item.equation_count
        if not isinstance(item, LoopJoint | RollingConstraint | KnifeEdgeConstraint):
            continue
        body, sign = item.a if isinstance(item, LoopJoint) else item.body, 1.0
        wrenches = dyn.constraint_wrenches(motion.q, multipliers_of_item, motion.t)
        if body not in wrenches and not isinstance(item, KnifeEdgeConstraint):
            body, sign = item.b if isinstance(item, LoopJoint) else item.on, -1.0
        if body not in wrenches:
            continue
        wrench = sign * wrenches[body]
        force = wrench[:, 3:]
        moment = wrench[:, :3] - np.cross(_constraint_point(item, rows), force)
        for vectors, kind, unit in ((force, "force", "N"), (moment, "moment", "N m")):
            yield (
                f"{kind} of {item.name}",
                "constraints",
                unit,
                _constraint_point(item, poses),
                _interpolate_rows(motion, t, vectors),
            )


def _constraint_point(item: LoopJoint | RollingConstraint | KnifeEdgeConstraint, poses: dict[str, np.ndarray]) -> np.ndarray:
    """Where a constraint's force acts, in the world."""
    if isinstance(item, LoopJoint):
        body, local = item.a, item.a_placement.position
        if not item.kind.holds_point:  # across the axis, where the other's origin is
            body, local = item.b, item.b_placement.position
        return poses[body][:, :3, :3] @ np.array(local, dtype=float) + poses[body][:, :3, 3]
    T = poses[item.body]
    if isinstance(item, KnifeEdgeConstraint):
        return T[:, :3, :3] @ np.array(item.point, dtype=float) + T[:, :3, 3]
    center = T[:, :3, :3] @ np.array(item.center, dtype=float) + T[:, :3, 3]
    down = -(poses[item.on][:, :3, :3] @ np.array(item.normal, dtype=float))
    if item.axis is not None:
        axis = T[:, :3, :3] @ np.array(item.axis, dtype=float)
        down = down - (down * axis).sum(axis=1, keepdims=True) * axis
        down /= np.maximum(np.linalg.norm(down, axis=1, keepdims=True), 1e-12)
    return center + float(item.radius) * down


def _wrenches(motion: Motion, mechanism: Mechanism, t: np.ndarray, poses: dict[str, np.ndarray]) -> Iterator[ArrowData]:
    """External wrenches, at the frames on which they act."""
    for name, rows in motion.wrenches.items():
        frame = mechanism.frame(name)
        point = (poses[frame.body] @ frame.placement.matrix())[:, :3, 3]
        wrench = _interpolate_rows(motion, t, rows)
        yield f"force on {name}", "wrenches", "N", point, wrench[:, 3:]
        yield f"moment on {name}", "wrenches", "N m", point, wrench[:, :3]
