"""Dragging one joint of a mechanism: its loops stay closed, and it stays in its assembly mode.

The other motors stand still as far as they can, and passive joints follow. The motion consists of small steps: along the speeds
that the constraints permit, and then to closed loops by Newton's method. `held_joints` decides which joints stand still.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lagrangian.configuration.assemble import assemble
from lagrangian.configuration.coordinates import integrate, speed_scales
from lagrangian.configuration.loop_closure import LoopClosure
from lagrangian.configuration.newton import Newton
from lagrangian.configuration.start import as_dynamics
from lagrangian.errors import ArgumentError, unknown_name_message
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.rotation import quaternion
from lagrangian.posing.handles import POSITION, ROTATION, Handle, handle_jacobian, handle_values, joint_handles

MAX_STEP = 0.08  # rad, or by the mechanism's size: the largest motion in a step
MIN_STEP = 1e-8  # rad, or by the mechanism's size: the motion ends where not even such a step is possible
TOLERANCE = 1e-11  # rad or m: a handle that is nearer has its value
CLOSURE_TOLERANCE = 1e-11  # by the rate of a loop's equations at unit speeds
SINGULAR_TOLERANCE = 1e-5  # with smaller singular values the configuration is singular
RANK_TOLERANCE = 1e-6  # speeds with smaller singular values depend on each other
MAX_SPEED_RATIO = 30.0  # a handle is at a dead centre where other joints move this much faster


class Posture:
    """A configuration that closes the loops, with handles by which it is moved."""

    def __init__(self, mechanism: Mechanism, q: Any = None, size: float = 1.0) -> None:
        self.mechanism = mechanism
        self.dyn = as_dynamics(mechanism)
        self.handles = joint_handles(mechanism)
        self.index = {h.name: k for k, h in enumerate(self.handles)}
        self.has_constraints = bool(mechanism.equation_count)
        self._holonomic = self.dyn.holonomic
        self.speed_scales = speed_scales(mechanism, size)
        self.last_directions: dict[int, np.ndarray] = {}  # the direction of the last step, by handle
        self.move_to(q)
        self._held_handles = held_joints(self.dyn, self.handles, self.q, self.speed_scales)

    def move_to(self, q: Any = None) -> None:
        """Set a configuration or pose; loops that it leaves open are closed nearby."""
        q = np.array(assemble(self.dyn, q), dtype=float)
        self.set_state(integrate(self.mechanism, q, np.zeros(self.dyn.nv)), None)  # quaternions of length one
        self.last_directions.clear()

    def set_state(self, q: np.ndarray, last: np.ndarray | None) -> None:
        self.q = q
        self.values = handle_values(self.handles, q, last)

    @property
    def has_loops(self) -> bool:
        """Whether there are loops, or other equations of coordinates."""
        return bool(self._holonomic.any())

    @property
    def closure(self) -> float:
        """The largest residual of a loop."""
        return float(np.abs(self.loop_residual(self.q)).max(initial=0.0))

    def held_handle_names(self, name: str) -> tuple[str, ...]:
        """Return the handles that are held when one is dragged."""
        return tuple(self.handles[k].name for k in self._held_handles[self._handle_index(name)])

    def drag(self, name: str, value: float) -> DragResult:
        """Drag a handle towards a value: as far as loops close, constraints permit, and no other joint meets its limit."""
        k = self._handle_index(name)
        handle, held_handles = self.handles[k], self._held_handles[k]
        if not np.isfinite(value):
            raise ArgumentError(f"{name}: {value} is not a valid value")
        goal = float(np.clip(value, handle.lower, handle.upper))
        if not self.has_constraints:
            self._move_alone(k, goal)
            return DragResult(True)
        held_values = self.values.copy()  # held handles stay exactly here
        direction, step_share = self._tangent(k, held_handles, self.q, self.values), 1.0
        while abs(remaining := goal - self.values[k]) > TOLERANCE:
            sign, h, step = float(np.sign(remaining)), 0.0, None
            if direction is not None:
                h = min(abs(remaining), step_share * MAX_STEP / max(self._max_scaled_speed(direction), 1e-12))
                step = self._step(k, held_handles, held_values, direction, sign * h)
            if isinstance(step, tuple) and direction is not None:
                self.last_directions[k] = direction
                self.set_state(step[0], self.values)
                direction, step_share = step[1], min(1.0, 2 * step_share)
            elif h > MIN_STEP * self._handle_scale(k):
                step_share /= 2
            elif isinstance(step, Handle):
                return DragResult(False, f"{name} stops at {handle.text(self.values[k])}: {step.name} is at its limit.")
            elif direction is not None and self._max_scaled_speed(direction) * self._handle_scale(k) > MAX_SPEED_RATIO:
                return DragResult(False, self._stop_message(k))
            elif self._holonomic.all() and self._leave_singularity(k, held_handles, held_values, sign, abs(remaining)):
                direction, step_share = self._tangent(k, held_handles, self.q, self.values), 1.0
            else:
                return DragResult(False, self._stop_message(k))
        return DragResult(True)

    def _move_alone(self, k: int, value: float) -> None:
        """Set one handle of a mechanism without constraints: no other joint moves."""
        handle, q, values = self.handles[k], self.q.copy(), self.values.copy()
        values[k] = value
        if handle.kind == ROTATION:
            first = k - handle.component
            q[handle.iq : handle.iq + 4] = quaternion.exponential(values[first : first + 3])
        else:
            q[handle.iq + handle.component + (4 if handle.kind == POSITION else 0)] = value
        self.set_state(q, values)

    # -- one step ----------------------------------------------------------------------------------------------------

    def constraint_jacobian(self, indices: list[int], q: np.ndarray, values: np.ndarray, all_rows: bool) -> np.ndarray:
        """Return Psi, all rows or those of equations of coordinates, above the Jacobian of some handles."""
        psi = self.dyn.constraint_jacobian(q)
        G = handle_jacobian(self.handles, q, values, self.dyn.nv)
        return np.vstack([psi if all_rows else psi[self._holonomic], G[indices]])

    def _tangent(
        self, k: int, held_handles: tuple[int, ...], q: np.ndarray, values: np.ndarray, tolerance: float = 1e-6
    ) -> np.ndarray | None:
        """Return the smallest speeds that move a handle at unit speed; None if there are none.

        Where the configuration is singular, so that several motions are possible, the one nearest to the last step is taken.
        """
        A = self.constraint_jacobian([*held_handles, k], q, values, True) * self.speed_scales
        b = np.zeros(len(A))
        b[-1] = 1.0
        U, s, Vt = np.linalg.svd(A, full_matrices=False)
        significant = s > SINGULAR_TOLERANCE * s[0]
        x = Vt[significant].T @ ((U[:, significant].T @ b) / s[significant])
        if np.abs(A @ x - b).max() > tolerance:
            return None
        if k in self.last_directions and not significant.all():
            singular_directions = Vt[~significant]
            x += singular_directions.T @ (singular_directions @ (self.last_directions[k] / self.speed_scales))
        return x * self.speed_scales

    def _step(
        self, k: int, held_handles: tuple[int, ...], held_values: np.ndarray, direction: np.ndarray, h: float
    ) -> tuple[np.ndarray, np.ndarray] | Handle | None:
        """Return the configuration after a step on the same branch, and the next direction; or a handle at its limit; or None."""
        half = integrate(self.mechanism, self.q, 0.5 * h * direction)
        # between closed configurations, dependent equations contradict each other a little
        middle = self._tangent(k, held_handles, half, handle_values(self.handles, half, self.values), 0.1)
        if middle is None:
            return None
        trial = self._close_loops(k, held_handles, held_values, integrate(self.mechanism, self.q, h * middle), self.values[k] + h)
        if trial is None:
            return None
        q, correction = trial
        if correction > 0.3 * abs(h) * self._max_scaled_speed(middle):
            return None
        values = handle_values(self.handles, q, self.values)
        next_direction = self._tangent(k, held_handles, q, values)
        if next_direction is None or _cosine(next_direction / self.speed_scales, direction / self.speed_scales) < 0.8:
            return None
        for other, previous, value in zip(self.handles, self.values, values, strict=True):
            if (value > other.upper + 1e-9 and value > previous) or (value < other.lower - 1e-9 and value < previous):
                return other
        return q, next_direction

    def _close_loops(
        self, k: int, held_handles: tuple[int, ...], held_values: np.ndarray, q: np.ndarray, value: float
    ) -> tuple[np.ndarray, float] | None:
        """Return the configuration near q with closed loops and a handle at its value, and the distance; None if none exists."""
        handle_targets = np.append(held_values[list(held_handles)], value)
        equations = _HandleEquations(self, (*held_handles, k), handle_targets, self.values)
        solution = Newton(equations, units=self.speed_scales, damped=False, iterations=12, max_distance=0.5).solve(q[None])
        q, handle = solution.q[0], self.handles[k]
        error = abs(equations.values[k] - value)
        if (
            not np.abs(self.loop_residual(q)).max(initial=0.0) <= CLOSURE_TOLERANCE * max(1.0, float(self.speed_scales.max()))
            or error > 1e-9
        ):
            return None
        if handle.kind != ROTATION:  # linear, so that only rounding is left
            q[handle.iq + handle.component + (4 if handle.kind == POSITION else 0)] = value
        return q, float(solution.distance[0])

    def _leave_singularity(
        self, k: int, held_handles: tuple[int, ...], held_values: np.ndarray, sign: float, remaining: float
    ) -> bool:
        """Move out of a singular configuration, or across it: along the previous direction, or else as little as possible."""
        A = self.constraint_jacobian(list(held_handles), self.q, self.values, True) * self.speed_scales
        _, s, Vt = np.linalg.svd(A)
        full = np.zeros(len(Vt))
        full[: len(s)] = s
        null_space = Vt[full <= 1e-3 * max(float(full.max()), 1e-300)]
        if not len(null_space):
            return False
        previous = self.last_directions[k] / self.speed_scales * sign if k in self.last_directions else None
        trials = np.random.default_rng(0).normal(size=(12, len(null_space))) @ null_space if len(null_space) > 1 else null_space
        if previous is not None:
            trials = np.vstack([previous, trials])
        best: tuple[float, np.ndarray] | None = None
        for h in (0.01, 0.001, 0.05):
            value = self.values[k] + sign * min(h * self._handle_scale(k), remaining)
            for direction in trials:
                for amount in (0.02, -0.02, 0.1, -0.1):
                    start = integrate(self.mechanism, self.q, amount * direction / np.linalg.norm(direction) * self.speed_scales)
                    solution = self._close_loops(k, held_handles, held_values, start, value)
                    if solution is None:
                        continue
                    values = handle_values(self.handles, solution[0], self.values)
                    change = float(np.abs(values - self.values).max())
                    tangent = self._tangent(k, held_handles, solution[0], values)
                    if change > 0.4 * max(1.0, float(self.speed_scales.max())) or tangent is None:
                        continue
                    if previous is not None and _cosine(sign * tangent / self.speed_scales, previous) < 0.8:
                        continue
                    if best is None or change < best[0]:
                        best = (change, solution[0])
            if best is not None:
                self.set_state(best[1], self.values)
                return True
        return False

    # -- residuals, scales and messages ------------------------------------------------------------------------------

    def loop_residual(self, q: np.ndarray) -> np.ndarray:
        return np.asarray(self.dyn.closure(q)) if self._holonomic.any() else np.zeros(0)

    def _max_scaled_speed(self, direction: np.ndarray) -> float:
        return float(np.abs(direction / self.speed_scales).max())

    def _handle_scale(self, k: int) -> float:
        return 1.0 if self.handles[k].angle else float(self.speed_scales.max())

    def _handle_index(self, name: str) -> int:
        if name not in self.index:
            raise ArgumentError(unknown_name_message("handle", name, self.index))
        return self.index[name]

    def _stop_message(self, k: int) -> str:
        handle = self.handles[k]
        if self._holonomic.all():
            reason = "the loops cannot close beyond this point"
        elif self._holonomic.any():
            reason = "the loops and the rolling or sliding constraints allow no further motion"
        else:
            reason = "the rolling or sliding constraints do not allow this motion"
        return f"{handle.name} stops at {handle.text(self.values[k])}: {reason}."


@dataclass(frozen=True)
class DragResult:
    """Whether a handle reached its value; if not, the message says why."""

    reached: bool
    message: str = ""


class _HandleEquations:
    """Equations of a posture for Newton's method: its loops are closed, and some handles have target values."""

    def __init__(self, posture: Posture, handles: tuple[int, ...], targets: np.ndarray, last: np.ndarray) -> None:
        self.posture, self.mechanism, self.values = posture, posture.mechanism, last
        self.indices, self.targets = list(handles), targets

    def residual(self, q: np.ndarray, t: np.ndarray, rows: np.ndarray) -> np.ndarray:
        self.values = handle_values(self.posture.handles, q[0], self.values)  # rotation vectors go on from the last ones
        return np.concatenate([self.posture.loop_residual(q[0]), self.values[self.indices] - self.targets])[None]

    def jacobian(self, q: np.ndarray, t: np.ndarray, rows: np.ndarray) -> np.ndarray:
        return self.posture.constraint_jacobian(self.indices, q[0], self.values, False)[None]


