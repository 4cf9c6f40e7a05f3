"""Close the loops of a mechanism, and solve its other equations of coordinates, eta(q, t) = 0; measure their violations."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lagrangian.cached import cached_property
from lagrangian.configuration.coordinates import integrate, single_coordinates
from lagrangian.configuration.newton import Newton, NewtonResult
from lagrangian.configuration.poses import body_poses
from lagrangian.errors import AssemblyError
from lagrangian.kernels.catalogue import relative_jacobian
from lagrangian.kernels.kernel import suppress_finite_checks
from lagrangian.model.joints.displacement import displacement
from lagrangian.model.mechanism import GROUND
from lagrangian.model.placement import Transform

if TYPE_CHECKING:
    from lagrangian.kernels.dynamics import Dynamics

CLOSED_TOLERANCE = 1e-12  # of the largest slope: a loop with a smaller residual is closed
ROUNDED_TOLERANCE = 1e-6  # m or rad: smaller residuals of a configuration that was given come from its rounded numbers
EXACT_TOLERANCE = 1e-15  # smaller residuals are rounding: a configuration that was given stays as it is
DEFAULT_STARTS = 40  # random starts around a configuration from which Newton's method does not close the loops
BATCH_SIZE = 5  # random starts at a time
DIFFERENCE_STEP = 1e-6  # rad or m, of central differences of joints
MAX_AXIS_DIFFERENCE = 0.5  # of axes that coincide in a closed loop, and differ by 2 half a turn away


@dataclass(frozen=True)
class ConstraintViolation:
    """The residual of an equation; `unit` is "m" for lengths, and "" for directions and expressions."""

    name: str
    amount: float
    unit: str

    def __str__(self) -> str:
        return f"{self.name} misses by {self.amount:.3g} {self.unit}".rstrip()


class LoopClosure:
    """The loops of a mechanism at a time, as equations for Newton's method.

    `fixed` names the coordinates that keep their values while the others close the loops.
    """

    def __init__(self, dyn: Dynamics, t: float = 0.0, fixed: Iterable[str] = ()) -> None:
        self.dyn, self.mechanism, self.t, self.fixed = dyn, dyn.mechanism, t, tuple(fixed)
        self.is_holonomic = dyn.holonomic
        self.free = np.ones(dyn.nv)  # 0 for speeds of fixed coordinates
        if self.fixed:
            indices = single_coordinates(dyn.mechanism)
            self.free[[indices[name][1] for name in self.fixed]] = 0.0
        self._newton = Newton(self, self.free)
        self.alignment = Alignment(self)
        self._aligned_newton = Newton(self.alignment, self.free, iterations=50)

    def __bool__(self) -> bool:
        """Whether there are any equations."""
        return bool(self.is_holonomic.any())

    def residual(self, q: np.ndarray, t: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """The residuals eta."""
        return self.dyn.closure(q, t) if self else np.zeros((len(q), 0))

    def jacobian(self, q: np.ndarray, t: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """The rows of Psi that are equations of coordinates.

        They leave the joints out that carry a whole loop: they are those of the loop in axes that rotate with its carrier.
        """
        psi: np.ndarray = relative_jacobian(self.dyn, q, t)[:, self.is_holonomic]
        return psi

    # -- violations -------------------------------------------------------------------------------------------------

    @cached_property
    def names(self) -> list[str]:
        """The names of the equations, in their order."""
        return [name for name, is_holonomic in zip(self.dyn.constraint_names, self.is_holonomic, strict=True) if is_holonomic]

    def worst_violation(self, q: np.ndarray) -> ConstraintViolation | None:
        """The equation with the largest residual; None without equations."""
        if not self:
            return None
        with suppress_finite_checks():
            eta = np.abs(self.dyn.closure(q, self.t))
        k = int(np.argmax(eta))
        return ConstraintViolation(self.names[k], float(eta[k]), self._unit(self.names[k]))

    def violations_by_loop(self, q: np.ndarray) -> list[ConstraintViolation]:
        """The violation of each loop by all its equations, the largest first."""
        loops: dict[str, ConstraintViolation] = {}
        with suppress_finite_checks():
            residual = self.dyn.closure(q, self.t)
        for equation, eta in zip(self.names, residual, strict=True):
            name, unit = equation.rpartition(".")[0] or equation, self._unit(equation)
            earlier = loops.get(name, ConstraintViolation(name, 0.0, unit))
            loops[name] = ConstraintViolation(name, float(np.hypot(earlier.amount, eta)), unit if earlier.unit == unit else "")
        return sorted(loops.values(), key=lambda violation: -violation.amount)

    def _unit(self, name: str) -> str:
        loop, _, label = name.rpartition(".")
        is_loop = any(x.name == loop for x in self.dyn.mechanism.loops)
        return "m" if (is_loop and label in ("x", "y", "z", "length")) or label == "contact" else ""

    # -- closing -----------------------------------------------------------------------------------------------------

    def nearest(self, q: np.ndarray) -> NewtonResult:
        """The result of Newton's method from a configuration, or from rows of them."""
        return self._newton.solve(np.atleast_2d(q), self.t)

    def close(self, q: np.ndarray, starts: int) -> np.ndarray:
        """A closed configuration near q: from q itself, or else from up to `starts` random starts at growing distances."""
        if not self:
            return q
        best = self.nearest(q)
        if self._is_open(best)[0] and self.alignment:
            best = self._close_aligned(q[None])
        for batch in self._batches(starts if self._is_open(best)[0] else 0):
            trials = self._close_aligned(self._random_starts(q, starts)[batch])
            closed_trials = np.flatnonzero(~self._is_open(trials))
            nearest = int(closed_trials[0]) if closed_trials.size else int(np.argmin(np.nan_to_num(trials.violation, nan=np.inf)))
            best = trials.row(nearest) if closed_trials.size or not best.violation[0] <= trials.violation[nearest] else best
            if closed_trials.size:
                break
        if self._is_open(best)[0]:
            raise self.error(best.q[0])
        return best.q[0]

    def _batches(self, starts: int) -> list[slice]:
        """Batches of starts: all at once, or a few at a time where the more expensive alignment is needed."""
        size = BATCH_SIZE if self.alignment else max(1, starts)
        return [slice(k, k + size) for k in range(0, starts, size)]

    def _close_aligned(self, q: np.ndarray) -> NewtonResult:
        """The result of Newton's method, first with the alignment of loops that keep an orientation."""
        return self.nearest(self._aligned_newton.solve(q, self.t).q if self.alignment else q)

    def _is_open(self, solution: NewtonResult) -> np.ndarray:
        return ~(solution.violation <= CLOSED_TOLERANCE) | ~self.alignment.is_aligned(solution.q)

    def _random_starts(self, q: np.ndarray, starts: int) -> np.ndarray:
        rng = np.random.default_rng(0)
        spread = np.pi * np.arange(1, starts + 1)[:, None] / starts
        steps = self.free * spread * rng.normal(size=(starts, self.dyn.nv))
        return integrate(self.dyn.mechanism, np.repeat(q[None], starts, axis=0), steps)

    def error(self, q: np.ndarray) -> AssemblyError:
        """The error that no closed configuration was found; q is the nearest."""
        problem = ", ".join(
            f"{x.name!r} misses by {x.amount:.3g} {x.unit}".rstrip()
            for x in self.violations_by_loop(q)[:4]
            if not x.amount <= 1e-9
        )
        problem = problem or "a loop that keeps an orientation is closed the wrong way round, by half a turn"
        fixed_text = f" with {', '.join(self.fixed)} fixed" if self.fixed else ""
        hint = "Lengths or placements may not fit, or the search must start nearer to the wanted configuration"
        if self.violations_by_loop(q)[0].amount < ROUNDED_TOLERANCE:
            hint = (
                "The gaps are so small that rounded numbers in the description seem to contradict each other: give more digits, "
                "or remove redundant loops and constraints with mechanism.replace(loops=..., constraints=...)"
            )
        problem = f"no configuration was found that closes the loops{fixed_text}: at the nearest {problem}"
        return AssemblyError(f"{self.dyn.mechanism.name}: {problem}. {hint}")


