"""The goals that a target or a path sets for a mechanism, and their equations together with the constraints of the mechanism.

All functions take many states at once, rows first: q (n, nq), residuals (n, k), matrices (n, k, nv).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lagrangian.configuration.coordinates import single_coordinates
from lagrangian.configuration.mobility import mobility
from lagrangian.configuration.slopes import finite_jacobian
from lagrangian.errors import ArgumentError, unknown_direction_message, unknown_name_message
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.kernels.least_squares import RANK_TOLERANCE, unit_rows
from lagrangian.model.frame import ANGULAR_COMPONENTS, TWIST_COMPONENTS, Frame
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.rotation import quaternion
from lagrangian.paths.path import CartesianPath

CHUNK = 4096  # states of a path that are evaluated at a time


@dataclass(frozen=True, eq=False)
class JointGoal:
    """Coordinates at given values."""

    dyn: Dynamics
    names: tuple[str, ...]
    iq: list[int] = field(init=False)  # the indices of the coordinates in q, and of their speeds in qd
    iv: list[int] = field(init=False)

    def __post_init__(self) -> None:
        indices_by_name = single_coordinates(self.dyn.mechanism)
        for name in self.names:
            if name not in indices_by_name:
                hint = ""
                if name in self.dyn.mechanism.coordinate_names:
                    hint = " (use a path of the body's frame to prescribe a quaternion)"
                raise ArgumentError(
                    f"the path prescribes {name!r}: {unknown_name_message('coordinate', name, indices_by_name)}{hint}",
                    concerns="path",
                )
        if len(set(self.names)) != len(self.names):
            raise ArgumentError("the path prescribes a coordinate twice", concerns="path")
        indices = [indices_by_name[name] for name in self.names]
        object.__setattr__(self, "iq", [q for q, _ in indices])
        object.__setattr__(self, "iv", [v for _, v in indices])

    def residual(self, q: np.ndarray, target: np.ndarray) -> np.ndarray:
        """How far the coordinates are from their targets."""
        difference: np.ndarray = q[:, self.iq] - target
        return difference

    def jacobian(self, q: np.ndarray) -> np.ndarray:
        """The matrix J of the goal's speeds J qd."""
        J = np.zeros((len(self.names), self.dyn.nv))
        J[np.arange(len(self.names)), self.iv] = 1.0
        return np.broadcast_to(J, (len(q), *J.shape))

    def row_scales(self, q: np.ndarray) -> np.ndarray:
        """What the rows of J are divided by, so that units do not matter."""
        return np.ones((len(q), len(self.names)))

    def rates(self, velocity: np.ndarray) -> np.ndarray:
        """The entries of a path's velocities, or accelerations, that the goal prescribes."""
        return velocity

    def bias(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """J' qd, by which the goal's accelerations differ from J qdd."""
        return np.zeros((len(q), len(self.names)))


@dataclass(frozen=True, eq=False)
class FrameGoal:
    """A frame at given poses, along some directions of the world."""

    dyn: Dynamics
    frame: str | Frame
    names: tuple[str, ...]  # directions

    def __post_init__(self) -> None:
        self.dyn.mechanism.frame(self.frame)
        for name in self.names:
            if name not in TWIST_COMPONENTS:
                raise ArgumentError(unknown_direction_message(name, TWIST_COMPONENTS), concerns="directions")

    @property
    def _rows(self) -> list[int]:
        return [TWIST_COMPONENTS.index(name) for name in self.names]

    def residual(self, q: np.ndarray, target: np.ndarray) -> np.ndarray:
        """How far the frame is from its target poses: rotation vectors and distances along the directions."""
        pose = self.dyn.pose(q, self.frame)
        error = np.zeros((len(q), 6))
        error[:, 3:] = pose[:, :3, 3] - target[:, :3, 3]
        if any(name in ANGULAR_COMPONENTS for name in self.names):
            rotation = pose[:, :3, :3] @ np.swapaxes(target[:, :3, :3], 1, 2)
            error[:, :3] = quaternion.logarithm(quaternion.from_matrix(rotation))
        return error[:, self._rows]

    def jacobian(self, q: np.ndarray) -> np.ndarray:
        """The matrix J of the goal's speeds J qd."""
        J: np.ndarray = self.dyn.jacobian(q, self.frame)[:, self._rows]
        return J

    def row_scales(self, q: np.ndarray) -> np.ndarray:
        """The scale of each row: the length of the longest of its kind, since where one vanishes the mechanism is singular."""
        length = np.linalg.norm(self.dyn.jacobian(q, self.frame), axis=2)
        longest = np.repeat(length.reshape(-1, 2, 3).max(axis=2), 3, axis=1)
        return np.maximum(longest, 1e-12)[:, self._rows]

    def rates(self, velocity: np.ndarray) -> np.ndarray:
        """The entries of a path's velocities, or accelerations, that the goal prescribes."""
        return velocity[:, self._rows]

    def bias(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """J' qd, by which the goal's accelerations differ from J qdd."""
        bias_rows: np.ndarray = self.dyn.jacobian_dot_qd(q, qd, self.frame)[:, self._rows]
        return bias_rows


KinematicGoal = JointGoal | FrameGoal


def goal_from_path(dyn: Dynamics, path: Any, frame: Any) -> KinematicGoal:
    """The goal that a path sets for a mechanism: for its coordinates, or for a frame."""
    if isinstance(path, CartesianPath):
        frame = path.frame if frame is None else frame
        if frame is None:
            frame_names = [f.name for f in dyn.mechanism.frames] + [b.name for b in dyn.mechanism.bodies][:12]
            raise ArgumentError(
                f"is missing: which frame of {dyn.mechanism.name!r} follows the path?",
                argument="frame",
                remedy=f"give one of {', '.join(frame_names)}",
            )
        return FrameGoal(dyn, frame, path.directions)
    if frame is not None:
        raise ArgumentError(
            f"the path prescribes joints, not frame {frame!r}; use paths.line, circle, arc or spline for a frame",
            concerns="frame",
        )
    if path.names is None and path.size != dyn.nq:
        raise ArgumentError(
            f"has {path.size} coordinates; {dyn.mechanism.name!r} has {dyn.nq}: "
            f"{', '.join(dyn.mechanism.coordinate_names[:12])}. For some of them, give their names: names=(...)",
            argument="path",
        )
    return JointGoal(dyn, path.names if path.names is not None else dyn.mechanism.coordinate_names)


class KinematicEquations:
    """A goal together with the mechanism's constraints: A qd = b, with the rows of Psi first."""

    def __init__(self, dyn: Dynamics, goal: KinematicGoal) -> None:
        self.dyn, self.goal = dyn, goal
        self.constrained = bool(dyn.mechanism.equation_count)
        self.holonomic = dyn.holonomic
        constraints = [n for n, h in zip(dyn.constraint_names, self.holonomic, strict=True) if h]
        self.names = (*constraints, *goal.names)

    def residual(self, q: np.ndarray, target: np.ndarray, t: np.ndarray) -> np.ndarray:
        """The violation of the equations of coordinates, those of the constraints first: (rows, equations)."""
        goal_error = self.goal.residual(q, target)
        return np.hstack([self.dyn.closure(q, t), goal_error]) if self.holonomic.any() else goal_error

    def jacobian(self, q: np.ndarray, t: np.ndarray, holonomic_only: bool = False) -> np.ndarray:
        """The Jacobian A, (rows, equations, speeds), of all equations, or only of those that hold for coordinates, too."""
        J = self.goal.jacobian(q)
        if not self.constrained:
            return J
        psi = finite_jacobian(self.dyn, q, t)
        return np.concatenate([psi[:, self.holonomic] if holonomic_only else psi, J], axis=1)

    def rank_and_singular_values(
        self, q: np.ndarray, t: np.ndarray, holonomic_only: bool = False
    ) -> tuple[np.ndarray, np.ndarray]:
        """The rank and all singular values of the Jacobian at each state, its rows scaled so that units do not matter."""
        A, scales = self.jacobian(q, t, holonomic_only), self.goal.row_scales(q)
        constraints = A.shape[1] - scales.shape[1]
        rows = np.concatenate([unit_rows(A[:, :constraints])[0], A[:, constraints:] / scales[..., None]], axis=1)
        s = np.linalg.svd(rows, compute_uv=False)
        return (s > RANK_TOLERANCE).sum(axis=-1), s

    def speed_rhs(self, q: np.ndarray, velocity: np.ndarray, t: np.ndarray) -> np.ndarray:
        """The right-hand side b of A qd = b, for the goal's `velocity`."""
        goal_speeds = self.goal.rates(velocity)
        if not self.constrained:
            return goal_speeds
        constraint_speeds = -self.dyn.constraint_rate(q, np.zeros((len(q), self.dyn.nv)), t)
        return np.hstack([constraint_speeds, goal_speeds])

    def acceleration_rhs(self, q: np.ndarray, qd: np.ndarray, acceleration: np.ndarray, t: np.ndarray) -> np.ndarray:
        """The right-hand side b of A qdd = b, for the goal's `acceleration`; it contains -A' qd."""
        goal_accelerations = self.goal.rates(acceleration) - self.goal.bias(q, qd)
        return np.hstack([-self.dyn.constraint_bias(q, qd, t), goal_accelerations]) if self.constrained else goal_accelerations


@dataclass(frozen=True, eq=False)
class TargetEquations:
    """The equations of coordinates of a goal at given targets, for Newton's method.

    `targets` has one row for all configurations, or one for each.
    """

    equations: KinematicEquations
    targets: np.ndarray

    @property
    def mechanism(self) -> Mechanism:
        return self.equations.dyn.mechanism

    def residual(self, q: np.ndarray, t: np.ndarray, rows: np.ndarray) -> np.ndarray:
        targets = self.targets[rows if len(self.targets) > 1 else np.zeros_like(rows)]
        return self.equations.residual(q, targets, t)

    def jacobian(self, q: np.ndarray, t: np.ndarray, rows: np.ndarray) -> np.ndarray:
        return self.equations.jacobian(q, t, holonomic_only=True)


def explain_overprescription(equations: KinematicEquations) -> str:
    """A note that the path prescribes more coordinates than the constraints leave free; "" if it does not."""
    if not isinstance(equations.goal, JointGoal) or not equations.constrained:
        return ""
    degrees = mobility(equations.dyn).nearby
    if len(equations.goal.names) <= degrees:
        return ""
    return (
        f". The path prescribes {len(equations.goal.names)} coordinates of a mechanism with {degrees} "
        f"degree{'s' * (degrees != 1)} of freedom, and they do not close its loops together; prescribe {degrees} of them, "
        f"and the others follow"
    )


def format_worst_residuals(names: Sequence[str], residual: np.ndarray) -> str:
    """The two worst of the equations that are not met, in words."""
    order = np.argsort(-np.abs(residual))[:2]
    return ", ".join(f"{names[k]} misses by {abs(residual[k]):.3g}" for k in order if abs(residual[k]) > 1e-9)