def _cosine(a: np.ndarray, b: np.ndarray) -> float:
    size = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(a @ b) / size if size > 0 else 0.0


def held_joints(dyn: Dynamics, handles: Sequence[Handle], q: np.ndarray, scales: np.ndarray) -> list[tuple[int, ...]]:
    """Return, for every handle, which others are held while it is dragged.

    If it is actuated, these are the other motors. If it is passive, they are the rest of its joint and the passive joints of its
    own chain, so that a platform moves along one axis at a time. As many are held as leave the handle free to move; the count is
    made where the mechanism is not singular, so that it is the same everywhere. A mechanism that rolls or slides moves as little
    as it can, and its other motors are held only if all of them can be.
    """
    count = range(len(handles))
    if not dyn.mechanism.equation_count:
        return [() for _ in count]
    S = _handle_rates(dyn, handles, q, scales)

    def rank(rows: list[int]) -> int:
        return int(np.linalg.matrix_rank(S[rows], tol=RANK_TOLERANCE)) if S.size else 0

    degrees = rank(list(count))
    held_by_handle: list[tuple[int, ...]] = []
    has_rolling = not dyn.holonomic.all()
    for k in count:
        held_handles: list[int] = []
        if has_rolling:
            other_motors = [j for j in count if j != k and handles[j].actuated] if handles[k].actuated else []
            held_by_handle.append(tuple(other_motors) if rank([*other_motors, k]) == len(other_motors) + 1 else ())
            continue
        for j in _held_candidates(dyn.mechanism, handles, k):
            if len(held_handles) >= degrees - 1:
                break
            if rank([*held_handles, j, k]) == len(held_handles) + 2:
                held_handles.append(j)
        held_by_handle.append(tuple(held_handles))
    return held_by_handle


