"""Tests for singularities: the singular values of the constraints together with the output, or with the actuators.

With the constraints Psi qd = 0, a motion that leaves the output at rest exists where [Psi; J] loses rank, J being the output's
Jacobian: that is a singularity of type 1. One that leaves the actuators at rest exists where [Psi; S] does, S choosing their
speeds: type 2. Where both do it is of type 3 (Gosselin and Angeles, IEEE Trans. Robot. Autom. 6, 1990). A serial arm has type 1
alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import bisect, brentq, minimize_scalar

from lagrangian.cached import cached_property
from lagrangian.configuration.coordinates import single_coordinates, speed_scales
from lagrangian.design.freedom import constraint_row_scales
from lagrangian.design.solution_curve import SolutionCurve
from lagrangian.errors import ArgumentError
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.kernels.least_squares import RANK_TOLERANCE
from lagrangian.kernels.operational_space import constraint_null_space
from lagrangian.kinematics.goals import FrameGoal, JointGoal, KinematicEquations
from lagrangian.model.frame import TWIST_COMPONENTS, Frame
from lagrangian.model.mechanism import Mechanism

ZERO_TOLERANCE = 1e-9  # singular values that are smaller are zero
SUSPECT_RATIO = 0.5  # of the median along a curve: minima that are smaller may be zeros


def singularity_tests(
    dyn: Dynamics, frame: str | None, directions: Any, q: np.ndarray
) -> tuple[list[SingularityTest], tuple[str, ...]]:
    """The tests of a mechanism, of a frame's directions and of the actuated joints if it has loops; and these directions."""
    model, tests = dyn.mechanism, list[SingularityTest]()
    output_directions: tuple[str, ...] = ()
    if frame is not None:
        output_directions = tuple(directions) if directions is not None else _moving_directions(dyn, frame, q)
        tests.append(SingularityTest(1, KinematicEquations(dyn, FrameGoal(dyn, frame, output_directions)), q))
    driven = tuple(n for j in model.joints if j.actuated for n in j.coordinate_names if n in single_coordinates(model))
    if model.equation_count and driven:
        tests.append(SingularityTest(2, KinematicEquations(dyn, JointGoal(dyn, driven)), q))
    if not tests:
        raise ArgumentError(f"{model.name} has neither a frame nor actuated joints; give `frame`", concerns="frame")
    return tests, output_directions


def _moving_directions(dyn: Dynamics, frame: str, q: np.ndarray) -> tuple[str, ...]:
    """Return those of x, y and z along which the frame moves; and the rotations, if there are more degrees of freedom."""
    generic_q = q if dyn.mechanism.equation_count else dyn.mechanism.random_configuration(1)
    N = constraint_null_space(dyn, generic_q[None], np.zeros((1, dyn.nv)), 0.0)[0]
    J = np.asarray(dyn.jacobian(generic_q, frame))
    J = J if N is None else J @ N[0]
    size = np.linalg.norm(J, axis=1)
    moves = [k for k in (3, 4, 5) if size[k] > 1e-9 * max(size.max(), 1e-300)]
    degrees = dyn.nv if N is None else int((np.abs(N[0]).max(axis=0) > 0).sum())
    if degrees > np.linalg.matrix_rank(J[3:], tol=1e-9):
        moves = [k for k in (0, 1, 2) if size[k] > 1e-9 * size.max()] + moves
    if not moves:
        raise ArgumentError(f"{frame!r} does not move", argument="frame", remedy="give a frame on a body that does")
    return tuple(TWIST_COMPONENTS[k] for k in moves)


