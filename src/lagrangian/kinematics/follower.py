"""A mechanism that follows a path: coordinates, speeds and accelerations of all joints at any time, on one branch.

    A(q) qd = b,    A(q) qdd = b' - A' qd,    A = [Psi; J]

with the constraints' rows above those of the path (for serial arms A is the Jacobian). The branch is kept by going along the
path in steps short enough for Newton's method to stay near the prediction of the step before (Allgower and Georg, Numerical
Continuation Methods, 1990). Where positions leave coordinates free, in redundant arms and under rolling, the smallest speeds are
integrated, with the accelerations that belong to them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from lagrangian.algorithms.constraints.rows import coordinate_rates
from lagrangian.cached import cached_property
from lagrangian.configuration.coordinates import integrate
from lagrangian.configuration.loop_closure import LoopClosure
from lagrangian.configuration.newton import Newton
from lagrangian.errors import ArgumentError, UnreachableError
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.kernels.least_squares import pseudoinverse_factors, scaled_minimum_norm_solution, unit_rows
from lagrangian.kinematics.chebyshev import ChebyshevSeries
from lagrangian.kinematics.goals import (
    CHUNK,
    JointGoal,
    KinematicEquations,
    TargetEquations,
    explain_overprescription,
    format_worst_residuals,
    goal_from_path,
)
from lagrangian.kinematics.inverse_kinematics import DEFAULT_STARTS, RESIDUAL_TOLERANCE, find_configuration
from lagrangian.kinematics.path_failures import SINGULAR_TOLERANCE, failure_beyond, singularity_message, unreachable_error
from lagrangian.motion.tableaus.dormand_prince8 import DOP853
from lagrangian.paths.path import CartesianPath, JointPath

AnyPath = JointPath | CartesianPath
MAX_PREDICTION_ERROR = 0.05  # rad or m: the largest correction of a predicted step
FRICTION_CHECK_TIMES = 4001  # the number of times at which speeds are tested for a change of sign
INTEGRATION_TOLERANCE = 1e-11  # rad or m: the error of a step where smallest speeds are integrated


@dataclass(frozen=True, eq=False)
class Knot:
    """A state at a time of the path."""

    t: float
    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray


class Follower:
    """The motion of a mechanism along a path: `follower(t)` returns rows of (q, qd, qdd) at times of the path."""

    def __init__(
        self,
        dyn: Dynamics,
        path: AnyPath,
        frame: Any = None,
        q0: Any = None,
        limits: bool = True,
        progress: Callable[[float], None] | None = None,
    ) -> None:
        self.dyn, self.path = dyn, path
        self.goal = goal_from_path(dyn, path, frame)
        self.equations = KinematicEquations(dyn, self.goal)
        self.leads_all_joints = (
            isinstance(self.goal, JointGoal) and not self.equations.constrained and len(self.goal.names) == dyn.nv == dyn.nq
        )
        self.holonomic = bool(self.equations.holonomic.all())
        self.failure: UnreachableError | None = None
        self.knots: list[Knot] = []
        if self.leads_all_joints and q0 is not None:
            raise ArgumentError(
                "the path prescribes all joints and therefore its start; q0 is for paths that leave a choice", concerns="q0"
            )
        if not self.leads_all_joints:
            self._find_start(q0, limits)
            self._advance(progress)

    def __call__(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        target, velocity, acceleration = self.path(t)
        if self.leads_all_joints:
            return tuple(self._in_coordinate_order(x) for x in (target, velocity, acceleration))  # type: ignore[return-value]
        parts = [
            self._states_at(t[k : k + CHUNK], *(x[k : k + CHUNK] for x in (target, velocity, acceleration)))
            for k in range(0, len(t), CHUNK)
        ]
        q, qd, qdd = (np.vstack(part) for part in zip(*parts, strict=True))
        return q, qd, qdd

    def _in_coordinate_order(self, x: np.ndarray) -> np.ndarray:
        assert isinstance(self.goal, JointGoal)
        ordered = np.empty_like(x)
        ordered[:, self.goal.iv] = x
        return ordered

    @cached_property
    def discontinuities(self) -> tuple[float, ...]:
        """The times between start and end at which torques jump: accelerations of the path jump, or dry friction turns."""
        times = list(self.path.discontinuities)
        constants = self.dyn.friction_constants
        dry_columns = np.flatnonzero(constants.coulomb_positive + constants.coulomb_negative)
        if dry_columns.size:
            t = self.path.times(FRICTION_CHECK_TIMES)
            signs = np.sign(self(t)[1][:, dry_columns])
            rows, columns = np.nonzero(signs[1:] * signs[:-1] < 0)
            low, high, first_sign = t[rows], t[rows + 1], signs[rows, columns]
            for _ in range(60 if rows.size else 0):  # all at once, by halving
                middle = 0.5 * (low + high)
                same = np.sign(self(middle)[1][np.arange(len(rows)), dry_columns[columns]]) == first_sign
                low, high = np.where(same, middle, low), np.where(same, high, middle)
            times += list(high)
            # a speed may pass through zero exactly at a tested time
            rows, _ = np.nonzero((signs[1:-1] == 0) & (signs[:-2] * signs[2:] < 0))
            times += list(t[rows + 1])
        return tuple(sorted(set(times)))

    def resting_friction(self, t: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """Return the dry friction of joints at rest: that of the direction in which they start, or at the end have moved."""
        constants = self.dyn.friction_constants
        friction = np.zeros_like(qd)
        resting = (qd == 0) & (constants.coulomb_positive + constants.coulomb_negative > 0)
        for plane in map(list, constants.planar_speeds):
            resting[:, plane] = resting[:, plane].all(axis=1, keepdims=True)
        rows = np.flatnonzero(resting.any(axis=1))
        if rows.size:
            offset = 1e-6 * self.path.duration
            nearby_times = np.where(t[rows] + offset <= self.path.end, t[rows] + offset, t[rows] - offset)
            speed = self(np.clip(nearby_times, self.path.start, self.path.end))[1]
            friction[rows] = np.where(resting[rows], constants.dry_forces(speed), 0.0)
        return friction

    # -- along the path ----------------------------------------------------------------------------------------------

    def _find_start(self, q0: Any, limits: bool) -> None:
        t = self.path.start
        target, velocity, acceleration = self.path(np.array([t]))
        try:
            q = find_configuration(self.equations, target[0], q0, t, limits, DEFAULT_STARTS)
        except UnreachableError as error:
            raise unreachable_error(
                t, f"the start of the path cannot be reached: {error}{explain_overprescription(self.equations)}"
            ) from None
        times = np.array([t])
        equations, regular_q = self.equations, self._regular_configuration_near(q, t)
        self.rank = int(equations.rank_and_singular_values(regular_q, times)[0][0])
        self.needs_integration = (
            int(equations.rank_and_singular_values(regular_q, times, holonomic_only=True)[0][0]) < self.dyn.nv
        )
        smallest = float(equations.rank_and_singular_values(q[None], times)[1][0, self.rank - 1]) if self.rank else 1.0
        if smallest < SINGULAR_TOLERANCE:
            raise unreachable_error(t, singularity_message(self.dyn.mechanism, t, q, smallest))
        self.knots.append(self._make_knot(t, q[None], velocity, acceleration))

    def _regular_configuration_near(self, q: np.ndarray, t: float) -> np.ndarray:
        """Return a configuration near another, with closed loops, which is not singular even if the other one is."""
        mechanism = self.dyn.mechanism
        shifted = integrate(mechanism, q[None], 1e-2 * np.random.default_rng(0).normal(size=(1, mechanism.nv)))
        return Newton(LoopClosure(self.dyn), damped=False, iterations=8).solve(shifted, t).q

    def _make_knot(self, t: float, q: np.ndarray, velocity: np.ndarray, acceleration: np.ndarray) -> Knot:
        qd, qdd = self._speeds_and_accelerations(q, velocity, acceleration, np.array([t]))
        return Knot(t, q[0], qd[0], qdd[0])

    def _speeds_and_accelerations(
        self, q: np.ndarray, velocity: np.ndarray, acceleration: np.ndarray, t: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        equations = self.equations
        A = equations.jacobian(q, t)
        full_rank = self.rank == self.dyn.nv
        qd = scaled_minimum_norm_solution(A, equations.speed_rhs(q, velocity, t), full_rank)
        self._check_speeds(A, qd, equations.speed_rhs(q, velocity, t), t)
        qdd = scaled_minimum_norm_solution(A, equations.acceleration_rhs(q, qd, acceleration, t), full_rank)
        if self.rank < self.dyn.nv:
            qdd = qdd + null_space_acceleration(equations, A, q, qd, t)
        return qd, qdd

    def _check_speeds(self, A: np.ndarray, qd: np.ndarray, required: np.ndarray, t: np.ndarray) -> None:
        error = np.einsum("nij,nj->ni", A, qd) - required
        scale = 1 + np.abs(required).max(axis=1) + np.abs(qd).max(axis=1)
        violated = np.abs(error).max(axis=1, initial=0.0) > 1e-7 * scale
        if violated.any():
            k = int(np.argmax(violated))
            names = (*self.dyn.constraint_names, *self.goal.names)
            raise unreachable_error(
                t[k], f"no speeds follow the path at t = {t[k]:.6g} s: {format_worst_residuals(names, error[k])} per second"
            )

    def _advance(self, progress: Callable[[float], None] | None) -> None:
        """Add knots up to the end of the path, as far apart as Newton's method allows."""
        path = self.path
        end, min_step = path.end, 1e-10 * path.duration
        h = path.duration / 64
        stops = [*path.discontinuities, end]
        while self.knots[-1].t < end:
            knot = self.knots[-1]
            stop = next(x for x in stops if x > knot.t)
            t = knot.t + h if knot.t + 1.5 * h < stop else stop
            next_knot = self._try_step(knot, t)
            if next_knot is None:
                h = 0.5 * min(h, t - knot.t)
                if h < min_step:
                    raise failure_beyond(self, knot)
                continue
            self.knots.append(next_knot)
            if progress is not None:
                progress(t)
            h = min(1.5 * max(h, t - knot.t), path.duration / 16)

    def _try_step(self, knot: Knot, t: float) -> Knot | None:
        """Return the next knot; None if the step is too long."""
        times = np.array([t])
        target, velocity, acceleration = self.path(times)
        if self.needs_integration:
            predicted = integrate_minimum_norm_speeds(self, knot, times, check=True)
            if predicted is None:
                return None
        else:
            predicted = self._predict([knot], times)
        q, correction, converged = self._correct(predicted, target, times)
        if not converged[0] or correction[0] > MAX_PREDICTION_ERROR:
            return None
        sign_product = self._determinant_sign(q, times) * self._determinant_sign(knot.q[None], np.array([knot.t]))
        if sign_product < 0:  # another branch
            return None
        try:
            return self._make_knot(t, q, velocity, acceleration)
        except UnreachableError as error:
            self.failure = error
            return None

    def _determinant_sign(self, q: np.ndarray, t: np.ndarray) -> float:
        """Return the sign of det A, which changes at singularities alone; 1 if A is not square or its rows are dependent."""
        A = self.equations.jacobian(q, t)
        return float(np.linalg.slogdet(A)[0][0]) if A.shape[1] == A.shape[2] == self.rank else 1.0

    def _predict(self, knots: list[Knot], t: np.ndarray) -> np.ndarray:
        """Predict coordinates from the speeds and accelerations of the knots before."""
        h = (t - np.array([k.t for k in knots]))[:, None]
        q, qd, qdd = (np.array([getattr(k, name) for k in knots]) for name in ("q", "qd", "qdd"))
        return integrate(self.dyn.mechanism, q, h * qd + 0.5 * h * h * qdd)

    def _correct(self, q: np.ndarray, target: np.ndarray, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return coordinates that meet all equations, the distance to them, and whether Newton's method converged."""
        newton = Newton(
            TargetEquations(self.equations, target), damped=False, iterations=8, max_distance=100 * MAX_PREDICTION_ERROR
        )
        solution = newton.solve(q, t)
        return solution.q, solution.distance, solution.violation <= 10 * RESIDUAL_TOLERANCE

    def _states_at(
        self, t: np.ndarray, target: np.ndarray, velocity: np.ndarray, acceleration: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        if self.needs_integration:
            q = integrate(self.dyn.mechanism, self._coordinate_series.evaluate_many(t), np.zeros((len(t), self.dyn.nv)))
        else:
            q = self._predict([self.knots[k] for k in self._knot_indices(t)], t)
        q, _, converged = self._correct(q, target, t)
        if not converged.all():
            first_failure = float(t[np.argmin(converged)])
            raise unreachable_error(first_failure, f"the path cannot be followed at t = {first_failure:.6g} s")
        return (q, *self._speeds_and_accelerations(q, velocity, acceleration, t))

    def _knot_indices(self, t: np.ndarray) -> np.ndarray:
        return np.clip(np.searchsorted([k.t for k in self.knots], t, side="right") - 1, 0, len(self.knots) - 1)

    @cached_property
    def _coordinate_series(self) -> ChebyshevSeries:
        """The integrated coordinates as a series, so that a time needs no integration step of its own."""

        def values(t: np.ndarray) -> np.ndarray:
            knot_indices, q = self._knot_indices(t), np.empty((len(t), self.dyn.nq))
            for k in np.unique(knot_indices):
                configurations = integrate_minimum_norm_speeds(self, self.knots[k], t[knot_indices == k])
                assert configurations is not None
                q[knot_indices == k] = configurations
            return q

        return ChebyshevSeries.interpolate(
            values, self.path.start, self.path.end, [*(k.t for k in self.knots), *self.path.corners], pieces=1
        )


def integrate_minimum_norm_speeds(follower: Follower, knot: Knot, t: np.ndarray, check: bool = False) -> np.ndarray | None:
    """Return coordinates at times after a knot, by one Dormand-Prince step to each; with `check`, None if a step is too long."""
    mechanism, equations = follower.dyn.mechanism, follower.equations
    h = (t - knot.t)[:, None]
    q0 = np.repeat(knot.q[None], len(t), axis=0)
    slopes: list[np.ndarray] = []
    for c, row in zip(DOP853.c, DOP853.a, strict=False):
        q = q0 + h * sum((a * k for a, k in zip(row, slopes, strict=False) if a), np.zeros_like(q0))
        stage_times = knot.t + c * h[:, 0]
        velocity = follower.path(np.minimum(stage_times, follower.path.end))[1]
        qd = scaled_minimum_norm_solution(
            equations.jacobian(q, stage_times), equations.speed_rhs(q, velocity, stage_times), follower.rank == follower.dyn.nv
        )
        slopes.append(np.array(coordinate_rates(mechanism, list(q.T), list(qd.T))).T)
    if check:
        errors = [sum((e * k for e, k in zip(row, slopes, strict=False)), np.zeros_like(q0)) for row in DOP853.errors]
        e5, e3 = (float(np.abs(h * e).max()) for e in errors[:2])
        if e5 and e5 * e5 / np.sqrt(e5 * e5 + 0.01 * e3 * e3) > INTEGRATION_TOLERANCE:
            return None
    q = q0 + h * sum((b * k for b, k in zip(DOP853.b, slopes, strict=False)), np.zeros_like(q0))
    return integrate(mechanism, q, np.zeros((len(t), follower.dyn.nv)))


def null_space_acceleration(
    equations: KinematicEquations, A: np.ndarray, q: np.ndarray, qd: np.ndarray, t: np.ndarray
) -> np.ndarray:
    """Return the difference between the derivative of the smallest qd and the smallest qdd: (1 - A+ A) A'^T A+^T qd.

    The smallest qd has A qd = b, the smallest qdd has A qdd = b' - A' qd.

    Golub and Pereyra 1973 have the derivative of a pseudo-inverse. A' along the motion is by differences of fourth order.
    """
    mechanism = equations.dyn.mechanism
    h = 1e-3 / (1.0 + np.abs(qd).max())
    matrices = {k: equations.jacobian(integrate(mechanism, q, k * h * qd), t + k * h) for k in (-2, -1, 1, 2)}
    rate = (8 * (matrices[1] - matrices[-1]) - (matrices[2] - matrices[-2])) / (12 * h)
    rows, size = unit_rows(A)
    U, inverse, Vt = pseudoinverse_factors(rows)
    speeds_through_inverse = np.einsum("nik,nk->ni", U, inverse * np.einsum("nkj,nj->nk", Vt, qd)) / size  # A+^T qd
    change = np.einsum("nij,ni->nj", rate, speeds_through_inverse)
    row_space_part = np.einsum("nkj,nk->nj", Vt, (inverse > 0) * np.einsum("nkj,nj->nk", Vt, change))
    result: np.ndarray = change - row_space_part
    return result
