"""A point of a mechanism pulled to a place: it follows as near as joints, loops and limits let it.

Gauss and Newton's steps towards the place, damped, along the speeds that the constraints permit; after each the loops are closed
by Newton's method. A joint at its limit is left out where the step would take it beyond.
"""

from __future__ import annotations

import math
import time

import numpy as np

from lagrangian.configuration.coordinates import moved
from lagrangian.configuration.loops import Loops
from lagrangian.configuration.poses import body_poses
from lagrangian.model.mechanism import GROUND, Mechanism
from lagrangian.viewer.live.handles import PLAIN
from lagrangian.viewer.live.moved_by_hand import Posture

STEPS = 60
STRIDE = 0.15  # rad, or of the mechanism's size: the most that anything moves in a step
NEAR = 1e-7  # of the mechanism's size: there
SLOW = 1e-4  # of the distance: what a step must gain at least
OPEN = 1e-9
DAMPED = 1e-3  # of the size, against steps that are long for little
FAR = 0.3  # of the distance: far from its goal a stretched arm is to turn, and not to bend to and fro


def pulled(posture: Posture, body: str, point: np.ndarray, to: np.ndarray, size: float, patience: float = math.inf) -> float:
    """Take a point of a body, in its frame, towards a place in the world; the distance that is left. The posture follows.

    After `patience` seconds it is as far as it has come: a hand that drags asks again.
    """
    m, q = posture.mechanism, posture.q
    units = posture._units
    loops = Loops(posture.dyn) if posture.has_loops else None
    at, distance, reach = place(m, q, body, point), 0.0, STRIDE
    until = time.monotonic() + patience
    for _ in range(STEPS):
        if time.monotonic() > until:
            break
        distance = float(np.linalg.norm(to - at))
        if distance < NEAR * size:
            break
        J = slopes(m, q, body, point) * units
        step = _step(posture, q, J, to - at, size, units, reach)
        if not np.abs(step).max(initial=0.0) > 1e-12:
            break
        there = moved(m, q, step * units)
        if loops is not None:
            found = loops.nearest(there)
            there = found.q[0]
            if not found.miss[0] < OPEN or float(found.way[0]) > 0.5 * reach:  # open, or closed in another assembly
                reach /= 4
                if reach < 1e-4:
                    break
                continue
        now = place(m, there, body, point)
        gained = distance - float(np.linalg.norm(to - now))
        if gained < SLOW * distance:
            if reach < 1e-3:
                break
            reach /= 4
            if gained <= 0:
                continue
        q, at, reach = there, now, min(STRIDE, 2 * reach)
    posture._set(q, posture.values)
    posture._way.clear()
    return float(np.linalg.norm(to - at))


def _step(
    posture: Posture, q: np.ndarray, J: np.ndarray, gap: np.ndarray, size: float, units: np.ndarray, reach: float
) -> np.ndarray:
    """The damped step over the units, `reach` at most, without the joints that would pass their limits."""
    held: list[int] = []
    step = np.zeros(len(units))
    for _ in range(len(posture.handles) + 1):
        idle = _permitted(posture, q, held, units)
        A = J @ idle
        damping = max(DAMPED * size, FAR * min(float(np.linalg.norm(gap)), size)) ** 2 * np.eye(A.shape[1])
        step = idle @ np.linalg.solve(A.T @ A + damping, A.T @ gap) if A.shape[1] else np.zeros(len(units))
        step *= min(1.0, reach / max(float(np.abs(step).max(initial=0.0)), 1e-300))
        passed = [k for k in _at_limits(posture, q, step * units) if k not in held]
        if not passed:
            return step
        held += passed
    return np.zeros(len(units))


def _permitted(posture: Posture, q: np.ndarray, held: list[int], units: np.ndarray) -> np.ndarray:
    """The directions, over the units, that constraints and held joints leave: (nv, degrees)."""
    rows = [np.eye(len(units))[held]]
    if posture.closed:
        rows.append(posture.dyn.constraint_jacobian(q) * units)
    A = np.vstack(rows)
    if not len(A):
        return np.eye(len(units))
    _, s, Vt = np.linalg.svd(A)
    rank = int(np.sum(s > 1e-6 * s[0])) if s.size and s[0] > 0 else 0
    idle: np.ndarray = Vt[rank:].T
    return idle


def _at_limits(posture: Posture, q: np.ndarray, step: np.ndarray) -> list[int]:
    """The speeds whose joints the step takes beyond a limit."""
    found = []
    for h in posture.handles:
        if h.kind != PLAIN:
            continue
        k, value = h.iv + h.component, q[h.iq + h.component]
        after = value + step[k]
        if (after > h.upper + 1e-12 and step[k] > 0) or (after < h.lower - 1e-12 and step[k] < 0):
            found.append(k)
    return found


def place(m: Mechanism, q: np.ndarray, body: str, point: np.ndarray) -> np.ndarray:
    """Where a point of a body is."""
    T = body_poses(m, q)[body][0]
    found: np.ndarray = T[:3, :3] @ point + T[:3, 3]
    return found


def slopes(m: Mechanism, q: np.ndarray, body: str, point: np.ndarray) -> np.ndarray:
    """How the point moves with the speeds, (3, nv), by differences: nothing is compiled for it."""
    h = 1e-6
    rows = moved(m, q, np.concatenate([h * np.eye(m.nv), -h * np.eye(m.nv)]))
    T = body_poses(m, rows)[body] if body != GROUND else np.broadcast_to(np.eye(4), (2 * m.nv, 4, 4))
    points = T[:, :3, :3] @ point + T[:, :3, 3]
    found: np.ndarray = (points[: m.nv] - points[m.nv :]).T / (2 * h)
    return found
