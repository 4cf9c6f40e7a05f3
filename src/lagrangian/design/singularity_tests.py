"""How near a mechanism is to losing a direction: the singular values of its constraints together with what is asked of it.

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
from lagrangian.configuration.coordinates import single_coordinates
from lagrangian.design.freedom import constraint_row_scales, speed_scales
from lagrangian.design.solution_curve import SolutionCurve
from lagrangian.errors import ArgumentError
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.kernels.least_squares import RANK_TOLERANCE
from lagrangian.kernels.operational_space import constraint_null_space
from lagrangian.kinematics.goals import FrameGoal, JointGoal, KinematicEquations
from lagrangian.model.loop import TWIST_COMPONENTS, Frame
from lagrangian.model.mechanism import Mechanism

ZERO = 1e-9  # singular values that are none
SMALL = 0.5  # of their median: least values that may be none


@dataclass(frozen=True, eq=False)
class SingularityTest:
    """The matrix of one type of singularity; `kind` is 1 or 2."""

    kind: int
    equations: KinematicEquations
    q: np.ndarray  # somewhere, by which constraints are measured

    @cached_property
    def _scales(self) -> np.ndarray:
        return speed_scales(self.equations.dyn.mechanism)

    @cached_property
    def _row_scales(self) -> np.ndarray:
        return constraint_row_scales(self.equations.dyn, self.q, self._scales)[:, None]

    def matrix(self, q: np.ndarray) -> np.ndarray:
        """Its rows without units."""
        A = self.equations.jacobian(q, np.zeros(len(q))) * self._scales
        size = self.equations.goal.row_scales(q)
        m = A.shape[1] - size.shape[1]
        goal = A[:, m:] / (self._scales.max() if self.kind == 2 else size[..., None])
        return np.concatenate([A[:, :m] / self._row_scales, goal], axis=1) if m else goal

    def find_rank_drops(self, curve: SolutionCurve) -> list[tuple[float, np.ndarray]]:
        """Where along a curve of configurations the rank falls below what it is elsewhere: distances and configurations."""
        M = self.matrix(curve.q)
        s = np.linalg.svd(M, compute_uv=False)
        rank = int((s > RANK_TOLERANCE).sum(axis=1).max())
        if rank == 0:
            return []
        along_curve = _AlongCurve(self, curve, rank)
        smallest, square = s[:, rank - 1], M.shape[1] == M.shape[2] == rank
        changes_sign = np.zeros(len(smallest) - 1, dtype=bool)
        distances: list[float] = []
        if square:
            signs = np.linalg.slogdet(M)[0]
            changes_sign = (signs[:-1] * signs[1:] < 0) & (smallest[:-1] > ZERO) & (smallest[1:] > ZERO)
            distances += [along_curve.find_sign_change(int(k)) for k in np.flatnonzero(changes_sign)]
        distances += [float(curve.s[k]) for k in np.flatnonzero(smallest <= ZERO)]
        low = (
            np.flatnonzero(
                (smallest[1:-1] <= smallest[:-2])
                & (smallest[1:-1] < smallest[2:])
                & (smallest[1:-1] < SMALL * np.median(smallest))
            )
            + 1
        )
        distances += [
            x
            for k in low
            if not changes_sign[k - 1] and not changes_sign[k] and (x := along_curve.find_touching_zero(int(k))) is not None
        ]
        configurations = [curve.evaluate(np.array([x]))[0][0] for x in sorted(distances)]
        return list(zip(sorted(distances), configurations, strict=True))

    def lost_directions(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """At a singular configuration: the combination of output rows that is lost, and the speeds that become possible."""
        M, m = self.matrix(q[None])[0], len(self.equations.goal.names)
        U, s, Vt = np.linalg.svd(M)
        k = max(int((s > 1e3 * ZERO).sum()), 0)
        k = min(k, min(M.shape) - 1)
        return U[-m:, k], Vt[k] * self._scales


@dataclass(frozen=True, eq=False)
class _AlongCurve:
    """The least singular value that counts, along a curve."""

    test: SingularityTest
    curve: SolutionCurve
    rank: int

    def _matrix(self, s: float) -> np.ndarray:
        matrix: np.ndarray = self.test.matrix(self.curve.evaluate(np.array([s]))[0])[0]
        return matrix

    def _smallest_value(self, s: float) -> float:
        return float(np.linalg.svd(self._matrix(s), compute_uv=False)[self.rank - 1])

    def find_sign_change(self, k: int) -> float:
        """Where the determinant is zero, between two points at which it has different signs.

        Where several singular values vanish at once its zero is a multiple one, to which interpolation converges too slowly.
        """

        def determinant(s: float) -> float:
            return float(np.linalg.det(self._matrix(s)))

        low, high = float(self.curve.s[k]), float(self.curve.s[k + 1])
        x, report = brentq(determinant, low, high, xtol=1e-14, rtol=1e-14, full_output=True, disp=False)
        return float(x if report.converged else bisect(determinant, low, high, xtol=1e-14, rtol=1e-14))

    def find_touching_zero(self, k: int) -> float | None:
        """Where the least singular value becomes zero without a change of sign, near a point at which it is least; None if it
        does not.

        Between fixed singular vectors u and v, u^T M v is smooth where the value itself has a kink: its zero is the place.
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
        return s if self._smallest_value(s) < 1e2 * ZERO else None


# MERGED lagrangian.design.outputs: What a mechanism is asked for when it is looked at for singularities: a frame along
# directions, and its actuated joints.


def output_frame_name(model: Mechanism, frame: str | Frame | None, needed: bool = True) -> str | None:
    """The name of a frame that is given, or of the only one; where there are several, or none, one is needed or there is none."""
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


def singularity_tests(
    dyn: Dynamics, frame: str | None, directions: Any, q: np.ndarray
) -> tuple[list[SingularityTest], tuple[str, ...]]:
    """What is looked at: the frame's directions, and the actuated joints of a mechanism with loops."""
    model, tests = dyn.mechanism, list[SingularityTest]()
    output_directions: tuple[str, ...] = ()
    places = single_coordinates(model)
    if frame is not None:
        output_directions = tuple(directions) if directions is not None else _moving_directions(dyn, frame, q)
        tests.append(SingularityTest(1, KinematicEquations(dyn, FrameGoal(dyn, frame, output_directions)), q))
    driven = tuple(n for j in model.joints if j.actuated for n in j.coordinate_names if n in places)
    if model.equation_count and driven:
        tests.append(SingularityTest(2, KinematicEquations(dyn, JointGoal(dyn, driven)), q))
    if not tests:
        raise ArgumentError(f"{model.name} has neither a frame nor actuated joints; give `frame`", concerns="frame")
    return tests, output_directions


def _moving_directions(dyn: Dynamics, frame: str, q: np.ndarray) -> tuple[str, ...]:
    """x, y and z as far as the frame moves along them; the turns too, where there are more degrees of freedom than that."""
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
