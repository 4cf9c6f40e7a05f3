"""Analytic inverse kinematics: every configuration that brings a frame to a pose, in closed form.

It covers planar 2R arms, with both elbows by the law of cosines, and 6R arms with a spherical wrist (`spherical_wrist`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cmp_to_key
from typing import Any

import numpy as np

from lagrangian.arguments import array, floats
from lagrangian.configuration.coordinates import CoordinateBounds
from lagrangian.errors import ArgumentError, format_value
from lagrangian.kinematics.screws import SerialChain, angle_about, length, perpendicular_part, rotate_vector, serial_chain
from lagrangian.kinematics.spherical_wrist import SphericalWrist
from lagrangian.model import vector as v
from lagrangian.model.frame import Frame
from lagrangian.model.mechanism import Mechanism

PARALLEL_TOLERANCE = 1e-9  # of the cross product of unit axes, and of one link beside the other
REACH_TOLERANCE = 1e-10  # of the arm's length: a point that is missed by less is reached
FOLD_TOLERANCE = 1e-14  # of the arm's length: nearer to stretched or folded, the two elbows are one
SAME_ANGLE_TOLERANCE = 1e-6  # radians: configurations nearer to each other are one
ROUNDING_TOLERANCE = 1e-12  # radians: angles nearer to -pi become pi


def analytic_inverse_kinematics(mechanism: Mechanism, pose: Any, frame: str | Frame) -> list[np.ndarray] | None:
    """Return all configurations that bring `frame` to `pose`; [] if it is out of reach, None without a closed form.

    Two arms have one: two parallel revolute axes, for which only the position counts (`pose` is a point of 2 or 3 numbers in the
    world, or a 4x4 matrix), and six revolute axes of which the last three, or the first three, meet in one point (`pose` is a 4x4
    matrix). The frame must be one that all joints move.

    The order is that of the first coordinate, then of the second, and so on, each within (-pi, pi]. After that, angles outside a
    joint's limits are moved into them by whole turns where that is possible; none is left out for them: see `within_limits`.

    Where a joint's turn does not count, one configuration stands for all: q4 = 0 where axes 4 and 6 are aligned (q3 = 0 where
    axes 1 and 3 are, if it is the first three that meet), and 0 for a joint on whose axis the wrist's centre, or the tip of a 2R
    arm, lies. Configurations less than 1e-6 rad apart count as one.
    """
    if not isinstance(mechanism, Mechanism):
        raise ArgumentError(
            f"analytic inverse kinematics needs a Mechanism, as load() or library() return it, not {type(mechanism).__name__}",
            concerns="mechanism",
        )
    target = _as_target(pose)
    solver = _analytic_solver(mechanism, frame)
    if solver is None:
        return None
    if isinstance(solver, PlanarTwoR):
        angles = np.array(solver.solve(target if target.ndim == 1 else target[:3, 3])).reshape(-1, 2)
    else:
        if target.ndim == 1:
            raise ArgumentError(
                f"has {len(target)} numbers", argument="pose", remedy="an arm of six joints needs a 4x4 homogeneous matrix"
            )
        angles = solver.solve(_nearest_rigid_pose(target))
    return list(CoordinateBounds(mechanism).wrap_inside(_distinct_configurations(angles)))


def _as_target(pose: Any) -> np.ndarray:
    try:
        target = floats(pose)
    except (TypeError, ValueError):
        raise ArgumentError(
            f"is {format_value(pose)}",
            argument="pose",
            remedy="a 4x4 homogeneous matrix, or a point of 2 or 3 numbers, is needed",
        ) from None
    if target.shape not in ((2,), (3,), (4, 4)):
        raise ArgumentError(
            f"has shape {target.shape}",
            argument="pose",
            remedy="a 4x4 homogeneous matrix, or a point of 2 or 3 numbers, is needed",
        )
    if not np.isfinite(target).all():
        raise ArgumentError("has a number that is not finite", argument="pose")
    return target


def _analytic_solver(mechanism: Mechanism, frame: str | Frame) -> AnalyticSolver:
    """Return the solver of an arm, cached for the last arms."""
    resolved_frame = mechanism.frame(frame)
    key = (id(mechanism), frame if isinstance(frame, str) else resolved_frame)
    entry = _solver_cache.pop(key, None)
    if entry is None or entry[0] is not mechanism:
        arm = serial_chain(mechanism, resolved_frame)
        entry = (mechanism, None if arm is None else PlanarTwoR.from_chain(arm) or SphericalWrist.from_chain(arm))
    _solver_cache[key] = entry
    while len(_solver_cache) > 16:
        _solver_cache.pop(next(iter(_solver_cache)))
    return entry[1]


@dataclass(frozen=True, eq=False)
class PlanarTwoR:
    """Two parallel revolute axes, which may have any position and opposite directions.

    `w` is the normal of the plane, `base` the point of the first axis in it, and the links are vectors in it at q = 0.
    """

    w: v.Vector
    base: v.Vector
    first_link: v.Vector
    second_link: v.Vector
    second_axis_sign: float  # -1 if the second axis points the other way
    height: float  # of the plane the frame moves in, along w

    @staticmethod
    def from_chain(chain: SerialChain) -> PlanarTwoR | None:
        """Return the arm; None if there are not two parallel axes, or if one of them alone cannot move the frame's origin."""
        if len(chain) != 2:
            return None
        w, second_axis = chain.axes
        tip = tuple(chain.home[:3, 3].tolist())
        first_link, second_link = (
            perpendicular_part(w, v.sub(chain.points[1], chain.points[0])),
            perpendicular_part(w, v.sub(tip, chain.points[1])),
        )
        l1, l2 = length(first_link), length(second_link)
        if length(v.cross(w, second_axis)) > PARALLEL_TOLERANCE or min(l1, l2) <= PARALLEL_TOLERANCE * max(l1, l2):
            return None
        second_axis_sign = math.copysign(1.0, v.dot(w, second_axis))
        return PlanarTwoR(w, chain.points[0], first_link, second_link, second_axis_sign, v.dot(w, tip))

    def solve(self, point: np.ndarray) -> list[tuple[float, float]]:
        """Return the angles that bring the frame's origin to a point (x, y, z) or (x, y)."""
        target = self._target(point)
        l1, l2 = length(self.first_link), length(self.second_link)
        slack = REACH_TOLERANCE * (l1 + l2)
        r = perpendicular_part(self.w, v.sub(target, self.base))
        d = length(r)
        if not (abs(v.dot(self.w, target) - self.height) <= slack and abs(l1 - l2) - slack <= d <= l1 + l2 + slack):
            return []
        # d^2 = l1^2 + l2^2 + 2 l1 l2 cos(psi), by half angles: exact near stretched and folded too
        gap_to_stretched, gap_to_folded = l1 + l2 - d, d - abs(l1 - l2)
        tolerance = FOLD_TOLERANCE * (l1 + l2)
        if gap_to_stretched <= tolerance:
            bends = [0.0]
        elif gap_to_folded <= tolerance:
            bends = [math.pi]
        else:
            bend = 2 * math.atan2(math.sqrt(gap_to_stretched * (l1 + l2 + d)), math.sqrt(gap_to_folded * (d + abs(l1 - l2))))
            bends = [bend, -bend]
        solutions = []
        for bend in bends:
            q2 = bend - angle_about(self.w, self.first_link, self.second_link)
            tip = v.add(self.first_link, rotate_vector(self.w, q2, self.second_link))
            q1 = 0.0 if d <= tolerance else angle_about(self.w, tip, r)  # folded onto the first axis: any will do
            solutions.append((q1, self.second_axis_sign * q2))
        return solutions

    def _target(self, point: np.ndarray) -> v.Vector:
        if len(point) == 3:
            return tuple(point.tolist())
        x, y = point.tolist()
        if abs(self.w[2]) < PARALLEL_TOLERANCE:
            raise ArgumentError(
                "x and y do not determine a point in the plane of the arm, which is perpendicular to theirs; give x, y and z"
            )
        return (x, y, (self.height - self.w[0] * x - self.w[1] * y) / self.w[2])


