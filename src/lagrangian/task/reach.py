"""Inverse kinematics of one place: damped least squares within the joints' limits, for any mechanism, loops included.

Nakamura and Hanafusa 1986, Wampler 1986; the damping is Levenberg's and Marquardt's. From many starts if need be.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lagrangian.errors import ArgumentError, ReachError, one_of
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.model.loop import Frame
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion.assemble import dynamics_of, moved, same, single_coordinates, turned
from lagrangian.task.goal import FrameGoal, JointGoal, Requirements, rank_of, told
from lagrangian.task.path import DIRECTIONS

STARTS, ITERATIONS = 60, 150
MET = 1e-11  # residuals, as parts of the mechanism's size, that count as none


def inverse_kinematics(
    mechanism: Mechanism | Dynamics,
    target: Any,
    frame: str | Frame | None = None,
    q0: Any = None,
    *,
    directions: Sequence[str] | None = None,
    limits: bool = True,
    every: bool = False,
    starts: int = STARTS,
    t: float = 0.0,
) -> Any:
    """A configuration that brings `frame` to `target`: a point (x, y) or (x, y, z), or a 4x4 pose. Loops stay closed.

    `target` may also map coordinates to values, for a mechanism with loops whose other coordinates follow. `q0` is where to begin
    (an array, a mapping, or the name of a pose): the solution is one near to it. `directions` says which of wx, wy, wz, x, y, z
    count; otherwise those the target has. With `every`, all configurations are given, as a list: in closed form for planar 2R
    arms and 6R arms with a spherical wrist, else those that are found from many starts.
    """
    dyn = dynamics_of(mechanism)
    if isinstance(target, Mapping):
        goal: Any = JointGoal(dyn, tuple(target))
        wanted = np.array([[float(x) for x in target.values()]])
    else:
        goal, wanted = _frame_goal(dyn, target, frame, directions)
    start = guess(dyn, q0)
    if not every:
        return reach(Requirements(dyn, goal), wanted[0], start, t, limits, starts)
    return _every(dyn, goal, wanted, start, t, limits, starts)


def _frame_goal(dyn: Dynamics, target: Any, frame: Any, directions: Any) -> tuple[FrameGoal, np.ndarray]:
    if frame is None:
        raise ArgumentError(f"which frame? {one_of('frame', None, dyn.mechanism._frames)}")
    try:
        x = np.asarray(target, dtype=float)
    except (TypeError, ValueError):
        x = np.zeros(0)
    if x.shape not in ((2,), (3,), (4, 4)) or not np.isfinite(x).all():
        raise ArgumentError(f"the target is {target!r:.60}; a point (x, y) or (x, y, z), or a 4x4 pose, is needed")
    pose = np.eye(4)
    if x.ndim == 2:
        pose[:] = x
    else:
        pose[: len(x), 3] = x
    led = tuple(directions) if directions is not None else DIRECTIONS if x.ndim == 2 else DIRECTIONS[3 : 3 + len(x)]
    if x.ndim == 1 and any(d.startswith("w") for d in led):
        raise ArgumentError("the target is a point, so it has no directions wx, wy, wz; give a 4x4 pose")
    return FrameGoal(dyn, frame, led), pose[None]


def guess(dyn: Dynamics, q0: Any) -> np.ndarray:
    """Where to begin: the mechanism's own start if nothing is said."""
    model = dyn.mechanism
    q = np.array(model.neutral() if model.initial.q is None else model.initial.q, dtype=float)
    if q0 is None:
        return q
    if isinstance(q0, str):
        if q0 not in model.poses:
            raise ArgumentError(f"q0: {one_of('pose', q0, model.poses)}")
        return np.array(model.poses[q0], dtype=float)
    if isinstance(q0, Mapping):
        known = single_coordinates(model)
        for name, value in q0.items():
            if name not in known:
                raise ArgumentError(f"q0: {one_of('coordinate', name, known)}")
            q[known[name][0]] = float(value)
        return q
    try:
        given = np.array(q0, dtype=float)
    except (TypeError, ValueError):
        given = np.zeros(0)
    if given.shape != (dyn.nq,) or not np.isfinite(given).all():
        raise ArgumentError(f"q0 is {q0!r:.60}; {dyn.nq} finite numbers are needed: {', '.join(model.coordinate_names[:12])}")
    return given


def bounds(model: Mechanism) -> tuple[np.ndarray, np.ndarray]:
    """Of every speed's coordinate; those of joints with quaternions have none."""
    low, high = np.full(model.nv, -np.inf), np.full(model.nv, np.inf)
    for name, (_, iv) in single_coordinates(model).items():
        joint = next(j for j in model.joints if name in j.coordinate_names)
        low[iv], high[iv] = float(joint.limits.lower), float(joint.limits.upper)
    return low, high