def _held_candidates(mechanism: Mechanism, handles: Sequence[Handle], k: int) -> list[int]:
    dragged = handles[k]
    same_joint = [j for j, h in enumerate(handles) if j != k and h.joint == dragged.joint]
    if dragged.actuated:
        return same_joint + [j for j, h in enumerate(handles) if h.actuated and h.joint != dragged.joint]
    by_child = {joint.child: i for i, joint in enumerate(mechanism.joints)}

    def joints_inward(i: int) -> set[int]:
        carriers: set[int] = set()
        while (parent := by_child.get(mechanism.joints[i].parent)) is not None:
            carriers.add(parent)
            i = parent
        return carriers

    inward_joints = joints_inward(dragged.joint)
    chain = [
        j
        for j, h in enumerate(handles)
        if h.joint != dragged.joint and (h.joint in inward_joints or dragged.joint in joints_inward(h.joint))
    ]
    return same_joint + [j for j in chain if not handles[j].actuated]


def _handle_rates(dyn: Dynamics, handles: Sequence[Handle], q: np.ndarray, scales: np.ndarray) -> np.ndarray:
    """Return the rates of the handles for each degree of freedom, at a configuration that is not singular: (handles, degrees)."""
    rng, loops, configuration = np.random.default_rng(0), LoopClosure(dyn), q
    largest_rank, permitted, rates = -1, np.eye(dyn.nv), np.zeros((len(handles), 0))
    for reach in (0.0, 0.02, 0.05, 0.1, 0.2):
        if not len(permitted):
            break
        if reach:
            step = (rng.normal(size=len(permitted)) @ permitted) * scales
            closure = loops.nearest(integrate(dyn.mechanism, q, reach * step / np.linalg.norm(step)))
            if closure.violation[0] > 1e-9:
                continue
            configuration = closure.q[0]
        _, s, Vt = np.linalg.svd(dyn.constraint_jacobian(configuration) * scales)
        rank = int(np.sum(s > RANK_TOLERANCE * s[0])) if s.size and s[0] > 0 else 0
        if rank >= largest_rank:
            largest_rank, permitted = rank, Vt[rank:]
            jacobian = handle_jacobian(handles, configuration, handle_values(handles, configuration), dyn.nv)
            rates = jacobian @ (permitted * scales).T
    return rates