class Alignment:
    """Loops that keep an orientation, with the differences of the axes of their two frames as more equations.

    The equations of these loops say that axes are perpendicular to others, which is also true after half a turn. So they have
    several roots, and Newton's method from afar ends in any of them, or between them. With the differences of the axes there is
    one root.
    """

    def __init__(self, loops: LoopClosure) -> None:
        self.loops, self.mechanism = loops, loops.mechanism
        self._oriented_loops = [loop for loop in self.mechanism.loops if loop.kind.keeps_orientation]

    def __bool__(self) -> bool:
        """Whether any loop keeps an orientation."""
        return bool(self._oriented_loops)

    def residual(self, q: np.ndarray, t: np.ndarray, rows: np.ndarray) -> np.ndarray:
        return np.hstack([self.loops.residual(q, t, rows), self._axis_differences(q)])

    def jacobian(self, q: np.ndarray, t: np.ndarray, rows: np.ndarray) -> np.ndarray:
        poses = body_poses(self.mechanism, q)
        angular_velocities, slopes = self._angular_velocities(q, poses), []
        for loop in self._oriented_loops:
            a, b = (
                np.cross((angular_velocities * self._moving_speeds[body])[:, None], _axes(poses, body, placement)[:, :, None])
                for body, placement in ((loop.a, loop.a_placement), (loop.b, loop.b_placement))
            )  # (rows, axes, speeds, 3)
            slopes.append(np.swapaxes(a - b, 2, 3).reshape(len(q), 6, -1))
        return np.concatenate([self.loops.jacobian(q, t, rows), *slopes], axis=1)

    def _angular_velocities(self, q: np.ndarray, poses: dict[str, np.ndarray]) -> np.ndarray:
        """The angular velocity in the world that each speed gives to the bodies it moves: (rows, speeds, 3)."""
        velocities: list[np.ndarray] = []
        iq = 0
        for joint in self.mechanism.joints:
            q_joint, iq = q[:, iq : iq + joint.kind.nq], iq + joint.kind.nq
            if not joint.kind.nv:
                continue
            steps = DIFFERENCE_STEP * np.eye(joint.kind.nv)
            ends = [joint.kind.integrate(q_joint, sign * step) for step in steps for sign in (1, -1)]
            rotations = displacement(joint, np.concatenate([q_joint, *ends])).reshape(-1, len(q), 4, 4)[..., :3, :3]
            W = (rotations[1::2] - rotations[2::2]) @ np.swapaxes(rotations[0], 1, 2) / (2 * DIFFERENCE_STEP)
            joint_rotation = (poses[joint.parent] @ joint.placement.matrix())[:, :3, :3]
            velocities += list(
                np.einsum("nij,knj->kni", joint_rotation, np.stack([W[..., 2, 1], W[..., 0, 2], W[..., 1, 0]], axis=-1))
            )
        return np.stack(velocities, axis=1) if velocities else np.zeros((len(q), 0, 3))

    def is_aligned(self, q: np.ndarray) -> np.ndarray:
        """Whether, in each configuration, no loop is closed the wrong way round, by half a turn."""
        return np.abs(self._axis_differences(np.atleast_2d(q))).max(axis=1, initial=0.0) < MAX_AXIS_DIFFERENCE

    def _axis_differences(self, q: np.ndarray) -> np.ndarray:
        """The differences of two axes of each loop's frames, those on a minus those on b: (configurations, numbers)."""
        if not self:
            return np.zeros((len(q), 0))
        poses = body_poses(self.mechanism, q)
        gaps = [_axes(poses, x.a, x.a_placement) - _axes(poses, x.b, x.b_placement) for x in self._oriented_loops]
        return np.stack(gaps, axis=1).reshape(len(q), -1)

    @cached_property
    def _moving_speeds(self) -> dict[str, np.ndarray]:
        """The speeds that move each body, as arrays (speeds, 1) of 1 for those that do and 0 for others."""
        speeds_by_body, slices = {GROUND: np.zeros((self.loops.dyn.nv, 1))}, {}
        first = np.cumsum([0, *(joint.kind.nv for joint in self.mechanism.joints)])
        for joint, k in zip(self.mechanism.joints, first, strict=False):
            slices[joint.name] = slice(int(k), int(k) + joint.kind.nv)
        for joint in self.mechanism.outward_joints():
            speeds_by_body[joint.child] = speeds_by_body[joint.parent].copy()
            speeds_by_body[joint.child][slices[joint.name]] = 1.0
        return speeds_by_body


def _axes(poses: dict[str, np.ndarray], body: str, placement: Transform) -> np.ndarray:
    """Two axes of a frame on a body, as rows, in the world."""
    return np.swapaxes((poses[body] @ placement.matrix())[:, :3, :2], 1, 2)
