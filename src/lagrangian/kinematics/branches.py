"""Every configuration that brings a frame to a pose, in closed form: of planar 2R arms, and of 6R arms with a spherical wrist."""

from __future__ import annotations

from functools import cmp_to_key
from typing import Any

import numpy as np

from lagrangian.arguments import array, floats
from lagrangian.configuration.bounds import Bounds
from lagrangian.errors import ArgumentError, shown
from lagrangian.kinematics.planar_two_r import PlanarTwoR
from lagrangian.kinematics.screws import chain
from lagrangian.kinematics.spherical_wrist import SphericalWrist
from lagrangian.model.loop import Frame
from lagrangian.model.mechanism import Mechanism

SAME = 1e-6  # radians: configurations nearer to each other are one
ROUNDING = 1e-12

Solver = PlanarTwoR | SphericalWrist | None
_RECENT: dict[tuple[int, Any], tuple[Mechanism, Solver]] = {}


def branches(mechanism: Mechanism, pose: Any, frame: str | Frame) -> list[np.ndarray] | None:
    """All configurations that bring `frame` to `pose`; [] if it is out of reach, None if the arm is not solved in closed form.

    Solved are two parallel revolute axes, of which only the position counts (`pose` is a point of 2 or 3 numbers in the world, or
    a 4x4 matrix), and six revolute axes of which the last three, or the first three, meet in one point (`pose` is a 4x4 matrix).
    The frame must be one that all joints move.

    The order is that of the first coordinate, then of the second, and so on, each within (-pi, pi]. After that, angles outside a
    joint's limits are moved into them by whole turns where that is possible; none is left out for them: see `within_limits`.

    Where a joint's turn does not count, one configuration stands for all: q4 = 0 where axes 4 and 6 are aligned (q3 = 0 where
    axes 1 and 3 are, if it is the first three that meet), and 0 for a joint on whose axis the wrist's centre, or the tip of a 2R
    arm, lies. Configurations less than 1e-6 rad apart count as one.
    """
    if not isinstance(mechanism, Mechanism):
        raise ArgumentError(
            f"branches needs a Mechanism, as load() or library() return it, not {type(mechanism).__name__}", concerns="mechanism"
        )
    wanted = _numbers(pose)
    solver = _solver(mechanism, frame)
    if solver is None:
        return None
    if isinstance(solver, PlanarTwoR):
        angles = np.array(solver.solve(wanted if wanted.ndim == 1 else wanted[:3, 3])).reshape(-1, 2)
    else:
        if wanted.ndim == 1:
            raise ArgumentError(
                f"has {len(wanted)} numbers", argument="pose", remedy="an arm of six joints needs a 4x4 homogeneous matrix"
            )
        angles = solver.solve(_rigid(wanted))
    return list(Bounds(mechanism).turned_inside(_different(angles)))


def within_limits(mechanism: Mechanism, q: Any) -> bool:
    """Whether every coordinate is within its joint's limits; quaternions have none."""
    q = array(q, "q")
    if q.shape != (mechanism.nq,):
        names = ", ".join(mechanism.coordinate_names[:12])
        raise ArgumentError(f"has shape {q.shape}", argument="q", remedy=f"({mechanism.nq},) is needed: {names}")
    return not Bounds(mechanism).outside(q).any()


def _solver(mechanism: Mechanism, frame: str | Frame) -> Solver:
    """What solves the arm: found once for the arms asked about last."""
    where = mechanism.frame(frame)
    key = (id(mechanism), frame if isinstance(frame, str) else where)
    known = _RECENT.pop(key, None)
    if known is None or known[0] is not mechanism:
        arm = chain(mechanism, where)
        known = (mechanism, None if arm is None else PlanarTwoR.of(arm) or SphericalWrist.of(arm))
    _RECENT[key] = known
    while len(_RECENT) > 16:
        _RECENT.pop(next(iter(_RECENT)))
    return known[1]


def _numbers(pose: Any) -> np.ndarray:
    try:
        wanted = floats(pose)
    except (TypeError, ValueError):
        raise ArgumentError(
            f"is {shown(pose)}", argument="pose", remedy="a 4x4 homogeneous matrix, or a point of 2 or 3 numbers, is needed"
        ) from None
    if wanted.shape not in ((2,), (3,), (4, 4)):
        raise ArgumentError(
            f"has shape {wanted.shape}",
            argument="pose",
            remedy="a 4x4 homogeneous matrix, or a point of 2 or 3 numbers, is needed",
        )
    if not np.isfinite(wanted).all():
        raise ArgumentError("has a number that is not finite", argument="pose")
    return wanted


def _rigid(pose: np.ndarray) -> np.ndarray:
    """The pose with its rotation, which may have been rounded, made exactly one."""
    U, stretch, V = np.linalg.svd(pose[:3, :3])
    R = U @ V
    if np.abs(stretch - 1).max() > 1e-4 or np.linalg.det(R) < 0 or np.abs(pose[3] - (0, 0, 0, 1)).max() > 1e-9:
        raise ArgumentError(
            "is not a homogeneous matrix: its upper 3x3 must be a rotation, and its last row (0, 0, 0, 1)", argument="pose"
        )
    rigid = np.eye(4)
    rigid[:3, :3], rigid[:3, 3] = R, pose[:3, 3]
    return rigid


def _different(angles: np.ndarray) -> np.ndarray:
    """Each configuration once, within (-pi, pi], in order."""
    angles = np.pi - (np.pi - angles) % (2 * np.pi)
    angles[angles < ROUNDING - np.pi] = np.pi  # half a turn
    same = np.abs(np.sin((angles[:, None] - angles) / 2)).max(axis=2) < SAME / 2
    kept: list[int] = []
    for k in range(len(angles)):
        if not same[k, kept].any():
            kept.append(k)
    return np.array(sorted(angles[kept].tolist(), key=cmp_to_key(_compare))).reshape(-1, angles.shape[1])


def _compare(a: list[float], b: list[float]) -> int:
    """By the first angle that differs by more than rounding."""
    return next((1 if x > y else -1 for x, y in zip(a, b, strict=True) if abs(x - y) > SAME), 0)
