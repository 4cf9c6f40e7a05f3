"""Dragging a point of a mechanism towards a target: it gets as near as joints, loops and limits allow.

Damped Gauss-Newton steps lead towards the target, along the speeds that the constraints permit; after each, Newton's method
closes the loops. A joint at its limit stands still if the step would take it beyond.
"""

from __future__ import annotations

import math
import time

import numpy as np

from lagrangian.configuration.coordinates import integrate
from lagrangian.configuration.loop_closure import LoopClosure
from lagrangian.configuration.poses import body_poses
from lagrangian.model.mechanism import GROUND, Mechanism
from lagrangian.posing.handles import COORDINATE
from lagrangian.posing.posture import Posture

STEPS = 60
MAX_STEP = 0.15  # rad, or by the mechanism's size: the largest motion in a step
REACH_TOLERANCE = 1e-7  # by the mechanism's size: a nearer point has reached its target
MIN_GAIN = 1e-4  # by the distance: the smallest gain of a step
CLOSURE_TOLERANCE = 1e-9
DAMPING = 1e-3  # by the size: against long steps with little gain
FAR_DAMPING = 0.3  # by the distance: far from its target a stretched arm turns, and does not bend to and fro


def drag_point(
    posture: Posture, body: str, point: np.ndarray, target: np.ndarray, size: float, patience: float = math.inf
) -> float:
    """Drag a point of a body, in its frame, towards a target in the world, and return the remaining distance.

    The posture is changed. After `patience` seconds the function returns with what it has reached: the caller asks again.
    """
    m, q = posture.mechanism, posture.q
    scales = posture.speed_scales
    loops = LoopClosure(posture.dyn) if posture.has_loops else None
    position, distance, max_step = point_position(m, q, body, point), 0.0, MAX_STEP
    deadline = time.monotonic() + patience
    for _ in range(STEPS):
        if time.monotonic() > deadline:
            break
        distance = float(np.linalg.norm(target - position))
        if distance < REACH_TOLERANCE * size:
            break
        J = point_jacobian(m, q, body, point) * scales
        step = _step(posture, q, J, target - position, size, scales, max_step)
        if not np.abs(step).max(initial=0.0) > 1e-12:
            break
        next_q = integrate(m, q, step * scales)
        if loops is not None:
            closure = loops.nearest(next_q)
            next_q = closure.q[0]
            if not closure.violation[0] < CLOSURE_TOLERANCE or float(closure.distance[0]) > 0.5 * max_step:
                # the loops are open, or closed in another assembly mode
                max_step /= 4
                if max_step < 1e-4:
                    break
                continue
        next_position = point_position(m, next_q, body, point)
        gain = distance - float(np.linalg.norm(target - next_position))
        if gain < MIN_GAIN * distance:
            if max_step < 1e-3:
                break
            max_step /= 4
            if gain <= 0:
                continue
        q, position, max_step = next_q, next_position, min(MAX_STEP, 2 * max_step)
    posture.set_state(q, posture.values)
    posture.last_directions.clear()
    return float(np.linalg.norm(target - position))


def _step(
    posture: Posture, q: np.ndarray, J: np.ndarray, gap: np.ndarray, size: float, scales: np.ndarray, max_step: float
) -> np.ndarray:
    """Return the damped step over the scales, `max_step` at most, without the joints that would pass their limits."""
    locked: list[int] = []
    step = np.zeros(len(scales))
    for _ in range(len(posture.handles) + 1):
        permitted = _permitted_directions(posture, q, locked, scales)
        A = J @ permitted
        damping = max(DAMPING * size, FAR_DAMPING * min(float(np.linalg.norm(gap)), size)) ** 2 * np.eye(A.shape[1])
        step = permitted @ np.linalg.solve(A.T @ A + damping, A.T @ gap) if A.shape[1] else np.zeros(len(scales))
        step *= min(1.0, max_step / max(float(np.abs(step).max(initial=0.0)), 1e-300))
        beyond_limits = [k for k in _speeds_beyond_limits(posture, q, step * scales) if k not in locked]
        if not beyond_limits:
            return step
        locked += beyond_limits
    return np.zeros(len(scales))


def _permitted_directions(posture: Posture, q: np.ndarray, locked: list[int], scales: np.ndarray) -> np.ndarray:
    """Return the directions, over the scales, that constraints and locked joints leave: (nv, degrees)."""
    rows = [np.eye(len(scales))[locked]]
    if posture.has_constraints:
        rows.append(posture.dyn.constraint_jacobian(q) * scales)
    A = np.vstack(rows)
    if not len(A):
        return np.eye(len(scales))
    _, s, Vt = np.linalg.svd(A)
    rank = int(np.sum(s > 1e-6 * s[0])) if s.size and s[0] > 0 else 0
    null_space: np.ndarray = Vt[rank:].T
    return null_space


def _speeds_beyond_limits(posture: Posture, q: np.ndarray, step: np.ndarray) -> list[int]:
    """Return the speeds whose joints the step takes beyond a limit."""
    speeds = []
    for h in posture.handles:
        if h.kind != COORDINATE:
            continue
        k, value = h.iv + h.component, q[h.iq + h.component]
        next_value = value + step[k]
        if (next_value > h.upper + 1e-12 and step[k] > 0) or (next_value < h.lower - 1e-12 and step[k] < 0):
            speeds.append(k)
    return speeds


def point_position(m: Mechanism, q: np.ndarray, body: str, point: np.ndarray) -> np.ndarray:
    """Return the position of a point of a body in the world."""
    T = body_poses(m, q)[body][0]
    position: np.ndarray = T[:3, :3] @ point + T[:3, 3]
    return position


def point_jacobian(m: Mechanism, q: np.ndarray, body: str, point: np.ndarray) -> np.ndarray:
    """Return the Jacobian of a point, (3, nv), by differences, so that nothing has to be compiled."""
    h = 1e-6
    rows = integrate(m, q, np.concatenate([h * np.eye(m.nv), -h * np.eye(m.nv)]))
    T = body_poses(m, rows)[body] if body != GROUND else np.broadcast_to(np.eye(4), (2 * m.nv, 4, 4))
    points = T[:, :3, :3] @ point + T[:, :3, 3]
    jacobian: np.ndarray = (points[: m.nv] - points[m.nv :]).T / (2 * h)
    return jacobian
