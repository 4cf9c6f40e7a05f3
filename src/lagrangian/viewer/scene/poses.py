"""Where the bodies are in one configuration or in many: plain numpy, as nothing need be compiled to be looked at."""

from __future__ import annotations

from typing import Any

import numpy as np

from lagrangian.configuration import reading
from lagrangian.description.notes import warn
from lagrangian.errors import LagrangianError, MechanismWarning
from lagrangian.model import quaternion
from lagrangian.model.constraint import Holonomic, Rolling
from lagrangian.model.joint import Joint
from lagrangian.model.mechanism import GROUND, Mechanism
from lagrangian.model.placement import turn_z_to


def body_poses(mechanism: Mechanism, q: Any) -> dict[str, np.ndarray]:
    """The homogeneous matrices (rows, 4, 4) of the ground and all bodies at configurations (rows, nq)."""
    q = np.atleast_2d(np.asarray(q, dtype=float))
    first = np.cumsum([0, *(j.kind.nq for j in mechanism.joints)])
    start = {j.name: int(k) for j, k in zip(mechanism.joints, first, strict=False)}
    poses = {GROUND: np.broadcast_to(np.eye(4), (len(q), 4, 4))}
    for joint in mechanism.outward():
        k = start[joint.name]
        moved = _moved(joint, q[:, k : k + joint.kind.nq])
        poses[joint.child] = poses[joint.parent] @ joint.placement.matrix() @ moved @ joint.child_placement.inverse().matrix()
    return poses


def all_poses(mechanism: Mechanism, q: Any) -> np.ndarray:
    """(rows, frames, 4, 4): the ground, the bodies, then the named frames, as a scene lists them."""
    poses = body_poses(mechanism, q)
    found = [poses[GROUND], *(poses[b.name] for b in mechanism.bodies)]
    found += [poses[f.body] @ f.placement.matrix() for f in mechanism.frames]
    return np.stack(found, axis=1)


def frame_names(mechanism: Mechanism) -> tuple[str, ...]:
    return (GROUND, *(b.name for b in mechanism.bodies), *(f.name for f in mechanism.frames))


def _moved(joint: Joint, q: np.ndarray) -> np.ndarray:
    """What the joint does: its frame on the child in its frame on the parent, (rows, 4, 4)."""
    T = np.tile(np.eye(4), (len(q), 1, 1))
    axis = np.array(joint.axis, dtype=float)
    match joint.type:
        case "revolute" | "continuous":
            T[:, :3, :3] = _about(axis, q[:, 0])
        case "helical":
            T[:, :3, :3] = _about(axis, q[:, 0])
            T[:, :3, 3] = q[:, :1] * float(joint.pitch) * axis
        case "prismatic":
            T[:, :3, 3] = q[:, :1] * axis
        case "universal":
            T[:, :3, :3] = _about(axis, q[:, 0]) @ _about(np.array(joint.axis2, dtype=float), q[:, 1])
        case "planar":
            across = np.array(turn_z_to(joint.axis), dtype=float)
            T[:, :3, :3] = _about(axis, q[:, 2])
            T[:, :3, 3] = q[:, :2] @ across[:, :2].T
        case "ball":
            T[:, :3, :3] = quaternion.matrix(q)
        case "free":
            T[:, :3, :3] = quaternion.matrix(q[:, :4])
            T[:, :3, 3] = q[:, 4:]
    return T


def _about(axis: np.ndarray, angle: np.ndarray) -> np.ndarray:
    """Rodrigues' formula."""
    K = quaternion.skew(axis)
    s, c = np.sin(angle)[:, None, None], np.cos(angle)[:, None, None]
    turned: np.ndarray = np.eye(3) + s * K + (1 - c) * (K @ K)
    return turned


# -- the configuration to be drawn -------------------------------------------------------------------------------------


def configuration(mechanism: Mechanism, q: Any = None) -> np.ndarray:
    """The configuration in which a mechanism is drawn: where a simulation from `q` begins.

    Numbers in order are drawn as they are. Where the loops of another configuration do not close, it is the nearest in which
    they do; a warning says so, or that there is none.
    """
    given = reading.configuration(mechanism, q, "q")
    if not mechanism.equations or (given.complete and not isinstance(q, str | None)):
        return given.q
    if not _conditions(mechanism) and _gap(mechanism, given.q) < 1e-9:  # seen without compiling anything
        return given.q
    from lagrangian.configuration.dynamics_of import dynamics_of
    from lagrangian.configuration.start import Start

    start = Start(dynamics_of(mechanism), given)
    try:
        at = start.closed()
    except LagrangianError as error:
        warn(f"{mechanism.name} is drawn with loops that do not close: {error}", MechanismWarning)
        return given.q
    if start.off is not None:
        told = (
            f"{mechanism.name}: {given.where} does not close the loops: {start.off}; the nearest configuration that does is drawn"
        )
        warn(told, MechanismWarning)
    return at


def _conditions(mechanism: Mechanism) -> bool:
    """Whether there is more to close than loops that hold points together, where a look at the points would not tell."""
    return any(isinstance(c, Holonomic | Rolling) for c in mechanism.constraints) or any(
        loop.type not in ("point", "ball", "distance") for loop in mechanism.loops
    )


def _gap(mechanism: Mechanism, q: np.ndarray) -> float:
    """The widest opening of a loop, over the mechanism's size."""
    poses = body_poses(mechanism, q)
    worst, size = 0.0, 1e-9
    for loop in mechanism.loops:
        A = poses[loop.a][0] @ loop.placement_a.matrix()
        B = poses[loop.b][0] @ loop.placement_b.matrix()
        apart = A[:3, 3] - B[:3, 3]
        size = max(size, float(np.abs(A[:3, 3]).max()), float(np.abs(B[:3, 3]).max()))
        if loop.type == "distance":
            worst = max(worst, abs(float(np.linalg.norm(apart)) - float(loop.length)))
        else:
            held = [k for k in range(3) if loop.type == "ball" or "xyz"[k] in loop.directions]
            worst = max(worst, *np.abs((A[:3, :3].T @ apart)[held]))
    return worst / size