@dataclass(frozen=True, eq=False)
class SingularityTest:
    """The matrix of one type of singularity; `kind` is 1 or 2."""

    kind: int
    equations: KinematicEquations
    q: np.ndarray  # a configuration at which the constraints are scaled

    @cached_property
    def _scales(self) -> np.ndarray:
        return speed_scales(self.equations.dyn.mechanism)

    @cached_property
    def _row_scales(self) -> np.ndarray:
        return constraint_row_scales(self.equations.dyn, self.q, self._scales)[:, None]

    def matrix(self, q: np.ndarray) -> np.ndarray:
        """The matrix at rows of configurations, without units."""
        A = self.equations.jacobian(q, np.zeros(len(q))) * self._scales
        size = self.equations.goal.row_scales(q)
        m = A.shape[1] - size.shape[1]
        goal = A[:, m:] / (self._scales.max() if self.kind == 2 else size[..., None])
        return np.concatenate([A[:, :m] / self._row_scales, goal], axis=1) if m else goal

    def find_rank_drops(self, curve: SolutionCurve) -> list[tuple[float, np.ndarray]]:
        """Find the distances along a curve of configurations at which the rank falls, each with its configuration."""
        M = self.matrix(curve.q)
        singular_values = np.linalg.svd(M, compute_uv=False)
        rank = int((singular_values > RANK_TOLERANCE).sum(axis=1).max())
        if rank == 0:
            return []
        along_curve = _AlongCurve(self, curve, rank, M, singular_values[:, rank - 1])
        distances = sorted([*along_curve.sign_changes(), *along_curve.zeros_at_points(), *along_curve.touching_zeros()])
        configurations = [curve.evaluate(np.array([x]))[0][0] for x in distances]
        return list(zip(distances, configurations, strict=True))

    def lost_directions(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The combination of output rows that is lost at a singular configuration, and the speeds that become possible there."""
        M, m = self.matrix(q[None])[0], len(self.equations.goal.names)
        U, s, Vt = np.linalg.svd(M)
        k = max(int((s > 1e3 * ZERO_TOLERANCE).sum()), 0)
        k = min(k, min(M.shape) - 1)
        return U[-m:, k], Vt[k] * self._scales


@dataclass(frozen=True, eq=False)
class _AlongCurve:
    """The matrix of a test along a curve, at whose points it is known: `smallest` is its least singular value that counts."""

    test: SingularityTest
    curve: SolutionCurve
    rank: int
    matrices: np.ndarray
    smallest: np.ndarray

    def sign_changes(self) -> list[float]:
        """Zeros at which the determinant of a square matrix changes its sign between two points."""
        return [self._find_sign_change(int(k)) for k in np.flatnonzero(self._changes_sign)]

    def zeros_at_points(self) -> list[float]:
        """Zeros that the points of the curve themselves are."""
        return [float(self.curve.s[k]) for k in np.flatnonzero(self.smallest <= ZERO_TOLERANCE)]

    def touching_zeros(self) -> list[float]:
        """Zeros next to points at which the least singular value has a minimum, and no determinant changes its sign."""
        before, at, after = self.smallest[:-2], self.smallest[1:-1], self.smallest[2:]
        is_minimum = (at <= before) & (at < after) & (at < SUSPECT_RATIO * np.median(self.smallest))
        minima = [k for k in np.flatnonzero(is_minimum) + 1 if not self._changes_sign[k - 1] and not self._changes_sign[k]]
        zeros = (self._find_touching_zero(int(k)) for k in minima)
        return [x for x in zeros if x is not None]

    @cached_property
    def _changes_sign(self) -> np.ndarray:
        """Whether the determinant changes its sign between each two points, at neither of which it is zero."""
        if not self.matrices.shape[1] == self.matrices.shape[2] == self.rank:
            return np.zeros(len(self.smallest) - 1, dtype=bool)
        signs, nonzero = np.linalg.slogdet(self.matrices)[0], self.smallest > ZERO_TOLERANCE
        return np.asarray((signs[:-1] * signs[1:] < 0) & nonzero[:-1] & nonzero[1:])

    def _matrix(self, s: float) -> np.ndarray:
        matrix: np.ndarray = self.test.matrix(self.curve.evaluate(np.array([s]))[0])[0]
        return matrix

    def _smallest_value(self, s: float) -> float:
        return float(np.linalg.svd(self._matrix(s), compute_uv=False)[self.rank - 1])

    def _find_sign_change(self, k: int) -> float:
        """The zero of the determinant between two points at which it has different signs.

        If several singular values vanish at once, the zero is a multiple one, to which interpolation converges too slowly.
        """

        def determinant(s: float) -> float:
            return float(np.linalg.det(self._matrix(s)))

        low, high = float(self.curve.s[k]), float(self.curve.s[k + 1])
        x, report = brentq(determinant, low, high, xtol=1e-14, rtol=1e-14, full_output=True, disp=False)
        return float(x if report.converged else bisect(determinant, low, high, xtol=1e-14, rtol=1e-14))

    def _find_touching_zero(self, k: int) -> float | None:
        """The zero of the least singular value, without a change of sign, next to a point at which it has a minimum, or None.

        With fixed singular vectors u and v, u^T M v is smooth where the value itself has a kink: its zero is sought.
        """
        bounds = (float(self.curve.s[k - 1]), float(self.curve.s[k + 1]))
        s = float(
            minimize_scalar(lambda s: self._smallest_value(s) ** 2, bounds=bounds, method="bounded", options={"xatol": 1e-12}).x
        )
        for _ in range(6):
            U, _, Vt = np.linalg.svd(self._matrix(s))
            u, v, h = U[:, self.rank - 1], Vt[self.rank - 1], 1e-6
            value = [float(u @ self._matrix(float(np.clip(x, *bounds))) @ v) for x in (s, s - h, s + h)]
            slope = (value[2] - value[1]) / (2 * h)
            if abs(value[0]) < 1e-14 or abs(slope) < 1e-6:
                break
            s = float(np.clip(s - value[0] / slope, *bounds))
        return s if self._smallest_value(s) < 1e2 * ZERO_TOLERANCE else None


def output_frame_name(model: Mechanism, frame: str | Frame | None, needed: bool = True) -> str | None:
    """The name of the given frame, or of the only one; without either it is None, or an error if one is needed."""
    if frame is not None:
        return model.frame(frame).name
    if len(model.frames) == 1:
        return model.frames[0].name
    if not needed:
        return None
    frame_names = [*(f.name for f in model.frames), *(b.name for b in model.bodies)]
    raise ArgumentError(
        f"is needed for {model.name!r}",
        argument="frame",
        remedy=f"give one of {', '.join(frame_names[:12])}",
    )