def reach(requirements: Requirements, wanted: np.ndarray, q0: np.ndarray, t: float, limits: bool, starts: int) -> np.ndarray:
    """From q0, and then from ever further away from it, until all equations are met."""
    dyn = requirements.dyn
    descent = _Descent(requirements, wanted, t, limits)
    best, miss = descent.run(q0)
    rng = np.random.default_rng(0)
    for k in range(starts):
        if miss <= MET * descent.size:
            return best
        step = rng.normal(scale=np.pi * (k + 1) / starts, size=dyn.nv)
        other, off = descent.run(moved(dyn.mechanism, q0, step))
        if off < miss:
            best, miss = other, off
    if miss <= MET * descent.size:
        return best
    off = requirements.residual(best[None], wanted[None], np.array([t]))[0]
    kept = " within the limits of its joints" if limits and np.isfinite(np.concatenate(bounds(dyn.mechanism))).any() else ""
    raise ReachError(
        f"{dyn.mechanism.name}: out of reach{kept}: at the nearest place found {told(requirements.names, off)}. "
        f"The target may be too far, or ask for more directions than the mechanism can move in"
    )


class _Descent:
    """Levenberg and Marquardt's steps towards one target."""

    def __init__(self, requirements: Requirements, wanted: np.ndarray, t: float, limits: bool) -> None:
        self.of, self.wanted, self.t = requirements, wanted[None], np.array([t])
        self.model = requirements.dyn.mechanism
        low, high = bounds(self.model)
        self.low, self.high = (low, high) if limits else (np.full_like(low, -np.inf), np.full_like(high, np.inf))
        self.places = list(single_coordinates(self.model).values())
        self.size = 1.0

    def run(self, q: np.ndarray) -> tuple[np.ndarray, float]:
        """Where it ended, and by how much the worst equation is missed."""
        q = self._inside(q)
        r = self._residual(q)
        damping, error = 1e-9, float(r @ r)
        for _ in range(ITERATIONS):
            if np.abs(r).max(initial=0.0) <= 1e-14 * self.size:
                break
            A = self.of.matrix(q[None], self.t, positions=True)[0]
            self.size = max(1.0, float(np.abs(A).max(initial=0.0)))
            step = self._step(q, A, r, damping)
            trial = moved(self.model, q, step)
            after = self._residual(trial)
            new = float(after @ after)
            if new < error:
                slow = new > 0.25 * error and new < 1e-24
                q, r, error, damping = trial, after, new, max(damping / 10, 1e-12)
                if slow:
                    break
            else:
                damping = max(1e-6, 10 * damping)
                if damping > 1e8 or error < 1e-26:
                    break
        return q, float(np.abs(r).max(initial=0.0))

    def _step(self, q: np.ndarray, A: np.ndarray, r: np.ndarray, damping: float) -> np.ndarray:
        """A damped step; joints that it would take past their limits go there, and the others make up for it."""
        at = np.zeros(self.model.nv)
        for iq, iv in self.places:
            at[iv] = q[iq]
        free, step = np.ones(self.model.nv, dtype=bool), np.zeros(self.model.nv)
        for _ in range(self.model.nv + 1):
            B = A[:, free]
            scale = max(1e-300, float(np.trace(B @ B.T)) / max(1, len(B)))
            right = r + A[:, ~free] @ step[~free]
            step[free] = -B.T @ np.linalg.lstsq(B @ B.T + damping * scale * np.eye(len(B)), right, rcond=1e-15)[0]
            longest = float(np.abs(step[free]).max(initial=0.0))
            step[free] *= min(1.0, 1.0 / max(longest, 1e-300))
            past = free & ((at + step < self.low) | (at + step > self.high))
            if not past.any():
                break
            step[past] = np.clip(at + step, self.low, self.high)[past] - at[past]
            free &= ~past
        return step

    def _inside(self, q: np.ndarray) -> np.ndarray:
        q = q.copy()
        for iq, iv in self.places:
            q[iq] = np.clip(q[iq], self.low[iv], self.high[iv])
        return q

    def _residual(self, q: np.ndarray) -> np.ndarray:
        return self.of.residual(q[None], self.wanted, self.t)[0]


def _every(dyn: Dynamics, goal: Any, wanted: np.ndarray, q0: np.ndarray, t: float, limits: bool, starts: int) -> list[np.ndarray]:
    from lagrangian.task.branches import branches, within_limits

    model, requirements = dyn.mechanism, Requirements(dyn, goal)
    if isinstance(goal, FrameGoal) and not model.equations:
        exact = branches(model, wanted[0], goal.frame) if _complete(goal, dyn.nv) else None
        if exact is not None:
            kept = [q for q in exact if not limits or within_limits(model, q)]
            if not kept:
                raise ReachError(f"{model.name}: out of reach{' within the limits of its joints' * bool(exact)}")
            return kept
    first = reach(requirements, wanted[0], q0, t, limits, starts)
    rank, _ = rank_of(requirements.matrix(first[None], np.array([t]), positions=True))
    if rank[0] < dyn.nv:
        raise ReachError(
            f"{model.name}: {dyn.nv - rank[0]} of its motions leave the target where it is, so there are infinitely many "
            f"configurations; without `every` one near q0 is given"
        )
    descent = _Descent(requirements, wanted[0], t, limits)
    rng, found = np.random.default_rng(0), [first]
    for _ in range(4 * starts):
        q, miss = descent.run(model.random_configuration(rng))
        if miss <= MET * descent.size and not any(same(dyn, q, other) for other in found):
            found.append(q if limits and not within_limits(model, turned(dyn, q)) else turned(dyn, q))
    return found


def _complete(goal: FrameGoal, nv: int) -> bool:
    """Whether the goal is one that closed forms are for: a pose of six joints, or a point of two."""
    return set(goal.names) == set(DIRECTIONS) if nv == 6 else nv == 2 and len(goal.names) < 6