AnalyticSolver = PlanarTwoR | SphericalWrist | None
_solver_cache: dict[tuple[int, Any], tuple[Mechanism, AnalyticSolver]] = {}


def _nearest_rigid_pose(pose: np.ndarray) -> np.ndarray:
    """Return a pose with the rotation nearest to its upper 3x3, which may have been rounded."""
    U, singular_values, V = np.linalg.svd(pose[:3, :3])
    R = U @ V
    if np.abs(singular_values - 1).max() > 1e-4 or np.linalg.det(R) < 0 or np.abs(pose[3] - (0, 0, 0, 1)).max() > 1e-9:
        raise ArgumentError(
            "is not a homogeneous matrix: its upper 3x3 must be a rotation, and its last row (0, 0, 0, 1)", argument="pose"
        )
    rigid = np.eye(4)
    rigid[:3, :3], rigid[:3, 3] = R, pose[:3, 3]
    return rigid


def _distinct_configurations(angles: np.ndarray) -> np.ndarray:
    """Return each configuration once, within (-pi, pi], in order."""
    angles = np.pi - (np.pi - angles) % (2 * np.pi)
    angles[angles < ROUNDING_TOLERANCE - np.pi] = np.pi
    same = np.abs(np.sin((angles[:, None] - angles) / 2)).max(axis=2) < SAME_ANGLE_TOLERANCE / 2
    distinct: list[int] = []
    for k in range(len(angles)):
        if not same[k, distinct].any():
            distinct.append(k)
    return np.array(sorted(angles[distinct].tolist(), key=cmp_to_key(_compare_angles))).reshape(-1, angles.shape[1])


def _compare_angles(a: list[float], b: list[float]) -> int:
    """Compare by the first angle that differs by more than rounding."""
    return next((1 if x > y else -1 for x, y in zip(a, b, strict=True) if abs(x - y) > SAME_ANGLE_TOLERANCE), 0)


def within_limits(mechanism: Mechanism, q: Any) -> bool:
    """Whether every coordinate is within its joint's limits; quaternions have none."""
    q = array(q, "q")
    if q.shape != (mechanism.nq,):
        names = ", ".join(mechanism.coordinate_names[:12])
        raise ArgumentError(f"has shape {q.shape}", argument="q", remedy=f"({mechanism.nq},) is needed: {names}")
    return not CoordinateBounds(mechanism).is_outside(q).any()
